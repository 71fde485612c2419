#!/bin/bash
# Evaluate the rank mean of two models on alleles, and each of its parts.
# SPDX-License-Identifier: MIT
#
#   tools/train/combined.sh [-d DATA] [-o RUNS] [-s CHANGES] [LABELS [MASKED]]
#
# LABELS [data/models/regulatory] and MASKED [data/training/human] score the alleles
# that zero_shot_scores.sh sampled from the saturation mutagenesis (run it first, with
# the same RUNS). MASKED gets a background of CHANGES [2000] random single-base
# changes in the train part, one window each; LABELS has its own. Elements have
# 2,000 N on either side, as in mpra.sh. The script compares the sizes of the largest
# difference, of the log-likelihood ratio and of the distance, and `combined` of the
# label with the largest difference. Weights are equal, and nothing is chosen.
# RUNS/combined/table.tsv (data/figures/variants-combined.tsv).
set -euo pipefail
export LC_ALL=C
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=2000
take_options "$@"
shift $((OPTIND - 1))
find_genome "$data"
labels=${1:-$here/data/models/regulatory}
masked=${2:-$here/data/training/human}
dnabird=$(find_dnabird)
from=$runs/zero_shot_scores run=$runs/combined
around=2000
need_file "$from/mpra_choose.vcf"
mkdir -p "$run"

if [ ! -s "$run/masked/calibration.safetensors" ]; then
    [ -d "$run/masked" ] || cp -r "$masked" "$run/masked"
    one_genome "$run/genome.fa.gz"
    run "$dnabird" variant background -t 1 -m "$run/masked" -f "$run/genome.fa.gz" \
        -R "$split/train.bed" -n "$steps" --others 0 --seed 1 --shifts 0 --tokens free
fi
[ -s "$run/padded.fa" ] || padded $around "$from/own.fa" >"$run/padded.fa"

# columns NAMES: the allele, its position in the element, and these columns
columns() {
    awk -F '\t' -v OFS='\t' -v n=$around -v names="$1" '
        /^# / { next }
        /^#/ { for (i = 1; i <= NF; i++) at[$i] = i
               m = split(names, name, " ")
               printf "#CHROM\tPOS\tREF\tALT"
               for (i = 1; i <= m; i++) printf "\t%s", name[i]
               print ""; next }
        $at["STATUS"] == "OK" {
            printf "%s\t%d\t%s\t%s", $1, $2 - n, $4, $5
            for (i = 1; i <= m; i++) printf "\t%s", $at[name[i]]
            print "" }'
}

for part in choose report; do
    [ -s "$run/$part.vcf" ] || awk -F '\t' -v OFS='\t' -v n=$around '
        !/^#/ { $2 += n } { print }' "$from/mpra_$part.vcf" >"$run/$part.vcf"
    [ -s "$run/$part.both" ] || {
        run "$dnabird" variant -q -t 1 -m "$labels" --zero-shot "$run/masked" \
            -f "$run/padded.fa" -O tsv --max-n 1 "$run/$part.vcf" |
            columns 'max_diff max_combined' >"$run/$part.new"
        mv "$run/$part.new" "$run/$part.both"
    }
    [ -s "$run/$part.masked" ] || {
        run "$dnabird" variant -q -t 1 -m "$run/masked" -f "$run/padded.fa" \
            -O tsv --max-n 1 --scores llr,distance "$run/$part.vcf" |
            columns 'llr distance' >"$run/$part.new"
        mv "$run/$part.new" "$run/$part.masked"
    }
    awk -F '\t' -v OFS='\t' '
        { k = $1 OFS $2 OFS $3 OFS $4 }
        FNR == NR { more[k] = $5 OFS $6; next }
        k in more { print $0, more[k] }' "$run/$part.masked" "$run/$part.both" \
        >"$run/$part.tsv"
    run "$dnabird" evaluate variants -q -t 1 --no-version --scores '*' --seed 1 \
        --measured MPRA --measured-in "$from/measured.vcf" --min-effect 0.2 \
        --settings "$here/tools/train/mpra.toml" \
        --groups "$from/groups.tsv" -f "$from/own.fa" -o "$run/$part.figures.tsv" \
        "$run/$part.tsv"
done
for part in choose report; do
    awk -F '\t' -v OFS='\t' -v part=$part '
        NR == 1 { print "part", $0 }
        $1 == "mean" && $3 == "snv" &&
            ($5 == "auroc" || $5 == "auprc" || $5 == "spearman_abs") { print part, $0 }' \
        "$run/$part.figures.tsv"
done | awk '!/^part\t/ || !n++' >"$run/table.tsv"
cat "$run/table.tsv"
