#!/bin/bash
# What the libraries export: bird_ names, and from the shared one only those
# that a public header declares; prints TAP.
# SPDX-License-Identifier: MIT
#
#   symbols.sh SOURCE_ROOT SHARED_LIBRARY STATIC_LIBRARY...
set -u
. "$(dirname "$0")/tap.sh"
libraries=()
for library in "${@:2}"; do
    libraries+=("$(realpath "$library")")
done
shared=${libraries[0]}
cd "$1" || exit 1

# exported NM-OPTION LIBRARY; names in _ are the compiler's (sanitizers)
exported() {
    nm -g "$1" --defined-only "$2" 2>/dev/null |
        awk 'NF == 3 && $3 !~ /^_/ { print $3 }' | sort -u
}

[ -n "$(exported -D "$shared")" ] ||
    { echo "Bail out! $shared exports nothing"; exit 1; }

exported -D "$shared" | grep -v '^bird_' |
    rule "the shared library exports bird_ names"
exported -D "$shared" | while read -r name; do
    cat include/dnabird/*.h | grep -qE "\b$name\(" || echo "$name"
done | rule "what it exports is declared in a public header"
for library in "${libraries[@]:1}"; do
    exported --extern-only "$library" | grep -v '^bird_' |
        rule "$(basename "$library"): external names begin with bird_"
done
end_rules
