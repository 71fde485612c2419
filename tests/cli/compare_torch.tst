# tools/bench/compare_torch.py: dnabird's half, and what it says of a missing one.

0 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --preset tiny --tokens 100,200 --rounds 1 --repeats 1 | out lines 3
    | out ~ forward	200	2	0.
    | err empty
0 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --preset tiny --tokens 100 --rounds 1 --repeats 1 --train | out ~ train	100	2	0.
1 needs=python3 | mkdir p; echo 'raise ImportError("gone")' | tee p/torch.py >p/transformers.py; PYTHONPATH=p python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --preset tiny --tokens 100 --rounds 1 --repeats 1 | err ~ torch (gone), transformers (gone); python3 -m pip install torch transformers
    | err lines 1
    | out lines 2
1 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird none | err ~ no program 'dnabird': build it, or name it with --dnabird
    | err lines 1
1 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --tokens 1,x | err ~ '1,x' is no list of numbers between commas
    | err lines 1
1 needs=python3 | python3 $T/../tools/bench/compare_torch.py --dnabird "$(command -v dnabird)" --only dnabird --preset tiny --tokens 600 | err ~ the model reads 512 tokens
