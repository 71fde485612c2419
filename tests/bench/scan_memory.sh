#!/bin/bash
# Memory of `dnabird promoter` besides the weights (their reordered copies
# included), with 4 layers of 128 and windows of 600 bp: 200 windows and 20,000 of them on 2
# threads, in float32 and, where it is there, int8; 1,600 of them on 1 to 16
# threads; and one layer of base width on 2. Fails above 150 MiB on 2 threads,
# when many windows take over 4 MiB more than few, or above 50 MiB and 16 for
# each of 1 to 16 threads: what a thread takes must not grow with their number.
# SPDX-License-Identifier: MIT
#
#   scan_memory.sh DNABIRD SOURCE-ROOT
set -eu

besides=150 more=4

dnabird=$(realpath "$1") data=$(realpath "$2")/data
recipes=$(realpath "$2")/tools/train
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive LC_ALL=C
number() { # of a key in the JSON row
    sed -n "s/^ *\"$2\": \([0-9.]*\),*$/\1/p" <<<"$1"
}
bad=0
row() { # windows of one strand, model, precision, threads, most MiB besides
    row=$("$dnabird" bench scan -m "$2" -t "$4" --strand + \
        -f "$data/genome/chr20_demo.fa.gz" --precision "$3" \
        --stride 50 -r "chr20:2400001-$((2400000 + 50 * $1))" \
        --runs 1 --settings <(echo 'seconds = 0') --json)
    peak=$(number "$row" peak_mib)
    windows=$(number "$row" windows)
    [ "$windows" -ge "$1" ] || bad=1
    awk -v m="$(basename "$2")" -v p="$3" -v t="$4" -v n="$windows" \
        -v peak="$peak" -v w="$(number "$row" weights_mib)" -v most="$5" \
        'BEGIN {
            printf "%s\t%s\t%d\t%d\t%.1f\t%.1f\t%.1f\n", m, p, t, n, peak, w,
                peak - w
            exit !(peak - w <= most)
        }' || bad=1
}
small() { # as the promoter model that shipped before, random weights: $work/small
    "$dnabird" tokenizer train -v 512 -r chr20:2400001-2900000 \
        -o "$work/words.json" "$data/genome/chr20_demo.fa.gz"
    "$dnabird" init --config "$recipes/scan.json" --labels 1 --window 600 \
        --tokenizer "$work/words.json" "$work/small"
}
base() { # one layer of base width into $work/base
    "$dnabird" init --preset base "$work/twelve"
    sed 's/"num_hidden_layers": 12/"num_hidden_layers": 1/' \
        "$work/twelve/config.json" >"$work/one.json"
    "$dnabird" init --config "$work/one.json" --labels 1 --window 600 \
        --tokenizer "$work/words.json" "$work/base"
}

printf 'model\tprecision\tthreads\twindows\tpeak MiB\tweights MiB\tbesides\n'
{ small && base; } 2>"$work/log" || { cat "$work/log"; exit 1; }
for precision in float32 int8; do
    if [ $precision = int8 ] &&
        ! "$dnabird" info "$work/small" | grep -q '^precision.*int8'; then
        echo 'int8: not in this build'
        continue
    fi
    row 200 "$work/small" $precision 2 $besides
    first=$peak
    row 20000 "$work/small" $precision 2 $besides
    awk -v a="$first" -v b="$peak" -v m=$more 'BEGIN {exit !(b - a <= m)}' ||
        bad=1
    row 400 "$work/base" $precision 2 $besides
done
for threads in 1 2 4 8 16; do
    row 1600 "$work/small" float32 $threads $((50 + 16 * threads))
done
[ $bad = 0 ] || echo 'more than allowed'
exit $bad
