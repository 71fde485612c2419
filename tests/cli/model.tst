# dnabird init and dnabird info: folders made, told, compared.

2 | dnabird init | err ~ Usage: dnabird init
    | out empty
2 | dnabird init a b | err ~ one folder name is needed
2 | dnabird init --preset huge a | err ~ huge
    | none a
2 | dnabird init --seed -1 a | err ~ --seed is negative
    | none a
1 | dnabird init --positions 100 a | err ~ 100 positions are not a multiple of the block size, which is 16
    | err lines 1
    | none a
1 | dnabird init --tokenizer none.json a | err ~ none.json
    | none a
1 | dnabird init no/a | err ~ no/a
    | err lines 1

1 | dnabird init --attention-parts window,wide a | err ~ attention_parts 'window,wide': use some of global
    | none a
1 | dnabird init --config no.json a | err ~ no.json
    | none a
0 | dnabird init --attention-parts window,random --random-blocks uniform a; dnabird info a | out ~ own block, window, random: not BigBird
    | out ~ uniform (dnabird.json says so)
    | out !~ full up to
# a window alone: one block to either side is BigBird without its other parts; learned from, grown, and none of transformers'
0 needs=awk | awk 'BEGIN { for (i = 0; i < 400; i++) printf "%d ", i * 37 % 900 + 70; print "" }' >ids; dnabird init --seed 3 --pattern window w && dnabird init --seed 3 --pattern window,width=2,block=32 w2 && dnabird init --seed 3 --attention-parts window p && for m in w w2 p; do dnabird embed -m $m --ids ids -o $m.npy || exit; done; dnabird info w2; dnabird init --from w --pattern window,width=2 --block-size 32 g && dnabird embed -m g --ids ids -o g.npy; dnabird init --from w2 --pattern bigbird,block=16,parts=window b && dnabird embed -m b --ids ids -o b.npy; grep -c attention_window w2/config.json b/config.json | out ~ attention     a window of blocks of 32 tokens, 2 to either side: not BigBird
    | out !~ random blocks
    | out ~ b/config.json:0
    | same w.npy p.npy
    | differ w.npy w2.npy
    | same w2.npy g.npy
    | same w.npy b.npy
0 | (echo sequence,label; for i in AA AC AG CA CC CT; do printf 'ACGTACGTAC%s,1\nTTTTACGTTT%s,0\n' $i $i; done) >x.csv; printf '>a\n%s\n' ACGTACGTACATTTTACGTTTACAGATTACAGGCTCTAGCTACGATACGTTTTACGACT >a.fa; k="--tokenizer $T/golden/t_bpe_tiny/tokenizer.json"; dnabird init $k --pattern window,width=2,block=4 w && dnabird finetune -t 1 --train x.csv --valid x.csv --init w --steps 2 --batch 4 --no-baselines -o f && dnabird pretrain -t 1 --config w/config.json $k --steps 2 --batch 64 --length 32 -o p a.fa && dnabird bench attention -t 1 -m w --tokens 64 --repeats 1 | grep -c attention && for m in f p; do dnabird info $m | grep '^attention' | sort -u; done | uniq -c | tr -s ' ' | out ~ 2 attention a window of blocks of 4 tokens, 2 to either side: not BigBird
1 | dnabird init --pattern window w && dnabird export w out | err ~ transformers has no attention pattern 'window'
    | none out
1 | dnabird init --pattern windows w | err ~ unknown pattern 'windows': use bigbird, full, window
    | none w
1 | dnabird init --pattern window --random-blocks plan w | err ~ pattern window has no parameter 'random'
    | none w
# what is left out is left out of a short sequence too, that BigBird sees in full
0 needs=awk | awk 'BEGIN { for (i = 0; i < 160; i++) printf "%d ", i * 37 % 900 + 70; print "" }' >ids; for p in window global,window window,random all; do l=$p; [ $p = all ] && l=global,window,random; dnabird init --seed 3 --random-blocks uniform --attention-parts $l $p && dnabird embed -m $p --ids ids -o $p.npy || exit; done; dnabird init --seed 3 usual && dnabird embed -m usual --ids ids -o usual.npy | differ window.npy all.npy
    | differ global,window.npy all.npy
    | differ window,random.npy all.npy
    | differ window.npy global,window.npy
    | same usual.npy all.npy
# random blocks drawn by another seed
0 needs=awk | awk 'BEGIN { for (i = 0; i < 400; i++) printf "%d ", i * 37 % 900 + 70; print "" }' >ids; for s in 0 7 8; do dnabird init --seed 3 --random-blocks uniform --pattern-seed $s m$s && dnabird embed -m m$s --ids ids -o $s.npy || exit; done; dnabird init --seed 3 --random-blocks uniform m && dnabird embed -m m --ids ids -o m.npy; dnabird init --from m7 g && dnabird embed -m g --ids ids -o g.npy; dnabird init --from m7 --pattern-seed 8 h && dnabird embed -m h --ids ids -o h.npy; grep -c pattern_seed m0/dnabird.json; dnabird info m7 | out ~ pattern seed  7
    | same 0.npy m.npy
    | differ 0.npy 7.npy
    | differ 7.npy 8.npy
    | same 7.npy g.npy
    | same 8.npy h.npy
2 | dnabird init --pattern-seed -1 a | err ~ --pattern-seed is negative
1 | dnabird init a && sed -i 's/"random_blocks"/"pattern_seed": -1, "random_blocks"/' a/dnabird.json && dnabird info a | err ~ pattern_seed
    | err lines 1
0 | dnabird init a; dnabird init --config a/config.json b | same a/model.safetensors b/model.safetensors

0 | dnabird init a && ls a | tr '\n' ' ' | out ~ config.json dnabird.json model.safetensors
    | err empty
0 | dnabird init a; dnabird init b; dnabird init --seed 2 c | same a/model.safetensors b/model.safetensors
    | same a/dnabird.json b/dnabird.json
    | differ a/model.safetensors c/model.safetensors
1 | dnabird init a; dnabird init a | err ~ a: already holds a model
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
1 | dnabird init a; sed -i 's/"format_version": 1/"format_version": 3/' a/dnabird.json; dnabird info a | err ~ a/dnabird.json: format_version 3 is newer than 2
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
1 | dnabird init m && dnabird init --from m --positions 1000 l | err ~ 1000 positions are not a multiple of the block size, which is 16
    | none l
# More features: copies of the model's, which together answer as it does. The
# random blocks of a head that is new are others, so without.
0 | dnabird init --from $DATA/models/human --attention-parts global,window m && dnabird init --from m --widen 3 w && dnabird info w && for x in m w; do dnabird evaluate --mlm -m $x -f $DATA/genome/chr20_demo.fa.gz -R chr20:2500001-2520000 --windows 8 --context 300 -o $x.tsv; awk -F '\t' -v OFS='\t' '$2 == "all" && $3 == "model" { $5 = sprintf("%.3f", $5); print $3, $4, $5 }' $x.tsv >$x.txt; done; grep bits_per_token m.txt && diff m.txt w.txt | out ~ 4 layers of 384, 48 heads, feed-forward 1536
    | out ~ model	bits_per_token	3
1 | dnabird init m && dnabird init --from m --widen 17 w | err ~ 17 times the features: use 1 to 16
    | none w
1 | dnabird init m && dnabird init --from m m | err ~ m: already holds a model
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
1 | dnabird init --labels 0 m | err ~ 0 labels: use 1 to
2 | dnabird init --window -1 m | err ~ --window is negative
2 | dnabird init --from x --labels 2 m | err ~ --from goes without --labels
0 | dnabird info --verify $DATA/models/human | out !~ NO CHECKSUM
    | err empty
