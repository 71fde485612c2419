#!/bin/bash
# Damaged model folders (models.c says which and what must hold).
# SPDX-License-Identifier: MIT
#
#   models.sh BUILD TSV [OPTIONS of models ...]   a campaign, gone on with
#   models.sh --sum TSV                           sums by mutation
#   models.sh --test DNABIRD MODELS COUNT         a part of it, as TAP
set -eu
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")

if [ "$1" = --sum ]; then
    echo '# tests/fault/models.sh build models.tsv; tests/fault/models.sh --sum models.tsv'
    printf 'mutation\tfolders\trefused\tran\tran_same\tmost_seconds\tmost_MiB\tfindings\n'
    awk -F '\t' -v OFS='\t' '
        !($4 in n) { order[++m] = $4 }
        { n[$4] += $5; r[$4] += $6; a[$4] += $7; s[$4] += $8; x[$4] += $11
          if ($9 > t[$4]) t[$4] = $9
          if ($10 > k[$4]) k[$4] = $10
          N += $5; R += $6; A += $7; S += $8; X += $11
          if ($9 > T) T = $9
          if ($10 > K) K = $10 }
        END { for (j = 1; j <= m; j++) {
                  o = order[j]
                  print o, n[o], r[o], a[o], s[o], t[o] + 0, k[o] + 0, x[o] }
              print "all", N, R, A, S, T + 0, K + 0, X }' "$2"
    exit
fi
testing=0
if [ "$1" = --test ]; then
    testing=1 dnabird=$(realpath "$2") models=$(realpath "$3") count=$4
else
    dnabird=$(realpath "$1/tools/dnabird") models=$(realpath "$1/tests/fault/models")
    touch "$2"
    tsv=$(realpath "$2")
    shift 2
fi
# in memory: folders are written anew each time
work=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$work"' EXIT
export LC_ALL=C OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive
data=$here/../data

# Six forms of two models: as shipped, with checksums and compressed; without
# either; as of Hugging Face; an archive and an older pickle of PyTorch; shards.
make_bases() {
    cd "$work"
    mkdir -p in run in/hf in/zip in/pickle in/shards
    cp -r "$data/model" in/packed
    rm in/packed/README.md
    "$dnabird" export -q in/packed in/plain
    sed '/"checksums": {/,/}/d' in/plain/dnabird.json |
        awk '{ sub(/\r/, ""); line[NR] = $0 }
             END { for (i = 1; i <= NR; i++) {
                       # a comma before the last brace
                       if (line[i + 1] ~ /^}/) sub(/,$/, "", line[i])
                       print line[i] } }' >in/d.json
    mv in/d.json in/plain/dnabird.json
    cp in/plain/config.json in/plain/tokenizer.json in/plain/model.safetensors in/hf
    "$dnabird" tokenizer train -q -v 12 -t 1 "$data/variants/toy.fa" -o in/t.json
    for i in zip pickle shards; do
        cp "$data/torch/config.json" in/$i
        cp in/t.json in/$i/tokenizer.json
    done
    cp "$data/torch/zip_f32.bin" in/zip/pytorch_model.bin
    cp "$data/torch/old_f32.bin" in/pickle/pytorch_model.bin
    cp "$data"/torch/model-* "$data/torch/model.safetensors.index.json" in/shards
}

run() {
    "$models" "$@" "$work/run" "$work"/in/{packed,plain,hf,zip,pickle,shards}
}

if [ $testing = 0 ]; then
    (make_bases)
    run -t "$tsv" "$@"
    exit
fi
(make_bases) >"$work/said" 2>&1 || {
    echo "Bail out! no models: $(tail -1 "$work/said")"
    exit 1
}
status=0
run -n "$count" >"$work/said" 2>&1 || status=$?
if [ $status = 77 ]; then
    echo "1..0 # SKIP $(tail -1 "$work/said")"
    exit 0
fi
echo 1..1
[ $status = 0 ] || echo -n 'not '
echo "ok 1 - $(tail -1 "$work/said")"
[ $status = 0 ] || cut -c 1-300 "$work/said" | head -40 | sed 's/^/# /'
exit $((status != 0))
