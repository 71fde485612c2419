#!/bin/bash
# What the structure is measured by, of this source or of another version of it;
# prints a table, name and value between tabs. docs/design.md keeps two columns.
# SPDX-License-Identifier: MIT
#
#   tools/measures.sh [BUILD [SOURCE_ROOT]]
#
# BUILD is a built folder [build]; measures of its programs and archives are
# left out where it is not there. SOURCE_ROOT [that of this script].
set -u
tools=$(cd "$(dirname "$0")" && pwd) || exit 1
build=$(realpath "${1:-$tools/../build}")
cd "${2:-$tools/..}" || exit 1
LC_ALL=C
export LC_ALL

put() { printf '%s\t%s\n' "$1" "$2"; }
sources() { find "$@" -name '*.[ch]' ! -path '*/build/*' | sort; } # FOLDER...
lines_of() { # FOLDER...
    sources "$@" | tr '\n' '\0' | xargs -0r cat | wc -l
}

# library_of MODULE: the library that its meson.build appends to
library_of() {
    if grep -q '^lab_sources' "src/$1/meson.build"; then
        echo laboratory
    elif grep -q '^train_sources' "src/$1/meson.build"; then
        echo training
    else
        echo product
    fi
}
modules=$(cd src && echo */ | tr -d /)

# --- size
total=$(lines_of src include tools)
put 'lines of src, include, tools' "$total"
for library in product training laboratory; do
    folders=()
    for m in $modules; do
        [ "$(library_of "$m")" = "$library" ] && folders+=("src/$m")
    done
    n=0
    [ ${#folders[@]} = 0 ] || n=$(lines_of "${folders[@]}")
    put "  $library" "$n"
    put "  $library, per cent" "$(awk "BEGIN { printf \"%.1f\", 100 * $n / $total }")"
done
put '  include' "$(lines_of include)"
put '  tools' "$(lines_of tools)"
for m in $modules; do
    put "  src/$m" "$(lines_of "src/$m")"
done
put 'lines of scan, session and seq/tiles' \
    "$(cat src/scan/*.[ch] src/session/*.[ch] src/seq/tiles.[ch] | wc -l)"
put 'public headers' "$(ls include/dnabird/*.h | wc -l)"
put 'private headers' "$(find src -name '*.h' | wc -l)"
put 'C files of src' "$(find src -name '*.c' | wc -l)"

# longer LINES: files of more lines
longer() {
    sources src include tools | while read -r f; do
        [ "$(wc -l <"$f")" -gt "$1" ] && echo "$f"
    done | wc -l
}
put 'files over 600 lines' "$(longer 600)"
put 'files over 800 lines' "$(longer 800)"

# --- functions: from the line of the name to the closing brace
sources src tools | xargs awk '
    FNR == 1 { inside = 0; start = 0 }
    /^[a-zA-Z_].*\(/ && !inside && !/^(typedef|struct|enum|union|#)[^(]*[{;]/ { start = FNR }
    /^\{/ && start { inside = 1 }
    /^\}/ && inside { print FNR - start + 1; inside = 0; start = 0 }
    /^[^{].*;$/ && !inside { start = 0 }
' | sort -n | awk '
    { a[NR] = $1 }
    function at(p,   i) { i = int(p * NR + 0.999999); return a[i < 1 ? 1 : i] }
    END {
        printf "functions of src and tools\t%d\n", NR
        printf "  lines, median\t%d\n  lines, 95 %%\t%d\n  lines, longest\t%d\n", at(0.5), at(0.95), a[NR]
    }'

# --- what knows the kind of a model
kind='(->|\.)(n_bin|masked|exclusive|needs)\b'
sources src | grep -vE '^src/(head|session)/' | xargs grep -lE -- "$kind" >/tmp/kind.$$
trap 'rm -f /tmp/kind.$$' EXIT
put 'files outside head and session that test the kind of a model' "$(wc -l </tmp/kind.$$)"
put '  lines' "$(sources src | grep -vE '^src/(head|session)/' | xargs grep -hE -- "$kind" | wc -l)"
while read -r f; do
    put "  $f" "$(grep -cE -- "$kind" "$f")"
done </tmp/kind.$$

above=(src/track src/scan src/variant src/data src/eval src/train src/report)
[ -d src/lab ] && above+=(src/lab)
[ -d src/peers ] && above+=(src/peers)
reach='(model|opened|m)(->|\.)folder\b'
put 'lines above session that reach into the folder of a model' \
    "$(grep -rhE --include='*.[ch]' "$reach" "${above[@]}" | wc -l)"
put '  files' "$(grep -rlE --include='*.[ch]' "$reach" "${above[@]}" | wc -l)"

# --- names, tests, comments
put 'names with two meanings' \
    "$(bash "$tools/../tests/lint/names.sh" . | grep -c '^# ')"
put 'lines of tests/cli/*.tst' "$(cat tests/cli/*.tst | wc -l)"
put '  longer than 200 characters' "$(cat tests/cli/*.tst | grep -cE '.{201}')"
sources src tools | grep '\.c$' | xargs perl -0777 -ne '
    $all += tr/\n//;
    while (/("(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])*\x27)|\/\*.*?\*\/|\/\/[^\n]*/gs) {
        next if defined $1;
        $comment += 1 + ($& =~ tr/\n//);
    }
    END {
        printf "comment lines of .c files\t%d\n", $comment;
        printf "  per cent\t%.1f\n", 100 * $comment / $all;
    }'

# --- options, from the program's own tables
if [ -x "$build/tools/dnabird" ]; then
    options=$("$build/tools/dnabird" help --options | tail -n +2)
    put 'names of options' "$(cut -f 3 <<<"$options" | sort -u | wc -l)"
    put 'pairs of command and option' "$(wc -l <<<"$options")"
fi

# --- functions with external linkage that no public header declares, by where
# their callers are. An object is named MODULE_FILE.c.o.
archives=$(ls "$build"/src/libdnabird_{,train_,lab_}core.a 2>/dev/null)
[ -n "$archives" ] || exit 0
for a in $archives; do
    nm -A "$a" 2>/dev/null
done | awk -v list="$modules" -v public="$(cat include/dnabird/*.h |
    grep -oE '\bbird_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u | tr '\n' ' ')" '
    BEGIN {
        n = split(list, name, " ")
        for (i = 1; i <= n; i++) known[name[i]] = 1
        n = split(public, name, " ")
        for (i = 1; i <= n; i++) is_public[name[i]] = 1
    }
    function module_of(object,   m) {
        m = object
        sub(/_.*/, "", m)
        return m in known && object !~ /^kernel_/ ? m : "kernel"
    }
    NF >= 2 && $NF ~ /^bird_/ {
        kind = $(NF - 1)
        object = $1
        sub(/:[^:]*$/, "", object)
        sub(/.*[\/:]/, "", object)
        if (kind == "T") home[$NF] = object
        if (kind == "U" && !(($NF, object) in seen)) {
            seen[$NF, object] = 1
            users[$NF]++
            user[$NF] = object
        }
    }
    END {
        for (f in home) {
            if (f in is_public) continue
            n_all++
            none += !users[f]
            one += users[f] == 1
            far += users[f] == 1 && module_of(user[f]) != module_of(home[f])
        }
        printf "internal functions with external linkage\t%d\n", n_all
        printf "  called from one other file\t%d\n", one
        printf "  called from one file, of another module\t%d\n", far
        printf "  the same, per cent\t%.1f\n", 100 * far / n_all
        printf "  called from no other file\t%d\n", none
    }'
