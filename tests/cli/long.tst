# Positions beyond 2^31 give the results of a short contig.

0: windows beyond 2^31 equal those of a short contig
    . $T/cli/long_data.sh
    dnabird promoter -O windows --no-version -r big:$((n + 150001))-$((n + 153000)) b.fa |
        awk -v OFS='\t' -v n=$n 'NR > 1 {$2 -= n; $3 -= n} 1' >b.tsv
    dnabird promoter -O windows --no-version -r big:150001-153000 s.fa >s.tsv
    grep -c ok b.tsv
    | same b.tsv s.tsv
    | out ~ 30
0: alleles beyond 2^31 equal those of a short contig
    . $T/cli/long_data.sh
    at 151500 $n >b.vcf
    at 151500 >s.vcf
    for i in b s; do
        dnabird variant -m $T/data/model -f $i.fa -O tsv --no-version $i.vcf |
            cut -f1,3- >$i.tsv
    done
    grep -cw OK b.tsv
    | same b.tsv s.tsv
    | out ~ 1
0: mutate beyond 2^31 equals a short contig
    . $T/cli/long_data.sh
    for i in b:$n s:0; do
        p=$((${i#*:} + 151500))
        dnabird mutate -m $T/data/model -f ${i%:*}.fa -r big:$p-$((p + 1)) --no-version |
            cut -f1,4- >${i%:*}.tsv
    done
    wc -l <b.tsv
    | same b.tsv s.tsv
    | out ~ 3
# an index takes such positions; BCF cannot hold them
0 needs=tabix | . $T/cli/long_data.sh; dnabird promoter -O windows -o b.tsv.gz -W -r big:$((n + 150001))-$((n + 153000)) b.fa; tabix b.tsv.gz big:$((n + 151001))-$((n + 151001)) | wc -l | out ~ 2
1: BCF cannot hold positions beyond 2^31
    . $T/cli/long_data.sh
    if [ $n = 0 ]; then
        echo cannot be written as BCF >&2
        exit 1
    fi
    at 151500 $n >b.vcf
    dnabird variant -m $T/data/model -f b.fa -o o.bcf b.vcf
    | err ~ cannot be written as BCF
    | none o*
