#!/bin/bash
# Lines of src that the tests reach, by module, and the files below a share;
# or with --walk the files that a window of `promoter` passes: those with a
# function that runs more often when there are more windows. Builds with gcov's
# counters in a folder of its own.
# SPDX-License-Identifier: MIT
#
#   tools/coverage.sh [BUILD]           BUILD: its folder [build-coverage]
#   tools/coverage.sh --walk [BUILD]
#   SUITES="unit cli" tools/coverage.sh    which tests [unit cli e2e golden kernel fuzz]
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
walk=0
[ "${1:-}" = --walk ] && { walk=1 && shift; }
build=${1:-build-coverage}
export OMP_WAIT_POLICY=passive

[ -d "$build" ] || meson setup "$build" -Db_coverage=true \
    --buildtype=debugoptimized >/dev/null || exit 1
ninja -C "$build" >/dev/null || exit 1

# The objects of src that have counters.
counted() { find "$build/src" -name '*.gcda'; }
forget() { find "$build" -name '*.gcda' -delete; }

# functions: "FILE function calls" of all of src, as they are now. A file's
# name stands behind its functions in gcov's JSON.
functions() {
    counted | while read -r f; do
        gcov --json-format --stdout -o "${f%/*}" "$f" 2>/dev/null
    done | grep -oE '"file": "[^"]*"|"name": "[^"]*"|"execution_count": [0-9]+' |
        awk -F': ' '
        { gsub(/"/, "") }
        /^name/ { name = $2 }
        /^execution_count/ { waiting[++n] = name " " $2 }
        /^file/ { for (; n > 0; n--) print $2, waiting[n] }
        ' | sort -u
}

if [ $walk = 1 ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    seq='' # no two windows alike, so that none is answered by the cache
    seq=$(awk 'BEGIN { srand(1); for (i = 0; i < 34000; i++)
        printf "%s", substr("ACGT", 1 + int(4 * rand()), 1) }')
    for n in 3 9; do
        forget
        printf '>s\n%s\n' "${seq:0:$((3600 * n + 400))}" >"$work/$n.fa"
        "$build/tools/dnabird" promoter -m data/models/regulatory -t 1 -q \
            -T 0 "$work/$n.fa" >/dev/null
        functions >"$work/$n"
    done
    # calls by file and function: more of them for more windows
    awk 'FILENAME ~ /3$/ { n[$1 " " $2] = $3; next }
         $3 > n[$1 " " $2] { print $1 }' "$work/3" "$work/9" |
        grep -E 'src/' | sed "s|.*/src/|src/|; s|^\.\./||" | sort | uniq -c |
        awk '{ print $2 "\t" $1 " functions"; k++ } END { print "files\t" k }'
    exit
fi

forget
suites=()
for s in ${SUITES:-unit cli e2e golden kernel fuzz}; do
    suites+=(--suite "$s")
done
meson test -C "$build" --no-rebuild --timeout-multiplier 4 "${suites[@]}" \
    >"$build/coverage.log" 2>&1 || echo "tests failed: $build/coverage.log" >&2
counted | while read -r f; do
    gcov -n -o "${f%/*}" "$f" 2>/dev/null
done | awk -v root="$root/" '
    /^File / { gsub(/^File .|.$/, ""); file = $0; sub(root, "", file)
        sub(/^\.\.\//, "", file) }
    /^Lines executed/ && file ~ /^src\/.*\.c$/ {
        sub(/^Lines executed:/, ""); split($0, part, "% of ")
        if (!(file in all) || part[1] > share[file]) {
            share[file] = part[1]; all[file] = part[2]
        }
        file = ""
    }
    END {
        for (f in all) {
            m = f; sub(/^src\//, "", m); sub(/\/.*/, "", m)
            lines[m] += all[f]; reached[m] += all[f] * share[f] / 100
            if (share[f] < 90) print "below 90 %\t" f "\t" share[f] > "/dev/stderr"
        }
        for (m in lines) {
            printf "%s\t%.1f %%\t%d lines\n", m, 100 * reached[m] / lines[m], lines[m]
            n += lines[m]; r += reached[m]
        }
        printf "src\t%.1f %%\t%d lines\n", 100 * r / n, n
    }' | sort
