# Progress on a stderr that is not a terminal, and -q in every command.

0 long: promoter prints progress with rate and time left
    awk 'BEGIN {
            srand(1); print ">c"
            while (n++ < 12000) {
                s = ""
                for (i = 0; i < 60; i++) s = s substr("ACGT", 1 + int(4 * rand()), 1)
                print s
            }
        }' >c.fa
    DNABIRD_PROGRESS_EVERY=0.1 dnabird promoter -m $T/data/model --stride 20 -t 1 c.fa >o
    | err ~ dnabird: scoring:
    | err ~  kbp (
    | err !~ kbp of
    | err ~  kbp/s, left 0:
0: a short run prints no progress
    awk 'BEGIN {
            srand(1); print ">c"
            while (n++ < 200) {
                s = ""
                for (i = 0; i < 60; i++) s = s substr("ACGT", 1 + int(4 * rand()), 1)
                print s
            }
        }' >c.fa
    dnabird promoter -m $T/data/model c.fa
    | err !~ scoring
    | err !~ left 0:
0 long: variant prints progress with rate and time left
    cp $T/data/variants/* .
    awk '/^#/ { print; next }
        { l[n++] = $0 }
        END { while (k++ < 6000) for (i = 0; i < n; i++) print l[i] }' kinds.vcf >x.vcf
    DNABIRD_PROGRESS_EVERY=0.1 dnabird variant -m $T/data/model -t 1 -f toy.fa -o o.vcf \
        x.vcf
    | err ~ dnabird: scoring:
    | err ~  records (
    | err ~  records/s, left 0:
0: finetune prints progress with rate and time left
    . $T/support/wait.sh
    printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    export DNABIRD_PROGRESS_EVERY=0.1
    f() {
        exec dnabird finetune -t 1 --train x.csv --valid x.csv --init $T/data/model \
            --steps 4000000 --validate-every 2000 --batch 2 --no-baselines -o run 2>e
    }
    f &
    wait_until $! grep -qs steps/s e
    kill -TERM $!
    wait
    cat e >&2
    | err ~  of 4000000 steps (
    | err ~  steps/s, left

# option and environment; the option wins
0 long: --progress wins over the environment, and -q over both
    awk 'BEGIN {
            srand(1); print ">c"
            while (n++ < 3000) {
                s = ""
                for (i = 0; i < 60; i++) s = s substr("ACGT", 1 + int(4 * rand()), 1)
                print s
            }
        }' >c.fa
    export DNABIRD_PROGRESS_EVERY=0.01
    f() { dnabird promoter -m $T/data/model -t 1 "$@" c.fa; }
    f --progress never >a 2>e1
    DNABIRD_PROGRESS=1 f --progress=never >b 2>e2
    DNABIRD_PROGRESS=0 f >c 2>e3
    f --progress auto -q >d 2>e4
    cat e1 e2 e3 e4
    cmp a d
    | out !~ scoring
    | same a b
    | same a c
0 long: --progress always draws a bar where stderr is not a terminal
    awk 'BEGIN {
            srand(1); print ">c"
            while (n++ < 3000) {
                s = ""
                for (i = 0; i < 60; i++) s = s substr("ACGT", 1 + int(4 * rand()), 1)
                print s
            }
        }' >c.fa
    DNABIRD_PROGRESS=0 dnabird promoter -m $T/data/model --progress always c.fa
    | err ~ scoring [#
2 | dnabird promoter --progress sometimes x.fa | err ~ --progress: 'sometimes' is not one of auto

# -q: only failures and warnings
0: every command has --quiet and --progress
    for c in tokenize init import export pretrain finetune evaluate promoter chromatin \
        variant mutate attribute embed info report bench "tokenizer train" \
        "tokenizer kmer" "dataset promoters" "dataset chromatin" "dataset tokens" \
        "finetune chromatin" "evaluate scan" "evaluate --mlm" "variant background" \
        "bench scan" "bench scaling" "bench variant"; do
        dnabird $c --help=all >h
        [ $(grep -cE "^(  -q, --quiet|      --progress|      --settings) " h) = 3 ] || echo "$c"
    done
    | out empty
0 | printf '>c\n%0500d\n' 0 | tr 0 A >c.fa; dnabird promoter -q -m $T/data/model c.fa | err empty
    | out ~ # command: dnabird promoter -m
    | out !~ promoter -q
1 | dnabird promoter -q -m $T/data/model none.fa | err ~ none.fa: No such file
    | err !~ left 0:
0 | cp $T/data/variants/* .; dnabird variant --quiet -m $T/data/model -f toy.fa -o o.vcf kinds.vcf | err ~ warning: contig chr1 has 600 bp
    | err !~ records
    | err !~ contig names
0 | printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv; dnabird finetune -q -t 1 --train x.csv --valid x.csv --init $T/data/model --steps 2 --batch 2 --no-baselines -o run | err empty
    | has run/model.safetensors
