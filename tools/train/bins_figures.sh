#!/bin/sh
# Metrics for the card of a model that predicts bins.
# SPDX-License-Identifier: MIT
#
#   tools/train/bins_figures.sh [-d DATA] [-o RUNS] [-s RESAMPLES] [MODEL]
#
# DATA and RUNS are those of bins.sh and calibrate_bins.sh, whose results are read.
# MODEL [RUNS/calibrate_bins/regulatory] is scored on the validation part and, once,
# on the test part:
#  - labels.tsv: medians of AUROC and AUPRC by class; on all bins for all tracks
#    (`TF`: the factors of DeepSEA's list, `TF+`: all factors), and on the bins with a
#    factor for the labels of DeepSEA's list, with intervals from RESAMPLES [200] of
#    the bins;
#  - context.tsv: medians by class on all bins of the validation part and of the test
#    part on chr20 (chr22 has no long windows), with windows of 600 bp, 1, 2, 4 and 8 kb;
#  - probabilities.tsv: for each interval of probability the number of predictions and
#    the observed frequency; Brier score and calibration error;
#  - calls.tsv: start sites found at 1, 5 and 20 false calls per Mb; the same for CpG
#    islands and, if scan.sh has made it, for the k-mers of RUNS/scan.
# VALIDATION and REGIONS, BED files, replace the two parts. While weights are not
# final, PARTS=validation leaves the test parts out. Finished steps are not repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=200
take_options "$@"
shift $((OPTIND - 1))
find_genome "$data"
dnabird=$(find_dnabird)
bins=$runs/bins given=$runs/calibrate_bins run=$runs/bins_figures
model=${1:-$given/regulatory} genome=$given/genome.fa.gz
validation=${VALIDATION:-$split/validation.bed} test=${REGIONS:-$split/test.bed}
parts=${PARTS:-validation test test_chr20}
blacklist=$data/annotation/hg19_blacklist.bed.gz
mkdir -p "$run"
need_file "$model/dnabird.json"
need_file "$genome"
# fact NAME: a number of MODEL, as `info` shows it
fact() {
    "$dnabird" info "$model" | awk -v name="$1" '$1 == name { print $2 }'
}
margin=$(fact margin_bp) width=$(fact window) stride=$(fact stride)
awk '$1 == "chr20"' "$test" >"$run/test_chr20.bed"

# labels of DeepSEA's list, and regions that are not bins with a factor
awk -F '\t' 'NR == 1 || $7 != "."' "$bins/profiles.tsv" >"$run/deepsea.tsv"
{
    zcat "$blacklist"
    zcat "$data/chromatin/bins200_tf_positive.tsv.gz" |
        awk -v OFS='\t' '
            FNR == NR { if (!/^#/) has[$1, $2]; next }
            /^#/ { next }
            { for (at = int($2 / 200) * 200; at < $3; at += 200)
                if (!(($1, at) in has)) print $1, at, at + 200 }
        ' - "$validation" "$test"
} >"$run/not_factor.bed"

# score NAME REGIONS WINDOW PROFILES EXCLUDE RESAMPLES: every label
score() {
    windows=$run/windows.$3/${2##*/}
    [ -s "$windows" ] || "$dnabird" dataset bins -f "$genome" --bin 200 \
        --window "$3" --margin "$margin" --split "$(basename "$2" .bed)=$2" \
        -o "$run/windows.$3"
    [ -s "$run/$1.json" ] || rm -f "$run/$1.tsv" # of before both were written
    [ -s "$run/$1.tsv" ] || run "$dnabird" evaluate bins -m "$model" \
        --windows "$windows" -f "$genome" --profiles "$4" \
        --peaks "$data/chromatin/peaks.bed.gz" --sites "$bins/starts.bed" \
        --other-sites "$bins/other.bed" --exclude "$5" --min-positives 20 \
        --bootstrap "$6" -O features -o "$run/$1.tsv" --json "$run/$1.json"
}

# classes PART BINS: medians with intervals, of the output of score()
classes() {
    awk -F '\t' -v OFS='\t' -v part="$1" -v bins="$2" '
        !("label" in at) && !/^#/ { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == "all" && $2 ~ /^median:/ && $8 > 0 {
            print part, bins, $4, $8, $9, $11, $12, $13, $14, $15, $16,
                ("k-mers_auroc" in at) ? $at["k-mers_auroc"] : "NA",
                ("k-mers_auprc" in at) ? $at["k-mers_auprc"] : "NA"
        }' "$run/$1.$2.tsv"
}

# with_na: medians with the columns of intervals, which they do not have
with_na() {
    awk -v OFS='\t' -F '\t' '{ $6 = $6 OFS "NA" OFS "NA"; $7 = $7 OFS "NA" OFS "NA"
        if (NF < 9) $8 = "NA" OFS "NA"
        print }'
}

header='part\tbins\tclass\tlabels\trows\tauroc\tlo\thi\tauprc\tlo\thi\tkmers_auroc\tkmers_auprc\n'
cp "$validation" "$run/validation.bed"
cp "$test" "$run/test.bed"
{
    # shellcheck disable=SC2059 # the header has tabs
    printf "$header"
    for part in $parts; do
        score "$part.all" "$run/$part.bed" "$width" "$bins/profiles.tsv" \
            "$blacklist" 0
        score "$part.factor" "$run/$part.bed" "$width" "$run/deepsea.tsv" \
            "$run/not_factor.bed" "$steps"
        medians "$part" all <"$run/$part.all.tsv" | with_na
        classes "$part" factor
    done
} >"$run/labels.tmp"
mv "$run/labels.tmp" "$run/labels.tsv"

{
    # shellcheck disable=SC2059
    printf "$header"
    for part in validation test_chr20; do
        case " $parts " in *" $part "*) ;; *) continue ;; esac
        for window in 600 1000 2000 4000 8000; do
            score "$part.$window" "$run/$part.bed" "$window" \
                "$bins/profiles.tsv" "$blacklist" 0
            reach <"$run/$part.$window.tsv" | medians "$part" "$window" |
                with_na | grep -v '	other	'
        done
    done
} >"$run/context.tmp"
mv "$run/context.tmp" "$run/context.tsv"

{
    printf 'part\tbrier\tece\tlo\thi\tanswers\tprobability\tobserved\n'
    for part in $parts; do
        jq -r --arg part "$part" '.reliability | . as $all | .bins[]? |
            select(.rows > 0) | [$part, $all.brier, $all.ece, .lo, .hi, .rows,
                .mean_probability, .observed] | @tsv' "$run/$part.all.json"
    done
} >"$run/probabilities.tmp"
mv "$run/probabilities.tmp" "$run/probabilities.tsv"

# calls WHO PART OPTIONS...: thresholds are chosen on validation
calls() {
    who=$1 part=$2
    shift 2
    if [ "$part" = validation ]; then
        set -- --choose "$run/$who.thresholds" "$@"
    else
        set -- --thresholds "$run/$who.thresholds" "$@"
    fi
    run "$dnabird" evaluate scan --set "$who/$part" -p "$bins/starts.bed" \
        -a "$bins/other.bed" -R "$run/$part.bed" "$@"
}
baseline=$runs/scan/model/baseline.safetensors
[ -s "$run/calls.tsv" ] || {
    for part in $parts; do
        scanned=$run/scan.${part%_chr20}.tsv
        [ -s "$scanned" ] || {
            run "$dnabird" promoter -m "$model" -O windows --no-version \
                ${stride:+-s "$stride"} -R "$run/$part.bed" "$genome" \
                >"$scanned.tmp"
            mv "$scanned.tmp" "$scanned"
        }
        calls model "$part" "$scanned"
        calls islands "$part" --intervals "$islands" -f "$genome" --scores cpg \
            -w 600 --stride 200
        [ ! -s "$baseline" ] || calls kmers "$part" --baseline "$baseline" \
            -f "$genome" -w 600 --stride 200
    done >"$run/calls.tmp"
    mv "$run/calls.tmp" "$run/calls.tsv"
}
cat "$run/labels.tsv" "$run/context.tsv"
