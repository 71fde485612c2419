# The noise bar of dnabird variant: several windows and both strands an allele;
# REF and ALT in each other's place. noise_bar_data.sh has the functions.

2 | dnabird variant -f x.fa --shifts 0,x x.vcf | err ~ --shifts 0,x: give 1 to 32 whole numbers between commas, as 0,7,14
    | err lines 1
2 | dnabird variant -f x.fa --shifts 0,7,0 x.vcf | err ~ --shifts 0,7,0: 0 is given twice
2 | dnabird variant -f x.fa --shift 3 x.vcf | err ~ the option is --shifts
1 | dnabird variant background -f x.fa --shifts 7, -o b | err ~ --shifts 7,: give 1 to 32
1 | dnabird mutate -f x.fa -r a:1-2 --shifts , | err ~ --shifts ,: give 1 to 32
1 | . $T/cli/noise_bar_data.sh; alleles 100 same; dnabird variant -m $T/data/model -f x.fa --shifts 0 --scores sd x.vcf | err ~ --scores: sd is of a noise bar: give --shifts 0,7,14
    | err lines 1

# mean, standard deviation and agreement are those of single windows and strands:
# merged words, words apart, a stem, masked words, bins
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; for k in same length; do alleles 100 $k; draws diff sd; draws logit logit_sd; done | sort | uniq -c | tr -s ' ' | out ~  4 12 alike, 1
0 | . $T/cli/noise_bar_data.sh; dnabird tokenizer kmer -k 6 -s 3 -o k.json; dnabird init --seed 4 --tokenizer k.json --labels x,y --preset tiny -w 90 m; for k in same length; do alleles 100 $k; draws logit logit_sd -F x; done | sort | uniq -c | tr -s ' ' | out ~  2 12 alike, 1
0 | . $T/cli/noise_bar_data.sh; dnabird tokenizer kmer -k 1 -o k.json; dnabird init --seed 4 --tokenizer k.json --stem 9x64/4 --labels x,y --head maxmean -w 96 m; for k in same length; do alleles 100 $k; draws logit logit_sd -F x; done | sort | uniq -c | tr -s ' ' | out ~  2 12 alike, 1
0 | . $T/cli/noise_bar_data.sh; dnabird init --seed 4 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --preset tiny -w 90 m; for k in same length; do alleles 100 $k; draws llr sd; done | sort | uniq -c | tr -s ' ' | out ~  2 12 alike, 1
0 long | . $T/cli/noise_bar_data.sh; cp -r $DATA/models/regulatory m; for k in same length; do alleles 4100 $k; draws logit logit_sd -F 'GM12878|DNase*' --tokens both; done | sort | uniq -c | tr -s ' ' | out ~  2 12 alike, 1

# REF and ALT change places: every score is the other one with its sign turned,
# of one window and of several, also of insertions and deletions
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; for k in same length; do alleles 100 $k; for o in 0 0,7,14; do exchanged diff --shifts $o; exchanged logit --shifts $o --strand -; done; done | sort | uniq -c | tr -s ' ' | out ~  8 12 alleles, 0 kept, 1
0 | . $T/cli/noise_bar_data.sh; dnabird tokenizer kmer -k 6 -s 3 -o k.json; dnabird init --seed 4 --tokenizer k.json --labels x,y --preset tiny -w 90 m; for k in same length; do alleles 100 $k; for o in 0 0,7,14; do exchanged logit -F x --shifts $o; done; done | sort | uniq -c | tr -s ' ' | out ~  4 12 alleles, 0 kept, 1
0 | . $T/cli/noise_bar_data.sh; dnabird tokenizer kmer -k 1 -o k.json; dnabird init --seed 4 --tokenizer k.json --stem 9x64/4 --labels x,y --head maxmean -w 96 m; for k in same length; do alleles 100 $k; for o in 0 0,7,14; do exchanged logit -F x --shifts $o; done; done | sort | uniq -c | tr -s ' ' | out ~  4 12 alleles, 0 kept, 1
0 long | . $T/cli/noise_bar_data.sh; cp -r $DATA/models/human m; for k in same length; do alleles 800 $k; exchanged llr; done | sort | uniq -c | tr -s ' ' | out ~  2 12 alleles, 0 kept, 1
0 long | . $T/cli/noise_bar_data.sh; cp -r $DATA/models/regulatory m; for k in same length; do alleles 4100 $k; for o in 0 0,7,14; do exchanged logit -F 'GM12878|DNase*' --shifts $o --tokens both; done; done | sort | uniq -c | tr -s ' ' | out ~  4 12 alleles, 0 kept, 1
# as tokens on REF alone do not
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 same; exchanged diff --shifts 0 --tokens anchored | out !~ , 0 kept

# on where tokens depend on the start of the window; the cost is told; off where it has none
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 same; dnabird variant -m m -f x.fa x.vcf --json j -o o.vcf; grep -E 'shifts|tokens|draws' j; grep -c 'BIRD_SD=.*BIRD_AGREE=' o.vcf | err ~ --shifts 0,7,14 --tokens both: up to 24 model evaluations for a change of bases and 24 for an insertion or deletion; --shifts 0 --tokens anchored: 4 and 4
    | out ~ "shifts": "0,7,14"
    | out ~ "tokens": "both"
    | out ~ "draws": 6
    | out ~ 12
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 same; dnabird variant -m m -f x.fa x.vcf --shifts 3 --json j >o; dnabird variant -m m -f x.fa x.vcf --shifts 3 >p; grep draws j; grep -v '^##' o >a; grep -v '^##' p >b; ! grep SD= o | out ~ "draws": 0
    | same a b
0 | . $T/cli/noise_bar_data.sh; dnabird tokenizer kmer -k 1 -o k.json; dnabird init -q --preset tiny --tokenizer k.json --window 90 m; alleles 100 same; dnabird variant -m m -f x.fa x.vcf >o; dnabird variant -m m -f x.fa x.vcf --shifts 0,7 -O tsv --no-version | head -1 | err ~ no noise bar: the model reads single bases
    | out ~ llr	sd	agreement	SHORT
# labels: the bar of the feature with the largest difference
0 | . $T/cli/noise_bar_data.sh; dnabird init -q --preset tiny --seed 4 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --labels 'TF:a,HM:b' --window 90 m; alleles 100 same; dnabird variant -q -m m -f x.fa x.vcf -O tsv --no-version --settings <(echo top = 0) >o; head -1 o; dnabird variant -q -m m -f x.fa x.vcf -O tsv --no-version --long --scores diff,sd,agreement >p; awk -F '\t' 'NR == FNR { k[$1, $9] = $11 " " $12 " " $13; next } FNR > 1 && k[$1, $10] == $9 " " $11 " " $12 { n++ } END { print n " equal" }' p o | out ~ WAY	max_diff	max_feature	max_sd	max_agreement	max_diff/TF
    | out ~ 12 equal

# a background is followed where nothing else is said; another is refused
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 same; dnabird variant background -q -m m -f x.fa -n 20 --shifts 0 --tokens anchored; dnabird variant -m m -f x.fa x.vcf --json j -o o; grep -E 'shifts|tokens|calibrated' j; dnabird variant -m m -f x.fa x.vcf --shifts 0,7,14 --tokens anchored --json j -o o; grep -E 'shifts|calibrated' j; dnabird variant -m m -f x.fa x.vcf --tokens free --json j -o o | out ~ "shifts": "0"
    | out ~ "tokens": "anchored"
    | out ~ "calibrated": true
    | out ~ "calibrated": false
    | err ~ no noise bar: the model's background was made with one window
    | err ~ calibration.safetensors is of other --shifts: no e-values and z
    | err ~ calibration.safetensors is of tokens encoded another way (--tokens): no e-values and z
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 same; dnabird variant background -m m -f x.fa -n 40; score z -f x.fa x.vcf >z; score diff -f x.fa x.vcf >d; dnabird variant -m m -f x.fa x.vcf --shifts 0 -o o; paste -d ' ' d z | awk '{ r = $3 / $6; if (NR > 1 && (r / was - 1) ^ 2 > 1e-6) bad++; was = r } END { print NR, bad + 0 }' | out ~ 12 0
    | err ~ is of other --shifts: no e-values and z

# any company, threads and command; a run is not gone on with by other shifts
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 length; for t in 1 2; do dnabird variant -q -m m -f x.fa -O tsv --no-version -t $t x.vcf >$t; done; dnabird variant -q -m m -f x.fa -O tsv --no-version -r v7,v8 x.vcf | tail -n +2 >three; grep -E '^v[78]	' 1 >four | same 1 2
    | same three four
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 same; for c in diff sd agreement; do dnabird mutate -q -m m -f x.fa -r v1:101-101 --centre base --scores $c --no-version | awk -F '\t' 'NR > 1 { split("A C G T", b, " "); for (i = 1; i <= 4; i++) if ($(i + 5) != ".") print $4, b[i], $(i + 5) }' >$c; (head -2 x.vcf; awk '{ print "v1\t101\t.\t" $1 "\t" $2 "\t.\t.\t." }' $c) >one.vcf; score $c -f x.fa one.vcf | cut -d ' ' -f 3 >a; cut -d ' ' -f 3 $c | paste -d ' ' - a | awk '$1 != $2 { bad++ } END { print NR, bad + 0 }'; done | sort | uniq -c | tr -s ' ' | out ~  3 3 0
1 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 same; for i in $(seq 400); do tail -n +3 x.vcf; done >more; (head -2 x.vcf; for i in $(seq 20); do cat more; done) >z.vcf; dnabird variant -q -m m -t 1 -f x.fa -o o.vcf z.vcf & until grep -qs '"bytes": [1-9]' o.vcf.partial.json || [ -e o.vcf ]; do sleep 0.02; done; kill -TERM $!; wait $!; dnabird variant -m m -t 1 -f x.fa -o o.vcf --shifts 0 --resume z.vcf | err ~ o.vcf.partial comes from a run with another
# attribute is of one window, whatever the background is of
0 | . $T/cli/noise_bar_data.sh; cp -r $T/data/model m; alleles 100 same; dnabird variant background -q -m m -f x.fa -n 20; dnabird attribute -m m -f x.fa -r v1:101-101 --method gradient -o o | err !~ calibration

# alleles that share a window, of a model with bins: a pack may end between its
# strands, and where depends on the threads (32 records before them: the first
# parts of a run are short)
0 long | cp $DATA/genome/chr20_demo.fa.gz* .; { printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'; yes $'chr20\t2633000\t.\tT\t<DEL>\t.\t.\t.' | head -32; for r in '2633300 T A' '2633700 A C' '2634100 C A' '2634500 C A,G' '2634900 T A,C,G'; do set -- $r; printf 'chr20\t%s\t.\t%s\t%s\t.\t.\t.\n' $1 $2 $3; done; } >x.vcf; { head -2 x.vcf; tail -1 x.vcf; } >y.vcf; v() { dnabird variant -q -m $DATA/models/regulatory -f chr20_demo.fa.gz -F TSS+ --shifts 0,7 --scores p_ref,p_alt,diff,sd -O tsv --no-version --settings <(echo top = 0) "$@"; }; v -t 1 x.vcf >one; v -t 2 x.vcf >two; v -t 1 y.vcf | tail -3 >alone; tail -3 one | cmp - alone; wc -l <alone | out ~ 3
    | same one two
1 | . $T/cli/noise_bar_data.sh; alleles 100 same; dnabird variant -m $T/data/model -f x.fa --shifts 0,9999 x.vcf -o o | err ~ --shifts 0,9999: 9999 moves a window of
    | err lines 1
    | none o*
1 | dnabird tokenizer kmer -q -k 1 -o k.json; dnabird init -q --preset tiny --seed 4 --tokenizer k.json --labels 2 --window 90 m; . $T/cli/noise_bar_data.sh; alleles 100 same; dnabird variant background -q -m m -f x.fa -n 3 2>/dev/null; sed -i 's/"shifts":"0"/"shifts":"x"/' m/calibration.safetensors; dnabird variant -m m -f x.fa x.vcf -o o | err ~ its shifts are no list of whole numbers
    | err lines 1
    | none o*
# as many shifts as there may be are kept whole
1 | dnabird tokenizer kmer -q -k 1 -o k.json; dnabird init -q --preset tiny --seed 4 --tokenizer k.json --labels 2 --window 90 m; . $T/cli/noise_bar_data.sh; alleles 3000 same; s=$(seq -s , 1001 1032); dnabird variant background -q -m m -w 2500 -f x.fa -n 3 --shifts $s 2>/dev/null; dnabird variant -q -m m -w 2500 -f x.fa x.vcf -O tsv --json j -o o; grep -c "\"shifts\": \"$s\"" j; dnabird variant -m m -w 2500 -f x.fa --shifts ${s%,1032},5 x.vcf -O tsv -o o --scores e | err ~ needs a background
    | out ~ 1
