#!/bin/bash
# Commands on large input: a contig of 2^31 + 1 bases, ten million records, a
# million contigs, records of 100 MB. Takes half a GB of disk and, of one
# core, two minutes. SPDX-License-Identifier: MIT
#
#   large.sh BUILD TSV [-l SECONDS] [-c CASE]     also limits.sh --large
#
# Rows as those of limits.sh, the limit being "large", the seconds those of the
# processor. Each case has its expected outcome (same: success with the right
# content; refused: one line with these words) and its largest memory;
# differences go to standard output. shellcheck disable=SC2016 # holds() takes
# its tests as text shellcheck disable=SC2205 # `much A` in brackets is no test
set -eu
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
dnabird=$(realpath "$1/tools/dnabird")
limits_run=$(realpath "$1/tests/fault/limits_run")
touch "$2"
tsv=$(realpath "$2")
shift 2
until=0 only=''
while getopts l:c: option; do
    case $option in
    l) until=$((SECONDS + OPTARG)) ;;
    c) only=$OPTARG ;;
    *) exit 2 ;;
    esac
done
export DNABIRD_DATA=${DNABIRD_DATA:-$here/../../data} LC_ALL=C \
    OMP_WAIT_POLICY=passive XDG_CACHE_HOME=cache HOME=/nonexistent
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bash "$here/data.sh" "$dnabird" "$work" 2>"$work/said"
cd "$work"
header=$'##fileformat=VCFv4.2\n##contig=<ID=chr1>\n##INFO=<ID=X,Number=1,Type=String,Description="x">\n'
columns=$'#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
base=$(sed -n 2p in/toy.fa | cut -c 50)
bad=0

much() { # of this letter: 100 MB
    head -c 100000000 /dev/zero | tr '\0' "$1"
}

wanted() {
    [ -z "$only" ] || [ "$only" = "$1" ] || return 1
    [ $until = 0 ] || [ $SECONDS -lt $until ] || return 1
    ! grep -qF "large	$1	" "$tsv"
}

# try CASE same|WORDS MOST_MIB ARGUMENTS ...; outputs are named o.*
try() {
    local name=$1 expect=$2 most=$3 lines end
    shift 3
    rm -rf o.*
    "$limits_run" -t 3000 took "$dnabird" "$@" 2>err >out </dev/null
    read -r status _ cpu kib <took
    lines=$(grep -vc 'dnabird: warning' err) || true
    if [ "$expect" = same ]; then
        end=same
        [ "$status" = 0 ] || end="status $status"
    else
        end=refused
        grep -qF "$expect" err || end='another line'
        [ "$lines" = 1 ] || end="$lines lines"
        case $status in 1 | 2) ;; *) end="status $status" ;; esac
        [ -z "$(find . -maxdepth 1 -name 'o.*' ! -name '*.partial*')" ] ||
            end='left files'
    fi
    [ "$kib" -le $((most * 1024)) ] || end="$end, $((kib / 1024)) MiB, over $most"
    note "$name" "$1" "$end"
}
note() { # case, command, how it ended
    case $3 in
    same | refused) ;;
    *) bad=1 && echo "$1: $3: $(head -c 500 err)" ;;
    esac
    printf 'large\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$status" "$cpu" "$kib" \
        "$3" >>"$tsv"
}
holds() { # what the run before should have made: a test, as text
    eval "$2" || { bad=1 && echo "$1: not so: $2"; }
}

# --- a contig of 2^31 + 1 bases: 4,095 letters, N, 4,098 letters -------------
letters() { # seed, how many; lines of 63
    awk -v s="$1" -v n="$2" 'BEGIN {
        srand(s)
        for (i = 0; i < n; i++)
            printf "%s", substr("ACGT", int(4 * rand()) + 1, 1)
    }' | fold -w 63
    echo
}
no_end() { bgzip -c | head -c -28; } # blocks without the mark of the end
contig() {
    (echo '>big' && letters 1 4095) | no_end
    yes "$(printf 'N%.0s' {1..63})" | head -n 1024 | no_end >block || true
    awk 'BEGIN { for (i = 0; i < 33288; i++) print "block" }' | xargs -n 1000 cat
    letters 2 4098 | bgzip -c
}
allele() { # position: a change of that base
    local x
    x=$(samtools faidx big.fa.gz "big:$1-$1" | tail -1)
    printf 'big\t%d\t.\t%s\t%s\t.\t.\t.\n' "$1" "$x" "$(tr ACGT CGTA <<<"$x")"
}
if command -v samtools bgzip tabix >/dev/null && wanted contig; then
    contig >big.fa.gz
    printf 'big\t0\t4200\nbig\t2147479000\t2147483649\n' >ends.bed
    try contig same 64 promoter -q -m in/model -T 0 -O bed -R ends.bed -o o.bed.gz \
        -W big.fa.gz
    holds contig '[ -s o.bed.gz.csi ] && [ ! -e o.bed.gz.tbi ]'
    holds contig '[ "$(tabix o.bed.gz big:2147483000-2147483649 | wc -l)" -ge 1 ]'
    try contig same 128 chromatin -q -m in/chromatin/m -O bed -R ends.bed \
        -o o.bed.gz -W big.fa.gz
    holds contig '[ -s o.bed.gz.csi ]'
    (printf '##fileformat=VCFv4.2\n##contig=<ID=big>\n%s' "$columns" && allele 100 &&
        allele 2147483647 && allele 2147483649) >big.vcf
    try contig same 64 variant -q -m in/model -f big.fa.gz big.vcf -o o.vcf.gz -W
    holds contig '[ -s o.vcf.gz.csi ]'
    holds contig '[ "$(gzip -dc o.vcf.gz | grep -c "^big.*STATUS=OK")" = 3 ]'
    try contig same 64 variant -q -m in/model -f big.fa.gz big.vcf -o o.bed.gz -W
    holds contig '[ "$(tabix o.bed.gz big:2147483649-2147483649 | cut -f 3)" = 2147483649 ]'
    # BCF's positions have 32 bits
    try contig 'cannot be written as BCF' 64 variant -q -m in/model -f big.fa.gz \
        big.vcf -o o.bcf
    try contig same 64 mutate -q -m in/model -f big.fa.gz \
        -r big:2147483649-2147483649 --shifts 0 -o o.tsv
    holds contig '[ "$(tail -1 o.tsv | cut -f 3)" = 2147483649 ]'
    try contig 'lies off the end' 64 mutate -q -m in/model -f big.fa.gz \
        -r big:2147483650-2147483660 --shifts 0 -o o.tsv
    rm -f big.*
fi

# --- records in flat memory ---------------------------------------------------
records() { # how many, REF, ALT
    printf '%s%s' "$header" "$columns"
    awk -v n="$1" -v r="$2" -v a="$3" -v p="$4" 'BEGIN {
        for (i = 0; i < n; i++) print "chr1\t" p "\t.\t" r "\t" a "\t.\t.\t." }'
}
flat() { # case, records, REF, ALT, position, options
    local name=$1 n=$2 few
    wanted "$name" || return 0
    records 10000 "$3" "$4" "$5" >few.vcf
    records "$n" "$3" "$4" "$5" >many.vcf
    try "$name" same 64 variant -q -t 1 -m in/model -f in/toy.fa --shifts 0 "${@:6}" \
        few.vcf -o o.vcf.gz
    few=$kib
    try "$name" same $((few / 1024 + 4)) variant -q -t 1 -m in/model -f in/toy.fa \
        --shifts 0 "${@:6}" many.vcf -o o.vcf.gz
    holds "$name" "[ \$(gzip -dc o.vcf.gz | grep -vc '^#') = $n ]"
    rm -f few.vcf many.vcf
}
flat 'records, skipped' 10000000 N '<DEL>' 50
x=$(sed -n 2p in/toy.fa | cut -c 102) # chr1:102, of the table
[ -n "$x" ] || x=$(awk '/^>/ {n++; next} n == 1 {s = s $0} END {print substr(s, 102, 1)}' in/toy.fa)
flat 'records, of a table' 1000000 "$x" "$(tr ACGT CGTA <<<"$x")" 102 \
    --table in/table.tsv.gz

# --- a million contigs --------------------------------------------------------
if wanted contigs; then
    awk 'BEGIN { for (i = 0; i < 1000000; i++) {
            printf ">scaffold_%d\n", i
            print "GATTACAGGTACCATGCATTGCAGGATTACACCGTAGGCTAAGCTTGGCATACGTTGACCAGTTAGCATCGGATTACAGA"
        } }' >c.fa
    try contigs same 1024 promoter -q -t 1 -m in/model -O windows --stride 70 \
        --strand + c.fa -o o.bed.gz -W
    holds contigs '[ "$(gzip -dc o.bed.gz | grep -vc "^#")" -ge 1000000 ]'
    try contigs same 512 promoter -q -t 1 -m in/model -O windows \
        -r scaffold_999999 c.fa -o o.bed
    holds contigs '[ "$(grep -c "^scaffold_999999" o.bed)" -ge 1 ]'
    (printf '##fileformat=VCFv4.2\n' && awk -v c="${columns%?}" 'BEGIN {
        for (i = 0; i < 1000000; i++) print "##contig=<ID=scaffold_" i ",length=80>"
        print c
        for (i = 0; i < 1000000; i += 100)
            print "scaffold_" i "\t4\t.\tT\tC\t.\t.\t." }') >c.vcf
    try contigs same 1536 variant -q -t 1 -m in/model -f c.fa --shifts 0 c.vcf \
        -o o.vcf.gz -W
    holds contigs '[ "$(gzip -dc o.vcf.gz | grep -c "STATUS=OK")" = 10000 ]'
    rm -f c.*
fi

# --- records of 100 MB --------------------------------------------------------
if wanted record; then
    v=(variant -q -t 1 -m in/model -f in/toy.fa --shifts 0)
    (printf '%s%schr1\t50\t.\t%s\tA\t.\t.\tX=' "$header" "$columns" "$base" &&
        much a && echo) >a.vcf
    try record same 512 "${v[@]}" a.vcf -o o.vcf
    try record same 1024 "${v[@]}" a.vcf -o o.bcf
    head -c -1 a.vcf >b.vcf
    try record 'cut short' 512 "${v[@]}" b.vcf -o o.vcf
    (printf '%s%schr1\t50\t.\t%s\t' "$header" "$columns" "$base" && much A &&
        printf '\t.\t.\t.\n') >a.vcf
    try record same 1024 "${v[@]}" a.vcf -o o.vcf
    (printf '%s##x=' "$header" && much a && printf '\n%schr1\t50\t.\t%s\tA\t.\t.\t.\n' \
        "$columns" "$base") >a.vcf
    try record same 1024 "${v[@]}" a.vcf -o o.vcf
    rm -f ./*.vcf
    (printf 'chr1\t100\t104\t' && much a && echo) >a.bed
    try record '16 MiB' 64 mutate -q -t 1 -m in/model -f in/toy.fa -R a.bed -o o.tsv
    (printf 'chr1\t100\t104\t' && much a && echo) | head -c -1 >a.bed
    try record '16 MiB' 64 mutate -q -t 1 -m in/model -f in/toy.fa -R a.bed -o o.tsv
    rm -f a.bed
    (echo '>a' && much A && echo) >a.fa
    try record same 768 tokenize --tokenizer in/bpe.json -O tokens a.fa
    try record same 64 promoter -q -t 1 -m in/model -r a:99999001-100000000 a.fa -o o.bed
    rm -f a.fa*
    (printf '>' && much A && printf '\nACGT\n') >a.fa
    try record 'a name of over 4096 bytes' 64 promoter -q -t 1 -m in/model a.fa -o o.bed
    (echo '>' && much A && echo) >a.fa
    try record 'has no name' 64 promoter -q -t 1 -m in/model a.fa -o o.bed
    rm -f a.fa*
    for file in dnabird config; do
        rm -rf m && cp -r in/model m
        (printf '{"x":"' && much a && printf '",' && tail -c +2 in/model/$file.json) \
            >m/$file.json
        try record same 640 promoter -q -t 1 -m m in/toy.fa -o o.bed
    done
    rm -rf m && cp -r in/model m
    (printf '{"x":' && much '[') >m/config.json
    try record 'maximum parsing depth' 256 promoter -q -t 1 -m m in/toy.fa -o o.bed
    rm -rf m
    (sed 's/"vocab": *{.*/"vocab":{"/' in/bpe.json | tr -d '\n' && much A &&
        printf '":%d,' 999999 && tr -d '\n' <in/bpe.json | sed 's/.*"vocab": *{//') >t.json
    try record same 640 tokenize --tokenizer t.json in/toy.fa -o o.tsv
    "$dnabird" tokenize --tokenizer in/bpe.json in/toy.fa -o want.tsv
    holds record 'cmp o.tsv want.tsv'
    rm -f t.json
fi
exit "$bad"
