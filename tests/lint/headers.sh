#!/bin/bash
# Each public header compiles alone, twice, as strict C17, and all compile as
# C++11 where g++ or clang++ is; prints TAP.
# SPDX-License-Identifier: MIT
#
#   headers.sh SOURCE_ROOT COMPILER...
set -u
. "$(dirname "$0")/../support/tap.sh"
cd "$1" || exit 1
shift

for h in include/dnabird/*.h; do
    name=dnabird/$(basename "$h")
    printf '#include "%s"\n#include "%s"\nextern int nothing;\n' \
        "$name" "$name" |
        "$@" -std=c17 -Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror \
            -fsyntax-only -Iinclude -x c - 2>&1 |
        rule "$name compiles alone"
done
cxx=$(command -v g++ || command -v clang++)
if [ -n "$cxx" ]; then
    sed 's,.*,#include <&>,' <(cd include && ls dnabird/*.h) |
        "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
            -Iinclude -x c++ - 2>&1 |
        rule "all headers compile as C++"
else
    skip "all headers compile as C++" "g++ or clang++"
fi
# Declarations outside of this pair have C++ names, which no library defines.
for h in include/dnabird/*.h; do
    awk -v h="$h" '/^BIRD_BEGIN_C$/ { begin++ } /^BIRD_END_C$/ { end++ }
        /\(/ && !/^[ #\/]/ && (!begin || end) { print h ":" FNR ": " $0 }
        END { if (begin != 1 || end != 1) print h ": BIRD_BEGIN_C, BIRD_END_C" }' "$h"
done | rule "every public header declares C for C++ compilers"
for h in include/dnabird/*.h; do
    name=$(basename "$h")
    grep -q "'$name'" include/dnabird/meson.build ||
        echo "$name is not in include/dnabird/meson.build"
done | rule "every public header is installed"
grep -nE 'typedef int bird_[a-z_]*(watch|progress)|int \(\*(watch|progress)\)' \
    include/dnabird/*.h | grep -v 'typedef int bird_progress_call(' |
    rule "progress is reported through one type of callback"
end_rules
