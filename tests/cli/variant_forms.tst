# dnabird variant: output formats, features, scores, backgrounds; dnabird
# variant background. Models of several labels have random weights.

# several labels: summaries, classes, the top features
0: VCF has summaries by class and a line for each feature
    cp $T/data/variants/* .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --labels \
        'DHS:K562|DNase|None,TF:K562|CTCF|None,TF:A549|CTCF|None,HM:K562|H3K4me3|None' \
        --window 70 --seed 3 m
    dnabird variant -m m -f toy.fa kinds.vcf --no-version
    | out ~ BIRD_MAX_TF=
    | out ~ ##INFO=<ID=BIRD_FEATURE_HM,Number=A,Type=String
    | out ~ ##dnabird_feature=<ID=K562_CTCF_None,Number=1,Name="K562|CTCF|None",Class="TF">
    | out ~ BIRD_TOP=
    | out !~ BIRD_DIFF
    | out !~ BIRD_MLE
0: --features and --scores choose the fields
    cp $T/data/variants/* .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'DHS:a,TF:b,TF:b2' --window 70 m
    dnabird variant -m m -f toy.fa kinds.vcf --shifts 0 --tokens anchored --no-version \
        --features TF --scores p_ref,p_alt,diff,logit,deepsea_effect
    | out ~ BIRD_PREF_b=
    | out ~ BIRD_DEEPSEA_b2=
    | out !~ BIRD_PREF_a=
1 | cp $T/data/variants/* .; dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --labels 2 --window 70 m; dnabird variant -m m -f toy.fa kinds.vcf --features none | err ~ none
    | out empty
    | err lines 1
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf --scores diff,best | err ~ --scores: 'best' is not one of p_ref, p_alt, diff, logit, e, z, deepsea_effect
    | out empty
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf --scores z | err ~ --scores: z needs a background of the same model, window,
    | out empty
2 | dnabird variant -O bed --scores diff -f x.fa x.vcf | err ~ -O bed has the largest difference of every allele, and motifs: leave out --scores, or choose -O tsv
2 | dnabird variant -O bed --scores logit,motif -f x.fa x.vcf | err ~ -O bed has the largest difference of every allele, and motifs: leave out --scores, or choose -O tsv
2 | dnabird variant -O bed --scores motif,effect -f x.fa x.vcf | err ~ -O bed has the largest difference of every allele, and motifs: leave out --scores
1 | dnabird variant -O bed --scores motif,diff,llr -f none.fa -m $T/data/model x.vcf | err ~ none.fa
0: a notice says that BED does not choose features
    cp $T/data/variants/* .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'DHS:a,TF:b' --window 70 m
    V="dnabird variant -m m -f toy.fa kinds.vcf --shifts 0 --tokens anchored --no-version"
    $V -o a.bed 2>e
    grep -c 'no effect' e
    $V -o b.bed -F a
    | out ~ 0
    | err ~ -O bed has the largest difference of all features: -F or --cell has no effect (-O tsv
    | same a.bed b.bed
0: tables have the columns of their format
    cp $T/data/variants/* .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'DHS:a|x,TF:b' --window 70 m
    V="dnabird variant -m m -f toy.fa kinds.vcf --shifts 0 --tokens anchored --no-version"
    $V -O tsv | head -1
    $V -O tsv --features a* | head -1
    $V -O tsv --settings <(echo 'top = 0') | head -1
    $V -O tsv --long | head -1
    $V -O kipoi | head -1
    $V -O bed | head -1
    $V -O kipoi --kipoi-name DeepSEA/predict --scores diff,logit | head -1
    $V -O tsv --settings <(echo 'top = 4') >four
    $V -O tsv --settings <(echo 'top = 1000000000000000') >all
    | same four all
    | out ~ #CHROM	POS	ID	REF	ALT	STATUS	TOKENS	WAY	max_diff	max_feature	max_diff/DHS	max_feature/DHS	max_diff/TF	max_feature/TF	top
    | out ~ max_feature/TF	top	a|x/diff
    | out ~ #CHROM	POS	ID	REF	ALT	STATUS	TOKENS	WAY	FEATURE	CLASS	p_ref	p_alt	diff	logit
    | out ~ #CHROM	POS	ID	REF	ALT	m/a_x/diff	m/b/diff
    | out ~ #chrom	start	end	name	score	strand	diff	feature	status
    | out ~ #CHROM	POS	ID	REF	ALT	DeepSEA/predict/a_x/diff	DeepSEA/predict/b/diff	DeepSEA/predict/a_x/logit	DeepSEA/predict/b/logit
0 needs=bcftools: fields of classes differ from those of all features
    cp $T/data/variants/* .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'SD:a,AGREE:b' --window 70 m
    grep -v '^X\|no_letters' kinds.vcf >k.vcf
    V="dnabird variant -q -m m -f toy.fa --shifts 0,7"
    $V -o o.vcf k.vcf
    $V -o o.bcf k.vcf
    for f in o.vcf o.bcf; do
        bcftools query -f '%ID\t%BIRD_MAX_SD\t%BIRD_MAX_AGREE\t%BIRD_MAX_SD_2\t%BIRD_FEATURE_AGREE_2\n' $f >$f.txt
    done
    $V -O tsv --no-version k.vcf | awk -F '\t' '$3 == "snv" { print $3, $11, $12, $13, $16 }' >tsv
    grep '^snv' o.vcf.txt | tr '\t' ' ' >vcf
    | same tsv vcf
    | same o.vcf.txt o.bcf.txt
0: every table has a row for each allele
    cp $T/data/variants/* .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --labels 3 \
        --window 70 m
    V="dnabird variant -m m -f toy.fa kinds.vcf --no-version"
    for f in tsv kipoi bed; do $V -O $f | tail -n +2 | wc -l; done | uniq -c | tr -s ' '
    | out ~ 3 45
0: --long has a row for each allele and feature
    cp $T/data/variants/* .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --labels 3 \
        --window 70 m
    dnabird variant -m m -f toy.fa kinds.vcf --no-version -O tsv --long |
        awk -F'\t' 'NR > 1 {n[$6]++} END {print n["OK"], n["SYMBOLIC"]}'
    | out ~ 69 5
0: kipoi writes nan for an allele without a score
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf --no-version -O kipoi | grep SYM
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf --no-version -O kipoi |
        grep '<DEL>'
    | out ~ 1	51	symbol	C	<DEL>	nan
0: kipoi's columns have DeepSEA's names and order
    cp $T/data/variants/* .
    awk -F'\t' 'NR > 1 {print (n++ ? "," : "") $2 ":" $6}' $DATA/chromatin/deepsea_919.tsv |
        tr -d '\n' >labels
    awk -F'\t' 'NR > 1 {print "DeepSEA/predict/" $3 "_" $4 "_" $5 "/diff"}' \
        $DATA/chromatin/deepsea_919.tsv >want
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels "$(cat labels)" --window 70 m
    (head -3 kinds.vcf; printf '1\t51\t.\tC\tT\t.\t.\t.\n') >v.vcf
    dnabird variant -m m -f toy.fa v.vcf -O kipoi --kipoi-name DeepSEA/predict -o o
    head -1 o | cut -f6- | tr '\t' '\n' >got
    sed -n '15p;50p;155p' got
    grep -c '/K562_CTCF_None/' got
    tail -1 o | cut -f1-5 | tr '\t' ,
    wc -l <got
    | out ~ HeLa-S3_DNase_IFNa4h/diff
    | same want got
    | out ~ /CD20+_DNase_None/
    | out ~ 1,51,,C,T
    | out ~ 919
0: scores follow from p_ref and p_alt
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf --shifts 0 --tokens anchored \
        --no-version -O tsv --scores p_ref,p_alt,diff,logit,deepsea_effect |
        awk -F'\t' 'function a(x) { return x < 0 ? -x : x }
            NR > 1 && $6 == "OK" {
                l = log($10 / (1 - $10)) - log($9 / (1 - $9))
                if (a($10 - $9 - $11) > 2e-6 || a(l - $12) > 2e-5 || a(a($11) * a($12) - $13) > 1e-5 * $13) print
                n++
            }
            END { print n " alleles" }'
    | out ~ 23 alleles
    | out lines 1
0: --strand both is the mean of the strands
    cp $T/data/variants/* .
    V="dnabird variant -m $T/data/model -f toy.fa kinds.vcf --shifts 0 --tokens anchored --no-version -O tsv"
    $V >b
    $V --strand + >p
    $V --strand - >m
    paste b p m |
        awk -F'\t' 'function a(x) { return x < 0 ? -x : x }
            $6 == "OK" { if (a($10 - ($23 + $36) / 2) > 2e-6) print; if ($23 != $36) n++ }
            END { print n " differ" }'
    | out ~ 23 differ
    | out lines 1
# --tokens: reported, and another result where the tokens differ
0 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf --no-version -O tsv --tokens free | awk -F'\t' '$6 == "OK" {print $8}' | sort -u | out ~ free
    | out lines 1

# backgrounds
2 | dnabird variant background -m m a b | err ~ one VCF at most
1 | dnabird variant background -m $T/data/model | err ~ no reference: give one with -f
2 | cp $T/data/variants/* .; dnabird variant background -m $T/data/model -f toy.fa -n 0 | err ~ --number must be above 0
2 | dnabird variant background -f x.fa --seed -1 | err ~ --seed is negative
2 | dnabird variant background -f x.fa -R x.bed x.vcf | err ~ regions are for random changes
2 | dnabird variant background -f x.fa --others 5 x.vcf | err ~ --number, --others and --seed are for random changes, not for a VCF
2 | dnabird variant background -f x.fa --seed 5 x.vcf | err ~ --number, --others and --seed are for random changes, not for a VCF
2 | cp $T/data/variants/* .; dnabird variant background -f toy.fa -n 5 | err ~ a model folder (-m), in which it is kept, or a file (-o) is needed
    | err lines 1
0 | dnabird variant background -h | out ~ variant background [options] (-m DIR
# size of a background
0 long: a small background, and one smaller than before, is reported
    cp $T/data/variants/* .
    cp -r $T/data/model m
    B="dnabird variant background -m m -f toy.fa"
    $B --others 0 -n 1200 2>a
    $B --others 0 -n 300 2>b
    $B --others 0 -n 1000 2>c
    $B --others 0 -n 1200 2>d
    for f in a b c d; do echo $f $(grep -c 'are few' $f) $(grep -c 'replaced by' $f); done
    grep -h replaced b
    rm -r m
    cp -r $T/data/model m
    $B --others 0 -n 20 -o x.st 2>e
    $B --others 0 -n 19 -o x.st 2>f
    grep -h replaced e f
    | out ~ a 0 0
    | out ~ b 1 1
    | out ~ c 0 0
    | out ~ d 0 0
    | out ~ warning: m/calibration.safetensors was a background of 1200 variants: replaced by one of 300
    | out ~ warning: x.st was a background of 20 variants: replaced by one of 19
    | out lines 6
0 | cp $T/data/variants/toy.fa .; dnabird variant background -m $T/data/model -f toy.fa --shifts 0,3 -n 20 -o few.st 2>&1 | out ~ up to 16 model evaluations
1 long: a background of regions of N is refused
    cp $T/data/variants/* .
    printf 'chr1\t310\t330\n' >n.bed
    cp -r $T/data/model m
    dnabird variant background -m m -f toy.fa -R n.bed -n 5
    | err ~ the regions have too few positions for CpG transitions: 0 of 2 were found
    | none m/calibration.safetensors
0: a damaged background is replaced
    cp $T/data/variants/toy.fa .
    cp -r $T/data/model m
    B="dnabird variant background -q -m m -f toy.fa -n 6 --others 0 --shifts 0"
    $B || exit 9
    cp m/calibration.safetensors want
    for j in junk junkjunkjunk; do
        echo $j >m/calibration.safetensors
        $B || exit 8
        cmp m/calibration.safetensors want || exit 7
    done
    | err !~ not a safetensors file
    | same m/calibration.safetensors want
1 long: a class of changes of one base is named as such
    for i in {1..100}; do printf ACGT; done | sed 's/^/>a\n/' >r.fa
    dnabird variant background -q -m $T/data/model -f r.fa --shifts 0 -n 3 --others 1 -o b.st
    | err ~ the regions have too few positions for deletions from a repeat of 1 base: 0 of 1 were found
    | none b.st*
1: a background of alleles on unknown contigs is refused
    cp $T/data/variants/* .
    cp -r $T/data/model m
    grep -v '^[1MX]' kinds.vcf | sed 's/^scaf/Z/' >v.vcf
    dnabird variant background -m m -f toy.fa v.vcf
    | err ~ v.vcf: none of the alleles could be scored: NO_CONTIG 1 ('dnabird help status' explains
    | none m/calibration.safetensors
1: a background says why no allele of a VCF was scored
    cp $T/data/variants/* .
    V="dnabird variant background -q -m $T/data/model -f toy.fa -o b.st"
    (head -3 kinds.vcf; printf '1\t%d\t.\tG\tA,C\t.\t.\t.\n' 51 53; printf 'MT\t1\t.\tA\tG\t.\t.\t.\n') >v.vcf
    $V v.vcf
    (head -3 kinds.vcf; printf '1\t51\t.\tC\t.\t.\t.\t.\n') >v.vcf
    $V v.vcf
    | err ~ v.vcf: none of the alleles could be scored: on contigs shorter than the window 1, REF_MISMATCH 4
    | err ~ v.vcf: no record has an ALT to score
    | none b.st*
0: a background gives e and z
    cp $T/data/variants/* .
    cp -r $T/data/model m
    dnabird variant background --shifts 0 --tokens anchored -m m -f toy.fa -n 300 --seed 7 \
        --json j
    dnabird variant -m m -f toy.fa kinds.vcf -O tsv
    cat j
    dnabird variant -m m -f toy.fa kinds.vcf >o.vcf
    cat o.vcf
    | err ~ 750 variants of 1 feature,
    | err ~ random changes, every A, C, G, T of toy.fa equally likely: CpG transitions,
    | err ~ changes of several bases, insertions and deletions by length, seed 7
    | out ~ STATUS	TOKENS	WAY	p_ref	p_alt	diff	logit	e	z
    | out ~ # background: 750 variants: random changes
    | out ~ "variants": 750
    | out ~ ##dnabird_background=750 variants: random
    | out ~ BIRD_E=
    | out ~ ;BIRD_Z=
0 long: a background depends on the seed, not the threads
    cp $T/data/variants/* .
    for i in '1 -t 1' '2 -t 2' '3 --seed 2'; do
        set -- $i
        n=$1
        shift
        cp -r $T/data/model m$n
        dnabird variant background -m m$n -f toy.fa -n 200 $*
    done
    mv m1/cal* a
    mv m2/cal* b
    mv m3/cal* c
    | same a b
    | differ a c
0: e and z are counted over the background's variants
    cp $T/data/variants/* .
    cp -r $T/data/model m
    grep -v '[*<]' kinds.vcf | grep -v '^MT' >v.vcf
    dnabird variant background -m m -f toy.fa v.vcf
    dnabird variant -m m -f toy.fa v.vcf -O tsv --no-version --scores diff,e,z |
        awk -F'\t' 'function a(x) { return x < 0 ? -x : x }
            $6 == "OK" { d[++n] = $9; e[n] = $10; z[n] = $11 }
            END {
                for (i = 1; i <= n; i++) {
                    k = 0
                    for (j = 1; j <= n; j++) {
                        k += a(d[j]) > a(d[i])
                        if (a(z[j]) > a(z[i]) && e[j] > e[i]) print i, j, z[i], z[j]
                    }
                    if (a((1 + k) / (n + 1) - e[i]) > 1e-5 || d[i] * z[i] < 0) print i, d[i], e[i], z[i], k
                }
                print n " alleles"
            }'
    | out ~ 19 alleles
    | out lines 1
0: short contigs have no e and z
    cp $T/data/variants/* .
    cp -r $T/data/model m
    dnabird variant background -m m -f toy.fa -n 50 2>/dev/null
    dnabird variant -m m -f toy.fa kinds.vcf -O tsv --no-version --scores diff,e,z --json j |
        awk -F'\t' '$6 == "OK" { n[($10 == ".") ($11 == ".") ($9 == ".") ($1 == "MT")]++ }
            END { for (k in n) print k, n[k] }' |
        sort
    cat j
    | out ~ 0000 20
    | out ~ 1101 3
    | out ~ "moved_windows": 7,
    | out ~ "short_windows": 3,
    | err ~ 7 alleles near contig ends: window shifted inward
    | err ~ 3 alleles on contigs shorter than the window: no e-value or z-score

# the background in a folder
0: info names the background
    cp $T/data/variants/* .
    cp -r $T/data/model m
    dnabird variant background -m m -f toy.fa -n 30 --seed 1 2>/dev/null
    dnabird info m | grep ^background
    | out ~ background    75 variants: random changes, every A, C, G, T of toy.fa equally likely
0 | dnabird info $DATA/models/regulatory | grep -E '^(features|background)' | out ~ TSS 2, sequence 5
    | out ~  variants: random changes
0 | cp -r $T/data/model m; echo x >m/calibration.safetensors; dnabird info m | out ~ calibration   cannot be read: 

# a background of other windows, strands or tokens is not used
0 | cp $T/data/variants/* .; cp -r $T/data/model m; dnabird variant background -m m -f toy.fa -n 100 --strand +; dnabird variant -m m -f toy.fa kinds.vcf -O tsv | err ~ m/calibration.safetensors is
    | err ~ no e-values and z; make it again with `dnabird variant background`
    | out !~ logit	e	z
1 | cp $T/data/variants/* .; cp -r $T/data/model m; echo nonsense >m/calibration.safetensors; dnabird variant -m m -f toy.fa kinds.vcf -O tsv | err ~ m/calibration.safetensors
    | err lines 1
    | out empty
0 long: a background of several features gives BIRD_MLE
    cp $T/data/variants/* .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'DHS:a,TF:b' --window 70 m
    dnabird variant background -m m -f toy.fa -n 50 -o b.st
    mv b.st m/calibration.safetensors
    dnabird variant -m m -f toy.fa kinds.vcf
    | out ~ BIRD_MLE=
    | out ~ ##INFO=<ID=BIRD_TOP,Number=A,Type=String,Description="features with the largest differences in size, as name:difference:e-value

# summaries of the run
0 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf --json j >o; cat j | out ~ "alleles": 44
    | out ~ "NO_CONTIG": 1
    | out ~ "contigs": "1 is chr1, MT is chrM"
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf --json no/j -o o.vcf | err ~ no/j: No such file
    | none o.vcf*

# Indices: unsorted input gets none, with a message. A file that cannot be
# indexed is kept.
1 needs=bcftools: a file that cannot be indexed is kept
    cp $T/data/variants/* .
    (
        head -3 kinds.vcf
        printf '1\t51\tx\tC\tT\t.\t.\t.\n1\t99999999999\ty\tC\tT\t.\t.\t.\n'
    ) >v.vcf
    : >o.vcf.gz.tbi
    dnabird variant --shifts 0 --tokens anchored -m $T/data/model -f toy.fa v.vcf \
        -o o.vcf.gz -W
    a=$?
    zcat o.vcf.gz
    ls
    exit $a
    | err ~ o.vcf.gz is whole, but has no index: o.vcf.gz: cannot be indexed
    | err lines 3
    | out ~ 1	99999999999	y	C	T	.	.	BIRD_STATUS=OFF_END
    | has o.vcf.gz
    | none o.vcf.gz.*
1: unsorted input has no index
    cp $T/data/variants/* .
    : >o.vcf.gz.tbi
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf -o o.vcf.gz -W
    a=$?
    zcat o.vcf.gz | grep -c '^[^#]'
    exit $a
    | err ~ o.vcf.gz is whole, but has no index
    | err ~ record 3 of kinds.vcf is out of order
    | err ~ bcftools sort
    | out ~ 36
    | none o.vcf.gz.tbi
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf -o o.bed.gz -W | err ~ bedtools sort
    | has o.bed.gz
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf -o o.tsv.gz -W | err ~ sort -k1,1 -k2,2n
    | has o.tsv.gz
1: unsorted BCF has no index
    cp $T/data/variants/* .
    (
        sed '/^#CHROM/,$d' kinds.vcf
        echo '##contig=<ID=1>'
        printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
        printf '1\t60\t.\tA\tC\t.\t.\t.\n1\t50\t.\tA\tC\t.\t.\t.\n'
    ) >u.vcf
    dnabird variant --check-ref skip -m $T/data/model -f toy.fa u.vcf -o o.bcf -W
    | err ~ bcftools sort
    | has o.bcf
    | none o.bcf.csi
    | none *.partial*
0 needs=tabix: VCF, table and BED are indexed
    cp $T/data/variants/* .
    (head -3 kinds.vcf; tail -n +4 kinds.vcf | sort -s -k1,1 -k2,2n) >s.vcf
    V="dnabird variant -m $T/data/model -f toy.fa s.vcf -W"
    $V -o o.vcf.gz
    $V -o o.tsv.gz
    $V -o o.bed.gz
    for f in vcf tsv bed; do tabix o.$f.gz 1:599-601; done | wc -l
    | out ~ 14
    | has o.vcf.gz.tbi
    | has o.tsv.gz.tbi
    | has o.bed.gz.tbi
# the name of the output chooses format and compression
0: the name chooses bgzip
    cp $T/data/variants/* .
    V="dnabird variant -m $T/data/model -f toy.fa kinds.vcf --no-version"
    $V >p
    $V -o q.gz
    $V -o q
    zcat q.gz >u
    $V -O kipoi -o k.gz
    $V -O kipoi >k
    zcat k.gz >l
    for f in q.gz k.gz; do od -An -tx1 -j12 -N2 $f; done
    | out lines 2
    | out ~ 42 43
    | same p u
    | same p q
    | same k l
2 | dnabird variant -f x.fa -o dir.d/q.csv x.vcf | err ~ dir.d/q.csv: cannot infer the output format from '.csv'; use -O
    | err lines 1
0: an unknown name ending writes VCF, or what -O says
    cp $T/data/variants/* .
    mkdir d.d
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf --no-version -O tsv -o q.csv
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf --no-version -o d.d/q
    head -1 q.csv
    head -1 d.d/q
    | out ~ #CHROM	POS
    | out ~ ##fileformat=VCF
# The first line has no rate, since nothing was done before it.
0: progress is printed within a block of records
    cp $T/data/variants/* .
    (
        head -3 kinds.vcf
        for i in $(seq 1 299); do printf '1\t%d\t.\tN\tA\t.\t.\t.\n' $i; done
    ) >v.vcf
    DNABIRD_PROGRESS=1 dnabird variant -m $T/data/model -f toy.fa --check-ref skip v.vcf \
        -o o.vcf 2>e
    tr '\r' '\n' <e | grep '^scoring' | head -1
    | out ~ 0% 1 records
    | out !~ /s
    | out lines 1
# a full disk, a closed pipe
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf >/dev/full | err ~ standard output: No space left on device
0: a file and standard output get the same records
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf -o o.vcf
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf >p.vcf
    grep -v _command o.vcf >a
    grep -v _command p.vcf >b
    | same a b
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf -o no/o.vcf | err ~ no/o.vcf
    | err lines 3

# bench variant
2 | dnabird bench variant -m m -f x.fa | err ~ one VCF or BCF is needed
1 | cp $T/data/variants/* .; dnabird bench variant -m $T/data/model -f toy.fa -r scaf:1-5 kinds.vcf | err ~ no allele has a score in scaf:1-5
0: bench variant prints the number of alleles
    cp $T/data/variants/* .
    grep -v '^X' kinds.vcf >v.vcf
    dnabird bench variant --shifts 0 --tokens anchored -m $T/data/model -f toy.fa --runs 1 \
        -t 1 v.vcf |
        tr -s ' ' |
        cut -d' ' -f1-4
    | out ~ model 1 23 54
    | out lines 2
0 | cp $T/data/variants/* .; dnabird bench variant -m $T/data/model -f toy.fa --runs 1 --json kinds.vcf | out ~ "alleles_per_s": 
