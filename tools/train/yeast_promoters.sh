#!/bin/sh
# Train a promoter model of yeast with species.sh: 12 Mb, an hour of two cores at most.
# SPDX-License-Identifier: MIT
#
#   tools/train/yeast_promoters.sh [-d DATA] [-o RUNS] [-s STEPS]
#
# Training is on chromosomes I to XI, validation on XII, and XIII to XVI are scored
# once, at the end. The start sites are those of DATA/promoters/yeast. All output is in
# RUNS/yeast_promoters.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=6000

take_options "$@"

data=$(find_data "$data")
yeast=$data/genomes/scerevisiae_R64-1-1_toplevel.fa.gz
need_file "$yeast"
run=$runs/yeast_promoters
mkdir -p "$run"
# BED's first base counts from 0, GTF's from 1.
[ -s "$run/genes.gtf" ] ||
    zcat "$data"/promoters/yeast/*adjustedTSS.bed.gz | awk -F '\t' -v OFS='\t' '
    { sub(/^chr/, "", $1)
      print $1, "TSS", "transcript", $2 + 1, $3, ".", $6, ".",
          "gene_id \"" $4 "\"; transcript_id \"" $4 "\";" }' >"$run/genes.gtf"
exec "$here/tools/train/species.sh" -f "$yeast" -g "$run/genes.gtf" -o "$run" \
    --train-contigs I,II,III,IV,V,VI,VII,VIII,IX,X,XI --valid-contigs XII \
    --test-contigs XIII,XIV,XV,XVI -s "$steps"
