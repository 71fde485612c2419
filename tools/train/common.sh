# Functions of the training recipes. Sourced, not run.
# SPDX-License-Identifier: MIT
# shellcheck shell=sh

here=$(cd "$(dirname "$0")/../.." && pwd)

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# The program: $DNABIRD, the build of this tree, or the installed one.
find_dnabird() {
    if [ -n "${DNABIRD:-}" ]; then
        echo "$DNABIRD"
    elif [ -x "$here/build/tools/dnabird" ]; then
        echo "$here/build/tools/dnabird"
    else
        command -v dnabird || die "no dnabird: build it or set DNABIRD"
    fi
}

# The folder of data: the argument, $DNABIRD_SHARED_DATA, or ../shared/data of the
# project.
find_data() {
    data=${1:-${DNABIRD_SHARED_DATA:-$here/../shared/data}}
    [ -d "$data" ] || die "no folder of data at $data: name one with -d"
    (cd "$data" && pwd)
}

# Set the paths of the human data and of the split: data, split, chr20, chrx,
# chr22, epd, gencode, islands.
# shellcheck disable=SC2034 # used by those who source this
find_genome() {
    data=$(find_data "$1")
    split=$here/data/split
    chr20=$data/genomes/human_GRCh37_chr20.fa.gz
    chrx=$data/genomes/human_GRCh37_chrX_1-70Mb.fa.gz
    chr22=$data/genomes/human_GRCh37_chr22_partial.fa.gz
    epd=$data/promoters/EPDnew/human_epdnew_hg19_lifted.bed
    gencode=$data/annotation/hg19_wgEncodeGencodeBasicV19.txStart.bed.gz
    islands=$data/annotation/hg19_cpgisland.bed.gz
    for f in "$chr20" "$chrx" "$chr22" "$epd" "$gencode" "$islands"; do
        need_file "$f"
    done
}

# scan_rows DIR PART BED FASTA COPIES RATIO: labelled windows of a part of the
# split, DIR/PART.tsv.gz. Only + rows of GENCODE count: the file has the low
# coordinate of a transcript, a start on + only. $dnabird is the caller's.
# shellcheck disable=SC2154
scan_rows() {
    [ -s "$1/gencode_plus.bed" ] ||
        zcat "$gencode" | awk '$6 == "+"' >"$1/gencode_plus.bed"
    printf 'copies = %s\nislands = "%s"\n' "$5" "$islands" >"$1/$2.toml"
    [ -s "$1/$2.tsv.gz" ] || run "$dnabird" dataset promoters -f "$4" \
        -p "$epd" -a "$gencode" -R "$3" --ratio "$6" --settings "$1/$2.toml" \
        --settings "$here/tools/train/scan_rows.toml" -o "$1/$2.tsv.gz"
}

# padded N FASTA: its sequences with N bases N on either side
padded() {
    awk -v n="$1" '
    function end() { if (seq != "") print pad seq pad }
    BEGIN { for (i = 0; i < n; i++) pad = pad "N" }
    /^>/ { end(); seq = ""; print; next }
    { seq = seq $0 }
    END { end() }' "$2"
}

# name_profiles CATALOGUE TRACKS: the list of profiles for dataset chromatin
name_profiles() {
    awk -F '\t' -v OFS='\t' '
    FNR == NR { if (FNR > 1) name[$1] = $6 OFS $2 OFS $3 OFS $4 OFS $5; next }
    FNR == 1 { print "id", "name", "class", "cell_type", "factor", "treatment", "index"; next }
    $3 >= 0 { print $1, name[$3], $3; next }
    { tf = $2 == "dream_tf_conservative" || $4 ~ /_(CTCF|Pol2)_/
      print $1, "track" $1 "|" $4, tf ? "TF" : "other", "", "", "", "." }
    ' "$1" "$2"
}

# copied PART FASTA...: windows of 4,096 bp of PART of the split in which copying can
# help (in 5 % or more of the positions the six bases on either side occur around
# another base of the window, too, the nearest of them 48 or more bases away),
# RUN/PART.bed, and the copies: contig, position, position of the nearest copy,
# RUN/PART.copies. $run is the caller's.
# shellcheck disable=SC2154
copied() {
    part=$1
    shift
    [ ! -s "$run/$part.bed" ] || return 0
    echo "looking for copies in $part" >&2
    zcat "$@" | awk -v OFS='\t' -v copies="$run/$part.copies" '
        function look(w, i, key, d, n, last, near, other) {
            if (w ~ /[^ACGT]/)
                return
            for (i = 1; i <= 4084; i++) {
                key = substr(w, i, 6) substr(w, i + 7, 6)
                if (key in last) {
                    d = i - last[key]
                    near[i] = d
                    other[i] = last[key]
                    if (!(last[key] in near) || d < near[last[key]]) {
                        near[last[key]] = d
                        other[last[key]] = i
                    }
                }
                last[key] = i
            }
            for (i in near)
                n += near[i] >= 48
            if (n < 0.05 * 4084)
                return
            print name, at, at + 4096
            for (i in near)
                print name, at + i + 5, at + other[i] + 5 >copies
        }
        FNR == NR {
            sub(/^chr/, "", $1)
            contig[++n] = $1
            from[n] = $2
            to[n] = $3
            next
        }
        /^>/ {
            name = substr($1, 2)
            at = 0
            rest = ""
            next
        }
        {
            rest = rest toupper($1)
            if (length(rest) < 4096)
                next
            for (r = 1; r <= n; r++)
                if (contig[r] == name && from[r] <= at && at + 4096 <= to[r])
                    look(substr(rest, 1, 4096))
            rest = substr(rest, 4097)
            at += 4096
        }' "$split/$part.bed" - >"$run/$part.new"
    mv "$run/$part.new" "$run/$part.bed"
}

# pretrain_small RUN TOKENIZER NEAR STEPS ARGUMENTS...: the small encoder of
# human.json, RUN/model; ARGUMENTS name the regions and the FASTA files.
# NEAR updates with rows of 64 tokens, blocks of one and global tokens: heads that
# see little but their neighbours learn within hundreds of updates to distinguish
# them. Then STEPS with rows of 512, with random keys too; the position embedding is
# repeated.
pretrain_small() {
    small=$1 tokenizer=$2 near=$3 far=$4
    shift 4
    [ -d "$small/start" ] || run "$dnabird" init --tokenizer "$tokenizer" \
        --config "$here/tools/train/human.json" --random-blocks uniform \
        --attention-parts global,window --seed 1 "$small/start"
    [ -s "$small/near/dnabird.json" ] || logged "$small/near.log" \
        "$dnabird" pretrain \
        --init "$small/start" --length 64 --batch 2048 --pack-tokens 2048 \
        --steps "$near" --lr 3e-3 --warmup 0.1 --seed 1 --resume \
        -o "$small/near" "$@"
    [ -d "$small/wide" ] || run "$dnabird" init --from "$small/near" \
        --positions 512 --block-size 1 --random-blocks uniform \
        --attention-parts global,window,random "$small/wide"
    [ -s "$small/model/dnabird.json" ] || logged "$small/model.log" \
        "$dnabird" pretrain \
        --init "$small/wide" --length 512 --batch 4096 --steps "$far" \
        --lr 1e-3 --warmup 0.05 --seed 2 --resume -o "$small/model" "$@"
}

# The comment at the head of the recipe, from its usage on.
usage() {
    awk 'NR > 4 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
    exit "$1"
}

# take_options "$@": -d DATA, -o RUNS, -s STEPS into data, runs, steps, whose default
# values the recipe has set; OPTIND is the index after them.
# shellcheck disable=SC2034 # read by those who source this
take_options() {
    while getopts d:o:s:h letter; do
        case $letter in
        d) data=$OPTARG ;;
        o) runs=$OPTARG ;;
        s) steps=$OPTARG ;;
        h) usage 0 ;;
        *) usage 2 >&2 ;;
        esac
    done
}

# take_chromatin NAME STEPS "$@": the start of recipes that score with the chromatin
# model: options, then MODEL [RUNS/profiles/shipped]. Sets run to the folder RUNS/NAME,
# and model, dnabird and the variables of find_genome.
# shellcheck disable=SC2034 # read by those who source this
take_chromatin() {
    data='' runs=$here/runs name=$1 steps=$2
    shift 2
    take_options "$@"
    shift $((OPTIND - 1))
    model=${1:-$runs/profiles/shipped}
    find_genome "$data"
    dnabird=$(find_dnabird)
    run=$runs/$name
    mkdir -p "$run"
}

# take_yeast NAME STEPS "$@": the start of recipes that train on yeast: options. Sets
# run to the folder RUNS/NAME, yeast, dnabird, steps, and the regions for training,
# validation and test: train, valid and test.
# shellcheck disable=SC2034 # read by those who source this
take_yeast() {
    data='' runs=$here/runs name=$1 steps=$2
    shift 2
    take_options "$@"
    data=$(find_data "$data")
    yeast=$data/genomes/scerevisiae_R64-1-1_toplevel.fa.gz
    need_file "$yeast"
    dnabird=$(find_dnabird)
    run=$runs/$name
    mkdir -p "$run"
    train=I,II,III,IV,V,VI,VII,VIII,IX,X,XI,XII:1-900000
    valid=XII:900001-
    test=XIII,XIV,XV,XVI
}

# stem_config POSITIONS BLOCK: the encoder of the models with a stem in these recipes
stem_config() {
    cat <<END
{"model_type": "big_bird", "architectures": ["BigBirdForMaskedLM"],
 "hidden_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4,
 "intermediate_size": 512, "max_position_embeddings": $1, "block_size": $2,
 "num_random_blocks": 3, "attention_probs_dropout_prob": 0,
 "hidden_dropout_prob": 0}
END
}

# minus TOKENS OF: of two tables of `evaluate --mlm --predictions`, the bits of a masked
# base in TOKENS less those in OF, mean and 95 % interval from the standard error over
# windows; windows and bases
minus() {
    awk -F '\t' -v OFS='\t' '
        $1 == "chrom" { next }
        !last { base[$1, $2] = $7 }
        last && (($1, $2) in base) {
            less[$1, $4] += $7 - base[$1, $2]
            n[$1, $4]++
            bases++
            sum += $7 - base[$1, $2]
        }
        END {
            mean = sum / bases
            for (w in n) {
                m++
                v += (less[w] - mean * n[w]) ^ 2
            }
            v = 1.96 * sqrt(v * m / (m - 1)) / bases
            print mean, mean - v, mean + v, m, bases
        }' "$2" last=1 "$1"
}

# one_genome FILE: all human contigs as one bgzipped FASTA with an index, unless it is
# there. Needs bgzip and samtools; the contigs are those of find_genome.
# shellcheck disable=SC2154
one_genome() {
    [ ! -s "$1.fai" ] || return 0
    zcat "$chr20" "$chr22" "$chrx" | bgzip >"$1"
    samtools faidx "$1"
}

# cage_middles: contig, position and strand of the middles of FANTOM5's CAGE peaks on
# the human contigs, from its table on stdin
cage_middles() {
    awk -v OFS='\t' '$1 ~ /^chr(20|22|X):/ {
        split($1, p, /:|\.\.|,/)
        print p[1], int((p[2] + p[3]) / 2), p[4] }'
}

# reach: metrics by label, with classes that differ in how far they reach: DNase, factors,
# marks of active starts and enhancers, other marks, start sites
reach() {
    awk -F '\t' -v OFS='\t' '
        /^#/ || $2 ~ /:/ { next }
        $4 == "TF" { $4 = "factors" }
        $2 ~ /DNase/ { $4 = "DNase" }
        $2 ~ /H3K|H4K|H2A/ { $4 = "other marks" }
        $2 ~ /H3K4me3|H3K27ac/ { $4 = "active marks" }
        { print }'
}

# medians PART BINS: from metrics by label on stdin, medians of AUROC and AUPRC by
# class over labels with 20 positives or more: PART, BINS, class, labels, rows, AUROC,
# AUPRC, and those of the k-mers if present. Classes are those of the file; `TF` are
# factors of DeepSEA's list (with an index, if there is such a column), `TF+` all.
medians() {
    awk -F '\t' -v OFS='\t' -v part="$1" -v bins="$2" '
        function middle(list, n, a, i, j, x) {
            n = split(list, a, " ")
            for (i = 2; i <= n; i++) {
                x = a[i] + 0
                for (j = i - 1; j > 0 && a[j] + 0 > x; j--)
                    a[j + 1] = a[j]
                a[j + 1] = x
            }
            return sprintf("%.6f", (a[int((n + 1) / 2)] + a[int(n / 2) + 1]) / 2)
        }
        function add(class) {
            if (!(class in n))
                order[++classes] = class
            n[class]++
            if ($at["rows"] > rows[class])
                rows[class] = $at["rows"]
            roc[class] = roc[class] " " $at["auroc"]
            prc[class] = prc[class] " " $at["auprc"]
            if ("k-mers_auroc" in at) {
                kroc[class] = kroc[class] " " $at["k-mers_auroc"]
                kprc[class] = kprc[class] " " $at["k-mers_auprc"]
            }
        }
        /^#/ { next }
        !("label" in at) {
            for (i = 1; i <= NF; i++)
                at[$i] = i
            next
        }
        ("part" in at) && $at["part"] != "all" { next }
        $at["label"] ~ /:/ || $at["auroc"] == "NA" { next }
        $at["positives"] < 20 || $at["positives"] > $at["rows"] - 20 { next }
        {
            class = $at["class"]
            if (class != "TF" || !("index" in at) || $at["index"] != ".")
                add(class)
            if (class == "TF" && ("index" in at))
                add("TF+")
        }
        END {
            for (i = 1; i <= classes; i++) {
                c = order[i]
                print part, bins, c, n[c], rows[c], middle(roc[c]), middle(prc[c]) \
                    (c in kroc ? OFS middle(kroc[c]) OFS middle(kprc[c]) : "")
            }
        }'
}

need_file() {
    [ -f "$1" ] || die "missing: $1"
}

# Print a command, then run it.
run() {
    echo "+ $*" >&2
    "$@"
}

# logged LOG COMMAND...: run it with its messages in LOG; if it fails, show the end of
# LOG
logged() {
    log=$1
    shift
    echo "+ $*" >&2
    "$@" 2>>"$log" || {
        tail -n 5 "$log" >&2
        exit 1
    }
}

# threshold_in FILE FALSE: the threshold of one strand for so many false calls per Mb, of the
# file that `evaluate scan --choose` writes.
threshold_in() {
    awk -F '\t' -v asked="$2" '$1 == "stranded" && $2 == asked { print $3 }' "$1"
}
