#!/bin/bash
# The C examples run on a tiny model, and compile from an installed tree
# through pkg-config, README's also as C++ and with clang; prints TAP.
# SPDX-License-Identifier: MIT
#
#   example.sh EXAMPLE EXAMPLE_SCAN DNABIRD SOURCE_ROOT BUILD_ROOT COMPILER...
# An empty BUILD_ROOT: nothing is installed.
set -u
. "$(dirname "$0")/../support/tap.sh"
strings=$(realpath "$1") example=$(realpath "$2") dnabird=$(realpath "$3")
root=$(realpath "$4") build=$5
shift 5
compiler=("$@")
T=$root/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# What the example should print: the program's track without provenance.
ok "a tiny model" "$dnabird" finetune \
    --train "$T/data/train/prom_core_tata.train600.csv.gz" \
    --tokenizer "$T/golden/t_bpe_tiny/tokenizer.json" --preset tiny --steps 2 \
    --window 70 --stride 70 --no-baselines -o model
{
    echo '>a'
    head -41 "$T/data/train/prom_core_tata.test300.csv" | tail -40 |
        cut -d, -f1
    printf '>empty\n>short\nACGTACGT\n'
} >in.fa
ok "the program's track" "$dnabird" promoter -m model -T 0.5 --no-version \
    in.fa -o want

# Its strings, from its source, through the program: the mean of both strands.
grep -oE '"[ACGT]{60}"' "$T/support/example.c" | tr -d '"' |
    awk '{ print ">s" NR "\n" $0 }' >strings.fa
"$dnabird" promoter -m model -O windows --window 60 --stride 60 --no-version \
    strings.fa 2>said | awk '!/^#/ { p[$1] += $5 / 2 }
    END { for (i = 1; i <= 2; i++) printf "%.4f\n", p["s" i] }' >want_strings
scores() {
    "$@" model >got_strings && cut -f 2 got_strings | paste - want_strings |
        awk '{ d = $1 - $2; if (d > 2e-4 || d < -2e-4) exit 1; n++ }
             END { exit n != 2 }'
}
ok "the example scores its own strings as the program does" scores "$strings"

# fails WORDS COMMAND...: the message has these words, and nothing is printed
fails() {
    "${@:2}" >got 2>said
    [ $? = 1 ] && grep -q "^$1" said && [ ! -s got ]
}
ok "and tells of a missing model" fails 'example: missing' "$strings" missing

same() {
    "$@" model in.fa >got 2>said && grep -v '^# ' got | cmp - want &&
        grep -q '^2808 of 2808 bp, 41 windows' said
}
ok "the example prints the program's track" same "$example"
ok "the example tells what fails" \
    fails 'the sequence: missing.fa: ' "$example" model missing.fa
ok "the example tells of a missing model" \
    fails 'the model: missing' "$example" missing in.fa

if [ -z "$build" ] || ! command -v meson pkg-config >/dev/null; then
    skip "compiles from an installed tree" "meson and pkg-config"
    end_rules
    exit
fi

ok "meson install" \
    meson install -C "$build" --no-rebuild --destdir "$work/dest"
pc=$(find "$work/dest" -name dnabird.pc)
libraries=$(dirname "$(dirname "$pc")")
pkg() {
    PKG_CONFIG_PATH=$(dirname "$pc") pkg-config \
        --define-variable=prefix="$work/dest$prefix" "$@"
}
prefix=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --variable=prefix dnabird)

for e in example example_scan; do
    # shellcheck disable=SC2046 # words wanted
    ok "$e.c compiles with dnabird.pc" "${compiler[@]}" -Wall -Wextra -Werror \
        "$T/support/$e.c" -o "installed_$e" $(pkg --cflags --libs dnabird)
done
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
installed() { same ./installed_example_scan && scores ./installed_example; }
ok "and they run with the installed library" installed

# A program in a locale of its own, here one that is made for the test.
cat >locale.c <<'END'
#include <locale.h>
__attribute__((constructor)) static void begin(void)
{
    setlocale(LC_ALL, "");
}
END
printf '%s\n' LC_CTYPE 'copy "POSIX"' 'END LC_CTYPE' LC_NUMERIC 'decimal_point "<U002C>"' \
    'thousands_sep ""' 'grouping -1' 'END LC_NUMERIC' >comma.def
mkdir locales
localedef -c -i comma.def locales/comma >log 2>&1
comma() { # without leaks, of which the C library has one for LOCPATH
    env LOCPATH="$work/locales" LC_ALL=comma ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$@"
}
name="a locale with a decimal comma: no output instead of a wrong one"
if [ "$(comma bash -c 'printf %.1f 1' 2>log)" = 1,0 ]; then
    # shellcheck disable=SC2046 # words wanted
    "${compiler[@]}" "$T/support/example_scan.c" locale.c -o with_locale \
        $(pkg --cflags --libs dnabird)
    ok "$name" fails ".*this process's locale writes 0,5" comma ./with_locale model in.fa
else
    skip "$name" "localedef and its sources"
fi

# other_compiler NAME COMMAND...: README's example compiles, links and runs
other_compiler() {
    local name="README's example compiles with $1 and runs"
    if ! command -v "$2" >/dev/null; then
        skip "$name" "$2"
    elif [[ ${compiler[*]} = *-fsanitize* || ! -e $libraries/libdnabird.so ]]; then
        skip "$name" "a shared library without sanitizers"
    else
        # shellcheck disable=SC2046 # words wanted
        ok "$name" "${@:2}" -Wall -Werror "$T/support/example.c" -o other \
            $(pkg --cflags --libs dnabird)
        ok "... $1: the same scores" scores ./other
    fi
}
other_compiler "g++, as C++" g++ -x c++
other_compiler "clang++, as C++" clang++ -x c++
other_compiler "clang, as C" clang

cat >train.c <<'END'
#include <dnabird/dnabird.h>
#include <dnabird/train.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    bird_dataset d = {0};
    (void)argc;
    if (bird_dataset_open(&d, argv[1], NULL))
        return 1;
    printf("%lld\n", (long long)d.n);
    bird_dataset_free(&d);
    /* both libraries share one last error */
    return !(bird_dataset_open(&d, "missing.csv", NULL) &&
             strstr(bird_last_error(), "missing.csv"));
}
END
train() {
    # shellcheck disable=SC2046 # words wanted
    "${compiler[@]}" -Wall -Wextra -Werror train.c -o train \
        $(pkg --cflags --libs dnabird_train) &&
        [ "$(./train "$T/data/train/prom_core_tata.test300.csv")" = 300 ]
}
ok "dnabird_train.pc gives the training library" train
for f in "$work/dest$prefix"/bin/dnabird \
    "$work/dest$prefix"/share/dnabird/genome/chr20_demo.fa.gz; do
    [ -s "$f" ] || echo "no $f"
done | rule "the program and its data are installed"
if [ -e "$build/tools/man" ]; then
    for f in man/man1/dnabird.1 man/man1/dnabird-variant-background.1 \
        man/man5/dnabird-formats.5 man/man7/dnabird-scores.7 \
        doc/dnabird/formats.md doc/dnabird/math/variant-scores.md \
        bash-completion/completions/dnabird zsh/site-functions/_dnabird \
        fish/vendor_completions.d/dnabird.fish; do
        [ -s "$work/dest$prefix/share/$f" ] || echo "no $f"
    done | rule "its manual pages and completion are installed"
fi
end_rules
