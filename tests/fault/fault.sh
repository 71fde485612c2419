#!/bin/bash
# A part of the campaign that takes seconds: every thirteenth call of some commands
# fails, and every write of one; prints TAP. campaign.sh is the whole. SPDX-License-Identifier: MIT
#
#   fault.sh DNABIRD LIBRARY FAULT_RUN
set -u
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
    echo "1..0 # SKIP $(tail -1 "$work/said")"
    exit 0
fi
echo "1..${#names[@]}"
bad=0
for i in "${!names[@]}"; do
    taken=(-k "$calls" -s 13)
    # libBigWig does not tell how its last writes went
    if [ "${names[i]}" = 'mutate bigwig' ]; then
        taken=(-k 'write,read')
        "$dnabird" --version | grep -q '^libBigWig: yes' || {
            echo "ok $((i + 1)) - ${names[i]} # SKIP no libBigWig in this build"
            continue
        }
    fi
    "$fault_run" "${taken[@]}" -c "${names[i]}" "$library" "$dnabird" \
        "$work" "$here/commands" >"$work/said" 2>/dev/null
    status=$? n=$(sed -n 's/ faults, .*//p' "$work/said")
    if [ "$status" = 0 ] && [ "${n:-0}" -gt 5 ]; then
        echo "ok $((i + 1)) - ${names[i]}: $n calls failed"
    else
        bad=1
        echo "not ok $((i + 1)) - ${names[i]}"
        cut -c 1-300 "$work/said" | sed 's/^/# /'
    fi
done
exit $bad
