# Lines of TAP for shell tests: a rule that fails lists what broke it; to be sourced.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
n=0 bad=0
shopt -s lastpipe # `... | rule` counts in this shell
LC_ALL=C
export LC_ALL

# rule NAME: what comes on standard input breaks it
rule() {
    local lines
    lines=$(cat)
    n=$((n + 1))
    if [ -z "$lines" ]; then
        echo "ok $n - $1"
    else
        bad=$((bad + 1))
        echo "not ok $n - $1"
        printf '%s\n' "$lines" | head -40 | sed 's/^/# /'
    fi
}

end_rules() {
    echo "1..$n"
    [ "$bad" = 0 ]
}
