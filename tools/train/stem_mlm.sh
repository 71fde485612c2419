#!/bin/sh
# Masked-language pretraining with and without a stem, with bases and with words.
# SPDX-License-Identifier: MIT
#
#   tools/train/stem_mlm.sh [-d DATA] [-o RUNS] [-s STEPS]
#
# Five models are trained on yeast, one after the other, with as many updates (2,000)
# and about as many bases for each update (8 windows of 1 kb), each from random weights
# with the same encoder: single bases and words of a BPE vocabulary, each without a
# stem and with one that keeps a row for each token, and single bases with a stem that
# pools 4 to a row. Training is on chromosomes I to XII except the last 178 kb of XII,
# which are for validation; XIII to XVI are the test, measured once, at the end.
# RUNS/stem_mlm/table.tsv has a row for each model: seconds of training, bases per
# second, bits per base of the held-out windows after a quarter, a half and all of the
# updates, and on the test part, and those of the best Markov model on the same masked
# tokens. Masked words are several bases at once, and so harder than single ones:
# between vocabularies compare each model's gain over Markov. Finished steps are not
# repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

take_yeast stem_mlm 2000 "$@"
window=1024 rows=8
stem_config 1088 32 >"$run/config.json"
[ -s "$run/base.json" ] || run "$dnabird" tokenizer kmer -k 1 -o "$run/base.json"
[ -s "$run/word.json" ] || run "$dnabird" tokenizer train -v 1024 \
    --strand both -r I,II,III,IV,V -o "$run/word.json" "$yeast"

# bases_per_token TOKENIZER: on the held-out part
bases_per_token() {
    "$dnabird" tokenize -q --tokenizer "$1" -O bed -r "$valid" "$yeast" |
        awk '{ n++; bases += $3 - $2 } END { printf "%.4f\n", bases / n }'
}

# length TOKENIZER: tokens of a window, including [CLS] and [SEP]
length() {
    bases_per_token "$1" | awk -v bp=$window '{ print int(bp / $1 + 0.5) + 2 }'
}

# learn NAME TOKENIZER STEM
learn() {
    name=$1 tokenizer=$run/$2.json tokens=$(length "$run/$2.json")
    [ -d "$run/$name.start" ] || run "$dnabird" init \
        --config "$run/config.json" --tokenizer "$tokenizer" --stem "$3" \
        --seed 1 "$run/$name.start"
    [ -s "$run/$name/dnabird.json" ] || logged "$run/$name.log" \
        "$dnabird" pretrain \
        --init "$run/$name.start" --include "$train" --valid-include "$valid" \
        --test-include "$test" --length "$tokens" --batch $((rows * tokens)) \
        --valid-tokens $((64 * tokens)) --validate-every $(((steps + 3) / 4)) \
        --steps "$steps" --lr 1e-3 --warmup 0.05 --seed 1 --resume \
        -o "$run/$name" "$yeast"
    [ -s "$run/$name.test.tsv" ] || run "$dnabird" evaluate --mlm \
        -m "$run/$name" -f "$yeast" -R "$test" --train-regions "$train" \
        --window 1000 --number 500 --seed 1 -o "$run/$name.test.tsv"
}

learn base base none
learn base-stem base 15x128,5x128+
learn base-pool base 15x128/4,5x128
learn word word none
learn word-stem word 5x128,5x128+

# row NAME: its metrics
row() {
    awk -F '\t' -v OFS='\t' -v name="$1" -v steps="$steps" '
    FNR == NR {
        if (!/^[0-9]/)
            next
        seconds = $10
        bp += $12
        n++
        if ($8 != "NA")
            at[$1] = $8
        next
    }
    $1 == "all" && $2 == "all" && $4 == "bits_per_base" {
        if ($3 == "model")
            test = $5
        else if ($3 ~ /markov/ && (best == "" || $5 < best))
            best = $5
    }
    $1 == "all" && $2 == "all" && $4 == "bases_per_token" { width = $5 }
    END {
        every = int((steps + 3) / 4)
        print name, steps, width, seconds, int(bp / n), at[every], \
            at[2 * every], at[steps], test, best, test - best
    }' "$run/$1/training.tsv" "$run/$1.test.tsv"
}

{
    printf 'model\tupdates\tbases_per_token\tseconds\tbp_per_second\tvalid_quarter\tvalid_half\tvalid\ttest\tmarkov\tless_markov\n'
    for name in base base-stem base-pool word word-stem; do
        row "$name"
    done
} >"$run/table.tsv"
cat "$run/table.tsv"
