#!/bin/bash
# Run a table of command lines and compare their results with the table; prints
# TAP. SPDX-License-Identifier: MIT
#
#   run_table.sh PROGRAM TABLE.tst
#
# A case of one line, whose command is its name:
#
#   STATUS [long] [needs=PROGRAM,...] | COMMAND LINE | EXPECTATION
#       | EXPECTATION
#
# A case of several lines, which are indented by four blanks. No line of its
# script begins with a bar: a pipe is continued after the bar.
#
#   STATUS [long] [needs=PROGRAM,...]: WHAT THE CASE PROMISES
#       COMMAND LINES
#       | EXPECTATION
#       | EXPECTATION
#
# Lines that begin with # and empty lines between cases are comments.
#
# The command is bash with pipefail, run in an empty folder of its own, without
# input; `dnabird` is the program under test, $DATA the project's data, $T its
# tests folder. A command line may hold bars; an expectation beside it may not.
#
#   out ~ TEXT    standard output holds this text      err ~ TEXT
#   out !~ TEXT   ... does not                         err !~ TEXT
#   out = FILE    standard output is this file's bytes (of the table's folder)
#   out empty     nothing was written                  err empty
#   out lines N   so many lines                        err lines N
#   has FILE      the command left this file           none GLOB   ... did not
#   same A B      two files it left are equal          differ A B
#
# A case is skipped where a program that it needs is missing, and a long case
# where BIRD_TEST_SHORT is set, as in builds that check every memory access. The
# time of a case is printed if it is more than a second. Cases share files
# through $ONCE, a folder of the table.
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

# Report a problem of the current case.
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

start_row() { # status needs command long name
    local got start=$EPOCHREALTIME
    n=$((n + 1)) skipped= problems= row=$5
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

bail_out() {
    echo "Bail out! $table: line $number $*"
    exit 1
}

# The case of several lines whose script was read up to here, if there is one.
run_script() {
    [ -n "$title" ] || return
    [ -n "$script" ] || bail_out "ends a case without commands"
    start_row "$status" "$needs" "$script" "$long" "$title"
    title= script=
}

case='^([0-9]+)( +long)?( +needs=([^ |:]+))?( *\|[[:space:]]|: +)(.*)$'
more='^[[:space:]]+\|(.*)$'
number=0 title= script=
while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    if [[ $line == '#'* || -z $title && $line =~ ^[[:space:]]*(#.*)?$ ]]; then
        continue
    elif [[ $line =~ $more ]]; then
        expectation=${BASH_REMATCH[1]}
        run_script
        [ -n "$skipped" ] || expect "$expectation"
    elif [[ -n $title && (-z $line || $line == '    '*) ]]; then
        script+=${line#    }$'\n'
    elif [[ $line =~ $case ]]; then
        found=("${BASH_REMATCH[@]}")
        run_script
        end_row
        status=${found[1]} long=${found[2]} needs=${found[4]} rest=${found[6]}
        if [[ ${found[5]} == :* ]]; then
            title=$rest
        elif [[ $rest == *\|* ]]; then
            start_row "$status" "$needs" "${rest%|*}" "$long" "${rest%|*}"
            [ -n "$skipped" ] || expect "${rest##*|}"
        else
            bail_out "has no expectation"
        fi
    else
        bail_out "is not a case"
    fi
done <"$table"
run_script
end_row
echo "1..$n"
[ "$bad" = 0 ]
