#!/bin/bash
# The tables of the model cards (docs/models), made from the TSVs of
# data/figures, which have more columns, and the interval of each number.
# SPDX-License-Identifier: MIT
#
#   tools/figures.sh TABLE       print a table; the functions below have the names
#   tools/figures.sh CARD.md...  write each table between its two marks in these cards
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

# Long rows against short ones: models trained on either length.
rows_of() {
    echo '| part | learned in rows of | read in rows of | masked bases | bits per base | less those of 512 |'
    echo '| --- | ---: | ---: | ---: | --- | --- |'
    awk -F '\t' '
        FNR == 1 { next }
        $3 == "all" {
            n = split($2, name, /[.-]/)
            learned = name[2] == "512" ? "512" : "4,096"
            read = name[n] == "512" ? "512" : "4,096"
            printf "| %s | %s | %s | %d | %.4f (%.4f to %.4f) | %s |\n", $1, \
                learned, read, $11, $4, $5, $6, \
                $2 ~ /^[^.]*[.]512$/ ? "" : sprintf("%+.4f (%+.4f to %+.4f)", $7, $8, $9)
        }' "$figures/pretraining-rows.tsv"
}

# GUE's promoter tasks: AUROC and MCC of models and baselines, on all and on clean rows.
gue() {
    echo '| task | rows | metric | model | k-mers | positions | GC alone | model - better baseline |'
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

# Attributions compared with mutagenesis: means over regions, and mean differences.
attribution() {
    echo '| method | regions | Spearman: mean | minimum | maximum | seconds | `mutate` |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        /^#|^feature/ { next }
        {
            k = $4
            if (!(k in n)) { at[++m] = k; lo[k] = hi[k] = $5 }
            n[k]++; sum[k] += $5; s[k] += $6; all[k] += $7
            if ($5 < lo[k]) lo[k] = $5
            if ($5 > hi[k]) hi[k] = $5
            d = was == $2 ? before - $5 : 0
            if (was == $2) { N++; D += d; Q += d * d; W += d > 0 }
            was = $2
            before = $5
        }
        END {
            for (i = 1; i <= m; i++) {
                k = at[i]
                printf "| %s | %d | %.3f | %.3f | %.3f | %.2f | %.2f |\n", k, n[k],
                    sum[k] / n[k], lo[k], hi[k], s[k] / n[k], all[k] / n[k]
            }
            printf "| %s - %s | %d | %+.3f, standard error %.3f | | | | |\n",
                at[1], at[2], N, D / N, sqrt((Q / N - (D / N) ^ 2) / (N - 1))
        }' "$figures/attribution.tsv"
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

# Recall and false calls per Mb of the promoter model of windows.
promoter() { scan_calls promoter-figures.tsv 'model floor islands' 'model,k-mers,CpG islands'; }
regulatory_calls() {
    scan_calls regulatory-calls.tsv 'model kmers islands' 'model,k-mers,CpG islands'
}
starts_calls() {
    scan_calls starts-calls.tsv 'starts regulatory cnn islands' \
        '`starts`,`regulatory`,convolution net,CpG islands'
}
# scan_calls FILE SETS NAMES: predictors of FILE, and how they are called
scan_calls() {
    echo '| part (sites) | predictor | AUROC by window | AUPRC | stranded 1 / 5 / 20 | unstranded 1 / 5 / 20 |'
    echo '| --- | --- | --- | --- | --- | --- |'
    rows 4 "$1" '
        split("validation test test_chr20", part, " ")
        n_who = split("'"$2"'", who, " ")
        title["validation"] = "validation (" v[who[1] "/validation|.|.|tss"] ")"
        title["test"] = "test (chr20 and chr22)"
        title["test_chr20"] = "test, chr20 alone"
        split("'"$3"'", name, ",")
        split("stranded unstranded", mode, " ")
        split("1 5 20", rate, " ")
        for (p = 1; p <= 3; p++)
            for (w = 1; w <= n_who; w++) {
                k = who[w] "/" part[p] "|"
                if (!((k ".|.|auroc") in v))
                    continue
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

# The same model trained on long and on short windows.
twins() {
    echo '| windows, bp (seed) | DNase | factors | H3K4me3, H3K27ac | other marks | start sites |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        NR > 1 { v[$2, $3] = sprintf("%.3f / %.3f", $6, $7); if (!seen[$2]++) order[++n] = $2 }
        END {
            m = split("DNase,factors,active marks,other marks,TSS", class, ",")
            for (i = 1; i <= n; i++) {
                split(order[i], part, ".")
                line = "| " part[1] " (" part[2] ") |"
                for (k = 1; k <= m; k++)
                    line = line " " v[order[i], class[k]] " |"
                print line
            }
        }' "$figures/regulatory-twins.tsv"
}

# Distances of calls' summits from CAGE peaks, and calls in random sequence.
starts_summits() {
    echo '| part | model | false calls per Mb asked | calls | with a CAGE peak | one of their strand | nearest one of their strand | median distance, bp | within 25 bp |'
    echo '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        NR > 1 {
            printf "| %s | `%s` | %d | %d | %d | %d (%.0f %%) | %d (%.0f %%) | %s | %.2f |\n", $2,
                $1, $3, $4, $5, $6, 100 * $6 / $5, $7, 100 * $7 / $5, $8, $9
        }' "$figures/starts-summits.tsv"
}
starts_random() {
    echo '| sequence | `starts`, 1 | `starts`, 5 | `regulatory`, 1 | `regulatory`, 5 |'
    echo '| --- | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        NR > 1 { v[$1, $2, $4] = $6; if (!seen[$2]++) order[++n] = $2 }
        END {
            for (i = 1; i <= n; i++) {
                s = order[i]
                printf "| %s | %s | %s | %s | %s |\n", s, v["starts", s, 1], v["starts", s, 5],
                    v["regulatory", s, 1], v["regulatory", s, 5]
            }
        }' "$figures/starts-random.tsv"
}
# False calls of `starts` per Mb by part, and what the CpG islands predict.
starts_rates() {
    echo '| part | Mb | CpG islands per Mb | 1 asked: reached; expected | 5 asked | 20 asked |'
    echo '| --- | ---: | ---: | --- | --- | --- |'
    awk -F '\t' '
        FNR == 1 { next }
        FILENAME ~ /law/ {
            if ($1 == "not test")
                law[$2, $4] = sprintf("%.1f (%.1f to %.1f)", $5, $6, $7)
            if ($2 == "genome")
                whole = $3
            next
        }
        $1 == "train" || $1 == "not test" { next }
        {
            if ($2 == 1)
                line = "| " $1 " | " $3 " | " $4 " |"
            line = line sprintf(" %.1f (%.1f to %.1f); %s |", $7, $8, $9, law[$1, $2])
            if ($2 == 20)
                print line
        }
        END {
            print "| whole genome | 2861 | " whole " | ; " law["genome", 1] " | ; " \
                law["genome", 5] " | ; " law["genome", 20] " |"
        }' "$figures/starts-law.tsv" "$figures/starts-rates.tsv"
}
# Calls that are false by EPDnew, and false calls, by what else is there.
starts_false() {
    echo '| part | asked | calls | no EPDnew site | of these: GENCODE or RefSeq start | CAGE peak | either |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        NR > 1 {
            printf "| %s | %d | %d | %d | %d | %d | %d (%.0f %%) |\n", $1, $2, $3, $4, $5, $6, $7,
                100 * $7 / $4
        }' "$figures/starts-false.tsv"
}
starts_marks() {
    echo '| part | asked | false calls | a start within 2 kb | CAGE peak within 500 bp | in H3K4me3 | none of these | none, per Mb |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        NR > 1 {
            printf "| %s | %d | %d | %d | %d | %d (%.0f %%) | %d | %s |\n", $1, $2, $8, $9, $10, $11,
                100 * $11 / $8, $12, $13
        }' "$figures/starts-false.tsv"
}
# F-measures by the protocols of Abeel et al. 2009.
starts_abeel() {
    echo '| part | predictor | threshold | calls | F: 1A | 1B | 2A | 2B | PPP score |'
    echo '| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |'
    awk -F '\t' '
        NR > 1 {
            k = $2 SUBSEP $1 SUBSEP $3
            if (!seen[k]++) order[++n] = k
            calls[k] = $6
            f[k, $5] = $10
            if ($5 == "PPP") f[k, "PPP"] = $10 " (" $11 " to " $12 ")"
        }
        END {
            split("test validation", part, " ")
            for (p = 1; p <= 2; p++)
                for (i = 1; i <= n; i++) {
                    k = order[i]
                    split(k, name, SUBSEP)
                    if (name[1] == part[p])
                        printf "| %s | %s | %s | %d | %s | %s | %s | %s | %s |\n", name[1],
                            name[2] == "islands" ? "CpG islands" : "`" name[2] "`", name[3],
                            calls[k], f[k, "1A"], f[k, "1B"], f[k, "2A"], f[k, "2B"], f[k, "PPP"]
                }
        }' "$figures/starts-abeel.tsv"
}

# Medians over profiles of the chromatin model of windows.
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

stem_mlm() {
    echo '| words, stem | updates | bases per token | kbp/s | seconds | held-out bits per base after a quarter | half | all | test | best Markov | model - Markov |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        BEGIN {
            name["base"] = "bases, none"; name["base-stem"] = "bases, 15x128,5x128+"
            name["base-pool"] = "bases, 15x128/4,5x128"; name["word"] = "BPE, none"
            name["word-stem"] = "BPE, 5x128,5x128+"
        }
        /^#/ || $1 == "model" { next }
        { printf "| %s | %d | %.2f | %.1f | %d | %.3f | %.3f | %.3f | %.3f | %.3f | %+.3f |\n",
            name[$1], $2, $3, $5 / 1000, $4, $6, $7, $8, $9, $10, $11 }
    ' "$figures/stem-mlm.tsv"
}

# Small models for zero-shot scores: bases seen, and bits per base of the test part.
zero_shot_seen() {
    echo '| species | stages | updates | bases seen | of 1e9 | seconds | best on validation | bits per base there |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        /^#/ || $1 == "species" { next }
        {
            if (!($1 in n)) order[++m] = $1
            n[$1]++; updates[$1] += $3; bp[$1] += $4; s[$1] += $5
            if (!($1 in best) || $6 < best[$1]) { best[$1] = $6; at[$1] = $2 }
        }
        END {
            for (i = 1; i <= m; i++) {
                k = order[i]
                printf "| %s | %d | %d | %.2f million | %.2f %% | %.0f | stage %d | %.3f |\n",
                    k, n[k], updates[k], bp[k] / 1e6, bp[k] / 1e7, s[k], at[k], best[k]
            }
        }' "$figures/zero-shot-stages.tsv"
}

zero_shot() {
    echo '| species | masked bases | number | model | left 3 | left 6 | left 9 | left 12 | both 3 | both 6 | both 9 | both 12 |'
    echo '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        BEGIN { name["repeat"] = "in repeats"; name["nonrepeat"] = "elsewhere"; name["all"] = "all" }
        /^#/ || $1 == "species" { next }
        $9 == "uniform" { next }
        $9 == "model" {
            if (line) print line " |"
            line = sprintf("| %s | %s | %d | %.3f (%.3f-%.3f)", $1, name[$8], $14, $10, $11, $12)
            next
        }
        { line = line sprintf(" | %.3f", $10) }
        END { if (line) print line " |" }' "$figures/zero-shot.tsv"
}

# Log-likelihood ratios of alleles, and baselines without a model.
zero_shot_scores() {
    echo '| alleles | positive | number | llr | middle | G+C | CpG | transversion | k-mers |'
    echo '| --- | --- | ---: | --- | --- | --- | --- | --- | --- |'
    awk -F '\t' '
        BEGIN {
            n = split("rare mpra_choose mpra_report yeast_coding yeast_start yeast_stop", set, " ")
            what["rare"] = "human, matched | rare"
            what["mpra_choose"] = "saturated, four elements | has an effect"
            what["mpra_report"] = "saturated, seven elements | has an effect"
            what["yeast_coding"] = "yeast | in a frame"
            what["yeast_start"] = "yeast | of a start codon"
            what["yeast_stop"] = "yeast | of a stop codon"
            m = split("minus_llr baseline:middle baseline:gc baseline:cpg baseline:transversion baseline:kmer", score, " ")
        }
        /^#/ || $1 == "set" || $6 != "auroc" { next }
        { v[$1, $5] = sprintf("%.3f (%.3f-%.3f)", $7, $8, $9); number[$1] = $10 }
        END {
            for (i = 1; i <= n; i++) {
                if (!((set[i], "minus_llr") in v)) continue
                printf "| %s | %s", what[set[i]], number[set[i]]
                for (j = 1; j <= m; j++) printf " | %s", v[set[i], score[j]]
                print " |"
            }
        }' "$figures/variants-zero-shot.tsv"
}

# The combined ranks of two models, and each model's scores.
combined_scores() {
    echo '| score | AUROC: four elements | seven elements | average precision: four | seven | Spearman of sizes: four | seven |'
    echo '| --- | --- | --- | --- | --- | --- | --- |'
    awk -F '\t' '
        BEGIN { m = split("auroc auprc spearman_abs", metric, " ") }
        /^#/ || $1 == "part" { next }
        !($5 in seen) { seen[$5] = 1; score[++n] = $5 }
        { v[$1, $5, $6] = sprintf("%.3f (%.3f to %.3f)", $7, $8, $9) }
        END {
            for (i = 1; i <= n; i++) {
                printf "| %s", score[i]
                for (j = 1; j <= m; j++)
                    printf " | %s | %s", v["choose", score[i], metric[j]], v["report", score[i], metric[j]]
                print " |"
            }
        }' "$figures/variants-combined.tsv"
}

# Masks of dataset repeats compared with lower case.
repeats_masks() {
    echo '| k | N | in the mask: of all bases | of lower case | of upper case |'
    echo '| ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        /^#/ { match($0, /[0-9,]+ bases/); all = substr($0, RSTART, RLENGTH)
               gsub(/[^0-9]/, "", all); next }
        $1 == "k" { next }
        { printf "| %d | %d | %.1f %% | %.1f %% | %.2f %% |\n", $1, $2,
            100 * $3 / all, 100 * $4, 100 * $5 }
    ' "$figures/repeats-masks.tsv"
}

etc_mlm() {
    echo '| keys | keys of a row | seed | validation bits per base after a quarter | half | all | test | best Markov |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        BEGIN {
            name["itc"] = "2 global, 3 window, 3 random blocks (ITC)"
            name["etc"] = "40 global tokens, 3 window blocks (ETC)"
            name["etc-kb"] = "8 global tokens, one for each kb, 3 window blocks (ETC)"
            name["window"] = "3 window blocks"
        }
        /^#/ || $1 == "model" { next }
        { printf "| %s | %d | %d | %.4f | %.4f | %.4f | %.4f (%.4f-%.4f) | %.4f |\n",
            name[$1], $3, $2, $6, $7, $8, $9, $10, $11, $12 }
    ' "$figures/etc-mlm.tsv"
}
# The copying task by pattern and layers: measured, by counting, and in the paper.
copying() {
    echo '| pattern | 1 layer | 2 | 3 | 4 | paper: 1 layer | 2 | 3 | 4 |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        BEGIN {
            name["full"] = "all before"; name["star"] = "STAR"; name["random"] = "RANDOM"
            split("union multihead sequential", heads, " ")
            for (h in heads) {
                name["strided-" heads[h]] = "STRIDED " heads[h]
                name["fixed-" heads[h]] = "FIXED " heads[h]
            }
        }
        /^#/ || $1 == "name" { next }
        FNR == NR { paper[$1, $2] = sprintf("%.2f (%.2f)", $3, $5); next }
        !($1 in name) { print "figures.sh: unknown name " $1 >"/dev/stderr"; exit 1 }
        !($1 in seen) { seen[$1] = 1; order[++n] = $1 }
        {
            k = $1 SUBSEP $4
            right[k] += $10; counted[k] += $8; m[k]++
            if (!(k in lo) || $10 < lo[k]) lo[k] = $10
            if (!(k in hi) || $10 > hi[k]) hi[k] = $10
        }
        END {
            for (i = 1; i <= n; i++) {
                line = "| " name[order[i]]
                for (l = 1; l <= 4; l++) {
                    k = order[i] SUBSEP l
                    if (!(k in m)) { line = line " | "; continue }
                    line = line " | " sprintf("%.2f", right[k] / m[k])
                    if (hi[k] - lo[k] >= 0.1)
                        line = line sprintf(" [%.2f-%.2f]", lo[k], hi[k])
                    line = line sprintf(" (%.2f)", counted[k] / m[k])
                }
                for (l = 1; l <= 4; l++)
                    line = line " | " paper[order[i], l]
                print line " |"
            }
        }' "$figures/copying-paper.tsv" "$figures/copying.tsv"
}

stem_residual() {
    echo '| stem after `15x128/5:relu,7x128/4:relu,5x128:relu` | scales from | head | updates | mean AUROC of all labels | DNase | factors of DeepSEA | all factors |'
    echo '| --- | ---: | --- | ---: | ---: | --- | --- | --- |'
    awk -F '\t' '
        /^#/ || $1 == "stem" { next }
        { printf "| %s | %s | %s | %s | %.3f | %.3f / %.3f | %.3f / %.3f | %.3f / %.3f |\n",
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 }
    ' "$figures/stem-residual.tsv"
}

# The long runs on bins, and the CNN: AUROC / AUPRC by class of label.
bins_validation() {
    echo '| bins | model | DNase | factors of DeepSEA | all factors | other tracks | start sites, + and - |'
    echo '| --- | --- | --- | --- | --- | --- | --- |'
    awk -F '\t' '
        /^#/ || $1 == "run" { next }
        {
            if (!(($1, $2) in seen)) {
                seen[$1, $2]
                if (!($1 in known)) { known[$1]; model[++models] = $1 }
            }
            v[$1, $2, $3] = sprintf("%.3f / %.3f", $6, $7)
        }
        function cell(m, b, c) { return (m, b, c) in v ? v[m, b, c] : "" }
        END {
            split("factor all", bins, " ")
            name["factor"] = "with a factor"; name["all"] = "all"
            for (i = 1; i <= 2; i++)
                for (j = 1; j <= models; j++)
                    if ((model[j], bins[i]) in seen)
                        printf "| %s | %s | %s | %s | %s | %s | %s |\n", name[bins[i]], model[j],
                            cell(model[j], bins[i], "DHS"), cell(model[j], bins[i], "TF"),
                            cell(model[j], bins[i], "TF+"), cell(model[j], bins[i], "other"),
                            cell(model[j], bins[i], "TSS")
        }' "$figures/bins-validation.tsv"
}

# The shipped model of bins: medians by class of label.
regulatory_labels() {
    echo '| part | bins | labels | n | AUROC | k-mers | AUPRC | k-mers |'
    echo '| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        function ci(i) {
            return sprintf("%.3f", $i) ($(i + 1) == "NA" ? "" : \
                sprintf(" (%.3f-%.3f)", $(i + 1), $(i + 2)))
        }
        function kmers(i) { return $i == "NA" ? "" : sprintf("%.3f", $i) }
        BEGIN {
            name["DHS"] = "DNase"; name["TF"] = "factors of DeepSEA"
            name["TF+"] = "all factors"; name["other"] = "other tracks"
            name["TSS"] = "start sites, + and -"
        }
        /^#/ || $1 == "part" || !($3 in name) { next }
        {
            set = $2 == "all" ? $2 " " $5 : "with a factor " $5
            sub(/test_chr20/, "test, chr20 alone")
            printf "| %s | %s | %s | %d | %s | %s | %s | %s |\n",
                $1 == last ? "" : $1, $1 set == before ? "" : set, name[$3],
                $4, ci(6), kmers(12), ci(9), kmers(13)
            last = $1; before = $1 set
        }
    ' "$figures/regulatory-labels.tsv"
}
# For README: the shipped model, k-mers, the CNN and the model shipped before, on the
# test part; the speed on a core, and the memory.
regulatory_short() {
    echo '| test part | `regulatory` | k-mers | CNN | shipped before |'
    echo '| --- | ---: | ---: | ---: | ---: |'
    {
        grep '^test	' "$figures/regulatory-labels.tsv" | awk -F '\t' -v OFS='\t' '
            { print "model", $2, $3, $6, $9; print "k-mers", $2, $3, $12, $13 }'
        grep '^test	' "$figures/regulatory-peer.tsv" | awk -F '\t' -v OFS='\t' '
            { print "cnn", $2, $3, $6, $7 }'
        awk -F '\t' -v OFS='\t' '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            $2 ~ /^median:/ { print "before", "factor", $4, $(at["auroc"]), $(at["auprc"]) }
            ' "$figures/chromatin-test.tsv"
    } | awk -F '\t' '
        { v[$1, $2, $3] = sprintf("%.3f / %.3f", $4, $5) }
        function row(text, bins, class) {
            printf "| %s | %s | %s | %s | %s |\n", text, v["model", bins, class],
                v["k-mers", bins, class], v["cnn", bins, class], v["before", bins, class]
        }
        END {
            row("DNase, all bins: AUROC / AUPRC", "all", "DHS")
            row("transcription factors of DeepSEA, all bins", "all", "TF")
            row("start sites of either strand, all bins", "all", "TSS")
            row("DNase, bins with a factor", "factor", "DHS")
            row("transcription factors of DeepSEA, bins with a factor", "factor", "TF")
        }'
    awk -F '\t' '
        $1 == "scan" { who = $2 ~ /^dnabird/; rate[who] = $6; peak[who] = $7 }
        END {
            printf "| kb per second on one core, both strands | %.0f |  | %.0f |  |\n",
                rate[1] / 1000, rate[0] / 1000
            printf "| memory, MiB | %d |  | %d |  |\n", peak[1], peak[0]
        }' "$figures/comparison.tsv"
}
# What `starts` finds, in short.
starts_short() {
    echo '| threshold for | start sites found | false calls per Mb reached |'
    echo '| --- | ---: | ---: |'
    awk -F '\t' '
        $1 == "starts/test" && $2 == "stranded" { v[$3, $4] = $5 }
        END {
            for (r = 1; r <= 20; r += r < 5 ? 4 : 15)
                printf "| %d false call%s per Mb | %.3f | %.1f |\n", r, r == 1 ? "" : "s",
                    v[r, "recall"], v[r, "false_per_mb"]
        }' "$figures/starts-calls.tsv"
}
# The same work by dnabird and by a peer.
comparison() {
    echo '| work | peer | dnabird, s | peer, s | times as fast | dnabird, MiB | peer, MiB | same answers |'
    echo '| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |'
    awk -F '\t' '
        /^#/ || $1 == "work" { next }
        $2 ~ /^dnabird/ { s = $5; m = $7; next }
        {
            printf "| `%s`: %d %s | %s | %.2f | %.2f | %.1f | %d | %d | %s |\n", $1, $3, $4,
                $2, s, $5, $5 / s, m, $7, $8
        }' "$figures/comparison.tsv"
}
# Metrics by length of the window, all validation bins; the baseline of k-mers first.
regulatory_context() {
    echo '| part | window, bp | DNase | factors | H3K4me3, H3K27ac | other marks | start sites |'
    echo '| --- | --- | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        /^#/ || $1 == "part" { next }
        !(($1, "k-mers") in seen) { seen[$1, "k-mers"]; of[++n] = $1; order[n] = "k-mers" }
        !(($1, $2) in seen) { seen[$1, $2]; of[++n] = $1; order[n] = $2 }
        { v[$1, $2, $3] = sprintf("%.3f / %.3f", $6, $9)
          v[$1, "k-mers", $3] = sprintf("%.3f / %.3f", $12, $13) }
        END {
            m = split("DNase,factors,active marks,other marks,TSS", class, ",")
            for (i = 1; i <= n; i++) {
                row = "| " (of[i] == of[i - 1] ? "" : of[i] == "test_chr20" ? "test, chr20" : of[i]) " | " order[i]
                for (j = 1; j <= m; j++)
                    row = row " | " v[of[i], order[i], class[j]]
                print row " |"
            }
        }' "$figures/regulatory-context.tsv"
}
# Mean probability and observed frequency, for each part.
regulatory_probabilities() {
    echo '| part | probability | predictions | mean | observed |'
    echo '| --- | --- | ---: | ---: | ---: |'
    awk -F '\t' '
        /^#/ || $1 == "part" || $1 == "test_chr20" { next }
        { printf "| %s | %s to %s | %d | %.5f | %.5f |\n", $1 == last ? "" : $1, $4, $5, $6, $7, $8; last = $1 }
    ' "$figures/regulatory-probabilities.tsv"
}

# AUROC / AUPRC of the model before, the CNN and this model, and their numbers of bins.
regulatory_peers() {
    echo '| part, bins | labels | chromatin (shipped before) | CNN | this model | bins of the CNN, of this model |'
    echo '| --- | --- | --- | --- | --- | --- |'
    {
        awk -F '\t' '/^#/ || $1 == "part" { next }
            { print "model", $1, $2, $3, $6, $9, $5 }' "$figures/regulatory-labels.tsv"
        awk -F '\t' '/^#/ || $1 == "part" { next }
            { print "cnn", $1, $2, $3, $6, $7, $5 }' "$figures/regulatory-peer.tsv"
        for part in validation test test_chr20; do
            awk -F '\t' -v part=$part '
                NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
                $2 ~ /^median:/ {
                    print "before", part, "factor", $4, $(at["auroc"]), $(at["auprc"])
                }' "$figures/chromatin-$part.tsv"
        done
    } | awk '
        {
            v[$1, $2, $3, $4] = sprintf("%.3f / %.3f", $5, $6)
            rows[$1, $2, $3, $4] = $7
        }
        function cell(who, part, bins, class) {
            return (who, part, bins, class) in v ? v[who, part, bins, class] : ""
        }
        END {
            split("validation test test_chr20", part, " ")
            split("factor all", bins, " ")
            split("DHS TF", class, " ")
            for (p = 1; p <= 3; p++)
                for (b = 1; b <= 2; b++)
                    for (c = 1; c <= 2; c++) {
                        title = part[p] == "test_chr20" ? "test, chr20 alone" : part[p]
                        if (cell("before", part[p], bins[b], class[c]) \
                            cell("cnn", part[p], bins[b], class[c]) == "")
                            continue
                        printf "| %s, %s | %s | %s | %s | %s | %s%s |\n", title,
                            bins[b] == "all" ? "all" : "with a factor",
                            class[c] == "DHS" ? "DNase" : "factors of DeepSEA",
                            cell("before", part[p], bins[b], class[c]),
                            cell("cnn", part[p], bins[b], class[c]),
                            cell("model", part[p], bins[b], class[c]),
                            (("cnn", part[p], bins[b], class[c]) in v) ? rows["cnn", part[p], bins[b], class[c]] ", " : "",
                            rows["model", part[p], bins[b], class[c]]
                    }
        }'
}
# The promoter model of yeast and a regression on k-mers: metrics of species.sh.
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
# Settings tried, on the validation chromosome.
yeast_runs() {
    echo '| run | updates | seconds | AUROC | AUPRC |'
    echo '| --- | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        /^#/ || $1 == "run" { next }
        { printf "| %s | %s | %s | %.3f | %.3f |\n", $1, $2, $3, $4, $5 }
    ' "$figures/yeast-promoters-runs.tsv"
}

# Bits per base of the pretrained human models and of Markov models.
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
    echo '| masked tokens of | model | large | left 3 | left 12 | both 3 | both 6 | both 9 | both 12 |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    echo "| all | $(bits 'all|all' $b $test $large)"
    echo "| chr20:0-5 Mb | $(bits '20|all' $b $test $large)"
    echo "| chr22 | $(bits '22|all' $b $test $large)"
    echo "| repeats, by lower case (chr22) | $(bits 'all|repeat' $b $test $large)"
    echo "| other (chr22) | $(bits 'all|nonrepeat' $b $test $large)"
    echo "| chr20:0-5 Mb, windows of 4 kb | $(bits 'all|all' $b pretraining-test-4kb.tsv '')"
    echo "| all, the length given | $(bits 'all|all' ${b}_given_length $test $large)"
}

# Bits per base by the keys of an encoder, and of a two-sided Markov model on the same
# masked bases.
pattern() {
    echo '| keys | control, 512 | 512 | 512, long | 4,096 |'
    echo '| --- | ---: | ---: | ---: | ---: |'
    rows 5 pretraining-pattern.tsv '
        m = split("window;random;window_random;bigbird;full", keys, ";")
        split("window;random;window, random;window, random, global (BigBird);" \
              "full attention", name, ";")
        sets = split("control 512 long 4096", set, " ")
        for (i = 1; i <= m; i++) {
            line = "| " name[i] " |"
            for (s = 1; s <= sets; s++) {
                k = "validation|" set[s] "|" keys[i] "|model|bits_per_base"
                line = line " " (k in v ? ci(k) : "") " |"
            }
            print line
        }
        line = "| Markov, both sides, order 9 |  |"
        for (s = 2; s <= sets; s++) {
            k = "validation|" (s == 3 ? 512 : set[s]) "|window|markov_both_9|bits_per_base"
            line = line " " (k in v ? ci(k) : "") " |"
        }
        print line'
}

# Bits of each attention minus those of the window, on the same masked bases: PART CLASS.
minus() {
    echo '| keys | 512 | 512, long | 4,096 |'
    echo '| --- | ---: | ---: | ---: |'
    awk -F '\t' -v part="$1" -v class="$2" '
        $1 == part && $4 == class {
            v[$2, $3] = sprintf("%+.3f (%+.3f to %+.3f)", $8, $9, $10)
        }
        END {
            m = split("random window_random bigbird full", keys, " ")
            split("random;window, random;BigBird;full", name, ";")
            sets = split("512 long 4096", set, " ")
            for (i = 1; i <= m; i++) {
                line = "| " name[i] " |"
                for (s = 1; s <= sets; s++)
                    line = line " " v[set[s], keys[i]] " |"
                print line
            }
        }' "$figures/pretraining-copies.tsv"
}
pattern_minus() { minus validation all; }
pattern_test() { minus test all; }

# The same by the distance of the nearest copy in the row.
copies() {
    echo '| rows | keys | no copy | 1 to 47 away | 48 to 511 | 512 and more |'
    echo '| ---: | --- | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        $1 == "validation" {
            k = $2 SUBSEP $3 SUBSEP $4
            v[k] = $3 == "window" ? sprintf("%.3f (%.3f-%.3f)", $5, $6, $7) : \
                sprintf("%+.3f (%+.3f to %+.3f)", $8, $9, $10)
            n[$2, $4] = $12
        }
        function thousands(x) {
            return x > 999 ? substr(x, 1, length(x) - 3) "," substr(x, length(x) - 2) : x ""
        }
        END {
            sets = split("512 long 4096", set, " ")
            split("512;512, long;4,096", rows, ";")
            m = split("window random window_random bigbird full", keys, " ")
            split("window: bits;random;window, random;BigBird;full", name, ";")
            c = split("none 1-47 48-511 512-4095", copy, " ")
            for (s = 1; s <= sets; s++) {
                for (i = 0; i <= m; i++) {
                    line = "| " rows[s] " | " (i ? name[i] : "masked bases") " |"
                    for (j = 1; j <= c; j++) {
                        k = set[s] SUBSEP keys[i] SUBSEP copy[j]
                        line = line " " (i ? v[k] : thousands(n[set[s], copy[j]])) " |"
                    }
                    print line
                }
            }
        }' "$figures/pretraining-copies.tsv"
}

# Bits of the validation rows while models of several attentions learn, and seconds.
pattern_training() {
    echo '| rows | updates | window | random | window, random | BigBird | full |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        function thousands(x) {
            return x > 999 ? substr(x, 1, length(x) - 3) "," substr(x, length(x) - 2) : x ""
        }
        NR > 1 {
            at[$1, $2, $3] = $4
            seconds[$1, $2] = $5
            if ($2 == "window")
                step[$1, ++n[$1]] = $3
        }
        END {
            m = split("window random window_random bigbird full", keys, " ")
            sets = split("control 512 long 4096", set, " ")
            split("control, 512;512;512, long;4,096", rows, ";")
            for (s = 1; s <= sets; s++)
                for (t = 2; t <= n[set[s]] + 2; t += 2) {
                    x = step[set[s], t]
                    line = "| " rows[s] " | " (t <= n[set[s]] ? thousands(x) : "seconds") " |"
                    for (i = 1; i <= m; i++) {
                        k = set[s] SUBSEP keys[i]
                        if (t > n[set[s]])
                            y = k in seconds ? thousands(int(seconds[k] + 0.5)) : ""
                        else
                            y = (k, x) in at ? sprintf("%.3f", at[k, x]) : ""
                        line = line " " y " |"
                    }
                    print line
                }
        }' "$figures/pretraining-pattern-training.tsv"
}

# Perplexity by sparsity, for each pattern and form of the heads.
sparsity() {
    echo '| keys | narrow: left out | perplexity | minus full, bits | middle: left out | perplexity | minus full, bits | wide: left out | perplexity | minus full, bits |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        BEGIN {
            column[8] = column[2] = column[88] = 1
            column[16] = column[6] = column[76] = 2
            column[32] = column[14] = column[52] = 3
        }
        /^#/ || $1 != "validation" || $2 != 1 { next }
        $3 == "full" { full = $8; next }
        {
            k = ($3 == "star" || $3 == "random" || $3 == "fixed" || $3 == "strided" ? toupper($3) : $3) ($4 == "-" ? "" : " " $4)
            if (!(k in seen)) name[++n] = k
            seen[k]
            v[k, column[$5]] = sprintf(" %.1f %% | %.3f | %+.3f (%+.3f to %+.3f) |", $6, $8, $11, $12, $13)
        }
        END {
            for (i = 1; i <= n; i++) print "| " name[i] " |" v[name[i], 1] v[name[i], 2] v[name[i], 3]
            printf "| full attention | 0 %% | %.3f |  | 0 %% | %.3f |  | 0 %% | %.3f |  |\n", full, full, full
        }' "$figures/sparsity.tsv"
}

# The same of several seeds, and the baselines.
sparsity_seeds() {
    echo '| keys | perplexity: seed 1 | 2 | 3 | minus full, bits: seed 1 | 2 | 3 |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        /^#/ || $1 != "validation" { next }
        $2 > seeds && $2 != "-" { seeds = $2 }
        {
            k = $3 ($4 == "-" ? "" : " " $4) ($5 == "-" ? "" : ", width " $5)
            if ($2 > 1 && $2 != "-" && !(k in several)) { name[++n] = k; several[k] }
            v[k, $2] = sprintf("%.3f (%.3f-%.3f)", $8, $9, $10)
            less[k, $2] = $3 == "full" ? "" : sprintf("%+.3f (%+.3f to %+.3f)", $11, $12, $13)
        }
        END {
            for (i = 1; i <= n; i++) {
                k = name[i]
                line = k
                sub(/^strided/, "STRIDED", line)
                sub(/^fixed/, "FIXED", line)
                sub(/^full$/, "full attention", line)
                line = "| " line " |"
                for (s = 1; s <= seeds; s++) line = line " " v[k, s] " |"
                for (s = 1; s <= seeds; s++) line = line " " less[k, s] " |"
                print line
            }
        }' "$figures/sparsity.tsv"
}

sparsity_baselines() {
    echo '| baseline | perplexity |'
    echo '| --- | ---: |'
    awk -F '\t' '
        /^#/ || $1 != "validation" || $2 != "-" || $3 == "uniform" { next }
        $3 == "frequencies" { print "| frequencies of the masked bases | " sprintf("%.3f", $8) " |"; next }
        {
            split($3, w, "_")
            printf "| Markov, %s, order %d | %.3f (%.3f-%.3f) |\n", w[2] == "left" ? "left to right" : "both sides", w[3], $8, $9, $10
        }' "$figures/sparsity.tsv"
}

# Differences of pairs of these models on the same masked bases.
sparsity_pairs() {
    echo '| keys | less those of | bits |'
    echo '| --- | --- | ---: |'
    awk -F '\t' '
        function words(k, w, n) {
            n = split(k, w, ".")
            return toupper(w[1]) (n > 2 ? " " w[2] : "") (w[1] == "random" ? ", " w[n] " %" : ", width " w[n])
        }
        $1 == "validation" {
            printf "| %s | %s | %+.4f (%+.4f to %+.4f) |\n", words($2), words($3), $4, $5, $6
        }' "$figures/sparsity-pairs.tsv"
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

# Bits per base of the yeast model and of Markov models.
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

# Promoters of twelve yeasts: bits per base of the models and of Markov models.
yeasts_bits() {
    echo '| | learned from | validation | test |'
    echo '| --- | --- | ---: | ---: |'
    awk -F '\t' '
        BEGIN { from["types"] = "twelve genomes, each with its type"; from["all"] = "twelve genomes"
                from["one"] = "SK1" }
        NR > 1 { v[$1, $2, $3] = sprintf("%.4f (%.4f-%.4f)", $4, $5, $6) }
        function line(model, who, name) {
            print "| " name " | " from[model] " | " v["valid", model, who] " | " v["test", model, who] " |"
        }
        END {
            line("types", "model", "`types`"); line("all", "model", "`all`"); line("one", "model", "`one`")
            m = split("left_3 left_6 both_3 both_6 both_9", order, " ")
            for (k = 0; k < 2; k++)
                for (i = 1; i <= m; i++) {
                    split(order[i], w, "_")
                    line(k ? "one" : "all", "markov_" order[i],
                        "Markov, " (w[1] == "left" ? "left to right" : "both sides") ", order " w[2])
                }
        }' "$figures/yeasts-bits.tsv"
}

# Measured activities of yeast promoters, and changes of single bases.
yeasts_activity() {
    echo '| | evolved: Pearson | Spearman | native: Pearson | Spearman | changes of a base: Spearman |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        FNR == 1 { file++; next }
        file == 1 { v[$1, $2, $3] = sprintf("%.3f (%.3f-%.3f)", $4, $5, $6)
                    if (!seen[$2]++) name[++n] = $2 }
        $1 == "mean" && $5 == "spearman" {
            sub(/^baseline:kmer$/, "k-mers", $4); sub(/^baseline:gc$/, "GC", $4)
            change[$4] = sprintf("%.3f (%.3f-%.3f)", $6, $7, $8)
            if ($4 ~ /llr$/) name[++n] = $4
        }
        END {
            word["k-mers"] = "linear regression on k-mers"
            word["positions"] = "linear regression on the bases at positions"
            word["GC"] = "G+C"
            for (i = 1; i <= n; i++) {
                split(name[i], w, ".")
                t = name[i] in word ? word[name[i]] : w[2] == "llr" ? "log-likelihood ratio of `" w[1] "`" : \
                    (w[2] == "start" ? "random weights" : "`" w[2] "`") \
                    (w[1] == "probe" ? ", linear probe" : ", tuned")
                line = "| " t " |"
                for (k = 1; k <= 4; k++)
                    line = line " " v[k < 3 ? "evolved" : "native", name[i], k % 2 ? "pearson" : "spearman"] " |"
                print line " " change[name[i]] " |"
            }
        }' "$figures/yeasts-activity.tsv" "$figures/yeasts-changes.tsv"
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

# Scores of alleles and measured effects, single bases or indels (CLASS): the
# best of each setting on the part that chooses, then the baselines.
mpra() { # CLASS
    echo '| score | elements | chosen by | Spearman: choosing | reporting | minus the best baseline | sizes | AUROC: choosing | reporting | average precision |'
    echo '| --- | --- | --- | ---: | --- | --- | --- | ---: | --- | --- |'
    awk -F '\t' -v class="$1" '
        /^#/ || $3 != "mean" || $5 != class || $13 == "." { next }
        {
            if (sub(/-baseline:.*/, "", $6)) $7 = "less_" $7
            k = $2 "|" $6
            if (!(k in seen)) { seen[k] = 1; order[++n] = k; by[k] = $13 }
            v[k "|" $1 "|" $7] = $8
            lo[k "|" $1 "|" $7] = $9
            hi[k "|" $1 "|" $7] = $10
        }
        function num(k) {
            return !(k in v) ? "" : v[k] == "NA" ? "NA" : sprintf("%.3f", v[k])
        }
        function ci(k) {
            return num(k) (!(k in v) || v[k] == "NA" ? "" : sprintf(" (%.3f to %.3f)", lo[k], hi[k]))
        }
        function line(k, what, x, chosen) {
            split(k, x, "|")
            what = substr(k, length(x[1]) + 2)
            gsub(/\|/, "\\|", what)
            chosen = by[k] == "baseline" ? "" : by[k]
            gsub(/!/, " (best)", chosen)
            sub(/,/, ", ", chosen)
            print "| " what " | " (by[k] == "baseline" ? "" : x[1]) " | " chosen " | " \
                num(k "|choose|spearman") " | " ci(k "|report|spearman") " | " \
                ci(k "|report|less_spearman") " | " ci(k "|report|spearman_abs") " | " num(k "|choose|auroc") " | " \
                ci(k "|report|auroc") " | " ci(k "|report|auprc") " |"
        }
        END {
            for (i = 1; i <= n; i++)
                if (by[order[i]] != "baseline") line(order[i])
            for (i = 1; i <= n; i++) # the same for every setting
                if (by[order[i]] == "baseline" && order[i] ~ /^own/) line(order[i])
        }' "$figures/variants-mpra.tsv"
}
mpra_snv() { mpra snv; }
mpra_indel() { mpra indel; }

# Alleles with measured effects: the model of measured activity and the baselines.
activity_alleles() {
    echo '| set | alleles | score | Spearman | of sizes | AUROC |'
    echo '| --- | --- | --- | --- | --- | --- |'
    awk -F '\t' '
        /^#/ || $1 == "part" || $3 == "element" || $3 == "group" || $6 ~ /.-/ { next }
        $6 ~ /:(gc|cpg)$/ { next } # in the file alone
        $6 ~ /:middle$/ && $2 !~ /elements|tewhey|mattioli/ { next } # that of a chromosome
        {
            k = $1 "|" $2 "|" $5
            if (!((k, $6) in seen)) {
                seen[k, $6] = 1; key[++m] = k; score[m] = $6
            }
            cell[k, $6, $7] = $8 == "NA" ? "" : sprintf($9 == "NA" ? "%.3f" : "%.3f (%.3f to %.3f)", $8, $9, $10)
            if ($3 == "mean") n[k] = $11 " elements"
            else if (!(k in n) || $7 == "auroc") n[k] = $11 ($12 == "NA" ? "" : ", " $12 " positive")
        }
        END {
            for (i = 1; i <= m; i++) {
                k = key[i]; split(k, part, "|")
                if (cell[k, score[i], "spearman"] == "") continue
                if (part[2] == "clinvar") # its effects are 0 and 1
                    cell[k, score[i], "spearman"] = cell[k, score[i], "spearman_abs"] = ""
                print "| " part[1] ": " part[2] ", " part[3] " | " n[k] " | " score[i] " | " \
                    cell[k, score[i], "spearman"] " | " cell[k, score[i], "spearman_abs"] " | " \
                    cell[k, score[i], "auroc"] " |"
            }
        }' "$figures/activity-variants.tsv"
}

# The elements of saturation mutagenesis one by one.
activity_elements() {
    echo '| element | part | alleles | positives | Spearman | of sizes | AUROC |'
    echo '| --- | --- | ---: | ---: | --- | --- | --- |'
    awk -F '\t' '
        $3 == "element" && $5 == "snv" && $6 == "effect" {
            k = $1 "|" $4
            if (!(k in n)) { key[++m] = k; n[k] = $11 }
            v[k, $7] = $8 == "NA" ? "" : sprintf("%.3f (%.3f to %.3f)", $8, $9, $10)
            if ($7 == "auroc") pos[k] = $12
        }
        END {
            for (i = 1; i <= m; i++) {
                k = key[i]; split(k, a, "|")
                print "| " a[2] " | " a[1] " | " n[k] " | " pos[k] " | " v[k, "spearman"] " | " \
                    v[k, "spearman_abs"] " | " v[k, "auroc"] " |"
            }
        }' "$figures/activity-variants.tsv"
}

# Common variants: share with e <= .05, and z.
activity_e() {
    echo '| model, label | values | e <= .05 | SNPs | insertions and deletions | z, root of the mean square |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        $1 == "e" || $1 == "z" {
            k = $2 ", " $3
            if (!(k in seen)) { seen[k] = 1; key[++m] = k }
            v[k, $1, $4] = sprintf("%.3f", $6)
            if ($4 == "all") n[k] = $5
        }
        END {
            for (i = 1; i <= m; i++) {
                k = key[i]
                print "| " k " | " n[k] " | " v[k, "e", "all"] " | " v[k, "e", "snv"] " | " \
                    v[k, "e", "indel"] " | " v[k, "z", "all"] " |"
            }
        }' "$figures/activity-checks.tsv"
}

# Windows that begin elsewhere: Spearman of the scores of both runs.
activity_windows() {
    echo '| starts of windows, and others | SNPs | insertions and deletions |'
    echo '| --- | ---: | ---: |'
    awk -F '\t' '
        $1 == "windows" {
            if (!($3 in seen)) { seen[$3] = 1; key[++m] = $3 }
            v[$3, $4] = sprintf("%.3f", $6)
        }
        END { for (i = 1; i <= m; i++)
            print "| " key[i] " | " v[key[i], "snv"] " | " v[key[i], "indel"] " |" }
    ' "$figures/activity-checks.tsv"
}

# For each element, the best score by Spearman, and nearness to the middle.
mpra_elements() {
    echo '| element | part | alleles | positives | Spearman | middle | AUROC | middle |'
    echo '| --- | --- | ---: | ---: | --- | ---: | --- | ---: |'
    awk -F '\t' '
        /^#/ || $5 != "snv" || ($3 != "element" && $3 != "group") { next }
        $13 ~ /spearman!/ {
            k = $1 "|" $3 "|" $4 "|" $7
            v[k] = $8
            ci[k] = sprintf($9 == "NA" ? "%.3f" : "%.3f (%.3f to %.3f)", $8, $9, $10)
            if ($7 == "auroc") pos[k] = $12
            if ($3 == "element" && !(($1 "|" $4) in seen)) {
                seen[$1 "|" $4] = 1; part[++n] = $1; name[n] = $4; count[n] = $11
            }
        }
        $6 == "baseline:middle" { mid[$1 "|" $3 "|" $4 "|" $7] = $8 }
        END {
            for (i = 1; i <= n; i++) {
                k = part[i] "|element|" name[i] "|"
                print "| " name[i] " | " part[i] " | " count[i] " | " pos[k "auroc"] " | " \
                    ci[k "spearman"] " | " sprintf("%.3f", mid[k "spearman"]) " | " \
                    ci[k "auroc"] " | " sprintf("%.3f", mid[k "auroc"]) " |"
            }
        }' "$figures/variants-mpra.tsv"
}

# Rank correlation of windows one or two bases apart, without and with the noise bar.
noise_bar() {
    echo '| model | alleles | number | one window | one window, tokens both ways | starts 0,7,14 | the default | the default, moved by 2 bp |'
    echo '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        /^#/ || $1 == "model" { next }
        { k = $1 FS $2; n[k] = $5; v[k, $3 $4] = $6 " (" $7 ")" }
        !(k in seen) { seen[k] = 1; at[++m] = k }
        END {
            for (i = 1; i <= m; i++) {
                split(at[i], p, FS)
                print "| " p[1] " | " (p[2] == "snv" ? "single bases" : "insertions, deletions") \
                    " | " n[at[i]] " | " v[at[i], "free1"] " | " v[at[i], "both1"] \
                    " | " v[at[i], "list1"] " | " v[at[i], "bar1"] " | " v[at[i], "bar2"] " |"
            }
        }' "$figures/variants-noise-bar.tsv"
}

# Calibrated probabilities and observed shares: FILE WHAT; WHAT names the counted rows.
calibration() {
    echo "| probability | validation: $2 | mean | observed | test: $2 | mean | observed |"
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
# Failing calls: sums of faults.tsv by call.
faults_by_call() {
    echo "| call | faults | refused | same bytes | only a notice lost | a library ended it | gave up when interrupted | other findings |"
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        function row(name, k) {
            return "| " name " | " n[k] " | " refused[k] " | " same[k] " | " silent[k] " | " \
                library[k] " | " gave_up[k] " | " other[k] " |"
        }
        function add(k) {
            n[k] += $3; refused[k] += $4; same[k] += $5; silent[k] += $6
            library[k] += $7 + $8; gave_up[k] += $14
            other[k] += $9 + $10 + $11 + $12 + $13 + $15 + $16
        }
        /^#/ || $1 == "command" { next }
        {
            if (!($2 in n)) order[++m] = $2
            add($2)
            add("all of them")
        }
        END {
            for (i = 1; i <= m; i++) print row("`" order[i] "`", order[i])
            print row("all", "all of them")
        }' "$figures/faults.tsv"
}
# Runs that were stopped: kills.tsv by command.
kills() {
    echo '| command | kills | went on to the end | temporary files seen | findings | other signals | went on to the end | findings |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |'
    awk -F '\t' '
        function add(k, s) {
            n[k, s] += $3; same[k, s] += $5; left[k, s] += $6
            bad[k, s] += $7 + $8 + $9 + $10
        }
        function row(name, k) {
            return "| " name " | " n[k, 1] + 0 " | " same[k, 1] + 0 " | " left[k, 1] + 0 " | " \
                bad[k, 1] + 0 " | " n[k, 0] + 0 " | " same[k, 0] + 0 " | " bad[k, 0] + 0 " |"
        }
        /^#/ || $1 == "command" { next }
        {
            if (!($1 in seen)) { seen[$1] = 1; order[++m] = $1 }
            add($1, $2 == "KILL")
            add("all of them", $2 == "KILL")
        }
        END {
            for (i = 1; i <= m; i++) print row("`" order[i] "`", order[i])
            print row("all", "all of them")
        }' "$figures/kills.tsv"
}
# Runs at once: together.tsv.
together() {
    echo '| case | repeats | well | refused | findings |'
    echo '| --- | ---: | ---: | ---: | ---: |'
    awk -F '\t' '!/^#/ && $1 != "case" {
        gsub("_", " ", $1)
        print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " |"
    }' "$figures/together.tsv"
}
# whole FILE [CONDITION]: a TSV as it stands, or the rows of a condition of awk.
whole() {
    awk -F '\t' '
        function row(head,   i, s) {
            for (i = 1; i <= NF; i++) {
                if (head) gsub("_", " ", $i)
                s = s "| " $i " "
            }
            print s "|"
        }
        /^#/ { next }
        !head { head = NF; row(1); s = "| ---"
                for (i = 2; i <= NF; i++) s = s " | ---:"
                print s " |"; next }
        '"${2:-1}"' { row(0) }' "$figures/$1"
}
fuzz_targets() { whole fuzz.tsv; }
damaged_models() { whole models.tsv; }
limits() { whole limits.tsv; }
random_cases() { whole numbers.tsv | sed 's/ | OpenBLAS[^|]* \([A-Za-z]*\) MAX[^|]*|$/ | \1 |/'; }
coverage() { whole coverage.tsv '$1 !~ /[.]c$/'; }
mutants() { whole mutants.tsv '$1 == "all" || $1 == "area"'; }
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
