/**
 * Inside the heads: what a backward pass reads, and what heads share.
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
    const struct bird_dropout_rates *dropout;
    float scale;
};

/**
 * The loss of the labels that c->problem asks for, deduced where it is unset as
 * in transformers: one label = regression, class ids = single label, values =
 * multi-label. The logits (n_seq, n_label) become the gradient of it, or what
 * the labels give as their gradient.
 * Errors: BIRD_EINVAL no label is known, or none of that kind; BIRD_ERANGE
 */
BIRD_MUST_CHECK int bird_labels_loss(struct bird_loss *out, float *logits,
                                     const struct bird_head_pass *p);

/** Append `classifier`, one linear layer to the labels. */
void bird_head_add_classifier(struct bird_param_list *l,
                              const struct bird_config *c);

/** The next-sentence head, which a pretraining head has with MLM. */
int bird_next_forward(float *logits, const struct bird_config *c,
                      const struct bird_weights *w, const float *x,
                      const struct bird_batch *b);
int bird_next_backward(double *loss, float *dx, const struct bird_head_pass *p);

#endif
