# The score `combined`: ranks of a classifier and of a masked-language model in
# their own backgrounds. combined_data.sh makes both.

0: combined scores are the mean of 1 - e of three runs, for every feature
    . $T/cli/combined_data.sh
    v -F a,b --scores e,combined --zero-shot p x.vcf >both
    v -F a,b --scores e x.vcf >labels
    v -m p --scores e,distance_e x.vcf >masked
    for f in a b; do
        paste <(column $f/e labels) <(column e masked) <(column distance_e masked) \
            <(column $f/combined both) <(column $f/e both)
    done |
        awk '{
                d = (3 - $1 - $2 - $3) / 3 - $4
                if (d > 2e-6 || d < -2e-6 || $5 != $1) bad++
                if ($4 > 0 && $4 < 1) n++
            }
            END { print n, "alleles,", bad + 0, "bad" }'
    | out ~ 134 alleles, 0 bad
0: max_combined is the combined score of max_feature
    . $T/cli/combined_data.sh
    v --zero-shot p x.vcf >o
    v -F a,b --scores combined --zero-shot p x.vcf >f
    paste <(column max_feature o) <(column max_combined o) <(column a/combined f) \
        <(column b/combined f) |
        awk '{ if ($2 != ($1 == "a" ? $3 : $4)) bad++; n++ } END { print (n > 20), bad + 0 }'
    | out ~ 1 0
0: a VCF declares the combined fields and both models
    . $T/cli/combined_data.sh
    dnabird variant -q -m m -f r.fa --zero-shot p -F a x.vcf >o
    for t in 'BIRD_COMBINED_a=.*BIRD_MAX_COMBINED=' '^##dnabird_model=.*; zero-shot: p ' \
        '^##dnabird_background=.*; zero-shot: ' 'ID=BIRD_MAX_COMBINED,Number=A,Type=Float'; do
        grep -q "$t" o || echo none of "$t"
    done
    | out empty

# threads, regions and shards give the same bytes; exchanging REF and ALT gives
# the same score
0 | . $T/cli/combined_data.sh; v -t 1 --zero-shot p x.vcf >one; v -t 2 --zero-shot p x.vcf >two; v -r B --zero-shot p x.vcf | tail -n +2 >three; grep ^B one | cmp - three; echo $? | out ~ 0
    | same one two

0 long: a stopped run resumes to the same bytes
    . $T/cli/combined_data.sh
    . $T/support/wait.sh
    alleles 1 >x.vcf
    v -t 1 --zero-shot p x.vcf -o once
    f() {
        exec dnabird variant -q -m m -t 1 -f r.fa -O tsv --no-version --zero-shot p --resume \
            -o o x.vcf
    }
    f &
    wait_for_mark $! o
    kill -TERM $!
    wait $!
    (f)
    | same o once
1 long: --resume refuses another second model
    . $T/cli/combined_data.sh
    . $T/support/wait.sh
    alleles 1 >x.vcf
    f() {
        exec dnabird variant -q -m m -t 1 -f r.fa -O tsv --no-version --zero-shot $1 --resume \
            -o o x.vcf
    }
    f p &
    wait_for_mark $! o
    kill -KILL $!
    wait $! 2>/dev/null
    cp -r p q
    dnabird variant background -q -m q -f r.fa -n 61 --others 20 --seed 4
    f q
    | err ~ comes from a run with another zero-shot background

# refused options
1 | . $T/cli/combined_data.sh; v --scores combined x.vcf -o o | err ~ --scores: combined needs a masked-language model, too: give `dnabird variant` one with --zero-shot
    | err lines 1
    | none o*
1 | . $T/cli/combined_data.sh; v --zero-shot m x.vcf -o o | err ~ --zero-shot: m is not
    | err lines 1
1 | . $T/cli/combined_data.sh; rm p/calibration.safetensors; v --zero-shot p x.vcf -o o | err ~ --zero-shot: p has no background that fits: make one with `dnabird variant background -m p`
1 | . $T/cli/combined_data.sh; rm m/calibration.safetensors; v --zero-shot p x.vcf -o o | err ~ --zero-shot: m has no background that fits
1 | . $T/cli/combined_data.sh; v -m p --zero-shot p x.vcf -o o | err ~ --zero-shot: p is a masked-language model itself: give a model of labels with -m
1 | . $T/cli/combined_data.sh; v --zero-shot nowhere x.vcf -o o | err ~ nowhere

0 long: --table gives the same combined scores
    . $T/cli/combined_data.sh
    printf 'A\t50\t400\nB\t300\t500\n' >r.bed
    dnabird mutate -q -m m -f r.fa -R r.bed -F '*' -o t.tsv.gz -W
    v --zero-shot p x.vcf >a
    dnabird variant -m m -f r.fa -O tsv --no-version --zero-shot p --table t.tsv.gz x.vcf >b
    cut -f 11 b | sort -u | wc -l | awk '{ print ($1 > 20) }'
    | out ~ 1
    | same a b
    | err ~ from the table

0: a model of measured values has the combined score, too
    . $T/cli/combined_data.sh
    V="dnabird variant -q -f r.fa --zero-shot p -O tsv --no-version x.vcf"
    $V -F HepG2 --scores e,combined >a
    $V >b
    awk -F '\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
        FILENAME == "a" && $at["a", "HepG2/combined"] != "." { n++; e = $at["a", "HepG2/e"]
            bad += $at["a", "HepG2/combined"] < (1 - e) / 3 - 1e-5 }
        FILENAME == "b" { m += $at["b", "max_combined"] != "." }
        END { print bad + 0, (n > 0), (m > 0) }' a b
    | out ~ 0 1 1
