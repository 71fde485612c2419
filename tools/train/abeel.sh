#!/bin/sh
# F-measures and PPP score of the promoter models, after Abeel et al. 2009.
# SPDX-License-Identifier: MIT
#
#   tools/train/abeel.sh [-d DATA] [-o RUNS] [-s RESAMPLES] [MODEL...]
#
# DATA and RUNS are those of starts_figures.sh, which runs first and leaves the scans of
# each MODEL [starts regulatory] and the thresholds that the validation part chose in
# RUNS/starts_figures. RUNS/abeel/abeel.tsv gets, for the models and for CpG islands
# (scored by their number of CpG), on the validation part and once on the test part,
# precision, recall and F = 2PR/(P+R) by the four protocols of
#   Abeel, Van de Peer, Saeys 2009, Bioinformatics 25:i313, doi:10.1093/bioinformatics/btp191
# and their harmonic mean, the PPP score; intervals are percentiles over RESAMPLES
# [1000] resamples of blocks of 100 kb. docs/scan-evaluation.md says what is of the paper
# and what is ours:
#  1A  bins of 500 bp, by FANTOM5 CAGE peaks: a bin with a peak is true, with a call
#      predicted;
#  1B  the same peaks, by distance: a call within 500 bp of a peak is right, a peak with
#      a call within 500 bp is found;
#  2A  bins of 500 bp, by genes: a bin with a RefSeq start is true, a bin in a gene body
#      (GENCODE's coding parts and introns) without a start false, others do not count;
#  2B  the same genes, by distance: a call within 500 bp of a start is right, another in
#      a gene body wrong, the rest do not count.
# Calls are of both strands together, each at its summit. The column `threshold` says
# which: `default` is that for 5 false calls per Mb and strand, which `promoter` uses;
# `best`, of those for 1 to 200 false calls per Mb, the one of the largest PPP score on
# the validation part. PARTS=validation leaves the test part out. Needs bedtools and
# samtools.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=1000
take_options "$@"
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- starts regulatory
find_genome "$data"
dnabird=$(find_dnabird)
bins=$runs/bins scans=$runs/starts_figures run=$runs/abeel
cage=$scans/cage.tsv refseq=$data/annotation/hg19_refseq_tss.bed.gz
gencode_v19=$data/annotation/hg19_wgEncodeGencodeBasicV19
for f in "$cage" "$refseq" "$gencode_v19.cds.merged.bed.gz" \
    "$gencode_v19.intron.merged.bed.gz"; do
    need_file "$f"
done
parts=${PARTS:-validation test}
mkdir -p "$run"

# ---- what is true ------------------------------------------------------------

# within FILE.bed: those of standard input that lie in it
within() {
    bedtools intersect -u -a - -b "$1"
}
sorted() {
    sort -u -k1,1 -k2,2n
}
for part in $parts; do
    to=$run/$part
    # scanned bases: those in bins with a probability
    awk -F '\t' -v OFS='\t' '!/^#/ && $4 == "+" && $5 != "." {
        sub(/^chr/, "", $1); print "chr" $1, $2, $3 }' "$scans/starts.$part.tsv" |
        bedtools merge -i - >"$to.scanned.bed"
    awk -v OFS='\t' '{ print $1, $2, $2 + 1 }' "$cage" | sorted |
        within "$to.scanned.bed" >"$to.cage.bed"
    zcat "$refseq" | cut -f 1-3 | sorted | within "$to.scanned.bed" >"$to.gene.bed"
    zcat "$gencode_v19.cds.merged.bed.gz" "$gencode_v19.intron.merged.bed.gz" |
        cut -f 1-3 | sort -k1,1 -k2,2n | bedtools merge -i - >"$run/bodies.bed"
    awk -v OFS='\t' '{ for (s = int($2 / 500) * 500; s < $3; s += 500)
        print $1, s, s + 500 }' "$to.scanned.bed" | sorted |
        bedtools intersect -u -f 0.5 -a - -b "$to.scanned.bed" |
        bedtools intersect -c -a - -b "$to.cage.bed" |
        bedtools intersect -c -a - -b "$to.gene.bed" |
        bedtools intersect -c -a - -b "$run/bodies.bed" >"$to.bins.bed"
done

# ---- calls -------------------------------------------------------------------

# Islands with the score of `evaluate scan --scores cpg`: k / (k + 100) of k CpG.
[ -s "$run/islands.bed" ] || {
    zcat "$islands" | awk -v OFS='\t' '$1 ~ /^chr(20|22|X)$/ {
        sub(/^chr/, "", $1); print $1, $2, $3 }' | sort -k1,1 -k2,2n |
        awk '$1 != "X" || $3 < 69999930' >"$run/islands.tmp"
    samtools faidx -r - "$scans/genome.fa.gz" <<END >"$run/islands.fa"
$(awk '{ print $1 ":" $2 + 1 "-" $3 }' "$run/islands.tmp")
END
    awk -v OFS='\t' '
        function end() { if (name != "") { k = gsub(/CG/, "", s); print "chr" name, start, stop, ".", k / (k + 100) } }
        /^>/ { end(); split(substr($0, 2), a, /[:-]/)
            name = a[1]; start = a[2] - 1; stop = a[3]; s = ""; next }
        { s = s toupper($0) }
        END { end() }' "$run/islands.fa" >"$run/islands.bed"
}

# summits WHO PART THRESHOLD: BED of the calls of both strands together
summits() {
    if [ "$1" = islands ]; then
        awk -v OFS='\t' -v t="$3" '$5 >= t { m = int(($2 + $3) / 2)
            print $1, m, m + 1 }' "$run/islands.bed"
    else
        awk -F '\t' -v threshold="$3" -v both=1 -v merge="$(merge_of "$1")" \
            -f "$here/tools/train/calls.awk" "$scans/$1.$2.tsv" | cut -f 1-3
    fi | sorted | within "$run/$2.scanned.bed"
}

# merge_of WHO: the distance that joins calls, from starts_figures.sh's settings
merge_of() {
    awk '{ m = $3 } END { print m + 0 }' "$scans/$1.toml"
}

# ---- the protocols -----------------------------------------------------------

# counts PART SUMMITS: "protocol, what, contig, place" of each right and wrong
# prediction, found reference and reference
counts() {
    at=$run/$1
    bedtools intersect -c -a "$at.bins.bed" -b "$2" | awk -v OFS='\t' '
        function mark(protocol, what) { print protocol, what, $1, $2 }
        {
            if ($4) { mark("1A", "all"); if ($7) mark("1A", "found") }
            if ($7) mark("1A", $4 ? "right" : "wrong")
            if ($5) { mark("2A", "all"); if ($7) mark("2A", "found") }
            if ($7 && ($5 || $6)) mark("2A", $5 ? "right" : "wrong")
        }'
    for protocol in 1B 2B; do
        [ $protocol = 1B ] && truth=$at.cage.bed || truth=$at.gene.bed
        mark="{ print \"$protocol\", what, \$1, \$2 }"
        awk -v OFS='\t' -v what=all "$mark" "$truth"
        bedtools window -u -w 500 -a "$truth" -b "$2" | awk -v OFS='\t' -v what=found "$mark"
        bedtools window -u -w 500 -a "$2" -b "$truth" | awk -v OFS='\t' -v what=right "$mark"
        bedtools window -v -w 500 -a "$2" -b "$truth" |
            if [ $protocol = 2B ]; then within "$run/bodies.bed"; else cat; fi |
            awk -v OFS='\t' -v what=wrong "$mark"
    done
}

# score WHO PART THRESHOLD NAME: its rows
score() {
    summits "$1" "$2" "$3" >"$run/summits.bed"
    {
        awk -v OFS='\t' '{ print "", "block", $1, $2 }' "$run/$2.bins.bed"
        counts "$2" "$run/summits.bed"
    } | awk -F '\t' -v OFS='\t' -v n="$steps" -v prefix="$1	$2	$4	$3" \
        -v calls="$(wc -l <"$run/summits.bed")" -f "$here/tools/train/quantile.awk" \
        -f "$here/tools/train/abeel.awk"
}

# thresholds WHO: those to choose from, on the validation part
thresholds() {
    who=$1
    [ -s "$run/$who.candidates" ] || {
        if [ "$who" = islands ]; then
            set -- --intervals "$islands" -f "$scans/genome.fa.gz" --scores cpg \
                -w 600 --stride 200
        else
            set -- --settings "$scans/$who.toml" "$scans/$who.validation.tsv"
        fi
        run "$dnabird" evaluate scan -p "$bins/starts.bed" -a "$bins/other.bed" \
            -R "$split/validation.bed" --bootstrap 0 \
            --fp-per-mb 1,2,5,10,20,50,100,200 --choose "$run/$who.candidates" \
            "$@" >"$run/chosen.tmp"
    }
    awk -F '\t' '$1 == "unstranded" { print $3 }' "$run/$who.candidates" | sort -u
}

ppp() {
    awk -F '\t' '$5 == "PPP" { print $10 }'
}

printf 'model\tpart\tthreshold\tvalue\tprotocol\tcalls\treferences\tprecision\trecall\tF\tlo\thi\n' \
    >"$run/abeel.tmp"
for model in "$@" islands; do
    who=${model##*/}
    for value in $(thresholds "$who"); do
        all=$steps
        steps=0
        printf '%s\t%s\n' "$(score "$who" validation "$value" try | ppp)" "$value"
        steps=$all
    done | sort -k1,1gr >"$run/$who.tried"
    read -r _ best <"$run/$who.tried"
    default=$(threshold_in "$scans/$who.thresholds" 5)
    for part in $parts; do
        score "$who" "$part" "$default" default
        score "$who" "$part" "$best" best
    done
done >>"$run/abeel.tmp"
mv "$run/abeel.tmp" "$run/abeel.tsv"
cat "$run/abeel.tsv"
