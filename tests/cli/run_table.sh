#!/bin/bash
# Run a table of command lines and compare what comes of them; prints TAP.
# SPDX-License-Identifier: MIT
#
#   run_table.sh PROGRAM TABLE.tst
#
# A row:          STATUS [long] [needs=PROGRAM,...] | COMMAND LINE | EXPECTATION
# further ones:   lines that begin with blanks and a bar:   | EXPECTATION
# Lines that begin with # and empty lines say nothing.
#
# The command line is bash with pipefail, run in an empty folder of its own,
# without input; `dnabird` is the program under test, $DATA the project's data,
# $T its tests folder. It may hold bars; an expectation beside it may not.
#
#   out ~ TEXT    standard output holds this text      err ~ TEXT
#   out !~ TEXT   ... does not                         err !~ TEXT
#   out = FILE    standard output is this file's bytes (of the table's folder)
#   out empty     nothing was written                  err empty
#   out lines N   so many lines                        err lines N
#   has FILE      the command left this file           none GLOB   ... did not
#   same A B      two files it left are equal          differ A B
#
# A row whose needed programs are not there is skipped, and a long one where
# BIRD_TEST_SHORT is set, as in builds that check every access. What a row took
# is told if it is more than a second. Rows may leave in $ONCE, a folder of the
# table, what others use.
set -u

program=$(realpath "$1")
table=$(realpath "$2")
here=$(dirname "$table")
T=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
DATA=${DNABIRD_DATA:-$(realpath "$T/../data")}
export T DATA LC_ALL=C OMP_WAIT_POLICY=passive
unset DNABIRD_PROGRESS DNABIRD_PROGRESS_EVERY POSIXLY_CORRECT

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/once"
export ONCE=$work/once
ln -s "$program" "$work/bin/dnabird"
PATH=$work/bin:$PATH

n=0 bad=0 skipped=

# Complain about the row at hand.
wrong() {
    problems+="# $*"$'\n'
}

# expect_stream out|err RELATION ARGUMENT
expect_stream() {
    local file=$work/$1 what=$2 text=${3-}
    case $what in
    '~') grep -qF -e "$text" "$file" || wrong "$1 lacks: $text" ;;
    '!~') ! grep -qF -e "$text" "$file" || wrong "$1 holds: $text" ;;
    =) cmp -s "$file" "$here/$text" ||
        wrong "$1 differs from $text" \
            "$(diff "$file" "$here/$text" 2>&1 | head -5 | sed 's/^/# /')" ;;
    empty) [ ! -s "$file" ] || wrong "$1 is not empty" ;;
    lines) [ "$(wc -l <"$file")" = "$text" ] ||
        wrong "$1 has $(wc -l <"$file") lines, not $text" ;;
    *) wrong "the table: no such expectation: $1 $what" ;;
    esac
}

expect() {
    local first rest a b
    read -r first rest <<<"$1"
    case $first in
    '') ;;
    out | err) read -r a b <<<"$rest" && expect_stream "$first" "$a" "$b" ;;
    has) [ -e "$work/row/$rest" ] || wrong "no file $rest" ;;
    none) ! compgen -G "$work/row/$rest" >/dev/null || wrong "left: $rest" ;;
    same | differ)
        read -r a b <<<"$rest"
        cmp -s "$work/row/$a" "$work/row/$b"
        case $first$? in
        same0 | differ1) ;;
        *) wrong "not so: $rest" ;;
        esac
        ;;
    *) wrong "the table: no such expectation: $1" ;;
    esac
}

start_row() { # status needs command long
    local got start=$EPOCHREALTIME
    n=$((n + 1)) skipped= problems= row="$3"
    for p in ${2//,/ }; do
        command -v "$p" >/dev/null || skipped+=" needs $p"
    done
    [ -z "$4" ] || [ -z "${BIRD_TEST_SHORT-}" ] || skipped+=" long"
    [ -z "$skipped" ] || return
    rm -rf "$work/row"
    mkdir "$work/row"
    (cd "$work/row" && exec timeout 300 bash -o pipefail -c "$3") \
        </dev/null >"$work/out" 2>"$work/err"
    got=$?
    took=$(((${EPOCHREALTIME/[.,]/} - ${start/[.,]/}) / 100000))
    [ "$got" = "$1" ] || wrong "status $got, not $1"
    ! grep -q 'Sanitizer\|runtime error:' "$work/err" || wrong "a sanitizer spoke"
}

end_row() {
    [ "$n" -gt 0 ] || return
    local name=${row//\#/}
    name=${name%% }
    if [ -n "$skipped" ]; then
        echo "ok $n - $name # SKIP$skipped"
    elif [ -z "$problems" ]; then
        echo "ok $n - $name"
    else
        bad=$((bad + 1))
        echo "not ok $n - $name"
        printf '%s' "$problems"
        head -20 "$work/err" | sed 's/^/#   stderr: /'
    fi
    [ -n "$skipped" ] || [ "$took" -lt 10 ] ||
        echo "#   $((took / 10)).$((took % 10)) s"
}

plain='^([0-9]+)( +long)?( +needs=([^ |]+))? *\|[[:space:]](.*)$'
more='^[[:space:]]+\|(.*)$'
number=0
while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    if [[ $line =~ ^[[:space:]]*(#.*)?$ ]]; then
        continue
    elif [[ $line =~ $more ]]; then
        [ -n "$skipped" ] || expect "${BASH_REMATCH[1]}"
    elif [[ $line =~ $plain && ${BASH_REMATCH[5]} == *\|* ]]; then
        status=${BASH_REMATCH[1]} long=${BASH_REMATCH[2]}
        needs=${BASH_REMATCH[4]} rest=${BASH_REMATCH[5]}
        end_row
        start_row "$status" "$needs" "${rest%|*}" "$long"
        [ -n "$skipped" ] || expect "${rest##*|}"
    else
        echo "Bail out! $table: line $number is no row"
        exit 1
    fi
done <"$table"
end_row
echo "1..$n"
[ "$bad" = 0 ]
