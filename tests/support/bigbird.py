#!/usr/bin/env python3
"""BigBird in a page of PyTorch, to hold exported folders against.

    bigbird.py CASES

CASES has a line `FOLDER RANDOM NAME...` a case; each gives a line of TAP. Reads
FOLDER's config.json, model.safetensors and the token type of dnabird.json, checks that names, shapes and ties
are those of transformers' BigBird classes, computes what it makes of the lines
of token ids in FOLDER/ids, and compares with the tensors of FOLDER/out (`dnabird
embed --layer all --pooled --logits`). RANDOM is plan or zero. Attention is
written as one dense softmax in float64 with a count for each pair of blocks:
none of the program's own ways.
SPDX-License-Identifier: MIT
"""
import json
import math
import struct
import sys

import numpy
import torch
import torch.nn.functional as F

ACT = {
    "gelu": F.gelu,
    "gelu_new": lambda x: 0.5 * x * (1 + torch.tanh(
        math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "gelu_10": lambda x: torch.clip(F.gelu(x), -10, 10),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "relu": F.relu, "relu2": lambda x: F.relu(x)**2, "relu6": F.relu6,
    "leaky_relu": F.leaky_relu, "silu": F.silu, "mish": F.mish,
    "sigmoid": torch.sigmoid, "linear": lambda x: x,
    "laplace": lambda x: 0.5 * (1 + torch.erf(
        (x - 0.707107) / (0.282095 * math.sqrt(2)))),
    "tanh": torch.tanh,
}
DTYPE = {"F32": numpy.float32, "I64": numpy.int64, "BF16": numpy.uint16}


def read(path):
    with open(path, "rb") as f:
        raw = f.read()
    n = struct.unpack("<Q", raw[:8])[0]
    header, out = json.loads(raw[8:8 + n]), {}
    for name, t in header.items():
        if name == "__metadata__":
            continue
        a, b = t["data_offsets"]
        x = numpy.frombuffer(raw[8 + n + a:8 + n + b], DTYPE[t["dtype"]])
        if t["dtype"] == "BF16":
            x = (x.astype(numpy.uint32) << 16).view(numpy.float32)
        out[name] = torch.tensor(x.reshape(t["shape"]))
    return out, header.get("__metadata__", {})


def expected(c):
    """Names and shapes of the class that config.json names."""
    h, v = c["hidden_size"], c["vocab_size"]
    inner, labels = c["intermediate_size"], len(c["id2label"])
    e, out = "bert.embeddings.", {}

    def linear(name, rows, columns, bias=True):
        out[name + ".weight"] = [rows, columns]
        if bias:
            out[name + ".bias"] = [rows]

    def norm(name):
        out[name + ".weight"] = out[name + ".bias"] = [h]

    out[e + "word_embeddings.weight"] = [v, h]
    out[e + "position_embeddings.weight"] = [c["max_position_embeddings"], h]
    out[e + "token_type_embeddings.weight"] = [c["type_vocab_size"], h]
    norm(e + "LayerNorm")
    for i in range(c["num_hidden_layers"]):
        p = f"bert.encoder.layer.{i}."
        for part in ("query", "key", "value"):
            linear(p + "attention.self." + part, h, h, c["use_bias"])
        linear(p + "attention.output.dense", h, h)
        norm(p + "attention.output.LayerNorm")
        linear(p + "intermediate.dense", inner, h)
        linear(p + "output.dense", h, inner)
        norm(p + "output.LayerNorm")
    linear("bert.pooler", h, h)
    kind = c["architectures"][0]
    if kind in ("BigBirdForMaskedLM", "BigBirdForPreTraining"):
        linear("cls.predictions.transform.dense", h, h)
        norm("cls.predictions.transform.LayerNorm")
        out["cls.predictions.bias"] = [v]
        if not c["tie_word_embeddings"]:
            out["cls.predictions.decoder.weight"] = [v, h]
    if kind == "BigBirdForPreTraining":
        linear("cls.seq_relationship", 2, h)
    if kind == "BigBirdForSequenceClassification":
        linear("classifier.dense", h, h)
        linear("classifier.out_proj", labels, h)
    if kind == "BigBirdForTokenClassification":
        linear("classifier", labels, h)
    return out


def check_names(c, w):
    want = expected(c)
    got = {k: list(x.shape) for k, x in w.items()}
    if c["architectures"] == ["BigBirdModel"]:  # a linear head has no class
        got = {k: s for k, s in got.items() if not k.startswith("classifier.")}
    for k in sorted(set(want) | set(got)):
        if want.get(k) != got.get(k):
            raise ValueError(f"{k}: {got.get(k)}, not {want.get(k)}")


def random_blocks(c, layer, n_block, kind):
    """(heads, n_block, r): the general plan, drawn by numpy itself."""
    r, heads = c["num_random_blocks"], c["num_attention_heads"]
    out = numpy.zeros((heads, n_block, r), int)
    if kind == "zero":
        return out
    numpy.random.seed(layer)
    end = 2 * r + 5
    for rows in (range(1, end), range(end, n_block)):
        for row in rows:
            for head in range(heads):
                perm = numpy.random.permutation(numpy.arange(0, end))
                no = {row - 1, row, row + 1, 0, end - 1}
                no |= {end - 2} if row == 1 else set()
                no |= {1} if row == end - 2 else set()
                out[head, row] = [x for x in perm if x not in no][:r]
    return out


def counts(c, layer, n, kind):
    """How often each key counts for each query: (heads, n, n)."""
    b, r = c["block_size"], c["num_random_blocks"]
    heads = c["num_attention_heads"]
    if c["attention_type"] == "original_full" or n <= (5 + 2 * r) * b:
        return torch.ones(heads, n, n, dtype=torch.float64)
    assert n not in (1024, 3072, 4096), "the general plan alone is here"
    m = -(-n // b)
    plan = random_blocks(c, layer, m, kind)
    count = numpy.zeros((heads, m, m))
    for i in range(m):
        fixed = (range(m) if i in (0, m - 1)
                 else (0, 1, 2, m - 1) if i == 1
                 else (0, m - 3, m - 2, m - 1) if i == m - 2
                 else (0, i - 1, i, i + 1, m - 1))
        count[:, i, list(fixed)] = 1
        for head in range(heads) if 0 < i < m - 1 else ():
            for j in plan[head, i]:
                count[head, i, j] += 1
    big = numpy.repeat(numpy.repeat(count, b, 1), b, 2)
    return torch.tensor(big[:, :n, :n])


def run(c, w, ids, kind):
    """Hidden states of all layers, pooled vector, logits, relation."""
    h, heads, n = c["hidden_size"], c["num_attention_heads"], len(ids)
    act, dim = ACT[c["hidden_act"]], h // heads

    def linear(x, name):
        return F.linear(x, w[name + ".weight"], w.get(name + ".bias"))

    def norm(x, name):
        return F.layer_norm(x, (h,), w[name + ".weight"], w[name + ".bias"],
                            c["layer_norm_eps"])

    e = "bert.embeddings."
    x = w[e + "word_embeddings.weight"][ids]
    x = x * (math.sqrt(h) if c["rescale_embeddings"] else 1)
    x = x + w[e + "token_type_embeddings.weight"][c.get("token_type", 0)]
    x = norm(x + w[e + "position_embeddings.weight"][:n], e + "LayerNorm")
    states = [x]
    for i in range(c["num_hidden_layers"]):
        p = f"bert.encoder.layer.{i}."
        q, k, v = (linear(x, p + "attention.self." + s).view(n, heads, dim)
                   .transpose(0, 1) for s in ("query", "key", "value"))
        s = q @ k.transpose(1, 2) / math.sqrt(dim)
        a = torch.softmax(s + torch.log(counts(c, i, n, kind)), -1)
        z = (a @ v).transpose(0, 1).reshape(n, h)
        x = norm(linear(z, p + "attention.output.dense") + x,
                 p + "attention.output.LayerNorm")
        z = linear(act(linear(x, p + "intermediate.dense")), p + "output.dense")
        x = norm(z + x, p + "output.LayerNorm")
        states.append(x)
    pooled = torch.tanh(linear(x[:1], "bert.pooler"))
    logits = relation = None
    if "cls.predictions.bias" in w:
        z = act(linear(x, "cls.predictions.transform.dense"))
        z = norm(z, "cls.predictions.transform.LayerNorm")
        d = w.get("cls.predictions.decoder.weight",
                  w[e + "word_embeddings.weight"])
        logits = F.linear(z, d, w["cls.predictions.bias"])
    elif "classifier.dense.weight" in w:
        logits = linear(act(linear(x[:1], "classifier.dense")),
                        "classifier.out_proj")
    elif c["architectures"] == ["BigBirdForTokenClassification"]:
        logits = linear(x, "classifier")
    if "cls.seq_relationship.weight" in w:
        relation = linear(pooled, "cls.seq_relationship")
    return states, pooled, logits, relation


def compare(name, got, want):
    if got.shape != want.shape:
        raise ValueError(f"{name}: {list(got.shape)}, not {list(want.shape)}")
    off = ((got.double() - want).abs() / want.abs().clamp(min=1)).max()
    if not off < 5e-5:
        raise ValueError(f"{name}: off by {off:.3g}")
    return float(off)


def check(folder, kind):
    """The largest difference; ValueError, or OSError of a missing file."""
    with open(folder + "/config.json") as f:
        c = json.load(f)
    with open(folder + "/dnabird.json") as f:
        c["token_type"] = json.load(f).get("token_type", 0)
    w, meta = read(folder + "/model.safetensors")
    if meta.get("format") != "pt":
        raise ValueError("the metadata does not say format pt")
    check_names(c, w)
    w = {k: x.double() for k, x in w.items()}
    got, _ = read(folder + "/out")
    with open(folder + "/ids") as f:
        made = [run(c, w, [int(x) for x in line.split()], kind) for line in f]
    worst = 0.0
    for i in range(c["num_hidden_layers"] + 1):
        want = torch.cat([m[0][i] for m in made])
        worst = max(worst, compare(f"hidden_states.{i}",
                                   got[f"hidden_states.{i}"], want))
    for i, name in ((1, "pooler_output"), (2, "logits"),
                    (3, "seq_relationship_logits")):
        if name in got and made[0][i] is not None:
            want = torch.cat([m[i] for m in made])
            worst = max(worst, compare(name, got[name], want))
    return worst


def main():
    bad = n = 0
    with open(sys.argv[1]) as f:
        for n, line in enumerate(f, 1):
            folder, kind, name = line.rstrip("\n").split(" ", 2)
            try:
                print(f"ok {n} - {name}: off by {check(folder, kind):.2g}")
            except (ValueError, OSError) as e:
                bad += 1
                print(f"not ok {n} - {name}\n# {e}")
    print(f"1..{n}")
    sys.exit(bad != 0 or n == 0)


if __name__ == "__main__":
    main()
