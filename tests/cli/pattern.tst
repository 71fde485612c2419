# dnabird pattern show and pattern check: attention matrices, and their
# properties.

2 | dnabird pattern draw | err ~ pattern draw
0 | dnabird pattern show --pattern strided,block=1,width=3 --length 8 | out ~ # strided,block=1,width=3,heads=union, 8 tokens, 8 blocks, layer 0, any head
    | out ~ ##.#..#.
    | out ~ .#..####
    | out lines 9
# a layer of a pattern with heads=sequential, a head of one with heads=multihead
0 | dnabird pattern show --pattern fixed,block=1,width=3,heads=sequential --length 5 --layer 1 | out ~ #.#..
    | out ~ layer 1, any head
    | out ~ ..#.#
0 | dnabird pattern show --pattern fixed,block=2,width=3,heads=multihead --heads 4 --head 0 --length 9 -O tsv | out ~ layer 0, head 0
    | out ~ query	first_key	last_key	times
    | out ~ 4	3	4	1
    | out lines 7
# blocks that count more than once
0 | dnabird pattern show --pattern bigbird,block=1,random=zero,n_random=2 --length 12 | out ~ 3##........#
0: show -O svg writes the same picture to a file
    dnabird pattern show \
        --pattern bigbird,block=1,random=uniform,n_random=2,first=2,last=0 --length 12 \
        -O svg >a.svg
    dnabird pattern show \
        --pattern bigbird,block=1,random=uniform,n_random=2,first=2,last=0 --length 12 \
        -O svg -o b.svg
    head -c 4 a.svg
    grep -c '<rect' a.svg
    | out ~ <svg
    | same a.svg b.svg
# assumption 1: patterns for which it holds and does not hold, and the values of
# the paper's equations
0 | dnabird pattern check --pattern strided,block=1 --length 256 | out ~ sparsity           87.61 % of pairs of tokens
    | out ~ 1.1 self           yes
    | out ~ 1.2 chain          yes
    | out ~ 1.3 steps          yes: after s = 3 layers every block sees all
    | out ~ assumption 1       holds
    | out ~ reach              token 0 sees every token after 3 layers
    | out !~ the model has
0 | dnabird pattern check --pattern fixed,block=1,heads=sequential --length 256 | out ~ sparsity           93.57 %
    | out ~ lists by layer     2
0 | dnabird pattern check --pattern star,block=1 --length 256 -O json | out ~ "sparsity": 0.86
    | out ~ "1.3_steps": 2
    | out ~ "assumption_1": true
1 | dnabird pattern check --pattern random,block=1,sparsity=100 --length 64 | out ~ 1.1 self           yes
    | out ~ 1.2 chain          NO
    | out ~ 1.3 steps          NO
    | out ~ does NOT hold
    | out ~ token 0 never sees every token
1 | dnabird pattern check --pattern bigbird,block=1,random=none,parts=global --length 64 | out ~ 1.2 chain          NO
    | out ~ too few blocks can be followed
    | out ~ does NOT hold
1 | dnabird pattern check --pattern fixed,block=1,causal=yes --length 256 | out ~ 1.2 chain          yes
    | out ~ 1.3 steps          NO
    | out ~ the last token sees every token after 2 layers
# pattern check of a model
0: check takes a model, a length and another pattern
    dnabird init --pattern window,width=2 m && dnabird pattern check -m m &&
        dnabird info m &&
        dnabird pattern check -m m --length 100 --pattern window,width=1 &&
        dnabird pattern show -m m --layer 1
    | out ~ reach              token 0 sees every token after 16 layers; the model has 2
    | out ~ reach         token 0 sees every token after 16 layers; the model has 2 (at 512 tokens)
    | out ~ window,block=16,width=1
    | out ~ token 0 sees every token after 6 layers; the model has 2
    | out ~ # window,block=16,width=2, 512 tokens, 32 blocks, layer 1, any head
1 | dnabird init m && dnabird pattern show -m m --layer 2 | err ~ there is no layer 2
    | err lines 1
    | out empty
1 | dnabird pattern show --pattern star --heads 2 --head 2 | err ~ head 2: there are 2
    | err lines 1
1 | dnabird pattern show --pattern stars | err ~ unknown pattern 'stars'
    | err lines 1
1 | dnabird pattern check --pattern star,block=1 --length 10000 | err ~ up to 8192 can be checked
    | err lines 1
1 | dnabird pattern show --pattern star,block=1 --length 5000 | err ~ more than 4096 blocks
    | err lines 1
# causal with blocks of any size: of 512 tokens half of the pairs are left out
1 | dnabird pattern check --pattern full,block=64,causal=yes --length 512 | out ~ sparsity           49.90 % of pairs
    | out ~ 1.3 steps          NO
    | out ~ the last token sees every token after 1 layer
1 | dnabird pattern check --pattern window,block=16,width=1,causal=yes --length 64 | out ~ sparsity           67.97 %
1 | dnabird pattern check -m nowhere | err ~ nowhere
    | err lines 1
2 | dnabird pattern show --length -3 | err ~ --length is negative

# the copying task: rows, and a trained model compared with the counted bound
0: copy writes the same rows from any start
    dnabird pattern copy --symbols 4 --length 3 --number 2 -o a.tsv &&
        dnabird pattern copy --symbols 4 --length 3 --number 1 --settings <(echo first-row = 1) &&
        tail -n 1 a.tsv >b.tsv &&
        dnabird pattern copy --symbols 4 --length 3 --number 1 --settings \
            <(echo first-row = 1) -o c.tsv
    | out lines 1
    | same b.tsv c.tsv
1 | dnabird pattern copy --symbols 1 | err ~ --symbols 1 is not from 2
    | err lines 1
0: learn logs its steps beside the counted share
    dnabird pattern learn -q --pattern strided,block=1,width=3,causal=yes --symbols 8 \
        --length 7 --settings \
        <(printf 'hidden = 16\nintermediate = 16\ntest-rows = 50\nvalid-rows = 50\n') \
        --batch 16 --steps 4 -o run && cut -f 1 run/training.tsv
    | out ~ strided,block=1,width=3,causal=yes	1	4	
    | out ~ counted_percent
    | out ~ 0.00	12.50
    | out ~ step
1 | dnabird pattern learn --pattern full,block=2,causal=yes --length 7 -o run | err ~ block=1
    | err lines 1
1 | dnabird pattern learn --pattern strided,block=1 --length 7 -o run | err ~ token 0 sees token 1
    | err ~ causal=yes
    | err lines 1
2 | dnabird pattern learn --length 7 -o run | err ~ --pattern
# the messages of limits name an allowed value; a number consists of digits
1 | dnabird pattern check --pattern star,block=1 --length 8 --heads 0 | err ~ 0 heads: use 1 to 65536
1 | dnabird pattern check --pattern random,block=1 --length 64 --layers 1000000000 | err ~ 1000000000 layers: use 1 to 1024
    | err lines 1
1 | dnabird pattern show --pattern 'strided,width= 3' | err ~ pattern_width ' 3': use 1 to
1 | dnabird pattern show --pattern strided,width=+3 | err ~ pattern_width '+3': use 1 to
1 | dnabird pattern show --pattern strided, | err ~ '' is not OPTION=VALUE
0 | dnabird pattern show --pattern star,block=1 --length 1 | out ~ 1 token, 1 block

# a pattern without an order has a reason; the star of theorem 1
1 | dnabird pattern check --pattern bigbird,block=1,random=none,parts=global --length 64 | out ~ 1.2 chain          NO: no order in which every block sees the one before: too few
    | out ~ star graph         yes: block 0
0 | dnabird pattern check --pattern random,block=1,sparsity=90,seed=1 --length 64 | out ~ assumption 1       holds
    | out ~ star graph         no block
