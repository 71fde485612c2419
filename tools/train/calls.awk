# The summits of the calls in windows, as BED6 with the call's raw probability in column 5.
# SPDX-License-Identifier: MIT
#
#   awk -F '\t' -v threshold=P -v merge=BP -v both=0|1 [-v site=BP] -f calls.awk WINDOWS.tsv
#
# WINDOWS.tsv is `promoter -O windows`. Calls are those of `evaluate scan`: windows at or
# above the threshold that start within `merge` bp of each other, or overlap or touch with
# merge 0, are one call, whose summit is the middle of its best windows. With site=BP it is
# the summit of `promoter` with a model of this site_bp: the middle of the window around
# which the mean of all windows that start within BP is largest. With both=1 the strands
# are one, of their larger probability, and column 6 is a dot.

# the mean of the windows that start within `site` of this one
function mean_near(s, from,    d, far, sum, n) {
    sum = value[s, from]
    n = 1
    far = int(site / wide) * wide
    for (d = -far; d <= far; d += wide)
        if (d && (s, from + d) in value) {
            sum += value[s, from + d]
            n++
        }
    return sum / n
}

# seek: low and high, the middles of the first and the last window with the largest mean
function seek(s,    i, n, from, mean, most) {
    n = split(called[s], from, " ")
    for (i = 1; i <= n; i++) {
        mean = mean_near(s, from[i] + 0)
        if (i == 1 || mean > most) {
            most = mean
            low[s] = from[i] + int(wide / 2)
        }
        if (mean == most)
            high[s] = from[i] + int(wide / 2)
    }
}

function end_call(s,    at) {
    if (!(s in best))
        return
    if (site)
        seek(s)
    at = low[s] + int((high[s] - low[s]) / 2)
    print "chr" contig, at, at + 1, ".", best[s], s
    delete best[s]
    called[s] = ""
}

# one window, of the larger probability when the strands are one
function take(from, to, s, p,    anchor) {
    anchor = from + int((to - from) / 2)
    if (site)
        value[s, from] = p
    if (p < threshold)
        return
    if (s in best && (merge ? from - start[s] > merge : from > stop[s]))
        end_call(s)
    if (!(s in best) || p > best[s]) {
        best[s] = p
        low[s] = high[s] = anchor
    } else if (p == best[s]) {
        high[s] = anchor
    }
    if (site)
        called[s] = called[s] " " from
    start[s] = from
    stop[s] = to
}

function take_held() {
    if (held)
        take(from, to, ".", larger)
    held = 0
}

function end_contig() {
    take_held()
    end_call("+")
    end_call("-")
    end_call(".")
    split("", value)
}

BEGIN { OFS = "\t" }
/^#/ { next }
{ p = NF > 6 ? $7 : $5 } # thresholds are of raw probabilities
p == "." { next }
{
    sub(/^chr/, "", $1)
    if ($1 != contig)
        end_contig()
    contig = $1
    if (!wide)
        wide = $3 - $2
    if (!both) {
        take($2 + 0, $3 + 0, $4, p + 0)
        next
    }
    # the other strand's window follows at once
    if (held && $2 == from) {
        if (p + 0 > larger)
            larger = p + 0
        next
    }
    take_held()
    held = 1
    from = $2 + 0
    to = $3 + 0
    larger = p + 0
}
END { end_contig() }
