/* The encoder in training: forward with dropout, and the way back.
 *
 * The derivation is in docs/math/encoder.md; each step below names the
 * forward line it goes back through.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "model/layer.h"
#include "model/linear.h"

/* Columns of one parameter-gradient task. */
#define COLUMNS 64

struct bird_tape {
    int recompute;
    float *block; /* all that follows */
    int64_t cap;
    float *inputs;   /* (n_layer + 1, N, D) */
    float *z, *stat; /* embeddings: (N, D), (N, 2) */
    struct bird_saved *saved;
    int64_t n_saved;
    float *dz, *dt, *h, *du, *dctx, *dqkv; /* D, D, F, F, D, 3D */
};

int bird_tape_new(struct bird_tape **out, int recompute)
{
    struct bird_tape *t = calloc(1, sizeof(*t));

    if (!t)
        return bird_fail_memory(sizeof(*t));
    t->recompute = recompute;
    *out = t;
    return 0;
}

void bird_tape_free(struct bird_tape *t)
{
    if (!t)
        return;
    free(t->block);
    free(t->saved);
    free(t);
}

/* Hand out n floats, aligned; with base NULL only the size is counted. */
static float *cut(float *base, int64_t *used, int64_t n)
{
    float *p = base ? base + *used : NULL;

    *used += (n + 15) / 16 * 16;
    return p;
}

static int64_t lay_out(struct bird_tape *t, float *base,
                       const struct bird_config *c, int64_t n)
{
    int64_t used = 0, d = c->hidden_size, f = c->intermediate_size;

    t->inputs = cut(base, &used, (c->n_layer + 1) * n * d);
    t->z = cut(base, &used, n * d);
    t->stat = cut(base, &used, n * 2);
    for (int64_t i = 0; i < t->n_saved; i++) {
        struct bird_saved *s = &t->saved[i];

        s->qkv = cut(base, &used, n * 3 * d);
        s->ctx = cut(base, &used, n * d);
        s->z1 = cut(base, &used, n * d);
        s->a = cut(base, &used, n * d);
        s->u = cut(base, &used, n * f);
        s->z2 = cut(base, &used, n * d);
        s->stat1 = cut(base, &used, n * 2);
        s->stat2 = cut(base, &used, n * 2);
    }
    t->dz = cut(base, &used, n * d);
    t->dt = cut(base, &used, n * d);
    t->h = cut(base, &used, n * f);
    t->du = cut(base, &used, n * f);
    t->dctx = cut(base, &used, n * d);
    t->dqkv = cut(base, &used, n * 3 * d);
    return used;
}

static int tape_reserve(struct bird_tape *t, const struct bird_config *c,
                        int64_t n)
{
    int64_t size, n_saved = t->recompute ? 1 : c->n_layer;
    struct bird_saved *saved;
    float *p;
    int rc;

    if (t->n_saved != n_saved) { /* new, or last used with another model */
        rc = bird_array_new(&saved, n_saved, sizeof(*saved));
        if (rc)
            return rc;
        free(t->saved);
        t->saved = saved;
        t->n_saved = n_saved;
    }
    size = lay_out(t, NULL, c, n);
    if (size > t->cap) {
        rc = bird_array_new(&p, size, sizeof(*p));
        if (rc)
            return rc;
        free(t->block);
        t->block = p;
        t->cap = size;
    }
    lay_out(t, t->block, c, n);
    return 0;
}

int bird_encoder_train_forward(struct bird_encoder *e, struct bird_tape *t,
                               const float **x, const struct bird_batch *b,
                               const struct bird_noise *noise)
{
    int64_t n = b->offset[b->n_seq], nd = n * e->c.hidden_size;
    int rc = bird_batch_check(b, &e->c);

    if (!rc && (b->position || e->steady))
        rc = bird_fail(BIRD_EINVAL, "positions and steady encoders are for "
                                    "inference");
    if (rc || (rc = bird_encoder_prepare(e, b)) ||
        (rc = tape_reserve(t, &e->c, n)))
        return rc;
    bird_embed(e, t->inputs, t->z, t->stat, b, noise);
    for (int64_t l = 0; l < e->c.n_layer; l++)
        bird_layer_forward(e, l, t->inputs + (l + 1) * nd, t->inputs + l * nd,
                           &t->saved[t->recompute ? 0 : l], b, noise);
    *x = t->inputs + e->c.n_layer * nd;
    return 0;
}

struct back {
    const struct bird_encoder *e;
    const struct bird_batch *b;
    const struct bird_noise *noise;
    const struct bird_saved *s;
    const struct bird_weights *grad;
    struct bird_tape *t;
    int64_t layer, n;
    /* one normalisation or activation at a time */
    float *out, *dgain, *dbeta;
    const float *dy, *z, *stat, *gain;
    struct bird_dropout drop;
};

static int64_t back_rows(const struct back *k, int64_t *r, int64_t task)
{
    *r = task * k->e->panel;
    return *r + k->e->panel < k->n ? k->e->panel : k->n - *r;
}

static void norm_rows(void *context, int64_t task, int worker)
{
    const struct back *k = context;
    int64_t d = k->e->c.hidden_size, r, m = back_rows(k, &r, task);

    (void)worker;
    k->e->k->layernorm_backward(k->out + r * d, k->dy + r * d, k->z + r * d,
                                k->stat + 2 * r, k->gain, m, d);
}

static void norm_columns(void *context, int64_t task, int worker)
{
    const struct back *k = context;
    int64_t d = k->e->c.hidden_size, c0 = task * COLUMNS;

    (void)worker;
    k->e->k->layernorm_backward_params(k->dgain, k->dbeta, k->dy, k->z, k->stat,
                                       k->n, d, c0,
                                       c0 + COLUMNS < d ? c0 + COLUMNS : d);
}

/* out = gradient before a normalisation, from dy after it; out may be dy. */
static void norm_backward(struct back *k, float *out, const float *dy,
                          const float *z, const float *stat,
                          const struct bird_norm *w, const struct bird_norm *g)
{
    k->out = out, k->dy = dy, k->z = z, k->stat = stat;
    k->gain = w->gain, k->dgain = g->gain, k->dbeta = g->beta;
    bird_parallel((k->e->c.hidden_size + COLUMNS - 1) / COLUMNS, norm_columns,
                  k);
    bird_parallel((k->n + k->e->panel - 1) / k->e->panel, norm_rows, k);
}

static void drop_rows(void *context, int64_t task, int worker)
{
    const struct back *k = context;
    int64_t d = k->e->c.hidden_size, r, m = back_rows(k, &r, task);

    (void)worker;
    memcpy(k->out + r * d, k->dy + r * d, (size_t)(m * d) * sizeof(float));
    k->e->k->dropout(k->out + r * d, k->drop, r, m, d);
}

/* out = dy through a dropout site. */
static void drop_backward(struct back *k, float *out, const float *dy,
                          int64_t layer, enum bird_site site)
{
    k->out = out, k->dy = dy;
    k->drop = bird_noise_at(k->noise, k->noise->hidden, layer, site);
    bird_parallel((k->n + k->e->panel - 1) / k->e->panel, drop_rows, k);
}

static void act_rows(void *context, int64_t task, int worker)
{
    const struct back *k = context;
    int64_t f = k->e->c.intermediate_size, r, m = back_rows(k, &r, task);
    float *du = k->t->du + r * f, *u = k->s->u + r * f;

    (void)worker;
    k->e->k->act_backward(du, du, u, k->e->c.act, m, f);
}

static void act_again(void *context, int64_t task, int worker)
{
    const struct back *k = context;
    int64_t f = k->e->c.intermediate_size, r, m = back_rows(k, &r, task);

    (void)worker;
    k->e->k->bias_act_forward(k->t->h + r * f, k->s->u + r * f, NULL,
                              k->e->c.act, m, f);
}

static void attention_task(void *context, int64_t task, int worker)
{
    const struct back *k = context;
    const struct bird_encoder *e = k->e;
    int64_t seq = task / e->c.n_head, head = task % e->c.n_head;
    int64_t d = e->c.hidden_size, r = k->b->offset[seq];
    struct bird_attention_args a =
        bird_layer_attention(e, k->layer, k->s->qkv, seq, head, k->b, k->noise);
    float *dq = k->t->dqkv + r * 3 * d + head * a.dim;

    e->k->attention_backward(dq, dq + d, dq + 2 * d,
                             k->t->dctx + r * d + head * a.dim, d, &a,
                             e->scratch + worker * e->scratch_stride);
}

/* dx: in the gradient of the layer's output, out that of its input x. */
static void layer_backward(struct back *k, float *dx, const float *x)
{
    const struct bird_encoder *e = k->e;
    const struct bird_layer *w = &e->w->layer[k->layer];
    const struct bird_layer *g = &k->grad->layer[k->layer];
    const struct bird_saved *s = k->s;
    struct bird_tape *t = k->t;
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size, n = k->n;
    int64_t panels = (n + e->panel - 1) / e->panel;

    /* y = LN2(z2), z2 = dropout(h W2 + b2) + a */
    norm_backward(k, dx, dx, s->z2, s->stat2, &w->norm2, &g->norm2);
    drop_backward(k, t->dt, dx, k->layer, BIRD_SITE_FFN);
    /* h = act(u), u = a W1 + b1 */
    bird_parallel(panels, act_again, k);
    bird_linear_backward_weight(g->down.w, g->down.b, t->dt, d, t->h, f, n, d,
                                f);
    bird_linear_backward_input(t->du, 0, t->dt, d, w->down.w, n, d, f);
    bird_parallel(panels, act_rows, k);
    bird_linear_backward_weight(g->up.w, g->up.b, t->du, f, s->a, d, n, f, d);
    bird_linear_backward_input(dx, 1, t->du, f, w->up.w, n, f, d);
    /* a = LN1(z1), z1 = dropout(ctx Wo + bo) + x */
    norm_backward(k, dx, dx, s->z1, s->stat1, &w->norm1, &g->norm1);
    drop_backward(k, t->dt, dx, k->layer, BIRD_SITE_OUTPUT);
    bird_linear_backward_weight(g->out.w, g->out.b, t->dt, d, s->ctx, d, n, d,
                                d);
    bird_linear_backward_input(t->dctx, 0, t->dt, d, w->out.w, n, d, d);
    /* ctx = attention(q, k, v), (q k v) = x Wqkv + b */
    bird_parallel(k->b->n_seq * e->c.n_head, attention_task, k);
    bird_linear_backward_weight(g->qkv.w, g->qkv.b, t->dqkv, 3 * d, x, d, n,
                                3 * d, d);
    bird_linear_backward_input(dx, 1, t->dqkv, 3 * d, w->qkv.w, n, 3 * d, d);
}

/* Columns of all embedding gradients: rows of one id meet in one task. */
static void embed_columns(void *context, int64_t task, int worker)
{
    const struct back *k = context;
    const struct bird_batch *b = k->b;
    const struct bird_weights *g = k->grad;
    int64_t d = k->e->c.hidden_size, c0 = task * COLUMNS;
    int64_t c1 = c0 + COLUMNS < d ? c0 + COLUMNS : d;
    float scale = k->e->c.rescale_embeddings ? sqrtf((float)d) : 1.0f;

    (void)worker;
    for (int64_t s = 0; s < b->n_seq; s++) {
        for (int64_t i = b->offset[s]; i < b->offset[s + 1]; i++) {
            const float *dy = k->dy + i * d;
            float *word = g->word + b->ids[i] * d;
            float *pos = g->position + (i - b->offset[s]) * d;
            float *type = g->type + (b->type ? b->type[i] : 0) * d;
            /* padding_idx: the look-up gives the pad row no gradient */
            float w = b->ids[i] == k->e->c.pad_id ? 0 : scale;

            for (int64_t j = c0; j < c1; j++) {
                word[j] += dy[j] * w;
                pos[j] += dy[j];
                type[j] += dy[j];
            }
        }
    }
}

void bird_encoder_backward(struct bird_encoder *e, struct bird_tape *t,
                           const struct bird_weights *grad, float *dx,
                           const struct bird_batch *b,
                           const struct bird_noise *noise)
{
    static const struct bird_noise silence = {0};
    int64_t n = b->offset[b->n_seq], nd = n * e->c.hidden_size;
    struct back k = {.e = e,
                     .b = b,
                     .noise = noise ? noise : &silence,
                     .grad = grad,
                     .t = t,
                     .n = n};

    for (int64_t l = e->c.n_layer - 1; l >= 0; l--) {
        k.layer = l;
        k.s = &t->saved[t->recompute ? 0 : l];
        if (t->recompute && l < e->c.n_layer - 1)
            bird_layer_forward(e, l, t->inputs + (l + 1) * nd,
                               t->inputs + l * nd, k.s, b, noise);
        layer_backward(&k, dx, t->inputs + l * nd);
    }
    norm_backward(&k, dx, dx, t->z, t->stat, &e->w->embedding,
                  &grad->embedding);
    drop_backward(&k, t->dt, dx, -1, BIRD_SITE_OUTPUT);
    k.dy = t->dt;
    bird_parallel((e->c.hidden_size + COLUMNS - 1) / COLUMNS, embed_columns,
                  &k);
}
