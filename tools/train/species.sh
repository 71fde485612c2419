#!/bin/sh
# Train a promoter model of any genome: from FASTA and genes to a scan and metrics.
# SPDX-License-Identifier: MIT
#
#   tools/train/species.sh -f GENOME.fa -g GENES.gtf --train-contigs A,B,...
#       --valid-contigs C,... --test-contigs D,... [options]
#
# GENES is GTF, GFF3 or BED6 with the start sites (docs/your-genome.md). Options:
#   -o RUN             folder of the run [runs/species]; finished steps are not
#                      repeated
#   -s STEPS           updates of 8 windows [6000]
#   -w BP, -m BP       window [4000] and its margins, context only [200]
#   -b BP              bin, a multiple of 20 [100]
#   --gtf-feature TYPES    features of GENES that start at a start site
#   --false LIST       false calls per Mb to report [10,30,100]
#   --within BP        largest distance of a call from its start site [100]
#   --bootstrap N      resamples for intervals [1000]
#   -t N               threads
#
# The weights are those of the best validation, thresholds and calibration come from the
# validation contigs, and the test contigs are scored once, at the end. RUN/model is the
# model, RUN/figures.tsv has its metrics and those of a regression on k-mers,
# RUN/scan/TSS+.bedgraph and TSS-.bedgraph are the scan of the genome.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

fasta='' genes='' train='' valid='' test='' run=$here/runs/species
steps=6000 window=4000 margin=200 bin=100 within=100 false=10,30,100
bootstrap=1000 feature='' threads=''
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage 0 ;;
    -*) [ $# -gt 1 ] || die "$1 needs a value" ;;
    *) die "unknown argument '$1'; -h lists the options" ;;
    esac
    case $1 in
    -f) fasta=$2 ;;
    -g) genes=$2 ;;
    -o) run=$2 ;;
    -s) steps=$2 ;;
    -w) window=$2 ;;
    -m) margin=$2 ;;
    -b) bin=$2 ;;
    -t) threads=$2 ;;
    --train-contigs) train=$2 ;;
    --valid-contigs) valid=$2 ;;
    --test-contigs) test=$2 ;;
    --gtf-feature) feature=$2 ;;
    --false) false=$2 ;;
    --within) within=$2 ;;
    --bootstrap) bootstrap=$2 ;;
    *) die "unknown option '$1'; -h lists them" ;;
    esac
    shift 2
done
for given in "$fasta" "$genes" "$train" "$valid" "$test"; do
    [ -n "$given" ] || die "-f, -g, --train-contigs, --valid-contigs and --test-contigs are needed"
done
need_file "$fasta"
need_file "$genes"
dnabird=$(find_dnabird)
mkdir -p "$run"
# The options of the finished steps.
printf '%s\n' "$fasta" "$genes" "$train" "$valid" "$test" "$steps" "$window" \
    "$margin" "$bin" "$feature" "$false" "$within" "$bootstrap" >"$run/options.new"
if [ -s "$run/options" ]; then
    cmp -s "$run/options" "$run/options.new" ||
        die "$run was made with other options ($run/options): name another -o"
fi
mv "$run/options.new" "$run/options"
also=${threads:+"-t $threads"}

# of GENES, wherever start sites are read: $feature has no blanks
starts=${feature:+"--gtf-feature $feature"}

joined() {
    echo "$1" | tr , +
}

# Windows are end to end in every part, each bin in one of them.
[ -d "$run/windows" ] || run "$dnabird" dataset bins -f "$fasta" -b "$bin" \
    -w "$window" --margin "$margin" -o "$run/windows" --split \
    "train=$(joined "$train"),valid=$(joined "$valid"),test=$(joined "$test")"
# The whole of a part, for evaluate scan and for the regression's rows.
for part in train valid test; do
    [ -s "$run/$part.bed" ] || awk -v OFS='\t' '
        !($1 in end) { n++; name[n] = $1 }
        $3 > end[$1] { end[$1] = $3 }
        END { for (i = 1; i <= n; i++) print name[i], 0, end[name[i]] }
    ' "$run/windows/$part.bed" >"$run/$part.bed"
done

# Single bases, three convolutions that pool to rows of 20 bp, two layers of
# BigBird, from random weights.
[ -s "$run/bases.json" ] || run "$dnabird" tokenizer kmer -k 1 -o "$run/bases.json"
[ -s "$run/start/dnabird.json" ] || run "$dnabird" init --seed 1 \
    --config "$here/tools/train/species.json" --tokenizer "$run/bases.json" \
    --stem 15x128/5:relu,7x128/4:relu,5x128:relu --branch-scale 0.05 \
    --labels 1 --head bins -b "$bin" "$run/start"
# shellcheck disable=SC2086 # words wanted
[ -s "$run/trained/dnabird.json" ] || logged "$run/trained.log" "$dnabird" finetune bins \
    --train "$run/windows/train.bed" --valid "$run/windows/valid.bed" \
    -f "$fasta" --sites "$genes" $starts --init "$run/start" -b "$bin" \
    --margin "$margin" --settings "$here/tools/train/species.toml" \
    --steps "$steps" --validate-every $(((steps + 11) / 12)) \
    --resume $also -o "$run/trained"

# The baseline: a logistic regression on k-mers of 500 bp, which `finetune` fits in
# addition to a model of rows. That model is not used.
# shellcheck disable=SC2086 # words wanted
[ -s "$run/rows.tsv.gz" ] || run "$dnabird" dataset promoters -f "$fasta" \
    -p "$genes" $starts -R "$run/train.bed" \
    --settings "$here/tools/train/species_rows.toml" -o "$run/rows.tsv.gz"
# shellcheck disable=SC2086 # words wanted
[ -s "$run/kmers/baseline.safetensors" ] || logged "$run/kmers.log" "$dnabird" finetune \
    --train "$run/rows.tsv.gz" --valid-fraction 0.1 \
    --preset tiny --tokenizer "$run/bases.json" --steps 1 --window 500 \
    --stride "$bin" --resume $also -o "$run/kmers"

# The final folder: bfloat16 weights, with a self-test and the calibration. All metrics
# are those of these weights.
if [ ! -s "$run/model/dnabird.json" ]; then
    rm -rf "$run/model.part"
    run "$dnabird" export --compress --weights bfloat16 --selftest "$fasta" \
        "$run/trained" "$run/model.part"
    # shellcheck disable=SC2086 # words wanted
    "$dnabird" evaluate bins -m "$run/model.part" --calibrate $also \
        --windows "$run/windows/valid.bed" -f "$fasta" --sites "$genes" \
        $starts -o "$run/calibration.tsv"
    mv "$run/model.part" "$run/model"
fi

# scores PART: every bin of a part, on either strand, as windows of a scan;
# PART.bins.tsv has AUROC and AUPRC of all bins
scores() {
    [ -s "$run/$1.windows.tsv" ] && return
    # shellcheck disable=SC2086 # words wanted
    "$dnabird" evaluate bins -m "$run/model" --raw --strand both \
        --windows "$run/windows/$1.bed" -f "$fasta" --sites "$genes" $starts \
        $also --predictions "$run/$1.predictions.tsv" -o "$run/$1.bins.tsv"
    awk -F '\t' -v OFS='\t' '
        FNR == 1 { next }
        { match($1, /:[0-9]+-[0-9]+\(/)
          split(substr($1, RSTART + 1, RLENGTH - 2), at, "-")
          print substr($1, 1, RSTART - 1), at[1] - 1, at[2],
              substr($2, length($2)), $4 }
    ' "$run/$1.predictions.tsv" >"$run/$1.windows.tmp"
    mv "$run/$1.windows.tmp" "$run/$1.windows.tsv"
}

# figures NAME PART OPTIONS...: start sites found, false calls, ranking
figures() {
    set=$1/$2 part=$2
    shift 2
    printf 'zone = %s\nmerge = %s\n' $((bin / 2)) "$bin" >"$run/scan.toml"
    # shellcheck disable=SC2086 # words wanted
    "$dnabird" evaluate scan --set "$set" -p "$genes" $starts \
        -R "$run/$part.bed" --within "$within" --settings "$run/scan.toml" \
        --bootstrap "$bootstrap" "$@"
}

if [ ! -s "$run/figures.tsv" ]; then
    scores valid
    scores test
    for part in valid test; do
        thresholds="--fp-per-mb $false --choose"
        [ $part = valid ] || thresholds=--thresholds
        # shellcheck disable=SC2086 # words wanted
        figures model "$part" $thresholds "$run/model.thresholds" \
            "$run/$part.windows.tsv"
        # shellcheck disable=SC2086 # words wanted
        figures kmers "$part" $thresholds "$run/kmers.thresholds" \
            --baseline "$run/kmers/baseline.safetensors" -f "$fasta" -w 500 \
            --stride "$bin"
    done >"$run/figures.tmp"
    mv "$run/figures.tmp" "$run/figures.tsv"
fi

# The genome, one pass for both labels.
# shellcheck disable=SC2086 # words wanted
[ -d "$run/scan" ] || {
    rm -rf "$run/scan.part"
    run "$dnabird" chromatin -m "$run/model" -O bedgraph $also \
        -o "$run/scan.part" "$fasta"
    mv "$run/scan.part" "$run/scan"
}

awk -F '\t' '
    $4 == "auroc" || $4 == "auprc" { value[$1 " " $4] = $5 " [" $6 ", " $7 "]" }
    $2 == "stranded" && ($4 == "recall" || $4 == "false_per_mb") {
        at[$1, $4] = at[$1, $4] " " $5 }
    !($1 in seen) && /^[^#]/ { seen[$1]; order[++n] = $1 }
    END { for (i = 1; i <= n; i++) { s = order[i]
        print s ": AUROC " value[s " auroc"] ", AUPRC " value[s " auprc"]
        print "    recall" at[s, "recall"] " at false calls per Mb" at[s, "false_per_mb"] } }
' "$run/figures.tsv"
echo "$run/figures.tsv"
