/* Metrics of several labels as an HTML page: curves, distributions, tables.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "eval/evaluating.h"
#include "eval/metrics.h"
#include "eval/page_curves.h"
#include "track/page.h"

enum {
    AREAS = 2,  /* AUROC, AUPRC */
    N_BAR = 20, /* bars of a histogram */
    SHOWN = 40  /* thin curves of a class at most, evenly spaced by AUROC */
};

static const enum bird_metric area[AREAS] = {BIRD_AUROC, BIRD_AUPRC};
static const char *const area_name[AREAS] = {"AUROC", "AUPRC"};

struct page {
    const struct bird_evaluating *v;
    struct bird_markup *m;
    struct bird_label_curves curves;
    /* (labels) of each predictor; NaN: not evaluated */
    double *value[BIRD_MAX_PREDICTOR][AREAS];
    int64_t *positives; /* (labels) */
    int64_t *order;     /* (n_order) labels of the current class, by AUROC */
    int64_t n_order;
};

/* --- what there is to show ------------------------------------------------ */

static int64_t label_of(const bird_evaluation *e, const char *label)
{
    for (int64_t k = 0; k < e->n_label; k++)
        if (e->label_name[k] == label) /* pointers to one text are compared */
            return k;
    return -1;
}

static int is_whole(const bird_figures *f)
{
    return f->label && !strcmp(f->part, "all");
}

static void take_figures(struct page *p, const bird_figures *f)
{
    int64_t k = is_whole(f) ? label_of(&p->v->e, f->label) : -1;

    for (int i = 0; k >= 0 && i < p->v->predictors.n; i++)
        if (!strcmp(p->v->predictors.at[i].name, f->predictor)) {
            p->positives[k] = f->m.n_positive;
            for (int a = 0; a < AREAS; a++)
                p->value[i][a][k] = f->m.value[area[a]];
        }
}

static int page_new(struct page *p)
{
    const bird_evaluation *e = &p->v->e;
    int64_t n = e->n_label;
    int bad = bird_array_new(&p->positives, n, sizeof(*p->positives)) ||
              bird_array_new(&p->order, n, sizeof(*p->order));

    for (int i = 0; i < p->v->predictors.n; i++)
        for (int a = 0; !bad && a < AREAS; a++) {
            bad = bird_array_new(&p->value[i][a], n, sizeof(double));
            for (int64_t k = 0; !bad && k < n; k++)
                p->value[i][a][k] = (double)NAN;
        }
    if (bad)
        return BIRD_ENOMEM;
    for (int64_t i = 0; i < e->n_figures; i++)
        take_figures(p, &e->figures[i]);
    return bird_label_curves_new(&p->curves, &p->v->rows.d,
                                 p->v->predictors.at[0].p, p->v->rows.columns);
}

static void page_free(struct page *p)
{
    for (int i = 0; i < BIRD_MAX_PREDICTOR; i++)
        for (int a = 0; a < AREAS; a++)
            free(p->value[i][a]);
    free(p->positives);
    free(p->order);
    bird_label_curves_free(&p->curves);
}

static int is_evaluated(const struct page *p, int64_t k)
{
    return !isnan(p->value[0][0][k]);
}

/* Labels of class g that were evaluated, by rising AUROC. */
static void pick_class(struct page *p, int64_t g)
{
    const double *x = p->value[0][0];

    p->n_order = 0;
    for (int64_t k = 0; k < p->v->e.n_label; k++) {
        int64_t i = p->n_order;

        if (!is_evaluated(p, k) || p->v->classes.of_label[k] != g)
            continue;
        for (; i > 0 && x[p->order[i - 1]] > x[k]; i--)
            p->order[i] = p->order[i - 1];
        p->order[i] = k;
        p->n_order++;
    }
}

static const char *class_name(const struct page *p, int64_t g)
{
    const char *name = p->v->classes.name ? p->v->classes.name[g] : "";

    return *name && strcmp(name, ".") != 0 ? name
           : p->v->classes.n > 1           ? "Labels without a class"
                                           : "Labels";
}

/* --- pictures ------------------------------------------------------------- */

static void series_name(char out[160], const struct page *p, int64_t k, int a,
                        const char *which)
{
    char number[BIRD_NUMBER_SIZE];

    snprintf(out, 160, "%s: %.80s, %s %s", which, p->v->e.label_name[k],
             area_name[a], bird_number(number, p->value[0][a][k], 3));
}

/* Precision of a random predictor: the share of positives among the rows
 * where the label is known. */
static double chance_of(const struct page *p, int64_t label)
{
    const bird_dataset *d = &p->v->rows.d;
    int64_t known = 0;

    for (int64_t i = 0; i < d->n; i++)
        known += !isnan((double)bird_dataset_label(d, i, label));
    return known ? (double)p->positives[label] / (double)known : (double)NAN;
}

/* The curves of a class: the labels with the best, the median and the lowest
 * AUROC before the others. */
static void put_curves(struct page *p, int a)
{
    static const char *const which[3] = {"best", "last", "middle"};
    const int64_t n = p->n_order, at[3] = {n - 1, 0, n / 2};
    const int64_t step = (n + SHOWN - 1) / SHOWN;
    struct bird_series s[SHOWN + 4];
    char name[3][160];
    int k = 0;

    for (int i = 0; i < (n < 3 ? (int)n : 3); i++) {
        series_name(name[i], p, p->order[at[i]], a, which[i]);
        s[k++] = (struct bird_series){
            .name = name[i], .mark = a ? BIRD_STEP : BIRD_LINE, .colour = i};
        bird_label_curve(&p->curves, &s[k - 1], p->order[at[i]], a);
    }
    for (int64_t i = 0; i < n; i += step) {
        s[k] = (struct bird_series){.mark = BIRD_FAINT, .colour = 0};
        bird_label_curve(&p->curves, &s[k++], p->order[i], a);
    }
    bird_curve_chart(p->m, a, s, k, chance_of(p, p->order[n / 2]),
                     a ? "by chance, the middle label" : "by chance");
}

static void count_bars(double bar[N_BAR], const struct page *p,
                       const double *value)
{
    memset(bar, 0, N_BAR * sizeof(*bar));
    for (int64_t i = 0; i < p->n_order; i++) {
        double x = value[p->order[i]];

        if (!isnan(x))
            bar[x < 1 ? (int)(x * N_BAR) : N_BAR - 1]++;
    }
}

/* Histogram of an area over the labels of a class; the first baseline as an
 * outline. */
static void put_distribution(struct page *p, int a)
{
    struct bird_series s[2] = {{.name = "model, labels", .mark = BIRD_BARS}};
    double edge[N_BAR + 1], model[N_BAR], baseline[N_BAR + 1];
    char title[64];
    struct bird_chart c;

    for (int i = 0; i <= N_BAR; i++)
        edge[i] = (double)i / N_BAR;
    count_bars(model, p, p->value[0][a]);
    s[0].x = edge;
    s[0].y = model;
    s[0].n = N_BAR;
    bird_chart_default(&c);
    c.n_series = 1;
    if (p->v->predictors.n > 1) {
        count_bars(baseline, p, p->value[1][a]);
        baseline[N_BAR] = baseline[N_BAR - 1];
        s[1] = (struct bird_series){.name = p->v->predictors.at[1].name,
                                    .x = edge,
                                    .y = baseline,
                                    .n = N_BAR + 1,
                                    .mark = BIRD_STEP,
                                    .colour = 1};
        c.n_series = 2;
    }
    snprintf(title, sizeof(title), "Distribution of %s", area_name[a]);
    c.title = title;
    c.x = (struct bird_axis){.label = area_name[a], .hi = 1};
    c.y = (struct bird_axis){.label = "labels",
                             .lo = 0,
                             .hi = (double)NAN,
                             .from_zero = 1,
                             .whole = 1};
    c.series = s;
    bird_html_chart(p->m, &c);
}

static void put_class(struct page *p, int64_t g)
{
    char note[128];
    const char *shown = p->n_order > SHOWN ? "some of the labels, by AUROC"
                                           : "individual labels";

    pick_class(p, g);
    if (!p->n_order)
        return;
    snprintf(note, sizeof(note), "%lld label%s evaluated; thin lines: %s",
             (long long)p->n_order, p->n_order == 1 ? "" : "s", shown);
    bird_html_section(p->m, class_name(p, g), note);
    bird_html_open(p->m, "div", "figures");
    for (int a = 0; a < AREAS; a++)
        put_curves(p, a);
    for (int a = 0; a < AREAS; a++)
        put_distribution(p, a);
    bird_html_close(p->m, "div");
    bird_html_close(p->m, "section");
}

/* --- tables --------------------------------------------------------------- */

static void put_medians(struct page *p)
{
    static const char *const head[] = {"part",   "median over", "of",
                                       "labels", "AUROC",       "AUPRC"};
    const bird_evaluation *e = &p->v->e;

    bird_html_section(p->m, "Medians", NULL);
    bird_html_table(p->m, NULL);
    bird_html_head(p->m, head, 6, 3);
    for (int64_t i = 0; i < e->n_figures; i++) {
        const bird_figures *f = &e->figures[i];
        char n[BIRD_NUMBER_SIZE], x[AREAS][BIRD_INTERVAL_SIZE];
        const char *class_of, *cell[6];

        if (!f->label || strncmp(f->label, "median", 6) != 0 ||
            label_of(e, f->label) >= 0 || !f->n_label)
            continue;
        class_of = strchr(f->label, ':');
        for (int a = 0; a < AREAS; a++)
            bird_interval_text(x[a], f->m.value[area[a]], f->m.lo[area[a]],
                               f->m.hi[area[a]]);
        cell[0] = f->part;
        cell[1] = class_of ? class_of + 1 : "all labels";
        cell[2] = f->predictor;
        cell[3] = bird_number(n, (double)f->n_label, 9);
        cell[4] = x[0];
        cell[5] = x[1];
        bird_html_row(p->m, cell, 6);
    }
    bird_html_table_end(p->m);
    bird_html_close(p->m, "section");
}

static void put_label_row(struct page *p, int64_t k)
{
    char text[3 + 2 * BIRD_MAX_PREDICTOR][BIRD_NUMBER_SIZE];
    const char *cell[3 + 2 * BIRD_MAX_PREDICTOR];
    int n = 3;

    cell[0] = p->v->e.label_name[k];
    cell[1] = class_name(p, p->v->classes.of_label[k]);
    cell[2] = bird_number(text[2], (double)p->positives[k], 12);
    for (int i = 0; i < p->v->predictors.n; i++)
        for (int a = 0; a < AREAS; a++, n++)
            cell[n] = bird_number(text[n], p->value[i][a][k], 4);
    bird_html_row(p->m, cell, n);
}

static void put_labels(struct page *p)
{
    char text[2 * BIRD_MAX_PREDICTOR][48];
    const char *head[3 + 2 * BIRD_MAX_PREDICTOR] = {"label", "class",
                                                    "positives"};
    int n = 3;

    for (int i = 0; i < p->v->predictors.n; i++)
        for (int a = 0; a < AREAS; a++, n++) {
            snprintf(text[n - 3], sizeof(*text), "%s %s",
                     i ? p->v->predictors.at[i].name : "", area_name[a]);
            head[n] = text[n - 3] + !i;
        }
    bird_html_folded(p->m, "Every evaluated label");
    bird_html_table(p->m, NULL);
    bird_html_head(p->m, head, n, 2);
    for (int64_t k = 0; k < p->v->e.n_label; k++)
        if (is_evaluated(p, k))
            put_label_row(p, k);
    bird_html_table_end(p->m);
    bird_html_close(p->m, "details");
}

static void put_not_evaluated(struct page *p)
{
    const bird_evaluation *e = &p->v->e;
    int64_t n = 0;

    for (int64_t k = 0; k < e->n_label; k++) {
        if (is_evaluated(p, k))
            continue;
        if (!n++) {
            bird_html_folded(p->m, "Labels that were not evaluated");
            bird_html_paragraph(p->m, "A label needs positive and negative "
                                      "rows to be evaluated.");
            bird_markup_put(p->m, "<p>");
        } else {
            bird_markup_put(p->m, ", ");
        }
        bird_markup_text(p->m, e->label_name[k]);
    }
    if (!n)
        return;
    bird_markup_put(p->m, "</p>\n");
    bird_html_close(p->m, "details");
}

/* --- the page ------------------------------------------------------------- */

static void put_top(struct page *p)
{
    const bird_evaluation *e = &p->v->e;
    char text[BIRD_NUMBER_SIZE];
    int64_t known = 0;

    for (int64_t k = 0; k < e->n_label; k++)
        known += is_evaluated(p, k);
    bird_html_begin(p->m, e->model, "Evaluation on labelled sequence");
    bird_html_open(p->m, "div", "tiles");
    bird_html_tile(p->m, bird_number(text, (double)e->n_row, 15), "rows");
    bird_html_tile(p->m, bird_number(text, (double)known, 15),
                   "labels evaluated");
    for (int64_t i = 0; i < e->n_figures; i++) {
        const bird_figures *f = &e->figures[i];

        if (is_whole(f) && !strcmp(f->label, "median") &&
            !strcmp(f->predictor, "model"))
            for (int a = 0; a < AREAS; a++)
                bird_html_tile(p->m, bird_number(text, f->m.value[area[a]], 4),
                               a ? "median AUPRC" : "median AUROC");
    }
    bird_html_close(p->m, "div");
    for (int64_t i = 0; i < e->n_notice; i++)
        bird_html_paragraph(p->m, e->notice[i]);
}

int bird_evaluate_print_page(FILE *f, const struct bird_evaluating *v)
{
    struct bird_markup m = {0};
    struct page p = {.v = v, .m = &m};
    int rc;

    rc = page_new(&p);
    if (rc)
        goto done;
    put_top(&p);
    put_medians(&p);
    for (int64_t g = 0; g < (v->classes.n ? v->classes.n : 1); g++)
        put_class(&p, g);
    put_labels(&p);
    put_not_evaluated(&p);
    rc = bird_put_page(f, &m, v->o->command, v->e.digest);
done:
    page_free(&p);
    bird_text_free(&m.text);
    return rc;
}
