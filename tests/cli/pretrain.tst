# dnabird pretrain: unusable sequence, invalid options, folders that hold a run.

2 | dnabird pretrain | err ~ Usage: dnabird pretrain
    | out empty
0 | dnabird pretrain --help=all | out ~ --valid-include
    | out ~ --checkpoint-every
    | err empty
2 | dnabird pretrain --settings <(echo 'mask-span = 0') x.fa | err ~ mask-span is not between 1 and 1000
2 | dnabird pretrain --seed -1 x.fa | err ~ --seed is negative
2 | dnabird pretrain --steps 1 --validate-every 5 -o run x.fa | err ~ --valid-tokens and --validate-every need --valid-include
1 | dnabird pretrain -o run | err ~ no sequence to learn from: name FASTA files
    | err lines 1
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ give --steps
    | none run
1 | dnabird pretrain --steps 1 -o run x.fa | err ~ no model to train: give --preset, --config or --init
1 | dnabird pretrain --steps 1 --preset tiny -o run x.fa | err ~ no tokenizer: give --tokenizer
1 | dnabird pretrain --steps 1 --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json x.fa | err ~ give -o
1 | dnabird pretrain --steps 1 --preset huge --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ huge
    | err lines 1
1 | dnabird pretrain --steps 1 --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ x.fa: No such file
    | err lines 1
    | none run
1 | printf 'no fasta\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ x.fa
    | err lines 1
    | none run
1 | printf '>a\nNNNNNNNNNNNN\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ no A, C, G or T
    | none run
1: sequence from a pipe is refused where it is read twice
    printf '>a\n%s\n' "$(printf 'ACGTTGCAAC%.0s' {1..60})" >x.fa
    p() {
        dnabird pretrain -q -t 1 --steps 1 --preset tiny --batch 64 --length 64 \
            --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run "$@"
    }
    p - <x.fa && rm -r run && p <(cat x.fa) && rm -r run || exit 9
    p --valid-include a:1-300 - <x.fa
    p --valid-include a:1-300 <(cat x.fa)
    | err ~ -: with --valid-include FASTA files are read twice: name a file, not a pipe
    | err lines 2
    | none run
1: sequence without a token to predict is refused
    printf '>a\nAC\n' >x.fa
    dnabird tokenizer kmer -q -k 3 -s 3 -o k.json
    dnabird pretrain -q -t 1 --steps 1 --preset tiny --tokenizer k.json --batch 64 --length 64 \
        -o run x.fa
    | err ~ and is long enough for a token to predict: raise --max-n, exclude regions rich in N, or give longer sequence
    | err lines 1
1: --length above the model's positions is refused
    printf '>a\nACGTACGTACGT\n' >x.fa
    dnabird pretrain --steps 1 --preset tiny --length 1024 \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa
    | err ~ --length 1024: the model reads 512 tokens at most
    | none run
1: --batch below one row is refused
    printf '>a\nACGTACGTACGT\n' >x.fa
    dnabird pretrain --steps 1 --preset tiny --batch 256 \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa
    | err ~ --batch 256 is smaller than a row of 512 tokens
    | none run
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --settings <(echo 'mask-share = 0') --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ masked share
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --lr 0 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ --lr must be above 0, got 0
# held-out regions: an unknown name, everything, a missing file
1: a validation region that is neither a file nor a contig is refused
    printf '>a\nACGTACGTACGT\n' >x.fa
    dnabird pretrain --steps 1 --preset tiny --valid-include b \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa
    | err ~ 'b' is neither a file nor a contig of the references
    | none run
1: holding out everything is refused
    printf '>a\nACGTACGTACGT\n' >x.fa
    dnabird pretrain --steps 1 --preset tiny --test-include a \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa
    | err ~ no A, C, G or T lies where rows may lie
1: held-out regions of contigs that the references do not have are refused
    printf '>a\nACGTACGTACGT\n' >x.fa
    printf 'b\t0\t4\n' >test.bed
    dnabird pretrain --steps 1 --preset tiny --test-include test.bed \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa
    | err ~ test.bed: the references have none of the contigs of these held-out regions (the first is 'b')
    | none run
1: held-out regions after the end of their contigs are refused
    printf '>a\n%s\n>b\nACGT\n' "$(printf 'ACGTTGCAAC%.0s' {1..60})" >x.fa
    printf 'a\t601\t700\n' >test.bed
    p() {
        dnabird pretrain -q -t 1 --steps 1 --preset tiny --batch 64 --length 64 \
            --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run "$@" x.fa
    }
    p --include a --test-include b && rm -r run || exit 9
    p --test-include a:591-700 && rm -r run || exit 8
    p --test-include a:601-700 && exit 7
    p --test-include test.bed
    | err ~ a:601-700: the references have nothing of these held-out regions: 'a' has 600 bp, and they begin at 601 there
    | err ~ test.bed: the references have nothing of these held-out regions: 'a' has 600 bp, and they begin at 602 there
    | err lines 2
    | none run
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --valid-include no.bed --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ no.bed: No such file
1 | dnabird pretrain --steps 1 --preset tiny --shards d --test-include a --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run | err ~ regions need their FASTA files
1 | dnabird pretrain --steps 1 --preset tiny --shards d --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run | err ~ d
    | err lines 1
# folders
1: --resume does not continue in a folder that holds a model
    dnabird init run
    printf '>a\nACGTACGTACGT\n' >x.fa
    dnabird pretrain --steps 1 --resume --preset tiny \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa
    | err ~ run: holds a model already, but no run to resume
    | err lines 1
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o no/run x.fa | err ~ no/run
    | err lines 1
0: a checkpoint of another attention is refused
    awk 'BEGIN {
            srand(1); print ">a"
            for (i = 0; i < 4000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""
        }' >x.fa
    k="--tokenizer $T/golden/t_bpe_tiny/tokenizer.json"
    p() {
        dnabird pretrain -q -t 1 --init w --steps 2 --batch 128 --length 64 --resume -o run x.fa
    }
    i() { rm -rf w; dnabird init -q $k "$@" w; }
    i --random-blocks zero && p && cp run/checkpoint.safetensors c || exit
    for o in "--random-blocks none" "--attention-map entmax:1.5" \
        "--random-blocks uniform --pattern-seed 3"; do
        i $o && p 2>>e
        [ $? = 1 ] || exit 8
    done
    i --random-blocks zero && p
    cmp c run/checkpoint.safetensors && cat e
    | out lines 3
    | out ~ run/checkpoint.safetensors: a checkpoint of attention 'bigbird,block=16,n_random=3,random=zero with softmax', but the model's is 'bigbird,block=16,n_random=3,random=none with softmax'
    | out ~ is 'bigbird,block=16,n_random=3,random=plan with entmax:1.5'
    | out ~ is 'bigbird,block=16,n_random=3,random=uniform,seed=3 with softmax'
1: a checkpoint of a run from another model is refused
    printf '>a\n%s\n' "$(printf 'ACGTTGCAAC%.0s' {1..60})" >x.fa
    i() { dnabird init -q --tokenizer $T/golden/t_bpe_tiny/tokenizer.json "$@"; }
    p() { dnabird pretrain -q -t 1 --steps 1 --batch 64 --length 64 -o run "$@" x.fa; }
    i --seed 1 a && i --seed 2 b && cp -r a c || exit 9
    p --init a && cp run/dnabird.json before && p --resume --init c || exit 8
    p --resume --init b && exit 7
    p --resume --init a && cp run/dnabird.json after
    p --resume --init b
    | err ~ run/checkpoint.safetensors: a checkpoint of a run that began with other weights
    | err lines 2
    | same before after
0: a resumed run counts the rows and bases of all its steps, and --force starts it again
    printf '>a\n%s\n' "$(printf 'ACGTTGCAAC%.0s' {1..600})" >x.fa
    k="--tokenizer $T/golden/t_bpe_tiny/tokenizer.json"
    p() { dnabird pretrain -q -t 1 --preset tiny $k --steps 6 --batch 128 --length 64 "$@" x.fa; }
    p -o whole || exit
    (exec dnabird pretrain -q -t 1 --preset tiny $k --steps 6 --batch 128 --length 64 \
        --checkpoint-every 1 -o part x.fa) &
    while [ ! -e part/checkpoint.safetensors ] && kill -0 $!; do :; done
    kill -TERM $!
    wait $!
    p --resume -o part && cp part/dnabird.json after && p --resume -o part || exit
    p -o part && exit 9
    p --resume --force -o part && exit 8
    cp part/model.safetensors m && p --force -o part --lr 0.01
    | err ~ part: holds a run already: add --resume to continue it, --force to start again
    | err ~ --resume continues a run, --force starts it again
    | same whole/dnabird.json after
    | differ m part/model.safetensors
# --genome-types: a.fa has A and T, b.fa C and G; where all tokens are masked the file alone tells
0 long: a model that knows which file a row is from learns what depends on the file
    awk 'BEGIN {
        srand(2)
        for (i = 0; i < 9000; i++) { a = a substr("AT", 1 + int(2 * rand()), 1)
                                     b = b substr("CG", 1 + int(2 * rand()), 1) }
        print ">a\n" a >"a.fa"; print ">b\n" b >"b.fa" }'
    dnabird tokenizer kmer -q -k 1 -o base.json
    echo '{"model_type": "big_bird", "hidden_size": 32, "num_hidden_layers": 1,
        "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 128,
        "block_size": 16, "type_vocab_size": 2, "architectures": ["BigBirdForMaskedLM"],
        "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}' >c.json
    echo 'mask-share = 1' >mask.toml
    bits() { dnabird evaluate --mlm -q -m run -f $1.fa --token-type $2 --settings mask.toml \
        --bootstrap 0 | awk '$2 == "all" && $3 == "model" && $4 == "bits_per_base" { print $5 }'; }
    for stem in none 5x32 5x32/3; do
        dnabird init -q --config c.json --tokenizer base.json --stem $stem start
        dnabird pretrain -q -t 1 --init start --steps 100 --batch 1024 --length 64 --lr 1e-2 \
            --settings mask.toml --genome-types -o run a.fa b.fa
        echo $stem $(bits a 0) $(bits a 1) $(bits b 0) $(bits b 1) |
            awk '{ print $1, ($2 < 1.1), ($3 > 2), ($4 > 2), ($5 < 1.1) }'
        rm -r start run
    done
    | out ~ none 1 1 1 1
    | out ~ 5x32 1 1 1 1
    | out ~ 5x32/3 1 1 1 1
1: types of genomes need as many as there are files
    printf '>a\nACGTACGTACGT\n' >x.fa; sed s/a/b/ x.fa >y.fa; sed s/a/c/ x.fa >z.fa
    dnabird pretrain --steps 1 --preset tiny --genome-types --length 64 --batch 64 \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa y.fa z.fa
    | err ~ --genome-types: 3 FASTA files need as many token types, the model has 2
    | none run
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --genome-types --nsp --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ leave out --shards and --nsp
    | none run
1: --force does not remove the model that it starts from
    printf '>a\n%s\n' "$(printf 'ACGTTGCAAC%.0s' {1..600})" >x.fa
    k="--tokenizer $T/golden/t_bpe_tiny/tokenizer.json"
    p() { dnabird pretrain -q -t 1 --steps 1 --batch 128 --length 64 --force -o run "$@" x.fa; }
    p --preset tiny $k && { p --init run && exit 9; p --preset tiny --tokenizer run/tokenizer.json; }
    | err lines 2
    | err ~ run: --force would remove what the run starts from
    | has run/model.safetensors
1: one option chooses the model to start from; another vocabulary is refused
    printf '>a\nACGTACGTACGT\n' >x.fa
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    k="--tokenizer $T/golden/t_bpe_tiny/tokenizer.json"
    dnabird init -q $k m && dnabird tokenizer kmer -q -k 3 -o k.json
    for a in "--preset small" "--preset huge" "--config m/config.json"; do
        dnabird pretrain --steps 1 --init m $a -o run x.fa && exit 9
        dnabird finetune --train x.csv --valid x.csv --init m $a -o run && exit 9
    done
    dnabird pretrain --steps 1 --config m/config.json --preset tiny $k -o run x.fa && exit 9
    dnabird pretrain --steps 1 --init m --tokenizer k.json -o run x.fa && exit 9
    dnabird finetune --train x.csv --valid x.csv --init m --tokenizer k.json -o run
    | err ~ --init, --preset and --config each choose the model to start from: give one of them
    | err ~ k.json: token
    | err lines 9
    | none run
# patterns and attention maps for random weights
0: --preset and --config start with the attention that is given
    awk 'BEGIN {
            srand(1); print ">a"
            for (i = 0; i < 4000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""
        }' >x.fa
    k="--tokenizer $T/golden/t_bpe_tiny/tokenizer.json"
    a="--pattern strided,block=4,width=3,heads=sequential --attention-map entmax:1.5"
    p() { dnabird pretrain -q -t 1 --steps 2 --batch 128 --length 64 "$@" x.fa; }
    dnabird init -q plain && dnabird init -q $k $a w &&
        p --config plain/config.json $k $a -o by_config &&
        p --preset tiny $k $a -o by_preset && p --init w -o by_init &&
        p --preset tiny $k -o bigbird && dnabird info by_config &&
        cmp by_preset/model.safetensors by_config/model.safetensors &&
        grep -h -A 1 pattern_ by_config/dnabird.json
    | out ~ attention     strided, blocks of 4 tokens, width 3, a part in every other layer: not BigBird
    | out ~ map           entmax:1.5 instead of softmax
    | out ~ "pattern_heads": "sequential"
    | same by_config/model.safetensors by_init/model.safetensors
    | differ by_config/model.safetensors bigbird/model.safetensors
0: finetune starts with the attention that is given
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    dnabird finetune -q -t 1 --train x.csv --valid x.csv --preset tiny \
        --pattern window,width=2,block=4 --attention-map topk:3 \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --steps 2 --batch 2 --no-baselines \
        -o run && dnabird info run
    | out ~ attention     a window of blocks of 4 tokens, 2 to either side: not BigBird
    | out ~ map           topk:3 instead of softmax
1 | dnabird init -q w; dnabird pretrain --steps 1 --init w --pattern star -o run x.fa | err ~ --pattern and --attention-map are of a model from scratch; w has its own
    | err lines 1
    | none run
1: wrong patterns and attention maps are refused
    printf '>a\nACGTACGTACGT\n' >x.fa
    for o in "--pattern strided,widht=3" "--attention-map entmax:9" \
        "--attention-map hardmax" "--pattern bigbird,causal=yes"; do
        dnabird pretrain --steps 1 --preset tiny $o \
            --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa
    done
    | err ~ pattern strided has no parameter 'widht'
    | err ~ attention map 'entmax:9': use entmax:alpha, a number, 1.05 to 2
    | err ~ attention map 'hardmax' has no gradient
    | err ~ pattern bigbird has no parameter 'causal'
    | err lines 4
    | none run
1: --config refuses a dnabird model's configuration
    printf '>a\nACGTACGTACGT\n' >x.fa
    dnabird init -q --attention-map sparsemax w
    dnabird pretrain --steps 1 --config w/config.json \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa
    | err ~ w/config.json: model_type is dnabird, and what makes it so
    | none run
0: the folder opens as a model
    awk 'BEGIN {
            srand(1); print ">a"
            for (i = 0; i < 4000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""
        }' >x.fa
    dnabird pretrain -t 1 --steps 2 --batch 256 --length 64 --preset tiny --nsp \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --valid-include a:1-1000 \
        --valid-tokens 64 --note 'a toy' -o run x.fa && dnabird info --verify run &&
        grep architectures -A 1 run/config.json
    | out ~ BigBirdForPreTraining
    | has run/checkpoint.safetensors
    | err ~ the model is in run
