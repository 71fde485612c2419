# Promoters by models with bins: labels of commands, tracks of both strands from
# one label each, calls, overlapping bins, thresholds.

0 | dnabird promoter --help=all | out ~ --one-pass

# before memory for windows is asked for, which a machine may not have
1: a window beyond what the model reads is refused, however long
    dnabird promoter -w 1G -T 0.5 $T/data/variants/toy.fa -o o
    | err ~ --window: a window of 1000000000 bp is more than the
    | err !~ out of memory
    | none o
1 | dnabird promoter -w 100 -T 0.5 $T/data/variants/toy.fa | err ~ 100 bp are too short: give at least 420 bp

0 long: the track of a strand equals its label's, with margins, N and short ends
    . $T/cli/bins_data.sh
    windows -q
    learn 2 -q --margin 200
    sed '6s/^.\{300\}//; s/^[ACGT]\{500\}/&'"$(printf 'N%.0s' {1..430})"'/' r.fa >n.fa
    samtools faidx n.fa
    for k in + -; do
        dnabird chromatin -q -m m -F TSS$k -O bedgraph n.fa 2>>err |
            grep -v '^#\|^track' >want$k
        dnabird promoter -q -m m --strand $k -O bedgraph n.fa 2>>err |
            grep -v '^#\|^track' >got$k
    done
    wc -l <want+
    dnabird promoter -q -m m -O bedgraph n.fa 2>>err | grep -v '^#\|^track' >both
    cat want+ want- |
        awk '{ for (i = $2; i < $3; i += 10) if ($4 > m[$1, i]) m[$1, i] = $4 }
            END { for (k in m) { split(k, x, SUBSEP); print x[1], x[2], m[k]; } }' |
        sort >max
    awk '{ for (i = $2; i < $3; i += 10) print $1, i, $4 }' both | sort >big
    tail -1 got+
    | out ~ C	8
    | same want+ got+
    | same want- got-
    | differ got+ got-
    | same max big

0 long: one pass scores both strands; threads, standard input and regions change nothing
    . $T/cli/bins_data.sh
    ready
    samtools faidx r.fa
    dnabird chromatin -q -m m --strand given -F 'TSS*' -O tsv r.fa 2>>err |
        awk '!/^#/ { print $1, $2, $3, "+", $6; print $1, $2, $3, "-", $7 }' >want
    s() { dnabird promoter -q -m m -O windows --no-version "$@" 2>>err | grep -v '^#'; }
    s --one-pass r.fa |
        tr '\t' ' ' |
        paste -d ' ' - want |
        awk '$1 != $8 || $2 != $9 || $4 != $11 || $5 - $12 > 1e-6 || $12 - $5 > 1e-6' >got
    s -t 1 r.fa >one
    s - <r.fa >two
    s -r A:1,101-2,300,C:7900-8000 r.fa >part
    awk '($1 == "A" && $3 > 1100 && $2 < 2300) || ($1 == "C" && $3 > 7899)' one >some
    cat got
    wc -l <one
    | out lines 1
    | out ~ 240
    | same one two
    | same part some

0 long: --stride 50 keeps the bins on the model's grid
    . $T/cli/bins_data.sh
    windows -q
    learn 2 -q --margin 200
    samtools faidx r.fa
    s() {
        dnabird promoter -q -m m -O windows --no-version "$@" r.fa 2>>err | grep -v '^#'
    }
    s >one
    s -s 50 >four
    awk '$2 % 200 == 0' four >grid
    s -s 50 -r B:1001-1100 | cut -f 2 | sort -nu | tr '\n' ' '
    tail -2 four
    wc -l <four
    | out ~ 850 900 950 1000 1050 
    | out ~ C	7950	8000	-
    | out ~ 960
    | same one grid
0 long: a threshold table is for its windows and stride alone
    . $T/cli/bins_data.sh
    windows -q
    dnabird tokenizer kmer -k 1 -s 1 -o one.json
    dnabird init --preset tiny --stem 15x64/4,5x64+ --branch-scale 0 --tokenizer one.json \
        --labels a --head bins-maxmean i
    dnabird finetune bins -q --train w/train.bed --valid w/valid.bed "${labels[@]}" \
        --init i --steps 150 --validate-every 50 --min-positives 3 --lr 3e-3 \
        --head bins-maxmean --settings <(printf 'cut = 0\nshift-bins = 2\n') --shift 50 \
        -o m
    for s in 200 50; do
        dnabird promoter -q -m m -s $s -T 0.45 r.fa 2>>err |
            awk 'NR == FNR { at[$1, $6] = at[$1, $6] " " $2; next }
                !/^#/ {
                    n = split(at[$1, $6], x, " ")
                    for (i = 1; i <= n; i++) if (x[i] - $8 <= 25 && $8 - x[i] <= 25) k++
                    m++
                }
                END { print m ? k / m : 0 }' sites.bed - >near$s
    done
    awk 'NR == 1 { a = $1 }
        END { print (a > 0 && a < 0.6 && $1 > 0.65 ? "nearer" : a " " $1) }' near200 near50
    dnabird promoter -q -m m --no-version -O windows r.fa -o v.tsv
    dnabird evaluate scan -p sites.bed --within 150 --fp-per-mb 20,200 --choose th v.tsv >x
    grep 'recall.*200\|recall' x | head -3
    dnabird export --compress --thresholds th --fp-per-mb 200 m n
    dnabird promoter -m n --fp-per-mb 200 r.fa -o a.bed
    dnabird promoter -m n r.fa -o b.bed
    grep -vc '^#' a.bed
    grep -v '^#' a.bed >x
    grep -v '^#' b.bed >y
    dnabird promoter -m n -s 100 r.fa || true
    | out ~ nearer
    | err ~ are for windows of 1000 bp every 200: leave out --window, --stride and --one-pass
    | same x y

0: a region has the overlapping bins that begin in the tile before it
    . $T/cli/bins_data.sh
    ready
    samtools faidx r.fa
    s() { dnabird promoter -q -m m -s 50 -O windows --no-version "$@" r.fa | grep -v '^#'; }
    s | awk '$1 == "B" && $2 < 650 && $3 > 600' >all
    for r in B:601-650; do s -r $r; done >part
    grep -c . all
    | out ~ 8
    | same all part

0 long: each strand is calibrated by its label's map
    . $T/cli/bins_data.sh
    windows -q
    learn 4 -q
    dnabird dataset bins -q -f r.fa --window 1000 --margin 0 -o v
    dnabird evaluate bins -q -m m --windows v/all.bed "${labels[@]}" --calibrate -o x
    s() { dnabird promoter -m m -O windows --no-version "$@" r.fa | grep -v '^#'; }
    s 2>err1 >cal
    s --raw >raw
    dnabird chromatin -q -m m -F 'TSS*' -O tsv r.fa |
        awk '!/^#/ { print $1, $2, "+", $6; print $1, $2, "-", $7 }' |
        paste -d ' ' - <(tr '\t' ' ' <cal) |
        awk '$1 != $5 || $2 != $6 || $3 != $8 || $4 - $9 > 1e-6 || $9 - $4 > 1e-6'
    cut -f 1-4,7 cal >a
    cut -f 1-4,7 raw >b
    grep -c calibrated err1 || s --one-pass 2>&1 >/dev/null
    | out !~ C	7800
    | out ~ 0
    | out ~ is of the mean of both strands: raw outputs are printed
    | same a b
    | differ cal raw

# labels of commands
0: labels of commands in dnabird.json choose what is scanned
    . $T/cli/bins_data.sh
    ready
    dnabird chromatin -q -m m -O tsv r.fa -o a.tsv
    grep '^#contig\|^contig\|status' a.tsv | head -1 >&2
    printf '{"commands": {"promoter": ["two"], "chromatin": []}}' >f
    dnabird export --compress --facts f m n
    dnabird promoter -q -m n -T 0 --no-version r.fa | tail -1 | cut -f 1,6
    dnabird promoter -m n --strand + r.fa || dnabird chromatin -m n -O tsv r.fa ||
        dnabird info n
    | err ~ status	one	two
    | err !~ TSS+
    | out ~ C	.
    | out ~ chromatin: none
    | err ~ n has one label for both strands: leave out --strand
    | err ~ n names no label for 'chromatin': choose some with --features
1 | . $T/cli/bins_data.sh; ready; sed -i 's/"promoter": \[/"promoter": ["x", /' m/dnabird.json; dnabird info m | err ~ 'commands': 'promoter' names 'x'
1 | . $T/cli/bins_data.sh; ready; printf '{"commands": {"promoter": ["x"]}}' >f; dnabird export --compress --facts f m n | err ~ 'commands': 'promoter' names 'x'
    | none n
1 | . $T/cli/bins_data.sh; ready; sed -i 's/"promoter": \[/"promoter": ["one", /' m/dnabird.json; dnabird promoter -m m r.fa | err ~ m has 3 labels for promoters
1 | . $T/cli/bins_data.sh; ready; dnabird promoter -m m -s 60 r.fa | err ~ m predicts bins of 200 bp: a stride of 60 bp does not divide them
1 | . $T/cli/bins_data.sh; ready; dnabird promoter -m m -w 900 r.fa | err ~ m: --window: 900 bp
1 | . $T/cli/bins_data.sh; dnabird promoter -m $T/data/model --one-pass r.fa | err ~ --one-pass is for models that predict bins
