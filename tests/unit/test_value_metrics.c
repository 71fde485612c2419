/* value_metrics: equal to scipy's, rows without a value left out, intervals.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>

#include "eval/value_metrics.h"

enum { N = 8 };

/* Expected numbers: scipy 1.16, pearsonr and spearmanr of the seven rows with a
 * value. */
static const double predicted[N] = {.5, 1.25, -2, 3, .75, .75, -1, 2.5};
static const float measured[N] = {.25F, 2, -1.5F, NAN, 0, 1, -1, 2};

static bird_metrics_options no_resamples(void)
{
    bird_metrics_options o;

    bird_metrics_options_default(&o);
    o.n_boot = 0;
    return o;
}

static int measure(struct bird_value_metrics *out, const double *x,
                   int64_t stride, const float *y, int64_t n,
                   const bird_metrics_options *o)
{
    const struct bird_value_rows r = {x, NULL, stride, y, n};

    return bird_value_metrics_measure(out, &r, o);
}

Test(value_metrics, metrics_are_those_of_scipy)
{
    bird_metrics_options o = no_resamples();
    struct bird_value_metrics m;

    cr_assert_eq(measure(&m, predicted, 1, measured, N, &o), 0);
    cr_assert_eq(m.n, 7);
    cr_assert_float_eq(m.value[BIRD_PEARSON], 0.9308660197949381, 1e-14);
    cr_assert_float_eq(m.value[BIRD_RANKED], 0.9272727272727274, 1e-14);
    cr_assert_float_eq(m.value[BIRD_MEAN_SQUARE], 0.25, 1e-15);
    cr_assert(isnan(m.lo[BIRD_PEARSON]));
}

Test(value_metrics, predictions_may_be_a_column_of_a_table)
{
    bird_metrics_options o = no_resamples();
    struct bird_value_metrics m;
    double table[3 * N];

    for (int i = 0; i < N; i++) {
        table[3 * i] = table[3 * i + 2] = 7 - i;
        table[3 * i + 1] = predicted[i];
    }
    cr_assert_eq(measure(&m, table + 1, 3, measured, N, &o), 0);
    cr_assert_float_eq(m.value[BIRD_PEARSON], 0.9308660197949381, 1e-14);
}

Test(value_metrics, equal_predictions_have_no_correlation)
{
    static const double equal[N] = {1, 1, 1, 1, 1, 1, 1, 1};
    bird_metrics_options o = no_resamples();
    struct bird_value_metrics m;

    cr_assert_eq(measure(&m, equal, 1, measured, N, &o), 0);
    cr_assert(isnan(m.value[BIRD_PEARSON]));
    cr_assert(isnan(m.value[BIRD_RANKED]));
    cr_assert(isfinite(m.value[BIRD_MEAN_SQUARE]));
}

Test(value_metrics, no_value_at_all_is_no_failure)
{
    static const float none[2] = {NAN, NAN};
    bird_metrics_options o;
    struct bird_value_metrics m;

    bird_metrics_options_default(&o);
    cr_assert_eq(measure(&m, predicted, 1, none, 2, &o), 0);
    cr_assert_eq(m.n, 0);
    cr_assert(isnan(m.value[BIRD_PEARSON]));
}

/* The interval of a correlation of .6 of 400 rows: Fisher's z gives .532 to
 * .660 about it; the bootstrap comes near that. */
Test(value_metrics, intervals_hold_the_value_and_have_the_known_width)
{
    enum { ROWS = 400 };
    double p[ROWS], r, width;
    float y[ROWS];
    uint64_t x = 5;
    bird_metrics_options o;
    struct bird_value_metrics m;

    for (int i = 0; i < ROWS; i++) {
        double u[2] = {0};

        for (int k = 0; k < 24; k++) { /* nearly normal */
            x = x * 6364136223846793005U + 1442695040888963407U;
            u[k & 1] += (double)(x >> 40) * 0x1p-24 - 0.5;
        }
        p[i] = u[0];
        y[i] = (float)(0.6 * u[0] + 0.8 * u[1]);
    }
    bird_metrics_options_default(&o);
    cr_assert_eq(measure(&m, p, 1, y, ROWS, &o), 0);
    r = m.value[BIRD_PEARSON];
    width = m.hi[BIRD_PEARSON] - m.lo[BIRD_PEARSON];
    cr_assert(m.lo[BIRD_PEARSON] < r && r < m.hi[BIRD_PEARSON]);
    cr_assert_float_eq(width,
                       tanh(atanh(r) + 1.96 / sqrt(ROWS - 3.)) -
                           tanh(atanh(r) - 1.96 / sqrt(ROWS - 3.)),
                       0.02);
}

/* Of the seven rows with a value, errors .25, .75, .5, .75, .25, 0, .5. */
Test(value_metrics, standard_deviations_are_compared_with_errors)
{
    static const double sd[N] = {.25, .5, 1, 1, .5, .5, 2, .25};
    const struct bird_value_rows r = {predicted, sd, 1, measured, N};
    bird_metrics_options o = no_resamples();
    struct bird_value_metrics m;

    cr_assert_eq(bird_value_metrics_measure(&m, &r, &o), 0);
    cr_assert_float_eq(m.value[BIRD_WITHIN_SD], 4. / 7, 1e-15);
    cr_assert_float_eq(m.value[BIRD_SQUARE_Z],
                       (1 + 2.25 + .25 + 2.25 + .25 + 0 + 4) / 7, 1e-15);
    /* by the formula in Python */
    cr_assert_float_eq(m.value[BIRD_NLL], 1.0390980927247198, 1e-14);
    o.n_boot = 200;
    cr_assert_eq(bird_value_metrics_measure(&m, &r, &o), 0);
    cr_assert(m.lo[BIRD_WITHIN_SD] < 4. / 7 && m.hi[BIRD_WITHIN_SD] > 4. / 7);
    cr_assert_eq(measure(&m, predicted, 1, measured, N, &o), 0);
    cr_assert(isnan(m.value[BIRD_WITHIN_SD]) && isnan(m.value[BIRD_NLL]));
}
