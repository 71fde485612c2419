#!/bin/bash
# packaging/python/dnabird.py against the command; prints TAP.
# SPDX-License-Identifier: MIT
#
#   python.sh DNABIRD SOURCE_ROOT LIBDNABIRD
set -u
. "$(dirname "$0")/../support/tap.sh"
needs python3
dnabird=$(realpath "$1") root=$(realpath "$2")
DNABIRD_LIBRARY=$(realpath "$3")
PYTHONPATH=$root/packaging/python PYTHONDONTWRITEBYTECODE=1
export DNABIRD_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE
export OMP_WAIT_POLICY=passive
model=$root/tests/data/model
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$root"/tests/data/variants/{toy.fa,kinds.vcf} .

py() { python3 -c "import dnabird
$1" "${@:2}"; }

# near A B: the same rows; their last column within 1e-6
near() {
    [ -s "$1" ] && [ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] &&
        paste "$1" "$2" | awk -F'\t' '
            { d = $4 - $8; if (d < 0) d = -d
              if ($1 $2 $3 != $5 $6 $7 || d > 1e-6) { print; bad = 1 } }
            END { exit bad }'
}

windows() {
    "$dnabird" promoter -q -m "$model" --strand + -O windows --max-n 1 --stride 30 \
        --no-version toy.fa 2>/dev/null |
        awk -F'\t' -v OFS='\t' '!/^#/ && $7 != "." && $3 - $2 == 70 &&
                $2 % 30 == 0 {
            print $1, $2, $3, $7 }' >want
    py 'import sys
m = dnabird.Model(sys.argv[1], strand="+")
for name, start, end, answer in m.scan("toy.fa", stride=30):
    print(name, start, end, "%.9g" % answer[0][0], sep="\t")' "$model" >got
    cat want got
    near want got
}
ok "windows of a FASTA file are those of 'promoter -O windows'" windows

effects() {
    "$dnabird" variant -q -m "$model" -f toy.fa --no-version \
        --check-ref skip -O tsv kinds.vcf -o want.tsv &&
        py 'import sys
s = dnabird.variants("kinds.vcf", "toy.fa", "got.tsv", sys.argv[1],
                     check_ref=2, no_version=1)
assert s["n_record"] > 30 and s["status"]["OK"] == 23, s
assert s["contigs"] == "1 is chr1, MT is chrM" and s["window_bp"] == 70, s' \
            "$model" && cmp want.tsv got.tsv && [ -s got.tsv ]
}
ok "effects of a VCF are those of 'variant', byte for byte" effects

labels() {
    "$dnabird" init -q --preset tiny --labels 'TF:a,TF:b,HM:c' --window 70 \
        --tokenizer "$root/tests/golden/t_bpe_tiny/tokenizer.json" m &&
        py '
m = dnabird.Model("m")
assert m.labels() == ["a", "b", "c"], m.labels()
x = m.score(["ACGT" * 20, "acgt" * 20])
assert [len(b) for a in x for b in a] == [3, 3] and x[0] == x[1], x'
}
ok "a model of several labels" labels

refusals() {
    py '
def refused(call, words):
    try:
        call()
    except dnabird.Error as e:
        assert e.status < 0 and words in str(e), e
    else:
        raise SystemExit("nothing was refused: " + words)
refused(lambda: dnabird.Model("absent"), "absent")
refused(lambda: list(dnabird.Model().scan("none.fa")), "none.fa")
refused(lambda: dnabird.variants("none.vcf", "toy.fa", "o.vcf"), "none.vcf")
try:
    dnabird.variants("kinds.vcf", "toy.fa", "o.vcf", colour=1)
except TypeError as e:
    assert "colour" in str(e)
else:
    raise SystemExit("an option that there is not")' && [ ! -e o.vcf ]
}
ok "errors are exceptions with the library's sentence" refusals

if python3 -c 'import numpy' 2>/dev/null; then
    ok "arrays, with numpy" py '
import sys
a = dnabird.Model(sys.argv[1]).score(["ACGT" * 20], numpy=True)
assert a[0].shape == (1, 1) and a[0].dtype == "float32", a' "$model"
else
    skip "arrays, with numpy" numpy
fi
ok "no more than 150 lines" [ "$(wc -l <"$PYTHONPATH/dnabird.py")" -le 150 ]
end_rules
