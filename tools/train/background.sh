#!/bin/sh
# What random changes do to the chromatin model's answers.
# SPDX-License-Identifier: MIT
#
#   tools/train/background.sh [-d DATA] [-o RUNS] [-s NUMBER] [MODEL]
#
# NUMBER random single-base changes [100000] in the train part (chr20 and chrX),
# two of three transitions, seed 1, scored by MODEL [RUNS/profiles/shipped],
# which keeps their quantiles: calibration.safetensors. Wants bgzip and samtools.
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
