#!/bin/bash
# Under Slurm on one machine (tools/slurm_node.sh): the workflow of
# packaging/snakemake, or pretraining in several processes; prints TAP.
# SPDX-License-Identifier: MIT
#
#   slurm.sh DNABIRD SOURCE_ROOT workflow|ranks
#
# SNAKEMAKE names the program where it is not on the path.
set -u
. "$(dirname "$0")/training.sh"
root=$(realpath "$2") part=$3
PATH=$PATH:/usr/sbin:/sbin
for p in munged slurmctld slurmd srun; do
    command -v $p >/dev/null || skip_all "no $p (Debian: slurm-wlm, munge)"
done
node=$work/node
trap '"$root/tools/slurm_node.sh" stop "$node"; kill -9 $(jobs -p) 2>/dev/null
    rm -rf "$work"' EXIT
cd "$work" || exit 1
: >err
begin_node() {
    "$root/tools/slurm_node.sh" start "$node" >start 2>&1 ||
        skip_all "Slurm does not start here: $(head -1 start)"
    eval "$("$root/tools/slurm_node.sh" env "$node")"
}

# --- the workflow ---------------------------------------------------------

# 300 kb, and 5,000 changes in it
make_data() {
    gzip -dc "$root/data/genome/chr20_demo.fa.gz" | grep -v '^>' |
        tr -d '\nN' | head -c 300000 >bases
    (echo '>chr20'; fold -w 60 bases; echo) | bgzip -c >genome.fa.gz
    awk -v OFS='\t' '
        BEGIN { print "##fileformat=VCFv4.2"
            print "##contig=<ID=chr20,length=300000>"
            print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO" }
        { for (i = 0; i < 5000; i++) {
            at = 500 + 59 * i; b = substr($0, at, 1)
            print "chr20", at, ".", b, b == "A" ? "C" : "A", ".", ".", "." } }' \
        bases >in.vcf
    cat >config.yaml <<END
dnabird: $work/once
reference: genome.fa.gz
model: $root/tests/data/model
threads: 1
memory_mb: 300
scan:
  command: promoter
  options: -T 0.33 --no-version
  shards: 2
variants:
  vcf: in.vcf
  options: --no-version --shifts 0
  shards: 2
END
    # the first job of variants is killed after its first mark
    cat >once <<END
#!/bin/bash
if [ "\$1" = variant ] && mkdir "$work/killed" 2>/dev/null; then
    "$dnabird" "\$@" &
    . "$root/tests/support/wait.sh"
    marked() { grep -qs '"bytes": [1-9]' "$work"/results/parts/*/*.partial.json; }
    wait_until \$! marked
    kill -9 \$! && touch "$work/mid-run"
    wait
    kill -9 \$\$
fi
exec "$dnabird" "\${@/-q/--progress=never}" 2>>"$work/told"
END
    chmod +x once
}
flow() {
    PATH=$PATH:$(dirname "$snakemake") HOME=$work XDG_CACHE_HOME=$work/cache \
        timeout -k 5 200 "$snakemake" \
        -s "$root/packaging/snakemake/workflow/Snakefile" \
        --profile "$root/packaging/snakemake/profiles/slurm" \
        --configfile config.yaml --latency-wait 10 \
        --slurm-init-seconds-before-status-checks 2 \
        --seconds-between-status-checks 2
}
by_workflow() {
    local m=$root/tests/data/model
    begin_node
    check "srun runs a program in each task" \
        test "$(srun -n 2 "$(command -v echo)" x)" = $'x\nx'
    make_data
    check "the workflow ends well, by the Slurm executor" flow
    check "jobs were Slurm's" test "$(squeue -h -t all -o %i | wc -l)" -ge 6
    "$dnabird" promoter -q -m "$m" -T 0.33 --no-version -o scan genome.fa.gz
    "$dnabird" variant -q -m "$m" --shifts 0 --no-version -f genome.fa.gz \
        -o effects.vcf in.vcf
    check "the scan is the single run ($(grep -vc '^#' scan) calls)" \
        cmp <(bgzip -dc results/scan.bed.gz) scan
    check "so are the effects of $(grep -vc '^#' effects.vcf) variants" \
        cmp <(bgzip -dc results/variants.vcf.gz) effects.vcf
    check "a job was killed within its run" test -e mid-run
    check "and taken up again" grep 'continued after' told
}

# --- pretraining ----------------------------------------------------------

# like A B: losses and figures of two logs, the largest relative difference
like() {
    paste <(cut -f 1-9 "$1/training.tsv") <(cut -f 1-9 "$2/training.tsv") |
        awk 'NR > 1 { rows++; for (i = 1; i <= 9; i++) if ($i != $(i + 9)) {
                d = $i - $(i + 9); if (d < 0) d = -d
                s = $i < 0 ? -$i : $i; if (s == 0 || d / s > most) most = s ? d / s : 1 } }
            END { printf "%d rows, largest relative difference %.2g\n", rows, most
                  exit most > 1e-6 || rows != 50 }'
}
by_ranks() {
    local several pid
    several=("$dnabird" pretrain -t 1 --config tiny.json --tokenizer "$tokenizer"
        --steps 50 --batch 512 --length 128 --pack-tokens 128 --lr 3e-3
        --valid-include contig:1-20000 --valid-tokens 512 --validate-every 20)
    OMPI_COMM_WORLD_SIZE=2 "$dnabird" pretrain -o no none.fa 2>&1 |
        grep -q 'has no MPI' &&
        skip_all "this build has no MPI (-Dmpi=enabled)"
    begin_node
    srun --mpi=list 2>&1 | grep -q pmix || skip_all "this Slurm has no PMIx"
    local two=(srun --mpi=pmix -n 2 --overcommit --kill-on-bad-exit=1)
    gzip -dc "$root/data/genome/chr20_demo.fa.gz" |
        awk 'NR == 1 { print ">contig" } NR > 40001 { print } NR == 43335 { exit }' >part.fa
    cat >tiny.json <<'END'
{"architectures": ["BigBirdForMaskedLM"], "model_type": "big_bird",
 "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
 "intermediate_size": 64, "max_position_embeddings": 256,
 "block_size": 8, "num_random_blocks": 1, "vocab_size": 96}
END
    status "one process" 0 - "${several[@]}" -o one part.fa
    status "two tasks of srun" 0 "the model is in two" \
        "${two[@]}" "${several[@]}" -o two part.fa
    check "have the losses of one: $(like one two)" like one two
    "${two[@]}" "${several[@]}" --checkpoint-every 1 -o lost part.fa 2>err &
    pid=$!
    wait_for $pid lost/checkpoint.safetensors
    # the newer of the two tasks
    kill -KILL "$(pgrep -n -f "^$dnabird pretrain.* -o lost part.fa")"
    wait $pid
    check "a task that dies ends the run" test $? != 0
    check "within which srun says so: $(grep -m 1 -o 'task.*: Killed' err)" \
        grep -q 'Killed' err
    check "no model is left" test ! -e lost/model.safetensors
    cp -r lost again
    status "one process goes on with it" 0 "the model is in lost" \
        "${several[@]}" --resume -o lost part.fa
    check "to the losses of one: $(like one lost)" like one lost
    status "and three tasks" 0 "the model is in again" \
        srun --mpi=pmix -n 3 --overcommit "${several[@]}" --resume -o again part.fa
    check "too: $(like one again)" like one again
}

case $part in
workflow)
    snakemake=${SNAKEMAKE:-$(command -v snakemake)}
    [ -n "$snakemake" ] || skip_all "no snakemake"
    "$snakemake" --help 2>/dev/null | grep -q -- --slurm-status-command ||
        skip_all "no snakemake-executor-plugin-slurm"
    needs samtools bcftools tabix bgzip
    by_workflow
    ;;
ranks) by_ranks ;;
esac
end_rules
