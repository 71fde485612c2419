# Functions of shards.tst, sourced in the folders of its cases.
# SPDX-License-Identifier: MIT shellcheck shell=bash
gzip -dc "$T/../data/genome/chr20_demo.fa.gz" | grep -v '^>' | tr -d '\nN' |
    tail -c +300001 | head -c 12000 >bases
{
    printf '>one\n%s\n>empty\n>two\n' "$(head -c 7000 bases)"
    tail -c 5000 bases | head -c 4000 | fold -w 60 | sed '10,20s/./N/g'
    printf '\n>short\nACGTACGTAC\n>last\n%s\n' "$(tail -c 1000 bases)"
} >g.fa
printf 'two\t0\t10\none\t1000\t2500\none\t2530\t2600\none\t3000\t4000\ntwo\t2000\t3900\n' >r.bed

# whole N COMMAND...: if N concatenated shards equal the output, print its
# number of rows
whole() {
    local n=$1
    shift
    dnabird "$@" -q --no-version >whole || return
    for ((i = 1; i <= n; i++)); do
        dnabird "$@" -q --no-version --shard "$i/$n" || return
    done >parts
    cmp whole parts && grep -vc '^#' whole
}
