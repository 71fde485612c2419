/* ceiling: correlations of replicates against Python, and the ceiling of simulated
 * measurements against what the true values reach.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>

#include "base/rng.h"
#include "eval/ceiling.h"
#include "eval/value_metrics.h"

/* Eight rows of three replicates. */
static float table[] = {0.5F, 0.75F, NAN, 1.25F, 1,     2,   -2,    -1.5F,
                        -1,   3,     2,   2.5F,  0.75F, NAN, 0.25F, 0.25F,
                        0.5F, 1,     -1,  0,     -0.5F, NAN, NAN,   1};
static const int64_t rows[8] = {0, 1, 2, 3, 4, 5, 6, 7};

Test(ceiling, correlations_are_those_of_pairs)
{
    const bird_dataset d = {
        .n = 8, .n_label = 3, .kind = BIRD_LABEL_VALUE, .target = table};
    const struct bird_replicates r = {&d, 0, 3, rows, 8};
    bird_metrics_options o;
    struct bird_ceiling c;

    bird_metrics_options_default(&o);
    o.n_boot = 0;
    cr_assert_eq(bird_ceiling_measure(&c, &r, &o), 0);
    cr_assert_eq(c.n, 7);
    cr_assert_float_eq(c.k, 2.5, 1e-15);
    /* means over pairs of Pearson's and Spearman's coefficient, in Python */
    cr_assert_float_eq(c.single[0], 0.9470900855717135, 1e-14);
    cr_assert_float_eq(c.single[1], 0.980952380952381, 1e-14);
    cr_assert_float_eq(c.value[0], 0.989010685274577, 1e-14);
    cr_assert_float_eq(c.value[1], 0.9961389817217212, 1e-14);
    cr_assert(isnan(c.lo[0]) && isnan(c.single_hi[1]));
}

/* Spearman-Brown: two replicates of correlation 1/2 have a reliability of 2/3. */
Test(ceiling, formula)
{
    cr_assert_float_eq(bird_ceiling_of(.5, 2), sqrt(2. / 3), 1e-15);
    cr_assert_float_eq(bird_ceiling_of(.81, 1), .9, 1e-15);
    cr_assert_float_eq(bird_ceiling_of(1, 5), 1, 1e-15);
    cr_assert(isnan(bird_ceiling_of(0, 2)) && isnan(bird_ceiling_of(-.1, 2)));
    cr_assert(isnan(bird_ceiling_of((double)NAN, 2)));
}

/* 20,000 true values of variance 1, three replicates with an error of 1: the true
 * value correlates with their mean by sqrt(3/4). */
Test(ceiling, true_values_reach_it)
{
    enum { N = 20000 };
    static float x[3 * N], mean[N];
    static double truth[N];
    static int64_t all[N];
    const bird_dataset d = {
        .n = N, .n_label = 3, .kind = BIRD_LABEL_VALUE, .target = x};
    const struct bird_replicates r = {&d, 0, 3, all, N};
    const struct bird_value_rows v = {truth, NULL, 1, mean, N};
    bird_metrics_options o;
    struct bird_ceiling c;
    struct bird_value_metrics m;
    struct bird_rng g;

    bird_rng_init(&g, 2, 0, 0);
    for (int i = 0; i < N; i++) {
        truth[i] = bird_rng_normal(&g);
        for (int k = 0; k < 3; k++)
            x[3 * i + k] = (float)(truth[i] + bird_rng_normal(&g));
        mean[i] = (x[3 * i] + x[3 * i + 1] + x[3 * i + 2]) / 3;
        all[i] = i;
    }
    bird_metrics_options_default(&o);
    o.n_boot = 100;
    cr_assert_eq(bird_ceiling_measure(&c, &r, &o), 0);
    cr_assert_eq(bird_value_metrics_measure(&m, &v, &o), 0);
    cr_assert_float_eq(c.value[0], sqrt(.75), .01);
    for (int i = 0; i < 2; i++) {
        cr_assert_float_eq(c.value[i], m.value[BIRD_PEARSON + i], .01);
        cr_assert(c.lo[i] < c.value[i] && c.value[i] < c.hi[i]);
        cr_assert(c.hi[i] - c.lo[i] < .05);
    }
}
