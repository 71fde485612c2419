#!/bin/bash
# libFuzzer targets in turn, the one that had the least time first: a line a
# round, appended to a TSV, from which a later campaign goes on. Working corpora and
# what was found lie in BUILD/fuzz_work. SPDX-License-Identifier: MIT
#
#   fuzz_campaign.sh BUILD TSV [-l SECONDS] [-r RUNS] [-s SECONDS] [-k TARGET ...]
#   fuzz_campaign.sh --sum TSV        sums by target, to standard output
#   fuzz_campaign.sh --merge BUILD [TARGET ...]
#                                what of the working corpora adds edges, a few
#                                KB each, to tests/fuzz/corpus
#
# -l ends it after so many seconds, -r where every target has had so many runs,
# -s is the length of a round (60), -k takes one target. BUILD as in
# tests/fuzz/meson.build. A round with a finding ends there: the input is named
# on standard output and kept in BUILD/fuzz_work/found.
set -eu
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")

if [ "$1" = --sum ]; then
    echo '# tests/fuzz/fuzz_campaign.sh build-fuzz fuzz.tsv; tests/fuzz/fuzz_campaign.sh --sum fuzz.tsv'
    printf 'target\trounds\truns\tseconds\tcpu_seconds\truns_per_cpu_second\tedges\tfeatures\tinputs\tfindings\n'
    sort -t $'\t' -k1,1 -s "$2" | awk -F '\t' -v OFS='\t' '
        /^#/ { next }
        !($1 in n) { order[++m] = $1 }
        { n[$1]++; runs[$1] += $5; s[$1] += $6; found[$1] += $11
          # rounds of before CPU time was told have none
          if (NF > 11) { cpu[$1] += $12; timed[$1] += $5 }
          if ($8 > edges[$1]) edges[$1] = $8
          if ($9 > features[$1]) features[$1] = $9
          if ($10 > inputs[$1]) inputs[$1] = $10 }
        function line(t, n, r, s, c, q, e, f, i, x) {
            print t, n, sprintf("%d", r), s, c + 0, sprintf("%.0f", q / (c ? c : 1)), e, f, i, x }
        END { for (j = 1; j <= m; j++) {
                  t = order[j]
                  line(t, n[t], runs[t], s[t], cpu[t], timed[t], edges[t], features[t],
                       inputs[t], found[t])
                  N += n[t]; R += runs[t]; S += s[t]; X += found[t]
                  C += cpu[t]; Q += timed[t] }
              line("all", N, R, S, C, Q, "", "", "", X) }'
    exit
fi

# Allocations are freed for good soon, and their stacks kept short: else most of
# the time goes into new pages. A BCF record's length is believed by htslib, so
# that large allocations must fail.
asan=quarantine_size_mb=4:thread_local_quarantine_size_kb=64:malloc_context_size=4
asan+=:allocator_release_to_os_interval_ms=-1:allocator_may_return_null=1
export BIRD_TEST_DATA="$here/.." DNABIRD_DATA="$here/../../data"
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive

# Options of one target.
options() {
    local longest=4096 limit=256

    case $1 in
    vcf) limit=0 longest=2048 ;;
    tokenizer | cli) longest=2048 ;;
    tokenizer_shape | vcf_shape | bpe) longest=512 ;;
    scan) longest=400 ;;
    calibration | mat | checkpoint) longest=16384 ;;
    region | bed | annotation | labels | peaks) longest=1024 ;;
    esac
    case $1 in
    cli | mat) echo -detect_leaks=0 ;;
    esac
    echo "-max_len=$longest -malloc_limit_mb=$limit -rss_limit_mb=2048"
    [ ! -e "$here/$1.dict" ] || echo "-dict=$here/$1.dict"
}

sanitizer() {
    case $1 in
    vcf) echo "$asan:max_allocation_size_mb=64" ;;
    *) echo "$asan" ;;
    esac
}

if [ "$1" = --merge ]; then
    build=$(realpath "$2")
    shift 2
    [ $# -gt 0 ] || mapfile -t names < <(ls "$here/corpus")
    [ $# = 0 ] || names=("$@")
    for t in "${names[@]}"; do
        [ -d "$build/fuzz_work/corpus/$t" ] || continue
        small=$(mktemp -d)
        find "$build/fuzz_work/corpus/$t" -type f -size -5 -exec cp -t "$small" {} +
        ASAN_OPTIONS=$(sanitizer "$t") nice -n 15 "$build/tests/fuzz/fuzz_$t" \
            -merge=1 -use_counters=0 -close_fd_mask=3 "$here/corpus/$t" "$small" 2>&1 | tail -1
        rm -rf "$small"
    done
    exit
fi

build=$(realpath "$1")
touch "$2"
tsv=$(realpath "$2")
shift 2
seconds=0 most=0 round=60 only=()
while getopts l:r:s:k: o; do
    case $o in
    l) seconds=$OPTARG ;;
    r) most=$OPTARG ;;
    s) round=$OPTARG ;;
    k) only+=("$OPTARG") ;;
    *) exit 2 ;;
    esac
done
work=$build/fuzz_work
mkdir -p "$work/found" "$work/corpus"

targets() {
    if [ ${#only[@]} -gt 0 ]; then
        printf '%s\n' "${only[@]}"
    else
        ls "$here/corpus"
    fi
}

# The one with the least time of those with too few runs; one with a finding
# waits until it was built anew. Nothing: all are done.
next_target() {
    targets | while read -r t; do
        program=$build/tests/fuzz/fuzz_$t
        if [ -x "$program" ] && [ -z "$(find "$work/found" -name "$t.*.log" -newer "$program")" ]; then
            echo "$t"
        fi
    done | awk -F '\t' -v most="$most" '
        FILENAME != "-" { runs[$1] += $5; took[$1] += $6; next }
        most && runs[$1] >= most { next }
        !best || took[$1] < least { best = $1; least = took[$1] }
        END { print best }' "$tsv" -
}

# Of the processes that ended, user and system, to this file; a subshell has
# none.
note_cpu() {
    times >"$work/times"
}
cpu_seconds() {
    awk 'NR == 2 { gsub(/[ms]/, " "); printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' "$work/times"
}

field() { # NAME FILE: of the final statistics
    sed -n "s/^stat::$1: *//p" "$2" | tail -1
}

while t=$(next_target) && [ -n "$t" ]; do
    [ "$seconds" = 0 ] || [ "$SECONDS" -lt "$seconds" ] || break
    seed=$((RANDOM * 32768 + RANDOM + 1))
    mkdir -p "$work/corpus/$t"
    log=$work/$t.log
    began=$SECONDS rc=0
    note_cpu
    before=$(cpu_seconds)
    mapfile -t option < <(options "$t" | tr ' ' '\n')
    ASAN_OPTIONS=$(sanitizer "$t") nice -n 15 "$build/tests/fuzz/fuzz_$t" \
        -max_total_time="$round" -timeout=25 -seed=$seed -reload=0 -jobs=0 \
        -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="$work/found/$t-" \
        "${option[@]}" "$work/corpus/$t" "$here/corpus/$t" >"$log" 2>&1 || rc=$?
    runs=$(field number_of_executed_units "$log")
    if [ -z "$runs" ]; then
        echo "$t: the program did not run: $(tail -1 "$log")"
        sleep 20
        continue
    fi
    took=$((SECONDS - began))
    note_cpu
    cpu=$(($(cpu_seconds) - before))
    found=0
    if [ $rc != 0 ]; then
        found=1
        echo "$t: $(grep -E '^SUMMARY|ERROR' "$log" | tail -1) $(grep -o "$work/found/.*" "$log" | tail -1)"
        cp "$log" "$work/found/$t.$seed.log"
    fi
    last=$(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9]+' "$log" | tail -1)
    read -r _ edges _ features _ inputs <<<"${last:-cov: 0 ft: 0 corp: 0}"
    printf '%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n' "$t" \
        "$(date -u +%FT%TZ)" "$(git -C "$here" rev-parse --short HEAD)" \
        "$seed" "$runs" "$took" $((runs / (took ? took : 1))) \
        "$edges" "$features" "$inputs" $found "$cpu" >>"$tsv"
done
