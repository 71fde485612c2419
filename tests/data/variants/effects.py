# Makes effects.*: two elements of random bases, effects that a score follows.
import random

random.seed(7)
name, length = ["e1", "e2"], 120
fasta = open("effects.fa", "w")
vcf = open("effects.vcf", "w")
tsv = open("effects.scores.tsv", "w")
print("##fileformat=VCFv4.2", file=vcf)
for n in name:
    print(f"##contig=<ID={n},length={length}>", file=vcf)
for field, kind in ("MPRA", "Float"), ("BC", "Integer"), ("P", "Float"), ("HIT", "Integer"):
    print(f'##INFO=<ID={field},Number=1,Type={kind},Description="{field}">', file=vcf)
print("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO", file=vcf)
print("# made by effects.py", file=tsv)
print("#CHROM\tPOS\tID\tREF\tALT\tgood\tnoise\tflat\tword", file=tsv)
for n in name:
    seq = "".join(random.choice("ACGT") for _ in range(length))
    print(f">{n}\n{seq}", file=fasta)
    for i in range(length - 1):
        alleles = [(seq[i], b) for b in "ACGT" if b != seq[i]][: 2 - i % 2]
        if i % 4 == 0:
            alleles.append((seq[i : i + 2], seq[i]))
        for ref, alt in alleles:
            effect = random.gauss(0, 0.6) if 30 < i < 90 else random.gauss(0, 0.1)
            count = 3 if i % 17 == 5 else random.randint(12, 300)
            p = 1e-9 if abs(effect) > 0.3 else 0.3
            print(n, i + 1, ".", ref, alt, ".", ".",
                  f"MPRA={effect:.4f};BC={count};P={p:g};HIT={int(abs(effect) > 0.3)}",
                  sep="\t", file=vcf)
            good = "." if i == 50 else f"{effect + random.gauss(0, 0.2):.4f}"
            print(n, i + 1, ".", ref, alt, good, f"{random.gauss(0, 1):.4f}", 1, "x",
                  sep="\t", file=tsv)
