#!/bin/bash
# The tables of the model cards (docs/models), made from the TSVs of
# data/figures, where each number has its interval and its neighbours.
# SPDX-License-Identifier: MIT
#
#   tools/figures.sh TABLE       print one: the names are the functions below
#   tools/figures.sh CARD.md...  put each between its two marks in these cards
set -euo pipefail
export LC_ALL=C
figures=$(cd "$(dirname "$0")/../data/figures" && pwd)

# rows N FILE PROGRAM: awk with the rows of FILE by their first N columns:
# num(KEY), ci(KEY) with the interval, gain(KEY) with signs; KEY is "a|b|c".
rows() {
    awk -F '\t' -v n="$1" '
        function num(k) { return k in v ? sprintf("%.3f", v[k]) : "" }
        function ci(k) { return num(k) " (" num(k "|lo") "-" num(k "|hi") ")" }
        function to(k) { return num(k) " (" num(k "|lo") " to " num(k "|hi") ")" }
        function plus(k) { return k in v ? sprintf("%+.3f", v[k]) : "" }
        function gain(k) { return plus(k) " (" plus(k "|lo") " to " plus(k "|hi") ")" }
        /^#/ { next }
        {
            k = $1
            for (i = 2; i <= n; i++) k = k "|" $i
            if (!(k in v)) { v[k] = $(n + 1); v[k "|lo"] = $(n + 2); v[k "|hi"] = $(n + 3) }
        }
        END { '"$3"' }' "$figures/$2"
}

# GUE's promoter tasks: AUROC and MCC beside the baselines, on all and on clean rows.
gue() {
    echo '| task | rows | figure | model | k-mers | positions | GC alone | model - better baseline |'
    echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
    rows 3 gue-figures.tsv '
        m = split("core_all core_notata core_tata 300_tata 300_all", task, " ")
        for (t = 1; t <= m; t++)
            for (c = 1; c <= 2; c++)
                for (w = 1; w <= 2; w++) {
                    part = c == 1 ? "all" : "clean"
                    what = w == 1 ? "auroc" : "mcc"
                    p = task[t] "|" part "/"
                    better = (p "model-k-mers|" what) in v ? "k-mers" : "positions"
                    print (w == 1 ? "| " task[t] " | " part " | AUROC" : "|  |  | MCC") \
                        " | " ci(p "model|" what) " | " ci(p "k-mers|" what) " | " \
                        ci(p "positions|" what) " | " num(p "GC|" what) " | " \
                        gain(p "model-" better "|" what) " |"
                }'
}

# GUE's other tasks; PUBLISHED are the best AUROCs of the article the card names.
gue_tf() { # TASK=PUBLISHED...
    echo '| task | AUROC: model | k-mers | model - k-mers | published | clean rows: model - k-mers | MCC: model | k-mers | model - k-mers |'
    echo '| --- | --- | ---: | --- | ---: | --- | ---: | ---: | --- |'
    rows 3 gue_tf-figures.tsv '
        m = split("'"$*"'", task, " ")
        for (t = 1; t <= m; t++) {
            split(task[t], x, "=")
            p = x[1] "|all/"
            print "| " x[1] " | " ci(p "model|auroc") " | " num(p "k-mers|auroc") " | " \
                less(p, "auroc") " | " x[2] " | " less(x[1] "|clean/", "auroc") " | " \
                num(p "model|mcc") " | " num(p "k-mers|mcc") " | " less(p, "mcc") " |"
        }
    }
    # where k-mers were not the better baseline there is no interval
    function less(p, what) {
        k = p "model-k-mers|" what
        return k in v ? gain(k) : sprintf("%+.3f", v[p "model|" what] - v[p "k-mers|" what])'
}
gue_tf_human() { gue_tf tf0=0.880 tf1=0.869 tf2=0.825; }
gue_tf_yeast() {
    gue_tf H3=0.929 H3K14ac=0.760 H3K36me3=0.799 H3K4me1=0.731 H3K4me2=0.708 \
        H3K4me3=0.681 H3K79me3=0.857 H3K9ac=0.792 H4=0.931 H4ac=0.747
}

# The paper's promoter task: negatives trained on, negatives tested on.
paper() {
    echo '| trained on | tested on | F1 | MCC | AUROC | k-mers: F1 | MCC | AUROC |'
    echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
    rows 4 paper-figures.tsv '
        split("random permuted genomic", kind, " ")
        split("f1 mcc auroc", what, " ")
        for (a = 1; a <= 3; a++)
            for (b = 1; b <= 3; b++) {
                line = "| " kind[a] " | " kind[b] " |"
                for (i = 0; i < 6; i++)
                    line = line " " to(kind[a] "|" kind[b] "|all/" \
                        (i < 3 ? "model|" : "k-mers|") what[i % 3 + 1]) " |"
                print line
            }'
}

# Recall and false calls per Mb of the shipped promoter model.
promoter() {
    echo '| part (sites) | predictor | AUROC by window | AUPRC | stranded 1 / 5 / 20 | unstranded 1 / 5 / 20 |'
    echo '| --- | --- | --- | --- | --- | --- |'
    rows 4 promoter-figures.tsv '
        split("validation test test_chr20", part, " ")
        title["validation"] = "validation (180)"
        title["test"] = "test (chr20 and chr22)"
        title["test_chr20"] = "test, chr20 alone"
        split("model floor islands", who, " ")
        split("model,k-mers,CpG islands", name, ",")
        split("stranded unstranded", mode, " ")
        split("1 5 20", rate, " ")
        for (p = 1; p <= 3; p++)
            for (w = 1; w <= 3; w++) {
                k = who[w] "/" part[p] "|"
                line = "| " (w == 1 ? title[part[p]] " " : "") "| " name[w] " | " \
                    num(k ".|.|auroc") " | " num(k ".|.|auprc")
                for (m = 1; m <= 2; m++)
                    for (r = 1; r <= 3; r++) {
                        at = k mode[m] "|" rate[r] "|"
                        line = line (r == 1 ? " | " : "  ") \
                            substr(sprintf("%.3f", v[at "recall"]), 2) "/" \
                            per_mb(v[at "false_per_mb"])
                    }
                print line " |"
            }
    }
    function per_mb(x) {
        return sprintf(x < 9.95 ? "%.1f" : "%.0f", x)'
}

# Medians over profiles of the shipped chromatin model.
chromatin() {
    echo '| part | class (profiles) | AUROC: model | k-mers | GC | AUPRC: model | k-mers | GC |'
    echo '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |'
    for part in validation test test_chr20; do
        awk -F '\t' -v part=$part '
            function num(name) { return sprintf("%.3f", $(at[name])) }
            function ci(name) {
                return num(name) ($(at[name "_lo"]) == "NA" ? "" : " (" \
                    num(name "_lo") "-" num(name "_hi") ")")
            }
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            $2 ~ /^median:/ {
                sub(/test_chr20/, "test, chr20 alone", part)
                print "| " part " | " ($4 == "DHS" ? "DNase" : "factors") " (" \
                    $(at["labels"]) ") | " ci("auroc") " | " num("k-mers_auroc") " | " \
                    num("GC_auroc") " | " ci("auprc") " | " num("k-mers_auprc") " | " \
                    num("GC_auprc") " |"
            }' "$figures/chromatin-$part.tsv"
    done
}

# What a pass over DeepSEA's training samples costs, by the rate of short runs.
deepsea() {
    echo '| `--context` | steps | sequences/s | kbp/s | 2,200,000 rows | 4,400,000 rows |'
    echo '| ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        /^#/ { next }
        {
            rate = ($4 - $3) * $2 / ($6 - $5)
            printf "| %d bp | %d | %.1f | %.1f | %.1f core hours | %.1f |\n", $1, $4 - $3, \
                rate, rate * $1 / 1000, 2200000 / rate / 3600, 4400000 / rate / 3600
        }' "$figures/deepsea-cost.tsv"
}

# The proofs of the stem: short runs of a prototype, and of dnabird.
stem_proofs() {
    echo '| run | window | rows or windows | minutes | kbp/s | DNase AUROC / AUPRC | factors | all bins: DNase | factors |'
    echo '| --- | ---: | ---: | ---: | ---: | --- | --- | --- | --- |'
    awk -F '\t' '
        function pair(a, b) { return a == "NA" ? "" : sprintf("%.3f / %.3f", a, b) }
        function or_none(x) { return x == "NA" ? "" : x }
        /^#/ || $1 == "run" { next }
        {
            print "| " $1 ": " $2 ($4 == "random" ? "" : ", from " $4) " | " $3 " | " $5 " | " or_none($6) \
                " | " or_none($7) " | " pair($10, $11) " | " pair($12, $13) " | " \
                pair($14, $15) " | " pair($16, $17) " |"
        }' "$figures/stem-proofs.tsv"
}
stem_runs() {
    echo '| run | start | windows | rate | averaged | kbp/s | all bins: DNase AUROC / AUPRC | factors |'
    echo '| --- | --- | --- | ---: | ---: | ---: | --- | --- |'
    awk -F '\t' '
        /^#/ || $1 == "run" { next }
        { print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " | " $6 " | " sprintf("%.3f / %.3f | %.3f / %.3f", $7, $8, $9, $10) " |" }
    ' "$figures/stem-runs.tsv"
}

# The first part of the long run on bins, by class of label.
bins_validation() {
    echo '| bins | labels | n | AUROC | AUPRC |'
    echo '| --- | --- | ---: | ---: | ---: |'
    awk -F '\t' '
        BEGIN {
            name["DHS"] = "DNase"; name["TF"] = "factors"
            name["other"] = "other tracks"; name["TSS"] = "start sites, + and -"
        }
        $1 == "bins" { next }
        { where = ($1 == "all" ? "all " : "with a factor ") $4
          printf "| %s | %s | %s | %.3f | %.3f |\n", where == last ? "" : where,
              name[$2], $3, $5, $6
          last = where }
    ' "$figures/bins-validation.tsv"
}

# The promoter model of yeast beside a regression on k-mers: species.sh's figures.
yeast_promoters() {
    echo '| part (start sites) | predictor | AUROC | AUPRC | stranded recall at false calls per Mb |  |  |'
    echo '| --- | --- | --- | --- | --- | --- | --- |'
    rows 4 yeast-promoters-figures.tsv '
        split("valid test", part, " ")
        split("validation,test", title, ",")
        split("model kmers", who, " ")
        split("model,k-mers", name, ",")
        split("10 30 100", rate, " ")
        for (p = 1; p <= 2; p++)
            for (w = 1; w <= 2; w++) {
                k = who[w] "/" part[p] "|"
                line = "| " (w == 1 ? title[p] " (" v[k ".|.|tss"] ") " : "") "| " name[w] " | " \
                    ci(k ".|.|auroc") " | " ci(k ".|.|auprc")
                for (r = 1; r <= 3; r++) {
                    at = k "stranded|" rate[r] "|"
                    line = line " | " ci(at "recall") sprintf(" at %.0f", v[at "false_per_mb"])
                }
                print line " |"
            }'
}
# The same of every bin, none left out near a start site.
yeast_bins() {
    echo '| part | strand | bins | with a start site | AUROC | AUPRC |'
    echo '| --- | --- | ---: | ---: | ---: | ---: |'
    rows 2 yeast-promoters-bins.tsv '
        split("valid test", part, " ")
        split("validation test", title, " ")
        split("+ -", strand, " ")
        for (p = 1; p <= 2; p++)
            for (s = 1; s <= 2; s++) {
                k = part[p] "/model:TSS" strand[s] "|"
                print "| " (s == 1 ? title[p] " " : "") "| " strand[s] " | " v[k "rows"] " | " \
                    v[k "positives"] " | " num(k "auroc") " | " num(k "auprc") " |"
            }'
}
# What was tried, by the validation chromosome.
yeast_runs() {
    echo '| run | updates | seconds | AUROC | AUPRC |'
    echo '| --- | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        /^#/ || $1 == "run" { next }
        { printf "| %s | %s | %s | %.3f | %.3f |\n", $1, $2, $3, $4, $5 }
    ' "$figures/yeast-promoters-runs.tsv"
}

# Bits per base of the pretrained human models beside Markov models.
bits() { # KEY WHAT FILE LARGE-FILE: the cells of one row
    local large=
    [ -z "$4" ] || large=$(rows 4 "$4" 'print ci("'"$1"'|model|'"$2"'")')
    rows 4 "$3" '
        line = ci("'"$1"'|model|'"$2"'") " | '"$large"' |"
        m = split("left_3 left_12 both_3 both_6 both_9 both_12", who, " ")
        for (i = 1; i <= m; i++) line = line " " num("'"$1"'|markov_" who[i] "|'"$2"'") " |"
        print line'
}
pretraining() {
    local test=pretraining-test.tsv large=pretraining-test-large.tsv b=bits_per_base
    echo '| hidden tokens of | model | large | left 3 | left 12 | both 3 | both 6 | both 9 | both 12 |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    echo "| all | $(bits 'all|all' $b $test $large)"
    echo "| chr20:0-5 Mb | $(bits '20|all' $b $test $large)"
    echo "| chr22 | $(bits '22|all' $b $test $large)"
    echo "| repeats, by lower case (chr22) | $(bits 'all|repeat' $b $test $large)"
    echo "| other (chr22) | $(bits 'all|nonrepeat' $b $test $large)"
    echo "| chr20:0-5 Mb, windows of 4 kb | $(bits 'all|all' $b pretraining-test-4kb.tsv '')"
    echo "| all, the length given | $(bits 'all|all' ${b}_given_length $test $large)"
}

# Which keys an encoder sees.
pattern() {
    echo '| keys | validation bits per base | accuracy |'
    echo '| --- | ---: | ---: |'
    rows 5 pretraining-pattern.tsv '
        m = split("window;random;window_random;bigbird;full", keys, ";")
        split("window;random;window, random;window, random, global (BigBird);" \
              "full attention", name, ";")
        for (i = 1; i <= m; i++)
            print "| " name[i] " | " ci(keys[i] "|all|all|model|bits_per_base") " | " \
                num(keys[i] "|all|all|model|accuracy") " |"'
}

# Does pretraining help to find promoters?
start() {
    echo '| start | validation AUROC | AUPRC | MCC | test AUROC | AUPRC | MCC |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: |'
    rows 4 pretraining-start.tsv '
        m = split("pretrained;scratch;shipped;shipped", who, ";")
        split("pretrained;random weights;shipped;words of 3 to 6, logistic", name, ";")
        for (i = 1; i <= m; i++) {
            line = "| " name[i] " |"
            for (t = 0; t < 2; t++) {
                k = who[i] (t ? "|test" : "|validation") "|all/" \
                    (i == 4 ? "k-mers|" : "model|")
                line = line " " ci(k "auroc") " | " num(k "auprc") " | " num(k "mcc") " |"
            }
            print line
        }'
}

# Bases per token of learned vocabularies.
vocabulary() {
    echo '| vocabulary | chr20:40-50 Mb (validation) | chr20:0-5 Mb (test) |'
    echo '| ---: | ---: | ---: |'
    awk -F '\t' '
        NR > 1 { v[$1 "|" $2] = $4 / $3 }
        END {
            n = split("32 4096 32000", size, " ")
            for (i = 1; i <= n; i++) {
                name = size[i]
                sub(/...$/, ",&", name)
                printf "| %s | %.3f | %.3f |\n", size[i] < 1000 ? size[i] : name, \
                    v[size[i] "|validation"], v[size[i] "|test_chr20"]
            }
        }' "$figures/pretraining-vocabulary.tsv"
}

# Rows of 512 or of 4,096 tokens, with blocks of 1 or 16.
context() {
    echo '| blocks | rows of 512 | rows of 4,096 |'
    echo '| ---: | ---: | ---: |'
    rows 5 pretraining-context.tsv '
        for (b = 1; b <= 16; b += 15) {
            k = "blocks of " b ", rows of "
            print "| " b " | " ci(k "512|all|all|model|bits_per_base") " | " \
                ci(k "4096|all|all|model|bits_per_base") " |"
        }'
}

# Bits per base of the yeast model beside Markov models.
yeast() {
    echo '| | bits per base | the length given |'
    echo '| --- | ---: | ---: |'
    rows 4 pretraining-yeast.tsv '
        m = split("model left_3 left_12 both_3 both_6 both_12", who, " ")
        for (i = 1; i <= m; i++) {
            k = "all|all|" (i > 1 ? "markov_" : "") who[i] "|bits_per_base"
            sub(/_/, " ", who[i])
            print "| " who[i] " | " ci(k) " | " ci(k "_given_length") " |"
        }'
}

# What the chromatin model says of real variants.
effects() {
    echo '| | chr20 | chr22 |'
    echo '| --- | ---: | ---: |'
    awk -F '\t' '
        { v[$1 "|" $2 "|" $3] = $4; n[$1 "|" $2] = $5 }
        function q(c, p, of) {
            return sprintf("%.3f", v[c "|quantile " p " of largest |diff||" of])
        }
        function strands(c, name) {
            return sprintf("%.2f", v[c "|correlation between strands|GM12878|" name "/diff"])
        }
        function pairs(c, at, x) {
            at = c "|share of pairs with the larger |diff| in the peak"
            split(v[at "|TF"], x, /[ ()-]+/)
            return sprintf("%.3f (%.3f-%.3f), %d pairs", x[1], x[2], x[3], n[at])
        }
        function cell(c, row) {
            if (row == 1) return q(c, 0.5, "all")
            if (row == 2) return q(c, 0.9, "all") ", " q(c, 0.99, "all") ", " q(c, 1, "all")
            if (row == 3) return q(c, 0.5, "TF") ", " q(c, 0.99, "TF")
            if (row == 4) return strands(c, "DNase|None") ", " strands(c, "CTCF|None#1") \
                ", " strands(c, "PU.1|None")
            return pairs(c)
        }
        END {
            m = split("largest difference of any profile: median;90 %, 99 %, largest;" \
                "the same of factors alone: median, 99 %;" \
                "correlation of the difference between strands: GM12878 DNase, CTCF, PU.1;" \
                "inside a peak of a factor and the nearest change outside with the same " \
                "bases: share of pairs with the larger difference inside", name, ";")
            for (i = 1; i <= m; i++)
                print "| " name[i] " | " cell(20, i) " | " cell(22, i) " |"
        }' "$figures/chromatin-effects.tsv"
}

# Calibrated probabilities and what came true: FILE WHAT, what is counted.
calibration() {
    echo "| probability | validation: $2 | said | true | test: $2 | said | true |"
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        function thousands(n, s) {
            for (; length(n) > 3; n = substr(n, 1, length(n) - 3))
                s = "," substr(n, length(n) - 2) s
            return n s
        }
        /^#/ || $1 == "probability" { next }
        $2 == "validation" { line = "| " $1 }
        { line = line " | " thousands($3) " | " $4 " | " $5 }
        $2 == "test" { print line " |" }' "$figures/$1"
}
promoter_calibration() { calibration promoter-calibration.tsv windows; }
chromatin_calibration() { calibration chromatin-calibration.tsv answers; }

case $1 in
*.md)
    for card; do
        while IFS= read -r line; do
            case $line in
            '<!-- figures: '*' -->')
                table=${line#<!-- figures: }
                printf '%s\n' "$line"
                "${table% -->}"
                skip=1
                ;;
            '<!-- end of figures -->') skip= ;;
            esac
            [ -n "${skip-}" ] || printf '%s\n' "$line"
        done <"$card" >"$card.new"
        cat "$card.new" >"$card"
        rm "$card.new"
    done
    ;;
*) "$1" ;;
esac
