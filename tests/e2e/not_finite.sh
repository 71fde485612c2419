#!/bin/bash
# NaN or infinity in each tensor of a model in turn: an affected answer gives
# one line of error, every other answer equals that of the intact model;
# training from it ends with one line. Prints TAP. SPDX-License-Identifier: MIT
#
#   not_finite.sh DNABIRD
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive
run() { "$dnabird" "$@" 2>>said; }

cp -r "$BIRD_TEST_DATA/data/model" whole
zstd -qd --rm whole/model.safetensors.zst 2>said ||
    skip_all "needs zstd"
printf '>a\nACGTTGCAACCGGATTACAGATTACATTGCAACCGTAGGCA\n>b\nGATTACAGATTACACCGT\n' >x.fa
sed -n 1,17p "$BIRD_TEST_DATA/data/train/prom_core_tata.test300.csv" >x.csv
cp -r whole m
answers() { # output and status of three commands
    run embed -q -m m x.fa -o m.npy && echo embed
    run promoter -q -t 1 -m m -O windows --window 18 --stride 9 x.fa | grep -v '^#'
    echo "promoter ${PIPESTATUS[0]}"
    run evaluate -q -m m --bootstrap 0 --test x.csv | grep -v '^#'
    echo "evaluate ${PIPESTATUS[0]}"
}
answers >whole.out
cp m.npy whole.npy
if [ "$(grep -c '^embed$\|^promoter 0\|^evaluate 0' whole.out)" != 3 ]; then
    echo 'Bail out! the whole model does not answer'
    sed 's/^/# /' said
    exit 1
fi

# NAME FIRST END of each tensor, in bytes of the file
head=$(od -An -tu8 -N8 whole/model.safetensors | tr -d ' ')
tail -c +9 whole/model.safetensors | head -c "$head" |
    grep -oE '"[^"]+":\{"dtype":"B?F(16|32)"[^}]*"data_offsets":\[[0-9]+,[0-9]+\]' |
    sed -E 's/^"([^"]+)".*\[([0-9]+),([0-9]+)\]$/\1 \2 \3/' >tensors
reached=0
tell() { # text of what is wrong, or nothing
    { [ -z "$1" ] || { echo "$1" && cat said; }; } | rule "$name: $kind"
}
while read -r name first end; do
    kind=NaN bytes='\000\000\300\177'
    [ $((n % 2)) = 0 ] || { kind=infinity && bytes='\000\000\200\377'; }
    cp whole/model.safetensors m/
    # shellcheck disable=SC2059 # the bytes are the format
    printf "$bytes" | dd of=m/model.safetensors bs=1 conv=notrunc status=none \
        seek=$((8 + head + first + (end - first) / 2 / 4 * 4))
    : >said
    rm -f m.npy
    answers >m.out
    refused=$(grep -c 'NaN or infinity' said)
    failed=$((3 - $(grep -c '^embed$\|^promoter 0\|^evaluate 0' m.out)))
    wrong=
    [ "$refused" = "$failed" ] || wrong="$failed commands failed, $refused said why"
    [ "$(wc -l <said)" = "$refused" ] || wrong='other lines'
    [ "$failed" = 0 ] || reached=$((reached + 1))
    if [ "$failed" = 0 ]; then
        cmp -s m.out whole.out && cmp -s m.npy whole.npy || wrong='other answers'
    fi
    ! grep -qi '[^a-z]nan\|[^a-z]inf[^o]' m.out || wrong='NaN in an answer'
    tell "$wrong"
done <tensors
# nearly every tensor is read by every answer
[ "$n" -gt 30 ] && [ "$reached" -gt $((n * 3 / 4)) ] || bad=1

name=finetune kind='a loss that is not a number'
: >said
run finetune -q -t 1 --init whole --train x.csv --valid x.csv --steps 20 --batch 8 \
    --lr 1e30 --warmup 0 -o f
status=$? wrong=
[ $status = 1 ] || wrong="status $status"
[ "$(grep -c 'not a number\|NaN' said)" = 1 ] && [ "$(wc -l <said)" = 1 ] ||
    wrong='not one line'
[ ! -e f/model.safetensors ] || wrong='a model was left'
tell "$wrong"
end_rules
