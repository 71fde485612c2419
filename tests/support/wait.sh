# Waiting for a condition instead of a fixed time, so that a test does not
# depend on how busy the machine is. To be sourced. SPDX-License-Identifier: MIT
# shellcheck shell=bash

# wait_until PID COMMAND...: until COMMAND succeeds, the process has ended, or
# five minutes have passed
wait_until() {
    local i
    for ((i = 0; i < 30000; i++)); do
        "${@:2}" && return
        kill -0 "$1" 2>/dev/null || return
        sleep 0.01
    done
}

some_file() { # GLOB...
    local glob
    for glob; do
        compgen -G "$glob" >/dev/null && return
    done
    return 1
}

# wait_for PID GLOB...: until a file matches
wait_for() { wait_until "$1" some_file "${@:2}"; }

# wait_for_mark PID OUTPUT: until --resume has a record to continue from
wait_for_mark() { wait_until "$1" grep -qs '"bytes": [1-9]' "$2.partial.json"; }

# has_received PID SIGNAL: no signal of this name is still on its way to the
# process (Linux; elsewhere always true)
has_received() {
    local pending
    pending=$(sed -n 's/^ShdPnd:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
    [ -z "$pending" ] || ! ((16#$pending >> ($(kill -l "$2") - 1) & 1))
}

# interruptible COMMAND...: COMMAND replaces this process and receives SIGINT,
# which a shell ignores in what it starts with `&`, and so do its children where
# the tests themselves run in the background
interruptible() { exec env --default-signal=INT "$@"; }
