/* The linear layers of few rows by slices of output features.
 * SPDX-License-Identifier: MIT */
#include "model/few.h"

#include <stddef.h>

#include "base/parallel.h"
#include "kernel/gemm.h"

/* So many threads have work; and so many arrays of (n, D) are the
 * parts of the last product's sum. */
enum { PARTS = 4 };

/* Rows pass through here between products; attention is done by then, or has
 * not begun, so its scratch is free. */
struct room {
    float *a; /* (n, D) after the first normalisation */
    float *t; /* PARTS times (n, D): t[0] is also the output projection */
    float *h; /* (n, F), part by part: rows of a part stand end to end */
};

static struct room room_of(const struct bird_encoder *e, int64_t n)
{
    int64_t d = e->c.hidden_size;
    float *a = e->scratch;

    return (struct room){a, a + n * d, a + n * (1 + PARTS) * d};
}

int64_t bird_few_scratch(const struct bird_encoder *e, int64_t n)
{
    return n * ((1 + PARTS) * e->c.hidden_size + e->c.intermediate_size);
}

/* Features of a part; the parts are PARTS at most. */
static int64_t part_of(int64_t n_feature)
{
    int64_t part = (n_feature / PARTS + 63) / 64 * 64;

    return part * PARTS < n_feature ? part + 64 : part;
}

static void multiply(float *y, const float *x, const struct bird_linear *w,
                     const float *bias, struct bird_linear_shape s)
{
    bird_linear_slices(&(struct bird_product){.y = y,
                                              .x = x,
                                              .w = w->w,
                                              .bias = bias,
                                              .ldy = s.n_out,
                                              .ldx = s.n_in,
                                              .n = s.n,
                                              .n_out = s.n_out,
                                              .n_in = s.n_in},
                       part_of(s.n_out));
}

void bird_few_qkv(const struct bird_encoder *e, int64_t layer, float *qkv,
                  const float *x, int64_t n)
{
    const struct bird_linear *w = &e->w->layer[layer].qkv;
    int64_t d = e->c.hidden_size;

    multiply(qkv, x, w, w->b, (struct bird_linear_shape){n, 3 * d, d, 0});
}

/* The feed-forward of all rows: part i of its inner features, and what they
 * add to the output. So W1 and W2 are each packed once, and no rows twice but
 * those of x. */
struct inner {
    const struct bird_encoder *e;
    const struct bird_layer *w;
    const float *x;
    struct room s;
    int64_t n, part;
    int bare; /* products alone */
};

static void inner_task(void *context, int64_t task, int worker)
{
    const struct inner *p = context;
    const struct bird_encoder *e = p->e;
    const struct bird_linear *up = &p->w->up, *down = &p->w->down;
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size, n = p->n;
    int64_t c0 = task * p->part, c = c0 + p->part < f ? p->part : f - c0;
    float *h = p->s.h + n * c0;

    (void)worker;
    bird_gemm_nt(h, c, (struct bird_matrix){p->x, d},
                 (struct bird_matrix){up->w + c0 * d, d}, n, c, d, 1, 0);
    if (!p->bare)
        e->k->bias_act_forward(h, h, up->b ? up->b + c0 : NULL, e->c.act, n, c);
    bird_gemm_nt(p->s.t + task * n * d, d, (struct bird_matrix){h, c},
                 (struct bird_matrix){down->w + c0, f}, n, d, c, 1, 0);
}

/* Returns the number of parts of the sum. */
static int64_t feed_forward(const struct bird_encoder *e,
                            const struct bird_layer *w, const float *x,
                            int64_t n, int bare)
{
    int64_t f = e->c.intermediate_size, part = part_of(f);
    struct inner p = {e, w, x, room_of(e, n), n, part, bare};

    bird_parallel((f + part - 1) / part, inner_task, &p);
    return (f + part - 1) / part;
}

/* y = LN(t[0] + t[1] ... + bias + x), parts of (n, D) in their order */
struct norm {
    const struct bird_encoder *e;
    const struct bird_norm *w;
    float *y, *t;
    const float *bias, *x;
    int64_t n, n_part;
};

static void norm_task(void *context, int64_t task, int worker)
{
    const struct norm *p = context;
    const struct bird_encoder *e = p->e;
    int64_t d = e->c.hidden_size, r = task * e->panel;
    int64_t m = r + e->panel < p->n ? e->panel : p->n - r;
    float *t = p->t + r * d;

    (void)worker;
    for (int64_t i = 1; i < p->n_part; i++)
        e->k->add(t, t + i * p->n * d, m * d);
    e->k->residual_layernorm_forward(p->y + r * d, NULL, NULL, t, p->bias,
                                     p->x + r * d, p->w->gain, p->w->beta,
                                     (float)e->c.layer_norm_eps,
                                     (struct bird_dropout){0}, r, m, d);
}

static void normalise(struct norm *p)
{
    bird_parallel((p->n + p->e->panel - 1) / p->e->panel, norm_task, p);
}

void bird_few_output(const struct bird_encoder *e, int64_t layer, float *y,
                     const float *x, const float *ctx, int64_t n)
{
    const struct bird_layer *w = &e->w->layer[layer];
    int64_t d = e->c.hidden_size;
    struct room s = room_of(e, n);
    struct norm attended = {e, &w->norm1, s.a, s.t, w->out.b, x, n, 1};
    struct norm done = {e, &w->norm2, y, s.t, w->down.b, s.a, n, 0};

    multiply(s.t, ctx, &w->out, NULL, (struct bird_linear_shape){n, d, d, 0});
    normalise(&attended);
    done.n_part = feed_forward(e, w, s.a, n, 0);
    normalise(&done);
}

void bird_few_products(const struct bird_encoder *e, int64_t layer,
                       const float *ctx, int64_t n)
{
    const struct bird_layer *w = &e->w->layer[layer];
    int64_t d = e->c.hidden_size;

    multiply(room_of(e, n).t, ctx, &w->out, NULL,
             (struct bird_linear_shape){n, d, d, 0});
    feed_forward(e, w, ctx, n, 1);
}
