# Data and functions of bins.tst, sourced in the folders of its cases. A motif
# marks the peaks of `one`; another motif, which has a strand, the start sites.
# SPDX-License-Identifier: MIT shellcheck shell=bash
# shellcheck source-path=SCRIPTDIR source=../support/draw.sh
. "${BASH_SOURCE[0]%/*}/../support/draw.sh"
awk "$draw"'BEGIN { state = 20261127; for (c = 0; c < 3; c++) {
    s = ""; for (i = 0; i < 8000; i++)
        s = s substr("ACGT", 1 + int(draw() * 4), 1)
    n = substr("ABC", c + 1, 1)
    for (i = 0; i < 40; i++) {
        at = 200 * i; p = at + 20 + int(draw() * 120)
        u = draw()
        if (u < 0.3) {
            s = substr(s, 1, p) "GGGCGGGGCGGGGCGG" substr(s, p + 17)
            print n "\t" at "\t" at + 200 "\tone" >"peaks.bed"
        } else if (u < 0.5) {
            s = substr(s, 1, p) "TATAAATATATAAATA" substr(s, p + 17)
            print n "\t" p + 5 "\t" p + 6 "\tx\t0\t+" >"sites.bed"
        } else if (u < 0.7) {
            s = substr(s, 1, p) "TATTTATATATTTATA" substr(s, p + 17)
            print n "\t" p + 5 "\t" p + 6 "\tx\t0\t-" >"sites.bed"
        }
        if (draw() < 0.3)
            print n "\t" at "\t" at + 150 "\ttwo" >"peaks.bed"
    }
    print ">" n "\n" s } }' >r.fa
printf 'name\tclass\tid\none\tTF\tone\ntwo\tDNase\ttwo\n' >list.tsv

labels=(-f r.fa --profiles list.tsv --peaks peaks.bed --sites sites.bed)

windows() {
    dnabird dataset bins -f r.fa --window 1000 --margin 0 \
        --split valid=C,train=rest -o w "$@"
    dnabird tokenizer kmer -k 2 -s 2 -o k.json
}

# learn STEPS OPTIONS ...
learn() {
    local steps=$1
    shift
    dnabird finetune bins --train w/train.bed --valid w/valid.bed \
        "${labels[@]}" --tokenizer k.json --preset tiny --steps "$steps" \
        --validate-every 2 --shift 30 --settings <(echo 'shift-bins = 1') -o m "$@"
}

# ready: windows and a model of two updates, which the first case of a table
# makes
ready() {
    if [ -d "$ONCE/ready" ]; then
        cp -r "$ONCE/ready/." .
        return
    fi
    windows -q && learn 2 -q && mkdir "$ONCE/new" &&
        cp -r w k.json m r.fa.fai "$ONCE/new" && mv "$ONCE/new" "$ONCE/ready"
}
