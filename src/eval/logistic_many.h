/**
 * Many logistic regressions over the same rows at once: the products of all of
 * them with a stretch of rows are one matrix product.
 *
 * Minimised is, for each answer, what logistic.h says. Answers are fitted in
 * blocks, so that memory does not grow with their number.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_LOGISTIC_MANY_H
#define BIRD_TRAIN_LOGISTIC_MANY_H

#include "eval/logistic.h"

/** Answers of a block. */
#define BIRD_MANY_BLOCK 64

/** All targets of row i: 0, 1 or NaN (left out). */
typedef void bird_many_target(const void *context, float *y, int64_t i);

struct bird_many {
    const struct bird_design *design;
    bird_many_target *target;
    const void *context;
    int64_t n_answer;    /* of a row's targets */
    const uint8_t *held; /* (rows) 1: l2 is chosen on it */
    int64_t choose_step; /* every so many rows are trained on for that */
    const double *grid;  /* (n_grid) strengths of l2 tried, falling */
    int n_grid;
    double l2;                  /* > 0: taken as it is */
    int (*stop)(void *context); /* asked before every pass; or NULL */
    void *stop_context;
};

/**
 * Fit all answers: weight (n_answer, n_feature + 1), the intercept last, and
 * l2 (n_answer). An answer without a known target has weights 0.
 *
 * Threads  results do not depend on their number
 * Errors   BIRD_ENOMEM, BIRD_ECANCELED
 */
BIRD_MUST_CHECK int bird_many_fit(float *weight, double *l2,
                                  const struct bird_many *m);

#endif
