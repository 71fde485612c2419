# Windows of bins around positions, each at a random distance from its position.
# SPDX-License-Identifier: MIT
#
#   awk -v seed=1 -v border=2000 -f around.awk PARTS.bed PLACES.bed
#
# PARTS are the regions for windows, minus `border` bp at their ends. PLACES are sorted
# by contig and start; the first base of each counts. A place inside a predicted bin of
# the window before needs no window of its own; for the others the bin is any of the
# predicted ones, with equal probability. Windows begin at multiples of a bin, as those
# of `dnabird dataset bins`: `window` bp, of which `margin` at each end are context
# only. The same seed gives the same windows with every awk.

function draw(n) { # 0 .. n - 1; Lehmer's generator, exact in a double
    state = state * 16807 % 2147483647
    return int(state / 2147483647 * n)
}

BEGIN {
    OFS = "\t"
    if (!window) window = 4000
    if (margin == "") margin = 200
    if (!bin) bin = 200
    state = seed * 7919 + 1
    for (i = 0; i < 10; i++)
        draw(1)
    bins = (window - 2 * margin) / bin
}

/^#/ { next }
{ sub(/^chr/, "", $1) }
FILENAME == ARGV[1] {
    n = ++parts[$1]
    low[$1, n] = int(($2 + border + bin - 1) / bin) * bin
    high[$1, n] = int(($3 - border) / bin) * bin
    next
}
{
    at = int($2 / bin) * bin
    for (n = 1; n <= parts[$1]; n++) {
        if (at < low[$1, n] + margin || at + bin > high[$1, n] - margin)
            continue
        if (at < answered[$1, n])
            break
        start = at - margin - draw(bins) * bin
        if (start < low[$1, n])
            start = low[$1, n]
        if (start + window > high[$1, n])
            start = high[$1, n] - window
        print "chr" $1, start, start + window
        answered[$1, n] = start + window - margin
    }
}
