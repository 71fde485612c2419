#!/bin/sh
# Vocabulary and encoder of a small genome: yeast, 12 Mb.
# SPDX-License-Identifier: MIT
#
#   tools/train/yeast.sh [-d DATA] [-o RUNS] [-s STEPS]
#
# Training is on chromosomes I to XII except the last 178 kb of XII, which are for
# validation; XIII to XVI are the test, measured once, at the end. The architecture is
# that of human.json. RUNS/yeast keeps everything; finished steps are not repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

take_yeast yeast 400 "$@"

# The same regions as BED, for a command that takes no list of them.
[ -s "$run/train.bed" ] || zcat "$yeast" | awk -v list="$train" '
    BEGIN { n = split(list, want, ",")
            for (i = 1; i <= n; i++) { split(want[i], p, "[:-]")
                                       end[p[1]] = p[3] ? p[3] : -1 } }
    /^>/ { name = substr($1, 2); next }
    { long[name] += length($0) }
    END { for (c in end) print c "\t0\t" (end[c] < 0 ? long[c] : end[c]) }
' | sort >"$run/train.bed"
[ -s "$run/bpe32.json" ] || run "$dnabird" tokenizer train -v 32 \
    --strand both -R "$run/train.bed" -o "$run/bpe32.json" "$yeast"
pretrain_small "$run" "$run/bpe32.json" 2500 "$steps" --include "$train" \
    --valid-include "$valid" --test-include "$test" "$yeast"
[ -s "$run/test.tsv" ] || run "$dnabird" evaluate --mlm -m "$run/model" \
    -f "$yeast" -R "$test" --train-regions "$train" --window 1000 \
    --number 1500 --by-contig --seed 1 -o "$run/test.tsv"
