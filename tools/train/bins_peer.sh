#!/bin/sh
# The small CNN on the same rows as the model that predicts bins.
# SPDX-License-Identifier: MIT
#
#   tools/train/bins_peer.sh [-d DATA] [-o RUNS] [-s PASSES] [-t THREADS]
#
# DATA is that of profiles.sh. The CNN of tools/bench/compare_cnn.py is trained for
# PASSES [10] passes over the rows of profiles.sh (RUNS/profiles/sets, bins with a
# factor); $PYTHON [python3] has PyTorch. The pass with the best validation metrics is
# scored on all bins of the validation part and, once, on the bins with a factor and
# all bins of the test part: RUNS/bins_peer/peer.tsv, medians by class over labels
# with 20 positives or more. Finished steps are not repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs passes=10 threads=1
while getopts d:o:s:t:h letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    s) passes=$OPTARG ;;
    t) threads=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/bins_peer sets=$runs/profiles/sets
mkdir -p "$run"
"$here/tools/train/profiles.sh" -d "$data" -o "$runs" -n

# all bins of two parts, as rows
[ -s "$run/all/test.tsv.zst" ] || run "$dnabird" dataset chromatin \
    -f "$chr20,$chr22,$chrx" --profiles "$runs/profiles/profiles.tsv" \
    --keep class:TF --background 1 \
    --split "validation=$split/validation.bed,test=$split/test.bed" \
    -o "$run/all" "$data/chromatin/peaks.bed.gz"

# cnn OPTIONS...
cnn() {
    run "${PYTHON:-python3}" "$here/tools/bench/compare_cnn.py" \
        --train "$sets/train.tsv.zst" --valid "$sets/validation.tsv.zst" \
        -f "$chr20,$chr22,$chrx" --features index:0-918 --passes "$passes" \
        --threads "$threads" -o "$run/cnn" "$@"
}

# score NAME ROWS
score() {
    [ -s "$run/$1.tsv" ] || {
        cnn --test "$2"
        mv "$run/cnn/test.tsv" "$run/$1.tsv"
    }
}
score validation.all "$run/all/validation.tsv.zst"
score test.factor "$sets/test.tsv.zst"
score test.all "$run/all/test.tsv.zst"
cp "$run/cnn/validation.tsv" "$run/validation.factor.tsv"

{
    printf 'part\tbins\tclass\tlabels\trows\tauroc\tauprc\n'
    for part in validation test; do
        for bins in all factor; do
            medians "$part" "$bins" <"$run/$part.$bins.tsv"
        done
    done
} >"$run/peer.tsv"
cat "$run/peer.tsv"
