#!/bin/bash
# Every command that computes on several threads, under ThreadSanitizer; prints
# TAP. SPDX-License-Identifier: MIT
#
#   threads.sh BUILD [-t THREADS] [-k COMMAND]
#
# BUILD is made if it does not exist, by clang, whose OpenMP runtime reports
# synchronisation to the sanitizer through libarcher. Accesses within OpenBLAS,
# htslib and other libraries are ignored, since they are not built for it. The
# commands are those of tests/fault/commands with threads, and some on more
# input, so that each thread has work.
set -u
. "$(dirname "$0")/../support/tap.sh"
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
archer=
for library in /usr/lib/llvm-*/lib/libarcher.so; do
    [ ! -e "$library" ] || archer=$library
done
build=$1 threads=4 only=''
shift
while getopts t:k: option; do
    case $option in
    t) threads=$OPTARG ;;
    k) only=$OPTARG ;;
    *) exit 2 ;;
    esac
done
if [ -z "$archer" ] || ! command -v clang >/dev/null; then
    skip_all "no clang with libarcher (libomp-dev)"
fi
if [ ! -x "$build/tools/dnabird" ]; then
    if ! CC=${CC:-clang} meson setup "$build" "$here/../.." -Db_sanitize=thread \
        -Db_lundef=false --buildtype=debugoptimized >/dev/null ||
        ! ninja -C "$build" tools/dnabird >/dev/null; then
        echo "Bail out! no build"
        exit 1
    fi
fi
program=$(realpath "$build/tools/dnabird")
work=$(mktemp -d) sanitizer=${TSAN_OPTIONS-}
trap 'rm -rf "$work"' EXIT
export DNABIRD_DATA=${DNABIRD_DATA:-$here/../../data}
export OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1
export OMP_TOOL_LIBRARIES=$archer
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 history_size=5 $sanitizer"

# On more input; NAME|FILES|ARGUMENTS as in tests/fault/commands
more='long dataset tokens||dataset tokens -t 1 --tokenizer ../in/bpe.json --number 800 --file-rows 300 --length 64 -o tok ../in/repeats/x.fa
long tokenizer train||tokenizer train -v 60 -t 1 ../in/genome.fa -o t.json
long promoter||promoter -t 1 -m ../in/model -O windows ../in/genome.fa -o o.bed.gz -W
long variant||variant -t 1 -m ../in/model -f ../in/toy.fa ../in/kinds.vcf --check-ref warn -o o.vcf
long mutate||mutate -t 1 -m ../in/model -f ../in/toy.fa -r chr1:101-130 -o o.tsv
long evaluate||evaluate -t 1 -m ../in/model --bootstrap 200 --test ../in/rows.csv -o e.tsv --predictions p.tsv
long finetune||finetune -t 1 --train ../in/rows.csv --valid ../in/rows.csv --tokenizer ../in/bpe.json --preset tiny --steps 4 --batch 16 --pack-tokens 512 --average 0.9 --validate-every 2 -o m
long pretrain||pretrain -t 1 --init ../in/repeats/start --steps 4 --batch 2048 --length 64 --pack-tokens 256 --valid-include a:1-1000 --valid-tokens 512 --validate-every 2 --nsp -o run ../in/repeats/x.fa
long embed||embed -t 1 -m ../in/model -o x.npy --pooled ../in/many.fa'

TSAN_OPTIONS=report_bugs=0 bash "$here/data.sh" "$program" "$work" >"$work/said" 2>&1 || {
    echo "Bail out! no data: $(tail -n 1 "$work/said")"
    exit 1
}
zcat "$DNABIRD_DATA/genome/chr20_demo.fa.gz" | sed -n '1p;30001,30400p' \
    >"$work/in/genome.fa"
for _ in {1..40}; do cat "$work/in/few.fa"; done |
    awk '/^>/ { $0 = $0 NR } 1' >"$work/in/many.fa"
while IFS='|' read -ru 3 name files line _; do
    [[ $name != '#'* && $line == *'-t '* ]] || continue
    [ -z "$only" ] || [ "$name" = "$only" ] || continue
    rm -rf "$work/run"
    mkdir "$work/run"
    cd "$work/run" || exit 1
    for file in $files; do cp -r "../in/$file" .; done
    read -ra words <<<"${line//-t [0-9]/-t $threads}"
    "$program" "${words[@]}" >"$work/out" 2>"$work/said" </dev/null
    status=$?
    if [ "$status" = 0 ] && ! grep -q 'ThreadSanitizer' "$work/said"; then
        passed "$name"
    else
        grep -A 30 'ThreadSanitizer' "$work/said" |
            failed "$name (status $status)"
    fi
done 3< <(cat "$here/commands" - <<<"$more")
end_rules
