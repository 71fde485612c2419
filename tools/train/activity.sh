#!/bin/bash
# A model of measured activity: learned from reporter assays, chosen by alleles.
# SPDX-License-Identifier: MIT
#
#   tools/train/activity.sh [-d DATA] [-o RUNS] [-s STEPS] [-t THREADS]
#
# DATA/mpra/lentimpra_200bp.tsv.gz has 79,833 sequences of 200 bp with their activity
# in HepG2, K562 and WTC11 (lentiMPRA, Agarwal et al. 2025; rows that share 32 bases
# with the variant sets are left out of it). A tenth of the sequences, both orientations
# together, validates. A stem of five convolutions at single bases, one encoder layer
# and a head on maximum and mean learn the three values for STEPS [4000] updates of 128
# rows. Then every single-base change of the elements HBG1, LDLR, SORT1 and ZRS
# (saturation mutagenesis), which choose models, is scored on both strands: `matched` is
# the difference in the cell of the experiment (HepG2 for LDLR and SORT1, K562 for HBG1),
# or the mean of the three. Finished steps are not repeated.
#
# Results: RUNS/activity/model, its validation.tsv and training.tsv, and
# RUNS/activity/choose.tsv: correlation with measured effects, element by element.
set -euo pipefail
export LC_ALL=C
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=4000 threads=1
while getopts d:o:s:t:h letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    s) steps=$OPTARG ;;
    t) threads=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done
data=$(find_data "$data")
dnabird=$(find_dnabird)
run=$runs/activity
rows=$data/mpra/lentimpra_200bp.tsv.gz
elements=$data/variants/mpra/mpra_elements
for f in "$rows" "$elements.fa" "$elements.vcf.gz"; do
    need_file "$f"
done
mkdir -p "$run"

# ---- learning ----------------------------------------------------------------

[ -s "$run/base.json" ] || "$dnabird" tokenizer kmer -k 1 -o "$run/base.json"
[ -s "$run/config.json" ] ||
    sed 's/"hidden_size": 128/"hidden_size": 96/
        s/"intermediate_size": 256/"intermediate_size": 192/
        s/"num_hidden_layers": 2/"num_hidden_layers": 1/' \
        "$here/tools/train/bins.json" >"$run/config.json"
[ -d "$run/start" ] || "$dnabird" init --tokenizer "$run/base.json" \
    --config "$run/config.json" --branch-scale 0.3 --labels 3 --head maxmean -w 200 \
    --stem 11x160:relu,7x96/2:relu,7x96/2+:relu,7x96/2+:relu,7x96+:relu "$run/start"
[ -s "$run/model/dnabird.json" ] || logged "$run/model.log" \
    "$dnabird" finetune --train "$rows" --values HepG2,K562,WTC11 --valid-fraction 0.1 \
    --init "$run/start" --head maxmean --window 200 --steps "$steps" --batch 128 \
    --optimizer muon --lr 5e-3 --warmup 0.05 --average 0.995 --dropout 0.1 \
    --strand both --shift 10 --settings "$here/tools/train/activity.toml" \
    --no-baselines --validate-every 400 --seed 1 -t "$threads" --resume -o "$run/model"

# ---- alleles of the elements that choose --------------------------------------

[ -s "$run/choose.vcf" ] || zcat "$elements.vcf.gz" | awk -F '\t' '
    /^#/ || $1 ~ /^(HBG1|LDLR|SORT1|ZRS)/ && length($4) == 1 && length($5) == 1
    ' >"$run/choose.vcf"
[ -s "$run/elements.fa" ] || sed 's/ .*//' "$elements.fa" >"$run/elements.fa"
awk '/^>(LDLR|SORT1|ZRS)/ { name = substr($0, 2)
    print name "\t" (name ~ /^ZRS/ ? "ZRS" : name ~ /^LDLR/ ? "LDLR" : "SORT1") }' \
    "$run/elements.fa" >"$run/groups.tsv"
[ -s "$run/alleles.tsv" ] || run "$dnabird" variant -q -t "$threads" -m "$run/model" \
    -f "$run/elements.fa" --strand both --shifts 0 --tokens free --scores diff \
    -F HepG2,K562,WTC11 -O tsv --no-version -o "$run/alleles.tsv" "$run/choose.vcf"
awk -F '\t' -v OFS='\t' '
    /^#/ {
        for (i = 1; i <= NF; i++) at[$i] = i
        print $1, $2, $3, $4, $5, "matched"
        next
    }
    {
        h = $at["HepG2/diff"]; k = $at["K562/diff"]; w = $at["WTC11/diff"]
        x = $1 ~ /^(LDLR|SORT1)/ ? h : $1 ~ /^HBG1/ ? k : (h + k + w) / 3
        print $1, $2, $3, $4, $5, $at["STATUS"] == "OK" ? x : "."
    }' "$run/alleles.tsv" >"$run/matched.tsv"
run "$dnabird" evaluate variants -q -t "$threads" --no-version --measured MPRA \
    --measured-in "$run/choose.vcf" --min-effect 0.2 \
    --settings "$here/tools/train/mpra.toml" --groups "$run/groups.tsv" \
    -f "$run/elements.fa" --scores matched --seed 1 -o "$run/choose.tsv" \
    "$run/matched.tsv"
cat "$run/model/validation.tsv"
awk -F '\t' '$1 == "mean"' "$run/choose.tsv"
