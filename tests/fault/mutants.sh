#!/bin/bash
# Mutation testing: do the tests notice a changed operator in the sources? A
# random position, by seed, in the kernels, windows and variants (mutants.awk
# finds them) is changed, compiled, linked before the library into the tests of
# that file (mutants.tests), and these run until one fails. A line for each
# mutant is appended to a TSV; mutants that it has are skipped.
# SPDX-License-Identifier: MIT
#
#   mutants.sh BUILD TSV [-n COUNT] [-s SEED] [-l SECONDS] [-k FILE] [-a] [-q]
#   mutants.sh --sum TSV      sums by area and by change, to standard output
#
#   BUILD   a build of its own, made if it is not there: static, one kernel set; one
#           with -Db_sanitize=address sees values that are read beyond an array, too
#   -n      mutants of each area, those in TSV of this seed among them [100]
#   -s      which are drawn [1]
#   -l      end after so many seconds
#   -k      only files of this name (a regular expression)
#   -a      those of TSV that survived and are not in mutants.known, again, with the
#           tests as they are now
#   -q      without the tables of tests/cli: what survives is told "survived quick", and
#           -a looks at it again with them
#
# Columns: area, seed, file, line, column, old, new, outcome, by which test, text
# of the line. Outcomes: killed; survived; equivalent, the object file is the same;
# invalid, it does not compile. A mutant has five times the processor time that the
# test needs, and 5 s; what takes longer is killed. The source tree is not touched.
set -eu
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
root=$(realpath "$here/../..")

if [ "$1" = --sum ]; then
    echo '# tests/fault/mutants.sh build-mutants mutants.tsv; tests/fault/mutants.sh --sum mutants.tsv'
    printf 'by\twhat\tmutants\tinvalid\tequivalent\tkilled\tlooked_at\tsurvived\tkilled_percent\n'
    awk -F '\t' -v OFS='\t' '
        # what was looked at and changes nothing that a test could see
        FNR == NR { if (!/^#/) known[$1 OFS $2 OFS $3 OFS $4] = $5; next }
        # the last outcome of a mutant counts
        { key = $3 OFS $4 OFS $5 OFS $6 OFS $7
          area[key] = $1; file[key] = $3; out[key] = $8
          at[key] = $3 ":" $4 OFS $6 " -> " $7; text[key] = $10
          why = $3 OFS $6 OFS $7 OFS $10
          if ($8 == "survived" && why in known) { out[key] = "known"; reason[key] = known[why] }
          kind[key] = $7 == ";" ? "statement left out" : \
              $7 ~ /^\(!/ ? "condition turned" : \
              $6 ~ /^[0-9]/ ? "number one more or less" : \
              $6 ~ /^(&&|\|\||&|\|)$/ ? "and, or" : \
              $6 ~ /^([<>]=?|[=!]=)$/ ? "comparison" : "arithmetic" }
        function add(g, o) { if (!(g in n)) order[++m] = g; n[g]++; v[g, o]++ }
        END { for (k in out) add("all" OFS "all", out[k])
              for (k in out) add("area" OFS area[k], out[k])
              for (k in out) add("change" OFS kind[k], out[k])
              for (k in out) add("file" OFS file[k], out[k])
              for (j = 1; j <= m; j++) {
                  g = order[j]; live = v[g, "killed"] + v[g, "survived"]
                  print g, n[g], v[g, "invalid"] + 0, v[g, "equivalent"] + 0,
                      v[g, "killed"] + 0, v[g, "known"] + 0, v[g, "survived"] + 0,
                      live ? sprintf("%.1f", 100 * v[g, "killed"] / live) : "-" | "sort"
              }
              close("sort")
              print "\noutcome\tplace\tchange\tline\twhy"; fflush()
              for (k in out) if (out[k] == "survived" || out[k] == "known")
                  print out[k] == "known" ? "looked at" : "survived", at[k], text[k],
                      reason[k] | "sort" }' "$here/mutants.known" "$2"
    exit
fi

build=$1
touch "$2"
tsv=$(realpath "$2")
shift 2
count=100 seed=1 limit=0 only=. again=0 quick=0
while getopts n:s:l:k:aq option; do
    case $option in
    n) count=$OPTARG ;;
    s) seed=$OPTARG ;;
    l) limit=$OPTARG ;;
    k) only=$OPTARG ;;
    a) again=1 ;;
    q) quick=1 ;;
    *) exit 2 ;;
    esac
done
[ -d "$build" ] || meson setup "$build" "$root" --buildtype=release \
    -Ddefault_library=static -Dsimd=false -Dhardening=false >/dev/null
build=$(realpath "$build")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BIRD_TEST_DATA=$root/tests DNABIRD_DATA=$root/data OMP_WAIT_POLICY=passive
# as meson does: what is read unset or freed is not 0
export TMPDIR=$work BIRD_TEST_SHORT=1 MALLOC_PERTURB_=165
ulimit -c 0
# a sanitizer's shadow takes all addresses
memory=$((12 << 20))
! grep -q fsanitize "$build/build.ninja" || memory=unlimited
cd "$root"

# tests_of FILE: the tests that mutants.tests names for it
tests_of() {
    awk -v file="$1" '!/^#/ && NF && file ~ ("^" $2 "$") {
        for (i = 3; i <= NF; i++) print $i; exit }' "$here/mutants.tests"
}

area_of() {
    awk -v file="$1" '!/^#/ && NF && file ~ ("^" $2 "$") { print $1; exit }' \
        "$here/mutants.tests"
}

# program_of TEST: what is linked for it, below the build's folder
program_of() {
    local d
    if [ "${1%%/*}" = cli ]; then
        echo tools/dnabird
        return
    fi
    for d in unit kernel golden; do
        [ -e "tests/$d/test_$1.c" ] && echo "tests/$d/test_$1" && return
    done
    return 1
}

# limited CPU-SECONDS COMMAND ...: its exit status; what does not end is ended
limited() {
    local seconds=$1
    shift
    (ulimit -t "$seconds" -v "$memory" -f $((1 << 20)) &&
        exec timeout -k 5 $((seconds * 20 + 60)) "$@") \
        >"$work/said" 2>&1 </dev/null
}

# rows_of TABLE TEXT: a table of its rows that hold the text
rows_of() {
    local table
    table=$work/$(basename "$1")
    awk -v text="$2" '/^[0-9]/ { on = index($0, text) > 0 } on' "$1" >"$table"
    echo "$table"
}

# run_test TEST PROGRAM CPU-SECONDS
run_test() {
    local table
    if [ "${1%%/*}" = cli ]; then
        table=$root/tests/${1%@*}.tst
        [ "${1#*@}" = "$1" ] || table=$(rows_of "$table" "${1#*@}")
        limited "$3" bash tests/cli/run_table.sh "$2" "$table" &&
            ! grep -q '^not ok' "$work/said"
    else
        limited "$3" "$2" --tap=- -j1 --fail-fast
    fi
}

# seconds_of TEST: its time limit. What it takes of the unchanged program is
# measured once, and it must pass.
seconds_of() {
    local known=$build/mutants.seconds s
    touch "$known"
    s=$(awk -v t="$1" '$1 == t { print $2 }' "$known")
    if [ -z "$s" ]; then
        TIMEFORMAT='%U %S'
        { time run_test "$1" "$build/$(program_of "$1")" 600; } 2>"$work/time" || {
            echo "mutants.sh: $1 fails without a mutant" >&2
            grep '^not ok' "$work/said" >&2 || tail -3 "$work/said" >&2
            return 1
        }
        s=$(awk '{ printf "%d", ($1 + $2) * 5 + 6 }' "$work/time")
        echo "$1 $s" >>"$known"
    fi
    echo "$s"
}

# compile SOURCE OBJECT FILE: with the build's own command for FILE
compile() {
    local command
    command=$(grep -- " -c [^ ]*/$3\$" "$work/commands" | head -1 |
        sed -E 's/^ccache //; s/ -MD -MQ [^ ]+ -MF [^ ]+ -o [^ ]+ -c [^ ]+$//')
    (cd "$build" && eval "$command -w -o $2 -c $1") 2>/dev/null
}

# outcome FILE: of $work/m/x.c; "killed TEST", "survived", ...
outcome() {
    local t program seconds command left=-
    compile "$work/x.c" "$work/x.o" "$1" || { echo "invalid -" && return; }
    cmp -s "$work/x.o" "$work/same/${1//\//_}.o" && { echo "equivalent -" && return; }
    rm -f "$work"/linked/*
    for t in $(tests_of "$1"); do
        [ $quick = 1 ] && [ "${t%%/*}" = cli ] && left=quick && continue
        program=$(program_of "$t")
        if [ ! -e "$work/linked/${program##*/}" ]; then
            command=$(grep -- " -o $program " "$work/commands")
            # before the library: of the file's object there the linker has no need
            (cd "$build" && eval "${command/ -o $program / -o $work/linked/${program##*/} $work/x.o }") ||
                { echo "invalid link" && return; }
        fi
        seconds=$(seconds_of "$t") || return 1
        run_test "$t" "$work/linked/${program##*/}" "$seconds" ||
            { echo "killed $t" && return; }
    done
    echo "survived $left"
}

# drawn: area, file, line, column, length, old, new of the mutants to make
drawn() {
    local f
    if [ $again = 1 ]; then
        awk -F '\t' -v OFS='\t' '
            FNR == NR { known[$1 OFS $2 OFS $3 OFS $4]; next }
            ($3 OFS $6 OFS $7 OFS $10) in known { next }
            { key = $3 OFS $4 OFS $5 OFS $6 OFS $7; out[key] = $8; line[key] = $0 }
            END { for (k in out) if (out[k] == "survived") {
                split(line[k], p, "\t")
                print p[1], p[3], p[4], p[5], length(p[6]), p[6], p[7] } }' \
            "$here/mutants.known" "$tsv"
        return
    fi
    git ls-files src | grep '\.c$' | while read -r f; do
        [ -z "$(area_of "$f")" ] ||
            awk -f "$here/mutants.awk" "$f" | sed "s/^/$(area_of "$f")\t/"
    done | awk -F '\t' -v OFS='\t' -v seed="$seed" '
        # each place draws for itself, so that another file more changes none
        { h = seed * 7919 + 1
          key = $2 OFS $6 OFS $7 OFS $3 OFS $4
          for (i = 1; i <= length(key); i++)
              h = (h * 31 + index(letters, substr(key, i, 1)) + 1) % 2147483647
          for (i = 0; i < 4; i++) h = (h * 16807) % 2147483647
          print h, $0 }
        BEGIN { for (i = 1; i < 256; i++) letters = letters sprintf("%c", i) }' |
        sort -n | cut -f 2- | awk -F '\t' -v n="$count" '++k[$1] <= n'
}

drawn | awk -F '\t' -v only="$only" '$2 ~ only' >"$work/drawn"
mapfile -t files < <(cut -f 2 "$work/drawn" | sort -u)
mapfile -t tests < <(for f in "${files[@]}"; do tests_of "$f"; done | sort -u)
[ ${#files[@]} -gt 0 ] || { echo "mutants.sh: no mutant drawn" >&2 && exit 1; }
mapfile -t programs < <(for t in "${tests[@]}"; do program_of "$t"; done | sort -u)
ninja -C "$build" "${programs[@]}" >"$work/said" || { tail -5 "$work/said" >&2 && exit 1; }
ninja -C "$build" -t commands "${programs[@]}" >"$work/commands"
mkdir "$work/same" "$work/linked"
for f in "${files[@]}"; do
    cp "$f" "$work/x.c"
    compile "$work/x.c" "$work/same/${f//\//_}.o" "$f"
done

SECONDS=0
while IFS=$'\t' read -r area file line column length old new; do
    [ "$limit" = 0 ] || [ $SECONDS -lt "$limit" ] || break
    key=$file$'\t'$line$'\t'$column$'\t'$old$'\t'$new
    [ $again = 0 ] && cut -f 3-7 "$tsv" | grep -qxF -- "$key" && continue
    # the new text is no pattern: it is taken from the environment
    NEW=$new awk -v line="$line" -v at="$column" -v len="$length" '
        NR == line { $0 = substr($0, 1, at - 1) ENVIRON["NEW"] substr($0, at + len) }
        { print }' "$file" >"$work/x.c"
    result=$(outcome "$file")
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$area" "$seed" "$key" "${result% *}" \
        "${result#* }" "$(sed -n "${line}s/^ *//p" "$file")" >>"$tsv"
done <"$work/drawn"
awk -F '\t' '{ out[$3 OFS $4 OFS $5 OFS $6 OFS $7] = $8 }
    END { for (k in out) n[out[k]]++
          printf "%d killed, %d survived, %d equivalent, %d do not compile\n",
              n["killed"], n["survived"], n["equivalent"], n["invalid"] }' "$tsv"
