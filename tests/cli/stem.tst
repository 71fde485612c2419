# Models with a convolution stem: init, info, reading, growing, export,
# pretraining, refused options.

# init and info; a plain program must not open the model as a BigBird
0: init writes a stem that info shows, as another model type
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 15x32/4:relu,5x64:plain --labels 2 \
        --head maxmean m
    dnabird info m
    grep -h 'model_type\|format_version' m/config.json m/dnabird.json
    dnabird info --verify m
    | out ~ stem          15x32/4:relu,5x64:plain: 4 tokens a row
    | out ~ context       512 rows
    | out ~ "model_type": "dnabird"
    | out ~ "format_version": 2
    | out ~ weights: OK
0 | dnabird init m; grep -h 'model_type\|format_version' m/config.json m/dnabird.json | out ~ "format_version": 1
    | out ~ "model_type": "big_bird"

0: first filters begin as motifs of a file, or of those that come with dnabird
    dnabird tokenizer kmer -k 1 -o k.json
    printf '>M1 one\nA [ 20 0 0 0 ]\nC [ 0 20 0 0 ]\nG [ 0 0 20 0 ]\nT [ 0 0 0 20 ]\n' >m.txt
    printf '>M2 two\nA [ 0 0 9 ]\nC [ 9 0 0 ]\nG [ 0 9 0 ]\nT [ 0 0 0 ]\n' >>m.txt
    new() { dnabird init --tokenizer k.json --stem 5x8:relu,3x64 --labels 2 --head maxmean "$@"; }
    new r
    new --motifs m.txt a
    new --motifs m.txt b
    new --motifs jaspar d
    cmp -s a/model.safetensors b/model.safetensors; echo same $?
    cmp -s a/model.safetensors r/model.safetensors; echo random $?
    cmp -s a/model.safetensors d/model.safetensors; echo other $?
    grep -h '"motifs"' a/dnabird.json d/dnabird.json
    | out ~ same 0
    | out ~ random 1
    | out ~ other 1
    | out ~ "motifs": "m.txt"
    | out ~ "motifs": "jaspar"
2 | dnabird init --motifs jaspar m | err ~ --motifs needs --stem and --tokenizer
1 | dnabird tokenizer kmer -k 3 -o k.json; dnabird init --tokenizer k.json --stem 5x64 --motifs jaspar m | err ~ that reads single bases
1 | dnabird tokenizer kmer -k 1 -o k.json; dnabird init --tokenizer k.json --stem 5x64 --motifs none m | err ~ none

0: embed gives rows, with any threads and company
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 5x64/4 --labels 2 --head maxmean m
    printf '>a\nACGTNACGTTAGGAC\n>b\nCCATGACT\n' >ab.fa
    printf '>b\nCCATGACT\n' >b.fa
    for t in 1 2; do dnabird embed -t $t -q -m m ab.fa -o ab$t.safetensors; done
    dnabird embed -q -m m b.fa -o b.npy
    dnabird embed -q -m m ab.fa -o ab.npy
    head -c 128 ab.npy | tr -dc '0-9(),'
    tail -c 1024 ab.npy >x
    tail -c 1024 b.npy >y
    | out ~ (10,64)
    | same x y
    | same ab1.safetensors ab2.safetensors

# layers added to a trained stem: at scale 0 they only normalise; other tensors
# stay the same
0: --from adds layers that change nothing at scale 0
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 5x64/4 --layers 0 --labels 2 --head maxmean m
    dnabird init --from m --layers 2 --branch-scale 0 g
    dnabird info g
    printf '>a\nACGTNACGTTAGGAC\n' >a.fa
    for m in m g; do
        dnabird embed -q -m $m a.fa -o $m.npy
        tail -c 1280 $m.npy | od -An -v -t f4 -w4 >$m.txt
    done
    paste m.txt g.txt |
        awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d }
            END { print(most < 1e-4 ? "near" : most) }'
    | out ~ near
    | out ~ encoder       BigBird, 2 layers of 64
1 | dnabird tokenizer kmer -k 1 -o k.json; dnabird init --tokenizer k.json --stem 5x64 m; dnabird init --from m --layers 1 g | err ~ 1 layers are fewer than the model's 2
1 | dnabird tokenizer kmer -k 1 -o k.json; dnabird init --tokenizer k.json --stem 5x64 m; dnabird init --from m --widen 2 g | err ~ a model with a stem cannot be widened

0: masked tokens are learned through a stem without pooling
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 9x64,5x64+ m
    awk 'BEGIN {
            srand(2); print ">a"
            for (i = 0; i < 4000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""
        }' >g.fa
    for t in 1 2; do
        dnabird pretrain -q -t $t --init m --steps 4 --batch 512 --length 64 --settings \
            <(echo 'centre-gradients = true') -o p$t g.fa
    done
    dnabird info p1
    dnabird evaluate --mlm -q -m p1 -f g.fa
    | out ~ stem          9x64,5x64+: 1 token a row
    | out ~ bits
    | same p1/model.safetensors p2/model.safetensors
1: --nsp is refused with a stem
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 9x64 m
    printf '>a\nACGT\n' >g.fa
    dnabird pretrain --init m --nsp --steps 1 -o p g.fa
    | err ~ token types, which a model with a stem does not read
    | none p

0 long: masked tokens are learned through pooling, which does not leak them
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 9x64/4:relu,5x64 m
    awk 'BEGIN {
            srand(2); print ">a"
            for (i = 0; i < 8000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""; print ">b"
            for (i = 0; i < 8000; i++) printf "%s", substr("ACGGTCATTAGCAGTCCAAT", 1 + i % 20, 1)
            print ""
        }' >g.fa
    samtools faidx g.fa
    for c in a b; do
        samtools faidx g.fa $c >$c.fa
        for t in 1 2; do
            dnabird pretrain -q -t $t --init m --steps 40 --lr 3e-3 --batch 4096 --length 402 \
                --settings <(echo 'centre-gradients = true') --valid-include $c:1-2000 \
                --validate-every 20 -o $c$t $c.fa
        done
        cmp $c[12]/model.safetensors && dnabird evaluate --mlm -q -m ${c}1 -f $c.fa |
                awk -F '\t' -v c=$c '$3 == "model" && $4 == "bits_per_base" {
                        print c, ($5 > 1.95 ? "nothing" : $5 < 0.5 ? "learned" : $5)
                    }'
        tail -1 ${c}1/training.tsv |
            awk -F '\t' -v c=$c \
                '{ print c, "held out", ($8 > 1.95 ? "nothing" : $8 < 0.7 ? "learned" : $8) }'
    done
    dnabird info a1
    head -c 9000 a1/model.safetensors |
        tr ',{' '\n\n' |
        grep -a -A2 'transform.stem.weight' |
        tr -d '\n'
    | out ~ stem          9x64/4:relu,5x64: 4 tokens a row
    | out ~ masked-language model
    | out ~ a nothing
    | out ~ a held out nothing
    | out ~ b learned
    | out ~ b held out learned
    | out ~ cls.predictions.transform.stem.weight
0: a stopped pretraining resumes to the same weights
    . $T/support/wait.sh
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 9x64/4:relu,5x64 m
    awk 'BEGIN {
            srand(2); print ">a"
            for (i = 0; i < 8000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""
        }' >g.fa
    p() {
        dnabird pretrain -q -t 1 --init m --steps 6 --batch 2048 --length 402 \
            --checkpoint-every 1 --resume -o r g.fa
    }
    p
    mv r once
    f() {
        exec dnabird pretrain -q -t 1 --init m --steps 6 --batch 2048 --length 402 \
            --checkpoint-every 1 --resume -o r g.fa
    }
    f &
    wait_for $! r/checkpoint.safetensors
    kill -TERM $!
    wait $!
    f
    | same r/model.safetensors once/model.safetensors
0: evaluate --mlm gives the same rows with any threads and regions
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 9x64/4:relu,5x64 m
    awk 'BEGIN {
            srand(2); print ">a"
            for (i = 0; i < 9000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""
        }' >g.fa
    samtools faidx g.fa
    for t in 1 2; do
        dnabird evaluate --mlm -q -t $t -m m -f g.fa --predictions t$t >/dev/null
    done
    dnabird evaluate --mlm -q -m m -f g.fa -R a:2041-4080 --predictions one >/dev/null
    awk '$2 >= 2040 && $2 < 4080' t1 | cut -f 7- >x
    tail -n +2 one | cut -f 7- >y
    awk 'NR > 1 { n[$4]++ } END { for (w in n) print w, n[w] }' t1 | sort -n | tr '\n' ' '
    | out ~ 0 306 2040 306 4080 306 6120 306
    | same t1 t2
    | same x y
1: --logits of rows with several tokens are refused
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 9x64/4:relu,5x64 m
    printf '>b\nCCATGACT\n' >b.fa
    dnabird embed -m m --logits b.fa -o x.safetensors
    | err ~ a row holds several tokens
    | none x.safetensors

0: finetune learns through a stem, with any threads
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 9x64/4 --labels 1 --head maxmean m
    (
        echo sequence,label
        for i in AA AC AG CA CC CT GA TC; do
            printf 'ACGTACGTAC%s,1\nTTTTACGTTT%s,0\n' $i $i
        done
    ) >x.csv
    for t in 1 2; do
        dnabird finetune -q -t $t --train x.csv --valid x.csv --init m --head maxmean \
            --steps 30 --batch 8 --lr 1e-2 --settings <(echo 'centre-gradients = true') \
            --no-baselines -o f$t
    done
    dnabird evaluate -q -m f1 --test x.csv
    | out ~ auroc	1
    | same f1/model.safetensors f2/model.safetensors

0: variant and mutate tokenize every allele alone, with any threads
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --seed 4 --tokenizer k.json --stem 9x64/4 --labels x,y --head maxmean \
        -w 100 m
    awk 'BEGIN {
            srand(5); print ">c"
            for (i = 0; i < 400; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
            print ""
        }' >g.fa
    samtools faidx g.fa
    b=$(samtools faidx g.fa c:150-150 | tail -1)
    a=A
    [ $b != A ] || a=C
    printf \
        '##fileformat=VCFv4.2\n##contig=<ID=c,length=400>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nc\t150\t.\t%s\t%s\t.\t.\t.\n' \
        $b $a >v.vcf
    for t in 1 2; do
        dnabird variant -q -t $t -m m -f g.fa -O tsv --no-version v.vcf >v$t
    done
    dnabird variant -q -m m -f g.fa -O tsv --tokens free v.vcf | grep -v '^##\|^# ' >free
    grep -v '^##\|^# ' v1 >own
    dnabird mutate -q -m m -f g.fa -r c:148-152 -O tsv >s.tsv
    awk -F '\t' '/^c\t/ { n += $0 ~ /[0-9]\.[0-9]/ } END { print n + 0, "scored" }' v1
    grep -vc '^#' s.tsv
    | out ~ 1 scored
    | same v1 v2
    | same own free

1: export to transformers is refused
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 5x64 m
    dnabird export m e
    | err ~ transformers has no model with a convolution stem: --encoder-only writes the BigBird behind it
    | none e
0: export --compress keeps the hidden states
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 5x64/4 --labels 2 --head maxmean m
    dnabird export -q --compress m e
    printf '>b\nCCATGACT\n' >b.fa
    for m in m e; do dnabird embed -q -m $m b.fa -o $m.npy; done
    | same m.npy e.npy

# wrong use gives one line
1 | dnabird init --stem 5y64 m | err ~ stem '5y64': '5y64' is not a layer: use KERNELxCHANNELS[/POOL][+][:ACTIVATION][:plain]
    | none m
1 | dnabird init --stem 4x64 m | err ~ stem, layer 1: kernel 4: use an odd number
1 | dnabird init --stem 5x32 m | err ~ the last layer of the stem has 32 channels, but the encoder reads 64
1: a head on every token needs a stem without pooling
    sed 's/BigBirdForMaskedLM/BigBirdForTokenClassification/' $T/data/torch/config.json \
        >c.json
    dnabird init --config c.json --stem 5x8/2 m
    | err ~ a head with classes of every token needs a stem without pools
1 | dnabird init --stem 3x8/0 --labels 2 --head bins m | err ~ stem, layer 1: pool 0: use 1 to 64
1 | dnabird init --stem 1x1/64,1x1/64,1x64/2 --labels 2 --head mean m | err ~ the stem makes one row of 8192 tokens or more: 4096 at most
0: pooling over 4,096 bases gives one row for a short sequence
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 1x1/64,1x64/64 --layers 0 --branch-scale 1 \
        --labels 2 --head mean m
    printf '>b\nCCATGACT\n' >b.fa
    dnabird embed -q -m m b.fa -o b.npy
    head -c 128 b.npy | tr -dc '0-9(),'
    | out ~ (3,64)
1 | dnabird tokenizer kmer -k 1 -o k.json; dnabird init --tokenizer k.json --stem 5x64 --layers 0 m; dnabird init --config m/config.json g | err ~ only a model with a stem may have no layers
1 | dnabird tokenizer kmer -k 1 -o k.json; dnabird init --tokenizer k.json --stem 5x64 --layers 0 m; sed -i '/"stem"/,/^  \]/d' m/dnabird.json; dnabird info m | err ~ m/
1 | dnabird init --layers 0 m | err ~ only a model with a stem may have no layers
2 | dnabird init m; dnabird init --from m --stem 5x64 g | err ~ --from cannot be used with
1 | dnabird tokenizer kmer -k 1 -o k.json; dnabird init --tokenizer k.json --stem 5x64 m; sed -i 's/"kernel": 5/"kernel": 6/' m/dnabird.json; dnabird info m | err ~ kernel 6
1 | dnabird tokenizer kmer -k 1 -o k.json; dnabird init --tokenizer k.json --stem 5x64 m; sed -i 's/"gelu"/"glue"/' m/dnabird.json; dnabird info m | err ~ activation 'glue' is not supported
1: --pad-to is refused with a stem
    dnabird tokenizer kmer -k 1 -o k.json
    dnabird init --tokenizer k.json --stem 5x64 m
    printf '>b\nCCATGACT\n' >b.fa
    dnabird embed -m m --pad-to 64 b.fa -o x.npy
    | err ~ a model with a stem takes no padding
    | none x.npy
