#!/bin/bash
# How the program and the libraries are built: what makes a fault harder to turn
# into an attack is there; prints TAP. SPDX-License-Identifier: MIT
#
#   hardening.sh yes|no STATIC_LIBRARY FILE...: with checked sizes of copies or
#   without, the program and the shared libraries
set -u
. "$(dirname "$0")/../support/tap.sh"
sizes=$1 static=$2
shift 2

# lacks PATTERN COMMAND...: what to say where its output has no such line
lacks() {
    local pattern=$1
    shift
    "$@" 2>/dev/null | grep -qE "$pattern" || echo "no '$pattern' in: $*"
}

# holds PATTERN COMMAND...: the lines that should not be
holds() {
    local pattern=$1
    shift
    "$@" 2>/dev/null | grep -E "$pattern"
}

for f; do
    name=$(basename "$f")
    lacks 'Type: +DYN' readelf -h "$f" |
        rule "$name can be loaded at any address"
    holds 'TEXTREL' readelf -d "$f" | rule "$name: its code is not written to"
    lacks 'GNU_RELRO' readelf -lW "$f" | rule "$name: tables of addresses are closed"
    lacks 'FLAGS.*NOW' readelf -d "$f" | rule "$name: once all are known, at the start"
    holds 'GNU_STACK.*E ' readelf -lW "$f" | rule "$name: no code on the stack"
    lacks '__stack_chk_fail' nm -D "$f" | rule "$name: frames are guarded"
    [ "$sizes" = no ] || lacks '__(memcpy|snprintf|vsnprintf)_chk' nm -D "$f" |
        rule "$name: sizes of copies are checked"
done

# A system's own start files may lack the mark, and then the program does.
if readelf -hW "$static" 2>/dev/null | grep -q X86-64; then
    readelf -nW "$static" 2>/dev/null | awk '
        /^File:/ { if (file != "" && !marked) print file; file = $2; marked = 0 }
        /x86 feature:.*IBT/ { marked = 1 }
        END { if (file != "" && !marked) print file }' |
        rule "jumps land on marks, in all objects"
fi
end_rules
