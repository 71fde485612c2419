#!/bin/sh
# Train small masked-language models to score alleles with: single bases and a stem.
# SPDX-License-Identifier: MIT
#
#   tools/train/zero_shot.sh [-d DATA] [-o RUNS] [-s STEPS] SPECIES [MINUTES]
#
# SPECIES: yeast or human. Trains until 1e9 bases were seen, or for MINUTES (480), and
# then ends with the current stage; the same command continues.
#   tools/train/zero_shot.sh SPECIES test
# measures the stage that is best on validation on the test part, once.
#   tools/train/zero_shot.sh masks
# compares masks of the human sequence with the lower case of chr22:
# RUNS/masks/table.tsv.
#
# A stage is STEPS (400) updates of 8 rows of 510 bases. It starts from the model of the
# stage before, with its own seed and warm-up and a rate that falls to 0, so each stage
# leaves a usable model. Rows of odd stages lie in functional sequence (yeast:
# transcripts; human: promoters of EPD and GENCODE, coding exons, CpG islands, peaks; all
# with 256 bp around them), those of even stages anywhere. Bases in repeats (of `dataset
# repeats`) have a tenth of the weight. Training is in bfloat16 if the processor has
# products for it. RUNS/zero_shot/SPECIES keeps everything: NUMBER/ for each stage,
# log.tsv with the bases seen and the validation of each, test.tsv (bits per base inside
# and outside of repeats, and those of Markov models), table.tsv.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

data='' runs=$here/runs steps=400

take_options "$@"
shift $((OPTIND - 1))
species=${1:-} minutes=${2:-480}
dnabird=$(find_dnabird)
run=$runs/zero_shot/$species

# beside_case MASK: the mask's shares of all human bases, of the bases of chr22 in lower
# case and of the others; 20-21 Mb have no case there
beside_case() {
    zcat "$chr22" | awk -F '\t' -v OFS='\t' -v k="$2" -v more="$3" '
        FNR == NR {
            inside += $3 - $2
            if ($1 == "22") { from[++n] = $2; to[n] = $3 }
            next
        }
        /^>/ { i = 1; at = 0; next }
        {
            for (p = 0; p < length($1); p = end) {
                while (i <= n && to[i] <= at + p)
                    i++
                marked = i <= n && from[i] <= at + p
                end = length($1)
                if (i <= n && (marked ? to[i] : from[i]) - at < end)
                    end = (marked ? to[i] : from[i]) - at
                part = substr($1, p + 1, end - p)
                if (at + p >= 20000000 && at + p < 21000000)
                    continue
                count[marked, "lower"] += gsub(/[acgt]/, "", part)
                count[marked, "upper"] += gsub(/[ACGT]/, "", part)
            }
            at += length($1)
        }
        END {
            lower = count[1, "lower"] / (count[0, "lower"] + count[1, "lower"])
            upper = count[1, "upper"] / (count[0, "upper"] + count[1, "upper"])
            printf "%d\t%d\t%d\t%.4f\t%.4f\n", k, more, inside, lower, upper
        }' "$1" -
}

masks() {
    find_genome "$data"
    run=$runs/masks
    mkdir -p "$run"
    printf 'k\tmore_than\tbases\tof_lower_case\tof_upper_case\n' >"$run/new.tsv"
    for setting in '16 10' '20 3' '20 10'; do
        k=${setting% *} more=${setting#* }
        [ -s "$run/$k.$more.bed" ] || run "$dnabird" dataset repeats -k "$k" \
            --min-count $((more + 1)) -o "$run/$k.$more.bed" "$chr20" "$chrx" "$chr22"
        beside_case "$run/$k.$more.bed" "$k" "$more" >>"$run/new.tsv"
    done
    mv "$run/new.tsv" "$run/table.tsv"
    cat "$run/table.tsv"
}

case $species in
masks)
    masks
    exit
    ;;
yeast)
    data=$(find_data "$data")
    genome=$data/genomes/scerevisiae_R64-1-1_toplevel.fa.gz
    transcripts=$data/promoters/yeast/Scer_R64-2-1_polIItranscripts-adjustedTSS.bed.gz
    need_file "$genome"
    need_file "$transcripts"
    set -- "$genome"
    train=I,II,III,IV,V,VI,VII,VIII,IX,X,XI,XII:1-900000
    valid=XII:900001-
    test=XIII,XIV,XV,XVI
    ;;
human)
    find_genome "$data"
    set -- "$chr20" "$chrx" "$chr22"
    train=$split/train.bed
    valid=$split/validation.bed
    test=$split/test.bed
    ;;
*) usage 2 >&2 ;;
esac
mkdir -p "$run"

# functional: the regions of the odd stages, in any part
functional() {
    if [ "$species" = yeast ]; then
        zcat "$transcripts" | sed 's/^chr//'
    else
        zcat "$gencode" | awk -v OFS='\t' '$6 == "+" { print $1, $2, $2 + 1 }'
        cat "$epd"
        zcat "$islands" "$data/chromatin/peaks.bed.gz" \
            "$data/annotation/hg19_wgEncodeGencodeBasicV19.cds.merged.bed.gz"
    fi | awk -F '\t' -v OFS='\t' '
        $2 ~ /^[0-9]+$/ { print $1, $2 < 256 ? 0 : $2 - 256, $3 + 256 }' |
        sort -k1,1 -k2,2n | awk -F '\t' -v OFS='\t' '
        $1 == c && $2 <= end { if ($3 > end) end = $3; next }
        { if (c != "") print c, start, end; c = $1; start = $2; end = $3 }
        END { if (c != "") print c, start, end }'
}

# The regions of train as BED; ends may lie beyond a contig's.
train_bed() {
    if [ -f "$train" ]; then
        cat "$train"
    else
        echo "$train" | tr ',' '\n' | awk -F '[:-]' -v OFS='\t' '
            { print $1, $2 ? $2 - 1 : 0, $3 ? $3 : 1000000000 }'
    fi
}

# common A B: the intersection of two BED files, names with and without chr
common() {
    awk -F '\t' -v OFS='\t' '
        { name = $1; sub(/^chr/, "", name) }
        FNR == NR { n++; chr[n] = name; from[n] = $2; to[n] = $3; next }
        { for (i = 1; i <= n; i++) {
              a = $2 > from[i] ? $2 : from[i]
              b = $3 < to[i] ? $3 : to[i]
              if (chr[i] == name && b - a >= 256) print name, a, b
          } }' "$1" "$2"
}

prepare() {
    [ -s "$run/base.json" ] ||
        run "$dnabird" tokenizer kmer -k 1 -o "$run/base.json"
    [ -s "$run/repeats.bed" ] || run "$dnabird" dataset repeats \
        -k 20 --min-count 4 -o "$run/repeats.bed" "$@"
    if [ ! -s "$run/functional.bed" ]; then
        train_bed >"$run/train.bed"
        functional >"$run/functional.all"
        common "$run/train.bed" "$run/functional.all" >"$run/functional.new"
        mv "$run/functional.new" "$run/functional.bed"
    fi
    cat >"$run/config.json" <<'END'
{"model_type": "big_bird", "architectures": ["BigBirdForMaskedLM"],
 "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 128, "max_position_embeddings": 512, "block_size": 16,
 "num_random_blocks": 3, "attention_probs_dropout_prob": 0,
 "hidden_dropout_prob": 0, "hidden_act": "relu", "initializer_range": 0.1}
END
    [ -d "$run/0" ] || run "$dnabird" init --config "$run/config.json" \
        --tokenizer "$run/base.json" --stem 7x64:relu,9x64+:relu \
        --pattern window,width=1 --seed 1 "$run/0"
}

# log_stage N: a line of log.tsv: bases seen, and validation
log_stage() {
    awk -F '\t' -v OFS='\t' -v n="$1" '
        /^[0-9]/ { step = $1; seconds = $10; bp += $12 / $11 * 4096
                   if ($8 != "NA") { bits = $8; right = $9 } }
        END { print n, step, sprintf("%.0f", bp), seconds, bits, right }' \
        "$run/$1/training.tsv" >>"$run/log.tsv"
}

# learn FASTA...: stages until all bases are seen or the time is over
learn() {
    stop=$(($(date +%s) + minutes * 60))
    precision=
    ! "$dnabird" info "$run/0" | grep -q '^precision.*bfloat16' || precision=bfloat16
    n=$(wc -l <"$run/log.tsv")
    while [ "$(date +%s)" -lt "$stop" ] && [ "$(seen)" -lt 1000000000 ]; do
        include=$train
        [ $((n % 2)) -eq 0 ] || include=$run/functional.bed
        logged "$run/$n.log" "$dnabird" pretrain -q -t 1 \
            --init "$run/$((n - 1))" --include "$include" \
            --valid-include "$valid" --test-include "$test" \
            --repeats "$run/repeats.bed" --repeat-weight 0.1 --length 512 \
            --batch 4096 --valid-tokens 32768 --validate-every "$steps" \
            --steps "$steps" --optimizer muon --lr 2e-3 --warmup 0.1 \
            --seed "$n" ${precision:+--precision $precision} --resume \
            -o "$run/$n" "$@"
        log_stage "$n"
        rm -f "$run/$n/checkpoint.safetensors"
        n=$((n + 1))
    done
}

seen() { awk '/^[0-9]/ { bp += $3 } END { printf "%d\n", bp }' "$run/log.tsv"; }

# The stage that is best on validation, its bits, and the bases seen until it.
best() {
    awk -F '\t' -v OFS='\t' '
        !/^[0-9]/ { next }
        { bp += $3; updates += $2; seconds += $4 }
        least == "" || $5 < least { least = $5; line = $1 OFS $5 OFS updates OFS bp OFS seconds }
        END { if (line != "") print line OFS bp }' "$run/log.tsv"
}

# Windows of the test part, once; Markov models are fitted on the train part.
measure() {
    stage=$(best | cut -f 1)
    [ -n "$stage" ] || die "no stage of $species has ended"
    if [ "$species" = yeast ]; then
        set -- -f "$genome"
    else
        set -- -f "$chr20,$chr22" --train-ref "$chr20,$chrx"
    fi
    [ -s "$run/test.tsv" ] || run "$dnabird" evaluate --mlm -t 1 \
        -m "$run/$stage" "$@" -R "$test" --train-regions "$train" \
        --repeats "$run/repeats.bed" --window 500 --number 2000 \
        --order 3,6,9,12 --seed 1 -o "$run/test.tsv"
    {
        printf 'species\tstage\tvalid_bits\tupdates\tbases\tseconds\tall_bases\tclass\tpredictor\tbits\tlow\thigh\twindows\ttokens\n'
        grep '	bits_per_base	' "$run/test.tsv" |
            awk -F '\t' -v OFS='\t' -v head="$species	$(best)" '
            { print head, $2, $3, $5, $6, $7, $8, $9 }'
    } >"$run/table.tsv"
    cat "$run/table.tsv"
}

prepare "$@"
[ -s "$run/log.tsv" ] ||
    printf 'stage\tupdates\tbases\tseconds\tvalid_bits\tvalid_accuracy\n' >"$run/log.tsv"
if [ "$minutes" = test ]; then
    measure
else
    learn "$@"
fi
