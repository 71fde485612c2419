/**
 * Minimise a smooth function of many variables: L-BFGS.
 * Nocedal and Wright, Numerical Optimization (2006), algorithm 7.5, with
 * backtracking to Armijo's condition; enough for convex losses.
 *
 * Own code, so that the sums keep one order for any number of threads and
 * there is no further dependency for two hundred lines.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PEERS_LBFGS_H
#define BIRD_PEERS_LBFGS_H

#include <stdint.h>

#include "base/mem.h"

/**
 * The caller evaluates: t->x is a point, the gradient there goes into t->g, and
 * bird_lbfgs_step() gets the value: 1 is another point to be evaluated, 0 the
 * end, t->x then the best point. So several functions can be evaluated at
 * once.
 */
struct bird_lbfgs {
    int64_t n;
    double *x, *g;    /* (n) the point to be evaluated, its gradient */
    int64_t max_step; /* iterations; 500 */
    double tolerance; /* of |g| against max(1, |x|); 1e-5 */
    int64_t n_step;   /* iterations made */
    double value;     /* at the best point so far */
    /* private */
    double decrease;
    double *best, *best_g, *direction;
    double *s, *y; /* pairs of steps and changes of the gradient */
    double rho[10], slope, length;
    int64_t n_pair, newest, n_halve;
    int begun;
};

/** All of t is set, x = 0; its arrays are the pool's. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_lbfgs_new(struct bird_lbfgs *t, int64_t n,
                                   struct bird_pool *pool);

/** Begin, or start over with another function, at t->x. It ends when a step
 *  lowers the value by less than the share `decrease` of it. */
void bird_lbfgs_start(struct bird_lbfgs *t, double decrease);

int bird_lbfgs_step(struct bird_lbfgs *t, double value);

#endif
