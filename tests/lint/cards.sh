#!/bin/bash
# The model cards and docs/your-genome.md: their tables are what
# tools/figures.sh makes of the TSVs in data/figures; prints TAP.
# SPDX-License-Identifier: MIT
#
#   cards.sh SOURCE_ROOT
set -u
. "$(dirname "$0")/tap.sh"
cd "$1" || exit 1

cards=$(mktemp -d)
trap 'rm -rf "$cards"' EXIT
mkdir "$cards/models"
cp docs/models/*.md "$cards/models"
cp docs/your-genome.md "$cards"
tools/figures.sh "$cards"/*.md "$cards"/models/*.md || exit 1
{
    diff -r docs/models "$cards/models"
    diff docs/your-genome.md "$cards"
} | head -20 |
    rule "tables of the cards and of your-genome.md are made from data/figures"

grep -c '^<!-- figures: ' docs/models/*.md | grep ':0$' |
    rule "every card has such a table"

grep -ohE '`[a-z_]+-[a-z0-9_-]+\.tsv`' docs/models/*.md docs/your-genome.md | tr -d '`' | sort -u |
    while read -r f; do
        [ -f "data/figures/$f" ] || echo "$f"
    done | rule "every TSV that a card names is there"

end_rules
