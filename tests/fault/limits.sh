#!/bin/bash
# Commands under limits of the system: little address space, small files, few
# files, a small stack, file systems that are full or read-only, long and odd
# names. Each run ends with the bytes of an undisturbed one, or with one line, a
# status and nothing half-written. SPDX-License-Identifier: MIT
#
#   limits.sh BUILD TSV [-l SECONDS] [-c COMMAND] [-k KIND]
#   limits.sh --large BUILD TSV [-l SECONDS]   large.sh: large files
#   limits.sh --sum TSV                        a row a limit, to standard output
#   limits.sh --tap DNABIRD LIMITS_RUN         a part of it, as TAP
#
# A row of the TSV: limit, its value, command, status, seconds, largest resident
# KiB, outcome; rows that it has are skipped. Findings go to standard output,
# too. Runs in a mount namespace of its own where the system allows one; else
# the rows that need it are left out.
set -eu
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
self=$here/limits.sh
case $1 in
--large)
    shift
    exec bash "$here/large.sh" "$@"
    ;;
--sum)
    echo '# tests/fault/limits.sh build limits.tsv; tests/fault/limits.sh --sum limits.tsv'
    printf 'limit\tvalue\truns\tsame\trefused\tnot_started\tother\tmost_seconds\tmost_mib\n'
    exec awk -F '\t' -v OFS='\t' '
        { k = $1 OFS $2
          if (!(k in n)) order[++m] = k
          n[k]++
          e = $7 == "same" ? 1 : $7 == "refused" ? 2 : $7 == "not started" ? 3 : 4
          v[k, e]++
          if ($5 > s[k]) s[k] = $5
          if ($6 > r[k]) r[k] = $6 }
        END { for (j = 1; j <= m; j++) { k = order[j]
                  printf "%s\t%d\t%d\t%d\t%d\t%d\t%.2f\t%.1f\n", k, n[k],
                      v[k, 1], v[k, 2], v[k, 3], v[k, 4], s[k], r[k] / 1024 } }' "$2"
    ;;
esac
if [ -z "${BIRD_LIMITS_INSIDE-}" ]; then
    export BIRD_LIMITS_INSIDE=here
    if unshare -rm true 2>/dev/null; then
        BIRD_LIMITS_INSIDE=mounts exec unshare -rm bash "$self" "$@"
    fi
fi

tap=0 until=0 only_command='' only_kind=''
if [ "$1" = --tap ]; then
    tap=1 dnabird=$(realpath "$2") limits_run=$(realpath "$3") tsv=/dev/null
    shift 3
else
    dnabird=$(realpath "$1/tools/dnabird")
    limits_run=$(realpath "$1/tests/fault/limits_run")
    touch "$2"
    tsv=$(realpath "$2")
    shift 2
fi
while getopts l:c:k: option; do
    case $option in
    l) until=$((SECONDS + OPTARG)) ;;
    c) only_command=$OPTARG ;;
    k) only_kind=$OPTARG ;;
    *) exit 2 ;;
    esac
done
export DNABIRD_DATA=${DNABIRD_DATA:-$here/../../data} LC_ALL=C \
    OMP_WAIT_POLICY=passive XDG_CACHE_HOME=cache HOME=/nonexistent
unset OMP_NUM_THREADS

work=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'cd /; umount "$work/run" 2>/dev/null || true; rm -rf "$work"' EXIT
bash "$here/data.sh" "$dnabird" "$work" ${tap:+$([ $tap = 0 ] || echo small)} \
    2>"$work/said" || { cat "$work/said" && exit 1; }
mkdir "$work/run" "$work/whole" "$work/again"

# Files of the current folder and their checksums.
listing() {
    find . -type f -print0 | sort -z | xargs -0 -r sha256sum -z | tr '\0\n' '\n?'
}

# $before, copied to $folder; then the command of $words there.
#   start FOLDER [LIMITS_RUN'S OPTIONS]
start() {
    local folder=$1 w
    shift
    cd "$folder"
    for w in $copies; do cp -r "$work/in/$w" .; done 2>>"$work/said"
    listing >"$work/before"
    "$limits_run" -t 30 "$@" "$work/took" "$dnabird" "${words[@]}" \
        2>&1 >"$work/out" </dev/null | cat >"$work/err"
    read -r status seconds _ kib <"$work/took"
    listing >"$work/after"
    cd "$work"
}

# An undisturbed run, twice: files that differ are vague. 1: it fails.
undisturbed() {
    rm -rf whole again && mkdir whole again
    start "$work/whole"
    [ "$status" = 0 ] || return 1
    sed 's/[0-9.][0-9.]*/N/g; s/N [kMGT]*B/N B/g' err >usual
    mv after all && mv out all.out
    start "$work/again"
    sort all after | uniq -u | cut -c 67- | sort -u >vague
    cmp -s out all.out || echo vague >>all.out.vague
}

# Are there files other than those of the undisturbed run or those before?
left() {
    sort -u all before >had
    sort after | comm -13 had - | cut -c 67- | sort -u | comm -23 - vague |
        grep -v '\.partial$\|\.partial\.json$' | head -1
}

judge() { # sets $end
    local lines # libBigWig says a line of its own
    lines=$(sed 's/[0-9.][0-9.]*/N/g; s/N [kMGT]*B/N B/g' err | grep -vxF -f usual |
        grep -vc '^dnabird: warning\|^\[bw') || true
    if [ "$status" = 127 ] && grep -q 'shared libraries\|cannot allocate' err; then
        end='not started'
    elif [ "$status" = 137 ]; then
        end='did not end'
    elif [ "$status" -gt 3 ]; then
        end="ended by status $status"
    elif [ "$status" = 0 ]; then
        end=same
        if ! sort all after | uniq -u | cut -c 67- | sort -u | comm -23 - vague |
            cmp -s /dev/null -; then
            end='other files'
        elif [ ! -e all.out.vague ] && ! cmp -s out all.out; then
            end='other output'
        fi
    elif [ -n "$(left)" ]; then
        end="left $(left)"
    elif grep -q '^libgomp\|OpenBLAS :' err; then
        end='ended by a library'
    elif [ "$lines" != 1 ]; then
        end="$lines lines"
    else
        end=refused
    fi
}

bad=0 tests=0
tell() { # limit, value
    case $end in
    same | refused | 'not started') ;;
    *)
        bad=1
        printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$name" "$end"
        head -c 1000 "$work/err"
        ;;
    esac | sed "$([ $tap = 0 ] || echo 's/^/# /')"
    case $end in same | refused | 'not started') ;; *) bad=1 ;; esac
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$name" "$status" \
        "$seconds" "$kib" "$end" >>"$tsv"
}

# Is it wanted, and not in the TSV yet?
wanted() { # limit, value
    [ -z "$only_kind" ] || [ "$only_kind" = "$1" ] || return 1
    [ $until = 0 ] || [ $SECONDS -lt $until ] || return 1
    tests=$((tests + 1))
    ! grep -qF "$1	$2	$name	" "$tsv"
}

under() { # limit, value, options of limits_run ...
    local limit=$1 value=$2
    shift 2
    wanted "$limit" "$value" || return 0
    rm -rf run && mkdir run
    start "$work/run" "$@"
    judge
    tell "$limit" "$value"
}

mounted() { # limit, value, size of a tmpfs, more
    [ "$BIRD_LIMITS_INSIDE" = mounts ] || return 0
    wanted "$1" "$2" || return 0
    rm -rf run && mkdir run
    mount -t tmpfs -o "size=$3" tmpfs run
    for w in $copies; do
        cp -r "in/$w" run 2>>said || { umount run && return 0; } # not even those fit
    done
    [ "$1" != read-only ] || mount -o remount,ro run
    copies='' start "$work/run"
    judge
    umount run
    tell "$1" "$2"
}

# The rows of tables, but for those that say when or from where.
rows() { # folder
    find "$1" -type f \( -name '*.bed' -o -name '*.tsv' -o -name '*.vcf' -o \
        -name '*.csv' -o -name '*.bedgraph' \) -printf '%f\0' | sort -z |
        while IFS= read -r -d '' f; do
            grep -qF "/$f" vague || find "$1" -name "$f" -exec cat {} + | sed '/^#/d'
        done
}

# In and out by other names: what the outputs say besides their names is the same.
named() { # limit, value, folder
    local w named=() out=0 f
    wanted "$1" "$2" || return 0
    rm -rf run names && mkdir run
    mkdir -p "names/$3" "run/$3"
    cp -r in "names/$3/"
    for w in "${words[@]}"; do
        case $w in
        ../in/*) w=../names/$3/${w#../} ;;
        *) [ $out = 0 ] || w=$3/$w ;;
        esac
        out=0
        case $w in -o | --json | --predictions) out=1 ;; esac
        named+=("$w")
    done
    # those that write to the folder at hand, or read what was copied there
    case $name in init | export* | import) return 0 ;; esac
    local words=("${named[@]}")
    start "$work/run"
    if [ "$status" = 0 ]; then
        end=same
        [ "$(wc -l <after)" = "$(wc -l <all)" ] || end='other files'
        rows whole >want
        rows run | cmp -s want - || end='other rows'
    else
        judge
    fi
    tell "$1" "$2"
}

long=$(printf 'x%.0s' {1..240})
deep=$long/$long/$long/$long/$long/$long/$long/$long
deep=$deep/$deep               # 3,855 bytes
odd=$'a b\'"\\$;*ü\n\t%s'

while IFS='|' read -r name copies arguments _; do
    case $name in '' | '#'*) continue ;; esac
    [ -z "$only_command" ] || [ "$only_command" = "$name" ] || continue
    [ $until = 0 ] || [ $SECONDS -lt $until ] || break
    if [ $tap = 1 ]; then
        case $name in
        'tokenizer kmer' | 'promoter bgzip' | 'variant --table' | 'dataset promoters') ;;
        *) continue ;;
        esac
        before_tests=$tests before_bad=$bad
    fi
    read -ra words <<<"$arguments"
    rm -f "$work/all.out.vague"
    cd "$work"
    if ! undisturbed; then
        echo "$name: fails undisturbed: $(tail -1 err)"
        bad=1
        continue
    fi
    for n in 400000 410000 420000 450000 500000; do
        under 'address space, KiB' $n -a $n
        [ $tap = 0 ] || break
    done
    for n in 0 100 1000 4096 65536; do under 'file size, bytes' $n -f $n; done
    for n in 4 5 6 7 8 9 10; do under 'open files' $n -n $n; done
    OMP_STACKSIZE=256k under 'stack, KiB' 256 -s 256
    mounted 'read-only' folder 16m
    for n in 4k 12k 40k; do mounted 'file system of' $n $n; done
    named 'name' odd "$odd"
    named 'name' '4,000 bytes' "$deep"
    if [ $tap = 1 ]; then
        [ "$bad" = "$before_bad" ] && printf 'ok' || printf 'not ok'
        shown=$((${shown-0} + 1))
        echo " $shown - $name: $((tests - before_tests)) limits"
        bad_any=$((${bad_any-0} | bad)) bad=0
    fi
done <"$here/commands"
# a limit under which the program does not get to main(): once
if [ $tap = 0 ] && [ -z "$only_command" ]; then
    name=version copies='' words=(--version)
    cd "$work"
    undisturbed
    for n in 50000 100000 150000 300000; do
        under 'address space, KiB' $n -a $n
    done
fi
[ $tap = 0 ] || { echo "1..${shown-0}" && bad=${bad_any-1}; }
exit "$bad"
