#!/bin/sh
# Train models on the copying task, by pattern and number of layers.
# SPDX-License-Identifier: MIT
#
#   tools/train/copying.sh [-o RUNS] [-s STEPS] [SEED ...]
#   tools/train/copying.sh [-o RUNS] paper
#
# Table 1 of Yun et al. 2020 (arXiv:2006.04862), scaled: 32 symbols, rows of 64
# tokens and w = 8 instead of 128, 256 and 16, which keeps the number of steps back to
# an answer (31 = 3 x 8 + 7, as 127 = 7 x 16 + 15); 64 features, 4 heads; up to STEPS
# (2,500) updates of 64 rows by Muon at a rate of 5e-3, fewer if 99.95 % of the answers
# of 1,000 rows are right earlier. Default SEED: 1. RANDOM leaves 81 % of pairs out,
# between those of STRIDED's union (75) and of its halves (87), as the paper's 90 is
# between 87 and 93. Full causal attention is trained first: patterns are compared
# only if it copies. RUNS/copying/table.tsv has a row for each model: its accuracy on
# 10,000 test rows, and the accuracy that counting allows. One thread; stopped runs
# continue, finished results stay.
# `paper`: the same table at the paper's size, 500,000 updates of 1,024 rows: half a
# year of a core for a model of four layers. RUNS/copying-paper/table.tsv.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

runs=$here/runs steps=2500

take_options "$@"
shift $((OPTIND - 1))
dnabird=$(find_dnabird)

if [ "${1-}" = paper ]; then
    run=$runs/copying-paper width=16 sparsity=90
    set -- 1
    sizes=
else
    [ $# -gt 0 ] || set -- 1
    run=$runs/copying width=8 sparsity=81
    sizes="--settings $here/tools/train/copying.toml --steps $steps"
fi
mkdir -p "$run"

# pattern NAME: the argument of --pattern
pattern() {
    case $1 in
    full) echo random,sparsity=0 ;;
    random) echo "random,sparsity=$sparsity,seed=$seed" ;;
    star) echo "star,width=$width" ;;
    *) echo "${1%-*},width=$width,heads=${1#*-}" ;;
    esac
}

# learn NAME LAYERS: train a model; its row goes to RUN/SEED/NAME.LAYERS.tsv
learn() {
    at=$run/$seed/$1.$2
    mkdir -p "$run/$seed"
    # shellcheck disable=SC2086 # words wanted
    [ -s "$at.tsv" ] || run "$dnabird" pattern learn -q -t 1 --resume \
        --pattern "$(pattern "$1"),block=1,causal=yes" --layers "$2" $sizes \
        --seed "$seed" -o "$at" >"$at.tmp"
    [ -s "$at.tsv" ] || mv "$at.tmp" "$at.tsv"
}

names='strided-union strided-multihead strided-sequential fixed-union
       fixed-multihead fixed-sequential star random'

for seed; do
    learn full 1
    awk -F '\t' 'NR == 2 { exit $8 < 99 }' "$run/$seed/full.1.tsv" ||
        die "seed $seed: not even attention to all before learns to copy"
done
for seed; do
    for layers in 1 2 3 4; do
        for name in full $names; do
            learn "$name" "$layers"
        done
    done
done
{
    printf 'name\tseed\t'
    head -n 1 "$run/$1/full.1.tsv"
    for name in full $names; do
        for layers in 1 2 3 4; do
            for seed; do
                printf '%s\t%s\t' "$name" "$seed"
                tail -n 1 "$run/$seed/$name.$layers.tsv"
            done
        done
    done
} >"$run/table.tsv"
cat "$run/table.tsv"
