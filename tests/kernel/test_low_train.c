/* kernel/gemm_low, model/linear_low: the products of training in bfloat16, and
 * the gradient of a whole model through them. A build without oneDNN, or a
 * processor that it has no product for, must say so.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "check.h"
#include "dnabird/dnabird.h"
#include "kernel/gemm_low.h"
#include "model/encoder.h"
#include "model/linear.h"
#include "model/stem.h"
#include "ref.h"
#include "tiny.h"

static const double U16 = 1.0 / 256, U32 = 1.0 / (1 << 24);

/* Is there a product in this build and on this processor? */
static int is_there(void)
{
    if (!bird_low_check(NULL, BIRD_BFLOAT16))
        return 1;
    SAYS("use float32");
    return 0;
}

static double value(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float f;

    memcpy(&f, &bits, sizeof(f));
    return (double)f;
}

/* ---- one layer ----------------------------------------------------------- */

static void outer_task(void *context, int64_t task, int worker)
{
    (void)task, (void)worker;
    cr_assert_eq(bird_low_outer(context), 0);
}

/* Products of two bfloat16 are exact in float32: only sums round. */
static void check_outer(int64_t m, int64_t n, int64_t k, int64_t gap)
{
    int64_t lda = m + gap, ldb = n + gap, ldc = n + gap;
    float *fa = ref_normal(k * lda, 1, 1), *fb = ref_normal(k * ldb, 2, 3);
    float *c = ref_normal(m * ldc, 3, 1), *was = ref_normal(m * ldc, 3, 1);
    uint16_t *a, *b;

    WORKS(bird_array_new(&a, k * lda, sizeof(*a)));
    WORKS(bird_array_new(&b, k * ldb, sizeof(*b)));
    bird_kernels()->to_bfloat16(a, fa, k * lda);
    bird_kernels()->to_bfloat16(b, fb, k * ldb);
    bird_parallel(1, outer_task,
                  &(struct bird_outer){c, a, b, ldc, lda, ldb, m, n, k});
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < ldc; j++) {
            double sum = (double)was[i * ldc + j], all = fabs(sum);

            for (int64_t r = 0; j < n && r < k; r++) {
                double x = value(a[r * lda + i]) * value(b[r * ldb + j]);

                sum += x;
                all += fabs(x);
            }
            cr_assert_float_eq(c[i * ldc + j], sum,
                               j < n ? (double)(k + 2) * U32 * all : 0,
                               "(%d, %d) of %d, %d, %d", (int)i, (int)j, (int)m,
                               (int)n, (int)k);
        }
    free(fa), free(fb), free(c), free(was), free(a), free(b);
}

Test(low_train, gradients_of_weights_are_sums_of_exact_products)
{
    if (!is_there())
        cr_skip_test("no bfloat16");
    check_outer(1, 1, 1, 0);
    check_outer(64, 48, 32, 0);
    check_outer(37, 19, 53, 0);
    check_outer(19, 70, 601, 3);
    check_outer(384, 96, 300, 5);
}

struct layer {
    int64_t n, out, in;
    const float *w, *x, *dy;
    struct bird_linear l;
    float *c;
    int add;
};

static void layer_task(void *context, int64_t task, int worker)
{
    struct layer *k = context;
    float *scratch = ref_normal(bird_low_scratch(k->l.back), 1, 1);
    struct bird_matrix dy = {k->dy, k->out};

    (void)task, (void)worker;
    cr_assert_eq(
        k->add
            ? bird_low_add(k->c, k->in, k->l.back, dy, k->n, scratch)
            : bird_low_product(k->c, k->in, k->l.back, dy, NULL, k->n, scratch),
        0);
    free(scratch);
}

static void make_task(void *context, int64_t task, int worker)
{
    struct layer *k = context;

    (void)task, (void)worker;
    cr_assert_eq(k->l.back
                     ? bird_low_set(k->l.back, k->w)
                     : bird_low_new_transposed(&k->l.back, k->w, k->out, k->in),
                 0);
}

static void check_turned(const struct layer *k, const float *was)
{
    for (int64_t i = 0; i < k->n; i++)
        for (int64_t j = 0; j < k->in; j++) {
            double sum = 0, all = 0, most;

            for (int64_t o = 0; o < k->out; o++) {
                double x =
                    (double)k->dy[i * k->out + o] * (double)k->w[o * k->in + j];

                sum += x;
                all += fabs(x);
            }
            /* docs/math/precision.md */
            most =
                (2 * U16 + U16 * U16 + 1.01 * (double)(k->out + 2) * U32) * all;
            if (k->add) {
                sum += (double)was[i * k->in + j];
                most += 2 * U32 * (fabs(sum) + fabs((double)was[j]));
            }
            cr_assert_float_eq(k->c[i * k->in + j], sum, most,
                               "(%d, %d) of %d, %d, %d%s", (int)i, (int)j,
                               (int)k->n, (int)k->out, (int)k->in,
                               k->add ? ", added" : "");
        }
}

static void check_back(int64_t n, int64_t out, int64_t in)
{
    struct layer k = {.n = n, .out = out, .in = in};
    float *w[2] = {ref_normal(out * in, 1, 1), ref_normal(out * in, 2, 1)};
    float *dy = ref_normal(n * out, 3, 1), *c = ref_normal(n * in, 4, 1);
    float *was = ref_normal(n * in, 4, 1);

    k.dy = dy, k.c = c;
    for (int i = 0; i < 2; i++) { /* other weights take the first ones' place */
        k.w = w[i];
        k.add = !i;
        bird_parallel(1, make_task, &k);
        bird_parallel(1, layer_task, &k);
        check_turned(&k, was);
    }
    bird_low_free(k.l.back);
    free(w[0]), free(w[1]), free(dy), free(c), free(was);
}

Test(low_train, back_through_a_layer)
{
    if (!is_there())
        cr_skip_test("no bfloat16");
    check_back(1, 1, 1);
    check_back(32, 64, 48);
    check_back(71, 47, 65);
    check_back(5, 300, 19);
}

/* ---- a whole model ------------------------------------------------------- */

static const struct bird_dropout_rates dropout = {7, 0.1f, 0.1f, 0.1f};

struct model {
    const struct bird_head_row *head;
    const char *stem; /* or NULL */
    int64_t vocab;    /* 0: the toy's */
};

static void make_model(struct tiny *t, const struct model *m)
{
    struct bird_config c;

    tiny_config(&c, m->head);
    if (m->vocab)
        c.vocab_size = m->vocab;
    c.hidden_size = 64;
    c.n_head = 4;
    c.n_layer = 3;
    c.intermediate_size = 128;
    if (m->stem) {
        c.cls_id = 20;
        c.sep_id = 21;
        WORKS(bird_stem_parse(&c, m->stem));
        WORKS(bird_config_check(&c, "test"));
    }
    tiny_init(t, &c, 11);
    for (int64_t i = 0; i < t->n_param; i++) { /* rows keep their size */
        const struct bird_param *p = &t->list[i];

        for (int64_t j = 0; p->kind == BIRD_PARAM_WEIGHT && j < p->count; j++)
            t->theta[p->offset + j] *= 0.4f;
    }
}

static const struct model plain = {&bird_head_mlm, NULL, 0};
static const struct model stemmed = {&bird_head_mean_pooled,
                                     "5x48/3,7x64/2:relu,3x64+", 0};

static double dot(const float *a, const float *b, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* |g - f| / |f| of the whole gradient. */
static double off(const float *g, const float *f, int64_t n)
{
    return sqrt(dot(g, g, n) - 2 * dot(g, f, n) + dot(f, f, n)) /
           sqrt(dot(f, f, n));
}

/*
 * A factor rounded to bfloat16 is off by v / sqrt(3) of its size, rms, at most
 * (v = 2^-8), so a product of two by v sqrt(2/3). On its way through L layers
 * a gradient passes at most 4 L + 1 products there and as many back, one more
 * for each layer of a stem, and one for the weights; errors without a common
 * sign add up as squares.
 */
static double bound_of(const struct tiny *t)
{
    return U16 * sqrt(2.0 / 3 *
                      (double)(2 * (4 * t->c.n_layer + t->c.n_stem + 1) + 1));
}

/* A key's bias moves all scores of a query alike: no gradient but rounding. */
static int has_gradient(const struct tiny *t, const struct bird_param *p,
                        const float *f)
{
    return !strstr(p->name, "key.bias") &&
           dot(f + p->offset, f + p->offset, p->count) >
               1e-12 * dot(f, f, t->total);
}

static double least_cosine(const struct tiny *t, const float *f)
{
    double least = 1;

    for (int64_t i = 0; i < t->n_param; i++) {
        const struct bird_param *p = &t->list[i];
        const float *a = t->grad + p->offset, *b = f + p->offset;
        double c;

        if (!has_gradient(t, p, f))
            continue;
        c = dot(a, b, p->count) /
            sqrt(dot(a, a, p->count) * dot(b, b, p->count));
        least = c < least ? c : least;
    }
    return least;
}

static float *gradient(struct tiny *t, double *loss, int recompute)
{
    float *g = ref_normal(t->total, 1, 1);

    memset(t->grad, 0, (size_t)t->total * sizeof(float));
    *loss = tiny_pass(t, &dropout, recompute);
    memcpy(g, t->grad, (size_t)t->total * sizeof(float));
    return g;
}

/* A model whose weights are rounded, and its gradient before they were. */
static float *make_rounded(struct tiny *t, double *loss, const struct model *m)
{
    float *f;

    make_model(t, m);
    f = gradient(t, loss, 0);
    WORKS(bird_weights_round(&t->w, &t->c));
    return f;
}

static void check_model(const struct model *m)
{
    struct tiny t;
    double exact, rounded, most;
    float *f, *g;

    f = make_rounded(&t, &exact, m);
    g = gradient(&t, &rounded, 0);
    most = bound_of(&t);
    cr_assert_neq(memcmp(f, g, (size_t)t.total * sizeof(float)), 0);
    cr_log_info("head %s, stem %s: loss %.7f %.7f, gradient off by %g of %g, "
                "cosine %g",
                m->head->name, m->stem ? m->stem : "none", exact, rounded,
                off(g, f, t.total), most, least_cosine(&t, f));
    cr_assert_float_eq(rounded, exact, most * exact);
    cr_assert_lt(off(g, f, t.total), most);
    /* a tensor twice as far off as the whole: 1 - (2 most)^2 / 2 */
    cr_assert_gt(least_cosine(&t, f), 1 - 2 * most * most);
    free(f), free(g);
    tiny_free(&t);
}

Test(low_train, a_gradient_is_that_of_float32_but_for_rounding)
{
    /* A table, in float32, and what follows it; no table: of a stem's products
     * no pool may choose another row, and no unit may be switched off. */
    static const struct model models[] = {
        {&bird_head_mlm, NULL, 0},
        {&bird_head_pretrain, NULL, 0},
        {&bird_head_sequence, NULL, 0},
        {&bird_head_mlm, "5x48,7x64:plain,3x64+", 0},
        {&bird_head_mean_pooled, "7x48/3:relu,5x64,3x64+", 0},
        {&bird_head_mlm, "5x48,3x64:silu,5x64+", 60000}};

    if (!is_there())
        cr_skip_test("no bfloat16");
    for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
        check_model(&models[i]);
}

struct swap {
    struct bird_low **at;
    const float *w;
    int64_t n;
};

static void swap_task(void *context, int64_t task, int worker)
{
    const struct swap *s = context;

    (void)task, (void)worker;
    bird_low_free(*s->at);
    cr_assert_eq(bird_low_new(s->at, BIRD_BFLOAT16, s->w, s->n, s->n), 0);
}

/* One square weight of one layer not turned on the way back: it shows. */
Test(low_train, a_weight_the_wrong_way_round_shows)
{
    struct tiny t;
    double exact, rounded;
    float *f, *g;

    if (!is_there())
        cr_skip_test("no bfloat16");
    f = make_rounded(&t, &exact, &plain);
    bird_parallel(1, swap_task,
                  &(struct swap){&t.w.layer[1].out.back, t.w.layer[1].out.w,
                                 t.c.hidden_size});
    g = gradient(&t, &rounded, 0);
    cr_assert_gt(off(g, f, t.total), bound_of(&t));
    cr_assert_lt(least_cosine(&t, f), 0.9);
    free(f), free(g);
    tiny_free(&t);
}

static void check_bytes(const struct model *m)
{
    struct tiny t;
    double loss, other;
    float *g, *again;

    make_model(&t, m);
    bird_threads_set(1);
    WORKS(bird_weights_round(&t.w, &t.c));
    g = gradient(&t, &loss, 0);
    for (int i = 1; i < 6; i++) {
        bird_threads_set(i / 2 + 1);
        WORKS(bird_weights_round(&t.w, &t.c));
        again = gradient(&t, &other, i % 2);
        cr_assert_eq(loss, other);
        cr_assert_arr_eq(g, again, (size_t)t.total * sizeof(float));
        free(again);
    }
    free(g);
    tiny_free(&t);
}

Test(low_train, bytes_do_not_depend_on_threads_or_recomputing)
{
    if (!is_there())
        cr_skip_test("no bfloat16");
    check_bytes(&plain);
    check_bytes(&stemmed);
}

/* Rounded again after a change, weights are those of now. */
static void check_anew(const struct model *m)
{
    struct tiny t;
    double loss, other;
    float *g, *again;

    make_model(&t, m);
    WORKS(bird_weights_round(&t.w, &t.c));
    free(gradient(&t, &other, 0));
    for (int64_t i = 0; i < t.total; i++)
        t.theta[i] *= 1.125f;
    WORKS(bird_weights_round(&t.w, &t.c));
    g = gradient(&t, &loss, 0);
    tiny_free(&t);
    make_model(&t, m);
    for (int64_t i = 0; i < t.total; i++)
        t.theta[i] *= 1.125f;
    WORKS(bird_weights_round(&t.w, &t.c));
    again = gradient(&t, &other, 0);
    cr_assert_eq(loss, other);
    cr_assert_arr_eq(g, again, (size_t)t.total * sizeof(float));
    free(g), free(again);
    tiny_free(&t);
}

Test(low_train, weights_are_rounded_anew)
{
    if (!is_there())
        cr_skip_test("no bfloat16");
    check_anew(&plain);
    check_anew(&stemmed);
}
