/**
 * Minimise a smooth function of many variables: L-BFGS.
 * Nocedal and Wright, Numerical Optimization (2006), algorithm 7.5, with
 * backtracking to Armijo's condition; enough for convex losses.
 *
 * Own code, so that the sums keep one order for any number of threads and
 * there is no further dependency for two hundred lines.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_LBFGS_H
#define BIRD_TRAIN_LBFGS_H

#include <stdint.h>

#include "dnabird/error.h"

/** Value at x (n), and the gradient there into g (n). */
typedef double bird_objective(void *context, double *g, const double *x);

struct bird_lbfgs {
    int64_t max_step; /* iterations; 500 */
    double tolerance; /* of |g| against max(1, |x|); 1e-5 */
    double decrease;  /* relative fall of the value in a step; 1e-9 */
    int64_t n_step;   /* out: iterations made */
    double value;     /* out: at the end */
};

/** Improve x (n) in place. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_lbfgs_run(struct bird_lbfgs *l, double *x, int64_t n,
                                   bird_objective *f, void *context);

#endif
