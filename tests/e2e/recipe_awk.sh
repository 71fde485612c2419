#!/bin/bash
# awk programs of the recipes: calls.awk makes the calls of `evaluate scan`; abeel.awk,
# rates.awk and summits.awk compute what was computed by hand; prints TAP.
# SPDX-License-Identifier: MIT
#
#   recipe_awk.sh PROGRAM SOURCE_ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1") recipes=$(realpath "$2")/tools/train
export DNABIRD_DATA=${recipes%/tools/train}/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# same NAME FILE: standard input is that file
same() {
    diff "$2" - | rule "$1"
}

# 400 bins of 20 bp, some without an answer, with ties
awk 'BEGIN {
    print "#chrom\tstart\tend\tstrand\tprobability\tstatus\traw"
    srand(3)
    for (i = 0; i < 400; i++)
        for (s = 1; s <= 2; s++) {
            p = int(rand() * 20) / 20
            printf "chr1\t%d\t%d\t%s\t%s\t%s\t%s\n", i * 20, i * 20 + 20,
                substr("+-", s, 1), p ? 0.5 : ".", p ? "ok" : "too_many_N", p ? p : "."
        }
}' >windows.tsv
printf 'chr1\t1000\t1001\ta\t0\t+\n' >sites.bed
printf 'stranded\t1\t0.85\nunstranded\t1\t0.85\n' >thresholds
for merge in 0 60 100; do
    [ $merge = 0 ] && true >merge.toml || echo "merge = $merge" >merge.toml
    "$dnabird" evaluate scan -p sites.bed --within 200 --bootstrap 0 --settings merge.toml \
        --thresholds thresholds windows.tsv 2>said |
        awk -F '\t' '$4 ~ /^(calls|false_calls)$/ { print $2, $4, $5 }' |
        sort >wanted
    for both in 0 1; do
        awk -F '\t' -v threshold=0.85 -v merge=$merge -v both=$both \
            -f "$recipes/calls.awk" windows.tsv |
            awk -v mode="$([ $both = 1 ] && echo un)stranded" '
                { n++; d = $2 - 1000; wrong += d > 200 || d < -200 }
                END { print mode, "calls", n; print mode, "false_calls", wrong }'
    done | sort | same "calls.awk: the calls of evaluate scan, merge $merge" wanted
done
[ -s wanted ] || heard | failed "evaluate scan"

# the model `starts` has site_bp 40 and merge_bp 100
demo=$DNABIRD_DATA/genome/chr20_demo.fa.gz
for format in windows tsv; do
    "$dnabird" promoter --raw -r 20:2600000-2900000 --threshold 0.1 -O $format \
        -o $format.tsv "$demo" 2>said || heard | failed "promoter -O $format"
done
awk -F '\t' '!/^#/ { print $8, $6 }' tsv.tsv | sort >wanted
awk -F '\t' -v threshold=0.1 -v merge=100 -v both=0 -v site=40 -f "$recipes/calls.awk" \
    windows.tsv | awk '{ print $2, $6 }' | sort | same "calls.awk: the summits of promoter" wanted
[ "$(wc -l <wanted)" -gt 5 ] || failed "calls of the demo" <wanted

# calls 10 bp from a peak of their strand, 390 bp and 10 bp from one of the other, far off
printf 'chr1\t110\t+\nchr1\t890\t+\nchr1\t510\t-\n' >cage
printf 'chr1\t%d\t%d\t.\t0.9\t+\n' 100 101 500 501 9000 9001 |
    awk -F '\t' -v OFS='\t' -v who=m -v part=p -v asked=5 -f "$recipes/summits.awk" cage - >summits
printf 'm\tp\t5\t3\t2\t2\t1\t10\t0.500\n' | same "summits.awk: distances from peaks" summits

# P = 3/4, R = 2/4 in 1A, so F = .6; 1B all right; 2A and 2B F = .5
{
    printf '1A\tright\tc\t1\n1A\tright\tc\t2\n1A\tright\tc\t3\n1A\twrong\tc\t4\n'
    printf '1A\tfound\tc\t1\n1A\tfound\tc\t2\n'
    printf '1A\tall\tc\t%d\n' 1 2 3 4
    printf '1B\t%s\tc\t1\n' right found all
    for p in 2A 2B; do
        printf '%s\tright\tc\t1\n%s\twrong\td\t1\n' $p $p
        printf '%s\tfound\tc\t1\n%s\tall\tc\t1\n%s\tall\td\t1\n' $p $p $p
    done
} | awk -F '\t' -v n=0 -v prefix=x -v calls=4 -f "$recipes/quantile.awk" \
    -f "$recipes/abeel.awk" >abeel.tsv
{
    printf 'x\t1A\t4\t4\t0.750\t0.500\t0.600\t.\t.\n'
    printf 'x\t1B\t4\t1\t1.000\t1.000\t1.000\t.\t.\n'
    printf 'x\t2A\t4\t2\t0.500\t0.500\t0.500\t.\t.\nx\t2B\t4\t2\t0.500\t0.500\t0.500\t.\t.\n'
    printf 'x\tPPP\t4\t.\t.\t.\t0.600\t.\t.\n' # 4 / (1/.6 + 1 + 2 + 2)
} | same "abeel.awk: precision, recall, F, PPP score" abeel.tsv

# validation: 2 Mb, 10 islands, 6 false calls, 4 of them there; test: 1 Mb, 20 islands
for asked in 1 5 20; do
    printf 'validation\t%d\tc\t%d\t1\t5\t3\t2\n' $asked 0 $asked 1
    printf 'test\t%d\td\t0\t1\t20\t12\t10\n' $asked
done | awk -F '\t' -v n=10 -v genome=10 -v law=law.tsv -f "$recipes/quantile.awk" \
    -f "$recipes/rates.awk" >rates.tsv
awk -F '\t' '$1 == "validation" && $4 == 5 && $2 ~ /^(test|genome)$/ {
    print $2, $5, $8, $9 }' law.tsv >got
# .4 x 20 + 1 = 9 expected, 12 reached; .4 x 10 + 1
printf 'test 9.00 12.00 1.33\ngenome 5.00 . .\n' | sort | diff <(sort got) - |
    rule "rates.awk: expected from the islands"
grep -c "^test	1	1.0	20.0	12	10	12.00	12.00	12.00	0.600" rates.tsv | grep -v '^1$' |
    rule "rates.awk: false calls per Mb and per island"

end_rules
