# What the training recipes share. Sourced, not run.
# SPDX-License-Identifier: MIT
# shellcheck shell=sh

here=$(cd "$(dirname "$0")/../.." && pwd)

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# The program: $DNABIRD, the build of this tree, or the one installed.
find_dnabird() {
    if [ -n "${DNABIRD:-}" ]; then
        echo "$DNABIRD"
    elif [ -x "$here/build/tools/dnabird" ]; then
        echo "$here/build/tools/dnabird"
    else
        command -v dnabird || die "no dnabird: build it or set DNABIRD"
    fi
}

# The folder of data: the argument, $DNABIRD_SHARED_DATA, or ../shared/data
# beside the project.
find_data() {
    data=${1:-${DNABIRD_SHARED_DATA:-$here/../shared/data}}
    [ -d "$data" ] || die "no folder of data at $data: name one with -d"
    (cd "$data" && pwd)
}

# Set the paths of the human data and of the split: data, split, chr20, chrx,
# chr22, epd, gencode.
# shellcheck disable=SC2034 # used by those who source this
find_genome() {
    data=$(find_data "$1")
    split=$here/data/split
    chr20=$data/genomes/human_GRCh37_chr20.fa.gz
    chrx=$data/genomes/human_GRCh37_chrX_1-70Mb.fa.gz
    chr22=$data/genomes/human_GRCh37_chr22_partial.fa.gz
    epd=$data/promoters/EPDnew/human_epdnew_hg19_lifted.bed
    gencode=$data/annotation/hg19_wgEncodeGencodeBasicV19.txStart.bed.gz
    for f in "$chr20" "$chrx" "$chr22" "$epd" "$gencode"; do
        need_file "$f"
    done
}

need_file() {
    [ -f "$1" ] || die "missing: $1"
}

# Print a command, then run it.
run() {
    echo "+ $*" >&2
    "$@"
}
