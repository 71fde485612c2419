#!/bin/bash
# No module uses a symbol that a later module of src/meson.build's list defines;
# prints TAP. Includes cannot show this: a header may declare what another
# module's .c file defines.
# SPDX-License-Identifier: MIT
#
#   link_order.sh SOURCE_ROOT STATIC_LIBRARY...
set -u
. "$(dirname "$0")/../support/tap.sh"
libraries=()
for library in "${@:2}"; do
    libraries+=("$(realpath "$library")")
done
cd "$1" || exit 1
modules=$(sed -n "/^modules = \[/,/\]/p" src/meson.build |
    grep -o "'[a-z]*'" | tr -d "'" | tr '\n' ' ')
[ -n "$modules" ] || { echo "Bail out! no module list"; exit 1; }

# uses: lines "USER DEFINER SYMBOL USING_OBJECT DEFINING_OBJECT" of symbols that
# go from one module to another. An object is named MODULE_FILE.c.o; those of
# the libraries that src/kernel builds by itself have no module in their name.
uses() {
    nm -A "${libraries[@]}" 2>/dev/null | awk -v list="$modules" '
        BEGIN { n = split(list, name, " "); for (i = 1; i <= n; i++) known[name[i]] = 1 }
        function module_of(object,   m) {
            m = object
            sub(/_.*/, "", m)
            return m in known && object !~ /^kernel_/ ? m : "kernel"
        }
        NF >= 2 {
            kind = $(NF - 1)
            symbol = $NF
            object = $1
            sub(/:[^:]*$/, "", object)
            sub(/.*[\/:]/, "", object)
            if (kind == "U") used[symbol, object] = 1
            else if (kind ~ /^[TDBRCVW]$/) defined[symbol] = object
        }
        END {
            for (u in used) {
                split(u, part, SUBSEP)
                if (!(part[1] in defined)) continue
                from = module_of(part[2]); to = module_of(defined[part[1]])
                if (from != to)
                    print from, to, part[1], part[2], defined[part[1]]
            }
        }' | sort -u
}

all=$(uses)
[ "$(wc -l <<<"$all")" -gt 1000 ] ||
    { echo "Bail out! hardly any symbol found in ${libraries[*]}"; exit 1; }
later=" $modules"
for m in $modules; do
    later=${later#* "$m" }
    later=" $later"
    awk -v m="$m" -v later="$later" '
        $1 == m && index(later, " " $2 " ") {
            print $4 " uses " $3 ", which " $5 " defines"
        }' <<<"$all" | rule "$m uses no symbol of a later module"
done
end_rules
