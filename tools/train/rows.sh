#!/bin/sh
# Masked bases in rows of 512 and of 4,096 tokens: does a long context help?
# SPDX-License-Identifier: MIT
#
#   tools/train/rows.sh [-d DATA] [-o RUNS] [-s STEPS] [WHAT ...]
#
# Table 5 of Zaheer et al. 2020 on DNA. WHAT: control, human, validation or test; default:
# all but test. The models have BigBird attention, 4 layers of 8 heads, 128 features,
# blocks of 64, and a stem that sees the neighbours; an update has 4,096 tokens. A block
# attends to 12 random ones, not 3: of 64 blocks each head sees 17, a quarter. With rows
# of 512 tokens BigBird attends to all of them. Both lengths begin with weights that can
# copy already: a model that learned rows of 512 of random bases in which pieces are copied
# from 96 to 400 bases earlier (STEPS / 5 updates).
#
# control: single bases. Pieces are copied from 600 to 3,000 bases earlier, so that few
# copies lie within a row of 512. 3 in 10 of STEPS [10,000] updates with rows of either
# length; allowed.tsv has the bits that counting allows (pieces.awk).
# human: words of a BPE vocabulary of 1,024 (4.4 bases each), STEPS updates on the
# train part of chr20 and chrX with rows of either length.
# validation, test: both human models on windows of 4,082 tokens (18 kb), read in rows of
# 512 or whole, with the same masked tokens. The test part is scored once.
#
# With STARTS, a folder that has base.near and word.near, the models that can copy are taken
# from there. PRECISION=bfloat16 trains in bfloat16, which takes .6 of the time on
# processors with AVX512-BF16.
#
# RUNS/rows has a folder for each model; rows.tsv the bits, and the differences between
# readings of the same tokens, with intervals over windows; training.tsv the bits of rows
# that validate; reach.tsv the share of the keys 512 tokens or more away that a head of any
# layer sees (data/figures/pretraining-rows*.tsv, with allowed.tsv). Stopped runs continue, finished
# steps are not repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=10000

take_options "$@"
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- control human validation

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/rows
mkdir -p "$run"

# pieces FILE LO HI SEED VALID: contigs of 8 Mb for training and of VALID bases
pieces() {
    [ -s "$run/$1.fa" ] || {
        awk -v n=8000000 -v x="$4" -v name=train -v lo="$2" -v hi="$3" \
            -f "$here/tools/train/pieces.awk"
        awk -v n="$5" -v x=$(($4 + 1)) -v name=valid -v lo="$2" -v hi="$3" \
            -f "$here/tools/train/pieces.awk"
    } >"$run/$1.fa"
}

# start TOKENIZER STEM: random weights, RUN/TOKENIZER.start
start() {
    [ ! -d "$run/$1.start" ] || return 0
    cat >"$run/config.json" <<END
{"model_type": "big_bird", "architectures": ["BigBirdForMaskedLM"],
 "hidden_size": 128, "num_hidden_layers": 4, "num_attention_heads": 8,
 "intermediate_size": 256, "max_position_embeddings": 4096, "block_size": 64,
 "num_random_blocks": 12, "attention_probs_dropout_prob": 0,
 "hidden_dropout_prob": 0, "hidden_act": "relu", "initializer_range": 0.1}
END
    run "$dnabird" init --config "$run/config.json" --tokenizer "$run/$1.json" \
        --stem "$2" --seed 1 --random-blocks uniform "$run/$1.start"
}

# learn NAME FROM LENGTH STEPS TRAIN VALID FASTA...: RUN/NAME, from RUN/FROM
learn() {
    name=$1 from=$2 length=$3 updates=$4 train=$5 valid=$6
    shift 6
    [ -s "$run/$name/dnabird.json" ] || logged "$run/$name.log" \
        "$dnabird" pretrain -t 1 --init "$run/$from" --include "$train" \
        --valid-include "$valid" --length "$length" --batch 4096 \
        --valid-tokens 65536 --validate-every $(((updates + 9) / 10)) \
        --steps "$updates" --optimizer muon --lr 2e-3 --warmup 0.05 --seed 1 \
        ${PRECISION:+--precision "$PRECISION"} --resume -o "$run/$name" "$@"
}

# near TOKENIZER STEM: RUN/TOKENIZER.near, a model that can copy
near() {
    if [ -n "${STARTS:-}" ]; then
        [ -d "$run/$1.near" ] || cp -R "$STARTS/$1.near" "$run"
        return
    fi
    pieces near 96 400 3 400000
    start "$1" "$2"
    learn "$1.near" "$1.start" 512 $((steps / 5)) train valid "$run/near.fa"
}

# score OUT MODEL ROW REGIONS WINDOWS FASTA: OUT.tsv, OUT.tokens; a ROW of 0 is a window
score() {
    [ -s "$run/$1.tsv" ] || run "$dnabird" evaluate --mlm -q -t 1 -m "$run/$2" \
        -f "$6" -R "$4" --length 4082 --row "$3" --number "$5" --seed 1 \
        --bootstrap 0 --predictions "$run/$1.tokens" -o "$run/$1.tsv"
}

# both PREFIX TRAIN VALID STEPS FROM FASTA...: rows of either length, from FROM
both() {
    prefix=$1 train=$2 valid=$3 updates=$4 from=$5
    shift 5
    for length in 512 4096; do
        learn "$prefix$length" "$from" "$length" "$updates" "$train" "$valid" "$@"
    done
}

# read_both PREFIX PART REGIONS WINDOWS FASTA: the model of short rows reads rows of 512;
# that of long rows reads rows of 512, and whole windows
read_both() {
    score "$2-${1}512" "${1}512" 512 "$3" "$4" "$5"
    score "$2-${1}4096-512" "${1}4096" 512 "$3" "$4" "$5"
    score "$2-${1}4096" "${1}4096" 0 "$3" "$4" "$5"
}

control() {
    pieces far 600 3000 1 800000
    [ -s "$run/base.json" ] || run "$dnabird" tokenizer kmer -k 1 -o "$run/base.json"
    near base 7x128:relu,9x128+:relu
    both base. train valid $((steps * 3 / 10)) base.near "$run/far.fa"
    read_both base. control valid 196 "$run/far.fa"
    {
        printf 'tokens\tbits\n'
        awk -v n=800000 -v x=2 -v lo=600 -v hi=3000 -v count=510,4080 \
            -f "$here/tools/train/pieces.awk"
    } >"$run/allowed.tsv"
}

human() {
    [ -s "$run/word.json" ] || run "$dnabird" tokenizer train -v 1024 \
        --strand both -r 20:20000000-30000000 -o "$run/word.json" "$chr20"
    near word 3x128:relu,3x128+:relu
    both word. "$split/train.bed" "$split/validation.bed" "$steps" word.near \
        "$chr20" "$chrx"
}

# reading PART OF NAME: bits of a base, and the difference from the model of short rows on
# the same tokens: all, and those in and outside of repeats (lower case)
reading() {
    [ ! -s "$run/$1-$2.tokens" ] || awk -F '\t' -v OFS='\t' -v part="$1" \
        -v name="$2" '
        function show(class,    w, k, n, bits, less, windows, v, u) {
            for (w in at) {
                k = w SUBSEP class
                if (!(k in bases))
                    continue
                windows++
                n += bases[k]
                bits += sum[k]
                less += gap[k]
            }
            if (windows < 2 || !n)
                return
            bits /= n
            less /= n
            for (w in at) {
                k = w SUBSEP class
                if (!(k in bases))
                    continue
                v += (sum[k] - bits * bases[k]) ^ 2
                u += (gap[k] - less * bases[k]) ^ 2
            }
            v = 1.96 * sqrt(v * windows / (windows - 1)) / n
            u = 1.96 * sqrt(u * windows / (windows - 1)) / n
            print part, name, class, bits, bits - v, bits + v, less, less - u,
                less + u, windows, n
        }
        function add(class,    k) {
            k = $column["chrom"] SUBSEP $column["window"]
            at[k]
            k = k SUBSEP class
            bases[k] += $column["end"] - $column["start"]
            sum[k] += $column["model"]
            gap[k] += $column["model"] - short[$column["chrom"], $column["start"]]
        }
        FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; file++; next }
        file == 1 { short[$column["chrom"], $column["start"]] = $column["model"]; next }
        { add("all"); if ($column["class"] != "all") add($column["class"]) }
        END { show("all"); show("repeat"); show("nonrepeat") }
        ' "$run/$1-${2%%.*}.512.tokens" "$run/$1-$2.tokens"
}

# training: bits of the rows that validate, by update, of every model
training() {
    printf 'model\tstep\tbits_per_base\ttokens_per_second\n'
    for name in base.near base.512 base.4096 word.near word.512 word.4096; do
        f=$run/$name/training.tsv
        [ ! -s "$f" ] || awk -F '\t' -v OFS='\t' -v name="$name" '
            NR > 1 && $8 != "NA" { print name, $1, $8, $11 }' "$f"
    done
}

# reach MODEL: the share of pairs of 4,096 tokens that are 512 or more apart in which a head
# of any layer sees the key
reach() {
    for layer in 0 1 2 3; do
        "$dnabird" pattern show -q -m "$run/$1" --length 4096 --layer $layer
    done | awk '
        /^[#.0-9]+$/ {
            query = n++ % 64
            for (key = 0; key < 64; key++)
                if (substr($0, key + 1, 1) != ".") seen[query, key]
        }
        END {
            print "tokens\tdistance\tshare"
            for (i = 0; i < 4096; i++)
                for (key = 0; key < 64; key++) { # of its 64 tokens, those 512 or more away
                    from = key * 64
                    to = from + 64
                    far = (i - 511 > from ? (i - 511 < to ? i - 511 : to) - from : 0) + \
                        (i + 512 < to ? to - (i + 512 > from ? i + 512 : from) : 0)
                    all += far
                    if ((int(i / 64), key) in seen) some += far
                }
            printf "4096\t512\t%.4f\n", some / all
        }'
}

for what; do
    case $what in
    control) control ;;
    human) human ;;
    validation | test)
        read_both word. "$what" "$split/$what.bed" 250 "$chr20"
        ;;
    *) die "no '$what'; there are: control human validation test" ;;
    esac
done
{
    printf 'part\tmodel\tclass\tbits\tlo\thi\tminus_512\tminus_lo\tminus_hi\twindows\tbases\n'
    for part in control validation test; do
        for name in base.512 base.4096-512 base.4096 word.512 word.4096-512 word.4096; do
            reading "$part" "$name"
        done
    done
} >"$run/rows.tmp"
mv "$run/rows.tmp" "$run/rows.tsv"
training >"$run/training.tsv"
[ ! -d "$run/word.near" ] || reach word.near >"$run/reach.tsv"
cat "$run/rows.tsv"
