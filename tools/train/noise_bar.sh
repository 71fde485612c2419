#!/bin/sh
# Measure how much a ranking of alleles depends on where windows begin: compare scores
# of windows with those of windows moved by one base, without and with the noise bar
# (moved by two bases, too), and with ALT on REF's tokens only. The noise bar is the
# default of the model: 0,3/5d, of `human` 0,7,14.
# SPDX-License-Identifier: MIT
#
#   tools/train/noise_bar.sh [-o RUNS] [-m MODEL ...]
#
# Default: the shipped models. Alleles are all single bases and every fifth insertion
# or deletion of data/variants/chr20_demo.vcf.gz. Writes
# RUNS/noise_bar/noise-bar.tsv, for data/figures/variants-noise-bar.tsv: for each
# model, class and scoring method the median over labels (a masked-language model has
# one score) of Spearman's correlation, over the alleles, of both runs' scores (log
# odds or ratios), with their signs, and of their sizes.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

runs=$here/runs models=''
while getopts o:m:h option; do
    case $option in
    o) runs=$OPTARG ;;
    m) models="$models $OPTARG" ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done
dnabird=$(find_dnabird)
run=$runs/noise_bar
mkdir -p "$run"
[ -n "$models" ] || models="$here/data/models/regulatory $here/data/training/human"

gzip -dc "$here/data/variants/chr20_demo.vcf.gz" | awk -F '\t' '
    /^#/ { print; next }
    $5 !~ /^[ACGT]+$/ { next }
    length($4) != length($5) ? ++d % 5 == 1 : 1' >"$run/some.vcf"

# score MODEL NAME OPTIONS ...: RUNS/noise_bar/NAME.tsv, scores by allele
score() {
    model=$1 table=$2
    shift 2
    [ ! -s "$run/$table.tsv" ] || return 0
    case $model in
    *human) scores=llr ;;
    *) scores=logit ;;
    esac
    "$dnabird" variant -q -m "$model" -O tsv --no-version -F '*' \
        -f "$here/data/genome/chr20_demo.fa.gz" --scores $scores "$@" \
        -o "$run/$table.tmp" "$run/some.vcf"
    mv "$run/$table.tmp" "$run/$table.tsv"
}

# compare CLASS A B: alleles and the two medians, of two tables. Columns of numbers
# are all those after WAY except the summary's.
compare() {
    awk -F '\t' -v class="$1" '
        function order(n, i, j, k, t) { # at[] by x[], falling; then ranks r[]
            for (i = 1; i <= n; i++) at[i] = i
            for (k = int(n / 2); k > 0; k = int(k / 2))
                for (i = k + 1; i <= n; i++) {
                    t = at[i]
                    for (j = i; j > k && x[at[j - k]] > x[t]; j -= k)
                        at[j] = at[j - k]
                    at[j] = t
                }
            for (i = 1; i <= n; i = j) {
                for (j = i; j <= n && x[at[j]] == x[at[i]]; j++) ;
                for (k = i; k < j; k++) r[at[k]] = (i + j - 1) / 2
            }
        }
        function spearman(f, size, i, m, a, b, c) {
            for (i = 1; i <= n; i++) { x[i] = v[1, f, i]; if (size && x[i] < 0) x[i] = -x[i] }
            order(n)
            for (i = 1; i <= n; i++) p[i] = r[i]
            for (i = 1; i <= n; i++) { x[i] = v[2, f, i]; if (size && x[i] < 0) x[i] = -x[i] }
            order(n)
            m = (n + 1) / 2
            for (i = 1; i <= n; i++) {
                a += (p[i] - m) * (r[i] - m); b += (p[i] - m) ^ 2; c += (r[i] - m) ^ 2
            }
            return a / sqrt(b * c)
        }
        function median(size, f, k) {
            k = 0
            for (f = 1; f <= n_column; f++) all[++k] = spearman(f, size)
            for (f = 1; f <= k; f++) x[f] = all[f]
            order(k)
            return k % 2 ? x[at[(k + 1) / 2]] : (x[at[k / 2]] + x[at[k / 2 + 1]]) / 2
        }
        /^# / { next }
        FNR == 1 { file++; n_column = 0 # a table with e-values has more columns
            for (i = 1; i <= NF; i++)
                if ($i == "llr" || $i ~ /\/logit$/) column[++n_column] = i
            next }
        $6 == "OK" && (length($4) == length($5)) == (class == "snv") {
            k = ++count[file]
            for (f = 1; f <= n_column; f++) v[file, f, k] = $column[f]
        }
        END { n = count[1]; printf "%d\t%.3f\t%.3f", n, median(0), median(1) }' "$2" "$3"
}

out=$run/noise-bar.tsv
echo "model	class	way	moved	alleles	spearman	spearman_sizes" >"$out.tmp"
for model in $models; do
    name=${model##*/}
    score "$model" "$name.free.0" --shifts 0 --tokens free
    score "$model" "$name.free.1" --tokens free --shifts 1
    score "$model" "$name.both.0" --shifts 0 --tokens both
    score "$model" "$name.both.1" --tokens both --shifts 1
    case $name in
    *human) bar() { echo "$1,$(($1 + 7)),$(($1 + 14))"; } ;;
    *) bar() { echo "$1,$(($1 + 3))/5d"; } ;;
    esac
    score "$model" "$name.list.0" --shifts 0,7,14 --tokens both
    score "$model" "$name.list.1" --shifts 1,8,15 --tokens both
    for k in 0 1 2; do
        score "$model" "$name.bar.$k" --shifts "$(bar $k)" --tokens both
    done
    for class in snv indel; do
        for pair in free.1 both.1 list.1 bar.1 bar.2; do
            way=${pair%.?}
            printf '%s\t%s\t%s\t%s\t%s\n' "$name" $class "$way" "${pair#*.}" \
                "$(compare $class "$run/$name.$way.0.tsv" "$run/$name.$pair.tsv")" >>"$out.tmp"
        done
    done
done
mv "$out.tmp" "$out"
cat "$out"
