#!/bin/bash
# Real variants through dnabird variant, and what it leaves through bcftools,
# tabix and bedtools; prints TAP. SPDX-License-Identifier: MIT
#
#   variant.sh DNABIRD SOURCE-ROOT PART
#     tools: forms and the field's programs   same: what may not change bytes
#     resume: interrupted runs                memory: long inputs
#     two: two runs that write one file
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1") root=$(realpath "$2") part=$3
data=$root/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OMP_WAIT_POLICY=passive

cp "$data/genome/chr20_demo.fa.gz" "$data/genome/chr20_demo.fa.gz.fai" \
    "$data/genome/chr20_demo.fa.gz.gzi" .
gzip -dc "$data/variants/chr20_demo.vcf.gz" >demo.vcf
# one window an allele, but for the programs of the field
bar=(--shifts 0)
[ "$part" != tools ] || bar=()
score() {
    "$dnabird" variant -m "$root/tests/data/model" -f chr20_demo.fa.gz \
        "${bar[@]}" "$@"
}
rows() { gzip -dcf "$1" | grep -vc '^#'; }
# the rows of a table less the provenance, the columns of the variant
numbers() { grep -v '^#' "$1" | cut -f6-; }

tools() {
    score demo.vcf -o o.vcf.gz -W 2>/dev/null
    score demo.vcf -o o.bcf -O b 2>contig
    # a header without lengths is BCF's trouble, not ours
    prints "a header's contig is enough for BCF" 0 \
        bash -c '[ -s o.bcf ]; echo $?'
    with bcftools prints "bcftools view takes the VCF" 988 \
        bash -c 'bcftools view -H o.vcf.gz | wc -l'
    with bcftools prints "bcftools index -n reads the index" 988 \
        bcftools index -n o.vcf.gz
    with bcftools prints "every allele has a status" "988 OK" bash -c \
        'bcftools query -f "%INFO/BIRD_STATUS\n" o.vcf.gz | sort | uniq -c |
         tr -s " " | cut -c2-'
    with bcftools prints "bcftools filters by a field" same bash -c '
        a=$(bcftools view -H -i "abs(BIRD_DIFF) > 0.01" o.vcf.gz | wc -l)
        b=$(bcftools query -f "%BIRD_DIFF\n" o.vcf.gz |
            awk "\$1 > 0.01 || \$1 < -0.01" | wc -l)
        [ $a = $b ] && [ $a -gt 10 ] && echo same'
    with bcftools prints "VCF and BCF say the same" "" bash -c '
        cmp <(bcftools view -H o.vcf.gz) <(bcftools view -H o.bcf)'
    prints "the input is there, byte by byte, but for INFO" "" bash -c '
        cmp <(grep -v "^#" demo.vcf) <(gzip -dc o.vcf.gz | grep -v "^#" |
            sed "s/;BIRD_STATUS=[^\t]*//")'
    with bcftools prints "bcftools annotate carries the fields over" 988 bash -c '
        bcftools view -Oz -o in.vcf.gz demo.vcf && bcftools index in.vcf.gz &&
        bcftools annotate -a o.vcf.gz -c INFO/BIRD_DIFF,INFO/BIRD_STATUS \
            in.vcf.gz | grep -c ";BIRD_DIFF=.*;BIRD_STATUS=OK"'
    with bcftools prints "bcftools norm splits and joins what is Number=A" same \
        bash -c '
        bcftools norm -m +any o.vcf.gz 2>/dev/null | bcftools norm -m -any \
            2>/dev/null | bcftools query -f "%BIRD_DIFF\n" | sort >a
        bcftools query -f "%BIRD_DIFF\n" o.vcf.gz | sort | cmp - a &&
        echo same'
    score demo.vcf -o o.tsv.gz -W 2>/dev/null
    score demo.vcf -o o.bed.gz -W 2>/dev/null
    score demo.vcf -O kipoi -o o.kipoi 2>/dev/null
    with "tabix bcftools" prints "tabix finds rows of the table" same bash -c '
        a=$(tabix o.tsv.gz 20:3000000-3100000 | wc -l)
        b=$(bcftools view -H -t 20:3000000-3100000 o.vcf.gz | wc -l)
        [ $a -gt 10 ] && [ $a -le $b ] && echo same'
    with bedtools prints "bedtools reads the BED" same bash -c '
        printf "20\t3000000\t3100000\n" >q.bed
        a=$(bedtools intersect -u -a o.bed.gz -b q.bed | wc -l)
        b=$(tabix o.bed.gz 20:3000001-3100000 | wc -l)
        [ $a = $b ] && [ $a -gt 10 ] && echo same'
    prints "a table of kipoi-veff2's form has its columns in the first line" \
        $'#CHROM\tPOS\tID\tREF\tALT\tmodel/model/diff' head -1 o.kipoi
    prints "and a row a variant" 988 rows o.kipoi
}

# Variants spelled in other ways: as far right as they go and with letters of
# the reference around them. bcftools norm takes them back, and so do we.
spell() {
    awk -F'\t' '!/^#/ && length($4) != length($5) {
        print "chr20:" $2 - 20 "-" $2 + 400}' demo.vcf >regions
    samtools faidx -r regions chr20_demo.fa.gz | awk '
        /^>/ {if (s) print s; s = ""; next} {s = s $0} END {print s}' >letters
    awk -F'\t' '!/^#/ && length($4) != length($5)' demo.vcf | paste letters - |
        awk -F'\t' -v OFS='\t' '{
            s = $1; at = 21; ref = $5; alt = $6; moved = 0
            if (length(ref) > 1 && length(alt) > 1) next
            put = substr(length(alt) > 1 ? alt : ref, 2)
            gone = length(ref) > 1 ? length(put) : 0
            # the letter behind the change against its first letter
            while (at + moved + gone + 1 < length(s) - 30 &&
                   substr(s, at + moved + gone + 1, 1) == substr(put, 1, 1)) {
                put = substr(put, 2) substr(put, 1, 1)
                moved++
            }
            left = NR % 4; right = NR % 3
            from = at + moved - left
            before = substr(s, from, left + 1)
            after = substr(s, at + moved + gone + 1, right)
            $3 = $3 + moved - left
            $5 = before (gone ? put : "") after
            $6 = before (gone ? "" : put) after
            print moved, $0
        }' | cut -f1,3- >moved
    (grep '^#' demo.vcf; cut -f2- moved) >spelled.vcf
    (grep '^#' demo.vcf; awk -F'\t' '!/^#/ && length($4) != length($5) &&
        (length($4) == 1 || length($5) == 1)' demo.vcf) >plain.vcf
}

same() {
    score demo.vcf -o 1.vcf.gz -t 1 2>/dev/null
    score demo.vcf -o 2.vcf.gz -t 2 2>/dev/null
    prints "1 and 2 threads: VCF" "" cmp 1.vcf.gz 2.vcf.gz
    score demo.vcf -o 1.bcf -t 1 2>/dev/null
    score demo.vcf -o 2.bcf -t 2 2>/dev/null
    prints "1 and 2 threads: BCF" "" cmp 1.bcf 2.bcf
    score demo.vcf -O tsv --no-version -o all.tsv 2>/dev/null
    # another company in a pack, another order: the same bits
    (grep '^#' demo.vcf; grep -v '^#' demo.vcf | awk 'NR % 7 == 3') >some.vcf
    score some.vcf -O tsv --no-version -o some.tsv 2>/dev/null
    prints "a part of the input: the same numbers" "" bash -c '
        cmp <(grep -v "^#" all.tsv | awk "NR % 7 == 3") \
            <(grep -v "^#" some.tsv)'
    (grep '^#' demo.vcf; grep -v '^#' demo.vcf | tac) >back.vcf
    score back.vcf -O tsv --no-version -o back.tsv 2>/dev/null
    prints "the other way round: the same numbers" "" bash -c '
        cmp <(grep -v "^#" all.tsv) <(grep -v "^#" back.tsv | tac)'
    prints "a stream: the same numbers" "" bash -c '
        cmp all.tsv "$0"' <(score - -O tsv --no-version <demo.vcf 2>/dev/null)
    command -v samtools >/dev/null && command -v bcftools >/dev/null || return
    spell
    score plain.vcf -O tsv --no-version -o plain.tsv 2>/dev/null
    score spelled.vcf -O tsv --no-version -o spelled.tsv 2>err.spelled
    prints "hundreds of variants were moved and padded" yes bash -c '
        [ $(awk "\$1 > 0" moved | wc -l) -gt 300 ] &&
        [ $(wc -l <moved) -gt 700 ] && echo yes'
    prints "spelled otherwise: the same numbers" "" bash -c '
        cmp <(cut -f6- plain.tsv) <(cut -f6- spelled.tsv)'
    gzip -dc chr20_demo.fa.gz | sed 's/^>chr/>/' >20.fa
    with bcftools prints \
        "bcftools norm brings the spellings back to the file's own" "" bash -c '
        bcftools norm -f 20.fa -Ov spelled.vcf 2>/dev/null | grep -v "^#" |
            cut -f1,2,4,5 | sort >a
        bcftools norm -f 20.fa -Ov plain.vcf 2>/dev/null | grep -v "^#" |
            cut -f1,2,4,5 | sort | cmp - a'
    bcftools norm -f 20.fa -Ov -o normal.vcf spelled.vcf 2>/dev/null
    score normal.vcf -O tsv --no-version -o normal.tsv 2>/dev/null
    with bcftools prints "and what it writes has the same numbers" "" bash -c '
        cmp <(cut -f3,6- plain.tsv | sort) <(cut -f3,6- normal.tsv | sort)'
}

# Single-base changes of every base of the demo's start: rows of them.
many() { # bases from to
    samtools faidx chr20_demo.fa.gz "chr20:$1-$2" | awk -v at="$1" '
        BEGIN {
            OFS = "\t"
            print "##fileformat=VCFv4.2"
            print "##contig=<ID=chr20,length=63025520>"
            print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO"
            split("C G T A", to, " "); split("A C G T", from, " ")
            for (i in from) next_of[from[i]] = to[i]
        }
        !/^>/ {for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1); print "chr20", at++, ".", c, next_of[c], ".",
                ".", "."}}'
}

# The mark of a killed run, asked to go on with other inputs of the same names
# and sizes.
taken_up_by_others() { # form
    mkdir "others.$1"
    cp chr20_demo.fa.gz* m.vcf "others.$1"
    (
        cd "others.$1" || exit
        refused() { # what is said
            cp "../whole.$f.partial" "../whole.$f.partial.json" .
            score "$2" -o "whole.$f" --resume 2>e
            echo $?
            grep -cF "$1" e
            [ ! -e "whole.$f" ] || echo written
        }
        awk -v OFS="\t" '!/^#/ && !done++ {$6 = 7} 1' ../m.vcf >m.vcf
        refused "m.vcf: its first records are not the" m.vcf >1
        head -20 ../m.vcf >m.vcf
        refused "m.vcf: it has fewer than the" m.vcf >2
        cp ../m.vcf m.vcf
        gzip -dc ../chr20_demo.fa.gz | awk '
            /^>/ {print; next}
            {n += length($0)}
            n > 2500000 && !done++ {$0 = ($0 ~ /^A/ ? "C" : "A") substr($0, 2)}
            {print}' >x.fa
        bgzip -c x.fa >chr20_demo.fa.gz
        rm -f chr20_demo.fa.gz.*
        refused "chr20_demo.fa.gz: its bases are not" m.vcf >3
    )
    prints "$1: a changed record of the same size is refused" $'1\n1' \
        cat "others.$1/1"
    prints "$1: fewer records are refused" $'1\n1' cat "others.$1/2"
    with bgzip prints "$1: a letter of the reference too" $'1\n1' cat "others.$1/3"
}

# A run that is killed once a mark has some hundred records (the first one has
# one). Input - is m.vcf.
killed() { # input output [options]
    "$dnabird" variant -m "$root/tests/data/model" -f chr20_demo.fa.gz \
        "${bar[@]}" "$1" -o "$2" -t 1 "${@:3}" <m.vcf 2>/dev/null & # itself, to be killed
    pid=$!
    wait_until $pid grep -qsE '"records": [0-9]{3}' "$2.partial.json"
    kill -9 $pid
    wait $pid 2>/dev/null
}

resume() {
    needs samtools
    # marks are 2 s apart: input for some seconds more, by the machine's speed
    many 2500001 2502000 >m.vcf
    local start ms n_record more
    start=$(date +%s%N)
    score m.vcf -o speed.tsv -t 1 2>/dev/null
    ms=$((($(date +%s%N) - start) / 1000000 + 1))
    rm speed.tsv
    n_record=$((2000 * 5000 / ms))
    many 2500001 $((2500000 + (n_record < 4000 ? 4000 : n_record > 90000 ? 90000 : n_record))) >m.vcf
    for f in vcf.gz bcf tsv tsv.zst; do
        more=()
        [ $f != tsv.zst ] || more=(-O tsv)
        score m.vcf -o "want.$f" "${more[@]}" 2>/dev/null
        killed m.vcf "whole.$f" "${more[@]}"
        prints "$f: killed, there is nothing under the name" "" \
            bash -c '[ ! -e "$0" ] && [ -s "$0.partial" ]' "whole.$f"
        head -c 100 /dev/urandom >>"whole.$f.partial" # a torn block
        case $f in vcf.gz | bcf) taken_up_by_others $f ;; esac
        if [ $f = tsv ]; then
            prints "another question is refused" 1 bash -c '
                "$0" variant -m "$1" -f chr20_demo.fa.gz --shifts 0 m.vcf --resume \
                    -o whole.tsv --strand + 2>e; a=$?
                grep -q "whole.tsv.partial comes from a run with another" e &&
                    echo $a' "$dnabird" "$root/tests/data/model"
        fi
        score m.vcf -o "whole.$f" "${more[@]}" -t 2 --resume 2>said
        prints "$f: resumed, it is the same file" "" cmp "whole.$f" "want.$f"
        if [ $f = tsv.zst ] && command -v zstd >/dev/null; then
            prints "$f: it can be read to its end" "" bash -c '
                cmp <(zstd -dcq whole.tsv.zst | grep -v "^# ") \
                    <(grep -v "^# " want.tsv)'
        fi
        prints "$f: and was not begun anew" yes \
            bash -c 'grep -q "records of the interrupted run" said && echo yes'
        prints "$f: nothing else is left" "" \
            bash -c 'ls | grep partial; true'
    done
    bcftools view -Ob -o m.bcf m.vcf 2>/dev/null
    for i in m.bcf -; do
        [ $i = - ] || [ -s $i ] || continue
        killed $i from.tsv
        score --resume $i -o from.tsv -t 2 <m.vcf 2>said
        prints "input $i: resumed, it is the same file" "" bash -c '
            cmp <(grep -v "^# " from.tsv) <(grep -v "^# " want.tsv)'
        prints "input $i: and was not begun anew" yes \
            bash -c 'grep -q "records of the interrupted run" said && echo yes'
    done
    prints "--resume without a mark begins anew" yes bash -c '
        "$0" variant -m "$1" -f chr20_demo.fa.gz --shifts 0 m.vcf -r chr20:2500001-2500050 \
            --resume -o r.tsv 2>e; grep -q "nothing to resume" e && [ -s r.tsv ] &&
            echo yes' "$dnabird" "$root/tests/data/model"
}

# A run that has written a block and waits for more: its input is a pipe.
waiting() { # output
    rm -f pipe
    mkfifo pipe
    "$dnabird" variant -m "$root/tests/data/model" -f chr20_demo.fa.gz \
        "${bar[@]}" --no-version - -o "$1" <pipe 2>said &
    pid=$!
    exec 9>pipe
    head -n 800 demo.vcf >&9
    wait_for_mark $pid "$1"
}

# The rest of its input; its status.
let_end() {
    tail -n +801 demo.vcf >&9
    exec 9>&-
    wait $pid
}

two() {
    score demo.vcf --no-version -o want.tsv 2>/dev/null
    waiting o.tsv
    for more in "" --resume; do
        prints "a second run${more:+ with $more} is refused" 1 bash -c '
            "$0" variant -m "$1" -f chr20_demo.fa.gz --shifts 0 --no-version - \
                $2 -o o.tsv <demo.vcf 2>e; a=$?
            grep -q "^dnabird: o.tsv: another run is writing it" e && echo $a' \
            "$dnabird" "$root/tests/data/model" "$more"
    done
    let_end
    prints "the first goes on to its end" 0 echo $?
    prints "and has a whole file" "" cmp o.tsv want.tsv
    prints "without a trace of the second" "" bash -c 'ls | grep partial; true'
    waiting o.tsv
    rm o.tsv.partial
    echo "another's" >o.tsv.partial
    let_end
    prints "a partial file that was taken ends the run" 1 echo $?
    prints "which says so" 1 \
        grep -c "^dnabird: o.tsv: o.tsv.partial is no longer what this run" said
    prints "and removes nothing of the other" "another's" cat o.tsv.partial
    prints "nor what was there" "" cmp o.tsv want.tsv
    rm -f o.tsv*
    if strace -o /dev/null true 2>/dev/null; then
        # no search for leaks under ptrace: it cannot work there
        ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 \
            strace -f -o calls -e trace=flock -e inject=flock:error=ENOLCK \
            "$dnabird" variant -m "$root/tests/data/model" \
            -f chr20_demo.fa.gz "${bar[@]}" --no-version demo.vcf -o o.tsv 2>said
        prints "a file system without locks: written all the same" "" \
            cmp o.tsv want.tsv
        prints "though it was asked" yes bash -c '
            grep -q "ENOLCK.*INJECTED" calls && echo yes'
    fi
}

peak() { # KiB of a command
    /usr/bin/time -f %M -o t "$@" >/dev/null 2>&1 && cat t
}

memory() {
    needs samtools /usr/bin/time
    # one layer of 16: a run of many records in little time
    "$dnabird" init --preset tiny --positions 64 --labels 2 --window 24 \
        --tokenizer "$root/tests/golden/t_bpe_tiny/tokenizer.json" t0 2>/dev/null
    sed 's/"hidden_size": [0-9]*/"hidden_size": 16/
         s/"intermediate_size": [0-9]*/"intermediate_size": 16/
         s/"num_hidden_layers": [0-9]*/"num_hidden_layers": 1/' \
        t0/config.json >config.json
    "$dnabird" init --config config.json --labels 2 --window 24 \
        --tokenizer "$root/tests/golden/t_bpe_tiny/tokenizer.json" m 2>/dev/null
    # what is known has a store of fixed size: here both runs fill it alike
    many 2500001 2503000 >a.vcf
    (cat a.vcf; for _ in $(seq 19); do grep -v '^#' a.vcf; done) >b.vcf
    for f in vcf.gz bcf tsv; do
        x=$(peak "$dnabird" variant -m m -f chr20_demo.fa.gz --shifts 0 a.vcf -o a.$f)
        y=$(peak "$dnabird" variant -m m -f chr20_demo.fa.gz --shifts 0 b.vcf -o b.$f)
        echo "# $f: 3,000 records $x KiB, 60,000 records $y KiB"
        prints "$f: twenty times the records in the same memory" yes \
            bash -c '[ "$1" -lt $(($0 + 3000)) ] && echo yes' "$x" "$y"
    done
}

"$part"
end_rules
