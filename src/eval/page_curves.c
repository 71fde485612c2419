/* Curves of labels on a grid. SPDX-License-Identifier: MIT */
#include "eval/page_curves.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"

#define LAST (BIRD_CURVE_POINTS - 1)

struct answer {
    double p;
    int y;
};

struct task {
    struct bird_label_curves *c;
    const bird_dataset *d;
    const double *p;
    int64_t columns;
    struct answer *workspace; /* (workers, d->n) */
};

static int falling(const void *a, const void *b)
{
    double x = ((const struct answer *)a)->p, y = ((const struct answer *)b)->p;

    return x > y ? -1 : x < y;
}

/* State of a pass over thresholds from the highest down. */
struct walk {
    double tp, fp;   /* above the threshold */
    double pos, neg; /* of all rows */
    double last_tp, last_fp;
    int roc_at, pr_at; /* next grid points */
};

/* Set the grid points that the pass has reached. */
static void mark(struct walk *w, const struct bird_label_curves *c, double *roc,
                 double *pr)
{
    double fpr = w->fp / w->neg, before = w->last_fp / w->neg;
    double tpr = w->tp / w->pos, low = w->last_tp / w->pos;

    for (; w->roc_at <= LAST && c->x[w->roc_at] < fpr; w->roc_at++)
        roc[w->roc_at] =
            low + (tpr - low) * (c->x[w->roc_at] - before) / (fpr - before);
    for (; w->pr_at <= LAST &&
           (tpr > c->x[w->pr_at] || (w->pr_at == LAST && w->tp >= w->pos));
         w->pr_at++)
        pr[w->pr_at] = w->tp / (w->tp + w->fp);
    w->last_tp = w->tp;
    w->last_fp = w->fp;
}

static void curves_of(const struct bird_label_curves *c, double *roc,
                      const struct answer *a, int64_t n)
{
    double *pr = roc + BIRD_CURVE_POINTS;
    struct walk w = {0};

    for (int64_t i = 0; i < n; i++)
        w.pos += a[i].y;
    w.neg = (double)n - w.pos;
    for (int i = 0; i <= LAST; i++)
        roc[i] = pr[i] = (double)NAN;
    if (!(w.pos > 0) || !(w.neg > 0))
        return;
    for (int64_t i = 0; i < n; i++) {
        w.tp += a[i].y;
        w.fp += !a[i].y;
        if (i + 1 == n || a[i + 1].p < a[i].p)
            mark(&w, c, roc, pr);
    }
    for (; w.roc_at <= LAST; w.roc_at++)
        roc[w.roc_at] = 1;
}

static void label_task(void *context, int64_t k, int worker)
{
    struct task *t = context;
    struct answer *a = t->workspace + worker * t->d->n;
    int64_t n = 0;

    for (int64_t i = 0; i < t->d->n; i++) {
        float y = bird_dataset_label(t->d, i, k);

        if (!isnan((double)y))
            a[n++] = (struct answer){t->p[i * t->columns + k], y != 0};
    }
    qsort(a, (size_t)n, sizeof(*a), falling);
    curves_of(t->c, t->c->y + k * 2 * BIRD_CURVE_POINTS, a, n);
}

int bird_label_curves_new(struct bird_label_curves *out, const bird_dataset *d,
                          const double *p, int64_t columns)
{
    struct task t = {.c = out, .d = d, .p = p, .columns = columns};
    int rc = bird_array_new(&t.workspace, bird_threads() * d->n,
                            sizeof(*t.workspace));

    if (!rc)
        rc = bird_array_new(&out->y, columns * 2 * BIRD_CURVE_POINTS,
                            sizeof(*out->y));
    for (int i = 0; i <= LAST; i++)
        out->x[i] = (double)i / LAST;
    if (!rc)
        bird_parallel(columns, label_task, &t);
    free(t.workspace);
    return rc;
}

void bird_label_curves_free(struct bird_label_curves *c)
{
    free(c->y);
    *c = (struct bird_label_curves){0};
}

void bird_label_curve(const struct bird_label_curves *c, struct bird_series *s,
                      int64_t label, int kind)
{
    s->x = c->x;
    s->y = c->y + (label * 2 + kind) * BIRD_CURVE_POINTS;
    s->n = BIRD_CURVE_POINTS;
}

void bird_curve_chart(struct bird_markup *m, int kind, struct bird_series *s,
                      int n, double share, const char *chance_name)
{
    static const double ends[2] = {0, 1};
    const double chance[2] = {share, share};
    struct bird_chart c;

    s[n] = (struct bird_series){.name = chance_name,
                                .x = ends,
                                .y = kind ? chance : ends,
                                .n = 2,
                                .mark = BIRD_DASHED,
                                .colour = 3};
    bird_chart_default(&c);
    c.title = kind ? "Precision and recall" : "ROC";
    c.x = (struct bird_axis){.label = kind ? "recall" : "false positive rate",
                             .hi = 1};
    c.y = (struct bird_axis){.label = kind ? "precision" : "true positive rate",
                             .hi = 1};
    c.series = s;
    c.n_series = n + 1;
    c.square = 1;
    bird_html_chart(m, &c);
}
