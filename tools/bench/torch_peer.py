"""PyTorch's half of compare_torch.py: a process that runs what it is told.

    torch_peer.py FOLDER transformers|plain eager|compile THREADS

Each line on stdin gets a line of JSON on stdout: first, unasked, the versions.

    prepare forward|train float32|bfloat16 TOKENS   model and ids, and where
                        compiled one run, in which that is done
    run N               best seconds of N runs, peak of resident memory
    states FILE         the last hidden states as float32, and the ids

bfloat16 is model.to(bfloat16): weights, states, gradients and AdamW's moments.
torch.autocast is no choice for transformers: 5.23's sparse attention fails
under it ("scatter(): Expected self.dtype to be equal to src.dtype"). Which of
the two is faster for the plain peer was not measured.
What fails is answered as "error".
SPDX-License-Identifier: MIT
"""
import array
import gc
import json
import os
import re
import sys
import time

import torch

FIRST_ID = 70  # behind the special tokens


def ids_of(tokens, vocabulary):
    state, ids = 1, []
    for _ in range(tokens):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        ids.append(FIRST_ID + (state >> 33) % (vocabulary - FIRST_ID))
    return ids


def forget_peak():
    """Linux counts the peak of resident memory from here."""
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as f:
            f.write("5")
    except OSError:
        pass


def peak_mib():
    with open("/proc/self/status", encoding="ascii") as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1)) / 1024


def versions(reference):
    told = torch.__config__.show()
    found = ["torch " + torch.__version__]
    for name, pattern in (
            ("MKL", r"Math Kernel Library Version (\S+?)-"),
            ("oneDNN", r"(?:MKL-DNN|oneDNN)\D* v(\S+)"),
            ("", r"CPU capability usage: (\S+)")):
        m = re.search(pattern, told)
        if m:
            found.append((name + " " + m.group(1)).strip())
    if reference == "transformers":
        import transformers
        found.append("transformers " + transformers.__version__)
    return ", ".join(found)


class Plain:
    def __init__(self, folder, task):
        del task
        import bigbird_torch
        self.model = bigbird_torch.BigBird(folder)
        self.layers = self.model.layers
        self.states, self.loss = self.model.forward, self.model.loss


class Transformers:
    def __init__(self, folder, task):
        import transformers
        from transformers.models.big_bird import modeling_big_bird
        if task == "forward":
            self.model = transformers.BigBirdModel.from_pretrained(
                folder, add_pooling_layer=False).eval()
            encoder = self.model.encoder
        else:
            self.model = transformers.BigBirdForMaskedLM.from_pretrained(
                folder).train()
            encoder = self.model.bert.encoder
        self.layers = encoder.layer
        # torch.compile cannot follow NumPy's generator: it stays outside
        sparse = modeling_big_bird.BigBirdBlockSparseAttention
        if hasattr(torch, "compiler"):
            for name in ("_bigbird_block_rand_mask",
                         "_bigbird_block_rand_mask_with_head"):
                setattr(sparse, name,
                        torch.compiler.disable(getattr(sparse, name)))

    def states(self, ids):
        return self.model(ids).last_hidden_state[0]

    def loss(self, ids, labels):
        return self.model(ids, labels=labels).loss


class Peer:
    def __init__(self, folder, reference, way):
        self.folder = folder
        self.kind = {"plain": Plain, "transformers": Transformers}[reference]
        self.compiled = way == "compile"
        self.encoder, self.update, self.out = None, None, None
        self.ids, self.labels = None, None
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
            self.vocabulary = json.load(f)["vocab_size"]

    def make(self, task, precision):
        """A new model for each row: transformers' stays with full attention
        once it has read a sequence too short for the sparse one."""
        self.encoder = self.update = self.out = None
        gc.collect()
        torch.manual_seed(1)
        self.encoder = self.kind(self.folder, task)
        if precision == "bfloat16":
            self.encoder.model.to(torch.bfloat16)
        if self.compiled:  # layer by layer: one compilation serves them all
            torch._dynamo.reset()
            for layer in self.encoder.layers:
                layer.compile(dynamic=False)
        if task == "train":
            self.update = torch.optim.AdamW(self.encoder.model.parameters(),
                                            lr=1e-4)

    def once(self):
        if not self.update:
            with torch.no_grad():
                self.out = self.encoder.states(self.ids)
            return
        self.update.zero_grad(set_to_none=True)
        self.encoder.loss(self.ids, self.labels).backward()
        self.update.step()

    def prepare(self, task, precision, tokens):
        self.make(task, precision)
        self.ids = torch.tensor([ids_of(int(tokens), self.vocabulary)])
        self.labels = torch.where(torch.rand(self.ids.shape) < 0.15, self.ids,
                                  torch.full_like(self.ids, -100))
        start = time.perf_counter()
        if self.compiled:
            self.once()
        forget_peak()
        return {"s": time.perf_counter() - start}

    def run(self, times):
        best = float("inf")
        for _ in range(int(times)):
            start = time.perf_counter()
            self.once()
            best = min(best, time.perf_counter() - start)
        if self.update:  # other peers wait beside this one: hold no gradients
            self.update.zero_grad(set_to_none=True)
        return {"s": best, "mib": peak_mib()}

    def write_states(self, path):
        with open(path, "wb") as f:
            array.array("f", self.out.float().flatten().tolist()).tofile(f)
        return {"ids": self.ids[0].tolist()}


def main():
    folder, reference, way, threads = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    sys.dont_write_bytecode = True
    torch.set_num_threads(int(threads))
    peer = Peer(folder, reference, way)
    calls = {"prepare": peer.prepare, "run": peer.run,
             "states": peer.write_states}
    print(json.dumps({"versions": versions(reference)}), file=answers,
          flush=True)
    for line in sys.stdin:
        word, *values = line.split()
        try:
            answer = calls[word](*values)
        except Exception as e:  # whatever PyTorch throws is an answer
            text = str(e).strip() or type(e).__name__
            answer = {"error": text.splitlines()[0][:200]}
        print(json.dumps(answer), file=answers, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
