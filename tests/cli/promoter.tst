# dnabird promoter: failures give one line and leave no file. The model is
# tests/data/model: windows of 70 bp, stride 30.

2 | dnabird promoter | err ~ Usage: dnabird promoter
    | out empty
2 | dnabird promoter a b | err ~ one FASTA file is needed
2 | dnabird promoter -O gff x.fa | err ~ --format: 'gff' is not one of auto
0 needs=tabix: GFF3 is written, bgzipped and indexed
    awk 'BEGIN {
            srand(1); print ">a"
            for (i = 0; i < 900; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
        }' >x.fa
    P="dnabird promoter -m $T/data/model -T 0 --no-version x.fa"
    $P -o o.gff3
    $P -O gff3 -o p.gff.gz -W
    $P -o q.gff.gz
    zcat p.gff.gz | cmp - o.gff3
    zcat q.gff.gz | cmp - o.gff3
    head -1 o.gff3
    tabix p.gff.gz a:1-900 | cut -f 1-5,8 | sort -u
    $P | cut -f 1-3 | tail -1
    | out ~ ##gff-version 3
    | out ~ a	dnabird	promoter	1	900	.
    | has p.gff.gz.tbi
2 | dnabird promoter -T 1.5 x.fa | err ~ --threshold must lie between 0 and 1, got 1.5
2 | dnabird promoter -T -0.5 x.fa | err ~ --threshold must lie between 0 and 1, got -0.5
    | err lines 1
2 | dnabird promoter -T -1 x.fa | err ~ --threshold must lie between 0 and 1, got -1
2 | dnabird chromatin -T -1 x.fa | err ~ --threshold must lie between 0 and 1, got -1
    | err lines 1
2 | dnabird promoter -T 0.5 --fp-per-mb 5 x.fa | err ~ give one of them
    | err lines 1
2 | dnabird promoter --fp-per-mb -1 x.fa | err ~ fp-per-mb -1: give a number above 0
2 | dnabird promoter --max-n 2 x.fa | err ~ --max-n must lie between 0 and 1, got 2
2 | dnabird promoter --window -70 x.fa | err ~ --window is negative
2 | dnabird promoter -W x.fa | err ~ standard output: only a bgzipped file takes an index
    | err lines 1
2 | dnabird promoter -W -o x.bed x.fa | err ~ x.bed: only a bgzipped file takes an index
    | none x.bed*

1 | dnabird promoter -m none x.fa | err ~ none: No such file or directory
    | err lines 1
    | out empty
1 | cp -r $T/data/model m; rm m/tokenizer.json; dnabird promoter -m m x.fa | err ~ m: no tokenizer.json in the model
    | err lines 1
1 | dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m; echo '>a' >x.fa; dnabird promoter -m m --window 70 x.fa | err ~ m has no head that scores sequences
    | err lines 1
    | out empty
1 | echo '>a' >x.fa; dnabird promoter -m $T/data/model --fp-per-mb 100 -o x.bed x.fa | err ~ --fp-per-mb must be between 1 and 10
    | none x.bed*
1 | cp -r $T/data/model m; sed -i 's/"window_bp": 70/"window_bp": null/' m/dnabird.json; dnabird promoter -m m x.fa | err ~ m/dnabird.json has no window size

1: a model that learned a quantity is refused
    cp -r $T/data/model m
    sed -i \
        's/"torch_dtype"/"problem_type": "regression", "torch_dtype"/; s/"problem_type": "single_label_classification",//' \
        m/config.json
    dnabird promoter -m m x.fa
    | err ~ m predicts measured values
    | err lines 1

# input
1 | dnabird promoter -m $T/data/model -o x.bed none.fa | err ~ none.fa: No such file
    | err lines 1
    | none x.bed*
1 | head -c 5000 /bin/ls >x.fa; dnabird promoter -m $T/data/model -o x.bed x.fa | err ~ x.fa: line 1: not FASTA
    | err lines 1
    | none x.bed*
1 | printf '>a\nAC\001GT\n' >x.fa; dnabird promoter -m $T/data/model -o x.bed x.fa | err ~ x.fa: line 2: record 'a' holds byte 0x01
    | none x.bed*
1 | (echo '>a'; head -c 90000 /dev/urandom | od -An -tx1 -v | tr -dc acg) | gzip -c | head -c 2000 >x.fa.gz; dnabird promoter -m $T/data/model -o x.bed x.fa.gz | err ~ x.fa.gz
    | err lines 1
    | none x.bed*
1 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model -r a:3-9 -o x.bed x.fa | err ~ a:3-9
    | err lines 1
    | none x.bed*
# an index that fails costs the index, not the file
1: an index that cannot be written costs the index, not the file
    awk 'BEGIN {
            srand(1); print ">a"
            for (i = 0; i < 900; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
        }' >x.fa
    mkdir o.bed.gz.tbi
    dnabird promoter -m $T/data/model -O windows -o o.bed.gz -W x.fa
    s=$?
    zcat o.bed.gz | tail -n 1
    exit $s
    | err ~ o.bed.gz is whole, but has no index
    | out ~ a
    | has o.bed.gz
1 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model -r b:1-2 -o x.bed x.fa | err ~ b
    | err lines 1
    | none x.bed*
1 | printf '>a\nACGT\n' >x.fa; printf 'a\t0\t2\na\t2\t9\n' >r.bed; dnabird promoter -m $T/data/model -R r.bed -o x.bed x.fa | err ~ r.bed
    | err lines 1
    | none x.bed*
1 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model -R none.bed x.fa | err ~ none.bed: No such file
    | out empty

# output
1 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model -o no/x.bed x.fa | err ~ no/x.bed: No such file
    | err lines 1
1 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model -O windows x.fa >/dev/full | err ~ standard output: No space left on device
1 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model -O windows x.fa >&- | err ~ standard output
1 | printf '>a\nACGT\n>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model -W -o x.bed.gz x.fa | err ~ x.fa: two records are named 'a'
    | err lines 1
    | none x.bed*
1 | printf '>a\nA\n>b\nC\n>a\nG\n' >x.fa; dnabird promoter -m $T/data/model -W -o x.bed.gz x.fa | err ~ x.fa: two records are named 'a'
    | none x.bed*

# a summary that cannot be written is an error before the run
1 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model --json no/j -o x.bed x.fa | err ~ no/j: No such file
    | err lines 1
    | none x.bed*
1 | mkdir j; printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model --json j x.fa | err ~ j: Is a directory
    | out empty
0 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model --json /dev/null x.fa | out ~ #chrom
1 | printf '>a\n' >x.fa; dnabird promoter -m $T/data/model --json j none.fa | err ~ none.fa
    | none j*

# unusual input that is accepted
0 | printf '>a\nACGT\n>b\nACGT\n>e\n' >x.fa; dnabird promoter -m $T/data/model --short score -O windows --no-version x.fa | out lines 5
    | err ~ 3 sequences (1 empty), 8 bp: scored 2 windows
    | err ~ on both strands; wrote 4 rows
0 | printf '>a\nACGT\n>b\nACGT\n' >x.fa; dnabird promoter -m $T/data/model --short score -O bedgraph --no-version x.fa | out lines 3
0 | printf '>a\nACGTNNNN\n' >x.fa; dnabird promoter -m $T/data/model --short score -O windows x.fa | out ~ too_many_N
    | err ~ scored 0 windows of 70 bp on both strands; skipped 1 window with too many N
0 | printf '>a\nACGTNNNN\n' >x.fa; dnabird promoter -m $T/data/model --short score --max-n 0.5 -O windows x.fa | out !~ too_many_N
0 | printf '>a\nacgtu\n' >x.fa; printf '>a\nACGTT\n' >y.fa; for f in x y; do dnabird promoter -m $T/data/model --short score -O windows --no-version -o $f.w $f.fa; done | same x.w y.w
0 | printf '>chr1\nACGT\n' >x.fa; dnabird promoter -m $T/data/model x.fa | err ~ warning: contig chr1 has 4 bp, but 500 in toy
0 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model --fp-per-mb 10 --json j x.fa; cat j | out ~ "threshold": 0.59
    | out ~ "strands": 2
2 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model --short score --json - x.fa | err ~ --output and --json both write to standard output
0 | printf '>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model --short score --strand + -o x.bed --json - x.fa | out ~ "scored": 1,
2: an ending that names no format of the command is refused
    cp $T/data/variants/* .
    for c in promoter chromatin; do
        for o in x.png x.vcf x.csv.gz x.bw.gz; do
            dnabird $c -q -m $T/data/model -o $o toy.fa && exit 9
        done
    done
    dnabird mutate -q -m $T/data/model -f toy.fa -r chr1:51-60 -o x.vcf && exit 8
    dnabird attribute -q -m $T/data/model -f toy.fa -r chr1:51-60 -o x.vcf && exit 7
    dnabird embed -q -m $T/data/model -o x.csv toy.fa && exit 6
    dnabird variant -q -m $T/data/model -f toy.fa -o x.csv.gz kinds.vcf
    | none x.*
    | err lines 12
    | err ~ x.png: cannot infer the output format from '.png'; use -O bed, bedgraph
    | err ~ x.csv.gz: cannot infer the output format from '.csv.gz'; use -O v, z
2 | cp $T/data/variants/toy.fa .; dnabird promoter -m $T/data/model -o x.bw - <toy.fa | err ~ name a FASTA file

# Calls of the shipped model on the demo sequence
0 long: calls at a stricter threshold are rows of the default, and lie within calls at a looser one
    P="dnabird promoter -q --no-version -r chr20:2,600,001-2,700,000 $DATA/genome/chr20_demo.fa.gz"
    calls() { $P "$@" 2>>err | grep -v '^#' | cut -f 1-3,6; }
    calls >default
    calls --fp-per-mb 5 >five
    inside() { # inside STRICT LOOSE: calls of STRICT that lie in no call of LOOSE
        awk 'NR == FNR { n++; s[n] = $2; e[n] = $3; k[n] = $4; next }
            { for (i = 1; i <= n; i++) if (k[i] == $4 && s[i] <= $2 && $3 <= e[i]) next; print }' $2 $1
    }
    for m in 0 100 600; do
        calls -T .3 --merge $m >strict$m
        calls --fp-per-mb 5 --merge $m >five$m
        calls -T .01 --merge $m >loose$m
        [ -s strict$m ]
        sort strict$m five$m five$m | uniq -u # of strict$m, not of five$m
        inside five$m loose$m
    done
    # bins of 20 bp that start within 600 bp of each other, strand by strand
    sort -k4,4 -k2,2n loose100 |
        awk 'function put() { if (c) print c, s, e, k }
            BEGIN { OFS = "\t" } k == $4 && $2 - (e - 20) <= 600 { e = $3; next }
            { put(); c = $1; s = $2; e = $3; k = $4 } END { put() }' >want
    sort -k4,4 -k2,2n loose600 >got
    for i in 1 2 3; do calls -T .3 --merge 600 --shard $i/3; done >shards
    | out empty
    | same default five
    | same five five100
    | same want got
    | same shards strict600
    | differ loose100 loose600
    | differ loose0 loose100
    | differ strict100 five100
0: the names of excerpts tell where windows would lie on the whole contig
    samtools faidx $DATA/genome/chr20_demo.fa.gz chr20:1801-6000 chr20:7201-12000 >x.fa
    dnabird promoter -q -o /dev/null -O bed x.fa
    dnabird promoter -o /dev/null -O bed x.fa
    samtools faidx $DATA/genome/chr20_demo.fa.gz chr20:7201-12000 >y.fa
    dnabird promoter -o /dev/null -O bed y.fa
    | err ~ chr20:1801-6000 is an excerpt
    | err !~ 7201-12000 is
    | err lines 6
1 | (echo '>a'; tr -dc ACGT <$T/data/variants/toy.fa) >x.fa; dnabird promoter -m $T/data/model --merge 71 -o o x.fa | err ~ --merge 71 is longer than the model's window
    | none o*
0 | dnabird promoter --help | out ~ validation
1: --pad-to fills up a window and does not cut it
    (echo '>a'; head -c 70 <(tr -dc ACGT <$T/data/variants/toy.fa); echo) >x.fa
    dnabird promoter -m $T/data/model --pad-to 5 -O windows -o o x.fa
    | err ~ --pad-to: a sequence has
    | err ~ more than the 5 to fill up to
    | none o
