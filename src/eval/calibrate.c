/* Knots by pooling adjacent violators, thresholds by F1.
 * SPDX-License-Identifier: MIT */
#include "eval/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/guard.h"
#include "base/mem.h"

/* Rows in the lowest pool, at least; it may have no positives. */
enum { LOWEST_ROWS = 50 };

/* Values of neighbouring knots differ by more than this factor, so that the
 * line between them is strictly rising in floating point. */
static const double rise = 1.001;

struct row {
    double raw;
    uint8_t label;
};

struct pool {
    double n, positive, log_odds; /* the last a sum over rows */
};

static int by_raw(const void *a, const void *b)
{
    double x = ((const struct row *)a)->raw, y = ((const struct row *)b)->raw;

    return (x > y) - (x < y);
}

static double value_of(const struct pool *p)
{
    return (p->positive + 0.5) / (p->n + 1);
}

static void join(struct pool *a, const struct pool *b)
{
    a->n += b->n;
    a->positive += b->positive;
    a->log_odds += b->log_odds;
}

static double log_odds(double p)
{
    p = p < 1e-12 ? 1e-12 : p > 1 - 1e-12 ? 1 - 1e-12 : p;
    return log(p) - log1p(-p);
}

/* Join the last of m pools to those before while it is not above them. */
static int64_t settle(struct pool *pool, int64_t m)
{
    for (; m > 1 && pool[m - 1].positive * pool[m - 2].n <=
                        pool[m - 2].positive * pool[m - 1].n;
         m--)
        join(&pool[m - 2], &pool[m - 1]);
    return m;
}

/* One pool for each output; a pool whose share of positives is not above
 * that of the pool before is joined with it. */
static int64_t pool_violators(struct pool *pool, const struct row *row,
                              int64_t n)
{
    int64_t m = 0;

    for (int64_t i = 0; i < n; i++) {
        struct pool one = {1, row[i].label, log_odds(row[i].raw)};

        if (i && !(row[i].raw > row[i - 1].raw)) {
            join(&pool[m - 1], &one); /* rows with equal outputs are one pool */
        } else {
            m = settle(pool, m); /* all rows with the last output are in */
            pool[m++] = one;
        }
    }
    return settle(pool, m);
}

/* A pool takes in the pools above it until it has enough rows or positives; the
 * highest, if it has too few, joins the pool below. */
static int64_t pool_few(struct pool *pool, int64_t m)
{
    int64_t k = 0;

    for (int64_t i = 1; i < m; i++) {
        int lowest = k == 0;
        int enough = lowest ? pool[k].n >= LOWEST_ROWS
                            : pool[k].positive >= BIRD_KNOT_POSITIVES;

        if (enough && value_of(&pool[i]) > rise * value_of(&pool[k]))
            pool[++k] = pool[i];
        else
            join(&pool[k], &pool[i]);
        /* a larger pool may be too close to the pool below */
        while (k > 0 && value_of(&pool[k]) <= rise * value_of(&pool[k - 1])) {
            join(&pool[k - 1], &pool[k]);
            k--;
        }
    }
    if (k > 0 && pool[k].positive < BIRD_KNOT_POSITIVES) {
        join(&pool[k - 1], &pool[k]);
        k--;
    }
    return k + 1;
}

/* The threshold on the output with the largest F1. */
static double best_f1(const struct row *row, int64_t n, double positives)
{
    double found = 0, best = -1, at = (double)NAN;

    if (positives < BIRD_KNOT_POSITIVES)
        return at;
    for (int64_t i = n - 1; i >= 0; i--) {
        double f1;

        found += row[i].label;
        if (i && !(row[i].raw > row[i - 1].raw))
            continue;
        f1 = 2 * found / (positives + (double)(n - i));
        if (f1 > best) {
            best = f1;
            at = row[i].raw;
        }
    }
    return at;
}

static int make_room(struct bird_probability *m, int64_t n_feature)
{
    int rc = 0;

    if (m->offset)
        return 0;
    rc = bird_array_new(&m->offset, n_feature + 1, sizeof(*m->offset));
    if (!rc)
        rc = bird_array_new(&m->threshold, n_feature, sizeof(*m->threshold));
    return rc;
}

static int append(struct bird_probability *m, const struct pool *pool,
                  int64_t n)
{
    int64_t at = m->offset[m->n_feature], cap = at, cap_value = at;
    int rc = bird_array_grow(&m->raw, &cap, at + n, sizeof(*m->raw));

    if (!rc)
        rc = bird_array_grow(&m->value, &cap_value, at + n, sizeof(*m->value));
    if (rc)
        return rc;
    for (int64_t i = 0; i < n; i++) {
        double mean = pool[i].log_odds / pool[i].n;

        m->raw[at + i] = 1 / (1 + exp(-mean));
        m->value[at + i] = value_of(&pool[i]);
    }
    m->offset[m->n_feature + 1] = at + n;
    return 0;
}

int bird_calibrate_feature(struct bird_probability *m, int64_t n_feature,
                           const double *raw, const uint8_t *label, int64_t n)
{
    struct row *row = NULL;
    struct pool *pool = NULL;
    double positives = 0;
    int rc = make_room(m, n_feature);

    if (!rc)
        rc = bird_array_new(&row, n, sizeof(*row));
    if (!rc)
        rc = bird_array_new(&pool, n, sizeof(*pool));
    for (int64_t i = 0; !rc && i < n; i++) {
        if (!(raw[i] >= 0 && raw[i] <= 1))
            rc = bird_fail(BIRD_EINVAL,
                           "row %lld: %g is not an output between 0 and 1",
                           (long long)i + 1, raw[i]);
        row[i] = (struct row){raw[i], label[i]};
        positives += label[i];
    }
    if (!rc && n == 0) { /* the label is known in no row: its outputs stay
                            unchanged */
        rc = append(m, &(struct pool){1, 0.5, 0}, 1);
    } else if (!rc) {
        qsort(row, (size_t)n, sizeof(*row), by_raw);
        rc = append(m, pool, pool_few(pool, pool_violators(pool, row, n)));
    }
    if (!rc)
        m->threshold[m->n_feature++] = best_f1(row, n, positives);
    free(row);
    free(pool);
    return rc;
}

int bird_calibrate_write(struct bird_probability *m,
                         const struct bird_probability_settings *way,
                         const char *path)
{
    m->settings = *way;
    bird_guard_own(path); /* the file is replaced */
    return bird_probability_write(m, path);
}
