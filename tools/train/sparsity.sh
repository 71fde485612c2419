#!/bin/sh
# Perplexity by sparsity of the attention, for each pattern and form of the heads.
# SPDX-License-Identifier: MIT
#
#   tools/train/sparsity.sh [-d DATA] [-o RUNS] [-s STEPS] [WHAT ...]
#
# WHAT: models, seeds or test; default: models seeds. Figure 1a of Yun et al. 2020
# (arXiv:2006.04862) on DNA, with a masked-language model: STRIDED and FIXED in the forms
# union, multihead and sequential, with widths of 8, 16 and 32; STAR with widths of 2, 6
# and 14; RANDOM with sparsities of 88, 76 and 52 %; and full attention. All start with
# the same random weights (2 layers of 64, 4 heads) after the same stem of convolutions,
# which sees the neighbours, and have the same rows, masks and STEPS (400) updates of 4
# rows of 512 bases. Blocks have 8 tokens, so there are 64, and widths count blocks.
# Rows are windows in which copying can help, as of pattern.sh: `copied` in common.sh.
#
# models: all of them with seed 1. seeds: full attention and STRIDED union of width 16 with
# seeds 2 and 3, for the variation between seeds (of weights, rows and masks). test: the
# test part, once. Finished steps are not repeated. RUNS/sparsity has a folder for each
# model. sparsity.tsv has the perplexity, 2 to the power of the bits per masked base, of
# all models so far: on 16,384 tokens after half of the updates, and on 400 windows after
# all, with its interval over windows, and the bits minus those of full attention with the
# same seed on the same masked bases. The baselines are Markov models and the frequencies
# of the masked bases, the best that a constant prediction can do. pairs.tsv has the same
# difference of other pairs of models.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=400
take_options "$@"
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- models seeds

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/sparsity
mkdir -p "$run"

[ -s "$run/base.json" ] || run "$dnabird" tokenizer kmer -k 1 -o "$run/base.json"
cat >"$run/config.json" <<END
{"model_type": "big_bird", "architectures": ["BigBirdForMaskedLM"],
 "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
 "intermediate_size": 128, "max_position_embeddings": 512, "block_size": 8,
 "num_random_blocks": 3, "attention_probs_dropout_prob": 0,
 "hidden_dropout_prob": 0, "hidden_act": "relu", "initializer_range": 0.1}
END

# models: seed, pattern, form of the heads, width or sparsity; of all that WHAT trains
models() {
    echo 1 full - -
    for level in 2 1 3; do
        # shellcheck disable=SC2046 # words wanted
        set -- $(case $level in 1) echo 8 2 88 ;; 2) echo 16 6 76 ;; 3) echo 32 14 52 ;; esac)
        for pattern in strided fixed; do
            for heads in union multihead sequential; do
                echo 1 $pattern $heads "$1"
            done
        done
        echo 1 star - "$2"
        echo 1 random - "$3"
    done
}
seeds() {
    for seed in 2 3; do
        echo $seed full - -
        echo $seed strided union 16
    done
}

# name SEED PATTERN HEADS LEVEL: of a model's folder
name() { echo "$2.$3.$4.$1" | sed 's/\.-//g'; }

# learn SEED PATTERN HEADS LEVEL
learn() {
    at=$run/$(name "$@")
    case $2 in
    full) pattern=full ;;
    star) pattern=star,width=$4 ;;
    random) pattern=random,sparsity=$4,seed=$1 ;;
    *) pattern=$2,width=$4,heads=$3 ;;
    esac
    [ -d "$at.start" ] || run "$dnabird" init --config "$run/config.json" \
        --tokenizer "$run/base.json" --stem 7x64:relu,9x64+:relu --seed "$1" \
        --pattern "$pattern,block=8" "$at.start"
    [ -s "$at/dnabird.json" ] || logged "$at.log" "$dnabird" pretrain -t 1 \
        --init "$at.start" --include "$run/train.bed" \
        --valid-include "$run/validation.bed" --length 512 --batch 2048 \
        --valid-tokens 16384 --validate-every $(((steps + 1) / 2)) \
        --steps "$steps" --optimizer muon --lr 2e-3 --warmup 0.1 --seed "$1" \
        --resume -o "$at" "$chr20" "$chrx"
}

# score PART SEED PATTERN HEADS LEVEL: MODEL.PART.tsv, and the bits of every masked base,
# MODEL.PART.tokens; with Markov models for full attention with seed 1
score() {
    part=$1
    shift
    at=$run/$(name "$@")
    [ ! -s "$at.$part.tsv" ] || return 0
    markov=
    [ "$1$2" != 1full ] ||
        markov="--train-ref $chr20,$chrx --train-regions $run/train.bed --order 1,3,6,9,12"
    # shellcheck disable=SC2086 # words wanted
    run "$dnabird" evaluate --mlm -q -t 1 -m "$at" -R "$run/$part.bed" \
        --length 512 --number 400 --seed 1 --predictions "$at.$part.tokens" \
        -o "$at.$part.tsv" -f "$chr20" $markov
}

# sparsity MODEL: the share of pairs that are left out, in percent
sparsity() {
    { "$dnabird" pattern check -m "$1" --length 512 || :; } | awk '$1 == "sparsity" { print $2 }'
}

# row PART SEED PATTERN HEADS LEVEL: a line of sparsity.tsv
row() {
    part=$1
    shift
    at=$run/$(name "$@")
    [ -s "$at.$part.tsv" ] || return 0
    awk -F '\t' -v OFS='\t' -v head="$part $*" -v left="$(sparsity "$at")" \
        -v minus="$(minus "$at.$part.tokens" "$run/full.$1.$part.tokens")" '
        FNR == NR {
            if ($8 != "NA" && $8 != "valid_bits_per_base" && half == "")
                half = 2 ^ $8
            next
        }
        $1 == "all" && $2 == "all" && $3 == "model" && $4 == "bits_per_base" {
            gsub(/ /, OFS, head)
            print head, left, half, 2 ^ $5, 2 ^ $6, 2 ^ $7, minus
        }' "$at/training.tsv" "$at.$part.tsv"
}

# pairs PART: lines of pairs.tsv, of seed 1
pairs() {
    while read -r one other; do
        [ ! -s "$run/$one.1.$1.tsv" ] || [ ! -s "$run/$other.1.$1.tsv" ] ||
            printf '%s\t%s\t%s\t%s\n' "$1" "$one" "$other" \
                "$(minus "$run/$one.1.$1.tokens" "$run/$other.1.$1.tokens")"
    done <<END
star.2 strided.sequential.8
star.2 strided.multihead.8
star.6 strided.union.8
star.14 strided.union.32
strided.union.8 fixed.union.8
strided.union.16 fixed.union.16
strided.union.32 fixed.union.32
fixed.union.16 random.76
strided.multihead.16 strided.union.16
strided.sequential.16 strided.union.16
strided.multihead.32 strided.union.8
strided.sequential.32 strided.union.8
fixed.multihead.32 fixed.union.8
fixed.sequential.32 fixed.union.8
END
}

# baselines PART: lines of sparsity.tsv of what is no model
baselines() {
    [ -s "$run/full.1.$1.tsv" ] || return 0
    awk -F '\t' -v OFS='\t' -v part="$1" '
        FNR == NR && $1 == "all" && $2 == "all" && $4 == "bits_per_base" && $3 ~ /markov/ {
            print part, "-", $3, "-", "-", "-", "-", 2 ^ $5, 2 ^ $6, 2 ^ $7, "-", "-", "-", $8, $10
        }
        FNR == NR || $1 == "chrom" { next }
        {
            n[$6]++
            windows += !($4 in seen)
            seen[$4]
            all++
        }
        END {
            for (base in n)
                bits -= n[base] / all * log(n[base] / all) / log(2)
            print part, "-", "frequencies", "-", "-", "-", "-", 2 ^ bits, "-", "-", "-", "-", "-", windows, all
        }' "$run/full.1.$1.tsv" "$run/full.1.$1.tokens"
}

for what; do
    case $what in
    models | seeds)
        copied train "$chr20" "$chrx"
        copied validation "$chr20"
        $what | while read -r model; do
            # shellcheck disable=SC2086 # words wanted
            {
                learn $model </dev/null
                score validation $model </dev/null
            }
        done
        ;;
    test)
        copied test "$chr20"
        { models && seeds; } | while read -r model; do
            # shellcheck disable=SC2086 # words wanted
            score test $model </dev/null
        done
        ;;
    *) die "no '$what'; there are: models seeds test" ;;
    esac
done

{
    printf 'part\tseed\tpattern\theads\tlevel\tsparsity\thalf\tperplexity\tlo\thi\tminus_full\tminus_lo\tminus_hi\twindows\tbases\n'
    for part in validation test; do
        { models && seeds; } | while read -r model; do
            # shellcheck disable=SC2086 # words wanted
            row $part $model </dev/null
        done
        baselines $part
    done
} >"$run/sparsity.tsv"
{
    printf 'part\tone\tother\tminus\tlo\thi\twindows\tbases\n'
    pairs validation
    pairs test
} >"$run/pairs.tsv"
