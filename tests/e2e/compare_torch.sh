#!/bin/bash
# tools/bench/compare_torch.py with PyTorch's half, where a python3 has torch:
# both halves run, and their states are the same; prints TAP.
# SPDX-License-Identifier: MIT
#
#   compare_torch.sh DNABIRD
set -u
. "$(dirname "$0")/../support/tap.sh"

dnabird=$(realpath "$1")
compare=$(realpath "$(dirname "$0")/../../tools/bench/compare_torch.py")
# shellcheck source-path=SCRIPTDIR source=../support/torch_python.sh
. "$(dirname "$0")/../support/torch_python.sh" torch

# Full attention, the fewest blocks that are sparse, and more.
forward=$("$python" "$compare" --dnabird "$dnabird" --reference plain \
    --preset tiny --tokens 100,192,512 --rounds 1)
if awk -F '\t' '$1 == "forward" && $17 < 1e-5 && $17 > 0 && $9 > 0 { n++ }
    END { exit n != 3 }' <<<"$forward"; then
    passed "hidden states at 100, 192 and 512 tokens"
else
    failed "hidden states at 100, 192 and 512 tokens" <<<"$forward"
fi
train=$("$python" "$compare" --dnabird "$dnabird" --reference plain \
    --preset tiny --tokens 192 --rounds 1 --task train \
    --precision float32,bfloat16)
if awk -F '\t' '$1 == "train" && $7 > 0 && $8 > 0 { n++ }
    END { exit n != 2 }' <<<"$train"; then
    passed "a training step of both, in both precisions"
else
    failed "a training step of both, in both precisions" <<<"$train"
fi
end_rules
