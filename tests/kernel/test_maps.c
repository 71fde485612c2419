/* kernel: probability maps of every table, against projections in double.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "check.h"
#include "dnabird/error.h"
#include "kernel/cpu/cpu.h"
#include "ref.h"

enum { MOST = 1 << 15 };
static const char *const maps[] = {
    "softmax",     "topk:1",        "topk:8",      "topk:100",     "sparsemax",
    "entmax:1.05", "entmax:1.5",    "entmax:1.25", "entmax:1.777", "entmax:2",
    "hardmax",     "sparselin:0.5", "sparselin:-3"};
enum { MAPS = sizeof(maps) / sizeof(*maps) };
static const int64_t lengths[] = {1, 2, 7, 40, 333};
static const int64_t queries[] = {1, 3, 16, 17, 64};

static struct bird_prob_map named(const char *text)
{
    struct bird_attention_map m = {0};

    WORKS(bird_prob_map_parse(&m, text));
    return bird_prob_map_of(&m);
}

/* Query q's column of a table's map, times its inverse. */
static void column(double *out, const float *p, const float *inverse, int64_t n,
                   int64_t ld, int64_t q)
{
    for (int64_t j = 0; j < n; j++)
        out[j] = (double)p[j * ld + q] * (double)inverse[q];
}

static void fill(float *p, float *w, int64_t n, int64_t ld, double size)
{
    struct bird_rng rng;

    bird_rng_init(&rng, 7, (uint64_t)n, (uint64_t)ld);
    ref_fill(p, n * ld, &rng, size);
    for (int64_t j = 0; j < n; j++) {
        w[j] = (float)(1 + j % 3);
        for (int64_t q = 0; q < ld && j % 5 == 4; q++)
            p[j * ld + q] -= j % 2 ? 10000.0f : FLT_MAX;
    }
}

Test(maps, logarithm_is_good_to_an_ulp_or_two)
{
    for (int i = 1; i < 2000000; i++) {
        float x = (float)i * (i % 2 ? 1e-6f : 3e-38f);
        double y = log((double)x);

        if (x >= FLT_MIN)
            cr_assert_lt(fabs((double)vec_log(x) - y), 2e-7 * (1 + fabs(y)),
                         "ln %g", (double)x);
    }
    cr_assert_eq(vec_log(1.0f), 0.0f);
    cr_assert(isnan(vec_log(NAN)));
}

static void check_forward(const struct bird_kernels *k, const char *text,
                          int64_t n, int64_t ld, const float *weight)
{
    static float p[MOST], w[MOST], x[MOST], inverse[64];
    double *want = ref_doubles(n), *got = ref_doubles(n);
    double *many = ref_doubles(n);
    struct bird_prob_map map = named(text);

    fill(p, w, n, ld, 2);
    memcpy(x, p, sizeof(x));
    for (int64_t j = 0; j < n; j++)
        many[j] = weight ? (double)w[j] : 1;
    k->map_forward(p, inverse, weight ? w : NULL, &map, 0.75f, n, ld);
    for (int64_t q = 0; q < ld; q++) {
        double sum = 0;

        for (int64_t j = 0; j < n; j++)
            want[j] = 0.75 * (double)x[j * ld + q];
        ref_map(want, many, &map, n);
        column(got, p, inverse, n, ld, q);
        for (int64_t j = 0; j < n; j++) {
            sum += got[j];
            cr_assert(fabs(got[j] - want[j]) < 3e-6 * (0.1 + want[j]),
                      "%s %s, key %d of %d, query %d of %d: %.9g, not %.9g",
                      k->name, text, (int)j, (int)n, (int)q, (int)ld, got[j],
                      want[j]);
            cr_assert(j % 5 != 4 || got[j] == 0, "a masked key keeps 0");
        }
        cr_assert_float_eq(sum, 1, 2e-6);
    }
    free(want), free(got), free(many);
}

/* Sparsemax is the projection onto the simplex of w copies of every score. */
Test(maps, equal_projections_in_double)
{
    static const float some[1];

    for (int i = 0; bird_kernels_at(i); i++)
        for (int m = 0; m < MAPS; m++)
            for (int l = 0; l < 5; l++)
                for (int q = 0; q < 5; q++) {
                    check_forward(bird_kernels_at(i), maps[m], lengths[l],
                                  queries[q], NULL);
                    check_forward(bird_kernels_at(i), maps[m], lengths[l],
                                  queries[q], some);
                }
}

/* The reference's own check: no point of the simplex is nearer. */
Test(maps, the_reference_projects)
{
    struct bird_prob_map map = named("sparsemax");
    struct bird_rng rng;
    double z[6], p[6], at;
    float x[6];

    bird_rng_init(&rng, 3, 1, 1);
    for (int pass = 0; pass < 200; pass++) {
        ref_fill(x, 6, &rng, 0.7);
        for (int j = 0; j < 6; j++)
            p[j] = z[j] = (double)x[j];
        ref_map(p, NULL, &map, 6);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                double step = fmin(p[i], 1e-3);

                /* a little of p_i moved to p_j */
                at = pow(p[i] - step - z[i], 2) - pow(p[i] - z[i], 2) +
                     pow(p[j] + step - z[j], 2) - pow(p[j] - z[j], 2);
                cr_assert(i == j || at >= -1e-12);
            }
    }
}

/* A key counted w times gets what w keys of its score get. */
Test(maps, copies_are_keys)
{
    for (int i = 0; bird_kernels_at(i); i++)
        for (int m = 0; m < MAPS; m++) {
            const struct bird_kernels *k = bird_kernels_at(i);
            struct bird_prob_map map = named(maps[m]);
            float x[20], w[20], all[60], a, b;
            int64_t n = 0;

            fill(x, w, 20, 1, 1);
            for (int64_t j = 0; j < 20; j++)
                for (int64_t c = 0; c < (int64_t)w[j]; c++)
                    all[n++] = x[j];
            k->map_forward(x, &a, w, &map, 1, 20, 1);
            k->map_forward(all, &b, NULL, &map, 1, n, 1);
            n = 0;
            for (int64_t j = 0; j < 20; j++) {
                cr_assert_float_eq(a * x[j], b * all[n] * w[j], 1e-6, "%s %s",
                                   k->name, maps[m]);
                n += (int64_t)w[j];
            }
        }
}

/* Ties of the last one that stays stay, and the largest share alike. */
Test(maps, ties)
{
    for (int i = 0; bird_kernels_at(i); i++) {
        const struct bird_kernels *k = bird_kernels_at(i);
        struct bird_prob_map top = named("topk:2"), hard = named("hardmax");
        float p[] = {1, 3, 1, 0, 1}, h[] = {2, -1, 2, 2, 1}, inverse;

        k->map_forward(p, &inverse, NULL, &top, 1, 5, 1);
        cr_assert(p[0] > 0 && p[0] == p[2] && p[0] == p[4] && p[3] == 0);
        k->map_forward(h, &inverse, NULL, &hard, 1, 5, 1);
        cr_assert_eq(h[0] * inverse, 1.0f / 3);
        cr_assert(h[0] == h[2] && h[0] == h[3] && h[1] == 0 && h[4] == 0);
    }
}

/* Scores of a kind, the first the largest: normal, in steps, in halves down to
 * denormal ones, with some far below, all but one equal. */
enum { KINDS = 5 };
static float score_of(int kind, int64_t j, int64_t q, struct bird_rng *rng)
{
    float x = -fabsf((float)bird_rng_normal(rng));

    if (!j)
        return 0;
    switch (kind) {
    case 0:
        return 3 * x;
    case 1:
        return floorf(4 * x) / 4;
    case 2:
        return -ldexpf(1, 5 - (int)((j * 7 + q) % 150));
    case 3:
        return j % 7 == 3 ? -INFINITY : j % 5 == 2 ? 1e4f * (x - 1) : x;
    default:
        return j % 50 == 49 ? -2.0f : -1.0f;
    }
}

/* Kept is what fewer than K keys exceed, no more and no less. */
static void check_kept(const struct bird_kernels *k, int kind, int64_t keys,
                       int64_t n, int64_t ld, const float *weight)
{
    static float p[MOST], x[MOST], inverse[64];
    struct bird_prob_map map = {.kind = BIRD_PROB_TOP, .keys = keys};
    struct bird_rng rng;

    bird_rng_init(&rng, 5, (uint64_t)kind, (uint64_t)n);
    for (int64_t i = 0; i < n * ld; i++)
        p[i] = x[i] = score_of(kind, i / ld, i % ld, &rng);
    k->map_forward(p, inverse, weight, &map, 1, n, ld);
    for (int64_t i = 0; i < n * ld; i++) {
        float larger = 0;

        for (int64_t j = 0; j < n; j++)
            if (x[j * ld + i % ld] > x[i])
                larger += weight ? weight[j] : 1;
        cr_assert_eq(p[i] > 0, x[i] > -80 && larger < (float)keys,
                     "%s, scores %d: key %d of %d at %g, %g larger ones, K %d",
                     k->name, kind, (int)(i / ld), (int)n, (double)x[i],
                     (double)larger, (int)keys);
    }
}

Test(maps, topk_keeps_what_fewer_exceed)
{
    static const int64_t some[] = {1, 8, 33, 64, 100, 332, 333, 334};
    float w[333];

    for (int j = 0; j < 333; j++)
        w[j] = (float)(1 + j % 3);
    for (int i = 0; bird_kernels_at(i); i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int s = 0; s < 8; s++)
                for (int l = 0; l < 5; l++) {
                    const struct bird_kernels *k = bird_kernels_at(i);

                    check_kept(k, kind, some[s], lengths[l], 1, NULL);
                    check_kept(k, kind, some[s], lengths[l], 17, NULL);
                    check_kept(k, kind, some[s], lengths[l], 17, w);
                }
}

Test(maps, do_not_hide_a_nan)
{
    for (int i = 0; bird_kernels_at(i); i++)
        for (int m = 0; m < MAPS; m++)
            for (int at = 0; at < 37; at++) {
                struct bird_prob_map map = named(maps[m]);
                float p[37] = {0}, inverse;

                p[at] = NAN;
                bird_kernels_at(i)->map_forward(p, &inverse, NULL, &map, 1, 37,
                                                1);
                cr_assert(isnan(inverse), "%s %s at %d",
                          bird_kernels_at(i)->name, maps[m], at);
            }
}

/* One query's bits are its own. */
Test(maps, do_not_look_at_queries_beside)
{
    static float p[64 * 50], x[64 * 50], w[50], inverse[64], other[64];

    for (int i = 0; bird_kernels_at(i); i++)
        for (int m = 0; m < MAPS; m++) {
            const struct bird_kernels *k = bird_kernels_at(i);
            struct bird_prob_map map = named(maps[m]);

            fill(p, w, 50, 64, 1);
            memcpy(x, p, sizeof(x));
            for (int j = 0; j < 50 * 64; j++)
                x[j] *= j % 64 == 5 ? 1.0f : (float)(j % 64) / 3;
            k->map_forward(p, inverse, w, &map, 1, 50, 64);
            k->map_forward(x, other, w, &map, 1, 50, 64);
            cr_assert_eq(inverse[5], other[5]);
            for (int j = 5; j < 50 * 64; j += 64)
                cr_assert_eq(p[j], x[j]);
        }
}

struct loss {
    struct bird_prob_map map;
    double x[40], w[40], g[40];
};

static double loss_of(void *context)
{
    const struct loss *l = context;
    double p[40], sum = 0;

    memcpy(p, l->x, sizeof(p));
    ref_map(p, l->w, &l->map, 40);
    for (int j = 0; j < 40; j++)
        sum += l->g[j] * p[j];
    return sum;
}

Test(maps, gradients_equal_differences)
{
    for (int i = 0; bird_kernels_at(i); i++)
        for (int m = 0; m < MAPS; m++) {
            const struct bird_kernels *k = bird_kernels_at(i);
            float p[40], w[40], dp[40], inverse;
            struct loss l = {.map = named(maps[m])};
            struct bird_rng rng;

            bird_rng_init(&rng, 5, (uint64_t)m, 0);
            ref_fill(p, 40, &rng, 0.8);
            ref_fill(dp, 40, &rng, 1);
            for (int j = 0; j < 40; j++) {
                w[j] = (float)(1 + j % 3);
                l.w[j] = (double)w[j];
                l.x[j] = (double)p[j];
                l.g[j] = (double)dp[j];
            }
            k->map_forward(p, &inverse, w, &l.map, 1, 40, 1);
            for (int j = 0; j < 40; j++)
                p[j] *= inverse;
            k->map_backward(dp, p, w, &l.map, 40);
            for (int j = 0; j < 40; j++) {
                double want = ref_slope(loss_of, &l, l.x + j, 1e-6);

                cr_assert(fabs((double)dp[j] - want) < 2e-5 * (1 + fabs(want)),
                          "%s %s [%d]: %g, not %g", k->name, maps[m], j,
                          (double)dp[j], want);
            }
        }
}

/* Assumption 2 of Yun et al. 2020 (arXiv:2006.04862): scores of which one leads
 * by zeta, times t, give it 1 - eta at least; with the t of its appendix. */
static double leader(const struct bird_kernels *k, const char *text, double t,
                     int64_t n, double zeta)
{
    struct bird_prob_map map = named(text);
    float p[64], inverse;

    /* the hardest case: all others just zeta below */
    for (int64_t j = 0; j < n; j++)
        p[j] = j == 3 ? 1.0f : (float)(1 - zeta);
    k->map_forward(p, &inverse, NULL, &map, (float)t, n, 1);
    return (double)(p[3] * inverse);
}

Test(maps, hold_assumption_2_with_the_papers_t)
{
    static const double zetas[] = {0.125, 0.5, 1}, etas[] = {0.5, 0.1, 0.01};

    for (int i = 0; bird_kernels_at(i); i++)
        for (int z = 0; z < 3; z++)
            for (int e = 0; e < 3; e++)
                for (int64_t n = 4; n <= 64; n *= 2) {
                    const struct bird_kernels *k = bird_kernels_at(i);
                    double zeta = zetas[z], eta = etas[e];
                    /* equal terms round alike: half an ulp of each */
                    double slack = (double)n * (double)FLT_EPSILON / 2;
                    double t = log((double)(n - 1) * (1 - eta) / eta) / zeta;

                    cr_assert_geq(leader(k, "softmax", t, n, zeta),
                                  1 - eta - slack);
                    t = (1 - eta) / zeta;
                    cr_assert_geq(leader(k, "sparsemax", t, n, zeta),
                                  1 - eta - slack);
                    cr_assert_geq(leader(k, "sparselin:0.5", t, n, zeta),
                                  1 - eta - slack);
                    cr_assert_eq(
                        leader(k, "entmax:1.5", 1 / (zeta * 0.5), n, zeta), 1);
                    cr_assert_eq(
                        leader(k, "entmax:1.25", 1 / (zeta * 0.25), n, zeta),
                        1);
                    cr_assert_eq(leader(k, "entmax:2", 1 / zeta, n, zeta), 1);
                    cr_assert_eq(leader(k, "hardmax", 1, n, zeta), 1);
                    cr_assert_eq(leader(k, "topk:1", 1, n, zeta), 1);
                    /* the softmax of fewer keys */
                    t = log((double)(n - 1) * (1 - eta) / eta) / zeta;
                    for (int64_t keys = 2; keys <= n; keys++) {
                        char name[16];

                        snprintf(name, sizeof(name), "topk:%d", (int)keys);
                        cr_assert_geq(leader(k, name, t, n, zeta),
                                      1 - eta - slack, "%s", name);
                    }
                }
    /* and a smaller t does not do, or the test would show nothing */
    cr_assert_lt(leader(bird_kernels_at(0), "entmax:1.5", 1, 64, 0.125), 0.5);
    cr_assert_lt(leader(bird_kernels_at(0), "sparsemax", 1, 64, 0.125), 0.5);
}

Test(maps, are_named)
{
    static const char *const bad[] = {
        "",         "softmaxx",   "softmax:1",  "topk",        "topk:0",
        "topk:1.5", "entmax:1",   "entmax:2.1", "entmax:nan",  "entmax:1.5x",
        "entmax:",  "sparsemax:", "hardmax:3",  "sparselin:1", "sparselin"};
    struct bird_attention_map m = {0};

    for (int i = 0; i < MAPS; i++) {
        struct bird_text t = {0};

        WORKS(bird_prob_map_parse(&m, maps[i]));
        cr_assert_eq(bird_prob_map_text(&t, &m), 0);
        cr_assert_str_eq(t.s, maps[i]);
        bird_text_free(&t);
    }
    WORKS(bird_prob_map_parse(&m, "entmax:1.7"));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        cr_assert_eq(bird_prob_map_parse(&m, bad[i]), BIRD_EINVAL, "%s",
                     bad[i]);
        SAYS("attention map");
    }
    cr_assert_float_eq(m.param, 1.7, 1e-15, "a refused text changes nothing");
    for (int i = 0; bird_prob_map_at(i); i++)
        cr_assert_eq(bird_prob_map_check_trains(&(struct bird_attention_map){
                         bird_prob_map_at(i), 1.5}) != 0,
                     !strcmp(bird_prob_map_at(i)->name, "hardmax"));
}

/* What a model's file keeps is read as the same map; softmax is not kept. */
Test(maps, are_kept_in_a_file)
{
    for (int i = 0; i < MAPS; i++) {
        struct bird_attention_map m = {0}, read = {0};
        json_t *o = json_object();

        WORKS(bird_prob_map_parse(&m, maps[i]));
        cr_assert_eq(bird_prob_map_write(o, &m), 0, "%s", maps[i]);
        cr_assert_eq(json_object_size(o), i > 0, "%s", maps[i]);
        WORKS(bird_prob_map_read(&read, o, "file"));
        cr_assert_eq(bird_prob_map_is_softmax(&read), i == 0);
        if (i) {
            cr_assert_eq(read.row, m.row);
            cr_assert_float_eq(read.param, m.param, 1e-15);
        }
        json_decref(o);
    }
}
