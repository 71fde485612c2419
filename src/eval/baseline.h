/**
 * What a floor is made of: features of a sequence and weights on them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_BASELINE_H
#define BIRD_TRAIN_BASELINE_H

#include "dnabird/baseline.h"
#include "eval/logistic.h"

#define BIRD_KMER_MIN      3
#define BIRD_KMER_MAX      6
#define BIRD_KMER_FEATURES 5440 /* 4^3 + 4^4 + 4^5 + 4^6 */
#define BIRD_POSITION_MAX  5000 /* bp */
#define BIRD_LOG_TABLE     1024

struct bird_floor {
    int64_t n_feature; /* 0 = this floor is not there */
    float *weight;     /* (n_column, n_feature+1), the intercept last */
    double *l2;        /* (n_column) */
};

struct bird_baseline {
    enum bird_label_kind kind;
    int64_t n_label, n_column;
    int canonical;
    int64_t length; /* of the positions' inputs; 0 = none */
    struct bird_floor floor[BIRD_N_BASELINE];
    uint16_t map[BIRD_KMER_FEATURES]; /* k-mer to its feature */
    float log1p[BIRD_LOG_TABLE];
};

/** An empty baseline for these labels, tables filled. */
BIRD_MUST_CHECK int bird_baseline_new(bird_baseline **out,
                                      enum bird_label_kind kind,
                                      int64_t n_label, int canonical);

/** Number of features of positions for inputs of this length. */
int64_t bird_position_features(int64_t length);

/** Features of a sequence; f has room for bird_baseline_max_row(). */
void bird_baseline_features(struct bird_sparse *f, const bird_baseline *b,
                            enum bird_baseline_kind kind, const char *seq,
                            int64_t len);

/** Room that the features of a sequence of at most len need. */
int64_t bird_baseline_max_row(enum bird_baseline_kind kind, int64_t len);

#endif
