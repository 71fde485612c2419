# dnabird export: folders made anew, as a whole or not at all.

2 | dnabird export | err ~ Usage: dnabird export
    | out empty
2 | dnabird export a | err ~ two folders are needed
2 | dnabird export --weights float64 a b | err ~ float64
1 | dnabird export none b | err ~ none: No such file
    | err lines 1
    | none b*
1 | dnabird export $T/data/model no/b | err ~ no/b: No such file
    | err lines 1
1 | echo x >b; dnabird export $T/data/model b | err ~ b: is there and no folder
    | none b?*
1 | dnabird export $T/data/model $T/data/model | err ~ are one folder

0 | dnabird export $T/data/model b && ls -A b | tr '\n' ' ' | out ~ config.json dnabird.json model.safetensors special_tokens_map.json tokenizer.json tokenizer_config.json
    | err empty
    | none b.*
0 | dnabird export --weights bfloat16 --compress $T/data/model b; dnabird info --verify b | out ~ weights: OK
0 | mkdir b; dnabird export $T/data/model b/; dnabird info --verify b | out ~ weights: OK
    | none b/.tmp*
0 | mkdir b; cd b; dnabird export $T/data/model . && ls -A | wc -l | out ~ 6

# a disk that is full
1 | ulimit -f 20; dnabird export $T/data/model b | err ~ File too large
    | err lines 1
    | none b*
1 | ulimit -f 20; dnabird init b | err ~ File too large
    | err lines 1
    | none b*
0 | dnabird export --compress $T/data/model b; cp -r b c; (ulimit -f 20; dnabird export --force $T/data/model b) && exit 9; diff -r b c && echo as it was | out ~ as it was
