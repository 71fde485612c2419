#!/bin/bash
# A run that fails or is stopped by a signal leaves either nothing or a partial
# file from which --resume continues; prints TAP. SPDX-License-Identifier: MIT
#
#   interrupted.sh DNABIRD SOURCE-ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1") root=$(realpath "$2")
data=$root/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive

# A model that is slow enough for the signal to come within 12 records, which
# are fewer than a block; where every access is checked, the smallest preset is.
preset=small
[ -z "${BIRD_TEST_SHORT-}" ] || preset=tiny
"$dnabird" init --preset $preset --window 600 --labels TF:a,TF:b \
    --tokenizer "$root/tests/golden/t_bpe_tiny/tokenizer.json" m
cp "$data"/genome/chr20_demo.fa.gz* .
gzip -dc "$data/variants/chr20_demo.vcf.gz" | grep '^#' >v.vcf
gzip -dc "$data/variants/chr20_demo.vcf.gz" | grep -v '^#' | head -12 >>v.vcf
variant() { # replaces the process
    interruptible "$dnabird" variant -t 1 -m m -f chr20_demo.fa.gz --shifts 0 v.vcf \
        "$@" 2>said
}
(variant -o want.tsv)

for s in "TERM 143" "INT 130"; do
    read -r name status <<<"$s"
    variant -o o.tsv & pid=$!
    wait_for_mark $pid o.tsv
    kill "-$name" $pid
    wait $pid 2>/dev/null
    equal "$name after the first record leaves a partial file and its mark" \
        "$status o.tsv.partial o.tsv.partial.json" "$? $(ls o.tsv* | xargs)"
    equal "$name: a line says what is kept and how to continue" 1 "$(
        grep -c 'o.tsv.partial keeps what is done; .* --resume to continue' said)"
    (variant -o o.tsv --resume)
    equal "$name: --resume continues from the mark" 1 \
        "$(grep -c 'continued after .* of the interrupted run' said)"
    equal "$name: the resumed run writes the same records" "" "$(cmp <(cut -f 1-8 want.tsv) \
        <(cut -f 1-8 o.tsv) 2>&1)"
    rm -f o.tsv*
done

# A signal as soon as the partial file exists.
for i in 1 2; do
    variant -o o.tsv & pid=$!
    wait_for $pid o.tsv.partial
    kill -TERM $pid
    wait $pid 2>/dev/null
    equal "stopped at once ($i): a partial file has a mark" "" "$(
        [ ! -e o.tsv.partial ] || [ -s o.tsv.partial.json ] || ls -s o.tsv*)"
    rm -f o.tsv*
done

# While a run waits for input, the first signal only asks it to stop; the second
# ends it. Two signals that arrive together would count as one.
"$dnabird" init --window 600 --labels TF:a,TF:b \
    --tokenizer "$root/tests/golden/t_bpe_tiny/tokenizer.json" t
fasta=$(printf '>a\n%s\n>b\n' "$(head -c 2000 /dev/zero | tr '\0' A)")
mkfifo pipe
for command in "promoter -m $root/tests/data/model -o o.bed" \
    "chromatin -m t --bin 200 --context 600 -O bedgraph -o o.d"; do
    read -r -a words <<<"$command"
    interruptible "$dnabird" "${words[@]}" - <pipe 2>said & pid=$!
    exec 3>pipe
    echo "$fasta" >&3
    wait_for $pid 'o.*tmp*' 'o.d/*tmp*'
    kill -INT $pid
    wait_until $pid has_received $pid INT
    kill -INT $pid
    wait $pid 2>/dev/null
    status=$?
    exec 3>&-
    equal "${words[0]}: a second signal stops a run that waits for input" \
        "130 " "$status $(ls -d o.* 2>/dev/null)"
    rm -rf o.*
done

# A run that fails removes a folder that it made.
printf '>a\nACGTACGT\n>b\nAC\001GT\n' >bad.fa
"$dnabird" chromatin -m t --bin 200 --context 600 -O bedgraph -o o.d bad.fa 2>said
equal "chromatin: a bad record leaves no folder" "1 " "$? $(ls -d o.* 2>/dev/null)"
printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
(ulimit -f 0; "$dnabird" finetune -t 1 --train x.csv --valid x.csv \
    --init "$root/tests/data/model" --steps 2 --batch 2 --no-baselines \
    -o o.run 2>/dev/null)
equal "finetune: a full disk leaves no folder" "1 " \
    "$? $(ls -d o.* 2>/dev/null)"
mkdir o.run
(ulimit -f 0; "$dnabird" finetune -t 1 --train x.csv --valid x.csv \
    --init "$root/tests/data/model" --steps 2 --batch 2 --no-baselines \
    -o o.run 2>/dev/null)
equal "finetune: a folder that existed before stays" "1 o.run" \
    "$? $(ls -d o.*)"

end_rules
