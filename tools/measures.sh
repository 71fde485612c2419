#!/bin/bash
# What the structure is measured by: lines, public headers, and functions that
# one file alone calls from another. Prints a table, name and value between
# tabs.
# SPDX-License-Identifier: MIT
#
#   tools/measures.sh [BUILD]      BUILD: a built folder [build]
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}

printf 'lines of src, include, tools (.c, .h)\t%s\n' \
    "$(find src include tools -name '*.[ch]' -exec cat {} + | wc -l)"
for m in src/*/ include tools; do
    printf '  %s\t%s\n' "${m%/}" \
        "$(find "$m" -name '*.[ch]' -exec cat {} + | wc -l)"
done
printf 'public headers\t%s\n' "$(ls include/dnabird/*.h | wc -l)"
printf 'private headers\t%s\n' "$(find src -name '*.h' | wc -l)"
printf 'C files of src\t%s\n' "$(find src -name '*.c' | wc -l)"

# Functions with external linkage that no public header declares, by the
# number of other files of the libraries that use them.
[ -f "$build/src/libdnabird_core.a" ] || {
    echo "$build: not built, so functions are not counted" >&2
    exit 1
}
public=$(mktemp)
trap 'rm -f "$public"' EXIT
cat include/dnabird/*.h | grep -oE '\bbird_[a-z0-9_]+ *\(' | tr -d ' (' |
    sort -u >"$public"
for a in "$build"/src/libdnabird_core.a "$build"/src/libdnabird_train_core.a; do
    nm --print-file-name "$a" 2>/dev/null
done | awk -v public="$public" '
    BEGIN { while ((getline line <public) > 0) is_public[line] = 1 }
    {
        split($0, part, /: */)
        file = part[2]; kind = $(NF - 1); name = $NF
        if (name !~ /^bird_/) next
        if (kind == "T") { defined[name] = 1 }
        if (kind == "U" && !((name, file) in seen)) {
            seen[name, file] = 1
            users[name]++
        }
    }
    END {
        for (f in defined) {
            if (f in is_public) continue
            n++
            one += users[f] == 1
            none += !users[f]
        }
        printf "internal functions with external linkage\t%d\n", n
        printf "  called from one other file\t%d (%.0f %%)\n", one, 100 * one / n
        printf "  called from no other file\t%d\n", none
    }'
