# dnabird evaluate: the toy model on rows that it was not trained on, and wrong
# input.

0 | dnabird evaluate --help=all | out ~ --train FILE
    | err empty
0 | dnabird evaluate scan --help=all | out ~ Usage: dnabird evaluate scan
    | out ~ --baseline FILE
2 | dnabird evaluate scan --floor x -p t w | err ~ there is no option --floor
2 | dnabird evaluate | err ~ Usage: dnabird evaluate
    | out empty
2 | dnabird evaluate -m $T/data/model | err ~ no rows to evaluate on: give --test FILE
    | err lines 1
2 | dnabird evaluate --test a.csv b.csv | err ~ unexpected argument 'b.csv'
2 | dnabird evaluate --test a.csv --seed -1 | err ~ --seed is negative
2 | dnabird evaluate -m m --test a.csv --values v --label-column l | err ~ evaluate: either --values or --label-column
2 | dnabird evaluate --test a.csv --bootstrap -2 | err ~ --bootstrap is negative
2 | dnabird evaluate --test a.csv --threshold 1.5 | err ~ --threshold must lie between 0 and 1, got 1.5
2 | dnabird evaluate --test a.csv --threshold -1 | err ~ --threshold must lie between 0 and 1, got -1
    | err lines 1
2 | dnabird evaluate --test a.csv --threshold nan | err ~ threshold
2 | dnabird evaluate --test a.csv --settings <(echo 'shared-k = 64') | err ~ shared-k must be between 0 and 63
2 | dnabird evaluate --test a.csv --strand minus | err ~ strand
2 | dnabird evaluate --test a.csv -O xml | err ~ xml

# metrics, baselines, clean rows, calibration, predictions
0: metrics, baselines, clean rows and predictions are written
    dnabird evaluate -m $T/data/model --test $T/data/train/prom_core_tata.test300.csv \
        --train $T/data/train/prom_core_tata.train600.csv.gz \
        --baseline-train $T/data/train/prom_core_tata.train600.csv.gz --bootstrap 20 \
        --predictions p.tsv --json f.json
    | out ~ all/model	rows	300	NA	NA
    | out ~ all/model	positives	145	NA	NA
    | out ~ all/k-mers	auroc	0.
    | out ~ all/positions	auroc	0.9
    | out ~ all/GC	auroc	0.69822
    | out ~ all/model-positions	auroc	-0.
    | out ~ clean/model	rows	295	NA	NA
    | out ~ clean	left_out_whole	4	NA	NA
    | out ~ clean	left_out_30_bp	1	NA	NA
    | out ~ set	lo	hi	rows	mean_probability	observed
    | out ~ # command: dnabird evaluate -m
    | err ~ dnabird: 5 of 300 rows are not clean: 4 are whole in the training rows, 1 share 30 bp with one
    | err lines 1
    | has p.tsv
    | has f.json
0 | dnabird evaluate -m $T/data/model --no-version --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv | head -n 1 | out ~ set	metric	value	lo	hi
    | out lines 1
0: predictions of two classes with names say which one is predicted: the report has the same numbers
    awk 'BEGIN { srand(1); print "sequence,label"; for (i = 0; i < 40; i++) {
        s = ""; for (j = 0; j < 60; j++) s = s substr("ACGT", 1 + int(4 * rand()), 1)
        print s "," (rand() < .3 ? "on" : "off") } }' >x.csv
    dnabird finetune -q --train x.csv --valid x.csv --head sequence --preset tiny --no-baselines \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --steps 2 --batch 4 -o m || exit
    dnabird evaluate -q -m m --bootstrap 0 -o e.tsv --predictions p.tsv --test x.csv
    head -n 1 p.tsv
    dnabird report -q --multiqc n_mqc.json -o n.html p.tsv
    for k in positives brier auroc; do
        awk -v k=$k '$1 == "all/model" && $2 == k { print k, sprintf("%.4f", $3) }' e.tsv
        awk -v k=$k '$1 == "\"" k "\":" && $2 != "{" { print k, sprintf("%.4f", $2) }' n_mqc.json
    done | uniq -c
    | out ~ name	label	on
    | out ~ 2 positives
    | out ~ 2 brier
    | out ~ 2 auroc
    | out lines 4
0: threads do not change metrics or predictions
    for t in 1 2; do
        dnabird evaluate --no-version -t $t -m $T/data/model --strand both --bootstrap 50 \
            --test $T/data/train/prom_core_tata.test300.csv --predictions $t.p >$t.tsv
    done
    | same 1.tsv 2.tsv
    | same 1.p 2.p
0: another seed changes the intervals, not the values
    for s in 1 2; do
        dnabird evaluate --seed $s --no-version -m $T/data/model --bootstrap 50 \
            --test $T/data/train/prom_core_tata.test300.csv -o $s.tsv
        cut -f 1-3 $s.tsv >$s.v
    done
    | differ 1.tsv 2.tsv
    | same 1.v 2.v
    | out empty
0 needs=jq: --json has the sets and the metrics
    dnabird evaluate -m $T/data/model -O json --bootstrap 0 \
        --test $T/data/train/prom_core_tata.test300.csv |
        jq -c '[.model.name, .rows, .strand, .sets.all.model.positives, (.sets.all.GC|keys)]'
    | out ~ ["model",300,"given",145,["auprc","auroc","positives","rows"]]
0 | dnabird evaluate -m $T/data/model --bootstrap 0 --test - --data-format csv <$T/data/train/prom_core_tata.test300.csv | out ~ all/model	rows	300
0: columns are chosen by name, and predictions go to standard output
    printf 'id\tseq\ty\nx1\tACGTTATAAAGG\t1\nx2\tacguuauaaagn\t0\n' >x.tsv
    dnabird evaluate -m $T/data/model --bootstrap 0 --test x.tsv --sequence-column seq \
        --label-column y --name-column id --predictions - -o f.tsv
    | out ~ x2	0	0.
    | out lines 3
    | has f.tsv
0 | m=$(printf 'a\nb\tc'); cp -r $T/data/model "$m"; dnabird evaluate -m "$m" --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv -o o.tsv; sed -n 3,4p o.tsv | out ~ # model: a b c
    | out ~ # probabilities: a b c: the model is not calibrated
0 | DNABIRD_PROGRESS=1 dnabird evaluate -m $T/data/model --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv -o f.tsv | err ~ scoring

0: label columns are matched by name, in any order, or by position under other names
    . $T/support/draw.sh
    awk "$draw"'BEGIN { state = 20261130; print "sequence,a,b"; for (i = 0; i < 40; i++) { s = ""
        for (j = 0; j < 12; j++) s = s substr("ACGT", 1 + int(4 * draw()), 1)
        print s "," i % 2 "," int(i / 2) % 2 } }' >x.csv
    dnabird finetune -q --train x.csv --valid x.csv --label-column a,b --head cls --preset tiny --no-baselines \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --steps 2 --batch 4 -o m || exit
    awk -F, -v OFS=, '{ print $3, $1, $2 }' x.csv >y.csv
    sed 1s/.*/sequence,p,q/ x.csv >z.csv
    for f in "x.csv --label-column a,b" "x.csv --label-column b,a" "y.csv --label-column 1,3" "z.csv --label-column p,q"; do
        dnabird evaluate -q -m m --bootstrap 0 --no-version -o e.tsv --predictions p.tsv --test $f || exit
        grep -v '^#' e.tsv | sed 's/:p\t/:a\t/; s/:q\t/:b\t/' | md5sum
        awk 'NR > 1' p.tsv | sed 's/\tp\t/\ta\t/; s/\tq\t/\tb\t/' | md5sum
    done >sums
    sort sums | uniq -c
    dnabird evaluate -m m --test x.csv --label-column a,a
    dnabird evaluate -m m --test z.csv --label-column p,q,sequence
    sed 1s/p/a/ z.csv >half.csv
    dnabird evaluate -m m --test half.csv --label-column q,a
    true
    | out lines 2
    | err ~ x.csv: column 'a' is named twice
    | err ~ z.csv: 3 label columns, but the model has 2 labels
    | err ~ half.csv: the model has no label 'q': name columns by its 2 labels
0: columns of the evaluated rows are not looked for in training rows
    printf '>a\nACGTTATAAAGG\n>b\nACGTTATAAAGC\n' >x.fa; printf 'a\t1\nb\t0\n' >x.lab; printf '>c\nACGTTATAAAGG\n' >c.fa
    printf 'sequence,id,label\nACGTTATAAAGG,x,1\nACGTTATAAAGC,y,0\n' >x.csv; printf 'sequence,label\nACGTTATAAAGG,1\nACGTCCTAAAGC,0\n' >t.csv
    dnabird evaluate -m $T/data/model --bootstrap 0 --test x.fa --labels x.lab --train c.fa
    dnabird evaluate -m $T/data/model --bootstrap 0 --test x.csv --name-column id --train t.csv --baseline-train t.csv
    | out ~ clean	left_out_whole	1
    | err ~ warning: 2 of 2 rows are shorter than 30 bp
1 | printf 'sequence,label\nACGTTA,yes\nACGTTC,no\n' >x.csv; dnabird evaluate -m $T/data/model --test x.csv | err ~ label 'yes' is a word, but the classes are the numbers 0 to 1
    | err lines 1

# wrong input gives one line and leaves nothing
1 | dnabird evaluate -m none --test $T/data/train/prom_core_tata.test300.csv -o f.tsv | err ~ none
    | err lines 1
    | none f.tsv*
1 | dnabird evaluate -m $T/data/model --test none.csv -o f.tsv --json f.json --predictions p.tsv | err ~ none.csv: No such file or directory
    | err lines 1
    | none [fp].*
1 | printf 'sequence,label\nACGT,2\nACGT,0\n' >x.csv; dnabird evaluate -m $T/data/model --test x.csv -o f.tsv | err ~ x.csv: line 2, label: label '2' is not below the number of classes
    | err lines 1
    | none f.tsv*
1 | printf 'sequence\nACGT\n' >x.csv; dnabird evaluate -m $T/data/model --test x.csv -o f.tsv | err ~ x.csv: line 1: there is no column 'label'
    | none f.tsv*
1 | printf 'sequence,a,b\nACGT,0,1\nACGT,1,0\n' >x.csv; dnabird evaluate -m $T/data/model --test x.csv --label-column a,b | err ~ several label columns, but the model answers one
    | err lines 1
    | out empty
1 | dnabird evaluate -m $T/data/model --test $T/data/train/prom_core_tata.test300.csv --train none.csv -o f.tsv | err ~ none.csv
    | none f.tsv*
1 | dnabird evaluate -m $T/data/model --test $T/data/train/prom_core_tata.test300.csv -o f.tsv --json f.tsv | err ~ f.tsv: two outputs
    | none f.tsv*
1 | dnabird evaluate -m $T/data/model --test $T/data/train/prom_core_tata.test300.csv -o no/f.tsv --predictions p.tsv | err ~ no/f.tsv: No such file or directory
    | none p.tsv*
1 | dnabird evaluate -m $T/data/model --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv --predictions p.tsv >/dev/full | err ~ No space left on device
    | none p.tsv*
1 | dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a; dnabird evaluate -m a --test $T/data/train/prom_core_tata.test300.csv | err ~ a: this model does not classify sequences
    | err lines 1
# the shipped model has bins
2 | dnabird evaluate --test b.tsv | err ~ no model: give -m MODEL; for the shipped one
1: a table of bins needs a reference with labels of a bin model
    cp $T/data/variants/toy.fa .
    printf 'chrom\tstart\tend\tlabels\nchr1\t200\t400\t0\n' >b.tsv
    dnabird evaluate -m $T/data/model --test b.tsv -f toy.fa
    | err ~ b.tsv: line 1: there is no column 'sequence'

# a line feed in a folder's name does not break lines
0 | n=$'a\nb'; cp -r $T/data/model "$n"; dnabird evaluate -q -m "$n" --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv | out ~ # probabilities: a b: the model is not calibrated

0: what a scan without a start site does not define is a dot
    printf '#chrom\tstart\tend\tstrand\tprobability\tstatus\nc\t0\t70\t+\t0.5\tok\nc\t70\t140\t+\t0.2\tok\n' >w.tsv
    printf 'c\t100000\t100001\tx\t0\t+\n' >far.bed
    dnabird evaluate scan -p far.bed --bootstrap 0 w.tsv
    | out ~ all	.	.	auroc	.	.	.
    | out !~ nan
0: a scan of other contigs than those of the start sites is reported
    printf '#chrom\tstart\tend\tstrand\tprobability\tstatus\nc\t0\t70\t+\t0.5\tok\n' >w.tsv
    printf 'd\t10\t11\tx\t0\t+\n' >d.bed
    dnabird evaluate scan -p d.bed --bootstrap 0 --choose t.tsv w.tsv
    | out ~ all	.	.	tss	0	.	.
    | err ~ no start site of d.bed lies in the regions, or on a contig with scored windows
    | err lines 1
0: start sites of a scan may come through a pipe
    printf '#chrom\tstart\tend\tstrand\tprobability\tstatus\nc\t0\t70\t+\t0.9\tok\nc\t2000\t2070\t+\t0.8\tok\nc\t4000\t4070\t+\t0.1\tok\n' >w.tsv
    printf 'c\t35\t36\tx\t0\t+\n' >s.bed
    dnabird evaluate scan -p s.bed --bootstrap 0 w.tsv >a
    cat s.bed | dnabird evaluate scan -p - --bootstrap 0 w.tsv >b
    | same a b
1: a window of a scan counts once
    printf 'c\t0\t70\t+\t0.5\tok\nc\t0\t70\t-\t0.5\tok\nc\t0\t70\t+\t0.4\tok\n' >w.tsv
    printf 'c\t10\t11\tx\t0\t+\n' >s.bed
    dnabird evaluate scan -p s.bed --bootstrap 0 w.tsv
    | err ~ w.tsv: the window c:1-70 is given twice
2 | dnabird evaluate scan -p s.bed --within -5 w.tsv | err ~ --within is negative
2 | dnabird evaluate scan -p s.bed --stride 0 w.tsv | err ~ --stride must be above 0, got 0
2 | dnabird evaluate scan -p s.bed --stride 50 w.tsv | err ~ evaluate scan: --window, --stride and --max-n are for --intervals and --baseline
2 | dnabird evaluate scan -p s.bed -f r.fa w.tsv | err ~ evaluate scan: -f is for --intervals and --baseline, not for windows
2 | dnabird evaluate scan -p s.bed --scores cpg w.tsv | err ~ evaluate scan: --scores is for --intervals
2 | dnabird evaluate scan -p s.bed --thresholds t --fp-per-mb 1 w.tsv | err ~ leave out --fp-per-mb
