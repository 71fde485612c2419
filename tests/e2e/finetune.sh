#!/bin/bash
# Fine-tuning learns, and an interrupted run ends with the same bytes; prints
# TAP. SPDX-License-Identifier: MIT
#
#   finetune.sh DNABIRD learn|resume|refuse|lower
#
# The times of the kills are random: $BIRD_SEED repeats those of a run.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/training.sh"
part=$2
cd "$work" || exit 1
train=$here/data/train/prom_core_tata.train600.csv.gz
test=$here/data/train/prom_core_tata.test300.csv

# The log without its columns of time.
untimed() { cut -f 1-7 "$1/training.tsv"; }

# same A B: two runs ended alike
same() {
    local f
    for f in model.safetensors config.json tokenizer.json \
        baseline.safetensors; do
        cmp "$1/$f" "$2/$f" || return
    done
    cmp <(untimed "$1") <(untimed "$2") && cmp <(facts "$1") <(facts "$2")
}

# A small run, in an array, so that a signal reaches the program itself.
small=("$dnabird" finetune --train rows.csv --tokenizer "$tokenizer"
    --preset tiny --steps 60 --batch 8 --lr 1e-3 --valid-fraction 0.2
    --strand both --mutate 0.02 --shift 3 --average 0.9
    --validate-every 15 --checkpoint-every 4)
# One of three updates with a checkpoint.
tiny=("$dnabird" finetune --train rows.csv --tokenizer "$tokenizer"
    --steps 3 --batch 4 --no-baselines)

learn() {
    local first last auroc
    status "a run ends well" 0 "the model is in a" "$dnabird" finetune \
        --train "$train" --tokenizer "$tokenizer" --preset tiny --steps 160 \
        --batch 16 --lr 1e-3 --valid-fraction 0.15 --strand both \
        --average 0.9 --validate-every 40 -o a
    first=$(awk 'NR == 2 { print $3 }' a/training.tsv)
    last=$(awk 'END { print $3 }' a/training.tsv)
    # seeds 1 to 3: from 0.693 or 0.694 to 0.59 .. 0.60
    check "the loss falls: $first to $last" below "$last" 0.65
    check "it began at chance" below 0.68 "$first"
    status "figures of the model" 0 - "$dnabird" evaluate -m a \
        --test "$test" --train "$train" --bootstrap 50
    auroc=$(awk '$1 == "all/model" && $2 == "auroc" { print $3 }' out)
    # seeds 1 to 3: 0.748 to 0.761, whose standard error is 0.028
    check "AUROC of held-out rows: $auroc" below 0.65 "$auroc"
    check "figures of the floors" grep -q '^clean/positions	auroc' out
    status "a model is whole" 0 - "$dnabird" info --verify a
}

# The products of linear layers in bfloat16.
lower() {
    "${tiny[@]}" --preset tiny --precision bfloat16 -o no 2>err
    if grep -q 'use float32$' err; then
        check "what is missing is said in one line" test "$(wc -l <err)" = 1
        check "and nothing is begun" test ! -e no
        return
    fi
    status "a run in float32" 0 - "${small[@]}" -t 1 -o exact
    status "a run in bfloat16" 0 "the model is in one" "${small[@]}" -t 1 \
        --precision bfloat16 -o one
    check "is another" test "$(cmp exact/model.safetensors \
        one/model.safetensors | wc -l)" = 1
    check "and says so" grep -q '"precision": "bfloat16"' one/dnabird.json
    kill_after 0.3 "${small[@]}" -t 2 --precision bfloat16 -o killed
    status "a killed run goes on, on two threads" 0 - "${small[@]}" -t 2 \
        --recompute --precision bfloat16 --resume -o killed
    check "to the same bytes" same one killed
    status "but not in float32" 1 "checkpoint of another run" "${small[@]}" \
        -t 1 --resume -o killed
}

resume() {
    local begin took k moment got
    RANDOM=${BIRD_SEED:-$$}
    echo "# BIRD_SEED=${BIRD_SEED:-$$}"
    begin=${EPOCHREALTIME/./}
    status "a run on one thread" 0 "the model is in one" \
        "${small[@]}" -t 1 -o one
    took=$(((${EPOCHREALTIME/./} - begin) / 1000))
    status "the same on two" 0 - "${small[@]}" -t 2 -o two
    check "one and two threads end with the same bytes" same one two

    for k in 1 2 3; do
        moment=$((took * (5 + RANDOM % 50) / 100))
        moment=$((moment / 1000)).$(printf %03d $((moment % 1000)))
        kill_after "$moment" "${small[@]}" -t 1 -o killed --resume
        echo "# killed after $moment s: $(tail -n 1 killed/training.tsv \
            2>/dev/null | cut -f 1) was the last step told"
    done
    status "killed thrice, the run goes on" 0 - \
        "${small[@]}" -t 1 -o killed --resume
    check "and ends with the same bytes" same one killed
    check "nothing half written is left" test -z \
        "$(find killed -name '*.tmp*')"

    "${small[@]}" -t 1 -o stopped >out 2>err &
    k=$!
    wait_for "$k" stopped/checkpoint.safetensors
    kill -TERM "$k"
    wait "$k"
    got=$?
    check "SIGTERM ends with status 3" test "$got" = 3
    check "and says how to go on" grep -q 'stopped at step.*--resume' err
    check "and leaves no model yet" test ! -e stopped/model.safetensors
    status "a run that is there is not overwritten" 1 "add --resume" \
        "${small[@]}" -t 1 -o stopped
    status "the stopped run goes on" 0 - "${small[@]}" -t 1 -o stopped --resume
    check "to the same bytes" same one stopped
    status "a finished run may be resumed" 0 - \
        "${small[@]}" -o stopped --resume
    check "and stays the same" same one stopped
}

refuse() {
    local size
    status "three updates" 0 - "${tiny[@]}" --preset tiny -o a
    cp -r a b
    size=$(stat -c %s b/checkpoint.safetensors)
    truncate -s $((size / 2)) b/checkpoint.safetensors
    status "a checkpoint cut short" 1 "b/checkpoint.safetensors" \
        "${tiny[@]}" --preset tiny -o b --resume
    check "said in one line" test "$(wc -l <err)" = 1
    truncate -s 0 b/checkpoint.safetensors
    status "an empty checkpoint" 1 "b/checkpoint.safetensors" \
        "${tiny[@]}" --preset tiny -o b --resume
    status "a checkpoint of other options" 1 "checkpoint of another run" \
        "${tiny[@]}" --preset tiny -o a --resume --lr 0.5
    cp a/config.json other.json
    sed -i 's/"num_attention_heads": *2/"num_attention_heads": 4/' other.json
    status "of another configuration" 1 "checkpoint of another run" \
        "${tiny[@]}" --config other.json -o a --resume
    awk -F , -v OFS=, 'NR == 2 { $2 = 1 - $2 } 1' rows.csv >swapped.csv
    status "of other labels" 1 "checkpoint of another run" "${tiny[@]}" \
        --train swapped.csv --preset tiny -o a --resume
    status "training data that is not there" 1 "none.csv" "${tiny[@]}" \
        --preset tiny --train none.csv -o c
    check "leaves no folder" test ! -e c
    # 100 KiB a file: less than a checkpoint, as on a full disk
    status "files that grow too large" 1 "c/" bash -c 'ulimit -f 100
        exec "$@"' bash "${tiny[@]}" --preset tiny -o c
    check "said in one line at the end" grep -q '^dnabird: c/.*: ' err
    check "and nothing half written" test -z "$(find c -name '*.tmp*')"
    status "with room again the run starts" 0 - \
        "${tiny[@]}" --preset tiny -o c --resume
    check "and ends with the same bytes" cmp a/model.safetensors \
        c/model.safetensors
}

zcat "$train" | head -n 161 >rows.csv
: >err
case $part in
learn | resume | refuse | lower) "$part" ;;
*) echo "Bail out! no part $part" ;;
esac
end_rules
