#!/bin/bash
# Lines and branches of src that the tests reach, by module and by file; or with --walk
# the files with a function that runs more often if `promoter` scores more windows.
# Builds with gcov's counters in its own folder.
# SPDX-License-Identifier: MIT
#
#   tools/coverage.sh [BUILD [TSV]]     BUILD: its folder [build-coverage]; TSV
#                                       [standard output]: a line for each module, then
#                                       a line for each file
#   tools/coverage.sh --sum [BUILD]     the table of the counts so far
#   tools/coverage.sh --lines FILE [BUILD]    its lines that no test reached
#   tools/coverage.sh --walk [BUILD]
#   SUITES="unit cli" tools/coverage.sh    suites to run [unit kernel golden fuzz cli e2e]
#   LEFT_OUT=REGEX                      tests left out [those below]
#
# A branch is one outcome of a condition, as gcov counts them; a `malloc()` that may fail
# has two. Counters of several threads are added without a lock: a count may be too
# small, hardly ever 0. A file that is compiled several times (kernels, one object for
# each instruction set) counts as its best object.
#
# Tests that let calls fail or kill the program are left out, because gcov writes its
# files at a program's end, and so are tests that run other programs.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
mode=run
case "${1:-}" in
--walk | --sum) mode=${1#--} && shift ;;
--lines) mode=lines file=$2 && shift 2 ;;
esac
build=${1:-build-coverage}
tsv=${2:-/dev/stdout}
left_out=${LEFT_OUT:-^(fault.*|blas|packaging|snakemake|nextflow|slurm_.*|shells|peers_.*|browser|multiqc|.*_compared|interrupted|killed.*|limits.*|readme)$}
export OMP_WAIT_POLICY=passive

if [ "$mode" = run ] || [ "$mode" = walk ]; then
    # -O1: lines and branches of the source are still separate in the object
    [ -d "$build" ] || meson setup "$build" -Db_coverage=true \
        --buildtype=plain -Doptimization=1 -Ddebug=true \
        -Dhardening=false >/dev/null || exit 1
    ninja -C "$build" >/dev/null || exit 1
fi

# The objects of src that have counters; those that no test ran have a .gcno only.
counted() { find "$build/src" -name '*.gcno' | sed 's/gcno$/gcda/'; }
forget() { find "$build" -name '*.gcda' -delete; }

# functions: "FILE function calls" of all of src, so far. In gcov's JSON a file's name
# follows its functions.
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

if [ "$mode" = walk ]; then
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
    # calls by file and function: those that grow with the number of windows
    awk 'FILENAME ~ /3$/ { n[$1 " " $2] = $3; next }
         $3 > n[$1 " " $2] { print $1 }' "$work/3" "$work/9" |
        grep -E 'src/' | sed "s|.*/src/|src/|; s|^\.\./||" | sort | uniq -c |
        awk '{ print $2 "\t" $1 " functions"; k++ } END { print "files\t" k }'
    exit
fi

if [ "$mode" = lines ]; then
    object=${file#src/}
    find "$build/src" -name "${object//\//_}.gcno" -o \
        -name "$(basename "$file").gcno" | sed 's/gcno$/gcda/' |
        while read -r f; do
            gcov --stdout -o "${f%/*}" "$f" 2>/dev/null
        done | awk -F: -v file="$file" '
            $2 ~ /^ *0$/ && $3 == "Source" { on = index($4, file) > 0 }
            on && /^ *#####:/ { n = $2 + 0; sub(/^[^:]*:[^:]*:/, ""); missed[n]++
                text[n] = $0 }
            on && /^ *[0-9]+\*?:/ { reached[$2 + 0] = 1 }
            END { for (n in missed) if (!(n in reached)) print n ":" text[n] }' |
        sort -n
    exit
fi

if [ "$mode" = run ]; then
    forget
    suites=${SUITES:-unit kernel golden fuzz cli e2e}
    mapfile -t tests < <(meson test -C "$build" --no-rebuild --list 2>/dev/null |
        sed -nE "s#^[^:]*:(${suites// /|})[^/]* / ##p" | sort -u | grep -vE "$left_out")
    meson test -C "$build" --no-rebuild --timeout-multiplier 8 "${tests[@]}" \
        >"$build/coverage.log" 2>&1 || echo "tests failed: $build/coverage.log" >&2
fi

{
    echo "# tools/coverage.sh build-coverage coverage.tsv"
    printf 'what\tlines\treached\tpercent\tbranches\ttaken\tpercent\n'
} >"$tsv"
counted | while read -r f; do
    gcov -n -b -o "${f%/*}" "$f" 2>/dev/null
done | awk -v root="$root/" -v OFS='\t' '
    function share(a, b) { return b ? sprintf("%.1f", 100 * a / b) : "-" }
    function told(rank, name, l, la, b, ba) {
        print rank, name, la, l + 0, share(l, la), ba, b + 0, share(b, ba)
    }
    /^(File|Function) / { known = /^File/; gsub(/^File .|.$/, ""); file = $0
        sub(root, "", file); sub(/^\.\.\//, "", file)
        known = known && file ~ /^src\/.*\.c$/ }
    known && /^(Lines executed|Taken at least once):/ {
        kind = /^Lines/ ? "l" : "b"
        sub(/^[^:]*:/, ""); split($0, part, "% of ")
        hit = int(part[1] * part[2] / 100 + 0.5)
        if (!((kind, file) in all) || hit > got[kind, file]) {
            got[kind, file] = hit; all[kind, file] = part[2]
        }
        files[file] = 1
    }
    END {
        for (f in files) {
            m = f; sub(/^src\//, "", m); sub(/\/.*/, "", m)
            modules[m] = 1
            for (k = 1; k <= 2; k++) {
                kind = k == 1 ? "l" : "b"
                sum[kind, m] += got[kind, f]; of[kind, m] += all[kind, f]
                sum[kind] += got[kind, f]; of[kind] += all[kind, f]
            }
        }
        told(1, "src", sum["l"], of["l"], sum["b"], of["b"])
        for (m in modules)
            told(2, "src/" m, sum["l", m], of["l", m], sum["b", m], of["b", m])
        for (f in files)
            told(3, f, got["l", f], all["l", f] + 0, got["b", f], all["b", f] + 0)
    }' | sort | cut -f 2- >>"$tsv"
