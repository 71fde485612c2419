/* kernel: attention of every table over plans, against formulas in double.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "dnabird/error.h"
#include "kernel/gemm.h"
#include "ref.h"

enum holes { NO_MASK, HOLES, TAIL, ALL_BUT_ONE, NOTHING };

struct problem {
    const struct bird_kernels *k;
    struct bird_attention_args a;
    struct ref_attention r;
    int64_t ld, ld_out, tile;
    float *qkv, *dout, *scratch;
    double *x; /* qkv in double */
    double *g; /* dout in double */
    uint8_t *mask;
};

/* Of every problem that is made. */
static struct bird_prob_map map;

/* A made-up plan with multiplicities 1 .. 3, gaps, and rows of one run. */
static struct bird_plan *odd_plan(int64_t len, int64_t block, int64_t n_head)
{
    struct bird_plan *p;
    int64_t n = 0;

    WORKS(bird_array_new(&p, 1, sizeof(*p)));
    p->block = block;
    p->n_block = (len + block - 1) / block;
    p->n_head = n_head;
    WORKS(bird_array_new(&p->row, n_head * p->n_block + 1, 8));
    WORKS(bird_array_new(&p->run, n_head * p->n_block * (p->n_block + 1),
                         sizeof(*p->run)));
    for (int64_t h = 0; h < n_head; h++)
        for (int64_t i = 0; i < p->n_block; i++) {
            int64_t j = 0;

            while (j < p->n_block) {
                int64_t count = 1 + (i + j + h) % 3, gap = (i + h + j) % 2;

                if (j + count > p->n_block || i % 4 == 3)
                    count = p->n_block - j;
                /* a query's own block is always among its keys */
                if (gap && (i < j || i >= j + count) &&
                    j + count < p->n_block) {
                    j += count;
                    continue;
                }
                p->run[n++] = (struct bird_run){(int32_t)j, (int32_t)count,
                                                (int32_t)(1 + (i + j) % 3)};
                j += count;
            }
            p->row[h * p->n_block + i + 1] = n;
        }
    return p;
}

static void fill_mask(uint8_t *m, int64_t len, enum holes kind)
{
    for (int64_t i = 0; i < len; i++)
        m[i] = kind == HOLES         ? i % 3 != 1
               : kind == TAIL        ? i < len - len / 3
               : kind == ALL_BUT_ONE ? i == len / 2
                                     : 0;
}

static void make(struct problem *p, const struct bird_kernels *k,
                 const struct bird_plan *plan, int64_t head, int64_t len,
                 int64_t dim, enum holes holes, float drop)
{
    struct bird_rng rng;

    memset(p, 0, sizeof(*p));
    bird_rng_init(&rng, (uint64_t)len, (uint64_t)dim, (uint64_t)holes);
    p->k = k;
    p->ld = 3 * dim + 5;
    p->ld_out = dim + 2;
    p->tile = bird_attention_tile(plan);
    WORKS(bird_array_new(&p->qkv, len * p->ld, 4));
    WORKS(bird_array_new(&p->dout, len * p->ld_out, 4));
    WORKS(bird_array_new(&p->scratch,
                         bird_attention_scratch_back(len, dim, p->tile), 4));
    WORKS(bird_array_new(&p->mask, len, 1));
    ref_fill(p->qkv, len * p->ld, &rng, 1);
    ref_fill(p->dout, len * p->ld_out, &rng, 1);
    fill_mask(p->mask, len, holes);
    p->a = (struct bird_attention_args){.plan = plan,
                                        .head = head,
                                        .q = p->qkv,
                                        .k = p->qkv + dim,
                                        .v = p->qkv + 2 * dim,
                                        .ld = p->ld,
                                        .len = len,
                                        .dim = dim,
                                        .scale = (float)(1 / sqrt((double)dim)),
                                        .mask = holes ? p->mask : NULL,
                                        .drop = {99, drop},
                                        .map = map};
    p->x = ref_copy(p->qkv, len * p->ld);
    p->g = ref_copy(p->dout, len * p->ld_out);
    p->r = (struct ref_attention){
        .len = len,
        .dim = dim,
        .ld = p->ld,
        .scale = (double)p->a.scale,
        .penalty = plan ? -10000.0 : -(double)FLT_MAX,
        .times = ref_times(plan, head, len, NULL),
        .mask = p->a.mask,
        .keep = drop > 0 ? ref_mask(k, p->a.drop, 0, len, len) : NULL,
        .zero_masked = plan != NULL,
        .map = map};
}

static void drop_problem(struct problem *p)
{
    free(p->qkv), free(p->dout), free(p->scratch), free(p->mask);
    free(p->x), free(p->g), free((double *)(uintptr_t)p->r.times);
    free((double *)(uintptr_t)p->r.keep);
}

static void check_forward(struct problem *p, const char *what)
{
    int64_t len = p->a.len, dim = p->a.dim;
    double *want = ref_doubles(len * p->ld_out);
    float *out;

    WORKS(bird_array_new(&out, len * p->ld_out, 4));
    for (int64_t i = 0; i < len * p->ld_out; i++)
        out[i] = 7;
    ref_attention(want, p->ld_out, p->x, p->x + dim, p->x + 2 * dim, &p->r);
    /* tiles in any order */
    for (int64_t t = (len - 1) / p->tile; t >= 0; t--)
        p->k->attention_forward(
            out, p->ld_out, &p->a, t * p->tile,
            (t + 1) * p->tile < len ? (t + 1) * p->tile : len, p->scratch);
    for (int64_t i = 0; i < len; i++)
        for (int64_t j = 0; j < p->ld_out; j++) {
            float y = out[i * p->ld_out + j];

            if (j >= dim)
                cr_assert_eq(y, 7, "%s wrote beyond its head", what);
            else
                cr_assert_float_eq(y, want[i * p->ld_out + j], 1e-5,
                                   "%s %s len %d dim %d: out[%d,%d] %g not %g",
                                   p->k->name, what, (int)len, (int)dim, (int)i,
                                   (int)j, (double)y, want[i * p->ld_out + j]);
        }
    free(out), free(want);
}

/* How far bfloat16 probabilities take a sum of values that are bfloat16 already:
 * the weight of each by half a step (2^-8), its exponential by 8e-5
 * (docs/math/precision.md). */
static double low_bound(double sum_of_sizes)
{
    return (1.0 / 256 + 2e-4) * sum_of_sizes + 1e-5;
}

/* n numbers as bfloat16 has them. */
static void round_numbers(const struct bird_kernels *k, float *x, int64_t n)
{
    uint16_t *low;

    WORKS(bird_array_new(&low, n, sizeof(*low)));
    k->to_bfloat16(low, x, n);
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)low[i] << 16;

        memcpy(x + i, &bits, sizeof(bits));
    }
    free(low);
}

/* The queries, keys and values of p likewise. */
static void round_problem(struct problem *p)
{
    int64_t n = p->a.len * p->ld;

    round_numbers(p->k, p->qkv, n);
    for (int64_t i = 0; i < n; i++)
        p->x[i] = (double)p->qkv[i];
}

/* Keys and values in lower precision, in pieces that may cut a pair of rows. */
static float *round_pieces(struct problem *p)
{
    int64_t len = p->a.len, piece = len > 40 ? 33 : 3;
    float *low = NULL;

    if (bird_attention_low(p->k) == p->k->attention_forward)
        return NULL;
    WORKS(bird_array_new(&low, bird_attention_rounded(len, p->a.dim), 4));
    for (int64_t i = (len - 1) / piece; i >= 0; i--)
        p->k->attention_round(low, &p->a, i * piece,
                              (i + 1) * piece < len ? (i + 1) * piece : len);
    return low;
}

/* Attention in lower precision against sums in double. */
static void check_low(struct problem *p, const char *what)
{
    int64_t len = p->a.len, dim = p->a.dim, ld = p->ld_out;
    double *want = ref_doubles(len * ld), *size = ref_doubles(len * ld);
    float *out, *low;

    round_problem(p);
    p->a.low = low = round_pieces(p);
    WORKS(bird_array_new(&out, len * ld, 4));
    for (int64_t i = 0; i < len * ld; i++)
        out[i] = 7;
    ref_attention(want, ld, p->x, p->x + dim, p->x + 2 * dim, &p->r);
    for (int64_t i = 0; i < len * p->ld; i++)
        if (i % p->ld >= 2 * dim)
            p->x[i] = fabs(p->x[i]);
    ref_attention(size, ld, p->x, p->x + dim, p->x + 2 * dim, &p->r);
    for (int64_t t = (len - 1) / p->tile; t >= 0; t--)
        bird_attention_low(p->k)(
            out, ld, &p->a, t * p->tile,
            (t + 1) * p->tile < len ? (t + 1) * p->tile : len, p->scratch);
    for (int64_t i = 0; i < len * ld; i++) {
        double bound = i % ld < dim ? low_bound(size[i]) : 0;
        double y = i % ld < dim ? want[i] : 7;

        cr_assert_float_eq(out[i], y, bound,
                           "%s %s len %d dim %d: out[%d,%d] %g not %g",
                           p->k->name, what, (int)len, (int)dim, (int)(i / ld),
                           (int)(i % ld), (double)out[i], y);
    }
    p->a.low = NULL;
    free(out), free(want), free(size), free(low);
}

static double attention_loss(void *context)
{
    struct problem *p = context;
    int64_t len = p->a.len, dim = p->a.dim;
    double sum = 0, *out = ref_doubles(len * p->ld_out);

    ref_attention(out, p->ld_out, p->x, p->x + dim, p->x + 2 * dim, &p->r);
    for (int64_t i = 0; i < len; i++)
        for (int64_t j = 0; j < dim; j++)
            sum += out[i * p->ld_out + j] * p->g[i * p->ld_out + j];
    free(out);
    return sum;
}

static void check_backward(struct problem *p, const char *what)
{
    int64_t len = p->a.len, dim = p->a.dim, n = len * p->ld;
    /* the formulas touch no memory of the product */
    int64_t step = 1 + n / (getenv("BIRD_TEST_SHORT") ? 10 : 150);
    float *d;

    WORKS(bird_array_new(&d, n, 4));
    for (int64_t i = 0; i < n; i++)
        d[i] = 7;
    p->k->attention_backward(d, d + dim, d + 2 * dim, p->dout, p->ld_out, &p->a,
                             p->scratch);
    for (int64_t i = 0; i < n; i += step) {
        double want = ref_slope(attention_loss, p, p->x + i, 1e-5);

        if (i % p->ld >= 3 * dim)
            want = 7;
        cr_assert_float_eq(d[i], want, 2e-5 * (1 + fabs(want)),
                           "%s %s len %d dim %d: d[%d] %g not %g", p->k->name,
                           what, (int)len, (int)dim, (int)i, (double)d[i],
                           want);
    }
    free(d);
}

/* The gradient in lower precision against that of float32, of rounded queries, keys,
 * values and dout: what is left is the rounding of p or ds, v / sqrt(3) rms of a term
 * with v = 2^-8 (docs/math/precision.md). dq, dk and dv are judged each as a whole;
 * their terms cancel in part, so twice that is allowed. */
static void check_low_backward(struct problem *p, const char *what)
{
    int64_t len = p->a.len, dim = p->a.dim, n = len * p->ld;
    float *want, *got;

    WORKS(bird_array_new(&want, n, 4));
    WORKS(bird_array_new(&got, n, 4));
    round_problem(p);
    round_numbers(p->k, p->dout, len * p->ld_out);
    for (int64_t i = 0; i < n; i++)
        got[i] = 7;
    p->k->attention_backward(want, want + dim, want + 2 * dim, p->dout,
                             p->ld_out, &p->a, p->scratch);
    bird_attention_back_low(p->k)(got, got + dim, got + 2 * dim, p->dout,
                                  p->ld_out, &p->a, p->scratch);
    for (int part = 0; part < 3; part++) {
        double error = 0, size = 0;

        for (int64_t i = 0; i < len; i++)
            for (int64_t j = part * dim; j < (part + 1) * dim; j++) {
                double y = (double)want[i * p->ld + j];
                double off = (double)got[i * p->ld + j] - y;

                size += y * y;
                error += off * off;
            }
        cr_assert_leq(
            sqrt(error), sqrt(4.0 / 3 * size) / 256 + 1e-4 * sqrt((double)len),
            "%s %s len %d dim %d: part %d off by %g of %g", p->k->name, what,
            (int)len, (int)dim, part, sqrt(error), sqrt(size));
    }
    for (int64_t i = 0; i < n; i++)
        cr_assert(i % p->ld < 3 * dim || got[i] == 7, "%s wrote beyond", what);
    free(want), free(got);
}

static void check(const struct bird_plan *plan, int64_t head, int64_t len,
                  int64_t dim, enum holes holes, float drop, const char *what)
{
    struct problem p;

    for (int i = 0; bird_kernels_at(i); i++) {
        make(&p, bird_kernels_at(i), plan, head, len, dim, holes, drop);
        check_forward(&p, what);
        check_backward(&p, what);
        if (map.kind == BIRD_PROB_SOFTMAX) {
            check_low(&p, what);
            check_low_backward(&p, what);
        }
        drop_problem(&p);
    }
}

static void use_map(const char *text)
{
    struct bird_attention_map m = {0};

    WORKS(bird_prob_map_parse(&m, text));
    map = bird_prob_map_of(&m);
}

static const char *const maps[] = {"topk:3",        "topk:9",      "sparsemax",
                                   "entmax:1.5",    "entmax:1.3",  "hardmax",
                                   "sparselin:0.5", "sparselin:-2"};
enum { MAPS = sizeof(maps) / sizeof(*maps) };

TestSuite(attention, .init = bird_gemm_init);

Test(attention, full)
{
    static const int64_t len[] = {1, 2, 17, 63, 64, 65, 129};

    for (int i = 0; i < 7; i++) {
        check(NULL, 0, len[i], 1, NO_MASK, 0, "full");
        check(NULL, 0, len[i], 7, HOLES, 0, "full, holes");
        check(NULL, 0, len[i], 16, TAIL, 0, "full, tail");
    }
    check(NULL, 0, 30, 64, ALL_BUT_ONE, 0, "full, one key");
    check(NULL, 0, 20, 65, NO_MASK, 0, "full");
}

/* Every score is then the lowest float and the row is uniform. */
Test(attention, full_with_every_key_masked)
{
    struct problem p;

    for (int i = 0; bird_kernels_at(i); i++) {
        double sum = 0;
        float out[9 * 5];

        make(&p, bird_kernels_at(i), NULL, 0, 9, 3, NOTHING, 0);
        p.k->attention_forward(out, p.ld_out, &p.a, 0, 9, p.scratch);
        for (int j = 0; j < 9; j++)
            sum += p.x[j * p.ld + 6] / 9;
        cr_assert_float_eq(out[0], sum, 1e-6);
        drop_problem(&p);
    }
}

Test(attention, full_with_dropout)
{
    check(NULL, 0, 1, 4, NO_MASK, 0.5f, "full, dropout");
    check(NULL, 0, 33, 8, NO_MASK, 0.3f, "full, dropout");
    check(NULL, 0, 100, 5, HOLES, 0.1f, "full, dropout, holes");
}

Test(attention, odd_plans_with_multiplicities)
{
    static const int64_t block[] = {1, 3, 8, 16, 64};
    static const int64_t len[] = {1, 7, 16, 41, 65};

    for (int b = 0; b < 5; b++)
        for (int l = 0; l < 5; l++) {
            struct bird_plan *p = odd_plan(len[l], block[b], 2);

            for (int holes = NO_MASK; holes <= TAIL; holes++)
                check(p, holes % 2, len[l], 6, (enum holes)holes, 0, "odd");
            bird_plan_free(p);
        }
}

/* Real plans: random blocks per head, a partial last block, block size 1. */
Test(attention, bigbird_plans)
{
    static const struct {
        int64_t block, len;
        enum bird_random_blocks random;
        enum holes holes;
    } cases[] = {
        {1, 30, BIRD_RANDOM_PLAN, NO_MASK}, {1, 26, BIRD_RANDOM_ZERO, HOLES},
        {4, 61, BIRD_RANDOM_PLAN, NO_MASK}, {4, 64, BIRD_RANDOM_PLAN, HOLES},
        {4, 57, BIRD_RANDOM_ZERO, TAIL},    {4, 58, BIRD_RANDOM_NONE, NO_MASK},
        {16, 200, BIRD_RANDOM_PLAN, TAIL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct bird_pattern pattern = {.row = &bird_pattern_bigbird,
                                       .random = cases[i].random,
                                       .block = cases[i].block,
                                       .n_random = 3,
                                       .n_head = 2,
                                       .max_positions = 512};
        struct bird_plan *p;

        WORKS(bird_plan_new(&p, &pattern, cases[i].len, 1));
        cr_assert(!p->full);
        for (int h = 0; h < 2; h++)
            check(p, h, cases[i].len, 8, cases[i].holes, 0, "bigbird");
        bird_plan_free(p);
    }
}

/* Whole tiles of heads as base models have them; then a row of so many keys that
 * their sum is made in parts. */
Test(attention, many_tiles)
{
    struct bird_pattern pattern = {
        &bird_pattern_bigbird, BIRD_RANDOM_PLAN, 64, 3, 2, 4096, 0, 0, {0}};
    struct bird_plan *plan;
    struct problem p;

    WORKS(bird_plan_new(&plan, &pattern, 770, 1));
    for (int i = 0; bird_kernels_at(i); i++)
        for (int full = 0; full < 2; full++) {
            make(&p, bird_kernels_at(i), full ? NULL : plan, full ? 0 : 1,
                 full ? 1601 : 770, full ? 4 : 64, full ? NO_MASK : TAIL, 0);
            check_forward(&p, "many tiles");
            check_low(&p, "many tiles");
            drop_problem(&p);
        }
    bird_plan_free(plan);
}

/* Keys after the query count nothing, in the query's own block and in later ones,
 * with every map. */
Test(attention, causal_plans)
{
    static const int64_t block[] = {1, 3, 16, 64};

    for (int m = -1; m < MAPS; m++)
        for (int b = 0; b < 4; b++) {
            int64_t len = m < 0 ? 67 : 19;
            struct bird_plan *p = odd_plan(len, block[b], 2);

            if (m >= 0)
                use_map(maps[m]);
            p->causal = 1;
            check(p, b % 2, len, 5, b % 2 ? NO_MASK : HOLES, 0, "causal");
            bird_plan_free(p);
        }
}

/* Repeats as the reference has them at 1024 tokens: multiplicity 2. */
Test(attention, legacy_plan_at_1024_counts_repeats)
{
    struct bird_pattern pattern = {
        &bird_pattern_bigbird, BIRD_RANDOM_PLAN, 16, 3, 2, 4096, 0, 0, {0}};
    struct bird_plan *plan;
    struct problem p;
    int repeats = 0;

    WORKS(bird_plan_new(&plan, &pattern, 1024, 0));
    for (int64_t i = 0; i < plan->row[2 * plan->n_block]; i++)
        repeats += plan->run[i].times > 1;
    cr_assert_gt(repeats, 0);
    for (int i = 0; bird_kernels_at(i); i++) {
        make(&p, bird_kernels_at(i), plan, 1, 1024, 4, NO_MASK, 0);
        check_forward(&p, "legacy");
        drop_problem(&p);
    }
    bird_plan_free(plan);
}

/* What a masked query passes on must not reach anybody's gradient. */
Test(attention, masked_queries_pass_no_gradient_when_sparse)
{
    struct bird_plan *plan = odd_plan(41, 8, 1);
    struct problem p;
    float d[2][41 * 23];

    for (int i = 0; bird_kernels_at(i); i++) {
        make(&p, bird_kernels_at(i), plan, 0, 41, 6, HOLES, 0);
        for (int pass = 0; pass < 2; pass++) {
            memset(d[pass], 0, sizeof(d[pass]));
            p.k->attention_backward(d[pass], d[pass] + 6, d[pass] + 12, p.dout,
                                    p.ld_out, &p.a, p.scratch);
            for (int64_t r = 0; r < 41; r++)
                if (!p.mask[r])
                    p.dout[r * p.ld_out] += 100;
        }
        cr_assert_arr_eq(d[0], d[1], sizeof(d[0]));
        for (int64_t r = 0; r < 41; r++)
            for (int64_t j = 0; j < 18 && !p.mask[r]; j++)
                cr_assert_eq(d[0][r * p.ld + j], 0);
        drop_problem(&p);
    }
    bird_plan_free(plan);
}

/* Queries side by side and in rows, lengths that are no multiple of either. */
Test(attention, maps_in_full)
{
    for (int i = 0; i < MAPS; i++) {
        use_map(maps[i]);
        check(NULL, 0, 1, 6, NO_MASK, 0, maps[i]);
        check(NULL, 0, 9, 6, NO_MASK, 0, maps[i]);
        check(NULL, 0, 18, 4, TAIL, 0, maps[i]);
        check(NULL, 0, 17, 4, HOLES, 0.3f, maps[i]);
        check(NULL, 0, 10, 8, ALL_BUT_ONE, 0, maps[i]);
    }
}

/* A key that a plan lists w times is w keys. */
Test(attention, maps_over_plans_with_multiplicities)
{
    static const int64_t block[] = {1, 3, 16};

    for (int i = 0; i < MAPS; i++) {
        use_map(maps[i]);
        for (int b = 0; b < 3; b++) {
            struct bird_plan *p = odd_plan(21, block[b], 2);

            check(p, b % 2, 21, 4, (enum holes)(b % 3), 0, maps[i]);
            bird_plan_free(p);
        }
    }
}

Test(attention, maps_of_rows_with_every_key_masked_are_even)
{
    for (int m = 0; m < MAPS; m++)
        for (int i = 0; bird_kernels_at(i); i++) {
            struct problem p;
            double sum = 0;
            float out[9 * 5];

            use_map(maps[m]);
            make(&p, bird_kernels_at(i), NULL, 0, 9, 3, NOTHING, 0);
            p.k->attention_forward(out, p.ld_out, &p.a, 0, 9, p.scratch);
            for (int j = 0; j < 9; j++)
                sum += p.x[j * p.ld + 6] / 9;
            cr_assert_float_eq(out[0], sum, 1e-6, "%s", maps[m]);
            drop_problem(&p);
        }
}
