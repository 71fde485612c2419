# Precision, recall and F by protocol, and the PPP score, with intervals from resamples of
# blocks of 100 kb.
# SPDX-License-Identifier: MIT
#
#   awk -F '\t' -v n=RESAMPLES -v prefix=COLUMNS -v calls=N -f quantile.awk \
#       -f abeel.awk COUNTS
#
# COUNTS has protocol, what, contig, place: `right` and `wrong` predictions, `found` ones
# of `all` references; `block` lists places of the blocks. Output, after prefix: protocol,
# calls, references, precision, recall, F, and the interval of F.

{ b = $3 SUBSEP int($4 / 100000) }
!(b in number) { number[b] = ++blocks }
$2 != "block" { count[$1, $2, number[b]]++ }

function ratio(a, b) {
    return b > 0 ? a / b : 0
}

# sums over the blocks, times[] of each; sets P, R, F by protocol and F["PPP"]
function measure(    k, p, w, i, sum, upside) {
    for (k = 1; k <= 4; k++) {
        p = protocol[k]
        for (w = 1; w <= 4; w++) {
            sum[w] = 0
            for (i = 1; i <= blocks; i++)
                if (times[i])
                    sum[w] += times[i] * count[p, what[w], i]
        }
        P[p] = ratio(sum[1], sum[1] + sum[2])
        R[p] = ratio(sum[3], sum[4])
        F[p] = ratio(2 * P[p] * R[p], P[p] + R[p])
        references[p] = sum[4]
        upside += F[p] > 0 ? 1 / F[p] : 1e9
    }
    F["PPP"] = 4 / upside
}

# "F, its 2.5 % quantile, 97.5 %" of protocol p
function bounded(p,    i, v) {
    if (!n)
        return sprintf("%.3f\t.\t.", F[p])
    for (i = 1; i <= n; i++)
        v[i] = resampled[p, i]
    sort(v, n)
    return sprintf("%.3f\t%.3f\t%.3f", F[p], quantile(v, n, 0.025), quantile(v, n, 0.975))
}

function line(p) {
    printf "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", prefix, p, calls,
        p == "PPP" ? "." : references[p] "",
        p == "PPP" ? "." : sprintf("%.3f", P[p]),
        p == "PPP" ? "." : sprintf("%.3f", R[p]), bounded(p)
}

END {
    split("1A 1B 2A 2B PPP", protocol, " ")
    split("right wrong found all", what, " ")
    srand(1)
    for (r = 1; r <= n; r++) {
        split("", times)
        for (i = 1; i <= blocks; i++)
            times[1 + int(rand() * blocks)]++
        measure()
        for (k = 1; k <= 5; k++)
            resampled[protocol[k], r] = F[protocol[k]]
    }
    for (i = 1; i <= blocks; i++)
        times[i] = 1
    measure()
    for (k = 1; k <= 5; k++)
        line(protocol[k])
}
