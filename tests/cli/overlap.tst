# Rows of a table that share sequence with other files.

0 | dnabird dataset overlap --help | out ~ --kept
2 | dnabird dataset overlap a.csv | err ~ at least one file to compare with
1 | dnabird dataset overlap -k 64 a b | err ~ 64

0: rows found are those of a comparison of all k-mers on both strands
    . $T/support/draw.sh
    awk "$draw"'BEGIN { state = 20260105; print "name\tsequence\tactivity\tother"
        for (i = 1; i <= 60; i++) { s = ""; for (j = 0; j < 60; j++) s = s substr("ACGT", 1 + int(4 * draw()), 1)
            print "r" i "\t" s "\t" i / 10 "\t" (i % 3 ? i : "NA") } }' >rows.tsv
    # every fourth row gives 18 to 24 bases to the other table, half of them as the other strand
    awk -F '\t' "$draw"'function rc(s,   i, t) { for (i = length(s); i > 0; i--) t = t substr("TGCA", index("ACGT", substr(s, i, 1)), 1); return t }
        BEGIN { state = 20260106; print "sequence,label" }
        NR > 1 && NR % 4 == 0 { n = 18 + NR / 4 % 7; w = substr($2, 1 + int(draw() * 30), n)
            if (NR % 8) w = rc(w)
            s = ""; for (j = 0; j < 40; j++) s = s substr("ACGT", 1 + int(4 * draw()), 1)
            print s w s "," NR % 2 }' rows.tsv >other.csv
    dnabird dataset overlap -k 20 --name-column name --kept kept.tsv rows.tsv other.csv >found
    awk -F '[\t,]' 'function rc(s,   i, t) { for (i = length(s); i > 0; i--) t = t substr("TGCA", index("ACGT", substr(s, i, 1)), 1); return t }
        FNR == 1 { next }
        NR == FNR { for (i = 1; i + 19 <= length($1); i++) { w = substr($1, i, 20); has[w]; has[rc(w)] } next }
        { for (i = 1; i + 19 <= length($2); i++) if (substr($2, i, 20) in has) { print FNR - 1 "\t" $1 "\tother.csv"; next } }' \
        other.csv rows.tsv >want
    grep -v '^#' found >got
    awk -F '\t' 'NR == FNR { drop[$2]; next } !($1 in drop)' want rows.tsv >left
    wc -l <want
    | same want got
    | same left kept.tsv
    | out ~ 12

0: CSV with quoted fields and CRLF, FASTA, gzip and several files
    s=ACGTTGCATTGACCATGACTTAGCCATGATTACAGATTACC
    t=TTGGTTGGCCAATTACGGCGCAATTATATACCGGCATCGAT
    printf 'id,sequence,y\r\n"a, b",%s,1\r\n"c\n""d""",%s,2\r\n\r\ne,%s,3\r\n' $s $t ${s:0:20}${t:0:21} >x.csv
    printf '>one\n%s\n%s\n>two x\n%s\n' ${s:0:20} ${s:20} $t >x.fa
    gzip -k x.fa
    printf '>q\n%s\n' $(echo $t | rev | tr ACGT TGCA) >q.fa
    printf 'sequence,label\n%s,0\n' $s >p.csv
    dnabird dataset overlap -q -k 40 --kept k1.csv x.csv q.fa
    dnabird dataset overlap -q -k 40 --kept k2.fa x.fa.gz q.fa
    dnabird dataset overlap -k 20 --kept k3.csv.gz x.csv q.fa p.csv
    printf 'id,sequence,y\r\n"a, b",%s,1\r\ne,%s,3\r\n' $s ${s:0:20}${t:0:21} >w1
    printf '>one\n%s\n%s\n' ${s:0:20} ${s:20} >w2
    gzip -dc k3.csv.gz | wc -l
    | out ~ #row	name	with
    | out ~ 2	.	q.fa
    | out ~ 2	two	q.fa
    | out ~ 1	.	p.csv
    | out ~ 3	.	q.fa
    | err ~ 2 rows with 20 bp of q.fa
    | err ~ 2 rows with 20 bp of p.csv
    | err ~ 3 of 3 rows share 20 bp
    | same k1.csv w1
    | same k2.fa w2

0: regions of a reference, with a margin
    cp $T/data/variants/toy.fa* .
    { echo sequence,label; for r in 1-40 41-80 81-120 121-160; do echo $(samtools faidx toy.fa chr1:$r | grep -v '>'),0; done; } | tr -d ' ' >x.csv
    printf 'chr1\t90\t110\n' >r.bed
    dnabird dataset overlap -q -k 20 -f toy.fa x.csv r.bed | tail -n +2 | cut -f 1
    echo margin
    dnabird dataset overlap -q -k 20 -f toy.fa --margin 40 x.csv r.bed | tail -n +2 | cut -f 1 | paste -s
    | out ~ 3
    | out ~ 2	3	4
    | out lines 3

0 | printf 'sequence,label\nACGTACGT,0\n' >x.csv; dnabird dataset overlap x.csv $T/data/variants/toy.fa | err ~ 1 row shorter than 32 bp
    | err ~ 0 of 1 row share
1 | printf 'sequence,label\nACGTACGT,0\n' >x.csv; dnabird dataset overlap --kept o x.csv none.fa | err ~ none.fa
    | none o*
1 | printf 'a,b\nACGTACGT,0\n' >x.csv; dnabird dataset overlap --kept o x.csv x.csv | err ~ column 'sequence'
    | none o*
1 | printf 'sequence,label\nACGT,0\n' | dnabird dataset overlap -k 4 --kept o - /dev/null | err ~ standard input
    | none o*
1 | mkfifo p.csv; dnabird dataset overlap -k 4 --kept o p.csv x.fa | err ~ not standard input or a pipe
    | none o*
1 | dnabird dataset overlap -f x.fa r.bed x.fa | err ~ r.bed: rows are a table or FASTA, not regions
0: quotes within fields of a table and blank lines of FASTA do not hinder the copy
    printf '\n>a\nACGTACGTACGT\n>b\nGGGTTTACACAC\n' >x.fa
    printf '>q\nGTTTACAC\n' >q.fa
    printf 'sequence\tnote\nACGTACGTACGT\t5" long\nGGGTTTACACAC\ta"b\nTTTTTTTTTTTT\t"x\ny"' >x.tsv
    dnabird dataset overlap -q -k 8 --kept k.fa x.fa q.fa >/dev/null
    dnabird dataset overlap -q -k 8 --kept k.tsv x.tsv q.fa >/dev/null
    sed '4,5d' x.fa >w.fa
    sed 3d x.tsv >w.tsv
    | same k.fa w.fa
    | same k.tsv w.tsv

0: a line feed or tab in a quoted name does not break the list
    s=ACGTTGCATTGACCATGACTTAGCCATGATTACAGATTACC
    printf 'id,sequence\n"a\tb\nc",%s\n' $s >x.csv; printf '>q\n%s\n' $s >q.fa
    dnabird dataset overlap --name-column id x.csv q.fa
    | out ~ 1	a b c	q.fa
    | out lines 2

1: tables of words and of numbers are not joined, and a name of --apart is one file's
    s=ACGTTGCATTGACCATGACTTAGCCATGATTACAGATTACC
    printf 'sequence,label\n%s,0\n' $s >x.csv; printf 'sequence,label\nT%s,yes\n' $s >y.csv
    dnabird dataset rows -o z.csv x.csv y.csv
    dnabird dataset rows -o z.csv --apart t=x.csv --apart t=y.csv x.csv
    | err ~ y.csv: labels are words, those of x.csv are not
    | err ~ --apart 't' is given twice
    | none z.csv

1: sequences that are shorter than what is looked for are refused, not passed over
    cp $T/data/variants/toy.fa* .
    printf 'sequence,label\n%s,0\n' "$(samtools faidx toy.fa chr1:1-40 | grep -v '>' | tr -d '\n')" >x.csv
    printf 'chr1\t10\t11\n' >r.narrowPeak; printf '>a\nACGTACGT\n' >s.fa
    zstd -q r.narrowPeak -o r.BED.zst
    dnabird dataset overlap -f toy.fa --margin 40 x.csv r.BED.zst
    dnabird dataset overlap x.csv r.narrowPeak
    dnabird dataset overlap -f toy.fa x.csv r.x
    dnabird dataset overlap x.csv s.fa
    dnabird dataset rows -o y.csv --apart t=s.fa x.csv
    dnabird dataset overlap -f toy.fa x.csv r.narrowPeak
    | out ~ 1	.	r.BED.zst
    | err ~ r.narrowPeak: regions need the reference FASTA they lie on: give it with -f
    | err ~ r.x: the name of a table ends in .csv or .tsv
    | err ~ s.fa: 1 of 1 sequences are shorter than 32 bp, which would never be found: give a smaller --length
    | err ~ r.narrowPeak: 1 of 1 regions are shorter than 32 bp, which would never be found: give a --margin or a smaller
    | none y.csv

1: regions beyond the end of their contig are refused, not passed over
    s=ACGTTGCATTGACCATGACTTAGCCATGATTACAGATTACC
    printf '>a\n%s\n' $s >x.fa; printf 'sequence,label\n%s,0\n' $s >x.csv
    printf 'a\t41\t99\n' >r.bed; printf 'a\t0\t42\n' >s.bed
    dnabird dataset rows -f x.fa --apart t=r.bed -o y.csv x.csv
    dnabird dataset overlap -f x.fa x.csv s.bed
    | err ~ r.bed: a:42-99 ends after the end of the contig, which has 41 bp: are these regions of another genome?
    | err ~ s.bed: a:1-42 ends after the end of the contig
    | none y.csv

0: lines of FASTA may end in CR alone, as rows and as what they are compared with
    printf '\r>a\rACGTACGT\rACGT\r\r>b\rGGGTTTACACAC\r>c x\rTTTTTTTTTTTT' >x.fa
    printf '>q\rGTTT\rACAC\r' >q.fa
    dnabird dataset overlap -q -k 8 --kept k.fa x.fa q.fa
    printf '\r>a\rACGTACGT\rACGT\r\r>c x\rTTTTTTTTTTTT' >w.fa
    | out ~ 2	b	q.fa
    | out lines 2
    | same k.fa w.fa
