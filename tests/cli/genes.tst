# The nearest gene of calls and alleles (--genes), the most probable calls.

0 | dnabird promoter --help=all | out ~ --genes FILE
0 | dnabird variant --help=all | out ~ --genes FILE

0 long: genes of GTF, GFF3 and BED: the distance from the start site along the gene
    # a: + from 101; b: - to 400, its transcripts start at 400 and 351; c: no transcript
    printf '%s\n' 'chr1 x gene 101 150 . + . gene_id "A"; gene_name "a";' \
        'chr1 x transcript 101 150 . + . gene_id "A"; transcript_id "A1";' \
        'chr1 x gene 301 400 . - . gene_id "B"; gene_name "b";' \
        'chr1 x transcript 301 400 . - . gene_id "B"; transcript_id "B1";' \
        'chr1 x transcript 301 351 . - . gene_id "B"; transcript_id "B2";' \
        'chr1 x gene 601 700 . + . gene_id "C"; gene_name "c d;e";' |
        sed 's/ /\t/; s/ /\t/; s/ /\t/; s/ /\t/; s/ /\t/; s/ /\t/; s/ /\t/; s/ /\t/' >g.gtf
    sed -E 's/transcript_id "([^"]*)"/ID=\1/; s/gene\t(.*)gene_id "([^"]*)"; gene_name "([^"]*)";/gene\t\1ID=\2;Name=\3/
        s/transcript\t(.*)gene_id "([^"]*)"; (.*);/mRNA\t\1\3;Parent=\2/; s/d;e/d%3Be/' g.gtf |
        sed '1i ##gff-version 3' >g.gff3
    printf 'chr1\t100\t150\ta\t0\t+\nchr1\t300\t400\tb\t0\t-\nchr1\t300\t351\tb\t0\t-\nchr1\t600\t700\tc d;e\t0\t+\n' >g.bed
    cp $T/data/variants/toy.fa* .
    base() { samtools faidx toy.fa chr1:$1-$1 | tail -1; }
    printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=2>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >v.vcf
    for p in 90 101 120 352 380 400 405 640; do
        r=$(base $p)
        printf '1\t%d\t.\t%s\t%s\t.\t.\t.\n' $p $r $(echo $r | tr ACGT CATA) >>v.vcf
    done
    printf '1\t99\t.\t%s\tA\t.\t.\t.\n' $(samtools faidx toy.fa chr1:99-103 | tail -1) >>v.vcf
    for g in gtf gff3 bed; do
        dnabird variant -q --scores motif -f toy.fa --genes g.$g -O tsv --no-version v.vcf |
            grep -v '^#' | awk '{ print $2, $(NF - 1), $NF }' >got.$g
        dnabird variant -q --scores motif -f toy.fa --genes g.$g v.vcf |
            bcftools query -f '%POS %BIRD_GENE %BIRD_TSS_DISTANCE\n' >info.$g
        dnabird variant -q --scores motif -f toy.fa --genes g.$g -O b v.vcf |
            bcftools query -f '%POS %BIRD_GENE %BIRD_TSS_DISTANCE\n' >bcf.$g
    done
    printf '%s\n' '90 a -11' '101 a 0' '120 a 19' '352 b -1' '380 b 20' '400 b 0' '405 b -5' \
        '640 c_d_e 39' '99 a 0' >want
    cat want
    | same want got.gtf
    | same want got.gff3
    | same want got.bed
    | same want info.gtf
    | same want info.gff3
    | same want bcf.bed
    | out lines 9

0: GFF3: a gene without ID and a transcript without Parent are two
    cp $T/data/variants/toy.fa* .
    printf '##gff-version 3\nchr1\tx\tgene\t1\t50\t.\t+\t.\tName=FAR\nchr1\tx\tmRNA\t301\t400\t.\t+\t.\tName=NEAR\n' >g.gff3
    r=$(samtools faidx toy.fa chr1:305-305 | tail -1)
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t305\t.\t%s\t%s\t.\t.\t.\n' $r $(echo $r | tr ACGT CATA) >v.vcf
    dnabird variant -q --scores motif -f toy.fa --genes g.gff3 -O tsv v.vcf | tail -1 | awk '{ print $(NF - 1), $NF }'
    | out ~ NEAR 4

0: a contig without a gene, and the model's scores beside
    cp $T/data/variants/toy.fa* .
    printf 'chr9\t100\t150\ta\t0\t+\n' >g.bed
    dnabird variant -q -m $T/data/model -f toy.fa $T/data/variants/kinds.vcf --no-version -O tsv >plain
    dnabird variant -q -m $T/data/model -f toy.fa $T/data/variants/kinds.vcf --no-version -O tsv \
        --genes g.bed >with
    cut -f -$(head -1 plain | wc -w) with >same
    cut -f $(($(head -1 plain | wc -w) + 1))- with | sort -u
    dnabird variant -q -m $T/data/model -f toy.fa $T/data/variants/kinds.vcf --genes g.bed |
        grep -v '^#' | grep -c GENE
    true
    | same plain same
    | out ~ gene	tss_distance
    | out ~ .	.
    | out ~ 0

0: a contig that --contig-map names has the genes of the reference's name
    cp $T/data/variants/toy.fa* .
    printf 'chr1\t100\t150\ta\t0\t+\n' >g.bed
    printf 'NC1\tchr1\n' >map
    r=$(samtools faidx toy.fa chr1:105-105 | tail -1)
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nNC1\t105\t.\t%s\tN\t.\t.\t.\n' $r >v.vcf
    for name in chr1 NC1; do
        sed "s/chr1/$name/" g.bed >$name.bed
        dnabird variant -q --scores motif -f toy.fa --contig-map map --genes $name.bed -O tsv v.vcf |
            tail -1 | awk '{ print $(NF - 1), $NF }'
    done | sort -u
    | out ~ a 4
    | out lines 1

0 needs=bedtools: the nearest gene is that of bedtools
    cp $DATA/genome/chr20_demo.fa.gz* .
    dnabird variant -q --scores motif -f chr20_demo.fa.gz --genes $DATA/genome/chr20_demo_tss.bed \
        $DATA/variants/chr20_demo.vcf.gz |
        bcftools query -f 'chr%CHROM\t%POS0\t%REF\t%BIRD_GENE\t%BIRD_TSS_DISTANCE\n' |
        awk -v OFS='\t' '{ print $1, $2, $2 + length($3), $4, $5 }' | sort -k1,1 -k2,2n -k3,3n >a.bed
    sort -k1,1 -k2,2n $DATA/genome/chr20_demo_tss.bed >t.bed
    # bedtools 2.30 reads memory that it did not set
    MALLOC_PERTURB_='' bedtools closest -a a.bed -b t.bed -D b -t first |
        awk '{ n++; bad += $4 != $9 || $5 != $NF } END { print n, bad + 0 }'
    | out ~ 988 0

0 long: columns of calls, from the summit
    dnabird promoter -q --no-version -O tsv --genes $DATA/genome/chr20_demo_tss.bed \
        -r chr20:2,620,001-2,660,000 $DATA/genome/chr20_demo.fa.gz >got
    dnabird promoter -q --no-version -O tsv -r chr20:2,620,001-2,660,000 \
        $DATA/genome/chr20_demo.fa.gz >plain
    grep -q '^chr20\|^20' got || echo no call
    cut -f -11 got >same
    awk -F '\t' 'FNR == NR { n++; at[n] = $2; name[n] = $4; k[n] = $6; next } /^#/ { next }
        { best = 1e9
          for (i = 1; i <= n; i++) {
              d = $8 - at[i]
              if (d * d < best * best) { best = d; w = name[i]; s = k[i] } }
          if (s == "-") best = -best
          if ($12 != w || $13 != best) print w, best, $0 }' $DATA/genome/chr20_demo_tss.bed got
    | out empty
    | same plain same

0 long: --top keeps the most probable calls, --sort orders them
    P="dnabird promoter -q --no-version -r chr20:2,620,001-2,660,000 $DATA/genome/chr20_demo.fa.gz"
    $P | grep -v '^#' >all
    sort -k7,7gr -s all >ranked
    $P --sort probability | grep -v '^#' >sorted
    head -2 ranked | sort -k2,2n -k3,3n -s >two
    $P --top 2 | grep -v '^#' >top
    $P --top 2 --sort probability | grep -v '^#' | cmp - <(head -2 ranked)
    $P --top 99999 | grep -v '^#' | cmp - all
    $P --top 2 -o x.bed.gz -W && zgrep -v '^#' x.bed.gz | cmp - top
    ls x.*
    | same ranked sorted
    | same two top
    | out ~ x.bed.gz.tbi

2 | echo '>a' >x.fa; dnabird promoter --top 3 -O windows -o o x.fa | err ~ --top
    | none o*
2 | echo '>a' >x.fa; dnabird promoter --sort probability -O bigwig -o o x.fa | err ~ --sort
2 | echo '>a' >x.fa; dnabird promoter --top 3 --shard 1/2 -o o x.fa | err ~ --shard
2 | echo '>a' >x.fa; dnabird promoter --sort probability -W -o o.bed.gz x.fa | err ~ --sort
2 | echo '>a' >x.fa; dnabird promoter --genes g.bed -o o x.fa | err ~ -O tsv
2 | echo '>a' >x.fa; dnabird promoter --top -3 -o o x.fa | err ~ --top
1 | cp $T/data/variants/toy.fa* .; dnabird variant -m $T/data/model -f toy.fa --genes none.bed -o o $T/data/variants/kinds.vcf | err ~ none.bed
    | none o*
1 | cp $T/data/variants/toy.fa* .; printf '#\n' >g.bed; dnabird variant -m $T/data/model -f toy.fa --genes g.bed -o o $T/data/variants/kinds.vcf | err ~ g.bed
    | none o*
1 | cp $T/data/variants/toy.fa* .; printf 'chr1\t1\n' >g.bed; dnabird variant -m $T/data/model -f toy.fa --genes g.bed -o o $T/data/variants/kinds.vcf | err ~ g.bed: line 1
    | none o*
2 | cp $T/data/variants/toy.fa* .; printf 'chr1\t1\t2\n' >g.bed; dnabird variant -m $T/data/model -f toy.fa --genes g.bed -O kipoi -o o $T/data/variants/kinds.vcf | err ~ --genes

1: a second run on one output is refused while the first holds it
    . $T/support/wait.sh
    mkfifo in
    dnabird promoter -q -m $T/data/model -o o.bed - <in &
    first=$!
    exec 3>in
    printf '>a\n%s\n>b\n' "$(head -c 2000 /dev/zero | tr '\0' A)" >&3
    wait_for $first 'o.bed.tmp*'
    printf '>a\nACGT\n' >x.fa
    dnabird promoter -q -m $T/data/model -o o.bed x.fa
    second=$?
    dnabird promoter -q -m $T/data/model -o other.bed x.fa || exit 9
    exec 3>&-
    wait $first || exit 8
    : >o.bed.tmp1 # of a killed run
    dnabird promoter -q -m $T/data/model -o o.bed x.fa || exit 7
    exit $second
    | err ~ o.bed: another run is writing it

0: genes of another genome are named
    printf 'chr7\t100\t150\ta\t0\t+\n' >g.bed
    cp $T/data/variants/toy.fa* .
    r=$(samtools faidx toy.fa chr1:90-90 | tail -1)
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t90\t.\t%s\tN\t.\t.\t.\n' $r >v.vcf
    dnabird variant --scores motif -f toy.fa --genes g.bed -o o.vcf v.vcf 2>said
    grep -q 'g.bed names no gene on the contigs of the input' said
    grep -q 'no allele was scored' said
    dnabird promoter -m $T/data/model -T 0 --genes g.bed -O tsv -o o.tsv toy.fa 2>said
    grep -q 'g.bed names no gene on the contigs of the input' said
