# -r and -R of every command: docs/cli.md, "Regions".

# lists of regions
0: -r given again, commas, blanks and -R name the same regions
    printf '>a\nACACACGT\n>b\nGGTTCCAA\n' >i.fa
    printf 'a\t0\t4\nb\t2\t4\n' >r.bed
    T='dnabird tokenize -O bed i.fa'
    $T -r a:1-4 -r b:3-4 >1
    $T -r a:1-4,b:3-4 >2
    $T -r 'a:1-4 b:3-4' >3
    $T -R r.bed >4
    $T -r a:1-4 -R <(sed 1d r.bed) >5
    cat 1 1 1 1 >want
    cat 2 3 4 5 >got
    cut -f1 1 | uniq | tr '\n' ' '
    | same want got
    | out ~ a b
0: a comma in a number or in braces does not divide the list
    (
        echo '>big'
        printf 'ACGTC%.0s' $(seq 300)
        printf '\n>x,y\nACGTACGT\n'
    ) >i.fa
    T='dnabird tokenize -O bed i.fa'
    $T -r 'big:1,001-1,010,{x,y}:2-4' >1
    $T -r 'big:1,001-1,010' -r '{x,y}:2-4' >2
    cut -f1 1 | uniq
    head -1 1 | cut -f2
    | same 1 2
    | out ~ x,y
    | out ~ 1000
1 | printf '>a\nACGT\n' >i.fa; dnabird tokenize -r a:1-2,c:1-2 i.fa | err ~ no contig 'c'
1 | printf '>a\nACGT\n' >i.fa; dnabird tokenize -r , i.fa | err ~ no contig name
0 needs=samtools: regions are read as in samtools faidx, in the order given
    printf '>a\nACACACGT\n>b\nGGTTCCAA\n' >i.fa
    samtools faidx i.fa a:5 b:2 a:3-6 a:1-4 a:5 | grep -v '^>' >want
    dnabird tokenize -O tokens -r a:5 -r b:2,a:3-6 -r a:1-4,a:5 i.fa | tr -d ' ' >got
    wc -l <got
    | same want got
    | out ~ 5
0: tokenizer train joins overlapping regions
    printf '>a\nAAAAAACC\n>b\nCCCC\n' >a.fa
    T='dnabird tokenizer train a.fa -v 12 --min-count 1'
    $T -o 1.json -r a:7-8 -r b
    $T -o 2.json -r a:7-8,b:1-3,b:2-4
    $T -o 3.json -R <(printf 'a\t6\t8\nb\t0\t4\n')
    cat 1.json 1.json >want
    cat 2.json 3.json >got
    | same want got

0: a window comes once, however many regions name it
    (
        printf '>a\n'
        printf 'ACGTTGCAAC%.0s' $(seq 60)
        printf '\n>b\n'
        printf 'TTGCACCATG%.0s' $(seq 60)
    ) >i.fa
    P="dnabird promoter -m $T/data/model -O windows --no-version i.fa"
    $P -r b:1-50 -r a:201-300 -r a:251-400 >1
    $P -r 'a:201-400,b:1-50' >2
    $P -R <(printf 'b\t0\t50\na\t200\t400\n') >3
    $P -r a:201-300 -R <(printf 'b\t0\t50\na\t250\t400\n') >4
    cat 1 1 1 >want
    cat 2 3 4 >got
    grep -v '^#' 1 | cut -f1-4 | sort | uniq -d
    | same want got
    | out empty
# chr:pos goes to the contig's end here too
0 | (printf '>a\n'; printf 'ACGTTGCAAC%.0s' $(seq 60)) >i.fa; P="dnabird promoter -m $T/data/model -O windows --no-version i.fa"; $P -r a:401 >1; $P -r a:401-600 >2; wc -l <1 | same 1 2
    | out !~ 0

0: a bin has the names of all regions that it overlaps
    . $T/cli/chromatin_data.sh
    model
    printf '%b\n' 'A\t0\t1000\tfirst' 'A\t300\t500\tinner' 'A\t900\t1400\tlast' \
        'A\t1410\t1420\tclose' 'B\t0\t10\tother' 'B\t20\t30\tother' 'B\t40\t50\t.' |
        sort -R >r.bed
    dnabird chromatin -m m -R r.bed --no-version --max-n 1 r.fa | cut -f1-4 | tr '\t' ' '
    | out ~ A 0 200 first
    | out ~ A 200 400 first,inner
    | out ~ A 400 600 first,inner
    | out ~ A 600 800 first
    | out ~ A 800 1000 first,last
    | out ~ A 1000 1200 last
    | out ~ A 1400 1600 close
    | out ~ B 0 200 other
    | out lines 10
0: a bin in a region without a name has a dot; -c keeps each region's name
    . $T/cli/chromatin_data.sh
    model
    printf 'A\t1000\t3000\tx\nA\t1400\t1600\ty\n' >r.bed
    C="dnabird chromatin -m m -R r.bed --no-version r.fa"
    $C -r A:3001-3200 | sed -n '2p;4p;$p' | cut -f2-4 | tr '\t' ' '
    $C -c | cut -f4 | tr '\n' ' '
    | out ~ 1000 1200 x
    | out ~ 1400 1600 x,y
    | out ~ 3000 3200 .
    | out ~ name x y

# several regions in mutate
0: mutate writes several regions one after the other
    cp $T/data/variants/toy.fa .
    M="dnabird mutate -m $T/data/model -f toy.fa --no-version"
    $M -r chr1:101-103 >1
    $M -r chr1:50-51 | tail -n +2 >>1
    $M -r chr1:101-103 -r chr1:50-51 >2
    $M -r chr1:101-103,chr1:50-51 >3
    cat 1 1 >want
    cat 2 3 >got
    | same want got
1 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-103,chr1:103-105 -O bedgraph -o o | err ~ regions on 'chr1' overlap
    | none o
0: mutate sorts the rows of a track
    cp $T/data/variants/toy.fa .
    dnabird mutate -m $T/data/model -f toy.fa -r chr1:104-105,chr1:101-103 -O bedgraph \
        --no-version >o
    grep -v '^#' o | sort -k1,1 -k2,2n | cmp - <(grep -v '^#' o) && cat o
    | out lines 6
1 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:101-103,chr1:104-105 -O svg -o o | err ~ a picture shows one region
    | none o

0: a record that only its REF reaches into the region is found
    cp $T/data/variants/* .
    V="dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version kinds.vcf"
    $V -r chr1:182 | tail -n +2 | cut -f2,3
    $V -r chr1:599 | tail -n +2 | cut -f3 | sort | uniq | tr '\n' ' '
    | out ~ last_base_deleted over_the_end
    | out !~ 182
    | out lines 0
0: chr:pos is one base, chr:pos- goes to the contig's end
    cp $T/data/variants/* .
    V="dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version kinds.vcf"
    $V -r chr1:182 | wc -l
    $V -r chr1:182-182 | wc -l
    $V -r chr1:182- | wc -l
    $V -r chr1:170 | cut -f3 | tail -1
    | out ~ long_deletion
    | out !~ 182
0 needs=bcftools,bgzip: records are chosen as in bcftools, by END and REF too
    cp $T/data/variants/toy.fa .
    (
        printf '%b\n' '##fileformat=VCFv4.2' \
            '##INFO=<ID=END,Number=1,Type=Integer,Description="x">' \
            '##contig=<ID=chr1,length=600>' '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO'
        printf 'chr1\t%s\n' '51	a	C	<DEL>	.	.	DP=1;END=300' '51	b	C	T	.	.	AEND=400' \
            '120	c	C	<DEL>	.	.	END=130' '180	d	N	<X>	.	.	END=5'
    ) >v.vcf
    bgzip -c v.vcf >w.vcf.gz
    bcftools index w.vcf.gz
    for r in chr1:125 chr1:300 chr1:301 chr1:51 chr1:180 chr1:51,chr1:52-60 chr1:1-50; do
        bcftools view -H -r $r w.vcf.gz | cut -f3 >>want
        dnabird variant -m $T/data/model -f toy.fa --check-ref skip -r $r v.vcf 2>/dev/null |
            grep -v '^#' |
            cut -f3 >>got
    done
    wc -l <got
    | same want got
    | out ~ 9
0: each record that overlaps a region comes once, in the order of the file
    cp $T/data/variants/* .
    V="dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version kinds.vcf"
    $V -r chrM -r chr1:290 >1
    $V -r MT,1:290 >2
    $V -r chr1:290-295 -r chrM:1-20,chrM:15-40 >3
    printf 'MT\t0\t40\n' >r.bed
    $V -r chr1:290 -R r.bed >4
    cat 1 1 1 >want
    cat 2 3 4 >got
    cut -f3 1 | tr '\n' ' '
    | same want got
    | out ~ near_n short_contig
