# Data of repeats.tst, sourced in the folders of its cases: g.fa, in which a
# piece of 40 bp, `w`, occurs six times and no other word of 16 bp twice, and
# `repeats`. Contig a: at 0, 100, its end and, reverse complemented, at 300; b:
# at 50, in lower case, and a seventh time at 200, truncated to 36 bp by an N;
# c: only w; d: 10 bp. SPDX-License-Identifier: MIT shellcheck shell=bash
awk '
    function random(n, s) {
        for (s = ""; n > 0; n--)
            s = s substr("ACGT", 1 + int(4 * rand()), 1)
        return s
    }
    function turned(s, t, i) {
        for (i = length(s); i > 0; i--)
            t = t substr("TGCA", index("ACGT", substr(s, i, 1)), 1)
        return t
    }
    BEGIN {
        srand(5)
        w = "GATTACAGCCTTAACGTGCATCGGACTTGACCATAGTCCA"
        print ">a one"
        print w random(60)
        print w random(160) turned(w) random(60)
        print w
        print ">b\n" random(50) tolower(w) random(110) substr(w, 1, 36) "NN" random(20)
        print ">c\n" w
        print ">d\nGATTACAGCC"
    }' >g.fa

repeats() { dnabird dataset repeats "$@" g.fa; }

# x.fa: contig a of 6,000 bp, a third of it in lower case; m.bed: some of its
# bases; start: a model of k-mers; learn RUN [OPTION...]: some updates on x.fa
learn_setup() {
    awk 'BEGIN {
        srand(3)
        print ">a"
        for (i = 0; i < 100; i++) {
            s = ""
            for (k = 0; k < 60; k++)
                s = s substr(i % 3 ? "ACGTA" : "acgta", 1 + int(5 * rand()), 1)
            print s
        }
    }' >x.fa
    printf 'chra\t0\t500\na\t1001\t1600\na\t4000\t6000\n' >m.bed
    dnabird init -q --tokenizer "$T/golden/t_bpe_tiny/tokenizer.json" start
}
learn() {
    dnabird pretrain -q --init start --steps 3 --batch 256 --length 64 \
        --pack-tokens 128 --valid-include a:1-1000 --valid-tokens 64 --lr 1e-3 \
        -o "$@" x.fa
}
