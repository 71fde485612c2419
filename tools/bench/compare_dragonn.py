#!/usr/bin/env python3
"""Scores of alleles by MPRA-DragoNN, in the form of `dnabird variant -O tsv`.

    tools/bench/compare_dragonn.py WEIGHTS.hdf5 FASTA VCF >alleles.tsv
    tools/bench/compare_dragonn.py WEIGHTS.hdf5 ROWS.tsv >answers.tsv

A peer for comparing (Movva et al. 2019, doi:10.1371/journal.pone.0218073;
kundajelab/MPRA-DragoNN, MIT): a convolution network of 145 bp, learned from
900,000 rows of Sharpr-MPRA, with 12 outputs: in K562 and HepG2, before the
promoters minP and SV40P, two replicates and their mean each. The score of a cell
is ALT - REF of the means of both promoters, averaged over both strands, in the
window of 145 bp with the allele in the middle, which moves inward at the ends of a
contig. What a contig is too short for counts as no base; a window with more than
5 % N has no score. tools/train/activity_variants.sh -p takes the output. With a
table of names and sequences it prints the activity of the middle 145 bp of each in
HepG2 and K562, the mean of both strands.

It needs numpy and h5py, not Keras; dnabird does not need it.
SPDX-License-Identifier: MIT
"""
import gzip
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products

import h5py  # noqa: E402
import numpy as np  # noqa: E402

WIDTH = 145
MEANS = {"K562": (2, 5), "HepG2": (8, 11)}  # minP and SV40P


def open_text(path):
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path)


def read_fasta(path):
    contigs, name = {}, None
    with open_text(path) as f:
        for line in f:
            if line.startswith(">"):
                name = line[1:].split()[0]
                contigs[name] = []
            else:
                contigs[name].append(line.strip().upper())
    return {k: "".join(v) for k, v in contigs.items()}


class Network:
    """Three times convolution, ReLU, batch normalisation; then a linear layer."""

    def __init__(self, path):
        with h5py.File(path, "r") as f:
            w = f["model_weights"] if "model_weights" in f else f

            def get(layer, name):
                group = w[layer]
                while not any(k.startswith(name) for k in group):
                    group = group[next(iter(group))]
                key = next(k for k in group if k.startswith(name))
                return np.array(group[key], dtype=np.float32)

            self.convolution = [(get("conv1d_%d" % i, "kernel"), get("conv1d_%d" % i, "bias"))
                                for i in (1, 2, 3)]
            self.norm = []
            for i in (1, 2, 3):
                name = "batch_normalization_%d" % i
                scale = get(name, "gamma") / np.sqrt(get(name, "moving_variance") + 1e-3)
                self.norm.append((scale, get(name, "beta") - get(name, "moving_mean") * scale))
            self.dense = get("dense_1", "kernel"), get("dense_1", "bias")

    def __call__(self, x):
        for (kernel, bias), (scale, shift) in zip(self.convolution, self.norm):
            taps, n = kernel.shape[0], x.shape[1] - kernel.shape[0] + 1
            y = sum(x[:, k:k + n] @ kernel[k] for k in range(taps)) + bias
            x = np.maximum(y, 0) * scale + shift
        return x.reshape(len(x), -1) @ self.dense[0] + self.dense[1]


def one_hot(s):
    code = np.full(256, 4, dtype=np.int64)
    code[np.frombuffer(b"ACGT", dtype=np.uint8)] = range(4)
    return np.eye(5, 4, dtype=np.float32)[code[np.frombuffer(s.encode(), dtype=np.uint8)]]


def window(contig, start, end, allele):
    """The bases around contig[start:end] with the allele in its place."""
    left = (WIDTH - len(allele)) // 2
    left = min(max(left, WIDTH - len(allele) - (len(contig) - end)), start)
    right = WIDTH - left - len(allele)
    return (contig[start - left:start] + allele + contig[end:end + right]).ljust(WIDTH, "-")


def trim(pos, ref, alt):
    """Without the bases that both alleles begin or end with."""
    while ref and alt and ref[-1] == alt[-1]:
        ref, alt = ref[:-1], alt[:-1]
    while ref and alt and ref[0] == alt[0]:
        pos, ref, alt = pos + 1, ref[1:], alt[1:]
    return pos, ref, alt


def answers(network, sequences):
    """The outputs for sequences of WIDTH, the mean of both strands."""
    out = []
    for i in range(0, len(sequences), 512):
        x = np.stack([one_hot(s) for s in sequences[i:i + 512]])
        out.append((network(x) + network(x[:, ::-1, ::-1])) / 2)
    return np.concatenate(out)


def score_rows(network, path):
    names, sequences = [], []
    with open_text(path) as f:
        next(f)
        for line in f:
            name, s = line.rstrip("\n").split("\t")[:2]
            start = (len(s) - WIDTH) // 2
            names.append(name)
            sequences.append(s[start:start + WIDTH].upper())
    print("name\tHepG2\tK562")
    for name, y in zip(names, answers(network, sequences)):
        h, k = (np.mean(y[list(MEANS[c])]) for c in ("HepG2", "K562"))
        print(name, "%.5g\t%.5g" % (h, k), sep="\t")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    network = Network(sys.argv[1])
    if len(sys.argv) == 3:
        score_rows(network, sys.argv[2])
        return
    contigs = read_fasta(sys.argv[2])
    for name in list(contigs):
        contigs.setdefault(name[3:] if name.startswith("chr") else "chr" + name, contigs[name])
    alleles, sequences = [], []
    with open_text(sys.argv[3]) as f:
        for line in f:
            if line.startswith("#"):
                continue
            row = line.split("\t")[:5]
            pos, ref, alt = trim(int(row[1]) - 1, row[3], row[4])
            contig = contigs[row[0]]
            alleles.append(row)
            sequences += [window(contig, pos, pos + len(ref), ref),
                          window(contig, pos, pos + len(ref), alt)]
    out = answers(network, sequences)
    print("#CHROM\tPOS\tID\tREF\tALT\tSTATUS\tHepG2/diff\tK562/diff\tWTC11/diff")
    for row, s, ref, alt in zip(alleles, sequences[::2], out[::2], out[1::2]):
        k, h = (np.mean(alt[list(MEANS[c])] - ref[list(MEANS[c])]) for c in ("K562", "HepG2"))
        status = "MANY_N" if s.count("N") > WIDTH / 20 else "OK"
        print("\t".join(row), status, "%.6g\t%.6g\t%.6g" % (h, k, (h + k) / 2), sep="\t")


if __name__ == "__main__":
    main()
