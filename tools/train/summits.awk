# How far the summits of calls are from CAGE peaks.
# SPDX-License-Identifier: MIT
#
#   awk -F '\t' -v who=NAME -v part=NAME -v asked=N -f summits.awk CAGE.tsv CALLS.bed
#
# CAGE.tsv has contig, position and strand of each peak's middle, CALLS.bed is the output
# of calls.awk with both=0.

function nearest(contig, strand, at,    k, i, n, a, d, best) {
    best = 1e9
    for (k = int(at / 1000) - 1; k <= int(at / 1000) + 1; k++) {
        n = split(place[contig, strand, k], a, " ")
        for (i = 1; i <= n; i++) {
            d = a[i] < at ? at - a[i] : a[i] - at
            if (d < best)
                best = d
        }
    }
    return best
}

FNR == NR {
    key = $1 SUBSEP $3 SUBSEP int($2 / 1000)
    place[key] = place[key] " " $2
    next
}
{
    calls++
    own = nearest($1, $6, $2)
    other = nearest($1, $6 == "+" ? "-" : "+", $2)
    if (own > 500 && other > 500)
        next
    near++
    right += own <= other
    if (own > 500)
        next
    here++
    close_by += own <= 25
    count[own]++
}
END {
    median = "NA"
    for (d = 0; d <= 500 && seen < here / 2; d++)
        if (d in count) {
            seen += count[d]
            median = d
        }
    print who, part, asked, calls + 0, near + 0, here + 0, right + 0, median,
        here ? sprintf("%.3f", close_by / here) : "NA"
}
