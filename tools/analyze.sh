#!/bin/bash
# Static analysis of src and tools by clang's analyzer, gcc -fanalyzer and cppcheck:
# prints their findings, and at the end the number of each tool. Fails on any finding.
# A missing tool is reported and skipped.
# SPDX-License-Identifier: MIT
#
#   tools/analyze.sh [BUILD [FILE ...]]    BUILD: a build whose compile_commands.json
#                                          is read [build]; FILE: of src or tools [all]
#   TOOLS="clang gcc cppcheck"             the tools to run
#
# Each tool below names the checkers that are switched off, and the reason.
# shellcheck disable=SC2317 # run_TOOL are called by name
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

# The command line of every source that the build compiles, once, without options that
# only the build's own compiler and its dependency files need.
commands() {
    ninja -C "$build" -t commands | sed -nE 's/^ccache //
        s/ -MD -MQ .* -o [^ ]+ -c ([^ ]+)$/ \1/
        s/ -DNDEBUG / / # assertions say what a tool cannot follow
        / \.\.\/(src|tools)\/[^ ]*\.c$/p' | awk '!seen[$NF]++'
}

# wanted: the requested ones of these files
wanted() {
    if [ $# = 0 ]; then
        cat
    else
        grep -E " \.\./($(IFS='|' && echo "$*"))\$" || true
    fi
}

commands | wanted "$@" >"$work/commands"
[ -s "$work/commands" ] || { echo "analyze.sh: no such source in $build" >&2 && exit 1; }

# each OPTIONS COMPILER: run COMPILER instead of the build's, one file at a time
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

# unmarked: findings, without lines that clang-tidy's NOLINT marks, with their reason
unmarked() {
    local at file line
    while read -r at; do
        file=${at%%:*} line=$(cut -d : -f 2 <<<"$at")
        file=${file#../}
        awk -v at="$line" '/NOLINTBEGIN/ { on = 1 } NR == at { exit !(on || /NOLINT/) }
            /NOLINTEND/ { on = 0 }' "$root/${file#"$root/"}" || echo "$at"
    done
}

# Checkers that .clang-tidy leaves out, too: values that are not read; memcpy_s() and
# similar, which glibc does not have; va_list in a loop, which clang 14 takes for unset.
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

# gcc 12 has false findings here: it takes a pointer in an element of a grown array for
# lost, and does not see that a function sets its result if it returns 0. AddressSanitizer
# and clang find leaks; clang, whose analyzer follows both, finds null pointers and unset
# variables.
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

# False findings of cppcheck 2.10, by name:
# uninitvar, uninitStructMember, legacyUninitvar: it takes for unset what a function sets
# if it succeeds (`if (!rc)`); the compilers and clang follow the code.
# invalidFunctionArg: log() of a sum that contains exp(0); the sum starts at 0.
# duplicateAssignExpression: two capacities that start equal and grow separately.
# internalAstError: it cannot parse a compound literal inside of ?:.
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
