/**
 * Inside the heads: what a backward pass reads, and each head's functions.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_HEAD_KIND_H
#define BIRD_HEAD_KIND_H

#include "head/head.h"

/** The arguments of bird_head_backward() that heads only read. */
struct bird_head_pass {
    const struct bird_weights *grad, *w;
    const struct bird_config *c;
    const float *x;
    const struct bird_batch *b;
    const struct bird_labels *labels;
    const struct bird_noise *noise;
    float scale;
};

int bird_sequence_forward(float *logits, float *next,
                          const struct bird_config *c,
                          const struct bird_weights *w, const float *x,
                          const struct bird_batch *b);
int bird_sequence_backward(struct bird_loss *out, float *dx, float *logits,
                           const struct bird_head_pass *p);

/** MLM, MLM + next sentence, and token classes. */
int bird_token_forward(float *logits, float *next, const struct bird_config *c,
                       const struct bird_weights *w, const float *x,
                       const struct bird_batch *b);
int bird_token_backward(struct bird_loss *out, float *dx, float *logits,
                        const struct bird_head_pass *p);

int bird_next_forward(float *logits, const struct bird_config *c,
                      const struct bird_weights *w, const float *x,
                      const struct bird_batch *b);
int bird_next_backward(double *loss, float *dx, const struct bird_head_pass *p);

#endif
