#!/bin/bash
# Do two programs write the same bytes? Runs scans, variants, training and the
# rest with both on the data of the source tree: models with one answer a window,
# with bins and masked ones, one thread and two. Compares every file; files that
# hold times are left out. Ends 0 if all are equal.
# SPDX-License-Identifier: MIT
#
#   tools/same_outputs.sh [--all] OLD_PROGRAM NEW_PROGRAM
#       --all   all alleles of the demo, and longer regions: minutes, not one
set -u
every=30 bases=10000
if [ "${1-}" = --all ]; then
    every=1 bases=60000
    shift
fi
[ $# = 2 ] || { echo "usage: $0 [--all] OLD_PROGRAM NEW_PROGRAM" >&2 && exit 2; }
old=$(realpath "$1") new=$(realpath "$2")
cd "$(dirname "$0")/.." || exit 1
root=$PWD data=$PWD/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive LC_ALL=C
genome=$data/genome/chr20_demo.fa.gz vcf=$work/some.vcf
zcat "$data/variants/chr20_demo.vcf.gz" |
    awk -v n="$every" '/^#/ || ++i % n == 0' >"$vcf"

# at START: a region of the demo that begins there
at() { echo "chr20:$1-$(($1 + bases - 1))"; }

# Labelled sequence with something to learn in it.
rows() {
    awk 'BEGIN { srand(5); print "sequence,label"; for (i = 0; i < 240; i++) {
        s = ""; for (j = 0; j < 120; j++) s = s substr("ACGT", 1 + int(4 * rand()), 1)
        if (i % 2) s = substr(s, 1, 50) "TATAAAGG" substr(s, 59)
        print s "," i % 2 } }'
}

outputs() { # PROGRAM FOLDER
    local p=$1 err=$2.err
    mkdir -p "$2" && cd "$2" || return
    { echo '>e' && zcat "$genome" | sed -n '40000,40140p'; } >e.fa
    head -20 e.fa >e2.fa
    rows >rows.csv
    run() { "$p" "$@" 2>>"$err" || echo "status $?: $*" >>"$err.status"; }
    tracks=$data/models/regulatory
    scan() { run promoter --no-version -m "$tracks" -T 0.3 "$@"; }
    scan -t 2 -o a.bed -r "$(at 2400001)" "$genome"
    scan -t 1 -O bedgraph -o a.bg -r "$(at 2500001)" "$genome"
    scan -O windows -o a.win --strand + -r "$(at 2600001)" "$genome"
    scan -O tsv -W -o a.tsv.gz -r chr20:2400001-2420000,chr20:2430001-2450000 \
        "$genome"
    scan -o s.bed - <e.fa
    for f in tsv bed; do
        run chromatin --no-version -O $f -o c.$f -r "$(at 2600001)" "$genome"
    done
    run chromatin --no-version -O bedgraph --features DNase -o tracks \
        -r "$(at 2600001)" "$genome"
    alleles() { run variant --no-version -m "$tracks" -f "$genome" "$@" "$vcf"; }
    alleles -o v.vcf
    alleles -O tsv -o v.tsv --shifts 0 \
        --scores p_ref,p_alt,diff,logit,deepsea_effect
    alleles -O tsv --long --tokens free --strand + -o v2.tsv
    alleles -O bed -o v.bed
    alleles -O kipoi --kipoi-name x/y -o v.kipoi
    run variant --no-version -m "$data/training/human" -f "$genome" -O tsv -o z.tsv \
        "$vcf"
    region() {
        run mutate --no-version -m "$tracks" -f "$genome" -r chr20:2510001-2510010 "$@"
    }
    region --centre region -o m.tsv
    region --features label:0 -O bedgraph -o m.bg --centre base
    region --features label:0 -O svg -o m.svg --centre region
    run attribute --no-version -f "$genome" -F label:0 -r chr20:2510001-2510200 \
        -o at.tsv
    run embed -o e.safetensors e2.fa --pooled
    run tokenizer train --vocab 100 -o tok.json e.fa
    run init --preset tiny --tokenizer tok.json --labels a,b --window 120 --seed 3 m
    run finetune --train rows.csv --valid rows.csv --epochs 1 --seed 1 --init m -o f
    run pretrain --preset tiny --tokenizer tok.json -o p --steps 6 --batch 512 \
        --length 64 --seed 2 e.fa
    run evaluate -m f --test rows.csv --predictions ev.tsv >ev.txt
    run evaluate -m f --test rows.csv --baseline-train rows.csv --strand both >ev2.txt
    one_answer "$p"
    mkdir bins && cd bins && with_bins "$p"
}

one_answer() { # PROGRAM: a model with one answer a window
    local short=(-m f -f "$genome" --window 120 --no-version)
    scan -m f -o w.bed --window 120 --stride 40 e.fa
    scan -m f -O windows -o w.win --window 120 --stride 40 e2.fa
    run variant "${short[@]}" -O tsv -o w.tsv "$vcf"
    run variant "${short[@]}" -O tsv -o w2.tsv --shifts 0,7 --tokens both "$vcf"
    run mutate "${short[@]}" --centre region -r chr20:2510001-2510010 -o wm.tsv
    run attribute "${short[@]}" -r chr20:2510001-2510050 -o wa.tsv
}

with_bins() { # PROGRAM: data, training and evaluation of a model with bins
    dnabird() { run "$@"; }
    . "$root/tests/cli/bins_data.sh"
    # not by learn(): an older program has other names for some of its options
    windows -q && run finetune bins -q --train w/train.bed --valid w/valid.bed \
        "${labels[@]}" --tokenizer k.json --preset tiny --steps 4 --shift 30 -o m
    run evaluate bins -m m --windows w/valid.bed "${labels[@]}" --no-version \
        --min-positives 1 --predictions p.tsv >ev.txt
    run promoter --no-version -m m -o p.bed -T 0.1 r.fa
    run chromatin --no-version -m m -O tsv -o c.tsv r.fa
    run dataset chromatin -f r.fa --name-column --context 600 -o d.tsv peaks.bed
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
done < <(cd "$work/old" && find . -type f ! -name training.tsv \
    ! -name '*.json' ! -name '*.log' | sort)
cat "$work/"*.status 2>/dev/null
echo "$n files, $bad differ"
[ "$bad" = 0 ] && ! ls "$work/"*.status >/dev/null 2>&1
