# dataset repeats, and its mask in pretrain and evaluate --mlm.

0 | dnabird dataset repeats --help=all | out ~ 3/8
    | err empty
2 | dnabird dataset repeats | err ~ Usage: dnabird dataset repeats
1 | dnabird dataset repeats none.fa -o m.bed | err ~ none.fa
    | err lines 1
    | none m.bed*
1: values out of range are refused
    printf '>a\nACGT\n' >x.fa
    for o in "-k 7" "-k 32" "--min-count 1" "--min-count 70001" "--max-memory 1000"; do
        dnabird dataset repeats -q $o -o m.bed x.fa
    done
    | err ~ -k must lie between 8 and 31, got 7
    | err ~ --min-count must be 2 to 65535, got 1
    | err ~ the table of words needs 655360 bytes at least, not 1000
    | err lines 5
    | none m.bed*
1 | printf '>a\nNNNN\n>b\n\n' >x.fa; dnabird dataset repeats -o m.bed x.fa | err ~ x.fa: no A, C, G or T
    | none m.bed*
1 | printf '>a\nACGT\n>a\nACGT\n' >x.fa; dnabird dataset repeats -o m.bed x.fa | err ~ two records are named 'a'
    | err lines 1

# planted repeats on either strand, at both ends, beside N, in lower case
0 | . $T/cli/repeats_data.sh; repeats -k 20 --min-count 6 >m; cut -f 1-3 m | tr '\t' ' ' | paste -sd, | out ~ a 0 40,a 100 140,a 300 340,a 400 440,b 50 90,b 200 236,c 0 40
    | out lines 1
    | err ~ 276 of 746 bases are repeats (37.00 %), in 7 intervals
# k-mers of the cut copy occur seven times, the last ones of the other copies
# six times
0 | . $T/cli/repeats_data.sh; repeats -k 20 --min-count 7 | tr '\t' ' ' | paste -sd, | out ~ a 0 36,a 100 136,a 304 340,a 400 436,b 50 86,b 200 236,c 0 36
    | out lines 1
0 | . $T/cli/repeats_data.sh; repeats -k 20 --min-count 8 | out empty
    | err ~ 0 of 746 bases
0: a k-mer that is its own reverse complement counts once
    printf '>a\nAAAAAAACACGTGTCCCCCCC\n>b\nTTGGCACACGTGTAGCTTA\n' >p.fa
    dnabird dataset repeats -k 8 --min-count 2 p.fa >m
    dnabird dataset repeats -k 8 --min-count 3 p.fa >n
    tr '\t' ' ' <m | paste -sd,
    | out ~ a 6 14,b 5 13
    | has n
0: lower case, several files and bgzip give the same mask
    . $T/cli/repeats_data.sh
    sed '/^>/!y/ACGTN/acgtn/' g.fa >l.fa
    awk '/^>/ { f = substr($1, 2) ".fa" } { print >f }' g.fa
    gzip c.fa
    repeats -q -k 20 -o 1.bed
    dnabird dataset repeats -q -k 20 -o 2.bed l.fa
    dnabird dataset repeats -q -k 20 a.fa b.fa c.fa.gz d.fa >3.bed
    repeats -q -k 20 -o 4.bed.gz
    zcat 4.bed.gz | cmp - 1.bed
    cmp 1.bed 3.bed
    | out empty
    | err empty
    | same 1.bed 2.bed
0: several passes give the same mask as one
    awk 'BEGIN {
            srand(7); print ">a"
            for (i = 0; i < 3000; i++) {
                s = ""
                for (k = 0; k < 60; k++) s = s substr("ACGT", 1 + int(4 * rand()), 1)
                print s
                if (i % 50 == 0) print "TTGACCATAGTCCAGATTACAGCCTTAACG"
            }
        }' >g.fa
    dnabird dataset repeats -q -o 1.bed g.fa
    dnabird dataset repeats -q --max-memory 655360 -o 2.bed g.fa
    wc -l <1.bed
    | out ~ 60
    | same 1.bed 2.bed

0: pretrain: weight 1 equals no mask, with any threads
    . $T/cli/repeats_data.sh
    learn_setup
    learn a -t 1
    learn b -t 3 --repeats m.bed --repeat-weight 1
    learn c -t 1 --repeats m.bed
    learn d -t 2 --repeats m.bed
    learn e -t 1 --repeats m.bed --repeat-weight 0
    cmp a/model.safetensors b/model.safetensors
    cmp c/model.safetensors d/model.safetensors
    for f in c d; do cut -f 1-9 $f/training.tsv >$f.log; done
    grep -h '"repeat_weight"' [b-e]/dnabird.json |
        tr -dc '0-9.,\n' |
        cut -c 1-4 |
        paste -sd' '
    | out ~ 1 0.10 0.10 0
    | same a/model.safetensors b/model.safetensors
    | same c.log d.log
    | differ a/model.safetensors c/model.safetensors
    | differ c/model.safetensors e/model.safetensors
0: pretrain: weight 0 learns nothing where all tokens are repeats
    . $T/cli/repeats_data.sh
    learn_setup
    printf 'chra\t0\t6000\n' >all.bed
    learn a
    learn b --repeats all.bed --repeat-weight 0.5
    learn c --repeats all.bed --repeat-weight 0
    for f in a b c; do tail -n +2 $f/training.tsv | cut -f 2,4,8 >$f.log; done
    cut -f 1-2 c.log | sort -u | tr '\t' ' '
    | out ~ NA NA
    | same a.log b.log
# --resume needs the same mask and weight
1: pretrain --resume refuses another mask or weight
    . $T/cli/repeats_data.sh
    learn_setup
    learn a --repeats m.bed
    rm a/model.safetensors
    printf 'a\t0\t10\n' >o.bed
    for o in "--repeats o.bed" "--repeats m.bed --repeat-weight 0.2" ""; do
        learn a --resume $o
    done
    | err ~ a/checkpoint.safetensors: a checkpoint of another run
    | err lines 3
0 | . $T/cli/repeats_data.sh; learn_setup; learn a --repeats m.bed; cp a/model.safetensors w; sort -r m.bed >r.bed; learn a --resume --repeats r.bed | same w a/model.safetensors
# wrong masks give one line each
1: a mask that does not fit the references is refused
    . $T/cli/repeats_data.sh
    learn_setup
    printf 'x\t0\t9\n' >x.bed
    printf 'a\t5990\t6001\n' >y.bed
    printf 'a\t9\n' >z.bed
    for f in x y z no; do learn a --repeats $f.bed; done
    | err ~ x.bed: the references have none of its contigs (the first is 'x')
    | err ~ y.bed: a:5991-6001 ends after the end of the contig, which has 6000 bp
    | err ~ z.bed: line 1
    | err ~ no.bed: No such file
    | err lines 4
    | none a
1: a weight out of range, and a mask for token shards, are refused
    . $T/cli/repeats_data.sh
    learn_setup
    for w in -0.1 1.1 nan; do learn a --repeats m.bed --repeat-weight $w; done
    dnabird pretrain -q --init start --shards s --repeats m.bed --steps 1 -o a
    | err ~ --repeat-weight must lie between 0 and 1, got -0.1
    | err ~ s: rows of token shards have no genome positions
    | none a
2 | dnabird pretrain --repeat-weight 0.5 --steps 1 -o a x.fa | err ~ --repeat-weight needs --repeats
    | err lines 1

# evaluate --mlm with a mask
0: evaluate --mlm divides hidden tokens by the mask, not the case
    . $T/cli/repeats_data.sh
    learn_setup
    sed '/^>/!y/acgt/ACGT/' x.fa >u.fa
    e() {
        dnabird evaluate --mlm -q -t 1 -m start -f $1 --window 200 --order 2 --train-regions a \
            --bootstrap 5 --no-version --json $1.json --predictions $1.tok -o $1.tsv "${@:2}"
    }
    e u.fa --repeats m.bed
    e x.fa --repeats m.bed
    awk -v OFS='\t' 'FNR == NR { for (i = $2; i < $3; i++) in_mask[i]; next }
        $2 !~ /^[0-9]/ { next }
        {
            n = 0
            for (i = $2; i < $3; i++) n += i in in_mask
            want = 2 * n > $3 - $2 ? "repeat" : "nonrepeat"; k[$5]++; bad += $5 != want
        }
        END { print bad + 0, (k["repeat"] > 20), (k["nonrepeat"] > 20) }' m.bed u.fa.tok |
        tr '\t' ' '
    cut -f 2-4 u.fa.tsv | grep markov_both_2 | grep bits_per_base$ | tr '\t\n' ' ,'
    grep -o '"repeats": "mask"' u.fa.json
    | out ~ 0 1 1
    | out ~ repeat markov_both_2 bits_per_base,
    | out ~ nonrepeat markov_both_2 bits_per_base,
    | out ~ "repeats": "mask"
    | same u.fa.tok x.fa.tok
1 | . $T/cli/repeats_data.sh; learn_setup; printf 'x\t0\t9\n' >x.bed; dnabird evaluate --mlm -m start -f x.fa --repeats x.bed -o f.tsv | err ~ x.bed: the references have none of its contigs
    | err lines 1
    | none f.tsv*
