"""How the expected values in tests/unit/test_metrics.c were made.

Run with scikit-learn 1.2.1. Not needed by the tests.
SPDX-License-Identifier: MIT
"""
import numpy as np
from sklearn import metrics as sk


def lcg(n, seed):
    x, out = seed, []
    for _ in range(n):
        x = (x * 1103515245 + 12345) % 2**31
        out.append(x >> 16)
    return np.array(out)


def ece(p, hit, bins):
    k = np.minimum((p * bins).astype(int), bins - 1)
    return sum(abs(p[k == b].sum() - hit[k == b].sum()) for b in range(bins)) / len(p)


def show(name, values):
    print(name)
    for v in values:
        print("    %.17g," % v)


def binary(n, seed):
    r = lcg(2 * n, seed)
    p = (r[0::2] % 101) / 100.0  # many ties
    y = ((r[1::2] % 101) / 100.0 < 0.2 + 0.6 * p).astype(int)
    c = (p >= 0.5).astype(int)
    show("binary", [sk.accuracy_score(y, c), sk.precision_score(y, c),
                    sk.recall_score(y, c), sk.f1_score(y, c),
                    sk.matthews_corrcoef(y, c), sk.roc_auc_score(y, p),
                    sk.average_precision_score(y, p),
                    sk.brier_score_loss(y, p), sk.log_loss(y, p),
                    ece(p, y, 10)])
    print("positives", y.sum())


def classes(n, seed):
    r = lcg(4 * n, seed).reshape(n, 4)
    raw = 1.0 + r[:, :3] % 23
    y = r[:, 3] % 5
    y = np.where(y < 3, y, raw.argmax(1))
    p = raw / raw.sum(1, keepdims=True)
    c = p.argmax(1)
    onehot = np.eye(3)[y]
    show("classes", [sk.accuracy_score(y, c),
                     sk.precision_score(y, c, average="macro"),
                     sk.recall_score(y, c, average="macro"),
                     sk.f1_score(y, c, average="macro"),
                     sk.matthews_corrcoef(y, c),
                     sk.roc_auc_score(y, p, multi_class="ovr"),
                     sk.average_precision_score(onehot, p, average="macro"),
                     ((p - onehot) ** 2).sum(1).mean(), sk.log_loss(y, p),
                     ece(p.max(1), (y == c).astype(int), 10)])


binary(500, 1)
classes(300, 7)
