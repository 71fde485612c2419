#!/bin/sh
# Draw AUROC by length of the window, a line for each class of tracks, as an SVG.
# SPDX-License-Identifier: MIT
#
#   tools/plot_context.sh [FILE.tsv] >FILE.svg
#
# FILE [data/figures/regulatory-context.tsv] has the columns part, bins (the window in
# bp), class, labels, rows, auroc. Windows lie on a logarithmic axis.
set -eu
here=$(dirname "$0")/..
awk -F '\t' "$(cat "$here/tools/plot.awk")"'
    function x(bp) { return 60 + log(bp / 500) / log(2) * 75 }
    function y(a) { return 300 - (a - 0.7) * 1100 }
    BEGIN {
        n = split("DNase,factors,active marks,other marks,TSS", class, ",")
        split("#7a9cc6 #c0504d #5b8c3e #8064a2 #d99a2b", color, " ")
        split("DNase,factors,H3K4me3 and H3K27ac,other marks,start sites", name, ",")
        picture(560, 360, "AUROC by length of the window")
        for (a = 0.7; a < 0.96; a += 0.05) {
            grid("M60 " px(y(a)) "H380")
            words(54, px(y(a) + 4), "end", sprintf("%.2f", a))
        }
        words(220, 348, "middle", "bases of a window")
        upwards(16, 160, "AUROC, median of the class")
    }
    /^#/ || $1 != "validation" || $2 !~ /^[0-9]+$/ { next }
    !($2 in seen) {
        seen[$2]
        words(px(x($2)), 322, "middle", $2)
    }
    {
        line[$3] = further(line[$3], x($2), y($6))
        last[$3] = $6
    }
    END {
        for (i = 1; i <= n; i++)
            if (class[i] in line) {
                curve(line[class[i]], color[i], " stroke-width=\"2\"")
                label(px(x(8000) + 8), px(y(last[class[i]]) + 4 + (class[i] == "DNase") * 6 - (class[i] == "factors") * 4 + (class[i] == "active marks") * 6 - (class[i] == "TSS") * 6), color[i], name[i])
            }
        print "</svg>"
    }' "${1:-$here/data/figures/regulatory-context.tsv}"
