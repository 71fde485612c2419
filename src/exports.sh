#!/bin/sh
# Print the version script of a shared library: what its public headers mark
# with BIRD_API; prints to standard output.
# SPDX-License-Identifier: MIT
#
#   exports.sh NODE PRIVATE HEADER...
#
# PRIVATE names a second node with all other bird_ functions, for a library of
# the same release that is built on this one; "-" makes none.
set -eu
node=$1 private=$2
shift 2

echo "$node {"
echo "    global:"
awk '
/^[ \t]*#/ { next }
{ text = text " " $0 }
END {
    n = split(text, part, /BIRD_API/)
    for (i = 2; i <= n; i++) {
        sub(/;.*/, "", part[i])
        if (match(part[i], /bird_[a-z0-9_]+\(/))
            print "        " substr(part[i], RSTART, RLENGTH - 1) ";"
    }
}' "$@" | LC_ALL=C sort -u
if [ "$private" = - ]; then
    echo "    local: *;"
    echo "};"
else
    printf '};\n%s {\n    global: bird_*;\n    local: *;\n};\n' "$private"
fi
