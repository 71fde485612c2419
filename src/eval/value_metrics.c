/* Metrics of predicted quantities, and their intervals by resampled rows.
 *
 * Rows without a measured value are left out first. Ranks are sorted once; a
 * resample is a weight of each row, so that measuring one is a pass.
 * SPDX-License-Identifier: MIT */
#include "eval/value_metrics.h"

#include <math.h>

#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "eval/metrics.h"

struct sample {
    int64_t n;    /* rows with a value */
    double *x;    /* (n) predicted */
    double *y;    /* (n) measured */
    double *sd;   /* (n) predicted standard deviations, or NULL */
    double *boot; /* (BIRD_N_VALUE_METRIC, n_boot) */
    int64_t n_boot;
    double *scratch; /* (workers, 2 n) */
    struct bird_rank_pair ranks;
    struct bird_pool pool;
};

const char *bird_value_metric_name(enum bird_value_metric m)
{
    static const char *const name[] = {"pearson",   "spearman", "mse",
                                       "within_sd", "mean_z2",  "nll"};

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

/* What the rows say of their predicted standard deviations. */
static void deviations(double *out, int64_t stride, const struct sample *s,
                       const uint32_t *weight)
{
    static const double log_two_pi = 1.8378770664093453;
    double total = 0, within = 0, square = 0, loss = 0;

    for (int64_t i = 0; s->sd && i < s->n; i++) {
        double z = (s->y[i] - s->x[i]) / s->sd[i], w = weight[i];

        total += w;
        within += fabs(z) <= 1 ? w : 0;
        square += w * z * z;
        loss += w * ((z * z + log_two_pi) / 2 + log(s->sd[i]));
    }
    out[BIRD_WITHIN_SD * stride] = within / total; /* NaN of no rows */
    out[BIRD_SQUARE_Z * stride] = square / total;
    out[BIRD_NLL * stride] = loss / total;
}

static void measure(double *out, int64_t stride, const struct sample *s,
                    const uint32_t *weight, double *scratch)
{
    double ranked = bird_rank_pair_spearman(&s->ranks, weight, scratch);

    out[BIRD_RANKED * stride] = ranked;
    /* the mean of equal values is rounded, their ranks are exact */
    out[BIRD_PEARSON * stride] = isnan(ranked) ? ranked : pearson(s, weight);
    out[BIRD_MEAN_SQUARE * stride] = mean_square(s, weight);
    deviations(out, stride, s, weight);
}

static void measure_resamples(void *context, int64_t first, int64_t count,
                              const uint32_t *weight, int worker)
{
    const struct sample *s = context;

    for (int64_t i = 0; i < count; i++)
        measure(s->boot + first + i, s->n_boot, s, weight + i * s->n,
                s->scratch + worker * 2 * s->n);
}

static int open_sample(struct sample *s, const struct bird_value_rows *r)
{
    int64_t n = r->n;

    s->x = bird_pool_array(&s->pool, n, sizeof(*s->x));
    s->y = bird_pool_array(&s->pool, n, sizeof(*s->y));
    if (r->sd)
        s->sd = bird_pool_array(&s->pool, n, sizeof(*s->sd));
    s->scratch =
        bird_pool_array(&s->pool, 2 * n * bird_threads(), sizeof(*s->scratch));
    s->boot = bird_pool_array(&s->pool, BIRD_N_VALUE_METRIC * (s->n_boot + 1),
                              sizeof(*s->boot));
    if (s->pool.rc)
        return s->pool.rc;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(r->measured[i])) {
            if (r->sd)
                s->sd[s->n] = r->sd[i * r->stride];
            s->x[s->n] = r->predicted[i * r->stride];
            s->y[s->n++] = (double)r->measured[i];
        }
    return bird_rank_pair_new(&s->ranks, s->x, s->y, s->n);
}

int bird_value_metrics_measure(struct bird_value_metrics *out,
                               const struct bird_value_rows *r,
                               const bird_metrics_options *o)
{
    struct sample s = {.n_boot = o->n_boot};
    const struct bird_resamples how = {o->n_boot, 1, o->seed};
    uint32_t *one;
    int rc = open_sample(&s, r);

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
