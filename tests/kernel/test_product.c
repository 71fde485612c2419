/* kernel, model and head: products over packed weights against sums in double,
 * and the promise that a row's bits are its own: at every place, beside any
 * rows, in every instruction set. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "head/head.h"
#include "model/encoder.h"
#include "model/linear.h"
#include "ref.h"
#include "tiny.h"

static float *filled(int64_t n, struct bird_rng *r)
{
    float *x = ref_floats(n);

    ref_fill(x, n, r, 1);
    return x;
}

static float *pack(const struct bird_kernels *k, const float *w, int64_t n_out,
                   int64_t n_in)
{
    float *p;

    WORKS(bird_array_uninit(&p, k->packed_size(n_out, n_in), sizeof(*p)));
    k->pack(p, w, n_in, n_out, n_in);
    return p;
}

static void check_sums(const struct bird_kernels *k, int64_t n, int64_t out,
                       int64_t in)
{
    int64_t ldx = in + 3, ldy = out + 5;
    struct bird_rng r;
    float *x, *w, *y, *p;

    bird_rng_init(&r, 1, (uint64_t)out, (uint64_t)in);
    x = filled(n * ldx, &r), w = filled(out * in, &r), y = filled(n * ldy, &r);
    for (int64_t i = 0; i < n * ldy; i++)
        y[i] = 7;
    p = pack(k, w, out, in);
    k->product(y, ldy, x, ldx, p, n, out, in);
    for (int64_t i = 0; i < n * ldy; i++) {
        int64_t o = i % ldy;
        double sum = 0;

        for (int64_t j = 0; j < in && o < out; j++)
            sum += (double)x[i / ldy * ldx + j] * (double)w[o * in + j];
        if (o >= out)
            cr_assert_eq(y[i], 7, "%s wrote beyond its columns", k->name);
        else
            cr_assert_float_eq(y[i], sum, 1e-6 * (double)in + 1e-5,
                               "%s (%d, %d, %d) [%d]: %g, not %g", k->name,
                               (int)n, (int)out, (int)in, (int)i, (double)y[i],
                               sum);
    }
    free(x), free(w), free(y), free(p);
}

Test(product, is_a_sum)
{
    static const int64_t rows[] = {1, 5, 6, 12, 13, 96, 97, 200};
    static const int64_t width[] = {1, 7, 16, 32, 33, 64, 130};
    static const int64_t depth[] = {1, 12, 15, 16, 17, 768, 769, 1600};
    const struct bird_kernels *k;

    for (int t = 0; (k = bird_kernels_at(t)); t++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 7; j++)
                check_sums(k, rows[i], width[j], depth[(i + j) % 8]);
}

/* At every place of numbers of rows up to MOST, among others. */
static void check_places(const struct bird_kernels *k, int64_t out, int64_t in)
{
    enum { MOST = 100 };
    struct bird_rng r;
    float *row, *other, *w, *x, *y, *p, *alone;

    bird_rng_init(&r, 3, (uint64_t)out, (uint64_t)in);
    row = filled(in, &r), w = filled(out * in, &r), x = filled(MOST * in, &r);
    y = filled(MOST * out, &r), alone = filled(out, &r);
    other = filled(in, &r), p = pack(k, w, out, in);
    k->product(alone, out, row, in, p, 1, out, in);
    for (int64_t n = 1; n <= MOST; n += n < 27 ? 1 : 11)
        for (int64_t at = 0; at < n; at++) {
            memcpy(x + at * in, row, (size_t)in * sizeof(*x));
            k->product(y, out, x, in, p, n, out, in);
            memcpy(x + at * in, other, (size_t)in * sizeof(*x));
            cr_assert_arr_eq(y + at * out, alone, (size_t)out * sizeof(*y),
                             "%s (%d, %d): row %d of %d", k->name, (int)out,
                             (int)in, (int)at, (int)n);
        }
    free(row), free(other), free(w), free(x), free(y), free(p), free(alone);
}

Test(product, a_rows_bits_are_its_own)
{
    const struct bird_kernels *k;

    for (int t = 0; (k = bird_kernels_at(t)); t++) {
        check_places(k, 2, 12);
        check_places(k, 37, 70);
        check_places(k, 96, 128);
        check_places(k, 40, 1600);
    }
}

/* Layers as the model calls them: narrow and as wide as a vocabulary, for one
 * to three threads; the rows of a small batch are those of a large one. */
Test(product, a_layer_depends_on_neither_threads_nor_batch)
{
    static const int64_t width[] = {3, 130, 8300};
    enum { N = 800, FEW = 29, IN = 40 };

    for (int i = 0; i < 3; i++) {
        int64_t out = width[i];
        struct bird_rng r;
        float *x, *y, *few;
        struct bird_linear l = {0};

        bird_rng_init(&r, 4, 0, (uint64_t)i);
        x = filled(N * IN, &r), y = filled(N * out, &r);
        few = filled(FEW * out, &r);
        l.w = filled(out * IN, &r), l.b = i ? filled(out, &r) : NULL;
        l.packed = pack(bird_kernels(), l.w, out, IN);
        bird_threads_set(1);
        bird_linear_forward(y, x, &l,
                            (struct bird_linear_shape){N, out, IN, 0});
        for (int threads = 1; threads <= 3; threads++) {
            bird_threads_set(threads);
            for (int64_t from = 0; from + FEW <= N; from += 257) {
                bird_linear_forward(
                    few, x + from * IN, &l,
                    (struct bird_linear_shape){FEW, out, IN, 0});
                cr_assert_arr_eq(few, y + from * out,
                                 (size_t)(FEW * out) * sizeof(*y));
            }
        }
        for (int64_t o = 0; o < out; o++) {
            double sum = l.b ? (double)l.b[o] : 0;

            for (int j = 0; j < IN; j++)
                sum += (double)x[7 * IN + j] * (double)l.w[o * IN + j];
            cr_assert_float_eq(y[7 * out + o], sum, 1e-4);
        }
        free(x), free(y), free(few), free(l.w), free(l.b), free(l.packed);
    }
}

/* What a batch comes to: states of all rows, those of the first tokens by the
 * short way, and the answers of the head. */
struct came {
    float x[TINY_ROWS * 136], first[TINY_SEQ * 136], y[TINY_ROWS * 23];
};

static void run(struct came *out, struct tiny *t, const struct bird_batch *b)
{
    struct bird_encoder *e;

    WORKS(bird_encoder_new(&e, &t->c, &t->w));
    WORKS(bird_encoder_forward(e, out->x, NULL, b));
    WORKS(bird_encoder_forward_first(e, out->first, b));
    WORKS(bird_head_forward(out->y, NULL, &t->c, &t->w, out->x, b));
    bird_encoder_free(e);
}

/* Sequence s by itself behind `before` copies of sequence `other`. */
static void check_sequence(struct tiny *t, const struct came *all, int s,
                           int other, int before)
{
    static struct came got;
    int64_t r = t->offset[s], len = t->offset[s + 1] - r, d = t->c.hidden_size;
    int64_t o = t->offset[other], skip = t->offset[other + 1] - o;
    int64_t offset[4] = {0}, at = skip * before, v = bird_head_columns(&t->c);
    int32_t ids[3 * TINY_ROWS], type[3 * TINY_ROWS];
    uint8_t mask[3 * TINY_ROWS];
    int per_token = bird_head_per_token(&t->c);
    struct bird_batch b = {.n_seq = before + 1,
                           .offset = offset,
                           .ids = ids,
                           .type = type,
                           .mask = mask};

    if (at + len > TINY_ROWS)
        return;
    for (int k = 0; k <= before; k++) {
        int64_t from = k < before ? o : r, n = k < before ? skip : len;

        memcpy(ids + offset[k], t->ids + from, (size_t)n * sizeof(*ids));
        memcpy(type + offset[k], t->type + from, (size_t)n * sizeof(*type));
        memcpy(mask + offset[k], t->mask + from, (size_t)n);
        offset[k + 1] = offset[k] + n;
    }
    run(&got, t, &b);
    cr_assert_arr_eq(got.x + at * d, all->x + r * d,
                     (size_t)(len * d) * sizeof(float),
                     "states of sequence %d behind %d of %d", s, before, other);
    cr_assert_arr_eq(
        got.first + before * d, all->first + s * d, (size_t)d * sizeof(float),
        "first token of sequence %d behind %d of %d", s, before, other);
    cr_assert_arr_eq(
        got.y + (per_token ? at : before) * v, all->y + (per_token ? r : s) * v,
        (size_t)((per_token ? len : 1) * v) * sizeof(float),
        "answers of sequence %d behind %d of %d", s, before, other);
}

static void any_company(struct bird_config *c, uint64_t seed)
{
    static struct came plain, all;
    struct tiny t;

    tiny_init(&t, c, seed);
    tiny_calm(&t);
    run(&plain, &t, &t.b);
    WORKS(bird_weights_prepare(&t.w, &t.c, BIRD_FLOAT32, 0));
    run(&all, &t, &t.b);
    for (int64_t i = 0; i < TINY_ROWS * c->hidden_size; i++)
        cr_assert_float_eq(all.x[i], plain.x[i], 1e-5);
    for (int s = 0; s < TINY_SEQ; s++)
        for (int other = 0; other < TINY_SEQ; other++)
            for (int before = 0; before < 3; before++)
                check_sequence(&t, &all, s, other, before);
    tiny_free(&t);
}

Test(product, a_sequences_bits_are_its_own)
{
    static const struct bird_head_row *const heads[] = {
        &bird_head_mlm, &bird_head_sequence, &bird_head_linear_pooled,
        &bird_head_linear_cls};
    struct bird_config c;

    for (int i = 0; i < 4; i++) {
        bird_threads_set(1 + i % 2);
        tiny_config(&c, heads[i]);
        any_company(&c, (uint64_t)i);
        c.hidden_size = i % 2 ? 136 : 128;
        c.intermediate_size = i % 2 ? 300 : 512;
        c.n_head = 4;
        any_company(&c, (uint64_t)i + 10);
    }
}
