#!/bin/sh
# Make the manual pages of a program, in an existing folder.
# SPDX-License-Identifier: MIT
#
#   tools/man.sh PROGRAM FOLDER
#
# The date is that of the release in CITATION.cff, so the same sources always give the
# same pages.
set -eu
LC_ALL=C
export LC_ALL
program=$1 folder=$2
root=$(dirname "$0")/..

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$program" help --commands >"$tmp/commands"
"$program" help --options >"$tmp/options"
"$program" help --settings >"$tmp/settings"
"$program" --help >"$tmp/help"
version=$(sed -n '1s/^dnabird \([^:]*\):.*/\1/p' "$tmp/help")
title=$(sed -n '1s/^[^:]*: //p' "$tmp/help")
date=$(sed -n 's/^date-released: *//p' "$root/CITATION.cff")
awk -v dir="$folder" -v version="$version" -v date="$date" -v title="$title" \
    -f "$root/tools/man/pages.awk" "$tmp/commands" "$tmp/options" "$tmp/settings" \
    "$root/docs/cli.md" "$root/docs/formats.md" "$root/docs/scores.md"
