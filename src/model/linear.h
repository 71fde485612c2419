/**
 * Linear layers over all rows of a batch: y = x W^T + b, shared out to the
 * threads by row panels and by output features, never by thread. In bfloat16,
 * for training, whole batches at a time: docs/math/precision.md says what is
 * rounded.
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

/** A layer's rows and features; rows are contiguous. */
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
 * Backward of one layer, both gradients in one loop as neither waits for
 * the other: g->w (n_out, n_in) += dy^T x, g->b (n_out; NULL: none) += columns
 * of dy, and dx, which overlaps neither dy (n, n_out) nor x (n, n_in). Without
 * dx (NULL; w may be NULL then) only those of the layer; without g->w dx alone.
 */
void bird_linear_backward(const struct bird_linear *g, float *dx,
                          const struct bird_linear *w, const float *dy,
                          const float *x, struct bird_linear_shape shape);

/** Memory that these products work in, kept from call to call; start with {0}.
 *  Owner: the caller, bird_linear_workspace_free(). */
struct bird_linear_workspace {
    unsigned char *block;
    int64_t cap; /* bytes */
};
void bird_linear_workspace_free(struct bird_linear_workspace *r);

/** y (n, n_out) = x (n, n_in) w->low + w->b, rows end to end.
 *  Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_linear_low_forward(struct bird_linear_workspace *space,
                                            float *y, const float *x,
                                            const struct bird_linear *w,
                                            struct bird_linear_shape s);

/** What bird_linear_backward() is given. */
struct bird_linear_args {
    const struct bird_linear *g, *w;
    float *dx; /* not NULL */
    const float *dy, *x;
    struct bird_linear_shape s;
};

/**
 * bird_linear_backward() with w->back: dy and x are rounded to bfloat16 for
 * the gradients of the weights and of x; that of the bias sums dy as it is.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int
bird_linear_low_backward(struct bird_linear_workspace *space,
                         const struct bird_linear_args *args);

#endif
