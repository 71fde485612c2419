#!/bin/bash
# Exported folders against an independent program in PyTorch, where a python3
# has it; prints TAP.
# SPDX-License-Identifier: MIT
#
#   export.sh DNABIRD
set -u

dnabird=$(realpath "$1")
tests=$(realpath "$(dirname "$0")/..")
python=
for p in python3 /usr/bin/python3; do
    "$p" -c 'import torch, numpy' >/dev/null 2>&1 && python=$p && break
done
[ -n "$python" ] || {
    echo "1..0 # SKIP no python3 with torch (Debian: python3-torch)"
    exit 0
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# ids VOCAB LENGTH...: a line of ids for each length, the same every time
ids() {
    awk -v v="$1" -v lengths="${*:2}" 'BEGIN {
        s = 7
        k = split(lengths, l, " ")
        for (i = 1; i <= k; i++)
            for (j = 1; j <= l[i]; j++) {
                s = (s * 16807) % 2147483647
                printf "%d%s", s % v, j < l[i] ? " " : "\n"
            }
    }'
}

# both NAME FOLDER VOCAB RANDOM LENGTH...: export and embed; the program
# computes it again
n=0
both() {
    local name=$1 from=$2 vocab=$3 random=$4 out=out$((n += 1))
    shift 4
    echo "$out $random $name" >>cases
    "$dnabird" export "$from" "$out" && ids "$vocab" "$@" >"$out/ids" &&
        "$dnabird" embed -m "$out" --random-blocks "$random" --layer all \
            --pooled $logits --ids "$out/ids" -o out.safetensors &&
        mv out.safetensors "$out/out"
}

logits=--logits
for case in a_full_short_pad b_sparse_eval e_seqcls g_multilabel_hf_head \
    i_pretrain_nsp v_config_variants; do
    vocab=$(sed -n 's/.*"vocab_size": *\([0-9]*\).*/\1/p' \
        "$tests/golden/$case/config.json")
    for random in plan zero; do
        both "$case, random blocks $random" "$tests/golden/$case" "$vocab" \
            $random 1 17 72 90
    done
done

mkdir m
cp "$tests/data/torch/model.safetensors" m
for act in gelu gelu_10 quick_gelu relu relu2 relu6 leaky_relu silu mish \
    sigmoid linear tanh; do
    sed "s/gelu_new/$act/" "$tests/data/torch/config.json" >m/config.json
    both "activation $act" m 12 plan 9 31
done

# a model as this program trains them: a tokenizer, a head of its own
logits=
both "a fine-tuned model" "$tests/data/model" 11 plan 5 60
grep -qs PreTrainedTokenizerFast "out$n/tokenizer_config.json" ||
    echo "none plan the tokenizer's class is not named" >>cases

"$python" "$tests/support/bigbird.py" cases
