/* A linear head on the mean of all tokens:
 *
 *   logits = classifier(drop(mean over a sequence's tokens of h))
 *
 * Padding is left out of the mean. Every position reaches the answer without a
 * detour through token 0, which an encoder that was never trained with a task
 * on token 0 has to learn first.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "head/kind.h"
#include "model/linear.h"

static int is_token(const struct bird_batch *b, int64_t row)
{
    return !b->mask || b->mask[row];
}

/* Tokens of sequence s, at least 1. */
static int64_t count_tokens(const struct bird_batch *b, int64_t s)
{
    int64_t n = 0;

    for (int64_t i = b->offset[s]; i < b->offset[s + 1]; i++)
        n += is_token(b, i);
    return n > 0 ? n : 1;
}

/* out (n_seq, D), summed row by row. */
static void mean(float *out, const float *x, const struct bird_batch *b,
                 int64_t d)
{
    memset(out, 0, (size_t)(b->n_seq * d) * sizeof(*out));
    for (int64_t s = 0; s < b->n_seq; s++, out += d) {
        float share = 1.0f / (float)count_tokens(b, s);

        for (int64_t i = b->offset[s]; i < b->offset[s + 1]; i++)
            for (int64_t j = 0; is_token(b, i) && j < d; j++)
                out[j] += x[i * d + j];
        for (int64_t j = 0; j < d; j++)
            out[j] *= share;
    }
}

static void mean_add_backward(float *dx, const float *dmean,
                              const struct bird_batch *b, int64_t d)
{
    for (int64_t s = 0; s < b->n_seq; s++, dmean += d) {
        float share = 1.0f / (float)count_tokens(b, s);

        for (int64_t i = b->offset[s]; i < b->offset[s + 1]; i++)
            for (int64_t j = 0; is_token(b, i) && j < d; j++)
                dx[i * d + j] += share * dmean[j];
    }
}

static int forward(float *logits, float *next, const struct bird_config *c,
                   const struct bird_weights *w, const float *x,
                   const struct bird_batch *b)
{
    int64_t d = c->hidden_size;
    float *pooled = NULL;
    int rc = bird_array_new(&pooled, b->n_seq * d, sizeof(*pooled));

    (void)next;
    if (rc)
        return rc;
    mean(pooled, x, b, d);
    bird_linear_forward(logits, pooled, &w->classifier,
                        (struct bird_linear_shape){b->n_seq, c->n_label, d, 0});
    free(pooled);
    return 0;
}

static int backward(struct bird_loss *out, float *dx, float *logits,
                    const struct bird_head_pass *p)
{
    const struct bird_config *c = p->c;
    int64_t d = c->hidden_size, n = p->b->n_seq, count = n * c->n_label;
    const struct bird_linear_shape shape = {n, c->n_label, d, 0};
    struct bird_dropout drop = bird_noise_at(p->noise, p->noise->classifier,
                                             c->n_layer, BIRD_SITE_HEAD_OUT);
    float *pooled = NULL, *dpooled, *mine;
    int rc = bird_array_new(&pooled, 2 * n * d + count, sizeof(*pooled));

    if (rc)
        return rc;
    dpooled = pooled + n * d;
    mine = dpooled + n * d;
    mean(pooled, p->x, p->b, d);
    bird_kernels()->dropout(pooled, drop, 0, n, d);
    bird_linear_forward(mine, pooled, &p->w->classifier, shape);
    if (logits)
        memcpy(logits, mine, (size_t)count * sizeof(*mine));
    rc = bird_labels_loss(out, mine, p);
    if (!rc) {
        bird_linear_backward(&p->grad->classifier, dpooled, &p->w->classifier,
                             mine, pooled, shape);
        bird_kernels()->dropout(dpooled, drop, 0, n, d);
        mean_add_backward(dx, dpooled, p->b, d);
    }
    free(pooled);
    return rc;
}

const struct bird_head_row bird_head_mean_pooled = {
    .name = "mean_pooled",
    .option = "mean",
    .about = "linear on the mean of all tokens",
    .needs = BIRD_NEEDS_MEAN,
    .exclusive = 1,
    .tensors = bird_head_add_classifier,
    .forward = forward,
    .backward = backward};
