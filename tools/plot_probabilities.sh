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
awk -F '\t' '
    function x(p) { return 70 + (log(p) / log(10) + 4) * 85 }
    function y(p) { return 360 - (log(p) / log(10) + 4) * 85 }
    BEGIN {
        color["validation"] = "#7a9cc6"
        color["test"] = "#c0504d"
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"460\" height=\"430\" font-family=\"sans-serif\" font-size=\"12\">"
        print "<title>Share of answers that are right, by printed probability</title>"
        print "<rect width=\"460\" height=\"430\" fill=\"white\"/>"
        for (e = -4; e <= 0; e++) {
            p = 10 ^ e
            printf "<path d=\"M%.1f 20V360M70 %.1fH410\" stroke=\"#ddd\"/>\n", x(p), y(p)
            printf "<text x=\"%.1f\" y=\"376\" text-anchor=\"middle\">%s</text>\n", x(p), p
            printf "<text x=\"64\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", y(p) + 4, p
        }
        print "<path d=\"M70 360L410 20\" stroke=\"#888\" stroke-dasharray=\"4\"/>"
        print "<text x=\"240\" y=\"398\" text-anchor=\"middle\">printed probability, mean of a group</text>"
        print "<text x=\"18\" y=\"190\" text-anchor=\"middle\" transform=\"rotate(-90 18 190)\">share with the label</text>"
    }
    /^#/ || $1 == "part" || !($1 in color) || $6 < 100 || $7 < 1e-4 || $8 < 1e-4 { next }
    {
        line[$1] = line[$1] (line[$1] == "" ? "M" : "L") sprintf("%.1f %.1f", x($7), y($8))
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x($7), y($8), color[$1]
    }
    END {
        n = split("validation test", name, " ")
        for (i = 1; i <= n; i++) {
            if (!((part = name[i]) in line))
                continue
            printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\"/>\n", line[part], color[part]
            printf "<text x=\"%d\" y=\"416\" fill=\"%s\">%s</text>\n", part == "test" ? 260 : 150, color[part], part
        }
        print "</svg>"
    }' "${1:-$here/data/figures/regulatory-probabilities.tsv}"
