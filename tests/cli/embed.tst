# dnabird embed: files made, wrong use told, nothing left after a failure.

2 | dnabird embed | err ~ Usage: dnabird embed
    | out empty
2 | dnabird embed -o x.npy | err ~ one input is needed
2 | dnabird embed -o x.npy --ids i in.fa | err ~ one input is needed
2 | dnabird embed -o x.npy -R r.bed | err ~ -R and -f belong together
2 | dnabird embed -o x.npy -f in.fa --ids i | err ~ -R and -f belong together
2 | dnabird embed --ids i | err ~ -o FILE is needed
2 | dnabird embed -o x.npy --layer first --ids i | err ~ --layer first: last, all, none, inputs or a number
2 | dnabird embed -o x.npy --layer 1x --ids i | err ~ --layer 1x
2 | dnabird embed -o x.npy --random-blocks some --ids i | err ~ some

0 | dnabird init m; echo 2 7 8 3 >i; dnabird embed -m m -o x.safetensors --layer all --pooled --logits --ids i && head -c 1000 x.safetensors | grep -ao '"[a-z_]*[.]*[0-9]*":{"dtype' | tr -d '\n' | out ~ "offset":{"dtype"hidden_states.0":{"dtype"hidden_states.1":{"dtype"hidden_states.2":{"dtype"last_hidden_state":{"dtype"pooler_output":{"dtype"logits":{"dtype
    | err ~ 1 sequence, 4 tokens; 7 tensors
    | err lines 1
0 | dnabird init m; echo 2 7 8 3 >i; dnabird embed -m m -o x.npy --ids - <i; dnabird embed -t 1 -m m -o y.npy --layer 2 --ids i | same x.npy y.npy
0 | dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m; printf '>a\nACGT\nAC\n>b\nTT\n' >in.fa; dnabird embed -m m -o x.npy --pooled in.fa; gzip -c in.fa | dnabird embed -m m -o y.npy --pooled - | same x.npy y.npy
    | err ~ 2 sequences
1 | dnabird init m; echo 2 7 >i; dnabird embed -m m -o x.txt --ids i | err ~ .safetensors or .npy
    | none x.txt
1 | dnabird init m; echo 2 99999 >i; dnabird embed -m m -o x.npy --ids i | err ~ i: line 1: id 99999 is outside the vocabulary of 32000
    | err lines 1
    | none x.npy
1 | dnabird init m; seq 1 600 | tr '\n' ' ' >i; dnabird embed -m m -o x.npy --ids i | err ~ i: line 1 has 600 tokens, the model reads 512
    | err lines 1
    | none x.npy
1 | dnabird init m; printf '>a\nACGT\n' >in.fa; dnabird embed -m m -o x.npy in.fa | err ~ no tokenizer.json
    | none x.npy
1 | dnabird embed -m none -o x.npy --ids i | err ~ none
    | err lines 1
