#!/bin/bash
# The script blocks of packaging/nf-core, run by bash as Nextflow would have
# them after its own substitutions; prints TAP. No Nextflow is needed.
# SPDX-License-Identifier: MIT
#
#   nextflow.sh DNABIRD SOURCE_ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1") root=$(realpath "$2")
modules=$root/packaging/nf-core/modules/nf-core/dnabird
model=$root/tests/data/model
export OMP_WAIT_POLICY=passive
needs tabix bgzip
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$dnabird" "$work/bin/dnabird"
PATH=$work/bin:$PATH
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache

# block MODULE script|stub NAME=VALUE...: the block's text, ${NAME} replaced;
# what is replaced by nothing here ends it
block() {
    local text name value module=$1 which=$2
    shift 2
    text=$(awk -v from="    $which:" '
        $0 == from { on = 1 }
        on && /^    """$/ { if (in_text) exit; in_text = 1; next }
        on && in_text { sub(/^    /, ""); print }' "$modules/$module/main.nf")
    for name; do
        value=${name#*=} name=${name%%=*}
        text=${text//"\${$name}"/"$value"}
    done
    # Groovy's escapes: \$ and \\
    text=${text//\\\\/\\}
    if [[ $text =~ [^\\](\$\{[a-z_.]+\}) ]]; then
        echo "${BASH_REMATCH[1]} of $module has no value" >&2
        return 1
    fi
    printf '%s\n' "${text//\\\$/\$}"
}

run_block() { # FOLDER FILES... -- block's arguments
    local folder=$1 f
    shift
    mkdir "$folder"
    for f; do
        shift
        [ "$f" = -- ] && break
        ln -s "$(realpath "$f")" "$folder/"
    done
    block "$@" >"$folder/.command.sh" &&
        (cd "$folder" && bash -euo pipefail .command.sh)
}

# what the process tells of its program: the text of eval("...")
versions() { # MODULE
    local text
    text=$(sed -n 's/.*eval("\(.*\)"), topic: versions,.*/\1/p' \
        "$modules/$1/main.nf")
    [ "$(bash -c "$text")" = "$("$dnabird" --version | sed -n '1s/.* //p')" ]
}

cp "$root"/tests/data/variants/{toy.fa,toy.fa.fai,kinds.vcf} .
variant() { # FOLDER SHARD ARGS
    run_block "$1" toy.fa toy.fa.fai kinds.vcf "$model" -- variant script \
        "args=$3" "model_option=-m model" "shard_option=$2" task.cpus=1 \
        fasta=toy.fa prefix=test vcf=kinds.vcf
}
whole_variant() {
    variant v "" "--no-version --check-ref skip" &&
        "$dnabird" variant -q -m "$model" --no-version --check-ref skip \
            -f toy.fa kinds.vcf >want.vcf && bgzip -dc v/test.vcf.gz |
        cmp - want.vcf && versions variant &&
        [ -s v/test.json ] && tabix v/test.vcf.gz 1:1-600 |
        grep -q BIRD
}
# an index needs records in order
grep '^#' kinds.vcf >k && grep -v '^#' kinds.vcf | sort -s -k1,1 -k2,2n >>k &&
    mv k kinds.vcf
ok "variant: its script is the command" whole_variant
parts() {
    local i
    for i in 1 2; do
        variant "p$i" "--shard $i/2" "--no-version --check-ref skip" || return
    done
    cat p[12]/test.vcf.gz | bgzip -dc | grep -v '^#' |
        cmp - <(grep -v '^#' want.vcf)
}
ok "variant: two parts are the whole" parts
promoter() {
    run_block s toy.fa toy.fa.fai "$model" -- promoter script \
        "args=-T 0.33 --no-version" "model_option=-m model" shard_option= \
        task.cpus=1 fasta=toy.fa prefix=test &&
        "$dnabird" promoter -q -m "$model" -T 0.33 --no-version toy.fa >want.bed &&
        gzip -dc s/test.bed.gz | cmp - want.bed && versions promoter &&
        [ -s s/test.json ]
}
ok "promoter: its script is the command" promoter
for m in variant promoter; do
    stub() {
        run_block "stub_$m" -- "$m" stub prefix=test &&
            ls stub_"$m"/test.json stub_"$m"/test.*.gz
    }
    ok "$m: its stub leaves the outputs" stub
done
# each output's pattern is in meta.yml
outputs() {
    local m pattern
    for m in variant promoter; do
        grep -o 'path("[^"]*")' "$modules/$m/main.nf" | cut -d '"' -f 2 |
            while read -r pattern; do
                grep -qF -- "- \"$pattern\":" "$modules/$m/meta.yml" ||
                    { echo "$m: $pattern"; exit 1; }
            done || return
    done
}
ok "meta.yml has the outputs of main.nf" outputs
end_rules
