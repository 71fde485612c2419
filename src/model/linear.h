/**
 * Linear layers over all rows of a batch: y = x W^T + b, shared out to the
 * threads by row panels and by output features, never by thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_LINEAR_H
#define BIRD_MODEL_LINEAR_H

#include <stdint.h>

#include "model/weights.h"

/** Rows of a panel for n rows in all: a function of n alone. */
int64_t bird_panel_rows(int64_t n);

/** Output features of one task of a weight's gradient: a function of their
 *  number alone. */
int64_t bird_weight_stretch(int64_t n_out);

/** y (n, n_out; ldy) = x (n, n_in; ldx) w (n_out, n_in)^T + bias (NULL: 0). */
void bird_linear_forward(float *y, int64_t ldy, const float *x, int64_t ldx,
                         const float *w, const float *bias, int64_t n,
                         int64_t n_out, int64_t n_in);

/** y (n, n_out; ldy) = x (n, n_in; ldx) w (n_out, n_in)^T + bias. */
struct bird_product {
    float *y;
    const float *x, *w;
    const float *bias; /* (n_out); NULL: 0 */
    int64_t ldy, ldx, n, n_out, n_in;
};

/**
 * A product cut by output features: each task takes all rows, and `width`
 * features' part of the weights. The BLAS copies both of its factors into an
 * order of its own at every call, so with few rows and large weights this is
 * cheaper than panels of rows, each of which copies all weights.
 */
void bird_linear_slices(const struct bird_product *p, int64_t width);

/** dx (n, n_in) = dy w + add dx; rows stand end to end. */
struct bird_linear_shape {
    int64_t n, n_out, n_in;
    int add; /* 1: dx is added to, 0: written */
};

/**
 * The way back of one layer, both gradients in one loop as neither waits for
 * the other: g->w (n_out, n_in) += dy^T x, g->b (n_out; NULL: none) += columns
 * of dy, and dx, which overlaps neither dy (n, n_out) nor x (n, n_in). Without
 * dx (NULL; w may be NULL then) only those of the layer.
 */
void bird_linear_backward(const struct bird_linear *g, float *dx,
                          const struct bird_linear *w, const float *dy,
                          const float *x, struct bird_linear_shape shape);

#endif
