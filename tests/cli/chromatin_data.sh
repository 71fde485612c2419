# Data and functions of chromatin.tst, sourced in the folders of its cases.
# SPDX-License-Identifier: MIT shellcheck shell=bash
awk 'BEGIN { srand(1); for (c = 0; c < 2; c++) {
    print ">" (c ? "B" : "A"); for (i = 0; i < 6000; i++)
        printf "%s", substr("ACGT", 1 + int(rand() * 4), 1); print "" } }' >r.fa
awk -v OFS='\t' 'BEGIN { for (i = 0; i < 12; i++) {
    print "A", 800 + i * 400, 960 + i * 400
    print "chrB", 800 + i * 400, 960 + i * 400 } }' >one.bed
awk -v OFS='\t' 'BEGIN { for (i = 0; i < 8; i++) {
    print "A", 1000 + i * 600, 1200 + i * 600
    print "B", 1000 + i * 600, 1200 + i * 600 } }' >two.bed

set_and_words() {
    dnabird dataset chromatin -f r.fa --context 400 --background 0.5 "$@" \
        one.bed two.bed -o s.tsv 2>/dev/null
    dnabird tokenizer kmer -k 4 -s 4 -o k.json 2>/dev/null
}

# A model of the labels of s.tsv.
learn() {
    dnabird finetune chromatin --train s.tsv --valid s.tsv -f r.fa \
        --tokenizer k.json --preset tiny --steps 2 --batch 8 --no-baselines \
        -o m
}

# A model of two labels.
model() {
    set_and_words
    learn 2>/dev/null
}
