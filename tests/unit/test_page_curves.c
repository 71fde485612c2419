/* Curves for pictures: worked out by hand, and by the areas under them.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "dnabird/metrics.h"
#include "eval/page_curves.h"

enum { LAST = BIRD_CURVE_POINTS - 1 };

/* Labels of n rows of `columns`. */
static bird_dataset rows(float *target, int64_t n, int64_t columns)
{
    return (bird_dataset){
        .n = n, .n_label = columns, .kind = BIRD_LABEL_MULTI, .target = target};
}

Test(page_curves, four_rows_by_hand)
{
    float y[] = {1, 0, 1, 0};
    double p[] = {0.9, 0.8, 0.7, 0.1};
    bird_dataset d = rows(y, 4, 1);
    struct bird_label_curves c = {0};
    struct bird_series roc = {0}, pr = {0};

    cr_assert_eq(bird_label_curves_new(&c, &d, p, 1), 0);
    bird_label_curve(&c, &roc, 0, 0);
    bird_label_curve(&c, &pr, 0, 1);
    cr_assert(roc.n == BIRD_CURVE_POINTS && roc.x == pr.x);
    cr_assert(roc.x[0] == 0 && roc.x[50] == 0.5 && roc.x[LAST] == 1);
    /* (0,0) (0,.5) (.5,.5) (.5,1) (1,1) */
    cr_assert(roc.y[0] == 0.5 && roc.y[49] == 0.5 && roc.y[51] == 1 &&
              roc.y[LAST] == 1);
    cr_assert(pr.y[0] == 1 && pr.y[49] == 1);
    cr_assert_float_eq(pr.y[50], 2.0 / 3, 1e-12);
    cr_assert_float_eq(pr.y[LAST], 2.0 / 3, 1e-12);
    bird_label_curves_free(&c);
}

Test(page_curves, ties_and_one_sided_labels)
{
    float y[] = {1, 0, 0, 1, 0, 0, NAN, 1, 0};
    double p[] = {0.5, 0.1, 0.2, 0.5, 0.3, 0.9, 0.5, 0.4, 0.7};
    bird_dataset d = rows(y, 3, 3); /* label 0: 1, 1, NA; label 1: 0, 0, 1 */
    struct bird_label_curves c = {0};
    struct bird_series s = {0};

    cr_assert_eq(bird_label_curves_new(&c, &d, p, 3), 0);
    bird_label_curve(&c, &s, 0, 0);
    cr_assert(isnan(s.y[0]) && isnan(s.y[LAST]));
    bird_label_curve(&c, &s, 1, 0);
    cr_assert(s.y[0] == 1 && s.y[LAST] == 1);
    bird_label_curves_free(&c);
    for (int i = 0; i < 9; i++)
        p[i] = 0.5; /* one threshold: the diagonal */
    cr_assert_eq(bird_label_curves_new(&c, &d, p, 3), 0);
    bird_label_curve(&c, &s, 1, 0);
    for (int i = 0; i <= LAST; i++)
        cr_assert_float_eq(s.y[i], (double)i / LAST, 1e-12);
    bird_label_curve(&c, &s, 1, 1);
    cr_assert_float_eq(s.y[7], 1.0 / 3, 1e-12);
    bird_label_curves_free(&c);
}

Test(page_curves, areas_are_those_of_the_figures)
{
    enum { N = 4000 };
    static float y[N];
    static double p[N];
    static int32_t label[N];
    bird_dataset d = rows(y, N, 1);
    struct bird_label_curves c = {0};
    bird_metrics_options o;
    double roc = 0, pr = 0;
    struct bird_rng r;
    bird_metrics m;

    bird_rng_init(&r, 5, 0, 0);
    for (int i = 0; i < N; i++) {
        label[i] = bird_rng_below(&r, 10) < 3;
        y[i] = (float)label[i];
        p[i] = ((double)bird_rng_below(&r, 1000) + 400 * label[i]) / 1400;
    }
    bird_metrics_options_default(&o);
    o.n_boot = 0;
    cr_assert_eq(bird_metrics_measure(&m, p, label, N, 2, &o), 0);
    cr_assert_eq(bird_label_curves_new(&c, &d, p, 1), 0);
    for (int i = 0; i < LAST; i++) {
        roc += (c.y[i] + c.y[i + 1]) / 2 / LAST;
        pr += c.y[BIRD_CURVE_POINTS + i] / LAST;
    }
    cr_assert_float_eq(roc, m.value[BIRD_AUROC], 0.002);
    cr_assert_float_eq(pr, m.value[BIRD_AUPRC], 0.005);
    bird_label_curves_free(&c);
}
