#!/bin/sh
# The promoter task of the BigBird paper at a small scale: EPDnew promoters with their
# 8-kb window, and the effect of the choice of negatives.
# SPDX-License-Identifier: MIT
#
#   tools/train/paper.sh [-d DATA] [-o RUNS]
#
# One model is trained for each reading of the paper's negatives (pieces of random
# bases; exchanged pieces) and one against real genomic windows; each is tested on all
# three kinds. Train, validation and test are the parts of data/split; only chr20 has
# enough test windows without N.
# RUNS/paper/figures.tsv: trained on, tested on, metric, value, interval.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs

usage() {
    sed -n '6,13s/^# \{0,1\}//p' "$0"
    exit "$1"
}

while getopts d:o:h letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/paper
kinds='random permuted genomic'
mkdir -p "$run"

for part in train validation test; do
    for kind in $kinds; do
        [ -s "$run/$part.$kind.tsv.gz" ] || "$dnabird" dataset promoters \
            --kind paper --negatives "$kind" -f "$chr20,$chrx,$chr22" -p "$epd" \
            -a "$gencode" -R "$split/$part.bed" --seed 1 \
            -o "$run/$part.$kind.tsv.gz"
    done
done
grep -P '^chr20\t' "$split/train.bed" >"$run/train20.bed"
[ -s "$run/tokenizer.json" ] || "$dnabird" tokenizer train -v 4096 \
    --strand both -R "$run/train20.bed" -o "$run/tokenizer.json" "$chr20"

for kind in $kinds; do
    [ -s "$run/$kind/dnabird.json" ] || logged "$run/$kind.log" \
        "$dnabird" finetune \
        --train "$run/train.$kind.tsv.gz" \
        --valid "$run/validation.$kind.tsv.gz" \
        --config "$here/tools/train/paper.json" \
        --tokenizer "$run/tokenizer.json" --epochs 4 --batch 16 --lr 1e-3 \
        --average 0.99 --seed 1 --resume -o "$run/$kind"
    for test in $kinds; do
        [ -s "$run/$kind.on.$test.tsv" ] || run "$dnabird" evaluate \
            -m "$run/$kind" --test "$run/test.$test.tsv.gz" \
            -o "$run/$kind.on.$test.tsv"
    done
done

for kind in $kinds; do
    for test in $kinds; do
        awk -v a="$kind" -v b="$test" -F '\t' \
            '/^#/ || $1 == "set" { next } { print a "\t" b "\t" $0 }' \
            "$run/$kind.on.$test.tsv"
    done
done >"$run/figures.tsv"
echo "$run/figures.tsv"
