"""How areas.tsv and areas_expected.tsv were made (scikit-learn 1.2.1, numpy
1.24.2 of Debian 12):  python3 areas.py FOLDER

Answers of several labels: rare positives, ties, a constant answer, probabilities
near 0 and 1, unknown entries, a label without positives and one without
negatives. The areas are those of roc_auc_score and average_precision_score over
the known rows.
SPDX-License-Identifier: MIT
"""
import sys

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

rng = np.random.RandomState(919)
N, LABELS = 150, 9
y = (rng.rand(N, LABELS) < [0.5, 0.1, 0.02, 0.3, 0.3, 0.2, 0.4, 0, 1]).astype(float)
p = 1 / (1 + np.exp(-(rng.randn(N, LABELS) + 1.5 * (y - 0.5))))
p[:, 3] = np.round(p[:, 3], 1)  # many ties
p[:, 4] = 0.25  # one tie
p[:, 5] = p[:, 5] ** 40  # down to 1e-60
p[:, 6] = 1 - p[:, 6] * 1e-9  # next to 1
y[rng.rand(N, LABELS) < 0.1] = np.nan
y[::2, 1] = np.nan

with open(sys.argv[1] + "/areas.tsv", "w") as f:
    f.write("label\ttarget\tprobability\n")
    for k in range(LABELS):
        for i in range(N):
            target = "NA" if np.isnan(y[i, k]) else "%d" % y[i, k]
            f.write("%d\t%s\t%s\n" % (k, target, repr(float(p[i, k]))))
with open(sys.argv[1] + "/areas_expected.tsv", "w") as f:
    f.write("label\trows\tpositives\tauroc\tauprc\n")
    for k in range(LABELS):
        known = ~np.isnan(y[:, k])
        t, q = y[known, k], p[known, k]
        auroc = roc_auc_score(t, q) if 0 < t.sum() < len(t) else "NA"
        auprc = average_precision_score(t, q) if t.sum() else "NA"
        f.write("%d\t%d\t%d\t%s\t%s\n" % (k, known.sum(), t.sum(), auroc, auprc))
