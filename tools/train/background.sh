#!/bin/sh
# Make the background of the chromatin window model: the effects of random changes.
# SPDX-License-Identifier: MIT
#
#   tools/train/background.sh [-d DATA] [-o RUNS] [-s NUMBER] [MODEL]
#
# MODEL [RUNS/profiles/shipped] scores NUMBER [100000] random single-base changes in
# the train part (chr20 and chrX), two of three transitions, seed 1. Their quantiles
# go into the model's calibration.safetensors. Needs bgzip and samtools.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

take_chromatin profiles 100000 "$@"
both=$run/GRCh37_chr20_chrX.fa.gz
if [ ! -s "$both.fai" ]; then
    zcat "$chr20" "$chrx" | bgzip >"$both"
    samtools faidx "$both"
fi
run "$dnabird" variant background -m "$model" -f "$both" \
    -R "$split/train.bed" -n "$steps" --seed 1 --json "$run/background.json"
