/* Evaluation of alleles as an HTML page: tables, scores against effects, and
 * both along every element.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "eval/metrics.h"
#include "eval/variants_eval.h"
#include "track/page.h"

enum {
    M = BIRD_N_ALLELE_METRIC,
    MOST_DOTS = 1500, /* dots of a chart at most, evenly spaced */
    MOST_CHARTS = 12, /* scores with a chart */
    MOST_ELEMENTS = 40,
    MOST_ROWS = 2000
};

struct page {
    const struct bird_variants_evaluating *v;
    struct bird_markup *m;
    int64_t step;  /* every step-th allele is shown */
    double *x, *y; /* (2, n) */
};

static const struct bird_allele_set *set_of(const struct page *p)
{
    return &p->v->set;
}

static double score_at(const struct page *p, int64_t allele, int64_t score)
{
    const struct bird_allele_set *s = set_of(p);

    return s->score[allele * s->n_score + score];
}

/* --- tables --------------------------------------------------------------- */

static int is_same(const bird_variants_figure *a, const bird_variants_figure *b)
{
    return a->level == b->level && a->element == b->element && a->of == b->of &&
           !strcmp(a->score, b->score);
}

/* Write the metrics of one score, from index i on, as a row. @return the
 * next index */
static int64_t put_row(struct page *p, int64_t i, int with_element)
{
    const bird_variants_evaluation *e = &p->v->e;
    const bird_variants_figure *f = &e->figures[i];
    char text[M][BIRD_INTERVAL_SIZE], n[BIRD_NUMBER_SIZE];
    const char *cell[M + 4];
    int k = 0;

    for (int m = 0; m < M; m++)
        snprintf(text[m], sizeof(text[m]), "%s", ".");
    if (with_element)
        cell[k++] = f->element;
    cell[k++] = bird_allele_class_name(f->of);
    cell[k++] = f->score;
    cell[k++] = bird_number(n, (double)f->n, 12);
    for (; i < e->n_figures && is_same(f, &e->figures[i]); i++)
        bird_interval_text(text[e->figures[i].metric], e->figures[i].value,
                           e->figures[i].lo, e->figures[i].hi);
    for (int m = 0; m < M; m++)
        cell[k++] = text[m];
    bird_html_row(p->m, cell, k);
    return i;
}

static void put_table(struct page *p, enum bird_allele_level from,
                      enum bird_allele_level to, int with_element)
{
    static const char *const head[] = {
        "element",  "class",
        "score",    "n",
        "Spearman", "Spearman of absolute values",
        "AUROC",    "average precision"};
    const bird_variants_evaluation *e = &p->v->e;
    int64_t rows = 0;

    bird_html_table(p->m, NULL);
    bird_html_head(p->m, head + !with_element, 8 - !with_element,
                   2 + with_element);
    for (int64_t i = 0; i < e->n_figures && rows < MOST_ROWS;)
        if (e->figures[i].level < from || e->figures[i].level > to) {
            i++;
        } else {
            i = put_row(p, i, with_element);
            rows++;
        }
    bird_html_table_end(p->m);
    if (rows == MOST_ROWS)
        bird_html_paragraph(p->m, "More are in the table of the metrics.");
}

static void put_tables(struct page *p)
{
    bird_html_section(
        p->m, "Mean over elements",
        "Elements of one group count once. Intervals are from resamples of "
        "groups and alleles, 95 % by default. SCORE-baseline: minus the best "
        "baseline, over the same resamples.");
    put_table(p, BIRD_LEVEL_MEAN, BIRD_LEVEL_MEAN, 0);
    bird_html_close(p->m, "section");
    bird_html_folded(p->m, "All alleles together");
    put_table(p, BIRD_LEVEL_POOLED, BIRD_LEVEL_POOLED, 0);
    bird_html_close(p->m, "details");
    bird_html_folded(p->m, "Every element");
    put_table(p, BIRD_LEVEL_ELEMENT, BIRD_LEVEL_GROUP, 1);
    bird_html_close(p->m, "details");
}

/* --- scores against effects ----------------------------------------------- */

/* Dots for every step-th allele of a class: x score, y effect. */
static int64_t take_dots(struct page *p, double *x, double *y, int64_t score,
                         int is_snv)
{
    const struct bird_allele_set *s = set_of(p);
    int64_t n = 0;

    for (int64_t i = 0; i < s->n; i += p->step) {
        if ((s->at[i].of == BIRD_CLASS_SNV) != is_snv)
            continue;
        x[n] = score_at(p, i, score);
        y[n++] = s->at[i].effect;
    }
    return n;
}

static void put_scatter(struct page *p, int64_t score)
{
    const struct bird_allele_set *s = set_of(p);
    struct bird_series dots[2] = {
        {.name = "single bases", .mark = BIRD_DOTS},
        {.name = "other changes", .mark = BIRD_DOTS, .colour = 1}};
    struct bird_chart c;

    bird_chart_default(&c);
    for (int k = 0; k < 2; k++) {
        double *x = p->x + k * s->n, *y = p->y + k * s->n;

        dots[k].n = take_dots(p, x, y, score, !k);
        dots[k].x = x;
        dots[k].y = y;
    }
    c.title = s->score_name[score];
    c.x.label = "score";
    c.y.label = "measured effect";
    c.series = dots[0].n ? dots : dots + 1;
    c.n_series = (dots[0].n > 0) + (dots[1].n > 0);
    bird_html_chart(p->m, &c);
}

static void put_scatters(struct page *p)
{
    const struct bird_allele_set *s = set_of(p);
    char note[96];
    int n = 0;

    snprintf(note, sizeof(note), "%s",
             p->step > 1 ? "Some of the alleles." : "All alleles.");
    bird_html_section(p->m, "Scores and effects", note);
    bird_html_open(p->m, "div", "figures");
    for (int64_t k = 0; k < s->n_score && n < MOST_CHARTS; k++)
        if (!s->left_out[k]) {
            put_scatter(p, k);
            n++;
        }
    bird_html_close(p->m, "div");
    bird_html_close(p->m, "section");
}

/* --- along the elements --------------------------------------------------- */

/* Positions from 1 and values of an element's alleles; score < 0: the
 * effects. */
static int64_t take_stems(struct page *p, int64_t from[2], int64_t element,
                          int64_t score)
{
    const struct bird_allele_set *s = set_of(p);
    int64_t n = 0;

    for (int k = 0; k < 2; k++) {
        from[k] = n;
        for (int64_t i = 0; i < s->n; i++) {
            const struct bird_allele *a = &s->at[i];

            if (a->element != element || (a->of == BIRD_CLASS_SNV) != !k)
                continue;
            p->x[n] = (double)(a->start + 1);
            p->y[n++] = score < 0 ? a->effect : score_at(p, i, score);
        }
    }
    return n;
}

static void put_track(struct page *p, int64_t element, int64_t score)
{
    const struct bird_allele_set *s = set_of(p);
    const struct bird_element *e = &s->element[element];
    struct bird_series stems[2] = {
        {.name = "single bases", .mark = BIRD_STEMS},
        {.name = "other changes", .mark = BIRD_STEMS, .colour = 1}};
    struct bird_chart c;
    int64_t from[2], n = take_stems(p, from, element, score);
    char title[200];

    bird_chart_default(&c);
    snprintf(title, sizeof(title), "%.80s: %.80s", e->name,
             score < 0 ? "measured effect" : s->score_name[score]);
    for (int k = 0; k < 2; k++) {
        stems[k].x = p->x + from[k];
        stems[k].y = p->y + from[k];
        stems[k].n = (k ? n : from[1]) - from[k];
    }
    c.title = title;
    c.wide = 1;
    c.x = (struct bird_axis){.label = "position (bp)",
                             .lo = (double)e->start,
                             .hi = (double)e->end + 1,
                             .whole = 1};
    c.y.label = score < 0 ? "effect" : "score";
    c.series = stems[0].n ? stems : stems + 1;
    c.n_series = (stems[0].n > 0) + (stems[1].n > 0);
    bird_html_chart(p->m, &c);
}

static int has_effect(const struct page *p)
{
    return p->v->o->measured != NULL;
}

static void put_tracks(struct page *p)
{
    const struct bird_allele_set *s = set_of(p);
    int64_t score = 0, n = s->n_element;

    while (score < s->n_column && s->left_out[score])
        score++;
    n = n < MOST_ELEMENTS ? n : MOST_ELEMENTS;
    bird_html_section(p->m, "Along the elements",
                      n < s->n_element
                          ? "The first score, and the first elements."
                          : "The first score.");
    for (int64_t e = 0; e < n; e++) {
        if (has_effect(p))
            put_track(p, e, -1);
        if (score < s->n_column)
            put_track(p, e, score);
    }
    bird_html_close(p->m, "section");
}

/* --- the page ------------------------------------------------------------- */

static void put_top(struct page *p)
{
    const bird_variants_evaluation *e = &p->v->e;
    char text[BIRD_NUMBER_SIZE];
    const char *name = strrchr(p->v->o->scored, '/');

    bird_html_begin(p->m, name ? name + 1 : p->v->o->scored,
                    "Scores of alleles and measured effects");
    bird_html_open(p->m, "div", "tiles");
    bird_html_tile(p->m, bird_number(text, (double)e->n_allele, 15), "alleles");
    bird_html_tile(p->m, bird_number(text, (double)e->n_element, 15),
                   "elements");
    bird_html_close(p->m, "div");
}

int bird_variants_print_page(FILE *f, const struct bird_variants_evaluating *v)
{
    struct bird_markup m = {0};
    struct page p = {.v = v, .m = &m};
    int rc = bird_array_new(&p.x, 2 * v->set.n, sizeof(*p.x));

    if (!rc)
        rc = bird_array_new(&p.y, 2 * v->set.n, sizeof(*p.y));
    if (rc)
        goto done;
    p.step = (v->set.n + MOST_DOTS - 1) / MOST_DOTS;
    put_top(&p);
    put_tables(&p);
    if (has_effect(&p))
        put_scatters(&p);
    put_tracks(&p);
    rc = bird_put_page(f, &m, v->o->command, NULL);
done:
    free(p.x);
    free(p.y);
    bird_text_free(&m.text);
    return rc;
}
