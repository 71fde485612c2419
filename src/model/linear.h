/**
 * Linear layers over all rows of a batch: y = x W^T + b, shared out to the
 * threads by row panels and by output features, never by thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_LINEAR_H
#define BIRD_MODEL_LINEAR_H

#include <stdint.h>

/** Rows of a panel for n rows in all: a function of n alone. */
int64_t bird_panel_rows(int64_t n);

/** y (n, n_out; ldy) = x (n, n_in; ldx) w (n_out, n_in)^T + bias (NULL: 0). */
void bird_linear_forward(float *y, int64_t ldy, const float *x, int64_t ldx,
                         const float *w, const float *bias, int64_t n,
                         int64_t n_out, int64_t n_in);

/** dx (n, n_in) = dy (n, n_out; lddy) w + beta dx. */
void bird_linear_backward_input(float *dx, float beta, const float *dy,
                                int64_t lddy, const float *w, int64_t n,
                                int64_t n_out, int64_t n_in);

/** dw (n_out, n_in) += dy^T x; db (n_out; NULL: none) += columns of dy. */
void bird_linear_backward_weight(float *dw, float *db, const float *dy,
                                 int64_t lddy, const float *x, int64_t ldx,
                                 int64_t n, int64_t n_out, int64_t n_in);

#endif
