# tools/bench/compare_peers.py: messages for missing peers (-S: none are found)
# and wrong options.

1 needs=python3 | python3 -S $T/../tools/bench/compare_peers.py --work tokenize --dnabird "$(command -v dnabird)" | err ~ no --work tokenize without tokenizers: python3 -m pip install tokenizers
    | err lines 1
    | out lines 2
    | out ~ # tools/bench/compare_peers.py --bp 200000 --rounds 3
1 needs=python3 | python3 -S $T/../tools/bench/compare_peers.py --work encode,scan | err ~ without torch and transformers
    | err ~ without torch and numpy
2 needs=python3 | python3 -S $T/../tools/bench/compare_peers.py --work fly | err ~ --work is of scan, tokenize, encode
