# --precision, with or without oneDNN in the build.

2 | dnabird embed --precision half -o x.npy --ids i | err ~ half
2 | dnabird promoter --precision bf16 in.fa | err ~ bf16
2 | dnabird chromatin --precision half x.fa | err ~ half
2 | dnabird variant --precision half -f x.fa x.vcf | err ~ half
2 | dnabird mutate --precision half -f x.fa -r a:1-2 | err ~ half
2 | dnabird evaluate --precision half --test x | err ~ half
2 | dnabird finetune --precision int8 | err ~ precision
2 | dnabird bench attention --precision int8 | err ~ --precision belongs to forward, linear and train
    | out empty
2 | dnabird bench tokenize --precision bfloat16 | err ~ --precision belongs to forward, linear and train
2 | dnabird pretrain --precision int8 | err ~ 'int8' is not one of
2 | dnabird finetune chromatin --precision int8 | err ~ 'int8' is not one of
1 | dnabird bench train --preset tiny --length 100 --precision int8 | err ~ train in float32 or bfloat16
    | err lines 1
    | out empty

# weights stored in bfloat16 are read by all commands
0 | dnabird export --weights bfloat16 $T/data/model b && echo 2 7 8 3 >i && dnabird embed -m b -o x.npy --ids i && dnabird embed -m b --precision float32 -o y.npy --ids i | same x.npy y.npy
0 | dnabird info $T/data/model | out ~ float32

0: the windows of alleles are those of the model's background in every precision
    cp $T/data/variants/* .
    for p in float32 bfloat16; do
        dnabird variant -q -m activity --precision $p -f toy.fa --json $p.json -o /dev/null \
            kinds.vcf 2>$p.err || grep -q oneDNN $p.err || exit 1
    done
    # without oneDNN there is nothing to compare
    [ -s bfloat16.json ] || cp float32.json bfloat16.json
    for p in float32 bfloat16; do grep -h '"shifts"\|"tokens"' $p.json >$p.windows; done
    cat float32.windows
    | same float32.windows bfloat16.windows
    | out ~ 0/2d
