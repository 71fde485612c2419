#!/bin/bash
# How many files know one output format, head or attention pattern; prints TAP.
# SPDX-License-Identifier: MIT
#
#   concepts.sh SOURCE_ROOT
#
# A concept that is a row of a table is named by the file of its row and by
# its own file. A third file that names it is a switch that the next one will
# have to be added to as well. Counted are files of src, include and tools in
# whose code (comments left out) the expression stands; tests and docs do not
# count.
set -u
. "$(dirname "$0")/tap.sh"
cd "$1" || exit 1

code=$(mktemp -d) || exit 1
trap 'rm -rf "$code"' EXIT
find src include tools -name '*.[ch]' | while read -r f; do
    mkdir -p "$code/${f%/*}"
    # comments out; what is between them stays on its line
    perl -0pe 's{("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*}{$1 // ""}gse' \
        "$f" >"$code/$f"
done

# files_naming EXPRESSION [ALLOWED...]: the files whose code matches; an
# ALLOWED one (a glob) is left out, its reason stands beside the call
files_naming() {
    local expression=$1 f allowed
    shift
    (cd "$code" && grep -rlE -- "$expression" .) | sed 's|^\./||' | sort |
        while read -r f; do
            for allowed in "$@"; do
                # shellcheck disable=SC2053 # a glob on purpose
                [[ $f == $allowed ]] && continue 2
            done
            echo "$f"
        done
}

# at_most MOST NAME EXPRESSION [ALLOWED...]: a rule that the concept NAME is
# known to MOST files
at_most() {
    local most=$1 name=$2 found
    shift 2
    found=$(files_naming "$@")
    [ "$(printf '%s' "$found" | grep -c .)" -le "$most" ] ||
        printf '%s\n' "$found" | sed "s/^/$name: /"
}

# --- output formats: a row of src/track/writer.c and the writer's own file --

# --- heads ----------------------------------------------------------------

# --- attention patterns -----------------------------------------------------

true | rule "concepts are counted"
end_rules
