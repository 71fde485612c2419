#!/bin/bash
# Includes: a module includes itself and the modules before it in src/meson.build,
# tools include public headers, and each outside library is used by one module;
# prints TAP.
# SPDX-License-Identifier: MIT
#
#   includes.sh SOURCE_ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
cd "$1" || exit 1

# The list in src/meson.build.
modules=$(sed -n "/^modules = \[/,/\]/p" src/meson.build |
    grep -o "'[a-z]*'" | tr -d "'" | tr '\n' ' ')
[ -n "$modules" ] || { echo "Bail out! no module list"; exit 1; }

# includes FOLDER...: "file:line:path" of includes written with quotes
includes() {
    grep -rnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$@" |
        sed -E 's/^([^:]*:[0-9]+):[^"]*"([^"]*)".*/\1:\2/'
}

# uses PATTERN FOLDER...: lines that include <PATTERN>
uses() {
    local pattern=$1
    shift
    grep -rnE --include='*.[ch]' "^[[:space:]]*#[[:space:]]*include[[:space:]]*<($pattern)" "$@"
}

includes src include tools tests | grep '"*\.\./' |
    rule "no include climbs out of its folder"

for folder in src/*/; do
    m=$(basename "$folder")
    case " $modules " in
    *" $m "*) ;;
    *) echo "$folder is not in the list of src/meson.build" ;;
    esac
done | rule "every folder of src is a module of the list"

before=dnabird
for m in $modules; do
    before+="|$m"
    includes "src/$m" | grep -vE ":[0-9]+:($before)/" |
        rule "$m includes itself, what is before it, and the public headers"
done

includes src tools | grep ':session/model_parts.h$' | grep -v '^src/session/' |
    rule "the model object is opaque outside src/session"

includes include | grep -vE ':[0-9]+:dnabird/' |
    rule "public headers include public headers"
uses 'htslib|cblas|oneapi|dnnl|omp\.h|jansson|zstd|zip\.h|openssl|bigWig|mpi' include |
    rule "public headers show no other library"

# Benchmarks measure functions that no public header declares: a matrix product,
# one layer, attention alone, a training step. No other file includes them.
includes tools | while IFS= read -r line; do
    path=${line##*:}
    [[ $path == dnabird/* ]] || [ -f "tools/$path" ] ||
        [[ $line == tools/bench/* &&
            $path =~ ^(base|kernel|model|head|folder|train)/ ]] || echo "$line"
done | rule "tools include public headers and their own, tools/bench the maths too"
includes tools src tests | grep ':bench/' |
    grep -vE '^(tools/bench|tests/unit)/' | rule "nothing includes tools/bench"
uses 'htslib|cblas|omp\.h' tools | rule "tools use no library of the core"

uses 'htslib/' src | grep -vE '^src/((seq|track)/|base/map\.c:)' |
    rule "htslib is for seq, track and base/map (its khash)"
uses 'cblas\.h|openblas' src | grep -v '^src/kernel/' |
    rule "BLAS is for kernel"
uses 'oneapi/|dnnl' src tools tests |
    grep -v '^src/kernel/gemm_onednn\.c:' | rule "oneDNN is for kernel/gemm_onednn"
{
    uses 'omp\.h' src
    grep -rnE --include='*.[ch]' '#pragma omp (parallel|for|task)' src
} | grep -vE '^src/base/parallel\.c:' | rule "threads are for base/parallel"
uses 'mpi\.h' src tools tests |
    grep -v '^src/train/comm_mpi\.c:' | rule "MPI is for train/comm_mpi"
uses 'zip\.h' src | grep -v '^src/folder/torch\.c:' |
    rule "libzip is for folder/torch"
uses 'bigWig' src | grep -v '^src/track/' | rule "libBigWig is for track"
uses 'matio\.h|hdf5\.h' src tools | grep -v '^src/lab/mat_in\.c:' |
    rule "libmatio and HDF5 are for lab/mat_in"
uses 'openssl/' src | grep -v '^src/base/' | rule "OpenSSL is for base"

end_rules
