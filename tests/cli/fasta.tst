# FASTA in every command: allowed characters, unique names, truncated bgzip
# files. tests/data/model has windows of 70 bp, stride 30.

0: X, R and gaps count as unknown bases for --max-n
    for c in X R N - . '*'; do
        printf '>%s\n%s\n' $c "$(head -c 3000 /dev/zero | tr '\0' "$c" | fold -w 60)"
    done |
        sed 's/^>\(.\)$/>r\1/' >x.fa
    dnabird promoter -m $T/data/model -T 0 --no-version x.fa
    dnabird promoter -m $T/data/model --no-version -O windows x.fa |
        cut -f6 |
        sort |
        uniq -c |
        tr -s ' '
    | out ~ too_many_N
    | out !~ ok
    | out lines 3
    | err ~ scored 0 windows of 70 bp on both strands; skipped 594 windows with too many N
0: 5 % of other codes are too many, as of N
    awk 'BEGIN {
            srand(2)
            for (r = 0; r < 2; r++) {
                print ">" r
                for (i = 0; i < 70; i++) printf "%s", i < 4 ? (r ? "N" : "Y") : substr("ACGT", 1 + int(4 * rand()), 1)
                print ""
            }
        }' >x.fa
    dnabird promoter -m $T/data/model --no-version -O windows x.fa | cut -f1,6 | sort -u
    | out ~ 0	too_many_N
    | out ~ 1	too_many_N
    | out lines 3
# a character that is not a nucleotide code: the message has record and
# position, in a stream, with an index, and for a file without one
1 | printf '>a\nACGT\n>b\nACGT\nACZ\n' >x.fa; dnabird promoter -m $T/data/model -o o x.fa | err ~ x.fa: line 5: record 'b' holds 'Z' at position 7
    | err lines 1
    | none o*
1 | printf '>a\nACGT\n>b\nACGT\nACz\n' >x.fa; dnabird promoter -m $T/data/model -r b -o o x.fa | err ~ record 'b' holds 'z' at position 7
    | err lines 1
    | none o*
1 | printf '>a\nACGT\n>b\nACG\nTACQ\n' >x.fa; dnabird promoter -m $T/data/model -r b -o o x.fa | err ~ record 'b' holds 'Q' at position 7
    | none o*
0 | printf '>a\nACGT\n>b\nACGT\nACZ\n' >x.fa; dnabird promoter -m $T/data/model -r a x.fa | err ~ 1 region,
# proteins are refused by every command that reads sequence
1: rows of protein, as a table and as FASTA, are neither learned nor scored
    printf 'sequence\tlabel\nACGTACGT\t1\nMKLVINGKTLKGEITIEG\t0\n' >p.tsv
    printf '>a label=1\nACGTACGT\n>p label=0\nMKLVINGKTLKGEITIEG\n' >p.fa
    for f in p.tsv p.fa; do
        dnabird evaluate -m $T/data/model --test $f -o o && echo scored
        dnabird finetune -q --train $f --init $T/data/model --steps 1 -o m && echo learned
        dnabird dataset rows -o o.csv $f && echo joined
    done
    exit 1
    | out empty
    | err ~ p.tsv: line 3, column 1: 'L' at position 3 is not a nucleotide code
    | err ~ p.fa: line 3, record: 'L' at position 3 is not a nucleotide code
    | none o*
    | none m
1 | printf '>p\nMKLVINGKTLKGEITIEGAVSHHHHHH\n' >p.fa; dnabird promoter -m $T/data/model -o o p.fa | err ~ protein
    | err ~ p.fa: line 2: record 'p'
    | none o*
1 | printf '>p\nMKLVINGKTLKGEITIEGAVSHHHHHH\n' >p.fa; dnabird promoter -m $T/data/model -r p -o o p.fa | err ~ protein
1 | printf '>p\nMKLVINGKTLKGEITIEGAVSHHHHHH\n' >p.fa; dnabird embed -m $T/data/model -o o.npy p.fa | err ~ protein
    | none o*
1 | printf '>p\nMKLVINGKTLKGEITIEGAVSHHHHHH\n' >p.fa; dnabird tokenizer train -v 12 -o o p.fa | err ~ protein
    | none o*
1 | printf '>p\nMKLVINGKTLKGEITIEGAVSHHHHHH\n' >p.fa; dnabird mutate -m $T/data/model -f p.fa -r p:1-5 -o o | err ~ protein
    | none o*
1 | printf '>p\nMKLVINGKTLKGEITIEGAVSHHHHHH\n' >p.fa; dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m; dnabird evaluate --mlm -m m -f p.fa | err ~ protein
    | out empty
# tokenize accepts any letter, as Hugging Face's tokenizers do
0 | printf '>p\nMKLVINGKTLe\n' >p.fa; for r in '' '-r p'; do dnabird tokenize --tokenizer $T/data/model/tokenizer.json -O tokens $r p.fa; done | sort -u | out lines 1

# repeated names are refused: in a stream, from a pipe, with an index, by
# commands that read whole records, and in labelled rows
1 | printf '>a\nACGT\n>b\nA\n>a x\nACGT\n' >x.fa; dnabird promoter -m $T/data/model -O windows -o o x.fa | err ~ x.fa: two records are named 'a' (lines 1 and 5)
    | err lines 1
    | none o*
1 | printf '>a\nACGT\n>a\nACGT\n' | dnabird promoter -m $T/data/model - | err ~ two records are named 'a'
1 | printf '>a\nACGT\n>a\nACGT\n' | gzip >x.fa.gz; dnabird chromatin -m $DATA/models/regulatory x.fa.gz | err ~ x.fa.gz: two records are named 'a'
    | out ~ #chrom
1 | printf '>a\nACGT\n>a\nACGT\n' >x.fa; dnabird promoter -m $T/data/model -r a x.fa | err ~ two records are named 'a'
    | out empty
1 | printf '>a\nACGT\n>a\nACGT\n' >x.fa; printf 'a\t4\t3\t4\t5\na\t4\t11\t4\t5\n' >x.fa.fai; dnabird promoter -m $T/data/model -r a x.fa | err ~ two records are named 'a'
    | out empty
1 | printf '>a\nACGT\n>a\nACGT\n' >x.fa; dnabird tokenize --tokenizer $T/data/model/tokenizer.json x.fa | err ~ two records are named 'a'
1 | printf '>a\nACGT\n>a\nACGT\n' >x.fa; dnabird embed -m $T/data/model -o o.npy x.fa | err ~ two records are named 'a'
    | none o*
1 | printf '>a\nACGT\n>a\nACGT\n' >x.fa; dnabird tokenizer train -v 12 -o o x.fa | err ~ two records are named 'a'
    | none o*
1 | printf '>a label=0\nACGT\n>b label=1\nACCT\n>a label=1\nACGG\n' >x.fa; dnabird evaluate -m $T/data/model --test x.fa | err ~ x.fa: two records are named 'a' (lines 1 and 5)
    | out empty
1 | cp $T/data/variants/* .; cat toy.fa toy.fa >x.fa; dnabird variant -m $T/data/model -f x.fa -o o.vcf kinds.vcf | err ~ two records are named 'chr1'
    | none o.vcf*

1: a bgzip file that was cut short under its index is refused
    f=$DATA/genome/chr20_demo.fa.gz
    for k in 2 3; do
        head -c $(($(stat -c %s $f) * k / 4)) $f >x.fa.gz
        for i in fai gzi; do cp $f.$i x.fa.gz.$i; done
        dnabird promoter -m $T/data/model -r chr20:2400001-2400100 -o o x.fa.gz || s=$?
    done
    exit $s
    | err ~ x.fa.gz: the bgzip file is cut short
    | err lines 2
    | none o*
0 needs=bgzip,samtools: an index of another file is not used
    awk 'BEGIN {
            srand(1); print ">c"
            for (i = 0; i < 6000; i++) {
                x = ""
                for (k = 0; k < 60; k++) x = x substr("ACGT", 1 + int(4 * rand()), 1)
                print x
            }
        }' >a.fa
    bgzip -k a.fa
    head -4000 a.fa | bgzip >b.fa.gz
    samtools faidx a.fa.gz
    for i in fai gzi; do cp a.fa.gz.$i b.fa.gz.$i; done
    for o in x y; do
        dnabird promoter -m $T/data/model -r c:200001-200200 -O windows --no-version -o $o \
            b.fa.gz
        rm b.fa.gz.*
    done
    dnabird promoter -m $T/data/model -r c:200001-200200 -O windows --no-version -o z \
        a.fa.gz
    | same x y
    | same x z
    | err ~ does not fit b.fa.gz

# compressed formats that are not read
1 needs=bzip2 | printf '>c\nACGT\n' | bzip2 >c.fa.bz2; dnabird promoter -m $T/data/model c.fa.bz2 | err ~ c.fa.bz2: compressed by bzip2, which is not read: decompress it, then bgzip
    | err lines 1
1 needs=xz | printf '>c\nACGT\n' | xz >c.fa.xz; dnabird promoter -m $T/data/model - <c.fa.xz | err ~ standard input: compressed by xz, which is not read
    | err lines 1
