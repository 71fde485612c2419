# --precision in a build with oneDNN.

0 | dnabird init m; echo 2 7 8 3 >i; dnabird embed -m m -o x.npy --ids i; dnabird embed -m m --precision int8 -o y.npy --ids i | differ x.npy y.npy
    | err ~ 1 sequence, 4 tokens
0: threads do not change embed --precision int8
    dnabird init m
    for i in 40 7 200 64 33; do seq 5 $i | tr '\n' ' '; echo 9; done >i
    dnabird embed -m m --precision int8 -t 1 -o x.npy --ids i
    dnabird embed -m m --precision int8 -t 3 -o y.npy --ids i
    | same x.npy y.npy
0 | r=chr20:2,400,001-2,420,000; for t in 1 2; do dnabird promoter --precision int8 -t $t -r $r -O windows --no-version -o $t.tsv $DATA/genome/chr20_demo.fa.gz; done | same 1.tsv 2.tsv
    | has 1.tsv
0 | dnabird promoter --precision int8 -r chr20:2,400,001-2,410,000 $DATA/genome/chr20_demo.fa.gz | out ~ --precision int8
0 | dnabird evaluate -m $T/data/model --precision int8 --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv | out ~ auroc
0 | dnabird bench --preset tiny --length 100 --sequences 2 --runs 1 --precision int8 | out ~ times_as_fast
    | out ~ error_rms
    | out lines 3
0 | dnabird bench linear --preset tiny --length 100 --runs 1 --precision int8 --json | out ~ "times_as_fast":
    | out ~ "error_rms":
    | out ~ "precision": "int8"

0 | dnabird bench scan --precision int8 -r chr20:2400001-2402000 --runs 1 --json -f $DATA/genome/chr20_demo.fa.gz | out ~ "precision": "int8"

0: threads do not change mutate --precision int8
    cp $T/data/variants/toy.fa .
    m="-m $T/data/model -f toy.fa -r chr1:101-130 --no-version"
    dnabird mutate $m >f
    for t in 1 2; do dnabird mutate $m --precision int8 -t $t >$t.tsv; done
    cmp -s f 1.tsv || echo other
    | same 1.tsv 2.tsv
    | out ~ other
0: threads do not change variant --precision int8
    cp $T/data/variants/* .
    m="-m $T/data/model -f toy.fa -O tsv --no-version"
    dnabird variant $m -o f kinds.vcf
    for t in 1 2; do dnabird variant $m --precision int8 -t $t -o $t.tsv kinds.vcf; done
    cmp -s f 1.tsv || echo other
    | same 1.tsv 2.tsv
    | out ~ other
0: threads do not change chromatin --precision int8
    . $T/cli/chromatin_data.sh
    model
    dnabird chromatin -m m --no-version r.fa >f
    for t in 1 2; do
        dnabird chromatin -m m --precision int8 -t $t --no-version r.fa >$t.tsv
    done
    cmp -s f 1.tsv || echo other
    | same 1.tsv 2.tsv
    | out ~ other
# backgrounds and runs of another precision
0: a background of another precision gives no e-values and z-scores
    cp $T/data/variants/* .
    cp -r $T/data/model m
    dnabird variant background -m m -f toy.fa -n 20 --precision int8
    dnabird variant -m m -f toy.fa -o o.tsv kinds.vcf
    | err ~ of another precision: no e-values and z
0: a background of the same precision is used
    cp $T/data/variants/* .
    cp -r $T/data/model m
    dnabird variant background -m m -f toy.fa -n 20 --precision int8
    dnabird variant -m m -f toy.fa --precision int8 -O tsv kinds.vcf
    | err !~ precision
0 | dnabird init m; echo 2 7 8 3 >i; dnabird embed -m m --precision int8 -o y.safetensors --ids i; head -c 400 y.safetensors | out ~ "precision":"int8"

# a processor without the matrix product: an environment variable makes oneDNN
# use an old instruction set
1 needs=x86_64: embed refuses bfloat16 on a processor without it
    dnabird init m
    echo 2 7 8 3 >i
    DNNL_MAX_CPU_ISA=AVX2 dnabird embed -m m --precision bfloat16 -o x.npy --ids i
    | err ~ precision bfloat16: oneDNN has no matrix product for this processor: use float32
    | err lines 1
    | none x.npy
0 needs=x86_64 | dnabird init m; echo 2 7 8 3 >i; DNNL_MAX_CPU_ISA=AVX2 dnabird embed -m m --precision int8 -o x.npy --ids i | has x.npy
1 needs=x86_64: pretrain refuses bfloat16 on a processor without it
    DNNL_MAX_CPU_ISA=AVX2 dnabird pretrain --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --steps 1 --batch 128 --length 128 \
        --precision bfloat16 -o r $DATA/genome/chr20_demo.fa.gz
    | err ~ precision bfloat16: oneDNN has no matrix product for this processor: use float32
    | err lines 1
    | none r
