# More data of option_effects.sh. SPDX-License-Identifier: MIT shellcheck shell=bash
# contigs shorter than the window of t, and longer ones
awk '/^>/ { print; next } { print substr($0, 1, 500); print ">short"; print substr($0, 1, 40); exit }' r.fa >more.fa
# a chromatin model of windows
mkdir more && (cd more && . "$root/tests/cli/chromatin_data.sh" && model && mv m ../c) >/dev/null 2>&1
rm -rf more
# N within a contig
sed '2s/^.\{1200\}/&NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN/' r.fa >n.fa
samtools faidx n.fa
printf 'A\t10\t90\n' >short.bed
# alleles beside N, of which the reference has another base, and backgrounds
awk -F '\t' -v OFS='\t' '/^#/ { print; next } { $2 = 1195; $4 = "'$(samtools faidx r.fa A:1195-1195 | tail -1)'"; $5 = $4 == "A" ? "C" : "A"; print; exit }' v.vcf >near.vcf
awk -F '\t' -v OFS='\t' '!/^#/ { t = $4; $4 = $5; $5 = t } { print }' v.vcf >wrong.vcf
cp -r t tb && cp -r e eb
for b in tb eb; do dnabird variant background -q -m $b -f r.fa -n 20 --others 2; done
dnabird mutate -q -m t -f r.fa -R short.bed --scores diff -o tb.tsv.gz -W
printf '{"note": "x"}' >facts.json
printf 'B\t100\t2000\n' >valid.bed
cp e/config.json tiny.json
printf '>x\n%s\n' "$(samtools faidx r.fa A:1-100 | tail -n +2 | tr -d '\n')" >tiny.fa
printf 'A\t1150\t1220\n' >near.bed
{ cat v.vcf; grep -v '^#' renamed.vcf | sed 's/^b/b/'; } | sed 's/^##contig.*/&\n##contig=<ID=b>/' >mixed.vcf
cp -r m m3 && rm -rf m && learn 3 -q && mv m other_m && mv m3 m && mv other_m m3
printf '#mode\ttarget\tthreshold\nstranded\t2\t.9\nstranded\t5\t.8\n' >th.tsv
printf '%s\n' '[UNK]' '[CLS]' '[SEP]' '[PAD]' '[MASK]' A C G T >words.txt
printf '%s\n' '[UNK]' '[CLS]' '[SEP]' '[PAD]' '[MASK]' T C G A >words2.txt
printf 'A\t20\t80\n' >short2.bed
printf 'A\t20\t23\n' >few.bed
printf 'A\t500\t3500\n' >big.bed
sed '2s/^A/C/; 2s/^C/G/; 2s/\(.\{40\}\).../\1ACA/' r.fa >s.fa
cp -r e hf && rm hf/tokenizer.json hf/dnabird.json
echo '5 6 7 8 5 6' >ids.txt
awk -F, -v OFS=, 'NR == 1 { print $0, "other_sequence", "count"; next } { print $0, substr($2, 5) "ACGA", NR }' rows.csv >rows2.csv && mv rows2.csv rows.csv
awk -F, -v OFS=, 'NR > 1 { $3 = NR % 3 == 0; $5 = $5 * 2 + NR % 5 } { print }' rows.csv >other.csv
awk -F, -v OFS=, 'NR > 1 { for (i = 0; i < 4; i++) $2 = $2 $2 } { print }' rows.csv | cut -d, -f 1-5 >long.csv
printf 'name\tclass\tid\none\tTF\ttwo\ntwo\tDNase\tone\n' >list2.tsv
printf 'one\tA\none\tC\n' >mask.tsv
dnabird tokenizer kmer -q -k 3 -s 3 -o k3.json
dnabird tokenizer kmer -q -k 1 -o k1.json
dnabird tokenizer kmer -q -k 4 -s 4 -o k4.json
dnabird init -q --preset tiny --random-blocks uniform u && cp u/config.json uniform.json && rm -rf u
dnabird finetune -q -t 1 --train rows.csv --valid rows.csv --values y --preset tiny --tokenizer k.json --steps 4 --batch 8 --no-baselines -o v
dnabird finetune -q -t 1 --train rows.csv --valid rows.csv --init t --steps 4 --batch 8 --no-baselines --lr .01 -o tb2
dnabird init -q --from e --layers 3 eb2
mkdir more && (cd more && . "$root/tests/cli/chromatin_data.sh" && set_and_words && mv s.tsv .. && mv r.fa ../c.fa)
rm -rf more
dnabird finetune -q -t 1 --train long.csv --valid long.csv --preset tiny --tokenizer k.json --steps 4 --batch 8 --no-baselines -o uni
# classes of bases, and token ids
sed 1d rows.csv | awk -F, 'BEGIN { print "sequence\tlabel" } { l = $2; gsub(/[CG]/, "s", l); gsub(/[AT]/, "w", l); print $2 "\t" l }' >bases.tsv
sed 1d bases.tsv | awk '{ print ">r" NR "\n" $1 >"bases.fa"; print "r" NR "\t" $2 >"bases.txt"; l = $2; gsub(/s/, "w", l); print "r" NR "\ts" substr(l, 2) >"bases2.txt" }'
sed 's/^>.*/& label='"$(sed -n 2p bases.tsv | cut -f 2)"'/' bases.fa >labelled.fa
dnabird init -q --preset tiny --tokenizer k.json --head token --labels s,w tok
awk -F, 'BEGIN { print "sequence,label" } NR > 1 { print "5 6 " (5 + NR % 4) " 7", $3 }' OFS=, rows.csv >digits.csv
rm -f ./*/checkpoint.safetensors ./*/best.safetensors
