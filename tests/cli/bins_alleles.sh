# Functions of bins_variant.tst, after bins_data.sh and with a model m.
# SPDX-License-Identifier: MIT shellcheck shell=bash

# bases FASTA CONTIG FIRST LAST
bases() {
    awk -v n=">$2" -v a="$3" -v b="$4" '
        /^>/ { on = $0 == n; next }
        on { printf "%s", substr($0, a, b - a + 1) }' "$1"
}

header=$'##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'

# snvs CONTIG POSITION ...: a VCF with a transition at each position of r.fa
snvs() {
    local fasta=r.fa contig=$1 at ref
    [ ! -e s.fa ] || fasta=s.fa
    shift
    printf '%s' "$header"
    for at; do
        ref=$(bases $fasta "$contig" "$at" "$at")
        printf '%s\t%s\t.\t%s\t%s\t.\t.\t.\n' "$contig" "$at" "$ref" \
            "$(echo "$ref" | tr ACGT GTAC)"
    done
}

# swap VCF: swapped.vcf for swapped.fa, whose bases are the ALTs
swap() {
    awk -F '\t' -v OFS='\t' '
        NR == FNR && /^#/ { print >"swapped.vcf"; next }
        NR == FNR { alt[$1, $2] = $5; at[++n] = $2; of[n] = $1
            t = $4; $4 = $5; $5 = t; print >"swapped.vcf"; next }
        /^>/ { name = substr($0, 2); print >"swapped.fa"; next }
        { for (i = 1; i <= n; i++)
              if (of[i] == name)
                  $0 = substr($0, 1, at[i] - 1) alt[name, at[i]] \
                      substr($0, at[i] + 1)
          print >"swapped.fa" }' "$1" r.fa
}

# s OPTIONS ...: log odds of all four labels, columns 9 to 12 of 12
s() {
    dnabird variant -q -m m -O tsv --no-version -F '*' --scores logit "$@" |
        grep -v '^#' |
        awk -v OFS='\t' '{ print $1, $2, $3, $4, $5, $6, $7, $8,
            $(NF - 4), $(NF - 3), $(NF - 2), $(NF - 1) }'
}

# one POSITION LENGTH ALT: an allele of contig B; "ok" if its score equals that
# of scans
one() {
    local at=$1 n=$2 alt=$3 d start=2600 end ref
    end=$((start + 1000))
    d=$((${#alt} - n))
    ref=$(bases r.fa B "$at" $((at + n - 1)))
    printf '%sB\t%s\t.\t%s\t%s\t.\t.\t.\n' "$header" "$at" "$ref" \
        "$alt" >one.vcf
    # the window, the one that keeps its start, the one that keeps its end
    printf '>ref\n%s\n>L\n%s\n>R\n%s\n' \
        "$(bases r.fa B $((start + 1)) $end)" \
        "$(bases r.fa B $((start + 1)) $((at - 1)))$alt$(
            bases r.fa B $((at + n)) $((end - d)))" \
        "$(bases r.fa B $((start + 1 + d)) $((at - 1)))$alt$(
            bases r.fa B $((at + n)) $end)" >windows.fa
    dnabird chromatin -q -m m --raw -F '*' -O tsv windows.fa |
        awk -v from=$((at - 1 - start - 120)) \
            -v to=$((at - 1 + n - start + 120)) '
            !/^#/ && $3 > from && $2 < to {
                k++
                for (i = 6; i <= 9; i++)
                    sum[$1, i] += log($i / (1 - $i)) }
            END { for (i = 6; i <= 9; i++)
                      printf "%.9f\n", 3 / k * ((sum["L", i] + sum["R", i]) / 2 - sum["ref", i]) }' >want
    s --shifts 0 --tokens free -f r.fa --span 120 one.vcf | cut -f 9-12 | tr '\t' '\n' |
        paste want - | awk -v at="$at" '
            { d = $1 - $2; if (d > 2e-5 || d < -2e-5) bad = bad " " $0
              if ($1 > 5e-4 || $1 < -5e-4) large++ }
            END { print "B", at, (bad == "" && NR == 4 && large ? "ok" : bad) }'
}
