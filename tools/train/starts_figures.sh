#!/bin/sh
# Metrics for the card of the model of start sites.
# SPDX-License-Identifier: MIT
#
#   tools/train/starts_figures.sh [-d DATA] [-o RUNS] [-s RESAMPLES] [MODEL...]
#
# DATA and RUNS are those of bins.sh and starts.sh. Each MODEL, the name of a model that
# comes with dnabird or a folder [starts regulatory], is scored on the validation part
# and, once, on the test part. `cnn` is the network of tools/bench/compare_starts.py:
# PYTHON, a python3 with torch and numpy, learns before and scores the parts, half an hour
# of one core. RUNS/starts_figures gets
#  - calls.tsv: EPDnew's start sites found at thresholds for 1, 5 and 20 false calls per
#    Mb, chosen on the validation part; the same for CpG islands. Intervals from
#    RESAMPLES [200];
#  - summits.tsv: at the thresholds for 1 and 5, the calls that have CAGE peaks within 500
#    bp on either strand; how many of these have one of their strand, and how many have the
#    nearest one on their strand; the median distance of a call's summit to the nearest
#    peak of its strand, and the share within 25 bp;
#  - random.tsv: calls per Mb of random sequence (random_dna.sh), 5 Mb of each kind.
# While weights are not final, PARTS=validation leaves the test part out. Finished steps
# are not repeated. Needs bgzip and samtools.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=200
take_options "$@"
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- starts regulatory
find_genome "$data"
dnabird=$(find_dnabird)
bins=$runs/bins run=$runs/starts_figures
parts=${PARTS:-validation test test_chr20}
cage=$data/annotation/hg19.cage_peak_phase1and2combined_counts.hESC3.tsv.gz
need_file "$bins/starts.bed"
need_file "$cage"
mkdir -p "$run"

genome=$run/genome.fa.gz
one_genome "$genome"
zcat "$cage" | cage_middles >"$run/cage.tsv"
awk '$1 == "chr20"' "$split/test.bed" >"$run/test_chr20.bed"
cp "$split/test.bed" "$split/validation.bed" "$run"

# calls WHO PART OPTIONS...
calls() {
    who=$1 part=$2
    shift 2
    [ "$part" = validation ] && how=--choose || how=--thresholds
    run "$dnabird" evaluate scan --set "$who/$part" -p "$bins/starts.bed" \
        -a "$bins/other.bed" -R "$run/$part.bed" --bootstrap "$steps" \
        "$how" "$run/$who.thresholds" "$@"
}

# summits WHO PART SCAN MERGE SITE, at the thresholds for 1 and 5 false calls per Mb of
# each strand
summits() {
    for asked in 1 5; do
        awk -F '\t' -v threshold="$(threshold_in "$run/$1.thresholds" "$asked")" \
            -v merge="$4" -v both=0 -v site="$5" -f "$here/tools/train/calls.awk" "$3" |
            awk -F '\t' -v OFS='\t' -v who="$1" -v part="$2" -v asked="$asked" \
                -f "$here/tools/train/summits.awk" "$run/cage.tsv" -
    done
}

# learn_cnn: scores of the parts by a convolution net on the windows of starts.sh -n
learn_cnn() {
    set --
    for part in $parts; do
        [ "$part" = test_chr20 ] || [ -s "$run/cnn.$part.tsv" ] ||
            set -- "$@" --scan "$run/$part.bed:$run/cnn.$part.tmp"
    done
    [ $# -gt 0 ] || return 0
    run "${PYTHON:-python3}" "$here/tools/bench/compare_starts.py" \
        -f "$chr20,$chr22,$chrx" --train "$runs/starts/train.bed" \
        --sites "$runs/starts/starts.bed" --other "$runs/starts/other.bed" \
        --updates 4000 "$@"
    for part in $parts; do
        [ ! -s "$run/cnn.$part.tmp" ] || mv "$run/cnn.$part.tmp" "$run/cnn.$part.tsv"
    done
}

for model; do
    who=${model##*/}
    if [ "$who" = cnn ]; then
        learn_cnn
        merge=100 site=40 # as of the model
    else
        merge=$("$dnabird" info "$model" | awk '$1 == "merge_bp" { print $2 }')
        site=$("$dnabird" info "$model" | awk '$1 == "site_bp" { print $2 }')
    fi
    echo "${merge:+merge = $merge}" >"$run/$who.toml"
    for part in $parts; do
        scanned=$run/$who.${part%_chr20}.tsv
        [ -s "$scanned" ] || {
            run "$dnabird" promoter -m "$model" -O windows --no-version \
                -R "$run/$part.bed" "$genome" >"$scanned.tmp"
            mv "$scanned.tmp" "$scanned"
        }
        [ -s "$run/$who.$part.calls.tsv" ] || {
            calls "$who" "$part" --settings "$run/$who.toml" "$scanned" \
                >"$run/$who.$part.tmp"
            mv "$run/$who.$part.tmp" "$run/$who.$part.calls.tsv"
        }
        [ "$part" = test_chr20 ] || # its windows are those of the test part
            summits "$who" "$part" "$scanned" "${merge:-0}" \
                "${site:-0}" >"$run/$who.$part.summits.tsv"
    done
done
for part in $parts; do
    [ -s "$run/islands.$part.calls.tsv" ] || {
        calls islands "$part" --intervals "$islands" -f "$genome" --scores cpg \
            -w 600 --stride 200 >"$run/islands.tmp"
        mv "$run/islands.tmp" "$run/islands.$part.calls.tsv"
    }
done
awk 'FNR > 1 || !n++' "$run"/*.calls.tsv >"$run/calls.tsv"
{
    printf 'model\tpart\tasked\tcalls\tnear\tstrand\tnearest\tmedian_bp\twithin_25\n'
    cat "$run"/*.summits.tsv
} >"$run/summits.tmp"
mv "$run/summits.tmp" "$run/summits.tsv"
for model; do
    who=${model##*/}
    [ -n "${PARTS:-}" ] || [ -s "$run/$who.random.tsv" ] || [ "$who" = cnn ] || {
        "$here/tools/train/random_dna.sh" -m "$model" -n 5 >"$run/random.tmp"
        awk -v OFS='\t' -v who="$who" '!/^#/ { print n++ ? who : "model", $0 }' \
            "$run/random.tmp" >"$run/$who.random.tsv"
    }
done
cat "$run/summits.tsv"
set -- "$run"/*.random.tsv # the net alone has none
[ -n "${PARTS:-}" ] || [ ! -e "$1" ] || awk 'FNR > 1 || !n++' "$@" |
    tee "$run/random.tsv"
