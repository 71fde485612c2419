# dnabird mutate -R: tables of all single-base changes, and variant --table.

0: a table has the rows of variant -O tsv, with nine digits
    cp $T/data/variants/toy.fa .
    printf 'chrM\t0\t40\nchr1\t250\t310\nchr1\t100\t300\n' >r.bed
    dnabird mutate -m $T/data/model -f toy.fa -R r.bed --shifts 0 --no-version >t
    (
        printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
        grep -v '^#' t | awk -F'\t' -v OFS='\t' '{print $1, $2, $3, $4, $5, ".", ".", "."}'
    ) >v.vcf
    dnabird variant --shifts 0 -m $T/data/model -f toy.fa -O tsv --no-version \
        --scores p_ref,p_alt,diff v.vcf >a
    grep -v '^# ' t |
        awk -F'\t' -v OFS='\t' \
            'NR > 1 && $9 != "." { $9 = sprintf("%.6g", $9); $10 = sprintf("%.6g", $10) }
            { print }' >b
    awk -F'\t' 'NR > 2 && $9 != "." && length($9) > 8' t | wc -l
    head -1 t | cut -c 1-33
    grep -c . b
    | out ~ 721
    | out ~ # settings: {"form":1,"version":"
    | same a b
    | err ~ 250 bases, 209 scored, 1 feature
1 needs=tabix: a table with a noise bar is refused by a run without one
    cp $T/data/variants/* .
    (head -3 kinds.vcf; grep '	snv	' kinds.vcf) >v.vcf
    dnabird mutate -q -m $T/data/model -f toy.fa -r chr1:50-52 --shifts 0/1 -O table -W -o t.tsv.gz
    V="dnabird variant -q -m $T/data/model -f toy.fa --table t.tsv.gz -O tsv v.vcf"
    $V --shifts 0/1 | grep -c '	OK	'
    $V --shifts 0 -o o.tsv
    | out ~ 1
    | err ~ t.tsv.gz is of a noise bar, and this run has none: make it anew, give the --shifts with which
    | none o.tsv*
0: regions of -r and -R are joined, and --strand and --score are kept
    cp $T/data/variants/toy.fa .
    printf 'chr1\t100\t110\n' >r.bed
    dnabird mutate -m $T/data/model -f toy.fa -r chr1:106-115,chr1:101-102 -R r.bed \
        --strand + --scores logit --no-version >a
    dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-115 -O table --strand + \
        --scores logit --no-version >b
    cut -f 9-11 a | sed -n 2p
    wc -l <a
    | out ~ 47
    | out ~ p_ref	p_alt	logit
    | same a b

0 long needs=tabix: joined shards equal the table, and so does their index
    cp $T/data/variants/toy.fa .
    printf 'chrM\t0\t40\nchr1\t100\t310\n' >r.bed
    M="dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed"
    $M -o t.tsv.gz -W
    zcat t.tsv.gz >t
    for n in 2 3 7; do
        for i in $(seq $n); do $M -o $n.$i.tsv.gz --shard $i/$n; done
        cat $n.?.tsv.gz >$n.tsv.gz
        zcat $n.tsv.gz | cmp - t
        tabix -s1 -b2 -e2 $n.tsv.gz
        tabix $n.tsv.gz chrM:5-6 chr1:299-301 | cmp - <(tabix t.tsv.gz chrM:5-6 chr1:299-301)
    done
    tabix t.tsv.gz chrM:5-6 | wc -l
    zcat 3.2.tsv.gz | grep -c '^#'
    ls t.*
    | out ~ 6
    | out ~ t.tsv.gz.tbi
    | out lines 4
1: a shard other than the first is not a table by itself
    cp $T/data/variants/toy.fa .
    printf 'chrM\t0\t2\n' >r.bed
    M="dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed"
    for i in 1 2 3; do $M -o $i.tsv.gz --shard $i/3 -W; done 2>/dev/null
    $M -o t.tsv.gz 2>/dev/null
    cat [1-3].tsv.gz | zcat >a
    zcat t.tsv.gz >b
    zcat 1.tsv.gz | grep -vc '^#'
    dnabird variant -q -m $T/data/model -f toy.fa $T/data/variants/kinds.vcf \
        --table 2.tsv.gz
    | err ~ 2.tsv.gz: no line '# settings: ...' before its rows
    | out ~ 0
    | same a b

0 long: variant --table gives the same bytes in every format
    cp $T/data/variants/* .
    printf 'chr1\t0\t320\nchrM\t0\t40\n' >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed -o t.tsv.gz -W
    for o in v tsv kipoi bed; do
        V="dnabird variant -m $T/data/model -f toy.fa --no-version -O $o kinds.vcf"
        $V -q >a.$o
        $V --table t.tsv.gz >b.$o
        cmp a.$o b.$o
    done
    | err ~ 10 alleles from the table
    | out empty
0: every column of a table has values, but ID
    printf 'chr20\t2633257\t2633267\n' >r.bed
    dnabird mutate -q -f $DATA/genome/chr20_demo.fa.gz -R r.bed -F '*' -o t.tsv
    grep -v '^# ' t.tsv | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
        { for (i = 1; i <= NF; i++) n[i] += $i != "." }
        END { for (i in name) if (!n[i]) print name[i] }'
    | out ~ ID
    | out lines 1
0: a table of one window on one strand, which has no deviations, gives the same bytes
    cp $T/data/variants/* .
    printf 'chr1\t0\t320\n' >r.bed
    o="-q -m $T/data/model -f toy.fa --shifts 0/3,6 --strand - --tokens free"
    dnabird mutate $o -R r.bed -o t.tsv.gz -W
    dnabird variant $o --no-version -O tsv kinds.vcf >a
    dnabird variant $o --no-version -O tsv --table t.tsv.gz --json j kinds.vcf >b
    zcat t.tsv.gz | grep -v '^#' | cut -f 12-13 | sort | uniq -c | wc -l
    grep -c '"from_table": [1-9]' j
    | out ~ 1
    | same a b
0: variant --table gives the same bytes for swapped and longer alleles
    cp $T/data/variants/toy.fa .
    printf 'chr1\t100\t200\n' >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed -o t.tsv.gz -W
    (
        printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
        zcat t.tsv.gz |
            grep -v '^#' |
            awk -F'\t' -v OFS='\t' 'NR % 13 == 1 {
                    print $1, $2, ".", $5, $4, ".", ".", "."
                    print $1, $2, ".", $4 "A", $5 "A," $5, ".", ".", "."
                }' |
            tac
        printf 'chr1\t120\t.\t%s\t%s\t.\t.\t.\n' \
            $(sed -n 4p toy.fa | cut -c 59-60 | sed 's/\(.\)\(.\)/\1\2 \1\1/')
    ) >v.vcf
    for t in 1 2; do
        V="dnabird variant -t $t -m $T/data/model -f toy.fa --check-ref swap --no-version -O tsv v.vcf"
        $V >a$t
        $V --table t.tsv.gz --json j >b$t
    done
    cut -f 6 a1 | sort | uniq -c | grep -c SWAPPED
    grep -o '"from_table": [1-9]' j
    | out ~ "from_table":
    | out ~ 1
    | same a1 b1
    | same a1 a2
    | same a1 b2

0 long needs=tabix: a .csi index made by tabix is used
    cp $T/data/variants/* .
    printf 'chr1\t0\t320\nchrM\t0\t40\n' >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed -o t.tsv.gz -W
    V="dnabird variant -m $T/data/model -f toy.fa --no-version kinds.vcf --table t.tsv.gz"
    $V -q >a
    rm t.tsv.gz.tbi
    tabix -C -s1 -b2 -e2 t.tsv.gz
    $V >b
    ls t.tsv.gz.*
    | err ~ 10 alleles from the table
    | out ~ t.tsv.gz.csi
    | out lines 1
    | same a b
0: positions beyond .tbi get a .csi index, and are looked up
    printf '>big\n' >b.fa
    truncate -s 533936453 b.fa
    yes GATTACAGGCATCCGTTAGACCTGAAT | tr -d '\n' | head -c 3000000 >>b.fa
    echo >>b.fa
    printf 'big\t536936448\t5\t536936448\t536936449\n' >b.fa.fai
    printf 'big\t536871100\t536871110\n' >r.bed
    dnabird mutate -q -m $T/data/model -f b.fa -R r.bed --shifts 0 -W -o t.tsv.gz
    (
        printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
        zcat t.tsv.gz |
            awk -F'\t' -v OFS='\t' '!/^#/ {print $1, $2, ".", $4, $5, ".", ".", "."}'
    ) >v.vcf
    V="dnabird variant -m $T/data/model -f b.fa --shifts 0 --no-version v.vcf"
    $V -q -W -o a.vcf.gz
    zcat a.vcf.gz >a
    $V --table t.tsv.gz >b
    ls *.csi *.tbi
    grep -vc '^#' b
    | err ~ 30 alleles from the table
    | out ~ a.vcf.gz.csi
    | out ~ t.tsv.gz.csi
    | out ~ 30
    | out lines 3
    | same a b

0 long: masked-language models: tables with and without distances
    . $T/cli/masked_data.sh
    printf 'A\t50\t400\nB\t300\t500\n' >r.bed
    M="dnabird mutate -q -m m -f r.fa -R r.bed -W"
    $M -t 1 -o t.tsv.gz
    $M -t 2 -o t2.tsv.gz
    $M --scores distance -o d.tsv.gz
    v -f r.fa x.vcf >a
    v -f r.fa --table t.tsv.gz x.vcf >b
    v -f r.fa --scores llr,distance x.vcf >c
    v -f r.fa --scores llr,distance --table d.tsv.gz x.vcf >d
    dnabird variant -m m -f r.fa --table t.tsv.gz x.vcf >e
    zcat t.tsv.gz | grep '^#CHROM' | cut -f 9-11
    | err ~ from the table
    | out ~ ll_ref	ll_alt	llr
    | same a b
    | same c d
    | same t.tsv.gz t2.tsv.gz
1: a table without the wanted column is refused
    . $T/cli/masked_data.sh
    printf 'A\t50\t60\n' >r.bed
    dnabird mutate -q -m m -f r.fa -R r.bed -W -o t.tsv.gz
    v -f r.fa --table t.tsv.gz --scores distance x.vcf
    | err ~ t.tsv.gz has no column 'distance', of which this run needs the numbers
    | err lines 1
    | out empty

1 long: models with bins: tables of all or some of the features
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -q
    . $T/cli/bins_alleles.sh
    snvs B 2001 2030 2040 >x.vcf
    b=$(bases r.fa B 2050 2050)
    printf 'B\t2050\t.\t%s\t%sACG\t.\t.\t.\n' $b $b >>x.vcf
    printf 'B\t2025\t2055\n' >r.bed
    M="dnabird mutate -q -m m -f r.fa -R r.bed -W"
    $M -F '*' -t 1 -o t.tsv.gz
    $M -F '*' -t 2 -o t2.tsv.gz
    $M -F one -o one.tsv.gz
    for o in v tsv kipoi bed; do
        V="dnabird variant -m m -f r.fa --no-version -O $o x.vcf -F one,TSS+"
        $V -q >a.$o
        $V --table t.tsv.gz >b.$o
        cmp a.$o b.$o
    done
    V="dnabird variant -q -m m -f r.fa --no-version -O tsv --long x.vcf -F one"
    $V >c
    $V --table one.tsv.gz >d
    wc -l <d
    dnabird variant -m m -f r.fa --table one.tsv.gz -O tsv x.vcf
    | err ~ one.tsv.gz has no column 'two/p_ref', of which this run needs the numbers
    | out !~ differ
    | err ~ from the table
    | same c d
    | same t.tsv.gz t2.tsv.gz

0 long: a stopped run resumes to the same bytes, and index
    . $T/cli/masked_data.sh
    . $T/support/wait.sh
    printf 'A\t10\t890\nB\t10\t890\n' >r.bed
    M="-q -m m -t 1 -f r.fa -R r.bed --no-version"
    dnabird mutate $M -o once.tsv.gz -W
    f() { exec dnabird mutate $M -W --resume -o o.tsv.gz; }
    f &
    wait_for_mark $! o.tsv.gz
    kill -TERM $!
    wait $!
    (f)
    | same o.tsv.gz once.tsv.gz
    | same o.tsv.gz.tbi once.tsv.gz.tbi
    | none o.tsv.gz.partial*
1: a run that would replace the partial table of an interrupted run is refused
    . $T/cli/masked_data.sh
    printf 'A\t10\t20\n' >r.bed
    M="dnabird mutate -q -m m -t 1 -f r.fa -R r.bed -o o.tsv.gz"
    $M
    mv o.tsv.gz once
    printf half >o.tsv.gz.partial
    printf '{"bytes": 4}' >o.tsv.gz.partial.json
    cp o.tsv.gz.partial p
    $M
    a=$?
    cmp o.tsv.gz.partial p && $M --force && cmp o.tsv.gz once && exit $a
    | err ~ dnabird: o.tsv.gz.partial: an interrupted run is there: add --resume to continue, or --force
    | err lines 1
    | none *partial*
0: --resume refuses another strand, regions, shard or reference
    . $T/cli/masked_data.sh
    . $T/support/wait.sh
    printf 'A\t10\t890\nB\t10\t890\n' >r.bed
    M="-q -m m -t 1 -f r.fa --no-version -o o.tsv.gz --resume"
    f() { exec dnabird mutate $M -R r.bed; }
    f &
    wait_for_mark $! o.tsv.gz
    kill -TERM $!
    wait $!
    dnabird mutate $M -R r.bed --strand + 2>>said
    dnabird mutate $M -r A:100-200 -O table 2>>said
    dnabird mutate $M -R r.bed --shard 1/2 2>>said
    sed '2y/ACGT/CGTA/' r.fa >s.fa
    dnabird mutate $M -f s.fa -R r.bed 2>>said
    cut -c 1-200 said
    ls
    | out ~ comes from a run with another strand
    | out ~ comes from a run with another set of regions
    | out ~ comes from a run with another number of parts
    | out ~ s.fa: its bases are not those from which o.tsv.gz.partial was made
    | out ~ o.tsv.gz.partial.json

0 long: a track has the largest change, or the mean over centres
    cp $T/data/variants/toy.fa .
    printf 'chr1\t120\t130\nchr1\t100\t125\n' >r.bed
    M="dnabird mutate -q -m $T/data/model -f toy.fa --no-version"
    $M -R r.bed -O bedgraph >a
    $M -r chr1:101-130 -O bedgraph >b
    $M -R r.bed -O bedgraph --settings <(echo 'track = "mean"') >c
    $M -R r.bed |
        awk -F'\t' -v OFS='\t' \
            '!/^#/ { s[$2] += $11; if (++n[$2] == 3) print $1, $2 - 1, $2, s[$2] / 3 }' >d
    grep -v '^#' c |
        paste d - |
        awk '{
                x = $4 - $8
                if ($1 != $5 || $2 != $6 || $3 != $7 || x > 2e-6 || x < -2e-6) bad++
            }
            END { print NR, bad + 0 }'
    | out ~ 30 0
    | same a b
    | differ a c
0: a folder of tracks has a file for each feature
    cp $T/data/variants/toy.fa .
    printf 'chr1\t100\t110\n' >r.bed
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'TF:a,TF:b,HM:c' --window 70 m
    M="dnabird mutate -q -m m -f toy.fa --no-version -R r.bed -O bedgraph"
    $M -o o
    $M -F b >b
    ls o
    cp o/b.bedgraph b2
    | out ~ c.bedgraph
    | same b b2
1: a single track of several features is refused
    cp $T/data/variants/toy.fa .
    printf 'chr1\t100\t110\n' >r.bed
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'TF:a,TF:b,HM:c' --window 70 m
    dnabird mutate -m m -f toy.fa -R r.bed -o x.bedgraph
    | err ~ 3 features: bedgraph shows one, choose it with --features, or give -O and a folder with -o
    | none x.bedgraph*

# refused options give one line
1: a shard out of range is refused
    cp $T/data/variants/toy.fa .
    printf 'chr1\t100\t110\n' >r.bed
    M="dnabird mutate -m $T/data/model -f toy.fa -R r.bed -o o.tsv.gz"
    for s in 0/3 4/3 3 1/0 a/2 1/2x; do $M --shard $s; done
    | err ~ --shard 0/3: give I/N with I from 1 to N
    | none o*
1: a region off the contig's end is refused
    cp $T/data/variants/toy.fa .
    printf 'chr1\t100\t110\nchr1\t500\t601\n' >r.bed
    dnabird mutate -m $T/data/model -f toy.fa -R r.bed -o o.tsv.gz
    | err ~ r.bed: line 2: chr1:501-601 lies off the end of 'chr1'
    | none o*
1 | cp $T/data/variants/toy.fa .; printf 'chr1\t100\t110\n' >r.bed; dnabird mutate -m $T/data/model -f toy.fa -R r.bed -W -o o.tsv | err ~ only a bgzipped file takes an index
    | none o*
1 | cp $T/data/variants/toy.fa .; printf 'chr1\t100\t110\n' >r.bed; dnabird mutate -m $T/data/model -f toy.fa -R r.bed --resume | err ~ only a file can be resumed
1 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:1-10 --shard 1/2 -O bedgraph | err ~ bedgraph: only a table can be resumed or written in parts
1: a table without an index is refused
    cp $T/data/variants/* .
    printf 'chr1\t100\t110\n' >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed -o t.tsv.gz
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf --table t.tsv.gz -o o.vcf
    | err ~ t.tsv.gz: no index (.tbi, .csi) that can be read: make one with tabix -s1 -b2 -e2 FILE
    | none o*
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa kinds.vcf --table none.tsv.gz -o o.vcf | err ~ none.tsv.gz: No such file
    | none o*
1: a table of other settings is refused
    cp $T/data/variants/* .
    printf 'chr1\t100\t110\n' >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed -o t.tsv.gz -W
    V="dnabird variant -q -m $T/data/model -f toy.fa kinds.vcf --table t.tsv.gz -o o.vcf"
    $V --shifts 1
    $V --strand -
    $V -w 60
    $V --tokens free
    $V --max-n 0.5
    dnabird init -q --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 2 --window 70 n
    $V -m n
    cp -r $T/data/model m
    sed 's/"stride_bp": 30/"stride_bp": 40/' $T/data/model/dnabird.json >m/dnabird.json
    $V -m m
    (echo '>chr1'; sed 1d toy.fa | tr A-Z a-z | sed 's/^>C/>c/') | sed '2s/./&a/' >u.fa
    $V -f u.fa
    | err ~ t.tsv.gz is of another list of shifts, [0, 7, 14], and this run has [1]
    | err ~ of another strand, both, and this run has -
    | err ~ of another window, 70, and this run has 60
    | err ~ of another tokens, 
    | err ~ and this run has free
    | err ~ of another max-n, 0.05, and this run has 0.5
    | err ~ of another model, 017e513a0799
    | err ~ of another dnabird.json, 
    | err ~ of another contigs, 
    | none o*
1: a table of another reference is refused where a row is looked up
    cp $T/data/variants/toy.fa .
    printf 'chr1\t100\t110\n' >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed -o t.tsv.gz -W
    sed '2,$y/ACGTR/CGTAR/; s/^>.*M.*/>chrM/; s/^>[^c].*/>scaf/' toy.fa |
        sed 's/^>schf/>scaf/' >u.fa
    grep '>' u.fa
    (
        printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
        printf 'chr1\t101\t.\tC\tG\t.\t.\t.\n'
    ) >v.vcf
    dnabird variant -q -m $T/data/model -f u.fa v.vcf --table t.tsv.gz -o o.vcf
    | err ~ t.tsv.gz: chr1:101: REF is A, but u.fa has C there: the table is of another reference
    | none o*
1 needs=tabix,bgzip: malformed tables are refused, and no output is left
    cp $T/data/variants/toy.fa .
    printf 'chr1\t100\t110\n' >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed --no-version >t
    (
        printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
        sed -n 3p t | awk -F'\t' -v OFS='\t' '{print $1, $2, ".", $4, $5, ".", ".", "."}'
    ) >v.vcf
    try() {
        bgzip -c >x.gz
        tabix -f -s1 -b2 -e2 x.gz 2>/dev/null
        dnabird variant -q -m $T/data/model -f toy.fa v.vcf --table x.gz -o o.vcf 2>&1 |
            grep -v warning
        ls o* 2>/dev/null
    }
    sed '3s/OK/FINE/' t | try
    sed '3s/\t0\.[0-9]*/\tmuch/' t | try
    sed '3s/\t[^\t]*$//' t | try
    sed '3s/OK\t[0-9]*/OK\tx/' t | try
    sed 1d t | try
    sed 2d t | try
    sed '1s/{/[/' t | try
    sed '1s/"form":1/"form":2/' t | try
    sed 's/WAY/way/' t | try
    : | try
    head -c 300 t | try
    (
        bgzip -c t >x.gz
        tabix -f -p bed x.gz
        dnabird variant -q -m $T/data/model -f toy.fa v.vcf --table x.gz -o o.vcf
    ) 2>&1 |
        grep columns
    | out ~ x.gz: a row of chr1:101 has a STATUS that tables do not have: make the table anew
    | out ~ x.gz: a row of chr1:101 has a value
    | out ~ x.gz: a row of chr1:101 has another number of columns than the header
    | out ~ x.gz: a row of chr1:101 has no number of TOKENS
    | out ~ x.gz: no line '# settings: ...' before its rows
    | out ~ x.gz: no line '#CHROM ...' names columns
    | out ~ x.gz is of another form, 2, and this run has 1
    | out ~ x.gz has no column 'WAY'
    | out ~ x.gz: its index is for other columns
    | out !~ o.vcf
    | out lines 12
0 needs=tabix,bgzip: a table of another version is read, with a warning
    cp $T/data/variants/toy.fa .
    printf 'chr1\t100\t110\n' >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed --no-version |
        sed '1s/"version":"[^"]*"/"version":"0.0.7"/' |
        bgzip >x.gz
    tabix -s1 -b2 -e2 x.gz
    (
        printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
        printf 'chr1\t101\t.\tA\tG\t.\t.\t.\n'
    ) >v.vcf
    dnabird variant -m $T/data/model -f toy.fa v.vcf --table x.gz -o o.vcf
    | err ~ warning: x.gz was made by version 0.0.7, this is 
    | err ~ 1 allele from the table
    | has o.vcf

0: --max-n with many digits matches its table
    cp $T/data/variants/toy.fa .
    printf 'chr1\t100\t140\n' >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed --max-n 0.3333333333333333 \
        -o t.tsv.gz -W
    V="dnabird variant -q -m $T/data/model -f toy.fa --no-version $T/data/variants/kinds.vcf --max-n 0.3333333333333333"
    $V >a
    $V --table t.tsv.gz >b
    | same a b
0: damaged rows of a table are refused
    cp $T/data/variants/toy.fa .
    printf 'chr1\t0\t320\n' >r.bed
    dnabird mutate -q -m $T/data/model -f toy.fa -R r.bed -o t.tsv.gz -W
    for s in 's/\tOK\t/\tSWAPPED\t/' 's/\tOK\t/\tNO_ALT\t/' 's/\tOK\t[0-9]*\t/\tOK\t-7\t/' \
        's/\t0\.[0-9]*\t/\tinf\t/' 's/\t0\.[0-9]*\t/\t0x1p3\t/'; do
        zcat t.tsv.gz | sed "$s" | bgzip >x.gz
        tabix -f -s1 -b2 -e2 x.gz
        dnabird variant -m $T/data/model -f toy.fa $T/data/variants/kinds.vcf --table x.gz \
            -o o 2>said && echo took "$s"
        grep -c 'x.gz: a row of' said
        ls o* 2>/dev/null || true
    done |
        sort |
        uniq -c |
        tr -s ' '
    | out ~  5 1
    | out lines 1
1: --resume refuses another background
    . $T/support/wait.sh
    cp $T/data/variants/toy.fa .
    cp -r $T/data/model m
    dnabird variant background -q -m m -f toy.fa -n 30 2>/dev/null
    printf 'chr1\t100\t400\n' >r.bed
    f() { exec dnabird mutate -m m -f toy.fa -R r.bed --scores e -t 1 -o e.tsv "$@"; }
    f 2>/dev/null &
    wait_for_mark $! e.tsv
    kill -KILL $!
    wait $! 2>/dev/null
    dnabird variant background -q -m m -f toy.fa -n 50 --seed 9 2>/dev/null
    f --resume
    | err ~ comes from a run with another background

# the table that ships
0: the shipped table has the demo's promoters: alleles in it are not computed
    t=$DATA/variants/chr20_demo_promoters.tsv.gz
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >v.vcf
    gzip -dc $t | awk -F '\t' -v OFS='\t' '!/^#/ && ++n % 9001 == 1 {
        print $1, $2, ".", $4, $5, ".", ".", "."
        print $1, $2, ".", $4, $4 "A", ".", ".", "." }' >>v.vcf
    V="dnabird variant -f $DATA/genome/chr20_demo.fa.gz --cell HepG2 --scores diff -O tsv"
    $V --no-version v.vcf | cut -f 1-6,14- >a
    $V --no-version --table $t v.vcf | cut -f 1-6,14- >b
    paste a b | awk -F '\t' 'NR > 1 && ($6 != "OK" || ($7 - $15) ^ 2 > 1e-8) { print }
        END { print NR }'
    head -1 a
    | err ~ 3 alleles from the table
    | out ~ 7
    | out lines 2
0 long: a table's mle is that of variant, whatever the class of the change
    t=$DATA/variants/chr20_demo_promoters.tsv.gz
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >v.vcf
    gzip -dc $t | awk -F '\t' -v OFS='\t' '!/^#/ && n++ < 90 {
        print $1, $2, ".", $4, $5, ".", ".", "." }' >>v.vcf
    printf 'chr20\t2451397\t2451428\n' >r.bed
    dnabird mutate -q -f $DATA/genome/chr20_demo.fa.gz -R r.bed -F '*' -o made.tsv
    dnabird variant -q -f $DATA/genome/chr20_demo.fa.gz -O tsv --no-version v.vcf >own
    gzip -dc $t >shipped
    for f in shipped made.tsv; do
        awk -F '\t' '/^# / { next }
            /^#/ { for (i = 1; i <= NF; i++) if ($i == "mle") at = i; next }
            FNR == NR { mle[$2, $5] = $at; next }
            { d = $at - mle[$2, $5]; n++; if (!(($2, $5) in mle) || d * d > 1e-4) bad++ }
            END { print n, bad + 0 }' $f own
    done | sort -u
    | out ~ 90 0
    | out lines 1
1: the setting that the user changed is named, not what follows from it
    cp $T/data/variants/* .
    printf 'chr1\t0\t40\n' >r.bed
    m="-m $T/data/model -f toy.fa"
    dnabird mutate -q $m -R r.bed -o t.tsv.gz -W
    dnabird variant $m --strand + --table t.tsv.gz kinds.vcf
    | err ~ of another strand
