# Measured values: tables with numbers and NA, learned by squared error.

# 200 rows of 60 bp; `gc` is the share of G and C in %, `half` half of it, known
# in every second row.
0 long: both values are learned; the folder keeps their means and standard deviations
    . $T/cli/values_data.sh
    dnabird "${learning[@]}" -o run
    echo "learned $(tail -n +2 run/validation.tsv | awk '$3 > 0.8 && $4 > 0.8' | wc -l)"
    echo "deviations $(grep -A 2 '"mean"' run/dnabird.json | grep -c '"sd"')"
    | out ~ learned 2
    | out ~ deviations 2
    | err ~ Pearson
    | has run/model.safetensors
# a run that was stopped and resumed ends with the same bytes
0 long | . $T/cli/values_data.sh; learning+=(--steps 40); (learn a); stop_and_resume | same a/model.safetensors b/model.safetensors

1 | . $T/cli/values_data.sh; refused v ACGT,1.5 ACGG,high | err ~ x.csv: line 3, column 'v': a value is a number or NA
    | none run
1 | . $T/cli/values_data.sh; refused v ACGT,inf | err ~ line 2, column 'v'
    | none run
1 | . $T/cli/values_data.sh; refused v ACGT,2 ACGA,2 ACCC,NA | err ~ all known values of 'v' are equal
    | none run
1 | . $T/cli/values_data.sh; refused w ACGT,2 ACGA,3 | err ~ there is no column 'w'
    | none run
1 | . $T/cli/values_data.sh; dnabird "${learning[@]}" --select mcc -o run | err ~ --select: these rows have Pearson, Spearman and loss
    | none run

# evaluate: correlations in the unit of the values, beside the G+C share, which
# is the value itself here; predictions within 15 % G+C of each of 200 rows
0 long: correlations, errors and predictions in the values' unit
    . $T/cli/values_data.sh
    learned --predictions p.tsv >m.tsv
    awk '$1 == "all/model:gc" && $2 == "pearson" { print "model", ($3 > 0.99), ($4 > 0.99), ($5 <= 1) }
        $1 == "all/model:gc" && $2 == "mse" { print "mse", ($3 < 10) }
        $1 == "all/GC:half" && /pearson|rows/ { print $2, ($2 == "rows" ? $3 : $3 > 0.999), "of GC" }' m.tsv
    head -n 1 p.tsv
    echo "near $(awk '$2 == "gc" && ($3 - $4) ^ 2 < 225' p.tsv | wc -l) rows"
    echo "spearman $(dnabird evaluate -m run --test values.tsv -O json | grep -c spearman) times"
    | out ~ model 1 1 1
    | out ~ mse 1
    | out ~ rows 100 of GC
    | out ~ pearson 1 of GC
    | out ~ name	column	value	prediction
    | out ~ near 200 rows
    | out ~ spearman 4 times
0: a prediction that is the same for all rows has no correlation
    . $T/cli/values_data.sh
    awk -F '\t' -v OFS='\t' 'NR == 2 { s = $2 } NR > 1 { $2 = s } NR < 25' values.tsv >same.tsv
    dnabird finetune -q -t 1 --train values.tsv --values gc,half --preset tiny \
        --tokenizer base.json --head mean --steps 2 -o run
    dnabird evaluate -q -m run --test same.tsv --bootstrap 20 |
        awk '$2 == "pearson" || $2 == "spearman" { print $3, $4, $5 }' | sort | uniq -c
    | out ~ 16 NA NA NA
    | out lines 1
0: the linear regression on k-mers answers in the values' unit, the folder's and one fitted again
    . $T/cli/values_data.sh
    dnabird finetune -q -t 1 --train values.tsv --values gc,half --preset tiny \
        --tokenizer base.json --head mean --steps 2 -o run
    for o in '' '--baseline-train values.tsv --keep-baselines'; do
        dnabird evaluate -q -m run --test values.tsv --bootstrap 0 $o |
            awk -F '[:\t]' '$1 == "all/k-mers" && $3 != "spearman" {
                print $2, $3, $3 == "rows" ? $4 : $3 == "mse" ? ($4 < 9) : ($4 > .99) }'
    done | sort | uniq -c
    | out lines 6
    | out ~ 2 gc rows 200
    | out ~ 2 gc mse 1
    | out ~ 2 gc pearson 1
    | out ~ 2 half rows 100
    | out ~ 2 half mse 1
    | out ~ 2 half pearson 1
# from eight values on all are fitted together, in one matrix product
0: nine values have the regressions of one
    . $T/cli/values_data.sh
    awk -F '\t' -v OFS='\t' '{ print $1, $2
            for (k = 1; k <= 9; k++) print NR == 1 ? "v" k : k * 10 * $3 - 1000 * k }' values.tsv |
        paste - - - - - - - - - - >many.tsv
    dnabird finetune -q -t 1 --train many.tsv --values $(seq -s , -f v%.0f 9) --preset tiny \
        --tokenizer base.json --head mean --steps 1 -o run
    dnabird evaluate -q -m run --test many.tsv --bootstrap 0 |
        awk -F '[:\tv]' '$1 == "all/k-mers" && $4 == "mse" { print ($5 < 100 * $3 * $3) }' | uniq -c
    | out lines 1
    | out ~ 9 1
# --freeze: the head learns, the encoder stays: the outputs of its layers are the same bytes
0 long: a probe leaves the encoder as it is
    . $T/cli/values_data.sh
    trained
    probe() { dnabird finetune -q -t 1 --train values.tsv --values half --init run --freeze \
        --head mean --steps 20 --no-baselines "$@"; }
    probe -o probe || exit 9
    probe -o other --lr .1 || exit 8
    awk 'NR > 1 { print ">" $1 "\n" $2 }' values.tsv >s.fa
    for m in run probe other; do dnabird embed -q -m $m --mean -o $m.npy s.fa; done
    probe -o probe --force --optimizer muon
    dnabird finetune -q --train values.tsv --values half --preset tiny --tokenizer base.json \
        --freeze --steps 1 -o x
    dnabird finetune -q -t 1 --train values.tsv --values half --init run --head mean \
        --steps 20 --no-baselines -o free
    dnabird embed -q -m free --mean -o free.npy s.fa
    | same run.npy probe.npy
    | same run.npy other.npy
    | differ run.npy free.npy
    | differ probe/model.safetensors other/model.safetensors
    | err ~ --freeze learns a head on the encoder of --init, and not with Muon
    | err lines 2
1: values of a file that is no table are refused
    printf '>a\nACGT\n' >a.fa
    dnabird finetune --train a.fa --values v --preset tiny --steps 1 -o x \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json
    | err ~ a.fa: measured values are columns of CSV or TSV
    | none x
1 long: a model of values has no page, and answers no question about classes
    . $T/cli/values_data.sh
    trained --values gc
    echo "$(dnabird evaluate -m run --test values.tsv | grep -c model:gc) metrics" # no second class
    dnabird evaluate -m run --test values.tsv --html x.html
    printf '>a\nACGT\n' >a.fa
    dnabird promoter -m run a.fa
    | out ~ 4 metrics
    | err ~ run: a model of measured values is evaluated without
    | err ~ predicts measured values
    | none x.html

# --loss gaussian: a second answer, the standard deviation, in the same unit. The noise of
# noisy.tsv has a standard deviation of 2 where G+C is below half, else 12.
0 long: the predicted standard deviation follows the noise
    . $T/cli/values_data.sh
    noisy
    dnabird tokenizer kmer -q -k 3 -s 3 -o three.json
    dnabird "${learning[@]}" -q --train noisy.tsv --values v --loss gaussian --tokenizer three.json \
        --steps 400 --batch 32 --lr 2e-3 -o run
    dnabird evaluate -q -m run --test noisy.tsv --name-column name --predictions p.tsv >m.tsv
    head -n 1 p.tsv
    awk 'NR > 1 { k = /^low/; n[k]++; sd[k] += $5 }
        END { print "low", (sd[1] / n[1] > 1 && sd[1] / n[1] < 4); print "high", (sd[0] / n[0] > 8 && sd[0] / n[0] < 16) }' p.tsv
    awk '$1 == "all/model:v" { m[$2] = $3 }
        END { print "within", (m["within_sd"] > .55 && m["within_sd"] < .8), "z2", (m["mean_z2"] > .7 && m["mean_z2"] < 1.4), "nll", (m["nll"] < 4) }' m.tsv
    grep -c 'GC:v.*nll' m.tsv || true
    | out ~ name	column	value	prediction	prediction_sd
    | out ~ low 1
    | out ~ high 1
    | out ~ within 1 z2 1 nll 1
    | out ~ 0
0 long: metrics of the standard deviation are those of the predictions
    . $T/cli/values_data.sh
    noisy
    dnabird "${learning[@]}" -q --train noisy.tsv --values v --loss gaussian -o run
    dnabird evaluate -q -m run --test noisy.tsv --bootstrap 0 --predictions p.tsv >m.tsv
    awk 'NR > 1 { z = ($3 - $4) / $5; n++; w += z * z <= 1; s += z * z; l += z * z / 2 + log($5) + log(2 * 3.14159265358979) / 2 }
        END { printf "within_sd\t%.4f\nmean_z2\t%.4f\nnll\t%.4f\n", w / n, s / n, l / n }' p.tsv >want
    awk -F '\t' '$1 == "all/model:v" && /within_sd|mean_z2|nll/ { printf "%s\t%.4f\n", $2, $3 }' m.tsv | diff - want && echo same
    | out ~ same
0: the folder says what its answers are, validation.tsv has their metrics
    . $T/cli/values_data.sh
    dnabird "${learning[@]}" -q --loss gaussian --select loss -o run
    grep -A 5 '"labels"' run/dnabird.json | tr -d ' \n'; echo
    grep -e '"output"' -e format_version run/dnabird.json | tr -d ' \n'; echo
    head -n 1 run/validation.tsv
    dnabird export -q --compress run copy
    for f in run copy; do dnabird evaluate -q -m $f --test values.tsv --predictions $f.tsv -o m.tsv; done
    cmp run.tsv copy.tsv && echo copied
    | out ~ "gc","half","gc.sd","half.sd"
    | out ~ "format_version":3,"output":"gaussian"
    | out ~ value	rows	pearson	spearman	mse	within_sd	mean_z2	nll
    | out ~ copied
0 long | . $T/cli/values_data.sh; learning+=(--loss gaussian --steps 40); (learn a); stop_and_resume | same a/model.safetensors b/model.safetensors
1: --loss gaussian is for measured values
    . $T/cli/values_data.sh
    printf '%s\n' sequence,label ACGT,1 ACGA,0 >x.csv
    dnabird finetune --train x.csv --valid x.csv --loss gaussian --preset tiny --tokenizer base.json -o run
    | err ~ name their columns with --values
    | none run
0 long: variant scores the mean, and the standard deviation where it is asked for
    . $T/cli/values_data.sh
    dnabird "${learning[@]}" -q --values gc --loss gaussian --window 60 -o run
    (echo '>c'; for i in 1 2 3 4 5 6; do echo ACGTTGCAAT; done) >r.fa
    printf '##fileformat=VCFv4.2\n##contig=<ID=c>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nc\t31\t.\tA\tG\t.\t.\t.\n' >v.vcf
    score() { dnabird variant -q -m run -f r.fa --shifts 0 --strand + -O tsv --no-version "$@" v.vcf; }
    score | head -n 1 | tr '\t' '\n' | grep -c '/'
    score | head -n 1 | grep -c 'gc\.sd'
    score --scores p_alt -F gc.sd,gc >s.tsv
    (echo sequence,gc; grep -v '>' r.fa | tr -d '\n' | sed 's/./G/31'; echo ,50) >alt.csv
    dnabird evaluate -q -m run --test alt.csv --bootstrap 0 --predictions p.tsv >m.tsv
    awk -F '\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        FNR == NR { mean = $at["gc/p_alt"]; sd = $at["gc.sd/p_alt"]; next }
        { print "mean", (mean / $4 - 1) ^ 2 < 1e-9, "sd", (sd / $5 - 1) ^ 2 < 1e-9 }' s.tsv p.tsv
    | out ~ mean 1 sd 1

# Weights: every second row of wrong.tsv has 100 - gc as its value, and counts a ten-thousandth.
0 long: rows count what their weights or standard errors say
    . $T/cli/values_data.sh
    wrong
    for o in --no-baselines '--weight-column n' '--error-column e'; do
        dnabird "${learning[@]}" -q --train wrong.tsv --valid values.tsv --values gc $o -o run
        awk 'NR == 2 { print ($3 > .9 && $5 < 100) }' run/validation.tsv
        rm -r run
    done | tr -d '\n'
    | out ~ 011
0 long: all weights equal are no weights
    . $T/cli/values_data.sh
    awk -F '\t' -v OFS='\t' '{ print $0, NR == 1 ? "n" : 7 }' values.tsv >x.tsv
    trained
    dnabird "${learning[@]}" -q --train x.tsv --weight-column n -o b
    cmp run/model.safetensors b/model.safetensors && echo same
    | out ~ same
1 | . $T/cli/values_data.sh; refused v ACGT,1.5 ACGG,2 --weight-column v2 | err ~ there is no column 'v2'
    | none run
1 | . $T/cli/values_data.sh; refused v ACGT,1.5 ACGG,0 --weight-column v | err ~ x.csv: line 3, column 'v': a weight is a number above 0
    | none run
1 | . $T/cli/values_data.sh; refused v ACGT,1.5 ACGG,NA --error-column v | err ~ x.csv: line 3, column 'v': a standard error is
    | none run
1 | . $T/cli/values_data.sh; refused v ACGT,1.5 ACGG,2 --error-column v --weight-column v | err ~ --weight-column and --error-column exclude each
    | none run
1: weights are for measured values
    . $T/cli/values_data.sh
    printf '%s\n' sequence,label,n ACGT,1,1 ACGA,0,1 >x.csv
    dnabird finetune --train x.csv --valid x.csv --weight-column n --preset tiny --tokenizer base.json -o run
    | err ~ x.csv: weights of rows are for measured values
    | none run

# The ceiling: gc is the mean of a and b, half of c and d.
0 long: correlations of replicates and the ceiling stand beside the model
    . $T/cli/values_data.sh
    replicates
    trained
    dnabird evaluate -q -m run --test copies.tsv --replicates 'a,b;c,d' >m.tsv
    awk -F '\t' '$2 == "pearson" || $2 == "spearman" { r[$1, $2] = $3; wide[$1, $2] = $5 - $4 }
        END { for (i = 1; i <= 4; i++) {
            m = i % 2 ? "pearson" : "spearman"; v = i < 3 ? "gc" : "half"
            x = r["all/replicate:" v, m]; c = sqrt(2 * x / (1 + x)) - r["all/ceiling:" v, m]
            print "ceiling", (c * c < 1e-9), (wide["all/ceiling:" v, m] > 0), (x < 1) } }' m.tsv
    awk -F '\t' '/ceiling:(gc|half)\trows/ { print $3 }' m.tsv | tr '\n' ' '
    | out lines 4
    | out !~ ceiling 0
    | out ~ 200 100
    | out ~ ceiling 1 1 1
0 | . $T/cli/values_data.sh; learned --replicate-correlation .5:2,.81 | grep -E 'ceiling.*(pearson|rows)' | tr '\t' ' ' | out ~ all/ceiling:gc pearson 0.816497 NA NA
    | out ~ all/ceiling:half pearson 0.9 NA NA
    | out ~ all/ceiling:half rows 100
0 | . $T/cli/values_data.sh; learned --replicate-correlation .25 -O json | grep -A 6 ceiling | grep -c '"value": 0.5' | out ~ 1
1 | . $T/cli/values_data.sh; learned --replicates gc,half | err ~ --replicates is not as many groups as the model has values, 2
1 | . $T/cli/values_data.sh; learned --replicates 'gc;half' | err ~ two columns or more
1 | . $T/cli/values_data.sh; learned --replicates 'gc,no;half,gc' | err ~ no column 'no'
1 | . $T/cli/values_data.sh; learned --replicate-correlation 1.5 | err ~ R above 0 and up to 1
1 | . $T/cli/values_data.sh; learned --replicate-correlation .5:2,.5,.5 | err ~ not as many groups
1 | . $T/cli/values_data.sh; learned --replicate-correlation .5 --replicates 'gc,half;gc,half' | err ~ not both

# variant: the difference of the values, exactly that of their predictions
0 long: variant scores alleles in the unit of the values
    . $T/cli/values_data.sh
    trained --window 60
    (echo '>c'; for i in 1 2 3 4 5 6; do echo ACGTTGCAAT; done) >r.fa
    printf '##fileformat=VCFv4.2\n##contig=<ID=c>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >v.vcf
    printf 'c\t31\t.\tA\tG\t.\t.\t.\nc\t31\t.\tA\tT\t.\t.\t.\n' >>v.vcf
    dnabird variant -q -m run -f r.fa --shifts 0 --strand + --scores p_ref,p_alt,diff \
        -F gc -O tsv --no-version v.vcf >s.tsv
    cut -f 5,11- s.tsv
    awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { d = $at["gc/p_alt"] - $at["gc/p_ref"] - $at["gc/diff"]
          if (d < 1e-4 && d > -1e-4) n++
          if ($5 == "G") print "rises", ($at["gc/diff"] > 0.5) }
        END { print "equal", n }' s.tsv
    | out ~ rises 1
    | out ~ equal 2
1: variant has no logit of a measured value
    . $T/cli/values_data.sh
    trained --window 60
    (echo '>c'; for i in 1 2 3 4 5 6; do echo ACGTTGCAAT; done) >r.fa
    printf '##fileformat=VCFv4.2\n##contig=<ID=c>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nc\t31\t.\tA\tG\t.\t.\t.\n' >v.vcf
    dnabird variant -q -m run -f r.fa --scores logit v.vcf -o o.vcf
    | err ~ logit is a score of models of labels
    | none o.vcf
1: attribute is for probabilities
    . $T/cli/values_data.sh
    trained --window 60
    (echo '>c'; for i in 1 2 3 4 5 6; do echo ACGTTGCAAT; done) >r.fa
    dnabird attribute -m run -f r.fa -F gc -r c:1-60 -o a.tsv
    | err ~ predicts measured values
    | none a.tsv

0 long: rows with some of the values, in any order, are evaluated on them
    . $T/cli/values_data.sh
    trained --loss gaussian
    for v in gc,half half half,gc; do
        dnabird evaluate -q -m run --test values.tsv --values $v --bootstrap 0 \
            --predictions $v.tsv -o $v.out
    done
    head -1 half.tsv
    grep half gc,half.tsv >want
    grep half half.tsv >some
    grep half half,gc.tsv >turned
    grep 'model:gc' gc,half.out >want.out
    grep 'model:gc' half,gc.out >turned.out
    cmp want.out turned.out
    cmp want turned
    | out ~ name	column	value	prediction	prediction_sd
    | same want some
1 | . $T/cli/values_data.sh; trained; replicates; dnabird evaluate -m run --test copies.tsv --values a | err ~ copies.tsv: the model has no value 'a'
# names of which some are the model's, or one is given twice
1 | . $T/cli/values_data.sh; trained; replicates; dnabird evaluate -m run --test copies.tsv --values half,a | err ~ the model has no value 'a'
1 | . $T/cli/values_data.sh; trained; dnabird evaluate -m run --test values.tsv --values gc,half,gc | err ~ values.tsv: column 'gc' is named twice
1 | . $T/cli/values_data.sh; trained; dnabird evaluate -m run --test values.tsv --threshold 0.9 | err ~ run: measured values have no threshold
1 | . $T/cli/values_data.sh; trained; dnabird evaluate -m run --test values.tsv --values gc,gc | err ~ values.tsv: column 'gc' is named twice
0: a column for each value, under other names, are the values in the model's order
    . $T/cli/values_data.sh
    trained
    sed '1s/gc/x/; 1s/half/y/' values.tsv >other.tsv
    dnabird evaluate -q -m run --test values.tsv --bootstrap 0 | grep model: | cut -f 3 >a
    dnabird evaluate -q -m run --test other.tsv --values x,y --bootstrap 0 | grep model: | cut -f 3 >b
    grep -c . a
    | out ~ 9
    | same a b
1: baselines of some values, or of another order, are not kept
    . $T/cli/values_data.sh
    trained
    for v in half half,gc; do
        dnabird evaluate -m run --test values.tsv --values $v --bootstrap 0 \
            --baseline-train values.tsv --keep-baselines
    done
    | none run/baseline.safetensors
    | err ~ --keep-baselines: the model's baselines are of all of its values in its order
