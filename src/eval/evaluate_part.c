/* Figures of predictors on a part of the rows. SPDX-License-Identifier: MIT */
#include "eval/evaluate_part.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"

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
    own = v->multi ? v->map.threshold[k] : (double)NAN;
    return bird_probability_of(&v->map, k, isnan(own) ? 0.5 : own);
}

/* What is measured at once: classes of some rows. */
struct sample {
    const char *part;
    const int64_t *rows;
    int64_t n, n_class;
    int32_t *y; /* (n) */
};

int bird_evaluate_add(struct bird_evaluating *v, bird_figures **out,
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

/* The predictor's probabilities of the sample; NULL in *out when it has none
 * for so many classes. */
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

/* The model less the best floor, the model being predictor 0. */
static int compare(struct bird_evaluating *v, double *const *q,
                   const double *auroc, const struct sample *s)
{
    bird_metrics_options o = v->metrics;
    bird_figures *f;
    int best = 0, rc;

    o.threshold = bird_evaluate_threshold(v, 0, 0);
    for (int i = 1; i < v->n_predictor; i++)
        if (q[i] && !isnan(auroc[i]) && (!best || auroc[i] > auroc[best]))
            best = i;
    if (!best)
        return 0;
    rc = bird_evaluate_add(v, &f, s->part, NULL);
    if (rc)
        return rc;
    snprintf(f->predictor, sizeof(f->predictor), "model-%s",
             v->predictor[best].name);
    f->ranks_only = v->predictor[best].ranks_only;
    o.threshold_b = bird_evaluate_threshold(v, best, 0);
    return bird_metrics_compare(&f->m, q[0], q[best], s->y, s->n, s->n_class,
                                &o);
}

static int measure(struct bird_evaluating *v, const struct sample *s)
{
    double *q[BIRD_MAX_PREDICTOR] = {NULL}, auroc[BIRD_MAX_PREDICTOR];
    int rc = 0;

    for (int i = 0; !rc && i < v->n_predictor; i++) {
        const struct bird_predictor *p = &v->predictor[i];
        bird_metrics_options o = v->metrics;
        bird_figures *f;

        o.threshold = bird_evaluate_threshold(v, i, 0);
        rc = gather(&q[i], p, s);
        if (rc || !q[i])
            continue;
        if ((rc = bird_evaluate_add(v, &f, s->part, NULL)))
            break;
        snprintf(f->predictor, sizeof(f->predictor), "%s", p->name);
        f->ranks_only = p->ranks_only;
        rc = bird_metrics_measure(&f->m, q[i], s->y, s->n, s->n_class, &o);
        auroc[i] = f->m.value[BIRD_AUROC];
    }
    if (!rc)
        rc = compare(v, q, auroc, s);
    for (int i = 0; i < v->n_predictor; i++)
        free(q[i]);
    return rc;
}

int bird_evaluate_part(struct bird_evaluating *v, const char *part,
                       const int64_t *rows, int64_t n)
{
    struct sample s = {.part = part, .rows = rows, .n = n};
    int rc;

    if (n < 1)
        return bird_evaluate_note(v, "no rows are %s: no figures of them",
                                  part);
    if (v->multi)
        return bird_evaluate_labels(v, part, rows, n);
    rc = bird_array_new(&s.y, n, sizeof(*s.y));
    if (rc)
        return rc;
    for (int64_t i = 0; i < n; i++)
        s.y[i] = v->test.row[rows[i]].label;
    s.n_class = v->columns == 1 ? 2 : v->columns;
    rc = measure(v, &s);
    free(s.y);
    return rc;
}
