#!/bin/sh
# Train, evaluate and package the chromatin window model, which was shipped before the
# model that predicts bins (bins.sh).
# SPDX-License-Identifier: MIT
#
#   tools/train/profiles.sh [-d DATA] [-o RUNS] [-i INIT] [-m MODEL] [-n] [-c]
#
# DATA has genomes/ and chromatin/ (peaks.bed.gz, tracks.tsv, GUE_tf_human; GRCh37).
# INIT is the model to start from; without it one is made: the task tf1 of gue_tf.sh,
# on those of its rows that are not in the validation and test parts.
# docs/models/chromatin.md lists other starts. Bins are those with a peak of a
# transcription factor; the labels are the tracks among DeepSEA's 919. Train,
# validation and test are the regions of data/split; the test part is scored once, at
# the end. RUNS/profiles keeps everything; MODEL [RUNS/profiles/shipped] is the folder
# that was shipped, which background.sh and calibrate.sh complete. Finished steps are
# not repeated; training continues from its checkpoint. -n makes only the data sets. -c
# shows that the union of peaks explains all differences from
# bins200_tf_positive.tsv.gz, which adds overlapping peaks up.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs init='' model='' only=
first=${FIRST:-11000} second=${SECOND:-8000}

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
model=${model:-$run/shipped}
peaks=$data/chromatin/peaks.bed.gz
tracks=$data/chromatin/tracks.tsv
need_file "$peaks"
need_file "$tracks"
mkdir -p "$run"

# All tracks by name: those of the catalogue by its names, the others by number and
# name; all that show a bound factor have class TF.
name_profiles "$here/data/chromatin/deepsea_919.tsv" "$tracks" \
    >"$run/profiles.tsv"

# bins OPTIONS...: labelled bins of the tracks on all available sequence
bins() {
    "$dnabird" dataset chromatin -f "$chr20,$chr22,$chrx" \
        --profiles "$run/profiles.tsv" "$@" "$peaks"
}

# Labels of the tracks are in the order of their numbers, in both files.
if [ "$only" = check ]; then
    given=$data/chromatin/bins200_tf_positive.tsv.gz
    need_file "$given"
    echo 'no-auto-mask = true' >"$run/any.toml"
    bins --settings "$run/any.toml" -o "$run/any.tsv.gz"
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

# The start was trained with words of 6 bases at every base; the bins are read with one
# at every third base, so 600 bp are 200 tokens.
[ -s "$run/k6s3.json" ] ||
    "$dnabird" tokenizer kmer -k 6 -s 3 -o "$run/k6s3.json"
if [ -z "$init" ]; then
    init=$run/start
    [ -s "$run/k6.json" ] || "$dnabird" tokenizer kmer -k 6 -o "$run/k6.json"
    for part in train dev; do
        [ -s "$run/start.$part.csv" ] || "$dnabird" dataset rows \
            -f "$chr20,$chr22" --apart "validation=$split/validation.bed" \
            --apart "test=$split/test.bed" -o "$run/start.$part.csv" \
            "$data/chromatin/GUE_tf_human/tf1.$part.csv.gz"
    done
    [ -s "$init/dnabird.json" ] || logged "$run/start.log" "$dnabird" finetune \
        --train "$run/start.train.csv" --valid "$run/start.dev.csv" \
        --config "$here/tools/train/gue_tf.json" --tokenizer "$run/k6.json" \
        --steps 5000 --batch 32 --lr 1e-3 --dropout 0.1 --weight-decay 0.05 \
        --average 0.998 --mutate 0.05 --shift 4 --strand both \
        --validate-every 500 --checkpoint-every 200 --seed 1 --no-baselines \
        --resume -o "$init"
fi

# learn FROM TO STEPS SEED OPTIONS...: `index:` selects the tracks of the catalogue
learn() {
    from=$1 to=$2 n=$3 seed=$4
    shift 4
    [ -s "$to/dnabird.json" ] || logged "$to.log" \
        "$dnabird" finetune chromatin \
        --train "$sets/train.tsv.zst" --valid "$sets/validation.tsv.zst" \
        -f "$chr20,$chr22,$chrx" --features index:0-918 --init "$from" \
        --tokenizer "$run/k6s3.json" --context 600 --precision bfloat16 \
        --steps "$n" --batch 32 --lr 1e-3 --warmup 0.06 --weight-decay 0.01 \
        --dropout 0.0 --average 0.998 --shift 8 --mutate 0.02 \
        --validate-every 1000 --checkpoint-every 200 --seed "$seed" \
        --resume -o "$to" "$@"
}
# Two rounds, each with a learning rate that falls to zero: the second was added because
# the validation metric was still rising at the end of the first.
learn "$init" "$run/first" "$first" 1 --no-baselines
learn "$run/first" "$run/model" "$second" 2

# The weights to ship: bfloat16. All steps below use them.
[ -d "$run/small" ] ||
    run "$dnabird" export --weights bfloat16 "$run/model" "$run/small"

# figures PART FILE OPTIONS...: metrics of every label, and medians over those with 20
# positives or more
figures() {
    part=$1 file=$2
    shift 2
    [ -s "$run/$part.tsv" ] || "$dnabird" evaluate -m "$run/small" \
        --test "$file" -f "$chr20,$chr22,$chrx" --min-positives 20 \
        -O features -o "$run/$part.tsv" --html "$run/$part.html" "$@"
}
# chr20 alone, too, because the sequence of chr22 has gaps
[ -s "$run/sets20/test.tsv.zst" ] || bins --keep class:TF \
    --split "test=$split/test_chr20.bed" -o "$run/sets20"
figures validation "$sets/validation.tsv.zst"
figures test "$sets/test.tsv.zst" --bootstrap 200
figures test_chr20 "$run/sets20/test.tsv.zst"

"$dnabird" export --weights bfloat16 \
    --selftest "$here/data/genome/chr20_demo.fa.gz" \
    --facts "$here/tools/train/profiles_facts.json" "$run/model" "$model"
echo "$run/test.tsv"
