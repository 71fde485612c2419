# Rows of a CSV (sequence,label) that do not lie in given regions of a genome.
# SPDX-License-Identifier: MIT
#
#   zcat GENOME.fa.gz | awk -f outside.awk REGIONS.bed ROWS.csv -
#
# A row goes if one of its words of 32 bases, one at every 23rd base (four in
# 101 bp), is in a region or within 1,000 bp of one, on either strand: rows of
# benchmarks have no coordinates, and a word forgives the differences between
# assemblies. Repeats that are in a region too go with it.

function opposite(s,    i, out) {
    for (i = length(s); i; i--)
        out = out complement[substr(s, i, 1)]
    return out
}

BEGIN {
    complement["A"] = "T"; complement["C"] = "G"; complement["N"] = "N"
    complement["G"] = "C"; complement["T"] = "A"
    word = 32; step = 23; margin = 1000
}

# seen[WORD]: 0 is looked for, 1 was found
FILENAME == ARGV[1] {
    sub(/^chr/, "", $1)
    n = ++regions[$1]
    low[$1, n] = $2 - margin
    high[$1, n] = $3 + margin
    next
}
FILENAME == ARGV[2] {
    row[++rows] = $0
    sequence = substr($0, 1, index($0, ",") - 1)
    for (i = 1; i + word - 1 <= length(sequence); i += step) {
        seen[substr(sequence, i, word)] = 0
        seen[opposite(substr(sequence, i, word))] = 0
    }
    next
}

/^>/ {
    contig = substr($1, 2)
    sub(/^chr/, "", contig)
    position = 0
    rest = ""
    next
}
{
    line = toupper($0)
    end = position + length(line)
    inside = 0
    for (n = 1; n <= regions[contig]; n++)
        if (end > low[contig, n] && position < high[contig, n])
            inside = 1
    text = rest line
    if (inside && line !~ /^N+$/)
        for (i = 1; i + word - 1 <= length(text); i++) {
            w = substr(text, i, word)
            if (w in seen)
                seen[w] = 1
        }
    i = length(text) - word + 2
    rest = substr(text, i > 1 ? i : 1)
    position = end
}

END {
    for (r = 1; r <= rows; r++) {
        sequence = substr(row[r], 1, index(row[r], ",") - 1)
        found = 0
        for (i = 1; i + word - 1 <= length(sequence); i += step)
            found += seen[substr(sequence, i, word)] ||
                seen[opposite(substr(sequence, i, word))]
        if (!found)
            print row[r]
    }
}
