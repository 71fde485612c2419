# dnabird mutate: every single-base change of a region.

2 | dnabird mutate | err ~ Usage: dnabird mutate
2 | dnabird mutate -f x.fa | err ~ a reference (-f) and a region (-r) are needed
2 | dnabird mutate -f x.fa -r a:1-2 x | err ~ unexpected argument 'x'; the reference is given with -f
1 | dnabird mutate -m none -f x.fa -r a:1-2 | err ~ none
    | err lines 1
1 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r none:1-2 -o o | err ~ none
    | none o*
1: a region that does not fit into one window is refused
    cp $T/data/variants/toy.fa .
    dnabird mutate --shifts 0 --tokens anchored -m $T/data/model -f toy.fa -r chr1:1-71 \
        --centre region -o o
    | err ~ 71 bp do not fit into one window of 70: give a shorter region, or --centre base
    | none o*
1: a table has no window around a region
    cp $T/data/variants/toy.fa .
    dnabird mutate -m $T/data/model -f toy.fa -r chr1:1-10 -O table --centre region -o o
    | err ~ --centre region: with -R and in a table every base has a window of its own
    | err lines 1
    | none o*
1 | printf 'chr1\t0\t9\n' >r.bed; cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -R r.bed -O bedgraph --centre region -o o | err ~ --centre region
    | none o*
1 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:1-10 --scores z | err ~ has no background for e and z
1 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:1-10 --scores e -O svg | err ~ an e-value has no sign
0 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:1-3 | err ~ model evaluations for a substitution; --shifts 0 --tokens
    | err !~ insertion
1: a picture shows one feature
    cp $T/data/variants/toy.fa .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --labels 2 \
        --window 70 m
    dnabird mutate -m m -f toy.fa -r chr1:1-10 -O svg
    | err ~ 2 features: svg shows one, choose it with --features
1 long: too many changes and features for one run are refused
    cp $T/data/variants/toy.fa .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 40000 --window 600 m
    dnabird mutate --shifts 0 --tokens anchored -m m -f toy.fa -r chr1
    | err ~ 600 bp of 40000 features are too many for one run
    | out empty

0 | cp $T/data/variants/toy.fa .; dnabird mutate --shifts 0 --tokens anchored -m $T/data/model -f toy.fa -r chr1:101-110 --no-version | out lines 11
    | out ~ #chrom	start	end	ref	feature	A	C	G	T
    | out ~ chr1	100	101	A	model	.	
    | err ~ 10 bases, 10 scored, 1 feature; 80 model evaluations
0 | cp $T/data/variants/toy.fa .; dnabird mutate --shifts 0 --tokens anchored -m $T/data/model -f toy.fa -r chr1:101-110 --centre region | err ~ 62 model evaluations
0 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:481-520 --no-version | grep R | out ~ chr1	499	500	R	model	.	.	.	.
0: several features have a row each
    cp $T/data/variants/toy.fa .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'TF:a,TF:b,HM:c' --window 70 m
    dnabird mutate -m m -f toy.fa -r chrM --no-version --json j >a
    wc -l <a
    cat j
    | out ~ 121
    | out ~ "bases": 40
    | out ~ "features": 3
0: --features chooses among them
    cp $T/data/variants/toy.fa .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'TF:a,TF:b,HM:c' --window 70 m
    dnabird mutate -m m -f toy.fa -r chrM --no-version --features TF
    | out lines 81
0: the scores are those of variant
    cp $T/data/variants/toy.fa .
    dnabird mutate -m $T/data/model -f toy.fa -r chr1:150-151 --no-version |
        awk -F'\t' 'NR > 1 {
                split("A C G T", b, " ")
                for (i = 1; i <= 4; i++) if ($(i + 5) != ".") print $3 "\t" $4 "\t" b[i] "\t" $(i + 5)
            }' >a
    (
        printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
        awk '{print "chr1\t" $1 "\t.\t" $2 "\t" $3 "\t.\t.\t."}' a
    ) >v.vcf
    dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version v.vcf --scores diff |
        tail -n +2 |
        cut -f2,4,5,9 >b
    wc -l <b
    | same a b
    | out ~ 6
# the track has the largest change of each base, the picture has every change
0: the track has the largest change of each base
    cp $T/data/variants/toy.fa .
    M="dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-130 --no-version"
    $M |
        awk -F'\t' 'function a(x) { return x < 0 ? -x : x }
            NR > 1 {
                m = ""
                for (i = 6; i <= 9; i++) if ($i != "." && (m == "" || a($i) > a(m))) m = $i
                print $1 "\t" $2 "\t" $3 "\t" m
            }' >a
    $M -O bedgraph | tail -n +2 >b
    wc -l <b
    | same a b
    | out ~ 30
0 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-130 -O svg --motifs none | tr '>' '\n' | grep -c '<title$' | out ~ 120
# positions above 10 million
0: a picture shows positions above 10 million as whole numbers
    (echo '>c'; yes ACGTTGCAACGGATTACATG | head -500100) >x.fa
    dnabird mutate -m $T/data/model -f x.fa -r c:10000011-10000040 -O svg -o o.svg
    tr '>' '\n' <o.svg >o
    grep -cE '^[-+][0-9.e-]+</text$' o
    grep -cF 'fill:#0072b2;fill:var(--c0)' o
    grep -v title o | grep -oE '^10,000,0.0'
    | out ~ 10,000,020
    | out ~ 10,000,040
    | out lines 5
0: a picture shows the sign of each change
    (echo '>c'; yes ACGTTGCAACGGATTACATG | head -500100) >x.fa
    dnabird mutate -m $T/data/model -f x.fa -r c:10000011-10000040 -O svg |
        tr '>' '\n' |
        grep -E '^[-+][0-9.e-]+</text$' |
        tr -d '\n' |
        sed 's/[0-9.e-]*<.text/~/g'
    | out ~ ~+~
    | out !~ e+
0 needs=xmllint | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-130 -O svg -o o.svg; xmllint --noout o.svg | out empty
    | has o.svg
0 | cp $T/data/variants/toy.fa .; for t in 1 2; do dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-130 -t $t -o $t; done | same 1 2
# strands: plus, minus and both give three answers
0 | cp $T/data/variants/toy.fa .; for s in both + -; do dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-103 --strand $s --no-version; done | sort -u | out lines 10
# z and e with a background
0: scores z and e are written as tracks, with a hint at the windows of --centre region
    cp $T/data/variants/toy.fa .
    cp -r $T/data/model m
    dnabird variant background -m m -f toy.fa -n 100
    for s in e z; do
        dnabird mutate -m m -f toy.fa -r chr1:101-103 --scores $s -O bedgraph --no-version \
            --centre region
    done
    | out lines 8
    | err ~ --centre base gives each the window of the background
0: the windows of a region begin where those of the background do, whatever their width
    dnabird mutate -m $DATA/models/regulatory -F TSS- -f $DATA/genome/chr20_demo.fa.gz \
        -r chr20:2,633,258-2,633,259 --centre region --no-version -o o
    | err ~ (--shifts 0,3/5d
    | has o
0: windows around every base give no hint
    cp $T/data/variants/toy.fa .
    cp -r $T/data/model m
    dnabird variant background -m m -f toy.fa -n 100
    dnabird mutate -m m -f toy.fa -r chr1:101-103
    dnabird mutate -m m -f toy.fa -r chr1:101-103 --scores z
    | err !~ --centre
1 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-103 >/dev/full | err ~ No space left
0: a name that ends in .gz is bgzipped
    cp $T/data/variants/toy.fa .
    M="dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-103 --no-version"
    $M >a
    $M -o m.tsv.gz
    $M -O bedgraph >b
    $M -O bedgraph -o m.bedgraph.gz
    for f in *.gz; do od -An -tx1 -j12 -N2 $f; done
    zcat m.tsv.gz >c
    zcat m.bedgraph.gz >d
    ls
    | out ~ 42 43
    | out lines 10
    | same a c
    | same b d

# --motifs: matches below the picture, and the strongest change's effect on each
0: a picture shows the motifs and their strongest change
    cp $T/data/variants/toy.fa .
    (
        echo '>M1 mine'
        for b in A C G T; do
            dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-112 --no-version |
                awk -v b=$b 'NR > 1 && $5 == "model" { printf "%s%d", n++ ? " " : b " [", $4 == b ? 20 : 0 }
                    END { print " ]" }'
        done
    ) >m.txt
    cat m.txt
    dnabird mutate -m $T/data/model -f toy.fa -r chr1:99-130 -O svg --motifs m.txt |
        tr '>' '\n' |
        grep 'mine (M1) +, p 6e-8; its strongest change, ' |
        wc -l
    | out ~ 2
0: --motifs none equals a p-value that nothing reaches
    cp $T/data/variants/toy.fa .
    dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-130 -O svg --motifs none >a
    dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-130 -O svg --settings \
        <(echo 'motif-p = 1e-9') >b
    wc -l <b
    | same a b
1 | cp $T/data/variants/toy.fa .; echo x >m.txt; dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-130 -O svg --motifs m.txt -o o | err ~ no motif in TRANSFAC's, JASPAR's or MEME's format
1: a picture of no region is refused
    cp $T/data/variants/toy.fa .
    : >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed -O svg -o m.svg && exit 9
    dnabird attribute -q -m $T/data/model -f toy.fa -R r.bed --strand + -o a.svg
    | err ~ r.bed: no region in it, and a picture shows one
    | err lines 2
    | none *.svg*
1: a file in the place of a folder for tracks is refused as such
    cp $T/data/variants/toy.fa .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --labels 'A:x,A:y' --window 70 m
    echo mine >o.bedgraph
    dnabird mutate -q -m m -f toy.fa -r chr1:50-51 --shifts 0 -O bedgraph -o o.bedgraph
    s=$?
    cat o.bedgraph
    exit $s
    | err ~ o.bedgraph: tracks of 2 features are files of a folder: choose one feature (-F), or name a folder (-o)
    | out ~ mine
1: a file of motifs is refused where no picture shows them
    cp $T/data/variants/toy.fa .
    M="dnabird mutate -q -m $T/data/model -f toy.fa -r chr1:101-102"
    $M -o o.tsv --motifs none.txt && exit 9
    $M -O table -o o.tsv --motifs none.txt && exit 9
    $M -O bedgraph --motifs none >/dev/null || exit 9
    $M -O bedgraph --motifs none.txt
    | err ~ --motifs none.txt: only a picture shows motifs: add -O svg, or leave out --motifs
    | none o.tsv*
1 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-130 -O svg --settings <(echo 'motif-p = 0.5') | err ~ at most 0.05

0: N counts by its share of the window
    sed '4s/./N/' $T/data/variants/toy.fa >n.fa
    M="dnabird mutate -m $T/data/model -f n.fa -r chr1:101-104 --shifts 0 -o o.tsv"
    $M --max-n 0.02 2>a
    $M --max-n 0.01 2>b
    grep -ho '4 bases, . scored' a b >c
    printf '4 bases, %d scored\n' 4 0 >d
    | same c d
