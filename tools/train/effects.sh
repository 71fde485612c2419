#!/bin/sh
# Score real variants with the chromatin window model.
# SPDX-License-Identifier: MIT
#
#   tools/train/effects.sh [-d DATA] [-o RUNS] [-s EVERY] [MODEL]
#
# MODEL [RUNS/profiles/shipped] scores every EVERY-th single-base change [6] of the
# 1000 Genomes Project on chr20:1-2 Mb and chr22:50.3-51 Mb (test part: nothing is
# fitted here), on both strands and on each alone. RUNS/effects/effects.tsv has
# quantiles of the largest differences, the correlation between strands, and pairs of a
# change inside the union of transcription factor peaks and the nearest one outside
# with the same bases.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

take_chromatin effects 6 "$@"
features='GM12878|DNase*,GM12878|CTCF*,GM12878|PU.1*,GM12878|EBF1*'

snvs() { # CONTIG FILE
    zcat "$data/variants/$2" | awk -F '\t' -v every="$steps" '
        /^##/ { next }
        /^#/ { print "##fileformat=VCFv4.2"
               print "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"; next }
        $4 ~ /^[ACGT]$/ && $5 ~ /^[ACGT]$/ && n++ % every == 0 {
            print $1, $2, $3, $4, $5, ".", ".", "." }' OFS='\t' >"$run/$1.vcf"
}
[ -s "$run/20.vcf" ] || snvs 20 1000G_phase3_chr20_1-2Mb_b37_sites.vcf.gz
[ -s "$run/22.vcf" ] ||
    snvs 22 1000G_chr22_50.3-51.0Mb_b37.VariantAnnotation.vcf.gz

for contig in 20 22; do
    [ $contig = 20 ] && fasta=$chr20 || fasta=$chr22
    for strand in both + -; do
        out=$run/$contig.$strand.tsv
        [ -s "$out" ] || run "$dnabird" variant --shifts 0 --tokens anchored \
            -m "$model" -f "$fasta" \
            --strand $strand --check-ref warn --features "$features" -O tsv \
            -o "$out" "$run/$contig.vcf"
    done
done

# Union of the peaks of factors.
[ -s "$run/peaks.bed" ] || zcat "$data/chromatin/peaks.bed.gz" | awk -F '\t' '
    FNR == NR { tf[$1] = $2 ~ /^encode_tf_/; next } tf[$4]' OFS='\t' \
    "$data/chromatin/tracks.tsv" - | sort -k1,1 -k2,2n | bedtools merge \
    >"$run/peaks.bed"

# rows CONTIG STRAND: "pos ref alt inside values..." of changes with a score
rows() {
    grep -v '^# ' "$run/$1.$2.tsv" | awk -F '\t' -v OFS='\t' '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $6 == "OK" { print "chr" $1, $2 - 1, $2, $4, $5, $(at["max_diff"]),
            $(at["max_diff/DHS"]), $(at["max_diff/TF"]), NR }' |
        bedtools intersect -c -sorted -a - -b "$run/peaks.bed"
}

{
    printf 'contig\tfigure\tof\tvalue\tn\n'
    for contig in 20 22; do
        rows $contig both >"$run/rows.tsv"
        for column in 6:all 7:DHS 8:TF; do
            cut -f "${column%%:*}" "$run/rows.tsv" | sed 's,^-,,' | sort -g |
                awk -v contig=$contig -v of="${column##*:}" '{ v[NR] = $1 }
                    END { split("0.5 0.9 0.99 0.999 1", q, " ")
                          for (i = 1; i <= 5; i++) {
                              k = int(q[i] * NR + 0.999999)
                              what = "quantile " q[i] " of largest |diff|"
                              print contig, what, of, v[k < 1 ? 1 : k], NR } }' OFS='\t'
        done
        # the same rows of either strand: correlation of each feature
        paste "$run/$contig.+.tsv" "$run/$contig.-.tsv" | awk -F '\t' -v contig=$contig '
            /^# / { next }
            !half { half = NF / 2
                    for (i = 9; i <= half; i++) if ($i ~ /\/diff$/) name[i] = $i
                    next }
            $6 == "OK" && $(half + 6) == "OK" { n++
                for (i in name) { x = $i; y = $(half + i)
                    sx[i] += x; sy[i] += y; xx[i] += x * x; yy[i] += y * y; xy[i] += x * y } }
            END { for (i in name) {
                up = n * xy[i] - sx[i] * sy[i]
                down = sqrt((n * xx[i] - sx[i]^2) * (n * yy[i] - sy[i]^2))
                print contig, "correlation between strands", name[i], up / down, n } }' \
            OFS='\t' OFMT=%.4f | sort
        # pairs: nearest change outside with the same bases, each used once
        awk -F '\t' -v contig=$contig '
            function abs(x) { return x < 0 ? -x : x }
            { key = $4 $5 }
            $10 { n_in++; in_key[n_in] = key; in_pos[n_in] = $3; in_v[n_in] = abs($8); next }
            { k = ++n_out[key]; out_pos[key, k] = $3; out_v[key, k] = abs($8) }
            END { for (i = 1; i <= n_in; i++) { key = in_key[i]; best = 0
                    for (k = 1; k <= n_out[key]; k++) {
                        far = abs(out_pos[key, k] - in_pos[i])
                        if (!used[key, k] && (!best || far < least)) { best = k; least = far }
                    }
                    if (!best) continue
                    used[key, best] = 1; n++
                    more += in_v[i] > out_v[key, best]
                    print in_v[i] > inside; print out_v[key, best] > outside }
                p = more / n; z = 1.96 * sqrt(p * (1 - p) / n)
                said = sprintf("%.4f (%.4f-%.4f)", p, p - z, p + z)
                print contig, "share of pairs with the larger |diff| in the peak", "TF", said, n }' \
            OFS='\t' inside="$run/inside" outside="$run/outside" "$run/rows.tsv"
        for side in inside outside; do
            sort -g "$run/$side" | awk -v contig=$contig -v side=$side '{ v[NR] = $1 }
                END { what = "median of largest |diff| " side " of peaks"
                      print contig, what, "TF", v[int((NR + 1) / 2)], NR }' OFS='\t'
        done
    done
} >"$run/effects.tsv.part"
mv "$run/effects.tsv.part" "$run/effects.tsv"
cat "$run/effects.tsv"
