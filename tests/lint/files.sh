#!/bin/bash
# Files: their length, their names, their first lines; prints TAP.
# SPDX-License-Identifier: MIT
#
#   files.sh SOURCE_ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
cd "$1" || exit 1

sources() { find src include tools tests -name '*.[ch]' | sort; }

# A longer file says why in its first comment, with the words "800 lines".
sources | while read -r f; do
    lines=$(wc -l <"$f")
    [ "$lines" -le 800 ] || sed '/\*\//q' "$f" | grep -q '800 lines' ||
        echo "$f: $lines lines; split it or say why in its first comment"
done | rule "no file over 800 lines without a reason"

# A public header is always named with its folder (dnabird/x.h), so it may
# share its name with the private one beside its implementation.
find src tools tests \( -name '*.[ch]' -o -name '*.sh' \) -printf '%f\n' |
    sort | uniq -d | rule "file names are unique"

for f in $(find src include tools \( -name '*.[ch]' -o -name '*.sh' \)) \
    .ci/run; do
    # clang-format may break the line between the two words
    head -n 40 "$f" | tr -s '\n *' ' ' |
        grep -q 'SPDX-License-Identifier: MIT' || echo "$f"
done | rule "every file names its licence"

grep -rnE '\biscntrl ?\([^)]' src tools |
    rule "control characters are the same in every locale: bird_is_control()"

listed=$(find src -name meson.build -exec cat {} +)
find src -name '*.c' | while read -r f; do
    [[ $listed == *[/\']"${f##*/}'"* ]] || echo "$f is in no list"
done | rule "every file of src is built"

grep -rnIE "(^|[^A-Za-z0-9_.])/(home|work|root)/" src include tools tests \
    docs .ci meson.build 2>/dev/null | grep -v '^tests/lint/files.sh:' |
    rule "no path of one machine"

# A step that fails shows the end of its log: `logged` of common.sh does.
grep -n '2>>' tools/train/*.sh | grep -v '^tools/train/common.sh:.* 2>>".log" || {' |
    rule "recipes keep notices by logged alone"

# A longer command becomes a case of several lines: tests/cli/run_table.sh.
grep -nE '.{201}' tests/cli/*.tst | cut -c 1-120 |
    rule "no line of a table over 200 characters"

end_rules
