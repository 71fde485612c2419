#!/bin/bash
# An unknown BLAS: the program warns once with its name, and the build refuses
# it; set-up still installs OpenBLAS. Also a kernel set that OpenBLAS does not
# use. Prints TAP. SPDX-License-Identifier: MIT
#
#   blas.sh PROGRAM SOURCE_ROOT SLOW_BLAS AS_FLEXIBLAS AS_BLIS AS_MKL
#       [COMPILER...]
#
# Without a compiler the build is not tested.
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1")
root=$(realpath "$2")
slow=$(realpath "$3") flexiblas=$(realpath "$4") blis=$(realpath "$5")
mkl=$(realpath "$6")
shift 6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export DNABIRD_DATA=$root/data

# check NAME WANT COMMAND...: the command prints WANT, with any status
check() { equal "$1" "$2" "$("${@:3}" 2>&1)"; }

# on LIBRARY COMMAND...: run with this BLAS preloaded
on() {
    local library=$1
    shift
    env LD_PRELOAD="$library" \
        ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" "$@"
}

slowly() { on "$work/link.so" "$@"; }

# verdict LIBRARY: its name in --version, and the number of warnings
verdict() {
    on "$1" "$dnabird" --version | sed -n 's/^BLAS: \(.*\), [^,]*$/\1/p'
    on "$1" "$dnabird" embed -m m -o x.npy --ids ids 2>&1 | grep -c 'GFLOP/s'
}

ln -s "$slow" link.so
"$dnabird" init m 2>/dev/null
seq 5 60 | tr '\n' ' ' >ids
echo 9 >>ids
seq 5 20 | tr '\n' ' ' >>ids

"$dnabird" --version >version
slowly "$dnabird" --version >version.slow
check "--version names the file that was loaded, links followed" 1 \
    grep -c "^BLAS: .*, $slow\$" version.slow
check "which is not the one that is loaded otherwise" 0 \
    grep -cF "$slow" version
check "the usual one is named by an absolute path to a file" yes bash -c '
    f=$(sed -n "s/^BLAS: .*, \(\/.*\)/\1/p" version)
    [ -f "$f" ] && [ ! -L "$f" ] && echo yes'

slowly "$dnabird" embed -m m -t 2 -o slow.npy --ids ids 2>err
check "it runs on it all the same" "0 yes" \
    bash -c 'echo $0 $([ -s slow.npy ] && echo yes)' $?
check "and says so once" 1 grep -c 'GFLOP/s' err
check "with its file and the rate" 1 \
    grep -cE "^dnabird: BLAS: .*$slow.* [0-9]+\.[0-9] GFLOP/s" err
cp "$root"/tests/data/variants/{toy.fa,kinds.vcf} .
slowly "$dnabird" variant -m "$root/tests/data/model" -t 2 -O tsv -f toy.fa \
    kinds.vcf >/dev/null 2>err
check "another command too, once for all its models" 1 grep -c 'GFLOP/s' err
slowly "$dnabird" tokenize --help >/dev/null 2>err
check "a command that multiplies nothing says nothing" 0 grep -c 'GFLOP/s' err
if grep -qE '^BLAS: (OpenBLAS|BLIS|MKL|FlexiBLAS)' version; then
    "$dnabird" embed -m m -o known.npy --ids ids 2>err
    check "nor is it said of a known one" 0 grep -c 'GFLOP/s' err
fi

# How known libraries are recognised; FlexiBLAS counts as its backend.
check "BLIS is known" $'BLIS 0.9.0\n0' verdict "$blis"
check "MKL is known" $'MKL: oneAPI of a test\n0' verdict "$mkl"
export FLEXIBLAS=OPENBLAS-OPENMP
check "FlexiBLAS is known with OpenBLAS behind it" \
    $'FlexiBLAS with OPENBLAS-OPENMP\n0' verdict "$flexiblas"
export FLEXIBLAS=NETLIB
check "and not with the reference BLAS" $'FlexiBLAS with NETLIB\n1' \
    verdict "$flexiblas"

# Set-up on a machine with every library but OpenBLAS, blas.pc included.
check "set-up wants OpenBLAS although there is another" \
    libopenblas-openmp-dev bash -c '
    . "$0/tools/setup.sh"
    pkg-config() { case $* in *openblas*) return 1 ;; esac; }
    missing "$needs_build" | grep -o "libopenblas[a-z-]*"' "$root"

# A build whose OpenBLAS always uses one kernel set.
if [ "$(uname -m)" = x86_64 ] && grep -q ' avx2 ' /proc/cpuinfo; then
    mkdir -p fixed/tools
    printf '%s\n' '#!/bin/sh' "echo 'dnabird 0'" \
        "echo 'BLAS: OpenBLAS 1 Haswell MAX_THREADS=2, /libopenblas.so'" \
        "echo 'oneDNN: none'" "echo 'kernels: base, of base'" \
        >fixed/tools/dnabird
    chmod +x fixed/tools/dnabird
    check "a kernel set that was not taken fails before any test" \
        "FAILED OpenBLAS Zen not taken: it runs 'Haswell'
0 passed, 1 failed
1" bash -c 'ONLY=Zen "$0/tools/kernel_sets.sh" "$1" "$1" | tr -s " "
        echo ${PIPESTATUS[0]}' "$root" "$work/fixed"
fi

# configure NAME OPTION...: configure a build where every BLAS name is the slow
# BLAS
configure() {
    local name=$1
    shift
    # meson's tests run with a path that has the slow one, too
    env -u LD_LIBRARY_PATH PKG_CONFIG_PATH="$work/pc" meson setup "$name" \
        "$root" -Dtests=disabled -Dtools=false "$@" >"$name.log" 2>&1
    echo $?
    grep -o 'ERROR:.*no fast BLAS' "$name.log" | sed 's/.*: //'
}

if [ $# -gt 0 ] && command -v meson >/dev/null; then
    export CC="$*"
    mkdir pc lib
    cp "$slow" lib
    file=$work/lib/$(basename "$slow") name=$(basename "$slow" .so)
    for p in openblas openblas-openmp flexiblas blis blis-mt cblas blas \
        mkl-dynamic-lp64-gomp mkl-dynamic-lp64-iomp mkl-sdl; do
        printf '%s\n' "libdir=$work/lib" "Name: $p" "Description: slow" \
            'Version: 1' "Libs: -L$work/lib -l${name#lib}" \
            "$(pkg-config --cflags openblas 2>/dev/null | sed 's/^/Cflags: /')" \
            >"pc/$p.pc"
    done
    check "the build refuses an unknown BLAS" $'1\nno fast BLAS' configure refused
    check "naming the file and the way out" yes bash -c '
        grep "ERROR:.*no fast BLAS" refused.log | grep -F "$0" |
            grep -q Dblas=any && echo yes' "$(realpath "$file")"
    check "a name is no proof" $'1\nno fast BLAS' \
        configure named -Dblas=openblas
    check "-Dblas=any takes it" 0 configure any -Dblas=any
fi

end_rules
