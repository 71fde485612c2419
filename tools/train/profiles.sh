#!/bin/sh
# Train, measure and package the model of chromatin profiles.
# SPDX-License-Identifier: MIT
#
#   tools/train/profiles.sh [-d DATA] [-o RUNS] [-i INIT] [-m MODEL] [-n] [-c]
#
# DATA has genomes/ and chromatin/ (peaks.bed.gz, tracks.tsv; GRCh37). INIT is
# the model to start from [data/models/promoter]; RUNS/human/model of human.sh is
# the other one that was tried (docs/models/chromatin.md). Bins are those with a
# peak of a transcription factor; the heads are the tracks that are one of
# DeepSEA's 919. Train, validation and test are the regions of data/split; the
# test part is scored once, at the end. RUNS/profiles keeps everything; MODEL is
# the folder to ship. Steps whose results are there are not made again; training
# goes on from its checkpoint.
# -n makes the data sets alone. -c shows that the union of peaks explains where
# bins200_tf_positive.tsv.gz, which adds overlapping peaks up, differs.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs init='' model=$here/data/models/chromatin only=
steps=${STEPS:-2400}

while getopts d:o:i:m:nch letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    i) init=$OPTARG ;;
    m) model=$OPTARG ;;
    n) only=data ;;
    c) only=check ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/profiles
init=${init:-$here/data/models/promoter}
peaks=$data/chromatin/peaks.bed.gz
tracks=$data/chromatin/tracks.tsv
need_file "$peaks"
need_file "$tracks"
mkdir -p "$run"

# All tracks by name: those of the catalogue as it calls them, the others by
# number and name; all that show a factor bound are of class TF.
awk -F '\t' -v OFS='\t' '
    FNR == NR { if (FNR > 1) name[$1] = $6 OFS $2 OFS $3 OFS $4 OFS $5; next }
    FNR == 1 { print "id", "name", "class", "cell_type", "factor", "treatment", "index"; next }
    $3 >= 0 { print $1, name[$3], $3; next }
    { tf = $2 == "dream_tf_conservative" || $4 ~ /_(CTCF|Pol2)_/
      print $1, "track" $1 "|" $4, tf ? "TF" : "other", "", "", "", "." }
' "$here/data/chromatin/deepsea_919.tsv" "$tracks" >"$run/profiles.tsv"

# bins OPTIONS...: labelled bins of the tracks on all the sequence there is
bins() {
    "$dnabird" dataset chromatin -f "$chr20,$chr22,$chrx" \
        -p "$run/profiles.tsv" "$@" "$peaks"
}

# Labels of the tracks stand in the order of their numbers, in both files.
if [ "$only" = check ]; then
    given=$data/chromatin/bins200_tf_positive.tsv.gz
    need_file "$given"
    bins --no-auto-mask -o "$run/any.tsv.gz"
    zcat "$run/any.tsv.gz" >"$run/any.tsv"
    zcat "$given" | awk -F '\t' '
        FNR == NR { if (!/^#/) { sub(/^chr/, "", $1); union[$1, $2] = $4 } next }
        /^#/ { next }
        { sub(/^chr/, "", $1)
          split("", has)
          n = split(union[$1, $2], a, ",")
          for (i = 1; i <= n; i++) if (a[i] != ".") has[a[i]] = 1
          n = split($3, b, ",")
          lost = 0
          for (i = 1; i <= n; i++) { lost += !(b[i] in has); delete has[b[i]] }
          for (x in has) more++
          bins += lost > 0
          labels += lost }
        END { printf "%d bins and %d labels differ, %d labels are new\n", bins, labels, more }
    ' "$run/any.tsv" -
    rm "$run/any.tsv" "$run/any.tsv.gz"
    exit 0
fi

sets=$run/sets
[ -s "$sets/test.tsv.zst" ] || bins --keep class:TF \
    --split "train=$split/train.bed,validation=$split/validation.bed,test=$split/test.bed" \
    --summary "$run/positives.tsv" -o "$sets"
[ "$only" != data ] || exit 0

# index: takes the tracks that the catalogue has. The window is the context of
# DeepSEA, which on patchy chr22 is also what there is to see.
[ -s "$run/model/dnabird.json" ] || "$dnabird" finetune chromatin \
    --train "$sets/train.tsv.zst" --valid "$sets/validation.tsv.zst" \
    -f "$chr20,$chr22,$chrx" --features index:0-918 --init "$init" \
    --steps "$steps" --batch 32 --lr 5e-4 --warmup 0.06 --weight-decay 0.01 \
    --dropout 0.0 --average 0.998 --evaluate-every 400 --checkpoint-every 100 \
    --seed 1 --resume -o "$run/model" 2>>"$run/model.log"

# What ships: bfloat16. Everything below is measured with these weights.
[ -d "$run/small" ] ||
    run "$dnabird" export --weights bfloat16 "$run/model" "$run/small"

# figures PART FILE OPTIONS...: of every label, and medians over those with 20
# positives or more
figures() {
    part=$1 file=$2
    shift 2
    [ -s "$run/$part.tsv" ] || "$dnabird" evaluate -m "$run/small" \
        --test "$file" -f "$chr20,$chr22,$chrx" --min-positives 20 \
        -O features -o "$run/$part.tsv" --html "$run/$part.html" "$@"
}
# chr20 alone besides: the sequence of chr22 has gaps
[ -s "$run/sets20/test.tsv.zst" ] || bins --keep class:TF \
    --split "test=$split/test_chr20.bed" -o "$run/sets20"
figures validation "$sets/validation.tsv.zst"
figures test "$sets/test.tsv.zst" --bootstrap 200
figures test_chr20 "$run/sets20/test.tsv.zst"

"$dnabird" export --weights bfloat16 \
    --facts "$here/tools/train/profiles_facts.json" "$run/model" "$model"
echo "$run/test.tsv"
