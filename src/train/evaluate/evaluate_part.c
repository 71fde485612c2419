/* Figures of predictors on a part of the rows. SPDX-License-Identifier: MIT */
#include "train/evaluate/evaluate_part.h"

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

/* What is measured at once: classes of some rows, or one label of them. */
struct sample {
    const char *part, *label;
    const int64_t *rows;
    int64_t n, n_class;
    int64_t column; /* of several labels; -1: all columns */
    int32_t *y;     /* (n) */
};

static int add_figures(struct bird_evaluating *v, bird_figures **out,
                       const struct sample *s)
{
    bird_evaluation *e = &v->e;
    int rc = bird_array_grow(&e->figures, &v->cap_figures, e->n_figures + 1,
                             sizeof(*e->figures));

    if (rc)
        return rc;
    *out = &e->figures[e->n_figures++];
    **out = (bird_figures){.part = s->part, .label = s->label};
    return 0;
}

/* The predictor's probabilities of the sample; NULL in *out when it has none
 * for so many classes. */
static int gather(double **out, const struct bird_predictor *p,
                  const struct sample *s)
{
    int64_t width = s->n_class == 2 ? 1 : s->n_class, first = 0;
    double *q;
    int rc;

    *out = NULL;
    if (s->column >= 0 && p->columns > 1)
        first = s->column;
    if (p->columns < width)
        return 0;
    rc = bird_array_new(&q, s->n * width, sizeof(*q));
    if (rc)
        return rc;
    for (int64_t i = 0; i < s->n; i++)
        memcpy(q + i * width, p->p + s->rows[i] * p->columns + first,
               (size_t)width * sizeof(*q));
    *out = q;
    return 0;
}

/* The model less the best floor, the model being predictor 0. */
static int compare(struct bird_evaluating *v, double *const *q,
                   const double *auroc, const struct sample *s)
{
    bird_figures *f;
    int best = 0, rc;

    for (int i = 1; i < v->n_predictor; i++)
        if (q[i] && !isnan(auroc[i]) && (!best || auroc[i] > auroc[best]))
            best = i;
    if (!best)
        return 0;
    rc = add_figures(v, &f, s);
    if (rc)
        return rc;
    snprintf(f->predictor, sizeof(f->predictor), "model-%s",
             v->predictor[best].name);
    f->ranks_only = v->predictor[best].ranks_only;
    return bird_metrics_compare(&f->m, q[0], q[best], s->y, s->n, s->n_class,
                                &v->metrics);
}

static int measure(struct bird_evaluating *v, const struct sample *s)
{
    double *q[BIRD_MAX_PREDICTOR] = {NULL}, auroc[BIRD_MAX_PREDICTOR];
    int rc = 0;

    for (int i = 0; !rc && i < v->n_predictor; i++) {
        const struct bird_predictor *p = &v->predictor[i];
        bird_figures *f;

        rc = gather(&q[i], p, s);
        if (rc || !q[i])
            continue;
        if ((rc = add_figures(v, &f, s)))
            break;
        snprintf(f->predictor, sizeof(f->predictor), "%s", p->name);
        f->ranks_only = p->ranks_only;
        rc = bird_metrics_measure(&f->m, q[i], s->y, s->n, s->n_class,
                                  &v->metrics);
        auroc[i] = f->m.value[BIRD_AUROC];
    }
    if (!rc)
        rc = compare(v, q, auroc, s);
    for (int i = 0; i < v->n_predictor; i++)
        free(q[i]);
    return rc;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Medians of one predictor over the labels from figures `first` on. */
static int add_median(struct bird_evaluating *v, const char *predictor,
                      int64_t first, struct sample *s)
{
    bird_evaluation *e = &v->e;
    int64_t end = e->n_figures, n = 0;
    double *value;
    bird_figures *f;
    int rc = bird_array_new(&value, end - first, sizeof(*value));

    if (rc)
        return rc;
    s->label = "median";
    rc = add_figures(v, &f, s);
    if (rc)
        goto done;
    snprintf(f->predictor, sizeof(f->predictor), "%s", predictor);
    f->ranks_only = 1;
    f->m.n = s->n;
    f->m.n_class = 2;
    for (int k = 0; k < BIRD_N_METRIC; k++) {
        n = 0;
        for (int64_t i = first; i < end; i++) {
            double x = e->figures[i].m.value[k];

            if (!strcmp(e->figures[i].predictor, predictor) && !isnan(x))
                value[n++] = x;
        }
        f->m.value[k] = f->m.lo[k] = f->m.hi[k] = (double)NAN;
        if (!n)
            continue;
        qsort(value, (size_t)n, sizeof(*value), by_value);
        f->m.value[k] = (value[(n - 1) / 2] + value[n / 2]) / 2;
    }
done:
    free(value);
    return rc;
}

/* Rows where label k is known, and what it is; how many are positive. */
static int64_t pick(int64_t *picked, struct sample *s, const bird_dataset *d,
                    const int64_t *rows, int64_t n)
{
    int64_t positive = 0;

    s->n = 0;
    for (int64_t i = 0; i < n; i++) {
        float t = bird_dataset_label(d, rows[i], s->column);

        if (isnan((double)t))
            continue;
        picked[s->n] = rows[i];
        s->y[s->n++] = t != 0;
        positive += t != 0;
    }
    return positive;
}

static int note_left_out(struct bird_evaluating *v, const char *part,
                         int64_t n_left, const struct bird_text *names)
{
    if (!n_left)
        return 0;
    return bird_evaluate_note(v,
                              "%s rows: %lld labels without positives or "
                              "without negatives have no figures: %s",
                              part, (long long)n_left, names->s);
}

static int several_labels(struct bird_evaluating *v, struct sample *s,
                          const int64_t *rows, int64_t n)
{
    struct bird_text names = {0};
    int64_t *picked, n_left = 0, first = v->e.n_figures;
    int rc = bird_array_new(&picked, n, sizeof(*picked));

    s->rows = picked;
    s->n_class = 2;
    for (s->column = 0; !rc && s->column < v->columns; s->column++) {
        int64_t positive = pick(picked, s, &v->test, rows, n);

        s->label = v->e.label_name[s->column];
        if (positive && positive < s->n)
            rc = measure(v, s);
        else
            rc = bird_text_printf(&names, "%s%s", n_left++ ? ", " : "",
                                  s->label);
    }
    s->n = n;
    if (!rc && v->e.n_figures > first)
        for (int i = 0; !rc && i < v->n_predictor; i++)
            rc = add_median(v, v->predictor[i].name, first, s);
    if (!rc)
        rc = note_left_out(v, s->part, n_left, &names);
    bird_text_free(&names);
    free(picked);
    return rc;
}

int bird_evaluate_part(struct bird_evaluating *v, const char *part,
                       const int64_t *rows, int64_t n)
{
    struct sample s = {.part = part, .rows = rows, .n = n, .column = -1};
    int rc;

    if (n < 1)
        return bird_evaluate_note(v, "no rows are %s: no figures of them",
                                  part);
    rc = bird_array_new(&s.y, n, sizeof(*s.y));
    if (rc)
        return rc;
    if (v->multi) {
        rc = several_labels(v, &s, rows, n);
    } else {
        for (int64_t i = 0; i < n; i++)
            s.y[i] = v->test.row[rows[i]].label;
        s.n_class = v->columns == 1 ? 2 : v->columns;
        rc = measure(v, &s);
    }
    free(s.y);
    return rc;
}
