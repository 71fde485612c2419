/* The table of heads. SPDX-License-Identifier: MIT */
#include "head/head.h"

#include <string.h>

#include "base/fail.h"
#include "base/timer.h"
#include "head/kind.h"

struct kind {
    int per_token;
    int (*forward)(float *logits, float *next, const struct bird_config *c,
                   const struct bird_weights *w, const float *x,
                   const struct bird_batch *b);
    int (*backward)(struct bird_loss *out, float *dx, float *logits,
                    const struct bird_head_pass *p);
};

static const struct kind kinds[] = {
    [BIRD_HEAD_NONE] = {0, NULL, NULL},
    [BIRD_HEAD_MLM] = {1, bird_token_forward, bird_token_backward},
    [BIRD_HEAD_PRETRAIN] = {1, bird_token_forward, bird_token_backward},
    [BIRD_HEAD_TOKEN] = {1, bird_token_forward, bird_token_backward},
    [BIRD_HEAD_SEQUENCE] = {0, bird_sequence_forward, bird_sequence_backward},
    [BIRD_HEAD_LINEAR_POOLED] = {0, bird_sequence_forward,
                                 bird_sequence_backward},
    [BIRD_HEAD_LINEAR_CLS] = {0, bird_sequence_forward, bird_sequence_backward},
};

int64_t bird_head_columns(const struct bird_config *c)
{
    if (c->head == BIRD_HEAD_NONE)
        return 0;
    return c->head == BIRD_HEAD_MLM || c->head == BIRD_HEAD_PRETRAIN
               ? c->vocab_size
               : c->n_label;
}

int bird_head_per_token(const struct bird_config *c)
{
    return kinds[c->head].per_token;
}

int bird_head_forward(float *logits, float *next, const struct bird_config *c,
                      const struct bird_weights *w, const float *x,
                      const struct bird_batch *b)
{
    enum bird_phase before;
    int rc;

    if (!kinds[c->head].forward)
        return bird_fail(BIRD_EINVAL, "the model has no head: fine-tune one");
    before = bird_timer_enter(BIRD_PHASE_HEAD);
    rc = kinds[c->head].forward(logits, next, c, w, x, b);
    bird_timer_leave(before);
    return rc;
}

int bird_head_next(float *next, const struct bird_config *c,
                   const struct bird_weights *w, const float *x,
                   const struct bird_batch *b)
{
    if (c->head != BIRD_HEAD_PRETRAIN)
        return bird_fail(BIRD_EINVAL, "the model has no next-sentence head");
    return bird_next_forward(next, c, w, x, b);
}

int bird_head_backward(struct bird_loss *out, float *dx, float *logits,
                       const struct bird_weights *grad,
                       const struct bird_config *c,
                       const struct bird_weights *w, const float *x,
                       const struct bird_batch *b,
                       const struct bird_labels *labels,
                       const struct bird_noise *noise, float scale)
{
    static const struct bird_noise silence = {0};
    struct bird_head_pass p = {
        grad, w, c, x, b, labels, noise ? noise : &silence, scale};
    int64_t n = b->offset[b->n_seq] * c->hidden_size;

    if (!kinds[c->head].backward)
        return bird_fail(BIRD_EINVAL, "the model has no head: fine-tune one");
    *out = (struct bird_loss){0};
    memset(dx, 0, (size_t)n * sizeof(*dx));
    return kinds[c->head].backward(out, dx, logits, &p);
}
