# dnabird evaluate variants: scores of alleles compared with measured effects,
# from tables, VCF and BCF; elements, groups, baselines; wrong input.

0 | dnabird evaluate variants --help=all | out ~ Usage: dnabird evaluate variants
    | out ~ --measured-in FILE
    | err empty
2 | dnabird evaluate variants | err ~ Usage: dnabird evaluate variants
2 | dnabird evaluate variants --scores s x.tsv | err ~ --measured COLUMN or --label-column COLUMN
    | err lines 1
2 | dnabird evaluate variants --measured m x.tsv | err ~ --scores NAME are needed
2 | dnabird evaluate variants --scores s --measured m --label-column y --min-effect 1 x.tsv | err ~ either --label-column or --min-effect
2 | dnabird evaluate variants --scores s --measured m --settings <(echo 'p-column = "p"') x.tsv | err ~ p-column needs --min-effect
2 | dnabird evaluate variants --scores s --measured m --settings <(echo 'min-barcodes = 3') x.tsv | err ~ min-barcodes needs barcodes
2 | dnabird evaluate variants --scores s --measured m -m d x.tsv | err ~ the k-mer baseline (-m) needs the reference (-f)
2 | dnabird evaluate variants --scores s --measured m --bootstrap -1 x.tsv | err ~ --bootstrap is negative
2 | dnabird evaluate variants --scores s --measured m --settings <(echo 'min-alleles = 1') x.tsv | err ~ min-alleles is 2 or more

0: a table of scores, measured effects of a VCF, and baselines
    cp $T/data/variants/effects.fa e.fa
    dnabird evaluate variants --scores 'good,noise,flat' --measured MPRA \
        --measured-in $T/data/variants/effects.vcf --min-effect 0.2 --settings \
        <(printf 'p-column = "P"\nbarcodes = "BC"\nmin-barcodes = 10\n') -f e.fa \
        --bootstrap 50 --json m.json --html m.html $T/data/variants/effects.scores.tsv \
        >m.tsv
    grep -v '^#' m.tsv | head -1
    grep -c baseline:middle m.tsv
    awk -F '\t' '$1 == "mean" && $4 == "good" && $3 == "snv" {
            print $5, ($6 > 0.8), ($7 < $6 && $6 < $8), $9
        }' m.tsv
    awk -F '\t' '$4 == "flat" { print "flat " $6 }' m.tsv | sort -u
    awk -F '\t' '$4 == "noise" && $2 == "e1" && $3 == "snv" && $5 == "spearman" {
            print ($6 < 0.4)
        }' m.tsv
    | out ~ level	element	class	score	metric	value	low	high	n	positives
    | out ~ spearman 1 1 2
    | out ~ auroc 1 1 2
    | out ~ flat NA
    | err ~ 396 of 418 alleles in 2 elements; left out: 0 without a measured value or element, 22 with few barcodes, 0 no bases
    | err lines 1
    | has m.json
    | has m.html
0: indels have absolute correlations, and --html draws the curves
    cp $T/data/variants/effects.fa e.fa
    dnabird evaluate variants --scores good --measured MPRA \
        --measured-in $T/data/variants/effects.vcf -f e.fa --bootstrap 50 --html m.html \
        -o m.tsv $T/data/variants/effects.scores.tsv
    cut -f 3,5 m.tsv | sort -u
    grep -o 'class="curve head s[01]"' m.html | sort | uniq -c
    grep -E "src=|url[(]" m.html || true
    | out ~ indel	spearman_abs
    | out !~ auroc
    | out ~ 4 class="curve head s1"
    | out !~ src=
0 needs=xmllint: --html is well-formed XML
    cp $T/data/variants/effects.fa e.fa
    dnabird evaluate variants --scores 'good,*' --measured MPRA \
        --measured-in $T/data/variants/effects.vcf -f e.fa --bootstrap 5 --html m.html \
        -o m.tsv $T/data/variants/effects.scores.tsv
    xmllint --noout m.html
    | out empty
0 needs=jq: --json has alleles, elements and metrics
    dnabird evaluate variants --scores good --measured MPRA \
        --measured-in $T/data/variants/effects.vcf --bootstrap 0 --json - -o m.tsv \
        $T/data/variants/effects.scores.tsv |
        jq -c '[.alleles, .elements, (.figures[0]|keys)]'
    | out ~ [418,2,["class","element","level","metric","n","score","value"]]

0: threads do not change the intervals, another seed does
    for t in 1 2; do
        dnabird evaluate variants -q -t $t --no-version --scores good,noise --measured MPRA \
            --measured-in $T/data/variants/effects.vcf --min-effect 0.2 --bootstrap 40 \
            -o $t.tsv $T/data/variants/effects.scores.tsv
    done
    dnabird evaluate variants -q --seed 2 --no-version --scores good,noise --measured MPRA \
        --measured-in $T/data/variants/effects.vcf --min-effect 0.2 --bootstrap 40 \
        -o 3.tsv $T/data/variants/effects.scores.tsv
    | same 1.tsv 2.tsv
    | differ 1.tsv 3.tsv
0: scores and effects in one VCF or two files give the same rows
    v=$T/data/variants
    (
        grep '^##' $v/effects.vcf
        echo '##INFO=<ID=GOOD,Number=A,Type=Float,Description="g">'
        grep '^#CHROM' $v/effects.vcf
        paste <(grep -v '^#' $v/effects.vcf) <(grep -v '^#' $v/effects.scores.tsv | cut -f 6) |
            awk -F '\t' -v OFS='\t' \
                '{ print $1, $2, $3, $4, $5, $6, $7, $8 ($9 == "." ? "" : ";GOOD=" $9) }'
    ) >one.vcf
    o='-q --no-version --bootstrap 10 --measured MPRA --min-effect 0.2'
    dnabird evaluate variants $o --scores INFO/GOOD -o a.tsv one.vcf
    dnabird evaluate variants $o --scores 'GO*D' -o b.tsv one.vcf
    dnabird evaluate variants $o --scores good --measured-in $v/effects.vcf \
        $v/effects.scores.tsv |
        sed 's,good,GOOD,' >c.tsv
    dnabird evaluate variants $o --scores GOOD --measured-in one.vcf -o d.tsv one.vcf
    | same a.tsv b.tsv
    | same a.tsv c.tsv
    | same a.tsv d.tsv
0 needs=bcftools: VCF and BCF give the same rows
    v=$T/data/variants
    (
        grep '^##' $v/effects.vcf
        printf '%b\n' '##INFO=<ID=G,Number=A,Type=Float,Description="g">' \
            '##INFO=<ID=ALL,Number=R,Type=Float,Description="r">' \
            '##INFO=<ID=YES,Number=0,Type=Flag,Description="f">'
        grep '^#CHROM' $v/effects.vcf
        for i in $(seq 1 40); do
            echo \
                "e1 $i . A C,G . . G=$i.5,-$i.5;ALL=9,$i,-$i;MPRA=$((i % 7))$([ $((i % 3)) = 0 ] && echo ';YES')" |
                tr ' ' '\t'
        done
    ) >m.vcf
    bcftools view -Ob m.vcf -o m.bcf
    o='-q --no-version --bootstrap 0 --measured MPRA --label-column YES'
    dnabird evaluate variants $o --scores G,ALL m.vcf >a
    dnabird evaluate variants $o --scores G,ALL m.bcf >b
    grep -P 'element\te1\tsnv\t(G|ALL)\t(spearman|auroc)\t' a
    | out ~ 80	26
    | same a b

0: elements are taken from a BED file
    printf 'e1\t0\t60\tleft\ne1\t60\t120\tright\n' >e.bed
    dnabird evaluate variants --scores good --measured MPRA \
        --measured-in $T/data/variants/effects.vcf -R e.bed --bootstrap 0 \
        --no-version $T/data/variants/effects.scores.tsv |
        cut -f 1-3 |
        sort -u
    | out ~ element	left	snv
    | out ~ element	right	indel
    | out !~ e2
    | err ~ 209 without a measured value or element
0: elements are taken from a column and joined to groups
    printf 'CHROM\tPOS\tREF\tALT\twho\ts\ty\n' >x.tsv
    for i in $(seq 1 60); do
        printf 'c\t%d\tAC\tGT\tset%d\t%d\t%d\n' $i $((i % 3)) $((i % 11)) $((i % 11 > 5))
    done >>x.tsv
    printf '# element, group\nset0\tboth\nset1\tboth\n' >g.tsv
    dnabird evaluate variants --no-version --scores s --label-column y --settings \
        <(echo 'element = "who"') --groups g.tsv --bootstrap 0 x.tsv
    | out ~ group	both	mnv	s	auroc	1	NA	NA	2	NA
    | out ~ mean	all	mnv	s	auprc	1	NA	NA	2	NA
    | out ~ element	set2	mnv	s	auroc	1	NA	NA	20	8
    | out !~ spearman
0: labels are ranked by the absolute score, or the signed one with --signed
    printf 'CHROM\tPOS\tREF\tALT\ts\ty\n' >x.tsv
    for i in $(seq 1 30); do
        printf 'c\t%d\tA\tG\t%d\t%d\n' $i $((i - 15)) $((i > 15))
    done >>x.tsv
    for o in '' --signed; do
        dnabird evaluate variants -q --no-version --scores s --label-column y $o --bootstrap 0 \
            x.tsv |
            grep -P '^element.*auroc'
    done
    | out ~ element	c	snv	s	auroc	1	NA	NA	30	15
    | out ~ element	c	snv	s	auroc	0.564444	NA	NA	30	15

0: one class alone has no AUROC, a column without numbers is reported
    printf 'CHROM\tPOS\tREF\tALT\ts\ty\tnone\n' >x.tsv
    for i in $(seq 1 30); do printf 'c\t%d\tA\tG\t%d\t1\t.\n' $i $i; done >>x.tsv
    dnabird evaluate variants --no-version --scores s,none --label-column y --bootstrap 0 \
        x.tsv |
        grep -v NA$
    | out ~ element	c	snv	s	auroc	NA	NA	NA	30	30
    | err ~ none has no number for any allele
0: too few alleles have no correlation
    head -40 $T/data/variants/effects.scores.tsv >few.tsv
    dnabird evaluate variants --no-version --scores good --measured MPRA \
        --measured-in $T/data/variants/effects.vcf --bootstrap 0 few.tsv |
        grep indel
    | out ~ element	e1	indel	good	spearman	NA	NA	NA	
    | err ~ measured alleles are not among the scored ones

# wrong input gives one line and leaves nothing
1: a missing score column is refused
    dnabird evaluate variants --scores bad --measured MPRA \
        --measured-in $T/data/variants/effects.vcf -o o.tsv --html o.html \
        $T/data/variants/effects.scores.tsv
    | err ~ effects.scores.tsv: no column 'bad'; the file has good, noise, flat, word
    | err lines 1
    | none o.*
1: a missing INFO field is refused
    dnabird evaluate variants --scores good --measured EFFECT \
        --measured-in $T/data/variants/effects.vcf $T/data/variants/effects.scores.tsv
    | err ~ effects.vcf: no INFO field 'EFFECT'; the file has MPRA, BC, P, HIT
1 | dnabird evaluate variants --scores 'x*' --measured MPRA --measured-in $T/data/variants/effects.vcf $T/data/variants/effects.scores.tsv | err ~ no column matches --scores 'x*'
1: a score that is not a number is refused
    dnabird evaluate variants --scores word --measured MPRA \
        --measured-in $T/data/variants/effects.vcf $T/data/variants/effects.scores.tsv
    | err ~ effects.scores.tsv: line 3, column word: 'x' is not a number
1: scores of other contigs are refused
    sed 's/^e/chr/' $T/data/variants/effects.scores.tsv >x.tsv
    dnabird evaluate variants --scores good --measured MPRA \
        --measured-in $T/data/variants/effects.vcf x.tsv
    | err ~ effects.vcf: none of its 418 measured alleles is in x.tsv, which begins with chr1:1 G>A: contig, POS, REF and ALT must be written the same
    | err lines 1
1: a reference that does not have REF is refused
    sed '2,$s/G/T/' $T/data/variants/effects.fa >e.fa
    dnabird evaluate variants --scores good --measured MPRA \
        --measured-in $T/data/variants/effects.vcf -f e.fa \
        $T/data/variants/effects.scores.tsv
    | err ~ e1:1 G>A: e.fa has T there, not REF
1: a reference without the contig is refused
    printf '>x\nACGT\n' >e.fa
    dnabird evaluate variants --scores good --measured MPRA \
        --measured-in $T/data/variants/effects.vcf -f e.fa \
        $T/data/variants/effects.scores.tsv
    | err ~ e1:1 G>A: no contig of e.fa has this name
1 | printf 'CHROM\tPOS\tREF\n' >x.tsv; dnabird evaluate variants --scores s --measured m x.tsv | err ~ x.tsv: line 1: no column ALT: neither a VCF nor a table of alleles
1 | printf 'CHROM\tPOS\tREF\tALT\ts\tm\nc\t1\tA\tC\t1\n' >x.tsv; dnabird evaluate variants --scores s --measured m x.tsv | err ~ x.tsv: line 2: 5 fields, but the header line has 6
1 | printf 'CHROM\tPOS\tREF\tALT\ts\tm\nc\tx\tA\tC\t1\t1\n' >x.tsv; dnabird evaluate variants --scores s --measured m x.tsv | err ~ x.tsv: line 2: POS 'x' is not a position
1 | printf 'CHROM\tPOS\tREF\tALT\ts\tm\n' >x.tsv; dnabird evaluate variants --scores s --measured m x.tsv | err ~ x.tsv: the file has no alleles
1: a table without usable alleles is refused
    printf 'CHROM\tPOS\tREF\tALT\ts\tm\nc\t1\tA\t<DEL>\t1\t1\nc\t1\tA\tC\t1\t.\n' >x.tsv
    dnabird evaluate variants --scores s --measured m x.tsv
    | err ~ x.tsv: no allele is left of 2: 1 without a measured value or outside of the elements, 0 with too few barcodes, 1 whose alleles are no bases
1 | printf 'CHROM\tPOS\tREF\tALT\ts\ty\nc\t1\tA\tC\t1\t2\n' >x.tsv; dnabird evaluate variants --scores s --label-column y x.tsv | err ~ x.tsv: line 2, column y: a label is 1, 0 or empty
1: several values need Number=A
    printf '%b\n' '##fileformat=VCFv4.2' \
        '##INFO=<ID=S,Number=.,Type=Float,Description="s">' \
        '##INFO=<ID=T,Number=1,Type=Float,Description="t">' \
        '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO' \
        'c\t1\t.\tA\tC,G\t.\t.\tS=1,2;T=1' >x.vcf
    dnabird evaluate variants --scores S --measured T x.vcf
    | err ~ x.vcf: record 1 at c:1: S has several values, and is not declared as Number=A
1: a groups file without a tab is refused
    printf 'CHROM\tPOS\tREF\tALT\ts\tm\nc\t1\tA\tC\t1\t1\n' >x.tsv
    echo one >g.tsv
    dnabird evaluate variants --scores s --measured m --groups g.tsv x.tsv
    | err ~ g.tsv: line 1: expected an element and its group between tabs
1 | dnabird evaluate variants --scores s --measured m - </dev/null | err ~ read from a file, not from standard input
1: alleles and effects from a pipe are refused, whose format a first reading detects
    printf 'CHROM\tPOS\tREF\tALT\ts\tm\nc\t1\tA\tC\t1\t1\n' >x.tsv
    dnabird evaluate variants --scores s --measured m -o o <(cat x.tsv) ||
        dnabird evaluate variants --scores s --measured m --measured-in <(cat x.tsv) -o o x.tsv
    | err ~ read from a file, not from standard input or a pipe
    | err lines 2
    | none o
1 | dnabird evaluate variants --scores s --measured m none.tsv | err ~ none.tsv: No such file or directory
0: the change of motif matches is a baseline, unless --motifs none
    cp $T/data/variants/effects.fa e.fa
    for motifs in none jaspar; do
        dnabird evaluate variants --scores good --measured MPRA --motifs $motifs \
            --measured-in $T/data/variants/effects.vcf -f e.fa --bootstrap 0 \
            $T/data/variants/effects.scores.tsv |
            awk -F '\t' -v m=$motifs '$4 == "baseline:motif" && $2 == "e1" && $6 != "NA" {
                print m, $3, $5 }'
    done
    | out lines 4
    | out ~ jaspar snv spearman
    | out ~ jaspar indel spearman_abs
1: a file of motifs that is not there
    cp $T/data/variants/effects.fa e.fa
    dnabird evaluate variants --scores good --measured MPRA --motifs no \
        --measured-in $T/data/variants/effects.vcf -f e.fa $T/data/variants/effects.scores.tsv
    | err ~ no: No such file
1: -m needs a model with a k-mer baseline
    cp $T/data/variants/effects.fa e.fa
    dnabird evaluate variants --scores good --measured MPRA \
        --measured-in $T/data/variants/effects.vcf -f e.fa -m $T/data/torch \
        $T/data/variants/effects.scores.tsv
    | err ~ no k-mer baseline (baseline.safetensors)

0: a model's k-mer baseline is scored for one label
    cp $T/data/variants/effects.fa e.fa
    dnabird evaluate variants --scores good --measured MPRA \
        --measured-in $T/data/variants/effects.vcf -f e.fa -m $DATA/models/regulatory \
        -F 'TSS+' --bootstrap 0 $T/data/variants/effects.scores.tsv |
        cut -f 4 |
        sort -u
    | out ~ baseline:kmer:TSS+
    | out ~ good-baseline:

0: a score that lacks an element has no difference from a baseline that has it
    cp $T/data/variants/effects.fa e.fa
    awk -F '\t' -v OFS='\t' '$1 == "e2" { $6 = "." } { print }' $T/data/variants/effects.scores.tsv >half.tsv
    dnabird evaluate variants --scores 'good,noise' --measured MPRA \
        --measured-in $T/data/variants/effects.vcf --min-effect 0.2 --settings \
        <(printf 'p-column = "P"\nbarcodes = "BC"\nmin-barcodes = 10\n') -f e.fa \
        --bootstrap 5 half.tsv >m.tsv
    echo "good $(grep -c 'good-baseline' m.tsv), noise $(($(grep -c 'noise-baseline' m.tsv) > 2))"
    | out ~ good 0, noise 1
    | err ~ differences from a baseline are left out: score and baseline are not defined for the same elements
0: alleles that are measured twice in an element count twice, and are reported
    (cat $T/data/variants/effects.vcf; grep -v '^#' $T/data/variants/effects.vcf | tail -3) >twice.vcf
    e() { dnabird evaluate variants --scores good --measured MPRA --measured-in "$1" --bootstrap 5 $T/data/variants/effects.scores.tsv >m; }
    e twice.vcf
    e $T/data/variants/effects.vcf 2>once
    grep -c 'measured before' once || :
    | err ~ 3 alleles were measured before in their element: each counts
    | out ~ 0

0: a notice reports alleles in several intervals of -R, which count in the first one
    printf 'CHROM\tPOS\tREF\tALT\ts\ty\n' >s.tsv
    for i in {1..30}; do printf 'c\t%s\tA\tC\t%s\t%s\n' $i $i $((i * i)) >>s.tsv; done
    printf 'c\t0\t15\ta\nc\t10\t30\tb\n' >e.bed
    dnabird evaluate variants --scores s --measured y -R e.bed --bootstrap 0 s.tsv |
        grep -P '^element.*spearman\t' | cut -f 2,9
    | out ~ a	15
    | out ~ b	15
    | err ~ 5 alleles lie in several intervals of e.bed: each counts in the first one
0: each interval of -R is an element, also without a name of its own
    printf 'e1\t0\t100\tx\ne2\t0\t60\tx\ne2\t60\t119\t.\ne2\t60\t119\t.\n' >e.bed
    dnabird evaluate variants --scores good --measured MPRA \
        --measured-in $T/data/variants/effects.vcf -R e.bed --bootstrap 0 \
        $T/data/variants/effects.scores.tsv | awk '$1 == "element" { print $2 }' | uniq
    | out ~ e1:1-100
    | out ~ e2:1-60
    | out ~ e2:61-119
    | out lines 3
1: a column with another meaning is no score
    printf 'CHROM\tPOS\tREF\tALT\ts\ty\nc\t1\tA\tC\t1\t2\n' >s.tsv
    dnabird evaluate variants --scores s,y --measured y -o m.tsv s.tsv
    | err ~ --scores 'y': another option names this column of s.tsv, too
    | err lines 1
    | none m.tsv*
0: a score may have the name of the effect in another file
    printf 'CHROM\tPOS\tREF\tALT\ty\n' >s.tsv
    for i in {1..12}; do printf 'c\t%s\tA\tC\t%s\n' $i $((i * i)) >>s.tsv; done
    sed '2,$s/[0-9]*$/-&/' s.tsv >m.tsv
    dnabird evaluate variants --scores y --measured y --measured-in m.tsv --bootstrap 0 s.tsv
    | out ~ element	c	snv	y	spearman	-1	NA	NA	12	NA
1: an element has one group
    printf 'CHROM\tPOS\tREF\tALT\ts\ty\nc\t1\tA\tC\t1\t2\n' >s.tsv
    printf 'c\tg\nc\tg\nc\th\n' >g.tsv
    dnabird evaluate variants --scores s --measured y --groups g.tsv s.tsv
    | err ~ g.tsv: line 3: element 'c' is in group 'g' already
    | err lines 1
2 | dnabird evaluate variants --scores s --measured m --min-effect -0.5 x.tsv | err ~ --min-effect is 0 or more
