#!/bin/bash
# MultiQC reads what `dnabird report --multiqc` writes; prints TAP.
# SPDX-License-Identifier: MIT
#
#   multiqc.sh DNABIRD SOURCE_ROOT
#
# MULTIQC names the program where it is not on the path.
set -u
. "$(dirname "$0")/../support/tap.sh"
multiqc=${MULTIQC:-multiqc}
needs "$multiqc"
dnabird=$(realpath "$1") root=$(realpath "$2")
export OMP_WAIT_POLICY=passive LC_ALL=C.UTF-8 MULTIQC_NO_VERSION_CHECK=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME=$work

printf '#chrom\tstart\tend\tname\tscore\tstrand\tprobability\tsummit\n' >one.bed
printf 'chr1\t0\t200\tp\t900\t+\t0.9\t100\nchr1\t600\t700\tp\t500\t-\t0.5\t650\n' >>one.bed
printf 'set\tmetric\tvalue\tlo\thi\nall/model\tauroc\t0.875\t0.8\t0.9\n' >two.tsv

written() {
    mkdir in && "$dnabird" report one.bed two.tsv -o page.html \
        --multiqc in/dnabird_mqc.json &&
        "$dnabird" report "$root/tests/data/model" -o model.html \
            --multiqc in/model_mqc.json
}
ok "written" written

# value TABLE SAMPLE COLUMN: a cell of the table that MultiQC made
value() { # TABLE SAMPLE COLUMN
    awk -F '\t' -v sample="$2" -v column="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 == sample { print $(at[column]) }' "$1"
}
read_by() {
    "$multiqc" --no-ansi --strict -f -o out in || return
    local table=out/multiqc_data/multiqc_dnabird_table.txt
    cat "$table"
    grep -q dnabird_table out/multiqc_report.html &&
        [ "$(value "$table" one.bed calls)" = 2 ] &&
        [ "$(value "$table" one.bed called_bp)" = 300 ] &&
        [ "$(value "$table" two auroc)" = 0.875 ] && # the name without .tsv
        [ "$(value "$table" model validation_rows)" = 73 ]
}
ok "MultiQC reads the numbers" read_by

end_rules
