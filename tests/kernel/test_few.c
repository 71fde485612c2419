/* model: few rows by slices of output features, against the panels of training
 * and sums in double; threads; first tokens. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm.h"
#include "model/few.h"
#include "ref.h"
#include "tiny.h"

enum { D = 136, F = 300, MOST = BIRD_FEW_ROWS + 1 };

/* Sequences of n rows in all, the last one cut: sparse ones with holes in
 * their masks, full ones with padded tails, as in tiny.h. */
struct rows {
    int64_t offset[MOST + 1];
    int32_t ids[MOST];
    uint8_t mask[MOST];
    struct bird_batch b;
};

static void rows_fill(struct rows *r, int64_t n, int masked)
{
    static const int64_t length[] = {37, 1, 20, 48, 5, 28};

    r->b = (struct bird_batch){
        .offset = r->offset, .ids = r->ids, .mask = masked ? r->mask : NULL};
    r->offset[0] = 0;
    for (int64_t s = 0, at = 0; at < n; s++) {
        int64_t len = length[s % 6] < n - at ? length[s % 6] : n - at;

        for (int64_t i = 0; i < len; i++) {
            r->ids[at + i] = (int32_t)((at + i) * 7 % 23);
            r->mask[at + i] =
                i == 0 || (len > 28 ? i % 5 != 0 : len < 10 || i < len - 6);
        }
        at += len;
        r->offset[s + 1] = at;
        r->b.n_seq = s + 1;
    }
}

static void toy(struct tiny *t, enum bird_act act, int bias)
{
    struct bird_config c;

    tiny_config(&c, BIRD_HEAD_NONE);
    c.hidden_size = D;
    c.intermediate_size = F;
    c.act = act;
    c.use_bias = bias;
    tiny_init(t, &c, 3);
    /* the weights of a toy of 12 features would blow up rounding here */
    for (int64_t i = 0; i < t->n_param; i++)
        for (int64_t j = 0; j < t->list[i].count; j++)
            if (t->list[i].kind == BIRD_PARAM_WEIGHT)
                t->theta[t->list[i].offset + j] *= 0.3f; /* (12 / 136)^(1/2) */
}

/* Every batch by inference and by training's forward pass, which has panels
 * only. Just above the limit they are one and the same. */
static void compare(struct tiny *t, int masked)
{
    static const int64_t sizes[] = {1, 63, 65, 500, BIRD_FEW_ROWS, MOST};
    static struct rows r;
    static float x[MOST * D];
    struct bird_encoder *e;
    struct bird_tape *tape;
    const float *want;

    cr_assert_eq(bird_encoder_new(&e, &t->c, &t->w), 0);
    cr_assert_eq(bird_tape_new(&tape, 0), 0);
    for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
        int64_t n = sizes[k];

        rows_fill(&r, n, masked);
        cr_assert_eq(bird_few(e, n), n <= BIRD_FEW_ROWS);
        cr_assert_eq(bird_encoder_forward(e, x, NULL, &r.b), 0);
        cr_assert_eq(bird_encoder_train_forward(e, tape, &want, &r.b, NULL), 0);
        for (int64_t i = 0; i < n * D; i++)
            cr_assert_float_eq(x[i], want[i], 1e-5, "%d rows [%d]: %g, not %g",
                               (int)n, (int)i, (double)x[i], (double)want[i]);
        if (n > BIRD_FEW_ROWS)
            cr_assert_arr_eq(x, want, (size_t)(n * D) * sizeof(*x));
    }
    bird_tape_free(tape);
    bird_encoder_free(e);
}

Test(few, slices_equal_panels)
{
    struct tiny t;

    toy(&t, BIRD_GELU_TANH, 1);
    compare(&t, 0);
    compare(&t, 1);
    tiny_free(&t);
    toy(&t, BIRD_GELU_ERF, 0); /* no biases of queries, keys and values */
    compare(&t, 1);
    tiny_free(&t);
}

/* Of all rows, and of the first tokens of many rows and of few. */
Test(few, threads_change_no_bit)
{
    static const int64_t sizes[] = {200, BIRD_FEW_ROWS, MOST};
    static struct rows r;
    static float x[2][MOST * D], first[2][MOST * D];
    struct tiny t;

    toy(&t, BIRD_GELU_TANH, 1);
    for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
        rows_fill(&r, sizes[k], 1);
        for (int i = 0; i < 6; i++) {
            struct bird_encoder *e;
            int at = i > 0;

            bird_threads_set(1 + i);
            cr_assert_eq(bird_encoder_new(&e, &t.c, &t.w), 0);
            cr_assert_eq(bird_encoder_forward(e, x[at], NULL, &r.b), 0);
            cr_assert_eq(bird_encoder_forward_first(e, first[at], &r.b), 0);
            bird_encoder_free(e);
            cr_assert_arr_eq(x[at], x[0],
                             (size_t)(sizes[k] * D) * sizeof(float));
            cr_assert_arr_eq(first[at], first[0],
                             (size_t)(r.b.n_seq * D) * sizeof(float));
        }
        for (int64_t s = 0; s < r.b.n_seq; s++)
            for (int64_t j = 0; j < D; j++)
                cr_assert_float_eq(first[0][s * D + j],
                                   x[0][r.offset[s] * D + j], 1e-5);
    }
    tiny_free(&t);
}

/* A sequence of few rows has the same values alone and packed. */
Test(few, packed_equals_one_by_one)
{
    static struct rows r;
    static float all[BIRD_FEW_ROWS * D], one[64 * D];
    struct bird_encoder *e;
    struct tiny t;

    toy(&t, BIRD_GELU_TANH, 1);
    rows_fill(&r, BIRD_FEW_ROWS, 1);
    cr_assert_eq(bird_encoder_new(&e, &t.c, &t.w), 0);
    cr_assert_eq(bird_encoder_forward(e, all, NULL, &r.b), 0);
    for (int64_t s = 0; s < r.b.n_seq; s++) {
        int64_t at = r.offset[s], offset[2] = {0, r.offset[s + 1] - at};
        struct bird_batch b = {.n_seq = 1,
                               .offset = offset,
                               .ids = r.ids + at,
                               .mask = r.mask + at};

        cr_assert_eq(bird_encoder_forward(e, one, NULL, &b), 0);
        for (int64_t i = 0; i < offset[1] * D; i++)
            cr_assert_float_eq(one[i], all[at * D + i], 1e-5);
    }
    bird_encoder_free(e);
    tiny_free(&t);
}

/* Widths that divide the features and that do not; y is wider than they. */
Test(few, a_slice_is_a_sum, .init = bird_gemm_init)
{
    enum { N = 33, OUT = 130, IN = 70, LDX = IN + 3, LDY = OUT + 5 };
    static const int64_t width[] = {1, 64, 65, 130, 500};
    static float x[N * LDX], w[OUT * IN], b[OUT], y[N * LDY];
    struct bird_rng r;

    bird_rng_init(&r, 1, 2, 3);
    ref_fill(x, N * LDX, &r, 1), ref_fill(w, OUT * IN, &r, 1);
    ref_fill(b, OUT, &r, 1);
    for (int k = 0; k < 10; k++) {
        struct bird_product p = {.y = y,
                                 .x = x,
                                 .w = w,
                                 .bias = k & 1 ? b : NULL,
                                 .ldy = LDY,
                                 .ldx = LDX,
                                 .n = N,
                                 .n_out = OUT,
                                 .n_in = IN};

        for (int i = 0; i < N * LDY; i++)
            y[i] = 7;
        bird_threads_set(1 + k % 3);
        bird_linear_slices(&p, width[k / 2]);
        for (int i = 0; i < N * LDY; i++) {
            int o = i % LDY;
            double sum = k & 1 && o < OUT ? (double)b[o] : 0;

            for (int j = 0; j < IN && o < OUT; j++)
                sum += (double)x[i / LDY * LDX + j] * (double)w[o * IN + j];
            if (o >= OUT)
                cr_assert_eq(y[i], 7, "wrote beyond its columns");
            else
                cr_assert_float_eq(y[i], sum, 1e-4);
        }
    }
}
