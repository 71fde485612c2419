# Alleles by models with bins: compared with scans of the sequences, exchanged,
# insertions and deletions from both flanks, spans, backgrounds, mutate.

0 | dnabird variant --help=all | out ~ --span BP
0 | dnabird variant --help | tr -s ' \n' ' ' | out ~ of the labels of this cell type, such as HepG2 (--features cell:NAME); the largest difference stays

1: a score of one feature needs a feature, and several features a folder
    . $T/cli/bins_data.sh
    . $T/cli/bins_alleles.sh
    ready
    snvs B 2000 >x.vcf
    dnabird variant -q -m m -f r.fa --scores diff,p_ref x.vcf
    dnabird chromatin -q -m m -F '*' r.fa -o x.bw
    | err ~ --scores: p_ref is a score of one feature, and none is chosen: add -F NAME
    | err ~ x.bw: tracks of
    | out empty
    | none x.bw

# a score is the mean over bins of the difference of two scans: one window for a
# substitution, two for an insertion or deletion
0 | . $T/cli/bins_data.sh; windows -q; learn 10 -q --lr 5e-3; . $T/cli/bins_alleles.sh; one 3151 16 TATAAATATATAAATA; one 3131 5 GACCATTGGA; one 3171 20 C | out lines 3
    | out ~ B 3151 ok
    | out ~ B 3131 ok
    | out ~ B 3171 ok

0 long: exchanging REF and ALT changes the sign alone, on any strand
    . $T/cli/bins_data.sh
    windows -q
    learn 10 -q --lr 5e-3 --margin 200
    . $T/cli/bins_alleles.sh
    snvs A 5 701 1500 4444 7990 >x.vcf
    swap x.vcf
    for k in both + -; do
        s --strand $k -f r.fa x.vcf >a
        s --strand $k -f swapped.fa swapped.vcf >b
        paste a b |
            awk '$6 != "OK" || $6 != $18 || $2 != $14 { bad++ }
                {
                    for (i = 9; i <= 12; i++) {
                        d = $i + $(i + 12); m = $i * $i > m ? $i * $i : m
                        if (d > 1e-5 || d < -1e-5) bad++
                    }
                    n++
                }
                END { print n, bad + 0, (m > 1e-8) }'
    done
    | out lines 3
    | out ~ 5 0 1
    | out !~ 5 1
    | out !~ 5 0 0

0 long: threads, regions and other alleles change no score; mutate gives the same
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -q --margin 200
    samtools faidx r.fa
    . $T/cli/bins_alleles.sh
    snvs B 100 101 102 103 2000 2001 3000 >x.vcf
    s -t 1 -f r.fa x.vcf >one
    s -t 2 -f r.fa x.vcf >two
    s -f r.fa -r B:2001 x.vcf >three
    grep 2001 one >four
    dnabird variant --shifts 0 -m m -f r.fa x.vcf -o v.vcf -F 'TSS+'
    grep -v '^#' v.vcf | wc -l
    grep -v '^#' v.vcf | tail -1
    for c in base region; do
        dnabird mutate -q -m m -f r.fa -r B:2001-2001,B:3000-3000 -F '*' --centre $c \
            --scores logit --no-version |
            grep -v '^#' >$c
    done
    | out ~ 7
    | err ~ 7 alleles, OK 7; windows of 1,000 bp: 22 model evaluations
    | out ~ BIRD_DIFF_TSS_plus
    | same one two
    | same three four
    | same base region

0: contig ends are padded with N, and short contigs have SHORT=1
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -q
    (echo '>S'; sed -n 2p r.fa | cut -c 1-300) >s.fa
    . $T/cli/bins_alleles.sh
    snvs S 1 150 300 >x.vcf
    dnabird variant --shifts 0 -m m -f s.fa -O tsv --no-version x.vcf | cut -f 2,6,16
    | out ~ 150	OK	1
    | out ~ 300	OK	1
    | err ~ 3 alleles on contigs shorter than the window (SHORT=1)

# spans and backgrounds
0 long: --span limits the bins that are read, and a background is of one span
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -q
    . $T/cli/bins_alleles.sh
    snvs B 2001 3000 >x.vcf
    dnabird variant background -m m -f r.fa -n 40
    s -f r.fa x.vcf --scores e,z | head -1 | cut -f 13
    dnabird variant -m m -f r.fa --span 0 x.vcf -o v.vcf 2>err1
    s -f r.fa --span 0 x.vcf >a
    s -f r.fa x.vcf >b
    grep span err1
    dnabird mutate -m m -f r.fa -r B:2001-2003 -F 'TSS+' --scores e \
        --no-version >e1
    dnabird dataset bins -q -f r.fa --window 1000 --margin 0 -o v
    dnabird evaluate bins -m m --windows v/all.bed "${labels[@]}" -q -o c --calibrate
    dnabird mutate -m m -f r.fa -r B:2001-2003 -F 'TSS+' --scores e \
        --no-version >e2
    dnabird info m
    | out ~ is of another span: no e-values and z
    | out ~ background    100 variants
    | out ~ probability   of this: the row has the label
    | err ~ 100 variants
    | differ a b
    | same e1 e2
0 long: without --window an allele has the window of the background, one around a region the model's
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -q
    . $T/cli/bins_alleles.sh
    snvs B 2001 2003 >x.vcf
    dnabird variant background -q -m m -f r.fa -n 8 --others 1 -w 800
    alleles() { dnabird variant -q -m m -f r.fa -O tsv --no-version "$@" x.vcf |
        grep -v '^# '; }
    region() { dnabird mutate -q -m m -f r.fa -r B:2001-2003 -F 'TSS+' --no-version "$@" |
        grep -v '^# '; }
    alleles >a
    alleles -w 800 >a800
    alleles -w 1000 >a1000
    region --centre region >r
    region --centre region -w 1000 >r1000
    region >base
    region -w 800 >base800
    | same a a800
    | differ a a1000
    | same r r1000
    | same base base800
1 | . $T/cli/bins_data.sh; windows -q; learn 4 -q; dnabird variant -m $T/data/model --span 100 -f r.fa /dev/null | err ~ one answer a window: --span is for models that predict bins
1: mutate refuses a region that does not fit into one window
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -q
    dnabird mutate --shifts 0 -m m -f r.fa -r B:1001-1900 --centre region
    | err ~ 900 bp do not fit into one window of 800 without its margins and a bin: give a shorter region
1 | . $T/cli/bins_data.sh; windows -q; learn 4 -q; dnabird mutate -m m -f r.fa -w 900 -r B:1001-1900 | err ~ m: --window: 900 bp
