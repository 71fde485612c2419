/* One layer forward, cut into tasks of rows and of attention tiles.
 * SPDX-License-Identifier: MIT */
#include "model/layer.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "kernel/gemm.h"
#include "kernel/gemm_low.h"
#include "model/linear.h"

struct pass {
    const struct bird_encoder *e;
    const struct bird_layer *w;
    const struct bird_activations *s;
    const struct bird_batch *b;
    const struct bird_noise *dropout;
    const float *x;
    float *y, *z, *stat;
    int64_t layer, n;
};

static const struct bird_noise no_dropout = {0};

struct bird_dropout bird_dropout_at(const struct bird_noise *n, float p,
                                    int64_t layer, enum bird_site site)
{
    uint64_t place = (uint64_t)(layer + 1) * 8 + site;

    return (struct bird_dropout){bird_mix(n->key, place), p};
}

static int64_t rows_of(const struct pass *p, int64_t task)
{
    int64_t r = task * p->e->panel;

    return r + p->e->panel < p->n ? p->e->panel : p->n - r;
}

static void embed_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_encoder *e = p->e;
    const struct bird_weights *w = e->w;
    int64_t d = e->c.hidden_size, s = task, r = p->b->offset[s];
    int64_t n = p->b->offset[s + 1] - r;
    float scale = e->c.rescale_embeddings ? sqrtf((float)d) : 1.0f;
    float *y = p->y + r * d;

    (void)worker;
    const float *type = p->b->type ? w->type : w->type + e->c.token_type * d;

    /* positions that follow each other are one call */
    for (int64_t i = 0, m; i < n; i += m) {
        const int32_t *at = p->b->position ? p->b->position + r + i : NULL;

        for (m = at ? 1 : n; i + m < n && at[m] == at[0] + m; m++)
            ;
        e->k->embed_forward(y + i * d, p->b->ids + r + i,
                            p->b->type ? p->b->type + r + i : NULL,
                            at ? at[0] : 0, w->word, type, w->position, scale,
                            m, d);
    }
    e->k->residual_layernorm_forward(
        y, p->z ? p->z + r * d : NULL, p->stat ? p->stat + 2 * r : NULL, y,
        NULL, NULL, w->embedding.gain, w->embedding.beta,
        (float)e->c.layer_norm_eps,
        bird_dropout_at(p->dropout, p->dropout->hidden, -1, BIRD_SITE_OUTPUT),
        r, n, d);
}

void bird_embed(const struct bird_encoder *e, float *y, float *z, float *stat,
                const struct bird_batch *b, const struct bird_noise *dropout)
{
    struct pass p = {.e = e,
                     .b = b,
                     .y = y,
                     .z = z,
                     .stat = stat,
                     .dropout = dropout ? dropout : &no_dropout};

    bird_parallel(b->n_seq, embed_task, &p);
}

static const struct bird_plan *plan_of(const struct bird_encoder *e,
                                       int64_t layer, int64_t len)
{
    int64_t m;

    if (bird_pattern_is_full(&e->pattern, len))
        return NULL;
    m = (len + e->pattern.block - 1) / e->pattern.block;
    return e->plans.plan[layer * e->plans.cap_block + m];
}

struct bird_attention_args bird_layer_attention(
    const struct bird_encoder *e, int64_t layer, const float *qkv, int64_t seq,
    int64_t head, const struct bird_batch *b, const struct bird_noise *dropout)
{
    int64_t d = e->c.hidden_size, dim = d / e->c.n_head, r = b->offset[seq];
    const float *q = qkv + r * 3 * d + head * dim;
    struct bird_attention_args a = {.head = head,
                                    .q = q,
                                    .k = q + d,
                                    .v = q + 2 * d,
                                    .ld = 3 * d,
                                    .len = b->offset[seq + 1] - r,
                                    .dim = dim,
                                    .scale = 1.0f / sqrtf((float)dim),
                                    .mask = b->mask ? b->mask + r : NULL};

    a.plan = plan_of(e, layer, bird_batch_extent(b, seq));
    if (a.plan && b->position)
        a.edge = e->edge + e->tile[seq] + seq;
    if (!a.plan && dropout->attention > 0) {
        a.drop = bird_dropout_at(dropout, dropout->attention, layer,
                                 BIRD_SITE_ATTENTION);
        a.drop.key = bird_mix(a.drop.key, (uint64_t)(seq * e->c.n_head + head));
    }
    return a;
}

/* Task t is tile i of head h of sequence s, in that order of nesting. */
static void attention_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_encoder *e = p->e;
    int64_t lo = 0, hi = p->b->n_seq, n_tile, head, i, size, r0, r1;
    int64_t d = e->c.hidden_size;
    struct bird_attention_args a;

    while (hi - lo > 1) {
        int64_t mid = (lo + hi) / 2;

        if (e->tile[mid] * e->c.n_head <= task)
            lo = mid;
        else
            hi = mid;
    }
    n_tile = e->tile[lo + 1] - e->tile[lo];
    task -= e->tile[lo] * e->c.n_head;
    head = task / n_tile;
    i = task % n_tile;
    a = bird_layer_attention(e, p->layer, p->s->qkv, lo, head, p->b,
                             p->dropout);
    size = bird_attention_tile(a.plan);
    r0 = a.edge ? a.edge[i] : i * size;
    r1 = a.edge                   ? a.edge[i + 1]
         : (i + 1) * size < a.len ? (i + 1) * size
                                  : a.len;
    if (r0 < r1)
        e->k->attention_forward(p->s->ctx + p->b->offset[lo] * d + head * a.dim,
                                d, &a, r0, r1, bird_encoder_scratch(e, worker));
}

void bird_layer_attend(const struct bird_encoder *e, int64_t layer,
                       const struct bird_activations *s,
                       const struct bird_batch *b)
{
    struct pass p = {
        .e = e, .s = s, .b = b, .dropout = &no_dropout, .layer = layer};

    bird_parallel(e->tile[b->n_seq] * e->c.n_head, attention_task, &p);
}

void bird_layer_product(const struct bird_encoder *e, float *c, const float *a,
                        const struct bird_linear *w, struct bird_linear_shape s,
                        int worker)
{
    if (!w->low && w->packed)
        e->k->product(c, s.n_out, a, s.n_in, w->packed, s.n, s.n_out, s.n_in);
    else if (!w->low)
        bird_gemm_nt(c, s.n_out, (struct bird_matrix){a, s.n_in},
                     (struct bird_matrix){w->w, s.n_in}, s.n, s.n_out, s.n_in,
                     1, 0);
    else if (bird_low_product(c, s.n_out, w->low,
                              (struct bird_matrix){a, s.n_in}, NULL, s.n,
                              bird_encoder_scratch_low(e, worker)))
        __atomic_store_n(e->failed, 1, __ATOMIC_RELAXED);
}

struct projection {
    const struct bird_encoder *e;
    const struct bird_linear *w;
    float *qkv;
    const float *x;
    int64_t n;
};

/* Queries, keys and values of one panel of rows. */
static void qkv_task(void *context, int64_t task, int worker)
{
    const struct projection *p = context;
    const struct bird_encoder *e = p->e;
    int64_t d = e->c.hidden_size, r = task * e->panel;
    int64_t m = r + e->panel < p->n ? e->panel : p->n - r;
    float *y = p->qkv + r * 3 * d;
    struct bird_matrix x = {p->x + r * d, d};

    if (!p->w->low) {
        bird_layer_product(e, y, x.x, p->w,
                           (struct bird_linear_shape){m, 3 * d, d, 0}, worker);
        if (p->w->b)
            e->k->add_bias(y, p->w->b, m, 3 * d, 3 * d);
    } else if (bird_low_product(y, 3 * d, p->w->low, x, p->w->b, m,
                                bird_encoder_scratch_low(e, worker))) {
        __atomic_store_n(e->failed, 1, __ATOMIC_RELAXED);
    }
}

void bird_layer_qkv(const struct bird_encoder *e, int64_t layer, float *qkv,
                    const float *x, int64_t n)
{
    struct projection p = {e, &e->w->layer[layer].qkv, qkv, x, n};

    bird_parallel((n + e->panel - 1) / e->panel, qkv_task, &p);
}

/* a = LN1(dropout(ctx Wo + bo) + x) for m rows from r; t is scratch. a may
 * be x. */
static void attended_rows(const struct pass *p, float *a, float *t, int64_t r,
                          int64_t m, int worker)
{
    const struct bird_encoder *e = p->e;
    const struct bird_layer *w = p->w;
    const struct bird_activations *s = p->s;
    int64_t d = e->c.hidden_size;

    bird_layer_product(e, t, s->ctx + r * d, &w->out,
                       (struct bird_linear_shape){m, d, d, 0}, worker);
    e->k->residual_layernorm_forward(
        a, s->z1 ? s->z1 + r * d : NULL, s->stat1 ? s->stat1 + 2 * r : NULL, t,
        w->out.b, p->x + r * d, w->norm1.gain, w->norm1.beta,
        (float)e->c.layer_norm_eps,
        bird_dropout_at(p->dropout, p->dropout->hidden, p->layer,
                        BIRD_SITE_OUTPUT),
        r, m, d);
}

/* u = a W1 + b1, h = act(u); h may be u. */
static void widened_rows(const struct pass *p, float *h, float *u,
                         const float *a, int64_t m, int worker)
{
    const struct bird_encoder *e = p->e;
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size;

    bird_layer_product(e, u, a, &p->w->up,
                       (struct bird_linear_shape){m, f, d, 0}, worker);
    e->k->bias_act_forward(h, u, p->w->up.b, e->c.act, m, f);
}

/* After attention, y = LN2(dropout(h W2 + b2) + a) for one panel of rows. */
static void output_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_encoder *e = p->e;
    const struct bird_layer *w = p->w;
    const struct bird_activations *s = p->s;
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size;
    int64_t r = task * e->panel, m = rows_of(p, task);
    float *t = bird_encoder_scratch(e, worker), *h = t + e->panel * d;
    float *a = h + e->panel * f, *u = s->u ? s->u + r * f : h;

    attended_rows(p, a, t, r, m, worker);
    widened_rows(p, h, u, a, m, worker);
    bird_layer_product(e, t, h, &w->down,
                       (struct bird_linear_shape){m, d, f, 0}, worker);
    e->k->residual_layernorm_forward(
        p->y + r * d, s->z2 ? s->z2 + r * d : NULL,
        s->stat2 ? s->stat2 + 2 * r : NULL, t, w->down.b, a, w->norm2.gain,
        w->norm2.beta, (float)e->c.layer_norm_eps,
        bird_dropout_at(p->dropout, p->dropout->hidden, p->layer,
                        BIRD_SITE_FFN),
        r, m, d);
}

static void again_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_encoder *e = p->e;
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size;
    int64_t r = task * e->panel, m = rows_of(p, task);

    attended_rows(p, p->y + r * d, bird_encoder_scratch(e, worker), r, m,
                  worker);
    widened_rows(p, p->z + r * f, p->s->u + r * f, p->y + r * d, m, worker);
}

void bird_layer_recompute(const struct bird_encoder *e, int64_t layer, float *a,
                          float *h, const struct bird_activations *s,
                          const struct bird_batch *b,
                          const struct bird_noise *dropout)
{
    struct pass p = {.e = e,
                     .w = &e->w->layer[layer],
                     .s = s,
                     .b = b,
                     .x = a,
                     .y = a,
                     .z = h,
                     .dropout = dropout ? dropout : &no_dropout,
                     .layer = layer,
                     .n = b->offset[b->n_seq]};

    bird_layer_qkv(e, layer, s->qkv, a, p.n);
    bird_parallel((p.n + e->panel - 1) / e->panel, again_task, &p);
}

void bird_layer_forward(const struct bird_encoder *e, int64_t layer, float *y,
                        const float *x, const struct bird_activations *s,
                        const struct bird_batch *b,
                        const struct bird_noise *dropout)
{
    struct pass p = {.e = e,
                     .w = &e->w->layer[layer],
                     .s = s,
                     .b = b,
                     .x = x,
                     .y = y,
                     .dropout = dropout ? dropout : &no_dropout,
                     .layer = layer,
                     .n = b->offset[b->n_seq]};

    bird_layer_qkv(e, layer, s->qkv, x, p.n);
    bird_parallel(e->tile[b->n_seq] * e->c.n_head, attention_task, &p);
    bird_parallel((p.n + e->panel - 1) / e->panel, output_task, &p);
}

/* Token 0 of one head of one sequence, its context into row `seq` of ctx. */
static void first_attention_task(void *context, int64_t task, int worker)
{
    const struct pass *p = context;
    const struct bird_encoder *e = p->e;
    int64_t seq = task / e->c.n_head, head = task % e->c.n_head;
    struct bird_attention_args a = bird_layer_attention(
        e, p->layer, p->s->qkv, seq, head, p->b, p->dropout);

    e->k->attention_forward(p->s->ctx + seq * e->c.hidden_size + head * a.dim,
                            e->c.hidden_size, &a, 0, 1,
                            bird_encoder_scratch(e, worker));
}

void bird_layer_forward_first(const struct bird_encoder *e, int64_t layer,
                              float *y, float *x,
                              const struct bird_activations *s,
                              const struct bird_batch *b)
{
    struct pass p = {.e = e,
                     .w = &e->w->layer[layer],
                     .s = s,
                     .b = b,
                     .x = x,
                     .y = y,
                     .dropout = &no_dropout,
                     .layer = layer,
                     .n = b->n_seq};
    int64_t d = e->c.hidden_size;

    bird_layer_qkv(e, layer, s->qkv, x, b->offset[b->n_seq]);
    bird_parallel(b->n_seq * e->c.n_head, first_attention_task, &p);
    /* offsets rise, so a row never goes over one that is still to move */
    for (int64_t i = 0; i < b->n_seq; i++)
        memmove(x + i * d, x + b->offset[i] * d, (size_t)d * sizeof(*x));
    bird_parallel((p.n + e->panel - 1) / e->panel, output_task, &p);
}
