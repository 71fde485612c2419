/**
 * Inside a baseline: the features of a sequence, for tests of them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_BASELINE_H
#define BIRD_EVAL_BASELINE_H

#include "dnabird/metrics.h"
#include "eval/logistic.h"

#define BIRD_KMER_MIN      3
#define BIRD_KMER_MAX      6
#define BIRD_KMER_FEATURES 5440 /* 4^3 + 4^4 + 4^5 + 4^6 */
#define BIRD_POSITION_MAX  5000 /* bp */

/** An empty baseline for these labels, tables filled. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_baseline_new(bird_baseline **out,
                                      enum bird_label_kind kind,
                                      int64_t n_label, int canonical);

/** Features of a sequence; f has room for 3 a base, or all k-mers. */
void bird_baseline_features(struct bird_sparse *f, const bird_baseline *b,
                            enum bird_baseline_kind kind, const char *seq,
                            int64_t len);

/** Number of features of positions for inputs of this length. */
static inline int64_t bird_position_features(int64_t length)
{
    return length * 4 + (length - 1) * 16 + (length - 2) * 64;
}

#endif
