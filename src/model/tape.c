/* The encoder in training: forward with dropout, and backward.
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
#include "base/timer.h"
#include "model/layer.h"
#include "model/linear.h"
#include "model/stem_layer.h"

/* Columns of one embedding-gradient task; rows that one pass of a
 * normalisation's backward pass takes. */
#define COLUMNS 64
#define ROWS    16

struct bird_tape {
    int recompute;
    float *block; /* all that follows */
    int64_t cap;
    float *z, *stat; /* embeddings: (N, D), (N, 2) */
    struct bird_activations *kept;
    int64_t n_kept;
    float *x;                /* (N, D) a layer's input or output, or a */
    float *dt, *h, *du, *dc; /* (N, .) D, F, F, D */
    float *dqkv;             /* (N, 3D), in the memory of h */
    float *partial;          /* (panels, 2D) of a normalisation */
    struct bird_linear_workspace space; /* of products in lower precision */
    struct bird_stem_tape stem;
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
    free(t->kept);
    bird_linear_workspace_free(&t->space);
    bird_stem_tape_free(&t->stem);
    free(t);
}

void bird_tape_centre(struct bird_tape *t)
{
    t->stem.centre = 1;
}

/* The last layer is the first one to go back through: what it made is still
 * there. */
static int is_recomputed(const struct bird_tape *t, int64_t layer)
{
    return t->recompute && layer + 1 < t->n_kept;
}

/* Hand out n floats, aligned; with base NULL only the size is counted. */
static float *cut(float *base, int64_t *used, int64_t n)
{
    float *p = base ? base + *used : NULL;

    *used += (n + 15) / 16 * 16;
    return p;
}

/* Kept of every layer are c, z2 and its statistics, from which the output and
 * the next layer's input are recomputed; the rest of one layer alone when layers
 * are recomputed. */
static int64_t lay_out(struct bird_tape *t, float *base,
                       const struct bird_encoder *e, int64_t n)
{
    int64_t used = 0, d = e->c.hidden_size, f = e->c.intermediate_size;
    int64_t panel = e->panel;

    t->z = cut(base, &used, n * d);
    t->stat = cut(base, &used, n * 2);
    for (int64_t i = 0; i < t->n_kept; i++) {
        struct bird_activations *s = &t->kept[i];

        s->ctx = cut(base, &used, n * d);
        s->z2 = cut(base, &used, n * d);
        s->stat2 = cut(base, &used, n * 2);
        if (i && t->recompute) {
            s->qkv = t->kept->qkv, s->u = t->kept->u;
            s->z1 = t->kept->z1, s->stat1 = t->kept->stat1;
            continue;
        }
        s->qkv = cut(base, &used, n * 3 * d);
        s->u = cut(base, &used, n * f);
        s->z1 = cut(base, &used, n * d);
        s->stat1 = cut(base, &used, n * 2);
    }
    t->x = cut(base, &used, n * d);
    t->dt = cut(base, &used, n * d);
    t->dc = cut(base, &used, n * d);
    t->du = cut(base, &used, n * f);
    t->h = cut(base, &used, n * (f > 3 * d ? f : 3 * d));
    t->dqkv = t->h; /* h has been used when dqkv is made */
    t->partial = cut(base, &used, (n + panel - 1) / panel * 2 * d);
    return used;
}

/* Of an encoder that has been prepared for these rows. */
static int tape_reserve(struct bird_tape *t, const struct bird_encoder *e,
                        int64_t n)
{
    int64_t size, n_kept = e->c.n_layer;
    struct bird_activations *kept;
    float *p;
    int rc;

    if (t->n_kept != n_kept) { /* new, or last used with another model */
        rc = bird_array_new(&kept, n_kept, sizeof(*kept));
        if (rc)
            return rc;
        free(t->kept);
        t->kept = kept;
        t->n_kept = n_kept;
    }
    size = lay_out(t, NULL, e, n);
    if (size > t->cap) {
        rc = bird_array_new(&p, size, sizeof(*p));
        if (rc)
            return rc;
        free(t->block);
        t->block = p;
        t->cap = size;
    }
    lay_out(t, t->block, e, n);
    return 0;
}

int bird_encoder_train_forward(struct bird_encoder *e, struct bird_tape *t,
                               const float **x, const struct bird_batch *b,
                               const struct bird_dropout_rates *dropout)
{
    int rc = bird_batch_check(b, &e->c);

    if (!rc && b->position)
        rc = bird_fail(BIRD_EINVAL, "explicit positions are for "
                                    "inference");
    if (rc || (rc = bird_encoder_prepare(e, b, 1)) ||
        (rc = tape_reserve(t, e, b->offset[b->n_seq])))
        return rc;
    if (e->c.n_stem && (rc = bird_stem_train_forward(e, &t->stem, t->x, b)))
        return rc;
    bird_embed(e, t->x, t->z, t->stat, b, dropout);
    for (int64_t l = 0; l < e->c.n_layer; l++) {
        struct bird_activations s = t->kept[l];

        if (is_recomputed(t, l))
            s.z1 = s.stat1 = s.u = NULL;
        bird_layer_forward(e, l, t->x, t->x, &s, b, dropout);
    }
    *x = t->x;
    return bird_encoder_status(e);
}

struct back {
    const struct bird_encoder *e;
    const struct bird_batch *b;
    const struct bird_dropout_rates *dropout;
    const struct bird_activations *s;
    const struct bird_weights *grad;
    struct bird_tape *t;
    int64_t layer, n;
    int rc; /* of products in lower precision */
    /* one normalisation or activation at a time */
    float *out, *dt;
    const float *dy, *z, *stat, *gain, *beta;
    struct bird_dropout drop;
};

static int64_t back_rows(const struct back *k, int64_t *r, int64_t task)
{
    *r = task * k->e->panel;
    return *r + k->e->panel < k->n ? k->e->panel : k->n - *r;
}

static int64_t back_panels(const struct back *k)
{
    return (k->n + k->e->panel - 1) / k->e->panel;
}

/* A few rows at a time: they stay near the core from one pass to the next. */
static void norm_rows(void *context, int64_t task, int worker)
{
    const struct back *k = context;
    const struct bird_kernels *f = k->e->k;
    int64_t d = k->e->c.hidden_size, r, m = back_rows(k, &r, task), end = r + m;
    float *dgain = k->t->partial + task * 2 * d, *dbeta = dgain + d;

    (void)worker;
    memset(dgain, 0, (size_t)(2 * d) * sizeof(float));
    for (; r < end; r += m) {
        m = r + ROWS < end ? ROWS : end - r;
        f->layernorm_backward_params(dgain, dbeta, k->dy + r * d, k->z + r * d,
                                     k->stat + 2 * r, m, d, 0, d);
        f->layernorm_backward(k->out + r * d, k->dy + r * d, k->z + r * d,
                              k->stat + 2 * r, k->gain, m, d);
        memcpy(k->dt + r * d, k->out + r * d, (size_t)(m * d) * sizeof(float));
        f->dropout(k->dt + r * d, k->drop, r, m, d);
    }
}

/* out = gradient before a normalisation, from dy after it, and t->dt = out
 * through the dropout before the residual; out may be dy. Gradients of gain
 * and beta are sums over panels, added in their order. */
static void norm_backward(struct back *k, float *out, const float *dy,
                          struct bird_norm w, struct bird_norm g,
                          enum bird_site site)
{
    int64_t d = k->e->c.hidden_size;

    k->out = out, k->dy = dy, k->gain = w.gain, k->dt = k->t->dt;
    k->drop = bird_dropout_at(k->dropout, k->dropout->hidden, k->layer, site);
    bird_parallel(back_panels(k), norm_rows, k);
    for (int64_t i = 0; g.gain && i < back_panels(k); i++) {
        k->e->k->add(g.gain, k->t->partial + i * 2 * d, d);
        k->e->k->add(g.beta, k->t->partial + (i * 2 + 1) * d, d);
    }
}

static void norm_recompute_rows(void *context, int64_t task, int worker)
{
    const struct back *k = context;
    int64_t d = k->e->c.hidden_size, r, m = back_rows(k, &r, task);

    (void)worker;
    k->e->k->layernorm_again(k->out + r * d, k->z + r * d, k->stat + 2 * r,
                             k->gain, k->beta, m, d);
}

/* t->x = what that normalisation gave. */
static void norm_recompute(struct back *k, const float *z, const float *stat,
                           const struct bird_norm *w)
{
    k->out = k->t->x, k->z = z, k->stat = stat;
    k->gain = w->gain, k->beta = w->beta;
    bird_parallel(back_panels(k), norm_recompute_rows, k);
}

/* t->x = the layer's input: what the layer before it, or the embeddings,
 * gave. */
static void input_recompute(struct back *k)
{
    const struct bird_weights *w = k->e->w;

    if (k->layer)
        norm_recompute(k, k->s[-1].z2, k->s[-1].stat2,
                       &w->layer[k->layer - 1].norm2);
    else
        norm_recompute(k, k->t->z, k->t->stat, &w->embedding);
}

static void act_rows(void *context, int64_t task, int worker)
{
    const struct back *k = context;
    int64_t f = k->e->c.intermediate_size, r, m = back_rows(k, &r, task);
    float *du = k->t->du + r * f, *u = k->s->u + r * f;

    (void)worker;
    k->e->k->act_backward(du, du, u, k->e->c.act, m, f);
}

static void act_recompute(void *context, int64_t task, int worker)
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
    struct bird_attention_args a = bird_layer_attention(
        e, k->layer, k->s->qkv, seq, head, k->b, k->dropout);
    float *dq = k->t->dqkv + r * 3 * d + head * a.dim;

    e->attend_back(dq, dq + d, dq + 2 * d, k->t->dc + r * d + head * a.dim, d,
                   &a, bird_encoder_scratch(e, worker));
}

/* t->x = a and t->h = act(u), and what else the forward pass did not keep. */
static void layer_recompute(struct back *k)
{
    struct bird_tape *t = k->t;
    enum bird_phase before;

    if (!is_recomputed(t, k->layer)) {
        norm_recompute(k, k->s->z1, k->s->stat1,
                       &k->e->w->layer[k->layer].norm1);
        bird_parallel(back_panels(k), act_recompute, k);
        return;
    }
    before = bird_timer_enter(BIRD_PHASE_RECOMPUTE);
    input_recompute(k);
    bird_layer_recompute(k->e, k->layer, t->x, t->h, k->s, k->b, k->dropout);
    bird_timer_leave(before);
}

/* Back through a linear layer, in the encoder's precision. */
static void linear_backward(struct back *k, const struct bird_linear_args *w)
{
    int rc = 0;

    if (w->w->back)
        rc = bird_linear_low_backward(&k->t->space, w);
    else
        bird_linear_backward(w->g, w->dx, w->w, w->dy, w->x, w->s);
    k->rc = k->rc ? k->rc : rc;
}

/* dx: in the gradient of the layer's output, out that of its input x. */
static void layer_backward(struct back *k, float *dx)
{
    static const struct bird_layer none = {0};
    const struct bird_encoder *e = k->e;
    const struct bird_layer *w = &e->w->layer[k->layer];
    const struct bird_layer *g = k->grad ? &k->grad->layer[k->layer] : &none;
    const struct bird_activations *s = k->s;
    struct bird_tape *t = k->t;
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size, n = k->n;

    layer_recompute(k);
    /* y = LN2(z2), z2 = dropout(h W2 + b2) + a */
    k->z = s->z2, k->stat = s->stat2;
    norm_backward(k, dx, dx, w->norm2, g->norm2, BIRD_SITE_FFN);
    /* h = act(u), u = a W1 + b1 */
    linear_backward(
        k, &(struct bird_linear_args){&g->down, &w->down, t->du, t->dt, t->h,
                                      (struct bird_linear_shape){n, d, f, 0}});
    bird_parallel(back_panels(k), act_rows, k);
    linear_backward(
        k, &(struct bird_linear_args){&g->up, &w->up, dx, t->du, t->x,
                                      (struct bird_linear_shape){n, f, d, 1}});
    /* a = LN1(z1), z1 = dropout(c Wo + bo) + x */
    k->z = s->z1, k->stat = s->stat1;
    norm_backward(k, dx, dx, w->norm1, g->norm1, BIRD_SITE_OUTPUT);
    linear_backward(
        k, &(struct bird_linear_args){&g->out, &w->out, t->dc, t->dt, s->ctx,
                                      (struct bird_linear_shape){n, d, d, 0}});
    /* c = attention(q, k, v), (q k v) = x Wqkv + b */
    bird_parallel(k->b->n_seq * e->c.n_head, attention_task, k);
    input_recompute(k);
    linear_backward(k, &(struct bird_linear_args){
                           &g->qkv, &w->qkv, dx, t->dqkv, t->x,
                           (struct bird_linear_shape){n, 3 * d, d, 1}});
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
            int32_t id = k->e->c.n_stem ? bird_stem_special(&k->e->c, b, s,
                                                            i - b->offset[s])
                                        : b->ids[i];
            float *word = g->word + (id < 0 ? 0 : id) * d;
            float *pos = g->position + (i - b->offset[s]) * d;
            float *type =
                g->type + (b->type ? b->type[i] : k->e->c.token_type) * d;
            /* padding_idx: the look-up gives the pad row no gradient */
            float w = id < 0 || id == k->e->c.pad_id ? 0 : scale;

            for (int64_t j = c0; j < c1; j++) {
                word[j] += dy[j] * w;
                pos[j] += dy[j];
                type[j] += dy[j];
            }
        }
    }
}

int bird_encoder_backward(struct bird_encoder *e, struct bird_tape *t,
                          const struct bird_weights *grad, float *dx,
                          const struct bird_batch *b,
                          const struct bird_dropout_rates *dropout)
{
    static const struct bird_dropout_rates no_dropout = {0};
    int64_t n = b->offset[b->n_seq];
    struct back k = {.e = e,
                     .b = b,
                     .dropout = dropout ? dropout : &no_dropout,
                     .grad = grad,
                     .t = t,
                     .n = n};

    for (int64_t l = e->c.n_layer - 1; l >= 0 && !k.rc; l--) {
        k.layer = l;
        k.s = &t->kept[l];
        layer_backward(&k, dx);
    }
    k.layer = -1;
    k.z = t->z, k.stat = t->stat;
    norm_backward(&k, dx, dx, e->w->embedding,
                  grad ? grad->embedding : (struct bird_norm){0},
                  BIRD_SITE_OUTPUT);
    k.dy = t->dt;
    if (grad) {
        bird_parallel((e->c.hidden_size + COLUMNS - 1) / COLUMNS, embed_columns,
                      &k);
        bird_weights_scale_back(grad, e->w, &e->c);
    }
    if (e->c.n_stem && !k.rc)
        bird_stem_backward(e, &t->stem, grad, t->dt, b);
    return k.rc ? k.rc : bird_encoder_status(e);
}

struct along {
    const struct bird_encoder *e;
    const struct bird_batch *b;
    const float *dy, *direction;
    const int32_t *which;
    float *out;
};

/* One sequence: all its rows, or with a stem only those of special tokens. */
static void along_task(void *context, int64_t s, int worker)
{
    const struct along *k = context;
    const struct bird_config *c = &k->e->c;
    const int64_t *token = c->n_stem ? k->b->token : k->b->offset;
    int64_t d = c->hidden_size, n = token[s + 1] - token[s];
    int64_t rows = k->b->offset[s + 1] - k->b->offset[s];
    int64_t before = n, behind = 0; /* special tokens; without a stem all */
    double scale = c->rescale_embeddings ? sqrt((double)d) : 1;

    (void)worker;
    if (c->n_stem)
        bird_stem_ends(c, k->b->ids + token[s], n, &before, &behind);
    for (int64_t i = 0; i < n; i++) {
        int32_t which = k->which[token[s] + i];
        int64_t row = i < before ? i : rows - (n - i);
        const float *dy;
        double sum = 0;

        if (i >= before && i < n - behind)
            continue; /* the stem's */
        dy = k->dy + (k->b->offset[s] + row) * d;
        for (int64_t j = 0; which >= 0 && j < d; j++)
            sum += (double)dy[j] * (double)k->direction[which * d + j];
        k->out[token[s] + i] = (float)(scale * sum);
    }
}

int bird_tape_along(float *out, struct bird_encoder *e, struct bird_tape *t,
                    const struct bird_batch *b, const float *direction,
                    int64_t n, const int32_t *which)
{
    struct along k = {e, b, t->dt, direction, which, out};

    bird_parallel(b->n_seq, along_task, &k);
    return e->c.n_stem
               ? bird_stem_along(out, e, &t->stem, b, direction, n, which)
               : 0;
}
