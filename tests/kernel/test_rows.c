/* kernel: every table's row-wise functions against formulas in double.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "kernel/cpu/cpu.h"
#include "ref.h"

static const int64_t widths[] = {1, 2, 7, 15, 16, 17, 31, 64, 65, 256, 771};
static const int64_t heights[] = {1, 3, 17};

struct shape {
    const struct bird_kernels *k;
    int64_t n, d;
    struct bird_rng rng;
};

/* Step through tables x heights x widths; 0 at the end. */
static int next_shape(struct shape *s, int *at)
{
    int n_w = sizeof(widths) / sizeof(*widths);
    int n_h = sizeof(heights) / sizeof(*heights);
    int i = (*at)++;

    s->k = bird_kernels_at(i / (n_w * n_h));
    s->n = heights[i / n_w % n_h];
    s->d = widths[i % n_w];
    bird_rng_init(&s->rng, 1, (uint64_t)s->n, (uint64_t)s->d);
    return s->k != NULL;
}

static float *floats(int64_t n, struct bird_rng *r)
{
    float *x;

    WORKS(bird_array_new(&x, n, sizeof(*x)));
    if (r)
        ref_fill(x, n, r, 1);
    return x;
}

static float *sevens(int64_t n)
{
    float *x = floats(n, NULL);

    for (int64_t i = 0; i < n; i++)
        x[i] = 7;
    return x;
}

static void close_to(const struct shape *s, const char *what, const float *got,
                     const double *want, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++)
        cr_assert(fabs((double)got[i] - want[i]) <=
                      tolerance * (1 + fabs(want[i])),
                  "%s %s (%d, %d): [%d] %.9g, not %.9g", s->k->name, what,
                  (int)s->n, (int)s->d, (int)i, (double)got[i], want[i]);
}

#define EACH_SHAPE(s)                                                          \
    struct shape s;                                                            \
    for (int at = 0; next_shape(&s, &at);)

Test(rows, there_is_a_table_and_the_best_one_is_listed_last)
{
    int n = 0;

    while (bird_kernels_at(n))
        n++;
    cr_assert_geq(n, 1);
    cr_assert_str_eq(bird_kernels_at(0)->name, "base");
    cr_assert_null(bird_kernels_at(-1));
    if (!getenv("DNABIRD_ISA"))
        cr_assert_eq(bird_kernels(), bird_kernels_at(n - 1));
}

Test(rows, exp_is_good_to_an_ulp_or_two)
{
    double worst = 0;

    for (int i = 0; i <= 2000000; i++) {
        float x = -87.3f + (float)i * (175.2f / 2e6f), y;

        if (x <= -87.3f || x > 88.0f)
            continue;
        y = vec_exp(x);
        worst = fmax(worst, fabs((double)y / exp((double)x) - 1));
    }
    cr_assert_lt(worst, 2e-7, "relative error %.3g", worst);
}

Test(rows, exp_at_the_ends)
{
    cr_assert_eq(vec_exp(-10000.0f), 0.0f);
    cr_assert_eq(vec_exp(-INFINITY), 0.0f);
    cr_assert_eq(vec_exp(-3.4e38f), 0.0f);
    cr_assert_eq(vec_exp(0.0f), 1.0f);
    cr_assert(isfinite(vec_exp(1e30f)));
    cr_assert(isnan(vec_exp(NAN)), "a NaN must not become a number");
}

Test(rows, embeddings_are_sums_of_three_rows)
{
    EACH_SHAPE(s)
    {
        float *word = floats(9 * s.d, &s.rng), *type = floats(2 * s.d, &s.rng);
        float *pos = floats(40 * s.d, &s.rng), *x = sevens(s.n * s.d);
        double *want = ref_doubles(s.n * s.d);
        int32_t ids[17], t[17];

        for (int pass = 0; pass < 2; pass++) {
            for (int64_t i = 0; i < s.n; i++) {
                ids[i] = (int32_t)((i * 5 + 8) % 9);
                t[i] = (int32_t)(i % 2);
                for (int64_t j = 0; j < s.d; j++)
                    want[i * s.d + j] =
                        (double)word[ids[i] * s.d + j] * 1.5 +
                        (double)type[(pass ? t[i] : 0) * s.d + j] +
                        (double)pos[(20 + i) * s.d + j];
            }
            s.k->embed_forward(x, ids, pass ? t : NULL, 20, word, type, pos,
                               1.5f, s.n, s.d);
            close_to(&s, "embed", x, want, s.n * s.d, 1e-6);
        }
        free(word), free(type), free(pos), free(x), free(want);
    }
}

Test(rows, dropout_keeps_its_share_and_scales_what_it_keeps)
{
    for (int i = 0; bird_kernels_at(i); i++) {
        const struct bird_kernels *k = bird_kernels_at(i);
        struct bird_dropout drop = {42, 0.3f};
        int64_t n = 300, d = 333, kept = 0;
        double *m = ref_mask(k, drop, 0, n, d), *later, *other;
        double rows[2] = {0, 0}, share;

        for (int64_t j = 0; j < n * d; j++) {
            cr_assert(m[j] == 0 || fabs(m[j] - 1 / 0.7) < 1e-6);
            kept += m[j] > 0;
        }
        share = 1 - (double)kept / (double)(n * d);
        /* five standard deviations of a binomial share */
        cr_assert_lt(fabs(share - 0.3), 5 * sqrt(0.21 / (double)(n * d)),
                     "%s drops %.4f", k->name, share);
        /* rows are drawn by their number, not by where a call begins */
        later = ref_mask(k, drop, 100, n - 100, d);
        cr_assert_arr_eq(later, m + 100 * d,
                         (size_t)((n - 100) * d) * sizeof(*m));
        other = ref_mask(k, (struct bird_dropout){43, 0.3f}, 0, n, d);
        for (int64_t j = 0; j < n * d; j++) {
            rows[0] += m[j] > 0 && other[j] > 0;
            if (j >= d) /* neighbouring rows have nothing to do with another */
                rows[1] += m[j] > 0 && m[j - d] > 0;
        }
        cr_assert_lt(fabs(rows[0] / (double)(n * d) - 0.49), 0.01);
        cr_assert_lt(fabs(rows[1] / (double)(n * d - d) - 0.49), 0.01);
        free(m), free(later), free(other);
    }
}

Test(rows, tables_draw_the_same_masks)
{
    double *base = ref_mask(bird_kernels_at(0), (struct bird_dropout){5, 0.1f},
                            3, 17, 771);

    for (int i = 1; bird_kernels_at(i); i++) {
        double *m = ref_mask(bird_kernels_at(i), (struct bird_dropout){5, 0.1f},
                             3, 17, 771);

        cr_assert_arr_eq(m, base, 17 * 771 * sizeof(*m));
        free(m);
    }
    free(base);
}

Test(rows, no_dropout_changes_nothing)
{
    EACH_SHAPE(s)
    {
        double *m = ref_mask(s.k, (struct bird_dropout){9, 0}, 0, s.n, s.d);

        for (int64_t i = 0; i < s.n * s.d; i++)
            cr_assert_eq(m[i], 1);
        free(m);
    }
}

struct norm {
    double *z, *gain, *beta, *dy;
    double eps;
    int64_t n, d;
};

static double norm_loss(void *context)
{
    const struct norm *p = context;
    double sum = 0, *y = ref_doubles(p->d);

    for (int64_t i = 0; i < p->n; i++) {
        ref_layernorm(y, p->z + i * p->d, p->gain, p->beta, p->eps, p->d);
        for (int64_t j = 0; j < p->d; j++)
            sum += y[j] * p->dy[i * p->d + j];
    }
    free(y);
    return sum;
}

Test(rows, residual_and_layernorm_forward)
{
    EACH_SHAPE(s)
    {
        int64_t nd = s.n * s.d;
        float *t = floats(nd, &s.rng), *x = floats(nd, &s.rng);
        float *bias = floats(s.d, &s.rng), *gain = floats(s.d, &s.rng);
        float *beta = floats(s.d, &s.rng), *y = sevens(nd), *z = sevens(nd);
        float *stat = sevens(2 * s.n), eps = 1e-2f, *again = sevens(nd);
        double *want = ref_doubles(nd), *wz = ref_doubles(nd), *keep;
        double *g = ref_copy(gain, s.d), *b = ref_copy(beta, s.d);

        for (int pass = 0; pass < 8; pass++) {
            struct bird_dropout drop = {77, pass & 1 ? 0.4f : 0};
            const float *bi = pass & 2 ? bias : NULL, *r = pass & 4 ? x : NULL;

            keep = ref_mask(s.k, drop, 5, s.n, s.d);
            for (int64_t i = 0; i < nd; i++)
                wz[i] =
                    keep[i] * ((double)t[i] + (bi ? (double)bi[i % s.d] : 0)) +
                    (r ? (double)r[i] : 0);
            for (int64_t i = 0; i < s.n; i++)
                ref_layernorm(want + i * s.d, wz + i * s.d, g, b, (double)eps,
                              s.d);
            s.k->residual_layernorm_forward(y, z, stat, t, bi, r, gain, beta,
                                            eps, drop, 5, s.n, s.d);
            close_to(&s, "z", z, wz, nd, 1e-6);
            close_to(&s, "layernorm", y, want, nd, 3e-5);
            s.k->layernorm_again(again, z, stat, gain, beta, s.n, s.d);
            cr_assert_eq(memcmp(again, y, (size_t)nd * sizeof(*y)), 0,
                         "not bit by bit");
            memcpy(y, t, (size_t)nd * sizeof(*y));
            s.k->residual_layernorm_forward(y, NULL, NULL, y, bi, r, gain, beta,
                                            eps, drop, 5, s.n, s.d);
            close_to(&s, "layernorm in place", y, want, nd, 3e-5);
            free(keep);
        }
        free(t), free(x), free(bias), free(gain), free(beta), free(y), free(z);
        free(stat), free(want), free(wz), free(g), free(b), free(again);
    }
}

Test(rows, layernorm_backward_by_differences)
{
    EACH_SHAPE(s)
    {
        int64_t nd = s.n * s.d, step = 1 + nd / 60;
        float *z = floats(nd, &s.rng), *gain = floats(s.d, &s.rng);
        float *beta = floats(s.d, &s.rng), *dy = floats(nd, &s.rng);
        float *y = sevens(nd), *stat = sevens(2 * s.n), *dz = sevens(nd);
        float *dgain = sevens(s.d), *dbeta = sevens(s.d), eps = 0.05f;
        struct bird_dropout none = {0};
        struct norm p = {ref_copy(z, nd),
                         ref_copy(gain, s.d),
                         ref_copy(beta, s.d),
                         ref_copy(dy, nd),
                         (double)eps,
                         s.n,
                         s.d};
        int64_t cut = s.d / 3;

        s.k->residual_layernorm_forward(y, z, stat, z, NULL, NULL, gain, beta,
                                        eps, none, 0, s.n, s.d);
        s.k->layernorm_backward_params(dgain, dbeta, dy, z, stat, s.n, s.d, 0,
                                       cut);
        s.k->layernorm_backward_params(dgain, dbeta, dy, z, stat, s.n, s.d, cut,
                                       s.d);
        s.k->layernorm_backward(dz, dy, z, stat, gain, s.n, s.d);
        for (int64_t i = 0; i < nd; i += step) {
            double want = ref_slope(norm_loss, &p, p.z + i, 1e-5);

            close_to(&s, "dz", dz + i, &want, 1, 1e-4);
        }
        for (int64_t j = 0; j < s.d; j += 1 + s.d / 30) {
            double want[2] = {7 + ref_slope(norm_loss, &p, p.gain + j, 1e-3),
                              7 + ref_slope(norm_loss, &p, p.beta + j, 1e-3)};

            close_to(&s, "dgain", dgain + j, want, 1, 1e-5);
            close_to(&s, "dbeta", dbeta + j, want + 1, 1, 1e-5);
        }
        s.k->layernorm_backward(dy, dy, z, stat, gain, s.n, s.d);
        cr_assert_arr_eq(dy, dz, (size_t)nd * sizeof(*dy));
        free(z), free(gain), free(beta), free(dy), free(y), free(stat);
        free(dz), free(dgain), free(dbeta);
        free(p.z), free(p.gain), free(p.beta), free(p.dy);
    }
}

/* A row that does not vary has variance 0; eps alone is under the root. */
Test(rows, layernorm_of_a_constant_row_is_finite)
{
    for (int i = 0; bird_kernels_at(i); i++) {
        float x[17], y[17], gain[17], beta[17];

        for (int j = 0; j < 17; j++)
            x[j] = 0.5f, gain[j] = 2, beta[j] = (float)j;
        bird_kernels_at(i)->residual_layernorm_forward(
            y, NULL, NULL, x, NULL, NULL, gain, beta, 1e-12f,
            (struct bird_dropout){0}, 0, 1, 17);
        for (int j = 0; j < 17; j++)
            cr_assert_float_eq(y[j], (float)j, 1e-6f);
    }
}

Test(rows, activations_forward_and_backward)
{
    EACH_SHAPE(s)
    {
        int64_t nd = s.n * s.d;
        float *bias = floats(s.d, &s.rng), *u0 = floats(nd, &s.rng);
        float *u = sevens(nd), *y = sevens(nd), *dy = floats(nd, &s.rng);
        float *du = sevens(nd);
        double *wy = ref_doubles(nd), *wd = ref_doubles(nd);

        for (int act = BIRD_GELU_TANH; act <= BIRD_TANH; act++) {
            for (int64_t i = 0; i < nd; i++) {
                u[i] = u0[i] = 3 * u0[i];
                wy[i] =
                    ref_act((double)(u[i] + bias[i % s.d]), (enum bird_act)act);
                wd[i] = (double)dy[i] *
                        ref_act_slope((double)(u[i] + bias[i % s.d]),
                                      (enum bird_act)act);
                u0[i] /= 3;
            }
            s.k->bias_act_forward(y, u, bias, (enum bird_act)act, s.n, s.d);
            close_to(&s, "act", y, wy, nd, 2e-6);
            s.k->act_backward(du, dy, u, (enum bird_act)act, s.n, s.d);
            close_to(&s, "act slope", du, wd, nd, 4e-6);
            memcpy(du, dy, (size_t)nd * sizeof(*du));
            s.k->act_backward(du, du, u, (enum bird_act)act, s.n, s.d);
            close_to(&s, "act slope in place", du, wd, nd, 4e-6);
            s.k->bias_act_forward(u, u, NULL, (enum bird_act)act, s.n, s.d);
            cr_assert_arr_eq(u, y, (size_t)nd * sizeof(*u));
        }
        free(bias), free(u0), free(u), free(y), free(dy), free(du);
        free(wy), free(wd);
    }
}

/* Accuracy over the whole line: the tails must go to 0 and to x, and through no
 * numbers too small to be normal, which are slow. */
Test(rows, activations_hold_far_out)
{
    for (int i = 0; bird_kernels_at(i); i++) {
        const struct bird_kernels *k = bird_kernels_at(i);
        struct shape s = {.k = k, .n = 1, .d = 1};

        for (int act = BIRD_GELU_TANH; act <= BIRD_TANH; act++) {
            for (double x = -120; x <= 120; x += 0.03125) {
                float u = (float)x, y, one = 1, d;
                double want = ref_act(x, (enum bird_act)act);
                double slope = ref_act_slope(x, (enum bird_act)act);

                k->bias_act_forward(&y, &u, NULL, (enum bird_act)act, 1, 1);
                k->act_backward(&d, &one, &u, (enum bird_act)act, 1, 1);
                close_to(&s, "far act", &y, &want, 1, 2e-6);
                close_to(&s, "far slope", &d, &slope, 1, 4e-6);
                cr_assert(fpclassify(y) != FP_SUBNORMAL &&
                              fpclassify(d) != FP_SUBNORMAL,
                          "%s: %d at %g: %g, %g", k->name, act, x, (double)y,
                          (double)d);
            }
        }
    }
}

Test(rows, bias_and_column_sums_respect_the_leading_dimension)
{
    EACH_SHAPE(s)
    {
        int64_t ld = s.d + 3, c0 = s.d / 4;
        float *x = floats(s.n * ld, &s.rng), *bias = floats(s.d, &s.rng);
        float *sum = sevens(s.d);
        double *want = ref_copy(x, s.n * ld), *total = ref_doubles(s.d);

        for (int64_t j = 0; j < s.d; j++)
            total[j] = 7;
        for (int64_t i = 0; i < s.n; i++)
            for (int64_t j = 0; j < s.d; j++)
                want[i * ld + j] += (double)bias[j];
        s.k->add_bias(x, bias, s.n, ld, s.d);
        close_to(&s, "add_bias", x, want, s.n * ld, 1e-6);
        for (int64_t i = 0; i < s.n; i++)
            for (int64_t j = c0; j < s.d; j++)
                total[j] += (double)x[i * ld + j];
        s.k->column_sum(sum, x, s.n, ld, c0, s.d);
        close_to(&s, "column_sum", sum, total, s.d, 1e-5);
        free(x), free(bias), free(sum), free(want), free(total);
    }
}

Test(rows, add_and_sum_of_squares)
{
    EACH_SHAPE(s)
    {
        float *x = floats(s.d, &s.rng), *y = floats(s.d, &s.rng);
        double *want = ref_copy(y, s.d), square = 0;

        for (int64_t j = 0; j < s.d; j++) {
            want[j] += (double)x[j];
            square += (double)x[j] * (double)x[j];
        }
        s.k->add(y, x, s.d);
        close_to(&s, "add", y, want, s.d, 1e-6);
        cr_assert_float_eq(s.k->sum_squares(x, s.d), square, 1e-12 * square);
        free(x), free(y), free(want);
    }
}

Test(rows, softmax_forward_and_backward)
{
    EACH_SHAPE(s)
    {
        float *x = floats(s.d, &s.rng), *w = sevens(s.d), *p = sevens(s.d);
        float *dp = floats(s.d, &s.rng);
        double *pw = ref_doubles(s.d), *ww = ref_doubles(s.d);

        for (int64_t j = 0; j < s.d; j++)
            w[j] = (float)(1 + j % 4), ww[j] = (double)w[j];
        for (int pass = 0; pass < 2; pass++) {
            double dot = 0;

            for (int64_t j = 0; j < s.d; j++) {
                p[j] = 4 * x[j];
                if (j % 5 == 3)
                    p[j] -= 10000.0f;
                pw[j] = (double)p[j];
            }
            ref_softmax(pw, pass ? ww : NULL, s.d);
            s.k->softmax_forward(p, pass ? w : NULL, s.d);
            close_to(&s, "softmax", p, pw, s.d, 1e-6);
            for (int64_t j = 3; j < s.d; j += 5)
                cr_assert_eq(p[j], 0.0f, "a masked score keeps exactly 0");
            for (int64_t j = 0; j < s.d; j++)
                dot += pw[j] * (double)dp[j];
            for (int64_t j = 0; j < s.d; j++)
                pw[j] *= (double)dp[j] - dot;
            s.k->softmax_backward(dp, p, s.d);
            close_to(&s, "softmax backward", dp, pw, s.d, 2e-6);
        }
        free(x), free(w), free(p), free(dp), free(pw), free(ww);
    }
}

Test(rows, softmax_does_not_hide_a_nan)
{
    for (int i = 0; bird_kernels_at(i); i++)
        for (int at = 0; at < 37; at++) {
            float p[37] = {0};

            p[at] = NAN;
            bird_kernels_at(i)->softmax_forward(p, NULL, 37);
            cr_assert(isnan(p[36]) && isnan(p[0]), "%s at %d",
                      bird_kernels_at(i)->name, at);
        }
}

Test(rows, adam_of_three_kinds)
{
    EACH_SHAPE(s)
    {
        for (int kind = 0; kind < 6; kind++) {
            struct bird_adam a = {.kind = (enum bird_adam_kind)(kind / 2),
                                  .lr = 1e-2,
                                  .beta1 = 0.9,
                                  .beta2 = 0.999,
                                  .eps = kind / 2 ? 1e-6 : 1e-8,
                                  .weight_decay = 0.3,
                                  .grad_scale = 0.25};
            float *x = floats(s.d, &s.rng), *m = floats(s.d, NULL);
            float *v = floats(s.d, NULL), *g = floats(s.d, &s.rng);
            double *wx = ref_copy(x, s.d), *wm = ref_doubles(s.d);
            double *wv = ref_doubles(s.d);

            g[0] = 0; /* no gradient: m = v = 0, decay alone */
            for (a.t = 1; a.t <= 4; a.t++) {
                s.k->adam(x, m, v, g, &a, kind % 2, s.d);
                for (int64_t j = 0; j < s.d; j++)
                    ref_adam(wx + j, wm + j, wv + j, (double)g[j], &a,
                             kind % 2);
                for (int64_t j = 1; j < s.d; j++)
                    g[j] = -0.7f * g[j] + 0.1f;
            }
            close_to(&s, "theta", x, wx, s.d, 2e-6);
            close_to(&s, "m", m, wm, s.d, 1e-6);
            close_to(&s, "v", v, wv, s.d, 1e-6);
            free(x), free(m), free(v), free(g);
            free(wx), free(wm), free(wv);
        }
    }
}
