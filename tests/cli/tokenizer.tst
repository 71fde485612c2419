# tokenizer train and tokenize: from sequence to a vocabulary, and to tokens.

0 | dnabird tokenizer --help | out ~ tokenizer train
2 | dnabird tokenizer | err ~ tokenizer train
    | out empty
2 | dnabird tokenizer trian | err ~ did you mean 'tokenizer train'?
0 | dnabird tokenizer train --help=all | out ~ --max-memory
    | out ~ (default: 32000)
2 | dnabird tokenizer train -o t.json | err ~ no FASTA file
2 | printf '>a\nACGT\n' >a.fa; dnabird tokenizer train a.fa | err ~ give the output with -o
2 | printf '>a\nACGT\n' >a.fa; dnabird tokenizer train a.fa -o t.json -v x | err ~ -v
1 | printf '>a\nACGT\n' >a.fa; dnabird tokenizer train a.fa -o t.json -v 5 | err ~ vocabulary of 5
    | none t.json
1 | dnabird tokenizer train no.fa -o t.json | err ~ no.fa
    | err lines 1
    | none t.json
1 | printf '>a\nACGT\n' >a.fa; dnabird tokenizer train a.fa -o none/t.json | err ~ none/t.json
1 | printf '>a\nACGT\n' >a.fa; dnabird tokenizer train a.fa -o t.json -r b:1-3 | err ~ b
    | none t.json

# tokenizer kmer
0 | dnabird tokenizer kmer --help=all | out ~ --stride
2 | dnabird tokenizer kmer -k 3 | err ~ give the output with -o
1: a vocabulary that cannot be written leaves the older one and its stride
    dnabird tokenizer kmer -k 3 -s 1 -o k.json
    cp k.json a
    cp k_config.json b
    (trap '' XFSZ; ulimit -f 200; dnabird tokenizer kmer -k 8 -s 8 -o k.json)
    s=$?
    cmp k.json a && cmp k_config.json b && exit $s
    | err ~ k.json: File too large
    | none *tmp*
2 | dnabird tokenizer kmer -k 9 -o t.json | err ~ -k must be between 1 and 8
2 | dnabird tokenizer kmer -k 3 -s 4 -o t.json | err ~ -s between 1 and k
1 | dnabird tokenizer kmer -o none/t.json | err ~ none/t
0 | dnabird tokenizer kmer -k 2 -o t.json; cat t_config.json; printf '>a\nACGNTT\n' | dnabird tokenize --tokenizer t.json --special - | out ~ "stride": 1
    | out ~ 1 6 11 0 0 20 2
    | has t.json
0 | dnabird tokenizer kmer -k 2 -s 2 -o t.json; printf '>a\nacgtt\n>b\nA\n' | dnabird tokenize --tokenizer t.json - >got; printf '6 16 0\n0\n' >want | same got want
0: k-mers with a stride are written as BED
    dnabird tokenizer kmer -k 3 -s 2 -o t.json
    printf '>a\nACGTTAAA\n' | dnabird tokenize --tokenizer t.json -O bed - >got
    printf 'a\t0\t3\tACG\t0\t+\t11\na\t2\t5\tGTT\t0\t+\t52\na\t4\t7\tTAA\t0\t+\t53\n' >want
    | same got want
1 | dnabird tokenizer kmer -k 2 -o t.json; rm t_config.json; printf '>a\nA\n' | dnabird tokenize --tokenizer t.json - | err ~ without a stride: write {"stride": N} into t_config.json
    | err lines 1
1 | dnabird tokenizer kmer -k 2 -o t.json; printf '{"stride": 3}' >t_config.json; printf '>a\nA\n' | dnabird tokenize --tokenizer t.json - | err ~ t_config.json
0: a vocabulary of words takes the longest
    printf \
        '{"model": {"type": "WordLevel", "unk_token": "U", "vocab": {"U": 0, "AC": 1, "ACG": 2}}}' \
        >w.json
    printf '>x\nACG\n>y\nA\n' | dnabird tokenize --tokenizer w.json - >got
    printf '2\n0\n' >want
    | same got want
1: a stride needs words of one length
    printf \
        '{"model": {"type": "WordLevel", "unk_token": "U", "vocab": {"U": 0, "AC": 1, "ACG": 2}}}' \
        >w.json
    echo '{"stride": 1}' >w_config.json
    printf '>x\nA\n' | dnabird tokenize --tokenizer w.json -
    | err ~ differ in length
1 | printf '{"model": {"type": "WordLevel", "unk_token": "U", "vocab": {"U": 0}}}' >w.json; printf '>x\nA\n' | dnabird tokenize --tokenizer w.json - | err ~ without words
1 | printf '{"model": {"type": "WordLevel", "vocab": {"AC": 1}}}' >w.json; printf '>x\nA\n' | dnabird tokenize --tokenizer w.json - | err ~ unk_token

# training and tokenizing
0 | printf '>a\nACACAC\nacac\n' | dnabird tokenizer train - -o t.json -v 12 | err ~ t.json: 12 tokens from 10 bases, 2.00 bp per token
    | has t.json
    | err lines 1
0 | printf '>a\nACACAC\n' | dnabird tokenizer train - -o t.json -v 100 --min-count 3 | err ~ no pair is left that occurs 3 times: 12 tokens instead of 100
0 | printf '>a\nACGTACGGTTAC\n' >a.fa; for t in 1 2; do dnabird tokenizer train a.fa -o $t.json -v 14 -t $t; done | same 1.json 2.json
0: train counts in the regions alone
    printf '>a\nAAAAAACC\n' >a.fa
    dnabird tokenizer train a.fa -o 1.json -v 12 -r a:7-8
    printf '>a\nCC\n' | dnabird tokenizer train - -o 2.json -v 12 --min-count 1
    dnabird tokenizer train a.fa -o 3.json -v 12 --min-count 1 -r a:7-8
    | same 2.json 3.json
    | differ 1.json 3.json
0 | printf '>a\nTTTGTTTG\n' >a.fa; dnabird tokenizer train a.fa -o 1.json -v 13 --strand both; grep -o 'T T' 1.json; grep -o 'A A' 1.json | out lines 2

0: tokenize writes ids, one line for each record
    printf '>a\nACACAC\n' | dnabird tokenizer train - -o t.json -v 12
    printf '>x y\nACACG\nnnnnnnnnnnnnu\n>e\n>z\nR\n' >i.fa
    dnabird tokenize --tokenizer t.json i.fa >ids
    printf '11 11 8 5 10\n\n0\n' >want
    | same ids want
0 | printf '>a\nACACAC\n' | dnabird tokenizer train - -o t.json -v 12; printf '>x\nACACG\nnnnnnnnnnnnnu\n' | dnabird tokenize --tokenizer t.json -O tokens --special - | out ~ [CLS] AC AC G - T [SEP]
    | out lines 1
0: tokenize writes BED with the special tokens
    printf '>a\nACACAC\n' | dnabird tokenizer train - -o t.json -v 12
    printf '>x y\nACACG\nnnnnnnnnnnnnu\n' |
        dnabird tokenize --tokenizer t.json -O bed --special - >got
    printf '%b\n' 'x\t0\t2\tAC\t0\t+\t11' 'x\t2\t4\tAC\t0\t+\t11' 'x\t4\t5\tG\t0\t+\t8' \
        'x\t5\t17\t-\t0\t+\t5' 'x\t17\t18\tT\t0\t+\t10' >want
    | same got want
0: tokenize -r writes positions on the contig
    printf '>a\nACACAC\n' | dnabird tokenizer train - -o t.json -v 12
    printf '>x\nACACG\n' >i.fa
    dnabird tokenize --tokenizer t.json -O bed -r x:3-5 i.fa >got
    printf 'x\t2\t4\tAC\t0\t+\t11\nx\t4\t5\tG\t0\t+\t8\n' >want
    | same got want
0: tokenize -R reads the minus strand, as embed does
    printf '>a\nACACAC\n' | dnabird tokenizer train - -o t.json -v 12
    printf '>x\nGGTGTC\n' >i.fa
    printf 'x\t1\t6\tn\t0\t-\nx\t1\t6\tn\t0\t+\nx\t0\t2\n' >r.bed
    dnabird tokenize --tokenizer t.json -R r.bed -O tokens i.fa | paste -s -d ';'
    dnabird tokenize --tokenizer t.json -R r.bed -O bed i.fa | head -3 >got
    printf 'x\t5\t6\tG\t0\t-\t8\nx\t3\t5\tAC\t0\t-\t11\nx\t1\t3\tAC\t0\t-\t11\n' >want
    dnabird init --tokenizer t.json m
    dnabird tokenize -m m --special -R r.bed i.fa >ids
    dnabird embed -q -m m --ids ids -o i.npy
    dnabird embed -q -m m -R r.bed -f i.fa -o r.npy
    | out ~ G AC AC;G T G T C;G G
    | same got want
    | same i.npy r.npy
0: tokenize reports a BED without regions
    dnabird tokenizer kmer -k 2 -o k.json
    printf '>a\nACGT\n' >x.fa
    echo '# none' >r.bed
    dnabird tokenize --tokenizer k.json -R r.bed x.fa
    | out empty
    | err ~ warning: r.bed: no region in it, so nothing was written
0 | printf '>a\nACACAC\n' | dnabird tokenizer train - -o t.json -v 12; mkdir m; mv t.json m/tokenizer.json; printf '>x\nACACG\n' | dnabird tokenize -m m - | out ~ 11 11 8

2 | printf '>x\nA\n' | dnabird tokenize --tokenizer t.json -m m - | err ~ not both
2 | dnabird tokenize --tokenizer t.json | err ~ one FASTA file
1 | printf '>x\nA\n' | dnabird tokenize --tokenizer no.json - | err ~ no.json
    | err lines 1
1 | printf '{"model": {"type": "Unigram"}}' >w.json; printf '>x\nA\n' | dnabird tokenize --tokenizer w.json - | err ~ w.json: model type 'Unigram'
1 | printf '>a\nAC\n' | dnabird tokenizer train - -o t.json -v 12; dnabird tokenize --tokenizer t.json no.fa | err ~ no.fa
0 | dnabird tokenize --tokenizer $T/golden/tokenizer/t2t_1000h_multi_32k.json --help | out ~ --special

# no sequence to learn from
1 | printf '>a\nNNNNNNNN\n' >x.fa; dnabird tokenizer train -o k.json x.fa | err ~ no A, C, G or T
    | none k.json*
1 | printf '>a\nACGTNNNN\n' >x.fa; dnabird tokenizer train -o k.json -r a:5-8 x.fa | err ~ x.fa: no A, C, G or T in the regions: there is nothing to learn
    | none k.json*
1 | printf '>a\nACGTNNNN\n' >x.fa; >r.bed; dnabird tokenizer train -o k.json -R r.bed x.fa | err ~ no A, C, G or T in the regions
