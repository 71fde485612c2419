#!/bin/sh
# Masked-language pretraining with the attention of BigBird-ITC, of BigBird-ETC, and
# with a window alone.
# SPDX-License-Identifier: MIT
#
#   tools/train/etc_mlm.sh [-d DATA] [-o RUNS] [-s STEPS]
#
# Each model is trained on yeast with as many updates (600) of the same 2 windows of
# 8,000 bp, from random weights, with the same stem, which pools 4 bases to a row, and
# the same encoder with blocks of 8 rows:
#   itc      BigBird: 2 global, 3 window, 3 uniformly drawn random blocks, 64 keys
#   etc      40 global tokens and 3 window blocks, as many keys
#   etc-kb   8 global tokens, one for each kb of a window, 32 keys
#   window   3 window blocks, 24 keys
# with seed 1; itc and etc also with seed 2, to compare the variation between seeds
# with that between patterns. Training is on chromosomes I to XII except the last
# 178 kb of XII, which are for validation; XIII to XVI are the test, measured once, at
# the end. RUNS/etc_mlm/table.tsv has a row for each model: keys of a row, seconds of
# training, bits per base of the held-out windows after a quarter, a half and all of
# the updates, and on the test part with its interval over windows, and those of the
# best Markov model on the same masked bases. Finished steps are not repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

take_yeast etc_mlm 600 "$@"
window=8000 rows=2
stem_config 2048 8 >"$run/config.json"

# learn NAME SEED GLOBAL PATTERN
learn() {
    name=$1-$2 seed=$2 tokens=$((window + $3 + 2))
    [ -s "$run/base$3.json" ] || run "$dnabird" tokenizer kmer -k 1 \
        --global-tokens "$3" -o "$run/base$3.json"
    [ -d "$run/$name.start" ] || run "$dnabird" init \
        --config "$run/config.json" --tokenizer "$run/base$3.json" \
        --stem 15x128/4,5x128 --pattern "$4" --seed "$seed" "$run/$name.start"
    [ -s "$run/$name/dnabird.json" ] || logged "$run/$name.log" \
        "$dnabird" pretrain -t 1 \
        --init "$run/$name.start" --include "$train" --valid-include "$valid" \
        --test-include "$test" --length "$tokens" --batch $((rows * tokens)) \
        --valid-tokens $((16 * tokens)) --validate-every $(((steps + 3) / 4)) \
        --steps "$steps" --lr 1e-3 --warmup 0.05 --seed "$seed" --resume \
        -o "$run/$name" "$yeast"
    [ -s "$run/$name.test.tsv" ] || run "$dnabird" evaluate --mlm -t 1 \
        -m "$run/$name" -f "$yeast" -R "$test" --train-regions "$train" \
        --window "$window" --number 100 --seed 1 -o "$run/$name.test.tsv"
}

# row NAME KEYS: its metrics
row() {
    [ -s "$run/$1.test.tsv" ] || return 0
    awk -F '\t' -v OFS='\t' -v name="$1" -v keys="$2" -v steps="$steps" '
    FNR == NR {
        if (!/^[0-9]/)
            next
        seconds = $10
        if ($8 != "NA")
            at[$1] = $8
        next
    }
    $1 == "all" && $2 == "all" && $4 == "bits_per_base" {
        if ($3 == "model") {
            test = $5
            lo = $6
            hi = $7
        } else if ($3 ~ /markov/ && (best == "" || $5 < best)) {
            best = $5
        }
    }
    END {
        every = int((steps + 3) / 4)
        seed = name
        sub(/-[0-9]+$/, "", name)
        sub(/.*-/, "", seed)
        print name, seed, keys, steps, seconds, at[every], at[2 * every], \
            at[steps], test, lo, hi, best
    }' "$run/$1/training.tsv" "$run/$1.test.tsv"
}

table() {
    printf 'model\tseed\tkeys\tupdates\tseconds\tvalid_quarter\tvalid_half\tvalid\ttest\tlow\thigh\tmarkov\n'
    row itc-1 64
    row itc-2 64
    row etc-1 64
    row etc-2 64
    row etc-kb-1 32
    row window-1 24
}

itc=bigbird,random=uniform,n_random=3
learn itc 1 0 $itc
learn etc 1 40 etc,global=40
learn etc-kb 1 8 etc,global=8
learn window 1 0 window,width=1
learn itc 2 0 $itc
learn etc 2 40 etc,global=40
table >"$run/table.tsv"
cat "$run/table.tsv"
