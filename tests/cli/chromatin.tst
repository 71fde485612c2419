# Labelled bins, models trained on them, and their profiles. The genome has two
# contigs.

0 | dnabird dataset --help | out ~ labelled bins from peak files
0 | dnabird dataset chromatin --help=all | out ~ more than half of the bin lies in the union
2 | dnabird dataset chromatin | err ~ -f REF.fa
2 | dnabird dataset chromatin -f r.fa a.bed | err ~ -o
2 | dnabird dataset chromatin -f r.fa --bin x a.bed -o o.tsv | err ~ --bin

0: line feeds and tabs in a profile's name do not break lines
    . $T/cli/chromatin_data.sh
    n=$'a\nb\tc'
    cp one.bed "$n.bed"
    dnabird dataset chromatin -q -f r.fa --context 400 "$n.bed" two.bed -o o.tsv
    sed -n '/^##profile/,$p' o.tsv | head -3 | cut -f 1-2
    | out ~ ##profile	a_b_c
    | out ~ ##profile	two

# wrong peaks: the message has file and line, and nothing is left
1 | . $T/cli/chromatin_data.sh; printf 'A\t5\t3\n' >p.bed; dnabird dataset chromatin -f r.fa p.bed -o o.tsv.zst | err ~ p.bed: line 1: the end 3 is not after the start 5
    | err lines 1
    | none o.tsv*
1 | . $T/cli/chromatin_data.sh; printf 'A\t5\tx\n' >p.bed; dnabird dataset chromatin -f r.fa p.bed -o o.tsv | err ~ are not whole numbers
    | none o.tsv*
1 | . $T/cli/chromatin_data.sh; printf 'A\t5\n' >p.bed; dnabird dataset chromatin -f r.fa p.bed -o o.tsv | err ~ 2 columns where BED has 3
    | none o.tsv*
1 | . $T/cli/chromatin_data.sh; printf 'A\t5\t900\t.\t9\tx\n' >p.narrowPeak; dnabird dataset chromatin -f r.fa p.narrowPeak -o o.tsv | err ~ strand 'x' in column 6
    | none o.tsv*
1 | . $T/cli/chromatin_data.sh; gzip -c one.bed | head -c 30 >p.bed.gz; dnabird dataset chromatin -f r.fa p.bed.gz -o o.tsv | err ~ p.bed.gz
    | err lines 1
    | none o.tsv*
1 | . $T/cli/chromatin_data.sh; : >p.bed; dnabird dataset chromatin -f r.fa p.bed -o o.tsv | err ~ the peak files contain no peaks
    | none o.tsv*
1 | . $T/cli/chromatin_data.sh; printf '7\t5\t900\n' >p.bed; dnabird dataset chromatin -f r.fa p.bed -o o.tsv | err ~ is this another genome build?
    | none o.tsv*
1 | . $T/cli/chromatin_data.sh; dnabird dataset chromatin -f r.fa none.bed -o o.tsv | err ~ none.bed
    | none o.tsv*
1 | . $T/cli/chromatin_data.sh; dnabird dataset chromatin -f none.fa one.bed -o o.tsv | err ~ none.fa
1 | . $T/cli/chromatin_data.sh; mkdir a; cp one.bed a; dnabird dataset chromatin -f r.fa one.bed a/one.bed -o o.tsv | err ~ one
    | none o.tsv*
1 | . $T/cli/chromatin_data.sh; dnabird dataset chromatin -f r.fa --settings <(echo 'overlap = "most"') one.bed -o o.tsv | err ~ overlap 'most'
1 | . $T/cli/chromatin_data.sh; dnabird dataset chromatin -f r.fa --keep class:TF one.bed -o o.tsv | err ~ no feature matches 'class:TF'
1 | . $T/cli/chromatin_data.sh; dnabird dataset chromatin -f r.fa --split a=A,b=nowhere one.bed -o o | err ~ 'nowhere' is neither a file nor
    | none o/*
1 | . $T/cli/chromatin_data.sh; dnabird dataset chromatin -f r.fa --profiles one.bed one.bed -o o.tsv | err ~ one.bed
1 | . $T/cli/chromatin_data.sh; dnabird dataset chromatin -f r.fa one.bed -o no/o.tsv | err ~ no/o.tsv

# masks: unknown contigs, and aliases of contigs
1: a mask of an unknown contig is refused
    . $T/cli/chromatin_data.sh
    printf '# a mask\none\tA\ntwo\tchr7\n' >k.tsv
    dnabird dataset chromatin -f r.fa --mask k.tsv one.bed two.bed -o o.tsv
    | err ~ k.tsv: line 3: the reference has no contig 'chr7'
    | err lines 1
    | none o.tsv*
1: a mask of a contig that the regions exclude is checked too
    . $T/cli/chromatin_data.sh
    printf 'chr7\t0\t900\n' >x.bed
    printf 'two\tchr7\n' >k.tsv
    dnabird dataset chromatin -f r.fa -x x.bed --mask k.tsv one.bed two.bed -o o.tsv
    | err ~ k.tsv: line 1: the reference has no contig 'chr7'
    | none o.tsv*
0 | . $T/cli/chromatin_data.sh; printf 'two\tchrA\n' >k.tsv; dnabird dataset chromatin -f r.fa --mask k.tsv one.bed two.bed -o - | out ~ ##mask	A	1
0: a contig where no profile is known has no bins, under peaks neither
    . $T/cli/chromatin_data.sh
    printf 'one\tchrA\ntwo\tchrA\n' >k.tsv
    dnabird dataset chromatin -f r.fa --background 1 --max-n 1 --mask k.tsv one.bed two.bed -o o.tsv
    grep -v '^#' o.tsv | cut -f 1 | uniq -c | tr -s ' '
    | out ~ 30 B
    | out lines 1

# --name-column: one file of all profiles, with names in column 4
0: --name-column takes the names of column 4, sorted, in several passes too
    . $T/cli/chromatin_data.sh
    (
        awk -v OFS='\t' '{ print $0, "two" }' two.bed
        awk -v OFS='\t' '{ print $0, "one" }' one.bed
    ) >all.bed
    dnabird dataset chromatin -f r.fa --no-version one.bed two.bed -o a
    dnabird dataset chromatin -f r.fa --no-version --name-column all.bed -o b
    dnabird dataset chromatin -f r.fa --no-version --name-column --max-memory 65536 \
        <(sort -R all.bed) -o c
    sort -r all.bed >rev.bed
    head -20 all.bed >x.bed
    tail -n +21 all.bed >y.bed
    dnabird dataset chromatin -f r.fa --no-version --name-column x.bed y.bed -o c
    gzip -c rev.bed >r.gz
    dnabird dataset chromatin -f r.fa --no-version --name-column --max-memory 65536 r.gz \
        -o d
    cmp a c && cmp a d
    | same a b
    | err ~ column 4 is read before the peaks, so a regular file that can be read twice is needed
    | err !~ is one profile, but
0: a column 4 with repeated names suggests --name-column
    . $T/cli/chromatin_data.sh
    cat one.bed two.bed |
        awk -v OFS='\t' '{ print $0, "chr" NR % 3; print $0, NR % 3 }' >all.bed
    dnabird dataset chromatin -f r.fa --context 200 all.bed -o -
    | err ~ all.bed is one profile, but its column 4 has 6 names, each several times: if they are profiles, give --name-column
    | out ~ A	
0: --name-column does not suggest itself
    . $T/cli/chromatin_data.sh
    awk -v OFS='\t' '{ print $0, "chr" NR % 3; print $0, NR % 3 }' one.bed >all.bed
    dnabird dataset chromatin -f r.fa --context 200 --name-column all.bed -o -
    | err ~ labels of 6 profiles
    | err !~ is one profile, but
0: unique names in column 4 do not suggest --name-column
    . $T/cli/chromatin_data.sh
    awk -v OFS='\t' '{ print $0, "peak" NR }' one.bed >p.bed
    awk -v OFS='\t' '{ print $0, "." }' one.bed >q.bed
    awk -v OFS='\t' '{ print $0, "x" }' two.bed >r.bed
    dnabird dataset chromatin -f r.fa --context 200 p.bed q.bed r.bed -o -
    | err !~ is one profile, but
1: a row without a name in column 4 is refused
    . $T/cli/chromatin_data.sh
    (awk -v OFS='\t' '{ print $0, "a" }' one.bed; printf 'A\t5\t900\t.\n') >p.bed
    dnabird dataset chromatin -f r.fa --name-column p.bed -o o.tsv
    | err ~ p.bed: line 25: column 4 does not name a profile
    | err lines 1
    | none o.tsv*
1 | . $T/cli/chromatin_data.sh; dnabird dataset chromatin -f r.fa --name-column one.bed -o o.tsv | err ~ one.bed: line 1: column 4 does not name a profile
1: more than 20,000 names in column 4 are refused
    . $T/cli/chromatin_data.sh
    awk -v OFS='\t' 'BEGIN { for (i = 0; i < 20001; i++) print "A", 5, 900, "p" i }' >p.bed
    dnabird dataset chromatin -f r.fa --name-column p.bed -o o.tsv
    | err ~ p.bed: line 20001: more than 20000 names in column 4
1 | . $T/cli/chromatin_data.sh; printf 'name\nx\n' >l.tsv; dnabird dataset chromatin -f r.fa --profiles l.tsv --name-column one.bed -o o.tsv | err ~ --profiles and --name-column exclude each other
0: a list of profiles may have a spreadsheet's mark and CRLF
    . $T/cli/chromatin_data.sh
    printf '\xef\xbb\xbfname\tfile\r\nx\tone.bed\r\n' >l.tsv
    dnabird dataset chromatin -f r.fa --context 200 --profiles l.tsv -o - --no-version
    | out ~ ##profile	x	
    | err ~ labels of 1 profile

1: a list that contradicts itself is refused
    . $T/cli/chromatin_data.sh
    printf 'name\tclass\nx\tTF\nx\tHM\n' >l.tsv
    printf 'name\tname\nx\ty\n' >m.tsv
    sed 's/$/\tx/' one.bed >p.bed
    dnabird dataset chromatin -f r.fa --profiles l.tsv -o o.tsv p.bed
    dnabird dataset chromatin -f r.fa --profiles m.tsv -o o.tsv p.bed
    | err ~ l.tsv: line 3: 'x' has another class, cell type, factor, treatment or index than in a line before
    | err ~ m.tsv: line 1: two columns are named 'name': rename one
    | none o.tsv*

1: peak files beside a list that names peak files are refused
    . $T/cli/chromatin_data.sh
    printf 'name\tfile\nx\tone.bed\n' >l.tsv
    sed 's/$/\tx/' two.bed >p.bed
    dnabird dataset chromatin -f r.fa --profiles l.tsv -o o.tsv p.bed
    | err ~ l.tsv: names the peak file one.bed in its column 'file': give no further peak files, or remove the column
    | none o.tsv*
1: a list with ids whose profiles have the same file is refused
    . $T/cli/chromatin_data.sh
    (sed 's/$/\tx/' one.bed; sed 's/$/\ty/' two.bed) >p.bed
    printf 'name\tfile\tid\n1\tp.bed\tx\n2\tp.bed\ty\n' >l.tsv
    dnabird dataset chromatin -f r.fa --profiles l.tsv -o o.tsv
    | err ~ l.tsv: p.bed is the file of several profiles, which column 'id' does not tell apart: remove column 'file', and name the file as peaks
    | none o.tsv*

0: tracks of one name are joined, and that is reported
    . $T/cli/chromatin_data.sh
    printf 'name\tfile\nx\tone.bed\nx\ttwo.bed\ny\ttwo.bed\n' >l.tsv
    dnabird dataset chromatin -f r.fa --context 200 --profiles l.tsv -o o.tsv
    | err ~ 3 tracks are 2 profiles: tracks of one name are joined
0: tracks of different names are not reported as joined
    . $T/cli/chromatin_data.sh
    printf 'name\tfile\nx\tone.bed\ny\ttwo.bed\n' >l.tsv
    dnabird dataset chromatin -f r.fa --context 200 --profiles l.tsv -o o.tsv 2>e
    grep -c tracks e || test $? = 1
    | out ~ 0

# peaks over a contig's end are trimmed and reported; peaks on other contigs are
# counted
0 | . $T/cli/chromatin_data.sh; printf 'chrA\t5800\t7000\n7\t1\t9\nA\t6500\t6600\n' >p.bed; dnabird dataset chromatin -f r.fa --context 200 p.bed -o - | out ~ A	5800	6000	0
    | err ~ 1 on contigs that the reference lacks, 1 past a contig's end, 1 cut at a contig's end
# rules: --overlap, empty parts, threads
0 | . $T/cli/chromatin_data.sh; printf 'A\t1000\t1100\n' >p.bed; dnabird dataset chromatin -f r.fa --settings <(echo 'overlap = 0.5') --no-version p.bed -o - | out ~ A	1000	1200	0
1 | . $T/cli/chromatin_data.sh; printf 'A\t1000\t1100\n' >p.bed; dnabird dataset chromatin -f r.fa p.bed -o o.tsv | err ~ part 'all' has no bin
    | none o.tsv*
0 | . $T/cli/chromatin_data.sh; for i in 1 2; do OMP_NUM_THREADS=$i dnabird dataset chromatin -f r.fa --no-version one.bed two.bed -o $i.tsv; done | same 1.tsv 2.tsv

# training
0 | dnabird finetune chromatin --help=all | out ~ positives weighing 8
1 | dnabird finetune chromatin -o m | err ~ --train
2 | dnabird finetune chromatin --pos-weight 0 --train a -o m | err ~ --pos-weight is a number above 0, or data
1 | . $T/cli/chromatin_data.sh; set_and_words; dnabird finetune chromatin --train s.tsv --tokenizer k.json --preset tiny -o m | err ~ need the reference
    | none m/model.safetensors
1 | . $T/cli/chromatin_data.sh; set_and_words; dnabird finetune chromatin --train one.bed -f r.fa --tokenizer k.json --preset tiny -o m | err ~ not a file of labelled bins
    | err lines 1
1: a reference of other contig lengths is refused
    . $T/cli/chromatin_data.sh
    set_and_words
    sed 's/6000/6001/' s.tsv >t.tsv
    dnabird finetune chromatin --train t.tsv -f r.fa --tokenizer k.json --preset tiny -o m
    | err ~ A has 6001 bp, but this one has 6000
1 | . $T/cli/chromatin_data.sh; set_and_words; dnabird finetune chromatin --train s.tsv -f r.fa --context 301 --tokenizer k.json --preset tiny -o m | err ~ 301
1 | . $T/cli/chromatin_data.sh; set_and_words; dnabird finetune chromatin --train s.tsv -f r.fa --features three --tokenizer k.json --preset tiny -o m | err ~ no feature matches 'three'
0 | . $T/cli/chromatin_data.sh; model; dnabird info m | out ~ two
    | has m/validation.tsv

# labels that are unknown in all training rows are not in the model; labels that
# are never 1 are reported
0 | . $T/cli/chromatin_data.sh; printf 'two\t*\n' >k.tsv; set_and_words --mask k.tsv; learn | err ~ 1 label known in no training row, left out of the model: two
0 | . $T/cli/chromatin_data.sh; printf 'two\t*\n' >k.tsv; set_and_words --mask k.tsv; learn 2>/dev/null; dnabird chromatin -m m -l | out !~ two
    | out ~ one
    | has m/validation.tsv
1: rows of which no label is known teach nothing
    . $T/cli/chromatin_data.sh
    set_and_words
    sed -i '/^B/d; /^##profile\ttwo/a ##mask\tA\t0,1' s.tsv
    learn
    | err ~ s.tsv: no label is known in any training row
    | err lines 1
    | none m/model.safetensors
0: a label without a positive training row is reported
    . $T/cli/chromatin_data.sh
    set_and_words
    awk -F'\t' -v OFS='\t' '/^#/ { print; next }
        { gsub(/,?1/, "", $4); if ($4 == "") $4 = "."; print }' s.tsv >t.tsv
    cp t.tsv v.tsv
    mv t.tsv s.tsv
    learn
    | err ~ 1 label positive in no training row, so the model cannot learn this: two
    | err !~ left out of the model
0: a label unknown in all training rows is left out of the model
    (
        echo sequence,a,b,c
        for i in 1 2 3; do printf 'ACGTACGT,NA,0,1\nTTTTACGT,,1,0\n'; done
    ) >x.csv
    sed 's/NA/1/' x.csv >v.csv
    dnabird finetune -t 1 --train x.csv --valid v.csv --label-column '*' --head cls \
        --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --steps 2 --batch 4 \
        --no-baselines -o run
    cut -f 1,3,4 run/validation.tsv | tr '\n\t' '  '
    grep -A 3 '"labels"' run/dnabird.json | tr -d ' \n'
    | out ~ b 6 3 c 6 3
    | err ~ 1 label known in no training row, left out of the model: a
    | out ~ "labels":["b","c"]

# scanning
0 | dnabird chromatin --help=all | out ~ -F, --features TERMS
2 | dnabird chromatin a.fa b.fa | err ~ one FASTA file is needed
1 | dnabird chromatin -m nowhere r.fa | err ~ nowhere
1 | . $T/cli/chromatin_data.sh; dnabird chromatin -m $T/data/model r.fa | err ~ two-class model
    | err lines 1
0 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m -l | out ~ 1	.	.	.	.	.	two
1 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m -F three r.fa | err ~ no feature matches 'three'
    | err lines 1
1 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m -r A:1-9000 r.fa -o o.tsv | err ~ A
    | none o.tsv*
0 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m -r A:1001-1200 --no-version r.fa | out ~ A	1000	1200	.	ok
    | out lines 2
0 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m -r A:1-200 --max-n 0.1 r.fa | out ~ A	0	200	.	beyond_end	.	.
    | err ~ 1 bin not scored: over 10 %
    | err ~ --max-n 1 scores them, padded with N
0: short and empty contigs have a status in place of a value
    . $T/cli/chromatin_data.sh
    model
    s=$(sed -n 2p r.fa)
    printf '>short\n%s\n>none\n>s\n%s\n>n\n%s%s%s\n' ${s:0:100} ${s:0:2000} ${s:0:600} \
        $(printf 'N%.0s' $(seq 200)) ${s:0:600} >q.fa
    dnabird chromatin -m m --max-n 0.3 --no-version --json j -W -o q.tsv.gz q.fa &&
        zcat q.tsv.gz | cut -f 1-3,5
    tr -d ' \n' <j
    | out ~ short	0	100	too_short
    | out ~ none	0	0	beyond_end
    | out ~ s	0	200	ok
    | out ~ s	1800	2000	ok
    | out ~ n	600	800	too_many_N
    | out ~ "beyond_end":1,
    | out ~ "skipped_unknown":2,
    | out ~ "skipped_short":1,
    | has q.tsv.gz.tbi
0: a scan of an empty contig writes its row in every format
    . $T/cli/chromatin_data.sh
    model
    printf '>none\n' >q.fa
    for f in bed bedgraph; do dnabird chromatin -m m -F one -O $f --no-version q.fa; done
    dnabird chromatin -m m -c --no-version q.fa
    | out ~ none	0	0	.	beyond_end	.	.
    | err ~ 1 bin not scored
0 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m -r A:1001-1200 --no-version r.fa | err !~ --max-n
0 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m -O bedgraph -o o -F two --no-version r.fa; head -1 o | out ~ #chrom	start	end	value
0 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m -O bedgraph -o o r.fa; ls o | tr '\n' ' ' | out ~ one.bedgraph two.bedgraph
1 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m -O bedgraph r.fa | err lines 1
    | out empty
0: --max-n 1 scores contigs that are shorter than the context
    . $T/cli/chromatin_data.sh
    model
    printf '>s\nACGT\n>e\n>t\n%s\n' $(head -2 r.fa | tail -1 | cut -c 1-700) >q.fa
    dnabird chromatin -m m -c --max-n 1 --no-version q.fa | cut -f 1-5
    | out ~ t	250	450	.	ok
    | out ~ s

# evaluation
0 | . $T/cli/chromatin_data.sh; model; dnabird evaluate -m m --test s.tsv -f r.fa -O features --min-positives 5 --html p.html --no-version | out ~ median
    | has p.html
1 | . $T/cli/chromatin_data.sh; model; dnabird evaluate -m m --test s.tsv | err ~ need the reference
1 | dnabird evaluate -m $T/data/model --test $T/data/train/prom_core_tata.test300.csv --html p.html -o f | err ~ for models of several labels
    | none p.html
    | none f
0: a label without positives is named and not evaluated
    . $T/cli/chromatin_data.sh
    model
    awk -F'\t' '/^#/ || $4 !~ /0/' s.tsv >t.tsv
    dnabird evaluate -m m --test t.tsv -f r.fa -O features --no-version
    | err ~ have no positives or no negatives and were not evaluated
    | out ~ NA
0: the table of features has a line for each label also if none can be evaluated
    . $T/cli/chromatin_data.sh
    model
    awk -F'\t' -v OFS='\t' '/^#/ { print; next } { $4 = "."; print }' s.tsv >none.tsv
    dnabird evaluate -m m --test none.tsv -f r.fa -O features --no-version | cut -f 1,2,8
    | out ~ all	one	0
    | out ~ all	two	0
    | out lines 3

# options of running the model
2 | dnabird chromatin --pad-to -1 r.fa | err ~ --pad-to is negative
2 | dnabird chromatin --random-blocks some r.fa | err ~ 'some' is not one of
0: --pad-to changes the values little, --random-blocks none not at all
    . $T/cli/chromatin_data.sh
    model
    for w in "" "--pad-to 512" "--random-blocks none"; do
        dnabird chromatin -m m --no-version -r A:1001-3000 $w r.fa | cut -f 5- >"o$w"
    done
    cmp o "o--random-blocks none" && ! cmp -s o "o--pad-to 512" && paste o "o--pad-to 512" |
            awk 'NR > 1 { d = $2 - $5; n += d < .1 && d > -.1 } END { print n, NR - 1 }'
    | out ~ 10 10

# the default model, without -m
0 | dnabird chromatin -r chr20:2633001-2633400 --features CTCF $DATA/genome/chr20_demo.fa.gz | out ~ CTCF
# training labels and start sites of the default model are not scanned
0 | dnabird chromatin -r chr20:2633001-2633400 $DATA/genome/chr20_demo.fa.gz | head -n 20 | grep '^#chrom' | tr '\t' '\n' >t; echo $(grep -c '|DNase|' t) $(grep -cE '^(TSS|GUE)' t) | out ~ 125 0
0 | dnabird info $DATA/models/regulatory | out ~ commands      promoter: 2: TSS+, TSS-

0 needs=tabix: called bins are joined, sorted and indexed
    . $T/cli/chromatin_data.sh
    model
    C="dnabird chromatin -m m --no-version r.fa"
    $C -T 0 -o c.bed.gz -W
    $C -T 0 -O bed >c.bed
    zcat c.bed.gz | cmp - c.bed
    $C -F one -O bedgraph | grep -c '^A'
    grep -c '^A.*one' c.bed
    awk -F'\t' \
        '!/^#/ && (NF != 8 || $5 < 0 || $5 > 1000 || $6 != "." || int(1000 * $7 + 0.5) != $5)' \
        c.bed
    grep -v '^#' c.bed | sort -s -k1,1 -k2,2n | cmp - <(grep -v '^#' c.bed)
    tabix c.bed.gz A:1-6000 | cut -f 4 | sort -u | tr '\n' ' '
    | out ~ one two
    | has c.bed.gz.tbi
0: -T calls the bins of at least that value
    . $T/cli/chromatin_data.sh
    model
    C="dnabird chromatin -m m --no-version -F one r.fa"
    $C | awk -F'\t' '$5 == "ok" { print $6 }' | sort -g | sed -n 25p >t
    $C -O bed -T $(cat t) | awk '!/^#/ { n += ($3 - $2) / 200 } END { print n }' >a
    $C | awk -F'\t' -v t=$(cat t) '$5 == "ok" && $6 >= t - 1e-7 { n++ } END { print n }' >b
    cmp a b
    wc -l <b
    | out ~ 1

# hundreds of tracks are open at a time, each with one descriptor
0 | . $T/cli/chromatin_data.sh; head -c 2000 r.fa >q.fa; ulimit -n 192; dnabird chromatin -F class:DHS -O bedgraph -o o q.fa; ls o | wc -l | out ~ 125
0: a list of features goes where -o says
    dnabird chromatin -l >want; dnabird chromatin -l -o list.tsv
    | same want list.tsv
    | out empty
1 | printf '>a\nACGTTGCAACGTTGCA\n' >x.fa; dnabird chromatin -F TSS+,TSS- -W -O bedgraph -o z x.fa | err ~ -W needs bgzipped files: add --compress
1 | printf '>a\nACGTTGCAACGTTGCA\n' >x.fa; dnabird chromatin -F TSS+ -z -O bedgraph -o z.bedgraph x.fa | err ~ --compress is of the files of a folder
    | none z.bedgraph
