# dnabird variant: every kind of record and every kind of failure. The model is
# tests/data/model: two classes, windows of 70 bp. toy.fa and kinds.vcf are
# described in tests/data/variants/README.md.

2 | dnabird variant | err ~ Usage: dnabird variant
    | out empty
2 | dnabird variant -f x.fa a b | err ~ one VCF or BCF is needed
2 | dnabird variant x.vcf | err ~ no reference: give one with -f
    | err lines 1
2 | dnabird variant -f x.fa -O gff x.vcf | err ~ 'gff' is not one of auto
2 | dnabird variant -f x.fa --check-ref no x.vcf | err ~ 'no' is not one of error
2 | dnabird variant -f x.fa --strand up x.vcf | err ~ 'up' is not one of both
2 | dnabird variant -f x.fa --tokens loose x.vcf | err ~ 'loose' is not one of auto
2 | dnabird variant -f x.fa --max-n 2 x.vcf | err ~ --max-n must lie between 0 and 1, got 2
2 | dnabird variant -f x.fa --window -1 x.vcf | err ~ --window is negative
2 | dnabird variant -f x.fa -F a -F b x.vcf | err ~ --features is given twice
2 | dnabird variant -f x.fa --settings <(echo 'top = -1') x.vcf | err ~ top is negative
2 | dnabird variant -f x.fa --long -o x.bed x.vcf | err ~ --long is for tables
2 | dnabird variant -f x.fa --kipoi-name x -O tsv x.vcf | err ~ prefix 'x' of column names: -O tsv has
2 | dnabird variant -f x.fa --prefix X -O tsv x.vcf | err ~ --prefix X is for the fields of VCF and BCF, and -O tsv has none: leave it out
2 | dnabird variant -f x.fa --prefix X -o x.bed x.vcf | err ~ --prefix X is for the fields of VCF and BCF, and -O bed has none
2 | dnabird variant -f x.fa -R - - | err ~ the VCF and --regions-file are both '-', standard input: give one of them a file
2 | dnabird variant -f - --genes - x.vcf | err ~ --reference and --genes are both '-', standard input: give one of them a file
2 | dnabird variant -f x.fa -W x.vcf | err ~ standard output: only a bgzipped file takes an index
    | err lines 1
2 | dnabird variant -f x.fa -W -o x.tsv x.vcf | err ~ x.tsv: only a bgzipped file takes an index
    | none x.tsv*
2 | dnabird variant -f x.fa --resume x.vcf | err ~ only a file can be resumed
2 | dnabird variant -f x.fa --resume -o o.vcf -R <(echo) x.vcf | err ~ is a stream, and --resume cannot tell whether it is that of the interrupted run: name a file
    | err ~ --regions-file /
    | none o*

# model and reference
1 | dnabird variant -m none -f x.fa x.vcf | err ~ none: No such file or directory
    | err lines 1
1 | dnabird variant -m $T/data/model -f none.fa x.vcf | err ~ none.fa: No such file
    | err lines 1
1: an encoder without a head is refused
    cp $T/data/variants/* .
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json n
    dnabird export -q --encoder-only n m
    dnabird variant -m m --window 70 -f toy.fa kinds.vcf
    | err ~ m has no head that scores sequences
    | out empty
1: a model that learned a quantity has no logit
    cp $T/data/variants/* .
    cp -r $T/data/model m
    sed -i \
        's/"torch_dtype"/"problem_type": "regression", "torch_dtype"/; s/"problem_type": "single_label_classification",//' \
        m/config.json
    dnabird variant -m m -f toy.fa --scores logit kinds.vcf
    | err ~ logit is a score of models of labels
    | out empty
1 | cp $T/data/variants/* .; cp -r $T/data/model m; sed -i 's/"window_bp": 70/"window_bp": null/' m/dnabird.json; dnabird variant -m m -f toy.fa kinds.vcf | err ~ m/dnabird.json has no window size

# every kind of record has a row and a status
0: contig names are said once
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa -O tsv -o o - <kinds.vcf 2>&1 >/dev/null |
        grep -o 'contig names: .*'
    | out ~ contig names: 1 is chr1, MT is chrM in the reference
    | out lines 1
0: every allele has a row and a status
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version -o o kinds.vcf
    cut -f1-6 o | cut -c1-60 >k
    cut -f6 o | sort | uniq -c | tr -s ' '
    cat k
    | err ~ 36 records, 44 alleles, OK 23, NO_CHANGE 2, AMBIGUOUS 4, SYMBOLIC 5, SPANNED 1, MALFORMED 2, TOO_LONG 2, MANY_N 1, OFF_END 3, NO_CONTIG 1, NO_ALT 1
    | err ~ contig names: 1 is chr1, MT is chrM in the reference
    | err !~  0 alleles re-tokenized
    | err !~ (0 from cache)
    | err ~ warning: contig chr1 has 600 bp, but 500 in toy
    | out ~  23 OK
    | out ~ 1	1	first	C	G	OK
    | out ~ 1	51	snv	C	T	OK
    | out ~ 1	50	mnv	TCG	ATA	OK
    | out ~ 1	50	insertion	T	TGGG	OK
    | out ~ 1	50	deletion	TCG	T	OK
    | out ~ 1	50	complex	TC	GAA	OK
    | out ~ 1	51	several	C	CA	OK
    | out ~ 1	51	star	C	*	SPANNED
    | out ~ 1	51	star	C	T	OK
    | out ~ 1	51	symbol	C	<DEL>	SYMBOLIC
    | out ~ 1	51	breakend	C	[scaf:3[C	SYMBOLIC
    | out ~ 1	51	iupac_alt	C	Y	AMBIGUOUS
    | out ~ 1	51	n_alt	C	N	AMBIGUOUS
    | out ~ 1	51	no_letters	C	C-	MALFORMED
    | out ~ 1	51	no_alt	C	.	NO_ALT
    | out ~ 1	51	same	C	c	NO_CHANGE
    | out ~ 1	51	lower	c	t	OK
    | out ~ 1	290	near_n	T	A	MANY_N
    | out ~ 1	301	n_ref	N	A	AMBIGUOUS
    | out ~ 1	396	lower_reference	G	A	OK
    | out ~ 1	500	iupac_ref	R	A	AMBIGUOUS
    | out ~ 1	599	last_base_deleted	CT	C	OK
    | out ~ 1	600	last	T	A	OK
    | out ~ 1	600	behind_the_end	T	TAA	OK
    | out ~ 1	1	first_base_deleted	CG	G	OK
    | out ~ 1	1	before_the_start	C	AAC	OK
    | out ~ 1	598	over_the_end	ACTG	A	OFF_END
    | out ~ 1	601	off_end	A	C	OFF_END
    | out ~ 1	0	telomere	N	A	OFF_END
    | out ~ MT	1	short_contig	A	G	OK
    | out ~ MT	20	short_contig_deletion	ATTCGCACACC	A	OK
    | out ~ X	5	no_contig	A	C	NO_CONTIG
    | out ~ scaf	90	scaffold_end	A	G	OK
0 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version kinds.vcf | grep long_ | cut -f3,6- | out ~ long_deletion	TOO_LONG	.	.	.	.	.	.
    | out ~ long_insertion	TOO_LONG	.	.	.	.	.	.
0: an allele has all scores, or none and a status
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version kinds.vcf |
        awk -F'\t' 'NR > 1 { for (i = 9; i <= 12; i++) if (($6 == "OK") == ($i == ".")) print }'
    | out empty
0: the same allele spelled in several ways has the same scores
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version kinds.vcf |
        awk -F'\t' \
            '$3 == "snv" || $3 == "again" || $3 == "lower" || ($3 == "star" || $3 == "several") && $5 == "T" {
                print $6, $7, $8, $9, $10, $11, $12
            }' |
        sort -u
    | out lines 1
0: an indel in a repeat has the same scores wherever it is placed
    cp $T/data/variants/* .
    (
        head -3 kinds.vcf
        printf '1\t%s\t.\t.\t.\n' '101	a	ACAC	AC' '109	b	ACT	T' \
            '100	c	AACACACACACT	AACACACACT' '106	d	CAC	C' '105	e	ACA	A'
    ) >v.vcf
    dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version v.vcf |
        cut -f6- |
        tail -n +2 |
        sort -u
    | out ~ OK
    | out lines 1
0 needs=bcftools: a VCF keeps its records in order and declares the fields
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf -o o.vcf
    bcftools query -f '%ID %INFO/BIRD_STATUS\n' o.vcf >ids
    bcftools view -h o.vcf >h
    cut -f3 kinds.vcf | tail -n +4 >a
    cut -d' ' -f1 ids >b
    cmp a b
    cat ids h
    | out ~ star SPANNED,OK
    | out ~ breakend SYMBOLIC,SYMBOLIC,SYMBOLIC
    | out ~ no_alt .
    | out ~ ##contig=<ID=1,length=600>
    | out ~ ##contig=<ID=MT,length=40>
    | out ~ ##INFO=<ID=BIRD_STATUS,Number=A,Type=String,
    | out ~ ##INFO=<ID=BIRD_LOGIT,Number=A,Type=Float,Description="model: difference of ln(p/(1-p)), alternative less
    | out ~ ##dnabird_version=
    | out ~ ##dnabird_command=dnabird variant
    | out ~ ##dnabird_model=model 
    | out ~ ##dnabird_reference=toy.fa, contigs 
0: statuses and scores are in the order of ALT
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf --shifts 0 --tokens anchored \
        --no-version |
        grep -v '^##'
    | out ~ 1	51	star	C	*,T	.	.	DP=7;BIRD_STATUS=SPANNED,OK;BIRD_TOKENS=.,2;BIRD_WAY=.,anchored;BIRD_PREF=.,
    | out ~ 1	51	no_alt	C	.	.	.	DP=13;BIRD_NO_ALT
    | out ~ X	5	no_contig	A	C	.	.	DP=34;BIRD_STATUS=NO_CONTIG
    | out ~ 1	51	symbol	C	<DEL>,<*>	.	.	DP=8;BIRD_STATUS=SYMBOLIC,SYMBOLIC
    | out !~ dnabird_

# a REF that differs from the reference
1: a REF that differs from the reference stops the run
    cp $T/data/variants/* .
    (cat kinds.vcf; printf '1\t51\tbad\tG\tC,T\t.\t.\t.\n') >v.vcf
    dnabird variant -m $T/data/model -f toy.fa v.vcf -o o.vcf
    | err ~ v.vcf: record 37 at 1:51: REF is G, but toy.fa has C there: different genome build?
    | err ~ warning: contig chr1 has 600 bp, but 500 in toy
    | err ~ contig names: 1 is chr1
    | err lines 3
    | none o.vcf*
0: --check-ref warn marks the allele
    cp $T/data/variants/* .
    (
        head -3 kinds.vcf
        printf '1\t51\tbad\tG\tC,T\t.\t.\t.\n1\t51\tsnv\tC\tT\t.\t.\t.\n'
    ) >v.vcf
    dnabird variant --check-ref warn -m $T/data/model -f toy.fa v.vcf --no-version
    | err ~ warning: v.vcf: record 1 at 1:51: REF is G, but toy.fa has C there (2 alleles in all)
    | out ~ BIRD_STATUS=REF_MISMATCH,REF_MISMATCH
    | out ~ BIRD_STATUS=OK
0 | cp $T/data/variants/* .; (head -3 kinds.vcf; printf '1\t51\tbad\tG\tC,T\t.\t.\t.\n') >v.vcf; dnabird variant --check-ref skip -m $T/data/model -f toy.fa v.vcf --no-version | err !~ warning: v.vcf
    | out ~ BIRD_STATUS=REF_MISMATCH,REF_MISMATCH
    | err ~ REF_MISMATCH 2
# With a file all REF are compared before anything is scored; a stream keeps what
# is scored, and goes on with another policy.
1: a REF that differs ends a run before an output is begun
    cp $T/data/variants/* .
    printf 'chr1\t51\t.\tG\tA\t.\t.\t.\n' >late
    grep -v no_contig kinds.vcf >v.vcf
    cat late >>v.vcf
    mkfifo p
    dnabird variant -m $T/data/model -f toy.fa v.vcf -O tsv >p & cat p >o
    wait $!
    rc=$?
    grep -c . o
    exit $rc
    | err ~ REF is G, but toy.fa has C there
    | out ~ 0
0: a stream keeps its partial output, and --check-ref warn --resume goes on
    cp $T/data/variants/* .
    # longer than the time between marks
    . $T/support/wait.sh
    grep -v no_contig kinds.vcf >v.vcf
    printf 'chr1\t51\t.\tG\tA\t.\t.\t.\n' >late
    V="dnabird variant -q -m $T/data/model -f toy.fa - -o o.tsv"
    (cat v.vcf; sleep 4; grep -v '^#' v.vcf; sleep 4; cat late) | $V && echo no error
    ls o.tsv.partial
    (cat v.vcf; grep -v '^#' v.vcf; cat late) | $V --check-ref warn --resume
    (cat v.vcf; grep -v '^#' v.vcf; cat late) | $V --check-ref warn --force -o w.tsv
    grep -v '^# ' o.tsv >a
    grep -v '^# ' w.tsv >b
    | same a b
    | out ~ o.tsv.partial
    | out !~ no error
    | err ~ REF is G, but toy.fa has C there

# An ALT that is shorter than REF is not taken for the reference's allele,
# although its bases agree: mostly it is the one base before a deletion.
0: --check-ref swap swaps an ALT that the reference has, unless it is shorter
    cp $T/data/variants/* .
    (
        head -3 kinds.vcf
        printf '1\t51\t%s\t%s\t%s\t.\t.\t.\n' a CTTTTTTT C b CTTTTTTT CGTCCTAC c CTT CG,CGTCC \
            d C CG e GT CGTC f CTTTTTTT CGTCCTA
    ) >v.vcf
    dnabird variant --check-ref swap -m $T/data/model -f toy.fa v.vcf -O tsv --no-version \
        -o o
    cut -f3,5,6 o
    | out ~ a	C	REF_MISMATCH
    | out ~ b	CGTCCTAC	SWAPPED
    | out ~ c	CG	REF_MISMATCH
    | out ~ c	CGTCC	SWAPPED
    | out ~ d	CG	OK
    | out ~ e	CGTC	SWAPPED
    | out ~ f	CGTCCTA	REF_MISMATCH
# the numbers are those of a genome that has the record's REF: its class of change, too
0 long needs=samtools: --check-ref swap has the e-values of the record's own change
    (echo '>chr20'; samtools faidx $DATA/genome/chr20_demo.fa.gz chr20:2630001-2650000 | grep -v '>') >r.fa
    awk -v OFS='\t' 'BEGIN { print "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"
        n = split("3056 G A 3404 C G 6036 G A 6485 G C", x, " ")
        for (i = 1; i < n; i += 3) print 20, x[i], ".", x[i + 1], x[i + 2], ".", ".", "." }' >v.vcf
    s=$(grep -v '>' r.fa | tr -d '\n')
    echo '>chr20' >edited.fa
    echo "${s:0:3055}A${s:3056:347}G${s:3404:2631}A${s:6036:448}C${s:6485}" >>edited.fa
    run() { dnabird variant -q -F '*' --scores p_ref,diff,effect,e,z,motif -O tsv --no-version "$@"; }
    run -f r.fa v.vcf | cut -f 1-5,9- >a
    run -f edited.fa --check-ref swap v.vcf >all
    cut -f 1-5,9- all >b
    cut -f 6 all | sort | uniq -c
    | out ~ 4 SWAPPED
    | same a b
0: --check-ref swap changes the sign of the scores
    cp $T/data/variants/* .
    (
        head -3 kinds.vcf
        printf '1\t51\tback\tT\tC,G\t.\t.\t.\n1\t51\tsnv\tC\tT\t.\t.\t.\n'
    ) >v.vcf
    dnabird variant --check-ref swap -m $T/data/model -f toy.fa v.vcf -O tsv --no-version \
        -o o
    cat o
    awk -F'\t' '$6 == "SWAPPED" { a = $9; b = $10; c = $11 }
        $3 == "snv" { if (a == $10 && b == $9 && c == -$11) print "turned" }' o
    | out ~ 1	51	back	T	C	SWAPPED
    | out ~ 1	51	back	T	G	REF_MISMATCH
    | out ~ turned
    | err ~ SWAPPED 1, REF_MISMATCH 1

# contigs
1: records on unknown contigs are refused
    cp $T/data/variants/* .
    (head -3 kinds.vcf; printf 'Z\t51\t.\tG\tC\t.\t.\t.\n') >v.vcf
    dnabird variant -m $T/data/model -f toy.fa v.vcf -o o.vcf
    | err ~ none of the contigs of its first 1 records ('Z' ...) is in toy.fa ('chr1' ...)
    | none o.vcf*
1: a header of unknown contigs is refused
    cp $T/data/variants/* .
    (printf '##fileformat=VCFv4.2\n##contig=<ID=Z>\n'; tail -n +2 kinds.vcf) >v.vcf
    dnabird variant -m $T/data/model -f toy.fa v.vcf -o o.vcf
    | err ~ v.vcf: none of its contigs ('Z' ...) is in toy.fa ('chr1' ...): use the genome of the VCF, or --contig-map
    | none o.vcf*
0: --contig-map renames contigs
    cp $T/data/variants/* .
    printf '# theirs ours\nNC_1 chr1\n' >map
    (head -3 kinds.vcf; printf 'NC_1\t51\tx\tC\tT\t.\t.\t.\n') >v.vcf
    dnabird variant --contig-map map -m $T/data/model -f toy.fa v.vcf
    | err ~ contig names: NC_1 is chr1
    | out ~ BIRD_STATUS=OK
    | out ~ ##contig=<ID=NC_1,length=600>
0: regions, contig map, genes and motifs may come through pipes
    cp $T/data/variants/* .
    printf 'chr1\t50\t51\n' >r.bed
    printf '1 chr1\n' >map
    printf 'chr1\t40\t90\tg\t0\t+\n' >g.bed
    printf '>MA1 one\nA [9 0 0 0 9 0 0 9]\nC [0 9 0 0 0 9 0 0]\nG [0 0 9 0 0 0 9 0]\nT [0 0 0 9 0 0 0 0]\n' >m.txt
    V="dnabird variant -q -f toy.fa --scores motif -O tsv --no-version kinds.vcf"
    $V -R r.bed --contig-map map --genes g.bed --motifs m.txt >a
    $V -R <(cat r.bed) --contig-map <(cat map) --genes <(cat g.bed) --motifs <(cat m.txt) >b
    wc -l <a
    | same a b
    | out ~ 25
    | err empty
1 | cp $T/data/variants/* .; echo NC_1 >map; dnabird variant --contig-map map -m $T/data/model -f toy.fa kinds.vcf | err ~ map: line 1: one name where two are needed
0: another contig length is reported
    cp $T/data/variants/* .
    (
        printf '##fileformat=VCFv4.2\n##contig=<ID=chr1,length=601>\n'
        tail -n +3 kinds.vcf | head -2 | sed 's/^1/chr1/'
    ) >v.vcf
    dnabird variant -m $T/data/model -f toy.fa v.vcf
    | err ~ v.vcf: contig chr1 has 601 bp by its header, 600 in toy.fa: is this a different genome build?
    | out ~ BIRD_STATUS=OK

1: another contig length is reported before the REF that differs
    cp $T/data/variants/* .
    (
        printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=601>\n'
        sed -n 3p kinds.vcf
        printf '1\t51\t.\tG\tC\t.\t.\t.\n'
    ) >v.vcf
    dnabird variant -m $T/data/model -f toy.fa v.vcf -o o.vcf 2>e
    a=$?
    head -1 e
    sed -n 2p e
    sed 1,2d e | grep -v -e --shifts >&2
    exit $a
    | out ~ v.vcf: contig 1 has 601 bp by its header, 600 in toy.fa: is this a different genome build?
    | out ~ contig names: 1 is chr1 in the reference
    | err ~ REF is G, but toy.fa has C there
    | none o.vcf*
# unknown contigs stop runs with regions, too
1: unknown contigs are refused with -r too
    cp $T/data/variants/* .
    (head -3 kinds.vcf; printf 'Z\t51\t.\tG\tC\t.\t.\t.\n') >v.vcf
    dnabird variant -m $T/data/model -f toy.fa -r chr1:1-100 v.vcf -o o.vcf
    | err ~ none of the contigs of its first 1 records ('Z' ...) is in toy.fa ('chr1' ...)
    | none o.vcf*
1: unknown contigs are refused with -R after many records too
    cp $T/data/variants/* .
    printf 'chr1\t0\t5\n' >r.bed
    (
        head -3 kinds.vcf
        yes $'Z\t51\t.\tG\tC\t.\t.\t.' | head -50000
        printf '1\t51\t.\tC\tT\t.\t.\t.\n'
    ) >v.vcf
    dnabird variant -m $T/data/model -f toy.fa -R r.bed v.vcf -o o.vcf
    | err ~ ('Z' ...) is in toy.fa
    | none o.vcf*
0 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa -r scaf:1-5 kinds.vcf | err ~ 36 records, 0 alleles
    | out ~ ##contig=<ID=1,length=600>
0 needs=bcftools: contigs that the header lacks are declared for BCF and indices
    cp $T/data/variants/* .
    (
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n'
        tail -n +2 kinds.vcf | grep -v '^X' | grep -v no_letters
    ) >v.vcf
    V="dnabird variant -m $T/data/model -f toy.fa v.vcf --no-version"
    $V -o o.bcf
    $V -o o.vcf.gz -W
    $V -o o.vcf
    for f in o.bcf o.vcf.gz; do
        bcftools view -h $f | grep contig
        bcftools view -H $f | grep -cv '^#'
    done
    grep -c contig o.vcf
    | out ~ ##contig=<ID=MT,length=40>
    | out lines 9
    | out ~ 34

# input formats
0 needs=bcftools,bgzip: plain, gzipped, bgzipped and piped VCF give the same rows
    cp $T/data/variants/* .
    V="dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version"
    $V kinds.vcf >a
    gzip -c kinds.vcf >g.vcf.gz
    $V g.vcf.gz >b
    bgzip -c kinds.vcf >h.vcf.gz
    $V h.vcf.gz >c
    $V - <h.vcf.gz >d
    cat kinds.vcf | $V - >e
    cat b c d e >all
    cat a a a a >four
    | same all four
0 needs=bcftools: BCF gives the same rows as VCF
    cp $T/data/variants/* .
    (
        printf '%b\n' '##fileformat=VCFv4.2' '##contig=<ID=1,length=600>' '##contig=<ID=MT>' \
            '##contig=<ID=X>' '##contig=<ID=scaf>'
        tail -n +2 kinds.vcf
    ) |
        bcftools view --no-version -Ob -o k.bcf
    V="dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version"
    $V kinds.vcf | grep -v no_letters >a
    $V k.bcf | grep -v no_letters >b
    | same a b
1 | head -c 5000 /bin/ls >x.vcf; cp $T/data/variants/toy.fa .; dnabird variant -m $T/data/model -f toy.fa x.vcf -o o.vcf | err ~ x.vcf: neither VCF nor BCF
    | err lines 1
    | none o.vcf*
1 | cp $T/data/variants/toy.fa .; : >x.vcf; dnabird variant -m $T/data/model -f toy.fa x.vcf | err ~ x.vcf: neither VCF nor BCF
    | err lines 1
1 | cp $T/data/variants/* .; gzip -c kinds.vcf | head -c 500 >x.vcf.gz; dnabird variant -m $T/data/model -f toy.fa x.vcf.gz -o o.vcf | err ~ x.vcf.gz
    | err lines 1
    | none o.vcf*
1 needs=bgzip: a bgzipped VCF without its last block is refused
    cp $T/data/variants/* .
    bgzip -c kinds.vcf >x
    head -c -28 x >x.vcf.gz
    dnabird variant -m $T/data/model -f toy.fa x.vcf.gz -o o.vcf
    | err ~ x.vcf.gz: the file is cut short (the closing block of bgzip is missing)
    | none o.vcf*
1 | cp $T/data/variants/* .; (cat kinds.vcf; printf '1\t5\n') >x.vcf; dnabird variant -m $T/data/model -f toy.fa x.vcf -o o.vcf | err ~ x.vcf: record 37 (line 40): has fewer than 8 columns
    | none o.vcf*
1 | cp $T/data/variants/* .; (head -3 kinds.vcf; printf '1\tx\t.\tA\tC\t.\t.\t.\n') >x.vcf; dnabird variant -m $T/data/model -f toy.fa x.vcf | err ~ x.vcf: record 1 (line 4): POS is not a whole number
1: a record with more columns than the header is refused
    cp $T/data/variants/* .
    (head -3 kinds.vcf; printf '1\t5\t.\tA\tC\t.\t.\t.\tGT\t0\n') >x.vcf
    dnabird variant -m $T/data/model -f toy.fa x.vcf
    | err ~ has another number of columns than the header
1 | cp $T/data/variants/* .; (cat kinds.vcf; cat kinds.vcf) >x.vcf; dnabird variant -m $T/data/model -f toy.fa x.vcf -o o.vcf | err ~ a header line is among the records
    | none o.vcf*
1 | cp $T/data/variants/toy.fa .; dnabird variant -m $T/data/model -f toy.fa none.vcf | err ~ none.vcf: No such file
0 | cp $T/data/variants/* .; head -3 kinds.vcf >x.vcf; dnabird variant -m $T/data/model -f toy.fa x.vcf | err ~ 0 records, 0 alleles
    | out ~ #CHROM

1: no output replaces an input
    cp $T/data/variants/* .
    cp toy.fa t
    ln -s toy.fa x.tsv
    ln kinds.vcf k
    cp kinds.vcf o.partial
    cp kinds.vcf m
    V="dnabird variant -m $T/data/model -f toy.fa"
    a=
    for o in toy.fa x.tsv kinds.vcf k; do $V kinds.vcf -O tsv -o $o; a=$a$?; done
    $V o.partial -O tsv -o o
    a=$a$?
    $V kinds.vcf --json toy.fa
    a=$a$?
    $V --contig-map m -O tsv -o m kinds.vcf
    a=$a$?
    cmp t toy.fa
    cmp k kinds.vcf
    [ $a = 1111111 ] && exit 1
    | err ~ toy.fa: the output would overwrite the input toy.fa
    | err ~ x.tsv: the output would overwrite the input toy.fa
    | err ~ k: the output would overwrite the input kinds.vcf
    | err ~ o.partial: the output would overwrite the input o.partial
    | err ~ m: the output would overwrite the input m
    | err lines 9
    | same t toy.fa
    | out empty
1: a partial file that no run left is not overwritten
    cp $T/data/variants/* .
    echo mine >o.tsv.partial
    dnabird variant -m $T/data/model -f toy.fa kinds.vcf -o o.tsv
    a=$?
    cat o.tsv.partial
    exit $a
    | err ~ o.tsv.partial exists, without the mark of a run beside it: remove it
    | out ~ mine
    | none o.tsv
1 long: --resume refuses other shifts, features of a list and settings of the model, and keeps what is done
    . $T/support/wait.sh
    D=$DNABIRD_DATA
    cp -r $D/models/activity m
    zcat $D/variants/chr20_demo.vcf.gz | head -n 400 >v.vcf
    echo HepG2 >list
    V="dnabird variant -q -t 1 -m m -f $D/genome/chr20_demo.fa.gz -F @list --scores diff --no-version -"
    $V --shifts 5 -o want.tsv <v.vcf
    mkfifo pipe
    f() { exec $V --shifts 5 -o o.tsv <pipe; }
    f 2>/dev/null &
    exec 9>pipe
    head -n 350 v.vcf >&9
    wait_for_mark $! o.tsv
    kill -TERM $!
    exec 9>&-
    wait $!
    $V --shifts 9 -o o.tsv --resume <v.vcf
    echo K562 >list
    $V --shifts 5 -o o.tsv --resume <v.vcf
    echo HepG2 >list
    cp m/dnabird.json was.json
    sed 's/"sd": /"sd": 9/' was.json >m/dnabird.json
    $V --shifts 5 -o o.tsv --resume <v.vcf
    cp was.json m/dnabird.json
    $V --shifts 5 -o o.tsv --resume <v.vcf && cmp o.tsv want.tsv && exit 1
    | err ~ comes from a run with another shift
    | err ~ comes from a run with another set of features
    | err ~ comes from a run with another dnabird.json
    | err lines 3
    | none *partial*

1: a run that would replace the partial file of an interrupted run is refused
    cp $T/data/variants/* .
    V="dnabird variant -q -m $T/data/model -f toy.fa kinds.vcf"
    printf half >o.tsv.partial
    printf '{"bytes": 4}' >o.tsv.partial.json
    cp o.tsv.partial p
    cp o.tsv.partial.json s
    $V -o o.tsv && exit 9
    [ $? = 1 ] || exit 8
    $V --resume --force -o o.tsv
    [ $? = 2 ] || exit 7
    $V -o o.tsv
    | err ~ dnabird: o.tsv.partial: an interrupted run is there: add --resume to continue, or --force to start again
    | err ~ give one of them
    | same o.tsv.partial p
    | same o.tsv.partial.json s
    | none o.tsv
0: --force starts an interrupted run again, and changes nothing else
    cp $T/data/variants/* .
    V="dnabird variant -q -m $T/data/model -f toy.fa kinds.vcf"
    $V -o o.tsv
    cp o.tsv want
    printf half >o.tsv.partial
    printf '{"bytes": 4}' >o.tsv.partial.json
    $V --force -o o.tsv
    | same o.tsv want
    | none *partial*
0: a partial file without results is replaced
    cp $T/data/variants/* .
    V="dnabird variant -q -m $T/data/model -f toy.fa kinds.vcf"
    printf half >o.tsv.partial
    printf '{"bytes": 0}' >o.tsv.partial.json
    $V -o o.tsv
    printf '{"bytes": 4}' >p.tsv.partial.json
    $V -o p.tsv
    | has o.tsv
    | has p.tsv
    | none *partial*
2 | dnabird variant -f x.fa --force x.vcf | err ~ only a file can be resumed
1: mutate, promoter, chromatin and background do not replace the reference
    cp $T/data/variants/* .
    cp toy.fa t
    dnabird mutate -m $T/data/model -f toy.fa -r chr1:51-60 -o toy.fa
    a=$?
    dnabird promoter -m $T/data/model -o toy.fa toy.fa
    a=$a$?
    dnabird chromatin -m $T/data/model -o toy.fa toy.fa
    a=$a$?
    dnabird variant background -m $T/data/model -f toy.fa -o toy.fa
    [ $a$? = 1111 ] && exit 1
    | err ~ toy.fa: the output would overwrite the input toy.fa
    | err lines 4
    | same t toy.fa

0 needs=bcftools: BCF has the same fields as VCF
    cp $T/data/variants/* .
    grep -v no_letters kinds.vcf | grep -v '^X' >v.vcf
    V="dnabird variant -m $T/data/model -f toy.fa --no-version v.vcf"
    $V -o o.vcf
    $V -o o.bcf -O b
    $V -O u >u.bcf
    for f in o.vcf o.bcf u.bcf; do
        bcftools query -f '%CHROM %POS %ID %REF %ALT %INFO\n' $f >$f.txt
    done
    | same o.bcf.txt u.bcf.txt
    | same o.vcf.txt o.bcf.txt
1: a contig that the header does not declare cannot be written as BCF
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa -o o.bcf kinds.vcf
    | err ~ kinds.vcf: record 35 at X:5 has a contig X that the header does not declare, which BCF cannot hold: declare it, or write VCF (-O z)
    | none o.bcf*
1: nor is it scored before: a run with a mark would leave it
    cp $T/data/variants/* .
    grep -v '^X' kinds.vcf >v.vcf
    for i in {1..20}; do grep -v '^[#X]' kinds.vcf; done >>v.vcf
    grep '^X' kinds.vcf >>v.vcf
    dnabird variant -q --scores motif -f toy.fa -o o.bcf v.vcf
    | err ~ has a contig X that the header does not declare
    | none o.bcf*
1: an INFO field that the header does not declare cannot be written as BCF
    cp $T/data/variants/* .
    (head -3 kinds.vcf; printf '1\t51\tx\tC\tT\t.\t.\tZZ=1\n') >v.vcf
    dnabird variant -m $T/data/model -f toy.fa -o o.bcf v.vcf
    | err ~ v.vcf: record 1 at 1:51 has an INFO field ZZ that the header does not declare
    | none o.bcf*

0 needs=bcftools: an END beyond 512 Mb takes an index of CSI
    cp $T/data/variants/* .
    (
        printf '%b\n' '##fileformat=VCFv4.2' '##INFO=<ID=END,Number=1,Type=Integer,Description="x">' \
            '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO' '1\t51\tx\tC\t<DEL>\t.\t.\tEND=600000000'
    ) >v.vcf
    dnabird variant -q -m $T/data/model -f toy.fa -W -o o.vcf.gz v.vcf
    bcftools view -H -r 1:500000000-500000001 o.vcf.gz | wc -l
    | out ~ 1
    | has o.vcf.gz.csi

0: names of files and contigs need not be UTF-8
    cp $T/data/variants/* .
    V=$(printf 'caf\351.vcf')
    grep -v '^X' kinds.vcf >$V
    dnabird variant -q -m $T/data/model -f toy.fa --no-version -o a.vcf $V
    dnabird variant -q -m $T/data/model -f toy.fa --no-version $V >b.vcf
    | same a.vcf b.vcf

0 needs=bcftools: undeclared FILTERs are declared for BCF
    cp $T/data/variants/* .
    (
        printf '%b\n' '##fileformat=VCFv4.2' '##FILTER=<ID=q1,Description="x">' \
            '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO' '1\t51\tx\tC\tT\t.\tPASS\t.' \
            '1\t51\tx\tC\tT\t.\tq1;q2\t.' '1\t51\tx\tC\tT\t.\tq3\t.'
    ) >v.vcf
    V="dnabird variant -m $T/data/model -f toy.fa"
    $V -o o.bcf v.vcf
    bcftools query -f '%FILTER\n' o.bcf
    bcftools view -h o.bcf | grep -c '^##FILTER'
    $V -O b -o p.bcf - <v.vcf
    echo $?
    | out ~ q1;q2
    | none p.bcf
    | out lines 5
    | out ~ 4
    | err ~ standard input: record 2 at 1:51 has FILTER q2 that the header does not declare
0 needs=bcftools: a FORMAT field that the header does not declare cannot be written as BCF
    cp $T/data/variants/* .
    (
        printf '%b\n' '##fileformat=VCFv4.2' \
            '##INFO=<ID=A,Number=1,Type=Integer,Description="x">' \
            '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">' \
            '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts' \
            '1\t51\tx\tC\tT\t.\t.\tA=1\tGT\t0/1' '1\t551\tx\tC\tT\t.\t.\tA=1\tGT:QQ\t0/1:2'
    ) >v.vcf
    V="dnabird variant -m $T/data/model -f toy.fa"
    $V -o o.bcf v.vcf
    echo $?
    $V -o o.bcf -r chr1:1-100 v.vcf
    bcftools view -H o.bcf | wc -l
    | out lines 2
    | err ~ v.vcf: record 2 at 1:551 has a FORMAT field QQ that the header does not declare

0: samples and INFO are kept, or dropped with --drop-genotypes
    cp $T/data/variants/* .
    (
        printf '%b\n' '##fileformat=VCFv4.2' \
            '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\ts2' \
            '1\t51\tx\tC\tT\t9.50\tq1;q2\tXX=a b;YY;DP=007\tGT:ZZ\t0/1:.\t.|1'
    ) >v.vcf
    V="dnabird variant -m $T/data/model -f toy.fa --no-version v.vcf"
    $V
    $V --drop-genotypes
    | out ~ 1	51	x	C	T	9.50	q1;q2	XX=a b;YY;DP=007;BIRD_STATUS=OK;
    | out ~ 	GT:ZZ	0/1:.	.|1
    | out ~ FILTER	INFO	FORMAT	s1	s2
# a second run replaces the fields of the first
0 | cp $T/data/variants/* .; V="dnabird variant -m $T/data/model -f toy.fa --no-version"; $V kinds.vcf >a; $V a >b | same a b

1: a malformed --prefix is refused
    cp $T/data/variants/* .
    dnabird variant -m $T/data/model -f toy.fa --prefix A_B kinds.vcf
    a=$?
    for p in 1A A- '' $(printf 'A%.0s' {1..33}); do
        dnabird variant -m $T/data/model -f toy.fa --prefix "$p" kinds.vcf
        a=$a$?
    done
    [ $a = 22222 ] && exit 1
    | err ~ prefix 'A_B': use a letter, then letters and digits, 32 characters at most
    | err lines 5
0: fields of an earlier run are replaced, other fields stay
    cp $T/data/variants/* .
    (
        printf '%b\n' '##fileformat=VCFv4.2' '##ALT=<ID=DHS,Description="kept">' \
            '##INFO=<ID=BIRD_MAX,Number=A,Type=Float,Description="a">' \
            '##INFO=<ID=BIRDS,Number=1,Type=Integer,Description="b">' \
            '##INFO=<ID=A_MAX,Number=A,Type=Float,Description="c">' '##dnabird_model=old' \
            '##dnabird_feature=<ID=DHS,Number=0,Name="x",Class="y">' \
            '##dnabird_feature=<ID=TF,Number=1,Name="x",Class="y">' '##dnabird_model_A=other' \
            '##dnabird_feature_A=<ID=DHS,Number=0,Name="x",Class="y">' \
            '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO' \
            '1\t51\tx\tC\tT\t.\t.\tBIRD_MAX=0.5;BIRDS=3;A_MAX=1;BIRD_OLD' \
            '1\t51\ty\tC\t.\t.\t.\tBIRD_MAX=0.5;BIRD_NO_ALT'
    ) >v.vcf
    dnabird variant -m $T/data/model -f toy.fa v.vcf
    | out ~ 1	51	x	C	T	.	.	BIRDS=3;A_MAX=1;BIRD_STATUS=OK;BIRD_TOKENS=
    | out ~ 1	51	y	C	.	.	.	BIRD_NO_ALT
    | out ~ ##ALT=<ID=DHS,Description="kept">
    | out ~ ##INFO=<ID=BIRDS
    | out ~ ##INFO=<ID=A_MAX
    | out ~ ##dnabird_model_A=other
    | out ~ ##dnabird_feature_A=<ID=DHS
    | out ~ ##dnabird_model=model 
    | out !~ BIRD_MAX
    | out !~ BIRD_OLD
    | out !~ =old
    | out !~ ##dnabird_feature=
0 needs=bcftools: --prefix adds the fields of a second run
    cp $T/data/variants/* .
    grep -v '^X' kinds.vcf | grep -v no_letters >k.vcf
    V="dnabird variant -m $T/data/model -f toy.fa"
    $V k.vcf -o a.vcf
    for f in vcf vcf.gz bcf; do
        $V --prefix SECOND a.vcf -o b.$f
        $V --prefix SECOND b.$f -o c.$f
        bcftools query -f '%BIRD_STATUS %BIRD_DIFF %SECOND_STATUS %SECOND_DIFF\n' b.$f |
            awk '{print ($1 $2 == $3 $4) ? "equal" : "differ"}' |
            sort -u
        bcftools view -h c.$f | grep -cE '^##dnabird_(model|reference_SECOND)='
        bcftools view -H b.$f >b
        bcftools view -H c.$f >c
        cmp b c
    done
    | out lines 6
    | out ~ equal
    | out ~ 2
    | out !~ differ
0 needs=bcftools: duplicate fields of an earlier run are replaced, in BCF too
    cp $T/data/variants/* .
    (
        printf '##fileformat=VCFv4.2\n##contig=<ID=1>\n'
        sed -n 3p kinds.vcf
        printf '1\t51\tx\tC\tT\t.\t.\tBIRD_STATUS=x;BIRD_STATUS=y;BIRD_Q\n'
    ) >v.vcf
    dnabird variant -m $T/data/model -f toy.fa v.vcf -o o.bcf
    bcftools view -H o.bcf | grep -o BIRD_STATUS=[^\;]*
    dnabird variant -m $T/data/model -f toy.fa o.bcf -o o.vcf
    grep -o BIRD_STATUS=[^\;]* o.vcf
    | out lines 2
    | out ~ BIRD_STATUS=OK
    | out !~ BIRD_STATUS=y

# regions
1 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version -r chr1:598-700 kinds.vcf | err ~ chr1:598-700
    | out empty
0 | cp $T/data/variants/* .; dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version -r chr1:598-600 kinds.vcf | out lines 5
    | err ~ outside the regions 32
0 | cp $T/data/variants/* .; printf 'MT\t0\t5\nscaf\t80\t90\n' >r.bed; dnabird variant -m $T/data/model -f toy.fa -O tsv --no-version -R r.bed kinds.vcf | out lines 4

# --cell chooses the labels of a cell type
0: --cell is --features cell:NAME
    for o in '--cell k562' '-F cell:K562'; do
        dnabird variant -q -m $DATA/models/regulatory -f $DATA/genome/chr20_demo.fa.gz \
            -r chr20:2633050-2633100 --shifts 0 $o -O tsv --no-version \
            $DATA/variants/chr20_demo.vcf.gz
    done | sort | uniq -c | awk '$1 != 2'
    | out empty
2 | dnabird variant -f x.fa --cell K562 -F CTCF x.vcf | err ~ --cell and --features: give one of them
2 | dnabird mutate -f x.fa -r a:1-2 --cell a,b | err ~ 'a,b' is not the name of a cell type
1 | dnabird chromatin -m $DATA/models/regulatory --cell Hep -l | err ~ no label has the cell type 'Hep': the model has 8988T, AoSMC, Chorion
1 | dnabird chromatin -m $T/data/model --cell Hep -l | err ~ no label has the cell type 'Hep': the model names no cell

# The default model, without -m, and its background.
0: the default model comes with its background
    dnabird variant -f $DATA/genome/chr20_demo.fa.gz -r chr20:2633050-2633120 \
        $DATA/variants/chr20_demo.vcf.gz >o.vcf &&
        grep -c "BIRD_FEATURE=.*BIRD_MLE=" o.vcf &&
        grep -c "^##dnabird_model.*activity" o.vcf
    | out lines 2
    | out ~ 2
0 | dnabird mutate -f $DATA/genome/chr20_demo.fa.gz -r chr20:2633056-2633057 --cell K562 --scores e | out ~ K562
0: summaries leave start sites and training labels out
    dnabird variant -m $DATA/models/regulatory -f $DATA/genome/chr20_demo.fa.gz \
        -r chr20:2633050-2633120 -F 'TSS+' --settings <(echo 'top = 1000') -O tsv \
        --no-version $DATA/variants/chr20_demo.vcf.gz >o
    head -n 1 o | tr '\t' '\n' >h
    echo $(grep -c '^TSS+/' h) $(sed 1d o | tr '|\t' '\n\n' | grep -cE '^(TSS|GUE)[^:]*:') \
        $(grep -c '^max_diff/' h) $(grep -cE '^max_diff/(TSS|sequence)' h)
    | out ~ 1 0 3 0

0: a VCF that was cut short anywhere is refused
    cp $T/data/variants/* .
    n=$(stat -c %s kinds.vcf)
    for k in 20 100 250 300 301 320 400 500 501 700 $((n - 1)) $((n - 2)) $((n - 20)); do
        head -c $k kinds.vcf >c.vcf
        [ "$(tail -c 1 c.vcf | od -An -c | tr -d ' ')" = '\n' ] ||
            { dnabird variant -m $T/data/model -f toy.fa c.vcf -o o.vcf; echo "status $?"; }
    done >all 2>&1
    n=$(grep -c '^status 1' all)
    echo $n records, $((n - $(grep -c 'cut short' all))) unsaid, \
        $(grep -c '^status 0' all) passed
    | out ~ 12 records, 0 unsaid, 0 passed
    | none o.vcf*
0 needs=bcftools,bgzip: a bgzipped VCF or BCF that was cut short anywhere is refused
    cp $T/data/variants/* .
    grep -v -E '^X|no_letters' kinds.vcf |
        sed '2i ##contig=<ID=1>\n##contig=<ID=MT>\n##contig=<ID=scaf>' >v.vcf
    bgzip -c v.vcf >v.vcf.gz
    bcftools view v.vcf -Ob -o v.bcf
    bcftools view v.vcf -Ou -o u.bcf
    gzip -c v.vcf >g.vcf.gz
    for f in v.vcf.gz v.bcf u.bcf g.vcf.gz; do
        n=$(stat -c %s $f)
        for k in 20 200 $((n / 2)) $((n - 40)) $((n - 28)) $((n - 1)); do
            head -c $k $f >c
            dnabird variant -m $T/data/model -f toy.fa c -o o.vcf 2>&1
            echo "status $?"
            dnabird variant -m $T/data/model -f toy.fa - <c -o o.vcf 2>&1
            echo "status $?"
        done
    done >all
    echo $(grep -c 'status 1' all) refused, $(grep -c 'cut short' all) said
    | out ~ 48 refused, 48 said
    | none o.vcf*
