#!/bin/sh
# Train the model of start sites to the base: make its data, train.
# SPDX-License-Identifier: MIT
#
#   tools/train/starts.sh [-d DATA] [-o RUNS] [-s STEPS] [-t THREADS] [-n] [-p]
#       [-u MODELS]
#
# DATA has genomes/, promoters/, chromatin/ and annotation/ (GRCh37). RUNS/starts gets
#  - starts.bed, the start sites: EPDnew's, and the middles of FANTOM5's CAGE peaks that
#    lie within 300 bp of an annotated start (EPDnew, GENCODE, RefSeq) of their strand;
#  - other.bed, annotated starts and CAGE peaks with no such site within 200 bp of their
#    strand: labels near them are unknown;
#  - train.bed, windows of 4 kb in bins of 20 bp: each site six times, CpG islands
#    without a start twice, other starts once, factors of DeepSEA's list and background;
#    validation.bed, every tenth window of that part (weights are averaged, none chosen);
#  - profiles.tsv, tracks that are learned beside the sites: polymerase, TFIID, active
#    histone marks, factors of promoters, CTCF, every eighth DNase;
#  - options, the options of `dnabird finetune bins`, one on each line.
# -n makes only the data, -p leaves the tracks out. Then RUNS/starts/model1 learns, from
# the weights of the model `regulatory`, for STEPS [8000] updates on THREADS threads.
# model2 and model3 learn half as long each, from the one before; their windows have
# besides the 3,000 places of the training part that the model before calls with the most
# confidence and wrongly, with no site or annotated start within 500 bp (hard2.bed,
# hard3.bed).
# -u MODELS, after these (names or folders, with commas between): RUNS/starts/taught learns
# the mean answers of MODELS, from the first of them and without tracks, for 3/4 of STEPS.
# The model to ship needs two RUNS, A with tracks and B without:
#   starts.sh -s 4000 -o A
#   starts.sh -s 4000 -p -o B
#   starts.sh -s 4000 -u A/starts/model3,B/starts/model3 -o B
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=8000 threads=1 only='' tracks_too=yes teachers=''
border=2000

while getopts d:o:s:t:u:nph letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    s) steps=$OPTARG ;;
    t) threads=$OPTARG ;;
    u) teachers=$OPTARG tracks_too= ;;
    n) only=data ;;
    p) tracks_too= ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/starts
peaks=$data/chromatin/peaks.bed.gz
tracks=$data/chromatin/tracks.tsv
positive=$data/chromatin/bins200_tf_positive.tsv.gz
refseq=$data/annotation/hg19_refseq_tss.bed.gz
cage=$data/annotation/hg19.cage_peak_phase1and2combined_counts.hESC3.tsv.gz
blacklist=$data/annotation/hg19_blacklist.bed.gz
for f in "$peaks" "$tracks" "$positive" "$refseq" "$cage" "$blacklist"; do
    need_file "$f"
done
mkdir -p "$run"

# ---- start sites -------------------------------------------------------------

# places: "contig, position, strand" of BED6 on standard input. The 5' base is
# the place.
places() {
    awk -v OFS='\t' '$1 ~ /^chr(20|22|X)$/ {
        print $1, $6 == "-" ? $3 - 1 : $2, $6 }'
}

# near BP KEEP FILE PLACES: lines of PLACES with (KEEP 1) or without (KEEP 0) a place of
# FILE at most BP away on their strand
near() {
    awk -v OFS='\t' -v bp="$1" -v keep="$2" '
        { key = int($2 / bp) }
        FNR == NR { at[$1, $3, key] = at[$1, $3, key] " " $2; next }
        {
            found = 0
            for (k = key - 1; k <= key + 1; k++) {
                n = split(at[$1, $3, k], a, " ")
                for (i = 1; i <= n; i++)
                    if (a[i] - $2 <= bp && $2 - a[i] <= bp)
                        found = 1
            }
            if (found == keep)
                print
        }' "$3" "$4"
}

bed() {
    awk -v OFS='\t' '{ print $1, $2, $2 + 1, ".", 0, $3 }' "$@" |
        sort -u -k1,1 -k2,2n -k6,6
}

places <"$epd" >"$run/epd.tmp"
# GENCODE's file has the low coordinate of a transcript, its start on + only.
{
    cat "$run/epd.tmp"
    zcat "$gencode" | awk '$6 == "+"' | places
    zcat "$refseq" | places
} | sort -u >"$run/annotated.tmp"
zcat "$cage" | cage_middles >"$run/cage.tmp"
near 300 1 "$run/annotated.tmp" "$run/cage.tmp" >"$run/promoters.tmp"
cat "$run/epd.tmp" "$run/promoters.tmp" >"$run/sites.tmp"
bed "$run/sites.tmp" >"$run/starts.bed"
cat "$run/annotated.tmp" "$run/cage.tmp" >"$run/all.tmp"
near 200 0 "$run/sites.tmp" "$run/all.tmp" | bed >"$run/other.bed"
rm "$run"/*.tmp

# ---- tracks ------------------------------------------------------------------

name_profiles "$here/data/chromatin/deepsea_919.tsv" "$tracks" | awk -F '\t' '
    NR == 1 { print; next }
    /DNase/ { if (dnase++ % 8 == 0) print; next }
    /[Pp]ol2|H3K4me3|H3K27ac|TAF1|TBP|YY1|NRF1|ELF1|GABP|CTCF/ { print }
    ' >"$run/profiles.tsv"

# ---- windows -----------------------------------------------------------------

# cut_windows PART BORDER: end to end, RUN/PART/PART.bed
cut_windows() {
    echo "border = $2" >"$run/border.toml"
    [ -s "$run/$1/$1.bed" ] || "$dnabird" dataset bins -f "$chr20,$chrx" \
        --window 4000 --margin 200 --bin 20 --settings "$run/border.toml" \
        --split "$1=$split/$1.bed" -o "$run/$1"
}
cut_windows train "$border"
cut_windows validation 0
awk '/^#/ || n++ % 10 == 0' "$run/validation/validation.bed" >"$run/validation.bed"

# around SEED PLACES: training windows that each contain one of the places
around() {
    awk -v seed="$1" -v border="$border" -v bin=20 \
        -f "$here/tools/train/around.awk" "$split/train.bed" "$2"
}

# some N SEED: N lines of standard input
some() {
    awk -v seed="$2" 'BEGIN { srand(seed) } !/^#/ { print rand() "\t" $0 }' |
        sort -k1,1g | cut -f 2- | head -n "$1"
}

zcat "$islands" | awk -v OFS='\t' '$1 ~ /^chr(20|X)$/ {
    m = int(($2 + $3) / 2); print $1, m, m + 1 }' | sort -k1,1 -k2,2n |
    awk -v OFS='\t' '
        FNR == NR { at[$1, int($2 / 1000)] = 1; next }
        { k = int($2 / 1000) }
        !(($1, k - 1) in at) && !(($1, k) in at) && !(($1, k + 1) in at)
        ' "$run/starts.bed" - >"$run/islands.bed"
zcat "$positive" | awk -v OFS='\t' '!/^#/ { print $1, $2, $2 + 200 }' |
    sort -k1,1 -k2,2n >"$run/factors.bed"
{
    for seed in 21 22 23 24 25 26; do
        around "$seed" "$run/starts.bed"
    done
    for seed in 31 32; do
        around "$seed" "$run/islands.bed"
    done
    around 11 "$run/other.bed"
    around 41 "$run/factors.bed" | some 6000 1
    some 10000 2 <"$run/train/train.bed" | cut -f 1-3
} >"$run/train.bed"

# with_data COMMAND...: the command, with the options for all these data
with_data() {
    [ -z "$tracks_too" ] ||
        set -- "$@" --profiles "$run/profiles.tsv" --peaks "$peaks"
    "$@" --valid "$run/validation.bed" -f "$chr20,$chrx" \
        --sites "$run/starts.bed" --other-sites "$run/other.bed" \
        --exclude "$blacklist" --bin 20 --margin 200
}
with_data printf '%s\n' >"$run/options"
wc -l "$run"/*.bed "$run/profiles.tsv"
[ "$only" != data ] || exit 0

# ---- training ----------------------------------------------------------------

# learn NAME FROM STEPS LR TRAIN OPTIONS...
learn() {
    name=$1 from=$2 updates=$3 rate=$4 rows=$5
    shift 5
    [ -s "$run/$name/dnabird.json" ] || with_data logged "$run/$name.log" \
        "$dnabird" finetune bins --init "$from" --train "$rows" --steps "$updates" \
        --lr "$rate" --validate-every "$updates" --seed 1 --no-baselines \
        --settings "$here/tools/train/starts.toml" --threads "$threads" --resume \
        -o "$run/$name" "$@"
}

# hard MODEL: the most confident calls of the training part that are wrong, 1 kb apart
hard() {
    [ -s "$run/genome.fa" ] || zcat "$chr20" "$chrx" >"$run/genome.fa"
    grep -v '^#' "$split/train.bed" >"$run/train_part.bed"
    run "$dnabird" promoter -q -m "$1" -O windows --raw --no-version -t "$threads" \
        -R "$run/train_part.bed" "$run/genome.fa" |
        awk -v OFS='\t' '
            FNR == NR { at[$1, int($2 / 500)] = at[$1, int($2 / 500)] " " $2; next }
            /^#/ || $5 + 0 < 0.02 { next }
            {
                sub(/^chr/, "", $1)
                m = int(($2 + $3) / 2)
                for (k = int(m / 500) - 1; k <= int(m / 500) + 1; k++) {
                    n = split(at["chr" $1, k], a, " ")
                    for (i = 1; i <= n; i++)
                        if (a[i] - m <= 500 && m - a[i] <= 500)
                            next
                }
                print $5, "chr" $1, m
            }' "$run/any.bed" - | sort -k1,1gr | awk -v OFS='\t' '
            {
                k = int($3 / 1000)
                for (i = k - 1; i <= k + 1; i++)
                    if (($2, i) in taken)
                        next
                taken[$2, k] = 1
                print $2, $3, $3 + 1
                if (++n == 3000)
                    exit
            }' | sort -k1,1 -k2,2n
}

# again NAME FROM SEED: learn on, with the wrong calls of FROM
again() {
    [ -s "$run/hard$3.bed" ] || {
        hard "$run/$2" >"$run/hard$3.tmp"
        mv "$run/hard$3.tmp" "$run/hard$3.bed"
    }
    {
        cat "$run/train.bed"
        around "5$3" "$run/hard$3.bed"
    } >"$run/train$3.bed"
    learn "$1" "$run/$2" $((steps / 2)) 2e-3 "$run/train$3.bed"
}
cat "$run/starts.bed" "$run/other.bed" >"$run/any.bed"
learn model1 "$here/data/models/regulatory" "$steps" 3e-3 "$run/train.bed"
again model2 model1 2
again model3 model2 3
[ -z "$teachers" ] || learn taught "${teachers%%,*}" $((steps * 3 / 4)) 2e-3 \
    "$run/train3.bed" --teacher "$teachers"
