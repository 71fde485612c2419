#!/bin/sh
# Masked-language models of yeast promoters: from twelve genomes and one, or from one.
# SPDX-License-Identifier: MIT
#
#   tools/train/yeasts.sh [-d DATA] [-o RUNS] [-s STEPS] [MODEL...]
#
# DATA has twelve genomes with genes: six strains of S. cerevisiae, of which SK1 comes
# first, five of S. paradoxus and one of S. arboricola. Rows lie in promoters, 550 bp before
# and 50 behind a start codon. A systematic name says on which chromosome a gene of
# S. cerevisiae lies: orthologues of genes on XIII to XVI are the test part, of genes on
# XII the validation part, in all genomes. A promoter that shares 30 bases with XIII to
# XVI of SK1 on either strand is left out of training. Every MODEL is trained for STEPS
# (6000) updates of 8 rows of 510 bases:
#   types  all genomes; the model reads which one a row is from (--genome-types)
#   all    all genomes
#   one    SK1 alone
# RUNS/yeasts keeps everything; finished steps are not repeated. bits.tsv has bits per
# base on the validation and test promoters of SK1, beside Markov models of the same
# training promoters, pairs.tsv differences on the same bases; yeasts_activity.sh measures the models on activities of promoters.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=6000
take_options "$@"
shift $((OPTIND - 1))
models=${*:-types one all}
dnabird=$(find_dnabird)
data=$(find_data "$data")
genomes=$data/genomes/yeast12
need_file "$genomes/SK1.genome.fa.gz"
run=$runs/yeasts
mkdir -p "$run"

# places GFF: 600 bp of each gene as BED6, its name the gene's, or if it has none its contig
places() {
    zcat "$1" | awk -F '\t' -v OFS='\t' '
        $3 == "gene" {
            name = $9; sub(/.*Name=/, "", name); sub(/;.*/, "", name)
            if (name !~ /^Y[A-P][LR][0-9][0-9][0-9][WC]/) name = $1
            from = $7 == "+" ? $4 - 1 - 550 : $5 - 50
            if (from >= 0) print $1, from, from + 600, name, 0, $7 }'
}

# part_of: the part, TAB, the line of BED6
part_of() {
    awk -F '\t' -v OFS='\t' '{
        c = $4
        if (c ~ /^Y[A-P]/) c = substr(c, 2, 1)
        else { sub(/^chr/, "", c)
               c = c ~ /^(XIII|XIV|XV|XVI)$/ ? "M" : c == "XII" ? "L" : c ~ /^mt|^Mito/ ? "-" : "A" }
        if (c != "-")
            print (c ~ /[MNOP]/ ? "test" : c == "L" ? "valid" : "train"), $0 }'
}

# cut_promoters NAME FASTA: the parts of stdin as RUN/NAME.PART.fa
cut_promoters() {
    zcat "$2" >"$run/genome.fa"
    rm -f "$run/genome.fa.fai"
    part_of >"$run/places"
    for part in train valid test; do
        awk -F '\t' -v OFS='\t' -v part=$part -v name="$1" '$1 == part {
            print $2, $3, $4, name "|" $5 "|" ++n, $6, $7 }' "$run/places" |
            bedtools getfasta -fi "$run/genome.fa" -bed - -s -nameOnly 2>/dev/null |
            sed 's/(.)$//' >"$run/$1.$part.fa"
    done
    rm -f "$run/genome.fa" "$run/genome.fa.fai" "$run/places"
}

names=SK1
for gff in "$genomes"/*.gff.gz; do
    name=$(basename "$gff" | cut -d . -f 1)
    [ "$name" = SK1 ] || names="$names $name"
    [ -s "$run/$name.test.fa" ] ||
        places "$gff" | cut_promoters "$name" "$genomes/$name.genome.fa.gz"
done

[ -s "$run/held.fa" ] || zcat "$genomes/SK1.genome.fa.gz" | awk '
    /^>/ { keep = $1 ~ /^>chr(XIII|XIV|XV|XVI)$/ } keep' >"$run/held.fa"
for name in $names; do
    [ -s "$run/$name.rows.fa" ] || run "$dnabird" dataset overlap -k 30 -q \
        --kept "$run/$name.rows.fa" -o "$run/$name.shared.tsv" \
        "$run/$name.train.fa" "$run/held.fa"
done
# Validation is on promoters of SK1: in its file, held out from training.
[ -s "$run/SK1.fa" ] || cat "$run/SK1.rows.fa" "$run/SK1.valid.fa" >"$run/SK1.fa"
[ -s "$run/valid.bed" ] || awk '/^>/ { print substr($1, 2) "\t0\t600" }' \
    "$run/SK1.valid.fa" >"$run/valid.bed"
files=$run/SK1.fa
for name in $names; do
    [ "$name" = SK1 ] || files="$files $run/$name.rows.fa"
done
{
    printf 'genome\ttrain\tshared_left_out\tvalidation\ttest\n'
    for name in $names; do
        printf '%s' "$name"
        for kind in train rows valid test; do
            printf '\t%s' "$(grep -c '>' "$run/$name.$kind.fa")"
        done
        echo
    done | awk -F '\t' -v OFS='\t' '{ print $1, $3, $2 - $3, $4, $5 }'
} >"$run/promoters.tsv"

# ---- training ----------------------------------------------------------------

[ -s "$run/base.json" ] || run "$dnabird" tokenizer kmer -k 1 -o "$run/base.json"
# shellcheck disable=SC2086 # words wanted
types=$(set -- $names && echo $#)
cat >"$run/config.json" <<END
{"model_type": "big_bird", "architectures": ["BigBirdForMaskedLM"],
 "hidden_size": 96, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 192, "max_position_embeddings": 512, "block_size": 16,
 "num_random_blocks": 3, "attention_probs_dropout_prob": 0,
 "hidden_dropout_prob": 0, "hidden_act": "relu", "initializer_range": 0.1,
 "type_vocab_size": $types}
END
[ -d "$run/start" ] || run "$dnabird" init --config "$run/config.json" \
    --tokenizer "$run/base.json" --stem 7x96:relu,11x96+:relu,11x96+:relu \
    --pattern window,width=1 --seed 1 "$run/start"

# learn NAME ARGUMENTS...: RUN/NAME
learn() {
    name=$1
    shift
    [ -s "$run/$name/dnabird.json" ] || logged "$run/$name.log" "$dnabird" pretrain \
        -q -t 1 --init "$run/start" --valid-include "$run/valid.bed" --length 512 \
        --batch 4096 --valid-tokens 65536 --validate-every $((steps / 12)) \
        --steps "$steps" --optimizer muon --lr 2e-3 --warmup 0.05 --seed 1 --resume \
        -o "$run/$name" "$@"
}
# shellcheck disable=SC2086 # words wanted
for model in $models; do
    case $model in
    types) learn types --genome-types $files ;;
    one) learn one "$run/SK1.fa" ;;
    all) learn all $files ;;
    *) die "no model '$model': types, one or all" ;;
    esac
done

# ---- bits per base -------------------------------------------------------------

all=$(for name in $names; do echo "$run/$name.rows.fa"; done | paste -sd , -)
for part in valid test; do
    for name in $models; do
        reference=$all
        [ "$name" != one ] || reference=$run/SK1.rows.fa
        [ -s "$run/$name.$part.tsv" ] || run "$dnabird" evaluate --mlm -q -t 1 \
            -m "$run/$name" -f "$run/SK1.$part.fa" --train-ref "$reference" \
            --window 510 --order 3,6,9,12 --seed 1 -o "$run/$name.$part.tsv" \
            --predictions "$run/$name.$part.tokens"
    done
done
{
    printf 'part\tmodel\tpredictor\tbits\tlow\thigh\twindows\ttokens\n'
    for part in valid test; do
        for name in types all one; do
            [ ! -s "$run/$name.$part.tsv" ] || grep '	bits_per_base	' "$run/$name.$part.tsv" |
                awk -F '\t' -v OFS='\t' -v head="$part	$name" '
                $2 == "all" { print head, $3, $5, $6, $7, $8, $9 }'
        done
    done
} >"$run/bits.tsv"
{
    printf 'part\tmodel\tless_that_of\tbits\tlow\thigh\twindows\tbases\n'
    for part in valid test; do
        for other in one all; do
            [ ! -s "$run/types.$part.tokens" ] || [ ! -s "$run/$other.$part.tokens" ] ||
                printf '%s\ttypes\t%s\t%s\n' "$part" "$other" \
                    "$(minus "$run/types.$part.tokens" "$run/$other.$part.tokens")"
        done
    done
} >"$run/pairs.tsv"
{
    printf 'model\tstep\tloss\tvalid_bits_per_base\tvalid_accuracy\tseconds\n'
    for name in types all one; do
        [ ! -s "$run/$name/training.tsv" ] || awk -F '\t' -v OFS='\t' -v name="$name" '
            NR > 1 && $8 != "NA" { print name, $1, $2, $8, $9, $10 }' "$run/$name/training.tsv"
    done
} >"$run/training.tsv"
cat "$run/bits.tsv" "$run/pairs.tsv"
