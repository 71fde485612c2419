# dnabird report: a page of a run or model, and what is wrong.

0 | dnabird report --help | out ~ Usage: dnabird report
    | err empty
2 | dnabird report | err ~ Usage: dnabird report
    | out empty
2 | dnabird report a b | err ~ one folder of a run or model is needed
0 | mkdir r; printf 'step\tloss\tvalid_loss\n10\t0.5\t0.4\n20\t0.3\t0.35\n' >r/training.tsv; dnabird report r | out ~ <title>step 20: validation, last 0.3500 0.3500</title>
    | out ~ <h1>r</h1>
    | err empty
0 | mkdir r; printf 'step\tloss\n10\t0.5\n' >r/training.tsv; dnabird report r/ -o r.html; dnabird report r -o s.html | same r.html s.html
    | out empty
0 | dnabird report $T/data/model | out ~ No training.tsv here
    | out ~ Held-out metrics
0 | printf 'step\tloss\n10\t0.5\n' >t.tsv; dnabird report --training t.tsv $T/data/model | out ~ aria-label="Loss"
0 | for s in 1 2; do dnabird evaluate -m $T/data/model --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv -o $s.tsv; done; dnabird report --evaluation 1.tsv,2.tsv $T/data/model | out ~ <h2>2.tsv</h2>
    | out ~ all/GC
0 needs=xmllint | dnabird evaluate -m $T/data/model --bootstrap 20 --test $T/data/train/prom_core_tata.test300.csv -o 1.tsv 2>said; printf 'step\tloss\tx_per_second\n1\t.5\t7\n2\tNA\t8\n' >t.tsv; dnabird report --training t.tsv --evaluation 1.tsv $T/data/model -o p.html && xmllint --noout p.html | has p.html
    | err empty

1 | dnabird report none -o p.html | err ~ none: No such file or directory: not the folder of a run
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
