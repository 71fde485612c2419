#!/bin/bash
# Run the numerical tests (meson's suite `sets`: kernels, golden vectors, equal bits) on
# every kernel set that this processor supports: OpenBLAS' in a build without oneDNN,
# where OpenBLAS multiplies everything; dnabird's own and oneDNN's in the usual build.
# One kind changes at a time. The last line is "N passed, N failed[, N skipped]".
# SPDX-License-Identifier: MIT
#
#   tools/kernel_sets.sh [BUILD [BUILD_WITHOUT_ONEDNN]]
#
# The folders must be built already. ONLY, names separated by blanks, selects some sets.
# TESTED=1 leaves out the set that dnabird takes by itself, since BUILD's own tests ran on it.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/setup.sh
# settings of a site for all users would replace the processor's own
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE DNABIRD_ISA DNNL_MAX_CPU_ISA
usual=${1:-build} plain=${2:-build-plain} only=${ONLY-} tested=${TESTED-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# runs FLAG...: does the processor have them all? Names are the kernel's
runs() {
    local flag
    for flag in "$@"; do
        grep -qiwE "^(flags|features)[[:space:]]*:.* $flag" /proc/cpuinfo ||
            return 1
    done
}

left_out() { [ -n "$only" ] && [[ " $only " != *" $1 "* ]]; }

line() { # VERDICT NAME DETAIL
    printf '%-7s %-26s %s\n' "$1" "$2" "$3"
}

# core_of DIR: the kernel set that OpenBLAS chose, openblas_get_corename()
core_of() {
    "$1/tools/dnabird" --version |
        sed -n 's/^BLAS: OpenBLAS .* \([A-Za-z0-9_]*\) MAX_THREADS=.*/\1/p'
}

# tests DIR NAME: run them in the current environment
tests() {
    local p f s start=$SECONDS
    # short: what a gradient must not touch does not depend on the kernels
    BIRD_TEST_SHORT=1 run_tests "$1" --suite sets >"$work/log" 2>&1
    read -r p f s < <(counts "$work/log")
    passed=$((passed + ${p:-0}))
    failed=$((failed + ${f:-1}))
    skipped=$((skipped + ${s:-0}))
    if [ "${f:-1}" = 0 ] && [ "${p:-0}" -gt 0 ]; then
        line ok "$2" "$p passed, $((SECONDS - start)) s"
    else
        [ "${f:-1}" -gt 0 ] || failed=$((failed + 1))
        line FAILED "$2" "${p:-0} passed, ${f:-1} failed"
        failures "$work/log" | sed 's/^/    /' | head -n 40
    fi
}

# core NAME FLAG...: a kernel set of OpenBLAS
core() {
    local name=$1 got
    shift
    left_out "$name" && return
    [ "${name,,}" = "${native,,}" ] && ! left_out plain && return # tested above
    if ! runs "$@"; then
        line skipped "OpenBLAS $name" "not for this processor"
        skipped=$((skipped + 1))
        return
    fi
    got=$(OPENBLAS_CORETYPE=$name core_of "$plain")
    if [ "${got,,}" != "${name,,}" ]; then
        line FAILED "OpenBLAS $name" "not taken: it runs '$got'"
        failed=$((failed + 1))
        return
    fi
    OPENBLAS_CORETYPE=$name tests "$plain" "OpenBLAS $name"
}

cores_x86() {
    core Prescott pni
    core Core2 ssse3
    core Nehalem sse4_2
    core Sandybridge avx
    core Haswell avx2 fma
    core Zen avx2 fma
    core SkylakeX avx512f avx512dq avx512bw avx512vl
    core Cooperlake avx512f avx512dq avx512bw avx512vl avx512_bf16
}

cores_arm() {
    core ARMV8 asimd
    core CORTEXA57 asimd
    core NEOVERSEN1 asimd
}

isas() {
    local isa got own
    own=$("$usual/tools/dnabird" --version | sed -n 's/^kernels: \([a-z0-9]*\), of .*/\1/p')
    for isa in $("$usual/tools/dnabird" --version |
        sed -n 's/^kernels: .*, of //p' | tr -d ,); do
        left_out "$isa" && continue
        [ -n "$tested" ] && [ "$isa" = "$own" ] && continue
        got=$(DNABIRD_ISA=$isa "$usual/tools/dnabird" --version |
            sed -n 's/^kernels: \([a-z0-9]*\), of .*/\1/p')
        if [ "$got" = "$isa" ]; then
            DNABIRD_ISA=$isa tests "$usual" "dnabird $isa"
        else
            line FAILED "dnabird $isa" "not taken: it runs '$got'"
            failed=$((failed + 1))
        fi
    done
}

# onednn NAME FLAG...: at most this set; below it the processor decides
onednn() {
    local name=$1
    shift
    left_out "$name" && return
    runs "$@" && DNNL_MAX_CPU_ISA=$name tests "$usual" "oneDNN $name"
}

for dir in "$usual" "$plain"; do
    if [ ! -x "$dir/tools/dnabird" ]; then
        say "$dir/tools/dnabird is not there: build it first"
        echo "0 passed, 1 failed"
        exit 1
    fi
done
if ! "$plain/tools/dnabird" --version | grep -qx 'oneDNN: none'; then
    say "$plain has oneDNN: configure it with -Donednn=disabled"
    echo "0 passed, 1 failed"
    exit 1
fi

native=$(core_of "$plain")
left_out plain || tests "$plain" "without oneDNN, ${native:-other BLAS}"
if [ -n "$native" ]; then
    case $(uname -m) in
    x86_64) cores_x86 ;;
    aarch64) cores_arm ;;
    esac
fi
isas
if "$usual/tools/dnabird" --version | grep -qE '^oneDNN: [0-9]'; then
    onednn SSE41 sse4_1
    onednn AVX2 avx2
    onednn AVX512_CORE avx512f avx512bw avx512vl avx512dq
fi

sum="$passed passed, $failed failed"
[ "$skipped" = 0 ] || sum+=", $skipped skipped"
echo "$sum"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
