#!/bin/bash
# Regions give the same output with or without an index, and alone or as part of
# the whole; prints TAP. SPDX-License-Identifier: MIT
#
#   regions.sh DNABIRD SOURCE-ROOT PART
#     index: a VCF's index changes what is read, and nothing else
#     pieces: windows, bins and records of a piece are those of the whole
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1") root=$(realpath "$2") part=$3
model=$root/tests/data/model
export OMP_WAIT_POLICY=passive
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache

variant() { "$dnabird" variant -m "$model" -f g.fa --no-version "$@"; }

# Two contigs, and records of them in another order than the reference has
# them: changes that no model scores, some that one does, and deletions that
# an END makes long.
make_records() {
    awk 'BEGIN {
        srand(4)
        for (c = 1; c <= 2; c++) {
            n = c == 1 ? 200000 : 60000
            print ">" substr("AB", c, 1) >"g.fa"
            for (i = 1; i <= n; i++) {
                s = substr("ACGT", 1 + int(rand() * 4), 1)
                base[c, i] = s
                printf "%s", s >"g.fa"
            }
            print "" >"g.fa"
        }
        OFS = "\t"
        print "##fileformat=VCFv4.2"
        print "##INFO=<ID=END,Number=1,Type=Integer,Description=\"end\">"
        print "##contig=<ID=A,length=200000>"
        print "##contig=<ID=B,length=60000>"
        print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO"
        for (c = 2; c >= 1; c--)
            for (i = 1 + int(rand() * 30); i < (c == 1 ? 199000 : 59000);
                 i += int(rand() * 40)) {
                k++
                info = "."; alt = "<X>"
                if (k % 400 == 0)
                    alt = base[c, i] == "A" ? "C" : "A"
                else if (k % 150 == 0) {
                    end = i + 10 + int(rand() * (k % 900 ? 300 : 70000))
                    info = "END=" (end > 199000 ? 199000 : end)
                    alt = "<DEL>"
                }
                print substr("AB", c, 1), i, "r" k, base[c, i], alt, ".", ".", info
            }
    }' >x.vcf
    mkdir tbi csi none
    bgzip -c x.vcf >tbi/x.vcf.gz
    cp tbi/x.vcf.gz csi
    cp tbi/x.vcf.gz none
    bcftools view --no-version -Ob -o csi/x.bcf x.vcf
    cp csi/x.bcf none
    tabix -p vcf tbi/x.vcf.gz
    bcftools index -c csi/x.vcf.gz
    bcftools index csi/x.bcf
}

number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" j; }

# same FORM REGIONS...: all inputs give the same bytes as the plain file; those
# with an index use it
same() {
    local form=$1 f
    shift
    variant -O "$form" "$@" --json j -o want x.vcf 2>/dev/null || return 1
    [ "$(number by_index)" = 0 ] || return 1
    for f in none/x.vcf.gz tbi/x.vcf.gz csi/x.vcf.gz none/x.bcf csi/x.bcf; do
        echo "$f"
        variant -O "$form" "$@" --json j -o got $f 2>/dev/null || return 1
        case $f in
        none/*) [ "$(number by_index)" = 0 ] ;;
        *) [ "$(number by_index)" = 1 ] ;;
        esac || return 1
        # the header of a BCF is written anew by whoever makes it
        case $form-$f in
        [vz]-*.bcf)
            cmp <(gzip -dcf got | grep -v '^##') \
                <(gzip -dcf want | grep -v '^##')
            ;;
        [ub]-*.bcf) cmp <(bcftools view -H got) <(bcftools view -H want) ;;
        *) cmp got want ;;
        esac || return 1
    done
}

# ids REGIONS FILE: ids of the output records
ids() { variant -O tsv -r "$1" "$2" 2>/dev/null | tail -n +2 | cut -f3; }

as_bcftools() {
    local r
    for r in A:100001-101000 B:5 A:5-9,B:30000-30100,A:120000-120010 A:77777 \
        A:150000-,B:1-10 A:1-20,A:15-40,A:30; do
        ids $r tbi/x.vcf.gz >got
        bcftools view -H -r $r tbi/x.vcf.gz | cut -f3 | sort >want
        sort got | cmp - want || return 1
        # once each, in the order of the file
        [ -z "$(sort got | uniq -d)" ] && sort -V got | cmp - got || return 1
    done
}

few() {
    variant -O tsv -r A:100001-101000 --json j -o o.tsv tbi/x.vcf.gz &&
        [ "$(number records)" -gt 20 ] && [ "$(number records)" -lt 300 ]
}

# Bytes that no region needs are never read.
unread() {
    local size
    mkdir damaged
    cp tbi/* damaged
    size=$(stat -c %s damaged/x.vcf.gz)
    head -c 200 /dev/urandom | dd of=damaged/x.vcf.gz bs=1 conv=notrunc \
        seek=$((size / 2)) 2>/dev/null
    touch damaged/x.vcf.gz.tbi
    variant -O tsv -r A:190001-191000,B:1-500 -o got damaged/x.vcf.gz &&
        variant -O tsv -r A:190001-191000,B:1-500 -o want x.vcf &&
        cmp got want && rm damaged/x.vcf.gz.tbi &&
        ! variant -O tsv -r A:190001-191000 -o got damaged/x.vcf.gz
}

# An index that may belong to another file is not used, with a message.
older() {
    mkdir old
    cp tbi/* old
    touch -d '2001-01-01' old/x.vcf.gz.tbi
    variant -O tsv -r A:5000-5100 --json j -o got old/x.vcf.gz 2>said &&
        grep -q 'x.vcf.gz.tbi is older' said && [ "$(number by_index)" = 0 ] &&
        variant -O tsv -r A:5000-5100 -o want x.vcf && cmp got want &&
        echo nonsense >old/x.vcf.gz.tbi &&
        variant -O tsv -r A:5000-5100 -o got old/x.vcf.gz 2>said &&
        grep -q 'x.vcf.gz.tbi' said && cmp got want
}

# A newer index of another file is refused where it is wrong.
foreign() {
    mkdir foreign
    (grep '^#' x.vcf; grep ^A x.vcf; grep ^B x.vcf) | bgzip -c >foreign/x.vcf.gz
    cp tbi/x.vcf.gz.tbi foreign
    ! variant -O tsv -r A:190000-190100 -o got foreign/x.vcf.gz 2>said &&
        grep -q 'foreign/x.vcf.gz: .*index' said
}

short() {
    mkdir short
    head -c -28 tbi/x.vcf.gz >short/x.vcf.gz
    cp tbi/x.vcf.gz.tbi short
    ! variant -O tsv -r A:5000-5100 -o got short/x.vcf.gz 2>said &&
        grep -q 'cut short' said && [ ! -e got.partial ]
}

index() {
    needs bgzip tabix bcftools
    make_records
    printf 'A\t5000\t5400\nA\t5300\t9000\nB\t100\t200\nA\t60000\t60001\n' >r.bed
    ok "tsv: the same bytes by an index or without" \
        same tsv -r A:100001-101000,B:5 -r A:120000
    ok "VCF: the same bytes" same v -R r.bed
    ok "bgzipped VCF: the same bytes" same z -r B -R r.bed
    ok "BCF: the same bytes" same b -r A:150000-160000
    ok "no record there: the same bytes" same tsv -r A:199990-200000
    ok "the records are those of bcftools, once, in the file's order" \
        as_bcftools
    ok "a few records are read for a region" few
    ok "the rest of the file is not" unread
    ok "an index older than the file is not used" older
    ok "another file's index is refused" foreign
    ok "a file cut short is refused with its index" short
}

# overlap CONTIG START END: rows of the whole that overlap, START from 1
overlap() {
    awk -F'\t' -v c="$1" -v a="$2" -v b="$3" \
        '!/^#/ && $1 == c && $2 < b && $3 >= a' whole
}

# borders: at a contig's ends, inside a window, across many
places='one:1-1 one:1-70 one:1001-1500 one:1501-3777 one:5990-6000 one:6000-6000
two:2999-3000 two:600-1700 short:5-6 one:35-35'

# rows COMMAND...: rows of each region and of all regions at once are the same
# bytes
rows() {
    local p a b all=
    "$@" in.fa 2>/dev/null >whole || return 1
    for p in $places; do
        a=${p#*:} b=${a#*-} a=${a%-*}
        "$@" -r $p in.fa 2>/dev/null | grep -v '^#' >got
        overlap "${p%:*}" $a $b >want
        echo "$p: $(wc -l <got)"
        [ -s got ] && cmp got want || return 1
        all+="$(cat want)"$'\n'
    done
    "$@" -r "${places//[[:space:]]/,}" in.fa 2>/dev/null | grep -v '^#' | sort >got
    printf %s "$all" | sort -u >want
    cmp got want
}

windows() { "$dnabird" promoter -m "$model" --no-version -O windows "$@"; }
bins() {
    "$dnabird" chromatin -m m --bin 200 --context 600 --max-n 0.8 --no-version "$@"
}

# base by base: the values of the whole, and none beyond the region
values() {
    local p a b
    "$dnabird" promoter -m "$model" --no-version -O bedgraph in.fa >whole
    for p in $places; do
        a=${p#*:} b=${a#*-} a=${a%-*}
        "$dnabird" promoter -m "$model" --no-version -O bedgraph -r $p in.fa |
            each >got
        overlap "${p%:*}" $a $b | each | awk -v a=$a -v b=$b \
            '$2 >= a - 1 && $2 < b' >want
        echo "$p: $(wc -l <got)"
        cmp got want || return 1
    done
    [ "$(wc -l <got)" = 1 ]
}
each() {
    awk -F'\t' -v OFS='\t' '!/^#/ { for (i = $2; i < $3; i++) print $1, i, $4 }'
}

records() {
    local p a b f
    variant -O tsv d.vcf 2>/dev/null | tail -n +2 >whole
    for f in d.vcf d.vcf.gz; do
        [ -e $f ] || continue
        for p in one:100-100 one:1000-2000 two:1-300 one:5900-6000; do
            a=${p#*:} b=${a#*-} a=${a%-*}
            variant -O tsv -r $p $f 2>/dev/null | tail -n +2 >got
            awk -F'\t' -v c="${p%:*}" -v a=$a -v b=$b '$1 == c && $2 <= b &&
                $2 + length($4) > a' whole >want
            echo "$f $p: $(wc -l <got)"
            [ -s got ] && cmp got want || return 1
        done
    done
}

pieces() {
    gzip -dc "$root/data/genome/chr20_demo.fa.gz" | grep -v '^>' |
        tr -d '\nN' | tail -c +300001 | head -c 9000 >bases
    {
        echo '>one first'
        head -c 6000 bases | fold -w 60
        printf '\n>empty\n>two\n'
        tail -c 3000 bases | fold -w 70 | sed '10,20s/./N/g'
        printf '\n>short\nACGTACGTAC\n'
    } >in.fa
    cp in.fa g.fa
    "$dnabird" init --preset tiny --labels 'TF:a,TF:b' --window 600 \
        --tokenizer "$root/tests/golden/t_bpe_tiny/tokenizer.json" m 2>/dev/null
    ok "promoter: windows of a piece are those of the whole" rows windows
    ok "promoter: a track of a piece is that of the whole" values
    ok "chromatin: bins of a piece are those of the whole" rows bins
    awk -v OFS='\t' 'BEGIN {
        print "##fileformat=VCFv4.2"
        print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO" }
        /^>/ { c = substr($1, 2); at = 0; next }
        { for (i = 1; i <= length($0); i++)
            if (++at % 100 == 0 && substr($0, i, 1) != "N")
                print c, at, ".", substr($0, i, at % 300 ? 1 : 9),
                    substr($0, i, 1) (at % 300 ? "T" : ""), ".", ".", "." }' \
        in.fa >d.vcf
    if command -v bgzip >/dev/null && command -v tabix >/dev/null; then
        bgzip -c d.vcf >d.vcf.gz
        tabix -p vcf d.vcf.gz
    fi
    ok "variant: records of a piece are those of the whole" records
}

"$part"
end_rules
