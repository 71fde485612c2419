# dnabird bench: output formats and wrong use. Measured values are not tested.

2 | dnabird bench nothing | err ~ cannot measure 'nothing'
    | out empty
2 | dnabird bench forward train | err ~ one thing at a time
2 | dnabird bench --preset huge | err ~ huge
2 | dnabird bench --length 0 | err ~ --length must be above 0, got 0
    | err lines 1
1 | dnabird bench -m none | err ~ none
    | out empty

0 | dnabird bench --preset tiny --length 100 --sequences 2 --runs 1 | out ~ forward    tiny         100     2
    | out lines 2
    | err empty
0 | dnabird bench train --preset tiny --length 100 --runs 1 --json | out ~ "name": "train"
    | out ~ "share_of_sgemm": 
0 | dnabird bench train --preset tiny --length 100 --runs 1 --recompute -t 1 --cpu-time --tokenizer $T/golden/t_bpe_tiny/tokenizer.json -f $DATA/genome/chr20_demo.fa.gz | out ~ bases_per_token
    | out ~ executed_gflop
2 | dnabird bench forward --recompute | err ~ --recompute and --tokenizer belong to train
1 | dnabird bench --preset tiny --length 100 -t 2 --cpu-time | err ~ give -t 1
    | out empty
0 | dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m; dnabird bench tokenize -m m --length 1000 --runs 1 | out ~ tokenize

0 needs=jq: --json has one row with positive numbers
    for w in forward linear attention; do
        dnabird bench $w --preset tiny --length 100 --sequences 2 --runs 2 -t 1 --json >$w.json &&
            jq -r --arg w $w '.[] | select(.name == $w and .model == "tiny" and .tokens == 100 and
                    .sequences == 2 and .threads == 1 and .repeats == 2 and ([.best_s,
                    .median_s, .gflop, .gflop_per_s, .sgemm_gflop_per_s, .share_of_sgemm,
                    .per_s, .peak_mib] | all(type == "number" and . > 0)) and
                    .best_s <= .median_s) | .name' $w.json
    done |
        tr '\n' ' '
    | out ~ forward linear attention
    | err empty
0 needs=jq: rates and shares follow from the times
    for w in forward linear attention; do
        dnabird bench $w --preset tiny --length 100 --sequences 2 --runs 2 -t 1 --json |
            jq '.[] | [.gflop / .best_s / .gflop_per_s,
                    .gflop_per_s / .sgemm_gflop_per_s / .share_of_sgemm,
                    200 / .best_s / .per_s] | map(. > 0.999 and . < 1.001)' -c
    done |
        sort |
        uniq -c
    | out ~ 3 [true,true,true]
    | out lines 1
0 needs=jq: shares of linear layers, attention and the rest add up to 1
    dnabird bench forward --preset tiny --length 100 --runs 1 -t 1 --json |
        jq -c '.[] | (.linear_share + .attention_share + .rest_share) as $s | [$s > 0.98 and
                $s < 1.02, .linear_share > 0, .attention_share > 0]'
    | out ~ [true,true,true]
0 needs=jq: a single kernel has no shares of a layer
    for w in linear attention; do
        dnabird bench $w --preset tiny --length 100 --runs 1 --json |
            jq -c '.[] | [.linear_share, .attention_share, .rest_share]'
    done |
        uniq -c
    | out ~ 2 [null,null,null]
    | out lines 1
0 needs=jq: tokenize reports bases per second and no floating-point work
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m
    dnabird bench tokenize -m m --length 1000 --runs 2 --json |
        jq -c '.[] | [.name, .model, .gflop, .gflop_per_s, .sgemm_gflop_per_s, .share_of_sgemm,
                .best_s > 0, .best_s <= .median_s, .per_s > 0, .peak_mib > 0]'
    | out ~ ["tokenize","m",0,0,0,null,true,true,true,true]
    | err empty

# bench scan: time of each part
2 | dnabird bench scan -t 1 | err ~ give a genome
2 | dnabird bench scan x.fa | err ~ unexpected argument 'x.fa'
2 | dnabird bench scan -f x.fa -r a:1-9 --max-bp 5 | err ~ cannot be used with --region
2 | dnabird bench scan -f x.fa --max-bp -5 | err ~ --max-bp is negative
1 | dnabird bench scan -f none.fa | err ~ none.fa
    | err lines 1
    | out empty
1 | dnabird bench scan -f $DATA/genome/chr20_demo.fa.gz -t 2 --cpu-time | err ~ give -t 1
    | out empty
0 | dnabird bench scan -m $T/data/model -f $T/data/variants/toy.fa --max-bp 300 --runs 1 | out ~ computed 16
    | out ~ weights_mib
    | err empty
0 | dnabird bench variant -m $T/data/model -f $T/data/variants/toy.fa $T/data/variants/kinds.vcf --runs 1 | out ~ alleles/s
    | out lines 2
    | err empty
0 | dnabird bench scan -m $T/data/model -f $DATA/genome/chr20_demo.fa.gz -r chr20:2400001-2405000 --runs 1 -t 1 --cpu-time --json | out ~ "bp": 5000
    | out ~ "gflop_per_s":
    | out ~ "sgemm_gflop_per_s":
    | out ~ "share_of_sgemm": 
    | err empty

# the shipped model has a stem: its operations are not counted
0 | dnabird bench scan -q -f $DATA/genome/chr20_demo.fa.gz -r chr20:2400001-2405000 --runs 1 -t 1 --cpu-time --json | out ~ "gflop_per_s": null
    | out ~ "scored_bp": 10000
    | out ~ "bp": 5000
    | err empty

# bench stem: forward in each available precision, and a training pass
2 | dnabird bench stem x | err ~ unexpected argument 'x'
1 | dnabird bench stem --stem 4x8 | err ~ kernel 4: use an odd number
    | err lines 1
    | out empty
1 | dnabird bench stem --stem none | err ~ no stem to measure
1 | dnabird bench stem -m $T/data/model | err ~ the model has no stem
    | out empty
0 needs=jq: stem reports each precision and the training pass
    dnabird bench stem -q --stem 7x16/3,5x16+ --length 100 --sequences 2 --runs 2 -t 1 \
        --json |
        jq -c '[.[0].name, .[0].precision, .[-1].name, .[-1].precision], [.[] | .best_s > 0 and
                .best_s <= .median_s and .gflop_per_s > 0 and .sgemm_gflop_per_s > 0 and
                .peak_mib > 0 and (200 / .best_s / .per_s | . > 0.999 and
                . < 1.001)] == [.[] | true], (.[0].gflop * 1e9 | round),
                (.[-1].gflop * 1e9 | round), ([.[] | select(.precision != "float32") |
                .times_float32 > 0 and (.name != "forward" or .error_rms < 0.1)] | all)'
    | out ~ ["forward","float32","training pass",
    | out ~ true
    | out ~ 193067
    | out ~ 556800
    | err empty
0 | dnabird tokenizer kmer -k 1 -o k.json; dnabird init --tokenizer k.json --stem 5x64/4 --labels 2 --head maxmean m; dnabird bench stem -q -m m --length 50 --runs 1 | out ~ training pass float32

# bench bins: bins and windows in turns on the same sequence
2 | dnabird bench bins -t 1 | err ~ give a genome
2 | dnabird bench bins -f x.fa -r a:1-9 --max-bp 5 | err ~ cannot be used with --region
2 | dnabird bench bins -f x.fa -w 1000 | err ~ --window is 1800 bp or more
1 | TMPDIR=$PWD dnabird bench bins -f none.fa | err ~ none.fa
    | err lines 1
    | out empty
1 | TMPDIR=$PWD dnabird bench bins -q -f $DATA/genome/chr20_demo.fa.gz --stem 4x8; ls | grep dnabird-bench | out empty
    | err ~ kernel 4
0 long needs=jq: bins are compared with windows and no temporary file stays
    TMPDIR=$PWD dnabird bench bins -q -f $DATA/genome/chr20_demo.fa.gz \
        -r chr20:2400001-2405000 --stem 9x128/20 -w 3200 -t 2 --runs 1 --json >j
    jq -c '.[0] | .precision, .bp, .model, .beside, .strands, .windows_strands,
            (.best_s * .times_as_fast / .windows_s | . > 0.999 and . < 1.001),
            .peak_mib > 0 and .windows_peak_mib > 0' j |
        tr '\n' ' '
    echo $(ls | grep -c dnabird-bench)
    | out ~ "float32" 5000 "random" "random" 1 2 true true 0
    | err empty
    | out lines 1

# bench bins --beside
0 long needs=jq: --beside takes a window model, next to a given or random bin model
    dnabird tokenizer kmer -k 3 -o k.json
    dnabird init --preset tiny --tokenizer k.json --labels a,b,c --head mean --seed 1 plain
    dnabird export -q --compress --facts <(echo '{"window_bp": 300, "bin_bp": 100}') plain \
        beside
    dnabird tokenizer kmer -k 1 -o one.json
    dnabird init --tokenizer one.json --preset tiny --stem 9x64/20 --head bins -b 200 \
        -w 3200 --labels a,b bins
    for x in '--beside beside' '--beside beside -m bins'; do
        TMPDIR=$PWD dnabird bench bins -q $x --stem 9x64/20 -w 3200 \
            -f $DATA/genome/chr20_demo.fa.gz -r chr20:2400001-2405000 -t 1 --runs 1 --json |
            jq -c '.[0] | .model, .beside, .bp, .windows_s > 0' |
            tr '\n' ' '
    done
    echo $(ls | grep -c dnabird-bench)
    | out ~ "random" "beside" 5000 true "bins" "beside" 5000 true 0
    | err empty
1 | TMPDIR=$PWD dnabird bench bins -q --beside none -f $DATA/genome/chr20_demo.fa.gz -r chr20:2400001-2405000 --runs 1 | err ~ none
    | err lines 1
    | out empty
    | none dnabird-bench*

# bench scaling: simulated cores
2 | dnabird bench scaling x | err ~ unexpected argument 'x'
2 | dnabird bench scaling --preset tiny --cores 1,x | err ~ --cores takes numbers between commas, not '1,x'
    | out empty
1 | dnabird bench scaling --preset tiny --cores 12 | err ~ 12 cores: 1 to 4096, in whole groups of 8 and nodes of 64
    | err lines 1
1 | dnabird bench scaling --preset tiny --settings <(echo 'group = 3') | err ~ a NUMA node must be whole groups of cores
1 | dnabird bench scaling --preset tiny --settings <(echo 'memory = -1') | err ~ rates must be above 0
0 | dnabird bench scaling --preset tiny --length 100 --sequences 2 --runs 1 --settings <(echo 'packs = 64') --cores 1,64 | out lines 5
    | out ~ held back by
    | err empty
0 | dnabird bench scaling --preset tiny --length 100 --sequences 2 --runs 1 --settings <(printf 'packs = 64\nbases-per-s = 1e9\nmemory = 0.001\n') --cores 64 --json | out ~ "bound": "memory"
0 needs=jq: scaling simulates many cores and nodes
    dnabird bench scaling --preset tiny --length 200 --sequences 3 --runs 2 --settings \
        <(printf 'packs = 512\nbases-per-s = 1e8\n') --cores 1,4,64,128 --json |
        jq -c '[[.[] | .cores, .cores_of_a_pack, .nodes], (.[0].times_one_core * 1000 | round),
                all(.[]; .times_one_core > 0 and .times_one_core <= 1.001 * .cores and
                (.share * .cores / .times_one_core * 1000 | round) == 1000),
                .[5].pack_s <= .[4].pack_s]'
    | out ~ [[1,1,1,1,1,1,4,1,1,4,4,1,64,1,1,64,8,1,128,1,2,128,8,2],1000,true,true]
0 | dnabird bench scaling --preset tiny --length 100 --sequences 2 --runs 1 --settings <(printf 'packs = 64\nbases-per-s = 1000\n') --cores 64,128 --json | out ~ "bound": "feeding"
    | out ~ "nodes": 2

# bench --attention-map: another map and softmax in the same run
0 | dnabird bench attention --preset tiny --length 300 --runs 1 --attention-map topk:40 | out ~ attention_map topk:40, softmax_s
2 | dnabird bench forward --preset tiny --attention-map sparsemax | err ~ --attention-map belongs to attention
1 | dnabird bench attention --preset tiny --attention-map topk | err ~ attention map 'topk': use topk:keys

# threads
0: the environment limits the default number of threads, and -t goes before it
    threads() {
        env -u OMP_NUM_THREADS -u SLURM_CPUS_PER_TASK "$@" --preset tiny --length 100 --runs 1 --json |
            grep -oE '"threads": *[0-9]+' | tr -d ' '
    }
    b='dnabird bench forward'
    threads env OMP_NUM_THREADS=1 $b
    threads env OMP_NUM_THREADS=1,4 $b
    threads env SLURM_CPUS_PER_TASK=1 OMP_NUM_THREADS=64 $b
    threads env OMP_NUM_THREADS=1 $b -t 2
    threads $b >all
    threads env OMP_NUM_THREADS=100000 $b | cmp - all
    | out = threads_env.txt
    | err empty
