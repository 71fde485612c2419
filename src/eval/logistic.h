/**
 * L2-regularised logistic regression on sparse rows.
 *
 * Minimised is, over rows i with a target y_i in {0, 1},
 *     mean_i [log(1 + exp(z_i)) - y_i z_i] + l2 / 2 * sum_j v_j^2,
 *     z_i = b + sum_j v_j x_ij
 * (the intercept b is free).
 * Work is cut into a fixed number of chunks, summed in order: the result does
 * not depend on the number of threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_LOGISTIC_H
#define BIRD_TRAIN_LOGISTIC_H

#include <stdint.h>

#include "dnabird/error.h"

/** The non-zero features of one row; room is the design's max_row. */
struct bird_sparse {
    int32_t *index;
    float *value;
    int64_t n;
};

/** Fill f with row i; called from several threads at once. */
typedef void bird_sparse_row(const void *context, struct bird_sparse *f,
                             int64_t i);

struct bird_design {
    int64_t n_row, n_feature;
    int64_t max_row; /* most non-zero features of a row */
    bird_sparse_row *row;
    const void *context;
    /* The first n_kept rows, kept in memory as far as it may be used. */
    int64_t n_kept, *at; /* (n_kept+1) */
    int32_t *index;
    float *value;
};

/** Keep the first rows in memory, up to max_bytes; the others are asked for
 * again in every pass. */
BIRD_MUST_CHECK int bird_design_keep(struct bird_design *d, int64_t max_bytes);
/** Free what keep made. */
void bird_design_free(struct bird_design *d);

/** Row i: where it is kept, or asked for into scratch. */
void bird_design_row(struct bird_sparse *out, const struct bird_design *d,
                     int64_t i, struct bird_sparse *scratch);

/** Room for n features of a row. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_sparse_new(struct bird_sparse *out, int64_t n);
void bird_sparse_free(struct bird_sparse *f);

/**
 * Fit one answer. v (n_feature+1) is the start and the result, the intercept
 * last.
 *
 * @param decrease it ends when a step lowers the loss by less than this share
 * @param target (n_row) 0, 1 or NaN (left out); use (n_row) 1 = fit on it
 */
BIRD_MUST_CHECK int bird_logistic_fit(double *v, const struct bird_design *d,
                                      const float *target, const uint8_t *use,
                                      double l2, double decrease);

/** Mean log loss on the rows whose use is 0 and target is known; NaN without
 * such rows. */
BIRD_MUST_CHECK int bird_logistic_loss(double *out, const struct bird_design *d,
                                       const float *target, const uint8_t *use,
                                       const double *v);

#endif
