# What the rows of noise_bar.tst share: alleles x.vcf, each on a contig of its
# own of x.fa, and the same the other way round: y.vcf on y.fa, where the
# reference has ALT. SPDX-License-Identifier: MIT
# shellcheck shell=bash

# alleles LENGTH KIND: contigs of at least 2 LENGTH bases with an allele in the
# middle; KIND same: substitutions of one or more bases, length: insertions and
# deletions
alleles() {
    awk -v n="$1" -v kind="$2" '
        function draw(k, s) { while (k--) s = s substr("ACGT", 1 + int(4 * rand()), 1); return s }
        BEGIN { srand(3)
            print "##fileformat=VCFv4.2" >"x.vcf"
            print "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO" >"x.vcf"
            for (i = 1; i <= 12; i++) {
                left = draw(n); right = draw(n)
                if (kind == "same") {
                    k = i % 3 == 0 ? 1 + i % 5 : 1
                    ref = draw(k)
                    do alt = draw(k)
                    while (substr(alt, 1, 1) == substr(ref, 1, 1) || substr(alt, k) == substr(ref, k))
                } else {
                    ref = i % 2 ? draw(1) : draw(1 + i)
                    alt = substr(ref, 1, 1) (i % 2 ? draw(i) : "")
                }
                printf ">v%d\n%s%s%s\n", i, left, ref, right >"x.fa"
                printf "v%d\t%d\t.\t%s\t%s\t.\t.\t.\n", i, n + 1, ref, alt >"x.vcf"
                printf ">v%d\n%s%s%s\n", i, left, alt, right >"y.fa"
            } }'
    awk -F '\t' -v OFS='\t' '!/^#/ { t = $4; $4 = $5; $5 = t } 1' x.vcf >y.vcf
}

# score NAME OPTIONS ...: a line for each allele with this score of model m
score() {
    local name=$1
    shift
    dnabird variant -q -m m -O tsv --no-version "$@" --scores "$name" |
        awk -F '\t' -v name="$name" '
            !/^# / && !at { for (i = 1; i <= NF; i++)
                    if ($i == name || $i ~ "/" name "$") at = at ? at : i
                next }
            !/^#/ { print $1, $6, $at }'
}

# exchanged NAME OPTIONS ...: "N alleles, BAD kept, LARGE": BAD scores do not
# change their sign (to 1e-5) if REF and ALT are exchanged; LARGE is 1 if some
# scores are large
exchanged() {
    local name=$1
    shift
    score "$name" -f x.fa "$@" x.vcf >a
    score "$name" -f y.fa "$@" y.vcf >b
    paste -d ' ' a b | awk '
        { d = $3 + $6
          if ($2 != "OK" || $5 != "OK" || d > 1e-5 || d < -1e-5) bad++
          if ($3 > 2e-5 || $3 < -2e-5) large++ }
        END { printf "%d alleles, %d kept, %d\n", NR, bad, (large > 5) }'
}

# draws NAME SD OPTIONS ...: compare mean, standard deviation and agreement (not
# for logit, whose mean may have another sign than that of diff) of six runs of
# one window and strand with those of one run: "N alike"
draws() {
    local name=$1 sd=$2 k=0 shift strand
    shift 2
    for shift in 0 7 14; do
        for strand in + -; do
            k=$((k + 1))
            score "$name" -f x.fa "$@" --shifts $shift \
                --strand $strand x.vcf | cut -d ' ' -f 3 >one.$k
        done
    done
    score "$name" -f x.fa "$@" --shifts 0,7,14 x.vcf | cut -d ' ' -f 3 >mean
    score "$sd" -f x.fa "$@" --shifts 0,7,14 x.vcf | cut -d ' ' -f 3 >sd
    score agreement -f x.fa "$@" --shifts 0,7,14 x.vcf | cut -d ' ' -f 3 >agreement
    paste -d ' ' mean sd agreement one.[1-6] | awk -v name="$name" '
        function off(a, b, c) { c = a - b; return c > 2e-5 || c < -2e-5 }
        { m = s = same = 0
          for (i = 4; i <= 9; i++) m += $i / 6
          for (i = 4; i <= 9; i++) { s += ($i - m) ^ 2 / 5; same += $i * m > 0 }
          s = sqrt(s)
          ok += !off($1, m) && !off($2, s) && (name == "logit" || !off($3, same / 6))
          if (s > 1e-4) wide++ }
        END { print ok, "alike,", (wide > 5) }'
}
