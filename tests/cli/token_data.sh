# Data of the cases on classes of bases, sourced in their folders: rows of 60 bp in
# words of 3, in each of which the middle base of TAG has the class s, all others o.
# SPDX-License-Identifier: MIT shellcheck shell=bash disable=SC2154 # draw
. "$T/support/draw.sh"

# rows STATE N: a table
rows() {
    awk -v state="$1" -v n="$2" "$draw"'BEGIN {
        print "sequence\tlabel"
        for (i = 0; i < n; i++) {
            at = int(20 * draw())
            s = l = ""
            for (j = 0; j < 20; j++) {
                w = ""
                for (k = 0; k < 3; k++) w = w substr("ACGT", 1 + int(4 * draw()), 1)
                if (j == at) w = "TAG"
                s = s w
                l = l (w == "TAG" ? "oso" : "ooo")
            }
            print s "\t" l
        }
    }'
}
rows 20260401 160 >train.tsv
rows 20260402 60 >test.tsv
dnabird tokenizer kmer -q -o k.json --length 3 --stride 3

learn() { # into the folder run, by more options
    dnabird finetune -q -t 1 --head token --train train.tsv --valid test.tsv \
        --preset tiny --tokenizer k.json --steps 120 --batch 8 --lr 3e-3 -o run "$@"
}
# measure NAME FILE: of the table of evaluate
measure() {
    awk -v name="$1" '$1 == "all/model" && $2 == name { print $3 }' "$2"
}
