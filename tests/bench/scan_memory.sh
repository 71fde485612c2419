#!/bin/bash
# Memory of `dnabird promoter` with the shipped model on 2 threads: 200 windows
# and 20,000 of them, in float32 and, where it is there, int8. Fails above the
# weights (their reordered copies included) and 150 MiB, or when many windows
# take over 4 MiB more than few.
# SPDX-License-Identifier: MIT
#
#   scan_memory.sh DNABIRD SOURCE-ROOT
set -eu

besides=150 more=4

dnabird=$(realpath "$1") data=$(realpath "$2")/data
export OMP_WAIT_POLICY=passive LC_ALL=C
number() { # of a key in the JSON row
    sed -n "s/^ *\"$2\": \([0-9.]*\),*$/\1/p" <<<"$1"
}
scan() { # windows of one strand from a start
    "$dnabird" bench scan -m "$data/models/promoter" -t 2 --strand + \
        -f "$data/genome/chr20_demo.fa.gz" --precision "$precision" \
        --stride 50 -r "chr20:2400001-$((2400000 + 50 * $1))" \
        --repeats 1 --seconds 0 --json
}

bad=0
printf 'precision\twindows\tpeak MiB\tweights MiB\tbesides\n'
for precision in float32 int8; do
    if [ $precision = int8 ] &&
        ! "$dnabird" info "$data/models/promoter" | grep -q '^precision.*int8'; then
        echo 'int8: not in this build'
        continue
    fi
    first=
    for n in 200 20000; do
        row=$(scan $n)
        peak=$(number "$row" peak_mib) weights=$(number "$row" weights_mib)
        windows=$(number "$row" windows)
        [ "$windows" -ge $n ] || bad=1
        first=${first:-$peak}
        awk -v p="$precision" -v n="$windows" -v peak="$peak" -v w="$weights" \
            -v first="$first" -v most=$besides -v more=$more 'BEGIN {
                printf "%s\t%d\t%.1f\t%.1f\t%.1f\n", p, n, peak, w, peak - w
                exit !(peak - w <= most && peak - first <= more)
            }' || bad=1
    done
done
exit $bad
