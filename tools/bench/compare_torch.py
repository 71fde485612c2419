#!/usr/bin/env python3
"""dnabird and transformers' BigBird on PyTorch, in one run on one machine.

    tools/bench/compare_torch.py [--preset base] [--tokens 512,1024,2048,4096]
        [--threads 2] [--rounds 2] [--repeats 3] [--precision P] [--train]
        [--reference transformers|plain] [--only dnabird|torch]
        [--dnabird PROGRAM]

A model folder with random weights is made by `dnabird init`; both run it, in
turns, each in a process of its own, one sequence of random tokens at a time.
The table has the best time of all rounds of each, the rate of useful
operations (docs/benchmarks.md) and the peak of resident memory; without
--train also how far the last hidden states are apart. With --train it is one
training step: forward, masked-language loss on 15 % of the tokens, backward,
AdamW.

--reference plain takes bigbird_torch.py beside this file instead of
transformers: the same encoder in plain PyTorch, no dropout.

Without PyTorch or transformers dnabird's half is printed, what is missing is
said on stderr, and the exit status is 1; --only dnabird asks for no more.
SPDX-License-Identifier: MIT
"""
import argparse
import array
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

COLUMNS = ("row", "tokens", "threads", "dnabird_s", "torch_s",
           "times_as_fast", "dnabird_gflops", "torch_gflops",
           "sgemm_gflops", "dnabird_mib", "torch_mib", "states_apart")
FIRST_ID = 70  # behind the special tokens


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
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--repeats", type=int, default=3)
    p.add_argument("--precision", default="float32",
                   choices=("float32", "bfloat16", "int8"),
                   help="of dnabird; PyTorch runs in float32")
    p.add_argument("--train", action="store_true")
    p.add_argument("--reference", default="transformers",
                   choices=("transformers", "plain"))
    p.add_argument("--only", choices=("dnabird", "torch"))
    p.add_argument("--dnabird", help="the program; else that of ./build, "
                                     "else of PATH")
    p.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    return p.parse_args()


def program(given):
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(here, "..", "..", "build", "tools", "dnabird")
    found = given or (os.path.exists(built) and built)
    found = found or shutil.which("dnabird")
    if not found or not os.path.exists(found):
        die("no program 'dnabird': build it, or name it with --dnabird")
    return os.path.realpath(found)


def missing(o):
    """What PyTorch's half lacks, as a sentence; None: nothing."""
    lacks = []
    needs = ["torch"]
    if o.reference == "transformers":
        needs.append("transformers")
    for name in needs:
        try:
            __import__(name)
        except ImportError as e:
            lacks.append("%s (%s)" % (name, e))
    if not lacks:
        return None
    return ("cannot run PyTorch's half with %s: %s; python3 -m pip install %s"
            % (sys.executable, ", ".join(lacks), " ".join(needs)))


def ids_of(tokens, vocabulary):
    state, ids = 1, []
    for _ in range(tokens):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        ids.append(FIRST_ID + (state >> 33) % (vocabulary - FIRST_ID))
    return ids


# ---- PyTorch's half, in a process of its own --------------------------------


def reference_of(o, folder):
    """The model, ids -> hidden states, and (ids, labels) -> loss."""
    if o.reference == "plain":
        sys.dont_write_bytecode = True
        import bigbird_torch
        model = bigbird_torch.BigBird(folder)
        return model, model.forward, model.loss
    import transformers
    if not o.train:
        model = transformers.BigBirdModel.from_pretrained(
            folder, add_pooling_layer=False).eval()
        return model, lambda ids: model(ids).last_hidden_state[0], None
    model = transformers.BigBirdForMaskedLM.from_pretrained(folder).train()
    return model, None, lambda ids, labels: model(ids, labels=labels).loss


def step_of(o, folder, ids):
    """What is timed; returns the hidden states or None."""
    import torch
    torch.manual_seed(1)
    model, states, loss = reference_of(o, folder)
    if not o.train:
        def forward():
            with torch.no_grad():
                return states(ids)
        return forward
    update = torch.optim.AdamW(model.parameters(), lr=1e-4)
    labels = torch.where(torch.rand(ids.shape) < 0.15, ids,
                         torch.full_like(ids, -100))

    def train():
        update.zero_grad(set_to_none=True)
        loss(ids, labels).backward()
        update.step()
    return train


def child(o):
    import torch
    folder, states = o.child
    torch.set_num_threads(o.threads)
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        vocabulary = json.load(f)["vocab_size"]
    ids = torch.tensor([ids_of(int(o.tokens), vocabulary)])
    run = step_of(o, folder, ids)
    out, best = run(), float("inf")  # the first warms up
    for _ in range(o.repeats):
        start = time.perf_counter()
        out = run()
        best = min(best, time.perf_counter() - start)
    if out is not None:
        with open(states, "wb") as f:
            array.array("f", out.flatten().tolist()).tofile(f)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"best_s": best, "peak_mib": peak}))


def torch_run(o, folder, tokens, states):
    command = [sys.executable, os.path.abspath(__file__), "--tokens",
               str(tokens), "--threads", str(o.threads), "--repeats",
               str(o.repeats), "--reference", o.reference, "--child",
               folder, states]
    if o.train:
        command.append("--train")
    environment = dict(os.environ, OMP_NUM_THREADS=str(o.threads),
                       TRANSFORMERS_VERBOSITY="error", HF_HUB_OFFLINE="1")
    r = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                       check=False)
    if r.returncode:
        die("PyTorch's half failed at %d tokens" % tokens)
    return json.loads(r.stdout.splitlines()[-1])


# ---- dnabird's half ---------------------------------------------------------


def call(command):
    r = subprocess.run(command, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, check=False)
    if r.returncode:
        die("%s: %s" % (" ".join(command),
                        r.stderr.decode(errors="replace").strip()))
    return r.stdout


def dnabird_run(o, folder, tokens):
    command = [o.dnabird, "bench", "train" if o.train else "forward",
               "--tokens", str(tokens), "-t", str(o.threads), "--repeats",
               str(o.repeats), "--json"]
    command += ["--preset", o.preset] if o.train else ["-m", folder]
    if not o.train:
        command += ["--precision", o.precision]
    return json.loads(call(command))[0]


def dnabird_states(o, folder, tokens, out):
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        vocabulary = json.load(f)["vocab_size"]
    with open(out + ".ids", "w", encoding="ascii") as f:
        print(*ids_of(tokens, vocabulary), file=f)
    call([o.dnabird, "embed", "-m", folder, "--ids", out + ".ids", "-t",
          str(o.threads), "--precision", o.precision, "-o",
          out + ".safetensors"])
    with open(out + ".safetensors", "rb") as f:
        size = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(size))
        first, end = header["last_hidden_state"]["data_offsets"]
        f.seek(8 + size + first)
        x = array.array("f")
        x.frombytes(f.read(end - first))
    return x


def random_blocks(o):
    """Releases from 4.29 on put block 0 for all random ones in evaluation."""
    if o.reference == "plain":
        return "zero"
    try:
        import transformers
        v = tuple(int(x) for x in transformers.__version__.split(".")[:2])
        return "zero" if v >= (4, 29) else "plan"
    except ImportError:
        return "zero"


def largest(a, b):
    if len(a) != len(b):
        die("hidden states of %d and %d numbers" % (len(a), len(b)))
    return max(abs(x - y) for x, y in zip(a, b))


def best_of(a, b):
    if a is None or b is None:
        return a or b
    return a if a["best_s"] <= b["best_s"] else b


def row(o, work, tokens, halves):
    folder, states = os.path.join(work, "model"), os.path.join(work, "states")
    best, apart = {"dnabird": None, "torch": None}, None
    for _ in range(o.rounds):
        if "dnabird" in halves:
            best["dnabird"] = best_of(best["dnabird"],
                                      dnabird_run(o, folder, tokens))
        if "torch" in halves:
            best["torch"] = best_of(best["torch"],
                                    torch_run(o, folder, tokens, states))
    if len(halves) == 2 and not o.train:
        other = array.array("f")
        with open(states, "rb") as f:
            other.frombytes(f.read())
        apart = largest(dnabird_states(o, folder, tokens, states), other)
    show(o, tokens, best["dnabird"], best["torch"], apart)


def show(o, tokens, d, t, apart):
    gflop = d and d["gflop"]
    value = {
        "row": ("train" if o.train else "forward"), "tokens": tokens,
        "threads": o.threads,
        "dnabird_s": d and "%.4f" % d["best_s"],
        "torch_s": t and "%.4f" % t["best_s"],
        "times_as_fast": d and t and "%.2f" % (t["best_s"] / d["best_s"]),
        "dnabird_gflops": d and "%.1f" % d["gflop_per_s"],
        "torch_gflops": d and t and "%.1f" % (gflop / t["best_s"]),
        "sgemm_gflops": d and "%.1f" % d["sgemm_gflop_per_s"],
        "dnabird_mib": d and "%.0f" % d["peak_mib"],
        "torch_mib": t and "%.0f" % t["peak_mib"],
        "states_apart": None if apart is None else "%.1e" % apart}
    print(*("." if value[c] is None else value[c] for c in COLUMNS),
          sep="\t", flush=True)


def numbers(text):
    try:
        n = [int(x) for x in text.split(",")]
    except ValueError:
        n = [0]
    if min(n) < 1:
        die("--tokens: '%s' is no list of numbers between commas" % text)
    return n


def main():
    o = options()
    if o.child:
        child(o)
        return 0
    if o.train and o.precision != "float32":
        die("--train is in float32")
    if min(o.threads, o.rounds, o.repeats) < 1:
        die("--threads, --rounds and --repeats are at least 1")
    lengths = numbers(o.tokens)
    o.dnabird = program(o.dnabird)
    lacks = None if o.only == "dnabird" else missing(o)
    halves = [o.only] if o.only else ["dnabird", "torch"]
    if lacks:
        say(lacks)
        halves = [h for h in halves if h != "torch"]
        if not halves:
            return 1
    with tempfile.TemporaryDirectory() as work:
        call([o.dnabird, "init", "--preset", o.preset, "--random-blocks",
              random_blocks(o), os.path.join(work, "model")])
        print(*COLUMNS, sep="\t")
        for tokens in lengths:
            row(o, work, tokens, halves)
    return 1 if lacks else 0


if __name__ == "__main__":
    sys.exit(main())
