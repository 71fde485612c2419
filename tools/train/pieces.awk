# Random bases in which 85 % of the pieces of 40 to 80 are copied from LO to HI bases
# earlier, as FASTA. The generator is Park and Miller's.
# SPDX-License-Identifier: MIT
#
#   awk -v n=BASES -v x=SEED -v name=NAME -v lo=BP -v hi=BP [-v count=BP,BP...]
#       -f pieces.awk
#
# With `count` the FASTA is not printed, but for rows of so many bases the bits of a
# masked base that counting allows: a base is known if one of its copies in the row, or
# what they were copied from, is not masked (15 % are), else it needs 2 bits.

function draw(m) {
    x = x * 16807 % 2147483647
    return int(x / 2147483647 * m)
}

# the mean over all whole rows of w bases
function allowed(w,    r, i, bits, seen) {
    for (r = 0; r + w <= n; r += w) {
        split("", seen)
        for (i = r; i < r + w; i++)
            seen[root[i]]++
        for (i in seen)
            bits += seen[i] * 2 * 0.15 ^ (seen[i] - 1)
    }
    return bits / r
}

BEGIN {
    if (!count)
        print ">" name
    while (i < n) {
        len = 40 + draw(41)
        back = draw(100) < 85 && i >= hi ? lo + draw(hi - lo + 1) : 0
        for (; len > 0; len--) {
            root[i] = back ? root[i - back] : i
            s[i] = back ? s[i - back] : substr("ACGT", 1 + draw(4), 1)
            if (!count)
                printf "%s", s[i]
            if (++i % 80 == 0 && !count)
                print ""
        }
    }
    if (!count)
        print ""
    rows = split(count, width, ",")
    for (r = 1; r <= rows; r++)
        printf "%d\t%.4f\n", width[r], allowed(width[r])
}
