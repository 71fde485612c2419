# Rows for pretraining, sampled in advance.

0 | dnabird dataset --help | out ~ rows for pretraining
0 | dnabird dataset tokens --help=all | out ~ --nsp
    | out ~ --tokenizer FILE (--steps N | -n N) [options] -o DIR ref.fa...
2 | dnabird dataset tokens | err ~ --tokenizer FILE
2 | dnabird dataset tokens --steps 1 -o x ref.fa | err ~ --tokenizer FILE and -o DIR are needed
2 | dnabird dataset tokens --tokenizer t.json --steps 1 -o x | err ~ no FASTA file
2 | dnabird dataset tokens --tokenizer t.json -o x ref.fa | err ~ give --steps or --number
2 | dnabird dataset tokens --tokenizer t.json --steps 1 --number 1 -o x ref.fa | err ~ give --steps or --number
2 | dnabird dataset tokens --tokenizer t.json --steps 1 --sampling pages -o x ref.fa | err ~ windows

0 needs=zstd: the disk space is reported first, and the shards are plain zstd
    dnabird tokenizer train -v 64 -R $DATA/genome/chr20_demo_region.bed \
        $DATA/genome/chr20_demo.fa.gz -o t.json
    dnabird dataset tokens --tokenizer t.json --include $DATA/genome/chr20_demo_region.bed \
        --steps 5 --batch 1024 --length 256 --file-rows 8 -o tok \
        $DATA/genome/chr20_demo.fa.gz
    zstd -tq tok/*.zst
    ls tok
    | out lines 4
    | err ~ tok: 20 rows, 4 a step (5 whole steps), from 1,500,000 bases
    | err ~ of disk for 20 rows
    | err ~ the mean of 16 rows
    | has tok/000002.tokens.zst
    | none tok/*.tmp*

0: threads and an interruption do not change the bytes
    cp $T/data/model/tokenizer.json t.json
    awk 'BEGIN {
            srand(1); print ">r"
            for (i = 0; i < 3000; i++) {
                s = ""
                for (j = 0; j < 60; j++) s = s substr("ACGT", int(rand() * 4) + 1, 1)
                print s
            }
        }' >r.fa
    for t in 1 2; do
        dnabird dataset tokens -t $t --tokenizer t.json --steps 50 --batch 1024 --length 256 \
            --file-rows 60 -o t$t r.fa
    done
    cat t1/* >a
    cat t2/* >b
    rm t2/000001*
    dnabird dataset tokens --tokenizer t.json --steps 50 --batch 1024 --length 256 -o t2 \
        r.fa
    cat t2/* >c
    | same a b
    | same a c
    | err ~ continued after 140 rows of an earlier run
0: --sampling documents and --nsp are recorded
    cp $T/data/model/tokenizer.json t.json
    yes ACGTTGCAACTGA | head -2000 | sed '1i>r' >r.fa
    dnabird dataset tokens --tokenizer t.json --sampling documents --nsp --number 7 \
        --batch 1 --length 128 -o d r.fa
    cat d/tokens.json
    | out ~ "sampling": "documents"
    | out ~ "next_sentence": true
    | out ~ "rows": 7
    | out ~ "name": "r"

0: --include takes regions or a BED file
    cp $T/data/model/tokenizer.json t.json
    yes ACGTTGCAACTGA | head -2000 | sed '1i>r' >r.fa
    dnabird dataset tokens --tokenizer t.json --include r:1-20000 \
        --valid-include r:5001-6000 --test-include r:19001- --number 7 --length 128 -o a \
        r.fa
    printf 'r\t0\t5000\nr\t6000\t19000\n' >in.bed
    dnabird dataset tokens --tokenizer t.json --include in.bed --number 7 --length 128 \
        -o b r.fa
    cat a/* >a.all
    cat b/* >b.all
    | same a.all b.all
    | err ~ from 18,000 bases

0: --exclude takes regions, too
    cp $T/data/model/tokenizer.json t.json
    { yes ACGTTGCAACTGA | head -2000 | sed '1i>r'; echo '>s'; yes ACCTGA | head -200; } >r.fa
    t() { dnabird dataset tokens -q --tokenizer t.json --number 7 --length 128 -o $1 -x $2 r.fa; }
    printf 'r\t5000\t6000\ns\t0\t1200\n' >x.bed
    t a r:5001-6000,s && t b x.bed && cat a/* >a.all && cat b/* >b.all
    t d - <x.bed && cat d/* >d.all
    t c r,q
    [ $? = 1 ]
    | same a.all b.all
    | same a.all d.all
    | err ~ 'q' is neither a file nor a contig of the references
    | none c
# wrong input gives one line and leaves nothing
1: more rows than fit on the disk are refused
    cp $T/data/model/tokenizer.json t.json
    yes ACGTTGCAACTGA | head -2000 | sed '1i>r' >r.fa
    dnabird dataset tokens --tokenizer t.json --number 100G --length 128 -o d r.fa
    | err ~ are free: fewer rows, or another disk
    | none d*
1 | dnabird dataset tokens --tokenizer none.json --number 1 -o d r.fa | err ~ none.json
    | err lines 1
    | none d
1 | cp $T/data/model/tokenizer.json t.json; dnabird dataset tokens --tokenizer t.json --number 1 -o d none.fa | err ~ none.fa
    | err lines 1
    | none d
1: regions without bases are refused
    cp $T/data/model/tokenizer.json t.json
    yes ACGTTGCAACTGA | head -200 | sed '1i>r' >r.fa
    echo "q 1 5" >q.bed
    dnabird dataset tokens --tokenizer t.json --include q.bed --number 1 -o d r.fa
    | err ~ no A, C, G or T lies where rows may lie
    | err lines 1
1: an existing folder made with another seed is refused
    cp $T/data/model/tokenizer.json t.json
    yes ACGTTGCAACTGA | head -200 | sed '1i>r' >r.fa
    for s in 1 2; do
        dnabird dataset tokens --tokenizer t.json --number 5 --seed $s -o d r.fa || exit
    done
    | err ~ d/tokens.json: made with another seed (1, not 2)
1 | cp $T/data/model/tokenizer.json t.json; yes ACGTTGCAACTGA | head -200 | sed '1i>r' >r.fa; touch file; dnabird dataset tokens --tokenizer t.json --number 5 -o file r.fa | err ~ file
    | has file
1: a region that is neither a file nor a contig is refused
    cp $T/data/model/tokenizer.json t.json
    yes ACGTTGCAACTGA | head -200 | sed '1i>r' >r.fa
    dnabird dataset tokens --tokenizer t.json --number 5 --valid-include q -o d r.fa
    | err ~ 'q' is neither a file nor a contig of the references
    | none d
