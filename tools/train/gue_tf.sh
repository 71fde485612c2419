#!/bin/sh
# Train and evaluate models of transcription factors and yeast histone marks.
# SPDX-License-Identifier: MIT
#
#   tools/train/gue_tf.sh [-d DATA] [-o RUNS] [TASK ...]
#
# TASK: tf0 tf1 tf2 (human, 101 bp; official train, dev and test rows) and the yeast
# histone sets (500 bp; only dev and test rows are available, so they are trained on
# dev, of which 10 % are held out for validation; all but H3 and H4 need tf1's model);
# default: all of them. DATA has chromatin/GUE_tf_human and
# chromatin/GUE_EMP_yeast_histone. Each run leaves RUNS/TASK (a model folder), TASK.tsv
# (metrics on the test file, with the baselines) and TASK.log. A finished run is not
# repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

human='tf0 tf1 tf2'
yeast='H3 H3K14ac H3K36me3 H3K4me1 H3K4me2 H3K4me3 H3K79me3 H3K9ac H4 H4ac'
data='' runs=$here/runs/gue_tf

while getopts d:o:h letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done
shift $((OPTIND - 1))
# shellcheck disable=SC2086 # words wanted
[ $# -gt 0 ] || set -- $human $yeast

data=$(find_data "$data")
dnabird=$(find_dnabird)
mkdir -p "$runs"
# Overlapping words of 6 bases: one at every base, as in gue.sh; for the longer yeast
# rows one at every third base, so a row has 167 tokens.
[ -s "$runs/k6.json" ] || "$dnabird" tokenizer kmer -k 6 -o "$runs/k6.json"
[ -s "$runs/k6s3.json" ] ||
    "$dnabird" tokenizer kmer -k 6 -s 3 -o "$runs/k6s3.json"

# file TASK PART: the rows of a task
file() {
    case $1 in
    tf*) folder=GUE_tf_human ;;
    *) folder=GUE_EMP_yeast_histone ;;
    esac
    need_file "$data/chromatin/$folder/$1.$2.csv.gz"
    echo "$data/chromatin/$folder/$1.$2.csv.gz"
}

# Settings are chosen on validation rows only. Of the yeast tasks H3 and H4, which are
# the easiest, start from random weights; the others learn late or not at all from
# random weights, so they start from tf1's model.
settings() {
    case $1 in
    tf*) echo --config "$here/tools/train/gue_tf.json" \
        --tokenizer "$runs/k6.json" --steps 7000 --validate-every 1000 \
        --lr 1e-3 --average 0.998 --shift 4 ;;
    H3 | H4) echo --config "$here/tools/train/gue_tf.json" \
        --tokenizer "$runs/k6s3.json" --steps 800 --validate-every 100 \
        --lr 1e-3 --average 0.99 --shift 8 ;;
    *) echo --init "$runs/tf1" --tokenizer "$runs/k6s3.json" --steps 800 \
        --validate-every 100 --lr 5e-4 --average 0.99 --shift 8 ;;
    esac
}

case $data$runs in
*[[:space:]]*) die "paths with blanks are not supported here" ;;
esac

for task; do
    test=$(file "$task" test)
    case $task in
    tf*) rows="--train $(file "$task" train) --valid $(file "$task" dev)" ;;
    *)
        case $task in H3 | H4) ;; *) need_file "$runs/tf1/dnabird.json" ;; esac
        rows="--train $(file "$task" dev) --valid-fraction 0.1"
        ;;
    esac
    train=${rows#--train }
    train=${train%% *}
    if [ -s "$runs/$task.tsv" ]; then
        echo "$task: done before, in $runs/$task.tsv" >&2
        continue
    fi
    # shellcheck disable=SC2046,SC2086 # words wanted
    logged "$runs/$task.log" \
        "$dnabird" finetune $rows $(settings "$task") --batch 32 --dropout 0.1 \
        --weight-decay 0.05 --mutate 0.05 --strand both --seed 1 \
        --resume -o "$runs/$task"
    logged "$runs/$task.log" \
        "$dnabird" evaluate -m "$runs/$task" --test "$test" --strand both \
        --train "$train" --bootstrap 1000 -o "$runs/$task.tsv.part"
    mv "$runs/$task.tsv.part" "$runs/$task.tsv"
    awk -F'\t' '$1 ~ /^(all|clean)\/(model|k-mers)$/ &&
        ($2 == "auroc" || $2 == "mcc") { print task, $0 }' task="$task" \
        "$runs/$task.tsv"
done
