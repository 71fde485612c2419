#!/bin/sh
# Train the model that predicts bins: make its data (windows, starts, tables), train.
# SPDX-License-Identifier: MIT
#
#   tools/train/bins.sh [-d DATA] [-o RUNS] [-s STEPS] [-t THREADS]
#       [-p PRECISION] [-n]
#
# DATA has genomes/, promoters/, chromatin/, annotation/ and variants/mpra
# (GRCh37). RUNS/bins gets
#  - windows of 4 kb with margins of 200 bp and bins of 200 bp: train.bed, around
#    factors and start sites; validation.bed, end to end;
#  - the list of profiles, the start sites, and the start sites near which labels
#    are unknown;
#  - the tables of short sequences, GUE_*.csv, without rows that share 32 bases with
#    validation, test (and 1 kb around each) or the elements of the MPRA;
#  - counts.tsv, the number of each; rows.tsv, the rows left out of the tables;
#    options, the options of `dnabird finetune bins`, one on each line.
# -n makes only the data. Then RUNS/bins/base_model and, from its weights,
# RUNS/bins/model are trained, with STEPS [30000, 12000] updates at most on THREADS
# threads, the second in PRECISION [bfloat16; float32 if the processor has no
# bfloat16]; validation.tsv has their metrics. Finished steps are not repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=30000 threads=1 precision=bfloat16 only=
# Windows keep this distance from the ends of a part: moved by up to 1,000 bp they
# stay 1 kb away from the next part.
border=2000

while getopts d:o:s:t:p:nh letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    s) steps=$OPTARG ;;
    t) threads=$OPTARG ;;
    p) precision=$OPTARG ;;
    n) only=data ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/bins
peaks=$data/chromatin/peaks.bed.gz
tracks=$data/chromatin/tracks.tsv
positive=$data/chromatin/bins200_tf_positive.tsv.gz
refseq=$data/annotation/hg19_refseq_tss.bed.gz
blacklist=$data/annotation/hg19_blacklist.bed.gz
elements=$data/variants/mpra/mpra_elements.fa
for f in "$peaks" "$tracks" "$positive" "$refseq" "$blacklist" "$elements"; do
    need_file "$f"
done
mkdir -p "$run"

# ---- labels ------------------------------------------------------------------

name_profiles "$here/data/chromatin/deepsea_919.tsv" "$tracks" \
    >"$run/profiles.tsv"

# A start that another annotation has and EPDnew does not have within 500 bp on that
# strand is unknown. GENCODE's file has the low coordinate of a transcript, which is
# its start on + only.
cp "$epd" "$run/starts.bed"
{
    zcat "$gencode" | awk '$6 == "+"'
    zcat "$refseq"
} | awk -v OFS='\t' '
    FNR == NR {
        if (!/^#/)
            near[$1, $6, int($2 / 500)] = near[$1, $6, int($2 / 500)] " " $2
        next
    }
    $1 !~ /^chr(20|22|X)$/ { next }
    {
        at = $6 == "-" ? $3 - 1 : $2
        if (seen[$1, at, $6]++)
            next
        for (k = -1; k <= 1; k++) {
            n = split(near[$1, $6, int(at / 500) + k], site, " ")
            for (i = 1; i <= n; i++)
                if (site[i] - at <= 500 && at - site[i] <= 500)
                    next
        }
        print $1, at, at + 1, ".", 0, $6
    }' "$epd" - | sort -k1,1 -k2,2n >"$run/other.bed"

# ---- windows -----------------------------------------------------------------

# cut_windows PART BORDER: end to end, RUN/PART/PART.bed
cut_windows() {
    echo "border = $2" >"$run/border.toml"
    [ -s "$run/$1/$1.bed" ] || "$dnabird" dataset bins -f "$chr20,$chrx" \
        --window 4000 --margin 200 --bin 200 --settings "$run/border.toml" \
        --split "$1=$split/$1.bed" -o "$run/$1"
}
cut_windows train "$border"
cut_windows validation 0
cp "$run/validation/validation.bed" "$run/validation.bed"

# around SEED PLACES: training windows that each contain one of the places
around() {
    awk -v seed="$1" -v border="$border" -f "$here/tools/train/around.awk" \
        "$split/train.bed" "$2"
}
zcat "$positive" | awk -v OFS='\t' '!/^#/ { print $1, $2, $2 + 200 }' |
    sort -k1,1 -k2,2n >"$run/factors.bed"
awk -v OFS='\t' '!/^#/ { print $1, $2, $3 }' "$run/starts.bed" "$run/other.bed" |
    sort -k1,1 -k2,2n >"$run/places.bed"
awk -v OFS='\t' '!/^#/ { print $1, $2, $3 }' "$run/starts.bed" |
    sort -k1,1 -k2,2n >"$run/known.bed"

# Every bin with a factor five times on average, start sites more often.
for seed in 31 32 33 34; do
    around "$seed" "$run/factors.bed"
done >"$run/factor_windows.bed"
{
    for seed in 11 12; do
        around "$seed" "$run/places.bed"
    done
    for seed in 21 22 23 24; do
        around "$seed" "$run/known.bed"
    done
} >"$run/start_windows.bed"
cat "$run/factor_windows.bed" "$run/start_windows.bed" >"$run/train.bed"

# ---- tables ------------------------------------------------------------------

# rows NAME FILE...: a table without rows that occur in the held-out regions
rows() {
    name=$1
    shift
    for f; do
        need_file "$f"
    done
    [ -s "$run/$name.rows.tsv" ] || run "$dnabird" dataset rows \
        -f "$chr20,$chr22,$chrx" --length 32 --margin 1000 \
        --apart "validation=$split/validation.bed" \
        --apart "test=$split/test.bed" --apart "mpra=$elements" \
        --summary "$run/$name.rows.tsv" -o "$run/$name.csv" "$@"
}
gue=$data/promoters/GUE tf=$data/chromatin/GUE_tf_human
rows GUE_core "$gue/prom_core_all.train.csv.gz" "$gue/prom_core_all.dev.csv.gz"
rows GUE_300 "$data/promoters/GUE_prom_300_all.trainpool.csv.gz"
for k in 0 1 2; do
    rows "GUE_tf$k" "$tf/tf$k.train.csv.gz" "$tf/tf$k.dev.csv.gz"
done
for name in GUE_core GUE_300 GUE_tf0 GUE_tf1 GUE_tf2; do
    awk -v OFS='\t' -v name="$name" '
        FNR == 1 { if (name == "GUE_core") print "table", $0; next }
        { print name, $0 }' "$run/$name.rows.tsv"
done >"$run/rows.tsv"

# ---- contents ----------------------------------------------------------------

# count NAME WINDOWS: the number of windows; of their predicted bins; of those with a
# factor, with a known start, and with another start only: distinct bins, and how
# often they occur
count() {
    awk -v OFS='\t' -v name="$1" '
        /^#/ { next }
        { sub(/^chr/, "", $1) }
        FILENAME != ARGV[4] {
            if (FNR == 1)
                kind++
            has[$1, int($2 / 200), kind] = 1
            next
        }
        {
            windows++
            for (b = int($2 / 200) + 1; b < int($3 / 200) - 1; b++) {
                seen[0]++
                first = !there[$1, b]++
                some[0] += first
                for (k = 1; k <= 3; k++)
                    if (($1, b, k) in has) {
                        seen[k]++
                        some[k] += first
                    }
            }
        }
        END {
            print name, windows, some[0], seen[0], some[1], seen[1], some[2],
                seen[2], some[3], seen[3]
        }' "$run/factors.bed" "$run/known.bed" "$run/other.bed" "$2"
}
{
    printf 'windows\tn\tbins\tseen\tfactor\tseen\tstart\tseen\tother\tseen\n'
    count background "$run/train/train.bed"
    count factors "$run/factor_windows.bed"
    count starts "$run/start_windows.bed"
    count train "$run/train.bed"
    count validation "$run/validation.bed"
} >"$run/counts.tsv"
cat "$run/counts.tsv"

# with_data COMMAND...: the command, with the options for all these data
with_data() {
    "$@" --train "$run/train.bed" --valid "$run/validation.bed" \
        -f "$chr20,$chrx" --profiles "$run/profiles.tsv" --peaks "$peaks" \
        --sites "$run/starts.bed" --other-sites "$run/other.bed" \
        --exclude "$blacklist" --bin 200 --margin 200 \
        --also "GUE_core=$run/GUE_core.csv:0.04,0.05" \
        --also "GUE_300=$run/GUE_300.csv:0.03,0.05" \
        --also "GUE_tf0=$run/GUE_tf0.csv:0.01,0.05" \
        --also "GUE_tf1=$run/GUE_tf1.csv:0.01,0.05" \
        --also "GUE_tf2=$run/GUE_tf2.csv:0.01,0.05"
}
with_data printf '%s\n' >"$run/options"
[ "$only" != data ] || exit 0

# ---- training ----------------------------------------------------------------

[ -s "$run/base.json" ] || "$dnabird" tokenizer kmer -k 1 -o "$run/base.json"
[ -d "$run/residual_start" ] || "$dnabird" init --tokenizer "$run/base.json" \
    --config "$here/tools/train/bins.json" \
    --stem 15x128/5:relu,7x128/4:relu,5x128:relu,11x128+:gelu,11x128+:gelu \
    --branch-scale 0.3 --labels 1 --head bins -b 200 "$run/residual_start"

# learn NAME FROM STEPS OPTIONS...: a part of the training. A bin without any
# label counts in one of ten windows only, because there are far more of them than
# of the others.
learn() {
    name=$1 from=$2 n=$3
    shift 3
    [ "$n" -le "$steps" ] || n=$steps
    last=baseline.safetensors # what a run writes last
    case " $* " in *" --no-baselines "*) last=dnabird.json ;; esac
    [ -s "$run/$name/$last" ] || with_data logged "$run/$name.log" \
        "$dnabird" finetune bins --init "$run/$from" --steps "$n" \
        --settings "$here/tools/train/bins.toml" --threads "$threads" --resume \
        -o "$run/$name" "$@"
}
learn base_model residual_start 30000 --lr 5e-3 --validate-every 3000 --seed 1 \
    --no-baselines
"$dnabird" info "$run/base_model" | grep -q '^precision .*bfloat16 (' ||
    precision=float32
learn model base_model 12000 --lr 3e-3 --validate-every 4000 --seed 2 \
    --precision "$precision"

# ---- evaluation --------------------------------------------------------------

# Bins of the validation part without a factor, end to end.
awk -v OFS='\t' '
    FNR == NR { has[$1, $2]; next }
    /^#/ { next }
    { for (at = $2; at < $3; at += 200)
        if (!(($1, at) in has)) print $1, at, at + 200 }
' "$run/factors.bed" "$split/validation.bed" >"$run/no_factor.bed"

# score MODEL NAME BED: every label, of validation bins outside of the regions
score() {
    out=$run/validation.$1.$2
    [ -s "$out.tsv" ] || run "$dnabird" evaluate bins \
        -m "$run/$1" --windows "$run/validation.bed" -f "$chr20" \
        --profiles "$run/profiles.tsv" --peaks "$peaks" \
        --sites "$run/starts.bed" --other-sites "$run/other.bed" \
        --exclude "$3" --strand both --min-positives 20 -O features -o "$out.tsv"
}
zcat "$blacklist" | cat - "$run/no_factor.bed" >"$run/not_scored.bed"
{
    printf 'run\tbins\tclass\tlabels\trows\tauroc\tauprc\n'
    for model in base_model model; do
        score "$model" all "$blacklist"
        score "$model" factor "$run/not_scored.bed"
        for bins in all factor; do
            medians "$model" "$bins" <"$run/validation.$model.$bins.tsv" |
                cut -f 1-7
        done
    done
} >"$run/validation.tmp"
mv "$run/validation.tmp" "$run/validation.tsv"
cat "$run/validation.tsv"
