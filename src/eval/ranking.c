/* One pass of figures over sorted predictions. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/metrics.h"

struct key {
    double p;
    int32_t row;
};

/* Falling probability, then rising row: one order, whatever qsort does. */
static int by_probability(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int sort_columns(struct bird_ranking *r)
{
    struct key *key;
    int rc = bird_array_new(&key, r->n, sizeof(*key));

    for (int64_t c = 0; !rc && c < r->n_column; c++) {
        for (int64_t i = 0; i < r->n; i++)
            key[i] =
                (struct key){r->probability[i * r->n_column + c], (int32_t)i};
        qsort(key, (size_t)r->n, sizeof(*key), by_probability);
        for (int64_t i = 0; i < r->n; i++) {
            r->order[c * r->n + i] = key[i].row;
            r->tied[c * r->n + i] = i && key[i].p == key[i - 1].p;
        }
    }
    if (!rc)
        free(key);
    return rc;
}

/* What each row adds by itself: call, bin, Brier and log loss. */
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
    bin = (int)(r->sure[i] * r->n_bin);
    r->bin[i] = (uint8_t)(bin >= r->n_bin ? r->n_bin - 1 : bin);
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
                             .n_bin = o->n_bin};

    if (bird_array_new(&r.order, n * r.n_column, sizeof(*r.order)) ||
        bird_array_new(&r.tied, n * r.n_column, 1) ||
        bird_array_new(&r.call, n, sizeof(*r.call)) ||
        bird_array_new(&r.bin, n, 1) ||
        bird_array_new(&r.sure, n, sizeof(*r.sure)) ||
        bird_array_new(&r.brier, n, sizeof(*r.brier)) ||
        bird_array_new(&r.log_loss, n, sizeof(*r.log_loss)) ||
        sort_columns(&r)) {
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
    free(r->order);
    free(r->tied);
    free(r->call);
    free(r->bin);
    free(r->sure);
    free(r->brier);
    free(r->log_loss);
    *r = (struct bird_ranking){0};
}

double bird_ranking_auroc(const struct bird_ranking *r, const uint32_t *weight,
                          int64_t c, int32_t positive)
{
    const int32_t *order = r->order + c * r->n;
    const uint8_t *tied = r->tied + c * r->n;
    /* Whole numbers below 2^53 all the way: sums are exact. */
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
    return (r->n_class * r->n_class + 2 * r->n_bin) * (int64_t)sizeof(double);
}

/* Was the row right: the positive class, or the class called? */
static int came_true(const struct bird_ranking *r, int64_t i)
{
    return r->n_column == 1 ? r->label[i] == 1 : r->label[i] == r->call[i];
}

void bird_ranking_measure(double *value, const struct bird_ranking *r,
                          const uint32_t *weight, void *scratch)
{
    double *table = scratch, *expected = table + r->n_class * r->n_class;
    double *observed = expected + r->n_bin;
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
    for (int k = 0; k < r->n_bin; k++)
        ece += fabs(expected[k] - observed[k]);
    from_table(value, table, r->n_class);
    value[BIRD_BRIER] = brier / total;
    value[BIRD_LOG_LOSS] = loss / total;
    value[BIRD_ECE] = ece / total;
    areas(value, r, weight);
}

void bird_ranking_bins(struct bird_metrics *out, const struct bird_ranking *r)
{
    out->n_bin = r->n_bin;
    for (int k = 0; k < r->n_bin; k++)
        out->bin[k] = (struct bird_reliability){
            .lo = (double)k / r->n_bin, .hi = (double)(k + 1) / r->n_bin};
    for (int64_t i = 0; i < r->n; i++) {
        struct bird_reliability *b = &out->bin[r->bin[i]];

        b->n++;
        b->mean_probability += r->sure[i];
        b->observed += came_true(r, i);
    }
    for (int k = 0; k < r->n_bin; k++) {
        struct bird_reliability *b = &out->bin[k];

        b->mean_probability =
            b->n ? b->mean_probability / (double)b->n : (double)NAN;
        b->observed = b->n ? b->observed / (double)b->n : (double)NAN;
    }
}
