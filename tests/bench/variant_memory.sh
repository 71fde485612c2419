#!/bin/bash
# Memory of `dnabird variant` on a million records, with a model of one layer
# of 16: the same 3,000 changes again and again, which are known, and changes
# that are all distinct, each of which is computed.
# SPDX-License-Identifier: MIT
#
#   variant_memory.sh DNABIRD SOURCE-ROOT
set -eu

# KiB that a million records may take: of distinct changes, which fill the store
# of known windows (twice 64 MiB); and of repeated ones more than 10,000 take.
most=$((256 * 1024)) more=$((8 * 1024))

dnabird=$(realpath "$1") tests=$(realpath "$2")/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_WAIT_POLICY=passive LC_ALL=C
tokenizer=$tests/golden/t_bpe_tiny/tokenizer.json
"$dnabird" init --preset tiny --positions 64 --labels 2 --window 24 \
    --tokenizer "$tokenizer" t0 2>/dev/null
sed 's/"hidden_size": [0-9]*/"hidden_size": 16/
     s/"intermediate_size": [0-9]*/"intermediate_size": 16/
     s/"num_hidden_layers": [0-9]*/"num_hidden_layers": 1/' t0/config.json \
    >config.json
"$dnabird" init --config config.json --labels 2 --window 24 \
    --tokenizer "$tokenizer" m 2>/dev/null

# A contig of seeded letters, and for each of its bases one change.
awk 'BEGIN {
    srand(1)
    print ">c"
    for (i = 0; i < 1000060 / 60; i++) {
        s = ""
        for (k = 0; k < 60; k++) s = s substr("ACGT", int(4 * rand()) + 1, 1)
        print s
    }
}' >c.fa
records() { # how many, distinct or of the first so many bases
    awk -v n="$1" -v of="$2" 'BEGIN {
            OFS = "\t"
            print "##fileformat=VCFv4.2"
            print "##contig=<ID=c>"
            print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO"
            split("C G T A", to, " "); split("A C G T", from, " ")
            for (i in from) next_of[from[i]] = to[i]
        }
        /^>/ {next}
        {for (i = 1; i <= length($0) && m < of; i++) base[m++] = substr($0, i, 1)}
        END {
            for (i = 0; i < n; i++)
                print "c", i % of + 1, ".", base[i % of], next_of[base[i % of]],
                    ".", ".", "."
        }' c.fa
}
kib() { # of a run
    /usr/bin/time -f %M -o kib "$dnabird" variant -m m -f c.fa "$@" 2>said
    cat kib
}

bad=0
printf 'records\tform\tKiB\tKiB of 10,000\tsaid\n'
for form in repeated distinct; do
    of=3000
    [ $form = repeated ] || of=1000000
    records 10000 $of >few.vcf
    records 1000000 $of >many.vcf
    few=$(kib few.vcf -o few.out.vcf.gz)
    many=$(kib many.vcf -o many.out.vcf.gz)
    printf '1000000\t%s\t%s\t%s\t%s\n' $form "$many" "$few" "$(tail -n 1 said)"
    [ "$(gzip -dc many.out.vcf.gz | grep -vc '^#')" = 1000000 ] || bad=1
    [ "$many" -lt $most ] || bad=1
    [ $form = distinct ] || [ $((many - few)) -lt $more ] || bad=1
done
exit $bad
