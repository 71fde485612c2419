#!/bin/bash
# Nothing is compiled or linked so that arithmetic is not what it says: sums in
# another order, no NaN, small numbers taken for 0; prints TAP.
# SPDX-License-Identifier: MIT
#
#   float_flags.sh SOURCE_ROOT BUILD_ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
build=$(realpath "$2")
cd "$1" || exit 1

flags='-(ffast-math|Ofast|funsafe-math-optimizations|fassociative-math'
flags+='|freciprocal-math|ffinite-math-only|fno-signed-zeros|mdaz-ftz'
flags+='|ffp-contract=on|ffp-model=(fast|aggressive)|fno-honor-nans)'

grep -rnE --include=meson.build --include=meson_options.txt --exclude-dir="build*" -- \
    "$flags" . | rule "no build file asks for loose arithmetic"
# Kernels may join a product and a sum, which rounds once instead of twice.
grep -rn --include=meson.build --exclude-dir="build*" -e -ffp-contract=fast . |
    grep -v "^./src/kernel/meson.build:" |
    rule "no build file but the kernels' joins products and sums"

# Linked with such a flag, gcc adds crtfastmath.o, which sets FTZ and DAZ.
[ -s "$build/build.ninja" ] || echo "no build.ninja in $build" |
    rule "the build's commands are there"
grep -oE -- "$flags" "$build/build.ninja" | sort | uniq -c |
    rule "no command of the build, linking included, has such a flag"
grep -E '^ ARGS = .*-c11|^ ARGS = .*-std=' "$build/build.ninja" |
    grep -v -- '-ffp-contract=off' | cut -c 1-200 |
    rule "every file is compiled with -ffp-contract=off"

grep -rnE 'fast-math|fast_math|GCC optimize|optimize\(|float_control|clang fp |STDC FP_CONTRACT|_mm_setcsr|_MM_SET_|fesetenv|fesetround|msr +fpcr' \
    src tools include --include='*.[ch]' |
    rule "no source asks for it, or sets the floating-point state"
end_rules
