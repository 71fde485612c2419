#!/bin/sh
# Train the same model on long and on short windows: how much does context add?
# SPDX-License-Identifier: MIT
#
#   tools/train/twins.sh [-d DATA] [-o RUNS] [-s STEPS] [-t THREADS] [-r SEED] [WINDOW...]
#
# DATA and RUNS are those of bins.sh, whose `-n` has made RUNS/bins. For each WINDOW
# [600 8000], RUNS/twins/WINDOW.SEED is trained from random weights for STEPS [4000]
# updates on THREADS threads. The rows are the same: an update has four windows of 8 kb
# with 38 bins, or the 152 bins of four such windows with 200 bp on either side. There
# are no tables of short sequences. A quarter of the windows is cut to 300 to 2,000 bp,
# the default of `finetune bins`: of short windows few are, so the long ones have fewer
# bins to learn from.
# validation.WINDOW.SEED.tsv has the metrics of each label on all bins of that part,
# validation.figures.tsv medians by class. PART=test scores the test part in its place.
# Finished steps are not repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=4000 threads=1 seed=1 part=${PART:-validation}
while getopts d:o:s:t:r:h letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    s) steps=$OPTARG ;;
    t) threads=$OPTARG ;;
    r) seed=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- 600 8000

find_genome "$data"
dnabird=$(find_dnabird)
bins=$runs/bins run=$runs/twins
need_file "$bins/options"
mkdir -p "$run"

# ---- windows -----------------------------------------------------------------

# cut_windows NAME BED WINDOW BORDER: end to end, RUN/NAME.WINDOW/NAME.bed
cut_windows() {
    mkdir -p "$run/$1.$3"
    echo "border = $4" >"$run/$1.$3/border.toml"
    [ -s "$run/$1.$3/$1.bed" ] || "$dnabird" dataset bins -f "$chr20,$chr22,$chrx" \
        --window "$3" --margin 200 --bin 200 --settings "$run/$1.$3/border.toml" \
        --split "$1=$2" -o "$run/$1.$3"
}
around() {
    awk -v seed="$1" -v window=8000 -v border=4000 \
        -f "$here/tools/train/around.awk" "$split/train.bed" "$bins/$2.bed"
}
cut_windows train "$split/train.bed" 8000 4000
{
    cat "$run/train.8000/train.bed"
    for n in 31 32 33 34; do
        around "$n" factors
    done
    for n in 11 12 13 14; do
        around "$n" places
    done
} | awk '!/^#/ && ++n % 4 == 1' >"$run/train.8000.bed" # a pass in 4,172 updates
# The bins of the long windows, each with 200 bp on either side.
awk -v OFS='\t' '!/^#/ { for (at = $2; at + 600 <= $3; at += 200) print $1, at, at + 600 }' \
    "$run/train.8000.bed" >"$run/train.600.bed"

# ---- training ----------------------------------------------------------------

[ -s "$run/base.json" ] || "$dnabird" tokenizer kmer -k 1 -o "$run/base.json"
[ -d "$run/start.$seed" ] || "$dnabird" init --tokenizer "$run/base.json" \
    --config "$here/tools/train/bins.json" --seed "$seed" \
    --stem 15x128/5:relu,7x128/4:relu,5x128:relu,11x128+:gelu,11x128+:gelu \
    --branch-scale 0.3 --labels 1 --head bins -b 200 "$run/start.$seed"

# The settings of bins.sh, less those of this recipe.
grep -v -e '^batch' -e '^cut' -e '^checkpoint' "$here/tools/train/bins.toml" >"$run/settings.toml"

for window; do
    case $window in
    600) batch=152 ;;
    8000) batch=4 ;;
    *) die "windows have 600 or 8000 bp" ;;
    esac
    name=$window.$seed
    cut_windows validation "$split/validation.bed" "$window" 0
    cut_windows "$part" "$split/$part.bed" "$window" 0
    # Every tenth window, for the log: weights are averaged, none is chosen.
    awk 'NR % 10 == 1' "$run/validation.$window/validation.bed" >"$run/log.$window.bed"
    [ -s "$run/$name/dnabird.json" ] || logged "$run/$name.log" \
        "$dnabird" finetune bins --init "$run/start.$seed" --steps "$steps" \
        --train "$run/train.$window.bed" --valid "$run/log.$window.bed" \
        -f "$chr20,$chrx" --profiles "$bins/profiles.tsv" \
        --peaks "$data/chromatin/peaks.bed.gz" --sites "$bins/starts.bed" \
        --other-sites "$bins/other.bed" \
        --exclude "$data/annotation/hg19_blacklist.bed.gz" --bin 200 --margin 200 \
        --settings "$run/settings.toml" --batch "$batch" --lr 5e-3 --seed "$seed" \
        --validate-every "$((steps / 4))" --checkpoint-every 500 --no-baselines \
        --threads "$threads" --resume -o "$run/$name"
    [ -s "$run/$part.$name.tsv" ] || run "$dnabird" evaluate bins -m "$run/$name" \
        --windows "$run/$part.$window/$part.bed" -f "$chr20,$chr22" \
        --profiles "$bins/profiles.tsv" --peaks "$data/chromatin/peaks.bed.gz" \
        --sites "$bins/starts.bed" --other-sites "$bins/other.bed" \
        --exclude "$data/annotation/hg19_blacklist.bed.gz" --strand both \
        --threads "$threads" --min-positives 20 -O features \
        -o "$run/$part.$name.tsv"
done
{
    printf 'part\twindow\tclass\tlabels\trows\tauroc\tauprc\n'
    for f in "$run/$part".*.*.tsv; do
        window=${f#"$run/$part."}
        reach <"$f" | medians "$part" "${window%.tsv}" | cut -f 1-7 |
            grep -v '	other	'
    done
} >"$run/figures.tmp"
mv "$run/figures.tmp" "$run/$part.figures.tsv"
cat "$run/$part.figures.tsv"
