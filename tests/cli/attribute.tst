# dnabird attribute: the contribution of each base of a region to an answer.

2 | dnabird attribute | err ~ Usage: dnabird attribute
2 | dnabird attribute -f x.fa | err ~ a reference (-f) and a region (-r or -R) are needed
1 | dnabird attribute -m none -f x.fa -r a:1-2 | err ~ none
    | err lines 1
1 | cp $T/data/variants/toy.fa .; dnabird attribute -m $T/data/model -f toy.fa -r chr1:1-71 -o o | err ~ 71 bp do not fit into one window of 70: give a shorter region
    | none o*
0: of many regions without values the first one is named, and all are counted
    cp $T/data/variants/toy.fa .
    for i in {300..329}; do printf 'chr1\t%d\t%d\n' $i $((i + 1)); done >r.bed
    dnabird attribute -m $T/data/model -f toy.fa -R r.bed -o o.tsv
    | err ~ chr1:301-301: too many N in the window, no values (30 regions in all)
    | err !~ chr1:302-302
1 | cp $T/data/variants/toy.fa .; dnabird attribute -m $T/data/model -f toy.fa -r chr1:1-7 --steps 8 | err ~ steps are for integrated gradients: --method integrated
1 | cp $T/data/variants/toy.fa .; dnabird attribute -m $T/data/model -f toy.fa -r chr1:1-7 --method integrated --steps 0 | err ~ 0 steps: give 1 to 4096
1 | cp $T/data/variants/toy.fa .; dnabird attribute -m $T/data/model -f toy.fa -r chr1:101-107 --shifts -35 -o o | err ~ --shifts -35: -35 moves a window of 70 bp past the change
    | none o*
1: of several regions the one that does not fit is named
    cp $T/data/variants/toy.fa .
    printf 'chr1\t0\t9\nchr1\t0\t100\n' >r.bed
    dnabird attribute -m $T/data/model -f toy.fa -r chr1:1-20,chr1:101-180 -o o
    dnabird attribute -m $T/data/model -f toy.fa -r chr1:1-20 -R r.bed -o o
    | err ~ dnabird: chr1:101-180: 80 bp do not fit into one window of 70
    | err ~ dnabird: r.bed: line 2: chr1:1-100: 100 bp do not fit into one window of 70
    | err lines 2
    | none o*
0: no region is reported, and no value
    cp $T/data/variants/toy.fa .
    : >none.bed
    dnabird attribute -q -m $T/data/model -f toy.fa -R none.bed -o a.tsv
    dnabird attribute -q -m $T/data/model -f toy.fa -r chr1:301-302 -o b.tsv
    | err ~ none.bed: no region in it, so nothing was scored
    | err ~ warning: nothing was scored
1: a model with several features needs --features
    cp $T/data/variants/toy.fa .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --labels 2 \
        --window 70 m
    dnabird attribute -m m -f toy.fa -r chr1:1-10
    | err ~ 2 features: this command shows one, choose it with --features
1 | cp $T/data/variants/toy.fa .; dnabird attribute -m $T/data/model -f toy.fa -r chr1:1-10 -O bedgraph -o o | err ~ choose one with --strand
    | none o*
1: a model whose tokens overlap is refused
    cp $T/data/variants/toy.fa .
    dnabird tokenizer kmer -k 3 -o k.json
    dnabird init --preset tiny --tokenizer k.json --head mean --labels x --window 70 m
    dnabird attribute -m m -f toy.fa -r chr1:1-10 -O svg
    | err ~ its words overlap
1: an attention map without a gradient is refused
    cp $T/data/variants/toy.fa .
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --preset tiny --tokenizer k.json --head mean --labels x --window 70 \
        --attention-map hardmax m
    dnabird attribute -m m -f toy.fa -r chr1:1-10
    | err ~ has no gradient

0: multi-base tokens: a row for each base and strand, and a track of one strand
    cp $T/data/variants/toy.fa .
    A="dnabird attribute -m $T/data/model -f toy.fa --no-version --method integrated"
    $A -r chr1:101-120 --json j -o o.tsv
    cut -f 5 o.tsv | sort -u | tr '\n' ' '
    awk -F '\t' 'NR > 1 && length($4) != $3 - $2 { print "length", $0 }' o.tsv
    grep -c . o.tsv
    grep '"forward_passes": 68' j
    $A -r chr1:101-120 --strand - -o o.bedgraph
    awk -F '\t' -v OFS='\t' '$5 == "-" { print $1, $2, $3 }' o.tsv >a
    tail -n +2 o.bedgraph | cut -f 1-3 >b
    | same a b
    | out ~ + - strand
    | out ~ "forward_passes": 68
    | out !~ length
    | err ~ 20 bases, 19 with a value; 68 passes forward, 64 back
    | err ~ completeness error
0: multi-base tokens: tracks of adjacent regions, whose tokens differ, do not overlap
    cp $T/data/variants/toy.fa .
    dnabird tokenizer kmer -k 4 -s 4 -o k.json
    dnabird init --seed 4 --tokenizer k.json --preset tiny --labels 1 --head maxmean -w 100 m
    dnabird attribute -q -m m -f toy.fa -r chr1:101-108,chr1:109-122 --strand + -O bedgraph --no-version |
        awk '/^#/ { next } $2 < end { print "overlap" } { end = $3 } END { print end }'
    | out ~ 122
    | out !~ overlap

0: single bases: the column strand is that of --strand
    A="dnabird attribute -q --no-version -m regulatory -f $DNABIRD_DATA/genome/chr20_demo.fa.gz -r 20:2400101-2400103 -F TSS-"
    for s in + - both; do $A --strand $s | grep -v '^#' | cut -f 5 | sort -u | tr '\n' ' '; done
    | out ~ + - .

0: log odds equal those of variant on every strand
    cp $T/data/variants/toy.fa .
    printf '%b\n' '##fileformat=VCFv4.2' '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO' \
        'chr1\t150\t.\tN\tA\t.\t.\t.' >v.vcf
    r=$(awk '/^>/ { on = $1 == ">chr1"; next }
        on { s = s $0 }
        END { print substr(s, 150, 1) }' toy.fa)
    a=A
    [ $r != A ] || a=C
    sed -i "s/\tN\tA\t/\t$r\t$a\t/" v.vcf
    for s in both + -; do
        dnabird attribute -q -m $T/data/model -f toy.fa -r chr1:150-150 --strand $s \
            --method gradient --json j -o o
        p=$(dnabird variant -q -m $T/data/model -f toy.fa -O tsv --no-version --strand $s \
            --scores p_ref --shifts 0 --tokens anchored v.vcf |
            awk -F '\t' '!/^#/ { print log($9 / (1 - $9)) }')
        awk -v p="$p" -F '[:,]' \
            '/"log_odds"/ { d = $2 - p; print (d * d < 1e-10 ? "equal" : $0 " " p) }' j
    done
    | out lines 3
    | out !~ log_odds

0: single-base tokens: tables, tracks, pictures, region files and threads agree
    cp $T/data/variants/toy.fa .
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --seed 4 --tokenizer k.json --stem 9x64/4 --labels x,y --head maxmean \
        -w 100 m
    A="dnabird attribute -m m -F y -f toy.fa --no-version --method integrated --steps 4"
    for t in 1 2; do $A -r chr1:101-130 -t $t -o $t.tsv; done
    printf 'chr1\t100\t130\n' >r.bed
    $A -R r.bed -o 3.tsv
    $A -r chr1:101-130 -o o.bedgraph.gz -O bedgraph -W
    $A -r chr1:101-130 -o o.svg
    awk -F '\t' -v OFS='\t' 'NR > 1 {
            k = index("ACGT", $4)
            if ($7 != $(7 + k)) bad++
            s = $8 + $9 + $10 + $11
            if (s * s > 1e-8) bad++
            print $1, $2, $3, $7
        }
        END { print bad + 0 >"bad" }' 1.tsv >a
    zcat o.bedgraph.gz | tail -n +2 >b
    wc -l <a
    cat bad
    grep -c '<title>' o.svg
    ls o.bedgraph.gz.tbi
    | same a b
    | out ~ 30
    | same 1.tsv 2.tsv
    | same 1.tsv 3.tsv
    | has o.bedgraph.gz.tbi
0 needs=xmllint: a picture of multi-base tokens is well-formed SVG
    cp $T/data/variants/toy.fa .
    dnabird attribute -q -m $T/data/model -f toy.fa -r chr1:101-130 --strand + \
        --method integrated --steps 2 -O svg -o o.svg
    xmllint --noout o.svg
    grep -q '<path style' o.svg && echo drawn
    | out ~ drawn
0: a base that is not A, C, G or T has no value
    cp $T/data/variants/toy.fa .
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --seed 4 --tokenizer k.json --stem 9x64/4 --labels 1 --head maxmean \
        -w 100 m
    dnabird attribute -m m -f toy.fa -r chr1:481-520 --no-version --method gradient | grep R
    | out ~ chr1	499	500	R	.	label_0	.	.	.	.	.	0

0: the completeness error of a trained model shrinks with more steps
    dnabird tokenizer kmer -k 1 -o k.json
    (
        echo sequence,label
        for i in AA AC AG CA CC CT GA TC; do
            printf 'ACGTACGTAC%s,1\nTTTTACGTTT%s,0\n' $i $i
        done
    ) >x.csv
    dnabird finetune -q --train x.csv --valid x.csv --preset tiny --tokenizer k.json \
        --head mean --steps 40 --batch 8 --lr 3e-3 --no-baselines -o m
    printf '>c\nTTACGTACGTACTT\n' >c.fa
    for n in 2 32; do
        dnabird attribute -q -w 12 -m m -f c.fa -r c:3-14 --method integrated --steps $n \
            --json j$n -o o
        grep -h completeness_error j$n
    done |
        awk -F '[:,]' '{ e[NR] = $2 }
            END {
                print (e[2] < e[1] ? "smaller" : e[1] " " e[2]), (e[2] < 0.01 ? "small" : e[2])
            }'
    | out ~ smaller small

0: models with bins: log odds equal those of variant, for the label's strand too
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -q --margin 200
    . $T/cli/bins_alleles.sh
    snvs B 2001 >x.vcf
    for s in both + -; do
        p=$(dnabird variant -q -m m -f r.fa -O tsv --no-version --strand $s -F TSS+ --scores p_ref \
            --shifts 0 x.vcf |
            awk -F '\t' '!/^#/ { print log($(NF - 1) / (1 - $(NF - 1))) }')
        dnabird attribute -q -m m -f r.fa -r B:2001-2001 -F TSS+ --strand $s --method gradient \
            --json j -o o.tsv
        awk -v p="$p" -F '[:,]' '/"log_odds"/ { d = $2 - p; print (d * d < 1e-9 ? "equal" : $0 " " p) }' \
            j
    done
    dnabird attribute -q -m m -f r.fa -r B:2001-2010 -F TSS+ --no-version \
        --method integrated --steps 2 |
        wc -l
    | out ~ equal
    | out !~ log_odds
1: models with bins: a region that does not fit into one window is refused
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -q
    dnabird attribute -m m -f r.fa -r B:1001-1900 -F TSS+
    | err ~ 900 bp do not fit into one window of 800 without its margins and a bin: give a shorter region

0: N counts by its share of the window; log odds are printed only if computed
    sed '4s/./N/' $T/data/variants/toy.fa >n.fa
    M="dnabird attribute -m $T/data/model -f n.fa -r chr1:101-104 -o o.tsv"
    $M --max-n 0.02 2>a
    $M --max-n 0.01 2>b
    grep -c '4 bases, [1-4] with' a b >c
    printf 'a:1\nb:0\n' >d
    grep -c '^dnabird: log odds' a b >e
    printf 'a:1\nb:0\n' >f
    | same c d
    | same e f
0: log odds are means over the regions with values
    (echo '>a'; (grep -v '>' $T/data/variants/toy.fa | head -4; printf 'N%.0s' {1..280}) | tr -d '\n' | fold -w 60) >n.fa
    odds() { dnabird attribute -m $T/data/model -f n.fa "$@" -o o --json j 2>&1 | grep -o 'log odds.*'; grep -e log_odds -e '"sum"' j; }
    odds -r a:20-25 >one
    odds -r a:20-25,a:400-410 >two
    odds -r a:20-25 --method integrated --steps 4 >three
    odds -r a:20-25,a:400-410 --method integrated --steps 4 >four
    cmp three four
    grep -c . one
    | out ~ 4
    | same one two
