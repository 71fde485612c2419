#!/usr/bin/env python3
"""dnabird and BigBird on PyTorch, in one run on one machine.

    tools/bench/compare_torch.py [--preset base] [--tokens 512,1024,2048,4096]
        [--task forward,train] [--precision float32,bfloat16,int8]
        [--reference transformers,plain] [--compile] [--threads 2]
        [--rounds 3] [--repeats 1] [--minutes M] [--markdown]
        [--only dnabird] [--dnabird PROGRAM]

A model folder with random weights is made by `dnabird init`; dnabird and each
peer run it in turns (A B C A B C), one sequence of random tokens at a time.
Peers: --reference transformers is transformers' BigBird, plain is
bigbird_torch.py beside this file (the same encoder in plain PyTorch, no
dropout); --compile adds each under torch.compile. A training step is forward,
masked-language loss on 15 % of the tokens, backward, AdamW. In bfloat16 a
peer's weights are too (torch_peer.py says why); int8 is dnabird's alone, beside
peers in float32.

A line for each peer: best times of all rounds, their ratio, tokens and useful
operations (docs/benchmarks.md) a second, peaks of resident memory; of a forward
pass also how far the last hidden states are apart. A peer that is 1.25 times as
slow as the best after a round has no other. --minutes shares that time out:
each task, precision and length gets one round at least, two if it may, and none
once the time is over.

Without PyTorch or transformers dnabird's half is printed, what is missing is
said on stderr, and the exit status is 1; --only dnabird asks for no more.
SPDX-License-Identifier: MIT
"""
import argparse
import array
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

COLUMNS = ("row", "precision", "tokens", "threads", "peer", "rounds",
           "dnabird_s", "peer_s", "times_as_fast", "dnabird_tokens_per_s",
           "peer_tokens_per_s", "dnabird_gflops", "peer_gflops",
           "sgemm_gflops", "dnabird_mib", "peer_mib", "states_apart")
HERE = os.path.dirname(os.path.abspath(__file__))
SLOW = 1.25
NEEDS = {"plain": ["torch"], "transformers": ["torch", "transformers"]}


def say(text):
    print("compare_torch: " + text, file=sys.stderr)


def die(text):
    say(text)
    sys.exit(1)


def options():
    p = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--preset", default="base",
                   choices=("tiny", "small", "base"))
    p.add_argument("--tokens", default="512,1024,2048,4096")
    p.add_argument("--task", default="forward")
    p.add_argument("--precision", default="float32")
    p.add_argument("--reference", default="transformers")
    p.add_argument("--compile", action="store_true")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--repeats", type=int, default=1)
    p.add_argument("--minutes", type=float, default=float("inf"))
    p.add_argument("--markdown", action="store_true")
    p.add_argument("--only", choices=("dnabird",))
    p.add_argument("--dnabird", help="the program; else that of ./build, "
                                     "else of PATH")
    o = p.parse_args()
    if min(o.threads, o.rounds, o.repeats) < 1:
        die("--threads, --rounds and --repeats are at least 1")
    o.tokens = numbers(o.tokens)
    o.task = names("--task", o.task, ("forward", "train"))
    o.precision = names("--precision", o.precision,
                        ("float32", "bfloat16", "int8"))
    o.reference = names("--reference", o.reference, tuple(NEEDS))
    if "train" in o.task and "int8" in o.precision:
        die("--task train is in float32 or bfloat16")
    return o


def numbers(text):
    try:
        n = [int(x) for x in text.split(",")]
    except ValueError:
        n = [0]
    if min(n) < 1:
        die("--tokens: '%s' is no list of numbers between commas" % text)
    return n


def names(option, text, known):
    found = text.split(",")
    for name in found:
        if name not in known:
            die("%s: '%s' is none of %s" % (option, name, ", ".join(known)))
    return found


def program(given):
    built = os.path.join(HERE, "..", "..", "build", "tools", "dnabird")
    found = given or (os.path.exists(built) and built)
    found = found or shutil.which("dnabird")
    if not found or not os.path.exists(found):
        die("no program 'dnabird': build it, or name it with --dnabird")
    return os.path.realpath(found)


def missing(o):
    """What PyTorch's half lacks, as a sentence; None: nothing."""
    lacks = []
    needs = sorted({n for r in o.reference for n in NEEDS[r]})
    for name in needs:
        try:
            __import__(name)
        except ImportError as e:
            lacks.append("%s (%s)" % (name, e))
    if not lacks:
        return None
    return ("cannot run PyTorch's half with %s: %s; python3 -m pip install %s"
            % (sys.executable, ", ".join(lacks), " ".join(needs)))


# ---- PyTorch's half, in processes of its own --------------------------------


class Peer:
    """torch_peer.py, started once for all rows."""

    def __init__(self, o, folder, reference, way):
        self.name = reference + (" compiled" if way == "compile" else "")
        self.precision = self.states = None
        environment = dict(os.environ, OMP_NUM_THREADS=str(o.threads),
                           TRANSFORMERS_VERBOSITY="error",
                           HF_HUB_OFFLINE="1",
                           HF_HUB_DISABLE_PROGRESS_BARS="1")
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "torch_peer.py"), folder,
             reference, way, str(o.threads)], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.versions = None

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            die("PyTorch's half (%s) ended" % self.name)
        return json.loads(line)

    def ask(self, *words):
        """The answer, or None after saying what failed."""
        print(*words, file=self.process.stdin, flush=True)
        answer = self.answer()
        if "error" in answer:
            say("%s: %s: %s" % (self.name, " ".join(map(str, words)),
                                answer["error"]))
            return None
        return answer

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


# ---- dnabird's half ---------------------------------------------------------


def call(command):
    r = subprocess.run(command, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, check=False)
    if r.returncode:
        die("%s: %s" % (" ".join(command),
                        r.stderr.decode(errors="replace").strip()))
    return r.stdout


def dnabird_run(o, folder, task, precision, tokens):
    command = [o.dnabird, "bench", task, "--length", str(tokens), "-t",
               str(o.threads), "--runs", str(o.repeats), "--precision",
               precision, "--json"]
    command += ["--preset", o.preset] if task == "train" else ["-m", folder]
    return json.loads(call(command))[0]


def dnabird_states(o, folder, precision, ids, out):
    with open(out + ".ids", "w", encoding="ascii") as f:
        print(*ids, file=f)
    call([o.dnabird, "embed", "-m", folder, "--ids", out + ".ids", "-t",
          str(o.threads), "--precision", precision, "-o",
          out + ".safetensors"])
    with open(out + ".safetensors", "rb") as f:
        size = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(size))
        first, end = header["last_hidden_state"]["data_offsets"]
        f.seek(8 + size + first)
        x = array.array("f")
        x.frombytes(f.read(end - first))
    os.remove(out + ".safetensors")
    return x


def random_blocks(o):
    """Releases from 4.29 on put block 0 for all random ones in evaluation."""
    transformers = sys.modules.get("transformers")
    if not transformers:
        return "zero"
    v = tuple(int(x) for x in transformers.__version__.split(".")[:2])
    if v >= (4, 29):
        return "zero"
    if "plain" in o.reference:
        die("transformers %s draws its random blocks, plain does not: one "
            "--reference a run" % transformers.__version__)
    return "plan"


# ---- the rows ---------------------------------------------------------------


def better(a, b, key):
    return b if a is None or b[key] < a[key] else a


def states_apart(o, folder, precision, tokens, peer, ours):
    path = os.path.join(os.path.dirname(folder), "states")
    told = peer.ask("states", path)
    if not told:
        return None
    if not ours:
        ours.append(dnabird_states(o, folder, precision, told["ids"], path))
    theirs = array.array("f")
    with open(path, "rb") as f:
        theirs.frombytes(f.read())
    if len(theirs) != len(ours[0]):
        die("hidden states of %d and %d numbers" % (len(ours[0]), len(theirs)))
    return max(abs(x - y) for x, y in zip(ours[0], theirs))


def group(o, folder, peers, row, until):
    """One task, precision and length: all peers in turns."""
    task, precision, tokens = row
    theirs = "bfloat16" if precision == "bfloat16" else "float32"
    ours, best, rounds, out = None, {}, {}, 0
    alive = [p for p in peers if p.ask("prepare", task, theirs, tokens)]
    while out < o.rounds and (out < 1 or time.monotonic() < until):
        ours = better(ours, dnabird_run(o, folder, *row), "best_s")
        for p in list(alive):
            told = p.ask("run", o.repeats)
            if not told:
                alive.remove(p)
                continue
            best[p] = better(best.get(p), told, "s")
            rounds[p] = rounds.get(p, 0) + 1
        out += 1
        if alive:
            limit = SLOW * min(best[p]["s"] for p in alive)
            alive = [p for p in alive if best[p]["s"] <= limit]
    states = []
    for p in best:
        apart = None
        if task == "forward":
            apart = states_apart(o, folder, precision, tokens, p, states)
        show(o, row, ours, p.name, rounds[p], best[p], apart)
    if not best:
        show(o, row, ours, None, out, None, None)


def show(o, row, d, name, rounds, t, apart):
    task, precision, tokens = row
    s = t and t["s"]
    value = (task, precision, tokens, o.threads, name, rounds,
             "%.4f" % d["best_s"], t and "%.4f" % s,
             t and "%.2f" % (s / d["best_s"]),
             "%.0f" % (tokens / d["best_s"]), t and "%.0f" % (tokens / s),
             "%.1f" % d["gflop_per_s"], t and "%.1f" % (d["gflop"] / s),
             "%.1f" % d["sgemm_gflop_per_s"], "%.0f" % d["peak_mib"],
             t and "%.0f" % t["mib"],
             None if apart is None else "%.1e" % apart)
    line(o, ["." if v is None else str(v) for v in value])


def line(o, cells):
    print("| " + " | ".join(cells) + " |" if o.markdown else "\t".join(cells),
          flush=True)


def heading(o, peers):
    print("# " + call([o.dnabird, "--version"]).decode().strip()
          .replace("\n", "; "))
    for p in peers:
        p.versions = p.answer()["versions"]
    for v in sorted({p.versions for p in peers}):
        print("# " + v)
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        m = re.search(r"model name\s*: (.*)", f.read())
    print("# %s; %d cores; Python %s" % (
        m.group(1) if m else "processor unknown", os.cpu_count(),
        sys.version.split()[0]))
    if o.markdown:
        print()
    line(o, list(COLUMNS))
    if o.markdown:
        line(o, ["---"] * len(COLUMNS))


def cost(row):
    """Of a row's round, beside another's: what --minutes is shared out by."""
    task, precision, tokens = row
    return (tokens * (3.5 if task == "train" else 1) *
            (1 if precision == "float32" else 0.6))


def table(o, folder, peers):
    heading(o, peers)
    end = time.monotonic() + 60 * o.minutes
    rows = [(task, precision, tokens) for task in o.task
            for precision in o.precision for tokens in o.tokens]
    for i, row in enumerate(rows):
        now = time.monotonic()
        if now >= end:
            say("%s in %s at %d tokens left out: --minutes are over" % row)
            continue
        share = cost(row) / sum(map(cost, rows[i:]))
        group(o, folder, peers, row, now + share * (end - now))


def main():
    o = options()
    o.dnabird = program(o.dnabird)
    lacks = None if o.only else missing(o)
    if lacks:
        say(lacks)
    with tempfile.TemporaryDirectory() as work:
        folder = os.path.join(work, "model")
        call([o.dnabird, "init", "--preset", o.preset, "--random-blocks",
              random_blocks(o), folder])
        ways = ["eager", "compile"] if o.compile else ["eager"]
        peers = [] if o.only or lacks else [
            Peer(o, folder, r, w) for r in o.reference for w in ways]
        try:
            table(o, folder, peers)
        finally:
            for p in peers:
                p.stop()
    return 1 if lacks else 0


if __name__ == "__main__":
    sys.exit(main())
