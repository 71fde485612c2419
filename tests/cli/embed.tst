# dnabird embed: output files, wrong use, nothing left after a failure.

2 | dnabird embed | err ~ Usage: dnabird embed
    | out empty
2 | dnabird embed -o x.npy | err ~ one input is needed
2 | dnabird embed -o x.npy --ids i in.fa | err ~ one input is needed
2 | dnabird embed -o x.npy -R r.bed | err ~ -R and -f belong together
2 | dnabird embed -o x.npy -f in.fa --ids i | err ~ -R and -f belong together
2 | dnabird embed --ids i | err ~ -o FILE is needed
2 | dnabird embed -o x.npy --layer first --ids i | err ~ --layer first: last, all, none, inputs or a number
2 | dnabird embed -o x.npy --layer 1x --ids i | err ~ --layer 1x
2 | dnabird embed -o x.npy --random-blocks some --ids i | err ~ some

0: --layer all writes every hidden state as safetensors
    dnabird init m
    echo 2 7 8 3 >i
    dnabird embed -m m -o x.safetensors --layer all --pooled --logits --ids i &&
        head -c 1000 x.safetensors | grep -ao '"[a-z_]*[.]*[0-9]*":{"dtype' | tr -d '\n'
    | out ~ "offset":{"dtype"hidden_states.0":{"dtype"hidden_states.1":{"dtype"hidden_states.2":{"dtype"last_hidden_state":{"dtype"pooler_output":{"dtype"logits":{"dtype
    | err ~ 1 sequence, 4 tokens; 7 tensors
    | err lines 1
0 | dnabird init m; echo 2 7 8 3 >i; dnabird embed -m m -o x.npy --ids - <i; dnabird embed -t 1 -m m -o y.npy --layer 2 --ids i | same x.npy y.npy
0: plain and gzipped FASTA give the same pooled rows
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m
    printf '>a\nACGT\nAC\n>b\nTT\n' >in.fa
    dnabird embed -m m -o x.npy --pooled in.fa
    gzip -c in.fa | dnabird embed -m m -o y.npy --pooled -
    | same x.npy y.npy
    | err ~ 2 sequences
1 | dnabird init m; echo 2 7 >i; dnabird embed -m m -o x.txt --ids i | err ~ .safetensors, .npy or .tsv
    | none x.txt
1 | dnabird init m; echo 2 99999 >i; dnabird embed -m m -o x.npy --ids i | err ~ i: line 1: id 99999 is outside the vocabulary of 32000
    | err lines 1
    | none x.npy
1 | dnabird init m; seq 1 600 | tr '\n' ' ' >i; dnabird embed -m m -o x.npy --ids i | err ~ i: line 1 has 600 tokens, the model reads 512
    | err lines 1
    | none x.npy
1 | dnabird init m; printf '>a\nACGT\n' >in.fa; dnabird embed -m m -o x.npy in.fa | err ~ no tokenizer.json
    | none x.npy
1 | dnabird embed -m none -o x.npy --ids i | err ~ none
    | err lines 1

0: the mean is that of all tokens, special ones too, without padding
    dnabird init m
    printf '2 7 8 3\n2 9 3\n' >i
    dnabird embed -m m -o rows.npy --ids i
    dnabird embed -m m -o mean.tsv --ids i
    dnabird embed -m m -o padded.tsv --mean --pad-to 9 --ids i
    (
        tail -c +129 rows.npy | od -An -v -tf4 -w256
        cut -f 2- mean.tsv
        cut -f 2- padded.tsv | sed 1d
    ) |
        awk 'NR < 8 { for (k = 1; k <= 64; k++) s[(NR > 4), k] += $k / (NR > 4 ? 3 : 4); next }
            NR == 8 { next }
            {
                w = NR == 10 || NR == 12
                for (k = 1; k <= 64; k++) { d = $k - s[w, k]; if (d * d > 1e-8) bad++; n++ }
            }
            END { print n + 0, "values,", bad + 0, "differ" }'
    | out ~ 256 values, 0 differ
0: rows are named by the regions of a BED file
    . $T/cli/peaks_data.sh
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m
    printf 'A\t800\t900\nB\t10\t90\tb\nA\t0\t50\t.\nA\t0\t50\t.\t0\t-\n' >r.bed
    dnabird embed -m m --pooled -o p.tsv -R r.bed -f r.fa
    awk '{ print $1, NF }' p.tsv
    | out = embed_names.txt

0: the name of an interval has all of a long contig name
    n=$(printf 'c%.0s' {1..130})
    printf ">${n}1\nACGTACGTTT\n>${n}2\nGGGGACGTTT\n" >r.fa
    printf "${n}1\t0\t5\n${n}2\t2\t5\n" >r.bed
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m
    dnabird embed -q -m m -o x.tsv -R r.bed -f r.fa
    cut -f 1 x.tsv >got
    printf "name\n${n}1:1-5\n${n}2:3-5\n" >want
    | same got want
0: rows are named by the FASTA records
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m
    printf '>a x\nACGT\nAC\n>b\nTT\n' >in.fa
    dnabird embed -m m -o x.tsv in.fa
    cut -f 1,2 x.tsv | cut -c 1-20 | tr '\t' ' '
    | out ~ name mean_hidden_sta
    | out lines 3
    | out ~ a 
    | out ~ b 
1 | dnabird init m; echo 2 7 >i; dnabird embed -m m -o x.tsv --layer 1 --ids i | err ~ a .tsv file has a row a sequence
    | err lines 1
    | none x.tsv
1 | dnabird init m; echo 2 7 >i; dnabird embed -m m -o x.tsv --logits --ids i | err ~ x.tsv
    | none x.tsv
1 | dnabird init m; echo 2 7 >i; dnabird embed -m m -o x.tsv --mean --pooled --ids i | err ~ holds one tensor, and 2 were chosen
    | none x.tsv

0: logits of each token, of models that answer spans
    printf '1 5 6 7 8 9\n1 4 4 4\n' >ids
    dnabird embed -q -m $T/golden/h_span_sparse --ids ids --logits -o o.safetensors
    strings o.safetensors | grep -o '"logits":{[^}]*}'
    | out ~ "shape":[10,2]
1: they have no pooled output
    printf '1 5 6\n' >ids
    dnabird embed -q -m $T/golden/h_span_sparse --ids ids --pooled -o o.npy
    | err ~ the head 'span' has no pooled output
    | none o.npy
0: one logit a sequence, of models that score choices
    printf '1 5 6 7 8 9\n1 4 4 4\n' >ids
    dnabird embed -q -m $T/golden/h_choice --ids ids --logits -o o.tsv
    awk -F '\t' 'NR > 1 && NF == 2 && $2 != "" { n++ } END { exit n != 2 }' o.tsv
1: an architecture that is not known is refused, with those that are
    cp -r $T/golden/h_span_full m
    chmod -R u+w m
    sed 's/QuestionAnswering/CausalLM/' $T/golden/h_span_full/config.json >m/config.json
    dnabird info m
    | err ~ BigBirdForCausalLM
    | err ~ BigBirdForQuestionAnswering

1 | printf '>a\nACGTTGCAACGTTGCA\n' >x.fa; dnabird embed --logits -o x.safetensors x.fa | err ~ regulatory: --logits: the head answers bins of a window
    | none x.safetensors

0: compressed token ids, and lines that end in CRLF
    dnabird init m
    printf '2 7 8 3\n2 9 3\n' >i
    printf '2 7 8 3\r\n2 9 3\r\n' | gzip >i.gz
    for f in i i.gz; do
        dnabird embed -q -m m -o $f.npy --ids $f || exit
    done
    | same i.npy i.gz.npy
