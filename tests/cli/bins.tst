# Models with bins of long windows: dataset, training, resuming, evaluation.

0 | dnabird dataset bins --help=all | out ~ the windows that
0 | dnabird finetune bins --help=all | out ~ --also NAME=FILE:SHARE[,WEIGHT]
0 | dnabird evaluate bins --help=all | out ~ --windows BED
2 | dnabird dataset bins -o w | err ~ -f REF.fa and -o DIR are needed
2 | dnabird finetune bins --train a.bed -f r.fa -o m | err ~ --train BED, --valid BED and -f FASTA are needed
2 | dnabird evaluate bins --windows a.bed | err ~ -m MODEL, --windows BED and -f FASTA are needed
0 | dnabird evaluate bins --help | grep -A 1 -e --model | tr -s '\n ' ' ' | out ~ --model DIR model folder --windows

# dataset bins
0: windows lie inside their parts and start at multiples of a bin
    . $T/cli/bins_data.sh
    printf 'chrA\t100\t3350\n' >a.bed
    dnabird dataset bins -f r.fa --window 1000 --margin 200 --settings \
        <(echo 'border = 250') --split a=a.bed,b=B+C,r=rest -o w
    cat w/a.bed
    head -2 w/r.bed
    wc -l <w/b.bed
    | out ~ A	400	1400
    | out ~ A	1600	2600
    | out !~ A	2200	3200
    | out ~ A	3600	4600
    | out ~ 24
    | err ~ a: 3 windows
1: a part whose windows are all excluded says so
    . $T/cli/bins_data.sh
    printf 'A\t0\t8000\n' >x.bed
    dnabird dataset bins -f r.fa --window 1000 --margin 0 -x x.bed --split a=A -o w
    | err ~ part 'a' has no window (0 intervals are too short, 8 windows overlap excluded regions, 0 have too many N)
    | none w
1: of several files all or none are written
    . $T/cli/bins_data.sh
    mkdir -p w/b.bed
    dnabird dataset bins -f r.fa --window 1000 --margin 0 --split a=A,b=rest -o w
    | err ~ w/b.bed: Is a directory
    | err lines 1
    | none w/a.bed*
1 | . $T/cli/bins_data.sh; dnabird dataset bins -f r.fa --window 9000 --split a=A,b=rest -o w | err ~ part 'a' has no window (1 intervals are too short
    | none w
1 | . $T/cli/bins_data.sh; dnabird dataset bins -f r.fa --window 900 --margin 0 -o w | err ~ got 900 bp (default: a window less its margins)
1: widths and distances near INT64_MAX are refused
    printf '>a\nACGTACGTAC\n' >x.fa
    dnabird dataset bins -f x.fa -w 4 --margin 0 -b 2 -s 9223372036854775806 -o w
    dnabird dataset bins -f x.fa -w 4 --margin 0 -b 9223372036854775807 -s 9223372036854775807 -o w
    dnabird dataset bins -f x.fa -w 4 --margin 0 -b 2 --split a=a:2-9 -o w --settings <(echo 'border = 9223372036854775807')
    dnabird dataset bins -f x.fa -w 9223372036854775806 --margin 0 -b 2 --split a=a:3-9 -o w
    | err ~ --bin, --window, --stride and the setting border are 2147483647 bp at most
    | err lines 4
    | none w
1 | dnabird dataset bins -f r.fa -o - | err ~ windows need a folder to write to
    | none ./-
1 | . $T/cli/bins_data.sh; dnabird dataset bins -f r.fa --split a -o w | err ~ split 'a': a part is NAME=FILE.bed
1 | . $T/cli/bins_data.sh; dnabird dataset bins -f r.fa --split a=d+e/none.bed,b=rest -o w | err ~ part 'a': d+e/none.bed: No such file
1 | . $T/cli/bins_data.sh; dnabird dataset bins -f r.fa --split a=A,a=B -o w | err ~ part 'a' is given twice
1 | . $T/cli/bins_data.sh; dnabird dataset bins -f r.fa --split a=A,b=B+A -o w | err ~ --split: parts 'a' and 'b' share
    | err lines 1
    | none w
1 | . $T/cli/bins_data.sh; dnabird dataset bins -f r.fa --split a=rest,b=rest -o w | err ~ --split: parts 'a' and 'b' are both the rest

# evaluation with any number of threads
0 long | . $T/cli/bins_data.sh; windows -q; learn 4 -t 1 --min-positives 3 && mv m m1; learn 4 -t 2 -q --min-positives 3; dnabird info m | out ~ linear on the mean of each bin's rows (bins)
    | out ~ strand_pair   [0, 1, 3, 2]
    | out ~ bin           200 bp
    | out ~ commands      promoter: 2: TSS+, TSS-
    | out ~ chromatin: 2: one, two
    | out ~ other_bp      500
    | out ~ labels        4: one, two, TSS+, TSS-
    | err ~ median AUROC / AUPRC: TF 0.
    | has m/validation.tsv
    | same m/baseline.safetensors m1/baseline.safetensors
    | same m/model.safetensors m1/model.safetensors
    | same m/dnabird.json m1/dnabird.json
0: an empty record of the reference, and a loss that is known with few positives
    . $T/cli/bins_data.sh
    windows -q
    echo '>none' >>r.fa
    learn 2 -q --select loss --min-positives 100000
    dnabird info m
    | out ~ bin           200 bp
0: evaluate bins prints the same table with any number of threads
    . $T/cli/bins_data.sh
    ready
    for t in 1 2; do
        dnabird evaluate bins -t $t -m m --windows w/valid.bed "${labels[@]}" \
            --min-positives 3 --no-version --predictions p$t -o o$t
    done
    cat o1
    grep -c one p1
    | out ~ all/model:median:TSS	auprc
    | out ~ all/model:TSS+	auroc
    | out ~ 40
    | same o1 o2
    | same p1 p2

# the k-mer baseline and GC in evaluate bins
0: a baseline is evaluated, left out, refitted to the same bytes, and fitted by --resume
    . $T/cli/bins_data.sh
    windows -q
    learn 2 -q -t 1
    e() {
        dnabird evaluate bins -q -t 2 -m m --windows w/valid.bed "${labels[@]}" \
            --no-version "$@"
    }
    e -O features >f1
    cp m/baseline.safetensors b1
    rm m/baseline.safetensors
    learn 2 -q --resume && cp m/baseline.safetensors b2
    rm m/baseline.safetensors
    e -O features --baseline-train w/train.bed --keep-baselines >f2
    cp m/baseline.safetensors b3
    cmp b1 b2
    cmp f1 f2
    e
    head -1 f1
    | out ~ all/k-mers:TSS+	auroc
    | out ~ all/GC:median:TSS	auprc
    | out ~ all/model-k-mers:median	auroc
    | out ~ k-mers_auroc	k-mers_auprc	GC_auroc	GC_auprc
    | same b1 b3
    | same f1 f2
0 | . $T/cli/bins_data.sh; windows -q; learn 2 -q --no-baselines; dnabird evaluate bins -m m --windows w/valid.bed "${labels[@]}" | none m/baseline.safetensors
    | out ~ all/GC:one	auroc
    | out !~ k-mers
    | err ~ the model has no baselines: give --baseline-train
0: bins that windows share are reported, in any order of the windows
    . $T/cli/bins_data.sh
    windows -q
    learn 2 -q --no-baselines
    (tail -n 1 w/valid.bed; cat w/valid.bed) >v.bed
    dnabird evaluate bins -m m --windows w/valid.bed "${labels[@]}" 2>&1 | grep 'several windows' || true
    dnabird evaluate bins -m m --windows v.bed "${labels[@]}" >o
    | err ~ warning: v.bed: bins in several windows count each time
    | out empty
1: --keep-baselines does not overwrite the model's weights with the table
    . $T/cli/bins_data.sh
    ready
    cp m/model.safetensors x
    dnabird evaluate bins -m m --windows w/valid.bed "${labels[@]}" \
        --baseline-train w/train.bed --keep-baselines -o m/model.safetensors
    | same x m/model.safetensors
    | err ~ m/model.safetensors: the output would
# --keep-baselines stores the fitted baseline, which is then evaluated like the
# first one. The model and its digest stay the same. Without --keep-baselines
# the folder stays the same.
0 long: --keep-baselines changes the baseline only, and other windows give another one
    . $T/cli/bins_data.sh
    ready
    e() {
        dnabird evaluate bins -q -m m --windows w/valid.bed "${labels[@]}" --no-version \
            -O features "$@"
    }
    cp -r m own
    e >f0
    e --baseline-train w/valid.bed >f1
    cmp m/baseline.safetensors own/baseline.safetensors
    e --baseline-train w/valid.bed --keep-baselines >f2
    e >f3
    for f in own/*; do cmp -s $f m/${f#*/} || echo "${f#*/} differs"; done
    ls -A m | wc -l
    ls -A own | wc -l
    dnabird info --verify m >/dev/null && e -O tsv | grep -c k-mers:
    | out ~ baseline.safetensors differs
    | out !~ model.safetensors differs
    | out !~ dnabird.json differs
    | err empty
    | same f1 f2
    | same f2 f3
    | differ f0 f1
2 | dnabird evaluate bins -m m --windows w.bed -f r.fa --keep-baselines | err ~ --keep-baselines needs --baseline-train
2 | dnabird evaluate --test x.csv --baseline-train x.csv --keep-baselines | err ~ no model: give -m MODEL
1 | . $T/cli/bins_data.sh; ready; dnabird evaluate scan -p sites.bed --baseline m/baseline.safetensors -f r.fa | err ~ a baseline of 4 labels, of bins: a scan needs one of one label
1: a table that cannot be written leaves the kept baseline unchanged
    . $T/cli/bins_data.sh
    ready
    cp m/baseline.safetensors x
    dnabird evaluate bins -m m --windows w/valid.bed "${labels[@]}" \
        --baseline-train w/valid.bed --keep-baselines -o /dev/full
    | same x m/baseline.safetensors
1: a baseline with another number of labels is refused
    . $T/cli/bins_data.sh
    ready
    cp $T/data/v0.1.0/model/baseline.safetensors m
    dnabird evaluate bins -m m --windows w/valid.bed "${labels[@]}"
    | err ~ baseline.safetensors: 1 answers a row, but the model gives 4

0 long: windows given 30 times (1,200 bins) rank as they do once
    . $T/cli/bins_data.sh
    ready
    for i in {1..30}; do cat w/valid.bed; done >w/more.bed
    for x in valid more; do
        dnabird evaluate bins -q -m m --windows w/$x.bed "${labels[@]}" --no-version \
            --min-positives 1 |
            grep auroc >$x
    done
    grep -c k-mers valid
    dnabird evaluate bins -q -m m --windows w/more.bed "${labels[@]}" | grep rows
    | out ~ 1200
    | same valid more

# --max-memory: a limit that is not reached changes nothing; a smaller one keeps
# windows at even distances and says so
0 long | . $T/cli/bins_data.sh; windows -q; learn 4 -t 1 2>err1; mv m m1; learn 4 -t 1 --max-memory 1920 2>err2; ! grep max-memory err1 err2 | out empty
    | same m/validation.tsv m1/validation.tsv
    | same m/model.safetensors m1/model.safetensors
0 long: --max-memory thins validation windows evenly and says so
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -t 1 --min-positives 1 --max-memory 1000
    mv m m1
    awk 'NR % 2 == 0' w/valid.bed >x
    mv x w/valid.bed
    learn 4 -t 1 --min-positives 1 -q
    grep -c . w/valid.bed
    grep valid_windows m1/dnabird.json
    ! grep valid_windows m/dnabird.json
    | out ~ 4
    | out ~ "valid_windows": 4
    | out ~ "valid_windows_all": 8
    | err ~ --max-memory does not hold the answers of 8 validation windows: validating on 4 of them, at even distances
    | same m/validation.tsv m1/validation.tsv
    | same m/model.safetensors m1/model.safetensors
1 | . $T/cli/bins_data.sh; windows -q; learn 2 --max-memory 239 | err ~ w/valid.bed: labels and answers of one window take 240 bytes, --max-memory is 239
    | none m/model.safetensors
1 | . $T/cli/bins_data.sh; windows -q; l() { learn 4 -q --min-positives 1 "$@"; }; l --max-memory 1000; rm m/dnabird.json m/model.safetensors; l --resume | err ~ checkpoint

# resuming; a run with other labels is refused
0: a run stopped by SIGTERM resumes to the same bytes
    . $T/cli/bins_data.sh
    . $T/support/wait.sh
    windows -q
    learn 6 -q -t 1
    mv m m1
    f() {
        exec dnabird finetune bins -q -t 1 --train w/train.bed --valid w/valid.bed \
            "${labels[@]}" --tokenizer k.json --preset tiny --steps 6 --validate-every 2 \
            --shift 30 --settings <(echo 'shift-bins = 1') -o m --checkpoint-every 1 --resume
    }
    f &
    wait_for $! m/checkpoint.safetensors
    kill -TERM $!
    wait $!
    [ $? = 3 ] || exit 8
    (f)
    | same m/model.safetensors m1/model.safetensors
1 | . $T/cli/bins_data.sh; windows -q; learn 2 -q --patience 1; rm m/dnabird.json m/model.safetensors; tail -n +3 peaks.bed >x; mv x peaks.bed; learn 4 -q --resume | err ~ checkpoint

# heads, weights, labels, further tables
0 long: --head, --pos-weight, --mutate, --margin and --also work together
    . $T/cli/bins_data.sh
    windows -q
    (
        echo sequence,label
        for i in 1 2 3 4 5; do
            awk -v s=$i 'BEGIN {
                    srand(s)
                    while (n++ < 70) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
                    print "," s % 2
                }'
        done
    ) >a.csv
    learn 6 --head bins-maxmean --also core=a.csv:0.4,0.1 --pos-weight TF=4,TSS=8 \
        --background 0.5 --mutate 0.02 --margin 200 -q
    dnabird info m
    dnabird evaluate bins -m m --windows w/valid.bed "${labels[@]}"
    | out ~ linear on the maximum and the mean of each bin's rows
    | out ~ labels        5: one, two, TSS+, TSS-, core
    | out ~ strand_pair   [0, 1, 3, 2, 4]
    | out ~ margin_bp     200
    | out ~ all/model:one	rows	24
    | err ~ core
0 | . $T/cli/bins_data.sh; windows -q; learn 2 -q -F one; dnabird info m | out ~ labels        1: one
    | out !~ strand_pair
    | out ~ promoter: none
    | out ~ chromatin: 1: one
1 | . $T/cli/bins_data.sh; windows -q; learn 2 -q -F one; dnabird promoter -m m -T 0 r.fa | err ~ m has 0 labels for promoters
1 | . $T/cli/bins_data.sh; windows -q; printf 'sequence,label\nACGTACGTAA,0\nACGATTTTTT,1\n' >a.csv; learn 2 --also x=a.csv:0.3,inf | err ~ a.csv: the weight must be above 0
    | none m
0 long: --also x=FILE:0.5 takes half of the passes
    . $T/cli/bins_data.sh
    windows -q
    printf 'sequence,label\nACGTACGTAA,0\nACGATTTTTT,1\n' >a.csv
    learn 4 -q
    tail -1 m/training.tsv | cut -f 2 >whole
    rm -r m
    learn 4 -q --also x=a.csv:0.5
    tail -1 m/training.tsv | cut -f 2 >half
    paste whole half |
        awk '{ d = $1 / 2 - $2; print ($1 > 0 && d * d < 1e-7 ? "half the passes" : $0) }'
    | out ~ half the passes
0 long: --also-values learns the ranks of measured values; rows without one count nothing
    . $T/cli/bins_data.sh
    windows -q
    for k in 0 1 2 3 4 5 NA; do
        awk -v k=$k 'BEGIN {
            for (j = 0; j < 25; j++)
                printf "%s", j % 5 < k + 0 ? "GGGCGGGG" : "ATTACTAA"
            print "\t" k }'
    done >rows
    for i in 1 2 3 4; do cat rows; done | awk '{ print "r" NR "\t" $0 }' |
        sed '1i name\tsequence\tact' >a.tsv
    awk -F '\t' -v OFS='\t' 'NR > 1 { if ($3 == "NA") next; $3 = exp($3) } 1' \
        a.tsv >b.tsv
    awk '$2 != "NA" { print ">" $2 "\n" $1 }' rows >r6.fa
    learn 4 -q --also-values act=b.tsv:0.5,1 && mv m b
    learn 4 -q --also-values act=a.tsv:0.5,1 && mv m a
    learn 80 -q --no-baselines --validate-every 80 --also-values act=a.tsv:0.7,1 \
        --lr 3e-3 --batch 2 2>/dev/null
    dnabird chromatin -q -m m -F act r6.fa -O tsv |
        awk '$5 == "ok" && ($6 - ($1 + 0.5) / 6) ^ 2 < 0.02 { n++ } END { print n " near" }'
    | same a/model.safetensors b/model.safetensors
    | out ~ 6 near
1 | . $T/cli/bins_data.sh; windows -q; printf 'sequence,label\nACGT,1\n' >a.csv; learn 2 --also-values x=a.csv:0.5 | err ~ no column 'x'
    | none m
1 | . $T/cli/bins_data.sh; windows -q; printf 'sequence,x\nACGT,NA\n' >a.csv; learn 2 --also-values x=a.csv:0.5 | err ~ a.csv: no rows
    | none m
1 | . $T/cli/bins_data.sh; windows -q; printf '>a label=1\nACGT\n' >a.fa; learn 2 --also-values label=a.fa:0.5 | err ~ a.fa: measured values are columns of CSV or TSV
    | none m
2 | . $T/cli/bins_data.sh; windows -q; learn 2 --also-values a.csv | err ~ --also-values is NAME=FILE:SHARE
0 long: --teacher: answers of other models in the place of labels
    . $T/cli/bins_data.sh
    windows -q
    quick=(-q --no-baselines --validate-every 40 --lr 3e-3 --batch 2)
    learn 40 "${quick[@]}" 2>/dev/null && mv m right
    # the profiles with each other's peaks, which the answers of `right` replace
    awk -v OFS='\t' '{ $4 = $4 == "one" ? "two" : "one" } 1' peaks.bed >other.bed
    labels=(-f r.fa --profiles list.tsv --peaks other.bed --sites sites.bed)
    learn 40 "${quick[@]}" 2>/dev/null && mv m wrong
    learn 40 "${quick[@]}" --teacher right 2>/dev/null && mv m taught
    learn 40 "${quick[@]}" --teacher right,wrong 2>/dev/null
    for x in right wrong taught m; do
        dnabird chromatin -q -m $x r.fa -O tsv -F one,two | awk '$5 == "ok"' >$x.tsv
    done
    paste right.tsv wrong.tsv taught.tsv m.tsv | awk '
        { d = $6 - $13; apart += d * d; d = $6 - $20; near += d * d
          d = log($27 / (1 - $27)) - (log($6 / (1 - $6)) + log($13 / (1 - $13))) / 2
          mean += d * d }
        END { print (apart / NR > .0025 ? "apart" : "alike"),
              (near / NR < .0004 ? "near" : "far"),
              (mean / NR < .01 ? "between" : "elsewhere") }'
    grep -c teachers= taught/dnabird.json
    | out ~ apart near between
    | out ~ 1
1 | . $T/cli/bins_data.sh; ready; windows -q; learn 2 --bin 100 --teacher m -o n | err ~ m: a teacher answers bins of 100 bp
    | none n
1 | . $T/cli/bins_data.sh; ready; windows -q; sed -i 's/one/new/g' list.tsv peaks.bed; learn 2 -F new --teacher m -o n | err ~ m: no label of the windows
    | none n
1 | . $T/cli/bins_data.sh; cp r.fa A; dnabird dataset bins -q -f r.fa --window 1000 --margin 0 --split train=A,valid=B -o z | err ~ A is a contig and a file here
    | none z
1 | . $T/cli/bins_data.sh; windows -q; learn 2 -q -F one,TSS+ | err ~ --features takes 'TSS+' without 'TSS-', which it is on the other strand
    | none m
1: a window that is not a whole number of bins is refused
    . $T/cli/bins_data.sh
    windows -q
    dnabird dataset bins -q -f r.fa --window 900 --stride 200 --margin 0 -o x
    mv x/all.bed w/train.bed
    learn 2
    | err ~ w/train.bed: a window of 900 bp
    | none m
0 | . $T/cli/bins_data.sh; windows -q; printf 'one\tA\none\tB\n' >mask; learn 2 --mask mask; dnabird info m | out ~ labels        3: two, TSS+, TSS-
    | err ~ 1 label known in no training row, left out of the model: one

# wrong input gives one line and leaves nothing
1 | . $T/cli/bins_data.sh; windows -q; learn 2 --pos-weight TX=4 | err ~ weight of positives: no label is of the class 'TX'
1 | . $T/cli/bins_data.sh; windows -q; learn 2 --pos-weight TF=4,TSS=2,TF=3 | err ~ weight of positives: the class of 'TF=3' is given twice
    | none m
1 | . $T/cli/bins_data.sh; windows -q; learn 2 --label-weight TX=4 | err ~ weight of labels: no label is of the class 'TX'
    | none m
0 long: one weight for all labels is none; a weight of a class changes what is learned
    . $T/cli/bins_data.sh
    windows -q
    learn 6 -q && mv m plain
    learn 6 -q --label-weight TF=3,DNase=3,TSS=3 && mv m all
    learn 6 -q --label-weight TSS=3
    | same plain/model.safetensors all/model.safetensors
    | differ plain/model.safetensors m/model.safetensors
1 | . $T/cli/bins_data.sh; windows -q; printf 'sequence,label\nACGT,a\nACGA,b\n' >a.csv; learn 2 --also x=a.csv:0.5 | err ~ a.csv: rows beside windows have a label 0 or 1
    | none m
2 | . $T/cli/bins_data.sh; windows -q; learn 2 --also a.csv | err ~ --also is NAME=FILE:SHARE
1: a window of more rows than the model reads is refused
    . $T/cli/bins_data.sh
    windows -q
    dnabird dataset bins -f r.fa --window 2000 --margin 0 -o x
    mv x/all.bed w/train.bed
    learn 2
    | err ~ w/train.bed: a window of 2000 bp is 1002 rows, but the model reads 512: use shorter windows
    | none m
1 | . $T/cli/bins_data.sh; windows -q; sed -i 's/1000/1100/' w/train.bed; learn 2 | err ~ is not a multiple of the bin of 200 bp
    | none m
1 | . $T/cli/bins_data.sh; ready; dnabird evaluate -m m --test k.json | err ~ use 'dnabird evaluate bins'
1 | . $T/cli/bins_data.sh; windows -q; dnabird evaluate bins -m $T/data/model --windows w/valid.bed -f r.fa --sites sites.bed | err ~ this model does not predict bins
1 | . $T/cli/bins_data.sh; ready; sed -i 's/"strand_pair": \[/"strand_pair": [9,/' m/dnabird.json; dnabird info m | err ~ 'strand_pair' has 5 entries for 4 labels
1: a strand pair that does not name its partner is refused
    . $T/cli/bins_data.sh
    ready
    tr -d '\n' <m/dnabird.json |
        sed 's/"strand_pair": *\[[^]]*\]/"strand_pair": [1, 2, 0, 3]/' >x
    mv x m/dnabird.json
    dnabird info m
    | err ~ of a pair each names the other
1 | . $T/cli/bins_data.sh; ready; sed -i '/"bin_bp"/d' m/dnabird.json; dnabird info m | err ~ no width of a bin
2 | . $T/cli/bins_data.sh; windows -q; learn 2 --head cls | err ~ 'cls' is not one of bins

0 long: tokens of one base: both strands of a motif are learned from 16 windows
    . $T/cli/bins_data.sh
    windows -q
    dnabird tokenizer kmer -k 1 -s 1 -o one.json
    dnabird init --preset tiny --stem 15x64/4,5x64+ --branch-scale 0 --tokenizer one.json \
        --labels a --head bins-maxmean i
    dnabird finetune bins -q --train w/train.bed --valid w/valid.bed "${labels[@]}" \
        --init i --steps 150 --validate-every 50 --min-positives 3 --lr 3e-3 \
        --head bins-maxmean --settings <(printf 'cut = 0\nshift-bins = 2\n') --shift 50 \
        -o m
    for t in 1 2; do
        dnabird evaluate bins -t $t -m m --windows w/valid.bed "${labels[@]}" --no-version >o$t
    done
    awk '$1 ~ /TSS[+-]$/ && $2 == "auroc" && $3 > 0.9 { n++ } END { print n " of TSS" }' o1
    dnabird info m
    | out ~ 2 of TSS
    | out ~ stem          15x64/4,5x64+: 4 tokens a row
    | same o1 o2
1: a bin that is not a multiple of the stem's pooling is refused
    . $T/cli/bins_data.sh
    windows -q
    dnabird tokenizer kmer -k 1 -s 1 -o one.json
    dnabird init --preset tiny --stem 15x64/16 --tokenizer one.json --labels a --head bins i
    | err ~ a bin of 200 bp is not a multiple of the 16 tokens
    | none i

# chromatin scans
0 long: chromatin: regions equal the whole, bins of N have no value, threads change nothing
    . $T/cli/bins_data.sh
    windows -q
    learn 2 -q --margin 200
    sed '6s/^.\{300\}/N/; s/^N/'"$(printf 'N%.0s' {1..300})"'/' r.fa >n.fa
    samtools faidx n.fa
    s() {
        dnabird chromatin -q -m m -F '*' -O tsv --no-version "$@" 2>>err | grep -v '^##\|^# '
    }
    s n.fa >all
    s -t 1 n.fa >one
    s -r A:1,101-2,300 n.fa >part
    cut -f 1-5 part >cells
    (head -1 all; awk -F '\t' '$1 == "A" && $3 > 1100 && $2 < 2300' all) |
        cut -f 1-3,5- >want
    cut -f 1-3,5- part >got
    awk -F '\t' '$5 == "too_many_N"' all | cut -f 1-6
    wc -l <all
    head -1 all | cut -f 6-
    | out ~ C	0	200	.	too_many_N	.
    | out !~ A	0	200
    | out ~ 121
    | out ~ one	two	TSS+	TSS-
    | same all one
    | same got want
0 long: chromatin writes BED and bedGraph, and both strands where --strand is given
    . $T/cli/bins_data.sh
    ready
    for f in bed bedgraph; do
        dnabird chromatin -q -m m -F one -O $f --threshold 0.2 r.fa -o o.$f
    done
    cut -f 1-3 o.bedgraph | sort -u | wc -l
    dnabird chromatin -m m r.fa -O tsv -o x.tsv --strand given 2>&1
    | out ~ 120
1 | . $T/cli/bins_data.sh; ready; dnabird chromatin -m m r.fa -O tsv --bin 100 | err ~ m predicts bins of 200 bp: --bin cannot change them
1 | . $T/cli/bins_data.sh; ready; dnabird chromatin -m m r.fa -O tsv --context 900 | err ~ whole number of bins
1 | . $T/cli/bins_data.sh; ready; dnabird chromatin -m m --pad-to 512 r.fa -O tsv | err ~ a model that predicts bins takes no padding
1 | . $T/cli/bins_data.sh; dnabird dataset bins -f r.fa --window 1000 --margin 100 -o w | err ~ a margin of 100 bp is not a multiple of the bin of 200 bp
    | none w
1: --calibrate needs windows of the model's length
    . $T/cli/bins_data.sh
    ready
    dnabird dataset bins -q -f r.fa --window 600 --margin 0 -o v
    dnabird evaluate bins -m m --windows v/all.bed "${labels[@]}" --calibrate
    | err ~ probabilities are calibrated on windows of the model's 1000 bp
0 long: Muon: threads and a stop change no byte, and AdamW gives other weights
    . $T/cli/bins_data.sh
    . $T/support/wait.sh
    windows -q
    echo 'clip = 0.5' >clip.toml
    o='-q --optimizer muon --settings clip.toml'
    learn 4 $o -t 1
    mv m m1
    learn 4 $o -t 3 && cmp m/model.safetensors m1/model.safetensors || exit 8
    rm -r m
    learn 4 -q --settings <(echo 'clip = 0.5') -t 1
    if cmp -s m/model.safetensors m1/model.safetensors; then exit 8; fi
    rm -r m
    f() {
        exec dnabird finetune bins $o -t 1 --train w/train.bed --valid w/valid.bed \
            "${labels[@]}" --tokenizer k.json --preset tiny --steps 4 --validate-every 2 \
            --shift 30 --settings <(echo 'shift-bins = 1') -o m --checkpoint-every 1 --resume
    }
    f &
    wait_for $! m/checkpoint.safetensors
    kill -TERM $!
    wait $!
    [ $? = 3 ] || exit 8
    (f)
    | same m/model.safetensors m1/model.safetensors
