# BigBird-ETC: global tokens in the tokenizer, in models and in all commands.

# global tokens in the tokenizer
0: global tokens stand before [CLS] and keep the positions of the bases
    printf '>a\nACACAC\n' >a.fa
    dnabird tokenizer train a.fa -o p.json -v 12
    dnabird tokenizer train a.fa -o g.json -v 12 --global-tokens 2
    for x in p g; do dnabird tokenize --tokenizer $x.json -O bed a.fa >$x.bed; done
    dnabird tokenize --tokenizer g.json --special -O tokens a.fa
    dnabird tokenize --tokenizer g.json --special a.fa
    tr -d ' \n' <g.json |
        grep -o \
            '"type":"TemplateProcessing","single":.{"SpecialToken":{"id":"[^}]*}},{"SpecialToken":{"id":"[^}]*}'
    | out ~ [G1] [G2] [CLS] AC AC AC [SEP]
    | out ~ 12 13 1 11 11 11 2
    | out ~ {"id":"[G1]","type_id":0}},{"SpecialToken":{"id":"[G2]","type_id":0}
    | same p.bed g.bed
0 | dnabird tokenizer kmer -k 1 --global-tokens 3 -o k.json; printf '>a\nACGT\n' | dnabird tokenize --tokenizer k.json --special -O tokens - | out ~ [G1] [G2] [G3] [CLS] A C G T [SEP]
1 | dnabird tokenizer kmer -k 1 --global-tokens 4097 -o k.json | err ~ 4097 global tokens: use 0 to 4096
    | err lines 1
    | none k*.json
1 | printf '>a\nACACAC\n' | dnabird tokenizer train - -v 12 --global-tokens 5000 -o k.json | err ~ 5000 global tokens: use 0 to 4096
    | none k.json
2 | dnabird tokenizer kmer -k 1 --global-tokens -1 -o k.json | err ~ --global-tokens

# the pattern; its last block is no global one
0: the pattern has global rows and columns, and a window
    dnabird pattern show --pattern etc,block=2,global=4 --length 12 >got
    printf '######\n######\n####..\n#####.\n##.###\n##..##\n' >want
    sed 1d got >rows
    head -1 got
    | out ~ # etc,block=2,global=4, 12 tokens, 6 blocks, layer 0, any head
    | same rows want
0 | dnabird pattern check --pattern etc,block=16,global=16 --length 1040 | out ~ assumption 1       holds
    | out ~ 1.3 steps          yes: after s = 2 layers every block sees all
    | out ~ sparsity           92.45 %
1 | dnabird pattern show --pattern etc,block=16,global=24 --length 100 | err ~ 24 global tokens are not a multiple of the block size, which is 16
    | err lines 1

0: init and info name the global tokens of the tokenizer
    dnabird tokenizer kmer -k 1 --global-tokens 8 -o k.json
    dnabird init --tokenizer k.json --pattern etc,block=4,global=8,width=2 m
    dnabird info m
    dnabird pattern show -m m --length 20
    grep -h 'attention_type\|global_tokens' m/config.json
    grep -h attention_window m/dnabird.json
    | out ~ attention     BigBird-ETC: blocks of 4 tokens, 2 to either side, 0 random ones a row
    | out ~ global tokens 8, [G1] to [G8], in front of [CLS]; heads on token 0 read [G1]
    | out ~ reach         token 0 sees every token after 1 layer; the model has 2
    | out ~ # etc,block=4,global=8,width=2, 20 tokens
    | out ~ "attention_type": "etc"
    | out ~ "global_tokens": 8
    | out ~ "attention_window": 2
    | out !~ NOT AS MANY
1: a tokenizer with global tokens needs the etc pattern
    dnabird tokenizer kmer -k 1 --global-tokens 8 -o k.json
    dnabird init --tokenizer k.json m
    | err ~ k.json: the tokenizer puts 8 global tokens ([G1], ...) before a text, but the attention pattern is bigbird with 0 of them
    | err lines 1
    | none m
1: the etc pattern needs a tokenizer with global tokens
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --pattern etc,block=4,global=8 m
    | err ~ the tokenizer puts 0 global tokens ([G1], ...) before a text, but the attention pattern is etc with 8 of them
    | none m
1: a model whose tokenizer and pattern disagree is refused
    dnabird tokenizer kmer -k 1 --global-tokens 8 -o k.json
    dnabird init --tokenizer k.json --pattern etc,block=4,global=8 m
    sed -i 's/"global_tokens": 8/"global_tokens": 4/' m/config.json
    printf '>a\nACGT\n' >a.fa
    dnabird info m
    dnabird embed -q -m m a.fa -o a.npy
    | out ~ global tokens 8 of the tokenizer: NOT AS MANY AS THE PATTERN HAS
    | err ~ m: the tokenizer puts 8 global tokens
    | err lines 1
    | none a.npy
1: pretrain refuses a tokenizer with global tokens for bigbird
    printf '>a\nACGTACGT\n' >a.fa
    dnabird tokenizer kmer -k 1 --global-tokens 8 -o k.json
    dnabird pretrain --preset tiny --tokenizer k.json --steps 1 -o p a.fa
    | err ~ but the attention pattern is bigbird with 0 of them
    | none p

# adding global tokens to a model
0: init --from adds global tokens and keeps the other rows
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json m
    dnabird init --from m --pattern etc,block=8,global=8 g
    dnabird info g
    printf '>a\nACGTNACGTTAGGAC\n' >a.fa
    for x in m g; do dnabird embed -q -m $x --layer inputs a.fa -o $x.npy; done
    tail -c $((17 * 256)) m.npy >x
    tail -c $((17 * 256)) g.npy >y
    head -c 128 g.npy | tr -dc '0-9(),'
    | out ~ context       520 tokens
    | out ~ tokenizer     17 tokens
    | out ~ global tokens 8, [G1] to [G8]
    | out ~ (25,64)
    | same x y
1: init --from cannot remove global tokens
    dnabird tokenizer kmer -k 1 --global-tokens 8 -o k.json
    dnabird init --tokenizer k.json --pattern etc,block=4,global=8 m
    dnabird init --from m --pattern bigbird g
    | err ~ m: its tokenizer puts 8 global tokens before a text: their number cannot be changed, only etc with global=8 can be its pattern
    | err lines 1
    | none g
1 | dnabird init m; dnabird init --from m --pattern etc,block=8,global=8 g | err ~ m: no tokenizer.json that global tokens could be added to
    | none g

0: embed, promoter, variant and mutate take etc models, with any threads
    dnabird tokenizer train $T/data/variants/toy.fa -v 40 --global-tokens 8 -o t.json
    dnabird init --tokenizer t.json --pattern etc,block=4,global=8,n_random=1 --labels 1 \
        --head cls -w 70 m
    printf '>a\nACGTTAGGACCATTGACCAGATTTGACA\n' >a.fa
    dnabird tokenize --tokenizer t.json --special a.fa >ids
    dnabird embed -q -m m a.fa -o a.npy
    dnabird embed -q -m m --ids ids -o b.npy
    for t in 1 2; do
        dnabird promoter -q -t $t -m m -T 0 --no-version -s 30 -O bed $T/data/variants/toy.fa \
            -o $t.bed
        dnabird variant -q -t $t -m m --no-version -f $T/data/variants/toy.fa \
            $T/data/variants/kinds.vcf -O tsv -o $t.tsv
        dnabird mutate -q -t $t -m m --no-version -f $T/data/variants/toy.fa -r chr1:40-60 \
            -o m$t.tsv
    done
    wc -l <m1.tsv
    | same a.npy b.npy
    | same 1.bed 2.bed
    | same 1.tsv 2.tsv
    | same m1.tsv m2.tsv

1: pretraining through a stem with pooling gives the same bytes on any threads
    dnabird tokenizer kmer -k 1 --global-tokens 8 -o k.json
    dnabird init --tokenizer k.json --stem 9x64/2 --pattern etc,block=4,global=8 m
    awk 'BEGIN {
            srand(2); print ">a"
            for (i = 0; i < 4000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""
        }' >g.fa
    for t in 1 2; do
        dnabird pretrain -q -t $t --init m --steps 4 --batch 512 --length 128 -o p$t g.fa
    done
    dnabird evaluate --mlm -q -m p1 -f g.fa
    dnabird embed -q -m p1 g.fa -o e.npy
    | out ~ bits
    | err ~ has 4010 tokens, the model reads 1014
    | same p1/model.safetensors p2/model.safetensors
0: token shards, --resume and finetune take a model that got global tokens
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json p
    awk 'BEGIN {
            srand(2); print ">a"
            for (i = 0; i < 4000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""
        }' >g.fa
    dnabird pretrain -q -t 1 --init p --steps 2 --batch 256 --length 64 -o q g.fa
    dnabird init --from q --pattern etc,block=4,global=8 m
    dnabird dataset tokens -q --tokenizer m/tokenizer.json --length 72 --number 64 \
        --batch 288 -o shards g.fa
    for x in shards g.fa; do
        a=$x
        [ $x = shards ] && a='--shards shards'
        dnabird pretrain -q -t 1 --init m --steps 2 --batch 288 --length 72 -o o-$x $a
    done
    {
        printf 'sequence\tlabel\n'
        for i in 1 2 3 4 5 6 7 8; do
            printf 'ACGTTAGGACCATTGACC\t1\nGGGTTAACCAGATTTGACA\t0\n'
        done
    } >rows.tsv
    dnabird finetune -q -t 1 --init o-g.fa --steps 2 --train rows.tsv --valid rows.tsv -o f
    dnabird info f
    | out ~ global tokens 8, [G1] to [G8]
    | same o-shards/model.safetensors o-g.fa/model.safetensors
1: rows that are not longer than the global tokens are refused
    dnabird tokenizer kmer -k 1 --global-tokens 8 -o k.json
    dnabird init --tokenizer k.json --pattern etc,block=4,global=8 m
    printf '>a\nACGTACGTACGTACGTACGT\n' >g.fa
    dnabird pretrain -q --init m --steps 1 --batch 64 --length 12 -o p g.fa
    | err ~ rows of 12 tokens, of which 8 are global ones of the tokenizer: use 16 or more
    | none p

1: export --compress copies an etc model, export refuses it
    dnabird tokenizer kmer -k 1 --global-tokens 8 -o k.json
    dnabird init --tokenizer k.json --pattern etc,block=4,global=8 m
    dnabird export --compress m c
    dnabird info c
    dnabird bench attention -q -m m --length 64 --runs 1 -t 1 >/dev/null || exit 3
    dnabird export m x
    | err ~ m: transformers has no attention pattern 'etc'; with --compress the copy is for dnabird alone
    | out ~ global tokens 8, [G1] to [G8]
    | none x
1: export --encoder-only refuses an etc model
    dnabird tokenizer kmer -k 1 --global-tokens 8 -o k.json
    dnabird init --tokenizer k.json --stem 5x64 --pattern etc,block=4,global=8 m
    dnabird export --encoder-only m x
    | err ~ transformers has no attention pattern 'etc'
    | none x
