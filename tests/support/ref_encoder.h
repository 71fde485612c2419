/**
 * The whole model in double, row by row as the formulas stand: embeddings,
 * layers, heads, losses. Slow; for tiny models.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_REF_ENCODER_H
#define BIRD_TEST_REF_ENCODER_H

#include "head/head.h"
#include "model/encoder.h"

struct ref_model {
    const struct bird_config *c;
    const struct bird_weights *w; /* bound to `base` */
    const float *base;
    double *theta; /* what is computed with: the same layout */
    const struct bird_kernels *k;
};

/** (N, D) the last layer's output; dropout NULL = inference. free() */
double *ref_hidden(const struct ref_model *m, const struct bird_batch *b,
                   const struct bird_dropout_rates *dropout);

/** The head's logits from hidden states: (N or n_seq, columns). free() */
double *ref_logits(const struct ref_model *m, const double *x,
                   const struct bird_batch *b,
                   const struct bird_dropout_rates *dropout);

/** The loss of a batch as bird_head_backward() has it. */
double ref_loss(const struct ref_model *m, const struct bird_batch *b,
                const struct bird_labels *l,
                const struct bird_dropout_rates *dropout);

#endif
