# dnabird evaluate --mlm: a random model compared with Markov models, and wrong
# input.

0 | dnabird evaluate --mlm --help=all | out ~ Usage: dnabird evaluate --mlm
    | err empty
0 | dnabird evaluate --help=all | out ~ evaluate --mlm
2 | dnabird evaluate --mlm | err ~ no model: give -m MODEL
    | out empty
2 | dnabird evaluate --mlm -m a | err ~ no held-out sequence: give -f REF.fa
    | err lines 1
2 | dnabird evaluate --mlm -m a -f x.fa y.fa | err ~ unexpected argument 'y.fa'
2 | dnabird evaluate --mlm -m a -f x.fa --settings <(echo 'mask-share = 0') | err ~ mask-share is above 0
2 | dnabird evaluate --mlm -m a -f x.fa --settings <(echo 'mask-share = "nan"') | err ~ mask
2 | dnabird evaluate --mlm -m a -f x.fa --max-n 2 | err ~ --max-n must lie between 0 and 1, got 2
2 | dnabird evaluate --mlm -m a -f x.fa --order 3,13 | err ~ --order takes numbers from 1 to 12
2 | dnabird evaluate --mlm -m a -f x.fa --order 6,3 | err ~ rising
2 | dnabird evaluate --mlm -m a -f x.fa --order 3, | err ~ --order
2 | dnabird evaluate --mlm -m a -f x.fa --window 100 --length 20 | err ~ either --window or --length
2 | dnabird evaluate --mlm -m a -f x.fa --stride 20 | err ~ --stride needs --window
2 | dnabird evaluate --mlm -m a -f x.fa --number -1 | err ~ --number is negative
2 | dnabird evaluate --mlm -m a -f x.fa --seed -1 | err ~ --seed is negative
2 | dnabird evaluate --mlm -m a -f x.fa --test rows.csv | err ~ --test

0: the table, classes, JSON and hidden tokens are the same for any threads
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a &&
        awk 'BEGIN {
                srand(3)
                for (c = 1; c < 3; c++) {
                    print ">c" c
                    for (i = 0; i < 400; i++) {
                        s = ""
                        for (k = 0; k < 60; k++) s = s substr(i % 9 < 3 && c < 2 ? "acgtaaaa" : "ACGTAAAA", 1 + int(rand() * (i % 5 < 2 ? 4 : 8)), 1)
                        print s
                    }
                }
            }' >x.fa &&
        for t in 1 3; do
            dnabird evaluate --mlm -t $t -m a -f x.fa -R c1:1-6000,c2:1-3000 \
                --train-regions c1:6001-,c2:3001- --window 300 --bootstrap 50 --order 3,8 \
                --by-contig --no-version --predictions $t.tok --json $t.json -o $t.tsv || exit 1
        done
    head -n 3 1.tsv
    cut -f 1-4 1.tsv | sort -u | wc -l | tr -d ' ' | sed 's/^/rows /'
    wc -l <1.tsv | sed 's/^ */lines /'
    | out ~ set	class	predictor	metric	value	lo	hi	windows	tokens	bases
    | out ~ all	all	model	bits_per_base
    | err ~ 10 of 30 windows are on contigs without lower case: neither repeat nor nonrepeat
    | same 1.tok 3.tok
    | same 1.json 3.json
    | same 1.tsv 3.tsv
0: hidden tokens with other bases than A, C, G, T are not scored
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a && printf '>x\n' >x.fa &&
        for i in $(seq 300); do echo ACGATTACAGGCATNTTGACCCATTTGGA; done >>x.fa &&
        dnabird evaluate --mlm -m a -f x.fa -R x:1-3000 --train-ref x.fa \
            --train-regions x:4001- --length 64 --bootstrap 10 --order 5 --json f.json |
            grep -c model_less
    | out ~ 6
    | err ~ hidden tokens not scored: they hold bases other than A, C, G, T
    | has f.json
0 needs=jq: --windows draws some of the windows; without --train-ref no Markov model is fitted
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a && printf '>x\n' >x.fa &&
        for i in $(seq 300); do echo ACGATTACAGGCATGTTGACCCATTTGGA; done >>x.fa &&
        dnabird evaluate --mlm -m a -f x.fa --window 300 --number 9 --seed 4 --bootstrap 10 \
            --no-version --json f.json -o f.tsv
    jq -c '[.model.name, .counts.windows, .counts.not_drawn, .counts.rest_bp, .markov,
            .sets.all.all.uniform.bits_per_base.value, (.sets.all.all.model|keys)]' f.json
    | out ~ ["a",9,20,0,null,2,["accuracy","accuracy_given_length","bits_per_base","bits_per_base_given_length","bits_per_token"]]
    | err ~ no Markov baselines
    | err lines 1
0: windows that overlap the training regions are reported
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a && printf '>x\n' >x.fa &&
        for i in $(seq 300); do echo ACGATTACAGGCATGTTGACCCATTTGGA; done >>x.fa &&
        gzip -k x.fa &&
        dnabird evaluate --mlm -m a -f x.fa --window 300 --train-ref x.fa.gz \
            --train-regions x:1-1000 --order 2 --bootstrap 0 --no-version
    | out ~ all	all	markov_both_2	bits_per_base
    | err ~ 4 of 29 windows touch sequence that the baselines learned from
0: windows are cut from the regions alone
    printf 'x\t0\t900\nother\t0\t10\n' >r.bed
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a && printf '>x\n' >x.fa &&
        for i in $(seq 300); do echo ACGATTACAGGCATGTTGACCCATTTGGA; done >>x.fa &&
        dnabird evaluate --mlm -m a -f x.fa -R r.bed --window 400 --stride 100 --order 2 \
            --bootstrap 0 --no-version --predictions - -o f.tsv |
            cut -f 4 |
            sort -u |
            grep -c 00
    | out ~ 5

0: tokens of 4 bases side by side are scored
    dnabird tokenizer kmer -k 4 -s 4 -o k.json && dnabird init --tokenizer k.json a &&
        printf '>x\n' >x.fa &&
        for i in $(seq 300); do echo ACGATTACAGGCATGTTGACCCATTTGGA; done >>x.fa &&
        dnabird evaluate --mlm -m a -f x.fa --window 400 --bootstrap 0 --no-version
    | out ~ tokens	bases_per_token	4	NA	NA
1: overlapping tokens are refused
    dnabird tokenizer kmer -k 4 -s 1 -o k.json && dnabird init --tokenizer k.json a &&
        printf '>x\nACGTACGTACGTACGT\n' >x.fa &&
        dnabird evaluate --mlm -m a -f x.fa --window 10 -o f.tsv
    | err ~ tokens overlap, so a hidden one can be read off its neighbours
    | err lines 1
    | none f.tsv*

# wrong input gives one line and leaves nothing
1 | dnabird evaluate --mlm -m none -f x.fa -o f.tsv | err ~ none
    | err lines 1
    | none f.tsv*
1 | printf '>x\nACGT\n' >x.fa; dnabird evaluate --mlm -m $T/data/model -f x.fa -o f.tsv --json f.json --predictions t.tsv | err ~ this model has no masked-language head
    | err lines 1
    | none [ft].*
1 | dnabird init b && printf '>x\nACGT\n' >x.fa; dnabird evaluate --mlm -m b -f x.fa | err ~ b: no tokenizer.json in the model
    | err lines 1
    | out empty
1 | dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a; dnabird evaluate --mlm -m a -f none.fa -o f.tsv | err ~ none.fa
    | err lines 1
    | none f.tsv*
# commas in lists of regions
1: a comma between names divides a list of regions
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nACGT\n' >x.fa
    dnabird evaluate --mlm -m a -f x.fa -R x:3,700,001-3,900,000,chr7 -o f.tsv
    | err ~ 'chr7' is neither a file nor a contig of the references
1: a number after a comma is not part of the name
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nACGT\n' >x.fa
    dnabird evaluate --mlm -m a -f x.fa -R x,100 -o f.tsv
    | err ~ '100' is neither a file nor a contig of the references
1: an unknown contig is refused
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nACGT\n' >x.fa
    dnabird evaluate --mlm -m a -f x.fa -R y -o f.tsv
    | err ~ 'y' is neither a file nor a contig of the references
    | none f.tsv*
1: regions without a contig of the reference are refused
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nACGT\n' >x.fa
    printf 'y\t0\t4\n' >r.bed
    dnabird evaluate --mlm -m a -f x.fa -R r.bed
    | err ~ none of the regions lies on a contig of the held-out sequence
    | err lines 1
1: metrics of a contig called as those of all windows are refused
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nACGTACGTACGT\n>all\nACCTACGTACGT\n' >x.fa
    e() { dnabird evaluate --mlm -q -m a -f x.fa --window 10 --bootstrap 0 -o f.tsv "$@"; }
    e && rm f.tsv && e --by-contig --json f.json
    | err ~ a contig is called 'all', as the metrics of all windows are
    | err lines 1
    | none f.*
1: a reference shorter than a window is refused
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nACGT\n' >x.fa
    dnabird evaluate --mlm -m a -f x.fa --window 5
    | err ~ no window to evaluate on: 0 have too many N, and 4 bp are in regions
    | err lines 1
1 | dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a; printf '>x\nNNNNNNACGT\n' >x.fa; dnabird evaluate --mlm -m a -f x.fa --window 10 | err ~ no window to evaluate on: 1 have too many N
1: a reference without A, C, G, T is refused
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nRYRYNRYRYK\n' >x.fa
    dnabird evaluate --mlm -m a -f x.fa --window 10 --max-n 1
    | err ~ no hidden token has A, C, G, T alone
1: a training reference without A, C, G, T is refused
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nACGTACGTAC\n' >x.fa
    printf '>t\nNNNNN\n' >t.fa
    dnabird evaluate --mlm -m a -f x.fa --train-ref t.fa --window 10 -o f.tsv
    | err ~ no A, C, G or T to learn a Markov model from
    | none f.tsv*
1 | dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a; printf '>x\nACGTACGTAC\n' >x.fa; dnabird evaluate --mlm -m a -f x.fa --train-ref none.fa --window 10 | err ~ none.fa
    | err lines 1
1 | dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a; printf '>x\nACGTACGTAC\n' >x.fa; dnabird evaluate --mlm -m a -f x.fa --length 5000 | err ~ windows of 5000 tokens, but a reads 512
    | err lines 1
1: rows of 5000 tokens are refused
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nACGTACGTAC\n' >x.fa
    dnabird evaluate --mlm -m a -f x.fa --row 5000
    | err ~ rows of 5000 tokens, but a reads 512
    | err lines 1
1: rows of 2 tokens are refused
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nACGTACGTAC\n' >x.fa
    dnabird evaluate --mlm -m a -f x.fa --row 2
    | err ~ rows of 2 tokens hold nothing but the special ones
    | err lines 1
0 needs=jq: a window of more tokens than the model reads is read in rows
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    awk 'BEGIN { srand(1); print ">x"; for (i = 0; i < 4000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1); print "" }' >x.fa
    dnabird evaluate --mlm -m a -f x.fa --length 1000 --row 500 --bootstrap 0 --json f.json -o f.tsv
    jq -c '.window' f.json
    | out ~ "tokens":1000,"row_tokens":500
1 | dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a; printf '>x\nACGTACGTAC\n' >x.fa; dnabird evaluate --mlm -m a -f x.fa --window 10 -o f.tsv --json f.tsv | err ~ f.tsv: two outputs
    | none f.tsv*
1: a full disk leaves no JSON file
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a
    printf '>x\nACGTACGTAC\n' >x.fa
    dnabird evaluate --mlm -m a -f x.fa --window 10 --json f.json >/dev/full
    | err ~ No space left on device
    | none f.json*
1: a tokenizer without [MASK] is refused
    sed 's/\[MASK\]/[mask]/g' $T/golden/t_bpe_tiny/tokenizer.json >t.json
    dnabird init --tokenizer t.json a
    printf '>x\nACGTACGTAC\n' >x.fa
    dnabird evaluate --mlm -m a -f x.fa --window 10
    | err ~ no token [MASK]
    | err lines 1
