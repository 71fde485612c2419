#!/bin/sh
# Draw perplexity by sparsity, a line for each pattern and form of the heads, as an SVG.
# SPDX-License-Identifier: MIT
#
#   tools/plot_sparsity.sh [FILE.tsv] >FILE.svg
#
# FILE [data/figures/sparsity.tsv] is that of tools/train/sparsity.sh; its rows of
# validation are drawn. Lines are of seed 1. A vertical bar ranges over all seeds of a
# model, the grey band over those of full attention. Baselines, which are far from the
# models, are numbers beside the lines.
set -eu
here=$(dirname "$0")/..
awk -F '\t' "$(cat "$here/tools/plot.awk")"'
    function x(percent) { return 60 + (percent - 44) * 8 }
    function y(p) { return 330 - (p - low) / (high - low) * 300 }
    function widen(p) {
        if (low == "" || p < low) low = p
        if (high == "" || p > high) high = p
    }
    # the line of a key from its least sparse point to its sparsest
    function path(k,    i, j, at, m, line) {
        for (i in left)
            if (key[i] == k && seed[i] == 1) {
                for (j = m++; j > 0 && left[at[j]] > left[i]; j--)
                    at[j + 1] = at[j]
                at[j + 1] = i
            }
        for (j = 1; j <= m; j++)
            line = further(line, x(left[at[j]]), y(value[at[j]]))
        return line
    }
    /^#/ || $1 != "validation" { next }
    $3 == "frequencies" { note[0] = "frequencies" }
    $3 ~ /^markov_both/ { note[substr($3, 13)] = "Markov, order " substr($3, 13) }
    { for (i in note) if (!(i in of)) of[i] = $8 }
    $2 == "-" { next }
    { widen($8) }
    $3 == "full" {
        if (fmin == "" || $8 < fmin) fmin = $8
        if (fmax == "" || $8 > fmax) fmax = $8
        next
    }
    {
        rows++
        key[rows] = $3 ($4 == "-" ? "" : " " $4)
        seed[rows] = $2
        left[rows] = $6
        value[rows] = $8
        k = key[rows] SUBSEP $6
        if (!(k in from) || $8 < from[k]) from[k] = $8
        if (!(k in to) || $8 > to[k]) to[k] = $8
    }
    END {
        step = 0.01 # of perplexity, between grid lines
        low = int(low / step) * step
        high = (int(high / step) + 1) * step
        picture(680, 390, "Perplexity by sparsity")
        for (p = low; p < high + step / 2; p += step) {
            grid("M60 " px(y(p)) "H468")
            words(54, px(y(p) + 4), "end", sprintf("%.2f", p))
        }
        for (percent = 50; percent <= 90; percent += 10)
            words(px(x(percent)), 352, "middle", percent)
        words(264, 378, "middle", "pairs left out, %")
        upwards(16, 180, "perplexity of a masked base")
        print "<rect x=\"60\" y=\"" px(y(fmax)) "\" width=\"408\" height=\"" px(y(fmin) - y(fmax)) "\" fill=\"#888\" fill-opacity=\"0.3\"/>"
        n = split("strided union,strided multihead,strided sequential,fixed union,fixed multihead,fixed sequential,star,random", name, ",")
        split("#3f6fa8 #3f6fa8 #3f6fa8 #c0504d #c0504d #c0504d #5b8c3e #8064a2", color, " ")
        split("0,6 3,2 3,0,6 3,2 3,0,0", dash, ",")
        for (i = 1; i <= n; i++) {
            if ((line = path(name[i])) == "")
                continue
            more = dash[i] == "0" ? "" : " stroke-dasharray=\"" dash[i] "\""
            curve(line, color[i], " stroke-width=\"2\"" more)
            at = 20 + i * 18
            curve("M478 " at "H506", color[i], " stroke-width=\"2\"" more)
            label(512, at + 4, color[i], name[i])
        }
        at += 18
        print "<rect x=\"478\" y=\"" at - 5 "\" width=\"28\" height=\"10\" fill=\"#888\" fill-opacity=\"0.3\"/>"
        label(512, at + 4, "#666", "full attention")
        label(478, at += 36, "#666", "baselines (Markov: both sides):")
        for (i = 0; i <= 12; i++)
            if (i in note)
                label(478, at += 18, "#666", note[i] ": " sprintf("%.2f", of[i]))
        for (i = 1; i <= rows; i++)
            for (j = 1; j <= n; j++)
                if (name[j] == key[i]) {
                    k = key[i] SUBSEP left[i]
                    if (seed[i] == 1)
                        dot(x(left[i]), y(value[i]), color[j])
                    else
                        curve("M" px(x(left[i])) " " px(y(from[k])) "V" px(y(to[k])), color[j])
                }
        print "</svg>"
    }' "${1:-$here/data/figures/sparsity.tsv}"
