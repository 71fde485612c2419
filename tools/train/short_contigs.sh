#!/bin/sh
# Short contigs in windows that fit, and in windows filled up with N: are the answers as
# good?
# SPDX-License-Identifier: MIT
#
#   tools/train/short_contigs.sh [-d DATA] [-o RUNS] > short_contigs.tsv
#
# chr20:40-44 Mb, of the validation part, is cut into contigs of 300 bp. `fitted` scores
# them as they are; `filled` appends N up to 3,600 bp, which takes the whole window of
# 4,000 bp. A row for each model, target and window: AUROC and average precision, of start
# sites by the largest probability of a contig and its RefSeq starts, of chromatin by bin,
# more than half of which lies in peaks. Needs samtools.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
LC_ALL=C
export LC_ALL
data='' runs=$here/runs
take_options "$@"
find_genome "$data"
refseq=$data/annotation/hg19_refseq_tss.bed.gz
peaks=$data/chromatin/peaks.bed.gz
need_file "$refseq"
need_file "$peaks"
dnabird=$(find_dnabird)
run=$runs/short_contigs
mkdir -p "$run"
from=40000000 to=44000000 bp=300

samtools faidx "$chr20" "20:$((from + 1))-$to" | grep -v '>' | tr -d '\n' | fold -w $bp |
    awk -v bp=$bp 'length($0) == bp { print ">p" NR - 1; print }' >"$run/fitted.fa"
awk '/^>/ { print; next }
    { while (length(n) < 3600 - length($0)) n = n "N"; print $0 n }' \
    "$run/fitted.fa" >"$run/filled.fa"

# contig and 1 for each RefSeq start
zcat "$refseq" | awk -v from=$from -v to=$to -v bp=$bp '
    $1 == "chr20" && $2 >= from && $2 < to { print "p" int(($2 - from) / bp) }' |
    sort -u >"$run/starts"

# ranked NAME...: lines "value label" to AUROC and average precision
ranked() {
    sort -g | awk -v OFS='\t' -v name="$*" '
        { y[NR] = $2; if ($2) { ranks += NR; n++ } }
        END {
            if (!n) { print name ": no positives" >"/dev/stderr"; exit 1 }
            for (i = NR; i > 0; i--) { seen++; if (y[i]) sum += ++hit / seen }
            gsub(" ", "\t", name)
            printf "%s\t%d\t%.3f\t%.3f\n", name, n,
                (ranks - n * (n + 1) / 2) / (n * (NR - n)), sum / n
        }'
}

# label PEAKS COLUMN: bins of a table of chromatin; N behind the contig is no part of one
label() {
    zcat "$peaks" | awk -v id="$1" -v column="$2" -v from=$from -v to=$to -v bp=$bp '
        FNR == NR {
            if ($4 == id && $1 == "chr20" && $3 > from && $2 < to)
                for (p = int(($2 - from) / 100); p <= int(($3 - 1 - from) / 100); p++)
                    hit[p] = 1
            next
        }
        /^#/ || $2 >= bp || $5 != "ok" { next }
        {
            end = $3 < bp ? $3 : bp
            at = (substr($1, 2) * bp + $2) / 100
            n = 0
            for (p = at; p < at + (end - $2) / 100; p++)
                n += (p in hit)
            print $column, (200 * n >= end - $2)
        }' - "$run/bins.tsv"
}

printf 'model\ttarget\twindow\tpositives\tauroc\tap\n'
for window in filled fitted; do
    for model in starts regulatory; do
        run "$dnabird" promoter -q -m $model --raw --max-n 1 -O windows \
            -o "$run/windows.tsv" "$run/$window.fa"
        awk 'FNR == NR { starts[$1] = 1; next }
            /^#/ || $2 >= 300 || $7 == "." { next }
            !($1 in most) || $7 > most[$1] { most[$1] = $7 }
            END { for (c in most) print most[c], c in starts }' \
            "$run/starts" "$run/windows.tsv" | ranked $model starts $window
    done
    run "$dnabird" chromatin -q -m regulatory --max-n 1 -O tsv -F 'HepG2|DNase|None,K562|DNase|None,GM12878|CTCF|None#1,track361|gm12878_H3K4me3_ENCFF295GNH' \
        -o "$run/bins.tsv" "$run/$window.fa"
    label 56 6 | ranked regulatory HepG2_DNase $window
    label 61 7 | ranked regulatory K562_DNase $window
    label 125 8 | ranked regulatory GM12878_CTCF $window
    label 361 9 | ranked regulatory GM12878_H3K4me3 $window
done
