# Rows whose value is what a model can learn, and their training; to be sourced.
# SPDX-License-Identifier: MIT
awk 'BEGIN {
    srand(3); print "name\tsequence\tgc\thalf"
    for (i = 0; i < 200; i++) {
        s = ""; n = 0; p = rand()
        for (j = 0; j < 60; j++) {
            strong = rand() < p; n += strong
            s = s (strong ? (rand() < .5 ? "G" : "C") : (rand() < .5 ? "A" : "T"))
        }
        print "r" i "\t" s "\t" 100 * n / 60 "\t" (i % 2 ? 50 * n / 60 : "NA")
    }
}' >values.tsv

dnabird tokenizer kmer -q -k 1 -o base.json
learning=(finetune -t 1 --train values.tsv --values gc,half --preset tiny
    --tokenizer base.json --head mean --steps 80 --batch 16 --lr 3e-3
    --validate-every 40 --no-baselines --strand given)
# learn FOLDER [OPTIONS]: the process becomes the training run
learn() { exec dnabird "${learning[@]}" --checkpoint-every 1 -o "$@"; }

# Stop the run in folder b once it has a checkpoint, and resume it.
stop_and_resume() {
    (learn b) &
    until [ -e b/checkpoint.safetensors ]; do sleep 0.02; done
    kill -TERM $!
    wait $!
    [ $? = 3 ] && (learn b --resume)
}

# trained [OPTIONS]: a model in `run`, learned once for all cases
trained() {
    local model="$ONCE/run${*// /_}"
    if [ ! -d "$model" ]; then
        dnabird "${learning[@]}" -q "$@" -o "$ONCE/new" || return
        mv "$ONCE/new" "$model"
    fi
    cp -r "$model" run
}

# learned [OPTIONS]: a model in `run`, evaluated on its rows
learned() {
    trained || return
    dnabird evaluate -m run --test values.tsv "$@"
}

# noisy: 1,000 rows of noisy.tsv. v is G+C in % and noise, normal by twelve uniform numbers,
# with a standard deviation of 2 below 50 % (names low...), else of 12.
noisy() {
    awk 'BEGIN {
        srand(5); print "name\tsequence\tv"
        for (i = 0; i < 1000; i++) {
            s = ""; n = 0; p = i % 2 ? .25 : .75
            for (j = 0; j < 60; j++) {
                strong = rand() < p; n += strong
                s = s (strong ? (rand() < .5 ? "G" : "C") : (rand() < .5 ? "A" : "T"))
            }
            e = -6; for (j = 0; j < 12; j++) e += rand()
            print (n < 30 ? "low" : "high") i "\t" s "\t" 100 * n / 60 + e * (n < 30 ? 2 : 12)
        }
    }' >noisy.tsv
}

# wrong: in every second row of wrong.tsv gc is 100 - gc, the weight n 1 and not 10,000, the
# standard error e 10 and not .1
wrong() {
    awk -F '\t' -v OFS='\t' '
        NR == 1 { print $0, "n", "e"; next }
        NR % 2 { print $1, $2, 100 - $3, $4, 1, 10; next }
        { print $0, 10000, .1 }' values.tsv >wrong.tsv
}

# replicates: copies.tsv has replicates a and b of gc, c and d of half
replicates() {
    awk -F '\t' -v OFS='\t' '
        NR == 1 { srand(8); print $0, "a", "b", "c", "d"; next }
        { e = 20 * rand() - 10
          print $0, $3 + e, $3 - e, $4 == "NA" ? "NA\tNA" : $4 + e OFS $4 - e }' values.tsv >copies.tsv
}

# refused VALUES ROW... [OPTION COLUMN]...: training on a table with a column v
refused() {
    local values=$1 rows=()
    shift
    while [ $# -gt 0 ] && [[ $1 != --* ]]; do rows+=("$1") && shift; done
    printf '%s\n' sequence,v "${rows[@]}" >x.csv
    dnabird finetune --train x.csv --valid x.csv --values "$values" "$@" \
        --preset tiny --tokenizer base.json -o run
}
