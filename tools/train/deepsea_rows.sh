#!/bin/sh
# A model of DeepSEA's 919 profiles at 8,000 bp from the 100 test rows of GENA_LM.
# SPDX-License-Identifier: MIT
#
#   tools/train/deepsea_rows.sh [-d DATA] [-o RUNS] [-s STEPS]
#
# The rows, of about nine loci, are a check of the format and of the whole path (32K
# words, 8,000 bp, 919 labels, medians by class), not a measure of a model: no split
# of them has independent parts. RUNS/deepsea_rows/rows.tsv.zst is
# tests/data/deepsea/gena_test100_8kb.tsv.zst. Four rows of five train, the fifth is
# the test; RUNS/deepsea_rows/metrics.tsv has the metrics of each label and their medians.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=200
take_options "$@"
data=$(find_data "$data")
dnabird=$(find_dnabird)
run=$runs/deepsea_rows
rows=$data/chromatin/gena_deepsea_test100_8kb_919.csv.gz
words=$data/tokenizers/human_BPE_32k.json
need_file "$rows"
need_file "$words"
mkdir -p "$run"

# The labels of a row are 919 columns of 0 and 1 behind its sequence, in DeepSEA's
# order; as labelled sequences (docs/formats.md) they are the numbers of those that
# are 1.
[ -s "$run/rows.tsv.zst" ] || {
    printf '##dnabird-labels\t2\n##bin\t200\n##context\t8000\n'
    printf '##source\tAIRI-Institute/GENA_LM@4a884630 DeepSEA_test_100\n'
    awk -F '\t' -v OFS='\t' 'NR > 1 { print "##profile", $6, $2, $3, $4, $5, $1 }' \
        "$here/data/chromatin/deepsea_919.tsv"
    printf '#sequence\tlabels\n'
    zcat "$rows" | awk -F , '{
        list = ""
        for (i = 2; i <= NF; i++)
            if ($i == 1) list = list (list == "" ? "" : ",") i - 2
        print $1 "\t" (list == "" ? "." : list) }'
} | zstd -q -19 --long=23 -o "$run/rows.tsv.zst"
for part in train test; do
    zstd -dc "$run/rows.tsv.zst" |
        awk -v part=$part '/^#/ { print; next }
            (++n % 5 == 0) == (part == "test")' >"$run/$part.tsv"
done
[ -d "$run/start" ] || run "$dnabird" init --preset tiny --positions 2048 \
    --tokenizer "$words" --seed 1 "$run/start"
[ -s "$run/model/dnabird.json" ] || logged "$run/model.log" \
    "$dnabird" finetune chromatin --init "$run/start" --context 8000 \
    --train "$run/train.tsv" --valid "$run/test.tsv" --steps "$steps" \
    --batch 8 --no-baselines --seed 1 --resume -o "$run/model"
[ -s "$run/metrics.tsv" ] || run "$dnabird" evaluate -m "$run/model" \
    --test "$run/test.tsv" -O features -o "$run/metrics.tsv"
awk -F '\t' '$2 ~ /^median:/ {
    print substr($2, 8) ":", $8, "labels, median AUROC", $11 ", AUPRC", $14
}' "$run/metrics.tsv"
