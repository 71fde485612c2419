#!/bin/bash
# The manual pages: one for every command, with the content of its help; prints
# TAP. SPDX-License-Identifier: MIT
#
#   manual_pages.sh PROGRAM SOURCE_ROOT PAGE...
set -u
. "$(dirname "$0")/../support/tap.sh"
program=$(realpath "$1") root=$(realpath "$2")
shift 2
pages=$(dirname "$(realpath "$1")")
set -- "${@/#*\//$pages/}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

page_of() { echo "dnabird-$1" | sed 's/ -*/-/g'; }

"$program" help --commands >commands
"$program" help --options >options
"$program" help --settings >settings
cut -f 2 commands | sed 1d >names

{
    printf '%s\n' dnabird.1 dnabird-formats.5 dnabird-scores.7
    while read -r c; do echo "$(page_of "$c").1"; done <names
} | sort >wanted
[ "$(wc -l <wanted)" -gt 40 ] || echo "too few" >>wanted
printf '%s\n' "${@##*/}" | sort | diff wanted - | rule "every command has a page, and no other page is there"

# The entries of OPTIONS, as rows of `help --options`: letter, name, argument.
while read -r c; do
    awk '/^\.SH/ { on = $2 == "OPTIONS" } on && /^\\fB(\\-)/' "$pages/$(page_of "$c").1" |
        sed 's/\\f[BIR]//g; s/\\(ha/^/g; s/\\-/-/g; s/^-\(.\), /\1 /; s/^--/. --/' |
        awk '{ print $1, substr($2, 3), (NF > 2 ? $3 : ".") }' >entries
    awk -F '\t' -v c="$c" '$1 == c { print $2, $3, $4 }' options | diff - entries |
        sed "s/^/$c: /"
done <names | rule "every option of help --options stands in its page, and no other"

# Sections of a page without its form; words alone, so that lines do not count,
# and a word that was parted at its hyphen is whole.
sections() {
    mandoc -T ascii "$1" | sed 's/.\x08//g' |
        sed -e :a -e '/[a-z]-$/{N;s/\n *//;ba' -e '}' |
        awk -v wanted=" $2 " '/^[A-Z]/ { on = index(wanted, " " $0 " "); next }
            on' | words
}
words() { tr -s ' \n' '\n\n' | sed '/^$/d'; }

if command -v mandoc >/dev/null; then
    while read -r c; do
        # shellcheck disable=SC2086 # two words
        { "$program" $c --help=all 2>/dev/null || "$program" help $c; } |
            sed '1s/^Usage: //; /^Options:$/d; s/`//g' | words | sed 's/:$//' >help
        sections "$pages/$(page_of "$c").1" "SYNOPSIS DESCRIPTION OPTIONS NOTES" |
            tr '\n' ' ' | sed 's/ dnabird-[a-z]*(1) says more of it\.//' |
            words | sed 's/:$//' >page # a heading of options has no colon there
        [ -s help ] || echo "$c: no help"
        # of a group the help names the commands as they are typed
        grep -q "^[^	]*	$c	[^	]*	\.	" commands || diff help page | sed "s/^/$c: /"
    done <names | rule "a page says what help COMMAND says"
    mandoc -T lint "$@" 2>&1 | rule "mandoc finds nothing to say of the pages"
    {
        sections "$pages/dnabird-variant.1" DETAILS | grep -qx 'chr20:2,650,000-2,650,500' ||
            echo "variant: no example"
        sections "$pages/dnabird-variant.1" DETAILS | grep -qx -e '--others:' &&
            echo "variant: has what is of variant background"
        sections "$pages/dnabird-variant-background.1" DETAILS |
            grep -qx -e '--others:' || echo "variant background: no details"
        sections "$pages/dnabird.1" "EXIT STATUS" | grep -qx '141' ||
            echo "dnabird: no exit statuses"
        sections "$pages/dnabird-formats.5" "VARIANTS OUT" >formats
        grep -qx REF_MISMATCH formats || echo "formats: no REF_MISMATCH"
        grep -qx BIRD_MAX_AGREE formats || grep -q '^BIRD_MAX_AGREE' formats ||
            echo "formats: no BIRD_MAX_AGREE"
        sections "$pages/dnabird-scores.7" "EFFECTS OF VARIANTS" |
            grep -q deepsea_effect || echo "scores: no deepsea_effect"
        grep -q 'dnabird-formats.*(5)' "$pages/dnabird-variant.1" ||
            echo "variant: does not name dnabird-formats(5)"
    } | rule "the prose of cli.md stands in the page of its command"
else
    skip "a page says what help COMMAND says" mandoc
    skip "mandoc finds nothing to say of the pages" mandoc
    skip "the prose of cli.md stands in the page of its command" mandoc
fi

grep -nE '\]\(|`|\*\*|<!--' "$@" 2>&1 | rule "no Markdown is left in a page"

sed -n '/^## Environment/,/^## /s/^| `\([A-Z_]*\)`.*/\1/p' "$root/docs/cli.md" >variables
{
    [ -s variables ] || echo "none in cli.md"
    while read -r v; do
        grep -qxF "\\fB$v\\fR" "$pages/dnabird.1" || echo "no $v"
    done <variables
} | rule "every environment variable stands in dnabird(1)"

# The same pages at any time, of any awk.
for a in "" mawk gawk "busybox awk" original-awk; do
    [ -z "$a" ] || command -v "${a% *}" >/dev/null || continue
    rm -rf bin again
    mkdir bin again
    if [ -n "$a" ]; then
        printf '#!/bin/sh\nexec %s "$@"\n' "$a" >bin/awk
        chmod +x bin/awk
    fi
    PATH=$work/bin:$PATH SOURCE_DATE_EPOCH=0 TZ=UTC+9 "$root/tools/man.sh" \
        "$program" again 2>&1
    diff -rq "$pages" again | grep '\.[157]' | sed "s/^/awk $a: /"
done | rule "the same pages are made again, by every awk there is"

sed '2s/^[^\t]*/nothing/' options >wrong
{
    awk -v dir="$work" -f "$root/tools/man/pages.awk" commands wrong \
        settings "$root"/docs/{cli,formats,scores}.md 2>log && echo "status 0"
    grep -q "^pages.awk: help --options: 'nothing' is in no row" log || cat log
    ls "$work"/*.1 2>/dev/null
} | rule "tables that do not fit are refused, and no page is written"
end_rules
