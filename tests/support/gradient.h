/**
 * Gradients of a toy model against differences of the loss in double.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_GRADIENT_H
#define BIRD_TEST_GRADIENT_H

#include "ref_encoder.h"
#include "tiny.h"

/** The toy as formulas in double. free(theta) of the result. */
struct ref_model tiny_model(struct tiny *t);

/** The loss, and its gradient along a random direction and two axes of every
 *  tensor. */
void gradient_check(const struct bird_config *c,
                    const struct bird_dropout_rates *dropout, float pos_weight,
                    const char *what);

/** The same without dropout, and for the mask that one key draws. */
void gradient_check_head(const struct bird_config *c, float pos_weight,
                         const char *what);

/** Loss and gradients of a pass with all kinds of dropout are of the same bits
 *  by 1 thread, 2 ..: of n passes every other one computes activations anew. */
void gradient_check_threads(struct tiny *t, int n);

#endif
