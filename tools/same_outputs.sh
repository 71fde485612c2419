#!/bin/bash
# Do two programs write the same bytes? Runs scans, variants, training and the
# rest on the data of the source tree with both, one thread and two, and
# compares every file; what tells the time is left out. Ends 0 if all are equal.
# SPDX-License-Identifier: MIT
#
#   tools/same_outputs.sh OLD_PROGRAM NEW_PROGRAM
set -u
[ $# = 2 ] || { echo "usage: $0 OLD_PROGRAM NEW_PROGRAM" >&2 && exit 2; }
old=$(realpath "$1") new=$(realpath "$2")
cd "$(dirname "$0")/.." || exit 1
data=$PWD/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive LC_ALL=C
genome=$data/genome/chr20_demo.fa.gz vcf=$data/variants/chr20_demo.vcf.gz

# Labelled sequence with something to learn in it.
rows() {
    awk 'BEGIN { srand(5); print "sequence,label"; for (i = 0; i < 240; i++) {
        s = ""; for (j = 0; j < 120; j++) s = s substr("ACGT", 1 + int(4 * rand()), 1)
        if (i % 2) s = substr(s, 1, 50) "TATAAAGG" substr(s, 59)
        print s "," i % 2 } }'
}

outputs() { # PROGRAM FOLDER
    local p=$1
    mkdir -p "$2" && cd "$2" || return
    { echo '>e' && zcat "$genome" | sed -n '40000,40140p'; } >e.fa
    head -20 e.fa >e2.fa
    rows >rows.csv
    run() { "$p" "$@" 2>>err || echo "status $?: $*" >>status; }
    scan() { run promoter --no-version -T 0.3 "$@"; }
    scan -t 2 -o a.bed -r chr20:2400001-2460000 "$genome"
    scan -t 1 -O bedgraph -o a.bg -r chr20:2500001-2530000 "$genome"
    scan -O windows -o a.win --strand + -r chr20:2600001-2620000 "$genome"
    scan -O tsv -W -o a.tsv.gz -r chr20:2400001-2420000,chr20:2430001-2450000 \
        "$genome"
    scan -o s.bed - <e.fa
    for f in tsv bed; do
        run chromatin --no-version -O $f -o c.$f -r chr20:2600001-2620000 "$genome"
    done
    run chromatin --no-version -O bedgraph --features DNase -o tracks \
        -r chr20:2600001-2620000 "$genome"
    alleles() { run variant --no-version -f "$genome" "$@" "$vcf"; }
    alleles -o v.vcf
    alleles -O tsv -o v.tsv --scores p_ref,p_alt,diff,logit,e,z,deepsea_effect
    alleles -O tsv --long --tokens free --strand + -o v2.tsv
    alleles -O bed -o v.bed
    alleles -O kipoi --kipoi-name x/y -o v.kipoi
    region() { run mutate --no-version -f "$genome" -r chr20:2510001-2510040 "$@"; }
    region -o m.tsv
    region --features label:0 -O bedgraph -o m.bg --centre base
    region --features label:0 -O svg -o m.svg
    run embed -o e.safetensors e2.fa --pooled --logits
    run tokenizer train --vocab 100 -o tok.json e.fa
    run init --preset tiny --tokenizer tok.json --labels a,b --window 120 --seed 3 m
    run finetune --train rows.csv --valid rows.csv --epochs 1 --seed 1 --init m -o f
    run pretrain --preset tiny --tokenizer tok.json -o p --steps 6 --batch 512 \
        --length 64 --seed 2 e.fa
    run evaluate -m f --test rows.csv --predictions ev.tsv >ev.txt
}

for k in old new; do
    (outputs "${!k}" "$work/$k")
done
n=0 bad=0
while read -r f; do
    n=$((n + 1))
    cmp -s "$work/old/$f" "$work/new/$f" && continue
    bad=$((bad + 1))
    echo "differs: $f"
done < <(cd "$work/old" && find . -type f ! -name err ! -name training.tsv \
    ! -name '*.json' ! -name '*.log' | sort)
[ -f "$work/old/status" ] && sed 's/^/old: /' "$work/old/status"
echo "$n files, $bad differ"
[ "$bad" = 0 ] && [ ! -f "$work/old/status" ]
