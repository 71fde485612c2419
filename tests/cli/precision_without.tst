# --precision in a build without oneDNN: one line names what is missing.

1: embed --precision int8 needs oneDNN
    dnabird init m
    echo 2 7 8 3 >i
    dnabird embed -m m --precision int8 -o x.npy --ids i
    | err ~ precision int8: this build has no oneDNN: install 2.x (Debian: libdnnl-dev) and build again with -Donednn=enabled, or use float32
    | err lines 1
    | none x.npy
1 | dnabird promoter --precision bfloat16 -o x.bed $DATA/genome/chr20_demo.fa.gz | err ~ precision bfloat16: this build has no oneDNN
    | err lines 1
    | none x.bed
1 | dnabird evaluate -m $T/data/model --precision int8 --test $T/data/train/prom_core_tata.test300.csv | err ~ this build has no oneDNN
    | err lines 1
    | out empty
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa --precision int8 -o o.tsv kinds.vcf | err ~ precision int8: this build has no oneDNN
    | err lines 1
    | none o.tsv*
1 | cp $T/data/variants/toy.fa .; dnabird mutate -m $T/data/model -f toy.fa -r chr1:1-10 --precision bfloat16 -o o | err ~ precision bfloat16: this build has no oneDNN
    | err lines 1
    | none o*
1 | . $T/cli/chromatin_data.sh; model; dnabird chromatin -m m --precision int8 -o o.tsv r.fa | err ~ precision int8: this build has no oneDNN
    | err lines 1
    | none o.tsv*
1 | dnabird bench --preset tiny --length 100 --precision int8 | err ~ this build has no oneDNN
    | err lines 1
    | out empty
0 | dnabird init m; dnabird info m | out !~ int8

# training
1: pretrain --precision bfloat16 needs oneDNN
    dnabird pretrain --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --steps 1 --batch 128 --length 128 --precision bfloat16 -o r \
        $DATA/genome/chr20_demo.fa.gz
    | err ~ precision bfloat16: this build has no oneDNN
    | err lines 1
    | none r
1: finetune --precision bfloat16 needs oneDNN
    dnabird finetune --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --train $T/data/train/prom_core_tata.test300.csv --precision bfloat16 -o r
    | err ~ precision bfloat16: this build has no oneDNN
    | none r
1 | dnabird bench train --preset tiny --length 100 --precision bfloat16 | err ~ precision bfloat16: this build has no oneDNN
    | out empty
