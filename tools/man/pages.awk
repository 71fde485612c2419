# The manual pages, from what the program tells of itself and docs/cli.md.
# SPDX-License-Identifier: MIT
#
#   awk -f pages.awk -v dir=DIR -v version=0.1.0 -v date=YYYY-MM-DD \
#       -v title="DNA language models" COMMANDS OPTIONS SETTINGS CLI.md \
#       FORMATS.md SCORES.md
#
# COMMANDS, OPTIONS and SETTINGS are `dnabird help --commands`, `--options` and
# `--settings`. man(7): a Markdown block becomes a paragraph, a list, an example,
# or of a table a list of its first column.

function warn(text) { print "pages.awk: " text >"/dev/stderr"; bad = 1 }

# "evaluate --mlm": dnabird-evaluate-mlm
function page_of(command,    name) {
    name = "dnabird-" command
    gsub(/ -*/, "-", name)
    return name
}

function first_word(command) { sub(/ .*/, "", command); return command }

# The dashes of names that are typed are minus signs.
function escape_code(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    gsub(/'/, "\\(aq", s)
    gsub(/`/, "\\(ga", s)
    gsub(/\^/, "\\(ha", s)
    gsub(/~/, "\\(ti", s)
    return s
}

# In prose the dashes of a word that begins with one: --option, -1.
function escape_text(s,    out, word) {
    out = ""
    while (match(s, /(^|[^A-Za-z0-9-])-+[A-Za-z0-9][A-Za-z0-9-]*/)) {
        word = substr(s, RSTART, RLENGTH)
        out = out escape_plain(substr(s, 1, RSTART - 1)) \
            escape_plain(substr(word, 1, index(word, "-") - 1)) \
            escape_code(substr(word, index(word, "-")))
        s = substr(s, RSTART + RLENGTH)
    }
    return out escape_plain(s)
}

function escape_plain(s) {
    gsub(/\\/, "\\e", s)
    gsub(/\^/, "\\(ha", s)
    gsub(/~/, "\\(ti", s)
    return s
}

function bold(s) { return s == "" ? "" : "\\fB" s "\\fR" }

# [text](target): a page of docs/ by its path, a section of cli.md that is in
# dnabird(1) by that.
function link(text, target,    file, base) {
    if (target ~ /^[a-z]+:/)
        return inline(text) " (" escape_code(target) ")"
    if (target ~ /^#/) {
        target = substr(target, 2)
        if (page ~ /^dnabird-(formats|scores)$/)
            return inline(text)
        if (!(target in anchored))
            return inline(text) " (" escape_code("docs/cli.md") ")"
        return inline(text) (page == "dnabird" ? "" : " (" bold("dnabird") "(1))")
    }
    file = target
    sub(/#.*/, "", file)
    if (file in page_of_file)
        return inline(text) " (" bold(page_of_file[file]) "(" \
            section_of_file[file] "))"
    base = file
    sub(/.*\//, "", base)
    sub(/\.md$/, "", base)
    if (tolower(text) == base || text == file)
        return escape_code("docs/" file)
    return inline(text) " (" escape_code("docs/" file) ")"
}

# Code, emphasis and links of a piece of Markdown.
function inline(s,    out, text, target, word, before) {
    out = ""
    while (match(s, /`[^`]+`|\*\*[^*]+\*\*|\[[^]]+\]\([^)]+\)/)) {
        word = substr(s, RSTART, RLENGTH)
        before = substr(s, 1, RSTART - 1)
        s = substr(s, RSTART + RLENGTH)
        out = out escape_text(before)
        if (word ~ /^`/) {
            word = substr(word, 2, length(word) - 2)
            if (word ~ /^[a-z_\/-]+\.md$/)
                word = "docs/" word
            out = out bold(escape_code(word))
        } else if (word ~ /^\*/) {
            out = out bold(escape_text(substr(word, 3, length(word) - 4)))
        } else {
            text = target = word
            sub(/\]\(.*/, "", text)
            sub(/.*\]\(/, "", target)
            out = out link(substr(text, 2), substr(target, 1, length(target) - 1))
        }
    }
    return out escape_text(s)
}

function put(line) { print line >out_file }

# A line that is no request whatever it begins with.
function put_text(line) {
    put((line ~ /^[.']/ ? "\\&" : "") line)
}

# Words in lines; a sentence begins one, so that the space between two is the
# same everywhere.
function put_words(s,    n, word, i, line) {
    n = split(s, word, /[ \t\n]+/)
    line = ""
    for (i = 1; i <= n; i++) {
        if (word[i] == "")
            continue
        if (line != "" && (length(line) + 1 + length(word[i]) > 76 ||
                           (line ~ /[.?!]\)?$/ && word[i] ~ /^[A-Z]/))) {
            put_text(line)
            line = ""
        }
        line = line (line == "" ? "" : " ") word[i]
    }
    if (line != "")
        put_text(line)
}

function begin_section(name) { put(".SH " name); fresh = 1 }

# The first paragraph of a section stands without a macro.
function put_paragraph(s) {
    if (!fresh)
        put(".PP")
    fresh = 0
    put_words(inline(s))
}

function put_item(s) {
    put(".IP \\(bu 2")
    fresh = 0
    put_words(inline(s))
}

function put_code(lines, n,    i) {
    if (!fresh)
        put(".PP")
    put(".RS 4")
    put(".EX")
    for (i = 1; i <= n; i++)
        put_text(escape_code(lines[i]))
    put(".EE")
    put(".nh") # .EE switches it on
    put(".RE")
    fresh = 0
}

# "| a | b \| c |": cell[1..n]; n
function cells(row, cell,    n, i) {
    sub(/^\| */, "", row)
    sub(/ *\|$/, "", row)
    gsub(/\\\|/, "\001", row)
    n = split(row, cell, / *\| */)
    for (i = 1; i <= n; i++)
        gsub(/\001/, "|", cell[i])
    return n
}

# A row is an entry: its first cell, then the others, of several each behind
# its heading.
function put_row(row, n_head, head,    cell, n, i) {
    n = cells(row, cell)
    put(".TP")
    put_text(inline(cell[1]))
    for (i = 2; i <= n; i++) {
        if (i > 2)
            put(".br")
        put_words((n > 2 ? inline(head[i]) ": " : "") inline(cell[i]))
    }
    fresh = 0
}

# A piece of Markdown, its lines with line feeds behind them.
function put_markdown(text,    line, n, i, part, kind, code, n_code, head, n_head) {
    n = split(text, line, "\n")
    part = kind = ""
    for (i = 1; i <= n + 1; i++) {
        if (part != "" && (i > n || line[i] ~ /^ *$|^- |^```|^\||^    |^### /)) {
            if (!(kind == "item" && line[i] ~ /^    /)) {
                if (kind == "item")
                    put_item(part)
                else
                    put_paragraph(part)
                part = kind = ""
            }
        }
        if (i > n)
            break
        if (line[i] ~ /^```/ || (part == "" && line[i] ~ /^    /)) {
            kind = line[i] ~ /^```/ ? "fence" : "indent"
            n_code = 0
            for (i += kind == "fence"; i <= n; i++) {
                if (kind == "fence" ? line[i] ~ /^```/ : line[i] !~ /^    /)
                    break
                code[++n_code] = line[i]
                if (kind == "indent")
                    sub(/^    /, "", code[n_code])
            }
            put_code(code, n_code)
            if (kind == "indent")
                i--
            kind = ""
        } else if (line[i] ~ /^### /) {
            put(".SS " escape_text(substr(line[i], 5)))
            fresh = 1
        } else if (line[i] ~ /^\|/) {
            n_head = cells(line[i], head)
            for (i += 2; i <= n && line[i] ~ /^\|/; i++)
                put_row(line[i], n_head, head)
            i--
        } else if (line[i] ~ /^- /) {
            kind = "item"
            part = substr(line[i], 3)
        } else if (line[i] !~ /^ *$|^<!--/) {
            part = part " " line[i]
        }
    }
}

# A text of the program's help: its own line breaks, but for those within a
# sentence, are paragraphs.
function put_help(text,    line, n, i, part) {
    n = split(text, line, "\n")
    part = ""
    for (i = 1; i <= n; i++) {
        part = part " " line[i]
        if (i == n || line[i + 1] == "" || line[i] ~ /[.:]$/) {
            if (part !~ /^ *$/)
                put_paragraph(part)
            part = ""
        }
    }
}

# "\\n" of a TSV
function unescape(s) {
    gsub(/\\\\/, "\001", s)
    gsub(/\\n/, "\n", s)
    gsub(/\001/, "\\", s)
    return s
}

function begin_page(name, about, number, manual) {
    page = name
    number = number == "" ? 1 : number
    out_file = dir "/" name "." number
    put(".\\\" Made by tools/man.sh; change the option tables or pages of docs/.")
    put(".TH " toupper(escape_code(name)) " " number " " date " \"dnabird " version \
        "\" \"" (manual == "" ? "User Commands" : manual) "\"")
    put(".nh") # --re-compute would be another option
    put(".ad l")
    begin_section("NAME")
    put(escape_code(name) " \\- " escape_text(about))
}

# What is typed as it stands is bold.
function put_synopsis(command, text,    line, n, i, m, word, j, s) {
    begin_section("SYNOPSIS")
    n = split(text, line, "\n")
    for (i = 1; i <= n; i++) {
        sub("^ *(dnabird " command ")? *", "", line[i])
        m = split(line[i], word, / +/)
        s = bold(escape_code("dnabird " command))
        for (j = 1; j <= m; j++)
            s = s " " (word[j] ~ /^[[(]*-/ ? bold(escape_code(word[j])) \
                                           : escape_code(word[j]))
        if (i > 1)
            put(".br")
        put_words(s)
    }
}

function put_entry(name, about) {
    put(".TP")
    put(".BR " escape_code(name) " (1)")
    put_words(escape_text(about))
}

# a|b|c is typed as it stands, FILE is not.
function argument_text(s,    n, word, i, out) {
    n = split(s, word, "|")
    out = ""
    for (i = 1; i <= n; i++)
        out = out (i > 1 ? "|" : "") (word[i] ~ /^[^A-Z]+$/ ? "\\fB" : "\\fI") \
            escape_code(word[i]) "\\fR"
    return out
}

# A setting is written as in a file.
function put_option(o,    s, help) {
    if (first_setting_row && o >= first_setting_row) {
        s = bold(escape_code(o_name[o])) " = " \
            argument_text(o_argument[o] == "." ? "true|false" : o_argument[o])
    } else {
        s = o_letter[o] == "." ? "" : bold(escape_code("-" o_letter[o])) ", "
        s = s bold(escape_code("--" o_name[o]))
        if (o_argument[o] != ".")
            s = s " " argument_text(o_argument[o])
    }
    help = o_help[o]
    if (o_default[o] != "." && index(help, "default:") == 0)
        help = help " (default: " o_default[o] ")"
    put(".TP")
    put(s)
    put_words(inline(help))
}

# The rows of a command from row o on, a heading before each group.
function put_options(o, c,    group) {
    group = "Options"
    for (; o_command[o] == c; o++) {
        if (o_group[o] != group)
            put(".SS " escape_text(o_group[o]))
        group = o_group[o]
        put_option(o)
    }
}

# dnabird(1), and the commands of the same first word
function put_see_also(i,    j, n, s) {
    begin_section("SEE ALSO")
    s = ".BR dnabird (1)"
    for (j = 1; j <= n_command; j++) {
        if (j == i || first_word(c_name[j]) != first_word(c_name[i]))
            continue
        put(s ",")
        s = ".BR " escape_code(page_of(c_name[j])) " (1)"
    }
    put(s)
}

function command_page(i,    c, o, j, w) {
    c = c_name[i]
    w = first_word(c)
    begin_page(page_of(c), c_summary[i])
    put_synopsis(c, c_synopsis[i])
    begin_section("DESCRIPTION")
    if (c_about[i] != "")
        put_help(c_about[i])
    for (j = i + 1; c_operands[i] == "." && first_word(c_name[j]) == c; j++)
        put_entry(page_of(c_name[j]), c_summary[j])
    if (!(c in details) && w in details) {
        put(".PP")
        put(".BR " escape_code(page_of(w)) " (1)")
        put("says more of it.")
    }
    if (c in first_option) {
        begin_section("OPTIONS")
        put_options(first_option[c], c)
        if (c in first_setting)
            put_options(first_setting[c], c)
    }
    if (c_notes[i] != "") {
        begin_section("NOTES")
        put_help(c_notes[i])
    }
    if (c in details) {
        begin_section("DETAILS")
        put_markdown(details[c])
    }
    begin_section("EXIT STATUS")
    put_words("See " bold("dnabird") "(1).")
    put_see_also(i)
    close(out_file)
}

function main_page(    i, h) {
    begin_page("dnabird", title)
    begin_section("SYNOPSIS")
    put_words(bold("dnabird") " <command> [options] <files>")
    begin_section("DESCRIPTION")
    put_markdown(intro)
    begin_section("COMMANDS")
    for (i = 1; i <= n_command; i++) {
        if (c_heading[i] != c_heading[i - 1])
            put(".SS " c_heading[i])
        put_entry(page_of(c_name[i]), c_summary[i])
    }
    for (h = 1; h <= n_section; h++) {
        begin_section(toupper(section[h]))
        put_markdown(section_text[h])
    }
    begin_section("SEE ALSO")
    for (i = 1; i <= n_topic; i++)
        put(".BR " escape_code(topic_page[i]) " (" topic_number[i] "),")
    put(".BR bcftools (1),")
    put(".BR samtools (1)")
    close(out_file)
}

# The page of a topic: what docs/ says of it, a section for each heading.
function topic_page_out(i,    line, n, j, part) {
    begin_page(topic_page[i], topic_about[i], topic_number[i], topic_manual[i])
    begin_section("DESCRIPTION")
    n = split(topic_text[i], line, "\n")
    part = ""
    for (j = 1; j <= n + 1; j++) {
        if (j <= n && line[j] !~ /^## /) {
            part = part line[j] "\n"
            continue
        }
        put_markdown(part)
        part = ""
        if (j <= n)
            begin_section(toupper(substr(line[j], 4)))
    }
    begin_section("SEE ALSO")
    put(".BR dnabird (1)")
    close(out_file)
}

function add_topic(name, number, about, manual, file) {
    topic_page[++n_topic] = "dnabird-" name
    topic_number[n_topic] = number
    topic_about[n_topic] = about
    topic_manual[n_topic] = manual
    page_of_file[file] = topic_page[n_topic]
    section_of_file[file] = number
}

BEGIN {
    add_topic("formats", 5, "files that dnabird reads and writes", "File Formats",
              "formats.md")
    add_topic("scores", 7, "meaning of the numbers that dnabird predicts",
              "Miscellaneous", "scores.md")
}

# The command that a line of cli.md is the synopsis of; an example has no
# brackets.
function synopsis_of(line,    word) {
    if (line !~ /^    dnabird [a-z]/ || line !~ /[[(<]/)
        return ""
    split(line, word, / +/)
    if ((word[3] " " word[4]) in number)
        return word[3] " " word[4]
    return word[3] in number ? word[3] : ""
}

FNR == 1 { n_file++; state = "" }
n_file < 4 && FNR == 1 { FS = "\t"; $0 = $0; next }
n_file == 1 {
    if (NF != 7)
        warn("help --commands: " $0)
    number[$2] = ++n_command
    c_heading[n_command] = $1
    c_name[n_command] = $2
    c_summary[n_command] = $3
    c_operands[n_command] = $4
    c_synopsis[n_command] = unescape($5)
    c_about[n_command] = unescape($6)
    c_notes[n_command] = unescape($7)
    next
}
n_file == 2 || n_file == 3 {
    if (!($1 in number))
        warn("help --options: '" $1 "' is in no row of help --commands")
    if (n_file == 3 && !first_setting_row)
        first_setting_row = ++n_option + 1 # a row between the two tables
    o_command[++n_option] = $1
    o_letter[n_option] = $2
    o_name[n_option] = $3
    o_argument[n_option] = $4
    o_default[n_option] = $5
    o_help[n_option] = $6
    o_group[n_option] = $7
    if (n_file == 2 && !($1 in first_option))
        first_option[$1] = n_option
    if (n_file == 3 && !($1 in first_setting))
        first_setting[$1] = n_option
    next
}

n_file > 4 {
    if (!/^# /)
        topic_text[n_file - 4] = topic_text[n_file - 4] $0 "\n"
    next
}

# cli.md. A section of a command's name is cut at the synopses: behind one it is
# of that command, behind several of the section's.
/^```/ { fenced = !fenced }
!fenced && /^# / { state = "intro"; next }
!fenced && /^## / {
    heading = substr($0, 4)
    if (heading in number) {
        state = "command"
        owner = heading
    } else if (heading == "Commands" || heading == "All options") {
        state = "left out" # they are the pages and their OPTIONS
    } else {
        state = "section"
        section[++n_section] = heading == "Exit statuses" ? "Exit status" : heading
        anchor = tolower(heading)
        gsub(/ /, "-", anchor)
        anchored[anchor] = 1
    }
    next
}
state == "command" {
    command = fenced ? "" : synopsis_of($0)
    if (command != "") {
        owner = in_block ? heading : command
        in_block = 1
        next
    }
    in_block = 0
    if (owner in details || $0 != "")
        details[owner] = details[owner] $0 "\n"
    next
}
state == "intro" {
    if (!(intro == "" && ($0 == "" || $0 ~ /^    dnabird <command>/)))
        intro = intro $0 "\n"
}
state == "section" { section_text[n_section] = section_text[n_section] $0 "\n" }

END {
    if (!n_command || !n_option || intro == "" || n_file != 4 + n_topic)
        warn("an input is empty")
    if (!bad) {
        for (i = 1; i <= n_command; i++)
            command_page(i)
        main_page()
        for (i = 1; i <= n_topic; i++)
            topic_page_out(i)
    }
    exit bad
}
