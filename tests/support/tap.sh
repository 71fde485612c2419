# Lines of TAP for shell tests. To be sourced before `cd`, and before LC_ALL is
# set to anything but C; the last part of a pipe runs in the script's own shell.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
n=0 bad=0
shopt -s lastpipe # `... | rule` counts in this shell
. "${BASH_SOURCE[0]%/*}/wait.sh"
LC_ALL=C
export LC_ALL

passed() { # NAME
    n=$((n + 1))
    echo "ok $n - $1"
}

failed() { # NAME, why on standard input
    n=$((n + 1)) bad=$((bad + 1))
    echo "not ok $n - $1"
    cut -c 1-300 | head -n 40 | sed 's/^/# /'
}

# rule NAME: passes if standard input, the list of violations, is empty
rule() {
    local lines
    lines=$(cat)
    if [ -z "$lines" ]; then
        passed "$1"
    else
        failed "$1" <<<"$lines"
    fi
}

# heard: the end of the file `said`, in which tests store stderr of their runs
heard() { tail -n 30 said 2>/dev/null; }

# ok NAME COMMAND...: the command succeeds; its output is in the file `log`
ok() {
    local name=$1 log=$PWD/log
    shift
    if "$@" >"$log" 2>&1; then
        passed "$name"
    else
        { tail -n 30 "$log" && heard; } | failed "$name"
    fi
}

# equal NAME WANTED GOT: two texts are equal
equal() {
    if [ "$2" = "$3" ]; then
        passed "$1"
    else
        { printf '%s\n' "wanted: $2" "got: $3" && heard; } | failed "$1"
    fi
}

# prints NAME WANTED COMMAND...: the command succeeds and prints WANTED
prints() {
    local name=$1 want=$2 got
    shift 2
    if got=$("$@" 2>log) && [ "$got" = "$want" ]; then
        passed "$name"
    else
        { printf '%s\n' "wanted: $want" "got: $got" && tail -n 30 log; } |
            failed "$name"
    fi
}

skip() { # NAME WHAT
    n=$((n + 1))
    echo "ok $n - $1 # SKIP needs $2"
}

# with "PROGRAM..." CHECK NAME ...: CHECK is ok, prints or a function of the
# script; skipped if a program is missing
with() {
    local p
    for p in $1; do
        command -v "$p" >/dev/null || {
            skip "$3" "$p"
            return
        }
    done
    "${@:2}"
}

skip_all() { # WHY
    echo "1..0 # SKIP $*"
    exit 0
}

# needs PROGRAM...: skip the whole test if one of them is missing
needs() {
    local p
    for p; do
        command -v "$p" >/dev/null || skip_all "needs $p"
    done
}

# end_rules: print the plan; fails if a check failed
end_rules() {
    echo "1..$n"
    [ "$bad" = 0 ]
}
