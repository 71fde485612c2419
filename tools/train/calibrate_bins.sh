#!/bin/sh
# Make the folder to ship from a model that predicts bins: small weights, thresholds,
# calibration, background, golden answers.
# SPDX-License-Identifier: MIT
#
#   tools/train/calibrate_bins.sh [-d DATA] [-o RUNS] [-s NUMBER] MODEL [NAME]
#
# MODEL comes from `finetune bins`: that of bins.sh, or with NAME `starts` that of
# starts.sh. DATA is that of these recipes; bins.sh makes labels and start sites if
# RUNS/bins has none. RUNS/calibrate_bins/regulatory, or RUNS/calibrate_starts/starts, to
# be copied to data/models, is MODEL in bfloat16, compressed, with
#  - thresholds of promoter calls by false calls per Mb, from a scan of the
#    validation part (the default: 5);
#  - the calibration of probabilities, fitted on all bins of that part;
#  - of `regulatory`, a background of NUMBER [100000] random single-base changes in the
#    train part, and 4/90 of that of each class of other changes, in windows of 1,000
#    bp at the starts 0,3/5d, which `variant` then takes too;
#  - golden answers, README.md, and the facts of NAME.json.
# A folder of more than 16 MB is refused. The test part is not used here, but in
# bins_figures.sh. VALIDATION, a BED file, replaces the validation part. Finished
# steps are not repeated: for other weights use another RUNS or an empty
# RUNS/calibrate_bins. Needs bgzip and samtools.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=100000
take_options "$@"
shift $((OPTIND - 1))
source=${1:-} name=${2:-regulatory} merge=
case $#$name in
[12]regulatory) labels=$runs/bins ;;
2starts) labels=$runs/starts merge=100 ;;
*) usage 2 >&2 ;;
esac
find_genome "$data"
dnabird=$(find_dnabird)
bins=$runs/bins run=$runs/calibrate_bins
[ "$name" = regulatory ] || run=$runs/calibrate_$name
[ "$name" = starts ] || need_file "$source/baseline.safetensors" # it ships too
model=$run/$name demo=$here/data/genome/chr20_demo.fa.gz
most_mb=16
mkdir -p "$run"
[ -s "$bins/options" ] ||
    "$here/tools/train/bins.sh" -d "$data" -o "$runs" -n
tracks='' # a model of start sites alone has none
[ "$("$dnabird" info "$source" | awk '$1 == "labels" { print $2 + 0 }')" -le 2 ] ||
    tracks=$labels/profiles.tsv
[ -z "$tracks" ] || need_file "$tracks"
validation=${VALIDATION:-$split/validation.bed}

# fact NAME: a number of MODEL, as `info` shows it
fact() {
    "$dnabird" info "$source" | awk -v name="$1" '$1 == name { print $2 }'
}
bin=$(fact bin) window=$(fact window) margin=$(fact margin_bp)
stride=$(fact stride)

# One file of all contigs, for scans and changes.
genome=$run/genome.fa.gz
one_genome "$genome"

# scan PART BED FOLDER OPTIONS...: all bins of a part
scan() {
    part=$1 bed=$2 folder=$3
    shift 3
    [ -s "$run/$part.tsv" ] || {
        run "$dnabird" promoter -m "$folder" -O windows --no-version \
            ${stride:+-s "$stride"} -R "$bed" "$@" "$genome" >"$run/$part.tmp"
        mv "$run/$part.tmp" "$run/$part.tsv"
    }
}

# calls PART BED OPTIONS...: recall of EPDnew's sites at false calls per Mb
calls() {
    part=$1 bed=$2
    shift 2
    echo "${merge:+merge = $merge}" >"$run/calls.toml"
    run "$dnabird" evaluate scan --set "$part" -p "$bins/starts.bed" \
        -a "$bins/other.bed" -R "$bed" --settings "$run/calls.toml" "$@" \
        "$run/$part.tsv" >"$run/calls.$part.tsv"
}

# answers PART BED OPTIONS...: metrics of every label in all bins of a part
answers() {
    part=$1 bed=$2
    shift 2
    [ -s "$run/windows/$part.bed" ] || run "$dnabird" dataset bins \
        -f "$genome" --bin "$bin" --window "$window" --margin "$margin" \
        --split "$part=$bed" -o "$run/windows"
    [ -s "$run/labels.$part.tsv" ] || run "$dnabird" evaluate bins \
        -m "$model" --windows "$run/windows/$part.bed" -f "$genome" \
        ${tracks:+--profiles "$tracks" --peaks "$data/chromatin/peaks.bed.gz"} \
        --sites "$labels/starts.bed" \
        --other-sites "$labels/other.bed" \
        --exclude "$data/annotation/hg19_blacklist.bed.gz" \
        --min-positives 20 -O features -o "$run/labels.$part.tsv" \
        --json "$run/labels.$part.json" "$@"
}

# The weights to ship: all steps below use them.
[ -s "$run/small/dnabird.json" ] ||
    run "$dnabird" export --weights bfloat16 --compress "$source" "$run/small"
scan validation "$validation" "$run/small" --raw
[ -s "$run/thresholds" ] ||
    calls validation "$validation" --choose "$run/thresholds"
[ -s "$model/dnabird.json" ] || run "$dnabird" export --weights bfloat16 \
    --compress --thresholds "$run/thresholds" --fp-per-mb 5 \
    --facts "$here/tools/train/$name.json" --selftest "$demo" \
    "$source" "$model"
answers validation "$validation" --calibrate
[ "$name" != regulatory ] || [ -s "$run/background.json" ] ||
    run "$dnabird" variant background -m "$model" -f "$genome" -R "$split/train.bed" -n "$steps" -w 1000 \
    --shifts 0,3/5d --others $((steps * 4 / 90)) --seed 1 \
    --json "$run/background.json"

# The shipped folder must be complete and small, and compute its golden answers.
cp "$here/tools/train/$name.md" "$model/README.md"
run "$dnabird" info --verify "$model" >&2
run "$dnabird" info --selftest "$model" >&2
size=$(cat "$model"/* | wc -c)
echo "$model: $size bytes" >&2
[ "$size" -le $((most_mb * 1000 * 1000)) ] ||
    die "$model: $size bytes are more than $most_mb MB"

echo "$model"
