# dnabird finetune: unusable rows, and folders that hold a run.

1 | printf 'sequence,label\nACGT,1\nACGG,1\n' >x.csv; dnabird finetune --train x.csv --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run | err ~ no validation rows are left
    | none run
1: rows of one label are refused
    printf 'sequence,label\nACGT,1\nACGG,1\n' >x.csv
    dnabird finetune --train x.csv --valid x.csv --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ x.csv: all rows have one label
    | err lines 1
    | none run
1: validation rows of one label are refused
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    sed 3d x.csv >v.csv
    dnabird finetune --train x.csv --valid v.csv --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ v.csv: the validation rows have one label
    | err lines 1
    | none run
1: a class that the training rows do not have is refused
    printf 'sequence,label\nACGT,a\nACGG,b\n' >x.csv
    sed 's/b$/c/' x.csv >v.csv
    dnabird finetune --train x.csv --valid v.csv --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ v.csv: line 3, label: label 'c' is not one of the classes a, b
    | none run
1: a numeric label that is too large is refused
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    sed 's/1$/2/' x.csv >v.csv
    dnabird finetune --train x.csv --valid v.csv --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ v.csv: line 3, label: label '2' is not below
    | none run
1: classes with names and numeric labels do not mix
    printf 'sequence,label\nACGT,a\nACGG,b\n' >x.csv
    sed 's/a$/0/; s/b$/1/' x.csv >v.csv
    dnabird finetune --train v.csv --valid x.csv --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ x.csv
    | err lines 1
1: training and validation rows need the same labels
    printf 'sequence,a,b\nACGT,0,1\nACGG,1,0\n' >x.csv
    cut -d, -f1,2 x.csv >v.csv
    dnabird finetune --train x.csv --valid v.csv --label-column '*' --head cls \
        --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ v.csv: its labels are not those of x.csv
1: classes of validation rows are the words of the training rows, not numbers
    printf 'sequence,label\nACGT,yes\nACGG,no\n' >x.csv
    sed 's/yes/1/; s/no/0/' x.csv >v.csv
    dnabird finetune --train x.csv --valid v.csv --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    dnabird finetune --train v.csv --valid x.csv --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ v.csv: line 2, label: label '1' is not one of the classes no, yes
    | err ~ x.csv: line 2, label: label 'yes' is a word, but the classes are the numbers 0 to 1
    | none run
1: options that the rows have no use for are refused
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv; printf 'sequence,a,b\nACGT,0,1\nACGG,1,0\n' >m.csv
    t="--preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run --valid"
    for o in "--pos-weight 5" "--pos-weight data" "--label-weight a=2" "--min-positives 50" "--select pearson" "--context 9" \
        "--labels none.tsv" "--dropout -0.5" "--weight-decay -1"; do
        dnabird finetune --train x.csv $t x.csv $o
    done
    for o in "a=2;b=3" "a=2x" "a=2 b=3"; do
        dnabird finetune --train m.csv $t m.csv --label-column a,b --head cls --pos-weight "$o"
        dnabird finetune --train m.csv $t m.csv --label-column a,b --head cls --label-weight "$o"
    done
    dnabird evaluate -m $T/data/model --test x.csv --labels none.tsv
    | err lines 16
    | err ~ --pos-weight is for rows with several labels
    | err ~ --label-weight is for rows with several labels
    | err ~ --min-positives is for rows with several labels
    | err ~ --select: these rows have AUROC, MCC and loss
    | err ~ --context is for labelled bins
    | err ~ x.csv: a second file of labels is for FASTA and BED
    | err ~ --dropout must lie between 0 and 1, got -0.5
    | err ~ --weight-decay must be 0 or more, got -1
    | err ~ weight of positives 'a=2;b=3': give CLASS=WEIGHT
    | err ~ weight of labels 'a=2x': give CLASS=WEIGHT
    | none run
3: a terminal that closes leaves a checkpoint
    . $T/support/wait.sh
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    dnabird finetune -q --train x.csv --valid x.csv --preset tiny --steps 1000000 --validate-every 10 \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run &
    wait_for $! run/best.safetensors
    kill -HUP $!
    wait $!
    | err ~ a checkpoint is in run: go on with --resume
0: metrics that are not defined are NA, and one that has to choose is missed before the first update
    . $T/support/draw.sh
    awk "$draw"'BEGIN { state = 20261130; print "sequence,a,b"; for (i = 0; i < 20; i++) { s = ""
        for (j = 0; j < 9; j++) s = s substr("ACGT", 1 + int(4 * draw()), 1)
        print s "," i % 2 "," int(i / 2) % 2 } }' >m.csv
    printf 'sequence,a,b\nACGTACG,1,1\nACGTACC,1,1\n' >v.csv; printf 'sequence,a,b\nACGTACG,1,2.5\n' >one.csv
    t="--preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --steps 2 --batch 4 --no-baselines --head cls -q"
    dnabird finetune --train m.csv --valid v.csv --label-column a,b $t -o none
    dnabird finetune --train m.csv --valid one.csv --values a,b $t -o none
    dnabird finetune --train m.csv --valid v.csv --label-column a,b $t --select loss -o run || exit
    dnabird finetune --train m.csv --valid one.csv --values a,b $t --select loss -o values || exit
    cat run/training.tsv run/validation.tsv values/training.tsv values/validation.tsv
    | out ~ 	NA	
    | out ~ a	.	2	2	NA	NA
    | out !~ nan
    | err ~ v.csv: no label has 1 or more positives and negatives in the validation rows
    | err ~ one.csv: no two values of the validation rows differ
    | none none
2: numbers of updates and bases are not negative, a batch has rows
    t="finetune --train x.csv --preset tiny -o run"
    for o in steps patience window stride validate-every; do dnabird $t --$o -1; done
    dnabird $t --batch 0
    dnabird pretrain --steps 3 --preset tiny -o run --settings <(echo checkpoint-every = -1)
    | err ~ --steps is negative
    | err ~ --patience is negative
    | err ~ --window is negative
    | err ~ --stride is negative
    | err ~ --validate-every is negative
    | err ~ checkpoint-every is negative
    | err ~ --batch must be above 0, got 0
1: --mutate above 0.75 is refused
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    dnabird finetune --train x.csv --valid x.csv --mutate 0.8 --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ --mutate must lie between 0 and 0.75, got 0.8
    | none run
1: a share of validation rows of all rows is refused
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    dnabird finetune --train x.csv --valid-fraction 1 --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ --valid-fraction must be 0 or more and below 1, got 1
    | none run
2 | dnabird finetune --train x.csv --valid y.csv --valid-fraction .2 --preset tiny -o m | err ~ finetune: either --valid or --valid-fraction
2 | dnabird finetune --train x.csv --values v --label-column l --preset tiny -o m | err ~ finetune: either --values or --label-column
1 | dnabird finetune --train nothing --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run | err ~ nothing: No such file or directory
1 | printf 'seq,y\nACGT,0\n' >x.csv; dnabird finetune --train x.csv --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run | err ~ there is no column 'sequence' among 2: seq, y
1: --resume does not continue in a folder that holds a model
    dnabird init run
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    dnabird finetune --resume --train x.csv --valid x.csv --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ run: holds a model already, but no run to resume
    | err lines 1

0: --resume starts a run, and leaves a finished one unchanged
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    f() {
        dnabird finetune -t 1 --train x.csv --valid x.csv --init $T/data/model --steps 2 \
            --batch 2 --no-baselines -o run "$@"
    }
    f --resume && cp run/model.safetensors m1
    f && exit 9
    f --resume
    cp run/model.safetensors m2
    | same m1 m2
    | err ~ run: holds a run already: add --resume
    | has run/training.tsv
0: a checkpoint of another attention is refused
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    k="--tokenizer $T/golden/t_bpe_tiny/tokenizer.json"
    f() {
        dnabird finetune -q -t 1 --train x.csv --valid x.csv --init w --steps 2 --batch 2 \
            --no-baselines --resume -o run
    }
    i() { rm -rf w; dnabird init -q $k "$@" w; }
    p=strided,block=4,width
    i --pattern $p=2 && f && cp -r run first && f || exit
    for o in "--pattern $p=3" "--pattern $p=2,heads=multihead" \
        "--pattern $p=2 --attention-map topk:2" "--pattern random,block=4,seed=1" \
        "--pattern random,block=4,seed=2"; do
        i $o && f 2>>e
        [ $? = 1 ] || exit 8
    done
    cat e
    cmp first/model.safetensors run/model.safetensors &&
        cmp first/checkpoint.safetensors run/checkpoint.safetensors
    i --pattern $p=2 && f
    | out lines 5
    | out ~ run/checkpoint.safetensors: a checkpoint of attention 'strided,block=4,width=2,heads=union with softmax', but the model's is
    | out ~ but the model's is 'strided,block=4,width=3,heads=union with softmax': use another folder
    | out ~ is 'strided,block=4,width=2,heads=multihead with softmax'
    | out ~ is 'strided,block=4,width=2,heads=union with topk:2'
    | out ~ is 'random,block=4,sparsity=90,seed=2 with softmax'
1: a checkpoint of another head of the same size is refused
    printf 'sequence,a,b\nACGT,0,1\nACGG,1,0\n' >x.csv
    f() {
        dnabird finetune -q -t 1 --train x.csv --valid x.csv --label-column a,b --select loss \
            --init $T/data/model --steps 1 --batch 2 --no-baselines --resume -o "$@"
    }
    f cls --head cls && f mean --head mean && cp mean/model.safetensors m1 && f mean --head mean || exit 8
    cp mean/model.safetensors m2
    f mean --head pooled && exit 8
    f mean --head cls && exit 8
    f cls --head mean
    | same m1 m2
    | err lines 3
    | err ~ mean/checkpoint.safetensors: a checkpoint of another run
    | err ~ cls/checkpoint.safetensors: a checkpoint of another run
0: a full disk keeps the previous checkpoint
    . $T/support/wait.sh
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    f() {
        exec dnabird finetune -t 1 --train x.csv --valid x.csv --init $T/data/model \
            --steps 100000 --checkpoint-every 1 --validate-every 100000 --batch 2 \
            --no-baselines --resume -o run
    }
    f &
    wait_for $! run/checkpoint.safetensors
    kill -TERM $!
    wait $!
    [ $? = 3 ] || exit 8
    cp run/checkpoint.safetensors c1
    (
        ulimit -f 100
        trap "" XFSZ
        f
    )
    [ $? = 1 ] && cp run/checkpoint.safetensors c2
    | same c1 c2
    | err ~ run/checkpoint.safetensors: File too large
    | none run/*.tmp*

0: rows that are longer than the model are reported and counted
    (
        echo sequence,label
        for i in 1 2 3 4; do
            awk -v s=$i 'BEGIN {
                    srand(s)
                    while (n++ < 400) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
                    print "," s % 2
                }'
            printf 'ACGTACGT,0\nTTTTACGT,1\n'
        done
    ) >x.csv
    sed -n '1,3p' x.csv >v.csv
    dnabird finetune -t 1 --train x.csv --valid v.csv \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --config $T/data/model/config.json \
        --steps 2 --batch 2 --no-baselines -o run
    cat run/dnabird.json
    | out ~ "train_trimmed": 4,
    | out ~ "valid_trimmed": 1,
    | err ~ 4 training rows and 1 validation row have more than the 128 tokens that the model reads
0: rows that fit are not reported
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    dnabird finetune -t 1 --train x.csv --valid x.csv --init $T/data/model --steps 2 \
        --batch 2 --no-baselines -o run
    cat run/dnabird.json
    | err !~ have more than
    | out ~ "train_trimmed": 0,
0: a pack without known labels does not change the weights
    (
        echo sequence,a,b
        for i in 1 2 3 4; do printf 'ACGTACGT,NA,\nTTTTACGT,1,0\nACGGGG,0,1\nACCA,.,NA\n'; done
    ) >x.csv
    (echo sequence,a,b; printf 'ACGTACGT,1,0\nTTTTACGT,0,1\n') >v.csv
    for n in 1 100000; do
        dnabird finetune -t 1 --train x.csv --valid v.csv --label-column '*' --head cls \
            --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --steps 8 --batch 4 \
            --dropout 0 --pack-tokens $n --no-baselines -o run$n || exit
        cut -f 3 run$n/training.tsv
    done
    | out !~ nan
    | err !~ not a number
    | has run1/model.safetensors
    | has run100000/model.safetensors
# a head on the mean of all tokens: training, info, evaluation, scans; not in
# transformers
0: a head on the mean of all tokens is trained, evaluated and scanned with
    (
        echo sequence,label
        for i in AA AC AG CA CC CT; do printf 'ACGTACGTAC%s,1\nTTTTACGTTT%s,0\n' $i $i; done
    ) >x.csv
    dnabird finetune -t 1 --train x.csv --valid x.csv --head mean --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --steps 4 --batch 4 --no-baselines \
        -o run && dnabird info run | grep '^head' &&
        dnabird evaluate -m run --test x.csv | grep -c auroc &&
        printf '>a\n%s\n' ACGTACGTACATTTTACGTTT >a.fa &&
        for t in 1 2; do
            dnabird promoter -t $t --no-version -m run --window 11 --stride 5 -O windows a.fa \
                >$t.tsv
        done
    cmp 1.tsv 2.tsv && grep -c '^a' 1.tsv
    dnabird export --compress run copy &&
        dnabird promoter --no-version -m copy --window 11 --stride 5 -O windows a.fa |
            grep '^a' >3.tsv
    grep '^a' 1.tsv | cmp - 3.tsv
    | out ~ linear on the mean of all tokens (mean_pooled)
    | out !~ differ
    | has copy/model.safetensors.zst
1 | dnabird init --labels a,b --head mean m && dnabird export m out | err ~ transformers has no model with the head 'mean_pooled'
    | none out
2 | dnabird init --head mean m | err ~ --head needs --labels
2 | dnabird init --labels 2 --head centre m | err ~ --head: 'centre' is not one of sequence
0: chromatin scans with a head on the mean of all tokens
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels a,b --head mean m && printf '>a\n%s\n' ACGTACGTACATTTTACGTTT >a.fa &&
        dnabird chromatin --no-version -m m --bin 5 --context 11 a.fa | cut -f 1-3
    | out ~ a	5	10

# columns and references
1: no column of measured values is named
    printf 'sequence,a\nACGT,1\nACGG,2\n' >x.csv
    dnabird finetune --train x.csv --valid x.csv --values , \
        --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ x.csv: no column of measured values is named
    | err lines 1
    | none run
1: a column is one label or value
    printf 'sequence,a,b\nACGT,1,0\nACGG,0,1\n' >x.csv
    for o in '--values a,a' '--label-column b,3'; do
        dnabird finetune --train x.csv --valid x.csv $o \
            --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run ||
            rc=$?
        [ "$rc" = 1 ] || exit 9
    done
    exit $rc
    | err ~ x.csv: column 'a' is named twice
    | err ~ x.csv: column '3' is named twice
    | none run
1: two columns of one name are not two labels
    printf 'sequence,a,"a"\nACGT,1,0\nACGG,0,1\n' >x.csv
    for o in --values --label-column; do
        dnabird finetune --train x.csv --valid x.csv $o '*' --head mean --select loss --steps 1 \
            --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run && exit 9
    done
    exit 1
    | err ~ x.csv: two columns are named 'a': rename one
    | err lines 2
    | none run
1: the first row's label is not a number
    printf 'sequence,label\nACGT,NA\nACGG,0\nACGA,1\n' >x.csv
    dnabird finetune --train x.csv --valid x.csv --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ x.csv: line 2, label: label 'NA' is not a whole number from 0, but labels of other rows are
    | none run
0: BED rows lie on several reference files
    printf '>chr1\nACGTTTGACAGGCATTACCA\n' >a.fa
    printf '>2\nGGGATTTACCCATGGGTACA\n' >b.fa
    cat a.fa b.fa >ab.fa
    printf '%s\t%d\t%d\tx\t%d\t%s\n' chr1 0 10 0 + chr2 0 10 1 - chr2 5 15 0 + 1 6 16 1 - >x.bed
    for f in ab.fa a.fa,b.fa; do
        dnabird finetune -q --train x.bed --valid x.bed -f $f --preset tiny --steps 2 \
            --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run.$f || exit
    done
    | same run.ab.fa/model.safetensors run.a.fa,b.fa/model.safetensors
    | err empty
1: two reference files of BED rows have the same contig
    printf '>chr1\nACGTTTGACAGGCATTACCA\n' >a.fa
    cp a.fa b.fa
    printf '%s\t%d\t%d\tx\t%d\t%s\n' chr1 0 10 0 + chr1 5 15 1 - >x.bed
    dnabird finetune -q --train x.bed --valid x.bed -f a.fa,b.fa --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run
    | err ~ b.fa: contig chr1 occurs twice
    | none run

1: numbers of epochs, updates and rows that cannot be counted
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    n=9223372036854775807
    for o in "--epochs $n" "--batch $n" "--steps $n"; do
        dnabird finetune --train x.csv --valid x.csv $o --preset tiny \
            --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run && exit 9
    done
    exit 1
    | err ~ --epochs must be 576460752303423487 or less for these rows
    | err ~ --batch must be 2147483647 or less
    | err ~ --steps must be 18014398509481983 or less with --batch 64
    | err lines 3
    | none run
