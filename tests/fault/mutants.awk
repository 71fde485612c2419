# Changes that mutants.sh may make to a C file: one a line of output,
#   file line column length old new
# divided by tabs. Only bodies of functions are changed: what stands between a
# line "{" and a line "}". Comments, texts and lines of the preprocessor are not.
# clang-format puts blanks around operators of two sides and around no others.
# SPDX-License-Identifier: MIT

function tell(at, len, new) {
    printf "%s\t%d\t%d\t%d\t%s\t%s\n", FILENAME, FNR, at, len, substr($0, at, len), new
}

# The line with blanks for comments and texts, of the same length.
function bare(s,    i, c, two, out, quote) {
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        two = substr(s, i, 2)
        if (comment) {
            if (two == "*/") { comment = 0; out = out " "; i++ }
            out = out " "
        } else if (quote) {
            if (c == "\\") { out = out " "; i++ }
            else if (c == quote) quote = ""
            out = out " "
        } else if (two == "/*") { comment = 1; out = out "  "; i++ }
        else if (two == "//") { break }
        else if (c == "\"" || c == "'") { quote = c; out = out "_" }
        else out = out c
    }
    return out
}

function operators(s,    i, from, at, op) {
    for (op in swapped) {
        from = 1
        while ((at = index(substr(s, from), " " op " ")) > 0) {
            tell(from + at, length(op), swapped[op])
            from += at + length(op)
        }
    }
}

function numbers(s,    from, before, n) {
    from = 1
    while (match(substr(s, from), /[0-9]+/)) {
        before = from + RSTART > 2 ? substr(s, from + RSTART - 2, 1) : " "
        n = substr(s, from + RSTART - 1, RLENGTH)
        if (before !~ /[A-Za-z0-9_.]/ &&
            substr(s, from + RSTART - 1 + RLENGTH, 1) !~ /[A-Za-z0-9_.]/ &&
            (n == "0" || n !~ /^0/) && length(n) < 10) {
            tell(from + RSTART - 1, RLENGTH, n + 1)
            if (n > 0) tell(from + RSTART - 1, RLENGTH, n - 1)
        }
        from += RSTART - 1 + RLENGTH
    }
}

# if (...) on one line
function condition(s,    at, i, depth, c) {
    if (s !~ /^[ }]*(else )?if \(/) return
    at = index(s, "if (") + 3
    for (i = at; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "(") depth++
        if (c == ")" && --depth == 0) {
            tell(at, i - at + 1, "(!" substr($0, at, i - at + 1) ")")
            return
        }
    }
}

# A whole statement in one line: an assignment or a call, no declaration. What
# only frees or closes is left out: AddressSanitizer's builds look for leaks.
function statement(s,    at) {
    if (s !~ /^ +\*?[A-Za-z_][A-Za-z0-9_.>\[\]+*-]*( [-+*\/%|&^]?= |\().*;$/ ||
        before !~ /([;{})]|else|:)$/ ||
        s ~ /^ +(return|if|for|while|switch|goto|break|continue|do|case)[^A-Za-z0-9_]/ ||
        s ~ /^ +[a-z_]*(free|close|destroy|assert|clear)[a-z_]*\(/)
        return
    match(s, /[^ ]/)
    tell(RSTART, length(s) - RSTART + 1, ";")
}

BEGIN {
    n = split("< <= > >= == != + - * / && || += -= *= /= & |", one, " ")
    split("<= < >= > != == - + / * || && -= += /= *= | &", other, " ")
    for (i = 1; i <= n; i++) swapped[one[i]] = other[i]
    swapped["%"] = "*"
}
FNR == 1 { comment = inside = 0; before = "" }
{
    s = bare($0)
    sub(/ +$/, "", s)
}
/^#/ || macro { macro = /\\$/; next }
/^\{/ { inside = 1; before = "{"; next }
/^\}/ { inside = 0 }
inside && s != "" {
    operators(s " ")
    numbers(s)
    condition(s)
    statement(s)
    before = s
}
