# The whole path of table 7 of Zaheer et al. 2020 on true rows: 8,000 bp, 919 labels,
# a byte-pair vocabulary of 32,000. One row of eight, trained and evaluated on the same
# rows: a model that reads them learns them in five steps. How many labels a class has
# medians of is counted from the rows.
0 long: a head of 919 labels trains on 8,000 bp in 32K byte pairs and prints DHS, TF and HM
    zstd -dcq $T/data/deepsea/gena_test100_8kb.tsv.zst |
        awk '/^#/ { print; next } ++n % 8 == 1' >few.tsv
    dnabird init -q --preset tiny --layers 1 --positions 2048 --seed 1 \
        --tokenizer $T/golden/tokenizer/human_BPE_32k.json start &&
        dnabird finetune chromatin -t 1 --init start --head mean --context 8000 --lr 0.003 \
            --strand given --train few.tsv --valid few.tsv --steps 5 --batch 8 --validate-every 5 \
            --no-baselines --seed 1 -o m 2>log &&
        dnabird info m | grep -e ^tokenizer -e ^window -e ^features &&
        dnabird evaluate -t 1 -m m --strand given --test few.tsv -O features -o f.tsv 2>e &&
        awk -F '\t' 'FNR == NR && /^##profile/ { class[++p] = $3; next }
            FNR == NR && !/^#/ { rows++; k = split($2, l, ",")
                for (i = 1; i <= k; i++) if (l[i] != ".") n[l[i] + 1]++; next }
            FNR != NR && FNR == 1 { for (i in n) if (n[i] < rows) of[class[i]]++ }
            sub(/^median:/, "", $2) {
                print $2, ($8 == of[$2] ? "as counted" : $8 " labels"),
                    ($11 > 0.75 ? "learned" : "AUROC " $11) }' few.tsv f.tsv
    grep -q 'DHS [01][.].*TF [01][.].*HM [01][.]' log && echo medians while it trains
    ! grep 'middle is used' log # no row is longer than what the model reads
    | out ~ tokenizer     32000 tokens
    | out ~ window        8000 bp
    | out ~ features      919: DHS 125, TF 690, HM 104
    | out ~ medians while it trains
    | out !~ middle is used
    | out ~ DHS as counted learned
    | out ~ TF as counted learned
    | out ~ HM as counted learned
    | err empty
