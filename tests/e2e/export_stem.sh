#!/bin/bash
# The encoder behind a stem in transformers: `export --encoder-only` is opened
# there and given the rows of `embed --layer inputs`, where a python3 has it;
# prints TAP.
# SPDX-License-Identifier: MIT
#
#   export_stem.sh DNABIRD
set -u

dnabird=$(realpath "$1")
tests=$(realpath "$(dirname "$0")/..")
# shellcheck source-path=SCRIPTDIR source=../support/torch_python.sh
. "$(dirname "$0")/../support/torch_python.sh" torch transformers safetensors

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

cat >c.json <<'END'
{"model_type": "big_bird", "architectures": ["BigBirdModel"], "vocab_size": 9,
 "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
 "intermediate_size": 96, "max_position_embeddings": 256, "block_size": 8,
 "num_random_blocks": 2, "initializer_range": 0.3}
END
# full attention, full, and sparse: what transformers pads, and what it need not
awk 'BEGIN {
    srand(3)
    split("40 167 365 570", n, " ")
    for (r = 1; r <= 4; r++) {
        print ">r" r
        for (i = 0; i < n[r]; i++)
            printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
        print ""
    }
}' >in.fa
"$dnabird" tokenizer kmer -k 1 -o k.json

# model NAME INIT_OPTION...: a line of `cases` if all went well
model() {
    local name=$1
    shift
    "$dnabird" init -q --config c.json --tokenizer k.json "$@" "$name" &&
        "$dnabird" export --encoder-only "$name" "$name.plain" &&
        "$dnabird" embed -q -m "$name" --layer inputs -o "$name.in.safetensors" \
            in.fa &&
        "$dnabird" embed -q -m "$name" --random-blocks zero -o \
            "$name.out.safetensors" in.fa && echo "$name" >>cases
}
model pooled --stem 9x32/3:relu,5x48 --labels 3 --head mean
model scaled --stem 9x32/3:relu,5x48:plain --branch-scale 0.7 --labels 3 --head bins -b 9
echo "1..2"
"$python" "$tests/support/inputs_embeds.py" cases
