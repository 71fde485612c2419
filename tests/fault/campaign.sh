#!/bin/bash
# Every command on small input with its n-th system call failing, for n from 1
# to the last: a line for each command, call and error is appended to a TSV.
# Lines that it has are skipped, so that a campaign can be stopped and resumed.
# SPDX-License-Identifier: MIT
#
#   campaign.sh BUILD TSV [OPTIONS of fault_run ...]
#   PROGRAM=OTHER/tools/dnabird campaign.sh BUILD TSV ...
#   campaign.sh --sum TSV          sums by command and call, to standard output
#
# Findings go to standard output. -l SECONDS limits the time, -k, -c and -e
# choose a part, -s STEP tests every STEP-th call. A PROGRAM of a build with
# -Db_sanitize=address,undefined also reports leaks, with -k
# malloc,write,fsync,rename,mkdir,ftruncate, since the sanitizer itself makes
# the other calls.
set -eu
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
if [ "$1" = --sum ]; then
    echo '# tests/fault/campaign.sh build faults.tsv; tests/fault/campaign.sh --sum faults.tsv'
    printf 'command\tcall\tfaults\trefused\tsame\tsilent\tlibrary\tdied\tcrash\tmute\tleft\twrong\tunheard\tgave_up\tafter\tleaked\n'
    awk -F '\t' -v OFS='\t' '
        { k = $1 OFS $2
          if (!(k in n)) order[++m] = k
          n[k] += $5
          for (i = 6; i <= 18; i++) v[k, i] += $i }
        END { for (j = 1; j <= m; j++) {
                  k = order[j]
                  if (!n[k]) continue
                  printf "%s\t%d", k, n[k]
                  for (i = 6; i <= 18; i++) printf "\t%d", v[k, i]
                  print "" } }' "$2"
    exit
fi
build=$(realpath "$1")
touch "$2"
tsv=$(realpath "$2")
shift 2
# in memory, where fsync is fast
work=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$work"' EXIT
export DNABIRD_DATA=${DNABIRD_DATA:-$here/../../data}
program=$(realpath "${PROGRAM:-$build/tools/dnabird}")
# The injector stands before the sanitizer's allocations; it tells itself who
# crashed where there is none.
[ -z "${PROGRAM-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:exitcode=99
bash "$here/data.sh" "$program" "$work" 2>/dev/null
"$build/tests/fault/fault_run" -t "$tsv" "$@" \
    "$build/tests/fault/libfault_inject.so" "$program" "$work" \
    "$here/commands"
