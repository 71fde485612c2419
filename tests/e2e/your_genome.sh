#!/bin/bash
# tools/train/species.sh from a genome and its genes to a scan, on a genome
# that is made up: promoters are a motif with a strand, copies of half of it lie
# everywhere.
# SPDX-License-Identifier: MIT
#
#   tests/e2e/your_genome.sh DNABIRD ROOT
set -u
# shellcheck source-path=SCRIPTDIR source=training.sh
. "$(dirname "${BASH_SOURCE[0]}")/training.sh"
root=$(realpath "$2")
export DNABIRD=$dnabird DNABIRD_DATA=$root/data
cd "$work" || exit 1

# 6 contigs of 40 kb; a start site about every 900 bp, 30 bp behind its motif.
awk 'function turned(s, i, t) {
         for (i = length(s); i; i--)
             t = t substr("TGCA", index("ACGT", substr(s, i, 1)), 1)
         return t }
     function put(at, m) { s = substr(s, 1, at) m substr(s, at + 1 + length(m)) }
     BEGIN { srand(1); motif = "GCTATAAAAGGCTCGA"
    print "#!genome-build made-up" >"genes.gtf"
    for (c = 1; c <= 6; c++) {
        s = ""
        for (i = 0; i < 40000; i++)
            s = s substr("ACGT", 1 + int(rand() * 4), 1)
        for (at = 200; at < 39600; at += 100)
            put(at + int(rand() * 80), substr(motif, 1 + 8 * int(2 * rand()), 8))
        for (at = 300; at < 39300; at += 600 + int(rand() * 600)) {
            plus = rand() < 0.5
            put(at, plus ? motif : turned(motif))
            tss = plus ? at + 46 : at - 30 # 1-based, inside the gene
            print "c" c "\tx\ttranscript\t" (plus ? tss : tss - 200) "\t" \
                (plus ? tss + 200 : tss) "\t.\t" (plus ? "+" : "-") \
                "\t.\tgene_id \"g" c "_" at "\"; transcript_id \"t" c "_" at "\";" >"genes.gtf"
        }
        print ">c" c "\n" s } }' >genome.fa

# shellcheck disable=SC2054 # contigs
species=("$root/tools/train/species.sh" -f genome.fa -g genes.gtf
    --train-contigs c1,c2,c3,c4 --valid-contigs c5 --test-contigs c6
    -s 160 -w 2000 --false 50,100 --bootstrap 20 -o run)

status 'a genome without genes is told' 1 'none.gtf' \
    "${species[@]}" -g none.gtf
status 'contigs that are not there are told' 1 'c9' \
    "${species[@]}" --test-contigs c9 -o other
status 'the recipe runs' 0 - "${species[@]}"
tail -n 5 run/*.log | sed "s/^/# /"
value() { # SET FIGURE TARGET
    awk -F '\t' -v s="$1" -v f="$2" -v t="$3" \
        '$1 == s && $3 == t && $4 == f && $2 != "unstranded" { print $5; exit }' run/figures.tsv
}
check 'most start sites of the test contig are found' \
    below 0.8 "$(value model/test recall 100)"
check 'with few false calls' \
    below "$(value model/test false_per_mb 100)" 150
check 'bins are ranked' below 0.8 "$(value model/test auprc .)"
check 'far better than a regression on k-mers' \
    below "$(value kmers/test auprc .)" 0.4
check 'the model computes its golden answers' \
    "$dnabird" info --selftest run/model
for strand in + -; do
    check "the scan has all contigs, strand $strand" test "$(grep -v '^track\|^#' \
        "run/scan/TSS$strand.bedgraph" | cut -f 1 | uniq | tr '\n' ' ')" = 'c1 c2 c3 c4 c5 c6 '
done
cp run/figures.tsv before
status 'again, nothing is made twice' 0 - "${species[@]}"
check 'and the figures stay' cmp before run/figures.tsv
status 'other options in the same folder are refused' 1 'other options' \
    "${species[@]}" -s 161
end_rules
