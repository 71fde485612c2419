# Data of dataset.tst, sourced in the folders of its cases: the start sites of
# the demo genome as BED, GTF and GFF3. SPDX-License-Identifier: MIT shellcheck
# shell=bash
cp "$DATA/genome/chr20_demo_tss.bed" sites.bed
awk -F '\t' -v OFS='\t' 'BEGIN { print "#!genome-build GRCh37" } {
    start = $6 == "+" ? $2 + 1 : $3 - 999; end = start + 999
    type = /gencode/ ? "lncRNA" : "protein_coding"
    print $1, "made", "gene", start, end, ".", $6, ".", "gene_id \"g\";"
    print $1, "made", "transcript", start, end, ".", $6, ".",
        "gene_id \"g\"; transcript_type \"" type "\"; tag \"x\"; tag \"basic\";"
}' sites.bed >a.gtf
awk -F '\t' -v OFS='\t' 'BEGIN { print "##gff-version 3" } {
    start = $6 == "+" ? $2 + 1 : $3 - 999; end = start + 999
    print $1, "made", "gene", start, end, ".", $6, ".", "ID=g" NR
    print $1, "made", /gencode/ ? "transcript" : "mRNA", start, end, ".", $6, ".",
        "Parent=g" NR ";tag=x,basic"
} END { print "##FASTA\n>chr20\nACGT" }' sites.bed >a.gff3
gzip -nk a.gtf
cp a.gff3 b.txt

# cut_set FILE [OPTION...]: write the rows of the start sites in FILE to
# FILE.tsv
cut_set() {
    dnabird dataset promoters -f "$DATA/genome/chr20_demo.fa.gz" -p "$1" \
        -o "$1.tsv" "${@:2}"
}

evaluate() {
    dnabird evaluate scan -p "$1" -f "$DATA/genome/chr20_demo.fa.gz" \
        -i "$DATA/genome/chr20_demo_region.bed" --bootstrap 0
}
