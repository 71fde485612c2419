/* kernel/gemm_low: products in bfloat16 and int8 against sums in double. The
 * bounds are those of docs/math/precision.md. A build without oneDNN, or a
 * processor that it has no product for, must say so.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm_low.h"
#include "kernel/kernel.h"
#include "model/encoder.h"
#include "ref.h"
#include "tiny.h"

static const double U16 = 1.0 / 256, U32 = 1.0 / (1 << 24);

/* ---- the kernels beside the product -------------------------------------- */

static uint16_t nearest_even(float x)
{
    uint32_t bits, low;

    memcpy(&bits, &x, sizeof(bits));
    low = bits & 0xffff;
    bits >>= 16;
    if (isnan(x))
        return (uint16_t)(bits | 0x40);
    return (uint16_t)(low > 0x8000 || (low == 0x8000 && bits & 1) ? bits + 1
                                                                  : bits);
}

Test(low, rows_are_rounded_to_the_nearest_bfloat16)
{
    enum { N = 1 << 16 };
    float *x = ref_floats(N);
    uint16_t *y;

    WORKS(bird_array_new(&y, N, sizeof(*y)));
    for (uint32_t i = 0; i < N; i++) { /* all leading bits; ties among them */
        uint32_t bits = i << 16 | (i % 3 ? i * 40503 % 65536 : 0x8000);

        memcpy(x + i, &bits, sizeof(bits));
    }
    for (int k = 0; bird_kernels_at(k); k++) {
        bird_kernels_at(k)->to_bfloat16(y, x, N);
        for (int i = 0; i < N; i++)
            cr_assert_eq(y[i], nearest_even(x[i]), "%s: %a is %x, not %x",
                         bird_kernels_at(k)->name, (double)x[i], y[i],
                         nearest_even(x[i]));
    }
    free(x), free(y);
}

/* Half a step, and what rounding adds to a number of steps up to `levels`. */
static double half_step(double step, int levels)
{
    return step * (0.5 + 4 * U32 * levels);
}

static void check_row(const struct bird_kernels *k, const float *x, int64_t d,
                      int levels)
{
    uint8_t q[67];
    float step, least, lo = FLT_MAX, hi = -FLT_MAX;

    cr_assert_leq(d, 67);
    k->quantize_rows(q, &step, &least, x, 1, d, d, levels);
    for (int64_t j = 0; j < d; j++) {
        lo = fminf(lo, x[j]);
        hi = fmaxf(hi, x[j]);
    }
    cr_assert_eq(least, lo, "%s", k->name);
    cr_assert_float_eq(step, (hi - lo) / (float)levels, 4 * U32 * (double)step);
    for (int64_t j = 0; j < d; j++) {
        cr_assert_leq(q[j], levels);
        cr_assert_float_eq((double)least + (double)step * q[j], x[j],
                           half_step((double)step, levels) +
                               U32 * fabs((double)lo),
                           "%s: %g", k->name, (double)x[j]);
    }
}

Test(low, a_row_is_off_by_half_a_step)
{
    float *x = ref_normal(67 * 50, 5, 3);

    for (int k = 0; bird_kernels_at(k); k++)
        for (int i = 0; i < 50; i++) {
            check_row(bird_kernels_at(k), x + 67 * i, 1 + i % 67, 255);
            check_row(bird_kernels_at(k), x + 67 * i, 67, 127);
        }
    free(x);
}

Test(low, odd_rows)
{
    float same[3] = {-2, -2, -2},
          bad[2][3] = {{1, (float)NAN, 2}, {1, 2, (float)INFINITY}};
    float near[2] = {1e-40f, 2e-40f};
    uint8_t q[3];
    float step, least;

    for (int k = 0; bird_kernels_at(k); k++) {
        const struct bird_kernels *t = bird_kernels_at(k);

        t->quantize_rows(q, &step, &least, same, 1, 3, 3, 255);
        cr_assert(least == -2 && step * q[0] == 0, "%s", t->name);
        t->quantize_rows(q, &step, &least, near, 1, 2, 2, 255);
        cr_assert(least == near[0] && isfinite(step), "%s", t->name);
        for (int i = 0; i < 2; i++) {
            t->quantize_rows(q, &step, &least, bad[i], 1, 3, 3, 255);
            cr_assert(isnan(least), "%s %d", t->name, i);
        }
    }
}

Test(low, weights_are_off_by_half_a_step)
{
    enum { N = 5, D = 33 };
    float *w = ref_normal(N * D, 6, 2), scale[N], sum[N];
    int8_t q[N * D];

    memset(w + 2 * D, 0, D * sizeof(*w)); /* a channel of zeros */
    for (int k = 0; bird_kernels_at(k); k++) {
        bird_kernels_at(k)->quantize_weights(q, scale, sum, w, N, D);
        for (int i = 0; i < N; i++) {
            int64_t total = 0, most = 0;

            for (int j = 0; j < D; j++) {
                int v = q[i * D + j];

                total += v;
                most = labs(v) > most ? labs(v) : most;
                cr_assert_float_eq((double)scale[i] * v, w[i * D + j],
                                   half_step((double)scale[i], 127));
            }
            cr_assert_eq(most, i == 2 ? 0 : 127);
            cr_assert_float_eq(sum[i], (double)scale[i] * (double)total,
                               4 * U32 * fabs((double)sum[i]));
        }
    }
    free(w);
}

/* ---- products ------------------------------------------------------------ */

struct product {
    enum bird_precision p;
    int64_t m, n, k, lda, ldc;
    const float *a, *w, *bias;
    float *c;
    struct bird_low *low;
    int rc;
};

static void make_task(void *context, int64_t task, int worker)
{
    struct product *x = context;

    (void)task, (void)worker;
    x->rc = bird_low_new(&x->low, x->p, x->w, x->n, x->k);
}

/* 16 rows a task. */
static void product_task(void *context, int64_t task, int worker)
{
    struct product *x = context;
    int64_t r = task * 16, m = r + 16 < x->m ? 16 : x->m - r;
    float *scratch = ref_floats(bird_low_scratch(x->low));

    (void)worker;
    cr_assert_eq(
        bird_low_product(x->c + r * x->ldc, x->ldc, x->low,
                         (struct bird_matrix){x->a + r * x->lda, x->lda},
                         x->bias, m, scratch),
        0);
    free(scratch);
}

static void whole_task(void *context, int64_t task, int worker)
{
    struct product *x = context;
    float *scratch = ref_floats(bird_low_scratch(x->low));

    (void)task, (void)worker;
    cr_assert_eq(bird_low_product(x->c, x->ldc, x->low,
                                  (struct bird_matrix){x->a, x->lda}, x->bias,
                                  x->m, scratch),
                 0);
    free(scratch);
}

/* 1 when this build and processor have the product. */
static int make(struct product *x)
{
    bird_threads_set(1); /* so that the sentence is this thread's */
    bird_parallel(1, make_task, x);
    if (x->rc == BIRD_EUNSUPPORTED) {
        SAYS("use float32");
        return 0;
    }
    WORKS(x->rc);
    return 1;
}

static int levels(const struct product *x)
{
    const char *name = bird_low_name(x->low);

    return strstr(name, "vnni") || strstr(name, "bf16") || strstr(name, "amx")
               ? 255
               : 127;
}

/* How far c(i, j) may be off. */
static double bound(const struct product *x, int64_t i, int64_t j)
{
    const float *a = x->a + i * x->lda, *w = x->w + j * x->k;
    double lo = DBL_MAX, hi = -DBL_MAX, most = 0, aw = 0, sa = 0, sw = 0;
    double step, scale, whole;

    for (int64_t k = 0; k < x->k; k++) {
        double v = (double)a[k], g = (double)w[k];

        lo = fmin(lo, v), hi = fmax(hi, v), most = fmax(most, fabs(g));
        aw += fabs(v * g), sa += fabs(v), sw += fabs(g);
    }
    if (x->p == BIRD_BFLOAT16)
        return (2 * U16 + U16 * U16 +
                (1 + U16) * (1 + U16) * (double)(x->k + 2) * U32 * 1.01) *
                   aw +
               (double)x->k * (double)FLT_MIN;
    step = (hi - lo) / levels(x), scale = most / 127;
    sw += (double)x->k * scale / 2;
    /* sums of whole numbers, times their steps, and least times the channel */
    whole = step * levels(x) * sw + fabs(lo) * sw;
    return half_step(scale, 127) * sa + half_step(step, levels(x)) * sw +
           8 * U32 * whole;
}

static void check_product(struct product *x)
{
    for (int64_t i = 0; i < x->m; i++)
        for (int64_t j = 0; j < x->n; j++) {
            double sum = 0, most = bound(x, i, j);

            for (int64_t k = 0; k < x->k; k++)
                sum +=
                    (double)x->a[i * x->lda + k] * (double)x->w[j * x->k + k];
            if (x->bias) {
                sum += (double)x->bias[j];
                most += 2 * U32 * (fabs(sum) + fabs((double)x->bias[j]));
            }
            cr_assert_float_eq(x->c[i * x->ldc + j], sum, most,
                               "%s (%d, %d) of %d, %d, %d: %g, not %g +- %g",
                               bird_precision_name(x->p), (int)i, (int)j,
                               (int)x->m, (int)x->n, (int)x->k,
                               (double)x->c[i * x->ldc + j], sum, most);
        }
}

static void check_shape(enum bird_precision p, int64_t m, int64_t n, int64_t k,
                        int64_t gap, int biased)
{
    struct product x = {.p = p, .m = m, .n = n, .k = k};
    float *a = ref_normal(m * (k + gap), 1, 1), *w = ref_normal(n * k, 2, 0.3);
    float *b = ref_normal(n, 3, 1), *c = ref_floats(m * (n + gap));

    for (int64_t i = 0; i < m * (n + gap); i++)
        c[i] = 7;
    for (int64_t i = 0; i < m; i++) /* rows of different size and place */
        for (int64_t j = 0; j < k; j++)
            a[i * (k + gap) + j] =
                a[i * (k + gap) + j] * (float)(1 + i % 5) + (float)(i % 3);
    x.a = a, x.w = w, x.bias = biased ? b : NULL, x.c = c;
    x.lda = k + gap, x.ldc = n + gap;
    if (make(&x)) {
        bird_parallel(1, whole_task, &x);
        check_product(&x);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = n; j < n + gap; j++)
                cr_assert_eq(c[i * (n + gap) + j], 7, "written beside c");
    }
    bird_low_free(x.low);
    free(a), free(w), free(b), free(c);
}

Test(low, products_are_within_their_bounds)
{
    for (int p = BIRD_BFLOAT16; p <= BIRD_INT8; p++) {
        check_shape((enum bird_precision)p, 1, 1, 1, 0, 0);
        check_shape((enum bird_precision)p, 32, 64, 48, 0, 0);
        check_shape((enum bird_precision)p, 33, 65, 47, 0, 1);
        check_shape((enum bird_precision)p, 70, 19, 257, 3, 1);
        check_shape((enum bird_precision)p, 5, 96, 768, 1, 0);
        check_shape((enum bird_precision)p, 40, 30, 3072, 0, 1);
    }
}

/* Rows of a convolution overlap: row i begins step floats behind row i - 1. */
static void check_overlap(enum bird_precision p, int64_t m, int64_t step,
                          int64_t k)
{
    enum { N = 35 };
    int64_t n_a = (m - 1) * step + k;
    float *a = ref_normal(n_a, 1, 1), *w = ref_normal(N * k, 2, 0.3);
    struct product x = {.p = p,
                        .m = m,
                        .n = N,
                        .k = k,
                        .lda = step,
                        .ldc = N,
                        .a = a,
                        .w = w,
                        .c = ref_floats(m * N)};

    if (make(&x)) {
        bird_parallel(1, whole_task, &x);
        check_product(&x);
    }
    bird_low_free(x.low);
    free(a), free(w), free(x.c);
}

Test(low, rows_that_overlap)
{
    for (int p = BIRD_BFLOAT16; p <= BIRD_INT8; p++) {
        check_overlap((enum bird_precision)p, 300, 8, 40);
        check_overlap((enum bird_precision)p, 20, 8, 33);
        check_overlap((enum bird_precision)p, 20, 7, 49);
        check_overlap((enum bird_precision)p, 1, 64, 448);
    }
}

/* Whole numbers that both forms hold: nothing is rounded, so any other way of
 * rounding, or a number in a wrong place, shows. */
Test(low, whole_numbers_come_out_exactly)
{
    enum { M = 37, N = 21, K = 90 };
    float *a = ref_floats(M * K), *w = ref_floats(N * K),
          *c = ref_floats(M * N);

    for (int p = BIRD_BFLOAT16; p <= BIRD_INT8; p++) {
        struct product x = {.p = (enum bird_precision)p,
                            .m = M,
                            .n = N,
                            .k = K,
                            .lda = K,
                            .ldc = N,
                            .a = a,
                            .w = w,
                            .c = c};
        int top;

        for (int i = 0; i < N * K; i++)
            w[i] = (float)(i * 7919 % 255 - 127);
        for (int j = 0; j < N; j++)
            w[j * K + j] = 127;
        if (!make(&x))
            continue;
        top = levels(&x);
        for (int i = 0; i < M * K; i++)
            a[i] = (float)(i * 104729 % (top + 1) - top / 2);
        for (int i = 0; i < M; i++) { /* the row's steps are 1 */
            a[i * K + i] = (float)(-(top / 2));
            a[i * K + i + 1] = (float)(top - top / 2);
        }
        bird_parallel(1, whole_task, &x);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                int64_t sum = 0;

                for (int k = 0; k < K; k++)
                    sum += (int64_t)a[i * K + k] * (int64_t)w[j * K + k];
                cr_assert_eq((int64_t)c[i * N + j], sum, "%s (%d, %d)",
                             bird_precision_name(x.p), i, j);
            }
        bird_low_free(x.low);
    }
    free(a), free(w), free(c);
}

/* A row's bits do not depend on the rows beside it nor on the threads. */
Test(low, a_row_is_a_row)
{
    enum { M = 75, N = 80, K = 200 };
    float *a = ref_normal(M * K, 1, 1), *w = ref_normal(N * K, 2, 1);
    float *one = ref_floats(M * N), *other = ref_floats(M * N);

    for (int p = BIRD_BFLOAT16; p <= BIRD_INT8; p++) {
        struct product x = {.p = (enum bird_precision)p,
                            .m = M,
                            .n = N,
                            .k = K,
                            .lda = K,
                            .ldc = N,
                            .a = a,
                            .w = w,
                            .c = one};

        if (!make(&x))
            continue;
        bird_threads_set(2);
        bird_parallel(1, whole_task, &x);
        x.c = other;
        for (int threads = 1; threads <= 3; threads++) {
            memset(other, 0, M * N * sizeof(*other));
            bird_threads_set(threads);
            bird_parallel((M + 15) / 16, product_task, &x);
            cr_assert_arr_eq(one, other, M * N * sizeof(*one), "%s, %d threads",
                             bird_precision_name(x.p), threads);
        }
        for (int i = 0; i < M; i += 7) {
            struct product row = x;

            row.m = 1, row.a = a + i * K, row.c = other;
            bird_parallel(1, whole_task, &row);
            cr_assert_arr_eq(one + i * N, other, N * sizeof(*one), "%s, row %d",
                             bird_precision_name(x.p), i);
        }
        bird_low_free(x.low);
    }
    free(a), free(w), free(one), free(other);
}

Test(low, what_is_no_number_stays_none)
{
    enum { M = 3, N = 4, K = 20 };
    float *a = ref_normal(M * K, 1, 1), *w = ref_normal(N * K, 2, 1), c[M * N];

    a[K + 3] = (float)NAN;
    for (int p = BIRD_BFLOAT16; p <= BIRD_INT8; p++) {
        struct product x = {.p = (enum bird_precision)p,
                            .m = M,
                            .n = N,
                            .k = K,
                            .lda = K,
                            .ldc = N,
                            .a = a,
                            .w = w,
                            .c = c};

        if (!make(&x))
            continue;
        bird_parallel(1, whole_task, &x);
        for (int i = 0; i < M * N; i++)
            cr_assert_eq(isnan(c[i]) != 0, i / N == 1, "%s, %d",
                         bird_precision_name(x.p), i);
        bird_low_free(x.low);
    }
    free(a), free(w);
}

/* ---- the encoder --------------------------------------------------------- */

/* Attention and normalisation go by sequence and by row as well, so here the
 * bits of a sequence are its own, whatever it is packed with. */
Test(low, an_encoder_is_near_float32_and_gives_a_sequence_its_bits)
{
    static float full[TINY_ROWS * 12], all[TINY_ROWS * 12];
    static float other[TINY_ROWS * 12];

    for (int p = BIRD_BFLOAT16; p <= BIRD_INT8; p++) {
        struct bird_config c;
        struct tiny t;
        double wrong = 0, square = 0;

        tiny_config(&c, &bird_head_mlm);
        tiny_init(&t, &c, 1);
        bird_threads_set(2);
        tiny_states(full, &t, &t.b);
        cr_assert_eq(bird_weights_low_bytes(&t.w), 0);
        if (bird_weights_prepare(&t.w, &t.c, (enum bird_precision)p, 0)) {
            SAYS("use float32");
            tiny_free(&t);
            continue;
        }
        /* 2 layers of QKV, output, up, down; oneDNN may pad them */
        cr_assert_geq(bird_weights_low_bytes(&t.w),
                      c.n_layer * (4 * 12 * 12 + 2 * 12 * c.intermediate_size) *
                          (p == BIRD_INT8 ? 1 : 2));
        tiny_states(all, &t, &t.b);
        for (int i = 0; i < TINY_ROWS * 12; i++) {
            wrong += pow((double)all[i] - (double)full[i], 2);
            square += pow((double)full[i], 2);
        }
        cr_assert_gt(wrong, 0, "float32 was used");
        cr_assert_lt(sqrt(wrong / square), 0.05);
        for (int threads = 1; threads <= 3; threads++) {
            bird_threads_set(threads);
            tiny_states(other, &t, &t.b);
            cr_assert_arr_eq(all, other, sizeof(all));
        }
        for (int s = 0; s < TINY_SEQ; s++) {
            int64_t r = t.offset[s], offset[2] = {0, t.offset[s + 1] - r};
            struct bird_batch b = {.n_seq = 1,
                                   .offset = offset,
                                   .ids = t.ids + r,
                                   .type = t.type + r,
                                   .mask = t.mask + r};

            tiny_states(other, &t, &b);
            cr_assert_arr_eq(all + r * 12, other,
                             (size_t)offset[1] * 12 * sizeof(*all));
        }
        tiny_free(&t);
    }
}
