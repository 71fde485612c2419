# Quantiles of n values in an array, from 1, for other programs: awk -f quantile.awk -f ...
# SPDX-License-Identifier: MIT

function sort(v, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i]
        for (j = i - 1; j > 0 && v[j] > x; j--)
            v[j + 1] = v[j]
        v[j + 1] = x
    }
}

# the value of v, sorted, below which a share of the values lie
function quantile(v, n, share) {
    return v[int(share * (n - 1)) + 1]
}
