#!/bin/bash
# A part of the campaign that takes seconds: every thirteenth call of some commands
# fails, and every write of one; prints TAP. campaign.sh is the whole. SPDX-License-Identifier: MIT
#
#   fault.sh DNABIRD LIBRARY FAULT_RUN
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1") library=$(realpath "$2") fault_run=$(realpath "$3")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
# in memory: fsync costs nothing there
work=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$work"' EXIT
calls=write,fsync,rename,open,read,mkdir,mmap,stat,malloc
names=('tokenizer kmer' 'dataset promoters' 'promoter bgzip' 'variant --table' 'mutate bigwig')

bash "$here/data.sh" "$dnabird" "$work" small 2>"$work/said" || {
    echo "Bail out! no data: $(tail -1 "$work/said")"
    exit 1
}
"$fault_run" -k none "$library" "$dnabird" "$work" "$here/commands" \
    >"$work/said" 2>&1
if [ $? = 77 ]; then
    skip_all "$(tail -1 "$work/said")"
fi
for name in "${names[@]}"; do
    taken=(-k "$calls" -s 13)
    # libBigWig does not tell how its last writes went
    if [ "$name" = 'mutate bigwig' ]; then
        taken=(-k 'write,read')
        "$dnabird" --version | grep -q '^libBigWig: yes' || {
            skip "$name" 'a build with libBigWig'
            continue
        }
    fi
    "$fault_run" "${taken[@]}" -c "$name" "$library" "$dnabird" \
        "$work" "$here/commands" >"$work/said" 2>/dev/null
    status=$? calls_failed=$(sed -n 's/ faults, .*//p' "$work/said")
    if [ "$status" = 0 ] && [ "${calls_failed:-0}" -gt 5 ]; then
        passed "$name: $calls_failed calls failed"
    else
        failed "$name" <"$work/said"
    fi
done
end_rules
