/**
 * Linear layers of training in bfloat16: all three products of a layer, whole
 * batches at a time. docs/math/precision.md says what is rounded.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_LINEAR_LOW_H
#define BIRD_MODEL_LINEAR_LOW_H

#include "model/linear.h"

/** Room that these products work in, kept from call to call; start with {0}.
 *  Owner: the caller, bird_linear_room_free(). */
struct bird_linear_room {
    unsigned char *block;
    int64_t cap; /* bytes */
};
void bird_linear_room_free(struct bird_linear_room *r);

/** y (n, n_out) = x (n, n_in) w->low + w->b, rows end to end.
 *  Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_linear_low_forward(struct bird_linear_room *room,
                                            float *y, const float *x,
                                            const struct bird_linear *w,
                                            struct bird_linear_shape s);

/** What bird_linear_backward() is given. */
struct bird_linear_way {
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
BIRD_MUST_CHECK int bird_linear_low_backward(struct bird_linear_room *room,
                                             const struct bird_linear_way *way);

#endif
