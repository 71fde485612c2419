# Measured values: tables with numbers and NA, learned by squared error.

# 200 rows of 60 bp; `gc` is the share of G and C in %, `half` half of it, known
# in every second row.
0 | . $T/cli/values_data.sh; dnabird "${learning[@]}" -o run && tail -n +2 run/validation.tsv | awk '$3 > 0.8 && $4 > 0.8' | wc -l | out ~ 2
    | err ~ Pearson
    | has run/model.safetensors
# the folder keeps mean and standard deviation of the training rows
0 | . $T/cli/values_data.sh; dnabird "${learning[@]}" -o run; grep -A 2 '"mean"' run/dnabird.json | grep -c '"sd"' | out ~ 2
# a run that was stopped and resumed ends with the same bytes
0 | . $T/cli/values_data.sh; (learn a); stop_and_resume | same a/model.safetensors b/model.safetensors

1 | . $T/cli/values_data.sh; refused v ACGT,1.5 ACGG,high | err ~ x.csv: line 3, column 'v': a value is a number or NA
    | none run
1 | . $T/cli/values_data.sh; refused v ACGT,inf | err ~ line 2, column 'v'
    | none run
1 | . $T/cli/values_data.sh; refused v ACGT,2 ACGA,2 ACCC,NA | err ~ all known values of 'v' are equal
    | none run
1 | . $T/cli/values_data.sh; refused w ACGT,2 ACGA,3 | err ~ there is no column 'w'
    | none run
1 | . $T/cli/values_data.sh; dnabird "${learning[@]}" --select mcc -o run | err ~ --select pearson
    | none run

# evaluate: correlations in the unit of the values, beside the G+C share, which
# is the value itself here
0 | . $T/cli/values_data.sh; learned >m.tsv; awk '$1 == "all/model:gc" && $2 == "pearson" { print ($3 > 0.99), ($4 > 0.99), ($5 <= 1) }' m.tsv | out ~ 1 1 1
0 | . $T/cli/values_data.sh; learned >m.tsv; awk '$1 == "all/model:gc" && $2 == "mse" { print ($3 < 10) }' m.tsv | out ~ 1
0 | . $T/cli/values_data.sh; learned >m.tsv; awk '$1 == "all/GC:half" && /pearson|rows/ { print ($3 > 0.999), $3 }' m.tsv | out ~ 1 100
    | out ~ 1 1
# predictions are near the values: within 15 % G+C of each of 200 rows
0 | . $T/cli/values_data.sh; learned --predictions p.tsv >m.tsv; head -n 1 p.tsv; awk '$2 == "gc" && ($3 - $4) ^ 2 < 225' p.tsv | wc -l | out ~ name	column	value	prediction
    | out ~ 200
# a single value has no second class
0 | . $T/cli/values_data.sh; dnabird "${learning[@]}" -q --values gc -o run && dnabird evaluate -m run --test values.tsv | grep -c model:gc | out ~ 4
0 | . $T/cli/values_data.sh; learned -O json | grep -c spearman | out ~ 4
1 | . $T/cli/values_data.sh; learned --html x.html | err ~ run: a model of measured values is evaluated without
    | none x.html
1 | . $T/cli/values_data.sh; learned >m.tsv; printf '>a\nACGT\n' >a.fa; dnabird promoter -m run a.fa | err ~ predicts measured values

# variant: the difference of the values, exactly that of their predictions
0: variant scores alleles in the unit of the values
    . $T/cli/values_data.sh
    dnabird "${learning[@]}" -q --window 60 -o run
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
    dnabird "${learning[@]}" -q --window 60 -o run
    (echo '>c'; for i in 1 2 3 4 5 6; do echo ACGTTGCAAT; done) >r.fa
    printf '##fileformat=VCFv4.2\n##contig=<ID=c>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nc\t31\t.\tA\tG\t.\t.\t.\n' >v.vcf
    dnabird variant -q -m run -f r.fa --scores logit v.vcf -o o.vcf
    | err ~ logit is a score of models of labels
    | none o.vcf
1: attribute is for probabilities
    . $T/cli/values_data.sh
    dnabird "${learning[@]}" -q --window 60 -o run
    (echo '>c'; for i in 1 2 3 4 5 6; do echo ACGTTGCAAT; done) >r.fa
    dnabird attribute -m run -f r.fa -F gc -r c:1-60 -o a.tsv
    | err ~ predicts measured values
    | none a.tsv
