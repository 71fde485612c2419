#!/bin/bash
# Set up, build a release, find the promoters of a piece of human chromosome 20 with the
# shipped model, and show the best calls next to the annotated start sites.
# SPDX-License-Identifier: MIT
#
#   tools/demo.sh [OPTION...]    options go to `dnabird promoter`
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/setup.sh

genome=data/genome/chr20_demo.fa.gz
region=data/genome/chr20_demo_region.bed
annotated=data/genome/chr20_demo_tss.bed
out=build/demo
bed=$out/chr20_demo.bed
n_top=15 near_bp=500

# tss_table CALLS: the best calls, each with the nearest annotated start site of its
# strand, then how many of the start sites were found. EPDnew's rows have the score 1000.
tss_table() {
    awk -v FS='\t' -v n_top="$n_top" -v near="$near_bp" '
    function distance(call, k,    d) {
        if (strand[call] != "." && strand[call] != s_strand[k]) return -1
        if (chrom[call] != s_chrom[k]) return -1
        d = summit[call] - s_pos[k]
        return d < 0 ? -d : d
    }
    # The nearest start site, one of EPDnew if two are equally near.
    function nearest(call,    k, d, best) {
        found = 0
        for (k = 1; k <= n_start; k++) {
            d = distance(call, k)
            if (d >= 0 && (!found || d < best)) { best = d; found = k }
        }
        return best
    }
    /^#/ || NF < 6 { next }
    FNR == NR {
        n_start++
        s_chrom[n_start] = $1; s_pos[n_start] = $2; s_name[n_start] = $4
        s_epd[n_start] = $5 >= 1000; s_strand[n_start] = $6
        n_epd += s_epd[n_start]
        next
    }
    {
        n++
        chrom[n] = $1; strand[n] = $6; probability[n] = $7; summit[n] = $8
    }
    END {
        printf "%4s  %-18s %s  %-11s  %-18s %s\n", "", "promoter", " ",
            "probability", "annotated start", "distance"
        for (i = 1; i <= n; i++) {
            d = nearest(i)
            if (found && d <= near) n_near++
            if (i > n_top) continue
            printf "%4d  %-18s %s  %-11s  ", i, chrom[i] ":" summit[i] + 1,
                strand[i], probability[i]
            if (found && d <= near) printf "%-18s %d bp\n", s_name[found], d
            else if (found) printf "%-18s (nearest: %s, %d bp)\n", "-",
                s_name[found], d
            else print "-"
        }
        for (k = 1; k <= n_start; k++) {
            if (!s_epd[k]) continue
            for (i = 1; i <= n; i++) {
                d = distance(i, k)
                if (d >= 0 && d <= near) { n_hit++; break }
            }
        }
        printf "\n%d of %d calls lie within %d bp of an annotated start of ",
            n_near, n, near
        printf "their strand;\n%d of %d EPDnew promoters have such a call.\n",
            n_hit, n_epd
    }' "$annotated" "$1"
}

setup_packages build && build build --buildtype=release || exit 1
for f in "$genome" "$annotated"; do
    if [ ! -s "$f" ]; then
        say "$f is not there: the clone is not complete"
        exit 1
    fi
done
[ ! -s "$region" ] || set -- -R "$region" "$@"
mkdir -p "$out"
export DNABIRD_DATA=${DNABIRD_DATA:-$PWD/data}

start=$(date +%s)
build/tools/dnabird promoter "$@" -o "$bed" "$genome" || exit 1
end=$(date +%s)

# The best first; ties in the order of the chromosome.
grep -v '^#' "$bed" | LC_ALL=C sort -t "$(printf '\t')" -k7,7gr -k1,1 -k2,2n \
    >"$out/sorted"
echo "The best of $(wc -l <"$out/sorted") promoters that dnabird finds in" \
    "$genome"
echo "(hg19, $((end - start)) s on $(cores) cores), beside the annotation:"
echo
tss_table "$out/sorted"
rm -f "$out/sorted"
echo
echo "All of them as BED: $PWD/$bed"
