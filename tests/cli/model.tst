# dnabird init and dnabird info: folders made, shown, compared.

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
# the pattern window: BigBird without its other parts. It is trained and
# changed, and not exported to transformers.
0 needs=awk: a window pattern is embedded, changed by init --from, and shown
    awk 'BEGIN { for (i = 0; i < 400; i++) printf "%d ", i * 37 % 900 + 70; print "" }' >ids
    dnabird init --seed 3 --pattern window w &&
        dnabird init --seed 3 --pattern window,width=2,block=32 w2 &&
        dnabird init --seed 3 --attention-parts window p &&
        for m in w w2 p; do dnabird embed -m $m --ids ids -o $m.npy || exit; done
    dnabird info w2
    dnabird init --from w --pattern window,width=2 --block-size 32 g &&
        dnabird embed -m g --ids ids -o g.npy
    dnabird init --from w2 --pattern bigbird,block=16,parts=window b &&
        dnabird embed -m b --ids ids -o b.npy
    grep -c attention_window w2/config.json b/config.json
    | out ~ attention     a window of blocks of 32 tokens, 2 to either side: not BigBird
    | out !~ random blocks
    | out ~ b/config.json:0
    | same w.npy p.npy
    | differ w.npy w2.npy
    | same w2.npy g.npy
    | same w.npy b.npy
0: a window pattern is trained, pretrained and measured
    (
        echo sequence,label
        for i in AA AC AG CA CC CT; do printf 'ACGTACGTAC%s,1\nTTTTACGTTT%s,0\n' $i $i; done
    ) >x.csv
    printf '>a\n%s\n' ACGTACGTACATTTTACGTTTACAGATTACAGGCTCTAGCTACGATACGTTTTACGACT >a.fa
    k="--tokenizer $T/golden/t_bpe_tiny/tokenizer.json"
    dnabird init $k --pattern window,width=2,block=4 w &&
        dnabird finetune -t 1 --train x.csv --valid x.csv --init w --steps 2 --batch 4 \
            --no-baselines -o f &&
        dnabird pretrain -t 1 --config w/config.json $k --steps 2 --batch 64 --length 32 -o p \
            a.fa &&
        dnabird bench attention -t 1 -m w --length 64 --runs 1 | grep -c attention &&
        for m in f p; do dnabird info $m | grep '^attention' | sort -u; done |
            uniq -c |
            tr -s ' '
    | out ~ 2 attention a window of blocks of 4 tokens, 2 to either side: not BigBird
1 | dnabird init --pattern window w && dnabird export w out | err ~ transformers has no attention pattern 'window'
    | none out
1 | dnabird init --pattern windows w | err ~ unknown pattern 'windows': use bigbird, full, window, etc, strided
    | none w
1 | dnabird init --pattern window --random-blocks plan w | err ~ pattern window has no parameter 'random'
    | none w
0 needs=awk: parts that are left out are missing in short sequences too
    awk 'BEGIN { for (i = 0; i < 160; i++) printf "%d ", i * 37 % 900 + 70; print "" }' >ids
    for p in window global,window window,random all; do
        l=$p
        [ $p = all ] && l=global,window,random
        dnabird init --seed 3 --random-blocks uniform --attention-parts $l $p &&
            dnabird embed -m $p --ids ids -o $p.npy || exit
    done
    dnabird init --seed 3 usual && dnabird embed -m usual --ids ids -o usual.npy
    | differ window.npy all.npy
    | differ global,window.npy all.npy
    | differ window,random.npy all.npy
    | differ window.npy global,window.npy
    | same usual.npy all.npy
# seeds of random blocks
0 needs=awk: another pattern seed gives other random blocks
    awk 'BEGIN { for (i = 0; i < 400; i++) printf "%d ", i * 37 % 900 + 70; print "" }' >ids
    for s in 0 7 8; do
        dnabird init --seed 3 --random-blocks uniform --pattern-seed $s m$s &&
            dnabird embed -m m$s --ids ids -o $s.npy || exit
    done
    dnabird init --seed 3 --random-blocks uniform m && dnabird embed -m m --ids ids -o m.npy
    dnabird init --from m7 g && dnabird embed -m g --ids ids -o g.npy
    dnabird init --from m7 --pattern-seed 8 h && dnabird embed -m h --ids ids -o h.npy
    grep -c pattern_seed m0/dnabird.json
    dnabird info m7
    | out ~ pattern seed  7
    | same 0.npy m.npy
    | differ 0.npy 7.npy
    | differ 7.npy 8.npy
    | same 7.npy g.npy
    | same 8.npy h.npy
0: the labels of --config keep their names
    printf '{"architectures": ["BigBirdForSequenceClassification"], "hidden_size": 8,
        "num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": 9,
        "id2label": {"0": "x", "1": "y", "2": "z"}}' >c.json
    dnabird init --config c.json a
    dnabird info a
    dnabird init --config c.json --labels one,two b
    dnabird info b
    | out ~ 3: x, y, z
    | out ~ 2: one, two
2 | dnabird init --pattern-seed -1 a | err ~ --pattern-seed is negative
2 | dnabird init --pattern random,seed=3 --pattern-seed 4 a | err ~ --pattern has a seed already
1 | dnabird init --pattern window --pattern-seed 4 a | err ~ pattern window has no parameter 'seed'
    | none a
2 | dnabird init --pattern random,seed=5 a; dnabird init --from a --pattern-seed 0 b | err ~ --pattern NAME,seed=0 sets 0
    | none b
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
1 | dnabird init a; sed -i 's/"format_version": 1/"format_version": 4/' a/dnabird.json; dnabird info a | err ~ a/dnabird.json: format_version 4 is newer than 3
1 | dnabird init a; sed -i 's/"format_version": 1/&, "strand": "Both"/' a/dnabird.json; dnabird info a | err ~ a/dnabird.json: 'strand' is 'Both', neither given nor both
1 | dnabird init a; sed -i 's/big_bird/bert/' a/config.json; dnabird info a | err ~ model_type 'bert' is not supported

0 | dnabird info $T/golden/e_seqcls | out ~ 3: LABEL_0, LABEL_1, LABEL_2
    | out ~ zero (config.json was written by transformers 4.57.0.dev0)
1 | dnabird info --verify $T/golden/e_seqcls | err ~ e_seqcls/dnabird.json is missing
2 | dnabird info | err ~ Usage: dnabird info
2 | dnabird info a b | err ~ one model folder is needed
1 | dnabird info none | err ~ none: No such file or directory
    | err lines 1
1 | echo >f; dnabird info f | err ~ f: not a folder

# --positions: a short sequence keeps its hidden states, since rows of the
# position embedding are repeated.
0: more positions do not change a short sequence
    dnabird init m && dnabird init --from m --positions 1024 l &&
        seq 1 300 | tr '\n' ' ' >i &&
        for x in m l; do dnabird embed -m $x -o $x.npy --ids i; done && cmp m.npy l.npy &&
        dnabird info l
    | out ~ 1024 tokens
0: --from changes positions, blocks and parts together
    dnabird init --positions 16 m &&
        dnabird init --from m --positions 64 --block-size 8 --random-blocks uniform \
            --attention-parts global,window l && dnabird info --verify l &&
        seq 1 40 | tr '\n' ' ' >i && dnabird embed -m l -o l.npy --ids i &&
        grep -c '"block_size": 8' l/config.json
    | out ~ 1
1 | dnabird init m && dnabird init --from m --positions 256 l | err ~ 256 positions are fewer than the model's 512
    | none l
1 | dnabird init m && dnabird init --from m --positions 1000 l | err ~ 1000 positions are not a multiple of the block size, which is 16
    | none l
# --widen: copies of the features, which together give the same answers. A new
# head would get other random blocks, so the model has none.
0 long: --widen keeps the model's answers
    dnabird init --from $DATA/training/human --attention-parts global,window m &&
        dnabird init --from m --widen 3 w && dnabird info w &&
        for x in m w; do
            dnabird evaluate --mlm -m $x -f $DATA/genome/chr20_demo.fa.gz -R chr20:2500001-2520000 \
                --number 8 --window 300 -o $x.tsv
            awk -F '\t' -v OFS='\t' \
                '$2 == "all" && $3 == "model" { $5 = sprintf("%.3f", $5); print $3, $4, $5 }' \
                $x.tsv >$x.txt
        done
    grep bits_per_token m.txt && diff m.txt w.txt
    | out ~ 4 layers of 384, 48 heads, feed-forward 1536
    | out ~ model	bits_per_token	3
0: --widen keeps the answers of heads, also of those that read maximum and mean
    dnabird tokenizer kmer -k 1 -o k.json
    printf '>a\nACGTTGACCA\n>b\nGGT\n' >s.fa
    for h in mean maxmean; do
        dnabird init --tokenizer k.json --labels 3 --head $h m$h &&
            dnabird init --from m$h --widen 3 w$h || exit
        for x in m w; do
            dnabird embed -q --logits -m $x$h -o $x$h.tsv s.fa || exit
        done
        paste m$h.tsv w$h.tsv | awk -v h=$h 'NR > 1 {
            for (i = 2; i <= 4; i++) { d = $i - $(i + 4); n++; if (d * d > 1e-10) bad++ } }
            END { print h ":", n, "logits,", bad + 0, "differ" }'
    done
    | out ~ mean: 6 logits, 0 differ
    | out ~ maxmean: 6 logits, 0 differ
    | out lines 2
0: --widen keeps the answers of models that rescale embeddings
    printf '1 2 3 50\n4 5\n' >ids
    for tie in true false; do
        printf '{"architectures": ["BigBirdForPreTraining"], "hidden_size": 16,
            "num_attention_heads": 2, "num_hidden_layers": 2, "vocab_size": 60,
            "rescale_embeddings": true, "tie_word_embeddings": %s}' $tie >c.json
        dnabird init --config c.json m$tie && dnabird init --from m$tie --widen 3 w$tie || exit
        for x in m w; do
            dnabird embed -q --logits -m $x$tie -o $x.npy --ids ids || exit
            tail -c +129 $x.npy | od -An -v -t f4 -w4 >$x.txt
        done
        paste m.txt w.txt | awk '{ d = $1 - $2; if (d * d > 1e-10) bad++ }
            END { print NR, "logits,", bad + 0, "differ" }'
    done
    | out ~ 360 logits, 0 differ
    | out lines 2
1 | dnabird init m && dnabird init --from m --widen 17 w | err ~ 17 times the features: use 1 to 16
    | none w
1 | dnabird init m && dnabird init --from m m | err ~ m: already holds a model
2 | dnabird init --from m --preset tiny l | err ~ --from cannot be used with --preset
2 | dnabird init --block-size 8 --widen 2 l | err ~ --block-size and --widen need --from
1 | dnabird init --from nothing l | err ~ nothing
    | err lines 1
    | none l
0: --from restores the parts that were left out
    dnabird init --attention-parts window m &&
        dnabird init --from m --attention-parts global,window,random l &&
        grep -c attention_parts m/dnabird.json && ! grep attention_parts l/dnabird.json &&
        dnabird init --from m --attention-parts full f &&
        grep -c original_full f/config.json
    | out lines 2

1: a label with a line feed is refused
    dnabird tokenizer kmer -q -k 3 -o k.json
    dnabird init -q --labels one,two --window 200 --tokenizer k.json m
    sed -i 's/"one"/"o\\nne"/' m/dnabird.json m/config.json
    printf '>a\nACGTACGT\n' >a.fa
    dnabird chromatin -q -m m --context 400 --bin 200 a.fa -o o.tsv
    | err ~ m: the label 'o?ne' has control characters
    | err lines 1
    | none o.tsv

# a head of several labels
0 | dnabird init --labels 'DHS:a b,TF:b' --window 200 m && dnabird info m | out ~ labels        2: a b, b
    | out ~ window        200 bp
0 | dnabird init --labels 919 m && dnabird info m | out ~ 919: label_0, label_1
1 | dnabird init --labels 'a,,b' m | err ~ a label without a name
1 | dnabird init --labels 'x:a,b,y:a' m | err ~ two labels are named 'a'
2 | dnabird init --layers -1 m | err ~ --layers is negative
    | none m
1 | dnabird init --labels 0 m | err ~ 0 labels: use 1 to
2 | dnabird init --window -1 m | err ~ --window is negative
2 | dnabird init --from x --labels 2 m | err ~ --from cannot be used with --labels
0 | dnabird info --verify $DATA/training/human | out !~ NO CHECKSUM
    | err empty

# models that come with dnabird, by name
0: a shipped model is named instead of its path
    cp -r $T/data/model own
    dnabird models | cut -f1-2
    dnabird info regulatory | head -1
    dnabird chromatin -m regulatory --cell K562 -l | cut -f4 | sort -u
    mkdir regulatory && cp own/* regulatory
    dnabird info regulatory | head -1
    | out ~ name	bytes
    | out ~ regulatory	4
    | out ~ /models/regulatory
    | out ~ K562
    | out ~ folder        regulatory
1 | mkdir a; dnabird info a | err ~ a: not a model folder: config.json is missing
1 | dnabird info regulator | err ~ regulator: No such file or directory: not a model folder; `dnabird models` lists the models that come with dnabird
1 | DNABIRD_DATA=/none/there dnabird models | err ~ DNABIRD_DATA is '/none/there' in the environment: No such file
1 | touch f; DNABIRD_DATA=f dnabird models | err ~ DNABIRD_DATA is 'f' in the environment: Not a directory
1 | DNABIRD_DATA=/none/there dnabird promoter $T/data/variants/toy.fa | err ~ DNABIRD_DATA is '/none/there'
1 | dnabird chromatin -m regulatory -F ctfc,K562 -l | err ~ no feature matches 'ctfc'
1 | dnabird chromatin -m regulatory -F Mxi -l | err ~ near it: GM12878
0: --list of variant and mutate prints what chromatin does
    for c in chromatin variant mutate; do
        dnabird $c -m regulatory -F cell:HepG2 --list >$c || exit 9
    done
    cmp chromatin variant && cmp chromatin mutate && head -1 variant
    | out ~ label
2 | dnabird variant -f x.fa | err ~ one VCF or BCF is needed
0 | dnabird help evaluate | tr '\n' ' ' | grep -o 'evaluate bins.*evaluate variants.*evaluate scan.*evaluate --mlm' | out ~ mlm
0: an empty -R and a sequence of N are named in a warning
    printf '>n\n%s\n' $(printf 'N%.0s' {1..5000}) >n.fa
    printf '##fileformat=VCFv4.2\n##contig=<ID=n>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >v.vcf
    printf 'n\t100\t.\tN\tC\t.\t.\t.\n' >>v.vcf
    : >none.bed
    {
        dnabird promoter -q -R none.bed n.fa &&
            dnabird chromatin -q -R none.bed n.fa &&
            dnabird mutate -q -m regulatory -f n.fa -R none.bed -o m.tsv &&
            dnabird variant -q -m regulatory -f n.fa -R none.bed v.vcf
    } 2>&1 >/dev/null | grep -c 'warning: none.bed: no region in it'
    {
        dnabird promoter -q n.fa && dnabird chromatin -q n.fa &&
            dnabird mutate -q -m regulatory -f n.fa -r n:100-200
    } 2>&1 >/dev/null | grep -c 'warning: nothing was scored: .* mostly N'
    | out ~ 4
    | out ~ 3

# a FIFO in a model folder is refused without waiting; a link is followed
1: a FIFO in place of a model's file is refused without waiting
    for f in config.json dnabird.json tokenizer.json tokenizer_config.json \
        model.safetensors selftest.tsv calibration.safetensors baseline.safetensors; do
        rm -rf m
        cp -r $T/data/model m
        rm -f m/$f
        mkfifo m/$f
        for c in 'info --selftest m' 'info m' 'export m b'; do
            timeout 20 dnabird $c 2>err
            s=$?
            [ $s = 1 ] && grep -c "m/$f: not a regular file" err || echo "$f $c $s $(cat err)"
        done
    done |
        sort |
        uniq -c
    false
    | out ~ 24 1
    | out lines 1
    | none b
1: a file of the kernel in place of a model's file is refused without waiting
    for f in config.json dnabird.json tokenizer.json; do
        rm -rf m && cp -r $T/data/model m && rm -f m/$f && ln -s /proc/kmsg m/$f
        timeout 5 dnabird info m
        [ $? = 1 ] || exit 9
    done
    exit 1
    | err lines 3
    | err ~ m/config.json: not a regular file
    | err ~ m/tokenizer.json: not a regular file
0 | cp -r $T/data/model m; mv m/config.json x; ln -s ../x m/config.json; dnabird info m | out ~ digest
1: a FIFO in place of a shard is refused without waiting
    cp -r $T/data/model m
    rm m/model.safetensors*
    printf '{"metadata":{},"weight_map":{"a":"part"}}' >m/model.safetensors.index.json
    mkfifo m/part
    timeout 20 dnabird info m
    | err ~ part: not a regular file
# patterns of other papers: stored in the folder, trained, changed, measured,
# and not exported to transformers
0 long needs=awk: patterns of other papers are kept, changed and shown
    awk 'BEGIN { for (i = 0; i < 400; i++) printf "%d ", i * 37 % 900 + 70; print "" }' >ids
    i=0
    for p in strided,block=16,width=3 strided,block=16,width=3,heads=sequential \
        fixed,block=16,width=3 fixed,block=16,width=4 star,block=16,width=1 \
        star,block=16,width=1,relay=first random,block=16,sparsity=80 \
        random,block=16,sparsity=80,seed=2 random,block=1,sparsity=80,causal=yes \
        bigbird,random=uniform,width=2 bigbird,random=uniform,first=2; do
        i=$((i + 1))
        dnabird init --seed 3 --pattern $p m$i && dnabird embed -m m$i --ids ids -o $i.npy &&
            dnabird init --from m$i g$i && dnabird embed -m g$i --ids ids -o g.npy &&
            cmp $i.npy g.npy || exit
    done
    sha256sum [0-9]*.npy | cut -d ' ' -f 1 | sort -u | wc -l
    dnabird info m1 | grep ^attention
    dnabird info m2 | grep ^attention
    dnabird info m6 | grep ^attention
    dnabird info m9 | grep ^attention
    dnabird info m10 | grep ^window
    | out ~ 11
    | out ~ attention     strided, blocks of 16 tokens, width 3, both parts in every head: not BigBird
    | out ~ attention     strided, blocks of 16 tokens, width 3, a part in every other layer: not BigBird
    | out ~ attention     star, blocks of 16 tokens, 1 to either side, the first one sees and is seen by all: not BigBird
    | out ~ attention     random, blocks of 1 tokens, 80 % left out by head and layer, seed 0, causal: not BigBird
    | out ~ window        2 blocks to either side, 1 first and 1 last ones global: not BigBird
0: --from changes the pattern's parameters, and back to bigbird
    dnabird init --pattern fixed,block=16,width=3,heads=multihead a &&
        dnabird init --from a --pattern strided,heads=union b &&
        grep -hE 'pattern|attention_type' a/dnabird.json a/config.json b/dnabird.json \
            b/config.json && dnabird init --from b --pattern bigbird c &&
        ! grep pattern_ c/dnabird.json && grep -c block_sparse c/config.json
    | out ~ "pattern_heads": "multihead"
    | out ~ "pattern_width": 3
    | out ~ "attention_type": "fixed"
    | out ~ "pattern_heads": "union"
    | out ~ "attention_type": "strided"
    | out lines 7
0: patterns of other papers are trained, pretrained and measured
    (
        echo sequence,label
        for i in AA AC AG CA CC CT; do printf 'ACGTACGTAC%s,1\nTTTTACGTTT%s,0\n' $i $i; done
    ) >x.csv
    printf '>a\n%s\n' ACGTACGTACATTTTACGTTTACAGATTACAGGCTCTAGCTACGATACGTTTTACGACT >a.fa
    k="--tokenizer $T/golden/t_bpe_tiny/tokenizer.json"
    for p in strided,block=4,width=2,heads=multihead \
        random,block=1,sparsity=60,causal=yes,seed=5; do
        rm -rf w f p
        dnabird init $k --pattern $p w &&
            dnabird finetune -t 1 --train x.csv --valid x.csv --init w --steps 2 --batch 4 \
                --no-baselines -o f && dnabird evaluate -t 1 -m f --test x.csv -o e.tsv &&
            dnabird pretrain -t 1 --init w --steps 2 --batch 64 --length 32 -o p a.fa &&
            dnabird bench attention -t 1 -m w --length 64 --runs 1 | grep -c attention &&
            for m in w f p; do dnabird info $m | grep '^attention' | sort -u; done |
                uniq -c |
                tr -s ' ' || exit
    done
    | out ~ 3 attention strided, blocks of 4 tokens, width 2, a part in half of the heads each: not BigBird
    | out ~ 3 attention random, blocks of 1 tokens, 60 % left out by head and layer, seed 5, causal: not BigBird
1 | dnabird init --pattern star w && dnabird export w out | err ~ transformers has no attention pattern 'star'
    | err lines 1
    | none out
1 | dnabird init --attention-parts global,window w && dnabird export w out | err ~ transformers has no attention pattern 'bigbird,block=16,n_random=3,random=plan,parts=global+window'
    | err lines 1
    | none out
1 | dnabird init --random-blocks uniform w && dnabird export w out | err ~ transformers has no attention pattern 'bigbird,block=16,n_random=3,random=uniform'
    | none out
# up to 176 tokens there are no random blocks
0 | dnabird init --positions 176 --random-blocks uniform w && dnabird export w out | has out/model.safetensors
0 | dnabird init --attention-parts global,window w && dnabird export --compress w out | has out/model.safetensors.zst
1: causal full attention is read again, and is none of transformers'
    dnabird init --pattern full,causal=yes w && dnabird init --from w v &&
        dnabird info v | grep -e ^attention -e ^reach; grep model_type v/config.json
        grep format_version v/dnabird.json; dnabird export v out
    | out ~ attention     blocks of 16 tokens, causal: not BigBird
    | out ~ the last token sees every token after 1 layer
    | out ~ "model_type": "dnabird"
    | out ~ "format_version": 2
    | err ~ transformers has no attention pattern 'full,
    | none out
1 | dnabird init --pattern bigbird,width=2 w | err ~ use random=uniform or none
    | none w
1 | dnabird init --pattern random,sparsity=101 w | err ~ pattern_sparsity '101': use 0 to 100
1 | dnabird init --pattern star,relay=middle w | err ~ pattern_relay 'middle': use one of last
1 | dnabird init --pattern fixed w && sed -i 's/"union"/"both"/' w/dnabird.json && dnabird info w | err ~ pattern_heads 'both' is not one of union
    | err lines 1

# --attention-map: each map gives other outputs than softmax, and is kept by
# training and init --from.
0 needs=awk: every attention map gives its own hidden states
    awk 'BEGIN { for (i = 0; i < 300; i++) printf "%d ", i * 37 % 900 + 70; print "" }' >ids
    for m in softmax topk:4 sparsemax entmax:1.5 sparselin:0.5 hardmax; do
        dnabird init --seed 3 --attention-map $m m && dnabird embed -m m --ids ids -o $m.npy &&
            cksum <$m.npy && dnabird info --verify m | grep -c ': OK' || exit
        rm -r m
    done |
        sort -u |
        wc -l |
        tr -d ' '
    | out ~ 7
0: softmax writes the usual folder, and --from changes the map
    dnabird init --seed 3 a && dnabird init --seed 3 --attention-map softmax b &&
        cmp a/config.json b/config.json && cmp a/dnabird.json b/dnabird.json
    dnabird init --attention-map entmax:1.5 e && dnabird init --from e g &&
        dnabird init --from e --attention-map softmax s &&
        ! grep attention_map s/dnabird.json && dnabird info g
    | out ~ map           entmax:1.5 instead of softmax
0: a model with sparsemax is trained, pretrained and measured
    (
        echo sequence,label
        for i in AA AC AG CA CC CT; do printf 'ACGTACGTAC%s,1\nTTTTACGTTT%s,0\n' $i $i; done
    ) >x.csv
    printf '>a\n%s\n' ACGTACGTACATTTTACGTTTACAGATTACAGGCTCTAGCTACGATACGTTTTACGACT >a.fa
    k="--tokenizer $T/golden/t_bpe_tiny/tokenizer.json"
    dnabird init $k --attention-map sparsemax w &&
        dnabird finetune -t 1 --train x.csv --valid x.csv --init w --steps 2 --batch 4 \
            --no-baselines -o f &&
        dnabird pretrain -t 1 --init w --steps 2 --batch 64 --length 32 -o p a.fa &&
        dnabird evaluate -m f --test x.csv >e.txt &&
        dnabird bench attention -t 1 -m w --length 64 --runs 1 --json | grep -c times_softmax &&
        for m in f p; do dnabird info $m | grep '^map'; done | uniq -c | tr -s ' '
    | out ~ 2 map sparsemax instead of softmax
1: hardmax cannot be trained
    (
        echo sequence,label
        for i in AA AC AG CA; do printf 'ACGTACGTAC%s,1\nTTTTACGTTT%s,0\n' $i $i; done
    ) >x.csv
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --attention-map hardmax w &&
        dnabird finetune -t 1 --train x.csv --valid x.csv --init w --steps 2 --batch 4 \
            --no-baselines -o f
    | err ~ attention map 'hardmax' has no gradient and cannot be trained
1 | dnabird init --attention-map sparsemax w && dnabird export w out | err ~ transformers has no attention map 'sparsemax'
1 | dnabird init --attention-map nosuch w | err ~ unknown attention map 'nosuch': use softmax, topk:keys, sparsemax
1 | dnabird init --attention-map entmax:3 w | err ~ attention map 'entmax:3': use entmax:alpha, a number, 1.05 to 2
1 | dnabird init --attention-map topk:8 w && sed -i 's/topk:8/topk:none/' w/dnabird.json && dnabird info w | err ~ w/dnabird.json: attention map 'topk:none': use topk:keys
1 | dnabird init --attention-map topk:8 w && sed -i 's/"topk:8"/8/' w/dnabird.json && dnabird info w | err ~ attention_map

# labels and options of init
0: a label's name and class are kept in full
    l=$(printf 'x%.0s' {1..200})
    dnabird init --labels "$l:${l}a,$l:${l}b" m && grep -c "\"${l}[ab]\"" m/dnabird.json
    | out ~ 2
2 | dnabird init --from m --seed 2 n | err ~ --from cannot be used with --labels, --window, --stem, --motifs and --seed
2 | dnabird init --preset small --config config.json n | err ~ --preset and --config each choose the encoder
2 | dnabird init --labels 2 --bin 100 n | err ~ --bin is for --head bins
1 | dnabird init --labels , n | err ~ a label without a name
    | none n
