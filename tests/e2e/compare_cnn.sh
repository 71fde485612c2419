#!/bin/bash
# tools/bench/compare_cnn.py, where a python3 has torch and numpy: it learns a
# planted word from all kinds of rows, resumes where it stopped, and ignores
# unknown labels; prints TAP. SPDX-License-Identifier: MIT
#
#   compare_cnn.sh
set -u
. "$(dirname "$0")/../support/tap.sh"

compare=$(realpath "$(dirname "$0")/../../tools/bench/compare_cnn.py")
# shellcheck source-path=SCRIPTDIR source=../support/torch_python.sh
. "$(dirname "$0")/../support/torch_python.sh" torch numpy

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Two contigs of 300 bins of 200 bp, every third bin with the word four times,
# on either strand; and tables of sequences with and without it. Label 1 (b) is
# that of label 0 (a) on contig 1, and unknown on contig 2; c is of no catalogue.
"$python" - <<'END'
import random
random.seed(1)
word, other = "TGACTCAGCA", "TGCTGAGTCA"

def letters(n):
    return "".join(random.choice("ACGT") for _ in range(n))

def planted(n, words):
    s = list(letters(n))
    for i in range(4):
        at = 20 + i * (n - 60) // 4
        s[at:at + 10] = random.choice(words)
    return "".join(s)

with open("g.fa", "w") as fasta, open("train.tsv", "w") as train, \
        open("valid.tsv", "w") as valid:
    head = "##dnabird-labels\t1\n##profile\ta\tDHS\tx\tDNase\tNone\t0\n" \
        "##profile\tb\tTF\tx\tF\tNone\t1\n##profile\tc\tTF\tx\tG\tNone\t.\n" \
        "##mask\t2\t1\n#chrom\tstart\tend\tlabels\n"
    train.write(head)
    valid.write(head)
    for contig in "12":
        bins = [planted(200, (word, other)) if i % 3 == 0 else letters(200)
                for i in range(300)]
        fasta.write(">chr%s\n%s\n" % (contig, "".join(bins)))
        for i in range(300):
            text = "." if i % 3 else "0" if contig == "2" else "0,1,2"
            (valid if i > 200 else train).write("%s\t%d\t%d\t%s\n" % (
                contig, 200 * i, 200 * i + 200, text))
for name, n in (("seq.tsv", 600), ("seqv.tsv", 200)):
    with open(name, "w") as out:
        out.write("sequence\tlabel\n")
        for i in range(n):
            s = planted(120, (word,)) if i % 2 else letters(120)
            out.write("%s\t%d\n" % (s, i % 2))
for name, n in (("val.tsv", 600), ("valv.tsv", 200)):
    with open(name, "w") as out:
        out.write("name\tsequence\ty\tz\n")
        for i in range(n):
            s = planted(120, (word, other)) if i % 2 else letters(120)
            y = 50 * (i % 2) + random.gauss(7, 5)
            out.write("r%d\t%s\t%.2f\t%s\n" % (i, s, y, -y if i % 3 else "NA"))
END

learn() {
    "$python" "$compare" --context 200 --batch 16 --passes "$1" --seed 3 \
        "${@:2}" >out 2>said
}
bins=(--train train.tsv --valid valid.tsv -f g.fa --features index:0-1)
above() {
    awk -F '\t' -v least="$2" 'NR > 2 && $5 > least { n++ }
        END { exit n < 1 }' "$1"
}
fails_with() {
    [ "$status" = 1 ] && grep -q -- "$1" said && ! grep -q Traceback said
}

learn 3 "${bins[@]}" --test valid.tsv -o bins
ok 'bins: the word is learned' above bins/validation.tsv 0.9
kept() {
    [ -s bins/test.tsv ] &&
        diff <(grep -v '^#' bins/validation.tsv) <(grep -v '^#' bins/test.tsv)
}
ok 'bins: what --test scores is what was kept' kept
# shellcheck disable=SC2016 # awk's
ok 'bins: rows where nothing is known do not count' \
    awk -F '\t' '$1 == "a" { a = $3 } $1 == "b" { b = $3 }
        END { exit !(a == 198 && b == 99) }' bins/validation.tsv
ok 'medians by class, with the number of labels' \
    grep -q '^validation	DNase	labels 1	median AUROC [01]\.[0-9]*	median' out
learn 3 --train seq.tsv --valid seqv.tsv -o seq
ok 'sequences: the word is learned' above seq/validation.tsv 0.9

learn 3 --train val.tsv --valid valv.tsv --values y,z -o values
ok 'measured values: the word is learned, NA does not count' \
    awk -F '\t' '$1 == "y" || $1 == "z" { n += $5 > 0.8 && $6 > 0.7; rows = rows " " $3 }
        END { exit !(n == 2 && rows == " 200 133") }' values/validation.tsv
learn 1 --train val.tsv --valid valv.tsv --values y,no -o bad
status=$?
ok 'no such column' fails_with "no column 'no'"

# Killed after a pass, the second run ends with the same weights.
sed 's/range(state\["pass"\] + 1, o.passes + 1)/range(state["pass"] + 1, 2)/' \
    "$compare" >short.py
"$python" short.py --context 200 --batch 16 --passes 3 --seed 3 --train seq.tsv \
    --valid seqv.tsv -o again >out 2>said
learn 3 --train seq.tsv --valid seqv.tsv -o again
ok 'interrupted: the same figures' \
    diff seq/validation.tsv again/validation.tsv
learn 5 --train seq.tsv --valid seqv.tsv -o again
status=$?
ok 'other options do not go on' fails_with 'another folder with -o'
learn 1 --train train.tsv --valid valid.tsv -o bad
status=$?
ok 'bins without their genome' fails_with 'need the FASTA files (-f)'
learn 1 "${bins[@]}" --features index:5-6 -o bad
status=$?
ok 'no such labels' fails_with 'no labels of --features index:5-6'
end_rules
