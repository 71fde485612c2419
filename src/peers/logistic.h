/**
 * L2-regularised logistic or linear regressions on sparse rows, one or many over
 * the same rows.
 *
 * Minimised is, for every answer, over the rows i with a target y_i in {0, 1},
 *     mean_i [log(1 + exp(z_i)) - y_i z_i] + l2 / 2 * sum_j v_j^2,
 *     z_i = b + sum_j v_j x_ij
 * (the intercept b is free), by L-BFGS; of linear regressions, whose targets are
 * any number, the mean of (z_i - y_i)^2 / 2 and the same penalty; with weights of
 * rows these are weighted means. Results do not
 * depend on the number of threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PEERS_LOGISTIC_H
#define BIRD_PEERS_LOGISTIC_H

#include <stdint.h>

#include "dnabird/error.h"

/** The non-zero features of one row; the arrays have the design's max_row
 *  elements. */
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
    /* The first n_kept rows, which are kept in memory. */
    int64_t n_kept, *at; /* (n_kept+1) */
    int32_t *index;
    float *value;
};

/** Keep the first rows in memory, up to max_bytes; the others are computed
 *  in every pass. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_design_keep(struct bird_design *d, int64_t max_bytes);
/** Free the kept rows. */
void bird_design_free(struct bird_design *d);

/** Answers that are fitted together when row_targets is given. */
enum { BIRD_LOGISTIC_BLOCK = 64 };

/** The regressions to fit; pointers are borrowed. */
struct bird_logistic {
    const struct bird_design *design;
    int64_t n_answer;
    int linear; /* 1: linear regressions */
    /**
     * Targets 0, 1 (of linear regressions any number) or NaN (left out), from
     * one of two calls. Few answers: the
     * targets of answer k, (n_row); each answer is fitted alone, in double.
     * Many answers: the targets of row i, (n_answer); the answers are fitted in
     * blocks, with matrix products of some hundred rows in float.
     */
    void (*answer_targets)(const void *context, float *y, int64_t k);
    void (*row_targets)(const void *context, float *y, int64_t i);
    const void *context;
    /** (n_row) what a row counts in every mean over rows, above 0; NULL: the same */
    const float *row_weight;
    /** Values of l2 to try, (n_grid) falling; each fit starts at the weights
     *  of the fit before. l2 > 0: used without a choice. */
    const double *grid;
    int n_grid;
    double l2;
    /** (n_row) 1: held out while l2 is chosen; every choose_step-th of the
     *  other rows is then trained on. */
    const uint8_t *held;
    int64_t choose_step;
    /** A fit ends when a step lowers the loss by less than this fraction:
     *  while l2 is chosen; in the last fit. */
    double choose_decrease, fit_decrease;
    int (*stop)(void *context); /* called before every pass, nonzero: stop;
                                   or NULL */
    void *stop_context;
};

/**
 * Fit all answers: weight (n_answer, n_feature + 1), the intercept last, and
 * l2 (n_answer). An answer without a known target has weights 0.
 *
 * Errors   BIRD_ENOMEM, BIRD_ECANCELED
 */
BIRD_MUST_CHECK int bird_logistic_fit(float *weight, double *l2,
                                      const struct bird_logistic *m);

#endif
