# dnabird finetune --head token and --ids, and their evaluation: classes of bases, rows
# of token ids.

0: a class of single bases within words of three is learned
    . $T/cli/token_data.sh
    learn --pos-weight data
    dnabird evaluate -q -t 1 -m run --test test.tsv --predictions p >e
    measure auroc e | awk '{ print ($1 > .97 ? "learned" : $1) }'
    awk '$1 == "all/most-frequent" && $2 == "auroc" { print "trivial", $3 }' e
    # the bases of a word share its answer, and TAG alone has the class
    awk -F '\t' 'NR > 1 { w = w $4; q[NR % 3] = $6; if (NR % 3 == 1) {
        if (q[0] != q[1] || q[1] != q[2]) print "differ"
        n[w == "TAG"]++; sum[w == "TAG"] += $6; w = "" } }
        END { print (sum[1] / n[1] > 10 * sum[0] / n[0] ? "TAG" : "none") }' p
    grep -A3 id2label run/config.json
    head -1 p
    wc -l <p
    | out ~ learned
    | out ~ trivial 0.5
    | out !~ differ
    | out ~ TAG
    | out ~ "1": "s"
    | out ~ name	position	strand	base	label	s
    | out ~ 3601
    | err empty
0: threads do not change the model, nor its evaluation
    . $T/cli/token_data.sh
    for n in 1 2; do
        learn -t $n --steps 5 --strand both --mutate .1 --force && mv run r$n
        dnabird evaluate -q -t $n --no-version -m r$n --test test.tsv -o e$n --predictions p$n
        sed 1,3d e$n >f$n
    done
    mv r1/model.safetensors m1
    mv r2/model.safetensors m2
    | same m1 m2
    | same p1 p2
    | same f1 f2
0: an unknown class is left out of loss and metrics
    . $T/cli/token_data.sh
    # a wrong class and an unknown one: the first changes the model
    awk -F '\t' 'NR > 1 { $2 = "." substr($2, 2) } 1' OFS='\t' train.tsv >some.tsv
    awk -F '\t' 'NR > 1 { $2 = "..." substr($2, 4) } 1' OFS='\t' train.tsv >first.tsv
    awk -F '\t' 'NR > 1 { $1 = "TAG" substr($1, 4); $2 = "..." substr($2, 4) } 1' OFS='\t' \
        train.tsv >other.tsv
    for f in train some first other; do
        learn --steps 3 --train $f.tsv && mv run/model.safetensors $f && rm -r run
    done
    learn --steps 3
    sed '2,$s/\t[os][os]/\t../' test.tsv >t.tsv
    dnabird evaluate -q -m run --test t.tsv | grep 'all/model	rows'
    | same train some
    | differ train first
    | differ first other
    | out ~ 3480
0: intervals on a genome are the same as texts
    . $T/cli/token_data.sh
    # the rows end to end are a contig; TAG is an interval of a base
    { echo '>chrA'; sed 1d train.tsv | cut -f1; } | tr -d '\n' | sed 's/chrA/&\n/' >g.fa
    echo >>g.fa
    sed 1d train.tsv | awk '{ print "chrA\t" 60 * (NR - 1) "\t" 60 * NR }' >rows.bed
    sed 1d train.tsv | cut -f2 | tr -d '\n' | awk '{ for (i = 1; i <= length($0); i++)
        if (substr($0, i, 1) == "s") print "A\t" i - 1 "\t" i "\ts" }' | sort -k2,2nr >s.bed
    sed '2,$s/o/n/g' train.tsv >n.tsv
    f() {
        dnabird finetune -q -t 1 --head token --preset tiny --tokenizer k.json --steps 4 --batch 8 -o run "$@"
        mv run/model.safetensors $m && cp run/config.json $m.json && rm -r run
    }
    m=m1 f --train rows.bed -f g.fa --labels s.bed --valid rows.bed
    m=m2 f --train n.tsv --valid n.tsv
    grep -A3 id2label m1.json
    | same m1 m2
    | out ~ "0": "none"
    | out ~ "1": "s"
1: of several intervals the last one counts, and strands are kept apart
    . $T/cli/token_data.sh
    printf '>A\nACGTACGTACGTACGTACGT\n' >g.fa
    printf 'A\t0\t10\tr\t0\t+\nA\t5\t15\tq\t0\t-\nA\t5\t15\n' >rows.bed
    printf 'A\t2\t8\tx\nA\t4\t6\ty\t0\t+\nA\t7\t12\tx\t0\t-\nA\t9\t10\t.\n' >l.bed
    dnabird init -q --preset tiny --tokenizer k.json --head token --labels none,x,y m
    dnabird evaluate -q -m m --test rows.bed -f g.fa --labels l.bed -o e --predictions p
    cut -f 1-5 p
    sed 's/y/z/' l.bed >z.bed
    dnabird evaluate -q -m m --test rows.bed -f g.fa --labels z.bed
    | out = token_intervals.txt
    | err ~ z.bed: line 2, column 4: 'z' is not one of the model's classes
0: labels of FASTA records are texts of their own file
    . $T/cli/token_data.sh
    sed 1d test.tsv | awk '{ print ">r" NR "\n" $1 > "t.fa"; print "r" NR "\t" $2 > "t.labels" }'
    dnabird init -q --preset tiny --tokenizer k.json --head token --labels o,s m
    dnabird evaluate -q --no-version -m m --test t.fa --labels t.labels >e1
    dnabird evaluate -q --no-version -m m --test test.tsv >e2
    | same e1 e2
1: weights of classes change what is learned
    . $T/cli/token_data.sh
    for w in 1 data 5 s=5; do
        learn --steps 3 --pos-weight $w && mv run/model.safetensors "m$w" && rm -r run
    done
    learn --steps 3 --pos-weight x=5
    | same m5 ms=5
    | differ m1 m5
    | differ m5 mdata
    | err ~ weight of positives: no label is of the class 'x'
1: rows that have no class for each base are refused
    . $T/cli/token_data.sh
    f() {
        dnabird finetune -q --head token --preset tiny --tokenizer k.json -o run "$@"
    }
    sed '3s/.$//' train.tsv >short.tsv
    sed '3s/.$/x/' test.tsv >x.tsv
    { cat test.tsv; awk 'NR == 2 { for (i = 0; i < 30; i++) s = s $1; for (i = 0; i < 30; i++) l = l $2
        print s "\t" l }' test.tsv; } >long.tsv
    sed '2,$s/s/o/g' train.tsv >one.tsv
    sed '2,$s/[os]/./g' train.tsv >none.tsv
    printf 'A\t0\t10\n' >rows.bed
    printf '>A\nACGTACGTACGT\n' >g.fa
    f --train short.tsv
    f --train train.tsv --valid x.tsv
    f --train long.tsv
    f --train one.tsv
    f --train none.tsv
    f --train train.tsv --shift 3
    f --train rows.bed -f g.fa
    f --ids --train train.tsv
    f --train train.tsv --head cls
    dnabird init -q --preset tiny --tokenizer k.json --head token --labels o,s m
    dnabird evaluate -m m --test long.tsv
    dnabird evaluate -m m --test test.tsv --strand both
    dnabird evaluate -m m --test test.tsv --bootstrap 9
    dnabird chromatin -m m g.fa
    | err ~ short.tsv: line 3, label: 59 labels of 60 bases
    | err ~ x.tsv: line 3, label: 'x' at position 60 is not one of the model's classes
    | err ~ long.tsv: line 62: a row of 1800 bp has more than the 512 tokens that the model reads
    | err ~ one.tsv: all bases have one label
    | err ~ none.tsv: no class of any base is known
    | err ~ --shift rotates a row
    | err ~ rows.bed: regions need the intervals that label their bases: give --labels BED
    | err ~ train.tsv: line 2, column 1: 
    | err ~ --head cls learns several labels a row
    | err ~ test.tsv: rows of classes of bases are read as they are: --strand given
    | err ~ test.tsv: classes of bases are evaluated without bootstrap
    | err ~ m has no head that scores sequences
    | err lines 13
    | none run

0: embed names the tokens whose answers a table has
    . $T/cli/token_data.sh
    dnabird init -q --preset tiny --tokenizer k.json --head token --labels o,s m
    printf '>r1\nACGTAGC\n>r2\nACG\n' >t.fa
    dnabird embed -q -m m --logits t.fa -o t.tsv
    cut -f 1 t.tsv | paste -s -d ' '
    dnabird tokenize --special -m m t.fa >t.ids
    dnabird embed -q -m m --logits --ids t.ids -o i.tsv
    sed -n 7p i.tsv | cut -f 1
    cut -f 2- t.tsv >a
    cut -f 2- i.tsv >b
    | out ~ name r1:[CLS] r1:1-3 r1:4-6 r1:7-7 r1:[SEP] r2:[CLS] r2:1-3 r2:[SEP]
    | out ~ line 2:token 1
    | same a b
0: rows of token ids are the same as their sequences
    . $T/cli/token_data.sh
    sed 1d train.tsv | awk '{ print ">" NR "\n" $1 }' >train.fa
    k=$T/golden/t_bpe_tiny/tokenizer.json
    {
        echo sequence,label
        sed 1d train.tsv | cut -f1 >s
        awk '{ print NR % 2 }' s >l
        paste -d, s l
    } >plain.csv
    {
        echo sequence,label
        dnabird tokenize --special --tokenizer $k train.fa | paste -d, - l
    } >ids.csv
    sed '2,$s/ /  /; 2,$s/^/ /' ids.csv >blanks.csv
    for f in plain ids blanks; do
        [ $f = plain ] && set -- || set -- --ids
        dnabird finetune -q -t 1 --preset tiny --tokenizer $k --train $f.csv --valid $f.csv \
            --steps 5 --batch 8 -o r$f "$@"
        dnabird evaluate -q -t 1 -m r$f --test $f.csv --predictions p$f "$@" -o e$f
        cp r$f/model.safetensors m$f
    done
    grep -c most-frequent eids
    ls rids
    | same mplain mids
    | same mids mblanks
    | same pplain pids
    | out !~ baseline
    | err empty
1: token ids that the vocabulary does not have are refused
    . $T/cli/token_data.sh
    printf 'sequence,label\n1 5 2,0\n1 6 2,1\n' >ids.csv
    f() {
        dnabird finetune -q --ids --preset tiny --tokenizer k.json --valid ids.csv -o run "$@"
    }
    sed '3s/6/69/' ids.csv >high.csv
    sed '3s/6/x6/' ids.csv >word.csv
    sed '3s/1 6 2//' ids.csv >empty.csv
    { cat ids.csv; yes 5 | head -600 | paste -sd ' ' | sed 's/$/,1/'; } >long.csv
    for f in high word empty long; do f --train $f.csv; done
    f --train ids.csv --strand both
    f --train ids.csv --head token
    dnabird init -q --preset tiny --tokenizer k.json --head cls --labels label m
    dnabird evaluate -m m --ids --test high.csv
    dnabird evaluate -m m --ids --test long.csv
    dnabird evaluate -m m --ids --test ids.csv --strand both
    dnabird evaluate -m m --ids --test train.fa
    | err ~ high.csv: line 3, column 1: token id 69, but the vocabulary has ids 0 to 68
    | err ~ word.csv: line 3, column 1: 'x6' is not a token id
    | err ~ empty.csv: line 3, column 1: the sequence is empty
    | err ~ long.csv: line 4: a row of 600 token ids has more than the 512 tokens that the model reads
    | err ~ rows of token ids (--ids) have none
    | err ~ ids.csv: token ids have no bases that could have labels
    | err ~ ids.csv: token ids are read as they are: --strand given
    | err ~ train.fa: token ids are rows of CSV or TSV
    | err lines 10
    | none run
