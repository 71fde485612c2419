#!/bin/bash
# The model of measured activity: members learned from reporter assays, distilled into one.
# SPDX-License-Identifier: MIT
#
#   tools/train/activity.sh [-d DATA] [-o RUNS] [-s STEPS] [-k MEMBERS] [-t THREADS]
#       [-p PEER]
#
# DATA/mpra/lentimpra_200bp.tsv.gz has 79,833 sequences of 200 bp with their activity
# in HepG2, K562 and WTC11 (lentiMPRA, Agarwal et al. 2025). Rows that share 32 bases
# with the elements or the oligos of measured variants are left out. A tenth
# of the sequences, both orientations together, validates.
#
# 1. MEMBERS [7] models learn the three values for STEPS [6000] updates of 128 rows, each
#    from other random weights and other motifs of JASPAR as first filters: a stem of five
#    convolutions at single bases, one encoder layer, a head on maximum and mean.
# 2. Each answers, on both strands, for every training sequence, two mutated copies (2 and
#    8 % of the bases) and a shuffled copy of every second one. PEER is a command that
#    takes the table of these rows and prints name, HepG2 and K562
#    (tools/bench/compare_dragonn.py WEIGHTS); SHARE [.4] of its answers, in WTC11 of their
#    mean, is added to the mean of the members'.
# 3. One model of the same size, which begins with the weights of the first member, learns
#    the means of the first three members for 1.75 times as many updates, then the means of
#    all for two thirds as many, at a lower rate. It ships: bfloat16, with a background of
#    random changes.
# 4. Every single-base change of the elements HBG1, LDLR, SORT1 and ZRS (saturation
#    mutagenesis), which choose models, is scored by each model: `matched` is the
#    difference in the cell of the experiment (HepG2 for LDLR and SORT1, K562 for HBG1),
#    or the mean of the three.
# Finished steps are not repeated. PRECISION=bfloat16 trains in bfloat16.
#
# Results: RUNS/activity/model, to be copied to data/models/activity; NAME.choose.tsv of
# the members and the model: correlation with measured effects, element by element.
set -euo pipefail
export LC_ALL=C
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=6000 members=7 threads=1 peer=''
while getopts d:o:s:k:t:p:h letter; do
    case $letter in
    d) data=$OPTARG ;;
    o) runs=$OPTARG ;;
    s) steps=$OPTARG ;;
    k) members=$OPTARG ;;
    t) threads=$OPTARG ;;
    p) peer=$OPTARG ;;
    h) usage 0 ;;
    *) usage 2 >&2 ;;
    esac
done
find_genome "$data"
dnabird=$(find_dnabird)
run=$runs/activity
rows=$data/mpra/lentimpra_200bp.tsv.gz
elements=$data/variants/mpra/mpra_elements
oligos=$data/variants/oligos_hg19.tsv.gz
for f in "$rows" "$oligos" "$elements.fa" "$elements.vcf.gz"; do
    need_file "$f"
done
mkdir -p "$run"
cells=HepG2,K562,WTC11

# ---- rows ------------------------------------------------------------------------

# Without rows that share sequence with measured variants.
leave_out() {
    zcat "$oligos" | awk -F '\t' 'NR == 1 { print "sequence"; next }
        { print $6; print $7 }' >"$run/oligos.tsv"
    "$dnabird" dataset overlap -k 32 --name-column name --kept "$run/rows.tsv.gz" \
        -o "$run/overlap.tsv" "$rows" "$elements.fa" "$run/oligos.tsv"
}
[ -s "$run/rows.tsv.gz" ] || leave_out

# A sequence and its reverse complement are in the same part, by a sum of their bases.
split_rows() {
    zcat "$run/rows.tsv.gz" | awk -F '\t' -v train="$run/train.tmp" -v valid="$run/valid.tmp" '
    function part(s, i, h) {
        for (i = 1; i <= length(s); i++)
            h = (h * 31 + index("ACGT", substr(s, i, 1))) % 1000003
        return h % 10 == 0
    }
    function reverse(s, i, r) {
        for (i = length(s); i; i--)
            r = r substr("TGCAN", index("ACGTN", substr(s, i, 1)), 1)
        return r
    }
    NR == 1 { print >train; print >valid; next }
    { s = toupper($2); r = reverse(s)
      if (part(s < r ? s : r)) print >valid; else print >train }'
    mv "$run/valid.tmp" "$run/valid.tsv"
    mv "$run/train.tmp" "$run/train.tsv"
}
[ -s "$run/train.tsv" ] || split_rows

# ---- members -----------------------------------------------------------------------

[ -s "$run/base.json" ] || "$dnabird" tokenizer kmer -k 1 -o "$run/base.json"
[ -s "$run/config.json" ] ||
    sed 's/"hidden_size": 128/"hidden_size": 96/
        s/"intermediate_size": 256/"intermediate_size": 192/
        s/"num_hidden_layers": 2/"num_hidden_layers": 1/' \
        "$here/tools/train/bins.json" >"$run/config.json"

# random NAME SEED: RUNS/activity/NAME, random weights
random() {
    [ -d "$run/$1" ] || "$dnabird" init --tokenizer "$run/base.json" --seed "$2" \
        --config "$run/config.json" --branch-scale 0.3 --labels 3 --head maxmean -w 200 --motifs jaspar \
        --stem 11x160:relu,7x96/2:relu,7x96/2+:relu,7x96/2+:relu,7x96+:relu \
        "$run/$1"
}

# learn NAME FROM SEED STEPS RATE TABLE: RUNS/activity/NAME, from FROM
learn() {
    [ -s "$run/$1/dnabird.json" ] || logged "$run/$1.log" \
        "$dnabird" finetune --train "$6" --valid "$run/valid.tsv" --values "$cells" \
        --init "$run/$2" --head maxmean --window 200 --steps "$4" --batch 128 \
        --optimizer muon --lr "$5" --warmup 0.05 --average 0.995 --dropout 0.1 \
        --strand both --shift 10 --settings "$here/tools/train/activity.toml" \
        --no-baselines --validate-every 800 --seed "$3" -t "$threads" --resume \
        ${PRECISION:+--precision "$PRECISION"} -o "$run/$1"
}
for ((k = 1; k <= members; k++)); do
    random member$k.start $k
    learn member$k member$k.start $k "$steps" 5e-3 "$run/train.tsv"
done

# ---- one model of all ----------------------------------------------------------------

# The rows that members answer for; their values are not used.
more_rows() {
    awk -F '\t' -v OFS='\t' '
    function mutate(s, rate, i, o, c, d) {
        for (i = 1; i <= length(s); i++) {
            c = substr(s, i, 1)
            if (rand() < rate) {
                do d = substr("ACGT", 1 + int(4 * rand()), 1); while (d == c)
                c = d
            }
            o = o c
        }
        return o
    }
    function shuffle(s, i, j, n, a, t, o) {
        n = split(s, a, "")
        for (i = n; i > 1; i--) { j = 1 + int(i * rand()); t = a[i]; a[i] = a[j]; a[j] = t }
        for (i = 1; i <= n; i++) o = o a[i]
        return o
    }
    BEGIN { srand(1) }
    NR == 1 { print; next }
    { s = toupper($2)
      print "r" NR, s, 0, 0, 0
      print "a" NR, mutate(s, .02), 0, 0, 0
      print "b" NR, mutate(s, .08), 0, 0, 0
      if (NR % 2) print "s" NR, shuffle(s), 0, 0, 0 }' "$run/train.tsv"
}
[ -s "$run/more.tsv" ] || { more_rows >"$run/more.tmp" && mv "$run/more.tmp" "$run/more.tsv"; }
for ((k = 1; k <= members; k++)); do
    [ -s "$run/member$k.answers" ] || run "$dnabird" evaluate -q -m "$run/member$k" \
        --test "$run/more.tsv" --values "$cells" --strand both --bootstrap 0 \
        ${PRECISION:+--precision "$PRECISION"} \
        -t "$threads" --predictions "$run/member$k.answers" -o /dev/null
done

others=$run/none.answers
[ -z "$peer" ] || others=$run/peer.answers
[ -s "$others" ] || { # shellcheck disable=SC2086 # a command and its arguments
    if [ -n "$peer" ]; then
        run $peer "$run/more.tsv"
    else
        awk '{ print "\t0\t0" }' "$run/more.tsv"
    fi >"$run/others.tmp" && mv "$run/others.tmp" "$others"
}

# mean_rows N: the mean of the answers of the first N members, and a share of the peer's, in
# the place of the values
mean_rows() {
    local k files=()
    for ((k = 1; k <= $1; k++)); do files+=("$run/member$k.answers"); done
    paste "${files[@]}" | awk -F '\t' -v OFS='\t' -v share="${SHARE:-.4}" '
    FNR == NR { if (FNR > 1) {
        sum = 0
        for (i = 4; i <= NF; i += 4) sum += $i
        mean[FNR - 1] = 4 * sum / NF }
        next }
    FILENAME == ARGV[2] { h[FNR] = $2; k562[FNR] = $3; next }
    FNR == 1 { print; next }
    {
        k = 3 * (FNR - 2)
        print $1, $2, sprintf("%.5f", mean[k + 1] + share * h[FNR]), \
            sprintf("%.5f", mean[k + 2] + share * k562[FNR]), \
            sprintf("%.5f", mean[k + 3] + share * (h[FNR] + k562[FNR]) / 2)
    }' - "$others" "$run/more.tsv"
}
# teach NAME FROM SEED STEPS RATE N: RUNS/activity/NAME, from FROM, of the first N members
teach() {
    local means=$run/means$6.tsv
    [ -s "$means" ] || { mean_rows "$6" >"$run/means.tmp" && mv "$run/means.tmp" "$means"; }
    learn "$1" "$2" "$3" "$4" "$5" "$means"
}
teach taught member1 1 $((steps * 7 / 4)) 5e-3 $((members < 3 ? members : 3))
teach one taught 2 $((steps * 2 / 3)) 2e-3 "$members"

# ---- the folder to ship ----------------------------------------------------------------

model=$run/model
[ -s "$model/dnabird.json" ] || run "$dnabird" export --weights bfloat16 --compress \
    --facts "$here/tools/train/activity.json" \
    --selftest "$here/data/genome/chr20_demo.fa.gz" "$run/one" "$model"
genome=$run/genome.fa.gz
one_genome "$genome"
[ -s "$run/background.json" ] || run "$dnabird" variant background -t "$threads" \
    -m "$model" -f "$genome" -R "$split/train.bed" --shifts 0/2d \
    --tokens free -n 30000 --others 1000 --seed 1 --json "$run/background.json"
cp "$here/tools/train/activity.md" "$model/README.md"
run "$dnabird" info --verify "$model" >&2
run "$dnabird" info --selftest "$model" >&2

# On the rows that validate, beside regressions on k-mers and positions of the same rows.
[ -s "$run/shipped.tsv" ] || run "$dnabird" evaluate -q -t "$threads" -m "$model" \
    --test "$run/valid.tsv" --values "$cells" --baseline-train "$run/train.tsv" \
    -o "$run/shipped.tsv"

# ---- alleles of the elements that choose --------------------------------------------

[ -s "$run/choose.vcf" ] || zcat "$elements.vcf.gz" | awk -F '\t' '
    /^#/ || $1 ~ /^(HBG1|LDLR|SORT1|ZRS)/ && length($4) == 1 && length($5) == 1
    ' >"$run/choose.vcf"
[ -s "$run/elements.fa" ] || sed 's/ .*//' "$elements.fa" >"$run/elements.fa"
awk '/^>(LDLR|SORT1|ZRS)/ { name = substr($0, 2)
    print name "\t" (name ~ /^ZRS/ ? "ZRS" : name ~ /^LDLR/ ? "LDLR" : "SORT1") }' \
    "$run/elements.fa" >"$run/groups.tsv"

# choose NAME FOLDER SHIFTS: RUNS/activity/NAME.choose.tsv
choose() {
    [ -s "$run/$1.choose.tsv" ] && return
    run "$dnabird" variant -q -t "$threads" -m "$2" -f "$run/elements.fa" --strand both \
        --shifts "$3" --tokens free --scores diff -F "$cells" -O tsv --no-version \
        -o "$run/$1.alleles.tsv" "$run/choose.vcf"
    awk -F '\t' -v OFS='\t' '
    /^#/ {
        for (i = 1; i <= NF; i++) at[$i] = i
        print $1, $2, $3, $4, $5, "matched"
        next
    }
    {
        h = $at["HepG2/diff"]; k = $at["K562/diff"]; w = $at["WTC11/diff"]
        x = $1 ~ /^(LDLR|SORT1)/ ? h : $1 ~ /^HBG1/ ? k : (h + k + w) / 3
        print $1, $2, $3, $4, $5, $at["STATUS"] == "OK" ? x : "."
    }' "$run/$1.alleles.tsv" >"$run/$1.matched.tsv"
    run "$dnabird" evaluate variants -q -t "$threads" --no-version --measured MPRA \
        --measured-in "$run/choose.vcf" --min-effect 0.2 \
        --settings "$here/tools/train/mpra.toml" --groups "$run/groups.tsv" \
        -f "$run/elements.fa" --scores matched --seed 1 -o "$run/$1.choose.tsv" \
        "$run/$1.matched.tsv"
}
for ((k = 1; k <= members; k++)); do
    choose member$k "$run/member$k" 0
done
choose one "$model" 0
choose one.shifts "$model" 0,4
for f in "$run"/*.choose.tsv; do
    awk -F '\t' -v f="${f##*/}" '$1 == "mean" { print f "\t" $0 }' "$f"
done
