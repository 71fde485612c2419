/* model: linear layers cut into panels and stretches, against sums in double.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm.h"
#include "model/linear.h"
#include "ref.h"

struct layer {
    int64_t n, out, in;
    float *x, *w, *b, *y, *dx, *dw, *db;
};

static float *filled(int64_t n, struct bird_rng *r)
{
    float *x;

    WORKS(bird_array_new(&x, n, sizeof(*x)));
    for (int64_t i = 0; i < n; i++)
        x[i] = 7;
    if (r)
        ref_fill(x, n, r, 1);
    return x;
}

/* A sum in double, and what is needed to know how far one in float32 may be
 * off: the number of its terms and the sum of their absolute values. */
struct sum {
    double value, size;
    int64_t n;
};

static void add(struct sum *s, double term)
{
    s->value += term;
    s->size += fabs(term);
    s->n++;
}

/* Rounding errors of n terms are independent whatever their order, hence
 * sqrt(n) u size rather than n u size; Higham and Mary, SIAM J. Sci. Comput.
 * 41 (2019) A2815. It holds for every kernel set of a BLAS; one number for all
 * sizes held for some of them. */
static void near(float got, struct sum want, const char *what,
                 const struct layer *l)
{
    double u = 0x1p-24, most = (sqrt((double)want.n) + 2) * u * want.size;

    cr_assert_float_eq(
        got, want.value, most, "%s (%d, %d, %d): %.9g, not %.9g +- %.2g", what,
        (int)l->n, (int)l->out, (int)l->in, (double)got, want.value, most);
}

static void check_forward(struct layer *l, int biased)
{
    const struct bird_linear w = {.w = l->w, .b = biased ? l->b : NULL};

    bird_linear_forward(l->y, l->x, &w,
                        (struct bird_linear_shape){l->n, l->out, l->in, 0});
    for (int64_t i = 0; i < l->n; i++)
        for (int64_t o = 0; o < l->out; o++) {
            struct sum sum = {0};

            add(&sum, biased ? (double)l->b[o] : 0);
            for (int64_t j = 0; j < l->in; j++)
                add(&sum,
                    (double)l->x[i * l->in + j] * (double)l->w[o * l->in + j]);
            near(l->y[i * l->out + o], sum, "y", l);
        }
}

/* y now stands for its own gradient. */
static void check_backward(struct layer *l, float beta)
{
    struct bird_linear g = {.w = l->dw, .b = beta > 0 ? l->db : NULL},
                       w = {.w = l->w};

    bird_linear_backward(
        &g, l->dx, &w, l->y, l->x,
        (struct bird_linear_shape){l->n, l->out, l->in, beta > 0});
    for (int64_t i = 0; i < l->n; i++)
        for (int64_t j = 0; j < l->in; j++) {
            struct sum sum = {0};

            add(&sum, 7 * (double)beta);
            for (int64_t o = 0; o < l->out; o++)
                add(&sum,
                    (double)l->y[i * l->out + o] * (double)l->w[o * l->in + j]);
            near(l->dx[i * l->in + j], sum, "dx", l);
        }
    for (int64_t o = 0; o < l->out; o++) {
        struct sum bias = {7, 7, 1};

        for (int64_t j = 0; j < l->in; j++) {
            struct sum sum = {7, 7, 1};

            for (int64_t i = 0; i < l->n; i++)
                add(&sum,
                    (double)l->y[i * l->out + o] * (double)l->x[i * l->in + j]);
            near(l->dw[o * l->in + j], sum, "dw", l);
        }
        for (int64_t i = 0; i < l->n && beta > 0; i++)
            add(&bias, (double)l->y[i * l->out + o]);
        near(l->db[o], bias, "db", l);
    }
}

static void check_layer(int64_t n, int64_t out, int64_t in, int i)
{
    struct layer l = {.n = n, .out = out, .in = in};
    struct bird_rng r;

    bird_threads_set(1 + i % 2);
    bird_rng_init(&r, 1, 1, (uint64_t)i);
    l.x = filled(l.n * l.in, &r), l.w = filled(l.out * l.in, &r);
    l.b = filled(l.out, &r), l.y = filled(l.n * l.out, NULL);
    l.dx = filled(l.n * l.in, NULL), l.dw = filled(l.out * l.in, NULL);
    l.db = filled(l.out, NULL);
    check_forward(&l, i % 2);
    /* a sum over many features rounds more: smaller terms */
    ref_fill(l.y, l.n * l.out, &r, out > 1000 ? 0.1 : 1);
    check_backward(&l, (float)(i % 2));
    free(l.x), free(l.w), free(l.b), free(l.y);
    free(l.dx), free(l.dw), free(l.db);
}

Test(linear, forward_and_backward, .init = bird_gemm_init)
{
    static const int64_t rows[] = {1, 17, 64, 65, 300};
    static const int64_t width[] = {1, 7, 65, 129, 900};

    for (int i = 0; i < 50; i++)
        check_layer(rows[i % 5], width[i / 5 % 5], width[(i + i / 25) % 5], i);
}

/* An output layer is cut another way. */
Test(linear, of_a_vocabulary, .init = bird_gemm_init)
{
    check_layer(3, 8192, 5, 1);
    check_layer(65, 8193, 17, 2);
    check_layer(2, 9000, 385, 3);
    check_layer(1, 8191, 33, 4);
}

/* The height of a panel, and with it every bit, hangs on the rows alone. */
Test(linear, panels_are_a_function_of_the_rows)
{
    for (int64_t n = 0; n < 5000; n += 7) {
        int64_t h;

        bird_threads_set(1);
        h = bird_panel_rows(n);
        bird_threads_set(7);
        cr_assert_eq(bird_panel_rows(n), h);
        cr_assert(h >= 64 && h <= 512 && h % 64 == 0);
    }
}
