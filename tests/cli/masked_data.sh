# Data of masked_variant.tst: a reference r.fa of two contigs, a masked-language
# model m over single bases with random weights, and alleles x.vcf.
# SPDX-License-Identifier: MIT shellcheck shell=bash
awk 'BEGIN {
    srand(4)
    for (c = 0; c < 2; c++) {
        s = ""
        for (i = 0; i < 900; i++)
            s = s substr("ACGT", 1 + int(4 * rand()), 1)
        print ">" (c ? "B" : "A")
        print s
    } }' >r.fa
cat >config.json <<'END'
{"model_type": "big_bird", "architectures": ["BigBirdForMaskedLM"],
 "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 32, "max_position_embeddings": 128, "block_size": 8,
 "num_random_blocks": 1, "initializer_range": 0.3}
END
dnabird tokenizer kmer -k 1 -o k.json

# model [OPTIONS]: make m again
model() {
    rm -rf m
    dnabird init --config config.json --tokenizer k.json --window 100 "$@" m
}
model

# alleles STEP: transitions and a transversion every STEP bases, and some
# insertions and deletions
alleles() {
    awk -v step="$1" '
        BEGIN { print "##fileformat=VCFv4.2"
            print "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"
            split("A C G T", b, " "); t["A"] = "G"; t["G"] = "A"
            t["C"] = "T"; t["T"] = "C" }
        /^>/ { name = substr($0, 2); next }
        { for (i = 60; i < 840; i += step) {
              r = substr($0, i, 1)
              v = r == "A" || r == "G" ? "C" : "A"
              n++
              ref = n % 7 == 3 ? substr($0, i, 1 + n % 5) : r
              alt = n % 7 == 3 ? r : n % 7 == 5 ? r "GATTACA" : t[r] "," v
              if (ref != alt)
                  print name "\t" i "\t.\t" ref "\t" alt "\t.\t.\t." } }' r.fa
}
alleles 41 >x.vcf

# swap: x.vcf with REF and ALT exchanged, on a reference that has ALT
swap() {
    awk -F '\t' -v OFS='\t' '
        NR == FNR && /^#/ { print >"swapped.vcf"; next }
        NR == FNR { alt[$1, $2] = $5; at[++n] = $2; of[n] = $1
            t = $4; $4 = $5; $5 = t; print >"swapped.vcf"; next }
        /^>/ { name = substr($0, 2); print >"swapped.fa"; next }
        { for (i = 1; i <= n; i++)
              if (of[i] == name)
                  $0 = substr($0, 1, at[i] - 1) alt[name, at[i]] \
                      substr($0, at[i] + length(alt[name, at[i]]))
          print >"swapped.fa" }' x.vcf r.fa
}

# v OPTIONS ...: a table of the model m
v() {
    dnabird variant -q -m m -O tsv --no-version "$@"
}
