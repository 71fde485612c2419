#!/bin/sh
# Does pretraining help the promoter window model? Same rows, same budget, two starts.
# SPDX-License-Identifier: MIT
#
#   tools/train/scan_start.sh [-d DATA] [-o RUNS] [-s STEPS] [START ...]
#
# START: pretrained (RUNS/human/model of human.sh) or scratch (the same architecture
# and vocabulary, random weights); default: both. Rows are made as in scan.sh, fewer
# for validation. Weights are chosen on data/split/validation.bed;
# RUNS/start/PART.START.tsv has the metrics on the validation and the test rows,
# PART.shipped.tsv those of RUNS/scan/shipped of scan.sh. Finished steps are not
# repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=350

take_options "$@"
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- pretrained scratch

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/start
mkdir -p "$run"
scan_rows "$run" train "$split/train.bed" "$chr20,$chrx" 16 6
scan_rows "$run" validation "$split/validation.bed" "$chr20,$chrx" 1 16
scan_rows "$run" test "$split/test.bed" "$chr20,$chr22" 1 16

# rows_figures NAME MODEL: metrics on the labelled windows of both parts
rows_figures() {
    for part in validation test; do
        [ -s "$run/$part.$1.tsv" ] || run "$dnabird" evaluate -m "$2" \
            --test "$run/$part.tsv.gz" -o "$run/$part.$1.tsv"
    done
}
rows_figures shipped "$runs/scan/shipped"

# Random weights with the pretrained model's architecture and the usual spread.
spread='s/"initializer_range": [0-9.]*/"initializer_range": 0.02/'
[ -s "$run/scratch.json" ] || sed "$spread" \
    "$runs/human/model/config.json" >"$run/scratch.json"
[ -d "$run/scratch.start" ] || "$dnabird" init --config "$run/scratch.json" \
    --tokenizer "$runs/human/model/tokenizer.json" --random-blocks uniform \
    --seed 1 "$run/scratch.start"

for start; do
    case $start in
    pretrained) init=$runs/human/model ;;
    scratch) init=$run/scratch.start ;;
    *) die "no start '$start'; there are: pretrained scratch" ;;
    esac
    [ -s "$run/$start/dnabird.json" ] || logged "$run/$start.log" \
        "$dnabird" finetune \
        --init "$init" --dropout 0.1 --train "$run/train.tsv.gz" \
        --valid "$run/validation.tsv.gz" --steps "$steps" --batch 32 \
        --lr 3e-4 --warmup 0.1 --weight-decay 0.05 --average 0.998 \
        --validate-every 175 --window 600 --stride 200 --no-baselines --seed 1 \
        --resume -o "$run/$start"
    rows_figures "$start" "$run/$start"
done
