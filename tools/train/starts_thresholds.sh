#!/bin/sh
# How many false calls a threshold of the model of start sites gives elsewhere, and why.
# SPDX-License-Identifier: MIT
#
#   tools/train/starts_thresholds.sh [-d DATA] [-o RUNS] [-s RESAMPLES] [MODEL]
#
# DATA and RUNS are those of starts_figures.sh, which runs first and leaves the scans of
# MODEL [starts] in RUNS/starts_figures. The recipe scans every fourth Mb of the train part
# besides. RUNS/starts_thresholds gets, for calls of each strand at the thresholds for 1, 5
# and 20 false calls per Mb, chosen on the validation part,
#  - rates.tsv: by part, false calls per Mb and per CpG island, with intervals from
#    RESAMPLES [1000] resamples of blocks of 1 Mb;
#  - law.tsv: the false calls per Mb that are expected there, and on the whole genome, from
#    the number of CpG islands (rates.awk has the formula);
#  - several.tsv: recall and false calls per Mb of the parts at thresholds chosen on the
#    validation and train parts together, with intervals from blocks of 1 Mb;
#  - false.tsv: the calls without an EPDnew site within 500 bp on either strand; how many
#    of these have there a start of GENCODE (its + rows) or RefSeq, or a CAGE peak of
#    FANTOM5, of their strand; and of the false calls how many have a start within 2 kb, a
#    CAGE peak within 500 bp, either on any strand, or lie in a peak of H3K4me3 in any of
#    12 tissues, tumours and cell lines, the mark of active promoters; how many have none,
#    and their number per Mb.
# A false call has no start of EPDnew, GENCODE or RefSeq within 500 bp on either strand
# (docs/scan-evaluation.md). The model learned from the train part: its rates are lower
# there than elsewhere if it learned single places. PARTS names the parts [validation train
# test]. Needs bedtools.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=1000
take_options "$@"
shift $((OPTIND - 1))
model=${1:-starts}
who=${model##*/}
find_genome "$data"
dnabird=$(find_dnabird)
bins=$runs/bins scans=$runs/starts_figures run=$runs/starts_thresholds
refseq=$data/annotation/hg19_refseq_tss.bed.gz
need_file "$refseq"
need_file "$scans/$who.thresholds"
mkdir -p "$run"

# ---- scans and annotation ----------------------------------------------------

# every fourth Mb of the train part
awk -v OFS='\t' '!/^#/ { for (s = $2; s + 1e6 <= $3; s += 4e6)
    printf "%s\t%d\t%d\n", $1, s, s + 1e6 }' "$split/train.bed" >"$run/train.bed"
[ -s "$run/$who.train.tsv" ] || {
    run "$dnabird" promoter -m "$model" -O windows --no-version -R "$run/train.bed" \
        "$scans/genome.fa.gz" >"$run/train.tmp"
    mv "$run/train.tmp" "$run/$who.train.tsv"
}
scan_of() {
    [ "$1" = train ] && echo "$run/$who.train.tsv" || echo "$scans/$who.$1.tsv"
}

# bed6: contig, place, strand as BED6
bed6() {
    awk -v OFS='\t' '{ print $1, $2, $2 + 1, ".", 0, $3 }' | sort -u -k1,1 -k2,2n -k6,6
}
grep -v '^#' "$bins/starts.bed" | awk -v OFS='\t' '{ print $1, $2, $6 }' |
    bed6 >"$run/epd.bed"
{
    zcat "$gencode" | awk '$6 == "+"'
    zcat "$refseq"
} | awk -v OFS='\t' '{ print $1, $2, $6 }' | bed6 >"$run/genes.bed"
cat "$run/epd.bed" "$run/genes.bed" >"$run/starts.bed"
bed6 <"$scans/cage.tsv" >"$run/cage.bed"
zcat "$islands" | cut -f 1-3 >"$run/islands.bed"
zcat "$data/chromatin/peaks.bed.gz" | awk -F '\t' '
    FNR == NR { if (/H3K4me3/) marks[$1]; next }
    $4 in marks' "$data/chromatin/tracks.tsv" - | cut -f 1-3 | sort -k1,1 -k2,2n |
    bedtools merge -i - >"$run/h3k4me3.bed"

# ---- calls -------------------------------------------------------------------

# with FILE OPTIONS...: calls of standard input with a place of FILE within 500 bp
with() {
    places=$1
    shift
    bedtools window -w 500 "$@" -a - -b "$places"
}
# call PART THRESHOLD: BED of its calls
call() {
    awk -F '\t' -v threshold="$2" -v merge="$merge" -f "$here/tools/train/calls.awk" \
        "$(scan_of "$1")"
}
# within_2kb OPTIONS...: calls of standard input with a start of any annotation that near
within_2kb() {
    bedtools window -w 2000 "$@" -a - -b "$run/starts.bed"
}
merge=$(awk '{ m = $3 } END { print m + 0 }' "$scans/$who.toml")
parts=${PARTS:-validation train test}
for part in $parts; do
    to=$run/$part
    awk -F '\t' -v OFS='\t' '!/^#/ && $4 == "+" && $5 != "." {
        sub(/^chr/, "", $1); print "chr" $1, $2, $3 }' "$(scan_of "$part")" |
        bedtools merge -i - >"$to.scanned.bed"
    bedtools intersect -u -a "$run/islands.bed" -b "$to.scanned.bed" >"$to.islands.bed"
    for asked in 1 5 20; do
        call "$part" "$(threshold_in "$scans/$who.thresholds" $asked)" >"$to.$asked.calls.bed"
        with "$run/epd.bed" -v <"$to.$asked.calls.bed" >"$to.$asked.no_epd.bed"
        with "$bins/other.bed" -v <"$to.$asked.no_epd.bed" >"$to.$asked.false.bed"
    done
done

# ---- false calls by annotation -----------------------------------------------

{
    printf 'part\tasked\tcalls\tno_epdnew\tgene_start\tcage\teither\tfalse\tstart_2kb\t'
    printf 'any_cage\th3k4me3\tnone\tnone_per_mb\n'
    for part in $parts; do
        mb=$(awk '{ n += $3 - $2 } END { print n / 1e6 }' "$run/$part.scanned.bed")
        for asked in 1 5 20; do
            at=$run/$part.$asked
            n=$(wc -l <"$at.no_epd.bed")
            neither=$(with "$run/genes.bed" -v -sm <"$at.no_epd.bed" |
                with "$run/cage.bed" -v -sm | wc -l)
            none=$(within_2kb -v <"$at.false.bed" | with "$run/cage.bed" -v |
                bedtools intersect -v -a - -b "$run/h3k4me3.bed" | wc -l)
            printf '%s' "$part"
            printf '\t%d' $asked "$(wc -l <"$at.calls.bed")" "$n" \
                "$(with "$run/genes.bed" -u -sm <"$at.no_epd.bed" | wc -l)" \
                "$(with "$run/cage.bed" -u -sm <"$at.no_epd.bed" | wc -l)" \
                $((n - neither)) "$(wc -l <"$at.false.bed")" \
                "$(within_2kb -u <"$at.false.bed" | wc -l)" \
                "$(with "$run/cage.bed" -u <"$at.false.bed" | wc -l)" \
                "$(bedtools intersect -u -a "$at.false.bed" -b "$run/h3k4me3.bed" | wc -l)" \
                "$none"
            awk -v n="$none" -v mb="$mb" 'BEGIN { printf "\t%.2f\n", n / mb }'
        done
    done
} >"$run/false.tmp"
mv "$run/false.tmp" "$run/false.tsv"

# ---- rates -------------------------------------------------------------------

# blocks PART ASKED: contig, block of 1 Mb, its scanned Mb, islands, false calls and
# those at an island
blocks() {
    {
        awk '{ for (s = $2; s < $3; s = e) {
            e = (int(s / 1e6) + 1) * 1e6; e = e < $3 ? e : $3
            print "bp", $1, int(s / 1e6), e - s } }' "$run/$1.scanned.bed"
        awk '{ print "island", $1, int($2 / 1e6), 1 }' "$run/$1.islands.bed"
        awk '{ print "false", $1, int($2 / 1e6), 1 }' "$run/$1.$2.false.bed"
        with "$run/islands.bed" -u <"$run/$1.$2.false.bed" |
            awk '{ print "there", $1, int($2 / 1e6), 1 }'
    } | awk -v OFS='\t' '
        { at[$2 OFS $3]; n[$1, $2 OFS $3] += $4 }
        END { for (b in at) print b, n["bp", b] / 1e6, n["island", b] + 0,
            n["false", b] + 0, n["there", b] + 0 }'
}

for asked in 1 5 20; do
    for part in $parts; do
        blocks "$part" $asked | sort -k1,1 -k2,2n |
            awk -v OFS='\t' -v part="$part" -v asked=$asked '{ print part, asked, $0 }'
    done
done >"$run/blocks.tsv"
# GRCh37 has 2,861 Mb that are not N on chromosomes 1 to 22, X and Y.
genome=$(zcat "$islands" | awk '$1 ~ /^chr([0-9]+|X|Y)$/ { n++ } END { print n / 2861 }')
awk -F '\t' -v n="$steps" -v genome="$genome" -v law="$run/law.tsv" \
    -f "$here/tools/train/quantile.awk" -f "$here/tools/train/rates.awk" \
    "$run/blocks.tsv" >"$run/rates.tsv"
# ---- thresholds from several parts ---------------------------------------------

# scored SET BED WINDOWS OPTIONS...: `evaluate scan`
scored() {
    set_=$1 bed=$2 windows=$3
    shift 3
    run "$dnabird" evaluate scan --set "$set_" -p "$bins/starts.bed" -a "$bins/other.bed" \
        -R "$bed" --settings "$run/several.toml" --bootstrap 200 "$@" "$windows"
}
{
    cat "$scans/$who.toml"
    echo 'block = 1000000'
} >"$run/several.toml"
[ -s "$run/several.thresholds" ] || {
    cat "$scans/$who.validation.tsv" "$run/$who.train.tsv" >"$run/several.windows"
    cat "$split/validation.bed" "$run/train.bed" >"$run/several.bed"
    scored several "$run/several.bed" "$run/several.windows" --choose "$run/several.thresholds" \
        >"$run/several.not_test.tsv"
    rm "$run/several.windows"
}
for part in $parts; do
    [ "$part" = train ] && bed=$run/train.bed || bed=$split/$part.bed
    scored "several/$part" "$bed" "$(scan_of "$part")" --thresholds "$run/several.thresholds"
done | awk -F '\t' '/^#set/ && n++ { next }
    /^#set/ || $4 ~ /^(threshold|recall|false_per_mb|calls|false_calls)$/' >"$run/several.tsv"
cat "$run/several.tsv" "$run/rates.tsv" "$run/law.tsv" "$run/false.tsv"
