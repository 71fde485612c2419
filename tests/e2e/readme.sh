#!/bin/bash
# The README's first commands print the output that the README shows; prints
# TAP. SPDX-License-Identifier: MIT
#
#   readme.sh DNABIRD SOURCE_ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1")
cd "$2" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$dnabird" "$work/dnabird"
export PATH=$work:$PATH DNABIRD_DATA=$PWD/data

# alike GOT WANT COMMAND: the same words; of numbers with a fraction the last
# digits are the compiler's and the processor's. BIRD_MLE, a last column, is a
# mean over labels of an effect's rank in the background: effects that differ by
# 1e-7 rank differently for a few labels, and it moves by several 1e-5.
alike() {
    awk -v ranks="$(grep -c 'BIRD_MLE' "$3")" 'NR == FNR { want[FNR] = $0; n = FNR; next }
    {
        m = split($0, g); k = split(want[FNR], w)
        if (m != k) exit bad = 1
        for (i = 1; i <= m; i++) {
            if (g[i] == w[i]) continue
            if (g[i] !~ /^-?[0-9.]+(e-?[0-9]+)?$/ || w[i] !~ /[.e]/) exit bad = 1
            d = g[i] - w[i]; d = d < 0 ? -d : d
            if (d > (ranks && i == m ? 1e-4 : 1e-5)) exit bad = 1
        }
    }
    END { exit bad || FNR != n }' "$2" "$1"
}

# Each ```console block as N.run, the command, and N.want, what it prints.
blocks=$(awk -v work="$work" '
    /^```console$/ { n++; on = 1; command = 0; next }
    /^```$/ { on = 0 }
    !on { next }
    sub(/^\$ /, "") { command = 1 }
    { print >(work "/" n (command ? ".run" : ".want")) }
    command && !/[\\|]$/ { command = 0 }
    END { print n }' README.md)
for i in $(seq "$blocks"); do
    if grep -q bcftools "$work/$i.run" && ! command -v bcftools >/dev/null; then
        skip "block $i" bcftools
        continue
    fi
    bash "$work/$i.run" 2>"$work/err" | grep -v '^#' |
        head -n "$(wc -l <"$work/$i.want")" >"$work/got"
    if alike "$work/got" "$work/$i.want" "$work/$i.run"; then
        passed "$(head -n 1 "$work/$i.run" | cut -d ' ' -f 1-2)"
    else
        { diff "$work/got" "$work/$i.want"; cat "$work/err"; } |
            failed "$(head -n 1 "$work/$i.run")"
    fi
done
# The program in C is the example that is built and run.
diff <(sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d') \
    <(sed -n '/^#include/,$p' tests/support/example.c) 2>&1 |
    rule "the example in C"
end_rules
