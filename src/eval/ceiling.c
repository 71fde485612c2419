/* Correlations of replicates, and the ceiling that follows from them.
 * SPDX-License-Identifier: MIT */
#include "eval/ceiling.h"

#include <math.h>

#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "eval/metrics.h"

double bird_ceiling_of(double r, double k)
{
    return r > 0 ? sqrt(k * r / (1 + (k - 1) * r)) : (double)NAN;
}

struct sample {
    int64_t n, n_column, n_boot;
    double *x;                    /* (n_column, n); NaN: not measured */
    struct bird_rank_pair *ranks; /* (pairs) */
    double *boot;                 /* (2, n_boot) mean correlations */
    double *scratch;              /* (workers, 2 n) */
    struct bird_pool pool;
};

/* Of the rows that have both values. */
static double pearson(const double *x, const double *y, const uint32_t *weight,
                      int64_t n)
{
    double total = 0, mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

    for (int64_t i = 0; i < n; i++) {
        double w = isnan(x[i]) || isnan(y[i]) ? 0 : weight[i];

        total += w;
        mx += w > 0 ? w * x[i] : 0;
        my += w > 0 ? w * y[i] : 0;
    }
    for (int64_t i = 0; i < n; i++) {
        double w = isnan(x[i]) || isnan(y[i]) ? 0 : weight[i];
        double dx = w > 0 ? x[i] - mx / total : 0;
        double dy = w > 0 ? y[i] - my / total : 0;

        xx += w * dx * dx;
        yy += w * dy * dy;
        xy += w * dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx) / sqrt(yy) : (double)NAN;
}

/* The mean over pairs of both coefficients; NaN where one of a pair is. */
static void correlate(double *out, int64_t stride, const struct sample *s,
                      const uint32_t *weight, double *scratch)
{
    double sum[2] = {0, 0};
    int64_t pair = 0;

    for (int64_t a = 0; a < s->n_column; a++)
        for (int64_t b = a + 1; b < s->n_column; b++) {
            sum[0] += pearson(s->x + a * s->n, s->x + b * s->n, weight, s->n);
            sum[1] +=
                bird_rank_pair_spearman(&s->ranks[pair++], weight, scratch);
        }
    for (int i = 0; i < 2; i++)
        out[i * stride] = sum[i] / (double)pair;
}

static void correlate_resamples(void *context, int64_t first, int64_t count,
                                const uint32_t *weight, int worker)
{
    const struct sample *s = context;

    for (int64_t i = 0; i < count; i++)
        correlate(s->boot + first + i, s->n_boot, s, weight + i * s->n,
                  s->scratch + worker * 2 * s->n);
}

static int open_sample(struct sample *s, const struct bird_replicates *r)
{
    int64_t n = r->n, c = r->n_column, pair = 0;
    int rc;

    s->n = n;
    s->n_column = c;
    s->x = bird_pool_array(&s->pool, c * n, sizeof(*s->x));
    s->ranks = bird_pool_array(&s->pool, c * (c - 1) / 2, sizeof(*s->ranks));
    s->boot = bird_pool_array(&s->pool, 2 * (s->n_boot + 1), sizeof(*s->boot));
    s->scratch =
        bird_pool_array(&s->pool, 2 * n * bird_threads(), sizeof(*s->scratch));
    rc = s->pool.rc;
    for (int64_t i = 0; !rc && i < c * n; i++)
        s->x[i] =
            (double)bird_dataset_label(r->d, r->rows[i % n], r->first + i / n);
    for (int64_t a = 0; a < c; a++)
        for (int64_t b = a + 1; !rc && b < c; b++)
            rc = bird_rank_pair_new(&s->ranks[pair++], s->x + a * n,
                                    s->x + b * n, n);
    return rc;
}

/* Rows with two replicates, and the mean number of replicates. */
static void count(struct bird_ceiling *out, const struct sample *s)
{
    int64_t rows = 0, all = 0;

    for (int64_t i = 0; i < s->n; i++) {
        int64_t known = 0;

        for (int64_t k = 0; k < s->n_column; k++)
            known += !isnan(s->x[k * s->n + i]);
        out->n += known > 1;
        rows += known > 0;
        all += known;
    }
    out->k = (double)all / (double)rows;
}

static void finish(struct bird_ceiling *out, struct sample *s, double level)
{
    for (int i = 0; i < 2; i++) {
        out->value[i] = bird_ceiling_of(out->single[i], out->k);
        if (s->n_boot && s->n > 1)
            bird_percentiles(&out->single_lo[i], &out->single_hi[i],
                             s->boot + i * s->n_boot, s->n_boot, level);
        out->lo[i] = bird_ceiling_of(out->single_lo[i], out->k); /* rises */
        out->hi[i] = bird_ceiling_of(out->single_hi[i], out->k);
    }
}

int bird_ceiling_measure(struct bird_ceiling *out,
                         const struct bird_replicates *r,
                         const bird_metrics_options *o)
{
    const double nan = (double)NAN;
    struct bird_ceiling c = {.single_lo = {nan, nan}, .single_hi = {nan, nan}};
    struct sample s = {.n_boot = o->n_boot};
    const struct bird_resamples how = {o->n_boot, 1, o->seed};
    uint32_t *one;
    int rc = open_sample(&s, r);

    one = rc ? NULL : bird_pool_array(&s.pool, s.n, sizeof(*one));
    rc = rc ? rc : s.pool.rc;
    for (int64_t i = 0; !rc && i < s.n; i++)
        one[i] = 1;
    if (!rc) {
        count(&c, &s);
        correlate(c.single, 1, &s, one, s.scratch);
    }
    if (!rc && s.n > 1 && s.n_boot)
        rc = bird_bootstrap(&how, s.n, correlate_resamples, &s);
    if (!rc) {
        finish(&c, &s, o->level);
        *out = c;
    }
    for (int64_t i = 0; s.ranks && i < s.n_column * (s.n_column - 1) / 2; i++)
        bird_rank_pair_free(&s.ranks[i]);
    bird_pool_free(&s.pool);
    return rc;
}
