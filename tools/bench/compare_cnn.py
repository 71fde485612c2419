#!/usr/bin/env python3
"""A small convolutional network on the rows that dnabird learns from.

    tools/bench/compare_cnn.py --train FILE --valid FILE [--test FILE]
        [-f FASTA,FASTA] [--features index:0-918] [--context 600]
        [--values COLUMN,COLUMN] [--passes 10] [--batch 64] [--lr 2e-3]
        [--shift 8] [--dropout 0.2] [--seed 1] [--threads 1]
        [--min-positives 20] -o FOLDER

A peer for comparing: what a plain network of half a million parameters reaches
on the same rows, from random weights, in minutes of one core. It needs PyTorch
and numpy; dnabird does not need it.

FILE is what `dnabird dataset chromatin` writes (labelled bins; the sequence
around them is read from the FASTA files, gzip or plain) or a table with the
columns `sequence` and `label` (`dnabird dataset promoters`), plain, .gz or .zst
(the program zstd is used). tools/train/profiles.sh -n makes the first kind,
tools/train/scan_start.sh the second. With --values it is a table of measured
values: `sequence` and these columns, of numbers and NA (tools/train/activity.sh).

The network: 128 kernels of 15, maximum of 6; 160 of 7, maximum of 4; 224 of 5;
batch normalisation and ReLU after each; then the maximum, the mean and the
maximum of the centre (the middle third) of what is left, and a linear layer.
For measured values: 160 kernels of 11, then four layers of 96 of 7, the first
three with a maximum of 2, the last three added to what they read; ReLU and
batch normalisation after each; maximum and mean, 128 units, dropout; learned by
the squared error of values of mean 0 and variance 1, on either strand, with one
cycle of the learning rate; scored as the mean of both strands.
Bins are learned from either strand at random, moved by up to --shift bases,
and scored as the mean of both strands (of logits). Sequences of a table are
learned and scored as they are: their strand is part of the label.

--features takes labels as dnabird does: index:FROM-TO (numbers in a
catalogue), class:NAME, or all. Labels of which nothing is known on a contig
count neither in the loss nor in a figure. The pass with the best mean of all
labels' AUROC (of measured values Pearson's correlation) on --valid is kept.

FOLDER gets training.tsv, validation.tsv (AUROC and AUPRC of every label, of
measured values Pearson's and Spearman's correlation), best.pt, and last.pt, from which an interrupted run goes on; with --test also
test.tsv, of the best pass alone. Medians by class are printed: over labels with
--min-positives positives or more in the file that is scored.
SPDX-License-Identifier: MIT
"""
import argparse
import csv
import gzip
import io
import os
import subprocess
import sys
import time

NAMES = {"DHS": "DNase", "TF": "factors"}  # of classes, in what is printed
UNKNOWN = 4                                # any letter but A, C, G, T


def say(text):
    print("compare_cnn: " + text, file=sys.stderr)


def die(text):
    say(text)
    sys.exit(1)


try:
    import numpy as np
    import torch
    from torch import nn
except ImportError as missing:
    die(f"{missing.name} is missing: install numpy and torch")


def lines_of(path):
    """The lines of a text file, compressed or not."""
    if not os.path.isfile(path):
        die(f"{path}: no such file")
    if path.endswith(".zst"):
        done = subprocess.run(["zstd", "-dc", path], stdout=subprocess.PIPE)
        if done.returncode:
            die(f"{path}: zstd failed")
        return io.StringIO(done.stdout.decode())
    if path.endswith(".gz"):
        return gzip.open(path, "rt")
    return open(path)


def codes_of(text):
    """Bases as 0 to 3 (A, C, G, T in either case), anything else as UNKNOWN."""
    table = np.full(256, UNKNOWN, np.uint8)
    for code, pair in enumerate(("Aa", "Cc", "Gg", "Tt")):
        table[[ord(c) for c in pair]] = code
    return table[np.frombuffer(text.encode(), np.uint8)]


def read_fasta(paths):
    """Codes of every contig by its name without `chr`."""
    contigs, name, parts = {}, None, []

    def done():
        if name is not None:
            contigs[name] = codes_of("".join(parts))

    for path in paths:
        for line in lines_of(path):
            if line.startswith(">"):
                done()
                name, parts = plain_name(line[1:].split()[0]), []
            else:
                parts.append(line.strip())
        done()
        name = None
    return contigs


def plain_name(contig):
    return contig[3:] if contig.startswith("chr") else contig


class Rows:
    """Labelled sequences, `length` bases each.

    codes [bases] holds all sequence with room at both ends of each contig or
    row, start [rows] where a row begins in it; label [rows, labels] is 1, 0 or,
    where nothing is known, -1; of measured values a number or NaN. both: is a
    row the same on either strand?
    """

    def __init__(self, codes, start, length, label, names, classes, both):
        self.codes, self.start, self.length = codes, start, length
        self.label, self.names, self.classes = label, names, classes
        self.both, self.measured = both, label.dtype == np.float32
        self.known = ~np.isnan(label) if self.measured else label >= 0


def wanted(profile, features):
    kind, _, value = features.partition(":")
    if kind == "all":
        return True
    if kind == "class":
        return profile[1] == value
    if kind == "index":
        first, _, last = value.partition("-")
        return profile[5] != "." and \
            int(first) <= int(profile[5]) <= int(last or first)
    die(f"--features {features}: not index:FROM-TO, class:NAME or all")


def read_bins(lines, path, sequence, features, context):
    """Labelled bins, `context` bases around the middle of each."""
    codes, origin = sequence
    profiles, masks, contig, place, held = [], {}, [], [], []
    for line in lines:
        field = line.rstrip("\n").split("\t")
        if field[0] == "##profile":
            profiles.append((field[1:] + [""] * 6)[:6])
        elif field[0] == "##mask":
            masks[plain_name(field[1])] = [int(x) for x in field[2].split(",")]
        elif not line.startswith("#"):
            contig.append(plain_name(field[0]))
            place.append((int(field[1]) + int(field[2]) - context) // 2)
            held.append(field[3])
    keep = [i for i, p in enumerate(profiles) if wanted(p, features)]
    if not keep or not place:
        die(f"{path}: no rows or no labels of --features {features}")
    for name in set(contig):
        if name not in origin:
            die(f"{path}: contig {name} is in none of the FASTA files of -f")
    label = np.zeros((len(place), len(profiles)), np.int8)
    for name, columns in masks.items():
        rows = np.flatnonzero(np.array(contig) == name)
        label[np.ix_(rows, columns)] = -1
    for row, text in enumerate(held):
        if text != ".":
            label[row, [int(x) for x in text.split(",")]] = 1
    start = np.array([origin[c] for c in contig]) + np.array(place)
    return Rows(codes, start, context, label[:, keep],
                [profiles[i][0] for i in keep],
                [profiles[i][1] for i in keep], True)


def read_table(lines, path, room, values):
    """Rows of sequence and label (0 or 1), or values; all of one length."""
    rows = list(csv.DictReader(lines, delimiter="\t"))
    for name in ["sequence", *(values or ["label"])]:
        if not rows or name not in rows[0]:
            die(f"{path}: no rows, or no column '{name}'")
    length = len(rows[0]["sequence"])
    if any(len(r["sequence"]) != length for r in rows):
        die(f"{path}: sequences of different lengths")
    gap = "N" * room
    codes = codes_of(gap + gap.join(r["sequence"] for r in rows) + gap)
    start = room + np.arange(len(rows)) * (length + room)
    if values:
        label = np.array([[np.nan if r[v] == "NA" else float(r[v])
                           for v in values] for r in rows], np.float32)
        return Rows(torch.from_numpy(codes), start, length, label, values,
                    ["values"] * len(values), True)
    label = np.array([[int(r["label"])] for r in rows], np.int8)
    return Rows(torch.from_numpy(codes), start, length, label, ["label"],
                ["label"], False)


def read_rows(path, sequence, o):
    lines = lines_of(path)
    first = lines.readline()
    if first.startswith("##dnabird-labels"):
        if not o.fasta:
            die(f"{path}: bins need the FASTA files (-f)")
        return read_bins(lines, path, sequence, o.features, o.context)
    if o.values or first.startswith("sequence\t"):
        return read_table(io.StringIO(first + lines.read()), path,
                          max(o.shift, 1), o.values)
    die(f"{path}: neither labelled bins nor a table with the column 'sequence'")


def join(contigs, room):
    """All contigs in one array, and where each begins in it."""
    gap = np.full(room, UNKNOWN, np.uint8)
    parts, origin, at = [gap], {}, room
    for name, codes in contigs.items():
        origin[name] = at
        parts += [codes, gap]
        at += len(codes) + room
    return torch.from_numpy(np.concatenate(parts)), origin


LETTERS = torch.cat([torch.eye(4), torch.zeros(1, 4)])
OTHER = torch.tensor([3, 2, 1, 0, UNKNOWN], dtype=torch.uint8)


def batch_of(rows, index, shift=None, other=None):
    """Rows as [n, length] codes; moved, and where `other` is set from the
    other strand."""
    start = torch.as_tensor(rows.start[index])
    if shift is not None:
        start = start + shift
    codes = rows.codes[start[:, None] + torch.arange(rows.length)]
    if other is not None:
        turned = OTHER[codes.flip(1).long()]
        codes = torch.where(other[:, None], turned, codes)
    return codes


class Cnn(nn.Module):
    def __init__(self, n_label, dropout):
        super().__init__()
        self.first = nn.Conv1d(4, 128, 15, padding=7)
        self.second = nn.Conv1d(128, 160, 7, padding=3)
        self.third = nn.Conv1d(160, 224, 5, padding=2)
        self.norm = nn.ModuleList(nn.BatchNorm1d(n) for n in (128, 160, 224))
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(3 * 224, n_label)

    def forward(self, codes):
        x = LETTERS[codes.long()].transpose(1, 2)
        x = torch.relu(self.norm[0](self.first(x)))
        x = torch.max_pool1d(x, 6)
        x = torch.relu(self.norm[1](self.second(x)))
        x = torch.max_pool1d(x, 4)
        x = torch.relu(self.norm[2](self.third(x)))
        third = x.shape[2] // 3
        centre = x[:, :, third:x.shape[2] - third]
        x = torch.cat([x.amax(2), x.mean(2), centre.amax(2)], 1)
        return self.out(self.dropout(x))


class ValueCnn(nn.Module):
    def __init__(self, n_label, dropout):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Conv1d(before, after, size, padding=size // 2)
            for before, after, size in
            ((4, 160, 11), (160, 96, 7), (96, 96, 7), (96, 96, 7), (96, 96, 7)))
        self.norm = nn.ModuleList(
            nn.BatchNorm1d(layer.out_channels) for layer in self.layers)
        self.hidden = nn.Linear(2 * 96, 128)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(128, n_label)

    def forward(self, codes):
        x = LETTERS[codes.long()].transpose(1, 2)
        for number, (layer, norm) in enumerate(zip(self.layers, self.norm)):
            y = norm(torch.relu(layer(x)))
            x = x + y if number > 1 else y
            if 1 <= number <= 3:
                x = torch.max_pool1d(x, 2)
        x = torch.cat([x.amax(2), x.mean(2)], 1)
        return self.out(self.dropout(torch.relu(self.hidden(x))))


def masked_loss(out, rows, index):
    """Of a batch: of classes the cross-entropy, of values the squared error."""
    known = torch.from_numpy(rows.known[index])
    label = torch.from_numpy(np.where(rows.known[index], rows.label[index], 0)
                             .astype(np.float32))
    loss = nn.functional.mse_loss(out, label, reduction="none") \
        if rows.measured else \
        nn.functional.binary_cross_entropy_with_logits(out, label,
                                                       reduction="none")
    return (loss * known).sum() / known.sum().clamp(min=1)


def score(model, rows, batch=256):
    """Logits [rows, labels], of bins the mean of both strands."""
    model.eval()
    out = []
    with torch.no_grad():
        for at in range(0, len(rows.start), batch):
            index = np.arange(at, min(at + batch, len(rows.start)))
            codes = batch_of(rows, index)
            y = model(codes)
            if rows.both:
                y = (y + model(OTHER[codes.flip(1).long()])) / 2
            out.append(y)
    return torch.cat(out).numpy()


def auroc_auprc(label, value):
    """Area under the ROC curve (ties count half) and average precision."""
    order = np.argsort(-value, kind="stable")
    label, value = label[order], value[order]
    last = np.append(np.flatnonzero(np.diff(value)), len(value) - 1)
    true = np.cumsum(label)[last].astype(float)
    false = last + 1 - true
    roc = np.trapezoid(np.append(0, true), np.append(0, false)) \
        if hasattr(np, "trapezoid") else \
        np.trapz(np.append(0, true), np.append(0, false))
    gain = np.diff(np.append(0, true))
    return (roc / (true[-1] * false[-1]),
            (gain * true / (true + false)).sum() / true[-1])


def ranks(value):
    """From 0; equal values have their mean."""
    _, of, count = np.unique(value, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count + 1) / 2)[of]


def correlations(label, value):
    """Pearson's and Spearman's."""
    return (np.corrcoef(label, value)[0, 1],
            np.corrcoef(ranks(label), ranks(value))[0, 1])


def figures(rows, logits, least):
    """One (name, class, n, positives, AUROC, AUPRC) a label; the two are None
    where there are fewer than `least` positives or no negative. Measured
    values have "NA" positives, and two correlations."""
    table = []
    for j, name in enumerate(rows.names):
        known = rows.known[:, j]
        label = rows.label[known, j]
        if rows.measured:
            table.append((name, rows.classes[j], len(label), "NA")
                         + correlations(label, logits[known, j]))
            continue
        n, positives = len(label), int(label.sum())
        pair = (None, None)
        if positives >= max(least, 1) and positives < n:
            pair = auroc_auprc(label, logits[known, j])
        table.append((name, rows.classes[j], n, positives) + pair)
    return table


def medians(table):
    """(class, labels that count, median AUROC, median AUPRC) by class."""
    for kind in dict.fromkeys(row[1] for row in table):
        pairs = [row[4:] for row in table if row[1] == kind and row[4]]
        if pairs:
            auroc, auprc = np.median(np.array(pairs), 0)
            yield NAMES.get(kind, kind), len(pairs), auroc, auprc


def metrics(o):
    return ("Pearson", "Spearman") if o.values else ("AUROC", "AUPRC")


def write_figures(path, table, note, o):
    with open(path + ".part", "w") as out:
        first, second = (m.lower() for m in metrics(o))
        out.write(f"# {note}\nlabel\tclass\trows\tpositives\t{first}\t"
                  f"{second}\n")
        for row in table:
            text = ["NA" if x is None else f"{x:.6f}" for x in row[4:]]
            out.write("\t".join([*map(str, row[:4]), *text]) + "\n")
    os.replace(path + ".part", path)


def save(path, what):
    torch.save(what, path + ".part")
    os.replace(path + ".part", path)


def report(part, table, o):
    first, second = metrics(o)
    for kind, n, *median in medians(table):
        print(f"{part}\t{kind}\tlabels {n}\tmedian {first} {median[0]:.4f}"
              f"\tmedian {second} {median[1]:.4f}", flush=True)


def learn(model, train, valid, o):
    """Passes over the training rows; the best by validation in best.pt."""
    per_pass = len(train.start) // o.batch
    total = o.passes * per_pass
    optimizer = torch.optim.AdamW(model.parameters(), lr=o.lr,
                                  weight_decay=o.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, o.lr, total_steps=total + 1) if train.measured else \
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(
            (s + 1) / (0.05 * total), (total - s) / (0.95 * total)))
    state = {"pass": 0, "best": -1.0, "seconds": 0.0}
    last = os.path.join(o.output, "last.pt")
    if os.path.exists(last):
        held = torch.load(last)
        if {k: v for k, v in held["options"].items() if k in recipe(o)} \
                != recipe(o):
            die(f"{last}: left by a run with other options; name another "
                "folder with -o")
        model.load_state_dict(held["model"])
        optimizer.load_state_dict(held["optimizer"])
        schedule.load_state_dict(held["schedule"])
        state = held["state"]
    log = os.path.join(o.output, "training.tsv")
    if not state["pass"]:
        with open(log, "w") as out:
            first, second = (m.lower() for m in metrics(o))
            out.write(f"pass\trows\tloss\tclass\tlabels\tvalid_{first}\t"
                      f"valid_{second}\tbest\tseconds\n")
    for number in range(state["pass"] + 1, o.passes + 1):
        began = time.time()
        loss = one_pass(model, train, optimizer, schedule, number, o)
        table = figures(valid, score(model, valid), o.min_positives)
        held = [row[4] for row in table if row[4]]
        if not held:
            die(f"{o.valid}: no label has {o.min_positives} positives")
        mean = float(np.mean(held))
        state["pass"], best = number, mean > state["best"]
        state["seconds"] += time.time() - began
        if best:
            state["best"] = mean
            save(os.path.join(o.output, "best.pt"), model.state_dict())
            write_figures(os.path.join(o.output, "validation.tsv"), table,
                          f"{o.valid}, pass {number}", o)
        with open(log, "a") as out:
            for kind, n, auroc, auprc in medians(table):
                out.write(f"{number}\t{number * per_pass * o.batch}\t{loss:.5f}"
                          f"\t{kind}\t{n}\t{auroc:.4f}\t{auprc:.4f}"
                          f"\t{int(best)}\t{state['seconds']:.0f}\n")
        save(last, {"model": model.state_dict(), "state": state,
                    "optimizer": optimizer.state_dict(),
                    "schedule": schedule.state_dict(), "options": recipe(o)})
        say(f"pass {number} of {o.passes}: loss {loss:.4f}, mean "
            f"{metrics(o)[0]} {mean:.4f}, {state['seconds']:.0f} s")


def recipe(o):
    """What must be the same when a run goes on; a test part may be on
    contigs of other FASTA files."""
    return {k: v for k, v in vars(o).items() if k not in
            ("output", "test", "threads", "fasta")}


def one_pass(model, train, optimizer, schedule, number, o):
    """Every row once, in an order of its own; the mean loss."""
    model.train()
    draw = np.random.default_rng([o.seed, number])
    torch.manual_seed(o.seed * 1000 + number)
    order = draw.permutation(len(train.start))
    steps, total = len(order) // o.batch, 0.0
    for step in range(steps):
        index = order[step * o.batch:(step + 1) * o.batch]
        shift = torch.from_numpy(
            draw.integers(-o.shift, o.shift + 1, len(index)))
        other = torch.from_numpy(draw.integers(0, 2, len(index)) > 0)
        codes = batch_of(train, index, shift, other if train.both else None)
        loss = masked_loss(model(codes), train, index)
        optimizer.zero_grad()
        loss.backward()
        if not train.measured:  # clipped gradients of values learn too slowly
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        total += loss.item()
    return total / max(steps, 1)


def options():
    p = argparse.ArgumentParser(
        description="A small convolutional network on dnabird's rows.")
    p.add_argument("--train", required=True)
    p.add_argument("--valid", required=True)
    p.add_argument("--test")
    p.add_argument("-f", "--fasta", type=lambda text: text.split(","))
    p.add_argument("--features", default="all")
    p.add_argument("--context", type=int, default=600)
    p.add_argument("--values", type=lambda text: text.split(","))
    p.add_argument("--passes", type=int, default=10)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--weight-decay", type=float, default=0.01)
    p.add_argument("--dropout", type=float, default=0.2)
    p.add_argument("--shift", type=int, default=8)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--min-positives", type=int, default=20)
    p.add_argument("-o", "--output", required=True)
    return p.parse_args()


def main():
    o = options()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    os.makedirs(o.output, exist_ok=True)
    sequence = join(read_fasta(o.fasta), o.context + o.shift) if o.fasta \
        else None
    train, valid = (read_rows(p, sequence, o) for p in (o.train, o.valid))
    if train.names != valid.names or train.length != valid.length:
        die(f"{o.train} and {o.valid} differ in labels or length")
    if train.measured:
        train.label = (train.label - np.nanmean(train.label, 0)) / \
            np.nanstd(train.label, 0)
    model = (ValueCnn if train.measured else Cnn)(len(train.names), o.dropout)
    say(f"{len(train.start)} rows to learn from, {len(valid.start)} to choose "
        f"by, {len(train.names)} labels, "
        f"{sum(p.numel() for p in model.parameters())} parameters")
    learn(model, train, valid, o)
    model.load_state_dict(torch.load(os.path.join(o.output, "best.pt")))
    report("validation", figures(valid, score(model, valid), o.min_positives),
           o)
    if o.test:
        test = read_rows(o.test, sequence, o)
        if test.names != train.names:
            die(f"{o.train} and {o.test} differ in labels")
        table = figures(test, score(model, test), o.min_positives)
        write_figures(os.path.join(o.output, "test.tsv"), table, o.test, o)
        report("test", table, o)


if __name__ == "__main__":
    main()
