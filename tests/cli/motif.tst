# The score `motif` of dnabird variant: columns, formats, options, agreement with a
# model, and the same number as the baseline of evaluate variants.

2 | dnabird variant -f x.fa --motifs jaspar --scores diff x.vcf | err ~ --motifs is for the scores motif and effect: add one to --scores
2 | dnabird variant -f x.fa --motifs none --scores effect x.vcf | err ~ --scores effect needs motifs, not --motifs none
2 | dnabird variant -f x.fa --motifs none --scores motif x.vcf | err ~ --scores motif needs motifs, not --motifs none
2 | dnabird variant -f x.fa --scores motif -O kipoi x.vcf | err ~ so this format cannot hold it: use -O tsv
2 | dnabird variant -f x.fa --scores motif -F a x.vcf | err ~ --scores motif runs no model, so -F or --cell has no effect
2 | dnabird variant -f x.fa --scores motif --long -O tsv x.vcf | err ~ so --long has no effect
2 | dnabird variant -f x.fa --scores motif --table t x.vcf | err ~ so --table has no effect
2 | dnabird variant -f x.fa --scores motif --zero-shot m x.vcf | err ~ so --zero-shot has no effect
2: options of windows and strands are refused where no model is run
    V="dnabird variant -f x.fa --scores motif x.vcf"
    for o in '--window 50' '--strand +' '--span 9' '--max-n 0.5' '--shifts 0' '--tokens free'; do
        $V $o
        [ $? = 2 ] || exit 9
    done
    $V --precision bfloat16
    | err ~ --scores motif runs no model, so --window has no effect: leave it out, or add
    | err ~ so --strand has no effect
    | err ~ so --span has no effect
    | err ~ so --max-n has no effect
    | err ~ so --shifts has no effect
    | err ~ so --tokens has no effect
    | err ~ so --precision has no effect
    | err lines 7
1 | cp $T/data/variants/* .; dnabird variant -f toy.fa --scores motif --motifs none.txt kinds.vcf | err ~ none.txt: No such file
1 | cp $T/data/variants/* .; dnabird variant -f toy.fa --scores mottif kinds.vcf | err ~ 'mottif' is not one of

0: without a model every allele has a row, a status and the motif that changes
    cp $T/data/variants/* .
    dnabird variant -f toy.fa --scores motif -O tsv -o o --json o.json kinds.vcf
    grep -c . kinds.vcf >/dev/null
    grep -v '^# ' o | head -1
    cut -f1-4,6- o | cut -c1-50
    tr -d ' "' <o.json | grep -E '^(motifs|features|window_bp|model):'
    | err ~ 36 records, 44 alleles, OK 26
    | err ~ 879 motifs (
    | err !~ evaluation
    | out ~ STATUS	motif	motif_name	motif_id	motif_strand	motif_pos	motif_change
    | out ~ 1	51	snv	C	OK	-3.26	PROX1	MA0794.1	-	43	-5.73
    | out ~ 1	51	symbol	C	SYMBOLIC	.	.	.	.	.	.
    | out ~ 1	1	first	C	OK	0	.	.	.	.	.
    | out ~ motifs:879
    | out ~ features:0
    | out ~ window_bp:0

0: a model that is named and not used is told
    cp $T/data/variants/* .
    dnabird variant -m none -f toy.fa --scores motif -O tsv kinds.vcf
    | err ~ the model none is not used: --scores has motif alone

0 long: VCF, BCF and BED have the same numbers as the table
    cp $T/data/variants/* .
    run() { dnabird variant -q -f toy.fa --scores motif --no-version "$@" kinds.vcf; }
    run -O tsv | awk -F '\t' '!/^#/ && $7 != "." { print $7 }' | sort -n >tsv
    run | grep -v '^#' | grep -o 'BIRD_MOTIF=[^;]*' | sed 's/.*=//' | tr , '\n' |
        grep -vx '\.' | sort -n >vcf
    run -o o.bed
    awk -F '\t' '!/^#/ && $7 != "." { print $7 }' o.bed | sort -n >bed
    wc -l <tsv
    grep -m 1 'ID=snv\|	snv	' <(run) | cut -f8
    | same tsv vcf
    | same tsv bed
    | out ~ 26
    | out ~ BIRD_MOTIF_NAME=PROX1;BIRD_MOTIF_ID=MA0794.1;BIRD_MOTIF_STRAND=-;BIRD_MOTIF_POS=43;BIRD_MOTIF_CHANGE=-5.73

0 needs=bcftools: bcftools reads the BCF
    cp $T/data/variants/* .
    grep -v no_contig kinds.vcf >k.vcf
    dnabird variant -q -f toy.fa --scores motif -o o.bcf k.vcf
    bcftools query -f '%ID %BIRD_MOTIF %BIRD_MOTIF_POS\n' o.bcf
    | out ~ snv -3.26 43

0: with a model all its scores stay as they are, and each allele has the agreement
    cp $T/data/variants/* .
    run() { dnabird variant -q -m $T/data/model -f toy.fa -O tsv --no-version "$@" kinds.vcf; }
    run >without
    run --motifs jaspar >with
    cut -f1-8,9-15 with | cut -f1-8 >a
    cut -f1-8 without >b
    run --scores diff,motif | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["diff"] == "." { missing += $at["motif_agreement"] != "."; next }
        {
            d = $at["diff"]; m = $at["motif"]
            is = m == 0 ? "none" : d * m > 0 ? "same" : "against"
            wrong += is != $at["motif_agreement"]
            n[is]++
        }
        END { print wrong + 0, missing + 0, (n["same"] > 3), (n["against"] > 3), (n["none"] > 0) }'
    head -1 with | tr '\t' '\n' | grep -c '^motif'
    | same a b
    | out ~ 0 0 1 1 1
    | out ~ 7

0: the agreement is with the model in the cell that --cell selects
    cp $T/data/variants/* .
    dnabird variant -q --cell HepG2 --scores diff,motif -f toy.fa -O tsv --no-version kinds.vcf |
        awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["HepG2/diff"] == "." { next }
        {
            d = $at["HepG2/diff"]; m = $at["motif"]
            is = m == 0 ? "none" : d * m > 0 ? "same" : "against"
            wrong += is != $at["motif_agreement"]
            other += d * $at["max_diff"] < 0
            n++
        }
        END { print wrong + 0, (n > 9), (other > 0) }'
    | out ~ 0 1 1

0 long: motifs agree with the difference that the row shows, of --long and of BED
    cp $T/data/variants/* .
    run() { dnabird variant -q -f toy.fa --no-version --check-ref warn "$@" kinds.vcf; }
    run -O tsv --long -F HepG2,K562,WTC11 --scores diff,motif >long
    run -O bed -F K562 >bed
    run -O bed >all
    cmp bed all
    awk -F '\t' '
        FNR == 1 { delete at; for (i = 1; i <= NF; i++) at[$i] = i; d = ("diff" in at) ? at["diff"] : at["#diff"]; next }
        $d != "." && $d != 0 && $at["motif"] != "." {
            is = $at["motif"] == 0 ? "none" : $d * $at["motif"] > 0 ? "same" : "against"
            n[FILENAME]++; wrong += is != $at["motif_agreement"] }
        END { print wrong + 0, (n["long"] > 30), (n["bed"] > 9) }' long bed
    | out ~ 0 1 1
0 long: effect is the difference plus the folder's weight times the change of motifs
    cp $T/data/variants/* .
    run() { dnabird variant -q --cell K562 -f toy.fa --no-version "$@" kinds.vcf; }
    weight=$(sed -n 's/.*"motif_weight": *\([0-9.e-]*\).*/\1/p' $DNABIRD_DATA/models/activity/dnabird.json)
    run -O tsv | awk -F '\t' -v w="$weight" '
        function size(x) { return x < 0 ? -x : x }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["K562/diff"] == "." { missing += $at["K562/effect"] != "."; next }
        {
            e = $at["K562/diff"] + w * $at["motif"]
            wrong += size(e - $at["K562/effect"]) > 1e-5
            other += $at["K562/effect"] != $at["K562/diff"]
            largest += $at["max_effect"] == $at[$at["max_feature"] "/effect"]
            n++
        }
        END { print (w > 0), wrong + 0, missing + 0, (n > 9), (other > 9), (largest > 0) }'
    # without motifs every other column stays as it is
    run -O tsv --motifs none >none
    run -O tsv | awk -F '\t' -v OFS='\t' '
        NR == 1 { for (i = 1; i <= NF; i++) drop[i] = $i ~ /motif|effect/ }
        {
            line = ""
            for (i = 1; i <= NF; i++) if (!drop[i]) line = line (i > 1 ? OFS : "") $i
            print line
        }' >with
    run -O kipoi >kipoi
    run --scores effect -O tsv | head -1 | tr '\t' '\n' | grep -c effect
    run | grep -c 'BIRD_EFFECT_K562=.*BIRD_MAX_EFFECT='
    | same none with
    | out ~ 1 0 0 1 1 1
    | out ~ 2
    | out !~ ^0$
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model --scores effect -f toy.fa kinds.vcf | err ~ effect is a score of models of measured values

0: exchanged alleles have the opposite sign
    cp $T/data/variants/toy.fa .
    printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >h
    (cat h; printf 'chr1\t51\ta\tC\tT\t.\t.\t.\n') >a.vcf
    (cat h; printf 'chr1\t51\ta\tT\tC\t.\t.\t.\n') >b.vcf
    dnabird variant -f toy.fa --scores motif -O tsv --no-version a.vcf | tail -1 | cut -f6-
    dnabird variant -f toy.fa --scores motif -O tsv --no-version --check-ref swap b.vcf |
        tail -1 | cut -f6-
    | out ~ OK	-3.26	PROX1	MA0794.1	-	43	-5.73
    | out ~ SWAPPED	3.26	PROX1	MA0794.1	-	43	5.73

0: one motif in the formats of TRANSFAC, JASPAR and MEME gives the same
    cp $T/data/variants/* .
    # the bases around the change at 51, each 97 of 100
    sed -n 2,3p toy.fa | tr -d '\n' | cut -c47-54 | awk '{
        print "AC M1\nID Around" >"t"
        print "MEME version 4\n\nMOTIF M1 Around\nletter-probability matrix: " \
            "alength= 4 w= " length($0) " nsites= 100" >"m"
        for (i = 1; i <= length($0); i++) {
            for (b = 1; b <= 4; b++) {
                c = substr("ACGT", b, 1) == substr($0, i, 1) ? 97 : 1
                line[b] = line[b] " " c
                counts = b > 1 ? counts " " c : c
                shares = b > 1 ? shares " " c / 100 : c / 100
            }
            print i, counts >"t"
            print shares >"m"
        }
        print "//" >"t"
        print ">M1 Around" >"j"
        for (b = 1; b <= 4; b++) print substr("ACGT", b, 1) " [" line[b] " ]" >"j"
    }'
    for f in t j m; do
        dnabird variant -q -f toy.fa --scores motif --motifs $f -O tsv --no-version kinds.vcf >$f.o
    done
    grep '	snv	' t.o | cut -f 8-11
    | same t.o j.o
    | same t.o m.o
    | out ~ Around	M1	+	47

0: parts joined and threads give the same table
    cp $T/data/variants/* .
    run() { dnabird variant -q -f toy.fa --scores motif -O tsv --no-version "$@" kinds.vcf; }
    run >whole
    run -t 2 >two
    (run --shard 1/3; run --shard 2/3; run --shard 3/3) >parts
    | same whole two
    | same whole parts

1: a run with other motifs is not resumed
    cp $T/data/variants/* .
    dnabird variant -q -f toy.fa --scores motif -o o.tsv kinds.vcf
    cp o.tsv o.tsv.partial
    printf '{"identity": {"version": "0"}}' >o.tsv.partial.json
    dnabird variant -q -f toy.fa --scores motif --resume -o o.tsv kinds.vcf
    | err ~ comes from a run with another

0: the baseline of evaluate variants is the same score
    cp $T/data/variants/effects.fa e.fa
    dnabird variant -q -f e.fa --scores motif -O tsv -o s.tsv $T/data/variants/effects.vcf
    dnabird evaluate variants -q --scores motif --measured MPRA \
        --measured-in $T/data/variants/effects.vcf --min-effect 0.2 -f e.fa --bootstrap 0 s.tsv >m
    awk -F '\t' -v OFS='\t' '$4 == "motif" { $4 = ""; print }' m >a
    awk -F '\t' -v OFS='\t' '$4 == "baseline:motif" { $4 = ""; print }' m >b
    grep -c spearman a
    | same a b
    | out !~ 0
