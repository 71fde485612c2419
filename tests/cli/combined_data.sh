# Data of combined.tst: the model of masked_data.sh as p, and a model m of two
# labels, each with a background; the first case makes them.
# SPDX-License-Identifier: MIT shellcheck shell=bash shellcheck source=/dev/null
. "$T/cli/masked_data.sh"
if [ -d "$ONCE/both" ]; then
    rm -r m
    cp -r "$ONCE/both/." .
else
    mv m p
    dnabird init -q --config config.json --tokenizer k.json --window 100 \
        --labels 'TF:a,HM:b' --seed 2 m
    dnabird variant background -q -m p -f r.fa -n 60 --others 20 --seed 3 2>said
    dnabird variant background -q -m m -f r.fa -n 80 --seed 5 2>said
    mkdir "$ONCE/new" && cp -r m p "$ONCE/new" && mv "$ONCE/new" "$ONCE/both"
fi

# v OPTIONS ...: a table of alleles by m
v() { dnabird variant -q -m m -f r.fa -O tsv --no-version "$@"; }

# column NAME TABLE: its cells
column() { awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$2"; }
