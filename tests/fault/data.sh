#!/bin/bash
# Inputs of the commands in tests/fault/commands: models and data as small as
# they can be. SPDX-License-Identifier: MIT
#
#   data.sh DNABIRD FOLDER [small]     fills FOLDER/in; small: for a few of them
set -eu
program=$(realpath "$1")
T=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
export T LC_ALL=C OMP_WAIT_POLICY=passive OMP_NUM_THREADS=1
dnabird() { "$program" "$@"; }

mkdir -p "$2/in"
cd "$2/in"
cp -r "$T"/data/variants/. "$T/data/model" .
cp "$T/golden/t_bpe_tiny/tokenizer.json" bpe.json
cp -r "$T/data/torch" torch
sed s/BigBirdForMaskedLM/BigBirdModel/ torch/config.json >torch/c.json
mkdir plain
mv torch/c.json plain/config.json
cp torch/zip_bare.bin plain/pytorch_model.bin
gzip -dc "$T/data/train/prom_core_tata.train600.csv.gz" | sed -n 1,33p >rows.csv
sed -n 1,21p "$T/data/train/prom_core_tata.test300.csv" >test.csv
printf 'chr1\t100\t104\n' >few.bed
(sed -n '/^#/p' kinds.vcf; grep -v '^#' kinds.vcf | sed -n 1,6p | sort -k1,1 -k2,2n) >few.vcf
bgzip -c toy.fa >toy.fa.gz 2>/dev/null || gzip -c toy.fa >toy.fa.gz
printf '>a\nACGTTGCA\n>b\nGATTACA\n' >few.fa
dnabird promoter -q -m model toy.fa.gz -o /dev/null # its index
dnabird mutate -q -m model -f toy.fa -R few.bed --shifts 0 -W -o table.tsv.gz
dnabird promoter -q -m model -O windows toy.fa -o windows.tsv
printf 'chr1\t120\t121\ta\t0\t+\nchr1\t480\t481\tb\t0\t-\n' >sites.bed

[ "${3-}" != small ] || exit 0
cp -r model calibrated
dnabird variant background -q -m calibrated -f toy.fa -n 20 2>/dev/null
mkdir mlm
(cd mlm && . "$T/cli/masked_data.sh" && grep '^#' x.vcf >few.vcf &&
    grep -v '^#' x.vcf | sed -n 1,4p >>few.vcf) 2>/dev/null
mkdir chromatin
(cd chromatin && . "$T/cli/chromatin_data.sh" && model &&
    head -2 r.fa | cut -c 1-1500 >short.fa) 2>/dev/null
mkdir bins
(cd bins && . "$T/cli/bins_data.sh" && windows -q && learn 2 -q &&
    printf 'B\t2010\t2014\n' >few.bed) 2>/dev/null
mkdir repeats
(cd repeats && . "$T/cli/repeats_data.sh" && learn_setup &&
    dnabird dataset tokens -q --tokenizer "$T/golden/t_bpe_tiny/tokenizer.json" \
        --steps 2 --batch 512 --length 64 -o tokens x.fa && learn run) 2>/dev/null
dnabird evaluate -q -m model --bootstrap 5 --test test.csv -o evaluation.tsv \
    2>/dev/null
