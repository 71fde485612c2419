# dnabird export --selftest and info --selftest: answers that a model keeps.

2 | dnabird info --selftest --verify a | err ~ one of --verify and --selftest
2 | dnabird info --precision int8 $T/data/model | err ~ --precision goes with --selftest
1 | dnabird info --selftest none | err ~ none
    | err lines 1
1 | dnabird info --selftest $T/data/model | err ~ no selftest.tsv in the model: 'dnabird export --selftest FASTA'
    | err lines 1
1 | dnabird export --selftest no.fa $T/data/model b | err ~ no.fa
    | err lines 1
    | none b*
1 | printf '>a\nNNNNNNNNNNNNNNNNNNNNNN\n' >n.fa; dnabird export --selftest n.fa $T/data/model b | err ~ n.fa: too few known bases (A, C, G, T) for a self-test
    | err lines 1
    | none b*

# a head on a sequence; any number of threads and instruction set; export leaves the file behind
0 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; dnabird info --selftest b; dnabird info --selftest -t 1 b; DNABIRD_ISA=base dnabird info --selftest b; grep -vc '^#' b/selftest.tsv; cut -f 1 b/selftest.tsv | sort | uniq -d; dnabird export b c | out ~ 100 of 100 sequences agree, 200 answers
    | out lines 4
    | err empty
    | has b/selftest.tsv
    | none c/selftest.tsv
0 | dnabird export --weights bfloat16 --compress --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; dnabird export --force --selftest $DATA/genome/chr20_demo.fa.gz b b2; dnabird info --selftest b && cmp b/selftest.tsv b2/selftest.tsv && dnabird export --force $T/data/model b && ls b | out !~ selftest.tsv
    | out ~ 100 of 100

# one byte of the weights, checksums aside
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; printf '\101' | dd of=b/model.safetensors bs=1 seek=$(($(stat -c %s b/model.safetensors) - 1)) conv=notrunc status=none; dnabird info --selftest b | out ~ sequences agree
    | out !~ 100 of 100
    | out ~ tolerance 0.0001 (float32)
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; printf '\0\0\300\177' | dd of=b/model.safetensors bs=1 seek=$(($(stat -c %s b/model.safetensors) - 4)) conv=notrunc status=none; dnabird info --selftest b | out ~ 0 of 100 sequences agree
    | out ~ largest difference inf

# bins, each answered; tokens of a masked-language model
0 | dnabird tokenizer kmer -k 1 -o k.json; dnabird init --tokenizer k.json --preset tiny --stem 15x64/4,5x64 --head bins -b 100 --labels a,b,c m && dnabird export --compress --selftest $DATA/genome/chr20_demo.fa.gz m b && dnabird info --selftest b; head -2 b/selftest.tsv | tail -1 | cut -f 2 | tr ',' '\n' | wc -l | out ~ 100 of 100 sequences agree
    | out ~ 3
0 | dnabird tokenizer kmer -k 3 -o k.json; dnabird init --tokenizer k.json --preset tiny m && dnabird export --selftest $DATA/genome/chr20_demo.fa.gz m b && dnabird info --selftest b; cut -f 2 b/selftest.tsv | tail -1 | tr ',:' '\n\t' | awk '$2 < 0 { n++ } END { print n " below 0" }' | out ~ 100 of 100 sequences agree, 1600 answers
    | out ~ 16 below 0

# public models as they are published: hidden states, a classifier, tokens
0 | for d in a_full_short_pad e_seqcls i_pretrain_nsp; do rm -rf hub taken b; mkdir hub; cp $T/golden/$d/config.json $T/golden/$d/model.safetensors hub; [ $d != a_full_short_pad ] || sed -i 's/BigBirdForMaskedLM/BigBirdModel/' hub/config.json; dnabird tokenizer kmer -k 1 -o hub/tokenizer.json; dnabird import -q hub taken && dnabird export --selftest $DATA/genome/chr20_demo.fa.gz taken b && cp b/selftest.tsv hub && dnabird info --selftest hub 2>>err; done | grep -c '100 of 100' | out ~ 3

# a file that is damaged
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; sed -i '3s/\t.*/\t9:1/' b/selftest.tsv; dnabird info --selftest b | err ~ b/selftest.tsv: line 3: answer 9 of a sequence that has 2
    | err lines 1
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; sed -i '3s/\t.*/\t1:x/' b/selftest.tsv; dnabird info --selftest b | err ~ line 3: answers are NUMBER:VALUE
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; echo ACGT >b/selftest.tsv; dnabird info --selftest b | err ~ line 1: a sequence, a tab and its answers
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; : >b/selftest.tsv; dnabird info --selftest b | err ~ b/selftest.tsv: no sequence in it
0 | dnabird init a; dnabird export --selftest $DATA/genome/chr20_demo.fa.gz a b 2>e && exit 9; cat e | out ~ no tokenizer.json in the model
# the shipped models
0 | for m in $DATA/models/*/selftest.tsv; do dnabird info --selftest ${m%/*}; done | grep -c '100 of 100' | out ~ 3
