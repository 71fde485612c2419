#!/bin/sh
# Train and evaluate the GUE promoter tasks, one model each.
# SPDX-License-Identifier: MIT
#
#   tools/train/gue.sh [-d DATA] [-o RUNS] [TASK ...]
#
# TASK: core_all core_notata core_tata 300_tata 300_all; default: all of them. DATA has
# promoters/GUE/*.csv.gz (official rows) and
# promoters/GUE_prom_300_all.trainpool.csv.gz, a substitute for the train file of
# 300_all. It was made from that task's dev rows among others, so 10 % of it are held
# out for validation and its dev file is not used. Each run leaves RUNS/TASK (a model
# folder), TASK.tsv (metrics on the test file, whole and without rows that share
# sequence with train, with the baselines) and TASK.log. A finished run is not
# repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

tasks='core_all core_notata core_tata 300_tata 300_all'
data='' runs=$here/runs/gue

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
[ $# -gt 0 ] || set -- $tasks

data=$(find_data "$data")
dnabird=$(find_dnabird)
mkdir -p "$runs"

# Overlapping words, one at every base: with a large vocabulary 70 bp would be a dozen
# tokens, and from single bases a model needs many more epochs to learn words. The
# TATA sets have 4,904 training rows: short words, more dropout.
for k in 3 5; do
    [ -s "$runs/k$k.json" ] || "$dnabird" tokenizer kmer -k $k -o "$runs/k$k.json"
done
word() {
    case $1 in *_tata) echo 3 ;; *) echo 5 ;; esac
}
dropout() {
    case $1 in *_tata) echo 0.3 ;; *) echo 0.2 ;; esac
}

# The training settings of each task, chosen on validation rows only.
settings() {
    case $1 in
    core_all | core_notata) echo --epochs 5 --batch 64 --lr 5e-4 --average 0.998 ;;
    core_tata) echo --epochs 16 --batch 32 --lr 5e-4 --average 0.995 --weight-decay 0.1 ;;
    300_tata) echo --epochs 8 --batch 32 --lr 5e-4 --average 0.995 --weight-decay 0.1 ;;
    300_all) echo --epochs 5 --batch 32 --lr 5e-4 --average 0.998 ;;
    *) die "no task '$1'; there are: $tasks" ;;
    esac
}

# The training and validation rows of a task.
rows() {
    if [ "$1" = 300_all ]; then
        echo --train "$data/promoters/GUE_prom_300_all.trainpool.csv.gz" \
            --valid-fraction 0.1
    else
        echo --train "$data/promoters/GUE/prom_$1.train.csv.gz" \
            --valid "$data/promoters/GUE/prom_$1.dev.csv.gz"
    fi
}

for task; do
    settings "$task" >/dev/null
done
case $data$runs in
*[[:space:]]*) die "paths with blanks are not supported here" ;;
esac

for task; do
    test=$data/promoters/GUE/prom_$task.test.csv.gz
    need_file "$test"
    # shellcheck disable=SC2046 # words wanted
    set_rows=$(rows "$task")
    train=${set_rows#--train }
    train=${train%% *}
    need_file "$train"
    if [ -s "$runs/$task.tsv" ]; then
        echo "$task: done before, in $runs/$task.tsv" >&2
        continue
    fi
    resume=''
    [ -d "$runs/$task" ] && resume=--resume
    sed "s/\"hidden_dropout_prob\": [0-9.]*/\"hidden_dropout_prob\": $(dropout "$task")/" \
        "$here/tools/train/gue.json" >"$runs/$task.json"
    # shellcheck disable=SC2046,SC2086 # words wanted
    logged "$runs/$task.log" \
        "$dnabird" finetune $set_rows --tokenizer "$runs/k$(word "$task").json" \
        --config "$runs/$task.json" $(settings "$task") --seed 1 $resume \
        -o "$runs/$task"
    run "$dnabird" evaluate -m "$runs/$task" --test "$test" \
        --train "$train" >"$runs/$task.tsv.part"
    mv "$runs/$task.tsv.part" "$runs/$task.tsv"
done

# One line for each task: the metrics that are compared with others'.
printf 'task\tset\tmetric\tvalue\tlo\thi\n'
for task in $tasks; do
    [ -s "$runs/$task.tsv" ] || continue
    awk -v task="$task" -F '\t' '$2 == "auroc" || $2 == "mcc" {
        print task "\t" $0 }' "$runs/$task.tsv"
done
