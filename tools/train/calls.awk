# The summits of the calls in windows, as BED6 with the call's raw probability in column 5.
# SPDX-License-Identifier: MIT
#
#   awk -F '\t' -v threshold=P -v merge=BP -v both=0|1 -f calls.awk WINDOWS.tsv
#
# WINDOWS.tsv is `promoter -O windows`. Calls are those of `evaluate scan`: windows at or
# above the threshold that start within `merge` bp of each other, or overlap or touch with
# merge 0, are one call, whose summit is the middle of its best windows. With both=1 the
# strands are one, of their larger probability, and column 6 is a dot.

function end_call(s,    at) {
    if (!(s in best))
        return
    at = low[s] + int((high[s] - low[s]) / 2)
    print contig[s], at, at + 1, ".", best[s], s
    delete best[s]
}

# one window, of the larger probability when the strands are one
function take(c, from, to, s, p,    anchor) {
    anchor = from + int((to - from) / 2)
    if (s in best && (c != contig[s] ||
        (merge ? from - start[s] > merge : from > stop[s])))
        end_call(s)
    if (!(s in best) || p > best[s]) {
        best[s] = p
        low[s] = high[s] = anchor
    } else if (p == best[s]) {
        high[s] = anchor
    }
    contig[s] = c
    start[s] = from
    stop[s] = to
}

BEGIN { OFS = "\t" }
/^#/ { next }
{ p = NF > 6 ? $7 : $5 } # thresholds are of raw probabilities
p == "." || p + 0 < threshold { next }
{
    sub(/^chr/, "", $1)
    if (!both) {
        take("chr" $1, $2 + 0, $3 + 0, $4, p + 0)
        next
    }
    # the other strand's window follows at once
    if (held && $1 == was && $2 == from) {
        if (p + 0 > larger)
            larger = p + 0
        next
    }
    if (held)
        take("chr" was, from, to, ".", larger)
    held = 1
    was = $1
    from = $2 + 0
    to = $3 + 0
    larger = p + 0
}
END {
    if (held)
        take("chr" was, from, to, ".", larger)
    end_call("+")
    end_call("-")
    end_call(".")
}
