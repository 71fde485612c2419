#!/bin/sh
# What random changes do to the chromatin model's answers.
# SPDX-License-Identifier: MIT
#
#   tools/train/background.sh [-d DATA] [-o RUNS] [-s NUMBER] [MODEL]
#
# NUMBER random single-base changes [100000] on chr20 of the train part, two of
# three transitions, seed 1, scored by MODEL [data/models/chromatin], which
# keeps their quantiles: calibration.safetensors.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

take_chromatin profiles 100000 "$@"
grep '^chr20' "$split/train.bed" >"$run/train20.bed"
run "$dnabird" variant background -m "$model" -f "$chr20" \
    -R "$run/train20.bed" -n "$steps" --seed 1 --json "$run/background.json"
