#!/bin/bash
# Every command under valgrind's memcheck: no error, and the bytes of a run
# without it. Valgrind 3.19 knows no AVX-512, so both take the sets of AVX2.
# SPDX-License-Identifier: MIT
#
#   memcheck.sh BUILD TSV [-l SECONDS] [-c COMMAND]
#   memcheck.sh --sum TSV           to standard output
#   memcheck.sh --tap DNABIRD       three of them, as TAP
#
# A row of the TSV: command, status, seconds, memcheck's errors, how it ended;
# rows that it has are skipped. There are no suppressions.
set -u
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
if [ "$1" = --sum ]; then
    echo '# tests/fault/memcheck.sh build memcheck.tsv; tests/fault/memcheck.sh --sum memcheck.tsv'
    printf 'command\tstatus\tseconds\terrors\tend\n'
    exec cat "$2"
fi
tap=0 until=0 only=''
if [ "$1" = --tap ]; then
    tap=1 dnabird=$(realpath "$2") tsv=/dev/null
    shift 2
else
    dnabird=$(realpath "$1/tools/dnabird")
    touch "$2"
    tsv=$(realpath "$2")
    shift 2
fi
while getopts l:c: option; do
    case $option in
    l) until=$((SECONDS + OPTARG)) ;;
    c) only=$OPTARG ;;
    *) exit 2 ;;
    esac
done
skip() {
    echo "1..0 # SKIP $1"
    exit 0
}
command -v valgrind >/dev/null || skip 'no valgrind'
grep -qw avx2 /proc/cpuinfo 2>/dev/null || skip 'no AVX2'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DNABIRD_DATA=${DNABIRD_DATA:-$here/../../data} LC_ALL=C \
    OMP_WAIT_POLICY=passive XDG_CACHE_HOME=cache HOME=/nonexistent \
    DNABIRD_ISA=avx2 OPENBLAS_CORETYPE=Haswell OMP_NUM_THREADS=1
(bash "$here/data.sh" "$dnabird" "$work" ${tap:+$([ $tap = 0 ] || echo small)}) \
    2>"$work/said" || { echo "Bail out! no data: $(tail -1 "$work/said")" && exit 1; }

# Files of a run, including standard output, except those that hold times.
run() { # folder, command ...
    local folder=$1 w
    shift
    rm -rf "${work:?}/$folder"
    mkdir "$work/$folder"
    cd "$work/$folder" || exit 1
    for w in $copies; do cp -r "$work/in/$w" .; done
    "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    mv "$work/out" "$work/$folder/standard_output"
    find . -type f -print0 | sort -z | xargs -0 sha256sum >"$work/$folder.sums"
    cd "$work" || exit 1
}

bad=0 n=0
while IFS='|' read -r name copies arguments _; do
    case $name in '' | '#'*) continue ;; esac
    case $name in version | info | bench) continue ;; esac # of the processor, and of time
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    [ $until = 0 ] || [ $SECONDS -lt $until ] || break
    [ $tap = 0 ] || case $name in
    promoter | 'variant --table' | 'promoter bgzip') ;;
    *) continue ;;
    esac
    grep -qF "$name	" "$tsv" && continue
    read -ra words <<<"$arguments"
    run native "$dnabird" "${words[@]}"
    sleep 0.01
    run again "$dnabird" "${words[@]}"
    start=$SECONDS
    run checked valgrind -q --error-exitcode=99 --log-file="$work/log" \
        "$dnabird" "${words[@]}"
    # files that two runs without it write otherwise say when they were made
    sort native.sums again.sums | uniq -u | cut -c 67- | sort -u >vague
    errors=$(grep -c ' at 0x' log) end=same
    if [ "$status" = 99 ] || [ "$errors" != 0 ]; then
        end='memcheck errors'
        cut -c 1-200 log | head -40 | sed 's/^/# /'
    elif [ "$status" != 0 ]; then
        end="status $status"
        sed 's/^/# /' err
    elif ! sort native.sums checked.sums | uniq -u | cut -c 67- | sort -u |
        comm -23 - vague | cmp -s /dev/null -; then
        end='other bytes'
        sort native.sums checked.sums | uniq -u | sed 's/^/# /'
    fi
    [ "$end" = same ] || { bad=1 && [ $tap = 1 ] || echo "$name: $end"; }
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$status" $((SECONDS - start)) \
        "$errors" "$end" >>"$tsv"
    n=$((n + 1))
    [ $tap = 0 ] || echo "$([ "$end" = same ] || echo 'not ')ok $n - $name: $end"
done <"$here/commands"
[ $tap = 0 ] || echo "1..$n"
exit "$bad"
