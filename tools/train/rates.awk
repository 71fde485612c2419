# False calls per Mb and per CpG island by part, and what the islands predict.
# SPDX-License-Identifier: MIT
#
#   awk -F '\t' -v n=RESAMPLES -v law=FILE -f quantile.awk -f rates.awk BLOCKS
#
# BLOCKS has part, asked, contig, block, Mb, islands, false calls, those of them within
# 500 bp of an island; one line for each block of 1 Mb. A group is a part, a contig of a
# part, or `not test`: validation and train. Intervals are 95 % percentiles over resamples
# of a group's blocks. FILE gets, for every group, for `genome` (-v genome=ISLANDS per Mb)
# and for each of the sources `validation` and `not test`, the expected false calls per Mb:
#     (false calls at islands / islands) x the group's islands per Mb
#         + (other false calls / Mb)
# with the source's numbers in brackets; the interval from resamples of the source's
# blocks, the number reached, and its ratio to the expected one.

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
    there[$2, group, i] = $8
}

{
    add($1)
    if ($1 != "validation")
        add($1 " " $3)
    if ($1 != "test")
        add("not test")
}

# sums of a group's blocks, resampled with again=1: sum_mb, sum_islands, sum_wrong,
# sum_there
function sums(asked, group, again,    i, k, m) {
    sum_mb = sum_islands = sum_wrong = sum_there = 0
    m = size[asked, group]
    for (i = 1; i <= m; i++) {
        k = again ? 1 + int(rand() * m) : i
        sum_mb += mb[asked, group, k]
        sum_islands += islands[asked, group, k]
        sum_wrong += wrong[asked, group, k]
        sum_there += there[asked, group, k]
    }
}

# the two rates of the sums
function at_islands() {
    return sum_islands ? sum_there / sum_islands : 0
}
function elsewhere() {
    return sum_mb ? (sum_wrong - sum_there) / sum_mb : 0
}

END {
    OFS = "\t"
    split("1 5 20", asked, " ")
    srand(1)
    print "group", "asked", "mb", "islands_per_mb", "false", "at_islands", "per_mb", "lo", \
        "hi", "per_island"
    for (g = 1; g <= groups; g++)
        for (a = 1; a <= 3; a++) {
            who = order[g]
            for (r = 1; r <= n; r++) {
                sums(asked[a], who, 1)
                by_mb[r] = sum_mb ? sum_wrong / sum_mb : 0
                if (who == "validation" || who == "not test") {
                    drawn_there[who, a, r] = at_islands()
                    drawn_else[who, a, r] = elsewhere()
                }
            }
            sums(asked[a], who, 0)
            sort(by_mb, n)
            dense[who] = sum_islands / sum_mb
            reached[who, a] = sum_wrong / sum_mb
            rate_there[who, a] = at_islands()
            rate_else[who, a] = elsewhere()
            printf "%s\t%d\t%.1f\t%.1f\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.3f\n", who, asked[a], \
                sum_mb, dense[who], sum_wrong, sum_there, reached[who, a], \
                quantile(by_mb, n, 0.025), quantile(by_mb, n, 0.975), sum_wrong / sum_islands
        }
    order[++groups] = "genome"
    dense["genome"] = genome
    print "source", "group", "islands_per_mb", "asked", "expected", "lo", "hi", "reached", \
        "ratio" >law
    split("validation,not test", source, ",")
    for (s = 1; s <= 2; s++)
        for (g = 1; g <= groups; g++)
            for (a = 1; a <= 3; a++) {
                d = dense[order[g]]
                for (r = 1; r <= n; r++)
                    by_mb[r] = drawn_there[source[s], a, r] * d + drawn_else[source[s], a, r]
                sort(by_mb, n)
                e = rate_there[source[s], a] * d + rate_else[source[s], a]
                printf "%s\t%s\t%.1f\t%d\t%.2f\t%.2f\t%.2f\t%s\n", source[s], order[g], d, \
                    asked[a], e, quantile(by_mb, n, 0.025), quantile(by_mb, n, 0.975), \
                    order[g] == "genome" ? ".\t." : sprintf("%.2f\t%.2f", \
                        reached[order[g], a], reached[order[g], a] / e) >law
            }
}
