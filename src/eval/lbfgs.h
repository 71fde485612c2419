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

/**
 * The same step by step, for a caller who evaluates several functions at once.
 * t->x is a point; the caller puts the gradient there into t->g and calls
 * bird_lbfgs_step() with the value: 1 is another point to be evaluated, 0 the
 * end, t->x then the best point.
 */
struct bird_lbfgs_state {
    const struct bird_lbfgs *options; /* its first three fields */
    int64_t n;
    double *x, *g; /* (n) the point to be evaluated, its gradient */
    int64_t n_step;
    double value; /* at the best point so far */
    /* private */
    double *best, *best_g, *direction;
    double *s, *y; /* pairs of steps and changes of the gradient */
    double rho[10], slope, length;
    int64_t n_pair, newest, n_halve;
    int begun;
};

/** All of t is set; the start goes into t->x. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_lbfgs_state_new(struct bird_lbfgs_state *t,
                                         const struct bird_lbfgs *options,
                                         int64_t n);
void bird_lbfgs_state_free(struct bird_lbfgs_state *t);
/** Begin anew, of another function, at t->x. */
void bird_lbfgs_restart(struct bird_lbfgs_state *t);
int bird_lbfgs_step(struct bird_lbfgs_state *t, double value);

/** Improve x (n) in place. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_lbfgs_run(struct bird_lbfgs *l, double *x, int64_t n,
                                   bird_objective *f, void *context);

#endif
