#!/bin/bash
# Evaluate log-likelihood ratios of masked-language models on alleles.
# SPDX-License-Identifier: MIT
#
#   tools/train/zero_shot_scores.sh [-d DATA] [-o RUNS] [-s ALLELES] [HUMAN [YEAST]]
#
# HUMAN [data/training/human] and YEAST [data/training/zero_shot/yeast] score single
# bases, log p(ALT) - log p(REF) at the masked position, one window, both strands
# (llr). Nothing is chosen: the score and its sign are fixed here.
#
# rare: 1000 Genomes, chr20:1-2 Mb (test part). Rare (AC = 1 of 5,008) or common
#   (0.05 <= AF <= 0.95), matched 1 to 9: for every rare allele nine common ones
#   of the same change of the same three bases (either strand), so that CpG is
#   matched too; rare ones for which there are fewer are left out. Positive is
#   rare, score is -llr. ALLELES [1000] is the number, rare and common.
# mpra: the 16 experiments of mpra.sh, ALLELES of all experiments of a part;
#   positive has P < 1e-5 and |effect| > 0.2, 10 barcodes or more, score is -llr;
#   means over elements, HBG1, LDLR, SORT1, ZRS (as "choose": nothing is chosen)
#   and the seven others.
# yeast: chromosomes XIII to XVI (test part), ALLELES random changes of each class.
#   Coding: the longest frame from ATG to the first stop in a transcript, if it
#   covers 60 % or more of the transcript; start, stop: these codons of it;
#   between: bases 100 bp or more away from every transcript. Positive is coding,
#   start or stop, negative is between, score is -llr.
# Baselines without conservation come from `dnabird evaluate variants`: G+C, CpG,
# transversion; in human sequence also nearness to the middle and k-mers of
# data/models/regulatory. Intervals are from 1,000 resamples.
# RUNS/zero_shot_scores/table.tsv has all results. Finished steps are not repeated.
set -euo pipefail
export LC_ALL=C
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=1000
take_options "$@"
shift $((OPTIND - 1))
data=$(find_data "$data")
human=${1:-$here/data/training/human}
yeast=${2:-$here/data/training/zero_shot/yeast}
dnabird=$(find_dnabird)
run=$runs/zero_shot_scores
mkdir -p "$run"

# Every number is a function of the allele. draw N: of the lines of stdin (with a key
# in their first column) the N with the smallest numbers.
draw() {
    awk -F '\t' -v OFS='\t' '
        { x = 7
          for (i = 1; i <= length($1); i++)
              x = (x * 31 + index("0123456789ACGTIVX:abcdefghijklmnopqrstuvwxyzBDEFHJKLMNOPQRSUWYZ._-", substr($1, i, 1))) % 2147483647
          for (i = 0; i < 3; i++)
              x = (x * 16807) % 2147483647
          print x, $0 }' | sort -k1,1n -k2 | awk -v n="$1" 'NR <= n' | cut -f 2-
}

vcf_head() {
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
}

# as_vcf: "key, contig, pos, ref, alt" on stdin to VCF, in order
as_vcf() {
    vcf_head
    sort -t '	' -k2,2 -k3,3n | awk -F '\t' -v OFS='\t' '
        !seen[$2, $3, $4, $5]++ { print $2, $3, ".", $4, $5, ".", ".", "." }'
}

# score NAME MODEL FASTA: NAME.tsv of NAME.vcf: the four columns and -llr
score() {
    [ ! -s "$run/$1.tsv" ] || return 0
    run "$dnabird" variant -q -t 1 -m "$2" -f "$3" -O tsv --shifts 0 \
        --tokens free --max-n 1 --scores llr -o "$run/$1.scored" "$run/$1.vcf"
    awk -F '\t' -v OFS='\t' '
        /^# / { next }
        /^#/ { for (i = 1; i <= NF; i++) at[$i] = i
               print "#CHROM", "POS", "REF", "ALT", "minus_llr"; next }
        $at["STATUS"] == "OK" { print $1, $2, $4, $5, -$at["llr"] }' \
        "$run/$1.scored" >"$run/$1.part"
    mv "$run/$1.part" "$run/$1.tsv"
}

# measure NAME OPTIONS...: NAME.figures.tsv of NAME.tsv
measure() {
    local name=$1
    shift
    run "$dnabird" evaluate variants -q -t 1 --no-version --scores minus_llr \
        --signed --seed 1 -o "$run/$name.figures.tsv" "$@" "$run/$name.tsv"
}

# ---- rare and common ----------------------------------------------------

rare() {
    [ -s "$run/rare.vcf" ] || {
        zcat "$chr20" | awk '
            /^>/ { next }
            at < 2000100 && at + length($1) > 999900 {
                if (first == "") first = at
                text = text $1
            }
            { at += length($1) }
            END { print first; print text }' >"$run/rare.seq"
        zcat "$data/variants/1000G_phase3_chr20_1-2Mb_b37_sites.vcf.gz" |
            awk -F '\t' -v OFS='\t' '
            FNR == NR { if (FNR == 1) first = $1; else text = $1; next }
            /^#/ || length($4) != 1 || length($5) != 1 { next }
            {
                match($8, /(^|;)AC=[0-9]+/)
                ac = substr($8, RSTART, RLENGTH)
                sub(/.*=/, "", ac)
                ac += 0
                kind = ac == 1 ? 1 : ac >= 250.4 && ac <= 4757.6 ? 0 : ""
                if (kind == "")
                    next
                three = substr(text, $2 - first - 1, 3)
                change = three $5
                if ($4 ~ /[AG]/) # the strand on which REF is C or T
                    change = turn(substr(three, 3, 1)) turn($4) \
                        turn(substr(three, 1, 1)) turn($5)
                print $1 ":" $2 $4 $5, $1, $2, $4, $5, kind, change
            }
            function turn(c) { return substr("TGCA", index("ACGT", c), 1) }' \
                "$run/rare.seq" - | draw 1000000 >"$run/rare.all"
        awk -F '\t' -v OFS='\t' -v most=$((steps / 10)) '
            FNR == NR { if (!$6) common[$7, n[$7]++] = $0; next }
            $6 && taken < most && used[$7] + 9 <= n[$7] {
                taken++
                print
                for (i = 0; i < 9; i++)
                    print common[$7, used[$7]++]
            }' "$run/rare.all" "$run/rare.all" >"$run/rare.chosen"
        as_vcf <"$run/rare.chosen" >"$run/rare.new"
        mv "$run/rare.new" "$run/rare.vcf"
    }
    { printf '#CHROM\tPOS\tREF\tALT\tlabel\n'; cut -f 2-6 "$run/rare.chosen"; } >"$run/rare.labels"
    score rare "$human" "$chr20"
    measure rare --measured label --labels label --measured-in "$run/rare.labels" \
        -f "$chr20" -m "$here/data/models/regulatory" -F 'TSS+,TSS-'
}

# ---- saturation mutagenesis -----------------------------------------------

mpra() {
    local elements=$data/variants/mpra part
    sed 's/ .*//' "$elements/mpra_elements.fa" >"$run/own.fa"
    zcat "$elements/mpra_elements.vcf.gz" >"$run/measured.vcf"
    for part in choose report; do
        [ -s "$run/mpra_$part.vcf" ] || {
            awk -F '\t' -v OFS='\t' -v part=$part '
                /^#/ || length($4) != 1 || length($5) != 1 { next }
                (part == "choose") == ($1 ~ /^(HBG1|LDLR|SORT1|ZRS)/) {
                    print $1 ":" $2 $4 $5, $1, $2, $4, $5 }' "$run/measured.vcf" |
                draw "$steps" | as_vcf >"$run/mpra.new"
            mv "$run/mpra.new" "$run/mpra_$part.vcf"
        }
        cut -f 1 "$run/measured.vcf" | grep -v '^#' | sort -u | grep -E '^(LDLR|SORT1|ZRS|PKLR)' |
            awk -v OFS='\t' '{ to = $1; sub(/[.h-].*/, "", to); print $1, to }' >"$run/groups.tsv"
        score "mpra_$part" "$human" "$run/own.fa"
        measure "mpra_$part" --measured MPRA --measured-in "$run/measured.vcf" \
            --min-effect 0.2 --settings "$here/tools/train/mpra.toml" \
             --groups "$run/groups.tsv" -f "$run/own.fa" \
            -m "$here/data/models/regulatory" -F 'TSS+,TSS-'
    done
}

# ---- yeast --------------------------------------------------------------

# candidates: key, contig, pos, ref, alt, class for a part of the bases
candidates() {
    zcat "$data/promoters/yeast/Scer_R64-2-1_polIItranscripts-adjustedTSS.bed.gz" |
        sed 's/^chr//' | awk -F '\t' -v OFS='\t' '
        function turned(s, t, i) {
            for (i = length(s); i > 0; i--)
                t = t substr("TGCA", index("ACGT", substr(s, i, 1)), 1)
            return t
        }
        # one of the three changes of a base, in turn
        function put(class, pos, ref) {
            ref = substr(seq[contig], pos, 1)
            if (ref !~ /[ACGT]/)
                return
            print contig ":" pos class, contig, pos, ref, \
                substr("ACGTACGT", index("ACGT", ref) + 1 + pos % 3, 1), class
        }
        function place(i) { return strand == "-" ? end - i : start + 1 + i }
        # The longest reading frame of s from ATG to the first stop: from, long.
        function frame(s, f, i, open, codon) {
            long = 0
            for (f = 1; f <= 3; f++) {
                open = 0
                for (i = f; i + 2 <= length(s); i += 3) {
                    codon = substr(s, i, 3)
                    if (!open && codon == "ATG")
                        open = i
                    if (open && (codon == "TAA" || codon == "TAG" || codon == "TGA")) {
                        if (i + 3 - open > long) {
                            long = i + 3 - open
                            from = open
                        }
                        open = 0
                    }
                }
            }
        }
        FNR == NR {
            if (/^>/) contig = substr($1, 2)
            else seq[contig] = seq[contig] toupper($1)
            next
        }
        !($1 in seq) { next }
        {
            contig = $1
            start = $2
            end = $3
            strand = $6
            for (i = start - 100 > 0 ? start - 100 : 0; i < end + 100; i++)
                if (i % 97 == 0)
                    near[contig, i] = 1
            s = substr(seq[contig], start + 1, end - start)
            if (strand == "-")
                s = turned(s)
            frame(s)
            if (long < 0.6 * length(s))
                next
            frames++
            for (i = 0; i < 3; i++) {
                put("start", place(from - 1 + i))
                put("stop", place(from - 1 + long - 3 + i))
            }
            for (i = from + 2; i < from - 1 + long - 3; i++)
                if (place(i) % 97 == 0)
                    put("coding", place(i))
        }
        END {
            for (contig in seq)
                for (i = 97; i <= length(seq[contig]); i += 97)
                    if (!((contig, i) in near))
                        put("between", i)
            print frames " frames" >"/dev/stderr"
        }' "$run/yeast.fa" -
}

yeast() {
    local class
    [ -s "$run/yeast.fa" ] || zcat "$data/genomes/scerevisiae_R64-1-1_toplevel.fa.gz" |
        awk '/^>/ { name = substr($1, 2); keep = name ~ /^(XIII|XIV|XV|XVI)$/
                    if (keep) print ">" name; next } keep' >"$run/yeast.fa"
    [ -s "$run/yeast.all" ] || {
        candidates >"$run/yeast.new"
        for class in coding start stop between; do
            awk -F '\t' -v c=$class '$6 == c' "$run/yeast.new" | draw "$steps"
        done >"$run/yeast.part"
        mv "$run/yeast.part" "$run/yeast.all"
    }
    as_vcf <"$run/yeast.all" >"$run/yeast.vcf"
    score yeast "$yeast" "$run/yeast.fa"
    for class in coding start stop; do
        awk -F '\t' -v OFS='\t' -v c=$class '
            BEGIN { print "#CHROM", "POS", "REF", "ALT", "label" }
            $6 == c || $6 == "between" { print $2, $3, $4, $5, $6 == c }' \
            "$run/yeast.all" >"$run/yeast_$class.labels"
        cp "$run/yeast.tsv" "$run/yeast_$class.tsv"
        measure "yeast_$class" --measured label --labels label \
            --measured-in "$run/yeast_$class.labels" -f "$run/yeast.fa"
    done
}

find_genome "$data"
rare
mpra
yeast
for name in rare mpra_choose mpra_report yeast_coding yeast_start yeast_stop; do
    level=pooled
    [[ $name != mpra* ]] || level=mean
    awk -F '\t' -v OFS='\t' -v name=$name -v level=$level '
        NR == 1 { print "set", $0 }
        $1 == level && $3 == "snv" && $4 !~ /-baseline/ &&
            ($5 == "auroc" || $5 == "spearman") { print name, $0 }
        $1 == level && $3 == "snv" && $4 ~ /-baseline/ && $5 == "auroc" { print name, $0 }' \
        "$run/$name.figures.tsv"
done | awk '!/^set\t/ || !n++' >"$run/table.tsv"
cat "$run/table.tsv"
