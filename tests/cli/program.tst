# The program itself: help, version, wrong use, output streams.

0 | dnabird --version | out ~ dnabird 0.1.0
    | out ~ OpenMP
    | err empty
# the first line of --version is for scripts
0 | dnabird --version | sed -n 1p | grep -x 'dnabird 0\.1\.0' | out lines 1
0 | dnabird --version | grep -cE '^(BLAS: [A-Za-z]|oneDNN: (none|2\.[0-9]+\.[0-9]+)$|libBigWig: (yes|none)$|libmatio: (yes|none)$|kernels: (base|avx2|avx512), of base|MPI: [A-Za-z])' | out ~ 6
    | out lines 1
0 | dnabird -V | out ~ dnabird 0.1.0
# DNABIRD_ISA
0: DNABIRD_ISA chooses each instruction set that is listed
    for i in $(dnabird --version | sed -n 's/^kernels: .*, of //p' | tr -d ,); do
        DNABIRD_ISA=$i dnabird --version | grep "^kernels: $i, of base" >>a
        echo $i >>b
    done
    [ -s b ] && wc -l <a >c
    wc -l <b >d
    | same c d
0 | DNABIRD_ISA= dnabird --version | out ~ kernels:
1 | DNABIRD_ISA=sse9 dnabird tokenize --tokenizer $T/golden/t_bpe_tiny/tokenizer.json $T/data/variants/toy.fa | err ~ DNABIRD_ISA is 'sse9' in the environment: this build and this machine run base
    | err lines 1
    | out empty
1 | DNABIRD_ISA=AVX2 dnabird --version | err ~ choose one or unset it
    | out empty
0 | DNABIRD_ISA=sse9 dnabird --help | out ~ Usage: dnabird <command>
0 | dnabird --help | out ~ Usage: dnabird <command>
    | err empty
0 | for c in dataset tokenizer pattern; do dnabird $c --help=all | head -1; done | out ~ Usage: dnabird pattern <command>
0 | dnabird help | out ~ Usage: dnabird <command>
0 | dnabird -h | out ~ Usage: dnabird <command>

2 | dnabird | err ~ Usage: dnabird <command>
    | out empty
2 | dnabird nothing-like-it | err ~ there is no command 'nothing-like-it'
    | err lines 1
    | out empty
0: help COMMAND prints what COMMAND --help prints
    for c in "dataset chromatin" "dataset tokens" "variant background" \
        "finetune chromatin" "evaluate scan" "bench variant" "tokenizer train"; do
        dnabird help $c >a
        dnabird $c --help >b
        cmp a b
        grep -q "^Usage: dnabird $c" a || echo "$c"
    done
    | out empty
# topics: what formats.md and scores.md say, in the program too
0 | dnabird help formats | out ~ BIRD_MAX_AGREE
    | out ~ checkpoint.safetensors
    | out !~ `
    | err empty
0 | dnabird help scores | out ~ deepsea_effect
    | out ~ What e is not
0 | dnabird help status | out ~ REF_MISMATCH
    | out ~ NO_TOKEN
    | out !~ BIRD_MAX
0 | dnabird help status | tr -s ' \n' ' ' | out ~ or swap where it has no ALT that is as long as REF or longer)
0 | dnabird help | out ~ scores       meaning of the predicted numbers
0 | for t in formats scores status; do dnabird help $t; done | awk 'length > 79 && !/^    /' | out empty
2 | dnabird help nothing-like-it | err ~ there is no command 'nothing-like-it'
2 | dnabird --elephant | err ~ there is no option '--elephant' before the command
2 | dnabird '' | err ~ there is no command ''
# an empty value, as of a variable of the shell that has none, is no file
2 | dnabird tokenize -m "$NONE" x | err ~ --model: the value is empty
2 | dnabird info '' | err ~ argument 1 is empty
2 | echo 'output = ""' >s; dnabird tokenize --settings s x | err ~ the value is empty

# standard output that cannot be written
1 | dnabird --help >/dev/full | err ~ dnabird: standard output: No space left on device
    | err lines 1
1 | dnabird --help >&- | err ~ dnabird: standard output
# A reader that has ended: no message, also if the parent ignores SIGPIPE. A
# command that is stopped by a signal leaves nothing and ends by that signal.
143 needs=timeout | (echo '>c'; yes ACGTTGCAAC | head -400000) >c.fa; timeout --preserve-status -s TERM 2 dnabird promoter -m $T/data/model -O windows --stride 1 -o o.tsv.gz c.fa | none o.tsv*
    | err ~ stopped by a signal: no unfinished file is kept; run the command again
    | err lines 1
0: a reader that has ended stops a program whose parent ignores SIGPIPE
    (
        trap "" PIPE
        while echo 2>/dev/null; do :; done
        dnabird --help
        echo $? >status
    ) | true
    grep -x 141 status
    | err empty

0: waiting threads sleep by default
    mkfifo f
    env -u OMP_WAIT_POLICY dnabird tokenize \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json f >o &
    exec 3>f # returns when the program reads f
    tr '\0' '\n' </proc/$!/environ | grep ^OMP_WAIT
    printf '>a\nACGT\n' >&3
    exec 3>&-
    wait $!
    | out ~ OMP_WAIT_POLICY=passive
    | has o
0: OpenBLAS does not multiply with its oldest kernels where there is AVX2
    env -u OPENBLAS_CORETYPE dnabird --version | grep BLAS: >o
    ! grep -qw avx2 /proc/cpuinfo || ! grep -w Prescott o
0: OPENBLAS_CORETYPE of the environment is kept
    OPENBLAS_CORETYPE=Prescott dnabird --version | grep BLAS: >o
    ! grep 'OpenBLAS .* DYNAMIC_ARCH' o || ! grep -qw avx2 /proc/cpuinfo || grep -w Prescott o
0: OMP_WAIT_POLICY of the environment is kept
    mkfifo f
    OMP_WAIT_POLICY=active dnabird tokenize \
        --tokenizer $T/golden/t_bpe_tiny/tokenizer.json f >o &
    exec 3>f # returns when the program reads f
    tr '\0' '\n' </proc/$!/environ | grep ^OMP_WAIT
    printf '>a\nACGT\n' >&3
    exec 3>&-
    wait $!
    | out ~ OMP_WAIT_POLICY=active

# documentation of commands
0: every command is in the README and in docs/cli.md
    dnabird --help |
        sed -n '/^Topics$/q; s/^  \([a-z]*\) .*/\1/p' |
        while read -r c; do
            grep -q "^| .$c. |" $T/../README.md || echo "$c: README"
            grep -qx "## $c" $T/../docs/cli.md || echo "$c: cli.md"
        done
    | out empty
0 | sed -n 's/^## \([a-z]*\)$/\1/p' $T/../docs/cli.md | while read -r c; do dnabird help $c >o 2>&1 || echo $c; done | out empty

# a short option means the same in every command, and docs/cli.md has the table
# of all
0 | $T/../tools/options.sh dnabird >a; sed -n '/^<!-- options: /,/^<!-- end of options/p' $T/../docs/cli.md | sed '1d;$d' >b | same a b
    | err empty
    | has a
0 | dnabird help --options | awk -F'\t' 'NR > 1 { n[$2 " " $1]++ } NF != 7 || ($2 != "." && n[$2 " " $1] > 1) { print "wrong: " $0 }' | out empty
# for programs: every command, with its help on one line
0 | dnabird help --commands | awk -F'\t' 'NF != 7 || $2 == "" || $3 == "" || $5 == ""' | out empty
0 | dnabird help --commands | awk -F'\t' 'NR > 1 && $4 != "." { print $2 }' >a; dnabird help --options | sed 1d | cut -f1 | uniq >b | same a b
    | has a
0 | dnabird help --commands | awk -F'\t' '{ print $1 ", " $2 ", " $4 ", " $5 }' | out ~ Predicting, variant, 0-1, [options] -f ref.fa in.vcf -o out.vcf.gz
0 | dnabird help --commands | grep -c 'dataset chromatin.*zst \[PEAKS ...\]\\n  *dnabird dataset chromatin --deepsea' | out lines 1
0 | dnabird help --options | awk -F'\t' 'NR > 1 { all[$1] } $2 == "o" { has[$1] } END { for (c in all) if (!(c in has)) print c " has no -o" }' | out empty
# the help explains special values such as 0 and -1
0 | dnabird help --options | awk -F'\t' '($5 == "0" || $5 == "-1") && $6 !~ /default: / && $3 !~ /^(jitter|.*-share|background|mutate|shift)$/ { print $1 " --" $3 }' | out empty
# -o appears when the run is complete, or not at all
0 | dnabird info $T/data/model >a; dnabird info -o b $T/data/model | same a b
    | out empty
0 | printf '>a\nACGT\n' >x.fa; dnabird tokenize -m $T/data/model x.fa >a; dnabird tokenize -m $T/data/model -o b x.fa; dnabird tokenize -m $T/data/model -o /dev/null x.fa | same a b
    | out empty
1 | printf '>a\nACGT\n>b\nAC!\n' >x.fa; dnabird tokenize -m $T/data/model -o b x.fa; s=$?; ls; exit $s | out = one_file.txt
1 | printf '>a\nACGT\n' >x.fa; dnabird tokenize -m $T/data/model -o x.fa x.fa | err ~ x.fa: the output would overwrite the input
1 | dnabird info -o no/b $T/data/model | err ~ no/b: No such file or directory: make its folder first
    | out empty
0 | dnabird bench tokenize --preset tiny --length 100 --runs 1 --json -o b; grep -c tokenize b | out lines 1
2 | dnabird help formatz | err ~ did you mean 'formats'?
2 | dnabird help promter | err ~ did you mean 'promoter'?
