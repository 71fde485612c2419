# Labelled sets cut from the demo genome.

0 | dnabird dataset --help | out ~ dataset promoters
0 | dnabird dataset promoters --help | out ~ -f, --reference FILES
2 | dnabird dataset | err ~ dataset promoters
2 | dnabird dataset histones | err ~ there is no command 'dataset histones'
2 | dnabird dataset promoters -p x.bed -o x.tsv | err ~ -f REF.fa, -p TSS.bed and -o FILE are needed
2 | dnabird dataset promoters -f a -p b -o c d | err ~ unexpected argument 'd'

0 | grep -v gencode $DATA/genome/chr20_demo_tss.bed >epd.bed; dnabird dataset promoters -f $DATA/genome/chr20_demo.fa.gz -p epd.bed -R $DATA/genome/chr20_demo_region.bed -o set.tsv.gz; zcat set.tsv.gz | cut -f 2 | sort | uniq -c | tr -s ' ' | out ~ 55 1
    | out ~ 55 0
    | err ~ 55 positives of 55 TSSs, 55 negatives
    | has set.tsv.gz
0 | for i in 1 2; do dnabird dataset promoters --kind paper --negatives permuted --seed 5 -f $DATA/genome/chr20_demo.fa.gz -p $DATA/genome/chr20_demo_tss.bed -o $i.tsv; done; cut -f 7 1.tsv | sort -u | same 1.tsv 2.tsv
    | out ~ permuted
    | out lines 3

# what is wrong is said in one line, and nothing is left
1 | dnabird dataset promoters -f $DATA/genome/chr20_demo.fa.gz -p $DATA/genome/chr20_demo_region.bed -o x.tsv | err ~ a start site needs a strand
    | err lines 1
    | none x.tsv*
1 | dnabird dataset promoters -f none.fa -p $DATA/genome/chr20_demo_tss.bed -o x.tsv | err ~ none.fa
    | err lines 1
1 | dnabird dataset promoters -f $DATA/genome/chr20_demo.fa.gz -p $DATA/genome/chr20_demo_tss.bed -R $DATA/split/validation.bed -o x.tsv.gz | err ~ no window of 1000 bp around a TSS lies in the regions
    | err lines 1
    | none x.tsv*
1 | dnabird dataset promoters -f $DATA/genome/chr20_demo.fa.gz -p $DATA/genome/chr20_demo_tss.bed --island-share 0.5 -o x.tsv.gz | err ~ give the islands
