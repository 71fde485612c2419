#!/bin/bash
# Exported folders against an independent program in PyTorch, where a python3
# has it; prints TAP.
# SPDX-License-Identifier: MIT
#
#   export.sh DNABIRD
set -u

dnabird=$(realpath "$1")
tests=$(realpath "$(dirname "$0")/..")
# shellcheck source-path=SCRIPTDIR source=../support/torch_python.sh
. "$(dirname "$0")/../support/torch_python.sh" torch numpy

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

# both NAME FOLDER VOCAB RANDOM LENGTH...: export and embed; the PyTorch program
# gives the same
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
    sigmoid linear laplace tanh; do
    sed "s/gelu_new/$act/" "$tests/data/torch/config.json" >m/config.json
    both "activation $act" m 12 plan 9 31
done

# form CLASS BLOCK RANDOM BIAS RESCALE TIED LENGTH...: a model with this
# configuration and random weights, which has 164 token types and is run with
# one of them
form() {
    local class=$1 block=$2 random=$3 bias=$4 rescale=$5 tied=$6
    shift 6
    rm -rf made taken
    cat >config.json <<EOF
{"model_type": "big_bird", "architectures": ["$class"], "vocab_size": 13,
 "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3,
 "intermediate_size": 20, "max_position_embeddings": 192,
 "type_vocab_size": 164, "block_size": $block, "num_random_blocks": $random,
 "use_bias": $bias, "rescale_embeddings": $rescale,
 "tie_word_embeddings": $tied, "hidden_act": "gelu", "initializer_range": 0.5,
 "id2label": {"0": "a", "1": "b", "2": "c"}}
EOF
    "$dnabird" init --config config.json made &&
        "$dnabird" import --token-type 51 made taken &&
        both "$class, block $block, $random random, bias $bias, rescaled \
$rescale, tied $tied" taken 13 plan "$@"
}

form BigBirdForTokenClassification 4 1 true false true 9 60
form BigBirdForMaskedLM 2 3 false true false 9 23 40
form BigBirdForPreTraining 16 2 true true true 20 160
form BigBirdForSequenceClassification 8 4 false false true 7 120
logits=
form BigBirdModel 1 2 true false true 12 30

# a model as this program trains them: a tokenizer, a head of its own
both "a fine-tuned model" "$tests/data/model" 11 plan 5 60
grep -qs PreTrainedTokenizerFast "out$n/tokenizer_config.json" ||
    echo "none plan the tokenizer's class is not named" >>cases

"$python" "$tests/support/bigbird.py" cases
