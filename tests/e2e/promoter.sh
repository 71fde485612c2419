#!/bin/bash
# Every way to call a scan gives the same output; prints TAP.
# SPDX-License-Identifier: MIT
#
#   promoter.sh DNABIRD SOURCE_ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1") root=$(realpath "$2")
model=$root/tests/data/model
export OMP_WAIT_POLICY=passive
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache

scan() { "$dnabird" promoter -m "$model" --no-version "$@"; }

# near A B: the same rows; probabilities may differ in their last digits, as
# windows meet others in the matrix products of another selection.
near() {
    [ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] && paste "$1" "$2" | awk -F'\t' '
        /^#/ { next }
        { d = $5 - $12; if (d < 0) d = -d
          if ($1 $2 $3 $4 $6 != $8 $9 $10 $11 $13 || d > 1e-6) {
              print; bad = 1
          } }
        END { exit bad }'
}

# Two contigs of 6,000 and 3,000 bp from the sequence that comes with the
# project, a stretch of N, an empty record and a short one.
gzip -dc "$root/data/genome/chr20_demo.fa.gz" | grep -v '^>' | tr -d '\nN' |
    tail -c +300001 | head -c 9000 >bases
{
    echo '>one first'
    head -c 6000 bases | fold -w 60
    echo
    printf '>empty\n>two\n'
    tail -c 3000 bases | fold -w 70 | sed '10,20s/./N/g'
    echo
    printf '>short\nACGTACGTAC\n'
} >in.fa
gzip -c in.fa >in.gz.fa.gz
scan -O windows -t 1 in.fa >windows 2>said

for form in bed bedgraph tsv windows; do
    ok "1 and 2 threads: $form" bash -c '
        "$0" promoter -m "$1" --no-version -T 0.3 -t 1 -O '$form' in.fa >x1 &&
        "$0" promoter -m "$1" --no-version -T 0.3 -t 2 -O '$form' in.fa >x2 &&
        cmp x1 x2 && [ -s x1 ]' "$dnabird" "$model"
done
stdin() { scan -O windows - <in.fa | cmp - windows; }
ok "standard input is the file" stdin
gzipped() { scan -O windows in.gz.fa.gz | cmp - windows; }
ok "gzip is the file" gzipped
bgzipped() { bgzip -c in.fa >in.b.fa.gz && scan -O windows in.b.fa.gz | cmp - windows; }
with bgzip ok "bgzip is the file" bgzipped
lower() { tr ACGT acgt <in.fa | sed '/^>/y/acgt/acgt/' | scan -O windows - | cmp - windows; }
ok "lower case is upper case" lower

# windows of 70 bp that overlap 1001-1500 of one and 1-10 of two
awk -F'\t' '/^#/ || $1 == "one" && $2 < 1500 && $3 > 1000 ||
            $1 == "two" && $2 < 10' windows >want
printf 'two\t0\t10\none\t1000\t1500\n' >r.bed
regions() { scan -O windows -R r.bed "$1" >got && near got want; }
ok "regions are rows of the whole" regions in.fa
ok "regions of plain gzip" regions in.gz.fa.gz
region() {
    scan -O windows -r one:1001-1500 in.fa >got && grep -v ^two want >one && near one got
}
ok "a region is rows of the whole" region
advice() { scan -r one:1-100 in.gz.fa.gz 2>&1 | grep -q bgzip; }
ok "plain gzip is advised against" advice

adds_up() {
    scan --json j -O windows in.fa >x || return 1
    number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" j; }
    [ "$(number scored)" -gt 0 ] && [ "$(number skipped_unknown)" -gt 0 ] &&
        [ $((($(number windows) - $(number skipped_unknown) - $(number skipped_short)) * 2)) = "$(number scored)" ] &&
        [ "$(grep -vc '^#' x)" = $(($(number windows) * 2)) ] &&
        [ "$(grep -c too_many_N x)" = $(($(number skipped_unknown) * 2)) ] &&
        [ "$(number sequences)" = 4 ] && [ "$(number empty)" = 1 ] &&
        [ "$(number bp)" = 9010 ]
}
ok "the tally adds up" adds_up
strands() {
    scan -O windows --strand + in.fa >p && scan -O windows --strand - in.fa >m &&
        awk -F'\t' '/^#/ || $4 == "+"' windows >p2 && near p p2 &&
        awk -F'\t' '/^#/ || $4 == "-"' windows >m2 && near m m2
}
ok "a strand alone is its rows" strands

indexed() {
    scan -T 0.3 -W -o x.bed.gz in.fa && scan -T 0.3 in.fa | grep -c ^two >want2 &&
        [ "$(tabix x.bed.gz two | wc -l)" = "$(cat want2)" ] && [ "$(cat want2)" -gt 0 ]
}
with tabix ok "tabix takes the output" indexed
sorted() {
    printf 'one\t6000\ntwo\t3000\nshort\t10\n' >sizes
    scan -T 0.3 in.fa >x.bed
    [ "$(bedtools intersect -sorted -g sizes -u -a x.bed -b x.bed | wc -l)" = \
        "$(grep -vc '^#' x.bed)" ]
}
with bedtools ok "bedtools takes the output" sorted
head_1() {
    scan -O windows in.fa 2>err | head -1 >first
    case ${PIPESTATUS[0]} in 0 | 141) ;; *) return 1 ;; esac
    [ "$(wc -l <first)" = 1 ] && ! grep -v ' sequences ' err
}
ok "a closed pipe is quiet" head_1

# 200 Mb on one line, all N but for its ends; windows of 70 bp every 1000 bp
# are mostly skipped: neither the line nor the windows are kept.
sanitized() { grep -q __asan_init "$dnabird"; } # needs no end of room
long() {
    sanitized && return
    ulimit -v 600000
    { printf '>big\nACGTACGTAC'; head -c 200000000 /dev/zero | tr '\0' N
      printf 'ACGT\n'; } |
        scan -t 1 --stride 1000 -O bed --json j - >x.bed &&
        grep -q '"bp": 200000014' j && grep -q '"skipped_unknown": 2000' j
}
ok "a line of 200 Mb in bounded memory" long

# OpenBLAS asks for a buffer until it gets it
cramped() {
    sanitized && return
    printf '>a\n%s\n' "$(head -c 4000 /dev/zero | tr '\0' A)" >a.fa
    (ulimit -v 450000 && timeout 60 "$dnabird" promoter -q -t 1 -m regulatory a.fa) >out 2>err
    [ $? = 1 ] && grep -qE 'ulimit -v|out of memory' err
}
ok "too little address space ends the run" cramped
end_rules
