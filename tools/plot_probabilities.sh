#!/bin/sh
# Draw the observed frequency by predicted probability, as an SVG.
# SPDX-License-Identifier: MIT
#
#   tools/plot_probabilities.sh [FILE.tsv] >FILE.svg
#
# FILE [data/figures/regulatory-probabilities.tsv] has the columns part, brier,
# ece, lo, hi, answers, probability, observed. Both axes are logarithmic; on the diagonal
# a probability equals the observed frequency. Groups of under 100 predictions are left
# out.
set -eu
here=$(dirname "$0")/..
awk -F '\t' "$(cat "$here/tools/plot.awk")"'
    function x(p) { return 70 + (log(p) / log(10) + 4) * 85 }
    function y(p) { return 360 - (log(p) / log(10) + 4) * 85 }
    BEGIN {
        color["validation"] = "#7a9cc6"
        color["test"] = "#c0504d"
        picture(460, 430, "Share of answers that are right, by printed probability")
        for (e = -4; e <= 0; e++) {
            p = 10 ^ e
            grid("M" px(x(p)) " 20V360M70 " px(y(p)) "H410")
            words(px(x(p)), 376, "middle", p)
            words(64, px(y(p) + 4), "end", p)
        }
        print "<path d=\"M70 360L410 20\" stroke=\"#888\" stroke-dasharray=\"4\"/>"
        words(240, 398, "middle", "printed probability, mean of a group")
        upwards(18, 190, "share with the label")
    }
    /^#/ || $1 == "part" || !($1 in color) || $6 < 100 || $7 < 1e-4 || $8 < 1e-4 { next }
    {
        line[$1] = further(line[$1], x($7), y($8))
        dot(x($7), y($8), color[$1])
    }
    END {
        n = split("validation test", name, " ")
        for (i = 1; i <= n; i++) {
            if (!((part = name[i]) in line))
                continue
            curve(line[part], color[part])
            label(part == "test" ? 260 : 150, 416, color[part], part)
        }
        print "</svg>"
    }' "${1:-$here/data/figures/regulatory-probabilities.tsv}"
