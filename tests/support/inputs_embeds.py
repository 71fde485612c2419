# Hidden states of transformers' BigBirdModel on rows that dnabird wrote, against
# those of dnabird; prints TAP. The names of models are the lines of a file.
# SPDX-License-Identifier: MIT
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from safetensors.torch import load_file

transformers.logging.set_verbosity_error()
torch.set_num_threads(1)
bad = 0
for i, name in enumerate(open(sys.argv[1]).read().split(), 1):
    rows = load_file(f"{name}.in.safetensors")
    want = load_file(f"{name}.out.safetensors")["last_hidden_state"]
    most, at = 0, rows["offset"].tolist()
    for a, b in zip(at, at[1:]):
        # one that has read a short sequence stays with full attention
        model = transformers.BigBirdModel.from_pretrained(f"{name}.plain").eval()
        with torch.no_grad():
            x = rows["inputs_embeds"][None, a:b]
            y = model(inputs_embeds=x, attention_mask=torch.ones(1, b - a))
        most = max(most, (y.last_hidden_state[0] - want[a:b]).abs().max().item())
    ok = most < 2e-5
    bad |= not ok
    print(f"{'' if ok else 'not '}ok {i} - {name}: largest difference {most:.1e}")
sys.exit(bad)
