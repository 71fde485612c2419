/**
 * Minimise a smooth function of many variables by L-BFGS: Nocedal and Wright,
 * Numerical Optimization (2006), algorithm 7.5, with backtracking to Armijo's
 * condition, which is enough for convex losses.
 *
 * It is our own code, so that the order of sums does not depend on threads, and
 * 200 lines need no dependency.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PEERS_LBFGS_H
#define BIRD_PEERS_LBFGS_H

#include <stdint.h>

#include "base/mem.h"

/**
 * The caller evaluates the function: it computes value and gradient at t->x,
 * puts the gradient into t->g, and gives the value to bird_lbfgs_step(), which
 * returns 1: t->x is the next point to evaluate; or 0: the end, t->x is the
 * best point. A caller can so evaluate several functions in one pass.
 */
struct bird_lbfgs {
    int64_t n;
    double *x, *g;    /* (n) the point to evaluate, and the gradient there */
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

/** Initialise t with x = 0; the pool owns the arrays. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_lbfgs_new(struct bird_lbfgs *t, int64_t n,
                                   struct bird_pool *pool);

/** Begin at t->x, with the first or another function. The minimisation ends
 *  when a step lowers the value by less than the fraction `decrease`. */
void bird_lbfgs_start(struct bird_lbfgs *t, double decrease);

int bird_lbfgs_step(struct bird_lbfgs *t, double value);

#endif
