#!/bin/bash
# How many files know one output format, head or attention pattern; prints TAP.
# SPDX-License-Identifier: MIT
#
#   concepts.sh SOURCE_ROOT
#
# A concept that is a row of a table is named by the file of the table and by its
# own file. A third file that names it has a switch, to which the next row must be
# added too. Counted are files of src, include and tools whose code, without
# comments, matches the expression; tests and docs do not count.
set -u
. "$(dirname "$0")/../support/tap.sh"
cd "$1" || exit 1

code=$(mktemp -d) || exit 1
trap 'rm -rf "$code"' EXIT
find src include tools -name '*.[ch]' | while read -r f; do
    mkdir -p "$code/${f%/*}"
    # comments out; what is between them stays on its line
    perl -0pe 's{("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*}{$1 // ""}gse' \
        "$f" >"$code/$f"
done

# files_naming EXPRESSION [ALLOWED...]: the files whose code matches; an
# ALLOWED one (a glob) is left out; a comment at the call gives the reason
files_naming() {
    local expression=$1 f allowed
    shift
    (cd "$code" && grep -rlE -- "$expression" .) | sed 's|^\./||' | sort |
        while read -r f; do
            for allowed in "$@"; do
                # shellcheck disable=SC2053 # a glob on purpose
                [[ $f == $allowed ]] && continue 2
            done
            echo "$f"
        done
}

# at_most MOST NAME EXPRESSION [ALLOWED...]: a rule that the concept NAME is
# known to MOST files
at_most() {
    local most=$1 name=$2 found
    shift 2
    found=$(files_naming "$@")
    [ "$(printf '%s' "$found" | grep -c .)" -le "$most" ] ||
        printf '%s\n' "$found" | sed "s/^/$name: /"
}

# --- output formats: a name in the list of src/track/writer.h and the file that
# defines bird_format_NAME. A row is named by bird_format_NAME, row(NAME) and
# its word for -O in quotes or between '|'; one with a word of its own (below)
# by that word anywhere.
# Left out for all: files that read or write something else under that word
# (labelled tables in src/data, tables of metrics, tokens, embeddings, patterns).
others=('src/data/*' 'src/peers/*' 'src/eval/*' 'src/token/*' 'src/seq/*'
    'src/train/*' 'src/report/*' 'src/lab/*' tools/cmd_evaluate.c
    tools/cmd_tokenize.c tools/cmd_dataset* tools/cmd_pattern.c)

formats() {
    perl -ne 'print "$1\n" while /row\((\w+)\)/g' "$code/src/track/writer.h" |
        grep -vx row
}

# The word of a row for -O.
word_of() {
    perl -0ne "print \$1 if /bird_format_$1 = \{\s*\.name = \"([^\"]+)\"/" \
        "$code"/src/track/*.c
}

formats | while read -r f; do
    w=$(word_of "$f")
    [ -n "$w" ] || echo "$f has no row"
    at_most 2 "$f" "bird_format_$f\\b|row\\($f\\)|\\.name = \"$w\"" \
        "${others[@]}"
done | rule "an output format is known to two files"

# Distinctive words. Files that may name them too: bigwig.c advises bedGraph
# where libBigWig is missing; --kipoi-name is an option that scripts give; GFF3
# is an input as well, of start sites.
{
    at_most 2 gff3 '[Gg][Ff][Ff]3|GFF3' 'src/seq/*' tools/cli_options.h \
        tools/cmd_dataset_promoters.c tools/cmd_evaluate_scan.c
    at_most 2 bedgraph '[Bb]ed[Gg]raph|BEDGRAPH' src/track/bigwig.c
    at_most 2 bigwig '[Bb]ig[Ww]ig|BIGWIG' src/seq/input.c # refused there
    at_most 2 kipoi '[Kk]ipoi|KIPOI' tools/cmd_variant.c
} | rule "a format's word is known to two files"

# A list of words as an option takes them comes from the table.
files_naming '"[^" ]*\|(bed|tsv|bedgraph|bigwig|gff3|windows|kipoi|svg)(\||")' \
    "${others[@]}" | rule "no command lists formats by itself"

# --- heads: the row's own file, and the list of their names ------------------
for head in $(perl -0ne 'print "$1\n" if /define BIRD_HEADS\(ROW\)((?:\\\n|.)*)/' \
    src/head/head.h | grep -oE '\([a-z_]+\)' | tr -d '()' | grep -vx none); do
    text=
    [[ $head == *_* ]] && text="|\"$head\"" # other names are common words
    at_most 3 "head $head" "bird_head_$head\b|ROW\($head\)$text"
done | rule "a head is known to three files at most"
find "$code" -name '*.c' -print0 | xargs -0 grep -lE 'BIRD_HEAD_[A-Z]' |
    sed "s|^$code/||" | rule "heads are listed in the table alone"

# --- attention patterns: the row's own file, and the list of their names ----
for pattern in $(sed -n 's/^#define BIRD_PATTERNS(ROW)//p' \
    src/pattern/pattern.h | grep -oE '\([a-z_]+\)' | tr -d '()'); do
    at_most 2 "pattern $pattern" "bird_pattern_$pattern\\b|ROW\\($pattern\\)"
done | rule "a pattern is known to two files at most"

end_rules
