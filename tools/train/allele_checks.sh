#!/bin/bash
# Check e, z and the windows of the shipped models on variants of the 1000 Genomes Project.
# SPDX-License-Identifier: MIT
#
#   tools/train/allele_checks.sh [-d DATA] [-o RUNS] [-s EVERY]
#
# e and z: alleles of chr20:1-2 Mb with a frequency of .05 to .95, every EVERY-th [2]
# single-base change and all insertions and deletions: the share with e <= .05 (which is
# .05 for the random changes of the background) and the root of the mean square of z
# (1 there), by model and kind of label.
# windows: the alleles of data/variants/chr20_demo.vcf.gz, scored by `activity` in HepG2
# in windows that begin elsewhere: Spearman of both runs.
# Finished steps are not repeated. Results: RUNS/allele_checks/figures.tsv
# (data/figures/activity-checks.tsv).
set -euo pipefail
export LC_ALL=C
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=2
take_options "$@"
find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/allele_checks
mkdir -p "$run"
sites=$data/variants/1000G_phase3_chr20_1-2Mb_b37_sites.vcf.gz
need_file "$sites"
export DNABIRD_DATA=$here/data

# ---- e and z ---------------------------------------------------------------------------

[ -s "$run/common.vcf" ] || zcat "$sites" | awk -F '\t' -v every="$steps" '
    /^#/ { print; next }
    match($8, /(^|;)AF=[0-9.e-]+/) {
        f = substr($8, RSTART, RLENGTH); sub(/.*=/, "", f)
        if (f < .05 || f > .95 || $5 ~ /[,<]/) next
        if (length($4) != 1 || length($5) != 1 || ++n % every == 0) print
    }' >"$run/common.vcf"

# shares MODEL FEATURES: rows of e and z
shares() {
    [ -s "$run/$1.tsv" ] || run "$dnabird" variant -q -m "$1" -f "$chr20" -O tsv \
        --scores e,z -F "$2" --no-version -o "$run/$1.tsv" "$run/common.vcf"
    awk -F '\t' -v OFS='\t' -v model="$1" '
        /^# / { next }
        /^#/ {
            for (i = 1; i <= NF; i++)
                if ($i ~ /\/e$/) {
                    kind[i] = $i ~ /DNase/ ? "DNase" : $i ~ /CTCF/ ? "CTCF" : $i
                    sub(/\/e$/, "", kind[i])
                }
            next
        }
        $6 == "OK" {
            class = length($4) == length($5) ? "snv" : "indel"
            for (i in kind) {
                if ($i == ".") continue
                for (c = 0; c < 2; c++) {
                    k = kind[i] OFS (c ? class : "all")
                    n[k]++; few[k] += $i <= .05; square[k] += $(i + 1) * $(i + 1)
                }
            }
        }
        END { for (k in n) {
            print "e", model, k, n[k], few[k] / n[k]
            print "z", model, k, n[k], sqrt(square[k] / n[k]) } }' "$run/$1.tsv" | sort
}

# ---- windows -----------------------------------------------------------------------------

score() { # SHIFTS FILE NAME: the score in a column of this name
    [ -s "$2" ] || run "$dnabird" variant -q -m activity -O tsv --no-version \
        -f "$here/data/genome/chr20_demo.fa.gz" --shifts "$1" --tokens free \
        --scores diff -F HepG2 "$here/data/variants/chr20_demo.vcf.gz" |
        awk -F '\t' -v OFS='\t' -v name="$3" '
        /^# / { next }
        /^#/ { for (i = 1; i <= NF; i++) if ($i == "HepG2/diff") at = i
               print $1, $2, $3, $4, $5, name; next }
        $6 == "OK" { print $1, $2, $3, $4, $5, $at }' >"$2"
}

# windows NAME SHIFTS OTHER-SHIFTS: rows of Spearman
windows() {
    score "$2" "$run/$1.a.tsv" a
    score "$3" "$run/$1.b.tsv" b
    "$dnabird" evaluate variants -q --scores a --measured b \
        --measured-in "$run/$1.b.tsv" --bootstrap 0 --no-version "$run/$1.a.tsv" |
        awk -F '\t' -v OFS='\t' -v name="$2 : $3" '
        $1 == "pooled" && $4 == "a" && $5 == "spearman" {
            print "windows", "activity", name, $3, $9, $6 }'
}

{
    printf '# tools/train/allele_checks.sh\ncheck\tmodel\twhat\tclass\tn\tvalue\n'
    shares activity HepG2,K562,WTC11
    shares regulatory '*DNase*,*CTCF*,TSS+,TSS-'
    windows one 0 1
    windows moved 0/2d 1/2d
    windows moved3 0/2d 3/2d
    windows list 0/1,4,5 1/2,5,6
    windows four 0/4d 1/4d
    windows all 0,4/1,2,3,5,6,7 1,5/2,3,4,6,7,8
} >"$run/figures.tmp"
mv "$run/figures.tmp" "$run/figures.tsv"
cat "$run/figures.tsv"
