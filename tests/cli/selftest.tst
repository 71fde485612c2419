# dnabird export --selftest and info --selftest: stored answers of a model.

2 | dnabird info --selftest --verify a | err ~ one of --verify and --selftest
2 | dnabird info --precision int8 $T/data/model | err ~ --precision needs --selftest
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
1 | dnabird init a; dnabird export --selftest $DATA/genome/chr20_demo.fa.gz a b | err ~ dnabird: a: no tokenizer.json in the model
    | none b*

0: a classifier agrees with any threads and instruction set
    dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b
    dnabird info --selftest b
    dnabird info --selftest -t 1 b
    DNABIRD_ISA=base dnabird info --selftest b
    awk -F '\t' 'NF == 2 { n += !seen[$1]++ } END { print n }' b/selftest.tsv
    dnabird export b c
    | out ~ 100 of 100 sequences agree, 200 answers
    | out lines 7
    | err empty
    | has b/selftest.tsv
    | same b/selftest.tsv c/selftest.tsv
0: a compressed copy keeps its answers; a copy with other weights drops them
    dnabird export --weights bfloat16 --compress --selftest $DATA/genome/chr20_demo.fa.gz \
        $T/data/model b
    dnabird export --force --selftest $DATA/genome/chr20_demo.fa.gz b b2
    dnabird info --selftest b && cmp b/selftest.tsv b2/selftest.tsv &&
        dnabird export --force $T/data/model b && ls b
    | out !~ selftest.tsv
    | out ~ 100 of 100

0 long: rounded weights and another token type drop the answers
    dnabird init --preset tiny a
    dnabird tokenizer kmer -k 3 -o k.json
    dnabird init --tokenizer k.json --preset tiny m
    dnabird export --selftest $DATA/genome/chr20_demo.fa.gz m a2
    dnabird export --weights bfloat16 a2 b
    echo '{"token_type": 1}' >t
    dnabird export --facts t a2 c
    | out empty
    | has a2/selftest.tsv
    | none b/selftest.tsv
    | none c/selftest.tsv
    | err ~ b: selftest.tsv was not copied, as the copy's answers differ: recreate it with 'export --selftest FASTA'
    | err ~ c: selftest.tsv was not copied

1: a changed weight is found
    dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b
    printf '\101' |
        dd of=b/model.safetensors bs=1 seek=$(($(stat -c %s b/model.safetensors) - 1)) \
            conv=notrunc status=none
    dnabird info --selftest b
    | out ~ sequences agree
    | out !~ 100 of 100
    | out ~ tolerance 0.0001 (float32)
1: a weight that is NaN is found
    dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b
    printf '\0\0\300\177' |
        dd of=b/model.safetensors bs=1 seek=$(($(stat -c %s b/model.safetensors) - 4)) \
            conv=notrunc status=none
    dnabird info --selftest b
    | out ~ 0 of 100 sequences agree
    | out ~ largest difference inf

0: a model with bins agrees in every bin
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --preset tiny --stem 15x64/4,5x64 --head bins -b 100 \
        --labels a,b,c m &&
        dnabird export --compress --selftest $DATA/genome/chr20_demo.fa.gz m b &&
        dnabird info --selftest b
    head -2 b/selftest.tsv | tail -1 | cut -f 2 | tr ',' '\n' | wc -l
    | out ~ 100 of 100 sequences agree
    | out ~ 3
0 long: a masked-language model agrees in its tokens
    dnabird tokenizer kmer -k 3 -o k.json
    dnabird init --tokenizer k.json --preset tiny m &&
        dnabird export --selftest $DATA/genome/chr20_demo.fa.gz m b &&
        dnabird info --selftest b
    awk -F '\t' 'NF == 2' b/selftest.tsv |
        cut -f 2 |
        tail -1 |
        tr ',:' '\n\t' |
        awk '$2 < 0 { n++ } END { print n " below 0" }'
    | out ~ 100 of 100 sequences agree, 1600 answers
    | out ~ 16 below 0

0 long: public Hugging Face models agree after import
    for d in a_full_short_pad e_seqcls i_pretrain_nsp; do
        rm -rf hub taken b
        mkdir hub
        cp $T/golden/$d/config.json $T/golden/$d/model.safetensors hub
        [ $d != a_full_short_pad ] ||
            sed -i 's/BigBirdForMaskedLM/BigBirdModel/' hub/config.json
        dnabird tokenizer kmer -k 1 -o hub/tokenizer.json
        dnabird import -q hub taken &&
            dnabird export --selftest $DATA/genome/chr20_demo.fa.gz taken b &&
            cp b/selftest.tsv hub && dnabird info --selftest hub 2>>err
    done |
        grep -c '100 of 100'
    | out ~ 3

# damaged files
1: an answer that the model does not have is refused
    dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b
    sed -i '3s/\t.*/\t9:1/' b/selftest.tsv
    dnabird info --selftest b
    | err ~ b/selftest.tsv: line 3: answer 9 of a sequence that has 2
    | err lines 1
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; sed -i '3s/\t.*/\t1:x/' b/selftest.tsv; dnabird info --selftest b | err ~ line 3: answers are NUMBER:VALUE
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; echo ACGT >b/selftest.tsv; dnabird info --selftest b | err ~ line 1: a sequence, a tab and its answers
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; : >b/selftest.tsv; dnabird info --selftest b | err ~ b/selftest.tsv: no sequence in it
0 | dnabird init a; dnabird export --selftest $DATA/genome/chr20_demo.fa.gz a b 2>e && exit 9; cat e | out ~ no tokenizer.json in the model
# the shipped models
0 long | for m in $DATA/models/*/selftest.tsv; do dnabird info --selftest ${m%/*}; done | grep -c '100 of 100' | out ~ 3

# golden alleles: equal to variant's scores of the same changes, with any
# instruction set; llr and distance for a masked-language model
0: golden alleles equal the scores of variant
    dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b
    awk -F '\t' 'NF == 3 && $1 != "." { printf ">s%d\n%s\n", ++n, $1 }' b/selftest.tsv >g.fa
    awk -F '\t' -v OFS='\t' 'BEGIN {
            print "##fileformat=VCFv4.2\n#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO"
        }
        NF == 3 {
            n += $1 != "."; split($2, a, /[:>]/)
            print "s" n, a[1], ".", a[2], a[3], ".", ".", "."
        }' b/selftest.tsv >a.vcf
    dnabird variant -q -m b -f g.fa --shifts 0 --tokens anchored --scores diff -O tsv \
        a.vcf >a.tsv
    awk -F '\t' 'FNR == NR { if (NF == 3) { split($3, a, /[:,]/); want[++n] = a[2]; } next }
        tolower($1) == "#chrom" {
            for (i = 1; i <= NF; i++) if ($i == "diff") k = i
            next
        }
        !/^#/ { d = $k - want[++m]; bad += d * d > 1e-10; some += want[m] != 0 }
        END { print n, m, some, bad + 0 }' b/selftest.tsv a.tsv
    | out ~ 20 20 20 0
0 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; dnabird info --selftest b; DNABIRD_ISA=base dnabird info --selftest b | out ~ selftest: 20 of 20 alleles agree, 20 answers
    | out lines 4
0 long: a masked-language model has golden alleles
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --preset tiny m &&
        dnabird export --selftest $DATA/genome/chr20_demo.fa.gz m b &&
        dnabird info --selftest b
    | out ~ selftest: 20 of 20 alleles agree, 40 answers
0: a bare encoder has no golden alleles
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --preset tiny m
    dnabird export --compress --encoder-only m e
    cp k.json e/tokenizer.json
    dnabird export --selftest $DATA/genome/chr20_demo.fa.gz e b
    dnabird info --selftest b
    awk -F '\t' 'NF == 3' b/selftest.tsv
    | out ~ 100 of 100 sequences
    | out !~ alleles
# damaged rows of alleles
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; sed -i '$s/\t0:[^\t]*$/\t0:0.5/' b/selftest.tsv; dnabird info --selftest b | out ~ selftest: 19 of 20 alleles agree
    | out ~ 100 of 100 sequences
    | err empty
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; sed -i '$s/\t[0-9]*:/\t9999:/' b/selftest.tsv; dnabird info --selftest b | err ~ a change outside of its sequence
    | err lines 1
1: a golden allele with a malformed ALT is refused
    dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b
    sed -i '$s/\t\([0-9]*\):[ACGT]*>/\t\1:X>/' b/selftest.tsv
    dnabird info --selftest b
    | err ~ REF must equal the sequence
1 | dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b; sed -i '$s/>/-/' b/selftest.tsv; dnabird info --selftest b | err ~ a change is PLACE:REF>ALT
1: a golden allele without a sequence before it is refused
    dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b
    awk -F '\t' 'NF < 3' b/selftest.tsv >c
    cp c b/selftest.tsv
    printf '.\t5:A>C\t0:1\n' >>b/selftest.tsv
    dnabird info --selftest b
    | err ~ there is no sequence before
0: outputs name the digest of their model's golden answers
    cp $T/data/variants/toy.fa .
    dnabird export --selftest $DATA/genome/chr20_demo.fa.gz $T/data/model b
    h=$(sha256sum b/selftest.tsv | cut -c 1-16)
    for m in b $T/data/model; do
        dnabird mutate -q -m $m -f toy.fa -r chr1:150-151
        dnabird promoter -q -m $m toy.fa
    done |
        grep '^# model' |
        sed "s/ $h\$/ HEX/" |
        grep -c 'golden answers HEX'
    | out ~ 2
