/**
 * Probabilities of the rows of a data set.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_PREDICT_ROWS_H
#define BIRD_TRAIN_PREDICT_ROWS_H

#include "dnabird/dataset.h"
#include "session/score.h"

/** What scores, and how; the pointers are borrowed. */
struct bird_row_scoring {
    const struct bird_config *c;
    const struct bird_weights *w;
    const bird_tokenizer *t;
    int64_t pad_to; /* bird_model_run */
    int reverse;    /* score the reverse complement of each row */
    /** Called after every row; nonzero ends the work with that code. */
    int (*after_row)(void *context);
    void *context;
    int64_t n_trimmed; /* out: rows cut to the model's length, added */
};

/** Columns of p: 1 for a choice of two (class 1), else the head's. */
int64_t bird_row_columns(const struct bird_config *c);

/** @param[out] p (d->n, bird_row_columns) */
BIRD_MUST_CHECK int bird_rows_score(double *p, struct bird_row_scoring *s,
                                    const bird_dataset *d);

#endif
