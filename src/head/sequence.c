/* Heads on one vector a sequence: the reference's classification head, the
 * linear heads on the pooler or on token 0, and next sentence.
 *
 *   sequence       out(drop(act(dense(drop(h0)))))   h0 = token 0
 *   linear pooled  classifier(drop(tanh(pooler(h0))))
 *   linear cls     classifier(drop(h0))
 * SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "head/kind.h"
#include "head/loss.h"
#include "model/linear.h"

struct vectors { /* (n, D) each, one block */
    float *block, *in, *u, *mid, *dmid, *du;
};

static int vectors_new(struct vectors *v, int64_t n, int64_t d)
{
    int rc = bird_array_new(&v->block, 5 * n * d, sizeof(float));

    if (rc)
        return rc;
    v->in = v->block;
    v->u = v->in + n * d;
    v->mid = v->u + n * d;
    v->dmid = v->mid + n * d;
    v->du = v->dmid + n * d;
    return 0;
}

static void gather(float *out, const float *x, const struct bird_batch *b,
                   int64_t d)
{
    for (int64_t s = 0; s < b->n_seq; s++)
        memcpy(out + s * d, x + b->offset[s] * d, (size_t)d * sizeof(*x));
}

static void scatter_add(float *dx, const float *d0, const struct bird_batch *b,
                        int64_t d)
{
    for (int64_t s = 0; s < b->n_seq; s++)
        for (int64_t j = 0; j < d; j++)
            dx[b->offset[s] * d + j] += d0[s * d + j];
}

int bird_head_pool(float *pooled, const struct bird_config *c,
                   const struct bird_weights *w, const float *x,
                   const struct bird_batch *b)
{
    int64_t d = c->hidden_size;
    struct vectors v;
    int rc;

    if (!w->pooler.w)
        return bird_fail(BIRD_EINVAL,
                         "a model with the head '%s' has no pooled "
                         "output",
                         c->head->name);
    rc = vectors_new(&v, b->n_seq, d);
    if (rc)
        return rc;
    gather(v.in, x, b, d);
    bird_linear_forward(v.u, v.in, &w->pooler,
                        (struct bird_linear_shape){b->n_seq, d, d, 0});
    bird_kernels()->bias_act_forward(pooled, v.u, NULL, BIRD_TANH, b->n_seq, d);
    free(v.block);
    return 0;
}

/* The layer between h0 and the output layer, if the head has one. */
static const struct bird_linear *middle(const struct bird_config *c,
                                        const struct bird_weights *w)
{
    return c->head == &bird_head_sequence          ? &w->dense
           : c->head == &bird_head_linear_pooled   ? &w->pooler
           : c->head == &bird_head_multiple_choice ? &w->pooler
                                                   : NULL;
}

static enum bird_act middle_act(const struct bird_config *c)
{
    return c->head == &bird_head_sequence ? c->act : BIRD_TANH;
}

static void forward(struct vectors *v, float *logits,
                    const struct bird_config *c, const struct bird_weights *w,
                    const float *x, const struct bird_batch *b,
                    const struct bird_dropout_rates *dropout)
{
    const struct bird_kernels *k = bird_kernels();
    const struct bird_linear *m = middle(c, w);
    int64_t d = c->hidden_size, n = b->n_seq;

    assert(
        w); /* else the analyzer takes a missing middle for missing weights */
    gather(v->in, x, b, d);
    if (m) {
        if (c->head == &bird_head_sequence)
            k->dropout(v->in,
                       bird_dropout_at(dropout, dropout->classifier, c->n_layer,
                                       BIRD_SITE_HEAD_IN),
                       0, n, d);
        bird_linear_forward(v->u, v->in, m,
                            (struct bird_linear_shape){n, d, d, 0});
        k->bias_act_forward(v->mid, v->u, NULL, middle_act(c), n, d);
    } else {
        memcpy(v->mid, v->in, (size_t)(n * d) * sizeof(float));
    }
    k->dropout(v->mid,
               bird_dropout_at(dropout, dropout->classifier, c->n_layer,
                               BIRD_SITE_HEAD_OUT),
               0, n, d);
    bird_linear_forward(logits, v->mid, &w->classifier,
                        (struct bird_linear_shape){n, c->n_label, d, 0});
}

static int sequence_forward(float *logits, float *next,
                            const struct bird_config *c,
                            const struct bird_weights *w, const float *x,
                            const struct bird_batch *b)
{
    struct bird_dropout_rates none = {0};
    struct vectors v;
    int rc = vectors_new(&v, b->n_seq, c->hidden_size);

    (void)next;
    if (rc)
        return rc;
    forward(&v, logits, c, w, x, b, &none);
    free(v.block);
    return 0;
}

static void backward(struct vectors *v, float *dx, const float *dlogits,
                     const struct bird_head_pass *p)
{
    const struct bird_kernels *k = bird_kernels();
    const struct bird_config *c = p->c;
    const struct bird_linear *m = middle(c, p->w), *dm = middle(c, p->grad);
    int64_t d = c->hidden_size, n = p->b->n_seq;
    struct bird_dropout out = bird_dropout_at(
        p->dropout, p->dropout->classifier, c->n_layer, BIRD_SITE_HEAD_OUT);
    struct bird_dropout in = bird_dropout_at(p->dropout, p->dropout->classifier,
                                             c->n_layer, BIRD_SITE_HEAD_IN);

    bird_linear_backward(&p->grad->classifier, v->dmid, &p->w->classifier,
                         dlogits, v->mid,
                         (struct bird_linear_shape){n, c->n_label, d, 0});
    k->dropout(v->dmid, out, 0, n, d);
    if (m) {
        k->act_backward(v->dmid, v->dmid, v->u, middle_act(c), n, d);
        bird_linear_backward(dm, v->du, m, v->dmid, v->in,
                             (struct bird_linear_shape){n, d, d, 0});
        if (c->head == &bird_head_sequence)
            k->dropout(v->du, in, 0, n, d);
    } else {
        memcpy(v->du, v->dmid, (size_t)(n * d) * sizeof(float));
    }
    scatter_add(dx, v->du, p->b, d);
}

static int sequence_backward(struct bird_loss *out, float *dx, float *logits,
                             const struct bird_head_pass *p)
{
    const struct bird_config *c = p->c;
    int64_t count = p->b->n_seq * c->n_label;
    float *mine = NULL;
    struct vectors v = {0};
    int rc = vectors_new(&v, p->b->n_seq, c->hidden_size);

    if (rc || (rc = bird_array_new(&mine, count, sizeof(*mine))))
        goto done;
    forward(&v, mine, c, p->w, p->x, p->b, p->dropout);
    if (logits)
        memcpy(logits, mine, (size_t)count * sizeof(*mine));
    rc = bird_labels_loss(out, mine, p);
    if (!rc)
        backward(&v, dx, mine, p);
done:
    free(v.block);
    free(mine);
    return rc;
}

static void sequence_tensors(struct bird_param_list *l,
                             const struct bird_config *c)
{
    bird_params_add_linear(l, c->hidden_size, c->hidden_size,
                           "classifier.dense");
    bird_params_add_linear(l, c->n_label, c->hidden_size,
                           "classifier.out_proj");
}

const struct bird_head_row bird_head_sequence = {
    .name = "sequence",
    .option = "sequence",
    .architecture = "BigBirdForSequenceClassification",
    .about = "sequence classifier of two layers on token 0",
    .needs = BIRD_NEEDS_FIRST,
    .exclusive = 1,
    .tensors = sequence_tensors,
    .forward = sequence_forward,
    .backward = sequence_backward};

/* The alias is what the reference cases call GENA-LM's own class. */
const struct bird_head_row bird_head_linear_pooled = {
    .name = "linear_pooled",
    .option = "pooled",
    .alias = "BigBirdModelWithLinearHead",
    .about = "linear on the pooled output",
    .needs = BIRD_NEEDS_FIRST,
    .as_encoder = 1,
    .pooler = 1,
    .tensors = bird_head_add_classifier,
    .forward = sequence_forward,
    .backward = sequence_backward};

/* One logit a sequence, which is the text with one of the choices: the softmax over a
 * text's choices is the caller's. */
static int multiple_choice_backward(struct bird_loss *out, float *dx,
                                    float *logits,
                                    const struct bird_head_pass *p)
{
    (void)out, (void)dx, (void)logits, (void)p;
    return bird_fail(BIRD_EUNSUPPORTED,
                     "the head of choices (BigBirdForMultipleChoice) is read "
                     "and computed, not trained");
}

const struct bird_head_row bird_head_multiple_choice = {
    .name = "multiple_choice",
    .architecture = "BigBirdForMultipleChoice",
    .about = "score of a choice, linear on the pooled output",
    .needs = BIRD_NEEDS_FIRST,
    .labels = 1,
    .pooler = 1,
    .tensors = bird_head_add_classifier,
    .forward = sequence_forward,
    .backward = multiple_choice_backward};

const struct bird_head_row bird_head_linear_cls = {
    .name = "linear_cls",
    .option = "cls",
    .about = "linear on token 0",
    .needs = BIRD_NEEDS_FIRST,
    .as_encoder = 1,
    .tensors = bird_head_add_classifier,
    .forward = sequence_forward,
    .backward = sequence_backward};

int bird_next_forward(float *logits, const struct bird_config *c,
                      const struct bird_weights *w, const float *x,
                      const struct bird_batch *b)
{
    float *pooled;
    int64_t d = c->hidden_size;
    int rc = bird_array_new(&pooled, b->n_seq * d, sizeof(*pooled));

    if (rc)
        return rc;
    rc = bird_head_pool(pooled, c, w, x, b);
    if (!rc)
        bird_linear_forward(logits, pooled, &w->next,
                            (struct bird_linear_shape){b->n_seq, 2, d, 0});
    free(pooled);
    return rc;
}

int bird_next_backward(double *loss, float *dx, const struct bird_head_pass *p)
{
    int64_t d = p->c->hidden_size, n = p->b->n_seq;
    struct bird_mean mean;
    float *logits = NULL;
    struct vectors v = {0};
    int rc = vectors_new(&v, n, d);

    if (rc || (rc = bird_array_new(&logits, n * 2, sizeof(*logits))))
        goto done;
    gather(v.in, p->x, p->b, d);
    bird_linear_forward(v.u, v.in, &p->w->pooler,
                        (struct bird_linear_shape){n, d, d, 0});
    bird_kernels()->bias_act_forward(v.mid, v.u, NULL, BIRD_TANH, n, d);
    bird_linear_forward(logits, v.mid, &p->w->next,
                        (struct bird_linear_shape){n, 2, d, 0});
    rc =
        bird_loss_cross_entropy(&mean, logits, p->labels->next, n, 2, p->scale);
    if (rc || !mean.n) /* no pair is labelled: nothing to learn here */
        goto done;
    *loss = mean.loss;
    bird_linear_backward(&p->grad->next, v.dmid, &p->w->next, logits, v.mid,
                         (struct bird_linear_shape){n, 2, d, 0});
    bird_kernels()->act_backward(v.dmid, v.dmid, v.u, BIRD_TANH, n, d);
    bird_linear_backward(&p->grad->pooler, v.du, &p->w->pooler, v.dmid, v.in,
                         (struct bird_linear_shape){n, d, d, 0});
    scatter_add(dx, v.du, p->b, d);
done:
    free(v.block);
    free(logits);
    return rc;
}
