# dnabird import, and commands on Hugging Face folders.

2 | dnabird import | err ~ Usage: dnabird import
    | out empty
2 | dnabird import a | err ~ two folders are needed
2 | dnabird import --vocab v a b | err ~ belong to --stride
2 | dnabird import --random-blocks some a b | err ~ some
1 | dnabird import none b | err ~ none: No such file or directory
    | err lines 1
    | none b

0: the names of labels in config.json stay
    mkdir s
    cp $T/golden/e_seqcls/model.safetensors s
    sed 's/"LABEL_0"/"open, a b"/; s/"LABEL_2"/"shut"/' $T/golden/e_seqcls/config.json >s/config.json
    dnabird import -q s a && dnabird export -q s b && dnabird init --from s --positions 8192 c &&
        for i in a b c; do dnabird info $i | grep labels; done
    | out lines 3
    | out ~ labels        3: open, a b, LABEL_1, shut
    | out !~ LABEL_0

# PyTorch formats
0: every PyTorch format gives the same folder
    for f in zip_f32 zip_bf16 old_f32 old_f16 zip_parameter; do
        mkdir s
        cp $T/data/torch/config.json s
        cp $T/data/torch/$f.bin s/pytorch_model.bin
        dnabird import s $f
        rm -r s
        cmp zip_f32/model.safetensors $f/model.safetensors || exit 9
    done
    | out empty
    | err ~ 1,156 parameters in 28 tensors of pytorch_model.bin
    | same zip_f32/config.json old_f16/config.json
    | none *.tmp*
0: shards and a single safetensors file give the same folder
    mkdir s
    cp $T/data/torch/model*.json $T/data/torch/model-* $T/data/torch/config.json s
    dnabird import s a
    mkdir t
    cp $T/data/torch/config.json $T/data/torch/model.safetensors t
    dnabird import t b
    | same a/model.safetensors b/model.safetensors
    | err ~ of model.safetensors.index.json
0: an imported folder embeds as the PyTorch file does
    mkdir s
    cp $T/data/torch/config.json s
    cp $T/data/torch/old_bf16.bin s/pytorch_model.bin
    seq 0 11 | tr '\n' ' ' >i
    dnabird import s d
    dnabird embed -m s --logits --ids i -o s.safetensors --random-blocks plan
    dnabird embed -m d --logits --ids i -o d.safetensors
    tail -c 1000 s.safetensors >s.x
    tail -c 1000 d.safetensors >d.x
    | same s.x d.x
    | err ~ s: 1,156 parameters
0 | mkdir s d; cp $T/data/torch/config.json $T/data/torch/model.safetensors s; dnabird import s d/; dnabird info --verify d | out ~ weights: OK
    | out ~ model.safetensors: OK

# nothing is overwritten, nothing is left behind
1 | mkdir s d; touch d/x; cp $T/data/torch/config.json $T/data/torch/model.safetensors s; dnabird import s d | err ~ d: exists already
    | none d/config.json
1 | mkdir s; cp $T/data/torch/config.json s; cp $T/data/torch/bad_foreign.bin s/pytorch_model.bin; dnabird import s d | err ~ s/pytorch_model.bin: pickle: it asks for 'posix.system'
    | none d
    | none d.tmp*
    | none harmed
1: a tensor with strides is refused
    mkdir s
    cp $T/data/torch/config.json s
    cp $T/data/torch/bad_view.bin s/pytorch_model.bin
    dnabird embed -m s --ids /dev/null -o x.npy
    | err ~ tensor 'bert.pooler.weight': its elements do not lie in a row
1 | mkdir s; cp $T/data/torch/config.json s; cp $T/data/torch/bad_nested.bin s/pytorch_model.bin; dnabird info s | err ~ 'state_dict' is a dictionary
1 | mkdir s; cp $T/data/torch/config.json s; head -c 5000 $T/data/torch/zip_f32.bin >s/pytorch_model.bin; dnabird info s | err ~ s/pytorch_model.bin: its archive cannot be read
    | err lines 1
1 | mkdir s; cp $T/data/torch/config.json s; head -c 5000 $T/data/torch/old_f32.bin >s/pytorch_model.bin; dnabird info s | err ~ s/pytorch_model.bin: cut short
1 | mkdir s; cp $T/data/torch/config.json s; cp $T/data/torch/zip_bare.bin s/pytorch_model.bin; dnabird import s d | err ~ tensor 'cls.predictions.transform.dense.weight' is missing
    | none d*
0: a bare encoder gets its prefix
    mkdir s
    sed s/BigBirdForMaskedLM/BigBirdModel/ $T/data/torch/config.json >s/config.json
    cp $T/data/torch/zip_bare.bin s/pytorch_model.bin
    dnabird import s d
    dnabird info d
    | out ~ none: hidden states only

# unsupported architectures: the message names the field
1 | mkdir s; cp $T/data/torch/model.safetensors s; sed 's/big_bird/bert/' $T/data/torch/config.json >s/config.json; dnabird import s d | err ~ s/config.json: model_type 'bert' is not supported
    | err lines 1
1: rotary positions are refused
    mkdir s
    cp $T/data/torch/model.safetensors s
    sed 's/"big_bird"/"big_bird", "position_embedding_type": "rotary"/' \
        $T/data/torch/config.json >s/config.json
    dnabird info s
    | err ~ position_embedding_type 'rotary' is not supported
1: sparse_attention is refused
    mkdir s
    cp $T/data/torch/model.safetensors s
    sed 's/"big_bird"/"big_bird", "sparse_attention": {"block": 64}/' \
        $T/data/torch/config.json >s/config.json
    dnabird info s
    | err ~ 'sparse_attention' is not supported
1 | mkdir s; cp $T/data/torch/model.safetensors s; sed 's/"big_bird"/"big_bird", "rotary_dim": 32/' $T/data/torch/config.json >s/config.json; dnabird info s | err ~ 'rotary_dim' is not supported
1 | mkdir s; cp $T/data/torch/model.safetensors s; sed 's/gelu_new/prelu/' $T/data/torch/config.json >s/config.json; dnabird info s | err ~ hidden_act 'prelu' is not supported
1: an unsupported architecture is refused
    mkdir s
    cp $T/data/torch/model.safetensors s
    sed 's/ForMaskedLM/ForSpeech/' $T/data/torch/config.json >s/config.json
    dnabird info s
    | err ~ architecture 'BigBirdForSpeech' is not supported
1: a tensor of another shape is refused
    mkdir s
    cp $T/data/torch/model.safetensors s
    sed 's/"vocab_size": 12/"vocab_size": 13/' $T/data/torch/config.json >s/config.json
    dnabird import s d
    | err ~ has the shape [12, 8], the configuration asks for [13, 8]
    | none d*

0: releases up to 4.28 evaluated with the plan of random blocks
    mkdir s
    cp $T/data/torch/model.safetensors $T/data/torch/config.json s
    dnabird import s d
    | err ~ random blocks: plan, as config.json was written by transformers 4.17.0, which evaluated so up to 4.28
0: later releases of transformers evaluated with zeros
    mkdir s
    cp $T/data/torch/model.safetensors s
    sed 's/4.17.0/4.40.1/' $T/data/torch/config.json >s/config.json
    dnabird embed -m s --ids <(echo 1 2) -o x.npy
    | err ~ random blocks: zero, as config.json was written by transformers 4.40.1
    | err ~ give --random-blocks plan
0: without a release the plan is assumed
    mkdir s
    cp $T/data/torch/model.safetensors s
    grep -v transformers_version $T/data/torch/config.json >s/config.json
    dnabird embed -m s --ids <(echo 1 2) -o x.npy
    | err ~ random blocks: plan, as config.json names no release of transformers
0: --random-blocks is recorded in dnabird.json
    mkdir s
    cp $T/data/torch/model.safetensors s
    sed 's/4.17.0/4.40.1/' $T/data/torch/config.json >s/config.json
    dnabird import --random-blocks plan s d
    dnabird info d
    dnabird embed -m d --ids <(echo 1 2) -o x.npy
    | out ~ plan (dnabird.json says so)
    | err !~ random blocks:
1: position embeddings of another number are refused
    mkdir s
    cp $T/data/torch/model.safetensors s
    sed 's/: 32/: 8/' $T/data/torch/config.json >s/config.json
    dnabird embed -m s --ids <(echo 1) -o x.npy
    | err ~ position_embeddings.weight' has the shape [32, 8], the configuration asks for [8, 8]
    | err lines 1
    | none x.npy

# token types and padding
0: --token-type is recorded and changes the result
    mkdir s
    cp $T/data/torch/model.safetensors $T/data/torch/config.json s
    dnabird import --token-type 1 s d
    echo 1 2 3 >i
    dnabird embed -m d --ids i -o a.npy
    dnabird embed -m s --token-type 1 --ids i -o b.npy
    dnabird embed -m s --ids i -o c.npy
    dnabird info d
    | same a.npy b.npy
    | differ a.npy c.npy
    | out ~ token_type
1 | mkdir s; cp $T/data/torch/model.safetensors $T/data/torch/config.json s; dnabird embed -m s --token-type 2 --ids <(echo 1) -o x.npy | err ~ token type 2: the model has 2, from 0 on
    | none x.npy
2 | dnabird embed -m s --token-type -2 --ids i -o x.npy | err ~ --token-type is negative
2 | dnabird embed -m s --pad-to -1 --ids i -o x.npy | err ~ --pad-to is negative
1 | mkdir s; cp $T/data/torch/model.safetensors $T/data/torch/config.json s; dnabird embed -m s --pad-to 33 --ids <(echo 1) -o x.npy | err ~ padding to 33 tokens: the model reads 32
1 | mkdir s; cp $T/data/torch/model.safetensors $T/data/torch/config.json s; dnabird embed -m s --pad-to 3 --ids <(echo 1 2 4 5) -o x.npy | err ~ line 1 has 4 tokens, more than the 3 to fill up to
    | none x.npy
1: --pad-to needs a pad_token_id
    mkdir s
    cp $T/data/torch/model.safetensors s
    sed 's/"pad_token_id": 3/"pad_token_id": null/' $T/data/torch/config.json >s/config.json
    dnabird embed -m s --pad-to 8 --ids <(echo 1) -o x.npy
    | err ~ names no 'pad_token_id'
0: padding does not change the number of values
    mkdir s
    cp $T/data/torch/model.safetensors $T/data/torch/config.json s
    printf '1 2 4\n5\n6 7 8 9\n' >i
    dnabird embed -m s --layer all --pooled --logits --pad-to 4 --ids i -o a.safetensors
    dnabird embed -m s --layer all --pooled --logits --ids i -o b.safetensors
    wc -c <a.safetensors
    wc -c <b.safetensors
    | out lines 2
    | err ~ 3 sequences, 8 tokens; 6 tensors

# k-mer vocabularies and their stride
0: vocab.txt of k-mers becomes a tokenizer
    mkdir s
    cp $T/data/torch/model.safetensors s
    sed 's/"vocab_size": 12/"vocab_size": 12/' $T/data/torch/config.json >s/config.json
    printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nAA\nAC\nCA\nGT\nTT\nCG\nGG\n' >s/vocab.txt
    printf '>x\nAACGTTN\n' >in.fa
    dnabird import --stride 1 s d
    dnabird tokenize -m d --special in.fa
    dnabird tokenize -m d -O tokens in.fa
    dnabird embed -m d -o x.npy in.fa
    dnabird info d
    | out ~ 2 5 6 10 8 9 1 3
    | out ~ cut into      2-mers, one every 1 bp
    | has d/tokenizer_config.json
    | err ~ 1 sequence, 8 tokens
0: --vocab takes JSON, --no-special adds no special tokens
    mkdir s
    cp $T/data/torch/model.safetensors $T/data/torch/config.json s
    printf '{"AA": 5, "AC": 6, "CG": 7, "[UNK]": 0, "TT": 8}' >v.json
    printf '>x\nAACGTTT\n' >in.fa
    dnabird import --stride 2 --vocab v.json --no-special s d
    dnabird tokenize -m d --special in.fa
    | out ~ 5 7 8
1 | mkdir s; cp $T/data/torch/model.safetensors $T/data/torch/config.json s; printf '{"AA": 5, "[UNK]": 0}' >v; dnabird import --stride 2 --vocab v s d | err ~ v: no token '[CLS]': give --no-special
    | none d*
1: k-mers of different lengths are refused
    mkdir s
    cp $T/data/torch/model.safetensors $T/data/torch/config.json s
    printf '[UNK]\nAA\nAAA\n' >v
    dnabird import --stride 2 --vocab v --no-special s d
    | err ~ v: 'AAA' has 3 bases, others have 2
1: a stride that leaves bases out is refused
    mkdir s
    cp $T/data/torch/model.safetensors $T/data/torch/config.json s
    printf '[UNK]\nAA\n' >v
    dnabird import --stride 3 --vocab v --no-special s d
    | err ~ v: 2-mers every 3 bases would leave bases out
1 | mkdir s; cp $T/data/torch/model.safetensors $T/data/torch/config.json s; dnabird import --stride 1 s d | err ~ none of vocab.txt, vocab.json and tokenizer.json is there
    | none d*
0 | mkdir s; cp $T/data/torch/model.safetensors $T/data/torch/config.json s; dnabird import s d | err ~ no tokenizer.json in it: token ids can be run
0: a WordLevel tokenizer of k-mers is imported with its stride
    mkdir s
    cp $T/data/torch/model.safetensors $T/data/torch/config.json s
    printf \
        '{"model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "AA": 5, "AC": 6, "CG": 7}}}' \
        >s/tokenizer.json
    printf '>x\nAACGA\n' >in.fa
    dnabird tokenize -m s in.fa 2>why
    dnabird import --stride 1 --no-special s d
    dnabird tokenize -m d in.fa >got
    echo 5 6 7 0 >want
    grep -o 'import --stride N' why
    | same got want
    | out ~ import --stride N

0: finetune reports the choice of random blocks and keeps it
    mkdir s
    cp $T/data/torch/model.safetensors s
    sed 's/4.17.0/4.40.1/' $T/data/torch/config.json >s/config.json
    printf \
        '{"model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "A": 5, "C": 6, "G": 7, "T": 8}}}' \
        >t.json
    echo '{"stride": 1}' >t_config.json
    for i in 1 2 3 4 5 6 7 8; do
        printf 'ACG%sTT,0\nGGT%sCA,1\n' $(printf A%.0s $(seq $i)) $(printf C%.0s $(seq $i))
    done >r.csv
    sed -i '1i sequence,label' r.csv
    dnabird finetune --init s --tokenizer t.json --train r.csv --valid-fraction 0.3 \
        --steps 2 --batch 4 --token-type 1 -o z
    dnabird finetune --init s --tokenizer t.json --train r.csv --valid-fraction 0.3 \
        --steps 2 --batch 4 --random-blocks plan -o p 2>quiet
    grep -c 'random blocks:' quiet
    grep -h -E 'random_blocks|token_type' z/dnabird.json p/dnabird.json
    | out ~ "random_blocks": "zero"
    | out ~ "token_type": 1
    | out ~ "random_blocks": "plan"
    | err ~ random blocks: zero, as config.json was written by transformers 4.40.1
1: finetune refuses a token type that the model does not have
    mkdir s
    cp $T/data/torch/model.safetensors $T/data/torch/config.json s
    printf \
        '{"model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "A": 5, "C": 6, "G": 7, "T": 8}}}' \
        >t.json
    echo '{"stride": 1}' >t_config.json
    printf 'sequence,label\nACGT,1\nACGG,0\n' >x.csv
    printf 'sequence,label\nACTT,1\nACCG,0\n' >v.csv
    dnabird finetune --init s --token-type 2 --tokenizer t.json --train x.csv \
        --valid v.csv -o z
    | err ~ s: token type 2: the model has 2, from 0 on
    | none z/config.json
