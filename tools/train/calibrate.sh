#!/bin/sh
# Calibrate the window models shipped before on the validation part; measure on the test part.
# SPDX-License-Identifier: MIT
#
#   tools/train/calibrate.sh [-d DATA] [-o RUNS] [-p MODEL] [-c MODEL]
#
# DATA is that of scan.sh and profiles.sh. -p: the promoter model
# [RUNS/scan/shipped], fitted on all windows of chr20:40-50 Mb; -c: the chromatin
# model [RUNS/profiles/shipped], fitted on all bins of that part, with and without a
# peak. Both calibrations go into the folders' calibration.safetensors. Then both are
# measured on the test part, once. RUNS/calibrate keeps everything; finished steps are
# not repeated. It takes an hour of one core, mostly for chr22. REGIONS, a BED file,
# replaces the test part. calibrate_bins.sh is for models that predict bins.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs promoter='' chromatin=''

while getopts d:o:p:c:h letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    p) promoter=$OPTARG ;;
    c) chromatin=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/calibrate
promoter=${promoter:-$runs/scan/shipped}
chromatin=${chromatin:-$runs/profiles/shipped}
test=${REGIONS:-$split/test.bed}
peaks=$data/chromatin/peaks.bed.gz
tracks=$data/chromatin/tracks.tsv
need_file "$peaks"
need_file "$tracks"
mkdir -p "$run"
[ -s "$run/gencode_plus.bed" ] ||
    zcat "$gencode" | awk '$6 == "+"' >"$run/gencode_plus.bed"
[ -s "$run/profiles.tsv" ] ||
    name_profiles "$here/data/chromatin/deepsea_919.tsv" "$tracks" \
        >"$run/profiles.tsv"

# windows PART BED: raw outputs of all windows of a part
windows() {
    [ -s "$run/$1.windows.tsv" ] || {
        for fasta in "$chr20" "$chr22"; do
            contig=chr20
            [ "$fasta" = "$chr22" ] && contig=chr22
            grep -P "^$contig\t" "$2" >"$run/$1.$contig.bed" || continue
            "$dnabird" promoter -m "$promoter" --raw -O windows --no-version \
                -R "$run/$1.$contig.bed" "$fasta"
        done >"$run/$1.windows.tmp"
        mv "$run/$1.windows.tmp" "$run/$1.windows.tsv"
    }
}

# scan PART BED OPTIONS...: the reliability of its probabilities
scan() {
    part=$1 bed=$2
    shift 2
    [ -s "$run/promoter.$part.tsv" ] || {
        "$dnabird" evaluate scan -m "$promoter" --set "$part" -p "$epd" \
            -a "$run/gencode_plus.bed" -R "$bed" "$@" \
            "$run/$part.windows.tsv" >"$run/promoter.$part.tmp"
        mv "$run/promoter.$part.tmp" "$run/promoter.$part.tsv"
    }
}

windows validation "$split/validation.bed"
windows test "$test"
scan validation "$split/validation.bed" --calibrate \
    --choose "$run/promoter.thresholds"
scan test "$test" --thresholds "$run/promoter.thresholds"

# bins PART BED: all bins of a part
bins() {
    [ -s "$run/all.$1.tsv.zst" ] || run "$dnabird" dataset chromatin \
        -f "$chr20,$chr22" --profiles "$run/profiles.tsv" --keep class:TF \
        --background 1 --context 600 -R "$2" -o "$run/all.$1.tsv.zst" "$peaks"
}

# profiles PART OPTIONS...: metrics of every profile, and of all together
profiles() {
    part=$1
    shift
    [ -s "$run/chromatin.$part.tsv" ] || run "$dnabird" evaluate \
        -m "$chromatin" --test "$run/all.$part.tsv.zst" -f "$chr20,$chr22" \
        --min-positives 20 -O features -o "$run/chromatin.$part.tsv" \
        --json "$run/chromatin.$part.json" "$@"
}

bins validation "$split/validation.bed"
bins test "$test"
profiles validation --calibrate
profiles test
echo "$run"
