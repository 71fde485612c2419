/*
 * Random cases against formulas in double: whole encoders and their gradients,
 * attention, products of every precision, LayerNorm, softmax and the other maps,
 * of every instruction set that this machine runs; some with numbers below the
 * smallest normal one.
 *
 *   random_cases [-n CASES] [-s SEED] [-l SECONDS] [-t TSV] [-o CASE] [-k KIND]
 *
 * Tolerances are those of the tests beside it (named at each kind), bounds of
 * lower precisions those of docs/math/precision.md. A case is a function of the
 * seed and its number: -o runs one. -t appends a line a kind: kind, seed, cases,
 * those that this machine has no product for, values, the largest difference, that
 * over its tolerance, values of ill-conditioned rows, values beyond the tolerance,
 * the kernels, the BLAS.
 * What is beyond goes to standard output, and the status is 1.
 * SPDX-License-Identifier: MIT
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "kernel/blas.h"
#include "kernel/gemm.h"
#include "kernel/gemm_low.h"
#include "model/stem.h"
#include "ref.h"
#include "ref_encoder.h"
#include "tiny.h"

enum kind {
    ENCODER,
    GRADIENT,
    ATTENTION,
    PRODUCT,
    BFLOAT16,
    INT8,
    LAYERNORM,
    MAP,
    KINDS
};
static const char *const kind_names[KINDS] = {
    "encoder",  "gradient", "attention", "product",
    "bfloat16", "int8",     "layernorm", "softmax and maps"};

static struct tally {
    int64_t cases, values, absent, ill, bad;
    double most, share; /* difference; of its tolerance */
} tally[KINDS];

static int64_t number; /* of the case */
static enum kind at;
static char shape[512]; /* of the case, for what is told */

static void describe(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

static void describe(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(shape, sizeof(shape), fmt, ap);
    va_end(ap);
}

static void stop(const char *what)
{
    fprintf(stderr, "case %lld: %s: %s\n", (long long)number, what,
            bird_last_error());
    exit(2);
}

/* One value; a difference that is not a number is beyond any tolerance. */
static void judge(double got, double want, double tolerance)
{
    struct tally *t = &tally[at];
    double off = fabs(got - want);

    t->values++;
    if (off > t->most)
        t->most = off;
    if (off > t->share * tolerance)
        t->share = off / tolerance;
    if (off <= tolerance)
        return;
    if (!t->bad++ || isnan(off))
        printf("case %lld, %s (%s): %.9g, not %.9g +- %.3g\n",
               (long long)number, kind_names[at], shape, got, want, tolerance);
}

static int64_t draw(struct bird_rng *r, int64_t lo, int64_t hi)
{
    return lo + (int64_t)bird_rng_below(r, (uint64_t)(hi - lo + 1));
}

/* Normal; in every fifth case some values are far below the smallest normal
 * number. */
static float *normal(int64_t n, struct bird_rng *r, double size)
{
    float *x = ref_floats(n);
    int tiny = bird_rng_below(r, 5) == 0;

    ref_fill(x, n, r, size);
    for (int64_t i = 0; i < n && tiny; i++)
        if (!bird_rng_below(r, 4))
            x[i] *= 1e-40f;
    return x;
}

/* ---- encoders ------------------------------------------------------------ */

static void draw_pattern(struct bird_config *c, struct bird_rng *r)
{
    static const char *const yes[] = {"no", "yes"};
    static const char *const heads[] = {"merged", "multihead", "sequential"};
    static const char *const random[] = {"plan", "zero", "none", "uniform"};
    struct bird_pattern p;
    char text[256];

    do {
        int b = (int)draw(r, 1, 6), w = (int)draw(r, 0, 3);
        int k = (int)draw(r, 0, 3);
        const char *causal = yes[draw(r, 0, 1)];

        switch (draw(r, 0, 8)) {
        case 0:
            snprintf(text, sizeof(text), "full,block=%d,causal=%s", b, causal);
            break;
        case 1:
            snprintf(text, sizeof(text), "window,block=%d,width=%d,causal=%s",
                     b, w, causal);
            break;
        case 2:
            snprintf(text, sizeof(text),
                     "strided,block=%d,width=%d,heads=%s,"
                     "causal=%s",
                     b, w + 2, heads[draw(r, 0, 2)], causal);
            break;
        case 3:
            snprintf(text, sizeof(text),
                     "fixed,block=%d,width=%d,heads=%s,"
                     "causal=%s",
                     b, w + 2, heads[draw(r, 0, 2)], causal);
            break;
        case 4:
            snprintf(text, sizeof(text), "star,block=%d,width=%d,relay=%s", b,
                     w + 1, draw(r, 0, 1) ? "first" : "last");
            break;
        case 5:
            snprintf(text, sizeof(text),
                     "random,block=%d,sparsity=%d,seed=%d,causal=%s", b,
                     (int)draw(r, 10, 90), k, causal);
            break;
        case 6:
            snprintf(text, sizeof(text),
                     "etc,block=%d,global=%d,width=%d,n_random=%d,seed=%d", b,
                     b * (1 + k % 2), w, k, w);
            break;
        default:
            snprintf(text, sizeof(text),
                     "bigbird,block=%d,random=%s,n_random=%d", b,
                     random[draw(r, 0, 3)], 1 + k);
        }
        p = c->pattern;
    } while (bird_pattern_parse(&p, text) || bird_pattern_check(&p, "case"));
    c->pattern = p;
    describe("%s", text);
}

/* The maps that a rounding cannot make jump: where scores are all but equal,
 * topk and hardmax choose another key. */
static void draw_map(struct bird_config *c, struct bird_rng *r, int trains)
{
    char text[64];
    size_t n = strlen(shape);

    snprintf(text, sizeof(text), "softmax");
    switch (draw(r, 0, 5)) {
    case 0:
        snprintf(text, sizeof(text), "sparsemax");
        break;
    case 1:
        snprintf(text, sizeof(text), "entmax:1.5");
        break;
    case 2:
        snprintf(text, sizeof(text), "entmax:%.2f",
                 1.2 + 0.01 * (double)draw(r, 0, 70));
        break;
    default:
        break;
    }
    if (trains)
        snprintf(text, sizeof(text), "softmax");
    if (bird_prob_map_parse(&c->map, text))
        stop(text);
    snprintf(shape + n, sizeof(shape) - n, " %s", text);
}

static void draw_config(struct bird_config *c, struct bird_rng *r, int trains)
{
    static const struct bird_head_row *const heads[] = {
        &bird_head_mlm, &bird_head_pretrain, &bird_head_sequence,
        &bird_head_linear_pooled, &bird_head_mean_pooled};
    static const enum bird_act acts[] = {BIRD_GELU_ERF, BIRD_RELU, BIRD_SILU,
                                         BIRD_TANH};
    int64_t dim = draw(r, 3, 9), n;

    tiny_config(c, heads[draw(r, 0, 4)]);
    c->problem = BIRD_PROBLEM_MULTI_LABEL;
    c->n_layer = draw(r, 1, 3);
    c->n_head = draw(r, 1, 4);
    if (dim * c->n_head < 12) /* what the tolerances were made for, and wider */
        dim = (12 + c->n_head - 1) / c->n_head;
    c->hidden_size = dim * c->n_head;
    c->intermediate_size = draw(r, 1, 50);
    c->vocab_size = draw(r, 5, 40);
    c->use_bias = (int)draw(r, 0, 1);
    c->rescale_embeddings = (int)draw(r, 0, 1);
    c->tie_word_embeddings = (int)draw(r, 0, 1);
    if (draw(r, 0, 1))
        c->act = acts[draw(r, 0, 3)];
    draw_pattern(c, r);
    draw_map(c, r, trains);
    n = (int64_t)strlen(shape);
    snprintf(shape + n, sizeof(shape) - (size_t)n,
             " %lld layers of %lld x %lld, ffn %lld, act %d, bias %d",
             (long long)c->n_layer, (long long)c->n_head, (long long)dim,
             (long long)c->intermediate_size, (int)c->act, c->use_bias);
}

/* Other lengths, ids, types and masks than the toy's own. */
static void draw_batch(struct tiny *t, struct bird_rng *r)
{
    int64_t left = TINY_ROWS;

    for (int s = 0; s < TINY_SEQ; s++) {
        int64_t most = left - (TINY_SEQ - 1 - s), n;
        int kind = (int)draw(r, 0, 3); /* of its mask */

        n = draw(r, 1, most < 64 ? most : 64);
        left -= n;
        t->offset[s + 1] = t->offset[s] + n;
        for (int64_t i = 0; i < n; i++) {
            int64_t k = t->offset[s] + i;

            t->ids[k] = (int32_t)draw(r, 0, t->c.vocab_size - 1);
            t->type[k] = (int32_t)draw(r, 0, 1);
            t->mask[k] = kind == 0   ? 1
                         : kind == 1 ? i < 1 + n / 2
                         : kind == 2 ? i % 5 != 3
                                     : (uint8_t)(!i || draw(r, 0, 1));
            t->token[k] =
                draw(r, 0, 3) ? -100 : (int32_t)draw(r, 0, t->c.n_label - 1);
        }
    }
    t->token[0] = 0; /* of a masked-language head: one at least */
    if (draw(r, 0, 3) == 0)
        t->b.mask = NULL;
    if (draw(r, 0, 3) == 0)
        t->b.type = NULL;
}

static struct ref_model formulas(struct tiny *t)
{
    return (struct ref_model){&t->c, &t->w, t->theta,
                              ref_copy(t->theta, t->total), bird_kernels()};
}

/* Some weights below the smallest normal number. */
static void fade(struct tiny *t, struct bird_rng *r)
{
    for (int64_t i = 0; i < t->total; i++)
        if (!bird_rng_below(r, 8))
            t->theta[i] *= 1e-39f;
}

/* By how much the formulas' answers move when every weight does by half of its
 * last digit: per row, the most of four tries. What moves by that is not known
 * better from weights of float32, whatever the arithmetic. */
static double *movement(struct tiny *t, struct bird_rng *r, const double *want,
                        int64_t n)
{
    int64_t d = t->c.hidden_size;
    double *most = ref_doubles(n / d);

    for (int pass = 0; pass < 4; pass++) {
        struct ref_model m = formulas(t);
        double *x;

        for (int64_t i = 0; i < t->total; i++)
            m.theta[i] *= 1 + (bird_rng_below(r, 2) ? 1 : -1) * 0x1p-24;
        x = ref_hidden(&m, &t->b, NULL);
        for (int64_t i = 0; i < n; i++)
            most[i / d] = fmax(most[i / d], fabs(x[i] - want[i]));
        free(x), free(m.theta);
    }
    return most;
}

/* test_encoder.c: 1e-5 of each value; where a map passes on more of a score's
 * rounding than softmax, its factor a layer. A row beyond it counts as
 * ill-conditioned when the formulas move it by an eighth as much. */
static void try_encoder(struct bird_rng *r)
{
    struct bird_encoder *e = NULL;
    struct bird_config c;
    struct ref_model m;
    struct tiny t;
    double tolerance = 1e-5, *want, *moved = NULL;
    float *x;
    int64_t n;

    draw_config(&c, r, 0);
    for (int l = 0; l < c.n_layer; l++)
        if (bird_prob_map_of(&c.map).factor > 1)
            tolerance *= (double)bird_prob_map_of(&c.map).factor;
    tiny_init(&t, &c, bird_rng_next(r));
    tiny_calm(&t);
    draw_batch(&t, r);
    if (bird_rng_below(r, 5) == 0)
        fade(&t, r);
    m = formulas(&t);
    n = t.b.offset[TINY_SEQ] * c.hidden_size;
    x = ref_floats(n);
    if (bird_encoder_new(&e, &c, &t.w) ||
        bird_encoder_forward(e, x, NULL, &t.b))
        stop(shape);
    want = ref_hidden(&m, &t.b, NULL);
    for (int64_t i = 0; i < n; i++) {
        double most = tolerance;

        if (fabs((double)x[i] - want[i]) > tolerance) {
            moved = moved ? moved : movement(&t, r, want, n);
            most = fmax(most, 8 * moved[i / c.hidden_size]);
            tally[at].ill += most > tolerance;
        }
        judge((double)x[i], want[i], most);
    }
    free(moved);
    bird_encoder_free(e);
    free(x), free(want), free(m.theta);
    tiny_free(&t);
}

/* gradient.c: along a random direction, of all tensors at once. */
static void try_gradient(struct bird_rng *r)
{
    static const double step = 1e-5;
    struct bird_dropout_rates dropout = {bird_rng_next(r), 0, 0, 0};
    struct bird_config c;
    struct ref_model m;
    struct tiny t;
    double got = 0, want, loss, norm = 0;
    float *v;

    draw_config(&c, r, 1);
    if (draw(r, 0, 1))
        dropout.hidden = dropout.attention = 0.2f;
    c.act = c.act == BIRD_RELU ? BIRD_SILU : c.act; /* has a slope everywhere */
    tiny_init(&t, &c, bird_rng_next(r));
    tiny_calm(&t);
    draw_batch(&t, r);
    m = formulas(&t);
    loss = tiny_pass(&t, &dropout, (int)draw(r, 0, 1));
    want = ref_loss(&m, &t.b, &t.labels, &dropout);
    judge(loss, want, 2e-5 * (1 + fabs(want)));
    v = ref_floats(t.total);
    ref_fill(v, t.total, r, 1);
    for (int64_t i = 0; i < t.total; i++) {
        got += (double)t.grad[i] * (double)v[i];
        norm += (double)t.grad[i] * (double)t.grad[i];
        m.theta[i] = (double)t.theta[i] + step * (double)v[i];
    }
    want = ref_loss(&m, &t.b, &t.labels, &dropout);
    for (int64_t i = 0; i < t.total; i++)
        m.theta[i] = (double)t.theta[i] - step * (double)v[i];
    want -= ref_loss(&m, &t.b, &t.labels, &dropout);
    judge(got, want / (2 * step),
          1e-4 * sqrt(norm) + 1e-6 * sqrt((double)t.total) * 4);
    free(v), free(m.theta);
    tiny_free(&t);
}

/* ---- kernels ------------------------------------------------------------- */

static const struct bird_kernels *draw_kernels(struct bird_rng *r)
{
    int n = 0;

    while (bird_kernels_at(n))
        n++;
    return bird_kernels_at((int)draw(r, 0, n - 1));
}

/* test_attention.c: 1e-5 */
static void try_attention(struct bird_rng *r)
{
    const struct bird_kernels *k = draw_kernels(r);
    int64_t len = draw(r, 1, 140), dim = draw(r, 1, 70);
    int64_t ld = 3 * dim + draw(r, 0, 5), tile;
    struct bird_config c;
    struct bird_plan *plan;
    struct bird_attention_args a;
    struct ref_attention w;
    float *x = normal(len * ld, r, 1), *out = ref_floats(len * dim), *scratch;
    double *d = ref_copy(x, len * ld), *want = ref_doubles(len * dim);
    double *times, *keep = NULL;
    uint8_t mask[140];

    tiny_config(&c, &bird_head_none);
    c.n_head = draw(r, 1, 3);
    c.max_positions = 256;
    draw_pattern(&c, r);
    draw_map(&c, r, 0);
    c.pattern = bird_pattern_of(&c);
    if (bird_plan_new(&plan, &c.pattern, len, draw(r, 0, 2)))
        stop(shape);
    for (int64_t i = 0; i < len; i++)
        mask[i] = (uint8_t)(!i || draw(r, 0, 4));
    a = (struct bird_attention_args){.plan = plan->full ? NULL : plan,
                                     .head = draw(r, 0, c.n_head - 1),
                                     .q = x,
                                     .k = x + dim,
                                     .v = x + 2 * dim,
                                     .ld = ld,
                                     .len = len,
                                     .dim = dim,
                                     .scale = (float)(1 / sqrt((double)dim)),
                                     .mask = draw(r, 0, 1) ? mask : NULL,
                                     .map = bird_prob_map_of(&c.map)};
    if (plan->full && draw(r, 0, 1))
        a.drop = (struct bird_dropout){bird_rng_next(r), 0.3f};
    tile = bird_attention_tile(a.plan);
    scratch = ref_floats(bird_attention_scratch(len, dim, tile));
    times = ref_times(a.plan, a.head, len, NULL);
    if (a.drop.p > 0)
        keep = ref_mask(k, a.drop, 0, len, len);
    w = (struct ref_attention){.len = len,
                               .dim = dim,
                               .ld = ld,
                               .scale = (double)a.scale,
                               .penalty = a.plan ? -10000.0 : -(double)FLT_MAX,
                               .times = times,
                               .mask = a.mask,
                               .keep = keep,
                               .zero_masked = a.plan != NULL,
                               .map = a.map};
    ref_attention(want, dim, d, d + dim, d + 2 * dim, &w);
    for (int64_t i = 0; i < len; i += tile)
        k->attention_forward(out, dim, &a, i, i + tile < len ? i + tile : len,
                             scratch);
    for (int64_t i = 0; i < len * dim; i++)
        judge((double)out[i], want[i], 1e-5);
    bird_plan_free(plan);
    free(x), free(out), free(scratch), free(d), free(want), free(times);
    free(keep);
}

/* test_product.c: 1e-6 a feature and 1e-5 */
static void try_product(struct bird_rng *r)
{
    const struct bird_kernels *k = draw_kernels(r);
    int64_t n = draw(r, 1, 40), out = draw(r, 1, 70), in = draw(r, 1, 300);
    float *x = normal(n * in, r, 1), *w = normal(out * in, r, 1);
    float *p = ref_floats(k->packed_size(out, in)), *y = ref_floats(n * out);

    describe("%s (%d, %d, %d)", k->name, (int)n, (int)out, (int)in);
    k->pack(p, w, in, out, in);
    k->product(y, out, x, in, p, n, out, in);
    for (int64_t i = 0; i < n * out; i++) {
        double sum = 0;

        for (int64_t j = 0; j < in; j++)
            sum += (double)x[i / out * in + j] * (double)w[i % out * in + j];
        judge((double)y[i], sum, 1e-6 * (double)in + 1e-5);
    }
    free(x), free(w), free(p), free(y);
}

struct low {
    int64_t m, n, k;
    float *a, *w, *b, *c;
    enum bird_precision p;
    int rc, levels;
};

static void low_task(void *context, int64_t task, int worker)
{
    struct low *x = context;
    struct bird_low *low = NULL;
    float *scratch;

    (void)task, (void)worker;
    x->rc = bird_low_new(&low, x->p, x->w, x->n, x->k);
    if (x->rc)
        return;
    x->levels = strstr(bird_low_name(low), "vnni") ||
                        strstr(bird_low_name(low), "bf16") ||
                        strstr(bird_low_name(low), "amx")
                    ? 255
                    : 127;
    scratch = ref_floats(bird_low_scratch(low));
    x->rc = bird_low_product(x->c, x->n, low, (struct bird_matrix){x->a, x->k},
                             x->b, x->m, scratch);
    free(scratch);
    bird_low_free(low);
}

/* docs/math/precision.md, as test_low.c has it */
static double low_bound(const struct low *x, int64_t i, int64_t j)
{
    static const double u16 = 1.0 / 256, u32 = 1.0 / (1 << 24);
    double lo = DBL_MAX, hi = -DBL_MAX, most = 0, aw = 0, sa = 0, sw = 0;
    double step, scale;

    for (int64_t k = 0; k < x->k; k++) {
        double v = (double)x->a[i * x->k + k], g = (double)x->w[j * x->k + k];

        lo = fmin(lo, v), hi = fmax(hi, v), most = fmax(most, fabs(g));
        aw += fabs(v * g), sa += fabs(v), sw += fabs(g);
    }
    if (x->p == BIRD_BFLOAT16)
        return (2 * u16 + u16 * u16 +
                (1 + u16) * (1 + u16) * (double)(x->k + 2) * u32 * 1.01) *
                   aw +
               (double)x->k * (double)FLT_MIN;
    step = (hi - lo) / x->levels, scale = most / 127;
    sw += (double)x->k * scale / 2;
    /* steps below the smallest normal number have fewer digits */
    return (double)x->k * (double)FLT_MIN + scale * (0.5 + 4 * u32 * 127) * sa +
           step * (0.5 + 4 * u32 * x->levels) * sw +
           8 * u32 * (step * x->levels * sw + fabs(lo) * sw);
}

static void try_low(struct bird_rng *r, enum bird_precision p)
{
    static const double u32 = 1.0 / (1 << 24);
    struct low x = {
        .m = draw(r, 1, 40), .n = draw(r, 1, 50), .k = draw(r, 1, 200), .p = p};

    x.a = normal(x.m * x.k, r, 2), x.w = normal(x.n * x.k, r, 0.3);
    x.b = normal(x.n, r, 1), x.c = ref_floats(x.m * x.n);
    describe("(%d, %d, %d)", (int)x.m, (int)x.n, (int)x.k);
    bird_parallel(1, low_task, &x);
    if (x.rc == BIRD_EUNSUPPORTED)
        tally[at].absent++;
    else if (x.rc)
        stop(shape);
    for (int64_t i = 0; i < x.m * x.n && !x.rc; i++) {
        double sum = 0, b = (double)x.b[i % x.n];

        for (int64_t k = 0; k < x.k; k++)
            sum +=
                (double)x.a[i / x.n * x.k + k] * (double)x.w[i % x.n * x.k + k];
        sum += b;
        judge((double)x.c[i], sum,
              low_bound(&x, i / x.n, i % x.n) +
                  2 * u32 * (fabs(sum) + fabs(b)));
    }
    free(x.a), free(x.w), free(x.b), free(x.c);
}

/* test_rows.c: 3e-5, more where a gain is */
static void try_layernorm(struct bird_rng *r)
{
    const struct bird_kernels *k = draw_kernels(r);
    int64_t n = draw(r, 1, 20), d = draw(r, 1, 300);
    float eps = 1e-2f, *t = normal(n * d, r, 1), *x = normal(n * d, r, 1);
    float *gain = normal(d, r, 1), *beta = normal(d, r, 1),
          *y = ref_floats(n * d);
    double *z = ref_doubles(n * d), *g = ref_copy(gain, d);
    double *b = ref_copy(beta, d);

    describe("%s (%d, %d)", k->name, (int)n, (int)d);
    k->residual_layernorm_forward(y, NULL, NULL, t, NULL, x, gain, beta, eps,
                                  (struct bird_dropout){0}, 0, n, d);
    for (int64_t i = 0; i < n * d; i++)
        z[i] = (double)t[i] + (double)x[i];
    for (int64_t i = 0; i < n; i++)
        ref_layernorm(z + i * d, z + i * d, g, b, (double)eps, d);
    for (int64_t i = 0; i < n * d; i++)
        judge((double)y[i], z[i], 3e-5);
    free(t), free(x), free(gain), free(beta), free(y), free(z), free(g);
    free(b);
}

/* test_rows.c: softmax 1e-6; test_maps.c: 3e-6 (0.1 + p) */
static void try_map(struct bird_rng *r)
{
    const struct bird_kernels *k = draw_kernels(r);
    int64_t n = draw(r, 1, 200), ld = draw(r, 1, 20);
    float *p = normal(n * ld, r, 2), inverse[20], w[200];
    struct bird_config c;
    struct bird_prob_map map;
    double *want = ref_doubles(n), many[200], *x = ref_copy(p, n * ld);
    int counted = (int)draw(r, 0, 1);

    tiny_config(&c, &bird_head_none);
    describe("%s %d keys, %d queries", k->name, (int)n, (int)ld);
    draw_map(&c, r, 0);
    map = bird_prob_map_of(&c.map);
    for (int64_t j = 0; j < n; j++)
        many[j] = counted ? (double)(w[j] = (float)draw(r, 1, 3)) : 1;
    k->map_forward(p, inverse, counted ? w : NULL, &map, 0.75f, n, ld);
    for (int64_t q = 0; q < ld; q++) {
        for (int64_t j = 0; j < n; j++)
            want[j] = 0.75 * x[j * ld + q];
        ref_map(want, many, &map, n);
        for (int64_t j = 0; j < n; j++)
            judge((double)p[j * ld + q] * (double)inverse[q], want[j],
                  3e-6 * (0.1 + want[j]));
    }
    free(p), free(want), free(x);
}

static void try_case(uint64_t seed)
{
    struct bird_rng r;

    bird_rng_init(&r, seed, (uint64_t)number, 0);
    at = (enum kind)(number % KINDS);
    tally[at].cases++;
    switch (at) {
    case ENCODER:
        try_encoder(&r);
        break;
    case GRADIENT:
        try_gradient(&r);
        break;
    case ATTENTION:
        try_attention(&r);
        break;
    case PRODUCT:
        try_product(&r);
        break;
    case BFLOAT16:
        try_low(&r, BIRD_BFLOAT16);
        break;
    case INT8:
        try_low(&r, BIRD_INT8);
        break;
    case LAYERNORM:
        try_layernorm(&r);
        break;
    default:
        try_map(&r);
    }
}

static void print(FILE *f, uint64_t seed)
{
    char blas[BIRD_BLAS_NAME];

    bird_blas_name(blas);
    *strchr(blas, ',') = '\0';
    for (int k = 0; k < KINDS; k++)
        fprintf(
            f, "%s\t%llu\t%lld\t%lld\t%lld\t%.3g\t%.3f\t%lld\t%lld\t%s\t%s\n",
            kind_names[k], (unsigned long long)seed, (long long)tally[k].cases,
            (long long)tally[k].absent, (long long)tally[k].values,
            tally[k].most, tally[k].share, (long long)tally[k].ill,
            (long long)tally[k].bad, bird_kernels()->name, blas);
}

int main(int argc, char **argv)
{
    int64_t n = 800, only = -1;
    uint64_t seed = 1;
    time_t until = 0;
    const char *tsv = NULL, *kind = NULL;
    int option, bad = 0;
    FILE *f;

    while ((option = getopt(argc, argv, "n:s:l:t:o:k:")) != -1)
        switch (option) {
        case 'n':
            n = strtoll(optarg, NULL, 10);
            break;
        case 's':
            seed = strtoull(optarg, NULL, 10);
            break;
        case 'l':
            until = time(NULL) + strtol(optarg, NULL, 10);
            break;
        case 't':
            tsv = optarg;
            break;
        case 'k':
            kind = optarg;
            break;
        case 'o':
            only = strtoll(optarg, NULL, 10);
            break;
        default:
            return 2;
        }
    bird_threads_set(1);
    bird_gemm_init();
    for (number = only < 0 ? 0 : only;
         (only < 0 ? number < n : number == only) &&
         (!until || time(NULL) < until);
         number++)
        if (!kind || !strcmp(kind, kind_names[number % KINDS]))
            try_case(seed);
    print(stdout, seed);
    f = tsv ? fopen(tsv, "a") : NULL;
    if (f)
        print(f, seed);
    if (tsv && (!f || fclose(f)))
        return 2;
    for (int k = 0; k < KINDS; k++)
        bad |= tally[k].bad > 0;
    return bad;
}
