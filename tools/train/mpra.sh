#!/bin/bash
# Compare scores of alleles with measured effects.
# SPDX-License-Identifier: MIT
#
#   tools/train/mpra.sh [-d DATA] [-o RUNS] [-s RESAMPLES] [MODEL]
#
# The data are the saturation mutagenesis of 11 human promoters and enhancers (16
# experiments, DATA/variants/mpra). MODEL [data/models/regulatory] scores every allele
# on one thread, with the element as a contig of its own, and with N on either side up
# to the window. `dnabird evaluate variants` evaluates both, with the baselines. Alleles
# with fewer than 10 barcodes are left out; positives have P < 1e-5 and |effect| > 0.2.
# HBG1, LDLR, SORT1 and ZRS choose the score; the seven others report it. Finished
# steps are not repeated.
#
# Results: RUNS/mpra/SETTING.PART.tsv (every score, element by element), pages
# RUNS/mpra/SETTING.html with intervals from RESAMPLES [1000], and
# RUNS/mpra/figures.tsv (data/figures/variants-mpra.tsv).
set -euo pipefail
export LC_ALL=C
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=1000
take_options "$@"
shift $((OPTIND - 1))
data=$(find_data "$data")
model=${1:-$here/data/models/regulatory}
dnabird=$(find_dnabird)
run=$runs/mpra
mpra=$data/variants/mpra
need_file "$mpra/mpra_elements.fa"
need_file "$mpra/mpra_elements.vcf.gz"
mkdir -p "$run"

around=2000 # N on either side: ten bins, half a window

# Experiments on one sequence share its alleles: each allele is scored once, under the
# first experiment's name. same.tsv: experiment, that name.
[ -s "$run/own.fa" ] || sed 's/ .*//' "$mpra/mpra_elements.fa" >"$run/own.fa"
[ -s "$run/measured.vcf" ] || zcat "$mpra/mpra_elements.vcf.gz" >"$run/measured.vcf"
[ -s "$run/same.tsv" ] || awk -v OFS='\t' '
    function end() { if (seq != "") { if (!(seq in first)) first[seq] = name
                                     print name, first[seq] } }
    /^>/ { end(); name = substr($0, 2); seq = ""; next }
    { seq = seq $0 }
    END { end() }' "$run/own.fa" >"$run/same.tsv"
[ -s "$run/own.vcf" ] || {
    grep '^#' "$run/measured.vcf"
    awk -F '\t' -v OFS='\t' 'NR == FNR { same[$1] = $2; next }
        !/^#/ && !seen[same[$1], $2, $4, $5]++ {
            print same[$1], $2, ".", $4, $5, ".", ".", "." }' \
        "$run/same.tsv" "$run/measured.vcf" | sort -s -k1,1 -k2,2n
} >"$run/own.vcf"
[ -s "$run/padded.fa" ] || padded $around "$run/own.fa" >"$run/padded.fa"
[ -s "$run/padded.vcf" ] || awk -F '\t' -v OFS='\t' -v n=$around '
    /^##contig/ { match($0, /length=[0-9]+/)
        $0 = substr($0, 1, RSTART + 6) (substr($0, RSTART + 7, RLENGTH - 7) + 2 * n) ">" }
    /^#/ { print; next }
    { $2 += n; print }' "$run/own.vcf" >"$run/padded.vcf"

# The candidate columns of `variant -O tsv`: all numbers except log odds of single
# labels; of those only two cell types, the start sites and means over tracks of a kind.
columns() { # BASES_BEFORE
    awk -F '\t' -v OFS='\t' -v before="$1" '
        function member(k, column) { of[k, ++n[k]] = column }
        function mean(k, i, sum) {
            for (i = 1; i <= n[k]; i++) sum += $(of[k, i])
            return n[k] ? sprintf("%.6g", sum / n[k]) : "."
        }
        function rms(k, i, sum) {
            for (i = 1; i <= n[k]; i++) sum += $(of[k, i]) ^ 2
            return n[k] ? sprintf("%.6g", sqrt(sum / n[k])) : "."
        }
        function line(    i, s) {
            s = $1 OFS $2 OFS $3 OFS $4 OFS $5
            for (i = 1; i <= kept; i++) s = s OFS $(keep[i])
            return s
        }
        function kind_of(name) {
            return name ~ /^TSS/ ? "TSS" : name ~ /DNase|ATAC/ ? "DNase" : \
                name ~ /H3K27me3|H3K9me3|H3K36me3/ ? "silent" : \
                name ~ /H3K/ ? "active" : "factors"
        }
        /^# / { next }
        /^#/ {
            for (i = 6; i <= NF; i++) {
                if ($i ~ /^(STATUS|TOKENS|WAY|SHORT|top|max_feature.*|GUE_.*)$/)
                    continue
                if ($i !~ /\/logit$/ || $i ~ /^(TSS[+-]|(HepG2|K562).DNase.None)\/logit$/)
                    keep[++kept] = i
                if ($i ~ /\/logit$/) {
                    member(kind_of($i), i)
                    if ($i !~ /^TSS/) member("chromatin", i)
                }
            }
            s = line()
            m = split("TSS DNase factors active silent chromatin", kind, " ")
            for (k = 1; k <= m; k++) s = s OFS kind[k] "/mean_logit"
            print s, "chromatin/rms_logit"
            next
        }
        {
            $2 -= before
            s = line()
            for (k = 1; k <= m; k++) s = s OFS mean(kind[k])
            print s, rms("chromatin")
        }'
}

choose='HBG1 LDLR LDLR.2 SORT1 SORT1.2 SORT1-flip ZRSh-13 ZRSh-13h2'
report='IRF4 IRF6 MSMB MYCrs11986220 PKLR-24h PKLR-48h RET UC88'
for name in $choose $report; do
    case $name in
    LDLR* | SORT1* | ZRS* | PKLR*) printf '%s\t%s\n' "$name" "${name%%[.h-]*}" ;;
    esac
done >"$run/groups.tsv"

# score SETTING BASES_BEFORE INPUT OPTIONS...: RUN/SETTING.tsv, one sequence at a
# time, so an interrupted run continues; OPTIONS of `dnabird variant`
score() {
    local setting=$1 before=$2 input=$3 contig
    shift 3
    settings+=" $setting"
    [ ! -s "$run/$setting.tsv" ] || return 0
    mkdir -p "$run/$setting"
    for contig in $(cut -f 2 "$run/same.tsv" | sort -u); do
        [ -s "$run/$setting/$contig.tsv" ] && continue
        run "$dnabird" variant -q -t 1 -f "$run/$input.fa" -O tsv --shifts 0 --tokens free -r "$contig" \
            --max-n 1 "$@" "$run/$input.vcf" |
            columns "$before" >"$run/$setting/$contig.part"
        mv "$run/$setting/$contig.part" "$run/$setting/$contig.tsv"
    done
    # the scores of a sequence serve each of its experiments
    awk -F '\t' -v OFS='\t' '
        NR == FNR { name[$2] = name[$2] " " $1; next }
        /^#/ { if (!head++) print; next }
        { n = split(name[$1], to, " ")
          for (i = 1; i <= n; i++) { $1 = to[i]; print } }' \
        "$run/same.tsv" "$run/$setting"/*.tsv >"$run/$setting.part"
    mv "$run/$setting.part" "$run/$setting.tsv"
}

# Scores to compare, one on each line.
settings=
score own 0 own -m "$model" -F '*' --scores logit -w 1600 # holds any element whole
score padded $around padded -m "$model" -F '*' --scores logit


# evaluate SETTING PART OUT OPTIONS...: RUN/OUT.tsv
evaluate() {
    local setting=$1 part=$2 out=$run/$3.tsv
    shift 3
    [ -s "$out" ] || run "$dnabird" evaluate variants -q -t 1 --no-version \
        --measured MPRA --measured-in "$run/$part.vcf" \
        --min-effect 0.2 --settings "$here/tools/train/mpra.toml" \
         --groups "$run/groups.tsv" \
        -f "$run/own.fa" -m "$model" -F 'TSS+,TSS-' --seed 1 -o "$out" "$@" \
        "$run/$setting.tsv"
}

# Every score, then the best one of each setting by Spearman and by AUROC of
# single bases on the part that chooses: "spearman!" is the best of all settings.
for part in choose report; do
    [ -s "$run/$part.vcf" ] || awk -F '\t' -v names="${!part}" '
        BEGIN { n = split(names, list, " "); for (i = 1; i <= n; i++) in_part[list[i]] }
        /^#/ || $1 in in_part' "$run/measured.vcf" >"$run/$part.vcf"
    for setting in $settings; do
        evaluate "$setting" $part "$setting.$part" --scores '*' --bootstrap 0
    done
done
for setting in $settings; do
    awk -v OFS='\t' -v setting="$setting" '{ print setting, $0 }' "$run/$setting.choose.tsv"
done | awk -F '\t' -v OFS='\t' '
    $2 == "mean" && $4 == "snv" && $5 !~ /baseline:/ && $7 != "NA" &&
        ($6 == "spearman" || $6 == "auroc") {
        k = $1 OFS $6
        if (!(k in best) || $7 + 0 > best[k]) { best[k] = $7 + 0; name[k] = $5 }
        if (!($6 in most) || $7 + 0 > most[$6]) { most[$6] = $7 + 0; where[$6] = $1 }
    }
    END {
        for (k in name) {
            split(k, x, OFS)
            print x[1], name[k], x[2] (where[x[2]] == x[1] ? "!" : "")
        }
    }' | sort >"$run/chosen.tsv"

# The chosen scores with intervals, and pages.
for setting in $settings; do
    names=$(awk -F '\t' -v s="$setting" '$1 == s { print $2 }' "$run/chosen.tsv" |
        sort -u | paste -sd ,)
    evaluate "$setting" report "$setting.best" --scores "$names" \
        --bootstrap "$steps" --html "$run/$setting.html"
done

# figures.tsv: the means of all scores, and every element for the chosen ones.
for setting in $settings; do
    for part in choose report best; do
        awk -F '\t' -v OFS='\t' -v part=$part -v setting="$setting" '
            NR == FNR { if ($1 == setting) by[$2] = by[$2] (by[$2] ? "," : "") $3; next }
            FNR == 1 { next }
            {
                plain = $4
                sub(/-baseline:.*/, "", plain)
                what = $4 ~ /^baseline:/ ? "baseline" : plain in by ? by[plain] : "."
                if (part == "report" && what != ".") next # it is in "best"
                if ($4 != plain && (part != "best" || what == ".")) next
                if ($1 == "pooled" || ($1 != "mean" && ($3 != "snv" || what == "."))) next
                if ($1 != "mean" && what == "baseline" && $4 != "baseline:middle") next
                print part == "choose" ? part : "report", setting, $0, what
            }' "$run/chosen.tsv" "$run/$setting.$part.tsv"
    done
done | {
    printf 'part\tsetting\tlevel\telement\tclass\tscore\tmetric\tvalue\tlow\thigh\tn'
    printf '\tpositives\tchosen_by\n'
    cat
} >"$run/figures.tsv.part"
mv "$run/figures.tsv.part" "$run/figures.tsv"
awk -F '\t' '$1 == "report" && $3 == "mean" && $5 == "snv" && $13 != "."' "$run/figures.tsv"
