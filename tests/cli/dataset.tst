# Labelled sets cut from the demo genome.

0 | dnabird dataset --help | out ~ dataset promoters
0 | dnabird dataset promoters --help=all | out ~ -f, --reference FILES
2 | dnabird dataset | err ~ dataset promoters
2 | dnabird dataset histones | err ~ there is no command 'dataset histones'
2 | dnabird dataset promoters -p x.bed -o x.tsv | err ~ -f REF.fa, -p TSS and -o FILE are needed
2 | dnabird dataset promoters -f a -p b -o c d | err ~ unexpected argument 'd'

0: as many negatives as positives are cut from the regions
    grep -v gencode $DATA/genome/chr20_demo_tss.bed >epd.bed
    dnabird dataset promoters -f $DATA/genome/chr20_demo.fa.gz -p epd.bed \
        -R $DATA/genome/chr20_demo_region.bed -o set.tsv.gz
    zcat set.tsv.gz | cut -f 2 | sort | uniq -c | tr -s ' '
    | out ~ 55 1
    | out ~ 55 0
    | err ~ 55 positives of 55 TSSs, 55 negatives
    | has set.tsv.gz
0: the same seed gives the same permuted negatives
    for i in 1 2; do
        dnabird dataset promoters --kind paper --negatives permuted --seed 5 \
            -f $DATA/genome/chr20_demo.fa.gz -p $DATA/genome/chr20_demo_tss.bed -o $i.tsv
    done
    cut -f 7 1.tsv | sort -u
    | same 1.tsv 2.tsv
    | out ~ permuted
    | out lines 3

# annotation files
0 long: GTF and GFF3 give the same rows as BED
    . $T/cli/dataset_data.sh
    cut_set sites.bed
    for f in a.gtf a.gtf.gz a.gff3 b.txt; do cut_set $f; cmp sites.bed.tsv $f.tsv; done
    dnabird dataset promoters -f $DATA/genome/chr20_demo.fa.gz -p sites.bed -a a.gtf.gz \
        -o with.tsv
    cmp sites.bed.tsv with.tsv
    | out empty
    | same sites.bed.tsv a.gff3.tsv
    | has a.gtf.gz.tsv
0: --attribute and --feature choose transcripts
    . $T/cli/dataset_data.sh
    cut_set a.gtf --gtf-attribute transcript_type=protein_coding --gtf-attribute tag=basic
    grep -v gencode sites.bed >some.bed
    cut_set some.bed
    cut_set a.gff3 --gtf-feature mRNA
    | same a.gtf.tsv some.bed.tsv
    | same a.gff3.tsv some.bed.tsv
0 | . $T/cli/dataset_data.sh; evaluate sites.bed >a; evaluate a.gtf >b; evaluate a.gff3 >c; cmp a b | same a c
# repeated start sites
0 long: a start site shared by transcripts counts once
    . $T/cli/dataset_data.sh
    grep -v gencode sites.bed >one.bed
    awk -F'\t' -v OFS='\t' '{ print } NR <= 3 { $4 = "again"; $5 = 7; print }' one.bed \
        >more.bed
    cut_set one.bed
    cut_set more.bed
    evaluate one.bed >a
    evaluate more.bed >b
    cmp a b
    | same one.bed.tsv more.bed.tsv
    | err ~ left out: 3 TSSs given more than once
0 | . $T/cli/dataset_data.sh; grep -v gencode sites.bed | sed -n 1p >one.bed; tr '+-' '-+' <one.bed | cat one.bed - >two.bed; cut_set two.bed; grep promoter two.bed.tsv | out lines 2
    | err !~ more than once
# BED after a comment; --attribute applies to -p only
0 | . $T/cli/dataset_data.sh; cut_set sites.bed; (head -1 sites.bed; echo '##FASTA file: hg19.fa'; tail -n +2 sites.bed) >c.bed; cut_set c.bed | same sites.bed.tsv c.bed.tsv
0 | . $T/cli/dataset_data.sh; grep -v gencode sites.bed >some.bed; cut_set some.bed -a sites.bed; cut_set a.gtf -a a.gtf --gtf-attribute transcript_type=protein_coding | same a.gtf.tsv some.bed.tsv
0 | . $T/cli/dataset_data.sh; sed 's/^##gff-version 3/##gff-version   3/' a.gff3 >c.txt; cut_set c.txt; cut_set sites.bed | same c.txt.tsv sites.bed.tsv
2 | dnabird dataset promoters -f a -p b -a x -a y -o c | err ~ separated by commas
1 | . $T/cli/dataset_data.sh; cut_set a.gtf --gtf-feature CDS | err ~ a.gtf: none of its
    | err ~ (gene,transcript) by --gtf-feature
    | err lines 1
    | none *.tsv
1 | . $T/cli/dataset_data.sh; cut_set a.gtf --gtf-attribute protein_coding | err ~ 'protein_coding' is not KEY=VALUE
1 | . $T/cli/dataset_data.sh; sed '3s/\t[+-]\t/\t.\t/' a.gtf >c.gtf; cut_set c.gtf | err ~ c.gtf: line 3: a start site needs a strand: + or - in column 7
    | none *.tsv

# wrong input gives one line and leaves nothing
1 | dnabird dataset promoters -f $DATA/genome/chr20_demo.fa.gz -p $DATA/genome/chr20_demo_region.bed -o x.tsv | err ~ a start site needs a strand
    | err lines 1
    | none x.tsv*
1 | dnabird dataset promoters -f none.fa -p $DATA/genome/chr20_demo_tss.bed -o x.tsv | err ~ none.fa
    | err lines 1
1: regions without a start site are refused
    dnabird dataset promoters -f $DATA/genome/chr20_demo.fa.gz \
        -p $DATA/genome/chr20_demo_tss.bed -R $DATA/split/validation.bed -o x.tsv.gz
    | err ~ no window of 1000 bp around a TSS lies in the regions
    | err lines 1
    | none x.tsv*
1 | dnabird dataset promoters -f $DATA/genome/chr20_demo.fa.gz -p $DATA/genome/chr20_demo_tss.bed --settings <(echo 'island-share = 0.5') -o x.tsv.gz | err ~ BED file of the islands
0: negatives keep their distance from start sites that come through a pipe
    cut -c 1-3000 <(awk 'BEGIN { srand(5); while (n++ < 3000) printf "%s", substr("ACGT", 1 + int(rand() * 4), 1) }') | (echo '>c'; cat) >r.fa
    printf 'c\t800\t801\t.\t0\t+\nc\t1900\t1901\t.\t0\t-\n' >p.bed
    dnabird dataset promoters -q -f r.fa -p p.bed -w 200 --anchor 100 --ratio 20 -o a.tsv
    cat p.bed | dnabird dataset promoters -q -f r.fa -p - -w 200 --anchor 100 --ratio 20 -o b.tsv
    | same a.tsv b.tsv
    | err empty
1 | dnabird dataset promoters --anchor 9223372036854775807 -f x.fa -p x.bed --settings <(echo 'jitter = 1') -o x.tsv | err ~ anchor 9223372036854775807 +- jitter 1 must lie in the window of 1000 bp
1: shares of strata are for genomic negatives
    dnabird dataset promoters --negatives random -f x.fa -p x.bed \
        --settings <(echo 'near-share = 0.5') -o x.tsv
    | err ~ shares of the negatives (islands, near, antisense) are for genomic ones
    | none x.tsv*

# tables without the rows of others: at every offset, on either strand
0 | . $T/cli/rows_data.sh; rows a.csv b.csv; (sed -n '1,3p;6p' a.csv; tail -1 b.csv) >want; cat sum | same out.csv want
    | out ~ rows	two_labels	again	held	elements	kept
    | out ~ 11	2	1	3	1	4
    | err ~ 4 rows of 11 kept; left out: 2 with two labels, 1 seen before
    | err ~ left out: 3 rows with 32 bp of held
0 | . $T/cli/rows_data.sh; rows a.csv --margin 0 --length 31; cat sum | out ~ 8	0	0	3	1	4
0 | . $T/cli/rows_data.sh; sed -i 's/,1/,yes/; s/,0/,no/' a.csv; dnabird dataset rows a.csv -o o.csv.gz; zcat o.csv.gz | cmp - a.csv | out empty
    | err ~ 8 rows of 8
2 | dnabird dataset rows a.csv | err ~ -o FILE is needed
2 | dnabird dataset rows -o x.csv | err ~ no table
2 | dnabird dataset rows --margin 50 -o x.csv a.csv | err ~ -f, --margin and --length are for --apart
2 | dnabird dataset rows --apart e.fa -o x.csv a.csv | err ~ --apart is NAME=FILE
1 | . $T/cli/rows_data.sh; dnabird dataset rows --apart held=held.bed -o x.csv a.csv | err ~ regions need the reference FASTA
    | none x.csv*
1 | . $T/cli/rows_data.sh; printf 'Q\t1\t9\n' >held.bed; rows a.csv | err ~ held.bed: the references have no contig 'Q'
    | none out.csv*
    | none sum*
1 | . $T/cli/rows_data.sh; rows a.csv --length 41 | err ~ a.csv: row 1 has 40 bp, fewer than the 41 that must not be shared: give a smaller --length
0: without --apart rows may be shorter than --length
    printf 'sequence,label\nACGTT,0\nAACGT,0\nGGG,1\n' >s.csv
    dnabird dataset rows -o o.csv s.csv
    cat o.csv
    | out ~ ACGTT,0
    | out ~ GGG,1
    | out !~ AACGT
    | err ~ 2 rows of 3 kept
1 | . $T/cli/rows_data.sh; rows a.csv --length 64 | err ~ -k must lie between 1 and 63, got 64
1 | . $T/cli/rows_data.sh; rows r.fa | err ~ r.fa: rows need one label each
1 | . $T/cli/rows_data.sh; head -4 a.csv | tail -1 | (echo sequence,label; cat) >c.csv; rows c.csv | err ~ none of 1 rows is left
    | none out.csv*
0: counts of one profile without a peak on a contig
    printf '>c\n%s\n>d\n%s\n' $(printf 'ACGT%.0s' {1..50}) $(printf 'ACGT%.0s' {1..50}) >r.fa
    printf 'c\t0\t50\n' >a.bed
    : >b.bed
    dnabird dataset chromatin -f r.fa -b 50 --context 50 -o o.tsv a.bed b.bed
    | err ~ unknown: 3 pairs of profile and contig (1 profile has no peak here at all)
