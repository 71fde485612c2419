# Calibrated probabilities, and models whose files have changed. The toy model
# reads 70 bp, has two classes and no calibration.

# models without calibration
0: a model without calibration prints raw outputs and says so
    awk 'BEGIN {
            srand(1); print ">a"
            for (i = 0; i < 900; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
        }' >x.fa
    dnabird promoter -m $T/data/model -O windows --no-version x.fa |
        awk -F'\t' 'NR > 1 && $5 != $7'
    | out empty
    | err ~ not calibrated
0 | dnabird info $T/data/model | out ~ probability   not calibrated
0 | dnabird evaluate -m $T/data/model --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv | out ~ the model is not calibrated

0: calibration improves other rows and keeps their order and classes
    cp -r $T/data/model m
    dnabird evaluate --calibrate -m m --bootstrap 0 \
        --test $T/data/train/prom_core_tata.train600.csv.gz -o f
    for r in '' --raw; do
        dnabird evaluate $r -m m --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv \
            -o o$r
        grep -P '^all/model\t(auroc|auprc|accuracy|f1|mcc)\t' o$r >s$r
    done
    cat o o--raw |
        awk -F'\t' '$1 == "all/model" && ($2 == "ece" || $2 == "brier") {
                if (b[$2] && b[$2] < $3) print $2 " is better"
                b[$2] = $3
            }'
    | same s s--raw
    | out ~ ece is better
    | out ~ brier is better
    | err ~ calibrated on these rows
1: rows of one class calibrate nothing
    cp -r $T/data/model m
    awk -F, 'NR == 1 || $2 == 1' $T/data/train/prom_core_tata.test300.csv >x.csv
    dnabird evaluate --calibrate -m m --bootstrap 0 --test x.csv
    | err ~ x.csv: every row has the same class: --calibrate needs rows of both
    | none m/calibration.safetensors
0: evaluate and info name the calibration
    cp -r $T/data/model m
    dnabird evaluate --calibrate -m m --bootstrap 0 \
        --test $T/data/train/prom_core_tata.train600.csv.gz -o f
    dnabird evaluate -m m --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv
    dnabird info m
    | out ~ # probabilities: calibrated on 600 rows of prom_core_tata.train600.csv.gz
    | out ~ probability   of this: the row has the label

0: a scan prints calibrated and raw outputs, and makes the same calls
    cp -r $T/data/model m
    dnabird evaluate --calibrate -m m --bootstrap 0 \
        --test $T/data/train/prom_core_tata.train600.csv.gz -o f 2>/dev/null
    awk 'BEGIN {
            srand(1); print ">a"
            for (i = 0; i < 9000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
        }' >x.fa
    for r in '' --raw; do
        dnabird promoter $r -m m --no-version x.fa | cut -f 1-4,6,8 >c$r
        dnabird promoter $r -m m -O windows --no-version x.fa >w$r
    done
    tail -n +2 w |
        sort -t "$(printf '\t')" -k 7,7g |
        awk -F'\t' '$5 < p { print "falls" }
            $5 != $7 { n++ }
            { p = $5 }
            END { print n " differ" }'
    cut -f 7 w--raw >a
    cut -f 7 w >b
    cmp a b
    awk -F'\t' 'NR > 1 && $5 != $7' w--raw
    | same c c--raw
    | out ~ 598 differ
    | out !~ falls
    | err !~ not calibrated
0: -T is compared with the printed probability
    cp -r $T/data/model m
    dnabird evaluate --calibrate -m m --bootstrap 0 \
        --test $T/data/train/prom_core_tata.train600.csv.gz -o f 2>/dev/null
    awk 'BEGIN {
            srand(1); print ">a"
            for (i = 0; i < 9000; i++) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)
        }' >x.fa
    dnabird promoter -T 0.8 -m m -O tsv --no-version x.fa |
        awk -F'\t' 'NR > 1 { n++; if ($7 < 0.8) print "below"; if ($11 >= 0.8) print "raw" }
            END { print (n > 0) " calls" }'
    | out = calibrate_calls.txt
0: a calibration of other windows is refused
    cp -r $T/data/model m
    dnabird evaluate --calibrate -m m --bootstrap 0 \
        --test $T/data/train/prom_core_tata.train600.csv.gz -o f 2>/dev/null
    printf \
        '>a\nACGTTATAAAGGACGTTATAAAGGACGTTATAAAGGACGTTATAAAGGACGTTATAAAGGACGTTATAAAGG\n' \
        >x.fa
    dnabird promoter -m m --window 60 x.fa
    | err ~ calibration.safetensors is of another window
0: variant keeps raw outputs, and a background keeps the calibration
    cp $T/data/variants/* .
    cp -r $T/data/model m
    V="dnabird variant -m m -f toy.fa kinds.vcf --no-version -O tsv --scores p_ref,diff"
    $V >a
    dnabird evaluate --calibrate -m m --bootstrap 0 \
        --test $T/data/train/prom_core_tata.train600.csv.gz -o f
    $V >b
    dnabird variant background -m m -f toy.fa -n 20
    $V >c
    cmp b c
    dnabird info m
    | same a b
    | out ~ probability   of this
    | out ~ background    50 variants

# calibration of several labels
0: several labels are calibrated, with thresholds of their own
    . $T/cli/chromatin_data.sh
    model
    dnabird dataset chromatin -f r.fa --context 400 --background 1 one.bed two.bed \
        -o all.tsv
    dnabird evaluate --calibrate -m m --test all.tsv -f r.fa -o f
    dnabird chromatin -m m -F one -O bed --json j --no-version r.fa >c
    dnabird chromatin -m m -F one -O bed --raw --no-version r.fa >d
    cut -f 1-4,8 c >c1
    cut -f 1-4,8 d >d1
    grep -c one c1
    cat j f
    | same c1 d1
    | out ~ "calibrated": true
    | out ~ all/model	ece	0.00
    | out !~ nan
    | out ~ set	lo	hi	rows	mean_probability	observed
0 | . $T/cli/chromatin_data.sh; model; dnabird evaluate --calibrate -m m --test s.tsv -f r.fa -O features --no-version | head -1 | out ~ threshold	precision	recall	f1	brier	ece
0 | . $T/cli/chromatin_data.sh; model; dnabird evaluate --calibrate -m m --test s.tsv -f r.fa -o f; dnabird chromatin -m m --strand given -O tsv r.fa | err ~ is of the mean of both strands

# calibration of scans
0: evaluate scan --calibrate fits a calibration on its windows
    cp -r $T/data/model m
    awk 'BEGIN {
            srand(2); OFS = "\t"; print "#chrom\tstart\tend\tstrand\tprobability\tstatus"
            for (i = 0; i < 6000; i++) {
                r = rand(); hit = rand() < 0.1 * r
                print "c", i * 2000, i * 2000 + 70, "+", r, "ok"
                if (hit) print "c", i * 2000 + 30, i * 2000 + 31, "t", ".", "+" >"t.bed"
            }
        }' >w.tsv
    dnabird evaluate scan -m m --calibrate -p t.bed --bootstrap 0 w.tsv >f
    grep -P '\t(threshold|auroc|calls)\t' f >a
    dnabird evaluate scan -p t.bed --bootstrap 0 w.tsv 2>/dev/null >g
    grep -P '\t(threshold|auroc|calls)\t' g >b
    awk -F'\t' '$4 == "calibration_error" { print $5 < 0.01 ? "right" : "wrong" }' f g
    dnabird info m
    | same a b
    | out ~ right
    | out ~ wrong
    | out ~ a start site within 500 bp of the window's anchor
1 | cp -r $T/data/model m; printf 'c\t0\t70\t+\t0.5\tok\n' >w.tsv; printf 'c\t30\t31\tt\t.\t+\n' >t.bed; dnabird evaluate scan -m m --calibrate -p t.bed w.tsv | err ~ too few to calibrate on
    | none m/calibration*
1 | cp -r $T/data/model m; printf 'c\t0\t70\t+\t0.5\tok\n' >w.tsv; printf 'c\t30\t31\tt\t.\t+\n' >t.bed; dnabird evaluate scan -m m -p t.bed w.tsv | err ~ m: the model is not calibrated
2 | dnabird evaluate scan --calibrate -p t.bed w.tsv | err ~ --calibrate needs the model folder
2 | dnabird evaluate --calibrate --test x.csv | err ~ no model: give -m MODEL
1 | cp -r $T/data/model m; echo nonsense >m/calibration.safetensors; printf '>a\nACGT\n' >x.fa; dnabird promoter -m m x.fa | err ~ m/calibration.safetensors

# no label in common
1 | . $T/cli/chromatin_data.sh; model; sed 's/one/uno/g; s/two/due/g' s.tsv >o.tsv; dnabird evaluate -m m --test o.tsv -f r.fa -o f.tsv | err ~ o.tsv: none of its 2 labels
    | err ~ 'uno', 'due'
    | err ~ 'one', 'two'
    | none f.tsv

0: a row spells a feature's name in one way
    cp $T/data/variants/* .
    dnabird init --preset tiny --tokenizer $T/golden/t_bpe_tiny/tokenizer.json \
        --labels 'DHS:K562|DNase|None,TF:A549|CTCF|None' --window 70 --seed 3 m
    dnabird variant --shifts 0 --tokens anchored -m m -f toy.fa kinds.vcf --no-version \
        -O tsv |
        awk -F'\t' 'NR > 1 && $6 == "OK" {
                n++
                if (index($15, $10 ":") != 1) print "another name: " $10 " " $15
            }
            END { print n " alleles" }'
    | out ~ 23 alleles
    | out !~ another name

1: promoter refuses weights with a changed byte
    dnabird init --labels 2 --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --preset tiny m
    s=$(stat -c %s m/model.safetensors)
    printf x | dd of=m/model.safetensors bs=1 seek=$((s - 9)) conv=notrunc 2>/dev/null
    printf '>a\nACGT\n' >x.fa
    dnabird promoter -m m --window 70 x.fa
    | err ~ m/model.safetensors: differs from its checksum
    | err lines 1
1: export refuses weights with a changed byte
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --preset tiny m
    printf x | dd of=m/model.safetensors bs=1 seek=9000 conv=notrunc 2>/dev/null
    dnabird export m n
    | err ~ m/model.safetensors: differs from its checksum
    | none n
1: info --verify reports a changed byte
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --preset tiny m
    s=$(stat -c %s m/model.safetensors)
    printf x | dd of=m/model.safetensors bs=1 seek=$((s - 9)) conv=notrunc 2>/dev/null
    dnabird info --verify m
    | out ~ model.safetensors: DIFFERS from its checksum
    | out !~ weights: OK
    | out ~ weights: finite numbers of the right shapes, but not those of the checksum
0: info warns of a changed byte
    dnabird init --tokenizer $T/golden/t_bpe_tiny/tokenizer.json --preset tiny m
    s=$(stat -c %s m/model.safetensors)
    printf x | dd of=m/model.safetensors bs=1 seek=$((s - 9)) conv=notrunc 2>/dev/null
    dnabird info m
    | out ~ model.safetensors differs from its checksum

# a folder without dnabird.json
1 | cp -r $T/data/model m; rm m/dnabird.json; printf '>a\nACGT\n' >x.fa; dnabird promoter -m m x.fa | err ~ m/dnabird.json is missing
1 | cp $T/data/variants/* .; cp -r $T/data/model m; rm m/dnabird.json; dnabird variant -m m -f toy.fa kinds.vcf | err ~ m/dnabird.json is missing
1 | . $T/cli/chromatin_data.sh; model; rm m/dnabird.json; dnabird chromatin -m m r.fa | err ~ m/dnabird.json is missing
0 | cp -r $T/data/model m; rm m/dnabird.json; dnabird info m | out ~ dnabird.json is missing
1 | cp -r $T/data/model m; rm m/dnabird.json; dnabird info --verify m | err ~ m/dnabird.json is missing

# start sites of + and - are one label on two strands
0: a sequence and its reverse complement have the same probabilities, of the shipped models
    samtools faidx $DATA/genome/chr20_demo.fa.gz chr20:2632001-2635600 | sed '1s/.*/>a/' >x.fa
    turned() { # MODEL FASTA: lines that both strands have, and others
        { echo '>a'; grep -v '>' $2 | tr -d '\n' | rev | tr ACGTacgt TGCAtgca; echo; } >turned.fa
        for f in $2 turned.fa; do
            dnabird promoter -q -m $1 -O windows --no-version $f | awk -v OFS='\t' -v turn=$f '
                $6 != "ok" { next }
                turn == "turned.fa" { s = $2; $2 = 3600 - $3; $3 = 3600 - s; $4 = $4 == "+" ? "-" : "+" }
                { print $2, $3, $4, sprintf("%.5f", $5) }'
        done | sort | uniq -c | awk -v m=$1 '{ n[$1]++ } END { print m, n[2] + 0, n[1] + 0 }'
    }
    turned starts x.fa
    turned regulatory x.fa
    | out ~ starts 360 0
    | out ~ regulatory 36 0
0: the two labels of a strand pair have one map
    . $T/cli/bins_data.sh
    ready
    dnabird evaluate bins -q -m m --windows w/valid.bed "${labels[@]}" --calibrate -o /dev/null || exit
    dnabird promoter -q -m m -O windows --no-version r.fa | grep -v '^#' | sort -t "$(printf '\t')" -k 7,7g |
        awk -F '\t' '$5 < p { falls++ } { p = $5; n[$4]++ } END { print n["+"], n["-"], falls + 0 }'
    | out ~ 120 120 0
