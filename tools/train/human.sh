#!/bin/sh
# Train vocabularies and pretrain the small human encoder.
# SPDX-License-Identifier: MIT
#
#   tools/train/human.sh [-d DATA] [-o RUNS] [-s STEPS]
#
# Training sequence comes from data/split/train.bed only. validation.bed is evaluated
# during the run, test.bed once, at the end: windows of 1 kb on chr22 and chr20:0-5 Mb;
# of 4 kb on chr20:0-5 Mb, with the model after a few updates with rows of 2,048 tokens;
# of 1 kb again with RUNS/human/large, which starts as a copy with three times the
# features. Markov models are fitted on the same training sequence. RUNS/human keeps
# everything. Finished steps are not repeated; training continues from its checkpoint.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=900

take_options "$@"

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/human
mkdir -p "$run"

# A reference has some contigs of the split: the regions on them.
grep -P '^chr20\t' "$split/train.bed" >"$run/train20.bed"
for size in 32 4096 32000; do
    [ -s "$run/bpe$size.json" ] || run "$dnabird" tokenizer train -v $size \
        --strand both -R "$run/train20.bed" -o "$run/bpe$size.json" "$chr20"
done

# Bases per token on held-out sequence, tokens of A, C, G, T only.
[ -s "$run/tokens.tsv" ] || {
    printf 'vocabulary\tpart\ttokens\tbases\tbases_per_token\n'
    for size in 32 4096 32000; do
        for part in validation test_chr20; do
            "$dnabird" tokenize --tokenizer "$run/bpe$size.json" -O bed \
                -R "$split/$part.bed" "$chr20" |
                awk -v size=$size -v part=$part '
                    $4 !~ /[^ACGT]/ { n++; bases += $3 - $2 }
                    END { printf "%d\t%s\t%d\t%d\t%.4f\n",
                          size, part, n, bases, bases / n }'
        done
    done
} >"$run/tokens.tsv"

pretrain_small "$run" "$run/bpe32.json" 1000 "$steps" \
    --include "$split/train.bed" --valid-include "$split/validation.bed" \
    --test-include "$split/test.bed" "$chr20" "$chrx"

[ -d "$run/longer" ] || run "$dnabird" init --from "$run/model" \
    --positions 2048 "$run/longer"
[ -s "$run/long/dnabird.json" ] || logged "$run/long.log" "$dnabird" pretrain \
    --init "$run/longer" --include "$split/train.bed" \
    --valid-include "$split/validation.bed" \
    --test-include "$split/test.bed" --length 2048 --batch 8192 \
    --steps $((steps / 12)) --lr 3e-4 --seed 3 --resume -o "$run/long" \
    "$chr20" "$chrx"

# Three times the features: gives the small model's answers, and learns on.
[ -d "$run/triple" ] || run "$dnabird" init --from "$run/model" --widen 3 \
    "$run/triple"
[ -s "$run/large/dnabird.json" ] || logged "$run/large.log" \
    "$dnabird" pretrain \
    --init "$run/triple" --include "$split/train.bed" \
    --valid-include "$split/validation.bed" \
    --test-include "$split/test.bed" --length 512 --batch 4096 \
    --steps $((steps * 2 / 3)) --lr 5e-4 --warmup 0.05 --seed 3 \
    --checkpoint-every 50 --resume -o "$run/large" "$chr20" "$chrx"

# measure NAME MODEL CONTEXT REGIONS FASTA[,FASTA]
measure() {
    [ -s "$run/$1.tsv" ] || run "$dnabird" evaluate --mlm -m "$run/$2" \
        -f "$5" -R "$4" --train-ref "$chr20,$chrx" \
        --train-regions "$split/train.bed" --window "$3" --number 1500 \
        --by-contig --seed 1 -o "$run/$1.tsv"
}
measure test_1kb model 1000 "$split/test.bed" "$chr20,$chr22"
measure test_1kb_large large 1000 "$split/test.bed" "$chr20,$chr22"
measure test_chr20_4kb long 4000 "$split/test_chr20.bed" "$chr20"
