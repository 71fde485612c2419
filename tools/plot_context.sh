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
awk -F '\t' '
    function x(bp) { return 60 + log(bp / 500) / log(2) * 75 }
    function y(a) { return 300 - (a - 0.7) * 1100 }
    BEGIN {
        n = split("DNase,factors,active marks,other marks,TSS", class, ",")
        split("#7a9cc6 #c0504d #5b8c3e #8064a2 #d99a2b", color, " ")
        split("DNase,factors,H3K4me3 and H3K27ac,other marks,start sites", name, ",")
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"560\" height=\"360\" font-family=\"sans-serif\" font-size=\"12\">"
        print "<title>AUROC by length of the window</title>"
        print "<rect width=\"560\" height=\"360\" fill=\"white\"/>"
        for (a = 0.7; a < 0.96; a += 0.05) {
            printf "<path d=\"M60 %.1fH380\" stroke=\"#ddd\"/>\n", y(a)
            printf "<text x=\"54\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>\n", y(a) + 4, a
        }
        print "<text x=\"220\" y=\"348\" text-anchor=\"middle\">bases of a window</text>"
        print "<text x=\"16\" y=\"160\" text-anchor=\"middle\" transform=\"rotate(-90 16 160)\">AUROC, median of the class</text>"
    }
    /^#/ || $1 != "validation" || $2 !~ /^[0-9]+$/ { next }
    !($2 in seen) {
        seen[$2]
        printf "<text x=\"%.1f\" y=\"322\" text-anchor=\"middle\">%d</text>\n", x($2), $2
    }
    {
        line[$3] = line[$3] (line[$3] == "" ? "M" : "L") sprintf("%.1f %.1f", x($2), y($6))
        last[$3] = $6
    }
    END {
        for (i = 1; i <= n; i++)
            if (class[i] in line) {
                printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", line[class[i]], color[i]
                printf "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n", x(8000) + 8, y(last[class[i]]) + 4 + (class[i] == "DNase") * 6 - (class[i] == "factors") * 4 + (class[i] == "active marks") * 6 - (class[i] == "TSS") * 6, color[i], name[i]
            }
        print "</svg>"
    }' "${1:-$here/data/figures/regulatory-context.tsv}"
