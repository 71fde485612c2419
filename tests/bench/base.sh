#!/bin/bash
# A folder of base size, made for it: open.c says how long it takes to open, in
# each precision that is there how long its weights take to be reordered, and
# what memory a sequence of 4,096 tokens takes.
# SPDX-License-Identifier: MIT
#
#   base.sh DNABIRD OPEN
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" init --preset base --seed 1 "$work/base"
bad=0
for precision in float32 bfloat16 int8; do
    if "$1" info "$work/base" | grep -q "^precision.*$precision"; then
        "$2" "$work/base" 4096 $precision || bad=1
    else
        echo "$precision: not in this build, or not of this processor"
    fi
done
exit $bad
