#!/bin/bash
# Make the files of this folder anew; tests/e2e/upgrade.sh takes the commands
# from here. SPDX-License-Identifier: MIT
#
#   make.sh DNABIRD NEW-FOLDER
set -u
v010_tests=${v010_tests:-$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")}
dnabird=${dnabird:-$(realpath "${1:-dnabird}")}
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    set -e
    [ $# = 2 ] || { sed -n '5s/^# *//p' "$0" >&2; exit 2; }
    export OMP_WAIT_POLICY=passive LC_ALL=C
    mkdir "$2"
    cd "$2"
    # commands are kept in some files: without the path of a machine
    v010_tests=$(realpath --relative-to=. "$v010_tests")
fi

# Inputs beside those of tests/data: a network of two layers of 16 that attends
# sparsely from 29 tokens on; real sequence (rows' letters joined); places in it.
cat >network.json <<'NETWORK'
{"architectures": ["BigBirdForMaskedLM"], "model_type": "big_bird",
 "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 16, "max_position_embeddings": 64, "block_size": 4,
 "num_random_blocks": 1, "vocab_size": 96,
 "initializer_range": 0.1}
NETWORK
v010_rows=$v010_tests/data/train/prom_core_tata.train600.csv.gz
v010_toy=$v010_tests/data/variants
gzip -dc "$v010_rows" | awk -F , 'NR == 1 { print ">contig"; next }
    NR < 302 { print $1 }' >contig.fa
awk -v OFS='\t' 'BEGIN { for (i = 1; i <= 20; i++)
    print "contig", 1000 * i, 1000 * i + 1, "start" i, 0, i % 2 ? "+" : "-" }
    ' >starts.bed
printf 'chr1\t120\t121\ta\t0\t+\nchr1\t480\t481\tb\t0\t-\n' >toy.bed

# Arrays, so that a signal reaches the program itself. --steps, data and the
# other options make the identity of a run, which its checkpoint holds.
v010_start=(--config network.json
    --tokenizer "$v010_tests/golden/t_bpe_tiny/tokenizer.json")
v010_finetune=("$dnabird" finetune -q -t 1 --train "$v010_rows"
    "${v010_start[@]}" --batch 16 --valid-fraction 0.2 --strand both
    --window 70 --stride 35)
v010_model=("${v010_finetune[@]}" --steps 400 --lr 3e-3 --validate-every 100)
v010_tuned=("${v010_finetune[@]}" --steps 90 --lr 2e-3 --validate-every 15
    --average 0.9 --no-baselines --checkpoint-every 1)
# Rows drawn by pretrain and those of shards are the same where these are.
v010_drawn=(--steps 80 --length 64 --batch 128 --nsp --seed 3
    --valid-include "contig:1-2000")
v010_pretrain=("$dnabird" pretrain -q -t 1 "${v010_start[@]}"
    "${v010_drawn[@]}" --lr 2e-3 --pack-tokens 128 --valid-tokens 512
    --validate-every 20 --checkpoint-every 1)
v010_tokens=("$dnabird" dataset tokens -q -t 1 --tokenizer "${v010_start[3]}"
    "${v010_drawn[@]}" --file-rows 100)
v010_variant=("$dnabird" variant -q -t 1 -m model -f "$v010_toy/toy.fa"
    --check-ref warn -O tsv "$v010_toy/kinds.vcf")
v010_windows=("$dnabird" promoter -q -t 1 -m model -O windows --short score
    "$v010_toy/toy.fa")
v010_cut=("$dnabird" dataset promoters -q -f contig.fa -p starts.bed -w 80
    --anchor 60 --negatives random --ratio 2)
[ "${BASH_SOURCE[0]}" = "$0" ] || return 0

# stopped FOLDER STEP COMMAND...: ended by SIGTERM with a checkpoint, once the
# step is in its log
stopped() {
    local folder=$1 step=$2 pid status=0
    shift 2
    "$@" -o "$folder" & pid=$!
    until grep -qs "^$step	" "$folder/training.tsv" ||
        ! kill -0 "$pid" 2>/dev/null; do
        sleep 0.002
    done
    kill -TERM "$pid" || true
    wait "$pid" || status=$?
    [ "$status" = 3 ] || { echo "$folder: status $status, not 3" >&2; exit 1; }
}

"${v010_model[@]}" -o model
rm model/{checkpoint,best}.safetensors
"$dnabird" evaluate -q -t 1 --calibrate -m model --test "$v010_rows" \
    --bootstrap 0 -o calibrate.tsv
"$dnabird" variant background -q -t 1 -m model -f "$v010_toy/toy.fa" -n 2000
stopped finetune 15 "${v010_tuned[@]}"
stopped pretrain 20 "${v010_pretrain[@]}" contig.fa
"${v010_tokens[@]}" -o tokens contig.fa
"${v010_variant[@]}" -o variant.tsv
"${v010_windows[@]}" -o windows.tsv
"${v010_cut[@]}" -o rows.tsv.gz
"$dnabird" evaluate -q -t 1 -m model --test rows.tsv.gz --bootstrap 0 \
    --predictions predictions.tsv -o calibrate.tsv
rm calibrate.tsv network.json contig.fa* starts.bed toy.bed
