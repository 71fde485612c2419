# A shell's completion, from what the program tells of itself.
# SPDX-License-Identifier: MIT
#
#   awk -v shell=bash|zsh|fish -f completion.awk COMMANDS OPTIONS
#
# COMMANDS and OPTIONS are `dnabird help --commands` and `--options`. What an
# argument's name says of its values: the lists below. A name in none of them
# ends this: it is to be put into one.
BEGIN {
    FS = "\t"
    put_names("file", "FILE FASTA BED TSV JSON PATH FILE.mat REGIONS")
    put_names("files", "FILES FILE,... MODELS") # between commas
    put_names("folder", "DIR MODEL DST SRC RUN")
    put_names("value", "INT N REAL BP BYTES MIB GB/S US PERCENT ROWS TOKENS K " \
        "NAME NAMES REGION LIST TERM TERMS COLUMN TYPES TEXT KEY=VALUE LAYERS " \
        "FORMAT PARTS WORD RULE FEATURES CLASS=REAL,... NAME=FILE I/N " \
        "NAME=FILE:SHARE[,WEIGHT] NAME[,OPTION=VALUE...] NAME[:PARAMETER]")
}

function warn(text) { print "completion.awk: " text >"/dev/stderr"; bad = 1 }

function put_names(kind, names,    n, name, i) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        kind_of[name[i]] = kind
}

# Sets `takes` (flag, value, file, files, folder) and `words`, those that are
# typed as they stand, with a blank before each.
function read_argument(argument, where,    n, part, i) {
    takes = argument == "." ? "flag" : "value"
    words = ""
    if (argument == ".")
        return
    n = split(argument, part, "|")
    for (i = 1; i <= n; i++) {
        if (part[i] in kind_of) {
            if (kind_of[part[i]] != "value")
                takes = kind_of[part[i]]
        } else if (part[i] ~ /^[a-z0-9_+-]+$/) {
            words = words " " part[i]
        } else {
            warn(where ": what is '" part[i] "'? Add it to a list")
        }
    }
}

# The same of a command's operands, by its synopsis: [a|b|c] in front, or the
# kind of the last name.
function read_operands(i,    s, n, word) {
    takes = "flag"
    words = ""
    if (c_operands[i] == "." || c_operands[i] == "0-0")
        return
    s = c_synopsis[i]
    if (match(s, /^\[[a-z]+(\|[a-z]+)+\]/)) {
        takes = "value"
        words = " " substr(s, 2, RLENGTH - 2)
        gsub(/\|/, " ", words)
        return
    }
    sub(/ *(>|\\n).*/, "", s)
    n = split(s, word, " ")
    takes = kind_of[word[n]] == "folder" ? "folder" : "file"
}

# The second words of a command, each with a blank before it.
function seconds_of(command,    i, s, first) {
    s = ""
    for (i = 1; i <= n_command; i++)
        if (index(c_name[i], command " ") == 1)
            s = s " " substr(c_name[i], length(command) + 2)
    return s
}

# A help text up to its first stop: a description in a line.
function brief(s) {
    sub(/(;| \().*/, "", s)
    return match(s, /[^.]\. /) ? substr(s, 1, RSTART) : s
}

# In single quotes
function quote(s) {
    gsub(/'/, "'\\''", s)
    return "'" s "'"
}

FNR == 1 { n_file++; next }
n_file == 1 {
    number[$2] = ++n_command
    c_name[n_command] = $2
    c_summary[n_command] = $3
    c_operands[n_command] = $4
    c_synopsis[n_command] = $5
    next
}
{
    o_command[++n_option] = $1
    o_letter[n_option] = $2 == "." ? "" : $2
    o_name[n_option] = $3
    o_argument[n_option] = $4
    o_help[n_option] = $6
    if (!($1 in first_option))
        first_option[$1] = n_option
}

# bash: a table of letter, long name, what it takes, words
function bash_tables(    i, c, o) {
    print "_dnabird_table()\n{\n    case $1 in\n    \"\")"
    print "        seconds='" firsts "'\n        ;;"
    for (i = 1; i <= n_command; i++) {
        c = c_name[i]
        read_operands(i)
        print "    " quote(c) ")"
        print "        seconds=" quote(substr(seconds_of(c), 2))
        print "        operands=" quote(takes words)
        if (c in first_option) {
            print "        table='"
            for (o = first_option[c]; o_command[o] == c; o++) {
                read_argument(o_argument[o], c " --" o_name[o])
                print (o_letter[o] == "" ? "." : o_letter[o]) " " o_name[o] " " \
                    takes words
            }
            print "'"
        }
        print "        ;;"
    }
    print "    esac\n}"
}

# zsh: arguments of _arguments
function zsh_text(s) {
    gsub(/\\/, "\\\\", s)
    gsub(/\[/, "\\[", s)
    gsub(/\]/, "\\]", s)
    gsub(/:/, "\\:", s)
    return s
}

function zsh_action() {
    if (takes == "value")
        return words == "" ? " " : "(" substr(words, 2) ")"
    if (words != "")
        return " _dnabird_word_or_file" words
    if (takes == "files")
        return " _sequence _files"
    return takes == "folder" ? "_files -/" : "_files"
}

function zsh_tables(    i, c, o, j, s) {
    print "_dnabird_table() {\n    case $1 in\n    '')\n        seconds=("
    for (i = 1; i <= n_command; i++)
        if (c_name[i] !~ / /)
            print "            " quote(c_name[i] ":" zsh_text(c_summary[i]))
    print "            'help:the options of a command'\n        )\n        ;;"
    for (i = 1; i <= n_command; i++) {
        c = c_name[i]
        print "    " quote(c) ")\n        seconds=("
        for (j = 1; j <= n_command; j++)
            if (index(c_name[j], c " ") == 1)
                print "            " quote(substr(c_name[j], length(c) + 2) ":" \
                    zsh_text(c_summary[j]))
        print "        )\n        specs=("
        for (o = first_option[c]; c in first_option && o_command[o] == c; o++) {
            read_argument(o_argument[o], c " --" o_name[o])
            s = "[" zsh_text(brief(o_help[o])) "]"
            if (takes == "flag") {
                if (o_letter[o] != "")
                    print "            " quote("-" o_letter[o] s)
                print "            " quote("--" o_name[o] s)
                continue
            }
            s = s ":" zsh_text(o_argument[o]) ":" zsh_action()
            if (o_letter[o] != "")
                print "            " quote("*-" o_letter[o] "+" s)
            print "            " quote("*--" o_name[o] "=" s)
        }
        read_operands(i)
        if (takes != "flag")
            print "            " quote("*:" takes ":" zsh_action())
        print "        )\n        ;;"
    }
    print "    esac\n}"
}

# fish: an option a line; its condition is one text for all of a command
function fish_line(condition, rest, about) {
    print "complete -c dnabird -n " quote(condition) rest \
        (about == "" ? "" : " -d " fish_quote(about))
}

function fish_quote(s) {
    gsub(/\\/, "\\\\", s)
    gsub(/'/, "\\'", s)
    return "'" s "'"
}

function fish_takes() {
    if (takes == "flag")
        return ""
    if (takes == "value")
        return " -x" (words == "" ? "" : " -a '" substr(words, 2) "'")
    if (takes == "folder")
        return " -x -a '(__fish_complete_directories (commandline -ct))'"
    return " -r -F" (words == "" ? "" : " -a '" substr(words, 2) "'")
}

function fish_tables(    i, c, o, first, second) {
    for (i = 1; i <= n_command; i++) {
        c = c_name[i]
        first = c
        sub(/ .*/, "", first)
        if (first == c) {
            fish_line("__dnabird_at ''", " -f -a " c, c_summary[i])
            fish_line("__dnabird_at help", " -f -a " c, c_summary[i])
        } else {
            second = substr(c, length(first) + 2)
            if (second ~ /^--/)
                fish_line("__dnabird_is " first, " -l " substr(second, 3), c_summary[i])
            else
                fish_line("__dnabird_at " first, " -f -a " second, c_summary[i])
            fish_line("__dnabird_at help " first, " -f -a " second, c_summary[i])
        }
        read_operands(i)
        if (takes == "file")
            fish_line("__dnabird_is " c, " -F", "")
        else if (takes != "flag")
            fish_line("__dnabird_is " c, fish_operands(), "")
        for (o = first_option[c]; c in first_option && o_command[o] == c; o++) {
            read_argument(o_argument[o], c " --" o_name[o])
            fish_line("__dnabird_is " c, \
                (o_letter[o] == "" ? "" : " -s " o_letter[o]) " -l " o_name[o] \
                fish_takes(), brief(o_help[o]))
        }
    }
}

function fish_operands() {
    if (takes == "folder")
        return " -f -a '(__fish_complete_directories (commandline -ct))'"
    return " -f -a '" substr(words, 2) "'"
}

END {
    firsts = "help"
    for (i = 1; i <= n_command; i++)
        if (c_name[i] !~ / /)
            firsts = firsts " " c_name[i]
    if (!n_command || !n_option)
        warn("an input is empty")
    if (shell == "bash")
        bash_tables()
    else if (shell == "zsh")
        zsh_tables()
    else
        fish_tables()
    if (shell == "fish") {
        list = ""
        for (i = 1; i <= n_command; i++)
            if (c_name[i] ~ / /)
                list = list " " quote(c_name[i])
        print "set -g __dnabird_pairs" list
    }
    exit bad
}
