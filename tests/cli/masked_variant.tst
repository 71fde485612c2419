# Alleles scored by masked-language models: columns, fields, antisymmetry,
# threads and regions, backgrounds by class, resuming, mutate, refused options.
# tests/unit/test_effect_masked.c compares with tokens that are masked by hand.

# output formats
0: a table has ll_ref, ll_alt and their difference
    . $T/cli/masked_data.sh
    v -f r.fa x.vcf >o
    head -1 o
    awk 'NR > 1 && $6 != "OK"' o | wc -l
    awk 'NR > 1 {
            d = $10 - $9 - $11
            if (d > 1e-5 || d < -1e-5) bad++
            if ($11 > 0.05 || $11 < -0.05) large++
        }
        END { print bad + 0, (large > 5) }' o
    | out ~ #CHROM	POS	ID	REF	ALT	STATUS	TOKENS	WAY	ll_ref	ll_alt	llr	SHORT
    | out ~ 0 1
    | err empty
0: a VCF has BIRD_LLR and BIRD_DIST
    . $T/cli/masked_data.sh
    dnabird variant -m m -f r.fa x.vcf -o o.vcf --scores llr,distance
    grep -v '^##' o.vcf | sed -n 2p
    grep '^##INFO' o.vcf
    | out ~ BIRD_STATUS=OK,OK;BIRD_TOKENS=1,1;BIRD_WAY=free,free;BIRD_LLR=
    | out ~ ;BIRD_DIST=
    | out ~ ##INFO=<ID=BIRD_LLR,Number=A,Type=Float,Description="m: log-likelihood ratio (nats)
    | out ~ ##INFO=<ID=BIRD_DIST,Number=A,Type=Float,Description="m: L2 distance
    | err ~ windows of 100 bp
    | err ~ from cache
0 | . $T/cli/masked_data.sh; dnabird variant -q -m m -f r.fa x.vcf -O bed -o o.bed; v -f r.fa -O kipoi x.vcf | head -1; grep -v '^#' o.bed | cut -f 8-9 | sort -u | out ~ m/llr
    | out ~ OK
0: exchanging REF and ALT changes the sign alone
    . $T/cli/masked_data.sh
    alleles 107 |
        awk -F '\t' -v OFS='\t' '!/^#/ { sub(/,.*/, "", $5) }
            /^#/ || length($4) == length($5)' >x.vcf
    swap
    for k in both + -; do
        v --strand $k -f r.fa x.vcf >a
        v --strand $k -f swapped.fa swapped.vcf >b
        paste a b |
            awk 'NR > 1 {
                    d = $11 + $23
                    if ($6 != "OK" || $18 != "OK" || d > 1e-5 || d < -1e-5) bad++
                    if ($11 > 0.05 || $11 < -0.05) large++
                    n++
                }
                END { print (n > 8), bad + 0, (large > 3) }'
    done |
        sort |
        uniq -c
    | out ~ 3 1 0 1
0: threads, regions and distances do not change the ratio
    . $T/cli/masked_data.sh
    v -t 1 -f r.fa x.vcf --scores llr,distance >one
    v -t 2 -f r.fa x.vcf --scores llr,distance >two
    v -f r.fa -r B x.vcf --scores llr,distance | tail -n +2 >three
    grep ^B one >four
    v -f r.fa --scores llr x.vcf | cut -f 9 >five
    cut -f 9 one >six
    wc -l <four
    | out !~ 0
    | same one two
    | same three four
    | same five six
0: a stem model gives the same bytes with any threads
    . $T/cli/masked_data.sh
    model --stem 5x16/4,3x16
    v -t 1 -f r.fa x.vcf --scores ll_ref,llr,distance >one
    v -t 2 -f r.fa x.vcf --scores ll_ref,llr,distance >two
    awk 'NR > 1 && ($6 != "OK" || $11 <= 0 || $9 >= 0)' one
    | out empty
    | same one two
# mutate
0: the scores of mutate are those of variant
    . $T/cli/masked_data.sh
    dnabird mutate -q -m m -f r.fa -r B:301-303 --no-version >o
    (
        head -2 x.vcf
        awk -F '\t' 'NR > 1 {
                split("A C G T", b, " ")
                for (i = 1; i <= 4; i++) if ($(i + 5) != ".") print "B\t" $3 "\t.\t" $4 "\t" b[i] "\t.\t.\t."
            }' o
    ) >y.vcf
    v -f r.fa y.vcf | awk 'NR > 1 { print $2, $5, $11 }' >a
    awk -F '\t' 'NR > 1 {
            split("A C G T", b, " ")
            for (i = 1; i <= 4; i++) if ($(i + 5) != ".") print $3, b[i], $(i + 5)
        }' o >b
    wc -l <a
    | out ~ 9
    | same a b
0: mutate writes distances as a track and ratios as a picture
    . $T/cli/masked_data.sh
    dnabird mutate -q -m m -f r.fa -r B:301-320 --scores distance -O bedgraph --no-version |
        wc -l
    dnabird mutate -q -m m -f r.fa -r B:301-310 -O svg | grep -c 'llr'
    | out ~ 21
    | out ~ 1
1 | . $T/cli/masked_data.sh; dnabird mutate -m m -f r.fa -r B:301-320 --scores logit | err ~ --scores: logit is a score of models of labels, which this model is not
    | out empty
1 | . $T/cli/masked_data.sh; dnabird mutate -m m -f r.fa -r B:301-320 --scores z | err ~ has no background for e and z
0 long: a background of all classes gives e and z in steps of one over its changes
    . $T/cli/masked_data.sh
    dnabird variant background -m m -f r.fa -n 40 --others 20 --seed 3
    v -f r.fa x.vcf --scores llr,e,z,distance,distance_e,distance_z >o
    head -1 o
    awk 'NR > 1 {
            k = $10 * 341
            if (k < 0.99 || k - int(k + 0.5) > 1e-3 || int(k + 0.5) - k > 1e-3) bad++
            if ($9 * $11 < 0 || $12 * $14 < 0 || $13 > 1) bad++
            if (length($4) != length($5)) indel++
        }
        END { print bad + 0, (indel > 5) }' o
    dnabird info m | grep background
    | out ~ llr	e	z	distance	distance_e	distance_z	SHORT
    | out ~ 0 1
    | out ~ background    340 variants: random changes
    | err ~ 340 variants of 1 feature
# backgrounds do not depend on threads; a class without random variants has no e
# and z
0 | . $T/cli/masked_data.sh; for t in 1 2; do dnabird variant background -q -t $t -m m -f r.fa -n 30 --others 5 --seed 3 -o $t; done | same 1 2
0: a class without background variants has no e and z
    . $T/cli/masked_data.sh
    dnabird variant background -q -m m -f r.fa -n 30 --others 0
    v -f r.fa x.vcf --scores e,z,distance_e |
        awk \
            'NR > 1 && (length($4) == length($5)) != ($9 != ".") || ($9 == ".") != ($10 == ".") || ($9 == ".") != ($11 == ".")'
    | out empty
# backgrounds from a VCF, and of classifiers on request
0 | . $T/cli/masked_data.sh; dnabird variant background -m m -f r.fa x.vcf; v -f r.fa x.vcf --scores e | awk 'NR > 1 && $9 == "."' | out empty
0: a classifier's background has all classes too
    cp -r $T/data/model .
    cp $T/data/variants/* .
    dnabird variant background -m model -f toy.fa -n 30 --others 10
    dnabird variant -q -m model -f toy.fa -O tsv --no-version kinds.vcf --scores e |
        awk -F '\t' '$6 == "OK" && $10 != 1 {
                k = $9 * 181
                if (k - int(k + 0.5) > 1e-3 || int(k + 0.5) - k > 1e-3) print
            }'
    | out empty
    | err ~ 180 variants of 1 feature
0: a background of insertions and deletions gives no e of single bases
    . $T/cli/masked_data.sh
    awk '/^#/ || length($4) != length($5)' x.vcf | grep -v , >y.vcf
    dnabird variant background -q -m m -f r.fa y.vcf
    v -f r.fa x.vcf --scores e |
        awk 'NR > 1 { print length($4) == length($5), $9 != "." }' | sort -u
    | out ~ 0 1
    | out ~ 1 0
    | out lines 2
2 | dnabird variant background -m m -f r.fa --others -2 | err ~ --others is negative
0 long: an interrupted run resumes to the same bytes
    . $T/cli/masked_data.sh
    . $T/support/wait.sh
    alleles 1 >x.vcf
    v -t 1 -f r.fa x.vcf --scores llr,distance -o once
    f() {
        exec dnabird variant -q -m m -t 1 -f r.fa -O tsv --no-version --scores llr,distance \
            --resume -o o x.vcf
    }
    f &
    wait_for_mark $! o
    kill -TERM $!
    wait $!
    (f)
    | same o once
    | none o.partial*
0: --check-ref swap changes the sign alone
    . $T/cli/masked_data.sh
    alleles 41 |
        awk -F '\t' -v OFS='\t' '!/^#/ { sub(/,.*/, "", $5) }
            /^#/ || length($4) == length($5)' >x.vcf
    swap
    v -f r.fa --check-ref swap swapped.vcf >a
    v -f r.fa x.vcf >b
    cut -f 6 a | sort -u
    paste a b |
        awk 'NR > 1 && $6 == "SWAPPED" { d = $11 + $23; if (d > 1e-6 || d < -1e-6) print }'
    | out ~ SWAPPED
    | out lines 2
# tokens: merged, overlapping, side by side; the end of a contig
0 | . $T/cli/masked_data.sh; cp $T/golden/t_bpe_tiny/tokenizer.json k.json; model; v -f r.fa x.vcf | awk 'NR > 1 && $6 != "OK"' | out empty
0: alleles with N have no token and get a status
    . $T/cli/masked_data.sh
    dnabird tokenizer kmer -k 7 -s 7 -o k.json
    model
    (
        head -2 x.vcf
        printf 'A\t%s\t.\t%s\tN,%s\t.\t.\t.\n' 900 $(sed -n 2p r.fa | cut -c 900) A 900 \
            $(sed -n 2p r.fa | cut -c 900) C 450 $(sed -n 2p r.fa | cut -c 450) A 450 \
            $(sed -n 2p r.fa | cut -c 450) G
    ) >y.vcf
    v -f r.fa y.vcf >o
    cut -f 6 o | sort | uniq -c
    | out ~ NO_TOKEN
    | out ~ OK
0: a folder of Hugging Face with <mask> gives the same scores
    . $T/cli/masked_data.sh
    sed -i 's/\[MASK\]/<mask>/g' k.json
    model
    mkdir hf
    cp m/config.json m/model.safetensors m/tokenizer*.json hf/
    dnabird import -q hf h
    dnabird variant -q -m h -w 100 -O tsv --no-version -f r.fa x.vcf >a
    v -f r.fa x.vcf >b
    wc -l <a
    | out !~ 1 
    | same a b

# refused options
1 | . $T/cli/masked_data.sh; sed -i 's/\[MASK\]/[HIDE]/g' k.json; model; v -f r.fa x.vcf | err ~ m: the tokenizer has no token [MASK]
    | err lines 1
    | out empty
1 | . $T/cli/masked_data.sh; v -f r.fa x.vcf --span 100 -o o | err ~ m is a masked-language model: --span is for models that predict bins
    | none o*
1 | . $T/cli/masked_data.sh; v -f r.fa x.vcf --scores p_ref -o o | err ~ --scores: p_ref is a score of models of labels, which this model is not
    | none o*
1 | . $T/cli/masked_data.sh; v -f r.fa x.vcf --scores distance_e | err ~ --scores: distance_e needs a background of the same
1 | . $T/cli/masked_data.sh; v -f r.fa x.vcf --scores mle | err ~ 'mle' is not one of e, z, ll_ref, ll_alt, llr, distance, distance_e, distance_z
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa --scores llr kinds.vcf | err ~ --scores: llr is a score of masked-language models, which this model is not
1 | . $T/cli/masked_data.sh; dnabird init --tokenizer k.json n; dnabird export -q --encoder-only n e; dnabird variant -m e -w 100 -f r.fa x.vcf | err ~ e has no head that scores sequences
# how fast
0 | . $T/cli/masked_data.sh; dnabird bench variant -m m -f r.fa x.vcf --runs 1 | out lines 2
