# The noise bar of dnabird variant: several windows and both strands for each
# allele; exchanged REF and ALT. noise_bar_data.sh has the functions.

2 | dnabird variant -f x.fa --shifts 0,x x.vcf | err ~ --shifts 0,x: give 1 to 32 whole numbers between commas, as 0,7,14
    | err lines 1
2 | dnabird variant -f x.fa --shifts 0,7,0 x.vcf | err ~ --shifts 0,7,0: 0 is given twice
2 | dnabird variant -f x.fa --shift 3 x.vcf | err ~ the option is --shifts
1 | dnabird variant background -f x.fa --shifts 7, -o b | err ~ --shifts 7,: give 1 to 32
1 | dnabird mutate -f x.fa -r a:1-2 --shifts , | err ~ --shifts ,: give 1 to 32
1 | . $T/cli/noise_bar_data.sh; alleles 100 same; dnabird variant -m $T/data/model -f x.fa --shifts 0 --scores sd x.vcf | err ~ --scores: sd needs several windows for each allele: give --shifts 0,7,14
    | err lines 1

# shifts behind a slash are for changes of length alone
2 | dnabird variant -f x.fa --shifts 0/3/7 x.vcf | err ~ those behind a slash are for insertions and deletions alone
0: shifts behind a slash do not change scores of substitutions
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    for k in same length; do
        alleles 100 $k
        for s in diff sd; do
            score $s -f x.fa x.vcf --tokens both --shifts 0,3/7,14 >a
            score $s -f x.fa x.vcf --tokens both --shifts 0,3 >b
            score $s -f x.fa x.vcf --tokens both --shifts 0,3,7,14 >c
            paste -d ' ' a b c |
                awk -v k=$k '{ few += $3 == $6; all += $3 == $9 } END { print k, few + 0, all + 0 }'
        done
    done
    | out ~ same 12 0
    | out ~ length 0 12
    | out lines 4

# mean, standard deviation and agreement equal those computed from single
# windows and strands: merged tokens, overlapping tokens, a stem, masked tokens,
# bins
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; for k in same length; do alleles 100 $k; draws diff sd; draws logit logit_sd; done | sort | uniq -c | tr -s ' ' | out ~  4 12 alike, 1
0 long: overlapping tokens: mean, deviation and agreement are those of single runs
    . $T/cli/noise_bar_data.sh
    dnabird tokenizer kmer -k 6 -s 3 -o k.json
    dnabird init --seed 4 --tokenizer k.json --labels x,y --preset tiny -w 90 m
    for k in same length; do alleles 100 $k; draws logit logit_sd -F x; done |
        sort |
        uniq -c |
        tr -s ' '
    | out ~  2 12 alike, 1
0 long: a stem: mean, deviation and agreement are those of single runs
    . $T/cli/noise_bar_data.sh
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --seed 4 --tokenizer k.json --stem 9x64/4 --labels x,y --head maxmean \
        -w 96 m
    for k in same length; do alleles 100 $k; draws logit logit_sd -F x; done |
        sort |
        uniq -c |
        tr -s ' '
    | out ~  2 12 alike, 1
0 long: masked tokens: mean, deviation and agreement are those of single runs
    . $T/cli/noise_bar_data.sh
    dnabird init --seed 4 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --preset tiny \
        -w 90 m
    for k in same length; do alleles 100 $k; draws llr sd; done | sort | uniq -c | tr -s ' '
    | out ~  2 12 alike, 1
0 long: bins: mean, deviation and agreement are those of single runs
    . $T/cli/noise_bar_data.sh
    cp -r $DATA/models/regulatory m
    for k in same length; do
        alleles 4100 $k
        draws logit logit_sd -F 'GM12878|DNase*' --tokens both
    done |
        sort |
        uniq -c |
        tr -s ' '
    | out ~  2 12 alike, 1

# exchanging REF and ALT changes the sign of every score, with one window and
# several, for insertions and deletions too
0: merged tokens: exchanging REF and ALT changes the sign alone
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    for k in same length; do
        alleles 100 $k
        for o in 0 0,7,14; do
            exchanged diff --shifts $o
            exchanged logit --shifts $o --strand -
        done
    done |
        sort |
        uniq -c |
        tr -s ' '
    | out ~  8 12 alleles, 0 kept, 1
0: overlapping tokens: exchanging REF and ALT changes the sign alone
    . $T/cli/noise_bar_data.sh
    dnabird tokenizer kmer -k 6 -s 3 -o k.json
    dnabird init --seed 4 --tokenizer k.json --labels x,y --preset tiny -w 90 m
    for k in same length; do
        alleles 100 $k
        for o in 0 0,7,14; do exchanged logit -F x --shifts $o; done
    done |
        sort |
        uniq -c |
        tr -s ' '
    | out ~  4 12 alleles, 0 kept, 1
0: a stem: exchanging REF and ALT changes the sign alone
    . $T/cli/noise_bar_data.sh
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --seed 4 --tokenizer k.json --stem 9x64/4 --labels x,y --head maxmean \
        -w 96 m
    for k in same length; do
        alleles 100 $k
        for o in 0 0,7,14 1/3d; do exchanged logit -F x --shifts $o; done
    done |
        sort |
        uniq -c |
        tr -s ' '
    | out ~  6 12 alleles, 0 kept, 1
0: a stem: windows spaced by the length of a change are those that a list names
    . $T/cli/noise_bar_data.sh
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --seed 4 --tokenizer k.json --stem 9x64/8 --labels x,y --head maxmean \
        -w 96 m
    alleles 100 length
    score logit -f x.fa -F x --shifts 2/3d x.vcf >s
    for d in 1,2,3,4 2,2,4,6 3,2,5,0 4,2,6,3 8,2,3,4 10,2,4,6; do # the length, the starts
        grep "^v${d%%,*} " s >a
        score logit -f x.fa -F x --shifts "${d#*,}" x.vcf | grep "^v${d%%,*} " >b
        cmp a b && cut -d ' ' -f 2 a
    done |
        uniq -c
    | out ~ 6 OK
0 long | . $T/cli/noise_bar_data.sh; cp -r $DATA/training/human m; for k in same length; do alleles 800 $k; exchanged llr; done | sort | uniq -c | tr -s ' ' | out ~  2 12 alleles, 0 kept, 1
0 long: bins: exchanging REF and ALT changes the sign alone
    . $T/cli/noise_bar_data.sh
    cp -r $DATA/models/regulatory m
    for k in same length; do
        alleles 4100 $k
        for o in 0 0,7,14 3/5d; do
            exchanged logit -F 'GM12878|DNase*' --shifts $o --tokens both
        done
    done |
        sort |
        uniq -c |
        tr -s ' '
    | out ~  6 12 alleles, 0 kept, 1
0 long: bins: windows spaced by the length of a change are those that a list names
    . $T/cli/noise_bar_data.sh
    cp -r $DATA/models/regulatory m
    rm m/calibration.safetensors
    alleles 4200 length # where starts below 100 are nearest to the change, too
    for d in 1 3 5; do
        grep -E "^#|^v$d	" x.vcf >v.vcf
        for o in 0/5d,0,$d,$((2 * d)),$((3 * d)),$((4 * d)) 2/3d,2,$((2 + d)),$((2 + 2 * d)); do
            score logit -f x.fa -F 'GM12878|DNase*' --shifts ${o%%,*} v.vcf >a
            score logit -f x.fa -F 'GM12878|DNase*' --shifts ${o#*,} v.vcf >b
            cmp a b && cut -d ' ' -f 2 a
        done
    done |
        uniq -c
    | out ~ 6 OK
0 long: bins: by default the windows of insertions and deletions are spaced by their length
    . $T/cli/noise_bar_data.sh
    cp -r $DATA/models/regulatory m
    rm m/calibration.safetensors
    alleles 4200 length # where no start is in another bin
    dnabird variant -m m -f x.fa x.vcf -F 'GM12878|DNase*' --json j -o o.vcf
    grep -o '"shifts": "[^"]*"' j
    # the moved window of one start is the window of the next: 24 evaluations, not 40
    | err ~ 12 alleles, OK 12; windows of 4,000 bp: 288 model evaluations
    | err ~ (--shifts 0,7,14/5d --tokens both): up to 12 model evaluations for a substitution, about 24 for an insertion or deletion
    | out ~ "shifts": "0,7,14/5d"
0: bins: a background of spaced windows is followed
    . $T/cli/noise_bar_data.sh
    cp -r $DATA/models/regulatory m
    rm m/calibration.safetensors
    alleles 4100 length
    dnabird variant background -q -m m -f x.fa -n 6 --others 2 -w 1000 --shifts 0/2d
    dnabird variant -m m -f x.fa x.vcf -F 'GM12878|DNase*' --json j -o o.vcf
    grep -o '"shifts": "[^"]*"' j
    grep -c BIRD_MLE= o.vcf
    | out ~ "shifts": "0/2d"
    | out ~ 12
    | err !~ no e-values
1: windows are spaced where rows or bins have several bases
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 length
    dnabird variant -m m -f x.fa x.vcf --shifts 0/5d -o o
    | err ~ --shifts 0/5d: windows are spaced by the length of the change (5d) where a model has rows (1) or bins of as many bases: list their starts
    | none o
2 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 length; dnabird variant -m m -f x.fa x.vcf --shifts 0/1d -o o | err ~ --shifts 0/1d: give 1 to 32 whole numbers
2 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 length; dnabird variant -m m -f x.fa x.vcf --shifts 0/1,5d -o o | err ~ --shifts 0/1,5d: give 1 to 32 whole numbers
2 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 length; dnabird variant -m m -f x.fa x.vcf --shifts 0/33d -o o | err ~ --shifts 0/33d: give 1 to 32 whole numbers
# with --tokens anchored it does not
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 same; exchanged diff --shifts 0 --tokens anchored | out !~ , 0 kept

0: the noise bar is on by default, and its cost is printed
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 same
    dnabird variant -m m -f x.fa x.vcf --json j -o o.vcf
    grep -E 'shifts|tokens|draws' j
    grep -c 'BIRD_SD=.*BIRD_AGREE=' o.vcf
    | err ~ (--shifts 0,7,14 --tokens both): up to 24 model evaluations for a substitution, 24 for an insertion or deletion; --shifts 0 --tokens anchored is
    | out ~ "shifts": "0,7,14"
    | out ~ "tokens": "both"
    | out ~ "draws": 6
    | out ~ 12
# shifts that the user did not choose are refused like those that the user chose
1: a window that the default shifts would move past the change is refused
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 same
    dnabird variant -m m -f x.fa x.vcf --window 24 -o o
    | err ~ --shifts 0,7,14 (the default): 14 moves a window of 24 bp past the change
    | none o
0: one window that is read both ways has no several starts
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 same
    dnabird variant -m m -f x.fa x.vcf --shifts 0 -o o
    | err ~ each score is the mean over the tokens of REF and those of ALT (--tokens both): up to
    | err !~ several starts
0: one shift has no noise bar
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 same
    dnabird variant -m m -f x.fa x.vcf --shifts 3 --json j >o
    dnabird variant -m m -f x.fa x.vcf --shifts 3 >p
    grep draws j
    grep -v '^##' o >a
    grep -v '^##' p >b
    ! grep SD= o
    | out ~ "draws": 0
    | same a b
0: a model of single bases has no noise bar by default
    . $T/cli/noise_bar_data.sh
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init -q --preset tiny --tokenizer k.json --window 90 m
    alleles 100 same
    dnabird variant -m m -f x.fa x.vcf >o
    dnabird variant -m m -f x.fa x.vcf --shifts 0,7 -O tsv --no-version | head -1
    | err ~ no noise bar: the model reads single bases
    | out ~ llr	sd	agreement	SHORT
0: the summary has the bar of the feature with the largest difference
    . $T/cli/noise_bar_data.sh
    dnabird init -q --preset tiny --seed 4 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'TF:a,HM:b' --window 90 m
    alleles 100 same
    dnabird variant -q -m m -f x.fa x.vcf -O tsv --no-version --settings <(echo top = 0) >o
    head -1 o
    dnabird variant -q -m m -f x.fa x.vcf -O tsv --no-version --long \
        --scores diff,sd,agreement >p
    awk -F '\t' 'NR == FNR { k[$1, $9] = $11 " " $12 " " $13; next }
        FNR > 1 && k[$1, $10] == $9 " " $11 " " $12 { n++ }
        END { print n " equal" }' p o
    | out ~ WAY	max_diff	max_feature	max_sd	max_agreement	max_diff/TF
    | out ~ 12 equal

0: a background's shifts and tokens are the default
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 same
    dnabird variant background -q -m m -f x.fa -n 20 --shifts 0 --tokens anchored
    dnabird variant -m m -f x.fa x.vcf --json j -o o
    grep -E 'shifts|tokens|calibrated' j
    dnabird variant -m m -f x.fa x.vcf --shifts 0,7,14 --tokens anchored --json j -o o
    grep -E 'shifts|calibrated' j
    dnabird variant -m m -f x.fa x.vcf --tokens free --json j -o o
    dnabird variant -m m -f x.fa x.vcf --shifts 0 --tokens free --json j -o o
    dnabird variant -m m -f x.fa x.vcf --shifts 0,3 --json j -o o
    | out ~ "shifts": "0"
    | out ~ "tokens": "anchored"
    | out ~ "calibrated": true
    | out ~ "calibrated": false
    | err ~ no noise bar: the model's background was made with one window
    | err ~ calibration.safetensors is of other --shifts: no e-values and z
    | err ~ calibration.safetensors is of tokens encoded another way (--tokens): no e-values and z
    | err ~ calibration.safetensors is of other --shifts and --tokens: no e-values and z
0: a background has whole windows: no change on a contig shorter than one
    . $T/cli/noise_bar_data.sh
    alleles 100 same
    printf '>b\n%s\n' $(seq -s GATTACACGA 6) | tr -d 0-9 >>x.fa
    printf 'b\t10\t.\tA\tG\t.\t.\t.\n' >>x.vcf
    printf 'v1\t60\t120\nb\t0\t50\n' >b.bed
    dnabird variant background -m $T/data/model -f x.fa --shifts 0 -o o x.vcf
    dnabird variant background -q -m $T/data/model -f x.fa --shifts 0 -n 12 --others 0 -R b.bed -o o --json j
    grep -o '"left_out": 0' j || true
    | err ~ o: 12 variants of 1 feature, 1 could not be scored
    | out empty
0: a background that replaces another one has its shifts and tokens, unless others are given
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 same
    settings() { head -c 2000 m/calibration.safetensors | tr ',' '\n' | grep -a -A 2 -e '"tokens"' -e '"shifts"'; }
    dnabird variant background -q -m m -f x.fa -n 20 --shifts 0,5 --tokens anchored
    settings >first
    dnabird variant background -q -m m -f x.fa -n 30
    settings >second
    dnabird variant background -q -m m -f x.fa -n 30 --shifts 0
    settings >third
    dnabird variant background -q -m m -f x.fa -n 30 -o other
    cat first
    cmp third <(head -c 2000 other | tr ',' '\n' | grep -a -A 2 -e '"tokens"' -e '"shifts"')
    | out ~ "tokens":"anchored"
    | out ~ "shifts":"0
    | same first second
    | differ first third
0: a background of other shifts gives no e-values and z-scores
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 same
    dnabird variant background -m m -f x.fa -n 40
    score z -f x.fa x.vcf >z
    score diff -f x.fa x.vcf >d
    dnabird variant -m m -f x.fa x.vcf --shifts 0 -o o
    paste -d ' ' d z | awk '{ print $3 * $3, $6 * $6, $3 * $6 }' | sort -g |
        awk '{ if ($3 < 0 || $2 < was) bad++; was = $2 }
            END { print NR, bad + 0 }'
    | out ~ 12 0
    | err ~ is of other --shifts: no e-values and z

0: threads and regions do not change the noise bar
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 length
    for t in 1 2; do
        dnabird variant -q -m m -f x.fa -O tsv --no-version -t $t x.vcf >$t
    done
    dnabird variant -q -m m -f x.fa -O tsv --no-version -r v7,v8 x.vcf | tail -n +2 >three
    grep -E '^v[78]	' 1 >four
    | same 1 2
    | same three four
0: the scores of mutate are those of variant
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 same
    for c in diff sd agreement; do
        dnabird mutate -q -m m -f x.fa -r v1:101-101 --scores $c --no-version |
            awk -F '\t' 'NR > 1 {
                    split("A C G T", b, " ")
                    for (i = 1; i <= 4; i++) if ($(i + 5) != ".") print $4, b[i], $(i + 5)
                }' >$c
        (head -2 x.vcf; awk '{ print "v1\t101\t.\t" $1 "\t" $2 "\t.\t.\t." }' $c) >one.vcf
        score $c -f x.fa one.vcf | cut -d ' ' -f 3 >a
        cut -d ' ' -f 3 $c |
            paste -d ' ' - a |
            awk '$1 != $2 { bad++ } END { print NR, bad + 0 }'
    done |
        sort |
        uniq -c |
        tr -s ' '
    | out ~  3 3 0
1: --resume refuses other shifts
    . $T/cli/noise_bar_data.sh
    . $T/support/wait.sh
    cp -r $T/data/model m
    alleles 100 same
    for i in $(seq 400); do tail -n +3 x.vcf; done >more
    (
        head -2 x.vcf
        for i in $(seq 20); do cat more; done
    ) >z.vcf
    dnabird variant -q -m m -t 1 -f x.fa -o o.vcf z.vcf &
    wait_for_mark $! o.vcf
    kill -TERM $!
    wait $!
    dnabird variant -m m -t 1 -f x.fa -o o.vcf --shifts 0 --resume z.vcf
    | err ~ o.vcf.partial comes from a run with another list of shifts
0: attribute ignores the background's shifts
    . $T/cli/noise_bar_data.sh
    cp -r $T/data/model m
    alleles 100 same
    dnabird variant background -q -m m -f x.fa -n 20
    dnabird attribute -m m -f x.fa -r v1:101-101 --method gradient -o o
    | err !~ calibration

# Alleles that share a window, with a model of bins. A pack may end between the
# strands of a window, and where it ends depends on the threads. 32 records come
# first, because the first parts of a run are short.
0 long: alleles that share a window do not depend on threads
    cp $DATA/genome/chr20_demo.fa.gz* .
    {
        printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
        yes $'chr20\t2633000\t.\tT\t<DEL>\t.\t.\t.' | head -32
        for r in '2633300 T A' '2633700 A C' '2634100 C A' '2634500 C A,G' '2634900 T A,C,G'; do
            set -- $r
            printf 'chr20\t%s\t.\t%s\t%s\t.\t.\t.\n' $1 $2 $3
        done
    } >x.vcf
    { head -2 x.vcf; tail -1 x.vcf; } >y.vcf
    v() {
        dnabird variant -q -m $DATA/models/regulatory -f chr20_demo.fa.gz -F TSS+ --shifts 0,7 \
            --scores p_ref,p_alt,diff,sd -O tsv --no-version --settings <(echo top = 0) "$@"
    }
    v -t 1 x.vcf >one
    v -t 2 x.vcf >two
    v -t 1 y.vcf | tail -3 >alone
    tail -3 one | cmp - alone
    wc -l <alone
    | out ~ 3
    | same one two
1 | . $T/cli/noise_bar_data.sh; alleles 100 same; dnabird variant -m $T/data/model -f x.fa --shifts 0,9999 x.vcf -o o | err ~ --shifts 0,9999: 9999 moves a window of
    | err lines 1
    | none o*
1: a background with malformed shifts is refused
    dnabird tokenizer kmer -q -k 1 -o k.json
    dnabird init -q --preset tiny --seed 4 --tokenizer k.json --labels 2 --window 90 m
    . $T/cli/noise_bar_data.sh
    alleles 100 same
    dnabird variant background -q -m m -f x.fa -n 3 2>/dev/null
    sed -i 's/"shifts":"0"/"shifts":"x"/' m/calibration.safetensors
    dnabird variant -m m -f x.fa x.vcf -o o
    | err ~ its shifts are no list of whole numbers
    | err lines 1
    | none o*
1 long: the largest number of shifts is kept whole
    dnabird tokenizer kmer -q -k 1 -o k.json
    dnabird init -q --preset tiny --seed 4 --tokenizer k.json --labels 2 --window 90 m
    . $T/cli/noise_bar_data.sh
    alleles 3000 same
    s=$(seq -s , 1001 1032)
    dnabird variant background -q -m m -w 2500 -f x.fa -n 3 --shifts $s 2>/dev/null
    dnabird variant -q -m m -w 2500 -f x.fa x.vcf -O tsv --json j -o o
    grep -c "\"shifts\": \"$s\"" j
    dnabird variant -m m -w 2500 -f x.fa --shifts ${s%,1032},5 x.vcf -O tsv -o o --scores e
    | err ~ needs a background
    | out ~ 1
