#!/bin/bash
# The long campaigns of docs/reliability.md, one part after the other. Each continues an
# earlier run; if its script sums, the tables in data/figures are written anew from all
# rows in FOLDER. Findings are in the logs; the status is 1 if a part has any.
# SPDX-License-Identifier: MIT
#
#   tools/reliability.sh [-l SECONDS] [-o FOLDER] [PART ...]
#   tools/reliability.sh --list
#
#   -l   seconds for each part [600]
#   -o   builds, rows and logs [build-reliability]; starts with the rows of
#        data/reliability, to which new rows are added
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/setup.sh
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE DNABIRD_ISA
export OMP_WAIT_POLICY=passive BIRD_TEST_DATA=$PWD/tests

# PART|builds that it needs|description
parts='faults|release|calls of the system and allocations that fail
leaks|release asan|the same, allocations and writes, under LeakSanitizer
kills|release mpi|runs killed or asked to stop at random moments
together|release|several processes on one output, cache, index and model
threads||threads under ThreadSanitizer
fuzz|fuzz release|parsers on random input
models|release|damaged model folders
limits|release|commands under limits of the system
large|release|large input
numbers|release|random cases against formulas in double
memcheck|release|commands under valgrind
coverage||lines and branches that the tests reach
mutants||changed operators that the tests see
analysis|release|static analysis'

if [ "${1-}" = --list ]; then
    tr '|' '\t' <<<"$parts"
    exit
fi
seconds=600 out=build-reliability
while getopts l:o: option; do
    case $option in
    l) seconds=$OPTARG ;;
    o) out=$OPTARG ;;
    *)
        sed -n '/^#   tools/s/^# *//p' "$0" >&2
        exit 2
        ;;
    esac
done
shift $((OPTIND - 1))
mkdir -p "$out" || exit 1
out=$(realpath "$out")
figures=data/figures

# made KIND: build the folder and print it
made() {
    case $1 in
    release) build "$out/release" --buildtype=release ;;
    asan)
        build "$out/asan" -Db_sanitize=address,undefined -Db_lundef=false \
            --buildtype=debugoptimized -Dtests=disabled
        ;;
    mpi) build "$out/mpi" -Dmpi=enabled -Dtests=disabled --buildtype=release ;;
    fuzz)
        CC=clang build "$out/fuzz" -Dfuzz=true -Db_lundef=false \
            -Db_sanitize=address,undefined -Db_ndebug=false \
            -Ddefault_library=static
        ;;
    esac >&2
}

# campaign SCRIPT NAME BUILD [OPTION ...]: rows in NAME.tsv, sums in data/figures
campaign() {
    local script=$1 name=$2 build=$3 rows=data/reliability/$2.tsv
    shift 3
    [ -e "$out/$name.tsv" ] || [ ! -e "$rows" ] || cp "$rows" "$out/$name.tsv"
    bash "$script" "$build" "$out/$name.tsv" -l "$seconds" "$@"
    local status=$?
    [ ! -s "$out/$name.tsv" ] ||
        bash "$script" --sum "$out/$name.tsv" >"$figures/$name.tsv"
    [ ! -e "$rows" ] || cp "$out/$name.tsv" "$rows"
    return $status
}

run_part() {
    case $1 in
    faults) campaign tests/fault/campaign.sh faults "$out/release" ;;
    leaks)
        PROGRAM=$out/asan/tools/dnabird campaign tests/fault/campaign.sh leaks \
            "$out/release" -k malloc,write,fsync,rename,mkdir,ftruncate -s 5
        ;;
    kills) campaign tests/fault/kill.sh kills "$out/release" -m "$out/mpi" ;;
    together) campaign tests/fault/together.sh together "$out/release" ;;
    threads) bash tests/fault/threads.sh "$out/tsan" ;;
    fuzz)
        # 128 sequences in each run, without a fuzzer's cost
        campaign tests/fuzz/fuzz_campaign.sh fuzz "$out/fuzz" &&
            "$out/release/tests/fuzz/replay_bpe" --random 800000 "$RANDOM"
        ;;
    models) campaign tests/fault/models.sh models "$out/release" -n 100000 ;;
    limits) campaign tests/fault/limits.sh limits "$out/release" ;;
    large) bash tests/fault/large.sh "$out/release" "$out/large.tsv" -l "$seconds" ;;
    memcheck) campaign tests/fault/memcheck.sh memcheck "$out/release" ;;
    numbers)
        "$out/release/tests/kernel/random_cases" -n 1000000 -s "$RANDOM" \
            -l "$seconds" -t "$out/numbers.tsv"
        ;;
    coverage) tools/coverage.sh "$out/coverage" "$figures/coverage.tsv" ;;
    mutants) campaign tests/fault/mutants.sh mutants "$out/mutants" ;;
    analysis) tools/analyze.sh "$out/release" ;;
    *) return 2 ;;
    esac
}

[ $# -gt 0 ] || mapfile -t all < <(cut -d '|' -f 1 <<<"$parts")
[ $# -gt 0 ] || set -- "${all[@]}"
bad=0
for part in "$@"; do
    row=$(grep "^$part|" <<<"$parts") || {
        echo "tools/reliability.sh: no part '$part'; --list names them" >&2
        exit 2
    }
    IFS='|' read -r _ needs what <<<"$row"
    for kind in $needs; do
        made "$kind" || exit 1
    done
    echo "== $part: $what"
    if run_part "$part" >"$out/$part.log" 2>&1; then
        echo "   as it should be"
    else
        bad=1
        echo "   findings: $out/$part.log"
    fi
done
exit $bad
