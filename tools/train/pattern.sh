#!/bin/sh
# What window, random and global blocks do: five attentions, equal steps.
# SPDX-License-Identifier: MIT
#
#   tools/train/pattern.sh [-d DATA] [-o RUNS] [-s STEPS] [NAME ...]
#
# NAME: random window window_random bigbird full; all of them without. The
# question of Zaheer et al. 2020, table 1, on DNA: contexts of 512 tokens, in
# 32 blocks of 16 (with 64 BigBird would be full attention), random blocks
# drawn evenly (dnabird's own plan, one draw of it: init --pattern-seed
# makes others). All begin with the weights of
# RUNS/human/near of human.sh, which knows its neighbours; rows and masks are
# the same. Leaves RUNS/pattern/NAME and NAME.tsv, bits per base on the
# validation part.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=400
names='random window window_random bigbird full'

take_options "$@"
shift $((OPTIND - 1))
# shellcheck disable=SC2086 # words wanted
[ $# -gt 0 ] || set -- $names

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/pattern
near=$runs/human/near
need_file "$near/dnabird.json"
mkdir -p "$run"

parts() {
    case $1 in
    random | window | full) echo "$1" ;;
    window_random) echo window,random ;;
    bigbird) echo global,window,random ;;
    *) die "no attention '$1'; there are: $names" ;;
    esac
}

for name; do
    parts=$(parts "$name")
    [ -d "$run/$name.start" ] || "$dnabird" init --from "$near" \
        --positions 512 --block-size 16 --random-blocks uniform \
        --attention-parts "$parts" "$run/$name.start"
    [ -s "$run/$name/dnabird.json" ] || run "$dnabird" pretrain \
        --init "$run/$name.start" --include "$split/train.bed" \
        --valid-include "$split/validation.bed" \
        --test-include "$split/test.bed" --length 512 --batch 4096 \
        --steps "$steps" --lr 1e-3 --warmup 0.1 --seed 1 --resume \
        -o "$run/$name" "$chr20" "$chrx" 2>>"$run/$name.log"
    [ -s "$run/$name.tsv" ] || run "$dnabird" evaluate --mlm -m "$run/$name" \
        -f "$chr20" -R "$split/validation.bed" --length 512 --windows 1000 \
        --seed 1 -o "$run/$name.tsv"
done
