#!/bin/bash
# The model cards, docs/trials, docs/your-genome.md, comparison.md and README.md: their tables are what
# tools/figures.sh makes of the TSVs in data/figures; prints TAP.
# SPDX-License-Identifier: MIT
#
#   cards.sh SOURCE_ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
cd "$1" || exit 1

cards=$(mktemp -d)
trap 'rm -rf "$cards"' EXIT
cp -r docs/models docs/trials "$cards"
cp docs/your-genome.md docs/comparison.md docs/math/pattern.md README.md "$cards"
tools/figures.sh "$cards"/*.md "$cards"/*/*.md || exit 1
{
    diff -r docs/models "$cards/models"
    diff -r docs/trials "$cards/trials"
    diff docs/your-genome.md "$cards"
    diff docs/comparison.md "$cards"
    diff docs/math/pattern.md "$cards"
    diff README.md "$cards"
} | head -20 |
    rule "tables of the cards, trials, your-genome.md, comparison.md, math/pattern.md and README.md are made from data/figures"

grep -c '^<!-- figures: ' docs/models/*.md | grep ':0$' |
    rule "every card has such a table"

grep -ohE '`[a-z_]+-[a-z0-9_-]+\.tsv`' docs/models/*.md docs/trials/*.md docs/your-genome.md docs/math/pattern.md | tr -d '`' | sort -u |
    while read -r f; do
        [ -f "data/figures/$f" ] || echo "$f"
    done | rule "every TSV that a card names is there"

end_rules
