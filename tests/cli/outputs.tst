# No output overwrites an input, an index of an input, a file of a model that is
# read, or another output: in every command, also through links. `keep` copies
# all files, `kept` compares them.

# -- tokenizer, dataset
1 | . $T/cli/outputs_data.sh; keep; dnabird tokenizer train g.fa -v 64 -o g.fa; kept | err ~ g.fa: the output would overwrite the input g.fa
1 | . $T/cli/outputs_data.sh; ln -s g.fa l; keep; dnabird tokenizer train g.fa -v 64 -o l; kept | err ~ l: the output would overwrite the input g.fa
1 | . $T/cli/outputs_data.sh; ln g.fa l; keep; dnabird tokenizer train l -v 64 -o g.fa; kept | err ~ g.fa: the output would overwrite the input l
1 | . $T/cli/outputs_data.sh; keep; dnabird tokenizer train g.fa.gz -R all.bed -v 64 -o all.bed; kept | err ~ all.bed: the output would overwrite

1 | . $T/cli/outputs_data.sh; keep; dnabird dataset promoters -f g.fa.gz -p tss.bed -R region.bed -o g.fa.gz; kept | err ~ g.fa.gz: the output would overwrite the input g.fa.gz
1 | . $T/cli/outputs_data.sh; keep; dnabird dataset promoters -f g.fa.gz -p tss.bed -R region.bed -o tss.bed; kept | err ~ tss.bed: the output would
1 | . $T/cli/outputs_data.sh; keep; dnabird dataset promoters -f g.fa.gz -p tss.bed -R region.bed -o g.fa.gz.gzi; kept | err ~ g.fa.gz.gzi
1 | . $T/cli/chromatin_data.sh; . $T/cli/outputs_data.sh; keep; dnabird dataset chromatin -f r.fa --context 200 one.bed two.bed -o two.bed; kept | err ~ two.bed: the output would
1 | . $T/cli/chromatin_data.sh; . $T/cli/outputs_data.sh; keep; dnabird dataset chromatin -f r.fa --context 200 one.bed two.bed -o o.tsv --summary one.bed; kept | err ~ one.bed: the output would
1 | . $T/cli/chromatin_data.sh; . $T/cli/outputs_data.sh; keep; dnabird dataset chromatin -f r.fa --context 200 one.bed two.bed --summary o.tsv --overlaps ./o.tsv -o x; kept | err ~ o.tsv
    | none o.tsv

# -- evaluate, report
1 | . $T/cli/outputs_data.sh; keep; dnabird evaluate -m m --bootstrap 0 --test t.csv -o t.csv; kept | err ~ t.csv: the output would overwrite the input t.csv
1 | . $T/cli/outputs_data.sh; keep; dnabird evaluate -m m --bootstrap 0 --test t.csv --predictions t.csv; kept | err ~ t.csv: the output would
1 | . $T/cli/outputs_data.sh; keep; dnabird evaluate -m m --bootstrap 0 --test t.csv --json t.csv; kept | err ~ t.csv: the output would
1 | . $T/cli/outputs_data.sh; keep; dnabird evaluate -m m --bootstrap 0 --test t.csv -o m/dnabird.json; kept | err ~ m/dnabird.json: the output would
1 | . $T/cli/outputs_data.sh; dnabird evaluate -m m --bootstrap 0 --test t.csv -o x --json $PWD/x | err ~ x: two outputs
    | none x
1: evaluate scan --choose does not overwrite the start sites
    . $T/cli/outputs_data.sh
    dnabird promoter -m m -O windows -o w.tsv g.fa 2>/dev/null
    keep
    dnabird evaluate scan -p tss.bed --choose tss.bed w.tsv
    kept
    | err ~ tss.bed: the output would overwrite the input tss.bed
1 | . $T/cli/outputs_data.sh; keep; dnabird report r -o r/training.tsv; kept | err ~ r/training.tsv: the output would
1 | . $T/cli/outputs_data.sh; keep; dnabird report --training r/training.tsv m -o r/training.tsv; kept | err ~ r/training.tsv: the output would

# -- scoring
1 | . $T/cli/outputs_data.sh; echo 1 2 3 >f.npy; keep; dnabird embed -m m --ids f.npy -o f.npy; kept | err ~ f.npy: the output would
1 | . $T/cli/outputs_data.sh; dnabird promoter -m m g.fa >/dev/null 2>&1; keep; dnabird variant -m m -f toy.fa kinds.vcf -O tsv -o toy.fa.fai; kept | err ~ toy.fa.fai
1 | . $T/cli/outputs_data.sh; keep; dnabird variant -m m -f toy.fa kinds.vcf -O tsv -o toy.fa.fai; kept | err ~ toy.fa.fai
1 | . $T/cli/outputs_data.sh; ln -s g.fa.gz.fai l; keep; dnabird promoter -m m -r chr20:2500001-2501000 -O tsv -o l g.fa.gz; kept | err ~ l: the output would overwrite the input
1 | . $T/cli/outputs_data.sh; keep; dnabird promoter -m m -O tsv -o m/config.json g.fa; kept | err ~ m/config.json: the output would
1 | . $T/cli/outputs_data.sh; keep; dnabird promoter -m m -O tsv -o m/model.safetensors.zst g.fa; kept | err ~ m/model.safetensors.zst: the output would
1 | . $T/cli/outputs_data.sh; dnabird promoter -m m -O tsv -o x --json x g.fa | err ~ x: two outputs
    | none x
1 | . $T/cli/outputs_data.sh; dnabird promoter -m m -O bed -W -o x.bed.gz --json x.bed.gz.tbi g.fa | err ~ x.bed.gz.tbi
1 | . $T/cli/outputs_data.sh; keep; dnabird mutate -m m -f toy.fa -r chr1:101-110 -O tsv -o m/tokenizer.json; kept | err ~ m/tokenizer.json: the output would
1 | . $T/cli/outputs_data.sh; keep; dnabird mutate -m m -f toy.fa -r chr1:101-110 --json toy.fa.fai -o x; kept | err ~ toy.fa.fai
1 | . $T/cli/chromatin_data.sh; model; . $T/cli/outputs_data.sh; keep; dnabird chromatin -m m -F one -O bedgraph -o m/config.json r.fa; kept | err ~ m/config.json: the output would
1 | . $T/cli/outputs_data.sh; keep; dnabird variant background -m m -f toy.fa -n 10 -o toy.fa; kept | err ~ toy.fa: the output would
1 | . $T/cli/outputs_data.sh; keep; dnabird variant background -m m -f toy.fa -n 10 -o m/config.json; kept | err ~ m/config.json: the output would
1 | . $T/cli/outputs_data.sh; keep; dnabird variant background -m m -f toy.fa -n 10 --json toy.fa.fai; kept | err ~ toy.fa.fai
0: variant background replaces its own calibration
    . $T/cli/outputs_data.sh
    for i in 1 2; do
        dnabird variant background -m m -f toy.fa -n 10 || exit
        dnabird variant background -m m -f toy.fa -n 10 -o m/calibration.safetensors || exit
    done
    | has m/calibration.safetensors

# -- training, model folders
1: finetune does not overwrite its training rows with the log
    . $T/cli/outputs_data.sh
    mkdir run
    cp t.csv run/training.tsv
    keep
    dnabird finetune -t 1 --train run/training.tsv --data-format csv --init m --steps 1 \
        --batch 2 --no-baselines -o run
    kept
    | err ~ run/training.tsv: the output would
1: pretrain does not overwrite its reference with the log
    . $T/cli/outputs_data.sh
    mkdir run
    cp g.fa run/training.tsv
    keep
    dnabird pretrain -t 1 --steps 2 --batch 256 --length 64 --preset tiny \
        --tokenizer m/tokenizer.json -o run run/training.tsv
    kept
    | err ~ run/training.tsv: the output would
1: dataset tokens does not overwrite its reference with a shard
    . $T/cli/outputs_data.sh
    mkdir d
    cp g.fa d/000000.tokens.zst
    keep
    dnabird dataset tokens --tokenizer m/tokenizer.json --number 7 --batch 1 --length 128 \
        -o d d/000000.tokens.zst
    kept
    | err ~ d/000000.tokens.zst: the output would
1 | . $T/cli/outputs_data.sh; mkdir d; cp m/tokenizer.json d; keep; dnabird init --tokenizer d/tokenizer.json d; kept | err ~ d: exists already
1 | . $T/cli/outputs_data.sh; mkdir d; echo mine >d/model.safetensors; keep; dnabird init d; kept | err ~ d: exists already
1 | . $T/cli/outputs_data.sh; mkdir d; echo mine >d/dnabird.json; keep; dnabird init --from m d; kept | err ~ d: exists already
1: finetune does not write into a folder with a PyTorch model
    . $T/cli/outputs_data.sh
    mkdir d
    cp m/config.json m/tokenizer.json d
    echo mine >d/pytorch_model.bin
    keep
    dnabird finetune -t 1 --train t.csv --init m --steps 1 --batch 2 --no-baselines -o d
    kept
    | err ~ d: holds a model already
1: pretrain does not write into the folder of its tokenizer
    . $T/cli/outputs_data.sh
    mkdir d
    cp m/tokenizer.json d
    keep
    dnabird pretrain -t 1 --steps 2 --batch 256 --length 64 --preset tiny \
        --tokenizer d/tokenizer.json -o d g.fa
    kept
    | err ~ d: holds a model already

# -- export: refused, or the whole folder in one step
1 | . $T/cli/outputs_data.sh; dnabird init n; echo mine >n/calibration.safetensors; keep; dnabird export m n; kept | err ~ holds a model
    | err ~ --force
0: export --force replaces the whole folder
    . $T/cli/outputs_data.sh
    dnabird init n
    echo old >n/calibration.safetensors
    dnabird export --force m n
    dnabird export m want
    diff -r n want && dnabird info --verify n
    | none n/calibration.safetensors
    | none n*tmp*
    | none n*old*
# through a link the target folder is replaced, and the link stays
0 | . $T/cli/outputs_data.sh; dnabird init n; ln -s n l; dnabird export --force m l && [ -L l ] && dnabird export m want && diff -r n want | none n?*
1 | . $T/cli/outputs_data.sh; dnabird init n; echo mine >n/notes.txt; keep; dnabird export --force m n; kept | err ~ n/notes.txt
1 | . $T/cli/outputs_data.sh; dnabird init n; mkdir n/sub; echo mine >n/sub/x; keep; dnabird export --force m n; kept | err ~ n/sub
1 | . $T/cli/outputs_data.sh; dnabird init n; keep; dnabird export --force --facts n/dnabird.json m n; kept | err ~ n/dnabird.json
0 | . $T/cli/outputs_data.sh; mkdir n; dnabird export m n && dnabird info --verify n | has n/config.json
1 | . $T/cli/outputs_data.sh; keep; dnabird export --force m m; kept | err ~ one folder
1 | . $T/cli/outputs_data.sh; dnabird init n; cp -r n was; ulimit -f 1; dnabird export --force m n; a=$?; diff -r n was && exit $a | none n.*

# -- allowed outputs
0: devices, pipes and existing files take outputs
    . $T/cli/outputs_data.sh
    . $T/support/wait.sh
    set -e -o pipefail
    for o in - /dev/null /dev/stdout; do
        dnabird promoter -m m -O tsv --no-version -o $o g.fa | cat >p
    done
    [ -s p ]
    rm p
    dnabird promoter -m m -O tsv -o >(cat >p) g.fa
    wait_until $$ test -s p
    [ -s p ]
    dnabird promoter -m m -O tsv -o /dev/null --json /dev/null g.fa
    dnabird promoter -m m -O tsv - <g.fa >o.tsv
    dnabird promoter -m m -O tsv -o o.tsv --json j g.fa &&
        dnabird promoter -m m -O tsv -o o.tsv --json j g.fa
    | has o.tsv
0 | . $T/cli/outputs_data.sh; dnabird promoter -m m -O tsv -o m/scan.tsv g.fa && dnabird promoter -m m -O tsv -o m/scan.tsv g.fa | has m/scan.tsv
0: evaluate --calibrate and variant background replace a calibration
    . $T/cli/outputs_data.sh
    set -e
    for i in 1 2; do
        dnabird evaluate -m m --bootstrap 0 --test t.csv --data-format csv --calibrate -o ev.tsv
    done
    dnabird variant background -m m -f toy.fa -n 10
    dnabird evaluate -m m --bootstrap 0 --test t.csv --data-format csv --calibrate -o ev.tsv
    | has m/calibration.safetensors

# -- model files that only some commands read, and targets of links
1 | . $T/cli/outputs_data.sh; echo mine >m/baseline.safetensors; keep; dnabird promoter -m m -O tsv -o m/baseline.safetensors g.fa; kept | err ~ m/baseline.safetensors: the output would
1 | . $T/cli/outputs_data.sh; keep; dnabird report m -o m/tokenizer.json; kept | err ~ m/tokenizer.json: the output would
1 | . $T/cli/outputs_data.sh; cp -r m run; echo mine >run/best.safetensors; keep; dnabird report run -o run/best.safetensors; kept | err ~ run/best.safetensors: the output would
1 | . $T/cli/outputs_data.sh; cp -r m n; mkdir s; cp m/*.json s; ln -s ../n/model.safetensors.zst s/; keep; dnabird export --force s n; kept | err ~ is read by this run
# a folder that a killed run of the same process id left is not used
0 | . $T/cli/outputs_data.sh; (for i in $(seq 0 9); do mkdir o.tmp$BASHPID$(printf %02d $i); done; exec dnabird export m o) && dnabird info --verify o | has o/config.json
# a file of that name from a run on another machine is not removed
1 | (echo theirs >o.tmp$BASHPID; exec dnabird info -o o $T/data/model); s=$?; cat o.tmp*; exit $s | out ~ theirs
    | err ~ o: File exists
    | err lines 1

# the program reads settings itself
1 | . $T/cli/outputs_data.sh; printf 'threshold = 0.2\n' >s.bed; cp s.bed was; dnabird promoter -m m --settings s.bed -o s.bed g.fa | err ~ s.bed
    | err lines 1
    | same s.bed was
1 | . $T/cli/outputs_data.sh; printf 'output = "s.bed"\n' >s.bed; cp s.bed was; dnabird promoter -m m --settings s.bed g.fa | err ~ s.bed
    | err lines 1
    | same s.bed was
2 | printf 'settings = "x"\n' >s; dnabird promoter --settings s g.fa | err ~ s:1: a settings file names no other one
0: the ending of an output chooses the format, where the command has several
    printf '>a\nACGTACGT\n' >x.fa
    dnabird tokenize -m $T/data/model -o t.bed x.fa
    dnabird tokenize -m $T/data/model -O bed x.fa >want.bed
    dnabird pattern show --length 512 -o p.svg; dnabird pattern show --length 512 -o p.txt; dnabird pattern check -o c.json
    dnabird evaluate -q -m $T/data/model --bootstrap 0 --test $T/data/train/prom_core_tata.test300.csv -o e.json
    head -c 4 p.svg; head -c 1 c.json; head -c 1 e.json
    | same t.bed want.bed
    | out ~ <svg{{
    | differ p.svg p.txt
1: text is not written under the name of a compressed file
    printf '>a\nACGTACGT\n' >x.fa; printf 'sequence,label\nACGT,0\nACGG,1\n' >x.csv
    dnabird tokenizer kmer -o k.json.gz; dnabird tokenizer train -o k.json.zst x.fa
    dnabird promoter -m $T/data/model --json j.json.gz -o o x.fa
    dnabird evaluate -m $T/data/model --test x.csv -o e.tsv.gz
    cp $T/data/train/prom_core_tata.test300.csv y.csv; dnabird evaluate -q -m $T/data/model --bootstrap 0 --test y.csv -o y.tsv; dnabird report -o p.html.gz y.tsv
    | err ~ k.json.gz: this output is text
    | err ~ k.json.zst: this output is text
    | err ~ j.json.gz: this output is text
    | err ~ e.tsv.gz: this output is text
    | err ~ p.html.gz: this output is text
    | none *.gz
    | none *.zst
2 | dnabird tokenizer kmer -o - | err ~ a second file beside the first
2 | mkfifo pipe; dnabird tokenizer kmer -o pipe | err ~ -o pipe is one output
    | out empty

# -- permissions
0: an output keeps the permissions of the file that it replaces
    . $T/cli/outputs_data.sh
    umask 022
    for o in o.tsv o.tsv.gz o.bw o.json; do touch $o; chmod 600 $o; done
    touch r.tsv; chmod 440 r.tsv
    for o in o.tsv o.tsv.gz r.tsv; do dnabird promoter -q -m m -O windows -o $o g.fa; done
    dnabird promoter -q -m m -O bigwig -o o.bw --json o.json g.fa
    stat -c '%n %a' [or].*
    | out ~ o.bw 600
    | out ~ o.json 600
    | out ~ o.tsv 600
    | out ~ o.tsv.gz 600
    | out ~ r.tsv 640
