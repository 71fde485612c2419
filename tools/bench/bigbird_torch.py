"""BigBird's encoder in plain PyTorch, without transformers.

A peer to be timed (tests/support/bigbird.py, which judges every form of the
model, is dense and in float64): weights from a model folder, linear layers,
normalisation and scaled_dot_product_attention as PyTorch has them, and
block-sparse attention as its authors describe it (Zaheer et al. 2020,
section 2): the key blocks of each block of queries are gathered and multiplied
as one batch. Random blocks are all block 0, what transformers' evaluation does
since 4.29 (`--random-blocks zero`). No dropout, no mask.
SPDX-License-Identifier: MIT
"""
import json
import math
import os
import struct

import torch
from torch import nn
from torch.nn import functional as F


def load(folder):
    """config.json, and the float32 tensors of model.safetensors by name."""
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        config = json.load(f)
    with open(os.path.join(folder, "model.safetensors"), "rb") as f:
        size = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(size))
        data = bytearray(f.read())
    tensors = {}
    for name, t in header.items():
        if name != "__metadata__" and t["dtype"] == "F32":
            first, end = t["data_offsets"]
            x = torch.frombuffer(data, dtype=torch.float32, offset=first,
                                 count=(end - first) // 4)
            tensors[name] = x.reshape(t["shape"]).clone()
    return config, tensors


def linear(tensors, name):
    weight = tensors[name + ".weight"]
    layer = nn.Linear(weight.shape[1], weight.shape[0], device="meta")
    layer.weight = nn.Parameter(weight)
    layer.bias = nn.Parameter(tensors[name + ".bias"])
    return layer


def norm(tensors, name, config):
    weight = tensors[name + ".weight"]
    layer = nn.LayerNorm(len(weight), config["layer_norm_eps"])
    layer.weight = nn.Parameter(weight)
    layer.bias = nn.Parameter(tensors[name + ".bias"])
    return layer


def softmax_attention(q, k, v):
    """For PyTorch before 2.0."""
    q = q / math.sqrt(q.shape[-1])
    return F.softmax(q @ k.transpose(-1, -2), -1) @ v


attend = getattr(F, "scaled_dot_product_attention", softmax_attention)


def gelu(x):
    return F.gelu(x, approximate="tanh")


class Layer(nn.Module):
    """(tokens, hidden) to the same."""

    def __init__(self, config, tensors, name):
        super().__init__()
        self.heads = config["num_attention_heads"]
        self.block = config["block_size"]
        self.random = [0] * config["num_random_blocks"]
        for n in ("query", "key", "value"):
            setattr(self, n, linear(tensors, name + ".attention.self." + n))
        self.mix = linear(tensors, name + ".attention.output.dense")
        self.mix_norm = norm(tensors, name + ".attention.output.LayerNorm",
                             config)
        self.wide = linear(tensors, name + ".intermediate.dense")
        self.narrow = linear(tensors, name + ".output.dense")
        self.narrow_norm = norm(tensors, name + ".output.LayerNorm", config)

    def forward(self, x):
        q, k, v = (f(x).reshape(x.shape[0], self.heads, -1).transpose(0, 1)
                   for f in (self.query, self.key, self.value))
        y = self.attention(q, k, v).transpose(0, 1).reshape(x.shape)
        x = self.mix_norm(self.mix(y) + x)
        return self.narrow_norm(self.narrow(gelu(self.wide(x))) + x)

    def attention(self, q, k, v):
        b, random = self.block, self.random
        tokens = q.shape[1]
        if tokens <= (5 + 2 * len(random)) * b:
            return attend(q[None], k[None], v[None])[0]
        if tokens % b:
            raise ValueError("%d tokens are no whole blocks" % tokens)
        last = tokens // b - 1
        lists = [[0, i - 1, i, i + 1] + random + [last]
                 for i in range(2, last - 1)]
        return torch.cat((
            self.rows(q, k, v, 0, None),
            self.rows(q, k, v, 1, [[0, 1, 2, last] + random]),
            self.rows(q, k, v, 2, lists),
            self.rows(q, k, v, last - 1,
                      [[0, last - 2, last - 1, last] + random]),
            self.rows(q, k, v, last, None)), 1)

    def rows(self, q, k, v, first, lists):
        """Query blocks from `first` on, each with its list of key blocks;
        without lists one block that sees all."""
        b = self.block
        h, tokens, d = q.shape
        if lists is None:
            q = q[:, first * b:(first + 1) * b]
            return attend(q[None], k[None], v[None])[0]
        at = torch.tensor(lists)
        q = q.reshape(h, tokens // b, b, d)[:, first:first + len(lists)]
        k, v = (x.reshape(h, tokens // b, b, d)[:, at]
                .reshape(h, len(lists), -1, d) for x in (k, v))
        return attend(q, k, v).reshape(h, -1, d)


class BigBird(nn.Module):
    """ids (1, tokens) to the last hidden states (tokens, hidden)."""

    def __init__(self, folder):
        super().__init__()
        config, tensors = load(folder)
        name = "bert.embeddings."
        self.words, self.kinds, self.places = (
            nn.Parameter(tensors[name + n + "_embeddings.weight"])
            for n in ("word", "token_type", "position"))
        self.first_norm = norm(tensors, name + "LayerNorm", config)
        self.layers = nn.ModuleList(
            Layer(config, tensors, "bert.encoder.layer.%d" % i)
            for i in range(config["num_hidden_layers"]))
        self.head = linear(tensors, "cls.predictions.transform.dense")
        self.head_norm = norm(tensors, "cls.predictions.transform.LayerNorm",
                              config)
        self.bias = nn.Parameter(tensors["cls.predictions.bias"])

    def forward(self, ids):
        x = self.first_norm(self.words[ids[0]] + self.kinds[0] +
                            self.places[:ids.shape[1]])
        for layer in self.layers:
            x = layer(x)
        return x

    def loss(self, ids, labels):
        """Masked-language loss over labels that are not -100."""
        x = self.forward(ids)[labels[0] != -100]
        x = self.head_norm(gelu(self.head(x)))
        x = F.linear(x, self.words, self.bias)
        return F.cross_entropy(x.float(), labels[labels != -100])
