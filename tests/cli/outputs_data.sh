# Inputs of outputs.tst, and a guard on them. SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# (in a row's own folder)
[ -d m ] || { cp -r "$T/data/model" m && rm m/README.md; }
cp "$DATA"/genome/chr20_demo.fa.gz g.fa.gz
for s in fai gzi; do cp "$DATA/genome/chr20_demo.fa.gz.$s" "g.fa.gz.$s"; done
cp "$DATA/genome/chr20_demo_tss.bed" tss.bed
cp "$DATA/genome/chr20_demo_region.bed" region.bed
(echo '>chr20'; gzip -dc g.fa.gz | sed -n '44001,44100p') >g.fa
printf 'chr20\t2500000\t2520000\n' >all.bed
cp "$T"/data/variants/{toy.fa,kinds.vcf} .
head -41 "$T/data/train/prom_core_tata.test300.csv" >t.csv
mkdir r
printf 'step\tloss\n10\t0.5\n' >r/training.tsv

# List the files of the folder, with their checksums.
keep() { find . -type f -print0 | sort -z | xargs -0 sha256sum >../kept; }

# The case ends with the command's status, or with 9 if a file changed.
kept() {
    local status=$?
    sha256sum --quiet -c ../kept || status=9
    exit $status
}
