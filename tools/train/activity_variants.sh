#!/bin/bash
# Compare the model of measured activity with measured effects of alleles.
# SPDX-License-Identifier: MIT
#
#   tools/train/activity_variants.sh [-d DATA] [-o RUNS] [-s RESAMPLES] [-t THREADS]
#       [-m MODEL] [-p PEER] choose|report
#
# MODEL [data/models/activity] scores alleles as `dnabird variant` does without options.
# `matched` is the difference in the cell of the experiment: HepG2 or K562, or the mean of
# the three cells of the model where the experiment has another one; `effect` is the score
# of that name in the same cell.
#
# choose: sets that may choose a model:
#   elements  saturation mutagenesis of HBG1, LDLR, SORT1, ZRS: changes of one base, and
#             deletions
#   tewhey    3,044 variants in lymphoblastoid cells, oligos of 150 bp; positives are the
#             108 emVars
#   raqtl     significant SuRE variants of K562 and HepG2 on chr20 and chrX, outside of the
#             test part (positives alone, so only their direction is measured)
# report: the other sets, once:
#   elements  IRF4, IRF6, MSMB, MYC, PKLR, RET, UC88
#   raqtl     those of the test part: chr20:0-5 Mb and chr22
#   mattioli  deletions of one base in 114 bp of human promoters and enhancers, HepG2
#             (pool 2): the mean of all replicates less that of the whole element
#   codebook  alleles that a factor binds unequally (FDR < .05; the effect is the mean over
#             factors): direction, since all are significant
#   udacha    alleles whose chromatin is open unequally (ATAC and DNase of HepG2 and K562,
#             FDR < .05): direction
#   mpravardb variants of other reporter assays in other cells, FDR < .05: direction
#   clinvar   variants of 5' UTRs and upstream, pathogenic against benign
# The last four are all those of chr20, chr22 and chrX.
# PEER is a command that takes a FASTA file and a VCF and prints scores in the place of
# `dnabird variant -O tsv` (tools/bench/compare_dragonn.py WEIGHTS); its results are in
# RUNS/peer_variants, and beside the model's in figures.tsv when the model is measured after it.
# Finished steps are not repeated.
#
# Results: RUNS/activity_variants/PART.SET.tsv: correlation with measured effects, AUROC,
# 95 % intervals from RESAMPLES [1000], with the baselines of `evaluate variants`; the rows
# of both parts in figures.tsv (data/figures/activity-variants.tsv).
set -euo pipefail
export LC_ALL=C
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=1000 threads=1 model=$here/data/models/activity peer=''
while getopts d:o:s:t:m:p:h letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    s) steps=$OPTARG ;;
    t) threads=$OPTARG ;;
    m) model=$OPTARG ;;
    p) peer=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done
shift $((OPTIND - 1))
part=${1:-}
[ "$part" = choose ] || [ "$part" = report ] || usage 2 >&2
find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/activity_variants
[ -z "$peer" ] || run=$runs/peer_variants
mkdir -p "$run"
variants=$data/variants
header='##fileformat=VCFv4.2
##INFO=<ID=EFFECT,Number=1,Type=Float,Description="measured effect">
##INFO=<ID=P,Number=1,Type=Float,Description="p-value">
##INFO=<ID=BC,Number=1,Type=Integer,Description="barcodes">
##INFO=<ID=HIT,Number=1,Type=Integer,Description="1: positive">
##INFO=<ID=CELL,Number=1,Type=String,Description="cell type">
#CHROM	POS	ID	REF	ALT	QUAL	FILTER	INFO'

# matched NAME: the scores of RUNS/NAME.alleles.tsv in the cell of the experiment, less
# alleles without one (in gaps of chr22), which the baselines have not to answer either
matched() {
    awk -F '\t' -v OFS='\t' '
        function of_cell(score, c) {
            return c == "HepG2" || c == "K562" ? $at[c "/" score] \
                : ($at["HepG2/" score] + $at["K562/" score] + $at["WTC11/" score]) / 3
        }
        FNR == NR { sub(/.*CELL=/, "", $8); cell[$1, $2, $4, $5] = $8; next }
        /^# / { next }
        /^#/ {
            for (i = 1; i <= NF; i++) at[$i] = i
            both = "HepG2/effect" in at
            print $1, $2, $3, $4, $5, "matched" (both ? OFS "effect" : "")
            next
        }
        $at["STATUS"] != "OK" { next }
        {
            c = cell[$1, $2, $4, $5]
            print $1, $2, $3, $4, $5, of_cell("diff", c) (both ? OFS of_cell("effect", c) : "")
        }' "$run/$1.vcf" "$run/$1.alleles.tsv" >"$run/$1.matched.tsv"
}

# measure NAME FASTA OPTIONS...: RUNS/NAME.tsv of the alleles of RUNS/NAME.vcf
measure() {
    local name=$part.$1 fasta=$2
    shift 2
    [ -s "$run/$name.tsv" ] && return
    if [ -n "$peer" ]; then # shellcheck disable=SC2086 # a command and its arguments
        run $peer "$fasta" "$run/$name.vcf" >"$run/$name.alleles.tsv"
    else
        run "$dnabird" variant -q -t "$threads" -m "$model" -f "$fasta" \
            --scores diff,effect -F HepG2,K562,WTC11 -O tsv --no-version \
            -o "$run/$name.alleles.tsv" "$run/$name.vcf"
    fi
    matched "$name"
    local scores=matched
    [ -n "$peer" ] || scores+=,effect
    run "$dnabird" evaluate variants -q -t "$threads" --no-version \
        --scores $scores --measured EFFECT --measured-in "$run/$name.vcf" \
        -f "$fasta" --bootstrap "$steps" --seed 1 "$@" -o "$run/$name.tsv" \
        "$run/$name.matched.tsv"
}

# ---- saturation mutagenesis ------------------------------------------------------------

elements=$variants/mpra/mpra_elements
need_file "$elements.fa"
[ -s "$run/elements.fa" ] || sed 's/ .*//' "$elements.fa" >"$run/elements.fa"
choosing='^(HBG1|LDLR|SORT1|ZRS)'
[ -s "$run/$part.elements.vcf" ] || {
    echo "$header"
    zcat "$elements.vcf.gz" | awk -F '\t' -v OFS='\t' -v part="$part" -v re="$choosing" '
        /^#/ || ($1 ~ re) != (part == "choose") { next }
        {
            cell = $1 ~ /^(LDLR|SORT1)/ ? "HepG2" : $1 ~ /^(HBG1|PKLR)/ ? "K562" : "other"
            sub(/MPRA=/, "EFFECT=", $8)
            print $1, $2, $3, $4, $5, $6, $7, $8 ";CELL=" cell
        }'
} >"$run/$part.elements.vcf"
awk '/^>/ { name = substr($0, 2); group = name
    sub(/-.*|\..*/, "", group)
    print name "\t" (name ~ /^ZRS/ ? "ZRS" : name ~ /^MYC/ ? "MYC" : group) }' \
    "$run/elements.fa" >"$run/groups.tsv"
measure elements "$run/elements.fa" --min-effect 0.2 --groups "$run/groups.tsv" \
    --settings "$here/tools/train/mpra.toml"

# ---- significant SuRE variants -----------------------------------------------------------

genome=$run/genome.fa.gz
one_genome "$genome"
raqtl() { # CELL FILE COLUMNS: as VCF
    zcat "$2" | awk -F '\t' -v OFS='\t' -v part="$part" -v cell="$1" '
        FNR == 1 { next }
        {
            test = $1 == "chr22" || ($1 == "chr20" && $3 <= 5000000)
            if ($1 !~ /^chr(20|22|X)$/ || test != (part == "report")) next
            if ($6 <= 0 || $7 <= 0 || ($1 == "chrX" && $3 > 69990000)) next
            sub(/^chr/, "", $1)
            print $1, $3, cell, $10, $11, ".", ".", \
                "EFFECT=" log($7 / $6) / log(2) ";P=" $8 ";CELL=" cell
        }'
}
for cell in K562 HepG2; do
    lower=$(echo $cell | tr '[:upper:]' '[:lower:]')
    [ -s "$run/$part.raqtl_$cell.vcf" ] || {
        echo "$header"
        raqtl $cell "$variants/raqtl/$lower.sign.id.LP190708.txt.gz" |
            sort -k 1,1 -k 2,2n
    } >"$run/$part.raqtl_$cell.vcf"
    measure raqtl_$cell "$genome"
done

# ---- variants of lymphoblastoid cells ------------------------------------------------------

# The whole oligos are REF and ALT: they are trimmed to the change.
if [ "$part" = choose ]; then
    [ -s "$run/choose.tewhey.vcf" ] || {
        echo "$header"
        zcat "$variants/tewhey/train_df.csv.gz" | awk -F , -v OFS='\t' \
            -v fasta="$run/tewhey.fa" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            {
                ref = $at["ref_sequence"]; alt = $at["alt_sequence"]
                if (ref !~ /^[ACGT]+$/ || alt !~ /^[ACGT]+$/ || ref == alt) next
                print ">" $1 "\n" ref >fasta
                print $1, 1, $1, ref, alt, ".", ".", "EFFECT=" $at["LogSkew.Comb"] \
                    ";HIT=" $at["emVar_Hit"] ";CELL=other"
            }'
    } >"$run/choose.tewhey.vcf"
    measure tewhey "$run/tewhey.fa" --label-column HIT
fi

# ---- deletions of one base -------------------------------------------------------------------

if [ "$part" = report ]; then
    pool=$data/mpra/mattioli2019/POOL2__pMPRA1__HepG2__activities_per_element.txt.gz
    [ -s "$run/report.mattioli.vcf" ] || {
        echo "$header"
        zcat "$pool" | awk -F '\t' -v OFS='\t' -v fasta="$run/mattioli.fa" '
            function mean(i, n, sum) {
                for (i = 3; i <= NF; i++) if ($i != "" && $i != "NA") { sum += $i; n++ }
                return n ? sum / n : "NA"
            }
            NR == 1 || $1 !~ /^(FLIPPED|WILDTYPE)/ || $1 ~ /SNP_INDIV/ { next }
            {
                key = $1
                sub(/^[A-Z_]*__/, "", key)
                sub(/\.[0-9]+\.[0-9]+$/, "", key)
                if ($1 !~ /DELETION__/) {
                    if (length($2) == 114 && !(key in whole)) {
                        whole[key] = $2; level[key] = mean()
                        print ">e" ++n "\n" $2 >fasta
                        name[key] = "e" n
                    }
                    next
                }
                if (length($2) == 113) { of[++m] = key; has[m] = $2; at[m] = mean() }
            }
            END {
                for (i = 1; i <= m; i++)
                    if (of[i] in whole && at[i] != "NA" && level[of[i]] != "NA")
                        print name[of[i]], 1, ".", whole[of[i]], has[i], ".", ".", \
                            "EFFECT=" at[i] - level[of[i]] ";CELL=HepG2"
            }'
    } >"$run/report.mattioli.vcf"
    measure mattioli "$run/mattioli.fa"
fi

# ---- other sets of the report ------------------------------------------------------------------

# to_vcf NAME: RUNS/report.NAME.vcf of lines "contig, position, REF, ALT, effect, rest of
# INFO"; an allele that comes several times has its mean effect
to_vcf() {
    [ -s "$run/report.$1.vcf" ] && cat >/dev/null && return
    {
        echo "$header"
        awk -F '\t' -v OFS='\t' '
            { sub(/^chr/, "", $1); allele = $1 OFS $2 + 0 OFS "." OFS $3 OFS $4 }
            $1 !~ /^(20|22|X)$/ || ($1 == "X" && $2 > 69990000) { next }
            $3 !~ /^[ACGT]+$/ || $4 !~ /^[ACGT]+$/ { next }
            { sum[allele] += $5; n[allele]++; rest[allele] = $6 }
            END { for (a in n) print a, ".", ".", "EFFECT=" sum[a] / n[a] rest[a] }' |
            sort -k 1,1 -k 2,2n -k 4,5
    } >"$run/report.$1.vcf"
}
if [ "$part" = report ]; then
    zcat "$variants/asb/codebook_ASB_fdr05_hg38_hg19.tsv.gz" | awk -F '\t' -v OFS='\t' '
        NR > 1 { print $20, $21, $7, $8, $19, ";CELL=other" }' | to_vcf codebook
    zcat "$variants/asb/udacha_HepG2_K562_hg38_hg19.tsv.gz" | awk -F '\t' -v OFS='\t' '
        NR > 1 && $11 < 0.05 {
            print $12, $13, $5, $6, $9, ";CELL=" ($1 ~ /HepG2/ ? "HepG2" : "K562") }' |
        to_vcf udacha
    # The study of the set `tewhey` chose; those of 3' UTRs and on hg38 are left out.
    zcat "$variants/mpravardb_12_studies.tsv.gz" | awk -F '\t' -v OFS='\t' '
        NR > 1 && $2 == "hg19" && $1 !~ /Tewhey/ && $9 != "" && $11 != "" && $11 < 0.05 {
            print $3, $4, $6, $7, $9, ";CELL=other" }' | to_vcf mpravardb
    zcat "$variants/clinical/clinvar_b37_2016.tsv.gz" | awk -F '\t' -v OFS='\t' '
        NR > 1 && $11 == "" && $16 == 0 && $10 ~ /:c\.-[0-9]+[^0-9_+-]/ {
            hit = $8 ~ /^(Likely p|P)athogenic$/
            if (hit || ($8 ~ /enign/ && $8 !~ /ncertain/))
                print $1, $2, $3, $4, hit, ";HIT=" hit ";CELL=other" }' | to_vcf clinvar
    for set in codebook udacha mpravardb; do
        measure $set "$genome"
    done
    measure clinvar "$genome" --label-column HIT
fi

# Means over elements, and single elements, of saturation mutagenesis; of the others all
# alleles together.
for f in "$run/$part".*.tsv; do
    name=${f##*/"$part".}
    case $name in *.alleles.tsv | *.matched.tsv) continue ;; esac
    awk -F '\t' -v OFS='\t' -v part="$part" -v set="${name%.tsv}" '
        $4 ~ /.-/ && $4 !~ /^(matched|effect)-/ { next }
        set == "elements" ? $1 != "pooled" : $1 == "pooled" { print part, set, $0 }' "$f"
done >"$run/$part.rows"
{
    printf '# tools/train/activity_variants.sh\npart\tset\tlevel\telement\tclass\tscore'
    printf '\tmetric\tvalue\tlow\thigh\tn\tpositives\n'
    cat "$run"/*.rows | awk '$3 != "level"'
    # a peer's scores of the same alleles, which were measured before
    [ -n "$peer" ] || [ ! -s "$runs/peer_variants/figures.tsv" ] ||
        awk -F '\t' -v OFS='\t' '$6 == "matched" { $6 = "peer:dragonn"; print }' \
            "$runs/peer_variants/figures.tsv"
} >"$run/figures.tsv"
awk -F '\t' '($6 == "matched" || $6 == "effect") && $3 != "element"' "$run/$part.rows"
