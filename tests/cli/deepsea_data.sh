# Data and functions of deepsea_with.tst, sourced in the folders of its cases.
# SPDX-License-Identifier: MIT shellcheck shell=bash
write_mat train.mat train v7.3 60 240 919
write_mat valid.mat valid v5 20 240 919
write_mat test.mat test v5 40 240 919
for part in train valid test; do
    dnabird dataset chromatin --deepsea $part.mat -o $part.tsv.zst 2>/dev/null
done
dnabird tokenizer kmer -k 4 -s 4 -o k.json 2>/dev/null

# A model of the labels of train.tsv.zst.
learn() {
    dnabird finetune chromatin -t 1 --train train.tsv.zst \
        --valid valid.tsv.zst --tokenizer k.json --preset tiny --steps 2 \
        --batch 8 --no-baselines -o m "$@"
}

# The rows' labels at positions, as docs/models/deepsea.md makes them.
bins_with_places() {
    awk 'BEGIN { srand(1); print ">A"; for (i = 0; i < 20000; i++)
        printf "%s", substr("ACGT", 1 + int(rand() * 4), 1); print "" }' >r.fa
    awk -v OFS='\t' 'BEGIN { for (i = 0; i < 30; i++)
        print "A", 600 * i, 600 * i + 200 }' >places.bed
    printf 'A\t20000\t3\t20000\t20001\n' >r.fa.fai
    awk '/^```/ { on = 0 } on { print } /^```sh$/ { on = 1 }' \
        "$T/../docs/models/deepsea.md" | sed 's/hg19\.fa/r.fa/' | bash -e
}
