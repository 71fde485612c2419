/* The linear layers of few rows by slices of output features.
 * SPDX-License-Identifier: MIT */
#include "model/few.h"

#include <stddef.h>

#include "base/parallel.h"

/* Rows pass through here between products: t = x W before a normalisation,
 * a = LN1, h = act(a W1); (n, D), (n, D), (n, F). Attention is done by then,
 * or has not begun, so its scratch is free. */
struct room {
    float *t, *a, *h;
};

static struct room room_of(const struct bird_encoder *e, int64_t n)
{
    int64_t d = e->c.hidden_size;
    float *t = e->scratch;

    return (struct room){t, t + n * d, t + n * 2 * d};
}

int64_t bird_few_scratch(const struct bird_encoder *e, int64_t n)
{
    return n * (2 * e->c.hidden_size + e->c.intermediate_size);
}

/* A quarter of the output features, so that four threads have work. */
static int64_t slice_of(int64_t n_out)
{
    int64_t quarter = (n_out / 4 + 63) / 64 * 64;

    return quarter < 64 ? 64 : quarter;
}

static void multiply(float *y, const float *x, const struct bird_linear *w,
                     const float *bias, const enum bird_act *act,
                     struct bird_linear_shape s)
{
    bird_linear_slices(&(struct bird_product){.y = y,
                                              .x = x,
                                              .w = w->w,
                                              .bias = bias,
                                              .act = act,
                                              .ldy = s.n_out,
                                              .ldx = s.n_in,
                                              .n = s.n,
                                              .n_out = s.n_out,
                                              .n_in = s.n_in},
                       slice_of(s.n_out));
}

void bird_few_qkv(const struct bird_encoder *e, int64_t layer, float *qkv,
                  const float *x, int64_t n)
{
    const struct bird_linear *w = &e->w->layer[layer].qkv;
    int64_t d = e->c.hidden_size;

    multiply(qkv, x, w, w->b, NULL, (struct bird_linear_shape){n, 3 * d, d, 0});
}

/* y = LN(t + bias + x) */
struct norm {
    const struct bird_encoder *e;
    const struct bird_norm *w;
    float *y, *t;
    const float *bias, *x;
    int64_t n;
};

static void norm_task(void *context, int64_t task, int worker)
{
    const struct norm *p = context;
    const struct bird_encoder *e = p->e;
    int64_t d = e->c.hidden_size, r = task * e->panel;
    int64_t m = r + e->panel < p->n ? e->panel : p->n - r;

    (void)worker;
    e->k->residual_layernorm_forward(p->y + r * d, NULL, NULL, p->t + r * d,
                                     p->bias, p->x + r * d, p->w->gain,
                                     p->w->beta, (float)e->c.layer_norm_eps,
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
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size;
    struct room s = room_of(e, n);
    struct norm attended = {e, &w->norm1, s.a, s.t, w->out.b, x, n};
    struct norm done = {e, &w->norm2, y, s.t, w->down.b, s.a, n};

    multiply(s.t, ctx, &w->out, NULL, NULL,
             (struct bird_linear_shape){n, d, d, 0});
    normalise(&attended);
    multiply(s.h, s.a, &w->up, w->up.b, &e->c.act,
             (struct bird_linear_shape){n, f, d, 0});
    multiply(s.t, s.h, &w->down, NULL, NULL,
             (struct bird_linear_shape){n, d, f, 0});
    normalise(&done);
}

void bird_few_products(const struct bird_encoder *e, int64_t layer,
                       const float *ctx, int64_t n)
{
    const struct bird_layer *w = &e->w->layer[layer];
    int64_t d = e->c.hidden_size, f = e->c.intermediate_size;
    struct room s = room_of(e, n);

    multiply(s.t, ctx, &w->out, NULL, NULL,
             (struct bird_linear_shape){n, d, d, 0});
    multiply(s.h, s.t, &w->up, NULL, NULL,
             (struct bird_linear_shape){n, f, d, 0});
    multiply(s.t, s.h, &w->down, NULL, NULL,
             (struct bird_linear_shape){n, d, f, 0});
}
