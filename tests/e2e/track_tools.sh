#!/bin/bash
# tabix, bgzip and bedtools read every format of track as it is; prints TAP.
# SPDX-License-Identifier: MIT
#
#   track_tools.sh WRITE_TRACKS
set -u
. "$(dirname "$0")/../support/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check NAME WANTED COMMAND...: it prints that, errors with it
check() { prints "$1" "$2" all_of "${@:3}"; }
all_of() { "$@" 2>&1; }

count() { "$@" | wc -l; }

"$1" "$work" || { echo "Bail out! the tracks were not written"; exit 1; }
cd "$work" || exit 1
printf 'chrB\t2000000\nchrA\t1000000\n' >genome
printf 'chrB\t1000\t1600\nchrA\t10\t20\n' >q.bed

check "gzip reads a bgzipped track" "" \
    bash -c 'gzip -dc i.bed.gz | cmp - x.bed'
with tabix check "tabix finds rows of a BED" 2 count tabix i.bed.gz chrB:1300-1501
with tabix check "tabix passes over the header" 5 count tabix -H i.bed.gz
with tabix check "tabix finds rows of a bedGraph" 2 \
    count tabix i.bedgraph.gz chrA:1-501
with tabix check "tabix finds rows of a windows table" 2000 \
    count tabix i.tsv.gz chrA
with tabix check "tabix lists the contigs in their order" $'chrB\nchrA' \
    tabix -l i.bed.gz
with tabix check "tabix reads a .csi beyond 2^29" 1 \
    count tabix ilong.bed.gz chrB:700000501-700000502
with tabix check "tabix indexes a track compressed afterwards" 2 bash -c \
    'bgzip -c x.tsv >y.tsv.gz && tabix -f -p bed y.tsv.gz &&
     tabix y.tsv.gz chrB:1300-1501 | wc -l'
with bedtools check "bedtools intersect -sorted -g" 3 bash -c \
    'bedtools intersect -sorted -g genome -a x.bed -b q.bed | wc -l'
with bedtools check "bedtools keeps all columns" 8 bash -c \
    'bedtools intersect -sorted -g genome -u -a i.bed.gz -b q.bed |
     awk -F"\t" "NR == 1 { print NF }"'
with bedtools check "bedtools reads a bedGraph" $'chrB\t0\t1000\t0.005' bash -c \
    'bedtools map -g genome -a <(printf "chrB\t0\t1000\n") -b x.bedgraph \
     -c 4 -o mean'
with bedtools check "bedtools sees the strands" 667 bash -c \
    'bedtools intersect -s -u -a <(grep ^chrA x.bed) \
     -b <(printf "chrA\t0\t1000000\tq\t0\t-\n") | wc -l'
check "GFF3: version first, nine columns, 1-based, scores, unique IDs" "" \
    awk -F'\t' 'NR == 1 && $0 != "##gff-version 3" { print "no version" }
        /^#/ { next }
        NF != 9 || $4 < 1 || $5 < $4 || $6 < 0 || $6 > 1 || $7 !~ /^[-+.]$/ ||
        $8 != "." || $9 !~ /^ID=[^;=]+;Name=[^;=]+;summit=[0-9]+;n_windows=2$/ ||
        seen[$9]++ { print NR ": " $0 }' x.gff3
check "GFF3 and BED hold the same intervals" "" bash -c \
    'cmp <(awk -F"\t" -v OFS="\t" "!/^#/ { print \$1, \$4 - 1, \$5, \$7 }" x.gff3) \
         <(awk -F"\t" -v OFS="\t" "!/^#/ { print \$1, \$2, \$3, \$6 }" x.bed)'
with tabix check "tabix finds rows of a GFF3" 2 count tabix i.gff3.gz chrB:1300-1501
with tabix check "tabix indexes a GFF3 by its preset" 2 bash -c \
    'bgzip -c x.gff3 >y.gff3.gz && tabix -f -p gff y.gff3.gz &&
     tabix y.gff3.gz chrB:1300-1501 | wc -l'
with bedtools check "bedtools reads a GFF3 as the same intervals" "" bash -c \
    'cmp <(bedtools intersect -u -a x.gff3 -b q.bed | wc -l) \
         <(bedtools intersect -u -a x.bed -b q.bed | wc -l)'
with samtools check "samtools takes the region column" "" bash -c '
    (echo ">chrB"; head -c 2000000 /dev/zero | tr "\0" A | fold -w 100; echo) \
        >ref.fa
    awk "!/^#/ && /^chrB/ { print \$10 }" x.tsv | head -3 >regions
    samtools faidx -r regions ref.fa | grep -v "^>" | tr -d "\nA"'
end_rules
