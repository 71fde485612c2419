#!/bin/bash
# Pages in a headless browser, 420 and 1400 pixels wide, light and dark: no
# error on the console, no text that overlaps, is cut, has low contrast or is
# wider than the screen; tables sort under the page's own policy; the page
# prints. Prints TAP; pictures of the pages stay in OUT.
# SPDX-License-Identifier: MIT
#
#   browser.sh DNABIRD SOURCE_ROOT OUT
#
# CHROMIUM names the browser where it has another name.
set -u
. "$(dirname "$0")/../support/tap.sh"
for c in ${CHROMIUM:-chromium chromium-browser google-chrome chrome}; do
    chromium=$(command -v "$c") && break
done
[ -n "$chromium" ] || skip_all "needs chromium"
dnabird=$(realpath "$1") root=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
T=$root/tests
export OMP_WAIT_POLICY=passive LC_ALL=C.UTF-8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$dnabird" "$work/bin/dnabird"
PATH=$work/bin:$PATH
cd "$work" || exit 1

# browse OPTION...: run the browser; its console messages are in `console`
browse() {
    timeout -k 5 60 "$chromium" --headless --no-sandbox --disable-gpu \
        --hide-scrollbars --force-color-profile=srgb --no-first-run \
        --disable-background-networking --user-data-dir="$work/profile" \
        --enable-logging=stderr "$@" 2>stderr
    grep CONSOLE stderr >console
    true
}

# look PAGE [OPTION...]: load the page in two frames that check themselves;
# their findings are in `found`, a line for each frame
look() {
    local page=$1 name
    shift
    name=$(basename "$page" .html)
    # the page's policy with one more script, which is named by a nonce
    sed -e "s/script-src '\([^']*\)'/script-src '\1' 'nonce-check'/" \
        -e '/<\/body>/{
            s/.*/<script nonce="check">/p
            r '"$T/support/page_check.js"'
            a </script></body>
            d
        }' "$page" >framed.html
    cat >frames.html <<END
<!DOCTYPE html><meta charset="utf-8"><style>body{margin:0;display:flex}
iframe{border:0;height:2990px;flex:none}</style>
<iframe src="framed.html" style="width:420px"></iframe>
<iframe src="framed.html" style="width:1400px"></iframe>
<pre id="found"></pre><script>
addEventListener('message', function (e) {
    document.getElementById('found').textContent +=
        'FRAME ' + JSON.stringify(e.data) + '\n'; });
</script>
END
    browse "$@" --window-size=1820,3000 --virtual-time-budget=8000 \
        --screenshot="$out/$name${look_as-}.png" --dump-dom \
        "file://$work/frames.html" >dom
    sed 's/<[^>]*>//g; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g' dom |
        grep -o 'FRAME {.*' >found
    cat found console
}

# clean PAGE [OPTION...]: neither frame found anything
clean() {
    look "$@"
    [ "$(grep -c '"bad":\[\]' found)" = 2 ] && [ ! -s console ] &&
        grep -q '"width":420,' found && grep -q '"width":1400,' found &&
        ! grep -q '"texts":0,' found
}

# --- what looks can find: a page with one of each ---------------------------
cat >wrong.html <<'END'
<!DOCTYPE html><html><head><title>x</title></head><body><main><h1>x</h1>
<div style="position:relative"><span>first words</span>
<span style="position:absolute;left:0;top:0">over them</span></div>
<p style="color:#ccc">faint</p><div style="width:2000px">wide</div>
<svg role="img" width="50" height="20"><text x="10" y="15">cut off here</text></svg>
<table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>
</main><script>console.error("planted")</script>
</body></html>
END
each_found() {
    local what
    look wrong.html
    for what in overlap contrast 'wider than' 'outside its picture' \
        'no language' 'without a name' 'does not sort'; do
        grep -q "$what" found || { echo "not found: $what"; return 1; }
    done
    grep -q planted console
}
ok "faults are found where they are" each_found

# --- the pages --------------------------------------------------------------
# outputs of every kind as one page, beside annotation
outputs() {
    awk 'BEGIN { srand(2); print ">chr1"; s = ""
        for (i = 0; i < 4000; i++) s = s substr("ACGT", 1 + int(rand() * 4), 1)
        print s }' >r.fa
    awk -v OFS='\t' 'NR == 2 { print "##fileformat=VCFv4.2"
        print "##contig=<ID=chr1,length=4000>"
        print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO"
        for (at = 150; at < 3800; at += 90) { b = substr($0, at, 1)
            print "chr1", at, ".", b, b == "A" ? "C" : "A", ".", ".", "." } }' \
        r.fa >in.vcf
    printf 'chr1\tx\tgene\t101\t2400\t.\t+\t.\tgene_id "G1"; gene_name "LONGNAME1";
chr1\tx\texon\t101\t400\t.\t+\t.\tgene_id "G1";
chr1\tx\texon\t2001\t2400\t.\t+\t.\tgene_id "G1";
chr1\tx\tgene\t1901\t3990\t.\t-\t.\tgene_id "G2"; gene_name "LONGNAME2";\n' >a.gtf
    for i in 1 2 3 4 5 6 7 8 9; do
        printf 'chr1\t%d\t%d\tsite_%d\t0\t+\n' $((i * 60)) $((i * 60 + 1)) $i
    done >sites.bed
    local m=$T/data/model f
    dnabird promoter -q -m "$m" -T 0.3 -o calls.bed r.fa &&
        dnabird promoter -q -m "$m" -O windows -o windows.tsv r.fa &&
        dnabird variant -q -m "$m" -f r.fa -o scored.vcf in.vcf &&
        dnabird evaluate -q -m "$m" --bootstrap 20 -o metrics.tsv \
            --predictions predictions.tsv \
            --test "$T/data/train/prom_core_tata.test300.csv" &&
        awk -v OFS='\t' 'BEGIN { print "#chrom", "start", "end",
            "GM12878|CTCF|None#1", "a_rather_long_name_of_a_feature|of_a_cell"
            for (i = 0; i < 20; i++)
                print "chr1", 200 * i, 200 * i + 200, (i % 7) / 9, i / 40 }' \
            >bins.tsv &&
        awk 'BEGIN { print "step\tloss\tvalid_loss\tbest\tlearning_rate"
            for (i = 1; i < 300; i++) print 1000000 * i "\t" 1 / i "\t" \
                (i % 9 ? "NA" : 1.1 / i) "\t" (i == 270) "\t" 1e-4 / i }' \
            >training.tsv || return
    for f in *.tsv calls.bed scored.vcf; do
        dnabird report "$f" -o "one_${f%.*}.html" || return
    done
    dnabird report calls.bed windows.tsv bins.tsv scored.vcf predictions.tsv \
        metrics.tsv training.tsv --annotation a.gtf,sites.bed -o report.html
}
ok "a page of outputs of every kind" outputs
ok "it is sound" clean report.html
grep -o '"pictures":[0-9]*' found | sort -u | sed 's/^/# /'
look_as=_dark ok "it is sound in the dark" clean report.html \
    --blink-settings=preferredColorScheme=0
darker() { # a dark ground was drawn: the pictures differ
    ! cmp -s "$out/report.png" "$out/report_dark.png"
}
ok "and dark" darker

printed() {
    browse --no-pdf-header-footer --print-to-pdf="$out/report.pdf" \
        "file://$work/report.html" >dom
    head -c 5 "$out/report.pdf" | grep -q '%PDF' && [ ! -s console ]
}
ok "it prints" printed

model_page() {
    dnabird report "$T/data/model" --training training.tsv \
        --evaluation metrics.tsv -o model.html && clean model.html
}
ok "the page of a model is sound" model_page

labels_page() { # a label of three is never known
    . "$T/cli/chromatin_data.sh"
    model && dnabird evaluate -q -m m --test s.tsv -f r.fa --min-positives 5 \
        --html labels.html -o labels.tsv && clean labels.html
}
ok "the page of several labels is sound" labels_page

variants_page() {
    cp "$T/data/variants/effects.fa" e.fa
    dnabird evaluate variants -q --scores good,noise --measured MPRA \
        --measured-in "$T/data/variants/effects.vcf" -f e.fa --bootstrap 20 \
        --html variants.html -o variants.tsv \
        "$T/data/variants/effects.scores.tsv" && clean variants.html
}
ok "the page of measured variants is sound" variants_page

end_rules
