#!/bin/sh
# The tables of all options and settings in docs/cli.md, made from the program's
# own tables.
# SPDX-License-Identifier: MIT
#
#   tools/options.sh PROGRAM          print them
#   tools/options.sh PROGRAM CLI.md   put them between the two marks of that file
#
# Fails when a letter stands for two long names.
set -eu
LC_ALL=C
export LC_ALL

table() {
    "$1" help --options | awk -F '\t' '
        NR == 1 { next }
        $2 != "." && $2 in name && name[$2] != $3 {
            print "-" $2 " is --" name[$2] " and --" $3 " (" $1 ")" >"/dev/stderr"
            bad = 1
        }
        $2 != "." { name[$2] = $3 }
        {
            key = ($2 == "." ? "~" : $2) "\t" $3
            commands[key] = commands[key] (n[key]++ ? ", " : "") $1
            if (!($1 in seen)) { seen[$1] = 1; n_command++ }
        }
        END {
            for (key in commands) {
                split(key, k, "\t")
                print key "\t" (k[1] == "~" ? "" : "`-" k[1] "` ") "\t" \
                    (n[key] == n_command ? "every command" : commands[key])
            }
            exit bad
        }' >"$tmp"
    echo '| | option | commands |'
    echo '| --- | --- | --- |'
    sort -t "$(printf '\t')" -k 1,1f -k 1,1 -k 2,2 "$tmp" |
        awk -F '\t' '{ print "| " $3 "| `--" $2 "` | " $4 " |" }'
}

settings() {
    echo
    echo 'Settings, which only a file of `--settings` sets:'
    echo
    echo '| setting | commands | meaning |'
    echo '| --- | --- | --- |'
    "$1" help --settings | awk -F '\t' '
        NR == 1 { next }
        {
            help = $6 ($5 == "." || $6 ~ /default:/ ? "" : " (default: " $5 ")")
            key = $3 "\t" help
            if (!(key in commands)) { order[++n] = key }
            commands[key] = commands[key] (commands[key] == "" ? "" : ", ") $1
        }
        END {
            for (i = 1; i <= n; i++) {
                split(order[i], k, "\t")
                print "| `" k[1] "` | " commands[order[i]] " | " k[2] " |"
            }
        }' | sort
}

tmp=$(mktemp)
trap 'rm -f "$tmp" "$tmp.table"' EXIT
table "$1" >"$tmp.table"
settings "$1" >>"$tmp.table"
if [ $# -lt 2 ]; then
    cat "$tmp.table"
    exit
fi
awk -v table="$tmp.table" '
    /^<!-- end of options -->$/ { skip = 0 }
    !skip
    /^<!-- options: tools\/options.sh -->$/ {
        while ((getline line <table) > 0) print line
        skip = 1
    }' "$2" >"$tmp"
cat "$tmp" >"$2"
