# dnabird export: a folder appears as a whole or not at all.

2 | dnabird export | err ~ Usage: dnabird export
    | out empty
2 | dnabird export a | err ~ two folders are needed
2 | dnabird export --weights float64 a b | err ~ float64
1 | dnabird export none b | err ~ none: No such file
    | err lines 1
    | none b*
1 | dnabird export $T/data/model no/b | err ~ no/b: No such file
    | err lines 1
1 | echo x >b; dnabird export $T/data/model b | err ~ b: exists and is not a folder
    | none b?*
1 | dnabird export $T/data/model $T/data/model | err ~ are one folder

0 | dnabird export $T/data/model b && ls -A b | tr '\n' ' ' | out ~ config.json dnabird.json model.safetensors special_tokens_map.json tokenizer.json tokenizer_config.json
    | err empty
    | none b.*
0 | dnabird export --weights bfloat16 --compress $T/data/model b; dnabird info --verify b | out ~ weights: OK
0 | mkdir b; dnabird export $T/data/model b/; dnabird info --verify b | out ~ weights: OK
    | none b/.tmp*
0 | mkdir b; cd b; dnabird export $T/data/model . && ls -A | wc -l | out ~ 6

0: --weights and --compress keep calibration, baseline and self-test
    m=$DATA/models/regulatory
    dnabird export --weights bfloat16 --compress $m b && dnabird export --compress $m c &&
        dnabird export --weights bfloat16 --compress c d
    for x in $m b c d; do
        dnabird info $x >$(basename $x).txt
        cmp $m/selftest.tsv $x/selftest.tsv
        cmp $m/baseline.safetensors $x/baseline.safetensors
        grep ^digest $(basename $x).txt >$(basename $x).sum
    done
    cmp $m/calibration.safetensors b/calibration.safetensors
    cmp -s c.sum d.sum || grep -c . c.sum
    cat c.txt
    | out ~ probability
    | out ~ background
    | out !~ not calibrated
    | err empty
    | same b/calibration.safetensors d/calibration.safetensors
    | differ b/calibration.safetensors c/calibration.safetensors
0: a copy with other weights drops what was measured with the old ones
    m=$DATA/models/regulatory
    dnabird init --preset tiny --random-blocks zero a
    cp $m/*.tsv $m/calibration.safetensors a
    dnabird export a b
    dnabird export --weights bfloat16 a c
    dnabird export --encoder-only a d 2>&1
    | out empty
    | has b/selftest.tsv
    | none [bcd]/calibration.safetensors
    | none [cd]/selftest.tsv
    | err ~ b: calibration.safetensors was not copied
    | err ~ c: selftest.tsv was not copied, as the copy's answers differ: recreate it with 'export --selftest FASTA'
    | err lines 3

# random blocks that transformers does not have
0: export names random blocks that transformers evaluates otherwise
    dnabird init --preset tiny a && dnabird init --preset tiny --random-blocks zero z
    dnabird init --preset tiny --positions 128 s
    dnabird export a b
    dnabird export --compress a c
    dnabird export z d
    dnabird export s e
    | err ~ b: transformers since 4.29
    | err ~ more than 176 tokens
    | err lines 1

# a full disk
1 | ulimit -f 20; dnabird export $T/data/model b | err ~ File too large
    | err lines 1
    | none b*
1 | ulimit -f 20; dnabird init b | err ~ File too large
    | err lines 1
    | none b*
1 | dnabird init b; cp -r b c; (cd b && dnabird export --force $T/data/model .) || { diff -r b c && exit 1; } | err ~ .: is the current folder
0 | dnabird export --compress $T/data/model b; cp -r b c; (ulimit -f 20; dnabird export --force $T/data/model b) && exit 9; diff -r b c && echo as it was | out ~ as it was

# --encoder-only of a model with a stem: no tensor of stem, scales and head
2 | dnabird export --encoder-only --thresholds x a b | err ~ leaves out the head
1: --encoder-only refuses a stem without layers
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 5x64 --layers 0 --labels 2 --head mean m
    dnabird export --encoder-only m e
    | err ~ only a model with a stem may have no layers
    | none e
1 | dnabird init --pattern window --branch-scale 1 m; dnabird export --encoder-only m e | err ~ transformers has no attention pattern 'window'
    | none e
0: --encoder-only of a stem model writes a plain BigBird
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 15x32/4:relu,5x64:plain --branch-scale 0.7 \
        --labels 2 --head bins -b 200 -w 800 m
    dnabird export --encoder-only m e
    ls e | tr '\n' ' '
    grep -h 'model_type\|BigBird\|format_version\|head"\|stem\|scale\|bin_bp\|window_bp' \
        e/config.json e/dnabird.json
    for f in m e; do
        head -c 20000 $f/model.safetensors |
            tr ',{' '\n\n' |
            grep -ao '"[a-z0-9_.A-Z]*":' |
            tr -d '":' |
            grep -a '\.' |
            sort >$f.txt
    done
    diff m.txt e.txt | sed 's/encoder.layer.[01]/L/' | sort | uniq -c | tr -s ' '
    dnabird info --verify e
    | out ~ config.json dnabird.json model.safetensors
    | out ~ "model_type": "big_bird"
    | out ~ "BigBirdModel"
    | out ~ "format_version": 1
    | out ~ "head": "none"
    | out ~ "rescale_embeddings": false
    | out ~ 2 < bert.L.attention.output.scale
    | out ~ 2 < bert.L.output.scale
    | out ~ 1 < stem.0.norm.weight
    | out ~ 1 < classifier.weight
    | out ~ weights: OK
    | out lines 23
0: branch scales are multiplied into the weights
    dnabird init --branch-scale 0.3 m
    dnabird export --encoder-only m e
    printf '1 7 99 5 31000 8 2\n4 4 9\n' >ids
    for f in m e; do
        dnabird embed -q -m $f --ids ids -o $f.npy
        tail -c +129 $f.npy | od -An -v -t f4 -w4 >$f.txt
    done
    grep -c branch_scale m/dnabird.json
    grep -c branch_scale e/dnabird.json
    paste m.txt e.txt |
        awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d }
            END { print NR, most < 1e-5 ? "near" : most }'
    | out ~ 640 near
0: --encoder-only keeps the tokenizer and the word embeddings
    dnabird export --encoder-only $T/data/model e
    ls e | tr '\n' ' '
    printf '3 4\n3\n' >ids
    dnabird embed -q -m e --ids ids --layer inputs -o i.npy
    dnabird embed -q -m $T/data/model --ids ids --layer inputs -o j.npy
    d=$((($(wc -c <i.npy) - 128) / 3))
    tail -c $d i.npy >x
    tail -c +129 i.npy | head -c $d >y
    | out ~ tokenizer.json
    | same i.npy j.npy
    | same x y

2 | dnabird export --fp-per-mb 20 $T/data/model out | err ~ give --thresholds too
    | none out
0 | dnabird import $DATA/models/starts im | err ~ calibration.safetensors was not copied
    | err ~ selftest.tsv was not copied

0: a token type that transformers does not take by itself is told
    dnabird init --random-blocks zero m
    dnabird import -q --token-type 1 m t
    dnabird export m a
    dnabird export t b
    | err ~ b: transformers takes token type 0 where token_type_ids are not given (here: 1)
    | err lines 1
1: a field of --facts that cannot be read names its file
    dnabird init a
    echo '{"window_bp": -5}' >f.json
    dnabird export --facts f.json a b
    | err ~ f.json: with these fields, dnabird.json: 'window_bp' is -5
    | err !~ .tmp
    | none b*
1: a field of --facts that follows from the configuration is refused
    dnabird init a
    echo '{"note": "n", "head": "mlm", "random_blocks": "plan"}' >same.json
    dnabird export -q --facts same.json a c || exit
    for f in '"random_blocks": "zero"' '"head": "none"' '"format_version": 3' \
        '"attention_map": "sparsemax"'; do
        echo "{\"note\": \"n\", $f}" >f.json
        dnabird export --facts f.json a b && exit
    done
    exit 1
    | err ~ f.json: 'random_blocks' says how the model is computed and cannot be changed by --facts
    | err ~ f.json: 'head' says
    | err ~ f.json: 'format_version' says
    | err ~ f.json: 'attention_map' says
    | none b*
    | has c/dnabird.json
1: fields of --facts that transformers does not know need --compress
    dnabird init a
    echo '{"attention_parts": ["global", "window"]}' >f.json
    dnabird export -q --compress --facts f.json a c || exit 3
    dnabird export --facts f.json a b
    | err ~ f.json: transformers has no attention pattern
    | none b*
    | has c/config.json
