#!/bin/bash
# Completions of bash, zsh and fish; prints TAP. A missing shell is skipped.
# SPDX-License-Identifier: MIT
#
#   shells.sh PROGRAM SOURCE_ROOT FOLDER
#
# FOLDER has dnabird (bash), _dnabird (zsh) and dnabird.fish.
set -u
. "$(dirname "$0")/../support/tap.sh"
program=$(realpath "$1") root=$(realpath "$2") folder=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data
export HOME XDG_CONFIG_HOME XDG_DATA_HOME
mkdir -p "$work/here/models" "$work/here/models2" "$work/zsh"
cd "$work/here" || exit 1
touch model.txt other.fa

"$program" help --commands | sed 1d >"$work/commands"
"$program" help --options | sed 1d >"$work/options"

# wanted NAME LINE WORDS: add a case
cases=0
wanted() {
    cases=$((cases + 1))
    printf '%s\n' "$2" >>"$work/lines"
    printf '%s\n' "$1" >>"$work/names"
    printf '%s\n' "$3" | tr -s ' ' '\n' | sed '/^$/d' | sort -u >"$work/wanted.$cases"
}

# options COMMAND BEGINNING: its long options
options() {
    awk -F '\t' -v c="$1" -v b="$2" '$1 == c && index("--" $3, b) == 1 {
        print "--" $3 }' "$work/options"
}
# seconds COMMAND
seconds() { cut -f 2 "$work/commands" | sed -n "s/^$1 \([a-z]*\)$/\1/p"; }
formats=$(awk -F '\t' '$1 == "variant" && $2 == "O" { gsub(/\|/, " ", $4); print $4 }' \
    "$work/options")

wanted "a command" "dnabird va" variant
wanted "every command" "dnabird " "help $(cut -f 2 "$work/commands" | grep -v ' ')"
wanted "second words, and no file" "dnabird dataset " "$(seconds dataset)"
wanted "second words beside options" "dnabird finetune " "$(seconds finetune)"
wanted "second words of help" "dnabird help dataset " "$(seconds dataset)"
wanted "options by their beginning" "dnabird variant --s" "$(options variant --s)"
wanted "options of a command of two words" "dnabird variant background --" \
    "$(options "variant background" --)"
wanted "options behind others" "dnabird variant -f other.fa --long --s" \
    "$(options variant --s)"
wanted "an option that stands for a second word" "dnabird evaluate --ml" --mlm
wanted "options behind it" "dnabird evaluate -q --mlm --st" "$(options "evaluate --mlm" --st)"
wanted "and more of them" "dnabird evaluate --mlm --r" "$(options "evaluate --mlm" --r)"
wanted "choices" "dnabird variant --format " "$formats"
wanted "choices behind a letter" "dnabird variant -O " "$formats"
wanted "choices with = between" "dnabird variant --format=t" tsv
wanted "choices that are signs" "dnabird variant --strand " "both + -"
wanted "folders alone" "dnabird variant -m mod" "models models2"
wanted "files" "dnabird variant -f mod" "model.txt models models2"
wanted "files among others" "dnabird dataset rows --apart x -o o.csv oth" other.fa
wanted "a word or a file" "dnabird mutate --motifs j" jaspar
wanted "nothing for a number" "dnabird variant -w " ""
wanted "nothing for a name" "dnabird variant --prefix m" ""
wanted "a folder as an operand" "dnabird info mod" "models models2"
wanted "a file as an operand" "dnabird variant oth" other.fa
wanted "words as an operand" "dnabird bench lin" linear
wanted "nothing where there is no operand" "dnabird mutate oth" ""
wanted "nothing of an unknown command" "dnabird elephant m" ""
while IFS='	' read -r _ command _ operands _; do
    # zsh offers no flag that stands there: --mlm
    [ "$operands" = . ] || [[ $command == *--* ]] ||
        wanted "all options of $command" "dnabird $command --" \
            "$(options "$command" --; [ "$command" != evaluate ] || echo --mlm)"
done <"$work/commands"

# Each prints "[LINE]" and what is offered, a line each, for every line.
bash_offers() {
    # shellcheck disable=SC2016 # for the other shell
    bash --norc -c '. "$1"
        while IFS= read -r line; do
            echo "[$line]"
            # as readline parts words
            read -ra COMP_WORDS <<<"${line//=/ = }"
            [[ $line != *" " ]] || COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _dnabird
            [[ ${#COMPREPLY[@]} == 0 ]] || printf "%s\n" "${COMPREPLY[@]}"
        done <"$2"' bash "$folder/dnabird" "$work/lines"
}
zsh_offers() {
    zsh -f "$root/tests/support/complete.zsh" "$folder" "$work/zsh" "$work/lines"
}
fish_offers() {
    # shellcheck disable=SC2016 # for the other shell
    fish --no-config -c 'source $argv[1]
        while read -l line
            echo "[$line]"
            complete -C $line
        end <$argv[2]' "$folder/dnabird.fish" "$work/lines"
}

for shell in bash zsh fish; do
    there=1
    command -v $shell >/dev/null || there=0
    if [ $there = 1 ]; then
        # a description behind a tab, a folder's slash, what stands before =
        ${shell}_offers 2>"$work/log" | sed 's/\t.*//; s|\([^]]\)/$|\1|; s/^--format=//' |
            awk -v work="$work" '/^\[/ { file = work "/got." ++i; printf "" >file; next }
                { print >file }'
    fi
    for i in $(seq "$cases"); do
        name="$shell: $(sed -n "${i}p" "$work/names")"
        got=$work/got.$i
        if [ $there = 0 ]; then
            skip "$name" $shell
            continue
        fi
        [ -e "$got" ] || echo "no answer" >"$got"
        # an empty word is offered options too
        [[ $(sed -n "${i}p" "$work/lines") == *-* ]] || sed -i '/^-/d' "$got"
        if sort -u "$got" | diff "$work/wanted.$i" - >"$work/diff"; then
            passed "$name"
        else
            { sed -n "${i}p" "$work/lines" && cat "$work/diff" "$work/log"; } |
                failed "$name"
        fi
    done
    rm -f "$work"/got.*
done

# The values of some argument names are listed when the completion is built.
"$program" help --commands >"$work/commands"
"$program" help --options | sed 's/\tFASTA\t/\tELEPHANT\t/' >"$work/options"
unknown() {
    ! awk -v shell=bash -f "$root/tools/completion/tables.awk" "$work/commands" \
        "$work/options" >/dev/null 2>said &&
        grep "what is 'ELEPHANT'" said
}
cd "$work" || exit 1
ok "an argument's name that nothing is known of is refused" unknown
end_rules
