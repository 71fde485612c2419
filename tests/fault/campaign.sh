#!/bin/bash
# Every command on small input with its n-th call failing, n from 1 until none is
# left: a line a command, call and error, appended to a TSV; what is in it
# already is passed over, so that a campaign may be stopped and gone on with.
# SPDX-License-Identifier: MIT
#
#   campaign.sh BUILD TSV [OPTIONS of fault_run ...]
#   PROGRAM=OTHER/tools/dnabird campaign.sh BUILD TSV ...
#   campaign.sh --sum TSV          sums by command and call, to standard output
#
# Findings go to standard output. -l SECONDS ends it in time, -k, -c and -e take
# a part, -s STEP takes every so-manieth call. A PROGRAM of a build with
# -Db_sanitize=address,undefined tells what is lost, too (LeakSanitizer), with
# -k malloc,write,fsync,rename,mkdir,ftruncate: it makes the other calls itself.
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
# in memory: fsync costs nothing there
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
