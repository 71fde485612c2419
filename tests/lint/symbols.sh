#!/bin/bash
# Exported symbols: all begin with bird_; the public version node has exactly those
# that a public header declares; each of these is in some library; libdnabird needs
# none of libdnabird_train. Prints TAP.
# SPDX-License-Identifier: MIT
#
#   symbols.sh SOURCE_ROOT LIBRARY TRAINING_LIBRARY STATIC_LIBRARY...
set -u
. "$(dirname "$0")/../support/tap.sh"
libraries=()
for library in "${@:2}"; do
    libraries+=("$(realpath "$library")")
done
shared=("${libraries[@]:0:2}")
cd "$1" || exit 1

# exported NM-OPTION LIBRARY: names, with their node where they have one;
# names in _ are the compiler's (sanitizers), nodes are type A
exported() {
    nm -g "$1" --defined-only "$2" 2>/dev/null |
        awk 'NF == 3 && $2 != "A" && $3 !~ /^_/ { print $3 }' | sort -u
}

# declared: what public headers mark with BIRD_API
declared() {
    sh src/exports.sh X - include/dnabird/*.h | grep -o 'bird_[a-z0-9_]*' |
        sort -u
}

for library in "${shared[@]}"; do
    name=$(basename "$library")
    [ -n "$(exported -D "$library")" ] ||
        { echo "Bail out! $library exports nothing"; exit 1; }
    exported -D "$library" | grep -v '^bird_' |
        rule "$name exports bird_ names"
    exported -D "$library" | grep -v '@.*_PRIVATE_' | sed 's/@.*//' |
        comm -23 - <(declared) |
        rule "what $name exports publicly is declared in a public header"
    n_private=$(exported -D "$library" | grep -c '@.*_PRIVATE_')
    [ "$library" = "${shared[0]}" ] || [ "$n_private" = 0 ] ||
        echo "$n_private names" | rule "$name has no private node"
done
for library in "${shared[@]}"; do
    exported -D "$library" | sed 's/@.*//'
done | sort -u | comm -13 - <(declared) |
    rule "every function of a public header is exported"
nm -D --undefined-only "${shared[0]}" | grep -o 'bird_.*' |
    rule "$(basename "${shared[0]}") takes no bird_ function from elsewhere"

for library in "${libraries[@]:2}"; do
    exported --extern-only "$library" | grep -v '^bird_' |
        rule "$(basename "$library"): external names begin with bird_"
done
end_rules
