#!/bin/bash
# Every option of every command changes what the command writes, or is listed as
# one without an effect: no option is ignored.
# SPDX-License-Identifier: MIT
#
#   option_effects.sh DNABIRD [COMMAND [show]]     prints TAP, a line a command;
#                                         show: also refusals, and runs without an effect
#
# option_effects.txt has lines "= COMMAND | ARGUMENTS" for each command, which
# runs with a small model; below them, a line for each option:
#   NAME VALUE    run with this value too; `-` for a flag. Of several lines and
#                 values one with an effect is enough
#   NAME =        without an effect on what is written (threads, memory, pace)
# Lines before the first command are of all commands. What is compared: standard
# output and files, less times and command lines.
set -u
dnabird=$(realpath "$1")
only=${2-} show=${3-}
here=$(realpath "$(dirname "$0")")
root=$(realpath "$here/../..")
. "$here/../support/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DNABIRD_DATA=${DNABIRD_DATA:-$root/data} OMP_WAIT_POLICY=passive
table=$here/option_effects.txt
PATH=$(dirname "$dnabird"):$PATH

command -v samtools >/dev/null || { echo "1..0 # SKIP samtools is not installed" && exit 0; }

# The data: a folder that each run gets links to. No run writes into a file that is
# there, which the last rule of this test proves.
mkdir "$work/data"
cd "$work/data" || exit 1
. "$root/tests/cli/bins_data.sh"
windows -q 2>/dev/null && learn 2 -q 2>/dev/null
samtools faidx r.fa
cp -r "$root/tests/data/model" t
mkdir more && (cd more && . "$root/tests/cli/masked_data.sh" 2>/dev/null && mv m ../e)
rm -rf more

awk 'BEGIN { print "##fileformat=VCFv4.2\n##contig=<ID=A>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS" }
    !/^>/ && !done++ {
        for (i = 1500; i < 6000; i += 500) {
            r = substr($0, i, 1)
            print "A\t" i "\t.\t" r "\t" (r == "A" ? "C" : "A") "\t.\t.\tXX=1\tGT\t0/1"
        }
    }' r.fa >v.vcf
sed 's/^A\t/b\t/; s/ID=A/ID=b/' v.vcf >renamed.vcf
printf 'b\tA\n' >names.tsv
printf 'A\t1000\t3000\nB\t2000\t4000\n' >some.bed
printf 'A\t1000\t1800\tg\t0\t+\nA\t3000\t4000\th\t0\t-\n' >genes.bed
awk "$draw"'BEGIN { state = 20260102; print "name,sequence,label,other,y"
    for (i = 0; i < 60; i++) {
        s = ""
        for (j = 0; j < 64; j++) s = s substr(i % 2 ? "ACGTGC" : "ACGTAT", 1 + int(6 * draw()), 1)
        print "r" i "," s "," i % 2 "," 1 - i % 2 "," i / 7 + i % 2
    } }' >rows.csv
. "$here/option_effects_data.sh" >"$work/said" 2>&1
cd "$work" || exit 1
find data -exec touch -d '2 seconds ago' {} +
touch -d '1 second ago' begun
contents() { find data -type f -exec sha256sum {} + | sort; }
contents >given

# digest FOLDER: what a run left, less what differs between two equal runs. Files that
# no run touched are older than `begun`. One process for all files of a kind: there are
# a thousand runs.
digest() {
    (
        cd "$1" || exit
        large=() text=()
        varies='seconds|per_second|command|# model|"options"|"output"|^##dnabird|^##bcftools|^ *"dnabird.json"'
        find . -type f ! -path './.*' -newer "$work/begun" | sort >"$work/left"
        while read -r f; do
            [ -e "$work/data/$f" ] && cmp -s "$f" "$work/data/$f" && continue
            case $f in
            *.fai | *.gzi | */checkpoint.safetensors) continue ;;
            esac
            echo "$f"
            case $f in
            *.html) ;; # it holds all options
            *.safetensors) large+=("$f") ;; # and no text
            */training.tsv) untimed "$f" ;;
            *.gz | *.bgz | *.zst) { zcat "$f" 2>/dev/null || zstd -dcq "$f"; } |
                LC_ALL=C grep -avE "$varies" ;;
            *) text+=("$f") ;;
            esac
        done <"$work/left"
        [ ${#large[@]} = 0 ] || sha256sum "${large[@]}"
        [ ${#text[@]} = 0 ] || LC_ALL=C grep -avE "$varies" /dev/null "${text[@]}"
    ) | sha256sum
}

# untimed FILE: a table of training without its columns of time
untimed() {
    awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ /second/ }
        { for (i = 1; i <= NF; i++) if (keep[i]) printf "%s\t", $i; print "" }' "$1"
}

# try LINE: run it beside the data; prints the digest, or "refused"
try() {
    rm -rf run && cp -al data run
    (cd run && eval "dnabird $1" >stdout 2>"$work/said" </dev/null)
    case $? in
    0) digest run ;;
    1 | 2) echo refused ;;
    *) echo "status $?" ;;
    esac
}

# values COMMAND NAME: the values to try, of the command or of all
values() {
    awk -v command="$1" -v name="$2" '
        /^= / { at = substr($0, 3, index($0, " | ") - 3); next }
        $1 == name && (at == "" || at == command) {
            v = $0; sub(/^[^ ]+ /, "", v)
            if (at == "") all[++n] = v; else own[++m] = v
        }
        END { for (i = 1; i <= m; i++) print own[i]
              for (i = 1; !m && i <= n; i++) print all[i] }' "$table"
}

one() { # COMMAND NAME: a line of trouble, or none
    local value line result effect=no
    values "$1" "$2" >values
    [ -s values ] || { echo "--$2: not in option_effects.txt" && return; }
    while read -r value; do
        [ "$value" = = ] && return
        [ "$value" != - ] || value=
        value=${value#- }
        for line in "${lines[@]}"; do
            result=$(try "$1 $line --$2 $value")
            case $result in
            refused)
                # a precision that this processor has no instructions for
                ! grep -q 'has no matrix product for this processor' said || effect=yes
                [ -z "$show" ] || echo "$1 $line --$2 $value: $(tail -n 1 said)" >&2 ;;
            "${base[$line]}") [ -z "$show" ] || echo "NO EFFECT $1 $line --$2 $value" >&2 ;;
            *)
                effect=yes
                [ -n "$show" ] || return
                ;;
            esac
        done
    done <values
    [ $effect = yes ] || echo "--$2 $(tr '\n' ' ' <values): no effect"
}

# Loops read files, not pipes: while a pipe lasts, bash 5.2 keeps the numbers of its
# processes, and takes a later process of such a number for ended before it is. Some
# thousand runs use up all numbers.
declare -A base
declare -a lines
check_command() { # COMMAND: all options with each of its lines
    local line again
    base=() lines=()
    sed -n "s/^= $1 |//p" "$table" >arguments
    while read -r line; do
        lines+=("$line")
        base[$line]=$(try "$1 $line")
        rm -rf first && mv run first && mv said first/said
        again=$(try "$1 $line")
        if [ "${base[$line]}" != "$again" ]; then
            {
                echo "two runs differ, ${base[$line]} and $again: $line"
                diff -rq first run
                diff first/said said
            } | failed "$1: its run"
            return
        fi
    done <arguments
    awk -F '\t' -v c="$1" '$1 == c { print $2 }' options >names
    while read -r name; do one "$1" "$name"; done <names >trouble
    rule "$1: every option has an effect, or is listed as one without" <trouble
}

# Without oneDNN every precision but the default is refused.
dnabird help --options | awk -F '\t' -v low="$(dnabird --version | grep -c '^oneDNN: [^n]')" '
    NR > 1 && (low || $3 != "precision") { print $1 "\t" $3 }' >options
sed -n 's/^= \([a-z -]*\) |.*/\1/p' "$table" | uniq >commands
while read -r command; do
    [ -n "$only" ] && [ "$only" != "$command" ] || check_command "$command"
done <commands
[ -n "$only" ] || cut -f 1 options | sort -u | while read -r command; do
    grep -q -e "^= $command |" -e "^? $command\$" "$table" || echo "$command"
done | rule "every command is in option_effects.txt"
contents | diff given - | rule "no run writes into a file that it reads"
end_rules
