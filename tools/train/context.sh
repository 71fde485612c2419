#!/bin/sh
# Short or long rows for the same budget of tokens.
# SPDX-License-Identifier: MIT
#
#   tools/train/context.sh [-d DATA] [-o RUNS] [-s STEPS] [LENGTH ...]
#
# LENGTH: tokens of a row, 512 and 4096 without. The question of Zaheer et
# al. 2020, table 5, on DNA and at the size of a desk: equal tokens a step,
# equal steps, equal weights at the start (RUNS/human/model of human.sh, its
# position embedding repeated), the same blocks of one token. Leaves
# RUNS/context/LENGTH and, on chr20:0-5 Mb, LENGTH.tsv: windows of LENGTH
# tokens.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=150

take_options "$@"
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- 512 4096

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/context
model=$runs/human/model
need_file "$model/dnabird.json"
mkdir -p "$run"

for length; do
    [ -d "$run/$length.start" ] || "$dnabird" init --from "$model" \
        --positions "$length" "$run/$length.start"
    [ -s "$run/$length/dnabird.json" ] || run "$dnabird" pretrain \
        --init "$run/$length.start" --include "$split/train.bed" \
        --valid-include "$split/validation.bed" \
        --test-include "$split/test.bed" --length "$length" --batch 8192 \
        --steps "$steps" --lr 3e-4 --warmup 0.1 --seed 4 --resume \
        -o "$run/$length" "$chr20" "$chrx" 2>>"$run/$length.log"
    [ -s "$run/$length.tsv" ] || run "$dnabird" evaluate --mlm \
        -m "$run/$length" -f "$chr20" -R "$split/test_chr20.bed" \
        --length "$length" --windows $((256000 / length)) --seed 1 \
        -o "$run/$length.tsv"
done
