#!/bin/bash
# Renew the outputs in README.md after a change of the shipped model: below each command
# of a block ```console its first three lines of output (without those that begin with
# #), and the picture of `mutate`.
# SPDX-License-Identifier: MIT
#
#   tools/readme_outputs.sh [DNABIRD]    default: the program in build/
set -euo pipefail
dnabird=$(realpath "${1:-$(dirname "$0")/../build/tools/dnabird}")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$dnabird" "$work/dnabird"
export PATH=$work:$PATH DNABIRD_DATA=$PWD/data

# Write the command of each block to N.run.
n=$(awk -v work="$work" '
    /^```console$/ { n++; next }
    /^```$/ { command = 0 }
    sub(/^\$ /, "") { command = 1 }
    command { print >(work "/" n ".run") }
    command && !/[\\|]$/ { command = 0 }
    END { print n }' README.md)
for i in $(seq "$n"); do
    bash -o pipefail "$work/$i.run" >"$work/$i.all"
    grep -v '^#' "$work/$i.all" >"$work/$i.rows"
    head -n 3 "$work/$i.rows" >"$work/$i.out"
done
awk -v work="$work" '
    /^```console$/ { n++; on = 1 }
    /^```$/ && on {
        while ((getline line <(work "/" n ".out")) > 0) print line
        on = 0
    }
    !on || /^```/ || /^\$ / || command { print }
    on { command = (/^\$ / || command) && /[\\|]$/ }' README.md \
    >"$work/README.md"
# the picture: the words between `dnabird mutate` and `-O svg`
picture=$(tr '\n' ' ' <README.md | grep -oE 'dnabird mutate [^`]* -O svg')
bash -c "$picture" >"$work/mutagenesis.svg"
cp "$work/mutagenesis.svg" docs/images/mutagenesis.svg
cp "$work/README.md" README.md
