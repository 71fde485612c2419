# What the tests of training share: a folder to work in, checks that print TAP,
# comparing runs; to be sourced with $1 the program.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
dnabird=$(realpath "$1")
work=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
export LC_ALL=C OMP_WAIT_POLICY=passive
tokenizer=$here/golden/t_bpe_tiny/tokenizer.json
n=0 bad=0

# check NAME COMMAND...: it succeeds
check() {
    local name=$1
    shift
    n=$((n + 1))
    if "$@" >said 2>&1 && ! grep -q 'Sanitizer\|runtime error:' err; then
        echo "ok $n - $name"
    else
        bad=$((bad + 1))
        echo "not ok $n - $name"
        tail -n 5 said err 2>/dev/null | sed 's/^/# /'
    fi
}

# status NAME WANTED TEXT COMMAND...: it ends so, saying this in one line
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
