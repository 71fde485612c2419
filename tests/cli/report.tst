# dnabird report: a page of a run, a model or outputs, and wrong input.

0 | dnabird report --help=all | out ~ Usage: dnabird report
    | err empty
2 | dnabird report | err ~ Usage: dnabird report
    | out empty
2 | dnabird report -q | err ~ no file or folder to report on
0: a table of bases is shown as a table, not as bins of features A, C, G and T
    printf '#chrom\tstart\tend\tref\tfeature\tA\tC\tG\tT\tSHORT\n20\t5\t6\tA\tx\t.\t1\t2\t3\t0\n' >m.tsv
    dnabird report -q m.tsv -o o.html
    grep -c 'Bins of several features' o.html
    true
    | out ~ 0
2 | mkdir a b; dnabird report a b | err ~ one folder of a run or model, not also b
    | err lines 1
0 | mkdir r; printf 'step\tloss\tvalid_loss\n10\t0.5\t0.4\n20\t0.3\t0.35\n' >r/training.tsv; dnabird report r | out ~ <title>step 20: validation, last 0.3500 0.3500</title>
    | out ~ <h1>r</h1>
    | err empty
0 | mkdir r; printf 'step\tloss\n10\t0.5\n' >r/training.tsv; dnabird report r/ -o r.html; dnabird report r -o s.html | same r.html s.html
    | out empty
0 | dnabird report $T/data/model | out ~ The folder has no training.tsv
    | out ~ Held-out metrics
0: the distance from a gene is not the score, not even of an allele without one
    printf 'chr1\t100\t101\tG\n' >g.bed
    for k in '^#' symbol snv; do grep $k $T/data/variants/kinds.vcf; done >x.vcf
    for o in v tsv; do
        dnabird variant -q -m $T/data/model -f $T/data/variants/toy.fa --genes g.bed \
            --check-ref skip -O $o -o v.$o x.vcf
        dnabird report v.$o | grep -o '<b>[0-9]*</b><span>[as][a-z]*\|<span>largest [^<]*'
    done
    | out ~ <b>1</b><span>scored
    | out ~ <span>largest BIRD_DIFF
    | out ~ <span>largest diff
    | out !~ istance
0 | printf 'step\tloss\n10\t0.5\n' >t.tsv; dnabird report --training t.tsv $T/data/model | out ~ aria-label="Loss"
0: two evaluations have a section each
    for s in 1 2; do
        dnabird evaluate -m $T/data/model --bootstrap 0 \
            --test $T/data/train/prom_core_tata.test300.csv -o $s.tsv
    done
    dnabird report --evaluation 1.tsv,2.tsv $T/data/model
    | out ~ <h2>2.tsv</h2>
    | out ~ all/GC
0 needs=xmllint: a page of a run with its training log is well-formed XML
    dnabird evaluate -m $T/data/model --bootstrap 20 \
        --test $T/data/train/prom_core_tata.test300.csv -o 1.tsv 2>said
    printf 'step\tloss\tx_per_second\n1\t.5\t7\n2\tNA\t8\n' >t.tsv
    dnabird report --training t.tsv --evaluation 1.tsv $T/data/model -o p.html &&
        xmllint --noout p.html
    | has p.html
    | err empty

1 | dnabird report none -o p.html | err ~ none: No such file or directory
    | err lines 1
    | none p.html*
1 | mkdir r; dnabird report r -o p.html | err ~ r: neither training.tsv nor config.json nor dnabird.json is there
    | none p.html*
1 | mkdir r; printf 'step\tloss\n1\t2\n3\n' >r/training.tsv; dnabird report r -o p.html | err ~ r/training.tsv: line 3: 1 fields, 2 in the first line
    | none p.html*
1 | dnabird report --evaluation none.tsv $T/data/model -o p.html | err ~ none.tsv: No such file or directory
    | none p.html*
1 | dnabird report $T/data/model -o no/p.html | err ~ no/p.html: No such file or directory
1 | dnabird report $T/data/model >/dev/full | err ~ No space left on device

# kinds of outputs are recognised by their columns; the numbers of all go to
# MultiQC
0: calls are shown, and summed up for MultiQC
    printf '%b\n' '# dnabird 0' '# command: dnabird promoter <x>' \
        '#chrom\tstart\tend\tname\tscore\tstrand\tprobability\tsummit' \
        'chr2\t100\t300\tpromoter\t900\t+\t0.9\t200' \
        'chr2\t500\t700\tpromoter\t600\t-\t0.6\t600' >c.bed
    dnabird report c.bed --multiqc c_mqc.json
    | out ~ <title>c.bed</title>
    | out ~ <h2>Calls</h2>
    | out ~ dnabird promoter &lt;x&gt;
    | out ~ <td>chr2:101-300</td>
    | out ~ promoter 0.90
    | out ~ <tr><th scope="row">command</th>
    | out ~ <h2>Along chr2:1-1230</h2>
    | has c_mqc.json
    | err empty
0 | printf '#chrom\tstart\tend\tvalue\nchr2\t0\t200\t0.1\n' >v.bg; dnabird report -r chrZ:1-100 v.bg | out ~ No file has a call, a value or an allele in this region.
0 | printf '#chrom\tstart\tend\tvalue\nchr2\t0\t200\t0.1\nchr2\t200\t400\t0.7\n' | gzip >v.bg.gz; dnabird report v.bg.gz | out ~ <h2>Along chr2:1-400</h2>
    | out ~ 201 to 400: 0.7000
    | out ~ 0 to 0.700
0 | printf '#chrom\tstart\tend\tstrand\tprobability\tstatus\traw\nc\t0\t200\t+\t0.1\tok\t1\nc\t0\t200\t-\t.\tn\t.\n' >w; dnabird report w | out ~ <h2>Windows of both strands</h2>
    | out ~ <b>1</b><span>without a value</span>
    | out ~ <td>strand +</td><td>c:1-200</td>
0 | printf '#chrom\tstart\tend\tname\tstatus\tA|B\tC<D\n1\t0\t200\tx\tok\t0.1\t0.3\n1\t200\t400\ty\tn\t.\t.\n' >b.tsv; dnabird report b.tsv | out ~ <td>C&lt;D</td><td>1:1-200</td>
    | out ~ <b>1</b><span>without a value</span>
    | out ~ <b>2</b><span>features</span>
0 | printf 'name\tlabel\tprobability\na\t1\t0.9\nb\t0\t0.2\nc\t1\t0.6\nd\t0\t0.7\n' >p.tsv; dnabird report p.tsv | out ~ <b>0.7500</b><span>AUROC</span>
    | out ~ by chance
    | out ~ Probabilities by class
0: predictions are summed up by column
    printf '%b\n' 'name\tcolumn\tlabel\tprobability' 'a\tX\t1\t0.9' 'a\tY\tNA\t0.3' \
        'b\tX\t0\t0.2' 'b\tY\t1\t0.3' 'c\tY\t0\t0.4' >p.tsv
    dnabird report p.tsv
    | out ~ <td>X</td><td class="n">2</td><td class="n">1</td><td class="n">1</td>
    | out ~ <td>Y</td><td class="n">2</td><td class="n">1</td><td class="n">0</td>
0: rows of several labels count where a label is not known, too
    printf '%b\n' 'name\tcolumn\tlabel\tprobability' 'a\tX\t1\t0.9' 'a\tY\tNA\t0.3' \
        'b\tX\t0\t0.2' 'b\tY\t1\t0.3' 'c\tX\tNA\t0.2' 'c\tY\t0\t0.4' >p.tsv
    dnabird report p.tsv --multiqc p_mqc.json
    cat p_mqc.json
    | out ~ <b>3</b><span>rows</span>
    | out ~ "rows": 3
0 | printf 'name\tlabel\tcat\tdog\tcow\na\tcat\t.5\t.2\t.3\nb\tdog\t.1\t.6\t.3\nc\tcow\t.1\t.1\t.8\n' >p.tsv; dnabird report p.tsv | out ~ <b>3</b><span>labels or classes</span>
0: VCF and table of the same alleles have the same numbers
    dnabird variant -q -m $T/data/model -f $T/data/variants/toy.fa --check-ref skip \
        -o v.vcf $T/data/variants/kinds.vcf
    dnabird variant -q -m $T/data/model -f $T/data/variants/toy.fa --check-ref skip -O tsv \
        -o v.tsv $T/data/variants/kinds.vcf
    for f in v.vcf v.tsv; do
        dnabird report $f -o $f.html
        grep -o '<b>[^<]*</b>' $f.html | tail -n +2 >$f.n
    done
    grep -c '<h2>Scored alleles' v.vcf.html
    grep -o 'Alleles by status' v.vcf.html
    | same v.vcf.n v.tsv.n
    | out ~ Alleles by status
0 | printf 'step\tloss\n10\t0.5\n' >t.tsv; dnabird report t.tsv | out ~ aria-label="Loss"
0: metrics are shown and go to MultiQC
    printf '%b\n' 'set\tmetric\tvalue\tlo\thi' 'all/model\tauroc\t0.91\t0.9\t0.92' \
        'all/model\tmcc\t0.5\tNA\tNA' >e.tsv
    dnabird report e.tsv --multiqc e_mqc.json -o e.html
    grep -A3 '"e.tsv"' e_mqc.json | tr -d ' \n'
    | out ~ "e.tsv":{"auroc":0.91
    | has e.html

0: annotation of BED, GTF and GFF is drawn, in the shown regions alone
    printf '#chrom\tstart\tend\tvalue\nchr2\t0\t9000\t0.1\n' >v
    printf '%b\n' '2\tx\tgene\t101\t5000\t.\t+\t.\tgene_id "G1"; gene_name "ABC<1>";' \
        '2\tx\ttranscript\t101\t5000\t.\t+\t.\tgene_id "G1"; transcript_id "T";' \
        '2\tx\texon\t101\t400\t.\t+\t.\tgene_id "G1"; transcript_id "T";' \
        '3\tx\tgene\t1\t500\t.\t+\t.\tgene_id "G9"; gene_name "ELSEWHERE";' >a.gtf
    printf '%b\n' '##gff-version 3' '2\tx\tgene\t101\t5000\t.\t-\t.\tID=g;Name=DEF' \
        '2\tx\tmRNA\t101\t5000\t.\t-\t.\tID=t;Parent=g;Name=T' \
        '2\tx\texon\t4501\t5000\t.\t-\t.\tParent=t' >a.gff
    printf 'chr2\t7000\t7100\tsite\t0\t-\n' >a.bed
    dnabird report v -r chr2:1-8,000 --annotation a.gtf,a.gff,a.bed -o p.html
    grep -o 'ABC&lt;1&gt; .*\|DEF .*\|site .*\|ELSEWHERE\|T, 101.*' p.html | sort -u
    | out ~ ABC&lt;1&gt; →</text>
    | out ~ DEF ←</text>
    | out ~ site ←</text>
    | out !~ ELSEWHERE
    | out !~ T, 101

1 | printf '#chrom\tstart\tend\tvalue\nc\t1\t9\t1\n' >f; dnabird report f -r c:1-3,c:5-7 -o p.html | err ~ a report draws one region
    | none p.html*
0: profiles named value and score are features like others
    printf '#chrom\tstart\tend\tname\tstatus\tTF\tvalue\tscore\nc\t0\t9\t.\tok\t.1\t.2\t.3\n' >m
    dnabird report m | grep -o '<b>[^<]*</b><span>[fh][a-z]*'
    | out ~ <b>3</b><span>features
    | out ~ <b>0.3000</b><span>highest
1 | printf 'x' >f; dnabird report f -o p.html | err ~ f: not a tab-separated table with a header line
    | err lines 1
    | none p.html*
1 | printf '#chrom\tstart\tend\tvalue\nc\t1\tx\t1\n' >f; dnabird report f -o p.html | err ~ f: line 2: end: 'x' is not a number
    | none p.html*
1 | printf '#chrom\tstart\tend\tvalue\nc\t1\t2\n' >f; dnabird report f -o p.html | err ~ f: line 2: 3 fields, 4 in the header
1 | printf '#chrom\tstart\tend\tvalue\nc\t1\t2\t1\n' >f; dnabird report f --multiqc m.json -o p.html | err ~ m.json: MultiQC finds files whose names end in _mqc.json
    | none p.html*
1: a region is refused for a table of metrics
    printf 'set\tmetric\tvalue\tlo\thi\nall/model\tauroc\t0.9\tNA\tNA\n' >e.tsv
    dnabird report e.tsv -r c:1-3 -o p.html
    | err ~ report: a region and annotation go with files of calls, values or alleles
    | none p.html
1 | printf '#chrom\tstart\tend\tvalue\nc\t1\t2\t1\n' >f; dnabird report f -r c -o p.html | err ~ a region to draw has two ends
1 | printf 'name\tlabel\tprobability\na\t1\t1.5\n' >f; dnabird report f -o p.html | err ~ f: line 2: probability: a probability lies in 0 to 1
1 | printf '#chrom\tstart\tend\tvalue\nc\t1\t2\t1\n' >f; dnabird report f --annotation none.gtf -o p.html | err ~ none.gtf: No such file or directory
    | none p.html*
1 | dnabird report $T/data/model --annotation x.bed | err ~ go with files
1 | printf 'step\tloss\n1\t2\n' >t.tsv; dnabird report --training t.tsv t.tsv | err ~ t.tsv: curves go with the folder of a run

# fields of other tools, files of the same name, a blank first line, pipes
0: fields of other tools in a VCF are left out
    cat <<'END' >w.vcf
    ##fileformat=VCFv4.2
    ##INFO=<ID=SOME_STATUS,Number=1,Type=String,Description="x">
    ##INFO=<ID=SOME_N,Number=1,Type=Float,Description="x">
    ##INFO=<ID=BIRD_DIFF,Number=A,Type=Float,Description="x">
    ##INFO=<ID=BIRD_STATUS,Number=A,Type=String,Description="x">
    #CHROM	POS	ID	REF	ALT	QUAL	FILTER	INFO
    c	10	.	A	G	.	.	SOME_STATUS=OK;SOME_N=77;BIRD_DIFF=0.5;BIRD_STATUS=OK
    END
    dnabird report w.vcf -o p.html
    cat p.html
    | out ~ <b>0.5000</b><span>largest BIRD_DIFF
0: files of the same name keep their folders
    mkdir a b
    printf '#chrom\tstart\tend\tvalue\nc\t1\t2\t1\n' >a/f.tsv
    (echo; cat a/f.tsv) >b/f.tsv
    dnabird report a/f.tsv b/f.tsv --multiqc x_mqc.json -o p.html
    cat x_mqc.json
    | out ~ "a/f.tsv": {
    | out ~ "b/f.tsv": {
1 | printf '#chrom\tstart\tend\tvalue\nc\t1\t2\t1\n' | dnabird report - -o p.html | err ~ -: a report reads its files several times: name a file
    | none p.html*
0: parents that name each other do not hang a GFF3
    printf '#chrom\tstart\tend\tvalue\nc\t1\t2\t1\n' >f
    printf '%b\n' 'c\tx\tgene\t1\t50\t.\t+\t.\tID=g' \
        'c\tx\texon\t1\t20\t.\t+\t.\tParent=g' \
        'c\tx\tgene\t30\t40\t.\t+\t.\tID=h;Parent=i' \
        'c\tx\tgene\t30\t40\t.\t+\t.\tID=i;Parent=h' >a.gff3
    dnabird report f --annotation a.gff3 -r c:1-60 -o p.html
    cat p.html
    | out ~ <title>g, 1 to 20
0 | printf '#chrom\tstart\tend\tvalue\nc\t1\t2\t1e308\nc\t2\t3\t-1e308\n' >f; dnabird report f -r c:1-3 -o p.html; grep '<rect class="bar' p.html | out ~ y="36.0"
    | out !~ nan

0: a track's mean is along the sequence, however it is cut up
    printf '#chrom\tstart\tend\tvalue\nchr1\t0\t1000000\t0\nchr1\t1000000\t1001000\t1\n' >two.bg
    printf '#chrom\tstart\tend\tvalue\nchr1\t0\t500000\t0\nchr1\t500000\t1000000\t0\nchr1\t1000000\t1001000\t1\n' >three.bg
    for f in two three; do
        dnabird report $f.bg --multiqc m_mqc.json -o p.html
        grep -o '"mean": [0-9.e-]*' m_mqc.json
    done | sort | uniq -c | sort -n | tail -1
    | out ~ 2 "mean": 0.000999
1 | printf 'a\tb\n1\tx\n' >x.tsv; dnabird report x.tsv --multiqc m_mqc.json -o p.html | err ~ m_mqc.json: these files have no numbers for MultiQC
    | none m_mqc.json
    | none p.html
1: a track without the names of its columns is refused: its first line is data
    printf 'chr1\t0\t10\t0.5\nchr1\t10\t20\t0.7\n' >t.bg
    dnabird report t.bg -o p.html
    | err ~ t.bg: line 1 is data, not the names of the columns
    | err lines 1
    | none p.html
1 | printf 'c\tx\tmRNA\t3\t9\t.\t+\t.\tID=m\n' >g.gff3; dnabird report g.gff3 | err ~ g.gff3: line 1 is data
    | out empty
