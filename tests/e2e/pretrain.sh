#!/bin/bash
# Pretraining learns, and an interrupted run ends with the same bytes; prints
# TAP. SPDX-License-Identifier: MIT
#
#   pretrain.sh DNABIRD DATA learn|letters|resume|refuse|lower|ranks
#
# DATA is the project's data folder. The times of the kills are random:
# $BIRD_SEED repeats those of a run.
set -u
genome=$(realpath "$2")/genome/chr20_demo.fa.gz
. "$(dirname "${BASH_SOURCE[0]}")/training.sh"
part=$3
cd "$work" || exit 1

# The log without its columns of time.
untimed() { cut -f 1-9 "$1/training.tsv"; }

# same A B: two runs ended alike
same() {
    local f
    for f in model.safetensors config.json tokenizer.json; do
        cmp "$1/$f" "$2/$f" || return
    done
    cmp <(untimed "$1") <(untimed "$2") && cmp <(facts "$1") <(facts "$2")
}

# A small run, in an array, so that a signal reaches the program itself.
small=("$dnabird" pretrain --config tiny.json --tokenizer "$tokenizer"
    --steps 60 --batch 512 --length 128 --pack-tokens 256 --lr 3e-3 --nsp
    --sampling documents --valid-include contig:1-20000 --valid-tokens 512
    --validate-every 7)
# One of three updates.
few=("$dnabird" pretrain --tokenizer "$tokenizer" --steps 3 --batch 256
    --length 128)

learn() {
    local first last chance
    chance=$(sed 1d part.fa | tr -d '\n' | head -c 40000 | fold -w 1 | sort |
        uniq -c | awk '{ n[$2] = $1; t += $1 }
            END { for (k in n) h -= n[k] / t * log(n[k] / t) / log(2)
                print h }')
    status "a vocabulary of letters" 0 - "$dnabird" tokenizer train part.fa \
        -v 11 -o letters.json
    status "a run ends well" 0 "the model is in a" "$dnabird" pretrain \
        --preset tiny --tokenizer letters.json --steps 300 --batch 1024 \
        --length 128 --lr 3e-3 --warmup 30 --dropout 0 -t 1 \
        --valid-include contig:1-40000 --valid-tokens 32K \
        --validate-every 100 -o a part.fa
    first=$(awk 'NR == 2 { print $4 }' a/training.tsv)
    last=$(awk '$8 != "NA" { v = $8 } END { print v }' a/training.tsv)
    check "it began at chance, $first bits per base" below 2 "$first"
    # seeds 1 to 3: 1.964 to 1.973; the letters' shares alone give 1.98
    check "held-out sequence takes $last bits per base, by its letters \
$chance" below "$last" "$chance"
    status "a model is whole" 0 - "$dnabird" info --verify a
    check "it says what was held out" grep -q '"contig:1-40000"' \
        a/dnabird.json
    status "it can be gone on with" 0 - "$dnabird" pretrain --init a \
        --steps 2 --batch 1024 --length 128 --lr 1e-9 -t 1 -o b part.fa
    first=$(awk 'NR == 2 { print $4 }' b/training.tsv)
    check "and begins where it ended: $first" below "$first" 1.97
}

# less PREDICTOR: bits per base of the model minus those of PREDICTOR, and the
# upper end of the interval
less() {
    awk -v who="$1" '$2 == "all" && $3 == who &&
        $4 == "model_less_bits_per_base" { print $5, $7 }' held.tsv
}

# A tiny model of letters that learned from 200 kb needs fewer bits than Markov
# models of order 3 of the same 200 kb, on 40 kb that neither has seen; not by the
# figure alone: its interval is below 0.
# Heads that look at one neighbour from the first (blocks of one token, weights
# of a wide start) find out within hundreds of steps what stands where; global
# tokens carry the composition.
letters() {
    local who got
    zcat "$genome" | awk 'NR == 1 { print ">contig" } NR > 40001 { print }
        NR == 44001 { exit }' >long.fa
    printf 'contig\t40000\t240000\n' >train.bed
    status "a vocabulary of letters" 0 - "$dnabird" tokenizer train \
        long.fa -R train.bed --strand both -v 11 -o few.json
    cat >local.json <<END
{"architectures": ["BigBirdForMaskedLM"], "model_type": "big_bird",
 "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8,
 "intermediate_size": 64, "max_position_embeddings": 64, "block_size": 1,
 "num_random_blocks": 1, "vocab_size": 11,
 "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0,
 "initializer_range": 0.12}
END
    status "its start" 0 - "$dnabird" init --config local.json --tokenizer \
        few.json --random-blocks uniform --attention-parts global,window \
        --seed 1 start
    status "1,200 steps" 0 "the model is in held" "$dnabird" pretrain \
        --init start --steps 1200 --batch 1024 --length 64 --lr 4e-3 \
        --valid-include contig:1-40000 --valid-tokens 4K \
        --validate-every 1200 -t 1 -o held long.fa
    status "held-out sequence" 0 - "$dnabird" evaluate --mlm -m held \
        -f long.fa -R contig:1-40000 --train-regions train.bed --order 3 \
        --window 62 --bootstrap 500 -o held.tsv
    # seeds 1 to 4, of both sides: at most -.0088
    for who in markov_left_3 markov_both_3; do # one side, and both
        read -r -a got < <(less "$who")
        check "bits per base below $who by ${got[0]}, at most ${got[1]}" \
            below "${got[1]}" 0
    done
}

# stop_by SIGNAL FOLDER: once it has a checkpoint
stop_by() {
    local got pid
    "${small[@]}" --checkpoint-every 1 -t 1 -o "$2" part.fa >out 2>err &
    pid=$!
    wait_for "$pid" "$2/checkpoint.safetensors"
    kill "-$1" "$pid"
    wait "$pid"
    got=$?
    check "SIG$1 ends with status 3" test "$got" = 3
    check "and says how to go on" grep -q 'stopped at step.*--resume' err
    check "and leaves no model yet" test ! -e "$2/model.safetensors"
}

resume() {
    local begin took moment kills=0 ended=0
    RANDOM=${BIRD_SEED:-$$}
    echo "# BIRD_SEED=${BIRD_SEED:-$$}"
    begin=${EPOCHREALTIME/./}
    status "a run on one thread" 0 "the model is in one" \
        "${small[@]}" --checkpoint-every 1 -t 1 -o one part.fa
    took=$(((${EPOCHREALTIME/./} - begin) / 1000))
    status "the same on two, recomputed" 0 - "${small[@]}" -t 2 --recompute \
        -o two part.fa
    check "one and two threads end with the same bytes" same one two
    printf 'contig\t0\t20000\n' >held.bed
    status "token shards" 0 - "$dnabird" dataset tokens --steps 60 \
        --batch 512 --length 128 --sampling documents --nsp \
        --exclude held.bed --tokenizer "$tokenizer" -o shards part.fa
    status "the same from shards" 0 - "${small[@]}" -t 1 --shards shards \
        -o from part.fa
    check "shards give the same bytes" same one from
    status "shards that touch what is held out" 1 "other regions" \
        "${small[@]}" --test-include contig:50001-60000 --shards shards \
        -o touched part.fa
    status "shards of fewer steps" 1 "60 steps" "${small[@]}" \
        --steps 61 --shards shards -o short part.fa

    # Up to a third of a whole run, so that each goes some way; a run that
    # gets to its end first is compared and begun anew.
    while [ "$kills" -lt 20 ]; do
        moment=$((1 + took * (RANDOM % 1000) / 3000))
        moment=$((moment / 1000)).$(printf %03d $((moment % 1000)))
        if kill_after "$moment" "${small[@]}" --checkpoint-every 1 -t 1 \
            -o killed --resume part.fa; then
            kills=$((kills + 1))
            echo "# killed after $moment s; step told last:" \
                "$(tail -n 1 killed/training.tsv 2>/dev/null | cut -f 1)"
        else
            ended=$((ended + 1))
            same one killed || break
            rm -rf killed
        fi
    done
    check "killed $kills times, $ended runs ended between" test "$kills" = 20
    status "the run goes on" 0 - "${small[@]}" -t 1 -o killed --resume part.fa
    check "and ends with the same bytes" same one killed
    check "nothing half written is left" test -z \
        "$(find killed -name '*.tmp*')"

    stop_by TERM stopped
    status "a run that is there is not overwritten" 1 "add --resume" \
        "${small[@]}" -t 1 -o stopped part.fa
    stop_by USR1 again
    for moment in stopped again; do
        status "the stopped run goes on" 0 - \
            "${small[@]}" -t 1 -o "$moment" --resume part.fa
        check "to the same bytes" same one "$moment"
    done
    status "a finished run may be resumed" 0 - \
        "${small[@]}" -o stopped --resume part.fa
    check "and stays the same" same one stopped
}

refuse() {
    local size
    status "three updates" 0 - "${few[@]}" --config tiny.json -o a part.fa
    cp -r a b
    size=$(stat -c %s b/checkpoint.safetensors)
    truncate -s $((size / 2)) b/checkpoint.safetensors
    status "a checkpoint cut short" 1 "b/checkpoint.safetensors" \
        "${few[@]}" --config tiny.json -o b --resume part.fa
    check "said in one line" test "$(wc -l <err)" = 1
    check "the model is left as it was" cmp a/model.safetensors \
        b/model.safetensors
    status "a checkpoint of other options" 1 "checkpoint of another run" \
        "${few[@]}" --config tiny.json -o a --resume --lr 0.5 part.fa
    sed 's/"num_attention_heads": *2/"num_attention_heads": 4/' tiny.json \
        >other.json
    status "of another configuration" 1 "checkpoint of another run" \
        "${few[@]}" --config other.json -o a --resume part.fa
    sed '2s/./N/' part.fa >changed.fa
    status "of other sequence" 1 "checkpoint of another run" \
        "${few[@]}" --config tiny.json -o a --resume changed.fa
    status "a reference that is not there" 1 "none.fa" "${few[@]}" \
        --config tiny.json -o c none.fa
    check "leaves no folder" test ! -e c
    # 100 KiB a file: less than a checkpoint, as on a full disk
    status "files that grow too large" 1 "c/" bash -c 'ulimit -f 100
        exec "$@"' bash "${few[@]}" --config tiny.json -o c part.fa
    check "said in one line" grep -q '^dnabird: c/.*: ' err
    check "and nothing half written" test -z "$(find c -name '*.tmp*')"
    status "with room again the run starts" 0 - "${few[@]}" \
        --config tiny.json -o c --resume part.fa
    check "and ends with the same bytes" cmp a/model.safetensors \
        c/model.safetensors
    full
}

# A disk that fills up during a run: the previous checkpoint stays.
full() {
    local step
    stop_by TERM d
    cp d/checkpoint.safetensors before
    status "a disk that fills up" 1 "d/checkpoint.safetensors: " bash -c \
        'ulimit -f 100; exec "$@"' bash "${small[@]}" --checkpoint-every 1 \
        -t 1 -o d --resume part.fa
    check "said in one line" test "$(grep -c '^dnabird: d/' err)" = 1
    check "the good checkpoint stays" cmp before d/checkpoint.safetensors
    check "and nothing half written" test -z "$(find d -name '*.tmp*')"
}

# near A B: losses of two logs within a share of 2^-8 of each other, which is
# how far bfloat16 lies off a number at most; 6e-5 with seeds 1 to 3
near() {
    paste <(untimed "$1") <(untimed "$2") | awk '
        NR > 1 {
            rows++
            for (i = 2; i <= 8; i++) {
                if (i == 5 || i == 6 || $i == $(i + 9)) continue
                d = $i - $(i + 9)
                if ((d < 0 ? -d : d) > $i / 256) wrong = 1
            }
        }
        END { exit wrong || rows != 60 }'
}

# The products of linear layers in bfloat16.
lower() {
    local moment exact
    "${few[@]}" --config tiny.json --precision bfloat16 -o no part.fa 2>err
    if grep -q 'use float32$' err; then
        check "what is missing is said in one line" test "$(wc -l <err)" = 1
        check "and nothing is begun" test ! -e no
        return
    fi
    status "a run in float32" 0 - "${small[@]}" -t 1 -o exact part.fa
    exact=("${small[@]}")
    small+=(--precision bfloat16)
    status "the same in bfloat16" 0 "the model is in one" "${small[@]}" -t 1 \
        -o one part.fa
    check "learns as well" near exact one
    check "and is another" test "$(cmp exact/model.safetensors \
        one/model.safetensors | wc -l)" = 1
    check "dnabird.json says so" grep -q '"precision": "bfloat16"' \
        one/dnabird.json
    check "and that the other is in float32" grep -q \
        '"precision": "float32"' exact/dnabird.json
    status "on two threads, recomputed" 0 - "${small[@]}" -t 2 --recompute \
        -o two part.fa
    check "the same bytes" same one two
    for moment in 0.1 0.2 0.3 0.4; do
        kill_after "$moment" "${small[@]}" --checkpoint-every 1 -t 1 \
            -o killed --resume part.fa
    done
    status "a killed run goes on" 0 - "${small[@]}" -t 1 -o killed --resume \
        part.fa
    check "to the same bytes" same one killed
    stop_by TERM stopped
    status "in another precision it does not" 1 "checkpoint of another run" \
        "${exact[@]}" -t 1 -o stopped --resume part.fa
    status "the stopped run goes on" 0 - "${small[@]}" -t 1 -o stopped \
        --resume part.fa
    check "to the same bytes" same one stopped
    status "nor from float32 to bfloat16" 1 "checkpoint of another run" \
        "${small[@]}" -t 1 -o exact --resume part.fa
}

# like A B: losses, norms and figures of two logs within 1e-6 of each other
like() {
    paste <(untimed "$1") <(untimed "$2") | awk '
        NR > 1 {
            rows++
            for (i = 1; i <= 9; i++) {
                if ($i == $(i + 9)) continue
                d = $i - $(i + 9)
                if ((d < 0 ? -d : d) > 1e-6 * $i) wrong = 1
            }
        }
        END { exit wrong || rows != 50 }'
}

by_ranks() {
    local several=("$dnabird" pretrain -t 1 --config tiny.json
        --tokenizer "$tokenizer" --steps 50 --batch 512 --length 128
        --pack-tokens 128 --lr 3e-3 --nsp --valid-include contig:1-20000
        --valid-tokens 512 --validate-every 20 --repeats mask.bed)
    local pid k
    printf 'contig\t30000\t50000\n' >mask.bed
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    if ! command -v mpirun >/dev/null ||
        OMPI_COMM_WORLD_SIZE=2 "${several[@]}" -o no none.fa 2>&1 |
        grep -q 'has no MPI'; then
        echo "1..0 # SKIP no mpirun, or this build has no MPI (-Dmpi=enabled)"
        exit 0
    fi
    status "one process" 0 - "${several[@]}" -o one part.fa
    for k in 2 4; do
        status "$k processes" 0 "the model is in by$k" mpirun \
            --oversubscribe -n "$k" "${several[@]}" -o "by$k" part.fa
        check "have the losses of one, to 1e-6" like one "by$k"
    done
    # Slow the second process down.
    mpirun --oversubscribe -n 1 "${several[@]}" -o late part.fa \
        : -n 1 nice -n 19 "${several[@]}" -o late part.fa 2>err
    check "the order of arrival does not show" same by2 late

    mpirun --oversubscribe -n 2 "${several[@]}" --checkpoint-every 1 \
        -o killed part.fa 2>err &
    pid=$!
    wait_for "$pid" killed/checkpoint.safetensors
    kill -KILL "$(pgrep -P "$pid" | tail -n 1)"
    wait "$pid"
    check "a process that dies ends the run" test "$?" != 0
    check "with a message" grep -q 'exited on signal 9' err
    check "no model is left" test ! -e killed/model.safetensors
    mpirun --oversubscribe -n 2 "${several[@]}" --resume -o killed \
        part.fa 2>err
    check "the checkpoint stands: the run goes on to the same bytes" \
        same by2 killed
    sed '2s/./N/' part.fa >changed.fa
    mpirun --oversubscribe -n 1 "${several[@]}" -o other part.fa \
        : -n 1 "${several[@]}" -o other changed.fa 2>err
    check "a process with other data is found out" test \
        "$(grep '^dnabird: ' err)" = "dnabird: process 1 has other data,\
 configuration or options than process 0"
    check "and nothing is begun" test ! -e other
}

# 200 kb of real sequence, and a model of two narrow layers.
zcat "$genome" | awk 'NR == 1 { print ">contig" } NR > 40001 { print }
    NR == 43335 { exit }' >part.fa
cat >tiny.json <<'END'
{"architectures": ["BigBirdForMaskedLM"], "model_type": "big_bird",
 "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 64, "max_position_embeddings": 256,
 "block_size": 8, "num_random_blocks": 1, "vocab_size": 96}
END
: >err
case $part in
learn | letters | resume | refuse | lower) "$part" ;;
ranks) by_ranks ;;
*) echo "Bail out! no part $part" ;;
esac
end_rules
