#!/bin/sh
# Calls of a promoter model on DNA that has no promoters: random sequence.
# SPDX-License-Identifier: MIT
#
#   tools/train/random_dna.sh [-m MODEL] [-n MB] [-s SEED] > random_dna.tsv
#
# MODEL [the shipped one] scans MB [20] Mb each of uniform random bases with 40, 50 and
# 60 % G+C, and of random bases with the dinucleotide frequencies of the demo sequence
# (a Markov chain of order 1; no shuffling, so lengths are free). A row for each: calls
# on either strand, and calls per Mb, at the thresholds for 1 and for 5 false calls per Mb
# on the validation part. Memory: one contig of 1 Mb.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
LC_ALL=C
export LC_ALL
dnabird=$(find_dnabird)
model='' mb=20 seed=1
while getopts m:n:s:h letter; do
    case $letter in
    m) model=$OPTARG ;;
    n) mb=$OPTARG ;;
    s) seed=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done

# bases FREQUENCIES: contigs of 1 Mb; FREQUENCIES has lines "previous next share"
bases() {
    awk -v mb="$mb" -v seed="$seed" '
        { total[$1] += $3; up[$1, $2] = total[$1] }
        END {
            srand(seed)
            split("A C G T", b, " ")
            for (c = 1; c <= mb; c++) {
                print ">random" c
                at = b[1 + int(4 * rand())]
                for (line = 0; line < 10000; line++) {
                    s = ""
                    for (i = 0; i < 100; i++) {
                        u = rand() * total[at]
                        for (k = 1; k < 4 && u >= up[at, b[k]]; k++) { }
                        at = b[k]
                        s = s at
                    }
                    print s
                }
            }
        }'
}

uniform() { # SHARE of G+C
    for p in A C G T; do
        for q in A C G T; do
            echo "$p $q"
        done
    done | awk -v gc="$1" '{ print $1, $2, ($2 == "C" || $2 == "G" ? gc : 1 - gc) / 2 }'
}

dinucleotides() {
    gzip -dc "$here/data/genome/chr20_demo.fa.gz" | awk '
        /^>/ { next }
        { s = last toupper($0)
          for (i = 1; i < length(s); i++) n[substr(s, i, 2)]++
          last = substr(s, length(s)) }
        END { for (w in n) if (w ~ /^[ACGT][ACGT]$/)
                  print substr(w, 1, 1), substr(w, 2), n[w] }' | sort
}

row() { # NAME, sequence on standard input
    bases >"$work/$1.fa"
    for rate in 1 5; do
        n=$("$dnabird" promoter -q ${model:+-m "$model"} --fp-per-mb $rate "$work/$1.fa" |
            grep -vc '^#' || true)
        printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$mb" $rate "$n" \
            "$(awk -v n="$n" -v mb="$mb" 'BEGIN { printf "%.2f", n / mb }')"
    done
    rm "$work/$1.fa"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "# tools/train/random_dna.sh -n $mb -s $seed"
printf 'sequence\tmb\tfp_per_mb\tcalls\tcalls_per_mb\n'
for gc in 40 50 60; do
    uniform .$gc | row gc$gc
done
dinucleotides | row dinucleotides
