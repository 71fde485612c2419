/**
 * The linear layers of few rows, in inference: cut by output features, where
 * panels of rows would have the BLAS copy all weights once a panel.
 *
 * With few rows that copying is a good part of a product's time
 * (docs/design.md has the figures). Training keeps to panels: its way back
 * repeats the way there.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_FEW_H
#define BIRD_MODEL_FEW_H

#include "model/layer.h"

/** Up to so many rows are few: the most at which neither the base nor the small
 *  size loses by it (docs/design.md). */
enum { BIRD_FEW_ROWS = 768 };

/** Whether n rows go this way: a function of shapes and of the encoder's kind,
 *  never of threads. */
static inline int bird_few(const struct bird_encoder *e, int64_t n)
{
    return n <= BIRD_FEW_ROWS && !e->low && !e->steady && !e->panels;
}

/** Floats of e->scratch that n rows take, all threads together. */
int64_t bird_few_scratch(const struct bird_encoder *e, int64_t n);

/** As bird_layer_qkv(). */
void bird_few_qkv(const struct bird_encoder *e, int64_t layer, float *qkv,
                  const float *x, int64_t n);

/** What follows attention: y (n, D) from the context (n, D) and the layer's
 *  input x (n, D). y may be x. */
void bird_few_output(const struct bird_encoder *e, int64_t layer, float *y,
                     const float *x, const float *ctx, int64_t n);

/** The three products after attention alone, to measure them: of rows (n, D)
 *  of the size of a context. The results are lost. */
void bird_few_products(const struct bird_encoder *e, int64_t layer,
                       const float *ctx, int64_t n);

#endif
