# The pages of docs/ that `dnabird help TOPIC` prints, as a C source file.
# SPDX-License-Identifier: MIT
#
#   awk -f topics.awk FORMATS.md SCORES.md >topics.c
#
# Each page becomes lines of plain text of at most 79 characters: a table becomes a list of its
# first column. The topic `status` is the section STATUS of FORMATS.md.

# Code and emphasis without their marks; of a link its text.
function plain(s,    out, word) {
    gsub(/\\\|/, "|", s)
    gsub(/\*\*/, "", s)
    out = ""
    while (match(s, /`[^`]+`|\[[^]]+\]\([^)]+\)/)) {
        word = substr(s, RSTART, RLENGTH)
        out = out substr(s, 1, RSTART - 1)
        s = substr(s, RSTART + RLENGTH)
        if (word ~ /^`/) {
            out = out substr(word, 2, length(word) - 2)
        } else {
            sub(/\]\(.*/, "", word)
            gsub(/`/, "", word)
            out = out substr(word, 2)
        }
    }
    return out s
}

function add(line) {
    gsub(/\\/, "\\\\", line)
    gsub(/"/, "\\\"", line)
    gsub(/\?\?/, "?\\?", line)
    page_text = page_text "    \"" line "\",\n"
    if (in_status)
        status_text = status_text "    \"" line "\",\n"
    blank = line == ""
}

function add_blank() { if (!blank) add("") }

# Words in lines, the first behind `first`, the others behind `next_lines`.
function add_words(s, first, next_lines,    n, word, i, line, empty) {
    n = split(s, word, /[ \t]+/)
    line = first
    empty = 1
    for (i = 1; i <= n; i++) {
        if (word[i] == "")
            continue
        if (!empty && length(line) + 1 + length(word[i]) > 79) {
            add(line)
            line = next_lines
            empty = 1
        }
        line = line (empty ? "" : " ") word[i]
        empty = 0
    }
    add(line)
}

function end_paragraph() {
    if (paragraph == "")
        return
    add_blank()
    if (paragraph ~ /^- /)
        add_words(plain(substr(paragraph, 3)), "- ", "  ")
    else
        add_words(plain(paragraph), "", "")
    paragraph = ""
}

# "| a | b \| c |": the first cell on a line of its own, the others below.
function add_row(row,    cell, n, i, rest) {
    sub(/^\| */, "", row)
    sub(/ *\|$/, "", row)
    gsub(/\\\|/, "\001", row)
    n = split(row, cell, / *\| */)
    rest = ""
    for (i = 2; i <= n; i++)
        if (cell[i] != "")
            rest = rest (rest == "" ? "" : "; ") cell[i]
    gsub(/\001/, "|", cell[1])
    gsub(/\001/, "|", rest)
    add_words(plain(cell[1]), "  ", "  ")
    if (rest != "")
        add_words(plain(rest), "      ", "      ")
}

function begin_page(name) {
    end_page()
    page_name = name
    page_text = ""
    blank = 1
    in_code = row_number = 0
}

function end_page() {
    end_paragraph()
    if (page_name != "")
        print "static const char *const " page_name "_lines[] = {\n" page_text \
            "    NULL,\n};\n"
}

FNR == 1 { begin_page(++n_file == 1 ? "formats" : "scores") }
FNR == 1 && n_file == 1 {
    print "/* Made by tools/topics.awk from pages of docs/. */"
    print "#include <stddef.h>\n\n#include \"topics.h\"\n"
}
/^```/ { end_paragraph(); add_blank(); in_code = !in_code; next }
in_code { add("    " $0); next }
!/^\|/ { row_number = 0 }
/^#+ / {
    end_paragraph()
    if (in_status && !/STATUS/)
        in_status = 0
    add_blank()
    if (/^### STATUS$/)
        in_status = 1
    sub(/^#+ /, "")
    add_words(plain($0), "", "")
    gsub(/./, "-")
    add($0)
    next
}
/^\|/ {
    end_paragraph()
    if (++row_number == 1)
        add_blank()
    else if (row_number > 2)
        add_row($0)
    next
}
/^ *$/ || /^<!--/ { end_paragraph(); next }
/^- / { end_paragraph() }
/^    / && paragraph == "" { add($0); next }
{ paragraph = paragraph (paragraph == "" ? "" : " ") $0 }

END {
    end_page()
    if (status_text == "" || n_file != 2) {
        print "topics.awk: a page or its section STATUS is missing" >"/dev/stderr"
        exit 1
    }
    print "static const char *const status_lines[] = {\n" status_text "    NULL,\n};\n"
    print "const struct topic topics[] = {"
    print "    {\"formats\", \"files that commands read and write\", formats_lines},"
    print "    {\"scores\", \"meaning of the predicted numbers\", scores_lines},"
    print "    {\"status\", \"words that say why an allele has no scores\", status_lines},"
    print "    {NULL, NULL, NULL},\n};"
}
