#!/bin/bash
# What dnabird 0.1.0 wrote (tests/data/v0.1.0) opens, scores and goes on; files
# of a later format are refused; prints TAP. SPDX-License-Identifier: MIT
#
#   upgrade.sh DNABIRD
set -u
. "$(dirname "${BASH_SOURCE[0]}")/training.sh"
cd "$work" || exit 1
v010_tests=$here
# shellcheck source-path=SCRIPTDIR source=../data/v0.1.0/make.sh
. "$here/data/v0.1.0/make.sh"
old=$here/data/v0.1.0
cp -r "$old"/{model,finetune,pretrain,tokens} .
cp "$old"/*.tsv* .
chmod -R u+w .
: >err

# near OLD NEW: the same tables, texts to the letter and numbers within 1e-4
# (above 1 of their size): other processors have other last bits. A column `e`
# counts which of 2,000 changes, some of them drawn up to ten times, differ
# more: a last bit may move it by 10 / 2,000. Lines that tell version and
# command are left out.
near() {
    paste -d '\n' <(grep -v '^# ' "$1") <(grep -v '^# ' "$2") | awk -F '\t' '
        function number(s) { return s ~ /^-?[0-9]/ && s !~ /[^-+.0-9e]/ }
        function far(a, b, i) {
            if (!number(a) || !number(b)) return a "" != b ""
            if (i == rank) return size(a - b) > 0.005
            return size(a - b) > 1e-4 * (size(a) > 1 ? size(a) : 1)
        }
        function size(x) { return x < 0 ? -x : x + 0 }
        NR == 1 { for (i = NF; i; i--) if ($i == "e") rank = i }
        NR % 2 { n = split($0, was); next }
        NF != n { print "another form: " $0; wrong = 1 }
        {
            for (i = 1; i <= n; i++)
                if (far(was[i], $i, i)) {
                    print "row " NR / 2 ", column " i ": " was[i] " was, is " $i
                    wrong = 1
                }
        }
        END { exit wrong || NR < 10 || NR % 2 }'
}

# went_on NAME OLD STEPS: the log begins as it did, times too, and gets to the end
went_on() {
    check "$1: the steps before are those of then" \
        cmp -n "$(stat -c %s "$old/$2/training.tsv")" \
        "$old/$2/training.tsv" "$2/training.tsv"
    check "$1: to step $3" test "$(tail -n 1 "$2/training.tsv" | cut -f 1)" = "$3"
    check "$1: a model that is whole" "$dnabird" info --verify "$2"
}

# losses A B FROM TO: these columns of two logs, within 1e-3
losses() {
    paste "$1/training.tsv" "$2/training.tsv" | awk -v from="$3" -v to="$4" '
        NR > 1 {
            for (i = from; i <= to; i++) {
                d = $i - $(i + NF / 2)
                if ((d < 0 ? -d : d) > 1e-3) { print; wrong = 1 }
            }
        }
        END { exit wrong || NR < 5 }'
}

# later FILE WAS IS: its version becomes another one, nothing else
later() {
    check "$1 has its version" grep -qaF -e "$2" "$1"
    sed -i "s/$2/$3/" "$1"
}

status "the model is whole" 0 - "$dnabird" info --verify model
status "and told of" 0 - "$dnabird" info model
check "its digest is that of the table" grep -q \
    "$(sed -n 's/^# model: model //p' variant.tsv)" out
check "it has probabilities" grep -q "^probability .*calibrated on 600 rows" out
check "and a background" grep -q "^background  *2000 variants" out
status "alleles" 0 - "${v010_variant[@]}" -o variant.new
# a background of another version is not used: e and z are columns 13 and 14
cut -f 1-12,15 variant.tsv >variant.old
check "have the scores of then" near variant.old variant.new
status "a notice says why" 0 "of an older version: no e-values" \
    "$dnabird" variant -m model -f "$v010_toy/toy.fa" "$v010_toy/kinds.vcf" \
    --check-ref warn -o noticed.vcf
status "windows" 0 - "${v010_windows[@]}" -o windows.new
check "have the probabilities of then" near windows.tsv windows.new
status "the table of windows is read" 0 - "$dnabird" evaluate scan -p toy.bed \
    --bootstrap 0 windows.tsv
mv out scan.tsv
status "as a new one" 0 - "$dnabird" evaluate scan -p toy.bed \
    --bootstrap 0 windows.new
mv out scan.new
check "with its figures" near scan.tsv scan.new
status "the table of rows is read" 0 - "$dnabird" evaluate -t 1 -m model \
    --test rows.tsv.gz --bootstrap 0 --predictions predictions.new
check "and predicted as then" near predictions.tsv predictions.new
status "rows are cut" 0 - "${v010_cut[@]}" -o rows.new.gz
check "as they were" cmp <(gzip -dc rows.tsv.gz | grep -v '^# ') \
    <(gzip -dc rows.new.gz | grep -v '^# ')

status "finetune goes on" 0 - "${v010_tuned[@]}" --resume -o finetune
went_on finetune finetune 90
status "a run from its start" 0 - "${v010_tuned[@]}" -o anew
check "has its losses, to 1e-3" losses anew finetune 3 4

cp -r pretrain sharded
status "pretrain goes on" 0 - "${v010_pretrain[@]}" --resume -o pretrain contig.fa
went_on pretrain pretrain 80
status "a run from its start" 0 - "${v010_pretrain[@]}" -o fresh contig.fa
check "has its losses, to 1e-3" losses fresh pretrain 2 4
status "it goes on from shards" 0 - "${v010_pretrain[@]}" --shards tokens \
    --resume -o sharded contig.fa
check "to the same bytes" cmp pretrain/model.safetensors \
    sharded/model.safetensors
status "shards are complete" 0 - "${v010_tokens[@]}" -o tokens contig.fa
check "and stay as they were" diff -r "$old/tokens" tokens
status "more are added" 0 - "${v010_tokens[@]}" --steps 120 -o tokens contig.fa
check "beside the whole one" cmp "$old/tokens/000000.tokens.zst" \
    tokens/000000.tokens.zst

# A later version's files.
later model/dnabird.json '"format_version": 1' '"format_version": 4'
for command in "info model" "promoter -m model contig.fa" "export model copy" \
    "variant -m model -f $v010_toy/toy.fa $v010_toy/kinds.vcf" \
    "pretrain --init model --steps 1 -o none contig.fa" \
    "finetune --init model --train $v010_rows -o none"; do
    read -r -a words <<<"$command"
    status "${words[0]}: a model of a later version" 1 \
        "model/dnabird.json: format_version 4" "$dnabird" "${words[@]}"
done
rm -rf model finetune pretrain tokens
cp -r "$old"/{model,finetune,pretrain,tokens} .
chmod -R u+w model finetune pretrain tokens
later model/calibration.safetensors 'dnabird calibration 1' \
    'dnabird calibration 2'
status "a calibration" 1 "model/calibration.safetensors" "${v010_windows[@]}"
# the first number of the floors' settings, of 8 bytes behind the header
f=model/baseline.safetensors
at=$(head -c 4096 $f | grep -ao '"settings":{[^}]*' |
    sed 's/.*offsets": *\[\([0-9]*\).*/\1/')
at=$((8 + $(head -c 8 $f | od -An -t u8) + at))
check "floors have their version" test "$(od -An -j $at -N 8 -t d8 $f)" -eq 1
printf '\4' | dd of=$f bs=1 seek=$at conv=notrunc 2>/dev/null
rm model/calibration.safetensors
status "floors" 1 "$f: version 4" "$dnabird" evaluate -t 1 -m model \
    --test rows.tsv.gz --bootstrap 0
for run in finetune pretrain; do
    later $run/checkpoint.safetensors 'dnabird checkpoint 1' \
        'dnabird checkpoint 2'
    cp -r $run kept
    if [ $run = finetune ]; then
        status "a checkpoint of finetune" 1 "'dnabird checkpoint 2'" \
            "${v010_tuned[@]}" --resume -o $run
    else
        status "a checkpoint of pretrain" 1 "'dnabird checkpoint 2'" \
            "${v010_pretrain[@]}" --resume -o $run contig.fa
    fi
    check "said in one line, with its name" test \
        "$(grep -c "^dnabird: $run/checkpoint.safetensors: " err)" = 1
    check "which stays as it was" diff -r kept $run
    rm -rf kept
done
later tokens/tokens.json '"version": 1' '"version": 2'
status "shards, to be read" 1 "tokens/tokens.json: version 2" \
    "${v010_pretrain[@]}" --shards tokens -o none contig.fa
status "shards, to be added to" 1 "tokens/tokens.json: version 2" \
    "${v010_tokens[@]}" -o tokens contig.fa
sed -i 's/"version": 2/"version": 1/' tokens/tokens.json
later tokens/000001.tokens.zst birdtok1 birdtok2
status "a file of shards" 1 "tokens/000001.tokens.zst" \
    "${v010_pretrain[@]}" --shards tokens -o none contig.fa

end_rules
