# From DeepSEA's files (write_mat makes small ones) to a model and its metrics.

0 | dnabird --version | out ~ libmatio: yes
2 | dnabird dataset chromatin --deepsea t.mat | err ~ needs -o
2 | dnabird dataset chromatin --deepsea t.mat -o o.tsv a.bed | err ~ no peaks
2 | dnabird dataset chromatin --deepsea t.mat -f r.fa -o o.tsv | err ~ --deepsea takes --profiles
2 | dnabird dataset chromatin --deepsea t.mat --keep class:TF -o o.tsv | err ~ --deepsea takes --profiles
2 | dnabird dataset chromatin --deepsea t.mat --max-n 0 -o o.tsv | err ~ --deepsea takes --profiles
2 | dnabird dataset chromatin --deepsea t.mat --max-memory 1G -o o.tsv | err ~ --deepsea takes --profiles
2 | dnabird dataset chromatin -f r.fa --strand given -o o.tsv a.bed | err ~ --strand is for --deepsea
1 | dnabird dataset chromatin --deepsea t.mat -o o.tsv | err ~ t.mat: No such file
    | err lines 1
1 | echo x >t.mat; dnabird dataset chromatin --deepsea t.mat -o o.tsv | err ~ t.mat: not a MATLAB file
    | err lines 1
    | none o.tsv*
1 | write_mat t.mat train v5 6 240 4; dnabird dataset chromatin --deepsea t.mat -o o.tsv.zst | err ~ 'traindata' has 4 labels a sample, but
    | err ~ has 919 profiles
    | none o.tsv*
1 | write_mat t.mat train v5 6 41 919; dnabird dataset chromatin --deepsea t.mat -o o.tsv.zst | err ~ a bin of 200 bp in the middle of sequences of 41 bp
    | none o.tsv*
1 | write_mat t.mat train v5 6 240 919; dnabird dataset chromatin --deepsea t.mat -o t.mat | err ~ t.mat
    | err lines 1
1 | write_mat t.mat train v5 6 240 919; dnabird dataset chromatin --deepsea t.mat -o no/o.tsv | err ~ no/o.tsv

# each file is one command; both MATLAB versions give the same bytes
0: MATLAB versions 5 and 7.3 give the same bytes
    write_mat a.mat train v7.3 20 240 919
    write_mat b.mat train v5 20 240 919
    for i in a b; do
        dnabird dataset chromatin --deepsea $i.mat -q --no-version -o $i.tsv
        grep -v '^##source' $i.tsv >$i
    done
    | same a b
    | err empty
0 | write_mat t.mat test v7.3 20 240 919; dnabird dataset chromatin --deepsea t.mat --summary s.tsv -o o.tsv.zst; zstd -dc o.tsv.zst | grep -c '^[ACGT]*	' | out ~ 20
    | err ~ 20 sequences with
    | err ~ of 919 profiles
    | err ~ 10 of the 10 samples in the second half (100.00 %)
    | has s.tsv
0 | write_mat t.mat test v7.3 20 240 919; dnabird dataset chromatin --deepsea t.mat --strand given -o - 2>e | grep -c '^[ACGT]*	'; cat e | out ~ 10
    | out ~ left out
0 | write_mat t.mat test v7.3 21 240 919; dnabird dataset chromatin --deepsea t.mat -o o.tsv | err ~ an odd number of samples

# finetune chromatin and evaluate take the rows directly
0 | . $T/cli/deepsea_data.sh; learn && dnabird evaluate -m m --test test.tsv.zst -O features --min-positives 1 --no-version | out ~ 8988T
    | err ~ the model is in m
    | has m/model.safetensors
    | has m/validation.tsv
0 | . $T/cli/deepsea_data.sh; learn 2>/dev/null; dnabird info m | out ~ 919
0: a model trained on DeepSEA's rows scans a genome
    . $T/cli/deepsea_data.sh
    learn 2>/dev/null
    awk 'BEGIN {
            print ">A"
            for (i = 0; i < 1000; i++) printf "%s", substr("ACGT", 1 + i * i % 7 % 4, 1)
            print ""
        }' >r.fa
    dnabird chromatin -m m -F CTCF --no-version -r A:401-600 r.fa
    | out ~ A	400	600	.	ok
0 | . $T/cli/deepsea_data.sh; learn -F class:DHS 2>/dev/null; dnabird evaluate -m m --test test.tsv.zst -O features --min-positives 1 --no-version | out !~ CTCF
    | out ~ 8988T
0: --valid-fraction splits DeepSEA's rows
    . $T/cli/deepsea_data.sh
    dnabird finetune chromatin -t 1 --train train.tsv.zst --tokenizer k.json --preset tiny \
        --steps 2 --batch 8 --no-baselines --valid-fraction 0.3 -o m
    | err ~ the model is in m
1 | . $T/cli/deepsea_data.sh; learn --context 300 | err ~ 300 bp around a bin need positions on a reference
    | err lines 1

# a model of less context reads the middle of the sequences
0 | . $T/cli/deepsea_data.sh; learn --context 220 2>/dev/null; dnabird evaluate -m m --test test.tsv.zst -O features --min-positives 1 --no-version | out ~ 8988T

# With positions the labels serve any context: docs/models/deepsea.md.
0: labels with positions serve a model of any context
    . $T/cli/deepsea_data.sh
    bins_with_places &&
        dnabird finetune chromatin -t 1 --train places.tsv --valid places.tsv -f r.fa \
            --context 400 --tokenizer k.json --preset tiny --steps 2 --batch 8 --no-baselines \
            -o m
    | err ~ the model is in m
