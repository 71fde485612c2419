"""BigBird's encoder in plain PyTorch, without transformers.

A peer to be timed where transformers is not to be had (tests/support/bigbird.py,
which judges every form of the model, is dense and in float64):
weights from a model folder, linear layers, softmax and normalisation as
PyTorch has them, and block-sparse attention as its authors describe it (Zaheer
et al. 2020, section 2): the key blocks of each block of queries
are gathered and multiplied as one batch. Random blocks are all block 0, what
transformers' evaluation does since 4.29 (`--random-blocks zero`). No dropout,
no mask.
SPDX-License-Identifier: MIT
"""
import json
import math
import os
import struct

import torch
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


class BigBird(torch.nn.Module):
    """ids (1, tokens) to the last hidden states (tokens, hidden)."""

    def __init__(self, folder):
        super().__init__()
        self.config, tensors = load(folder)
        self.names = {n: n.replace(".", "/") for n in tensors}
        self.weights = torch.nn.ParameterDict(
            {self.names[n]: torch.nn.Parameter(x)
             for n, x in tensors.items()})

    def weight(self, name):
        return self.weights[self.names[name]]

    def linear(self, x, name):
        return F.linear(x, self.weight(name + ".weight"),
                        self.weight(name + ".bias"))

    def norm(self, x, name):
        return F.layer_norm(x, x.shape[-1:], self.weight(name + ".weight"),
                            self.weight(name + ".bias"),
                            self.config["layer_norm_eps"])

    def activation(self, x):
        return F.gelu(x, approximate="tanh")

    def heads(self, x):
        """(tokens, hidden) to (heads, tokens, dimension)"""
        n = self.config["num_attention_heads"]
        return x.reshape(x.shape[0], n, -1).transpose(0, 1)

    def attention(self, q, k, v):
        b, r = self.config["block_size"], self.config["num_random_blocks"]
        tokens = q.shape[1]
        q = q / math.sqrt(q.shape[2])
        if tokens <= (5 + 2 * r) * b:
            return F.softmax(q @ k.transpose(1, 2), -1) @ v
        if tokens % b:
            raise ValueError("%d tokens are no whole blocks" % tokens)
        last = tokens // b - 1
        random = [0] * r
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
        b = self.config["block_size"]
        h, tokens, d = q.shape
        if lists is None:
            q = q[:, first * b:(first + 1) * b]
            return F.softmax(q @ k.transpose(1, 2), -1) @ v
        at = torch.tensor(lists)
        q = q.reshape(h, tokens // b, b, d)[:, first:first + len(lists)]
        k, v = (x.reshape(h, tokens // b, b, d)[:, at]
                .reshape(h, len(lists), -1, d) for x in (k, v))
        p = F.softmax(q @ k.transpose(2, 3), -1)
        return (p @ v).reshape(h, -1, d)

    def layer(self, x, name):
        q, k, v = (self.heads(self.linear(x, name + ".attention.self." + n))
                   for n in ("query", "key", "value"))
        y = self.attention(q, k, v).transpose(0, 1).reshape(x.shape)
        x = self.norm(self.linear(y, name + ".attention.output.dense") + x,
                      name + ".attention.output.LayerNorm")
        y = self.activation(self.linear(x, name + ".intermediate.dense"))
        return self.norm(self.linear(y, name + ".output.dense") + x,
                         name + ".output.LayerNorm")

    def forward(self, ids):
        name = "bert.embeddings."
        x = (self.weight(name + "word_embeddings.weight")[ids[0]] +
             self.weight(name + "token_type_embeddings.weight")[0] +
             self.weight(name + "position_embeddings.weight")[:ids.shape[1]])
        x = self.norm(x, name + "LayerNorm")
        for i in range(self.config["num_hidden_layers"]):
            x = self.layer(x, "bert.encoder.layer.%d" % i)
        return x

    def loss(self, ids, labels):
        """Masked-language loss over labels that are not -100."""
        x = self.forward(ids)[labels[0] != -100]
        x = self.activation(self.linear(x, "cls.predictions.transform.dense"))
        x = self.norm(x, "cls.predictions.transform.LayerNorm")
        x = F.linear(x, self.weight("bert.embeddings.word_embeddings.weight"),
                     self.weight("cls.predictions.bias"))
        return F.cross_entropy(x, labels[labels != -100])
