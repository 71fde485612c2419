#!/bin/bash
# A folder of base size, made for it: open.c says how long it takes to open and
# what memory a sequence of 4,096 tokens takes.
# SPDX-License-Identifier: MIT
#
#   base.sh DNABIRD OPEN
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" init --preset base --seed 1 "$work/base"
"$2" "$work/base" 4096
