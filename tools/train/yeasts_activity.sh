#!/bin/sh
# Measured activities of yeast promoters: what masked-language models know of them.
# SPDX-License-Identifier: MIT
#
#   tools/train/yeasts_activity.sh [-d DATA] [-o RUNS] [MODEL...]
#
# The models are those of yeasts.sh in RUNS/yeasts [types one all], and `start`, whose
# weights are random. Each learns the activities of 9,982 random promoters of 80 bp (de
# Boer et al. 2020, DREAM 2022) twice: by a linear head on the mean of its rows alone
# (probe), and as a whole (tuned). Two sets of Vaishnav et al. 2022 are the test:
#   evolved  promoters in complex medium that were changed step by step from random ones
#   native   native promoters of genes on XIII to XVI with one base changed, in defined
#            medium
# A random promoter that shares 30 bases with a test promoter is left out. Results, in
# RUNS/yeasts/activity: figures.tsv (Pearson, Spearman and intervals, beside linear
# regressions on k-mers and on positions, and G+C), changes.tsv (the mean over native
# promoters of the rank correlation of their changes, beside the regression on k-mers and
# the log-likelihood ratios of the models). Finished steps are not repeated.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=0
take_options "$@"
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- types one all
dnabird=$(find_dnabird)
data=$(find_data "$data")
source=$data/yeast_expression
models=$runs/yeasts run=$runs/yeasts/activity
need_file "$source/vaishnav2022_tidy.tsv.gz"
need_file "$models/start/dnabird.json"
mkdir -p "$run"

# ---- rows --------------------------------------------------------------------

# core: rows whose promoter has the constant ends of the assay, without the ends
core() {
    awk -F '\t' -v OFS='\t' '
        $1 ~ /^TGCATTTTTTTCACATC[ACGT]+GGTTACGGCTGTT$/ {
            $1 = substr($1, 18, length($1) - 30); print }'
}
[ -s "$run/evolved.tsv" ] || {
    printf 'sequence\tactivity\tname\n'
    zcat "$source/vaishnav2022_tidy.tsv.gz" | core | awk -F '\t' -v OFS='\t' '
        $3 ~ /^(SSWM|Drift|ga)_testdata$/ { print $1, $2, "e" ++n }'
} >"$run/evolved.tsv"
# A name is PROMOTER_CHANGE; the changed base counts from 0.
[ -s "$run/native.tsv" ] || {
    printf 'sequence\tactivity\tname\n'
    zcat "$source/vaishnav2022_tidy.tsv.gz" | core | awk -F '\t' -v OFS='\t' '
        $3 ~ /^Native/ && $6 ~ /^Y[MNOP].*_[0-9]+[ACGT]$/ && length($1) == 80 { print $1, $2, $6 }'
} >"$run/native.tsv"
[ -s "$run/train.tsv" ] || {
    {
        printf 'sequence\tactivity\n'
        zcat "$source/HighQuality.pTpA.Glu.test.txt.gz" | core
    } >"$run/all.tsv"
    run "$dnabird" dataset overlap -q -k 30 --kept "$run/train.tsv" \
        -o "$run/shared.tsv" "$run/all.tsv" "$run/evolved.tsv" "$run/native.tsv"
}

# The native promoters: at every base what most of their changed copies have.
[ -s "$run/native.vcf" ] || awk -F '\t' -v OFS='\t' -v fasta="$run/native.fa" '
    NR > 1 {
        split($3, part, "_"); name = part[1]
        if (!(name in copies)) order[++n] = name
        copies[name]++
        for (i = 1; i <= 80; i++) count[name, i, substr($1, i, 1)]++
        row[NR] = name; at[NR] = substr(part[2], 1, length(part[2]) - 1) + 1
        alt[NR] = substr(part[2], length(part[2])); value[NR] = $2; seq[NR] = $1; id[NR] = $3
    }
    END {
        print "##fileformat=VCFv4.2"
        print "##INFO=<ID=ACTIVITY,Number=1,Type=Float,Description=\"Measured activity\">"
        for (k = 1; k <= n; k++) {
            s = ""
            for (i = 1; i <= 80; i++) {
                best = "A"
                for (b = 2; b <= 4; b++) {
                    letter = substr("ACGT", b, 1)
                    if (count[order[k], i, letter] > count[order[k], i, best]) best = letter
                }
                s = s best
            }
            whole[order[k]] = s
            print ">" order[k] "\n" s >fasta
            print "##contig=<ID=" order[k] ",length=80>"
        }
        print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO"
        for (k = 1; k <= n; k++)
            for (i = 2; i <= NR; i++) {
                if (row[i] != order[k]) continue
                ref = substr(whole[order[k]], at[i], 1)
                if (ref != alt[i] && substr(seq[i], at[i], 1) == alt[i])
                    print row[i], at[i], id[i], ref, alt[i], ".", ".", "ACTIVITY=" value[i]
            }
    }' "$run/native.tsv" >"$run/native.vcf"

# ---- training ------------------------------------------------------------------

# learn NAME MODEL OPTIONS...: RUN/NAME
learn() {
    name=$1 from=$models/$2
    shift 2
    [ -s "$run/$name/baseline.safetensors" ] || logged "$run/$name.log" "$dnabird" finetune \
        -q -t 1 --init "$from" --head mean --train "$run/train.tsv" --values activity \
        --valid-fraction 0.1 --batch 64 --seed 1 --resume -o "$run/$name" "$@"
}
for model in start "$@"; do
    learn "probe.$model" "$model" --freeze --epochs 5 --lr 1e-2
    learn "tuned.$model" "$model" --epochs 5 --optimizer muon --lr 1e-3
done

# ---- figures -------------------------------------------------------------------

for model in start "$@"; do
    for way in probe tuned; do
        name=$way.$model
        for set in evolved native; do
            [ -s "$run/$name.$set.tsv" ] || run "$dnabird" evaluate -q -t 1 -m "$run/$name" \
                --test "$run/$set.tsv" --values activity --name-column name \
                --predictions "$run/$name.$set.predictions.tsv" -o "$run/$name.$set.tsv"
        done
    done
    [ "$model" = start ] || [ -s "$run/$model.llr.tsv" ] || run "$dnabird" variant -q -t 1 \
        -m "$models/$model" -f "$run/native.fa" -O tsv -o "$run/$model.llr.tsv" "$run/native.vcf"
done
{
    printf 'set\tpredictor\tmetric\tvalue\tlow\thigh\trows\n'
    for set in evolved native; do
        for name in probe.start tuned.start; do
            for model in start "$@"; do
                echo "${name%.start}.$model"
            done
        done | while read -r name; do
            awk -F '\t' -v OFS='\t' -v set="$set" -v name="$name" '
                /^all/ {
                    p = $1; sub(/^all\//, "", p); sub(/:.*/, "", p)
                    if ($2 == "rows") rows = $3
                    if ($2 !~ /pearson|spearman/) next
                    if (p != "model" && name != "probe.start") next
                    print set, (p == "model" ? name : p), $2, $3, $4, $5, rows
                }' "$run/$name.$set.tsv"
        done
    done
} >"$run/figures.tsv"
cat "$run/figures.tsv"

# Every change with what each model predicts for the changed promoter, and llr.
awk -F '\t' -v OFS='\t' '
    FNR == 1 {
        file++; name = FILENAME; sub(/.*\//, "", name)
        llr = name ~ /\.llr\.tsv$/; table = name !~ /\.vcf$/
        sub(/\.native\.predictions\.tsv$|\.tsv$/, "", name)
        if (table) column[++n] = name
    }
    !table { if (!/^#/) { id = $3; key[$1, $2, $5] = id; line[++m] = $1 OFS $2 OFS $4 OFS $5
                          of[m] = id; measured[m] = $8; sub(/ACTIVITY=/, "", measured[m]) } next }
    llr && /^#CHROM/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
    /^#/ { next }
    llr { value[n, key[$1, $2, $(at["ALT"])]] = $(at["llr"]); next }
    $2 == "activity" { value[n, $1] = $4 }
    END {
        s = "#CHROM" OFS "POS" OFS "REF" OFS "ALT" OFS "measured"
        for (k = 1; k <= n; k++) s = s OFS column[k]
        print s
        for (i = 1; i <= m; i++) {
            s = line[i] OFS measured[i]
            for (k = 1; k <= n; k++) s = s OFS ((k, of[i]) in value ? value[k, of[i]] : ".")
            print s
        }
    }' "$run/native.vcf" "$run"/*.native.predictions.tsv "$run"/*.llr.tsv >"$run/scores.tsv"
columns=$(head -n 1 "$run/scores.tsv" | cut -f 6- | tr '\t' ,)
run "$dnabird" evaluate variants -q --scores "$columns" --measured measured \
    --motifs none -f "$run/native.fa" -m "$run/probe.start" -o "$run/changes.all.tsv" \
    "$run/scores.tsv"
awk '$1 == "level" || $1 == "mean"' "$run/changes.all.tsv" | tee "$run/changes.tsv"
