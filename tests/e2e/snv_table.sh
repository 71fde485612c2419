#!/bin/bash
# Tables of all single-base changes by the two shipped models, whole, in shards,
# killed and gone on with, and what `variant --table` takes from them; prints
# TAP. SPDX-License-Identifier: MIT
#
#   snv_table.sh DNABIRD SOURCE-ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1") root=$(realpath "$2")
data=$root/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive

cp "$data"/genome/chr20_demo.fa.gz* .

# regions LEFT RIGHT APART: two regions that touch and one apart, of so many
# bases, across a multiple of a piece's bases
regions() {
    local from=$((2633000 - $1 / 2))
    printf 'chr20\t%d\t%d\n' $((from + $1)) $((from + $1 + $2)) \
        $from $((from + $1)) 2700000 $((2700000 + $3)) >r.bed
    rows=$((3 * ($1 + $2 + $3)))
}

# vcf TABLE: its rows as VCF, every fifth, then an insertion, a deletion and an
# SNV that it does not have
vcf() {
    printf '##fileformat=VCFv4.2\n##contig=<ID=chr20,length=63025520>\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    gzip -dc "$1" | awk -F'\t' -v OFS='\t' '!/^#/ && ++k % 5 == 1 {
        print $1, $2, ".", $4, $5, ".", ".", "."
        ref = $4; at = $2 }
        END { print "chr20", at, ".", ref, ref "GATTACA", ".", ".", "."
              print "chr20", at, ".", ref, ref "A", ".", ".", "." }'
    "$dnabird" mutate -q -m "$data/training/human" -f chr20_demo.fa.gz \
        -r chr20:2710001-2710001 -O table --no-version |
        awk -F'\t' -v OFS='\t' '!/^#/ {print $1, $2, ".", $4, $5, ".", ".", "."}'
}

# model NAME FOLDER OPTIONS...: everything that is to hold of one model's tables
model() {
    local name=$1 m=$2 c
    shift 2
    mutate() { # a process of its own
        exec "$dnabird" mutate -m "$m" -f chr20_demo.fa.gz -R r.bed \
            --no-version -W "$@" 2>>said
    }
    : >said
    (mutate "$@" -t 1 -o "$name.tsv.gz")
    equal "$name: three rows a base" $rows \
        "$(gzip -dc "$name.tsv.gz" | grep -vc '^#')"
    (mutate "$@" -t 2 -o two.tsv.gz)
    equal "$name: 1 and 2 threads: the same bytes" "" \
        "$(cmp "$name.tsv.gz" two.tsv.gz 2>&1)"
    for c in 1 2 3; do
        (mutate "$@" -t 1 -o "$c.tsv.gz" --shard $c/3)
    done
    cat 1.tsv.gz 2.tsv.gz 3.tsv.gz >all.tsv.gz
    equal "$name: shards one behind the other are the whole" "" \
        "$(cmp <(gzip -dc all.tsv.gz) <(gzip -dc "$name.tsv.gz") 2>&1)"

    # as `variant` scores the same changes
    (gzip -dc "$name.tsv.gz" | awk -F'\t' -v OFS='\t' '
        BEGIN { print "##fileformat=VCFv4.2"
            print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO" }
        !/^#/ { print $1, $2, ".", $4, $5, ".", ".", "." }') >whole.vcf
    "$dnabird" variant -q -m "$m" -f chr20_demo.fa.gz -O tsv --no-version \
        --settings <(echo 'top = 0') "$@" --scores "$main" whole.vcf -o want.tsv 2>>said
    equal "$name: the rows are those of variant" "" "$(cmp <(
        gzip -dc "$name.tsv.gz" | grep -v '^# ' |
            awk -F'\t' -v main="$main" -v OFS='\t' '
            NR == 1 { for (i = 1; i <= NF; i++)
                          if ($i !~ "(p|ll)_(ref|alt)$") keep[++k] = i }
            { for (i = 1; i <= k; i++)
                  printf "%s%s", $keep[i], i < k ? OFS : "\n" }') want.tsv 2>&1)"

    # what is taken from it is what would be computed
    vcf "$name.tsv.gz" >v.vcf
    for c in tsv v bed; do
        "$dnabird" variant -q -m "$m" -f chr20_demo.fa.gz -O $c --no-version \
            "$@" v.vcf -o "a.$c" 2>>said
        "$dnabird" variant -m "$m" -f chr20_demo.fa.gz -O $c --no-version \
            "$@" v.vcf --table "$name.tsv.gz" -o "b.$c" 2>took
        equal "$name: variant -O $c with and without the table" "" \
            "$(cmp "a.$c" "b.$c" 2>&1)"
    done
    c=$(((rows + 4) / 5))
    equal "$name: all alleles but 5 came from it" 1 \
        "$(grep -c "$((c + 5)) alleles.* $c alleles from the table" took)"

    if command -v tabix >/dev/null; then
        equal "$name: tabix finds rows" 6 \
            "$(tabix "$name.tsv.gz" chr20:2633001-2633002 | wc -l)"
        tabix -s1 -b2 -e2 all.tsv.gz
        equal "$name: and in joined shards, as in the whole" "" "$(cmp \
            <(tabix all.tsv.gz chr20:2632999-2633003 chr20:2700003) \
            <(tabix "$name.tsv.gz" chr20:2632999-2633003 chr20:2700003) 2>&1)"
    fi

    # stopped by a signal, gone on with
    (mutate "$@" -t 1 -o o.tsv.gz) & pid=$!
    wait_for_mark $pid o.tsv.gz
    kill -TERM $pid
    wait $pid 2>/dev/null
    equal "$name: stopped: not whole, and marked" \
        "143 o.tsv.gz.partial o.tsv.gz.partial.json" "$? $(ls o.tsv* | xargs)"
    : >said
    (mutate "$@" -t 1 -o o.tsv.gz --resume)
    equal "$name: it goes on from the mark" 1 "$(grep -c 'continued after' said)"
    equal "$name: to the same bytes" "" "$(cmp o.tsv.gz "$name.tsv.gz" 2>&1)"
    equal "$name: and the same index" "" \
        "$(cmp o.tsv.gz.tbi "$name.tsv.gz.tbi" 2>&1)"
    rm -f o.tsv* all.*
}

main=llr
regions 20 50 40
model human "$data/training/human" --shifts 0 # one window: with a noise bar rows have more columns
main=diff
regions 4 4 3 # a window of 8 kb each
model regulatory "$data/models/regulatory" -F '*' --shifts 0

# a table of one model is not taken for the other's
"$dnabird" variant -q -f chr20_demo.fa.gz v.vcf --table human.tsv.gz 2>said
equal "another model's table is refused in a line" "1 1 1" \
    "$? $(wc -l <said) $(grep -c 'human.tsv.gz is of another model, ' said)"

# size and time are told once, and not to whom wants silence
printf 'chr20\t2633000\t2634200\n' >long.bed
long() {
    "$dnabird" mutate "$@" -m "$root/tests/data/model" -f chr20_demo.fa.gz \
        -R long.bed --shifts 0 -o long.tsv.gz 2>said
}
long
equal "rows, bytes and time are told beforehand" 1 "$(grep -cE \
    'table of 1200 bases: up to 3600 rows, about 0.[0-9]+ MB, [0-9.]+ (s|min) to go' said)"
long -q
equal "-q silences it" "" "$(cat said)"

end_rules
