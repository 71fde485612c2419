#!/usr/bin/env python3
"""Make the checkpoints of this folder with PyTorch (Debian: python3-torch).

All of them hold the same weights, which float16 and bfloat16 both represent
exactly, so that every form must give the same floats. README.md lists them.
SPDX-License-Identifier: MIT
"""
import json
import os
import struct
from collections import OrderedDict

import torch

HIDDEN, HEADS, LAYERS, INNER = 8, 2, 1, 16
VOCAB, POSITIONS, TYPES, BLOCK, RANDOM = 12, 32, 2, 2, 1


def shapes():
    """Names and shapes of BigBirdForMaskedLM, without tied copies."""
    out = OrderedDict()
    e = "bert.embeddings."
    out[e + "word_embeddings.weight"] = (VOCAB, HIDDEN)
    out[e + "position_embeddings.weight"] = (POSITIONS, HIDDEN)
    out[e + "token_type_embeddings.weight"] = (TYPES, HIDDEN)
    norm = [e + "LayerNorm"]
    linear = [("bert.pooler", HIDDEN, HIDDEN),
              ("cls.predictions.transform.dense", HIDDEN, HIDDEN)]
    for i in range(LAYERS):
        p = f"bert.encoder.layer.{i}."
        for part in ("query", "key", "value"):
            linear.append((p + "attention.self." + part, HIDDEN, HIDDEN))
        linear.append((p + "attention.output.dense", HIDDEN, HIDDEN))
        linear.append((p + "intermediate.dense", INNER, HIDDEN))
        linear.append((p + "output.dense", HIDDEN, INNER))
        norm += [p + "attention.output.LayerNorm", p + "output.LayerNorm"]
    norm.append("cls.predictions.transform.LayerNorm")
    for name, rows, columns in linear:
        out[name + ".weight"] = (rows, columns)
        out[name + ".bias"] = (rows,)
    for name in norm:
        out[name + ".weight"] = (HIDDEN,)
        out[name + ".bias"] = (HIDDEN,)
    out["cls.predictions.bias"] = (VOCAB,)
    return out


def weights():
    """Multiples of 1/64 within 2: exact in float16 and in bfloat16."""
    state = 1
    out = OrderedDict()
    for name, shape in shapes().items():
        values = []
        for _ in range(torch.Size(shape).numel()):
            state = (state * 1103515245 + 12345) % 2**31
            values.append(((state >> 16) % 127 - 63) / 64)
        x = torch.tensor(values, dtype=torch.float32).reshape(shape)
        if name.endswith("LayerNorm.weight"):
            x = x / 2 + 1
        assert torch.equal(x, x.half().float())
        assert torch.equal(x, x.bfloat16().float())
        out[name] = x
    return out


def tied(state):
    """Both tied copies, which share their storage, and the old buffer."""
    out = OrderedDict(state)
    word = "bert.embeddings.word_embeddings.weight"
    out["cls.predictions.decoder.weight"] = state[word]
    out["cls.predictions.decoder.bias"] = state["cls.predictions.bias"]
    out["bert.embeddings.position_ids"] = torch.arange(POSITIONS)[None]
    # what Module.state_dict() hangs on it
    out._metadata = OrderedDict([("", {"version": 1}),
                                 ("bert", {"version": 1})])
    return out


def cast(state, dtype):
    return OrderedDict((k, v.to(dtype)) for k, v in state.items())


def parameters(state):
    return OrderedDict((k, torch.nn.Parameter(v)) for k, v in state.items())


def bare(state):
    """BigBirdModel's own names: no head, no prefix."""
    return OrderedDict((k[5:], v) for k, v in state.items()
                       if k.startswith("bert."))


def one_storage(state):
    """All tensors as views of one storage."""
    flat = torch.cat([v.reshape(-1) for v in state.values()])
    out, at = OrderedDict(), 0
    for k, v in state.items():
        out[k] = flat[at:at + v.numel()].reshape(v.shape)
        at += v.numel()
    return out


def turned(state):
    """One weight as a transposed view."""
    out = OrderedDict(state)
    name = "bert.pooler.weight"
    out[name] = state[name].t().contiguous().t()
    return out


def save(state, name, legacy=False, **more):
    torch.save(state, name, _use_new_zipfile_serialization=not legacy, **more)


def save_safetensors(state, name, metadata=None):
    names = {torch.float32: "F32", torch.float16: "F16",
             torch.bfloat16: "BF16"}
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for k in sorted(state):
        x = state[k].contiguous()
        raw = x.view(torch.int16 if x.element_size() == 2 else torch.int32)
        raw = raw.numpy().tobytes()
        header[k] = {"dtype": names[x.dtype], "shape": list(x.shape),
                     "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(name, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def save_shards(state):
    """Two files and the index, as save_pretrained makes them."""
    keys = sorted(state)
    parts = [keys[:len(keys) // 2], keys[len(keys) // 2:]]
    where, size = {}, 0
    for i, part in enumerate(parts):
        name = f"model-{i + 1:05}-of-{len(parts):05}.safetensors"
        save_safetensors({k: state[k] for k in part}, name)
        for k in part:
            where[k] = name
            size += state[k].numel() * 4
    with open("model.safetensors.index.json", "w") as f:
        json.dump({"metadata": {"total_size": size}, "weight_map": where}, f,
                  indent=1, sort_keys=True)
        f.write("\n")


class Foreign:
    """Pickled as a call of os.system: what a reader must never run."""

    def __reduce__(self):
        return os.system, ("touch harmed",)


def config():
    return {"architectures": ["BigBirdForMaskedLM"],
            "attention_type": "block_sparse", "block_size": BLOCK,
            "hidden_act": "gelu_new", "hidden_size": HIDDEN,
            "intermediate_size": INNER, "layer_norm_eps": 1e-12,
            "max_position_embeddings": POSITIONS, "model_type": "big_bird",
            "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
            "num_random_blocks": RANDOM, "pad_token_id": 3,
            "rescale_embeddings": False, "transformers_version": "4.17.0",
            "type_vocab_size": TYPES, "use_bias": True, "vocab_size": VOCAB}


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    state = weights()
    with open("config.json", "w") as f:
        json.dump(config(), f, indent=2)
        f.write("\n")
    save_safetensors(state, "model.safetensors")
    save_safetensors(cast(state, torch.float16), "half.safetensors")
    save_safetensors(cast(state, torch.bfloat16), "brain.safetensors")
    save_shards(state)
    for form, legacy in (("zip", False), ("old", True)):
        save(tied(state), f"{form}_f32.bin", legacy)
        save(cast(state, torch.float16), f"{form}_f16.bin", legacy)
        save(cast(state, torch.bfloat16), f"{form}_bf16.bin", legacy)
    save(parameters(state), "zip_parameter.bin")
    save(bare(state), "zip_bare.bin")
    save(one_storage(state), "zip_one_storage.bin")
    save(state, "zip_protocol4.bin", pickle_protocol=4)
    # what is refused
    save(turned(state), "bad_view.bin")
    save({"bert.pooler.bias": torch.zeros(8, dtype=torch.float64)},
         "bad_double.bin")
    save({"bert.pooler.bias": Foreign()}, "bad_foreign.bin")
    save({"bert.pooler.bias": Foreign()}, "bad_foreign_old.bin", True)
    save({"state_dict": state}, "bad_nested.bin", True)


if __name__ == "__main__":
    main()
