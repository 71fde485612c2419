/* Evaluation of a model of measured values: the correlation of model and GC
 * share with each value, and the squared error, with intervals.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
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

int bird_evaluate_part_values(struct bird_evaluating *v, const char *part,
                              const int64_t *rows, int64_t n)
{
    bird_evaluation *e = &v->e;
    struct bird_pool pool = {0};
    double *x = bird_pool_array(&pool, 2 * n, sizeof(*x));
    float *y = bird_pool_array(&pool, n, sizeof(*y));
    int rc = pool.rc;

    for (int64_t k = 0; !rc && k < v->rows.columns; k++)
        for (int p = 0; !rc && p < v->predictors.n; p++) {
            bird_value_figures *f;

            rc = bird_array_grow(&e->values, &v->cap_values, e->n_values + 1,
                                 sizeof(*e->values));
            if (rc)
                break;
            f = &e->values[e->n_values++];
            *f = (bird_value_figures){.part = part, .label = e->label_name[k]};
            snprintf(f->predictor, sizeof(f->predictor), "%s",
                     v->predictors.at[p].name);
            rc = measure_value(v, f, &v->predictors.at[p], k, rows, n, x, y);
        }
    bird_pool_free(&pool);
    return rc;
}

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

/* A number, or null where it is not defined. */
static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
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
                json_pack("{s:o, s:o, s:o}", "value", number(g->value[m]), "lo",
                          number(g->lo[m]), "hi", number(g->hi[m])));
        bad = json_object_set_new(
            bird_json_inside(bird_json_inside(parts, g->part), g->predictor),
            g->label, j);
    }
    return bad ? bird_fail_memory(0) : 0;
}
