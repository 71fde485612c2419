/* Evaluation of a model of measured values: the correlation of model and GC
 * share with each value, and the squared error, with intervals.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/ceiling.h"
#include "eval/evaluating.h"
#include "eval/metrics.h"
#include "eval/value_metrics.h"

/* Metrics of predictor p on value k of some rows, which x (2 n) and y take. */
static int measure_value(struct bird_evaluating *v, bird_value_figures *out,
                         const struct bird_predictor *p, int64_t k,
                         const int64_t *rows, int64_t n, double *x, float *y)
{
    int64_t column = p->columns == 1 ? 0 : k;
    int64_t sd = p->columns > v->rows.columns ? v->rows.columns : 0;
    struct bird_value_rows r = {x, sd ? x + n : NULL, 1, y, n};
    struct bird_value_metrics m;
    int rc;

    for (int64_t i = 0; i < n; i++) {
        const double *answer = p->p + rows[i] * p->columns + column;

        x[i] = *answer;
        x[n + i] = answer[sd];
        y[i] = bird_dataset_label(&v->rows.d, rows[i], k);
    }
    rc = bird_value_metrics_measure(&m, &r, &v->metrics);
    if (rc)
        return rc;
    out->n = m.n;
    out->has_sd = sd > 0;
    for (int i = 0; i < BIRD_N_VALUE_METRIC; i++) {
        int known = i < BIRD_MEAN_SQUARE || !p->ranks_only;

        out->value[i] = known ? m.value[i] : (double)NAN;
        out->lo[i] = known ? m.lo[i] : (double)NAN;
        out->hi[i] = known ? m.hi[i] : (double)NAN;
    }
    return 0;
}

/* Another line of figures, all undefined. */
static int add_figures(bird_value_figures **out, struct bird_evaluating *v,
                       const char *part, const char *predictor, int64_t k)
{
    bird_evaluation *e = &v->e;
    bird_value_figures *f;
    int rc = bird_array_grow(&e->values, &v->cap_values, e->n_values + 1,
                             sizeof(*e->values));

    if (rc)
        return rc;
    f = *out = &e->values[e->n_values++];
    *f = (bird_value_figures){.part = part, .label = e->label_name[k]};
    snprintf(f->predictor, sizeof(f->predictor), "%s", predictor);
    for (int m = 0; m < BIRD_N_VALUE_METRIC; m++)
        f->value[m] = f->lo[m] = f->hi[m] = (double)NAN;
    return 0;
}

/* Both coefficients of a line. */
static void put_correlations(bird_value_figures *f, int64_t n,
                             const double *value, const double *lo,
                             const double *hi)
{
    f->n = n;
    for (int i = 0; i < 2; i++) {
        f->value[BIRD_PEARSON + i] = value[i];
        f->lo[BIRD_PEARSON + i] = lo[i];
        f->hi[BIRD_PEARSON + i] = hi[i];
    }
}

/* The lines "replicate" and "ceiling" of value k. */
static int add_ceiling(struct bird_evaluating *v, const char *part,
                       const int64_t *rows, int64_t n, int64_t k)
{
    const struct bird_evaluate_replicates *r = &v->replicates;
    const double nan = (double)NAN;
    struct bird_ceiling c = {.single = {nan, nan}, .value = {nan, nan}};
    bird_value_figures *f;
    int rc = 0;

    if (r->first) {
        struct bird_replicates of = {&r->d, r->first[k],
                                     r->first[k + 1] - r->first[k], rows, n};

        rc = bird_ceiling_measure(&c, &of, &v->metrics);
    } else {
        c.n = v->e.values[v->e.n_values - 1].n; /* with a value */
        c.single[0] = r->r[k];
        c.value[0] = bird_ceiling_of(r->r[k], r->k[k]);
        for (int i = 0; i < 2; i++)
            c.single_lo[i] = c.single_hi[i] = c.lo[i] = c.hi[i] = nan;
    }
    if (!rc)
        rc = add_figures(&f, v, part, "replicate", k);
    if (!rc)
        put_correlations(f, c.n, c.single, c.single_lo, c.single_hi);
    if (!rc)
        rc = add_figures(&f, v, part, "ceiling", k);
    if (!rc)
        put_correlations(f, c.n, c.value, c.lo, c.hi);
    return rc;
}

int bird_evaluate_part_values(struct bird_evaluating *v, const char *part,
                              const int64_t *rows, int64_t n)
{
    int ceiling = v->replicates.first || v->replicates.r;
    struct bird_pool pool = {0};
    double *x = bird_pool_array(&pool, 2 * n, sizeof(*x));
    float *y = bird_pool_array(&pool, n, sizeof(*y));
    int rc = pool.rc;

    for (int64_t k = 0; !rc && k < v->rows.columns; k++) {
        for (int p = 0; !rc && p < v->predictors.n; p++) {
            const struct bird_predictor *by = &v->predictors.at[p];
            bird_value_figures *f;

            rc = add_figures(&f, v, part, by->name, k);
            if (!rc)
                rc = measure_value(v, f, by, k, rows, n, x, y);
        }
        if (!rc && ceiling)
            rc = add_ceiling(v, part, rows, n, k);
    }
    bird_pool_free(&pool);
    return rc;
}

/* --- replicates ----------------------------------------------------------- */

static int fail_count(const struct bird_evaluating *v, const char *option)
{
    return bird_fail(BIRD_EINVAL,
                     "%s is not as many groups as the model has values, %lld",
                     option, (long long)v->rows.columns);
}

/* "a,b;c,d": first[k] of the columns of value k; semicolons become commas. */
static int find_groups(struct bird_evaluating *v, char *text)
{
    int64_t *first = v->replicates.first, columns = 0, k = 0;

    for (char *c = text;; c++) {
        if (*c && *c != ',' && *c != ';')
            continue;
        columns++;
        if (*c == ',')
            continue;
        if (k == v->rows.columns)
            return fail_count(v, "--replicates");
        if (columns < first[k] + 2)
            return bird_fail(BIRD_EINVAL, "--replicates: two columns or more "
                                          "for each value");
        first[++k] = columns;
        if (!*c)
            break;
        *c = ',';
    }
    return k == v->rows.columns ? 0 : fail_count(v, "--replicates");
}

static int read_replicates(struct bird_evaluating *v)
{
    struct bird_evaluate_replicates *r = &v->replicates;
    bird_dataset_options how = v->o->data;
    char *text = strdup(v->o->replicates);
    int rc =
        text ? bird_array_new(&r->first, v->rows.columns + 1, sizeof(*r->first))
             : bird_fail_memory(0);

    if (!rc)
        rc = find_groups(v, text);
    how.values = text;
    how.label = how.name = NULL;
    if (!rc)
        rc = bird_dataset_open(&r->d, v->o->test, &how);
    if (!rc && (r->d.n != v->rows.d.n || r->d.kind != BIRD_LABEL_VALUE))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: replicates are columns of a table, "
                       "which is read twice",
                       v->o->test);
    free(text);
    return rc;
}

/* "R:K,..." for each value, or once for all. */
static int read_correlations(struct bird_evaluating *v)
{
    struct bird_evaluate_replicates *r = &v->replicates;
    const char *s = v->o->replicate_correlation;
    int64_t n = v->rows.columns, k = 0;
    int rc = bird_array_new(&r->r, 2 * n, sizeof(*r->r));

    if (rc)
        return rc;
    r->k = r->r + n;
    for (; *s && k < n; k++) {
        char *end;

        r->r[k] = strtod(s, &end);
        r->k[k] = *end == ':' ? strtod(end + 1, &end) : 1;
        if (end == s || (*end && *end != ',') || !(r->r[k] > 0) ||
            r->r[k] > 1 || !(r->k[k] >= 1) || isinf(r->k[k]))
            return bird_fail(BIRD_EINVAL, "--replicate-correlation is R or R:K "
                                          "for each value: R above 0 and up to "
                                          "1, K replicates, 1 or more");
        s = *end ? end + 1 : end;
    }
    if (*s || (k != 1 && k != n))
        return fail_count(v, "--replicate-correlation");
    for (int64_t i = k; i < n; i++) {
        r->r[i] = r->r[0];
        r->k[i] = r->k[0];
    }
    return 0;
}

int bird_evaluate_open_replicates(struct bird_evaluating *v)
{
    const bird_evaluate_options *o = v->o;

    if (!o->replicates && !o->replicate_correlation)
        return 0;
    if (!v->rows.measured)
        return bird_fail(BIRD_EINVAL,
                         "%s: replicates are of measured values, which this "
                         "model does not predict",
                         bird_model_path(v->model));
    if (o->replicates && o->replicate_correlation)
        return bird_fail(BIRD_EINVAL, "give --replicates or "
                                      "--replicate-correlation, not both");
    return o->replicates ? read_replicates(v) : read_correlations(v);
}

void bird_evaluate_free_replicates(struct bird_evaluate_replicates *r)
{
    bird_dataset_free(&r->d);
    free(r->first);
    free(r->r);
}

/* --- printing ------------------------------------------------------------- */

static int n_metric(const bird_value_figures *g)
{
    return g->has_sd ? BIRD_N_VALUE_METRIC : BIRD_WITHIN_SD;
}

void bird_evaluate_print_values(FILE *f, const bird_evaluation *e)
{
    for (int64_t i = 0; i < e->n_values; i++) {
        const bird_value_figures *g = &e->values[i];

        fprintf(f, "%s/%s:%s\trows\t%lld\tNA\tNA\n", g->part, g->predictor,
                g->label, (long long)g->n);
        for (int m = 0; m < n_metric(g); m++) {
            const double line[] = {g->value[m], g->lo[m], g->hi[m]};

            fprintf(f, "%s/%s:%s\t%s", g->part, g->predictor, g->label,
                    bird_value_metric_name((enum bird_value_metric)m));
            bird_put_numbers(f, line, 3);
            fputc('\n', f);
        }
    }
}

int bird_evaluate_put_values(json_t *parts, const bird_evaluation *e)
{
    int bad = 0;

    for (int64_t i = 0; !bad && i < e->n_values; i++) {
        const bird_value_figures *g = &e->values[i];
        json_t *j = json_pack("{s:I}", "rows", (json_int_t)g->n);

        for (int m = 0; m < n_metric(g); m++)
            json_object_set_new(
                j, bird_value_metric_name((enum bird_value_metric)m),
                json_pack("{s:o, s:o, s:o}", "value",
                          bird_json_number(g->value[m]), "lo",
                          bird_json_number(g->lo[m]), "hi",
                          bird_json_number(g->hi[m])));
        bad = json_object_set_new(
            bird_json_inside(bird_json_inside(parts, g->part), g->predictor),
            g->label, j);
    }
    return bad ? bird_fail_memory(0) : 0;
}
