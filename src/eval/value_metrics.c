/* Metrics of predicted quantities, and their intervals by resampled rows.
 *
 * Rows without a measured value are left out first. Ranks are sorted once; a
 * resample is a weight of each row, so that measuring one is a pass.
 * SPDX-License-Identifier: MIT */
#include "eval/value_metrics.h"

#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "eval/metrics.h"

struct sample {
    int64_t n;    /* rows with a value */
    double *x;    /* (n) predicted */
    double *y;    /* (n) measured */
    double *boot; /* (BIRD_N_VALUE_METRIC, n_boot) */
    int64_t n_boot;
    double *scratch; /* (workers, 2 n) */
    struct bird_rank_pair ranks;
    struct bird_pool pool;
};

const char *bird_value_metric_name(enum bird_value_metric m)
{
    static const char *const name[] = {"pearson", "spearman", "mse"};

    return name[m];
}

/* Deviations from the weighted means: sums of products do not cancel. */
static double pearson(const struct sample *s, const uint32_t *weight)
{
    double total = 0, mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

    for (int64_t i = 0; i < s->n; i++) {
        total += weight[i];
        mx += weight[i] * s->x[i];
        my += weight[i] * s->y[i];
    }
    mx /= total;
    my /= total;
    for (int64_t i = 0; i < s->n; i++) {
        double dx = s->x[i] - mx, dy = s->y[i] - my;

        xx += weight[i] * dx * dx;
        yy += weight[i] * dy * dy;
        xy += weight[i] * dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

static double mean_square(const struct sample *s, const uint32_t *weight)
{
    double total = 0, sum = 0;

    for (int64_t i = 0; i < s->n; i++) {
        double d = s->x[i] - s->y[i];

        total += weight[i];
        sum += weight[i] * d * d;
    }
    return total > 0 ? sum / total : (double)NAN;
}

static void measure(double *out, int64_t stride, const struct sample *s,
                    const uint32_t *weight, double *scratch)
{
    out[BIRD_PEARSON * stride] = pearson(s, weight);
    out[BIRD_RANKED * stride] =
        bird_rank_pair_spearman(&s->ranks, weight, scratch);
    out[BIRD_MEAN_SQUARE * stride] = mean_square(s, weight);
}

static void measure_resamples(void *context, int64_t first, int64_t count,
                              const uint32_t *weight, int worker)
{
    const struct sample *s = context;

    for (int64_t i = 0; i < count; i++)
        measure(s->boot + first + i, s->n_boot, s, weight + i * s->n,
                s->scratch + worker * 2 * s->n);
}

static int open_sample(struct sample *s, const double *predicted,
                       int64_t stride, const float *measured, int64_t n)
{
    s->x = bird_pool_array(&s->pool, n, sizeof(*s->x));
    s->y = bird_pool_array(&s->pool, n, sizeof(*s->y));
    s->scratch =
        bird_pool_array(&s->pool, 2 * n * bird_threads(), sizeof(*s->scratch));
    s->boot = bird_pool_array(&s->pool, BIRD_N_VALUE_METRIC * (s->n_boot + 1),
                              sizeof(*s->boot));
    if (s->pool.rc)
        return s->pool.rc;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(measured[i])) {
            s->x[s->n] = predicted[i * stride];
            s->y[s->n++] = (double)measured[i];
        }
    return bird_rank_pair_new(&s->ranks, s->x, s->y, s->n);
}

int bird_value_metrics_measure(struct bird_value_metrics *out,
                               const double *predicted, int64_t stride,
                               const float *measured, int64_t n,
                               const bird_metrics_options *o)
{
    struct sample s = {.n_boot = o->n_boot};
    const struct bird_resamples how = {o->n_boot, 1, o->seed};
    uint32_t *one;
    int rc = open_sample(&s, predicted, stride, measured, n);

    for (int m = 0; m < BIRD_N_VALUE_METRIC; m++)
        out->value[m] = out->lo[m] = out->hi[m] = (double)NAN;
    out->n = s.n;
    one = rc ? NULL : bird_pool_array(&s.pool, s.n, sizeof(*one));
    if (!rc)
        rc = s.pool.rc;
    for (int64_t i = 0; !rc && i < s.n; i++)
        one[i] = 1;
    if (!rc && s.n)
        measure(out->value, 1, &s, one, s.scratch);
    if (!rc && s.n > 1 && o->n_boot)
        rc = bird_bootstrap(&how, s.n, measure_resamples, &s);
    for (int m = 0; !rc && s.n > 1 && o->n_boot && m < BIRD_N_VALUE_METRIC; m++)
        bird_percentiles(&out->lo[m], &out->hi[m], s.boot + m * o->n_boot,
                         o->n_boot, o->level);
    bird_rank_pair_free(&s.ranks);
    bird_pool_free(&s.pool);
    return rc;
}
