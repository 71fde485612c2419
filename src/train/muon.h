/**
 * Muon: the update of a matrix is its momentum made nearly orthogonal, so that
 * the few directions that most examples share do not dominate the others.
 * docs/math/muon.md has the formulas.
 *
 * Source: Jordan et al. 2024, https://kellerjordan.github.io/posts/muon (the
 * iteration and its coefficients); Liu et al. 2025, arXiv:2502.16982, eq. 4
 * (the size of an update by the matrix's shape).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_MUON_H
#define BIRD_TRAIN_MUON_H

#include <stdint.h>

#include "base/fail.h"

/** One tensor, (rows, cols) floats, the rest of a convolution in cols. */
struct bird_muon_matrix {
    int64_t offset;     /* of theta, gradient, momentum, direction */
    int64_t rows, cols; /* outputs, inputs */
    float size;         /* of an update at learning rate 1; set by trainer.c */
};

/** Workspace of each worker, for the largest of some matrices. */
struct bird_muon_scratch;
BIRD_MUST_CHECK int bird_muon_scratch_new(struct bird_muon_scratch **out,
                                          const struct bird_muon_matrix *list,
                                          int64_t n, int workers);
void bird_muon_scratch_free(struct bird_muon_scratch *s);

/**
 * m <- 0.95 m + g; d <- size x the nearly orthogonal matrix of g + 0.95 m.
 * For g = m = 0 the direction is 0. The same bits on any number of threads.
 *
 * @param grad_scale  the gradient is multiplied by it
 * @param[out] d      (rows, cols) to subtract from the weights, at rate 1
 */
void bird_muon_direction(float *d, float *m, const float *g, double grad_scale,
                         const struct bird_muon_matrix *x,
                         struct bird_muon_scratch *s, int worker);

#endif
