#!/bin/bash
# Make the table of all single-base changes of the demo's promoters again.
# SPDX-License-Identifier: MIT
#
#   tools/train/promoter_table.sh
#
# 60 bp before and 30 bp behind each start site of data/genome/chr20_demo_tss.bed are
# scored with data/models/activity: data/variants/chr20_demo_promoters.tsv.gz and its
# index. Needed after a change of the model, its background or the version. A minute.
set -euo pipefail
export LC_ALL=C
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

dnabird=$(find_dnabird)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v OFS='\t' '{
    before = $6 == "-" ? 30 : 60
    print $1, $2 - before, $3 + 90 - before }' "$here/data/genome/chr20_demo_tss.bed" |
    sort -k 1,1 -k 2,2n | awk -v OFS='\t' '
        NR > 1 && $1 == c && $2 <= e { if ($3 > e) e = $3; next }
        NR > 1 { print c, s, e }
        { c = $1; s = $2; e = $3 }
        END { print c, s, e }' >"$work/promoters.bed"
export DNABIRD_DATA=$here/data
run "$dnabird" mutate -f "$here/data/genome/chr20_demo.fa.gz" -R "$work/promoters.bed" \
    --no-version -F '*' -W -o "$work/chr20_demo_promoters.tsv.gz"
mv "$work"/chr20_demo_promoters.tsv.gz* "$here/data/variants"
