# --shard I/N: concatenated shards equal the whole run.

0 long: promoter: joined shards equal the whole, in every format
    . $T/cli/shards_data.sh
    P="promoter -m $T/data/model"
    for O in bed bedgraph tsv windows; do
        whole 4 $P -T 0.33 -O $O g.fa
        whole 3 $P -T 0.33 -O $O -R r.bed g.fa
    done |
        awk '$1 > 2'
    | out lines 8
# one call over a whole contig, and more shards than windows
0 | . $T/cli/shards_data.sh; P="promoter -m $T/data/model"; whole 5 $P -T 0 g.fa; head -c 300 g.fa >h.fa; whole 13 $P -O windows h.fa | out lines 2
0 long: chromatin: joined shards equal the whole, in every format
    . $T/cli/shards_data.sh
    dnabird init -q --preset tiny --labels TF:a,TF:b,HM:c --window 70 \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m
    C="chromatin -m m --bin 20 --context 70"
    t=$(dnabird $C -q -F a -O bedgraph g.fa | awk '!/^#/ {print $4}' | sort -g | sed -n 200p)
    for x in g.fa "-R r.bed g.fa"; do
        whole 3 $C -O tsv $x
        whole 3 $C -F a -O bedgraph $x
        whole 3 $C -F a -T $t -O bed $x
    done |
        awk '$1 > 20'
    whole 3 $C -c -O tsv g.fa
    whole 3 $C -c -O tsv -R r.bed g.fa
    | out lines 8
0 long: models with bins: joined shards equal the whole
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -q
    . $T/cli/shards_data.sh
    whole 5 promoter -m m -O windows r.fa
    whole 5 promoter -m m -T 0.4 -O tsv r.fa -r A:1-3000,B
    whole 3 promoter -m m -O bedgraph r.fa
    | out lines 3
# values of a model with bins, with regions that cover all of it, too
0 | . $T/cli/bins_data.sh; ready; P="dnabird promoter -q -m m -O bedgraph --no-version r.fa"; $P >a; $P -r A,B,C >b | same a b
0: a folder of tracks: joined shards equal the whole
    . $T/cli/shards_data.sh
    dnabird init -q --preset tiny --labels TF:a,HM:c --window 70 \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m
    C="dnabird chromatin -q -m m --bin 20 --context 70 --no-version -O bedgraph g.fa"
    $C -o w
    for i in 1 2; do $C -o p$i --shard $i/2; done
    for f in a c; do
        cat p1/$f.bedgraph p2/$f.bedgraph | cmp - w/$f.bedgraph && wc -l <w/$f.bedgraph
    done
    | out lines 2

0: variant: joined shards equal the whole, in every table format
    . $T/cli/shards_data.sh
    cp $T/data/variants/* .
    for O in tsv kipoi bed; do
        whole 3 variant -m $T/data/model -f toy.fa -O $O kinds.vcf
        whole 5 variant -m $T/data/model -f toy.fa -O $O kinds.vcf
    done
    whole 3 variant -m $T/data/model -f toy.fa -O tsv -r chr1:100-300 kinds.vcf
    | out lines 7
0 needs=bcftools,bgzip: shards of VCF have a header each and join with bcftools concat
    cp $T/data/variants/* .
    sed '/^##contig/d' kinds.vcf >n.vcf
    for v in kinds n; do
        V="dnabird variant -q -m $T/data/model -f toy.fa --no-version $v.vcf"
        $V -o w.vcf.gz
        for i in 1 2 3; do $V -o p$i.vcf.gz --shard $i/3; done
        bcftools concat --naive -o j.vcf.gz p?.vcf.gz
        bgzip -dc j.vcf.gz | cmp - <(bgzip -dc w.vcf.gz) && bgzip -dc p2.vcf.gz | grep -vc '^#'
    done 2>log
    | out lines 2
0 needs=bcftools,bgzip: shards of BCF join with bcftools concat
    cp $T/data/variants/toy.fa .
    (
        printf '%b\n' '##fileformat=VCFv4.2' '##contig=<ID=chr1,length=600>' \
            '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO'
        for p in 110 120 130 140 150; do
            b=$(sed -n '/chr1/,/chrM/p' toy.fa | grep -v '>' | tr -d '\n' | cut -c $p)
            printf "chr1\t$p\t.\t$b\t${b}A\t.\t.\t.\n"
        done
    ) >v.vcf
    V="dnabird variant -q -m $T/data/model -f toy.fa --no-version v.vcf"
    $V -o w.bcf
    for i in 1 2; do $V -o p$i.bcf --shard $i/2; done
    bcftools concat --naive -o j.bcf p?.bcf
    bgzip -dc j.bcf >a
    bgzip -dc w.bcf >b
    | same a b
1: --resume refuses another shard
    cp $T/data/variants/* .
    V="dnabird variant -q -m $T/data/model -f toy.fa --no-version -O tsv kinds.vcf --resume -o o.tsv"
    $V --shard 2/3
    cp o.tsv once
    printf x >o.tsv.partial
    printf '{"identity": {}}' >o.tsv.partial.json
    $V --shard 2/3
    | err ~ o.tsv.partial comes from a run with another
    | has once

# refused options give one line
2 | cp $T/data/variants/toy.fa .; dnabird promoter -m $T/data/model -O gff3 --shard 1/2 toy.fa | err ~ parts of gff3 cannot be joined
    | err lines 1
1 | cp $T/data/variants/* .; cat kinds.vcf | dnabird variant -q -m $T/data/model -f toy.fa --shard 1/2 - | err ~ name a file
    | out empty
2 | cp $T/data/variants/* .; for s in 0/3 4/3 3 1/0 1/2x; do dnabird variant -m $T/data/model -f toy.fa --shard $s kinds.vcf; done | err ~ --shard 0/3: give I/N with I from 1 to N
0 long: a record without bases has no bin, read in any way, and numbers of parts add up
    . $T/cli/shards_data.sh
    whole 3 promoter -O windows g.fa
    whole 3 chromatin -F TSS+ g.fa
    dnabird promoter -q -O windows g.fa | grep -c '^empty'
    for k in windows bp empty; do
        for i in "" "--shard 1/3" "--shard 2/3" "--shard 3/3"; do
            dnabird promoter -q -O windows $i --json j -o o g.fa
            grep -o "\"$k\": [0-9]*" j | cut -d ' ' -f 2
        done |
            paste -s -d ' ' | awk '$1 > 0 && $1 == $2 + $3 + $4'
    done
    | out ~ 0
    | out lines 6
