#!/bin/bash
# Static analysis of src and tools by clang's analyzer, gcc -fanalyzer and cppcheck:
# what they find, and a last line a tool with the number. Fails on any finding. A
# tool that is not there is told and passed over.
# SPDX-License-Identifier: MIT
#
#   tools/analyze.sh [BUILD [FILE ...]]    BUILD: a build whose compile_commands.json
#                                          is read [build]; FILE: of src or tools [all]
#   TOOLS="clang gcc cppcheck"             which
#
# Checkers that are off, by name, and why, stand at each tool below.
# shellcheck disable=SC2317 # run_TOOL are called by their names
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
[ $# = 0 ] || shift
[ -e "$build/compile_commands.json" ] || {
    echo "analyze.sh: $build: no compile_commands.json: meson setup $build" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$PWD
jobs=${JOBS:-$(nproc)}
bad=0

# The command line of every source that the build compiles, once, with what only
# the build's own compiler and its dependency files need left out.
commands() {
    ninja -C "$build" -t commands | sed -nE 's/^ccache //
        s/ -MD -MQ .* -o [^ ]+ -c ([^ ]+)$/ \1/
        s/ -DNDEBUG / / # assertions say what a tool cannot follow
        / \.\.\/(src|tools)\/[^ ]*\.c$/p' | awk '!seen[$NF]++'
}

# wanted: of these, those whose file was asked for
wanted() {
    if [ $# = 0 ]; then
        cat
    else
        grep -E " \.\./($(IFS='|' && echo "$*"))\$" || true
    fi
}

commands | wanted "$@" >"$work/commands"
[ -s "$work/commands" ] || { echo "analyze.sh: no such source in $build" >&2 && exit 1; }

# each OPTIONS COMPILER: run COMPILER in place of the build's, a file at a time
each() {
    sed -E "s|^[^ ]+|$2|; s|\$| $1|" "$work/commands" |
        (cd "$build" && tr '\n' '\0' | xargs -0 -P "$jobs" -n 1 bash -c 2>&1) || true
}

# told TOOL FILE: print its findings once each, and their number
told() {
    local n
    sed "s|^\.\./||; s|^$root/||" "$2" | sort -u | tee "$work/once"
    n=$(wc -l <"$work/once")
    printf '%s: %d findings in %d files\n' "$1" "$n" "$(wc -l <"$work/commands")"
    [ "$n" = 0 ] || bad=1
}

has() { command -v "$1" >/dev/null || { echo "$1: SKIP, not there" && return 1; }; }

# unmarked: findings but for lines that clang-tidy's NOLINT marks, with their reason
unmarked() {
    local at file line
    while read -r at; do
        file=${at%%:*} line=$(cut -d : -f 2 <<<"$at")
        file=${file#../}
        awk -v at="$line" '/NOLINTBEGIN/ { on = 1 } NR == at { exit !(on || /NOLINT/) }
            /NOLINTEND/ { on = 0 }' "$root/${file#"$root/"}" || echo "$at"
    done
}

# What .clang-tidy leaves out, too: values that are not read; the wish for memcpy_s()
# and its like, which glibc does not have; clang 14 takes a va_list in a loop for unset.
run_clang() {
    local off='' c
    for c in deadcode.DeadStores valist.Uninitialized \
        security.insecureAPI.DeprecatedOrUnsafeBufferHandling; do
        off+=" -Xclang -analyzer-disable-checker -Xclang $c"
    done
    each "--analyze --analyzer-output text -o /dev/null -fno-color-diagnostics -Wno-everything$off" clang |
        grep -E '^[^ ]+:[0-9]+:[0-9]+: (warning|error):' | unmarked >"$work/clang" || true
    told clang "$work/clang"
}

# What gcc 12 is mistaken in: it takes a pointer that is kept in an element of a
# grown array for lost, and does not follow that a function set what it was to set
# where its return code is 0. Leaks are for AddressSanitizer and clang, null
# pointers and unset variables for clang, whose analyzer follows both.
run_gcc() {
    local off='' c
    for c in malloc-leak null-argument null-dereference possible-null-dereference \
        use-of-uninitialized-value; do
        off+=" -Wno-analyzer-$c"
    done
    each "-fanalyzer$off -fdiagnostics-plain-output -O1 -c -o /dev/null" gcc |
        grep -E 'warning: .*\[-Wanalyzer|error:' >"$work/gcc" || true
    told gcc "$work/gcc"
}

# What cppcheck 2.10 is mistaken in, by name:
# uninitvar, uninitStructMember, legacyUninitvar: what a function sets that did not
# fail (`if (!rc)`) is unset to it; the compilers and clang follow the code.
# invalidFunctionArg: log() of a sum that holds exp(0); it begins with the 0.
# duplicateAssignExpression: two capacities that begin alike and grow apart.
# internalAstError: a compound literal inside of ?: is no syntax to it.
run_cppcheck() {
    sed -E 's|.* \.\./||' "$work/commands" >"$work/sources"
    cppcheck --quiet --inline-suppr --std=c11 -j "$jobs" --enable=warning,portability \
        --suppress={uninitvar,uninitStructMember,legacyUninitvar,invalidFunctionArg} \
        --suppress={duplicateAssignExpression,internalAstError} \
        --template='{file}:{line}: {severity}: {message} [{id}]' \
        -I include -I src -I tools -D__linux__ -D_GNU_SOURCE -DBIRD_ISA=base '-DKHASH_INIT(a,b,c,d,e,f)=' '-DBIRD_VERSION=""' \
        --file-list="$work/sources" 2>"$work/cppcheck" >/dev/null || true
    told cppcheck "$work/cppcheck"
}

for tool in ${TOOLS:-clang gcc cppcheck}; do
    has "$tool" && "run_$tool"
done
exit $bad
