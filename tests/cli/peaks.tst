# Formats of peaks and genomes: the same intervals give the same bytes; formats
# that are not read are recognised by their content, whatever the name.

0: BED, narrowPeak, broadPeak and bigBed give the same bytes
    . $T/cli/peaks_data.sh
    for f in bed bed.gz narrowPeak broadPeak; do
        set_of peaks.$f
        cmp peaks.bed.tsv peaks.$f.tsv
    done
    cp $T/data/peaks/peaks.bigBed .
    set_of peaks.bigBed
    cmp peaks.bed.tsv peaks.bigBed.tsv
    cp $T/data/peaks/swapped.bb peaks.bb
    set_of peaks.bb
    grep -v '^#' peaks.bb.tsv | sort -u | wc -l
    | out ~ 42
    | same peaks.bed.tsv peaks.bb.tsv
    | err ~ 36 labels of 1 profile
# bigBed columns
0: column 6 of a bigBed may hold anything
    . $T/cli/peaks_data.sh
    LC_ALL=C sed 's/\t\.\t/\t9\t/g' $T/data/peaks/swapped.bb >peaks.bb
    ! cmp -s peaks.bb $T/data/peaks/swapped.bb && set_of peaks.bb
    set_of peaks.bed
    | same peaks.bed.tsv peaks.bb.tsv
1 | . $T/cli/peaks_data.sh; cp $T/data/peaks/peaks.bigBed x.fa; dnabird promoter -m $T/data/model x.fa | err ~ x.fa: a bigBed file, which holds intervals
# all commands that read BED
0: embed takes narrowPeak and bigBed
    . $T/cli/peaks_data.sh
    sort -k1,1 -k2,2n peaks.narrowPeak >n.bed
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json m
    dnabird embed -m m -R n.bed -f r.fa -o a.npy
    dnabird embed -m m -R $T/data/peaks/peaks.bigBed -f r.fa -o b.npy
    | same a.npy b.npy
0 | . $T/cli/peaks_data.sh; set_of $T/data/peaks/peaks.bigBed --name-column; grep -c '^##profile	peak' peaks.bigBed.tsv | out ~ 24
# a bigBed that is cut before the end of its index is refused, and so is one
# from a pipe
0 | . $T/cli/peaks_data.sh; for i in $(seq 8 97 1270); do head -c $i $T/data/peaks/peaks.bigBed >c.bb; if set_of c.bb; then echo $i; fi; done | out empty
    | err !~ Assert
    | none c.bb.tsv*
1 | . $T/cli/peaks_data.sh; head -c 900 $T/data/peaks/peaks.bigBed >c.bb; set_of c.bb | err ~ c.bb: the bigBed file is damaged or cut short
    | err lines 1
1 | . $T/cli/peaks_data.sh; cat $T/data/peaks/peaks.bigBed | dnabird dataset chromatin -f r.fa -o x.tsv - | err ~ standard input: bigBed is read from a file only
    | none x.tsv*

# bigWig has no intervals, and 2bit is not read: from a file, with an index,
# from a pipe
1 | . $T/cli/peaks_data.sh; printf '\046\374\217\210\4\0\0\0' >x.bed; set_of x.bed | err ~ x.bed: a bigWig file
    | err lines 1
0: a 2bit file is refused with the tool that converts it
    printf '\103\047\101\032\0\0\0\0' >x.fa
    printf '\032\101\047\103\0\0\0\0' >y.2bit
    m=$T/data/model
    dnabird promoter -m $m x.fa || dnabird promoter -m $m -r chr1:1-70 y.2bit ||
        dnabird promoter -m $m - <y.2bit || dnabird mutate -m $m -f x.fa -r chr1:1-5 || true
    | err ~ x.fa: a 2bit file, which is not read: convert it with twoBitToFa
    | err ~ y.2bit: a 2bit file
    | err ~ standard input: a 2bit file
    | err lines 4

0 needs=bgzip: plain, bgzipped and gzipped FASTA give the same calls
    . $T/cli/peaks_data.sh
    bgzip -c r.fa >b.fa.gz
    gzip -c r.fa >g.fa.gz
    for f in r.fa b.fa.gz g.fa.gz; do
        dnabird promoter -m $T/data/model -T 0 --no-version -r B:101-900 -o $f.bed $f
        cmp r.fa.bed $f.bed
    done
    | err ~ g.fa.gz: plain gzip has no random access, so the contigs wanted are held in memory, one byte a base: compress it with bgzip instead
    | err !~ b.fa.gz: plain
    | out empty
