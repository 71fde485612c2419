#!/bin/sh
# Print the shell completion of a program's commands and options.
# SPDX-License-Identifier: MIT
#
#   tools/completion.sh PROGRAM bash|zsh|fish
#
# tools/completion has the parts that do not depend on the option tables.
set -eu
LC_ALL=C
export LC_ALL
program=$1 shell=$2
here=$(dirname "$0")/completion

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$program" help --commands >"$tmp/commands"
"$program" help --options >"$tmp/options"
awk -v shell="$shell" -f "$here/tables.awk" "$tmp/commands" "$tmp/options" \
    >"$tmp/tables"
cat "$here/dnabird.$shell"
echo
cat "$tmp/tables"
if [ "$shell" = zsh ]; then # autoloaded: the last line is the call
    printf '\n_dnabird "$@"\n'
fi
