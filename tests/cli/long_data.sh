# Data of long.tst, sourced in the folders of its cases. s.fa has 200,000 bases
# of the demo sequence; b.fa has them after a hole of $n bases, so that from
# about the 100,000th on their positions are beyond 2^31. $n is a multiple of
# 3,600, the bases that a window of the shipped model scores. If the file system
# cannot hold such a file, b.fa is s.fa and $n is 0: then the cases test
# nothing. SPDX-License-Identifier: MIT shellcheck shell=bash
n=2147385600
gzip -dc "$DATA/genome/chr20_demo.fa.gz" | sed 1d | tr -d '\n' |
    tail -c +2300001 | head -c 200000 >s
(echo '>big' && cat s && echo) >s.fa
echo '>big' >b.fa
if truncate -s $((n + 5)) b.fa; then
    (cat s && echo) >>b.fa
    printf 'big\t%d\t5\t%d\t%d\n' $((n + 200000)) $((n + 200000)) \
        $((n + 200001)) >b.fa.fai
else
    n=0
    cp s.fa b.fa
fi

# at POSITION [SHIFT]: a VCF with one change at this base of s.fa, moved by
# SHIFT.
at() {
    local base
    base=$(tail -c "+$1" s | head -c 1)
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    printf 'big\t%d\t.\t%s\t%s\t.\t.\t.\n' "$((${2-0} + $1))" "$base" \
        "$(echo "$base" | tr ACGT CGTA)"
}
