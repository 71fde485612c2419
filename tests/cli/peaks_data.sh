# Data of peaks.tst, sourced in the folders of its cases: a genome, and the same
# peaks in several formats. SPDX-License-Identifier: MIT shellcheck shell=bash
awk 'BEGIN { srand(1); for (c = 0; c < 2; c++) {
    print ">" (c ? "B" : "A"); for (i = 0; i < 6000; i++)
        printf "%s", substr("ACGT", 1 + int(rand() * 4), 1); print "" } }' >r.fa
awk -v OFS='\t' 'BEGIN { for (i = 0; i < 12; i++) for (c = 0; c < 2; c++)
    print c ? "B" : "A", 800 + i * 400 - c * 130, 960 + i * 400,
        "peak" ++n, 100 + n, ".", n / 2, -1, -1, 80 }' >peaks.narrowPeak
cut -f 1-9 peaks.narrowPeak >peaks.broadPeak
cut -f 1-3 peaks.narrowPeak >peaks.bed
gzip -nk peaks.bed

# set_of FILE [OPTION...]: write the dataset of these peaks to FILE.tsv in the
# current folder.
set_of() {
    dnabird dataset chromatin -f r.fa --context 400 --background 0.5 \
        --no-version "${@:2}" -o "${1##*/}.tsv" "$1"
}
