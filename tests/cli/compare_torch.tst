# tools/bench/compare_torch.py: dnabird's rows, and the message for missing
# PyTorch.

0 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --preset tiny --tokens 100,200 --rounds 1 | out ~ forward	float32	200	2	.	1	0.
    | out ~ # dnabird
    | err empty
0 needs=python3: the rows of dnabird are written without PyTorch
    dnabird init m
    n=0 p=float32
    if dnabird info m | grep -q '^precision .*bfloat16'; then n=1 p=$p,bfloat16; fi
    python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" \
        --only dnabird --preset tiny --tokens 100 --rounds 1 --task forward,train \
        --precision $p >o
    cat o
    [ "$(grep -c '^train.bfloat16.100.2...1.0' o)" = $n ]
    | out ~ train	float32	100	2	.	1	0.
    | err empty
0 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --preset tiny --tokens 100,200 --rounds 1 --markdown | out lines 7
1 needs=python3: a PyTorch that cannot be imported is reported after dnabird's rows
    mkdir p
    echo 'raise ImportError("gone")' | tee p/torch.py >p/transformers.py
    PYTHONPATH=p python3 $T/../tools/bench/compare_torch.py \
        --dnabird "$(command -v dnabird)" --preset tiny --tokens 100 --rounds 1
    | err ~ torch (gone), transformers (gone); python3 -m pip install torch transformers
    | err lines 1
    | out ~ forward	float32	100	2	.	1	0.
1 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird none | err ~ no program 'dnabird': build it, or name it with --dnabird
    | err lines 1
1 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --tokens 1,x | err ~ '1,x' is no list of numbers between commas
    | err lines 1
1 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --task forward,learn | err ~ --task: 'learn' is none of forward, train
    | err lines 1
1 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --task train --precision int8 | err ~ --task train is in float32 or bfloat16
0 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --preset tiny --tokens 100 --minutes 0 | err ~ forward in float32 at 100 tokens left out
1 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --preset tiny --tokens 600 | err ~ the model reads 512 tokens
