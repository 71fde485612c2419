# dnabird init and dnabird info: folders made, told, compared.

2 | dnabird init | err ~ Usage: dnabird init
    | out empty
2 | dnabird init a b | err ~ one folder name is needed
2 | dnabird init --preset huge a | err ~ huge
    | none a
2 | dnabird init --seed -1 a | err ~ --seed is negative
    | none a
1 | dnabird init --positions 100 a | err ~ 100 positions are no multiple of the block size, which is 16
    | err lines 1
    | none a
1 | dnabird init --tokenizer none.json a | err ~ none.json
    | none a
1 | dnabird init no/a | err ~ no/a
    | err lines 1

1 | dnabird init --attention-parts window,wide a | err ~ attention part 'wide': give global, window or random
    | none a
1 | dnabird init --config no.json a | err ~ no.json
    | none a
0 | dnabird init --attention-parts window,random --random-blocks uniform a; dnabird info a | out ~ own block, window, random: not BigBird
    | out ~ uniform (dnabird.json says so)
0 | dnabird init a; dnabird init --config a/config.json b | same a/model.safetensors b/model.safetensors

0 | dnabird init a && ls a | tr '\n' ' ' | out ~ config.json dnabird.json model.safetensors
    | err empty
0 | dnabird init a; dnabird init b; dnabird init --seed 2 c | same a/model.safetensors b/model.safetensors
    | same a/dnabird.json b/dnabird.json
    | differ a/model.safetensors c/model.safetensors
1 | dnabird init a; dnabird init a | err ~ a: holds a model already
    | has a/model.safetensors
0 | dnabird init --positions 2048 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json a; dnabird info a | out ~ 2048 tokens
    | out ~ 96 tokens
    | out ~ BigBird, 2 layers of 64
    | out ~ masked-language model
    | out ~ plan (dnabird.json says so)
    | has a/tokenizer.json
0 | dnabird init a; dnabird info --verify a | out ~ model.safetensors: OK
    | out ~ weights: OK
    | err empty
1 | dnabird init a; printf x >>a/config.json; dnabird info a | err ~ a/config.json
    | err lines 1
    | out empty
1 | dnabird init a; echo >>a/config.json; dnabird info --verify a | out ~ config.json: DIFFERS from its checksum
    | out ~ model.safetensors: OK
1 | dnabird init a; rm a/model.safetensors; dnabird info a | err ~ a: neither model.safetensors nor pytorch_model.bin is there
    | out empty
1 | dnabird init a; sed -i 's/"format_version": 1/"format_version": 2/' a/dnabird.json; dnabird info a | err ~ a/dnabird.json: format_version 2 is newer than 1
1 | dnabird init a; sed -i 's/big_bird/bert/' a/config.json; dnabird info a | err ~ model_type 'bert' is not supported

0 | dnabird info $T/golden/e_seqcls | out ~ 3: LABEL_0, LABEL_1, LABEL_2
    | out ~ zero (config.json was written by transformers 4.57.0.dev0)
1 | dnabird info --verify $T/golden/e_seqcls | err ~ e_seqcls/dnabird.json is missing
2 | dnabird info | err ~ Usage: dnabird info
2 | dnabird info a b | err ~ one model folder is needed
1 | dnabird info none | err ~ none: No such file or directory
    | err lines 1
1 | echo >f; dnabird info f | err ~ f: not a folder

# Longer sequences: what a model says of a short one stays, rows of the
# position embedding come again.
0 | dnabird init m && dnabird init --from m --positions 1024 l && seq 1 300 | tr '\n' ' ' >i && for x in m l; do dnabird embed -m $x -o $x.npy --ids i; done && cmp m.npy l.npy && dnabird info l | out ~ 1024 tokens
0 | dnabird init --positions 16 m && dnabird init --from m --positions 64 --block-size 8 --random-blocks uniform --attention-parts global,window l && dnabird info --verify l && seq 1 40 | tr '\n' ' ' >i && dnabird embed -m l -o l.npy --ids i && grep -c '"block_size": 8' l/config.json | out ~ 1
1 | dnabird init m && dnabird init --from m --positions 256 l | err ~ 256 positions are fewer than the model's 512
    | none l
1 | dnabird init m && dnabird init --from m --positions 1000 l | err ~ 1000 positions are no multiple of the block size, which is 16
    | none l
# More features: copies of the model's, which together answer as it does. The
# random blocks of a head that is new are others, so without.
0 | dnabird init --from $DATA/models/human --attention-parts global,window m && dnabird init --from m --widen 3 w && dnabird info w && for x in m w; do dnabird evaluate --mlm -m $x -f $DATA/genome/chr20_demo.fa.gz -R chr20:2500001-2520000 --windows 8 --context 300 -o $x.tsv; awk -F '\t' -v OFS='\t' '$2 == "all" && $3 == "model" { $5 = sprintf("%.3f", $5); print $3, $4, $5 }' $x.tsv >$x.txt; done; grep bits_per_token m.txt && diff m.txt w.txt | out ~ 4 layers of 384, 48 heads, feed-forward 1536
    | out ~ model	bits_per_token	3
1 | dnabird init m && dnabird init --from m --widen 17 w | err ~ 17 times the features: give 1 to 16
    | none w
1 | dnabird init m && dnabird init --from m m | err ~ m: holds a model already
2 | dnabird init --from m --preset tiny l | err ~ --from goes without --preset
2 | dnabird init --block-size 8 --widen 2 l | err ~ --block-size and --widen go with --from
1 | dnabird init --from nothing l | err ~ nothing
    | err lines 1
    | none l
0 | dnabird init --attention-parts window m && dnabird init --from m --attention-parts global,window,random l && grep -c attention_parts m/dnabird.json && ! grep attention_parts l/dnabird.json && dnabird init --from m --attention-parts full f && grep -c original_full f/config.json | out lines 2

# a head of several labels
0 | dnabird init --labels 'DHS:a b,TF:b' --window 200 m && dnabird info m | out ~ labels        2: a b, b
    | out ~ window        200 bp
0 | dnabird init --labels 919 m && dnabird info m | out ~ 919: label_0, label_1
1 | dnabird init --labels 'a,,b' m | err ~ a label without a name
    | none m
1 | dnabird init --labels 0 m | err ~ 0 labels: give 1 to
2 | dnabird init --window -1 m | err ~ --window is negative
2 | dnabird init --from x --labels 2 m | err ~ --from goes without --labels
0 | dnabird info --verify $DATA/models/human | out !~ NO CHECKSUM
    | err empty
