#!/bin/bash
# From peak files to a model of many labels to tracks; prints TAP.
# SPDX-License-Identifier: MIT
#
#   chromatin.sh DNABIRD SOURCE_ROOT data|learn|many
set -u
. "$(dirname "${BASH_SOURCE[0]}")/training.sh"
root=$(realpath "$2") part=$3
cd "$work" || exit 1

# Two contigs of units of 200 bp, rich or poor in G and C; peaks of `rich` on
# the first, two that overlap for every unit; `poor` on the second contig alone.
awk 'BEGIN {
    srand(7)
    for (c = 1; c <= 2; c++) {
        name = c == 1 ? "chrA" : "chrB"
        print ">" name >"ref.fa"
        for (u = 0; u < (c == 1 ? 300 : 150); u++) {
            gc = rand() < 0.4 ? 0.75 : 0.35
            for (i = 0; i < 200; i++)
                printf "%s", substr(rand() < gc ? "GC" : "AT", rand() < 0.5 ? 1 : 2, 1) >"ref.fa"
            print "" >"ref.fa"
            at = u * 200
            if (gc > 0.5) {
                k = 20 + int(rand() * 60)
                print substr(name, 4), at + int(rand() * 30), at + k + 70, ".", 0, ".", 5.5, 3, 2, 40 >"rich.narrowPeak"
                print name, at + k, at + 160 + int(rand() * 100), "x", 0, "." >"rich.narrowPeak"
            } else if (c == 2)
                print "B\t" at + 10 "\t" at + 190 >"poor.bed"
        }
    }
}'
printf 'chrA\t60000\nchrB\t30000\n' >genome

dataset() {
    "$dnabird" dataset chromatin -f ref.fa --context 400 --max-n 0.5 \
        --no-version "$@"
}
# peaks FILE: as bedtools takes them, contigs named as in the reference
peaks() {
    tr ' ' '\t' <"$1" | sed 's/^\([AB]\)/chr\1/' | cut -f 1-3 |
        sort -k1,1 -k2,2n
}

# bin:profile of a set of labels, by bedtools: more than half of the bin lies
# in the merged peaks. Its coverage reads memory that it did not set, so the
# filling of memory that meson asks for stays out.
expected() {
    local k=0 f
    for f in rich.narrowPeak poor.bed; do
        peaks $f | bedtools merge -i - |
            env -u MALLOC_PERTURB_ bedtools coverage -a <(bedtools makewindows -g genome -w 200) -b - |
            awk -v k=$k '$5 > 100 { print $1 ":" $2 ":" k }'
        k=$((k + 1))
    done | sort
}
given() {
    gzip -dc "$1" | awk -F'\t' '!/^#/ { n = split($4, a, ",")
        for (i = 1; i <= n; i++) print $1 ":" $2 ":" a[i] }' | sort
}

data() {
    local want
    status "a set from two kinds of peak files" 0 "labels of 2 profiles" \
        dataset rich.narrowPeak poor.bed -o set.tsv.gz
    with bedtools check "labels are those of bedtools merge and coverage" \
        cmp <(expected) <(given set.tsv.gz)
    check "there are labels" test "$(given set.tsv.gz | wc -l)" -gt 150
    check "nothing is known of poor on A" grep -qx '##mask	chrA	1' \
        <(gzip -dc set.tsv.gz)
    gzip -c rich.narrowPeak >rich.gz && mkdir -p other
    sort -R --random-source=ref.fa rich.narrowPeak | gzip -c \
        >other/rich.narrowPeak.gz
    OMP_NUM_THREADS=1 status "gzip, in any order, by one thread" 0 - \
        dataset other/rich.narrowPeak.gz poor.bed -o x.tsv
    OMP_NUM_THREADS=2 status "as it is, by two" 0 - \
        dataset rich.narrowPeak poor.bed -o y.tsv
    check "gives the same bytes" cmp x.tsv y.tsv
    awk '{ print $1, $2, $3, "r" }' OFS='\t' rich.narrowPeak >one.bed
    awk '{ print $1, $2, $3, "p" }' OFS='\t' poor.bed >>one.bed
    printf 'id\tname\nr\trich\np\tpoor\n' >list.tsv
    status "one file with names in column 4" 0 - \
        dataset --profiles list.tsv one.bed -o z.tsv
    check "is the same, too" cmp x.tsv z.tsv
    dataset rich.narrowPeak poor.bed -o x.tsv.zst 2>err
    with zstd check "zstd reads what ends in .zst" cmp x.tsv <(zstd -qdc x.tsv.zst)
    with bedtools check "bedtools takes a set of labels as BED" bash -c '
        printf "chrA\t0\t60000\n" | bedtools intersect -u -a x.tsv -b - >on &&
        [ "$(wc -l <on)" -gt 50 ]'
    want=$(grep -vc '^#' x.tsv)
    status "the rest as background" 0 - dataset --background 1 \
        rich.narrowPeak poor.bed -o all.tsv
    check "$want bins with labels, 450 in all" test \
        "$(awk -F'\t' '!/^#/ { n++; m += $4 == "." } END { print n, m }' \
            all.tsv)" = "450 $((450 - want))"
}

finetune() {
    "$dnabird" finetune chromatin --train set/train.tsv.zst \
        --valid set/valid.tsv.zst -f ref.fa --tokenizer k4.json --preset tiny \
        --pos-weight 1 --steps 60 --batch 16 --lr 2e-3 --validate-every 30 \
        --average 0.9 "$@"
}

# column NAME of the row `part label` of a table of features
cell() {
    awk -F'\t' -v part="$1" -v label="$2" -v name="$3" '
        /^#/ { next }
        !at { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        $1 == part && $2 == label { print $at }' features
}

learn() {
    local auroc
    "$dnabird" tokenizer kmer -k 4 -s 4 -o k4.json 2>err
    printf 'chrA\t0\t45000\nchrB\t0\t22000\n' >train.bed
    status "a set of two parts" 0 - dataset --background 1 \
        --split train=train.bed,valid=rest rich.narrowPeak poor.bed -o set
    status "a run ends well" 0 "the model is in one" finetune -t 1 -o one
    status "and on two threads" 0 - finetune -t 2 -o two
    check "with the same bytes" cmp one/model.safetensors two/model.safetensors
    check "and floors" cmp one/baseline.safetensors two/baseline.safetensors
    check "figures of each label are kept" grep -q '^rich	' one/validation.tsv
    status "figures as a table and a page" 0 - "$dnabird" evaluate -m one \
        --test set/valid.tsv.zst -f ref.fa -O features -o features \
        --html page.html --bootstrap 50 --json e.json
    auroc=$(cell all rich auroc)
    # seeds 1 to 3: 0.98 to 1
    check "AUROC of held-out bins: $auroc" below 0.9 "$auroc"
    check "beside that of k-mers" below 0.8 "$(cell all rich k-mers_auroc)"
    with xmllint check "the page is well-formed" xmllint --noout page.html
    check "it has curves and distributions" bash -c '
        grep -q "ROC" page.html && grep -q "Precision and recall" page.html &&
        grep -q "Distribution of AUPRC" page.html'
    "$dnabird" evaluate -m one --test set/valid.tsv.zst -f ref.fa -t 1 \
        --no-version --html p1.html -o - >f1 2>err
    "$dnabird" evaluate -m one --test set/valid.tsv.zst -f ref.fa -t 2 \
        --no-version --html p2.html -o - >f2 2>err
    check "1 and 2 threads measure the same" cmp f1 f2
    check "and draw the same page" cmp p1.html p2.html
    tracks
}

chromatin() { "$dnabird" chromatin -m one --no-version "$@"; }

tracks() {
    local form
    chromatin -t 1 -o tsv ref.fa 2>err
    for form in tsv bedgraph bed; do
        chromatin -F rich -t 1 -T 0.5 -O $form ref.fa >x1 2>err
        chromatin -F rich -t 2 -T 0.5 -O $form ref.fa >x2 2>err
        check "1 and 2 threads: $form" cmp x1 x2
    done
    check "a line a bin" test "$(grep -vc '^#' tsv)" = 450
    chromatin -R <(printf 'A\t1000\t3000\nB\t400\t600\n') ref.fa 2>err |
        grep -v '^#' >r
    check "regions are rows of the whole" cmp r \
        <(awk '$1 == "chrA" && $2 >= 1000 && $3 <= 3000 ||
               $1 == "chrB" && $2 == 400' tsv)
    chromatin - <ref.fa 2>err | cmp - tsv
    check "standard input is the file" test $? = 0
    with tabix check "tabix finds rows of the matrix" bash -c '
        "$0" chromatin -m one -W -o m.tsv.gz ref.fa 2>/dev/null &&
        [ "$(tabix m.tsv.gz chrA:1001-3000 | wc -l)" = 10 ] &&
        tabix -H m.tsv.gz | grep -q rich' "$dnabird"
    status "a folder of bedGraph, bgzipped and indexed" 0 - \
        chromatin -O bedgraph -z -W -o tracks ref.fa
    with tabix check "tabix finds rows of a track" test \
        "$(tabix tracks/poor.bedgraph.gz chrB:401-600 | wc -l)" = 1
    with bedtools check "bedtools map reads a track" bash -c '
        bedtools map -g genome -a <(printf "chrA\t0\t60000\n") \
            -b tracks/rich.bedgraph.gz -c 4 -o count |
        grep -qx "chrA.0.60000.298"'
    chromatin -O bed -F rich ref.fa >calls.bed 2>err
    peaks rich.narrowPeak >p.bed
    with bedtools check "calls lie where the peaks are" bash -c '
        bedtools intersect -sorted -g genome -u -a calls.bed -b p.bed >hit &&
        [ "$(grep -vc "^#" calls.bed)" -gt 10 ] &&
        [ $(($(wc -l <hit) * 10)) -ge $(($(grep -vc "^#" calls.bed) * 8)) ]'
    if "$dnabird" --version | grep -qx 'libBigWig: yes'; then
        status "a folder of bigWig" 0 - chromatin -O bigwig -o wig ref.fa
        check "with their mark" test \
            "$(od -An -tx4 -N4 wig/rich.bw | tr -d ' ')" = 888ffc26
    else
        status "no bigWig here" 2 "bigWig" chromatin -O bigwig -o wig ref.fa
    fi
}

# labels_in FILE: their number
labels_in() {
    awk -F'\t' '!/^#/ && $4 != "." { n += split($4, a, ",") }
        END { print n }' "$1"
}

# All 919 profiles, each from a file of its own, in little memory.
many() {
    local i peak
    mkdir p
    awk -v OFS='\t' 'BEGIN {
        srand(3)
        for (k = 0; k < 919; k++) {
            f = "p/" k ".bed"
            for (i = 0; i < 120; i++) {
                at = int(rand() * 59000)
                print rand() < 0.7 ? "A" : "B", at % 29000, at % 29000 + 250 >f
            }
            close(f)
        } }'
    awk -F'\t' -v OFS='\t' 'NR == 1 { print $0, "file"; next }
        { print $0, "p/" $1 ".bed" }' \
        "$root/data/chromatin/deepsea_919.tsv" >list.tsv
    status "919 files" 0 "of 919 profiles" dataset --profiles list.tsv \
        --max-memory 100000 --summary sum.tsv -o set.tsv.zst
    status "in more memory" 0 - dataset --profiles list.tsv -o big.tsv.zst
    check "are the same labels" cmp set.tsv.zst big.tsv.zst
    awk -v OFS='\t' '{ print $0, FILENAME }' p/*.bed >all.bed
    status "one file of 919 names" 0 "of 919 profiles" dataset --name-column \
        --max-memory 100000 all.bed -o all.tsv
    check "has as many labels" test "$(labels_in all.tsv)" = \
        "$("$dnabird" dataset chromatin -f ref.fa --context 400 --max-n 0.5 \
            --no-version --profiles list.tsv -o - 2>/dev/null | labels_in -)"
    check "a line a profile in the summary" test "$(wc -l <sum.tsv)" = 920
    "$dnabird" tokenizer kmer -k 4 -s 4 -o k4.json 2>err
    status "a model of 919 labels" 0 "the model is in m" "$dnabird" finetune \
        chromatin --train set.tsv.zst --valid set.tsv.zst -f ref.fa \
        --tokenizer k4.json --preset tiny --steps 3 --batch 8 --no-baselines \
        -o m
    "$dnabird" chromatin -m m -r A:2001-2200 ref.fa >row 2>err
    check "answers 919 a bin" test \
        "$(grep -v '^##' row | tail -n 1 | awk -F'\t' '{ print NF }')" -ge 922
    for i in DHS,125 TF,690 HM,104; do
        "$dnabird" chromatin -m m -F "class:${i%,*}" -l >l 2>err
        check "$i of them" test "$(grep -vc '^#' l)" -ge "${i#*,}"
    done
    status "figures of 919 labels" 0 - "$dnabird" evaluate -m m \
        --test set.tsv.zst -f ref.fa -O features -o f --html p.html
    check "a line a label and medians" test "$(grep -vc '^#' f)" = 924
    peak=$(wc -c <p.html)
    check "a page of less than 4 MB: $peak" test "$peak" -lt 4000000
}

"$part"
end_rules
