#!/bin/bash
# The public interface: prototypes, types, members and constants of the public
# headers, one a line, are those of abi.txt. A changed or missing line breaks such programs, so that the soname's
# number (`abi` in src/meson.build) must grow first if one with it was released;
# a new line must be noted. Prints TAP. SPDX-License-Identifier: MIT
#
#   abi.sh SOURCE_ROOT COMPILER...
#   abi.sh --write SOURCE_ROOT COMPILER...     notes it anew
set -u
. "$(dirname "$0")/../support/tap.sh"
write=no
[ "$1" = --write ] && { write=yes && shift; }
cd "$1" || exit 1
shift
list=tests/lint/abi.txt

# of_headers OPTION...: all public headers, preprocessed
of_headers() {
    sed 's,.*,#include <dnabird/&>,' <(cd include/dnabird && ls -- *.h) |
        "${cc[@]}" -E "$@" -Iinclude -x c - 2>/dev/null
}
cc=("$@")

# Declarations, each on a line, of our headers (line marks show the file). Attributes
# and bodies of inline functions are left out: they are no interface.
declarations() {
    of_headers | awk '
        /^# [0-9]+ "/ { ours = $3 ~ /^"include\/dnabird\//; next }
        ours { text = text " " $0 }
        END {
            gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", text)
            gsub(/[ \t]+/, " ", text)
            for (i = 1; i <= length(text); i++) {
                c = substr(text, i, 1)
                line = line c
                if (c == "{") depth++
                if (c == "}") depth--
                if (c == "}" && !depth && line ~ /static inline/) {
                    sub(/ *\{.*/, " { }", line)
                    c = ";"
                }
                if (c == ";" && !depth) { print line; line = "" }
            }
            if (line ~ /[^ ]/) print "not ended: " line
        }' | sed -E 's/^ +//; s/ *([()]) */\1/g; s/ *; */; /g; s/ +$//; s/ *, */, /g; s/ *\* */ */g; s/\}/ }/g; s/ +/ /g'
}

# Their constants, apart from guards and what is written for compilers.
constants() {
    of_headers -dM | grep -E '^#define (BIRD|DNABIRD)_[A-Z0-9_]+ ' |
        grep -vE '__attribute__|^#define (DNABIRD_[A-Z_]*H|BIRD_(BEGIN|END)_C) *$'
}

interface() { { declarations; constants; } | sort -u; }

number=$(sed -n "s/^abi = '\(.*\)'/\1/p" src/meson.build)
noted=$(sed -n 's/^# soname \([0-9]*\),.*/\1/p' $list)
[ -n "$number" ] || { echo "Bail out! src/meson.build has no abi = 'NUMBER'"; exit 1; }
now=$(interface)
[ "$(grep -c 'bird_[a-z_]*(' <<<"$now")" -gt 50 ] ||
    { echo "Bail out! the public headers could not be read"; exit 1; }
gone=$(grep -v '^#  *\(soname\|tests/\)' $list 2>/dev/null | comm -23 - <(echo "$now"))
new=$(grep -v '^#  *\(soname\|tests/\)' $list 2>/dev/null | comm -13 - <(echo "$now"))

if [ $write = yes ]; then
    if [ -n "$gone" ] && [ "$noted" = "$number" ] && grep -q '^# soname.* released' $list; then
        echo "soname $number was released, and these lines of it changed:" >&2
        printf '%s\n' "$gone" "let abi in src/meson.build grow first" >&2
        exit 1
    fi
    state=$(sed -n "s/^# soname $number, //p" $list 2>/dev/null)
    {
        echo "# soname $number, ${state:-to come}"
        echo "# tests/lint/abi.sh --write . cc"
        echo "$now"
    } >$list.new && mv $list.new $list
    exit
fi

{ [ "$noted" = "$number" ] ||
    echo "$list is of soname ${noted:-none}, src/meson.build has $number: tests/lint/abi.sh --write . cc"; } |
    rule "the list is of this soname"
printf '%s' "$gone" | rule "soname $number: nothing that programs know was removed or changed"
printf '%s' "$new" | rule "soname $number: what is new is in $list (tests/lint/abi.sh --write . cc)"
end_rules
