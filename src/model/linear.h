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

/** The same over packed weights, where no result depends on how rows are cut:
 *  panels as equal as can be, as many for each thread; in a task, for one. */
int64_t bird_packed_rows(int64_t n);

/** Output features of one task of a weight's gradient: a function of their
 *  number alone. */
int64_t bird_weight_stretch(int64_t n_out);

/** A layer's rows and features; rows stand end to end. */
struct bird_linear_shape {
    int64_t n, n_out, n_in;
    int add; /* backward: 1: dx is added to, 0: written */
};

/**
 * y (n, n_out) = x (n, n_in) w^T + bias (NULL: 0). Over packed weights a row
 * of y is a function of its row of x alone; without them its last bits depend
 * on the BLAS, and with it on n.
 */
void bird_linear_forward(float *y, const float *x, const struct bird_linear *w,
                         struct bird_linear_shape s);

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
