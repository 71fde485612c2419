#!/usr/bin/env python3
"""dnabird and what people would take instead, on the same work in one run.

    tools/bench/compare_peers.py [--work scan,tokenize,encode] [--bp 200000]
        [--preset base] [--tokens 512,1024] [--rounds 3] [--dnabird PROGRAM]

scan: the shipped model's chromatin profiles of every bin of 200 bp of a piece
of the demo sequence, both strands, beside the small convolutional network of
compare_cnn.py (600 bp around each bin, 919 labels, random weights: speed does
not depend on them) in PyTorch. tokenize: a BPE vocabulary of 4,096 tokens that
`dnabird tokenizer train` made, applied to the demo sequence in records of
10 kb, beside Hugging Face's tokenizers reading the same tokenizer.json; `same`
says whether the ids are. encode: last hidden states, their mean of each of
four sequences of random tokens, by a BigBird of this preset with random
weights, beside transformers, one sequence at a time; `same` says whether they agree to
1e-4 (--random-blocks zero, what transformers evaluates).

Each works on one thread, in a process of its own and in turns. Seconds are
processor time, least of all rounds: of dnabird's whole process (opening of the
model, reading and writing with it), of a peer without the start of Python, its
imports and the making of its model. Peaks are resident memory of the processes.
--work scan needs PyTorch and numpy, --work tokenize tokenizers, --work encode
PyTorch and transformers; what is missing is said on stderr, its lines are left
out, and the exit status is 1. tools/bench/compare_torch.py has more of the
encoder: lengths, precisions, training, by the clock of an idle machine.
SPDX-License-Identifier: MIT
"""
import argparse
import gzip
import hashlib
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEMO = os.path.join(ROOT, "data", "genome", "chr20_demo.fa.gz")
FIRST = 2400000  # of the demo sequence's known bases
BIN, CONTEXT, RECORD = 200, 600, 10000
COLUMNS = ("work", "program", "amount", "unit", "cpu_s", "per_cpu_s",
           "peak_mib", "same")
QUIET = dict(os.environ, OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false",
             RAYON_NUM_THREADS="1", HF_HUB_OFFLINE="1",
             TRANSFORMERS_VERBOSITY="error")
NEEDS = {"scan": ("torch", "numpy"), "tokenize": ("tokenizers",),
         "encode": ("torch", "transformers")}
SEQUENCES = 4


def options():
    p = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--work", default="scan,tokenize,encode")
    p.add_argument("--preset", default="base",
                   choices=("tiny", "small", "base"))
    p.add_argument("--tokens", default="512,1024")
    p.add_argument("--bp", type=int, default=200000)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--dnabird",
                   default=os.path.join(ROOT, "build", "tools", "dnabird"))
    p.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    o = p.parse_args()
    o.work = o.work.split(",")
    if set(o.work) - set(NEEDS) or o.bp < CONTEXT or o.rounds < 1:
        p.error("--work is of %s, --bp %d or more" % (", ".join(NEEDS), CONTEXT))
    return o


def demo(bp):
    """Bases of the demo sequence; the rest of it is not kept."""
    at, parts = 0, []
    with gzip.open(DEMO, "rt") as f:
        for row in f:
            if row[0] == ">":
                continue
            row = row.strip()
            if FIRST < at + len(row) and at < FIRST + bp:
                parts.append(row[max(0, FIRST - at):FIRST + bp - at])
            at += len(row)
    return "".join(parts)


# ---- peers, each in a process of its own ------------------------------------


def peer_scan(bp):
    """Rows scored, seconds of it, and nothing to compare."""
    sys.path.insert(0, HERE)
    import torch
    from compare_cnn import Cnn

    torch.set_num_threads(1)
    number = {"A": 0, "C": 1, "G": 2, "T": 3}
    codes = torch.tensor([number.get(c, 4) for c in demo(bp).upper()],
                         dtype=torch.uint8)
    model = Cnn(919, 0.2).eval()
    sum_ = 0.0
    begin = time.process_time()
    rows = codes.unfold(0, CONTEXT, BIN)
    other = torch.where(rows < 4, 3 - rows, rows).flip(1)
    with torch.inference_mode():
        for i in range(0, len(rows), 256):
            both = (torch.sigmoid(model(rows[i:i + 256])) +
                    torch.sigmoid(model(other[i:i + 256]))) / 2
            sum_ += float(both.sum())
    return {"n": bp, "cpu_s": time.process_time() - begin, "sum": sum_}


def peer_tokenize(folder):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    with open(os.path.join(folder, "in.fa"), encoding="utf-8") as f:
        text = [line.strip() for line in f if line[0] != ">"]
    begin = time.process_time()
    ids = [e.ids for e in tokenizer.encode_batch(
        text, add_special_tokens=False)]
    spent = time.process_time() - begin
    lines = "".join(" ".join(map(str, x)) + "\n" for x in ids)
    return {"n": sum(map(len, text)), "cpu_s": spent,
            "digest": hashlib.sha256(lines.encode()).hexdigest()}


def peer_encode(folder):
    """transformers' mean hidden states of the ids beside the model."""
    import torch
    from transformers import BigBirdModel

    torch.set_num_threads(1)
    model = BigBirdModel.from_pretrained(folder, add_pooling_layer=False).eval()
    with open(os.path.join(folder, "ids"), encoding="utf-8") as f:
        ids = [torch.tensor([[int(x) for x in row.split()]]) for row in f]
    begin = time.process_time()
    with torch.inference_mode():
        means = [model(x).last_hidden_state[0].mean(0).tolist() for x in ids]
    return {"n": sum(x.shape[1] for x in ids),
            "cpu_s": time.process_time() - begin, "means": means}


# ---- running ----------------------------------------------------------------


def run(command, output=None):
    """Processor seconds and peak MiB of a child, and what it printed."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, env=QUIET, stdout=output or out,
                                 stderr=subprocess.DEVNULL)
        _, status, use = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit("compare_peers: failed: " + " ".join(command))
        out.seek(0)
        return use.ru_utime + use.ru_stime, use.ru_maxrss / 1024, out.read()


def in_turns(rounds, ours, work, argument):
    """Least seconds and peaks of both: (ours, peer, what it says)."""
    best = [None, None]
    for _ in range(rounds):
        spent, peak, _ = run(ours)
        best[0] = min(best[0] or (spent, peak), (spent, peak))
        _, peak, text = run([sys.executable, os.path.abspath(__file__),
                             "--peer", work, str(argument)])
        said = json.loads(text)
        best[1] = min(best[1] or (said["cpu_s"], peak), (said["cpu_s"], peak))
    return best[0], best[1], said


def line(work, program, n, unit, best, same=""):
    print("\t".join((work, program, str(n), unit, "%.3f" % best[0],
                     "%.0f" % (n / best[0]), "%.0f" % best[1], same)),
          flush=True)


def scan(o, folder):
    ours = [o.dnabird, "chromatin", "-t", "1", "-O", "tsv",
            "-r", "chr20:%d-%d" % (FIRST + 1, FIRST + o.bp),
            "-o", os.path.join(folder, "out.tsv"), DEMO]
    best, peer, _ = in_turns(o.rounds, ours, "scan", o.bp)
    line("scan", "dnabird chromatin", o.bp, "bp", best)
    line("scan", "CNN on PyTorch " + version("torch"), o.bp, "bp", peer)


def tokenize(o, folder):
    words = os.path.join(folder, "tokenizer.json")
    fasta, ids = (os.path.join(folder, n) for n in ("in.fa", "ids"))
    text = demo(o.bp)
    with open(fasta, "w", encoding="utf-8") as f:
        for i in range(0, len(text), RECORD):
            f.write(">r%d\n%s\n" % (i, text[i:i + RECORD]))
    run([o.dnabird, "tokenizer", "train", fasta, "-v", "4096", "-o", words])
    ours = [o.dnabird, "tokenize", "--tokenizer", words, "-O", "ids", "-o", ids,
            fasta]
    best, peer, said = in_turns(o.rounds, ours, "tokenize", folder)
    with open(ids, "rb") as f:
        same = hashlib.sha256(f.read()).hexdigest() == said["digest"]
    same = "yes" if same else "no"
    line("tokenize", "dnabird tokenize", said["n"], "bp", best, same)
    line("tokenize", "tokenizers " + version("tokenizers"), said["n"], "bp",
         peer, same)


def encode(o, folder):
    run([o.dnabird, "init", "--preset", o.preset, folder])
    for n in map(int, o.tokens.split(",")):
        with open(os.path.join(folder, "ids"), "w", encoding="utf-8") as f:
            draw = random.Random(1)
            for _ in range(SEQUENCES):
                f.write(" ".join(str(draw.randrange(10, 30000))
                                 for _ in range(n)) + "\n")
        table = os.path.join(folder, "out.tsv")
        ours = [o.dnabird, "embed", "-m", folder, "-t", "1",
                "--random-blocks", "zero", "--ids",
                os.path.join(folder, "ids"), "-o", table]
        best, peer, said = in_turns(o.rounds, ours, "encode", folder)
        with open(table, encoding="utf-8") as f:
            rows = [row.split("\t")[1:] for row in f][1:]
        apart = max(abs(float(a) - b) for row, mean in zip(rows, said["means"])
                    for a, b in zip(row, mean))
        same = "yes" if apart < 1e-4 else "no"
        work = "encode %d" % n
        line(work, "dnabird embed", said["n"], "tokens", best, same)
        line(work, "transformers %s on PyTorch %s" % (
            version("transformers"), version("torch")), said["n"], "tokens",
             peer, same)


def lacks(work):
    # not imported: a child's peak would be that of this process
    missing = [n for n in NEEDS[work] if importlib.util.find_spec(n) is None]
    if missing:
        print("compare_peers: no --work %s without %s: python3 -m pip install "
              "%s" % (work, " and ".join(missing), " ".join(NEEDS[work])),
              file=sys.stderr)
    return bool(missing)


def main():
    o = options()
    if o.peer:
        work, argument = o.peer
        print(json.dumps(peer_scan(int(argument)) if work == "scan" else
                         peer_tokenize(argument) if work == "tokenize" else
                         peer_encode(argument)))
        return 0
    print("# tools/bench/compare_peers.py --bp %d --rounds %d" %
          (o.bp, o.rounds))
    print("\t".join(COLUMNS))
    bad = 0
    for work in o.work:
        if lacks(work):
            bad = 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            {"scan": scan, "tokenize": tokenize, "encode": encode}[work](o, folder)
    return bad


if __name__ == "__main__":
    sys.exit(main())
