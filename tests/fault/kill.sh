#!/bin/bash
# Runs are killed, or asked to stop, at random times and resumed by the same
# command: they end with the bytes of an undisturbed run, and a file with its
# final name is always complete. SPDX-License-Identifier: MIT
#
#   kill.sh BUILD TSV [-l SECONDS] [-n KILLS] [-s SEED] [-k COMMAND] [-m MPI-BUILD]
#   kill.sh BUILD --tap [-n KILLS] [-s SEED]     a part of it; prints TAP
#   kill.sh --sum TSV                            sums by command and signal
#
# KILLS of every command (125), and a tenth as many of every other signal. Times
# are uniform over the time of the undisturbed run; a run may be stopped several
# times before it ends. A line for each batch is appended to the TSV, and
# batches that it has are skipped. Findings go to standard output, and the
# status is then 1. Commands of two processes use MPI-BUILD.
set -u
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
columns='command\tsignal\tseed\twhole_ms\tsent\tended\tsame\ttemporary\tpartial\tother\tstuck\tstatus'

# NAME|other signals|what is there before|command. Each takes from a part of a
# second to a few; marks of --resume come every two seconds.
rows='pretrain|TERM INT USR1||pretrain -t 1 --init ../in/repeats/start --steps 16 --batch 256 --length 64 --pack-tokens 128 --valid-include a:1-1000 --valid-tokens 64 --validate-every 5 --checkpoint-every 1 --resume -o run ../in/repeats/x.fa
pretrain, 2 processes|TERM INT USR1||mpirun pretrain -t 1 --init ../in/repeats/start --steps 10 --batch 256 --length 64 --pack-tokens 128 --valid-include a:1-1000 --valid-tokens 64 --validate-every 5 --checkpoint-every 1 --resume -o run ../in/repeats/x.fa
finetune|TERM INT USR1||finetune -t 1 --train ../in/rows.csv --valid ../in/rows.csv --tokenizer ../in/bpe.json --preset tiny --steps 12 --batch 8 --validate-every 5 --checkpoint-every 1 --average 0.9 --resume -o run
variant|TERM INT|variant|variant -t 1 -m ../in/model -f ../in/toy.fa --resume ../in/many.vcf.gz -W -o o.vcf.gz
mutate|TERM INT|mutate|mutate -t 1 -m ../in/model -f ../in/toy.fa -R ../in/many.bed --shifts 0,7 --resume -W -o o.tsv.gz
promoter|TERM INT|promoter|promoter -t 1 -m ../in/model -O windows ../in/many.fa -W -o o.bed.gz
dataset tokens|TERM INT||dataset tokens -t 1 --tokenizer ../in/bpe.json --number 800 --file-rows 40 --length 64 -o run ../in/repeats/x.fa
tokenizer train|TERM INT|tokenizer|tokenizer train -v 200 -t 1 ../in/genome.fa -o o.json
export|TERM INT|export|export --force --compress ../in/big run'

sum() {
    echo '# tests/fault/kill.sh build kills.tsv -m build-mpi; tests/fault/kill.sh --sum kills.tsv'
    printf "%b\n" "$columns" | cut -f 1-2,5-
    awk -F '\t' -v OFS='\t' '
        { k = $1 OFS $2
          if (!(k in seen)) { seen[k] = 1; order[++m] = k }
          for (i = 5; i <= NF; i++) v[k, i] += $i }
        END { for (j = 1; j <= m; j++) {
                  k = order[j]
                  printf "%s", k
                  for (i = 5; i <= 12; i++) printf "\t%d", v[k, i]
                  print "" } }' "$1"
}

usage() {
    sed -n '6,8s/^# *//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

# --- inputs ---------------------------------------------------------------

make_inputs() {
    bash "$here/data.sh" "$program" "$work" >/dev/null 2>&1 || return
    (
        cd "$work/in" || exit
        "$program" init -q --preset small --tokenizer bpe.json --labels 2 big &&
            zcat "$DNABIRD_DATA/genome/chr20_demo.fa.gz" | head -60000 >genome.fa
        printf 'chr1\t20\t220\n' >many.bed
        for i in 1 2 3 4 5 6; do sed "s/>/>$i/" toy.fa; done >many.fa
        # the SNVs of every fourth base that has a window around it
        (
            printf '##fileformat=VCFv4.2\n##contig=<ID=chr1,length=600>\n'
            printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
            awk '/^>/ { on = $1 == ">chr1"; next } on { s = s toupper($0) }
                END { for (i = 30; i < 570; i += 4) {
                    b = substr(s, i, 1)
                    if (b ~ /[ACGT]/)
                        for (k = 1; k <= 4; k++)
                            if (substr("ACGT", k, 1) != b)
                                printf "chr1\t%d\t.\t%s\t%s\t.\t.\t.\n",
                                    i, b, substr("ACGT", k, 1) } }' toy.fa
        ) | bgzip -c >many.vcf.gz
    ) 2>/dev/null
}

# What an earlier run of other input or options left where the output goes.
variant_before() {
    "$program" variant -q -t 1 -m ../in/model -f ../in/toy.fa --shifts 0 \
        ../in/few.vcf -W -o o.vcf.gz
}
mutate_before() {
    "$program" mutate -q -t 1 -m ../in/model -f ../in/toy.fa -R ../in/few.bed \
        --shifts 0 -W -o o.tsv.gz
}
promoter_before() {
    "$program" promoter -q -t 1 -m ../in/model -O windows ../in/toy.fa -W \
        -o o.bed.gz
}
tokenizer_before() { cp ../in/bpe.json o.json; }
export_before() {
    cp -r ../in/model run
    rm run/README.md # not replaced
}

# --- a run ----------------------------------------------------------------

draw() { # 0 to $1 - 1
    drawn=$(((RANDOM << 15 | RANDOM) % $1))
}

# Sleep without a process: nothing can be read from this pipe.
sleep_ms() {
    read -rt "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))" -u "$never"
}

# start: run in the current folder and in its own process group, `pid`
start() {
    local words
    read -ra words <<<"$line"
    if [ "${words[0]}" = mpirun ]; then
        words=(mpirun --oversubscribe -n 2 "$mpi" "${words[@]:1}")
    else
        words=("$program" "${words[@]}")
    fi
    # a shell's background processes ignore SIGINT, and so do their children
    set -m
    env --default-signal=INT "${words[@]}" >../out 2>../err &
    pid=$!
    set +m
}

# The process and the processes that it started.
family() {
    echo "$pid"
    pgrep -P "$pid"
}

# Target of the signal: the program; with several processes mpirun (which
# forwards it), or for KILL a random one of them or all.
aim() {
    local all
    aimed=$pid
    [[ $line == mpirun* && $signal = KILL ]] || return 0
    read -rd '' -a all < <(family)
    draw $((${#all[@]} + 1))
    [ "$drawn" -lt "${#all[@]}" ] && aimed=${all[drawn]} || aimed=${all[*]}
}

# disturbed MS: start it and send a signal after MS; its exit is in `status`
disturbed() {
    local i p left
    start
    sleep_ms "$1"
    aim
    left=$(family)
    # shellcheck disable=SC2086
    kill "-$signal" $aimed 2>/dev/null
    wait "$pid" 2>/dev/null
    status=$?
    [[ $line == mpirun* ]] || return 0
    for ((i = 0; i < 1500; i++)); do # the others notice
        for p in $left; do
            kill -0 "$p" 2>/dev/null && { sleep_ms 10; continue 2; }
        done
        return 0
    done
    finding stuck "a process goes on alone"
    # shellcheck disable=SC2086
    kill -9 $left 2>/dev/null
}

undisturbed() {
    start
    wait "$pid" 2>/dev/null
}

prepare() {
    rm -rf "$work/run"
    mkdir "$work/run"
    cd "$work/run" || exit 2
    cp -r "$work/before/." .
}

# --- what is there --------------------------------------------------------

# finding COUNTER TEXT
finding() {
    count[$1]=$((${count[$1]:-0} + 1))
    bad=1
    echo "$name, $signal, seed $seed, $moment of $whole_ms ms: $1: $2"
    [ ! -s ../err ] || tail -n 2 ../err | cut -c 1-300 | sed 's/^/    /'
}

# The lines of a log without times.
untimed() {
    local n
    n=$(head -n 1 "$1" | tr '\t' '\n' | grep -n '^seconds$' | cut -d : -f 1)
    cut -f "1-$((${n:-100} - 1))" "$1"
}

# Is it the beginning of a whole run's log?
is_log() {
    [ -z "$(tail -c 1 "$1" | tr -d '\n')" ] &&
        untimed "$work/whole/$1" | head -n "$(wc -l <"$1")" | cmp -s - <(untimed "$1")
}

# Has it the length that its header says?
is_safetensors() {
    local head end
    head=$(od -An -t u8 -N 8 "$1" | tr -d ' ')
    end=$(head -c $((8 + head)) "$1" | tail -c +9 | grep -ao '"data_offsets": *\[[^]]*' |
        grep -o '[0-9]*$' | sort -n | tail -1)
    [ "$(stat -c %s "$1")" = $((8 + head + end)) ]
}

is_json() { [ "$(head -c 1 "$1")$(tail -n 1 "$1")" = '{}' ]; }

# dnabird.json without its part about the run, which differs between runs.
facts() {
    awk '/^  "run": \{/ { skip = 1 } !skip; /^  \}/ { skip = 0 }' "$1"
}
equal() {
    case $1 in
    */training.tsv) cmp -s <(untimed "$1") <(untimed "$2") ;;
    */dnabird.json) cmp -s <(facts "$1") <(facts "$2") ;;
    *) cmp -s "$1" "$2" ;;
    esac 2>/dev/null
}
same_file() { equal "$work/whole/$1" "$1"; }
old_file() { equal "$work/before/$1" "$1"; }

# A file of the whole run, of the previous run, or a valid state.
is_whole() {
    same_file "$1" || old_file "$1" || case $1 in
    */training.tsv) is_log "$1" ;;
    */checkpoint.safetensors | */best.safetensors) is_safetensors "$1" ;;
    *.partial.json) is_json "$1" ;;
    *) false ;;
    esac
}

# After every signal.
look() {
    local f
    while read -r f; do
        case $f in
        *.tmp[0-9]* | *.partial.tbi)
            count[temporary]=$((${count[temporary]:-0} + 1))
            [ "$signal" = KILL ] || [[ $line == mpirun* ]] ||
                finding other "$f stays"
            ;;
        *.partial)
            [ "$signal" = KILL ] || [ -s "$f.json" ] ||
                finding other "$f without its mark"
            ;;
        *) is_whole "$f" || finding partial "$f" ;;
        esac
    done < <(find . -type f -printf '%P\n')
    # an index belongs to its file
    for f in *.gz.tbi; do
        [ -e "$f" ] || continue
        if same_file "${f%.tbi}"; then same_file "$f"; else old_file "$f"; fi ||
            finding partial "$f is of another ${f%.tbi}"
    done
    # a model is from one run, or is refused
    if [ -e run/model.safetensors ] || [ -e run/model.safetensors.zst ]; then
        holds whole run || holds before run ||
            ! "$program" info run >/dev/null 2>&1 ||
            finding partial "run is a model without a part"
    fi
}

# holds WHOLE|BEFORE FOLDER: do all of its files exist, unchanged?
holds() {
    local f
    [ -d "$work/$1/$2" ] || return
    while read -r f; do
        case $f in
        # baselines are fitted when the model is there
        checkpoint.safetensors | best.safetensors | training.tsv | baseline.safetensors) ;;
        *) equal "$work/$1/$2/$f" "$2/$f" || return ;;
        esac
    done < <(find "$work/$1/$2" -type f -printf '%P\n')
}

# After a run that ended: all files equal those of an undisturbed run.
compare() {
    local f wrong=''
    while read -r f; do
        same_file "$f" || wrong+=" $f"
    done < <(cd "$work/whole" && find . -type f -printf '%P\n')
    while read -r f; do
        [ -e "$work/whole/$f" ] && continue
        # where the program sweeps, and where nothing was killed
        case $f in
        *.tmp[0-9]*) [ "$signal" = KILL ] && [[ $f != run/* ]] || wrong+=" $f" ;;
        *) wrong+=" $f" ;;
        esac
    done < <(find . -type f -printf '%P\n')
    if [ -z "$wrong" ]; then
        count[same]=$((${count[same]:-0} + 1))
    else
        finding other "ended with other bytes:$wrong"
    fi
}

# The exit status of a run that was asked to stop.
judge_status() {
    local wants=$((128 + $(kill -l "$signal")))
    case $line in
    mpirun*) ;; # its own
    pretrain* | finetune*)
        if [ "$status" = 3 ]; then
            [ -s run/checkpoint.safetensors ] || finding status "no checkpoint"
        elif [ "$status" != "$wants" ]; then
            finding status "ends with $status"
        fi
        ;;
    *) [ "$status" = "$wants" ] || finding status "ends with $status" ;;
    esac
}

# --- batches --------------------------------------------------------------

# An undisturbed run: its files in `whole`, and its time
measure() {
    local began
    rm -rf "$work/before" "$work/whole"
    mkdir "$work/before"
    cd "$work/before" || exit 2
    case $before in
    variant) variant_before ;;
    mutate) mutate_before ;;
    promoter) promoter_before ;;
    tokenizer) tokenizer_before ;;
    export) export_before ;;
    esac 2>/dev/null
    prepare
    began=${EPOCHREALTIME/./}
    if ! undisturbed; then
        echo "$name fails undisturbed: $(tail -n 1 "$work/err")"
        return 1
    fi
    whole_ms=$(((${EPOCHREALTIME/./} - began) / 1000))
    cp -r "$work/run" "$work/whole"
}

goes_on() {
    if undisturbed; then
        compare
    else
        finding stuck "the same command fails"
    fi
    prepare
}

# batch KILLS
batch() {
    local n=$1
    declare -gA count=([sent]=0 [ended]=0)
    RANDOM=$seed
    prepare
    while [ "${count[sent]}" -lt "$n" ]; do
        draw "$whole_ms"
        moment=$drawn
        disturbed "$moment"
        if [ "$status" = 0 ]; then # before its moment
            count[ended]=$((count[ended] + 1))
            compare
            prepare
            [ "${count[ended]}" -lt $((100 + 20 * n)) ] && continue
            finding status "it is never stopped"
            break
        fi
        count[sent]=$((count[sent] + 1))
        if [ "$signal" != KILL ]; then
            judge_status
        elif [ "$status" -lt 128 ] && [[ $line != mpirun* ]]; then
            finding stuck "ends with $status by itself"
            prepare
            continue
        fi
        look
        draw 4
        [ "$drawn" != 0 ] || goes_on
    done
    goes_on
}

keep() {
    local k
    printf '%s\t%s\t%s\t%s' "$name" "$signal" "$seed" "$whole_ms"
    for k in sent ended same temporary partial other stuck status; do
        printf '\t%s' "${count[$k]:-0}"
    done
    echo
}

# each try|campaign: for every command, with its name, line and what comes before it
each() {
    local signals
    while IFS='|' read -ru 3 name signals before line; do
        [ -z "$only" ] || [ "$only" = "$name" ] || continue
        [[ $line != mpirun* ]] || [ -n "$mpi" ] || continue
        [ "$SECONDS" -lt "$until" ] || break
        case $1 in
        try) try "KILL $signals" ;;
        *) campaign "KILL $signals" ;;
        esac
    done 3<<<"$rows"
}

# Batches of one command until the TSV has enough.
campaign() {
    local has batches n
    whole_ms=
    for signal in $1; do
        n=$kills
        [ "$signal" = KILL ] || n=$(((kills + 9) / 10))
        while [ "$SECONDS" -lt "$until" ]; do
            read -r has batches < <(awk -F '\t' -v c="$name" -v s="$signal" \
                '$1 == c && $2 == s { n += $5; b++ } END { print n + 0, b + 0 }' "$tsv")
            [ "$has" -lt "$n" ] || break
            [ -n "$whole_ms" ] || measure || { bad=1; return; }
            seed=$((first_seed + batches))
            batch $((n - has < 25 ? n - has : 25))
            keep >>"$tsv"
            whole_ms= # the machine may be busier, or less, by now
        done
    done
}

# The part that is a test: KILL, and one other signal of each.
try() {
    local signals
    read -ra signals <<<"$1"
    i=$((i + 1)) bad=0
    if measure >"$work/said"; then
        for signal in KILL "${signals[1 + seed % (${#signals[@]} - 1)]}"; do
            batch "$([ "$signal" = KILL ] && echo "$kills" || echo 1)" \
                >>"$work/said"
        done
    else
        bad=1
    fi
    [ "$bad" = 0 ] && echo "ok $i - $name" || echo "not ok $i - $name"
    sed 's/^/# /' "$work/said"
    bad_all=$((bad_all | bad))
}

[ $# -ge 2 ] || usage
if [ "$1" = --sum ]; then
    sum "$2"
    exit
fi
build=$(realpath "$1") tsv=$2
shift 2
until=1000000 kills=125 first_seed=1 only='' mpi='' i=0 bad=0 bad_all=0
while getopts l:n:s:k:m: option; do
    case $option in
    l) until=$OPTARG ;;
    n) kills=$OPTARG ;;
    s) first_seed=$OPTARG ;;
    k) only=$OPTARG ;;
    m) mpi=$(realpath "$OPTARG")/tools/dnabird ;;
    *) usage ;;
    esac
done
program=$build/tools/dnabird
export DNABIRD_DATA=${DNABIRD_DATA:-$here/../../data} LC_ALL=C
export OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1
# mpirun runs as root only with both variables
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# on a disk, where fsync takes time, so that a run may be killed in it
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work # of mpirun
exec {never}<> <(:)
make_inputs || {
    echo "Bail out! no data"
    exit 1
}
seed=$first_seed moment=
if [ "$tsv" = --tap ]; then
    echo "# seed $seed"
    each try
    echo "1..$i"
    exit "$bad_all"
fi
[ -e "$tsv" ] || : >"$tsv"
tsv=$(realpath "$tsv")
each campaign
exit "$bad"
