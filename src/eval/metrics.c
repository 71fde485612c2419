/* Figures with bootstrap intervals. SPDX-License-Identifier: MIT */
#include "eval/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "eval/resample.h"

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
                                .n_bin = 10};
}

static int check(const double *probability, const int32_t *label, int64_t n,
                 int64_t n_class, const bird_metrics_options *o)
{
    int64_t n_column = n_class == 2 ? 1 : n_class;

    if (n < 1 || n > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "no rows to measure (%lld)",
                         (long long)n);
    if (n_class < 2 || n_class > 10000)
        return bird_fail(BIRD_EINVAL, "%lld classes cannot be measured",
                         (long long)n_class);
    if (o->n_bin < 1 || o->n_bin > 100 || o->n_boot < 0 ||
        !(o->level > 0 && o->level < 1))
        return bird_fail(BIRD_EINVAL,
                         "bins 1 to 100, resamples from 0, level "
                         "between 0 and 1: not %d, %lld, %g",
                         o->n_bin, (long long)o->n_boot, o->level);
    for (int64_t i = 0; i < n; i++)
        if (label[i] < 0 || label[i] >= n_class)
            return bird_fail(BIRD_EINVAL,
                             "row %lld: label %d lies outside 0 "
                             "to %lld",
                             (long long)i + 1, (int)label[i],
                             (long long)n_class - 1);
    for (int64_t i = 0; i < n * n_column; i++)
        if (!(probability[i] >= 0 && probability[i] <= 1))
            return bird_fail(BIRD_EINVAL, "row %lld: %g is no probability",
                             (long long)(i / n_column) + 1, probability[i]);
    return 0;
}

/* The bootstrap: task = resample; each worker has its weights and scratch. */
struct boot {
    const struct bird_ranking *r;
    uint64_t seed;
    uint32_t *weight; /* (workers, n) */
    char *scratch;    /* (workers, scratch) */
    double *value;    /* (n_boot, BIRD_N_METRIC) */
};

static void resample(void *context, int64_t task, int worker)
{
    struct boot *b = context;
    int64_t n = b->r->n;
    uint32_t *weight = b->weight + worker * n;

    bird_resample_draw(weight, n, b->seed, task);
    bird_ranking_measure(b->value + task * BIRD_N_METRIC, b->r, weight,
                         b->scratch + worker * bird_ranking_scratch(b->r));
}

static void percentiles(bird_metrics *out, const double *value, double *scratch,
                        const bird_metrics_options *o)
{
    for (int m = 0; m < BIRD_N_METRIC; m++) {
        for (int64_t i = 0; i < o->n_boot; i++)
            scratch[i] = value[i * BIRD_N_METRIC + m];
        bird_resample_interval(&out->lo[m], &out->hi[m], scratch, o->n_boot,
                               o->level);
    }
}

/* The figures of every resample, (n_boot, BIRD_N_METRIC). Rows drawn depend
 * on the seed alone, so two sets of predictions get the same ones. */
static int resamples(double **out, const struct bird_ranking *r,
                     const bird_metrics_options *o)
{
    struct boot b = {.r = r, .seed = o->seed};
    int64_t n_worker = bird_threads();
    int rc = bird_array_new(&b.weight, n_worker * r->n, sizeof(*b.weight));

    if (!rc)
        rc = bird_array_new(&b.scratch, n_worker * bird_ranking_scratch(r), 1);
    if (!rc)
        rc = bird_array_new(&b.value, o->n_boot * BIRD_N_METRIC,
                            sizeof(*b.value));
    if (!rc) {
        bird_parallel(o->n_boot, resample, &b);
        *out = b.value;
    }
    free(b.weight);
    free(b.scratch);
    return rc;
}

static int bootstrap(bird_metrics *out, const struct bird_ranking *r,
                     const bird_metrics_options *o)
{
    double *value = NULL, *sorted = NULL;
    int rc = resamples(&value, r, o);

    if (!rc)
        rc = bird_array_new(&sorted, o->n_boot, sizeof(*sorted));
    if (!rc)
        percentiles(out, value, sorted, o);
    free(value);
    free(sorted);
    return rc;
}

static void fill_nan(bird_metrics *m)
{
    for (int i = 0; i < BIRD_N_METRIC; i++)
        m->value[i] = m->lo[i] = m->hi[i] = (double)NAN;
}

int bird_metrics_measure(bird_metrics *out, const double *probability,
                         const int32_t *label, int64_t n, int64_t n_class,
                         const bird_metrics_options *o)
{
    bird_metrics_options plain;
    struct bird_ranking r = {0};
    bird_metrics m = {.n = n, .n_class = n_class};
    uint32_t *weight = NULL;
    void *scratch = NULL;
    int rc;

    bird_metrics_options_default(&plain);
    o = o ? o : &plain;
    rc = check(probability, label, n, n_class, o);
    if (rc)
        return rc;
    rc = bird_ranking_new(&r, probability, label, n, n_class, o);
    if (!rc)
        rc = bird_array_new(&weight, n, sizeof(*weight));
    if (!rc)
        rc = bird_array_new(&scratch, bird_ranking_scratch(&r), 1);
    if (rc)
        goto done;
    fill_nan(&m);
    for (int64_t i = 0; i < n; i++) {
        weight[i] = 1;
        m.n_positive += n_class == 2 && label[i] == 1;
    }
    bird_ranking_measure(m.value, &r, weight, scratch);
    bird_ranking_bins(&m, &r);
    if (o->n_boot)
        rc = bootstrap(&m, &r, o);
    if (!rc)
        *out = m;
done:
    free(weight);
    free(scratch);
    bird_ranking_free(&r);
    return rc;
}

/* Unit-weight figures of one set of predictions, and those of resamples. */
static int measure_pair(double *value, double **boot, const double *p,
                        const bird_metrics *m, const int32_t *label,
                        const bird_metrics_options *o)
{
    bird_metrics_options none = *o;
    struct bird_ranking r = {0};
    bird_metrics one;
    int rc;

    none.n_boot = 0;
    rc = bird_metrics_measure(&one, p, label, m->n, m->n_class, &none);
    if (rc)
        return rc;
    memcpy(value, one.value, sizeof(one.value));
    if (!o->n_boot)
        return 0;
    rc = bird_ranking_new(&r, p, label, m->n, m->n_class, o);
    if (!rc)
        rc = resamples(boot, &r, o);
    bird_ranking_free(&r);
    return rc;
}

int bird_metrics_compare(bird_metrics *out, const double *a, const double *b,
                         const int32_t *label, int64_t n, int64_t n_class,
                         const bird_metrics_options *o)
{
    bird_metrics_options plain;
    bird_metrics_options second;
    bird_metrics m = {.n = n, .n_class = n_class};
    double *boot_a = NULL, *boot_b = NULL, *sorted = NULL;
    double value_a[BIRD_N_METRIC], value_b[BIRD_N_METRIC];
    int rc;

    bird_metrics_options_default(&plain);
    o = o ? o : &plain;
    fill_nan(&m);
    second = *o;
    if (o->threshold_b >= 0)
        second.threshold = o->threshold_b;
    rc = measure_pair(value_a, &boot_a, a, &m, label, o);
    if (!rc)
        rc = measure_pair(value_b, &boot_b, b, &m, label, &second);
    if (!rc)
        rc = bird_array_new(&sorted, o->n_boot, sizeof(*sorted));
    if (rc)
        goto done;
    for (int64_t i = 0; i < n; i++)
        m.n_positive += n_class == 2 && label[i] == 1;
    for (int i = 0; i < BIRD_N_METRIC; i++)
        m.value[i] = value_a[i] - value_b[i];
    for (int64_t i = 0; i < o->n_boot * BIRD_N_METRIC; i++)
        boot_a[i] -= boot_b[i];
    percentiles(&m, boot_a, sorted, o);
    *out = m;
done:
    free(boot_a);
    free(boot_b);
    free(sorted);
    return rc;
}

int bird_metrics_measure_multi(bird_metrics *out, const double *probability,
                               const float *target, int64_t n, int64_t n_label,
                               const bird_metrics_options *o)
{
    double *p;
    int32_t *y = NULL;
    int rc = bird_array_new(&p, n, sizeof(*p));

    if (rc)
        return rc;
    rc = bird_array_new(&y, n, sizeof(*y));
    for (int64_t k = 0; !rc && k < n_label; k++) {
        int64_t m = 0;

        for (int64_t i = 0; i < n; i++) {
            float t = target[i * n_label + k];

            if (isnan((double)t))
                continue;
            p[m] = probability[i * n_label + k];
            y[m++] = t != 0;
        }
        if (m)
            rc = bird_metrics_measure(&out[k], p, y, m, 2, o);
        else {
            out[k] = (bird_metrics){.n_class = 2};
            fill_nan(&out[k]);
        }
    }
    free(p);
    free(y);
    return rc;
}
