/* Metrics of predictors on a part of the rows, with one class a row or several
 * labels.
 *
 * Several labels are evaluated one after the other: the rows of a label are
 * ranked once for every predictor, and a resample, which is a weight for each
 * row, gives AUROC and AUPRC of all predictors in one pass. Resamples are the
 * same for all labels, so that medians over labels and differences of
 * predictors have intervals too.
 * SPDX-License-Identifier: MIT */
#include "eval/evaluating.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/dnabird.h"
#include "eval/metrics.h"
#include "folder/feature.h"

int bird_evaluate_note(struct bird_evaluating *v, const char *fmt, ...)
{
    bird_evaluation *e = &v->e;
    va_list args;
    int n;
    char *s;

    va_start(args, fmt);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (bird_array_grow(&e->notice, &v->cap_notice, e->n_notice + 1,
                        sizeof(*e->notice)))
        return BIRD_ENOMEM;
    s = n < 0 ? NULL : malloc((size_t)n + 1);
    if (!s)
        return bird_fail_memory((size_t)n + 1);
    va_start(args, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, args);
    va_end(args);
    e->notice[e->n_notice++] = s;
    return 0;
}

double bird_evaluate_threshold(const struct bird_evaluating *v, int p,
                               int64_t k)
{
    double own;

    if (v->metrics.threshold >= 0)
        return v->metrics.threshold;
    if (p > 0 || !v->map.n_feature)
        return 0.5;
    own = v->rows.multi ? v->map.threshold[k] : (double)NAN;
    return bird_probability_of(&v->map, k, isnan(own) ? 0.5 : own);
}

/* Append a row of metrics; *out is valid until the next call. */
static int add_metrics(struct bird_evaluating *v, bird_figures **out,
                       const char *part, const char *label)
{
    bird_evaluation *e = &v->e;
    int rc = bird_array_grow(&e->figures, &v->cap_figures, e->n_figures + 1,
                             sizeof(*e->figures));

    if (rc)
        return rc;
    *out = &e->figures[e->n_figures++];
    **out = (bird_figures){.part = part, .label = label};
    return 0;
}

/* --- several labels ------------------------------------------------------- */

enum { N_AREA = 2 }; /* AUROC and AUPRC */
static const enum bird_metric area[N_AREA] = {BIRD_AUROC, BIRD_AUPRC};

struct labels {
    struct bird_evaluating *v;
    const char *part;
    const int64_t *rows; /* (n) of the part */
    int64_t n, n_boot;
    /* the current label */
    int64_t k, n_known, n_positive;
    int64_t *known; /* (n_known) indices into rows */
    int32_t *y;     /* (n_known) */
    double *q[BIRD_MAX_PREDICTOR];
    struct bird_ranking rank[BIRD_MAX_PREDICTOR];
    /* of all labels: (labels) and (labels, n_boot); NaN: not evaluated */
    double *value[BIRD_MAX_PREDICTOR][N_AREA];
    double *boot[BIRD_MAX_PREDICTOR][N_AREA];
    uint8_t *counts;    /* (labels) 1: enough positives for medians */
    uint32_t *of_known; /* (workers, n) */
    double *scratch;    /* (labels or n_boot) */
    double *a, *b;      /* (labels or n_boot) each */
    struct bird_pool pool;
};

/* --- one label ----------------------------------------------------------- */

static void measure_resample(void *context, int64_t first, int64_t count,
                             const uint32_t *weight, int worker)
{
    struct labels *s = context;
    uint32_t *own = s->of_known + worker * s->n;
    int64_t at = s->k * s->n_boot + first;

    (void)count; /* 1 */
    for (int64_t i = 0; i < s->n_known; i++)
        own[i] = weight[s->known[i]];
    for (int p = 0; p < s->v->predictors.n; p++) {
        s->boot[p][0][at] = bird_ranking_auroc(&s->rank[p], own, 0, 1);
        s->boot[p][1][at] = bird_ranking_auprc(&s->rank[p], own, 0, 1);
    }
}

/* Select the rows where label k is known. */
static void pick(struct labels *s, int64_t k)
{
    s->k = k;
    s->n_known = s->n_positive = 0;
    for (int64_t i = 0; i < s->n; i++) {
        float t = bird_dataset_label(&s->v->rows.d, s->rows[i], k);

        if (isnan((double)t))
            continue;
        s->known[s->n_known] = i;
        s->y[s->n_known++] = t != 0;
        s->n_positive += t != 0;
    }
}

/* Gather the probabilities of predictor p at these rows. */
static void gather_label(struct labels *s, int p)
{
    const struct bird_predictor *x = &s->v->predictors.at[p];
    int64_t column = x->columns > 1 ? s->k : 0;

    for (int64_t i = 0; i < s->n_known; i++)
        s->q[p][i] = x->p[s->rows[s->known[i]] * x->columns + column];
}

/* Index of the current label's first resample in boot[][]. */
static int64_t boot_start(const struct labels *s)
{
    return s->k * s->n_boot;
}

/* Intervals of both areas from (n_boot) values, whose order is kept. */
static void set_intervals(struct labels *s, bird_metrics *m,
                          const double *const boot[N_AREA])
{
    for (int i = 0; i < N_AREA; i++) {
        memcpy(s->scratch, boot[i], (size_t)s->n_boot * sizeof(*s->scratch));
        bird_percentiles(&m->lo[area[i]], &m->hi[area[i]], s->scratch,
                         s->n_boot, s->v->metrics.level);
    }
}

static int add_label(struct labels *s, bird_figures **f)
{
    return add_metrics(s->v, f, s->part, s->v->e.label_name[s->k]);
}

static int measure_predictor(struct labels *s, int p)
{
    bird_metrics_options o = s->v->metrics;
    const double *boot[N_AREA];
    bird_figures *f;
    int rc = add_label(s, &f);

    if (rc)
        return rc;
    o.n_boot = 0;
    o.threshold = bird_evaluate_threshold(s->v, p, s->k);
    snprintf(f->predictor, sizeof(f->predictor), "%s",
             s->v->predictors.at[p].name);
    f->ranks_only = s->v->predictors.at[p].ranks_only;
    rc = bird_metrics_measure(&f->m, s->q[p], s->y, s->n_known, 2, &o);
    for (int i = 0; !rc && i < N_AREA; i++) {
        s->value[p][i][s->k] = f->m.value[area[i]];
        boot[i] = s->boot[p][i] + boot_start(s);
    }
    if (!rc)
        set_intervals(s, &f->m, boot);
    return rc;
}

/* The model minus the baseline with the best AUROC. */
static int difference_of(struct labels *s)
{
    double *boot[N_AREA] = {s->a, s->b};
    bird_figures *f;
    int best = 0, rc;

    for (int p = 1; p < s->v->predictors.n; p++)
        if (!best || s->value[p][0][s->k] > s->value[best][0][s->k])
            best = p;
    if (!best)
        return 0;
    rc = add_label(s, &f);
    if (rc)
        return rc;
    snprintf(f->predictor, sizeof(f->predictor), "model-%s",
             s->v->predictors.at[best].name);
    f->ranks_only = 1;
    bird_metrics_none(&f->m);
    f->m.n = s->n_known;
    f->m.n_positive = s->n_positive;
    for (int i = 0; i < N_AREA; i++) {
        f->m.value[area[i]] = s->value[0][i][s->k] - s->value[best][i][s->k];
        for (int64_t j = 0; j < s->n_boot; j++)
            boot[i][j] = s->boot[0][i][boot_start(s) + j] -
                         s->boot[best][i][boot_start(s) + j];
    }
    set_intervals(s, &f->m, (const double *const *)boot);
    return 0;
}

static int measure_label(struct labels *s)
{
    const struct bird_evaluating *v = s->v;
    const struct bird_resamples how = {s->n_boot, 1, v->metrics.seed};
    int rc = 0, ranked = 0;

    for (int p = 0; !rc && p < v->predictors.n; p++) {
        gather_label(s, p);
        rc = bird_ranking_new(&s->rank[p], s->q[p], s->y, s->n_known, 2,
                              &v->metrics);
        ranked += !rc;
    }
    if (!rc && s->n_boot)
        rc = bird_bootstrap(&how, s->n, measure_resample, s);
    for (int p = 0; p < ranked; p++)
        bird_ranking_free(&s->rank[p]);
    for (int p = 0; !rc && p < v->predictors.n; p++)
        rc = measure_predictor(s, p);
    return rc ? rc : difference_of(s);
}

/* --- medians ------------------------------------------------------------- */

/* Median of (labels) values `stride` apart, minus those of `baseline` unless
 * it is NULL, over the labels of a group with enough positives. */
static double median_of(struct labels *s, const double *value,
                        const double *baseline, int64_t stride, int64_t group,
                        int64_t *n_known)
{
    int64_t n_label = s->v->rows.columns;

    for (int64_t k = 0; k < n_label; k++)
        s->a[k] = !s->counts[k] ? (double)NAN
                  : baseline    ? value[k * stride] - baseline[k * stride]
                                : value[k * stride];
    return bird_group_median(n_known, s->scratch, s->a, s->v->classes.of_label,
                             n_label, group);
}

/* The median of predictor p; baseline > 0: of the model minus that baseline. */
static int add_median(struct labels *s, const char *name, int64_t group, int p,
                      int baseline)
{
    int64_t n_boot = s->n_boot;
    bird_figures *f;
    int rc = add_metrics(s->v, &f, s->part, name);

    if (rc)
        return rc;
    snprintf(f->predictor, sizeof(f->predictor), baseline ? "model-%s" : "%s",
             s->v->predictors.at[baseline ? baseline : p].name);
    f->ranks_only = 1;
    bird_metrics_none(&f->m);
    f->m.n = s->n;
    for (int i = 0; i < N_AREA; i++) {
        const double *less = baseline ? s->value[baseline][i] : NULL;

        f->m.value[area[i]] =
            median_of(s, s->value[p][i], less, 1, group, &f->n_label);
        less = baseline ? s->boot[baseline][i] : NULL;
        for (int64_t j = 0; j < n_boot; j++)
            s->b[j] = median_of(s, s->boot[p][i] + j, less ? less + j : NULL,
                                n_boot, group, NULL);
        bird_percentiles(&f->m.lo[area[i]], &f->m.hi[area[i]], s->b, n_boot,
                         s->v->metrics.level);
    }
    return 0;
}

static int medians_of(struct labels *s, const char *name, int64_t group)
{
    int rc = 0;

    for (int p = 0; !rc && p < s->v->predictors.n; p++)
        rc = add_median(s, name, group, p, 0);
    for (int p = 1; !rc && p < s->v->predictors.n; p++)
        rc = add_median(s, name, group, 0, p);
    return rc;
}

/* Set the classes of the labels and the names of their medians, at the first
 * call. */
static int name_medians(struct bird_evaluating *v)
{
    bird_evaluation *e = &v->e;
    int rc;

    if (e->median_name)
        return 0;
    rc = bird_array_new(&v->classes.of_label, v->rows.columns,
                        sizeof(*v->classes.of_label));
    if (!rc && e->features.n)
        rc = bird_features_classes(&v->classes.name, &v->classes.n,
                                   v->classes.of_label, &e->features);
    if (!rc)
        rc = bird_array_new(&e->median_name, v->classes.n + 1,
                            sizeof(*e->median_name));
    if (rc)
        return rc;
    e->n_median = v->classes.n > 1 ? v->classes.n + 1 : 1;
    for (int64_t i = 0; i < e->n_median; i++) {
        const char *class_name = i ? v->classes.name[i - 1] : "";

        if (asprintf(&e->median_name[i], i ? "median:%s" : "median",
                     *class_name ? class_name : ".") < 0) {
            e->median_name[i] = NULL;
            return bird_fail_memory(0);
        }
    }
    return 0;
}

/* --- all labels ---------------------------------------------------------- */

static void fill_nan(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)NAN;
}

static int labels_new(struct labels *s)
{
    struct bird_pool *m = &s->pool;
    int64_t n_label = s->v->rows.columns, n = s->n,
            n_value = n_label * s->n_boot;
    int64_t most = n_label > s->n_boot ? n_label : s->n_boot;

    s->known = bird_pool_array(m, n, sizeof(*s->known));
    s->y = bird_pool_array(m, n, sizeof(*s->y));
    s->counts = bird_pool_array(m, n_label, 1);
    s->scratch = bird_pool_array(m, most, sizeof(double));
    s->a = bird_pool_array(m, most, sizeof(double));
    s->b = bird_pool_array(m, most, sizeof(double));
    if (s->n_boot)
        s->of_known = bird_pool_array(m, bird_threads() * n, sizeof(uint32_t));
    for (int p = 0; p < s->v->predictors.n; p++) {
        s->q[p] = bird_pool_array(m, n, sizeof(double));
        for (int i = 0; i < N_AREA; i++) {
            s->value[p][i] = bird_pool_array(m, n_label, sizeof(double));
            s->boot[p][i] = bird_pool_array(m, n_value, sizeof(double));
            if (m->rc)
                return m->rc;
            fill_nan(s->value[p][i], n_label);
            fill_nan(s->boot[p][i], n_value);
        }
    }
    return m->rc;
}

/* Add the model's probabilities of the current label to the reliability
 * table. */
static void add_reliability(struct labels *s)
{
    const struct bird_predictor *x = &s->v->predictors.at[0];

    for (int64_t i = 0; i < s->n_known; i++)
        bird_reliability_add(&s->v->e.reliability,
                             x->p[s->rows[s->known[i]] * x->columns + s->k],
                             s->y[i]);
}

/* Labels without metrics: their number, and the names of the first few. */
struct left_out {
    struct bird_text names;
    int64_t n;
};

enum { NAMES_TOLD = 8 };

static int leave_out(struct left_out *l, const char *name)
{
    if (l->n++ >= NAMES_TOLD)
        return 0;
    return bird_text_printf(&l->names, "%s%s", l->n > 1 ? ", " : "", name);
}

static int note_left_out(struct bird_evaluating *v, const char *part,
                         const struct left_out *l, const char *why)
{
    char more[48] = "";

    if (!l->n)
        return 0;
    if (l->n > NAMES_TOLD)
        snprintf(more, sizeof(more), " and %lld more",
                 (long long)l->n - NAMES_TOLD);
    return bird_evaluate_note(
        v,
        "%s rows: %lld of %lld labels have no %s and were "
        "not evaluated: %s%s",
        part, (long long)l->n, (long long)v->rows.columns, why, l->names.s,
        more);
}

static int measure_labels(struct labels *s, struct left_out *unknown,
                          struct left_out *one_sided)
{
    struct bird_evaluating *v = s->v;
    int64_t least = v->o->min_positives > 1 ? v->o->min_positives : 1;
    int rc = 0;

    for (int64_t k = 0; !rc && k < v->rows.columns; k++) {
        pick(s, k);
        if (!strcmp(s->part, "all"))
            add_reliability(s);
        s->counts[k] =
            s->n_positive >= least && s->n_known - s->n_positive >= least;
        if (s->n_positive && s->n_positive < s->n_known)
            rc = measure_label(s);
        else
            rc =
                leave_out(s->n_known ? one_sided : unknown, v->e.label_name[k]);
    }
    return rc;
}

/* Metrics of each label, medians of each class. */
static int evaluate_labels(struct bird_evaluating *v, const char *part,
                           const int64_t *rows, int64_t n)
{
    struct labels s = {.v = v,
                       .part = part,
                       .rows = rows,
                       .n = n,
                       .n_boot = v->metrics.n_boot};
    struct left_out unknown = {0}, one_sided = {0};
    int64_t first = v->e.n_figures;
    int rc = name_medians(v);

    if (!rc)
        rc = labels_new(&s);
    if (!rc)
        rc = measure_labels(&s, &unknown, &one_sided);
    for (int64_t i = 0; !rc && v->e.n_figures > first && i < v->e.n_median; i++)
        rc = medians_of(&s, v->e.median_name[i], i - 1);
    if (!rc)
        rc = note_left_out(v, part, &one_sided, "positives or no negatives");
    if (!rc)
        rc = note_left_out(v, part, &unknown, "data");
    bird_text_free(&unknown.names);
    bird_text_free(&one_sided.names);
    bird_pool_free(&s.pool);
    return rc;
}

/* --- one class a row ------------------------------------------------------ */

/* Rows that are evaluated together, with their classes. */
struct sample {
    const char *part;
    const int64_t *rows;
    int64_t n, n_class;
    int32_t *y; /* (n) */
};

/* The predictor's probabilities of the sample; *out is NULL when the
 * predictor has fewer columns than there are classes. */
static int gather(double **out, const struct bird_predictor *p,
                  const struct sample *s)
{
    int64_t width = s->n_class == 2 ? 1 : s->n_class;
    double *q;
    int rc;

    *out = NULL;
    if (p->columns < width)
        return 0;
    rc = bird_array_new(&q, s->n * width, sizeof(*q));
    if (rc)
        return rc;
    for (int64_t i = 0; i < s->n; i++)
        memcpy(q + i * width, p->p + s->rows[i] * p->columns,
               (size_t)width * sizeof(*q));
    *out = q;
    return 0;
}

/* The model (predictor 0) minus the best baseline. */
static int compare_sample(struct bird_evaluating *v, double *const *q,
                          const double *auroc, const struct sample *s)
{
    bird_metrics_options o = v->metrics;
    bird_figures *f;
    int best = 0, rc;

    o.threshold = bird_evaluate_threshold(v, 0, 0);
    for (int i = 1; i < v->predictors.n; i++)
        if (q[i] && !isnan(auroc[i]) && (!best || auroc[i] > auroc[best]))
            best = i;
    if (!best)
        return 0;
    rc = add_metrics(v, &f, s->part, NULL);
    if (rc)
        return rc;
    snprintf(f->predictor, sizeof(f->predictor), "model-%s",
             v->predictors.at[best].name);
    f->ranks_only = v->predictors.at[best].ranks_only;
    o.threshold_b = bird_evaluate_threshold(v, best, 0);
    return bird_metrics_compare(&f->m, q[0], q[best], s->y, s->n, s->n_class,
                                &o);
}

static int measure_sample(struct bird_evaluating *v, const struct sample *s)
{
    double *q[BIRD_MAX_PREDICTOR] = {NULL}, auroc[BIRD_MAX_PREDICTOR];
    int rc = 0;

    for (int i = 0; !rc && i < v->predictors.n; i++) {
        const struct bird_predictor *p = &v->predictors.at[i];
        bird_metrics_options o = v->metrics;
        bird_figures *f;

        o.threshold = bird_evaluate_threshold(v, i, 0);
        rc = gather(&q[i], p, s);
        if (rc || !q[i])
            continue;
        if ((rc = add_metrics(v, &f, s->part, NULL)))
            break;
        snprintf(f->predictor, sizeof(f->predictor), "%s", p->name);
        f->ranks_only = p->ranks_only;
        rc = bird_metrics_measure(&f->m, q[i], s->y, s->n, s->n_class, &o);
        auroc[i] = f->m.value[BIRD_AUROC];
    }
    if (!rc)
        rc = compare_sample(v, q, auroc, s);
    for (int i = 0; i < v->predictors.n; i++)
        free(q[i]);
    return rc;
}

int bird_evaluate_part(struct bird_evaluating *v, const char *part,
                       const int64_t *rows, int64_t n)
{
    struct sample s = {.part = part, .rows = rows, .n = n};
    int rc;

    if (n < 1)
        return bird_evaluate_note(v, "no %s rows to evaluate", part);
    if (v->rows.multi)
        return evaluate_labels(v, part, rows, n);
    rc = bird_array_new(&s.y, n, sizeof(*s.y));
    if (rc)
        return rc;
    for (int64_t i = 0; i < n; i++)
        s.y[i] = v->rows.d.row[rows[i]].label;
    s.n_class = v->rows.columns == 1 ? 2 : v->rows.columns;
    rc = measure_sample(v, &s);
    free(s.y);
    return rc;
}
