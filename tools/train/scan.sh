#!/bin/sh
# Train, evaluate and package the promoter window model, which was shipped before the
# model that predicts bins (bins.sh).
# SPDX-License-Identifier: MIT
#
#   tools/train/scan.sh [-d DATA] [-o RUNS] [-m MODEL]
#
# DATA has genomes/, promoters/EPDnew/ and annotation/ (GRCh37). Training windows come
# from data/split/train.bed, thresholds and the choice of weights from
# data/split/validation.bed; data/split/test.bed is scored once, at the end. RUNS/scan
# keeps everything; MODEL [RUNS/scan/shipped] is the folder that was shipped, which
# calibrate.sh then calibrates. Finished steps are not repeated; training continues
# from its checkpoint.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs model=''

while getopts d:o:m:h letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    m) model=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/scan
model=${model:-$run/shipped}
mkdir -p "$run"

scan_rows "$run" train "$split/train.bed" "$chr20,$chrx" 16 6
scan_rows "$run" validation "$split/validation.bed" "$chr20,$chrx" 4 16

grep -P '^chr20\t' "$split/train.bed" >"$run/train20.bed"
[ -s "$run/tokenizer.json" ] || "$dnabird" tokenizer train -v 512 \
    --strand both -R "$run/train20.bed" -o "$run/tokenizer.json" "$chr20"

[ -s "$run/model/dnabird.json" ] || "$dnabird" finetune \
    --train "$run/train.tsv.gz" --valid "$run/validation.tsv.gz" \
    --config "$here/tools/train/scan.json" --tokenizer "$run/tokenizer.json" \
    --steps 2500 --batch 32 --lr 8e-4 --warmup 0.06 --weight-decay 0.05 \
    --average 0.998 --validate-every 500 --window 600 --stride 200 --seed 1 --resume \
    -o "$run/model"

# The weights to ship: bfloat16. All steps below use them.
"$dnabird" export --weights bfloat16 "$run/model" "$run/small"

# windows PART BED FASTA...: every window of a part with its probability
windows() {
    part=$1 bed=$2
    shift 2
    [ -s "$run/$part.windows.tsv" ] || {
        for fasta; do
            case $fasta in
            *chr22*) contig=chr22 ;;
            *) contig=chr20 ;;
            esac
            grep -P "^$contig\t" "$bed" >"$run/$part.$contig.bed" || continue
            "$dnabird" promoter -m "$run/small" -O windows --no-version \
                -R "$run/$part.$contig.bed" "$fasta"
        done >"$run/$part.windows.tmp"
        mv "$run/$part.windows.tmp" "$run/$part.windows.tsv"
    }
}

# figures SET OPTIONS...: recall of EPDnew's start sites in a scan
figures() {
    set=$1
    shift
    "$dnabird" evaluate scan --set "$set" -p "$epd" -a "$run/gencode_plus.bed" \
        "$@"
}

windows validation "$split/validation.bed" "$chr20"
windows test "$split/test.bed" "$chr20" "$chr22"
{
    for who in model floor islands; do
        for part in validation test test_chr20; do
            use=$run/$part.windows.tsv
            [ $part = test_chr20 ] && use=$run/test.windows.tsv
            fasta=$chr20
            [ $part = test ] && fasta=$chr20,$chr22
            case $who in
            model) set -- "$use" ;;
            floor) set -- --baseline "$run/model/baseline.safetensors" \
                -f "$fasta" -w 600 --stride 200 ;;
            islands) set -- --intervals "$islands" -f "$fasta" --scores cpg \
                -w 600 --stride 200 ;;
            esac
            if [ $part = validation ]; then
                figures "$who/$part" -R "$split/$part.bed" \
                    --choose "$run/$who.thresholds" "$@"
            else
                figures "$who/$part" -R "$split/$part.bed" \
                    --thresholds "$run/$who.thresholds" "$@"
            fi
        done
    done
} >"$run/figures.tsv"

"$dnabird" export --weights bfloat16 --thresholds "$run/model.thresholds" \
    --selftest "$here/data/genome/chr20_demo.fa.gz" \
    --facts "$here/tools/train/scan_facts.json" "$run/model" "$model"
echo "$run/figures.tsv"
