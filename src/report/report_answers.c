/* Predictions and true labels (`evaluate --predictions`): ROC and
 * precision-recall curves with the line of a random predictor, the
 * distribution of the probabilities of both classes, and calibration. Each
 * of several labels or classes is evaluated on its own.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/metrics.h"
#include "eval/page_curves.h"
#include "report/report_page.h"

enum { OPEN_ROWS = 40 };

/* One binary question: a label, a class, or the only column of the file. */
struct question {
    char *name;
    double *p; /* (n) */
    float *y;  /* (n) 0, 1 */
    int64_t n, cap_p, cap_y;
    bird_metrics m;
};

struct answers {
    struct bird_report_page *p;
    const char *source;
    struct bird_report_rows r;
    int64_t label, column, probability; /* columns of the file; -1: it has
                                           none */
    struct question *q;                 /* (n) */
    int64_t n, cap;
    char *first;   /* name of the first label */
    int64_t n_row; /* its lines, known or not */
};

static void answers_free(struct answers *a)
{
    for (int64_t i = 0; i < a->n; i++) {
        free(a->q[i].name);
        free(a->q[i].p);
        free(a->q[i].y);
    }
    free(a->q);
    free(a->first);
    bird_report_rows_close(&a->r);
}

/* --- reading -------------------------------------------------------------- */

static int question_of(struct question **out, struct answers *a,
                       const char *name)
{
    int64_t i = 0;
    int rc;

    while (i < a->n && strcmp(a->q[i].name, name) != 0)
        i++;
    if (i == a->n) {
        rc = bird_array_grow(&a->q, &a->cap, i + 1, sizeof(*a->q));
        if (rc)
            return rc;
        a->q[i] = (struct question){.name = strdup(name)};
        a->n++;
        if (!a->q[i].name)
            return bird_fail_memory(0);
    }
    *out = &a->q[i];
    return 0;
}

static int add(struct question *q, double p, int y)
{
    int rc = bird_array_grow(&q->p, &q->cap_p, q->n + 1, sizeof(*q->p));

    if (!rc)
        rc = bird_array_grow(&q->y, &q->cap_y, q->n + 1, sizeof(*q->y));
    if (rc)
        return rc;
    q->p[q->n] = p;
    q->y[q->n++] = (float)y;
    return 0;
}

static int fail_probability(const struct answers *a, int64_t column)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: line %lld: %s: a probability lies in 0 to 1",
                     a->r.path, (long long)a->r.lines.line, a->r.name[column]);
}

static int add_answer(struct answers *a, const char *name, int64_t column,
                      int y)
{
    struct question *q = NULL;
    double p;
    int rc = bird_report_rows_number(&p, &a->r, column);

    if (!rc && !(p >= 0 && p <= 1))
        rc = fail_probability(a, column);
    if (!rc)
        rc = question_of(&q, a, name);
    return rc ? rc : add(q, p, y);
}

/* One probability a row, or one for each class. */
static int add_row(struct answers *a)
{
    const char *label = a->r.field[a->label];
    int rc = 0;

    if (!strcmp(label, "NA") || !*label) /* the true label is not known */
        return 0;
    if (a->probability >= 0)
        return add_answer(a, a->column >= 0 ? a->r.field[a->column] : "class 1",
                          a->probability, !strcmp(label, "1"));
    for (int64_t i = a->label + 1; !rc && i < a->r.n_column; i++)
        rc = add_answer(a, a->r.name[i], i, !strcmp(label, a->r.name[i]));
    return rc;
}

/* Of several labels a row has a line each, also where the label is not known. */
static int count_row(struct answers *a)
{
    const char *name = a->column >= 0 ? a->r.field[a->column] : "";

    if (!a->first && !(a->first = strdup(name)))
        return bird_fail_memory(0);
    a->n_row += !strcmp(a->first, name);
    return 0;
}

static int read_answers(struct answers *a, const char *path)
{
    int rc = bird_report_rows_open(&a->r, path), bad = 0;

    if (rc)
        return rc;
    a->label = bird_report_rows_column(&a->r, "label");
    a->column = bird_report_rows_column(&a->r, "column");
    a->probability = bird_report_rows_column(&a->r, "probability");
    while (!bad && (rc = bird_report_rows_next(&a->r)) > 0) {
        bad = count_row(a);
        if (!bad)
            bad = add_row(a);
    }
    return bad ? bad : rc;
}

static int measure(struct question *q)
{
    bird_metrics_options o;

    bird_metrics_options_default(&o);
    o.n_boot = 0;
    return bird_metrics_measure_label(&q->m, q->p, 1, q->y, q->n, &o);
}

static int by_auroc(const void *a, const void *b)
{
    double x = ((const struct question *)a)->m.value[BIRD_AUROC],
           y = ((const struct question *)b)->m.value[BIRD_AUROC];

    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return x > y ? -1 : x < y;
}

/* --- pictures ------------------------------------------------------------- */

static void put_curve(struct answers *a, const struct question *q,
                      const struct bird_label_curves *curves, int kind)
{
    double share = (double)q->m.n_positive / (double)q->n;
    char name[64], number[BIRD_NUMBER_SIZE];
    struct bird_series s[2] = {
        {.name = name, .mark = kind ? BIRD_STEP : BIRD_LINE}};

    snprintf(
        name, sizeof(name), "%s %s", kind ? "AUPRC" : "AUROC",
        bird_number(number, q->m.value[kind ? BIRD_AUPRC : BIRD_AUROC], 3));
    bird_label_curve(curves, &s[0], 0, kind);
    bird_curve_chart(&a->p->m, kind, s, 1, share, "by chance");
}

/* Histograms of the probabilities, one for each class. */
static void put_classes(struct answers *a, const struct question *q)
{
    struct bird_spread of[2] = {{0}, {0}};
    double outline[BIRD_SPREAD_BARS + 1];
    struct bird_series s[2];
    struct bird_chart c;

    for (int64_t i = 0; i < q->n; i++)
        bird_spread_see(&of[q->y[i] != 0], q->p[i]);
    for (int64_t i = 0; i < q->n; i++) {
        int k = q->y[i] != 0;

        bird_spread_count(&of[k], q->p[i], 1 / (double)of[k].n);
    }
    memcpy(outline, of[1].bar, sizeof(of[1].bar));
    outline[BIRD_SPREAD_BARS] = outline[BIRD_SPREAD_BARS - 1];
    s[0] = bird_spread_bars(&of[0], "negatives", 0);
    s[1] = (struct bird_series){.name = "positives",
                                .x = of[1].edge,
                                .y = outline,
                                .n = of[1].n ? BIRD_SPREAD_BARS + 1 : 0,
                                .mark = BIRD_STEP,
                                .colour = 1};
    bird_chart_default(&c);
    c.title = "Probabilities by class";
    c.x = (struct bird_axis){.label = "predicted probability", .hi = 1};
    c.y.label = "share of the class";
    c.y.from_zero = 1;
    c.series = s;
    c.n_series = 2;
    bird_html_chart(&a->p->m, &c);
}

static void put_reliability(struct answers *a, const struct question *q)
{
    double mean[100], seen[100];
    int n = 0;

    for (int i = 0; i < q->m.reliability_bins; i++)
        if (q->m.bin[i].n) {
            mean[n] = q->m.bin[i].mean_probability;
            seen[n++] = q->m.bin[i].observed;
        }
    bird_reliability_chart(&a->p->m, mean, seen, n);
}

static int put_question(struct answers *a, const struct question *q)
{
    struct bird_label_curves curves = {0};
    bird_dataset d = {
        .n = q->n, .n_label = 1, .kind = BIRD_LABEL_MULTI, .target = q->y};
    int rc = bird_label_curves_new(&curves, &d, q->p, 1);

    if (rc)
        return rc;
    if (a->n > 1)
        bird_html_heading(&a->p->m, q->name);
    bird_html_open(&a->p->m, "div", "figures");
    put_curve(a, q, &curves, 0);
    put_curve(a, q, &curves, 1);
    put_reliability(a, q);
    put_classes(a, q);
    bird_html_close(&a->p->m, "div");
    bird_label_curves_free(&curves);
    return 0;
}

/* --- the section ---------------------------------------------------------- */

static void put_tiles(struct answers *a)
{
    static const struct {
        enum bird_metric m;
        const char *what;
    } shown[] = {{BIRD_AUROC, "AUROC"},
                 {BIRD_AUPRC, "AUPRC"},
                 {BIRD_BRIER, "Brier score"},
                 {BIRD_ECE, "calibration error"}};
    struct bird_report_page *p = a->p;
    const struct question *q = a->q;

    bird_html_open(&p->m, "div", "tiles");
    bird_report_tile(p, a->source, "rows", "rows",
                     (double)(a->column >= 0 ? a->n_row : q->n));
    if (a->n > 1) {
        bird_report_tile(p, a->source, "questions", "labels or classes",
                         (double)a->n);
    } else {
        bird_report_tile(p, a->source, "positives", "positives",
                         (double)q->m.n_positive);
        for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
            bird_report_tile(p, a->source, bird_metric_name(shown[i].m),
                             shown[i].what, q->m.value[shown[i].m]);
    }
    bird_html_close(&p->m, "div");
}

static void put_table(struct answers *a)
{
    static const char *const head[] = {"label", "rows",  "positives",
                                       "AUROC", "AUPRC", "Brier score"};
    struct bird_markup *m = &a->p->m;

    if (a->n > OPEN_ROWS)
        bird_html_folded(m, "Every label");
    bird_html_table(m, "Each label by itself");
    bird_html_head(m, head, 6, 1);
    for (int64_t i = 0; i < a->n; i++) {
        const struct question *q = &a->q[i];
        char text[5][BIRD_NUMBER_SIZE];
        const char *cell[] = {q->name, text[0], text[1],
                              text[2], text[3], text[4]};

        bird_number(text[0], (double)q->n, 15);
        bird_number(text[1], (double)q->m.n_positive, 15);
        bird_number(text[2], q->m.value[BIRD_AUROC], 4);
        bird_number(text[3], q->m.value[BIRD_AUPRC], 4);
        bird_number(text[4], q->m.value[BIRD_BRIER], 4);
        bird_html_row(m, cell, 6);
    }
    bird_html_table_end(m);
    if (a->n > OPEN_ROWS)
        bird_html_close(m, "details");
}

static int put_answers(struct answers *a)
{
    struct bird_markup *m = &a->p->m;
    int64_t shown[3] = {0, a->n / 2, a->n - 1}; /* best, middle, last */
    int rc = 0;

    bird_report_section(a->p, a->r.path, "Predictions");
    if (a->n > 1)
        bird_html_paragraph(m, "The plots show the labels with the best, the "
                               "median and the lowest AUROC.");
    if (a->n)
        put_tiles(a);
    bird_report_about(a->p, &a->r.about);
    for (int i = 0; !rc && i < 3; i++)
        if (a->n > i && (!i || shown[i] != shown[i - 1]))
            rc = put_question(a, &a->q[shown[i]]);
    if (a->n > 1)
        put_table(a);
    bird_html_close(m, "section");
    return rc;
}

int bird_report_answers(struct bird_report_page *p, const char *path)
{
    struct answers a = {.p = p, .source = bird_report_source(p->o, path)};
    int rc = read_answers(&a, path);

    for (int64_t i = 0; !rc && i < a.n; i++)
        rc = measure(&a.q[i]);
    if (!rc && a.n > 1)
        qsort(a.q, (size_t)a.n, sizeof(*a.q), by_auroc);
    if (!rc)
        rc = put_answers(&a);
    answers_free(&a);
    return rc;
}
