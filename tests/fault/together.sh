#!/bin/bash
# Several processes at once: on one output, on one index or cache, with a model
# that is replaced while it is read, eight scans on two cores. The result is one
# complete output of one of them; the other process reports one line.
# SPDX-License-Identifier: MIT
#
#   together.sh BUILD TSV [-l SECONDS] [-n REPEATS] [-k CASE]
#   together.sh BUILD --tap [-n REPEATS]
#   together.sh --sum TSV
#
# A line for each case is appended to the TSV: repeats, number of times that
# both succeeded, number that one was refused with a line, findings. Cases that
# it has are skipped.
set -u
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
cases='table_and_index table_without_index resumable tokenizer model_folder pretrain finetune tokens index cache model_exchanged model_rewritten scans'

sum() {
    echo '# tests/fault/together.sh build together.tsv; tests/fault/together.sh --sum together.tsv'
    printf 'case\trepeats\twell\trefused\tfindings\n'
    awk -F '\t' -v OFS='\t' '
        !($1 in n) { order[++m] = $1 }
        { n[$1] += $2; w[$1] += $3; r[$1] += $4; f[$1] += $5 }
        END { for (i = 1; i <= m; i++) { k = order[i]; print k, n[k], w[k], r[k], f[k] } }' "$1"
}

make_inputs() {
    bash "$here/data.sh" "$program" "$work" || return
    (
        cd "$work/in" || exit
        for i in 1 2 3 4 5 6; do sed "s/>/>$i/" toy.fa; done >many.fa
        bgzip -c many.fa >many.fa.gz
        rm -f many.fa.gz.* many.fa.fai
        # a second model with other answers
        "$program" finetune -q -t 1 --train rows.csv --valid rows.csv \
            --init model --window 70 --stride 30 --steps 2 --batch 8 --lr 1e-2 \
            --no-baselines -o other
        "$program" export -q model a
        "$program" export -q other b
    ) >/dev/null
}

# both A... -- B...: run both at once; statuses in `first` and `second`
both() {
    local one=() p q
    while [ "$1" != -- ]; do
        one+=("$1")
        shift
    done
    shift
    "$program" "${one[@]}" >out1 2>err1 & p=$!
    "$program" "$@" >out2 2>err2 & q=$!
    wait "$p"
    first=$?
    wait "$q"
    second=$?
}

finding() {
    findings=$((findings + 1))
    echo "$name, repeat $k: $*"
}

# A run that failed printed one line besides notes and warnings.
lines() {
    local i s=("$first" "$second")
    for i in 1 2; do
        [ "${s[i - 1]}" = 0 ] && continue
        refused=$((refused + 1))
        if [ "${s[i - 1]}" != 1 ] || ! tail -n 1 "err$i" | grep -q '^dnabird: '; then
            finding "status ${s[i - 1]}: $(tail -n 1 "err$i")"
        fi
    done
    [ "$first" != 0 ] || [ "$second" != 0 ] || well=$((well + 1))
    [ "$first" = 0 ] || [ "$second" = 0 ] || finding "both failed: $(tail -n 1 err1)"
}

# No temporary file stays.
swept() {
    local f
    f=$(find . -name '*.tmp[0-9]*' -o -name '*.partial*')
    [ -z "$f" ] || finding "left: $f"
}

# is_one FOLDER... -- FILE...: the files are those of one of the folders
is_one() {
    local folders=() folder f
    while [ "$1" != -- ]; do
        folders+=("$1")
        shift
    done
    shift
    for folder in "${folders[@]}"; do
        for f; do
            cmp -s "$folder/$f" "$f" || continue 2
        done
        return 0
    done
    finding "of neither run: $*"
}

# prepared NAME COMMAND...: run the command alone, once, for comparison
prepared() {
    local folder=$work/whole/$1
    shift
    [ -d "$folder" ] && return
    mkdir -p "$folder"
    (cd "$folder" && "$program" "$@" >/dev/null 2>&1)
}

table_and_index() {
    local a=(promoter -q -t 1 -m ../in/model -O windows ../in/many.fa -W -o o.bed.gz --no-version)
    local b=(promoter -q -t 1 -m ../in/model -O windows ../in/toy.fa -W -o o.bed.gz --no-version)
    prepared table_a "${a[@]}"
    prepared table_b "${b[@]}"
    both "${a[@]}" -- "${b[@]}"
    lines
    is_one "$work/whole/table_a" "$work/whole/table_b" -- o.bed.gz o.bed.gz.tbi
    swept
}

# one of the two makes no index: the index belongs to the file, or there is none
table_without_index() {
    local a=(promoter -q -t 1 -m ../in/model -O windows ../in/many.fa -o o.bed.gz --no-version)
    local b=(promoter -q -t 1 -m ../in/model -O windows ../in/toy.fa -W -o o.bed.gz --no-version)
    prepared table_c "${a[@]}"
    prepared table_b "${b[@]}"
    both "${a[@]}" -- "${b[@]}"
    lines
    if [ -e o.bed.gz.tbi ]; then
        is_one "$work/whole/table_b" -- o.bed.gz o.bed.gz.tbi
    else
        is_one "$work/whole/table_c" -- o.bed.gz
    fi
    swept
}

resumable() {
    local a=(variant -q -t 1 -m ../in/model -f ../in/toy.fa --shifts 0 ../in/few.vcf --no-version -W -o o.vcf.gz)
    local b=("${a[@]}" -w 60)
    prepared resumable_a "${a[@]}"
    prepared resumable_b "${b[@]}"
    both "${a[@]}" -- "${b[@]}"
    lines
    is_one "$work/whole/resumable_a" "$work/whole/resumable_b" -- o.vcf.gz o.vcf.gz.tbi
    swept
}

tokenizer() {
    local a=(tokenizer train -q -t 1 -v 40 ../in/toy.fa -o t.json)
    local b=(tokenizer train -q -t 1 -v 60 ../in/toy.fa -o t.json)
    prepared tokenizer_a "${a[@]}"
    prepared tokenizer_b "${b[@]}"
    both "${a[@]}" -- "${b[@]}"
    lines
    is_one "$work/whole/tokenizer_a" "$work/whole/tokenizer_b" -- t.json
    swept
}

model_folder() {
    local force=()
    # no folder, a model, an empty folder
    [ $((k % 3)) != 1 ] || force=(--force)
    [ $((k % 3)) != 2 ] || mkdir d
    prepared export_a export -q ../in/a d
    prepared export_b export -q ../in/b d
    [ ${#force[@]} = 0 ] || cp -r ../in/model d
    rm -f d/README.md
    both export -q "${force[@]}" ../in/a d -- export -q "${force[@]}" ../in/b d
    lines
    is_one "$work/whole/export_a" "$work/whole/export_b" -- d/config.json \
        d/model.safetensors d/tokenizer.json d/dnabird.json
    swept
}

# Two runs with different learning rates: all files of `run`, the log too, are
# of one
training() {
    both "$@" --lr 1e-3 -- "$@" --lr 1e-2
    lines
    is_one "$work/whole/${1}_a" "$work/whole/${1}_b" -- run/config.json \
        run/model.safetensors run/checkpoint.safetensors
    "$program" info --verify run >/dev/null 2>err3 ||
        finding "run: $(tail -n 1 err3)"
    cut -f 1-5 run/training.tsv >log
    cut -f 1-5 "$work/whole/${1}_a/run/training.tsv" | cmp -s - log ||
        cut -f 1-5 "$work/whole/${1}_b/run/training.tsv" | cmp -s - log ||
        finding "the log is of neither run"
    swept
}
pretrain() {
    local a=(pretrain -q -t 1 --init ../in/repeats/start --steps 4 --batch 128
        --length 64 --pack-tokens 128 --checkpoint-every 1 ../in/repeats/x.fa -o run)
    prepared pretrain_a "${a[@]}" --lr 1e-3
    prepared pretrain_b "${a[@]}" --lr 1e-2
    training "${a[@]}"
}
finetune() {
    local a=(finetune -q -t 1 --train ../in/rows.csv --valid ../in/rows.csv
        --tokenizer ../in/bpe.json --preset tiny --steps 4 --batch 8
        --validate-every 2 --checkpoint-every 1 --no-baselines -o run)
    prepared finetune_a "${a[@]}" --lr 1e-3
    prepared finetune_b "${a[@]}" --lr 1e-2
    training "${a[@]}"
}

tokens() {
    local a=(dataset tokens -q -t 1 --tokenizer ../in/bpe.json --number 200
        --file-rows 40 --length 64 -o run ../in/repeats/x.fa)
    local f files=()
    prepared tokens_a "${a[@]}" --seed 1
    prepared tokens_b "${a[@]}" --seed 2
    both "${a[@]}" --seed 1 -- "${a[@]}" --seed 2
    lines
    for f in "$work"/whole/tokens_a/run/*; do files+=("run/${f##*/}"); done
    is_one "$work/whole/tokens_a" "$work/whole/tokens_b" -- "${files[@]}"
    swept
}

scan=(promoter -q -t 1 -m ../in/model -O windows --no-version)

# crowd N COMMAND...: N at once, into o.1, o.2, ..., which must all equal `want`
crowd() {
    local i n=$1 pids=()
    shift
    for ((i = 1; i <= n; i++)); do
        "$program" "$@" -o "o.$i" >/dev/null 2>"err$i" &
        pids+=($!)
    done
    for ((i = 1; i <= n; i++)); do
        wait "${pids[i - 1]}" || finding "process $i: $(tail -n 1 "err$i")"
        cmp -s "$want" "o.$i" || finding "process $i has other bytes"
    done
    well=$((well + 1))
}

index() {
    cp ../in/many.fa.gz .
    want=$work/whole/region
    XDG_CACHE_HOME=$PWD/cache crowd 4 "${scan[@]}" -r 2chr1:1-400 many.fa.gz
    [ ! -e cache ] || finding "a second index in the cache"
    cmp -s many.fa.gz.fai "$work/whole/fai" || finding "many.fa.gz.fai is another"
    cmp -s many.fa.gz.gzi "$work/whole/gzi" || finding "many.fa.gz.gzi is another"
    swept
}

cache() {
    local f
    mkdir -p where cache
    cp ../in/many.fa.gz where
    want=$work/whole/region
    # a folder in which even root cannot make the index: no file takes the place of a folder
    mkdir where/many.fa.gz.gzi
    chmod a-w where
    XDG_CACHE_HOME=$PWD/cache crowd 4 "${scan[@]}" -r 2chr1:1-400 where/many.fa.gz
    chmod u+w where
    f=$(find . -name '*.fai')
    case $f in
    ./cache/*) cmp -s "$f" "$work/whole/fai" || finding "the index is another: $f" ;;
    *) finding "the index is not in the cache: $f" ;;
    esac
    swept
}

# While a model or its files are replaced: A's answer, B's, or a refusal.
replaced() {
    local i status
    cp -r ../in/a d
    : >go
    while [ -e go ]; do
        "$1" b
        "$1" a
    done &
    for ((i = 0; i < 6; i++)); do
        "$program" promoter -q -t 1 -m d -O windows ../in/many.fa -o o.tsv 2>err1
        status=$?
        if [ "$status" = 0 ]; then
            well=$((well + 1))
            grep -v '^# ' o.tsv >rows
            cmp -s rows "$work/whole/rows_a" || cmp -s rows "$work/whole/rows_b" ||
                finding "the answers are of neither model"
            # the output names the model that gave the rows
            grep '^# model' o.tsv | cmp -s - "$work/whole/model_$(
                cmp -s rows "$work/whole/rows_a" && echo a || echo b)" ||
                finding "the answers of one model under the name of another"
            rm -f o.tsv
        else
            refused=$((refused + 1))
            if [ "$status" != 1 ] || [ "$(grep -c '^dnabird: ' err1)" != 1 ]; then
                finding "status $status: $(tail -n 1 err1)"
            fi
            [ ! -e o.tsv ] || finding "refused, with an output"
        fi
    done
    rm go
    wait
}
exchange() { "$program" export -q --force "../in/$1" d 2>/dev/null; }
rewrite() {
    local f
    for f in ../in/"$1"/*; do cp "$f" "d/${f##*/}.new" && mv "d/${f##*/}.new" "d/${f##*/}"; done
}
model_exchanged() { replaced exchange; }
model_rewritten() { replaced rewrite; }

scans() {
    want=$work/whole/many
    crowd 8 "${scan[@]}" ../in/many.fa
}

# Results of single runs, for the cases above.
whole() {
    local m
    mkdir -p "$work/whole" "$work/run"
    ln -s ../in "$work/whole/in"
    cd "$work/run" || exit
    "$program" "${scan[@]}" ../in/many.fa -o "$work/whole/many" &&
        cp ../in/many.fa.gz . &&
        "$program" "${scan[@]}" -r 2chr1:1-400 many.fa.gz -o "$work/whole/region" &&
        cp many.fa.gz.fai "$work/whole/fai" && cp many.fa.gz.gzi "$work/whole/gzi" ||
        return
    for m in a b; do
        rm -rf d
        cp -r ../in/$m d
        "$program" promoter -q -t 1 -m d -O windows \
            ../in/many.fa -o o.tsv || return
        grep -v '^# ' o.tsv >"$work/whole/rows_$m"
        grep '^# model' o.tsv >"$work/whole/model_$m"
    done
    ! cmp -s "$work/whole/rows_a" "$work/whole/rows_b"
} 2>/dev/null

# repeat N: repeat the case `name`
repeat() {
    well=0 refused=0 findings=0
    for ((k = 1; k <= $1 && SECONDS < until; k++)); do
        rm -rf "$work/run"
        mkdir "$work/run"
        cd "$work/run" || exit
        "$name"
    done
}

[ $# -ge 2 ] || {
    sed -n '8,10s/^# *//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}
if [ "$1" = --sum ]; then
    sum "$2"
    exit
fi
program=$(realpath "$1")/tools/dnabird tsv=$2
shift 2
until=1000000 repeats=100 only='' bad=0 i=0
while getopts l:n:k: option; do
    case $option in
    l) until=$OPTARG ;;
    n) repeats=$OPTARG ;;
    k) only=$OPTARG ;;
    *) exit 2 ;;
    esac
done
declare -x DNABIRD_DATA=${DNABIRD_DATA:-$here/../../data} LC_ALL=C
declare -x OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ make_inputs && whole; } >"$work/said" 2>&1 || {
    echo "Bail out! no data: $(tail -n 1 "$work/said")"
    exit 1
}
if [ "$tsv" != --tap ]; then
    [ -e "$tsv" ] || : >"$tsv"
    tsv=$(realpath "$tsv")
fi
for name in $cases; do
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    if [ "$tsv" = --tap ]; then
        i=$((i + 1))
        repeat "$repeats" >"$work/said"
        [ "$findings" = 0 ] && echo "ok $i - $name" || echo "not ok $i - $name"
        sed 's/^/# /' "$work/said"
    else
        ! grep -q "^$name	" "$tsv" || continue
        repeat "$repeats"
        [ "$SECONDS" -lt "$until" ] || break
        printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$repeats" "$well" "$refused" "$findings" >>"$tsv"
    fi
    [ "$findings" = 0 ] || bad=1
done
[ "$tsv" != --tap ] || echo "1..$i"
exit $bad
