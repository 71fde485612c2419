/**
 * Probabilities of the rows of a data set.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_PREDICT_ROWS_H
#define BIRD_EVAL_PREDICT_ROWS_H

#include "dnabird/dataset.h"
#include "session/session.h"

/** How rows are scored. */
struct bird_row_scoring {
    const bird_model *m;
    enum bird_strand strand; /* PLUS, or BOTH: the mean */
    /** Called after every row; nonzero ends the scoring with that code. May
     *  be NULL. */
    int (*after_row)(void *context);
    void *context;
    int64_t n_trimmed; /* out: strands of rows cut to the model's length */
};

/** @param[out] p (d->n, bird_model_labels) raw outputs */
BIRD_MUST_CHECK int bird_rows_score(double *p, struct bird_row_scoring *s,
                                    const bird_dataset *d);

#endif
