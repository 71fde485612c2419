/**
 * Every kernel as a plain formula in double: what tests judge by.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_REF_H
#define BIRD_TEST_REF_H

#include <stdint.h>

#include "base/rng.h"
#include "kernel/kernel.h"

/** Standard normals times `size`, from the generator. */
void ref_fill(float *x, int64_t n, struct bird_rng *r, double size);

float *ref_floats(int64_t n);                /* zeroed; free() */
double *ref_doubles(int64_t n);              /* zeroed; free() */
double *ref_copy(const float *x, int64_t n); /* free() */

/** ref_fill() of a generator of this seed; free() */
float *ref_normal(int64_t n, uint64_t seed, double size);

/** Factors of a dropout site, (n, d): 0 or 1 / (1 - p), as a kernel draws
 *  them for rows row0 .. ; all 1 when off. free() */
double *ref_mask(const struct bird_kernels *k, struct bird_dropout drop,
                 int64_t row0, int64_t n, int64_t d);

double ref_act(double u, enum bird_act act);
double ref_act_slope(double u, enum bird_act act);

/** y = gain (z - mean) / sqrt(var + eps) + beta over one row. */
void ref_layernorm(double *y, const double *z, const double *gain,
                   const double *beta, double eps, int64_t d);

/** p ~ w exp(p); w NULL = 1. Entries of weight 0 get 0. */
void ref_softmax(double *p, const double *w, int64_t n);

/** p = the map of scores p, each counted w times (NULL: 1), by sorting, by
 *  Newton's steps, or as the formula has it: docs/math/probability-maps.md. */
void ref_map(double *p, const double *w, const struct bird_prob_map *map,
             int64_t n);

struct ref_attention {
    int64_t len, dim, ld; /* ld: doubles from row to row of q, k, v */
    double scale, penalty;
    const double *times; /* (len, len) how often row i counts key j */
    const uint8_t *mask; /* (len) or NULL */
    const double *keep;  /* (len, len) dropout factors, or NULL */
    int zero_masked;     /* context of masked queries is 0 */
    struct bird_prob_map map;
};

/** out (len, dim; ld_out) of one head of one sequence. */
void ref_attention(double *out, int64_t ld_out, const double *q,
                   const double *k, const double *v,
                   const struct ref_attention *a);

/** (len, len) multiplicities of a plan's head; NULL plan: all 1. free() */
double *ref_times(const struct bird_plan *plan, int64_t head, int64_t len,
                  const int32_t *position);

/** One update of one parameter. */
void ref_adam(double *theta, double *m, double *v, double grad,
              const struct bird_adam *a, int decay);

/** A function of x under test, for ref_slope(). */
typedef double ref_function(void *context);

/** df/dx[0] by central differences. */
double ref_slope(ref_function *f, void *context, double *x, double step);

#endif
