#!/usr/bin/env python3
"""A dilated convolutional network on the windows that the model of start sites learns from.

    tools/bench/compare_starts.py -f FASTA,FASTA --train BED --sites BED --other BED
        --scan SCANNED.bed:OUT.tsv [--scan ...] [--updates 4000] [--batch 16]
        [--lr 2e-3] [--seed 1] [--threads 1]

A peer for comparing, from random weights: no tracks, no rounds of wrong calls, no start
from another model. It needs PyTorch and numpy; dnabird does not need it. tools/train/
starts.sh -n makes the windows (4 kb), sites and other sites. Labels are those of the
model: a bin of 20 bp within 40 bp of a site has the label of the site's strand; one within
200 bp of another start is unknown. Windows are moved by up to 100 bp and read on a random
strand. After --updates, with a learning rate that falls to 0 on a cosine, the bins of each
SCANNED.bed are written as `dnabird promoter -O windows` does, the mean of both strands.

The network: 64 kernels of 15, maximum of 5; 96 of 7, maximum of 4; six residual layers of
96 kernels of 3, dilated by 1, 2, 4, 8, 16, 32; batch normalisation and ReLU; a linear
layer for each bin.
SPDX-License-Identifier: MIT
"""
import argparse
import math
import sys
import time

from compare_cnn import plain_name, read_fasta  # it says what is missing

import numpy as np
import torch
from torch import nn

BIN, WINDOW, MARGIN = 20, 4000, 400


def say(text):
    print("compare_starts: " + text, file=sys.stderr)


def read_bed(path):
    with open(path) as f:
        return [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]


def make_labels(contigs, sites, other):
    """By contig, int8 of shape (2, bins): 1, 0 or -1 for unknown."""
    labels = {c: np.zeros((2, len(s) // BIN + 1), np.int8) for c, s in contigs.items()}
    for path, reach, value in ((other, 200, -1), (sites, 40, 1)):
        for row in read_bed(path):
            c, at, strand = plain_name(row[0]), int(row[1]), row[5]
            if c in labels:
                lo, hi = max(0, (at - reach) // BIN), (at + reach) // BIN + 1
                labels[c][0 if strand == "+" else 1, lo:hi] = value
    return labels


class Net(nn.Module):
    def __init__(self, wide=96):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv1d(4, 64, 15, padding=7), nn.BatchNorm1d(64), nn.ReLU(), nn.MaxPool1d(5),
            nn.Conv1d(64, wide, 7, padding=3), nn.BatchNorm1d(wide), nn.ReLU(), nn.MaxPool1d(4))
        self.layers = nn.ModuleList(nn.Sequential(
            nn.Conv1d(wide, wide, 3, padding=d, dilation=d), nn.BatchNorm1d(wide), nn.ReLU())
            for d in (1, 2, 4, 8, 16, 32))
        self.out = nn.Conv1d(wide, 2, 1)
        nn.init.constant_(self.out.bias, -5)

    def forward(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = x + layer(x)
        return self.out(x)


def cut(sequence, start, stop):
    """Codes of start to stop, N beyond the ends."""
    out = np.full(stop - start, 4, np.uint8)
    lo, hi = max(0, start), min(len(sequence), stop)
    if hi > lo:
        out[lo - start:hi - start] = sequence[lo:hi]
    return out


def one_hot(codes):
    x = torch.zeros(codes.shape[0], 5, codes.shape[1])
    x.scatter_(1, torch.from_numpy(codes.astype(np.int64)).unsqueeze(1), 1)
    return x[:, :4]


def reverse(codes):
    back = codes[:, ::-1].copy()
    known = back < 4
    back[known] = 3 - back[known]
    return back


def train(net, contigs, labels, windows, o, rng):
    optimizer = torch.optim.AdamW(net.parameters(), lr=o.lr, weight_decay=0.01)
    started, step, total = time.time(), 0, 0.0
    pad = MARGIN // BIN
    net.train()
    while (done := step / o.updates) < 1:
        for group in optimizer.param_groups:
            group["lr"] = o.lr * min(1, (step + 1) / 100) * (1 + math.cos(math.pi * done)) / 2
        codes, truth = [], []
        for k in rng.integers(0, len(windows), o.batch):
            c, start = windows[k]
            start = max(0, start + int(rng.integers(-5, 6)) * BIN)
            codes.append(cut(contigs[c], start - MARGIN, start + WINDOW + MARGIN))
            part = labels[c][:, start // BIN:(start + WINDOW) // BIN]
            full = np.full((2, WINDOW // BIN), -1, np.int8)
            full[:, :part.shape[1]] = part
            truth.append(full)
        codes, truth = np.stack(codes), np.stack(truth)
        flip = rng.random(o.batch) < 0.5
        codes[flip] = reverse(codes[flip])
        truth[flip] = truth[flip][:, ::-1, ::-1]
        y = torch.from_numpy(truth.astype(np.float32))
        logits = net(one_hot(codes))[:, :, pad:-pad]
        known = y >= 0
        loss = nn.functional.binary_cross_entropy_with_logits(logits[known], y[known])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1)
        optimizer.step()
        total += loss.item()
        step += 1
        if step % 200 == 0:
            say(f"{step} of {o.updates} updates of {o.batch} windows, loss "
                f"{total / 200:.4f}, {time.time() - started:.0f} s")
            total = 0.0
    say(f"{step} updates in {(time.time() - started) / 60:.1f} minutes, "
        f"{len(windows)} windows, {sum(p.numel() for p in net.parameters())} "
        "parameters")


@torch.no_grad()
def scan(net, contigs, bed, path):
    net.eval()
    pad, long = MARGIN // BIN, 40000
    with open(path, "w") as out:
        out.write("#chrom\tstart\tend\tstrand\tprobability\tstatus\n")
        scanned = {}
        for row in read_bed(bed):
            scanned.setdefault(plain_name(row[0]), []).append((int(row[1]), int(row[2])))
        for c, parts in scanned.items():
            keep = np.zeros(len(contigs[c]) // BIN + 1, bool)
            for start, stop in parts:
                keep[start // BIN:-(-stop // BIN)] = True
            for start in range(0, len(contigs[c]), long):
                here = keep[start // BIN:(start + long) // BIN]
                if not here.any():
                    continue
                codes = cut(contigs[c], start - MARGIN, start + long + MARGIN)[None]
                p = torch.sigmoid(net(one_hot(codes)))[0, :, pad:-pad].numpy()
                q = torch.sigmoid(net(one_hot(reverse(codes))))[0, :, pad:-pad].numpy()
                p = (p + q[::-1, ::-1]) / 2
                for i in np.flatnonzero(here):
                    at = start + i * BIN
                    for s in (0, 1):
                        out.write(f"chr{c}\t{at}\t{at + BIN}\t{'+-'[s]}\t{p[s, i]:.6g}\tok\n")


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("-f", required=True)
    a.add_argument("--train", required=True)
    a.add_argument("--sites", required=True)
    a.add_argument("--other", required=True)
    a.add_argument("--scan", action="append", default=[])
    a.add_argument("--updates", type=int, default=4000)
    a.add_argument("--batch", type=int, default=16)
    a.add_argument("--lr", type=float, default=2e-3)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--threads", type=int, default=1)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    rng = np.random.default_rng(o.seed)
    contigs = read_fasta(o.f.split(","))
    labels = make_labels(contigs, o.sites, o.other)
    windows = [(plain_name(r[0]), int(r[1]) // BIN * BIN) for r in read_bed(o.train)]
    net = Net()
    train(net, contigs, labels, windows, o, rng)
    for part in o.scan:
        bed, _, path = part.partition(":")
        scan(net, contigs, bed, path)
        say("wrote " + path)


if __name__ == "__main__":
    main()
