# Shared by the tests of training: a working folder, checks that print TAP,
# comparison of runs. To be sourced; $1 is the program.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
# shellcheck source-path=SCRIPTDIR source=../support/tap.sh
. "$here/support/tap.sh"
dnabird=$(realpath "$1")
work=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive
tokenizer=$here/golden/t_bpe_tiny/tokenizer.json

# check NAME COMMAND...: it succeeds, and no sanitizer reported the run before
check() { ok "$1" sound "${@:2}"; }
sound() {
    "$@" && ! grep 'Sanitizer\|runtime error:' err && return
    tail -n 5 err
    return 1
}

# status NAME WANTED TEXT COMMAND...: it ends with status WANTED and a line with TEXT
status() {
    local name=$1 want=$2 text=$3 got
    shift 3
    "$@" >out 2>err
    got=$?
    [ "$text" = - ] || grep -qF -e "$text" err || got="$got, without: $text"
    check "$name" test "$got" = "$want"
}

below() { # a < b, of real numbers
    [ -n "$1" ] && [ -n "$2" ] || return 1
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 < b + 0) }'
}

# dnabird.json without its part about the run.
facts() {
    awk '/^  "run": \{/ { skip = 1 } !skip; /^  \}/ { skip = 0 }' \
        "$1/dnabird.json"
}

# kill_after SECONDS COMMAND...: status 0 when it was still running
kill_after() {
    local seconds=$1 pid
    shift
    "$@" >out 2>err &
    pid=$!
    sleep "$seconds"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    [ $? = 137 ]
}
