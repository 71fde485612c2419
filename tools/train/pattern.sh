#!/bin/sh
# Window, random and global blocks from random weights.
# SPDX-License-Identifier: MIT
#
#   tools/train/pattern.sh [-d DATA] [-o RUNS] [-s STEPS] [WHAT ...]
#
# WHAT: control, 512, long, 4096 or test; default: all but test. Table 1 of Zaheer et al.
# 2020 on DNA: five kinds of attention start with the same random weights after the same
# stem of convolutions, which sees the neighbours, and have the same rows, masks and number
# of updates of 4,096 tokens: STEPS (1,200) in rows of 512 tokens, with blocks of 16 (with
# 64 BigBird would be full attention there), 10/3 as many in long, and 5/12 as many in rows
# of 4,096, with blocks of 64; random blocks are drawn uniformly.
#
# 512, long and 4096: single bases of human windows of 4,096 bp in which copying can
# help: in 5 % or more of their positions the six bases to the left and the six to the
# right occur around another base of the window, too, the nearest of them 48 or more
# bases away. control: random bases in which pieces are copied from 96 to 400 bases
# earlier, rows of 512, 5/3 of the updates: only copying can be learned. test: the test
# part, once. Finished steps are not repeated. RUNS/pattern has a folder for each model;
# pattern.tsv, copies.tsv (masked bases by the distance of the nearest copy) and
# training.tsv have the metrics.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=1200
names='window random window_random bigbird full'

take_options "$@"
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- control 512 long 4096

find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/pattern
mkdir -p "$run"

[ -s "$run/base.json" ] || run "$dnabird" tokenizer kmer -k 1 -o "$run/base.json"

# pieces N SEED NAME: N random bases with pieces copied from 96 to 400 bases earlier
pieces() {
    awk -v n="$1" -v x="$2" -v name="$3" -v lo=96 -v hi=400 \
        -f "$here/tools/train/pieces.awk"
}

# tokens_of SET: tokens of a row
tokens_of() {
    case $1 in
    4096) echo 4096 ;;
    *) echo 512 ;;
    esac
}

# start LENGTH NAME: random weights, the same in all but the attention
start() {
    [ ! -d "$run/$1/$2.start" ] || return 0
    mkdir -p "$run/$1"
    block=16
    [ "$1" = 512 ] || block=64
    cat >"$run/$1/config.json" <<END
{"model_type": "big_bird", "architectures": ["BigBirdForMaskedLM"],
 "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 128, "max_position_embeddings": $1, "block_size": $block,
 "num_random_blocks": 3, "attention_probs_dropout_prob": 0,
 "hidden_dropout_prob": 0, "hidden_act": "relu", "initializer_range": 0.1}
END
    case $2 in
    random | window) set -- "$1" "$2" --random-blocks uniform --attention-parts "$2" ;;
    window_random) set -- "$1" "$2" --random-blocks uniform --attention-parts window,random ;;
    bigbird) set -- "$1" "$2" --random-blocks uniform ;;
    full) set -- "$1" "$2" --pattern full ;;
    esac
    length=$1 name=$2
    shift 2
    run "$dnabird" init --config "$run/$length/config.json" \
        --tokenizer "$run/base.json" --stem 7x64:relu,9x64+:relu --seed 1 \
        "$@" "$run/$length/$name.start"
}

# learn SET LENGTH NAME STEPS TRAIN VALID FASTA...
learn() {
    set=$1 length=$2 name=$3 updates=$4 train=$5 valid=$6
    shift 6
    start "$length" "$name"
    mkdir -p "$run/$set"
    [ -s "$run/$set/$name/dnabird.json" ] || logged "$run/$set/$name.log" \
        "$dnabird" pretrain -t 1 \
        --init "$run/$length/$name.start" --include "$train" \
        --valid-include "$valid" --length "$length" --batch 4096 \
        --valid-tokens 32768 --validate-every $(((updates + 7) / 8)) \
        --steps "$updates" --optimizer muon --lr 2e-3 --warmup 0.1 --seed 1 \
        --resume -o "$run/$set/$name" "$@"
}

# score OUT MODEL LENGTH WINDOWS REGIONS ARGUMENTS...: OUT.tsv, OUT.tokens
score() {
    out=$1 model=$2 length=$3 windows=$4 regions=$5
    shift 5
    [ -s "$out.tsv" ] || run "$dnabird" evaluate --mlm -q -t 1 -m "$model" \
        -R "$regions" --length "$length" --number "$windows" --seed 1 \
        --predictions "$out.tokens" -o "$out.tsv" "$@"
}

# markov NAME: baselines for one model of each length, on the same masked bases
markov() {
    [ "$1" != window ] ||
        echo "--train-ref $chr20,$chrx --train-regions $run/train.bed --order 3,6,9,12"
}

# human SET LENGTH UPDATES: train and score all
human() {
    group=$1 tokens=$2 budget=$3
    copied train "$chr20" "$chrx"
    copied validation "$chr20"
    for name in $names; do
        learn "$group" "$tokens" "$name" "$budget" "$run/train.bed" \
            "$run/validation.bed" "$chr20" "$chrx"
        # shellcheck disable=SC2046 # words wanted
        score "$run/$group/$name" "$run/$group/$name" "$tokens" \
            $((819200 / tokens)) "$run/validation.bed" -f "$chr20" \
            $(markov "$name")
    done
}

control() {
    mkdir -p "$run/control"
    fasta=$run/control/pieces.fa
    [ -s "$fasta" ] || {
        pieces 4000000 1 train
        pieces 400000 2 valid
    } >"$fasta"
    for name in $names; do
        learn control 512 "$name" $((steps * 5 / 3)) train valid "$fasta"
        score "$run/control/$name" "$run/control/$name" 512 400 valid -f "$fasta"
    done
}

test_part() {
    copied test "$chr20"
    for group in 512 long 4096; do
        tokens=$(tokens_of "$group")
        for name in $names; do
            [ -s "$run/$group/$name/dnabird.json" ] || continue
            # shellcheck disable=SC2046 # words wanted
            score "$run/$group/test-$name" "$run/$group/$name" "$tokens" \
                $((819200 / tokens)) "$run/test.bed" -f "$chr20" $(markov "$name")
        done
    done
}

# figures PART PREFIX: evaluate's rows of all runs so far, after part, rows and keys
figures() {
    for set in control 512 long 4096; do
        for name in $names; do
            f=$run/$set/$2$name.tsv
            [ ! -s "$f" ] || awk -F '\t' -v OFS='\t' -v part="$1" -v set="$set" \
                -v name="$name" '
                /^#/ || $1 == "set" || $2 != "all" || $3 == "uniform" { next }
                $4 !~ /token|length/ {
                    print part, set, name, $3, $4, $5, $6, $7, $8, $10
                }' "$f"
        done
    done
}

# copies PART PREFIX: bits of a masked base by the distance of the nearest copy in its
# row, and the difference from the window's model (above 0: worse), with intervals from
# the standard error over windows (1.96 of it).
copies() {
    for set in 512 long 4096; do
        for name in $names; do
            of=$run/$set/$2window.tokens f=$run/$set/$2$name.tokens
            [ -s "$f" ] || continue
            [ -s "$of" ] || continue
            awk -F '\t' -v OFS='\t' -v part="$1" -v set="$set" \
                -v name="$name" -v tokens="$(tokens_of "$set")" '
                function show(class, e, a, r, v, u, m, w, k) {
                    for (w in windows) {
                        k = w SUBSEP class
                        m += (k in n)
                        e += n[k]
                        a += bits[k]
                        r += less[k]
                    }
                    if (m < 10)
                        return
                    a /= e
                    r /= e
                    for (w in windows) {
                        k = w SUBSEP class
                        v += (bits[k] - a * n[k]) ^ 2
                        u += (less[k] - r * n[k]) ^ 2
                    }
                    v = 1.96 * sqrt(v * m / (m - 1)) / e
                    u = 1.96 * sqrt(u * m / (m - 1)) / e
                    print part, set, name, class, a, a - v, a + v, r, r - u, r + u, m, e
                }
                function add(class, k) {
                    windows[$4]
                    k = $4 SUBSEP class
                    n[k]++
                    bits[k] += $7
                    less[k] += $7 - base[$2]
                }
                file == 1 { copy[$2] = $3 }
                file == 1 || $1 == "chrom" { next }
                file == 2 { base[$2] = $7; next }
                $2 in base {
                    add("all")
                    if (!($2 in copy) || copy[$2] < $4 || copy[$2] >= $4 + tokens - 2) {
                        add("none")
                        next
                    }
                    d = copy[$2] - $2
                    d = d < 0 ? -d : d
                    add(d < 48 ? "1-47" : d < 512 ? "48-511" : "512-4095")
                }
                END {
                    show("all")
                    show("none")
                    show("1-47")
                    show("48-511")
                    show("512-4095")
                }' file=1 "$run/$1.copies" file=2 "$of" file=3 "$f"
        done
    done
}

# training: updates, seconds and bits of the validation rows of every model
training() {
    printf 'rows\tkeys\tstep\tbits_per_base\tseconds\ttokens_per_second\n'
    for set in control 512 long 4096; do
        for name in $names; do
            f=$run/$set/$name/training.tsv
            [ ! -s "$f" ] || awk -F '\t' -v OFS='\t' -v set="$set" -v name="$name" '
                NR > 1 && $8 != "NA" { print set, name, $1, $8, $10, $11 }' "$f"
        done
    done
}

for what; do
    case $what in
    control) control ;;
    512) human 512 512 "$steps" ;;
    long) human long 512 $((steps * 10 / 3)) ;;
    4096) human 4096 4096 $((steps * 5 / 12)) ;;
    test) test_part ;;
    *) die "no '$what'; there are: control 512 long 4096 test" ;;
    esac
done
{
    printf 'part\trows\tkeys\tpredictor\tmetric\tvalue\tlo\thi\twindows\tbases\n'
    figures validation ''
    figures test test-
} >"$run/pattern.tsv"
training >"$run/training.tsv"
[ -s "$run/validation.copies" ] || exit 0
{
    printf 'part\trows\tkeys\tcopy\tbits\tlo\thi\tminus_window\tminus_lo\tminus_hi\twindows\tbases\n'
    copies validation ''
    [ ! -s "$run/test.copies" ] || copies test test-
} >"$run/copies.tsv"
