/* Metrics of predictions, their bootstrap intervals, and reliability tables.
 *
 * Rows are sorted once by the probability of each column. A resample is a
 * weight for each row, and one pass over the sorted rows gives all its metrics
 * (Efron 1979, percentile intervals). The weights depend on (seed, resample)
 * alone, so that results do not depend on threads, and two predictors are
 * compared over common resamples.
 * SPDX-License-Identifier: MIT */
#include "eval/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "dnabird/dnabird.h"

/* --- the bootstrap -------------------------------------------------------- */

struct bootstrap {
    const struct bird_resamples *how;
    int64_t n;
    uint32_t *weight; /* (workers, together, n) */
    bird_resample_call *measure;
    void *context;
};

static void weigh_rows(uint32_t *weight, int64_t n, uint64_t seed,
                       int64_t resample)
{
    struct bird_rng rng;

    bird_rng_init(&rng, seed, 0x626f6f74 /* boot */, (uint64_t)resample);
    memset(weight, 0, (size_t)n * sizeof(*weight));
    for (int64_t i = 0; i < n; i++)
        weight[bird_rng_below(&rng, (uint64_t)n)]++;
}

static void bootstrap_task(void *context, int64_t task, int worker)
{
    const struct bootstrap *b = context;
    int64_t together = b->how->together, first = task * together;
    int64_t count = b->how->n_boot - first;
    uint32_t *weight = b->weight + worker * together * b->n;

    count = count < together ? count : together;
    for (int64_t k = 0; k < count; k++)
        weigh_rows(weight + k * b->n, b->n, b->how->seed, first + k);
    b->measure(b->context, first, count, weight, worker);
}

int bird_bootstrap(const struct bird_resamples *r, int64_t n,
                   bird_resample_call *measure, void *context)
{
    struct bootstrap b = {
        .how = r, .n = n, .measure = measure, .context = context};
    int rc = bird_array_new(&b.weight, bird_threads() * r->together * n,
                            sizeof(*b.weight));

    if (rc)
        return rc;
    bird_parallel((r->n_boot + r->together - 1) / r->together, bootstrap_task,
                  &b);
    free(b.weight);
    return 0;
}

static double quantile(const double *sorted, int64_t n, double q)
{
    double at = q * (double)(n - 1);
    int64_t k = (int64_t)at;

    if (k >= n - 1)
        return sorted[n - 1];
    return sorted[k] + (at - (double)k) * (sorted[k + 1] - sorted[k]);
}

void bird_percentiles(double *lo, double *hi, double *value, int64_t n,
                      double level)
{
    double tail = (1 - level) / 2;
    int64_t m = 0;

    for (int64_t i = 0; i < n; i++)
        if (!isnan(value[i]))
            value[m++] = value[i];
    if (!m)
        return;
    qsort(value, (size_t)m, sizeof(*value), bird_by_double);
    *lo = quantile(value, m, tail);
    *hi = quantile(value, m, 1 - tail);
}

double bird_group_median(int64_t *n_known, double *scratch, const double *value,
                         const int32_t *group, int64_t n, int64_t g)
{
    int64_t m = 0;

    for (int64_t i = 0; i < n; i++)
        if (!isnan(value[i]) && (g < 0 || !group || group[i] == g))
            scratch[m++] = value[i];
    if (n_known)
        *n_known = m;
    if (!m)
        return (double)NAN;
    qsort(scratch, (size_t)m, sizeof(*scratch), bird_by_double);
    return (scratch[(m - 1) / 2] + scratch[m / 2]) / 2;
}

/* --- reliability, finer near 0 where most of a genome lies ---------------- */

static const double edge[BIRD_RELIABILITY_BINS + 1] = {
    0,   0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3,
    0.4, 0.5,   0.6,   0.7,  0.8,  0.9, 1};

void bird_reliability_add(bird_reliability_table *t, double p, int came_true)
{
    int k = BIRD_RELIABILITY_BINS - 1;

    while (k > 0 && p < edge[k])
        k--;
    t->n++;
    t->squares += (p - came_true) * (p - came_true);
    t->bin[k].lo = edge[k];
    t->bin[k].hi = edge[k + 1];
    t->bin[k].n++;
    t->bin[k].mean_probability += p;
    t->bin[k].observed += came_true;
}

double bird_reliability_error(const bird_reliability_table *t)
{
    double sum = 0;

    for (int k = 0; k < BIRD_RELIABILITY_BINS; k++)
        sum += fabs(t->bin[k].mean_probability - t->bin[k].observed);
    return t->n ? sum / (double)t->n : (double)NAN;
}

double bird_reliability_brier(const bird_reliability_table *t)
{
    return t->n ? t->squares / (double)t->n : (double)NAN;
}

/* --- metrics of one weighting --------------------------------------------- */

struct key {
    double p;
    int32_t row;
};

/* Falling probability, then rising row: the order does not depend on qsort. */
static int by_probability(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

int bird_rank_rows(struct bird_ranks *out, const double *value, int64_t stride,
                   int64_t n)
{
    struct key *key;
    int64_t m = 0;
    int rc = bird_array_new(&key, n, sizeof(*key));

    if (rc)
        return rc;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(value[i * stride]))
            key[m++] = (struct key){value[i * stride], (int32_t)i};
    qsort(key, (size_t)m, sizeof(*key), by_probability);
    for (int64_t i = 0; i < m; i++) {
        out->order[i] = key[i].row;
        out->tied[i] = i && key[i].p == key[i - 1].p;
    }
    out->n = m;
    free(key);
    return 0;
}

static int sort_columns(struct bird_ranking *r)
{
    int rc = 0;

    for (int64_t c = 0; !rc && c < r->n_column; c++) {
        struct bird_ranks at = {r->order + c * r->n, r->tied + c * r->n, 0};

        rc = bird_rank_rows(&at, r->probability + c, r->n_column, r->n);
    }
    return rc;
}

/* Predicted class, reliability bin, Brier score and log loss of a row. */
static void judge_row(struct bird_ranking *r, int64_t i)
{
    const double *p = r->probability + i * r->n_column;
    int32_t y = r->label[i], best = 0;
    double truth, brier = 0;
    int bin;

    if (r->n_column == 1) {
        best = p[0] >= r->threshold;
        truth = y ? p[0] : 1 - p[0];
        brier = (p[0] - y) * (p[0] - y);
        r->sure[i] = p[0];
    } else {
        for (int32_t c = 0; c < r->n_column; c++) {
            best = p[c] > p[best] ? c : best;
            brier += (p[c] - (c == y)) * (p[c] - (c == y));
        }
        truth = p[y];
        r->sure[i] = p[best];
    }
    truth = truth < 0x1p-52       ? 0x1p-52
            : truth > 1 - 0x1p-52 ? 1 - 0x1p-52
                                  : truth;
    bin = (int)(r->sure[i] * r->reliability_bins);
    r->bin[i] =
        (uint8_t)(bin >= r->reliability_bins ? r->reliability_bins - 1 : bin);
    r->call[i] = best;
    r->brier[i] = brier;
    r->log_loss[i] = -log(truth);
}

int bird_ranking_new(struct bird_ranking *out, const double *probability,
                     const int32_t *label, int64_t n, int64_t n_class,
                     const struct bird_metrics_options *o)
{
    struct bird_ranking r = {.probability = probability,
                             .label = label,
                             .n = n,
                             .n_class = n_class,
                             .n_column = n_class == 2 ? 1 : n_class,
                             .threshold = o->threshold,
                             .reliability_bins = o->reliability_bins};

    r.order = bird_pool_array(&r.pool, n * r.n_column, sizeof(*r.order));
    r.tied = bird_pool_array(&r.pool, n * r.n_column, 1);
    r.call = bird_pool_array(&r.pool, n, sizeof(*r.call));
    r.bin = bird_pool_array(&r.pool, n, 1);
    r.sure = bird_pool_array(&r.pool, n, sizeof(*r.sure));
    r.brier = bird_pool_array(&r.pool, n, sizeof(*r.brier));
    r.log_loss = bird_pool_array(&r.pool, n, sizeof(*r.log_loss));
    if (r.pool.rc || sort_columns(&r)) {
        bird_ranking_free(&r);
        return BIRD_ENOMEM;
    }
    for (int64_t i = 0; i < n; i++)
        judge_row(&r, i);
    *out = r;
    return 0;
}

void bird_ranking_free(struct bird_ranking *r)
{
    bird_pool_free(&r->pool);
    *r = (struct bird_ranking){0};
}

double bird_ranking_auroc(const struct bird_ranking *r, const uint32_t *weight,
                          int64_t c, int32_t positive)
{
    const int32_t *order = r->order + c * r->n;
    const uint8_t *tied = r->tied + c * r->n;
    /* All sums are whole numbers below 2^53, so they are exact. */
    double pos = 0, neg = 0, tie_pos = 0, tie_neg = 0, twice = 0;

    for (int64_t i = 0; i < r->n; i++) {
        uint32_t w = weight[order[i]];

        if (!tied[i]) {
            twice += tie_neg * (2 * (pos - tie_pos) + tie_pos);
            tie_pos = tie_neg = 0;
        }
        if (r->label[order[i]] == positive) {
            tie_pos += w;
            pos += w;
        } else {
            tie_neg += w;
            neg += w;
        }
    }
    twice += tie_neg * (2 * (pos - tie_pos) + tie_pos);
    return pos > 0 && neg > 0 ? twice / 2 / pos / neg : (double)NAN;
}

double bird_ranking_auprc(const struct bird_ranking *r, const uint32_t *weight,
                          int64_t c, int32_t positive)
{
    const int32_t *order = r->order + c * r->n;
    const uint8_t *tied = r->tied + c * r->n;
    double called = 0, pos = 0, before = 0, sum = 0;

    for (int64_t i = 0; i < r->n; i++) {
        uint32_t w = weight[order[i]];

        if (!tied[i]) {
            if (pos > before)
                sum += (pos - before) * pos / called;
            before = pos;
        }
        called += w;
        pos += r->label[order[i]] == positive ? w : 0;
    }
    if (pos > before)
        sum += (pos - before) * pos / called;
    return pos > 0 ? sum / pos : (double)NAN;
}

/* Precision, recall and F1 of one class, from the confusion table. */
static void add_class(double *value, const double *table, int64_t n, int64_t c)
{
    double hit = table[c * n + c], truth = 0, called = 0;
    double precision, recall;

    for (int64_t k = 0; k < n; k++) {
        truth += table[c * n + k];
        called += table[k * n + c];
    }
    precision = called > 0 ? hit / called : 0;
    recall = truth > 0 ? hit / truth : 0;
    value[BIRD_PRECISION] += precision;
    value[BIRD_RECALL] += recall;
    value[BIRD_F1] += truth + called > 0 ? 2 * hit / (truth + called) : 0;
}

/* Gorodkin 2004 (doi 10.1016/j.compbiolchem.2004.09.006), eq. 8; for two
 * classes Matthews' coefficient. */
static double correlation(const double *table, int64_t n, double total)
{
    double hits = 0, cross = 0, truth2 = 0, called2 = 0, under;

    for (int64_t c = 0; c < n; c++) {
        double truth = 0, called = 0;

        for (int64_t k = 0; k < n; k++) {
            truth += table[c * n + k];
            called += table[k * n + c];
        }
        hits += table[c * n + c];
        cross += truth * called;
        truth2 += truth * truth;
        called2 += called * called;
    }
    under = (total * total - truth2) * (total * total - called2);
    return under > 0 ? (hits * total - cross) / sqrt(under) : 0;
}

static void from_table(double *value, const double *table, int64_t n)
{
    double total = 0, hits = 0;

    for (int64_t i = 0; i < n * n; i++)
        total += table[i];
    for (int64_t c = 0; c < n; c++)
        hits += table[c * n + c];
    value[BIRD_ACCURACY] = hits / total;
    value[BIRD_MCC] = correlation(table, n, total);
    value[BIRD_PRECISION] = value[BIRD_RECALL] = value[BIRD_F1] = 0;
    if (n == 2) {
        add_class(value, table, n, 1);
        return;
    }
    for (int64_t c = 0; c < n; c++)
        add_class(value, table, n, c);
    value[BIRD_PRECISION] /= (double)n;
    value[BIRD_RECALL] /= (double)n;
    value[BIRD_F1] /= (double)n;
}

/* Means over the classes for which the area is defined. */
static void areas(double *value, const struct bird_ranking *r,
                  const uint32_t *weight)
{
    double roc = 0, prc = 0;
    int64_t n_roc = 0, n_prc = 0;

    for (int64_t c = 0; c < r->n_column; c++) {
        int32_t positive = r->n_column == 1 ? 1 : (int32_t)c;
        double a = bird_ranking_auroc(r, weight, c, positive);
        double p = bird_ranking_auprc(r, weight, c, positive);

        if (!isnan(a)) {
            roc += a;
            n_roc++;
        }
        if (!isnan(p)) {
            prc += p;
            n_prc++;
        }
    }
    value[BIRD_AUROC] = n_roc ? roc / (double)n_roc : (double)NAN;
    value[BIRD_AUPRC] = n_prc ? prc / (double)n_prc : (double)NAN;
}

int64_t bird_ranking_scratch(const struct bird_ranking *r)
{
    return (r->n_class * r->n_class + 2 * r->reliability_bins) *
           (int64_t)sizeof(double);
}

/* 1: the predicted event is true: the positive class, or the class called */
static int came_true(const struct bird_ranking *r, int64_t i)
{
    return r->n_column == 1 ? r->label[i] == 1 : r->label[i] == r->call[i];
}

void bird_ranking_measure(double *value, const struct bird_ranking *r,
                          const uint32_t *weight, void *scratch)
{
    double *table = scratch, *expected = table + r->n_class * r->n_class;
    double *observed = expected + r->reliability_bins;
    double total = 0, brier = 0, loss = 0, ece = 0;

    memset(scratch, 0, (size_t)bird_ranking_scratch(r));
    for (int64_t i = 0; i < r->n; i++) {
        double w = weight[i];

        table[r->label[i] * r->n_class + r->call[i]] += w;
        expected[r->bin[i]] += w * r->sure[i];
        observed[r->bin[i]] += came_true(r, i) ? w : 0;
        brier += w * r->brier[i];
        loss += w * r->log_loss[i];
        total += w;
    }
    for (int k = 0; k < r->reliability_bins; k++)
        ece += fabs(expected[k] - observed[k]);
    from_table(value, table, r->n_class);
    value[BIRD_BRIER] = brier / total;
    value[BIRD_LOG_LOSS] = loss / total;
    value[BIRD_ECE] = ece / total;
    areas(value, r, weight);
}

/* The reliability table of unit weights. */
static void ranking_bins(struct bird_metrics *out, const struct bird_ranking *r)
{
    out->reliability_bins = r->reliability_bins;
    for (int k = 0; k < r->reliability_bins; k++)
        out->bin[k] = (struct bird_reliability){
            .lo = (double)k / r->reliability_bins,
            .hi = (double)(k + 1) / r->reliability_bins};
    for (int64_t i = 0; i < r->n; i++) {
        struct bird_reliability *b = &out->bin[r->bin[i]];

        b->n++;
        b->mean_probability += r->sure[i];
        b->observed += came_true(r, i);
    }
    for (int k = 0; k < r->reliability_bins; k++) {
        struct bird_reliability *b = &out->bin[k];

        b->mean_probability =
            b->n ? b->mean_probability / (double)b->n : (double)NAN;
        b->observed = b->n ? b->observed / (double)b->n : (double)NAN;
    }
}

/* --- metrics with intervals ----------------------------------------------- */

const char *bird_metric_name(enum bird_metric m)
{
    static const char *const name[BIRD_N_METRIC] = {
        "accuracy", "precision", "recall", "f1",       "mcc",
        "auroc",    "auprc",     "brier",  "log_loss", "ece"};

    return m >= 0 && m < BIRD_N_METRIC ? name[m] : "";
}

void bird_metrics_options_default(bird_metrics_options *o)
{
    *o = (bird_metrics_options){.threshold = 0.5,
                                .threshold_b = -1,
                                .n_boot = 1000,
                                .level = 0.95,
                                .seed = 1,
                                .reliability_bins = 10};
}

static int check_rows(const double *probability, const int32_t *label,
                      int64_t n, int64_t n_class, const bird_metrics_options *o)
{
    int64_t n_column = n_class == 2 ? 1 : n_class;

    if (n < 1 || n > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "no rows to evaluate (%lld)",
                         (long long)n);
    if (n_class < 2 || n_class > 10000)
        return bird_fail(BIRD_EINVAL, "%lld classes cannot be evaluated",
                         (long long)n_class);
    if (o->reliability_bins < 1 || o->reliability_bins > 100 || o->n_boot < 0 ||
        o->n_boot > INT32_MAX || !(o->level > 0 && o->level < 1))
        return bird_fail(BIRD_EINVAL,
                         "bins 1 to 100, resamples from 0, level "
                         "between 0 and 1: not %d, %lld, %g",
                         o->reliability_bins, (long long)o->n_boot, o->level);
    for (int64_t i = 0; i < n; i++)
        if (label[i] < 0 || label[i] >= n_class)
            return bird_fail(BIRD_EINVAL,
                             "row %lld: label %d lies outside 0 "
                             "to %lld",
                             (long long)i + 1, (int)label[i],
                             (long long)n_class - 1);
    for (int64_t i = 0; i < n * n_column; i++)
        if (!(probability[i] >= 0 && probability[i] <= 1))
            return bird_fail(BIRD_EINVAL, "row %lld: %g is not a probability",
                             (long long)(i / n_column) + 1, probability[i]);
    return 0;
}

/* What every resample is evaluated on. */
struct boot {
    const struct bird_ranking *r;
    char *scratch; /* (workers, scratch) */
    double *value; /* (n_boot, BIRD_N_METRIC) */
};

static void measure_resample(void *context, int64_t first, int64_t count,
                             const uint32_t *weight, int worker)
{
    struct boot *b = context;

    (void)count; /* 1 */
    bird_ranking_measure(b->value + first * BIRD_N_METRIC, b->r, weight,
                         b->scratch + worker * bird_ranking_scratch(b->r));
}

static void percentiles(bird_metrics *out, const double *value, double *scratch,
                        const bird_metrics_options *o)
{
    for (int m = 0; m < BIRD_N_METRIC; m++) {
        for (int64_t i = 0; i < o->n_boot; i++)
            scratch[i] = value[i * BIRD_N_METRIC + m];
        bird_percentiles(&out->lo[m], &out->hi[m], scratch, o->n_boot,
                         o->level);
    }
}

/* The metrics of every resample, (n_boot, BIRD_N_METRIC). */
static int resample(double **out, const struct bird_ranking *r,
                    const bird_metrics_options *o)
{
    const struct bird_resamples how = {o->n_boot, 1, o->seed};
    struct boot b = {.r = r};
    int rc =
        bird_array_new(&b.scratch, bird_threads() * bird_ranking_scratch(r), 1);

    if (!rc)
        rc = bird_array_new(out, o->n_boot * BIRD_N_METRIC, sizeof(**out));
    b.value = rc ? NULL : *out;
    if (!rc)
        rc = bird_bootstrap(&how, r->n, measure_resample, &b);
    free(b.scratch);
    return rc;
}

void bird_metrics_none(bird_metrics *out)
{
    *out = (bird_metrics){.n_class = 2};
    for (int i = 0; i < BIRD_N_METRIC; i++)
        out->value[i] = out->lo[i] = out->hi[i] = (double)NAN;
}

/* Metrics of checked predictions without intervals. With resamples their
 * metrics go into *boot, which the caller frees. */
static int measure(bird_metrics *out, double **boot, const double *p,
                   const int32_t *label, const bird_metrics_options *o)
{
    struct bird_ranking r;
    struct bird_pool pool = {0};
    uint32_t *weight = bird_pool_array(&pool, out->n, sizeof(*weight));
    void *scratch;
    int rc = bird_ranking_new(&r, p, label, out->n, out->n_class, o);

    if (rc)
        goto done;
    scratch = bird_pool_array(&pool, bird_ranking_scratch(&r), 1);
    rc = pool.rc;
    for (int64_t i = 0; !rc && i < out->n; i++) {
        weight[i] = 1;
        out->n_positive += out->n_class == 2 && label[i] == 1;
    }
    if (!rc) {
        bird_ranking_measure(out->value, &r, weight, scratch);
        ranking_bins(out, &r);
    }
    if (!rc && o->n_boot)
        rc = resample(boot, &r, o);
    bird_ranking_free(&r);
done:
    bird_pool_free(&pool);
    return rc;
}

/* b is NULL: the metrics of a by themselves. */
int bird_metrics_compare(bird_metrics *out, const double *a, const double *b,
                         const int32_t *label, int64_t n, int64_t n_class,
                         const bird_metrics_options *o)
{
    const double *const p[2] = {a, b};
    bird_metrics_options plain, one;
    bird_metrics m[2];
    double *boot[2] = {NULL, NULL}, *sorted = NULL;
    int rc = 0;

    bird_metrics_options_default(&plain);
    o = o ? o : &plain;
    one = *o;
    for (int i = 0; !rc && i < 2 && p[i]; i++) {
        if (i && o->threshold_b >= 0)
            one.threshold = o->threshold_b;
        rc = check_rows(p[i], label, n, n_class, o);
        bird_metrics_none(&m[i]);
        m[i].n = n;
        m[i].n_class = n_class;
        if (!rc)
            rc = measure(&m[i], &boot[i], p[i], label, &one);
    }
    if (!rc)
        rc = bird_array_new(&sorted, o->n_boot, sizeof(*sorted));
    if (!rc && p[1]) {
        m[0].reliability_bins = 0;
        memset(m[0].bin, 0, sizeof(m[0].bin));
        for (int i = 0; i < BIRD_N_METRIC; i++)
            m[0].value[i] -= m[1].value[i];
        for (int64_t i = 0; i < o->n_boot * BIRD_N_METRIC; i++)
            boot[0][i] -= boot[1][i];
    }
    if (!rc && o->n_boot)
        percentiles(&m[0], boot[0], sorted, o);
    if (!rc)
        *out = m[0];
    free(boot[0]);
    free(boot[1]);
    free(sorted);
    return rc;
}

int bird_metrics_measure(bird_metrics *out, const double *probability,
                         const int32_t *label, int64_t n, int64_t n_class,
                         const bird_metrics_options *o)
{
    return bird_metrics_compare(out, probability, NULL, label, n, n_class, o);
}

int bird_metrics_measure_label(bird_metrics *out, const double *probability,
                               int64_t stride, const float *target, int64_t n,
                               const bird_metrics_options *o)
{
    struct bird_pool pool = {0};
    double *p;
    int32_t *y;
    int64_t m = 0;
    int rc;

    if (n < 0)
        return bird_fail(BIRD_EINVAL, "no rows to evaluate (%lld)",
                         (long long)n);
    p = bird_pool_array(&pool, n, sizeof(*p));
    y = bird_pool_array(&pool, n, sizeof(*y));
    rc = pool.rc;

    for (int64_t i = 0; !rc && i < n; i++) {
        if (isnan(target[i]))
            continue;
        p[m] = probability[i * stride];
        y[m++] = target[i] != 0;
    }
    if (!rc && m)
        rc = bird_metrics_measure(out, p, y, m, 2, o);
    else if (!rc)
        bird_metrics_none(out);
    bird_pool_free(&pool);
    return rc;
}
