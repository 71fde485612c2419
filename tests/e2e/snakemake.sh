#!/bin/bash
# packaging/snakemake on this machine: joined shards equal the single run, and a
# killed job is resumed; prints TAP. SPDX-License-Identifier: MIT
#
#   snakemake.sh DNABIRD SOURCE_ROOT
#
# SNAKEMAKE names the program where it is not on the path.
set -u
. "$(dirname "$0")/../support/tap.sh"
needs "${SNAKEMAKE:-snakemake}" samtools bcftools tabix bgzip
snakemake=$(command -v "${SNAKEMAKE:-snakemake}")
dnabird=$(realpath "$1") root=$(realpath "$2")
workflow=$root/packaging/snakemake
model=$root/tests/data/model
export OMP_WAIT_POLICY=passive LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
# the jobs' own snakemake, and its cache
PATH=$(dirname "$snakemake"):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache HOME=$work

# it passes over SIGTERM
run() {
    timeout -k 5 100 "$snakemake" -s "$workflow/workflow/Snakefile" \
        --workflow-profile none --cores 2 "$@"
}

# A piece of the sequence that comes along, and alleles of it.
{
    echo '>chr20'
    gzip -dc "$root/data/genome/chr20_demo.fa.gz" | grep -v '^>' |
        tr -d '\nN' | head -c 40000 | fold -w 60
} >in.fa
bgzip -c in.fa >genome.fa.gz
grep -v '^>' in.fa | tr -d '\n' | awk -v OFS='\t' '
    BEGIN { print "##fileformat=VCFv4.2"
            print "##contig=<ID=chr20,length=40000>"
            print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO" }
    { for (at = 500; at < 39500; at += 300) {
        b = substr($0, at, 1)
        print "chr20", at, ".", b, b == "A" ? "C" : "A", ".", ".", "." } }' >in.vcf
cat >config.yaml <<END
dnabird: $dnabird
reference: genome.fa.gz
model: $model
threads: 1
scan:
  command: promoter
  options: -T 0.33 --no-version
  shards: 3
variants:
  vcf: in.vcf
  options: --no-version --shifts 0
  shards: 2
END

both() {
    run --configfile config.yaml --retries 1 || return
    "$dnabird" promoter -q -m "$model" -T 0.33 --no-version genome.fa.gz \
        -o scan.bed || return
    "$dnabird" variant -q -m "$model" --shifts 0 --no-version -f genome.fa.gz \
        in.vcf -o variants.vcf || return
    gzip -dc results/scan.bed.gz | cmp - scan.bed &&
        bgzip -dc results/variants.vcf.gz | cmp - variants.vcf &&
        [ "$(grep -vc '^#' scan.bed)" -gt 5 ] &&
        [ "$(grep -vc '^#' variants.vcf)" = 130 ]
}
ok "a scan and a VCF in shards are the single run, byte for byte" both
indexed() {
    tabix results/scan.bed.gz chr20:1-40000 | cmp - <(grep -v '^#' scan.bed) &&
        tabix results/variants.vcf.gz chr20:1-40000 |
        cmp - <(grep -v '^#' variants.vcf)
}
ok "both are indexed" indexed
page() { grep -c '<td>scan.[123]<\|<td>variants.[12]<' results/report.html | grep -qx 5; }
ok "the page has a row of each part" page

# The first job that is asked for is killed after its first mark.
cat >slow <<END
#!/bin/bash
if [ "\$1" = variant ] && mkdir "$work/killed" 2>/dev/null; then
    "$dnabird" "\$@" -t 1 &
    . "$root/tests/support/wait.sh"
    marked() { grep -qs '"bytes": [1-9]' "$work"/again/parts/*/*.partial.json; }
    wait_until \$! marked
    kill -9 \$!
    wait
    kill -9 \$\$
fi
exec "$dnabird" "\${@/-q/--progress=never}" 2>>"$work/said"
END
chmod +x slow
resumed() {
    sed "s|^dnabird:.*|dnabird: $work/slow|; s/command: promoter/command: \"\"/
         s/--shifts 0/--shifts 0 -m \"\"/; s|-m \"\"||
         s|^model:.*|model: \"\"|" config.yaml >again.yaml
    echo "output: again" >>again.yaml
    head -40 in.vcf >few.vcf
    sed -i 's/in.vcf/few.vcf/' again.yaml
    run --configfile again.yaml --retries 1 || return
    "$dnabird" variant -q --shifts 0 --no-version -f genome.fa.gz few.vcf \
        -o few.out.vcf || return
    bgzip -dc again/variants.vcf.gz | cmp - few.out.vcf && [ -d killed ] &&
        cat said && grep -q 'continued after' said
}
ok "a killed job is taken up where it was, to the same bytes" resumed

# Another model, on a path with a blank, after one part was lost.
other() {
    cp -r "$root/data/models/starts" "mo del" || return
    sed '/^variants:/,$d; s/^  options:.*/  options: -T 0.1 --no-version/; s/^model:.*/model: mo del/' \
        config.yaml >other.yaml
    echo "output: results" >>other.yaml
    rm -f results/parts/*/scan.2.bed.gz results/scan.bed.gz
    run --configfile other.yaml || return
    "$dnabird" promoter -q -m "mo del" -T 0.1 --no-version genome.fa.gz -o other.bed &&
        gzip -dc results/scan.bed.gz | cmp - other.bed && ! cmp -s other.bed scan.bed
}
ok "parts of another model are not joined" other

wrapper() (
    mkdir -p w && cd w && cp ../in.vcf . && cp ../in.fa genome.fa &&
        timeout -k 5 100 "$snakemake" -s "$workflow/wrapper/test/Snakefile" \
            --cores 1 --config "wrapper=$workflow/wrapper" "model=$model" &&
        cmp <(grep -v '^#' out.vcf) <("$dnabird" variant -q --no-version \
            -m "$model" -f genome.fa in.vcf | grep -v '^#') && [ -s out.json ]
)
PATH=$(dirname "$dnabird"):$PATH
ok "the wrapper" wrapper
end_rules
