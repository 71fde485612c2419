#!/bin/bash
# Compare attributions with in-silico mutagenesis: the rank correlation of each method of
# `attribute` with the mean of the three changes of `mutate --scores logit`, with the sign
# reversed, and the processor seconds of both, as a table.
# SPDX-License-Identifier: MIT
#
#   compare_attribution.sh [-p PROGRAM] -f FASTA -F FEATURE REGION...
set -euo pipefail
program=dnabird options=() threads=1
while getopts p:f:F:m:t: o; do
    case $o in
    p) program=$OPTARG ;;
    t) threads=$OPTARG ;;
    f | F | m) options+=("-$o" "$OPTARG") ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { sed -n '2,9p' "$0" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds COMMAND...: its processor seconds, of this process and its threads
seconds() {
    local TIMEFORMAT='%U %S'
    { time "$program" "$@" -q -t "$threads" "${options[@]}" --no-version; } \
        2>"$work/time" || { cat "$work/time" >&2; return 1; }
    awk 'END { print $1 + $2 }' "$work/time"
}

# ranks: of column 1; equal values have their mean rank
spearman() {
    awk -F '\t' '
        function rank(x, r, order, i, j, k) {
            for (i = 1; i <= n; i++) order[i] = i
            for (i = 2; i <= n; i++) {
                k = order[i]
                for (j = i - 1; j > 0 && x[order[j]] > x[k]; j--)
                    order[j + 1] = order[j]
                order[j + 1] = k }
            for (i = 1; i <= n; i = j) {
                for (j = i; j <= n && x[order[j]] == x[order[i]]; j++) ;
                for (k = i; k < j; k++) r[order[k]] = (i + j - 1) / 2 } }
        { n++; a[n] = $1 + 0; b[n] = $2 + 0 }
        END { rank(a, ra); rank(b, rb); m = (n + 1) / 2
            for (i = 1; i <= n; i++) {
                ab += (ra[i] - m) * (rb[i] - m)
                aa += (ra[i] - m) ^ 2; bb += (rb[i] - m) ^ 2 }
            printf "%.3f", (aa * bb > 0 ? ab / sqrt(aa * bb) : 0) }' "$1"
}

printf 'region\tbases\tmethod\tspearman\tseconds\tmutate_seconds\n'
for region; do
    mutate=$(seconds mutate -r "$region" --centre region --scores logit --shifts 0 -o "$work/mutate.tsv")
    # for each base the mean of its changes, with the sign reversed
    awk -F '\t' -v OFS='\t' '!/^#/ {
        s = n = 0
        for (i = 6; i <= 9; i++) if ($i != ".") { s -= $i; n++ }
        print $1 ":" $2, n ? s / n : "." }' "$work/mutate.tsv" >"$work/mean.tsv"
    for method in gradient integrated; do
        own=$(seconds attribute -r "$region" --method $method \
            -o "$work/attribute.tsv")
        grep -v '^#' "$work/attribute.tsv" | cut -f 7 |
            paste - "$work/mean.tsv" | cut -f 1,3 |
            awk -F '\t' '$1 != "." && $2 != "."' >"$work/both.tsv"
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$region" \
            "$(wc -l <"$work/both.tsv")" $method \
            "$(spearman "$work/both.tsv")" "$own" "$mutate"
    done
done
