#!/bin/bash
# docs/papers.md: what it names is there, tests, files and functions; prints
# TAP. SPDX-License-Identifier: MIT
#
#   papers.sh SOURCE_ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
cd "$1" || exit 1
page=docs/papers.md

# A test file with its cases, "`test_x.c`: a_case, begins_so_*": words in a row
# after the colon that have an underscore. Other words describe the test.
perl -ne 'while (/`(test_\w+\.c)`(?::((?:\s*[\w*]+,?)*))?/g) {
        my ($file, $cases) = ($1, $2 // "");
        print "$file\n";
        print "$file $_\n" for grep { /_/ } $cases =~ /([\w*]+)/g;
    }' "$page" | sort -u | while read -r file name; do
    path=$(find tests -name "$file")
    [ -n "$path" ] || { echo "$file" && continue; }
    [ -z "$name" ] || grep -qE "^Test\(\w+, ${name//\*/\\w*}[,)]" "$path" ||
        echo "$file has no test $name"
done | rule "every test that papers.md names is there"

# Files by name or path; .py and .rst are of other projects.
grep -oE '`[A-Za-z0-9_./-]+\.(c|h|sh|tst|md|tsv|json)`' "$page" | tr -d '`' |
    sort -u | while read -r f; do
    [ -e "$f" ] || [ -e "docs/$f" ] ||
        [ -n "$(find src include tools tests docs data -path "*/$f" -print -quit)" ] ||
        echo "$f"
done | rule "every file that papers.md names is there"

grep -oE '\]\([a-z/_-]+\.md\)' "$page" | tr -d ']()' | sort -u |
    while read -r f; do [ -e "docs/$f" ] || echo "$f"; done |
    rule "every page that papers.md links is there"

grep -oE '`bird_[a-z0-9_]+`' "$page" | tr -d '`' | sort -u |
    while read -r f; do grep -rqw "$f" src include || echo "$f"; done |
    rule "every function that papers.md names is there"

end_rules
