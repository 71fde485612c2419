# How far the summits of calls are from CAGE peaks.
# SPDX-License-Identifier: MIT
#
#   awk -F '\t' -v who=NAME -v part=NAME -v merge=BP -f summits.awk THRESHOLDS CAGE.tsv
#       WINDOWS.tsv
#
# THRESHOLDS are those of `evaluate scan --choose`; the one for 5 false calls per Mb of
# each strand is taken. CAGE.tsv has contig, position and strand of each peak's middle.
# WINDOWS.tsv is `promoter -O windows`: windows at or above the threshold that start within
# `merge` bp of each other, or overlap or touch with merge 0, are one call, whose summit is
# the middle of the best window.

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

function end_call(strand,    own, other) {
    if (!(strand in summit))
        return
    calls++
    own = nearest(contig[strand], strand, summit[strand])
    other = nearest(contig[strand], strand == "+" ? "-" : "+", summit[strand])
    delete summit[strand]
    if (own > 500 && other > 500)
        return
    near++
    right += own <= other
    if (own > 500)
        return
    here++
    close_by += own <= 25
    count[own]++ # distances are whole or half bases
}

/^#/ { next }
FILENAME == ARGV[1] {
    if ($1 == "stranded" && $2 == 5)
        threshold = $3
    next
}
FILENAME == ARGV[2] {
    sub(/^chr/, "", $1)
    key = $1 SUBSEP $3 SUBSEP int($2 / 1000)
    place[key] = place[key] " " $2
    next
}
{ p = NF > 6 ? $7 : $5 } # thresholds are of raw probabilities
p != "." && p + 0 >= threshold {
    s = $4
    sub(/^chr/, "", $1)
    if (s in summit && ($1 != contig[s] ||
        (merge ? $2 - start[s] > merge : $2 > stop[s])))
        end_call(s)
    if (!(s in summit) || p + 0 > best[s]) {
        best[s] = p + 0
        summit[s] = ($2 + $3) / 2
    }
    contig[s] = $1
    start[s] = $2
    stop[s] = $3
}
END {
    end_call("+")
    end_call("-")
    median = "NA"
    for (d = 0; d <= 500 && seen < here / 2; d += .5)
        if (d in count) {
            seen += count[d]
            median = d
        }
    print who, part, calls + 0, near + 0, here + 0, right + 0, median,
        here ? sprintf("%.3f", close_by / here) : "NA"
}
