# Sequences shorter than the window, and windows other than the model's.
# tests/data/model has windows of 70 bp, stride 30.

# promoter: short contigs are skipped and counted; --short score scores them
0: promoter skips short contigs and counts them
    awk 'BEGIN {
            srand(3)
            for (r = 0; r < 1000; r++) {
                print ">c" r
                for (i = 0; i < 50; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
                print ""
            }
        }' >x.fa
    dnabird promoter -m $T/data/model --no-version --json j x.fa
    grep short j
    | out ~ "skipped_short": 1000
    | out lines 2
    | err ~ scored 0 windows of 70 bp on both strands; skipped 1,000 windows on contigs shorter than the window
0: --short score scores a contig shorter than the window
    printf '>a\n%s\n>b\n%s\n' $(printf 'ACGTT%.0s' $(seq 14)) \
        $(printf 'ACGTT%.0s' $(seq 13)) >x.fa
    for s in skip score; do
        dnabird promoter -m $T/data/model --short $s -O windows --no-version x.fa |
            cut -f 1,3,6 |
            sort -u
    done
    | out ~ b	65	too_short
    | out ~ b	65	ok
    | out lines 6
0 | printf '>a\n%s\n>b\n%s\n' $(printf 'ACGTT%.0s' $(seq 14)) $(printf 'ACGTT%.0s' $(seq 13)) >x.fa; dnabird promoter -m $T/data/model -r b:1-10 -O windows --no-version x.fa | out ~ too_short
2 | dnabird promoter --short no x.fa | err ~ --short

0: chromatin needs the context, or --short score
    . $T/cli/chromatin_data.sh
    model
    s=$(sed -n 2p r.fa)
    printf '>a\n%s\n>b\n%s\n' ${s:0:400} ${s:0:396} >q.fa
    for o in '' '-r b:1-396' '--short score' '-c'; do
        dnabird chromatin -m m --max-n 0.5 --no-version $o q.fa |
            cut -f 1-3,5 |
            grep -v '^#' |
            sed "s/^/$o /"
    done
    | out ~ a	0	200	ok
    | out ~ a	200	400	ok
    | out ~ b	0	200	too_short
    | out ~ b	200	396	too_short
    | out ~ -r b:1-396 b	0	200	too_short
    | out ~ --short score b	0	200	ok
    | out ~ --short score b	200	396	ok
    | out ~ -c a	100	300	ok
    | out ~ -c b	98	298	too_short
    | err ~ skipped 2 bins of sequences shorter than the context
0: --short score does not count missing bases as N
    . $T/cli/chromatin_data.sh
    model
    s=$(sed -n 2p r.fa)
    printf '>a\n%s\n>n\n%sNNNNNNNNNNNNNNNNNNNNNNNN\n' ${s:0:100} ${s:0:76} >q.fa
    dnabird chromatin -m m --short score --no-version q.fa
    | out ~ a	0	100	.	ok
    | out ~ n	0	100	.	too_many_N

0: evaluate scan counts the short contigs that promoter wrote
    awk 'BEGIN {
            srand(1); print ">a"
            for (i = 0; i < 300; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print "\n>b\nACGTACGTACGT"
        }' >c.fa
    printf 'a\t100\t101\tt\t.\t+\n' >t.bed
    dnabird promoter -q -m $T/data/model -O windows c.fa >w.tsv
    grep -c too_short w.tsv >n
    dnabird evaluate scan -p t.bed --bootstrap 0 --fp-per-mb inf w.tsv |
        awk -F'\t' '$4 == "too_short" { print $5 }' >m
    [ $(cat n) -gt 0 ]
    | same m n
0: evaluate scan takes short windows by status and width
    printf 'c\t100\t101\tt\t.\t+\n' >t.bed
    (
        for i in $(seq 0 30 300); do
            printf 'c\t%d\t%d\t+\t0.%d\tok\n' $i $((i + 70)) $((i % 7 + 1))
        done
        printf 'd\t0\t60\t+\t0.9\tok\ne\t0\t50\t+\t.\ttoo_short\nf\t0\t70\t+\t.\ttoo_many_N\n'
    ) >w.tsv
    for s in skip score; do
        dnabird evaluate scan -p t.bed --short $s --bootstrap 0 --fp-per-mb inf w.tsv |
            cut -f 4,5 |
            grep -E 'windows	|unscored|too_short|	calls' |
            sed "s/^/$s /"
    done
    | out ~ skip windows	11
    | out ~ skip unscored	3
    | out ~ skip too_short	2
    | out ~ score windows	12
    | out ~ score unscored	2
    | out ~ score too_short	1
0: evaluate scan -f counts the contigs shorter than a window
    printf 'chr1\t100\t101\tt\t.\t+\n' >t.bed
    printf 'chr1\t80\t130\n' >i.bed
    cp $T/data/variants/toy.fa .
    for s in skip score; do
        dnabird evaluate scan -p t.bed -i i.bed -f toy.fa -w 70 --stride 30 --short $s \
            --bootstrap 0 |
            cut -f 4,5 |
            grep -E 'unscored|too_short' |
            sed "s/^/$s /"
    done
    | out ~ skip too_short	2
    | out ~ score too_short	0

# variant and mutate score short contigs and mark them with SHORT=1, except in
# kipoi's format
0: variant marks short contigs with SHORT=1, in VCF, table and BED
    cp $T/data/variants/* .
    V="dnabird variant -m $T/data/model -f toy.fa kinds.vcf --no-version"
    $V -o o.vcf
    grep SHORT o.vcf | cut -f 1,3,8 | sed 's/BIRD_TOKENS.*BIRD_SHORT/.../'
    $V -O tsv | cut -f 1,3,6,15 | grep -E 'SHORT|MT|snv|symbol'
    $V -O bed | cut -f 1,4,10 | grep -E 'short|MT|snv|symbol'
    | out ~ ##INFO=<ID=BIRD_SHORT,Number=1,Type=Integer,
    | out ~ BIRD_STATUS=OK;...=1;BIRD_PREF
    | out ~ #CHROM	ID	STATUS	SHORT
    | out ~ MT	short_contig	OK	1
    | out ~ 1	snv	OK	0
    | out ~ 1	symbol	SYMBOLIC	.
    | out ~ #chrom	name	short
    | out ~ MT	short_contig	1
    | out ~ 1	symbol	.
    | err ~ SHORT=1
0 needs=bcftools: variant marks short contigs in BCF
    cp $T/data/variants/* .
    grep -v -E '^X|no_letters' kinds.vcf >v.vcf
    dnabird variant -m $T/data/model -f toy.fa v.vcf -o o.bcf
    bcftools query -f '%ID %INFO/BIRD_SHORT\n' o.bcf
    | out ~ short_contig 1
    | out ~ snv .
0 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf --no-version --prefix MY | grep -c ';MY_SHORT=1' | out ~ 3
0: --long marks short contigs
    cp $T/data/variants/* .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --labels 2 \
        --window 70 m
    dnabird variant -m m -f toy.fa kinds.vcf --no-version -O tsv --long |
        grep '^MT' |
        rev |
        cut -f 1 |
        sort -u
    | out ~ 1
    | out lines 1
0: mutate marks short contigs with SHORT=1
    cp $T/data/variants/* .
    M="dnabird mutate -m $T/data/model -f toy.fa --no-version"
    $M -r chrM:5-8 --json j | cut -f 1,2,10
    cat j
    $M -r chrM:5-8 -O bedgraph | head -2
    $M -r chrM:5-8 -O svg | grep -o 'chrM:5-8 (SHORT=1)' | sort -u
    $M -r chr1:101-104 | cut -f 1,2,10
    | out ~ chrM	7	1
    | out ~ #chrom	start	SHORT
    | out ~ # SHORT=1: chrM
    | out ~ chr1	100	0
    | out ~ "short": 1
    | out ~ chrM:5-8 (SHORT=1)
    | err ~ SHORT=1: chrM has 40 bp

# windows that are not the model's are reported once; the model's false-positive
# rates do not apply to them
0 | cp $T/data/variants/toy.fa .; dnabird promoter -m $T/data/model --window 100 --stride 10 toy.fa 2>e; grep -c -e '--window 100 (the model.s: 70), --stride 10 (the model.s: 30)' e | out ~ 1
0 | cp $T/data/variants/toy.fa .; dnabird promoter -m $T/data/model --window 70 --stride 30 --fp-per-mb 5 toy.fa | err !~ --window
1 | cp $T/data/variants/toy.fa .; dnabird promoter -m $T/data/model --window 100 --fp-per-mb 5 -o o toy.fa | err ~ --fp-per-mb
    | err lines 1
    | none o*
1 | cp $T/data/variants/toy.fa .; dnabird promoter -m $T/data/model --stride 10 --fp-per-mb 5 -o o toy.fa | err ~ false positives per Mb
    | none o*
# the default threshold of the shipped model is its table's entry for 5 per Mb
1 | (echo '>a'; tr -dc ACGT <$T/data/variants/toy.fa) >x.fa; dnabird promoter --stride 10 -o o x.fa | err ~ give --threshold
    | none o*
0 | (echo '>a'; tr -dc ACGT <$T/data/variants/toy.fa) >x.fa; dnabird promoter --stride 10 -T 0.7 -o o x.fa; dnabird promoter --stride 10 -O windows x.fa | out ~ ok
    | has o
0: a window that is not the model's is reported once
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model --window 100 -f toy.fa kinds.vcf 2>e >o
    dnabird mutate -m $T/data/model --window 100 -f toy.fa -r chr1:101-102 2>>e >o
    grep -c -e '--window 100 (the model.s: 70)' e
    | out ~ 2
0 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m --context 600 r.fa 2>e | head -3; grep -c -e '--context 600 (the model.s: 400)' e | out ~ 1

# --min-length, with a model of windows and one of bins of 200 bp
0: --min-length leaves out short contigs, which then have no call and no segment
    printf '>a\n%s\n>b\n%s\n>c\nG\n' $(printf 'ACGTT%.0s' $(seq 14)) \
        $(printf 'ACGTT%.0s' $(seq 13)) >x.fa
    P="dnabird promoter -m $T/data/model --short score --no-version -q"
    $P -O windows --min-length 65 x.fa | cut -f 1,6 | sort -u
    for f in bed bedgraph; do
        $P -T 0 -O $f --min-length 65 x.fa | grep -v '^#\|^track' | cut -f 1 | sort -u | tr '\n' ' '
    done
    for i in x.fa '-r a x.fa'; do
        $P -O windows --min-length 71 $i | cut -f 1,6 | grep '^a' | sort -u
    done
    $P --min-length 71 - <x.fa || echo refused
    | out ~ a	ok
    | out ~ b	ok
    | out ~ c	too_short
    | out ~ a b a b 
    | out ~ a	too_short
    | out ~ refused
    | err ~ --min-length 71 is longer than the model's window of 70 bp
0: models of bins leave out contigs shorter than a bin, and report short contigs
    . $T/cli/bins_data.sh
    ready
    s=$(sed -n 2p r.fa)
    printf '>a\nG\n>b\n%s\n>c\n%s\n>d\n%s\n' ${s:0:199} ${s:0:200} ${s:0:450} >q.fa
    for o in '' '--min-length 1' '--min-length 201' '--min-length 1001'; do
        dnabird promoter -m m -O windows --no-version $o q.fa | grep -v '^#' |
            cut -f 1,6 | sort -u | tr '\t\n' ': ' | sed "s/^/promoter $o: /"
        echo
    done
    dnabird chromatin -q -m m --no-version q.fa | grep -v '^#' | cut -f 1,5 | sort -u
    | out ~ promoter : a:too_short b:too_short c:ok d:ok
    | out ~ promoter --min-length 1: a:ok b:ok c:ok d:ok
    | out ~ promoter --min-length 201: a:too_short b:too_short c:too_short d:ok
    | out ~ promoter --min-length 1001: a:too_short b:too_short c:too_short d:too_short
    | out ~ a	too_short
    | out ~ d	ok
    | err ~ 2 of 2 contigs are shorter than the model's window of 1000 bp
    | err ~ skipped 2 bins on contigs shorter than a bin or --min-length
0 | . $T/cli/bins_data.sh; ready; dnabird promoter -m m r.fa | err !~ contigs are shorter
2 | dnabird promoter --min-length -1 x.fa | err ~ min-length

# Models of bins: a contig that fits between the margins of a window is scored in the
# shortest window that holds it. Margins are 200 bp, bins 200 bp.
0 long: a short contig has the values of the window that fits, on both strands, read in any way
    awk 'BEGIN {
            srand(4)
            for (r = 0; r < 8; r++) {
                print ">c" r
                for (i = 0; i < (r < 4 ? 300 : r < 6 ? 3600 : 3700); i++)
                    printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
                print ""
            }
        }' >x.fa
    samtools faidx x.fa
    score() { dnabird promoter -q -m regulatory --raw -O windows --no-version "$@" | grep -v '^#'; }
    score x.fa >own
    score -w 800 x.fa >narrow
    score -w 4000 - <x.fa | cmp - own && echo stream
    score -r c1:201-300,c7:1-3000 x.fa >region && echo "$(wc -l <region) rows, $(grep -vxFf own region | wc -l) others"
    score --stride 100 x.fa | awk '$2 % 200 == 0' | cmp - own && echo stride
    for c in 'c[0-3]' 'c[4-7]'; do
        cmp -s <(grep "^$c" own) <(grep "^$c" narrow) && echo "$c same" || echo "$c differs"
    done
    | out ~ stream
    | out ~ stride
    | out ~ 32 rows, 0 others
    | out ~ c[0-3] same
    | out ~ c[4-7] differs
