# False calls per Mb and per CpG island by part, and what the islands predict.
# SPDX-License-Identifier: MIT
#
#   awk -F '\t' -v n=RESAMPLES -v law=FILE -f rates.awk BLOCKS
#
# BLOCKS has part, asked, contig, block, Mb, islands, false calls, one line for each block
# of 1 Mb. A group is a part, a contig of a part, or `not test`: validation and train.
# Intervals are 95 % percentiles over resamples of a group's blocks. FILE gets, for every
# group and each of the sources `validation` and `not test`, the expected false calls per
# Mb, the source's per island times the group's islands per Mb, with the interval from
# resamples of the source's blocks, and the number reached over the expected one.

function add(group) {
    if (!(group in size)) {
        order[++groups] = group
        size[group] = 0
    }
    if (!(($2, group) in size))
        size[$2, group] = 0
    i = ++size[$2, group]
    if (size[$2, group] > size[group])
        size[group] = size[$2, group]
    mb[$2, group, i] = $5
    islands[$2, group, i] = $6
    wrong[$2, group, i] = $7
}

{
    add($1)
    if ($1 != "validation")
        add($1 " " $3)
    if ($1 != "test")
        add("not test")
}

# sums of a group's blocks, resampled with again=1: sum_mb, sum_islands, sum_wrong
function sums(asked, group, again,    i, k, m) {
    sum_mb = sum_islands = sum_wrong = 0
    m = size[asked, group]
    for (i = 1; i <= m; i++) {
        k = again ? 1 + int(rand() * m) : i
        sum_mb += mb[asked, group, k]
        sum_islands += islands[asked, group, k]
        sum_wrong += wrong[asked, group, k]
    }
}

# v sorted, its value below which a share lies
function quantile(v, share) {
    return v[int(share * (n - 1)) + 1]
}
function sort(v,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i]
        for (j = i - 1; j > 0 && v[j] > x; j--)
            v[j + 1] = v[j]
        v[j + 1] = x
    }
}

END {
    OFS = "\t"
    split("1 5 20", asked, " ")
    srand(1)
    print "group", "asked", "mb", "islands_per_mb", "false", "per_mb", "lo", "hi", \
        "per_island", "lo", "hi"
    for (g = 1; g <= groups; g++)
        for (a = 1; a <= 3; a++) {
            who = order[g]
            for (r = 1; r <= n; r++) {
                sums(asked[a], who, 1)
                by_mb[r] = sum_mb ? sum_wrong / sum_mb : 0
                by_island[r] = sum_islands ? sum_wrong / sum_islands : 0
                if (who == "validation" || who == "not test")
                    drawn[who, a, r] = by_island[r]
            }
            sums(asked[a], who, 0)
            sort(by_mb)
            sort(by_island)
            dense[who] = sum_islands / sum_mb
            reached[who, a] = sum_wrong / sum_mb
            rate[who, a] = sum_wrong / sum_islands
            printf "%s\t%d\t%.1f\t%.1f\t%d\t%.2f\t%.2f\t%.2f\t%.3f\t%.3f\t%.3f\n", who, \
                asked[a], sum_mb, dense[who], sum_wrong, reached[who, a], \
                quantile(by_mb, 0.025), quantile(by_mb, 0.975), rate[who, a], \
                quantile(by_island, 0.025), quantile(by_island, 0.975)
        }
    print "source", "group", "asked", "expected", "lo", "hi", "reached", "ratio" >law
    split("validation,not test", source, ",")
    for (s = 1; s <= 2; s++)
        for (g = 1; g <= groups; g++)
            for (a = 1; a <= 3; a++) {
                for (r = 1; r <= n; r++)
                    by_island[r] = drawn[source[s], a, r]
                sort(by_island)
                d = dense[order[g]]
                e = rate[source[s], a] * d
                printf "%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", source[s], order[g], \
                    asked[a], e, quantile(by_island, 0.025) * d, \
                    quantile(by_island, 0.975) * d, reached[order[g], a], \
                    reached[order[g], a] / e >law
            }
}
