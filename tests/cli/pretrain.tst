# dnabird pretrain: what cannot be learned from, options that make no sense,
# folders that hold a run.

2 | dnabird pretrain | err ~ Usage: dnabird pretrain
    | out empty
0 | dnabird pretrain --help | out ~ --valid-include
    | out ~ --checkpoint-every
    | err empty
2 | dnabird pretrain --span 0 x.fa | err ~ --span is not between 1 and 1000
2 | dnabird pretrain --seed -1 x.fa | err ~ --seed is negative
1 | dnabird pretrain -o run | err ~ no sequence to learn from: name FASTA files
    | err lines 1
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ give --steps
    | none run
1 | dnabird pretrain --steps 1 -o run x.fa | err ~ what to train: give --preset, --config or --init
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
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --length 1024 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ --length 1024: the model reads 512 tokens at most
    | none run
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --batch 256 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ --batch 256 does not hold a row of 512 tokens
    | none run
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --mask 0 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ masked share
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --lr 0 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ learning rate > 0
# what is held out: a name that is none, everything, a file that is not there
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --valid-include b --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ 'b' is neither a file nor a contig of the references
    | none run
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --test-include a --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ no A, C, G or T lies where rows may lie
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --valid-include no.bed --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ no.bed: No such file
1 | dnabird pretrain --steps 1 --preset tiny --shards d --test-include a --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run | err ~ regions of which sequence
1 | dnabird pretrain --steps 1 --preset tiny --shards d --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run | err ~ d
    | err lines 1
# folders
1 | dnabird init run; printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --resume --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o run x.fa | err ~ run: holds a model already, and no run to resume
    | err lines 1
1 | printf '>a\nACGTACGTACGT\n' >x.fa; dnabird pretrain --steps 1 --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -o no/run x.fa | err ~ no/run
    | err lines 1
# the folder that is left opens as a model
0 | awk 'BEGIN { srand(1); print ">a"; for (i = 0; i < 4000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1); print "" }' >x.fa; dnabird pretrain -t 1 --steps 2 --batch 256 --length 64 --preset tiny --nsp --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --valid-include a:1-1000 --valid-tokens 64 --note 'a toy' -o run x.fa && dnabird info --verify run && grep architectures -A 1 run/config.json | out ~ BigBirdForPreTraining
    | has run/checkpoint.safetensors
    | err ~ the model is in run
