/* Scored alleles: how many have a score and why others have none, the
 * distribution of the scores, a lollipop plot of each contig, and a table of
 * the largest scores.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/allele_table.h"
#include "report/report_page.h"

enum {
    MOST_COLUMNS = 10, /* of the table */
    MOST_LISTED = 300,
    MOST_CHARTS = 6, /* contigs with a plot */
    OPEN_ROWS = 40,
    LOOKED_AT = 1000, /* alleles read to choose the score's column */
    AROUND = 500      /* bp shown before the first and after the last allele */
};

/* Columns of counts and settings, not of scores. */
static const char *const no_score[] = {"TOKENS", "SHORT", "WAY", "NO_ALT"};

struct listed {
    char *contig, *allele; /* ref>alt */
    char *cell[MOST_COLUMNS];
    int64_t pos;
    double score;
};

struct contig {
    char *name;
    int64_t n, cap, first, last;
    double *x, *y; /* (n) positions from 1 and scores, single bases ... */
    int8_t *is_snv;
};

struct status {
    char *name;
    int64_t n;
};

struct alleles {
    struct bird_report_page *p;
    const char *source;
    struct bird_allele_table *t;
    char *name[MOST_COLUMNS];   /* of the columns shown */
    int64_t want[MOST_COLUMNS]; /* their numbers */
    int n_column, score;        /* `score`: the index of the score's column */
    int64_t status_want;        /* -1: none */
    int64_t n, scored;
    struct bird_spread spread;
    struct contig *contig; /* (n_contig) */
    int64_t n_contig, cap_contig;
    struct status *status; /* (n_status) */
    int64_t n_status, cap_status;
    struct listed *list;
    int64_t n_list, cap_list;
};

static void listed_free(struct listed *l)
{
    free(l->contig);
    free(l->allele);
    for (int i = 0; i < MOST_COLUMNS; i++)
        free(l->cell[i]);
}

static void alleles_free(struct alleles *a)
{
    for (int i = 0; i < a->n_column; i++)
        free(a->name[i]);
    for (int64_t i = 0; i < a->n_contig; i++) {
        free(a->contig[i].name);
        free(a->contig[i].x);
        free(a->contig[i].y);
        free(a->contig[i].is_snv);
    }
    for (int64_t i = 0; i < a->n_status; i++)
        free(a->status[i].name);
    for (int64_t i = 0; i < a->n_list; i++)
        listed_free(&a->list[i]);
    free(a->contig);
    free(a->status);
    free(a->list);
    bird_allele_table_free(a->t);
}

/* --- columns -------------------------------------------------------------- */

/* 1: a column has this name, after the prefix of an INFO field */
static int is_called(const char *name, const char *prefix, const char *what)
{
    size_t n = strlen(prefix);

    return !strncmp(name, prefix, n) && !strcmp(name + n, what);
}

/* The prefix of the STATUS column: that of the INFO fields of a VCF, "" in a
 * table; 0: no such column. Other tools write STATUS fields too: the default
 * prefix of `variant` is preferred, else the last prefix, because `variant`
 * appends its fields. */
static int find_prefix(char out[64], const struct bird_allele_table *t)
{
    const char *name;
    int found = 0;

    out[0] = '\0';
    for (int64_t i = 0; (name = bird_allele_table_column(t, i)); i++) {
        size_t n = strlen(name);

        if (n < 6 || n - 6 >= 64 || strcmp(name + n - 6, "STATUS") != 0)
            continue;
        found = 1;
        snprintf(out, 64, "%.*s", (int)(n - 6), name);
        if (!*out || !strcmp(out, "BIRD_"))
            break;
    }
    return found;
}

static int want(struct alleles *a, const char *name)
{
    int rc = 0;

    if (a->n_column == MOST_COLUMNS)
        return 0;
    rc = bird_allele_table_want(&a->want[a->n_column], a->t, name);
    if (rc)
        return rc;
    a->name[a->n_column] = strdup(name);
    return a->name[a->n_column++] ? 0 : bird_fail_memory(0);
}

/* The scores of `variant` in order of preference: the largest difference
 * first. */
static int want_columns(struct alleles *a)
{
    char prefix[64], status[80];
    int has_status = find_prefix(prefix, a->t), rc = 0;
    const char *name;

    a->status_want = -1;
    if (has_status) {
        snprintf(status, sizeof(status), "%sSTATUS", prefix);
        rc = bird_allele_table_want(&a->status_want, a->t, status);
    }
    for (int64_t i = 0; !rc && (name = bird_allele_table_column(a->t, i));
         i++) {
        int is_score = !strncmp(name, prefix, strlen(prefix)) &&
                       !is_called(name, prefix, "STATUS") &&
                       !is_called(name, prefix, "TOP") &&
                       !is_called(name, prefix, "top");

        for (size_t k = 0; k < sizeof(no_score) / sizeof(*no_score); k++)
            is_score &= !is_called(name, prefix, no_score[k]);
        if (is_score)
            rc = want(a, name);
    }
    return rc            ? rc
           : a->n_column ? 0
                         : bird_fail(BIRD_EFORMAT, "%s: no column of scores",
                                     bird_allele_table_name(a->t));
}

static double number_at(const struct alleles *a, int column)
{
    const char *s = bird_allele_table_text(a->t, a->want[column]);
    double v;

    return !*s || bird_parse_double(&v, s) ? (double)NAN : v;
}

/* A probability of one allele or a distance, which do not measure the change.
 */
static int is_no_change(const char *name)
{
    static const char *const words[] = {
        "p_ref", "p_alt", "PREF", "PALT", "tss_distance", "TSS_DISTANCE"};
    int yes = 0;

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        yes |= strstr(name, words[i]) != NULL;
    return yes;
}

/* The score is the first column of numbers that measure a change. */
static int find_score(struct alleles *a)
{
    struct bird_allele_row row;
    int rc = 1;

    a->score = -1;
    for (int i = 0; i < LOOKED_AT && a->score < 0 &&
                    (rc = bird_allele_table_next(&row, a->t)) > 0;
         i++)
        for (int k = 0; k < a->n_column && a->score < 0; k++)
            if (!is_no_change(a->name[k]) && !isnan(number_at(a, k)))
                a->score = k;
    if (rc < 0)
        return rc;
    a->score = a->score < 0 ? 0 : a->score;
    return 0;
}

static int open_alleles(struct alleles *a, const char *path)
{
    int rc = bird_allele_table_open(&a->t, path);

    for (int i = 0; i < a->n_column; i++)
        free(a->name[i]);
    a->n_column = 0;
    return rc ? rc : want_columns(a);
}

/* --- reading -------------------------------------------------------------- */

static int count_status(struct alleles *a)
{
    const char *name = a->status_want < 0
                           ? "no STATUS"
                           : bird_allele_table_text(a->t, a->status_want);
    int64_t i = 0;
    int rc;

    name = *name ? name : "none";
    while (i < a->n_status && strcmp(a->status[i].name, name) != 0)
        i++;
    if (i == a->n_status) {
        rc = bird_array_grow(&a->status, &a->cap_status, i + 1,
                             sizeof(*a->status));
        if (rc)
            return rc;
        a->status[i] = (struct status){strdup(name), 0};
        a->n_status++;
        if (!a->status[i].name)
            return bird_fail_memory(0);
    }
    a->status[i].n++;
    return 0;
}

static int contig_of(struct contig **out, struct alleles *a, const char *name)
{
    int64_t i = a->n_contig - 1;
    int rc;

    while (i >= 0 && strcmp(a->contig[i].name, name) != 0)
        i--;
    if (i < 0) {
        i = a->n_contig;
        rc = bird_array_grow(&a->contig, &a->cap_contig, i + 1,
                             sizeof(*a->contig));
        if (rc)
            return rc;
        a->contig[i] = (struct contig){.name = strdup(name)};
        a->n_contig++;
        if (!a->contig[i].name)
            return bird_fail_memory(0);
    }
    *out = &a->contig[i];
    return 0;
}

static int add_point(struct contig *c, const struct bird_allele_row *x,
                     double score)
{
    int64_t cap_x = c->cap, cap_y = c->cap;
    int rc = bird_array_grow(&c->x, &cap_x, c->n + 1, sizeof(*c->x));

    if (!rc)
        rc = bird_array_grow(&c->y, &cap_y, c->n + 1, sizeof(*c->y));
    if (!rc)
        rc = bird_array_grow(&c->is_snv, &c->cap, c->n + 1, sizeof(*c->is_snv));
    if (rc)
        return rc;
    c->first = !c->n || x->pos < c->first ? x->pos : c->first;
    c->last = !c->n || x->pos > c->last ? x->pos : c->last;
    c->x[c->n] = (double)(x->pos + 1);
    c->y[c->n] = score;
    c->is_snv[c->n++] = strlen(x->ref) == 1 && strlen(x->alt) == 1;
    return 0;
}

static int falling_size(const void *a, const void *b)
{
    double x = fabs(((const struct listed *)a)->score),
           y = fabs(((const struct listed *)b)->score);

    return x > y ? -1 : x < y;
}

static void cut_list(struct alleles *a)
{
    qsort(a->list, (size_t)a->n_list, sizeof(*a->list), falling_size);
    while (a->n_list > MOST_LISTED)
        listed_free(&a->list[--a->n_list]);
}

static int list_allele(struct alleles *a, const struct bird_allele_row *x,
                       double score)
{
    struct listed l = {.pos = x->pos, .score = score};
    char change[64];
    int rc = bird_array_grow(&a->list, &a->cap_list, a->n_list + 1,
                             sizeof(*a->list));
    int bad;

    if (rc)
        return rc;
    snprintf(change, sizeof(change), "%.24s%s>%.24s%s", x->ref,
             strlen(x->ref) > 24 ? "..." : "", x->alt,
             strlen(x->alt) > 24 ? "..." : "");
    l.contig = strdup(x->contig);
    l.allele = strdup(change);
    bad = !l.contig || !l.allele;
    for (int k = 0; k < a->n_column; k++) {
        l.cell[k] = strdup(bird_allele_table_text(a->t, a->want[k]));
        bad |= !l.cell[k];
    }
    a->list[a->n_list++] = l;
    if (bad)
        return bird_fail_memory(0);
    if (a->n_list == 2 * MOST_LISTED)
        cut_list(a);
    return 0;
}

static int see(struct alleles *a, const struct bird_allele_row *x)
{
    double score = number_at(a, a->score);
    struct contig *c = NULL;
    int rc = count_status(a);

    a->n++;
    if (rc || isnan(score))
        return rc;
    a->scored++;
    bird_spread_see(&a->spread, score);
    rc = contig_of(&c, a, x->contig);
    if (!rc)
        rc = add_point(c, x, score);
    return rc ? rc : list_allele(a, x, score);
}

static int read_alleles(struct alleles *a)
{
    struct bird_allele_row x;
    int rc, bad = 0;

    while (!bad && (rc = bird_allele_table_next(&x, a->t)) > 0)
        bad = see(a, &x);
    return bad ? bad : rc;
}

/* --- along the sequence --------------------------------------------------- */

static int put_track(struct alleles *a)
{
    struct bird_region_view *v = &a->p->view;
    char name[300];
    int64_t track;
    int rc = 0;

    if (a->p->o->n_annotation && a->n_contig)
        rc = bird_region_default(
            v, a->contig[0].name,
            a->contig[0].first > AROUND ? a->contig[0].first - AROUND : 0,
            a->contig[0].last + AROUND);
    if (rc || !v->contig.n)
        return rc;
    snprintf(name, sizeof(name), "%.150s: %.100s", a->source,
             a->name[a->score]);
    rc = bird_region_track_new(&track, v, name, BIRD_REGION_STEMS);
    for (int64_t i = 0; !rc && i < a->n_contig; i++) {
        const struct contig *c = &a->contig[i];

        for (int64_t k = 0; !rc && k < c->n; k++) {
            int64_t pos = (int64_t)c->x[k] - 1;

            if (bird_region_overlaps(v, c->name, pos, pos + 1))
                rc =
                    bird_region_add(v, track,
                                    &(struct bird_region_item){.start = pos,
                                                               .end = pos + 1,
                                                               .value = c->y[k],
                                                               .of = -1});
        }
    }
    return rc;
}

static int put_contig(struct alleles *a, const struct contig *c)
{
    struct bird_series s[2] = {
        {.name = "single bases", .mark = BIRD_STEMS},
        {.name = "other changes", .mark = BIRD_STEMS, .colour = 1}};
    struct bird_chart chart;
    double *xy;
    char title[300];
    int rc = bird_array_new(&xy, 4 * c->n, sizeof(*xy));

    if (rc)
        return rc;
    for (int k = 0; k < 2; k++) {
        double *x = xy + 2 * k * c->n, *y = x + c->n;

        s[k].x = x;
        s[k].y = y;
        for (int64_t i = 0; i < c->n; i++)
            if (c->is_snv[i] == !k) {
                x[s[k].n] = c->x[i];
                y[s[k].n++] = c->y[i];
            }
    }
    bird_chart_default(&chart);
    snprintf(title, sizeof(title), "%.100s along %.150s", a->name[a->score],
             c->name);
    chart.title = title;
    chart.wide = 1;
    chart.x.label = "position (bp)";
    chart.x.whole = 1;
    chart.y.label = a->name[a->score];
    chart.series = s[0].n ? s : s + 1;
    chart.n_series = (s[0].n > 0) + (s[1].n > 0);
    bird_html_chart(&a->p->m, &chart);
    free(xy);
    return 0;
}

/* --- the section ---------------------------------------------------------- */

static void put_table(struct alleles *a)
{
    struct bird_markup *m = &a->p->m;
    const char *head[MOST_COLUMNS + 2] = {"position", "change"};
    int order[MOST_COLUMNS], n = 0;
    char caption[128];

    cut_list(a);
    if (!a->n_list)
        return;
    order[n++] = a->score;
    for (int k = 0; k < a->n_column; k++)
        if (k != a->score)
            order[n++] = k;
    for (int k = 0; k < n; k++)
        head[k + 2] = a->name[order[k]];
    snprintf(caption, sizeof(caption),
             "%s%lld alleles by the absolute value of %.60s",
             a->scored > a->n_list ? "The first " : "All ",
             (long long)a->n_list, a->name[a->score]);
    if (a->n_list > OPEN_ROWS)
        bird_html_folded(m, "Alleles");
    bird_html_table(m, caption);
    bird_html_head(m, head, n + 2, 2);
    for (int64_t i = 0; i < a->n_list; i++) {
        const struct listed *l = &a->list[i];
        const char *cell[MOST_COLUMNS + 2];
        char at[200];

        snprintf(at, sizeof(at), "%.150s:%lld", l->contig,
                 (long long)l->pos + 1);
        cell[0] = at;
        cell[1] = l->allele;
        for (int k = 0; k < n; k++)
            cell[k + 2] = l->cell[order[k]];
        bird_html_row(m, cell, n + 2);
    }
    bird_html_table_end(m);
    if (a->n_list > OPEN_ROWS)
        bird_html_close(m, "details");
}

static void put_status(struct alleles *a)
{
    static const char *const head[] = {"status", "alleles"};
    struct bird_markup *m = &a->p->m;

    if (a->status_want < 0)
        return;
    bird_html_table(m, "Alleles by status");
    bird_html_head(m, head, 2, 1);
    for (int64_t i = 0; i < a->n_status; i++) {
        char n[BIRD_NUMBER_SIZE];
        const char *cell[] = {a->status[i].name, n};

        bird_number(n, (double)a->status[i].n, 15);
        bird_html_row(m, cell, 2);
    }
    bird_html_table_end(m);
}

static void put_tiles(struct alleles *a)
{
    struct bird_report_page *p = a->p;
    char what[128];
    double largest =
        fabs(a->spread.lo) > fabs(a->spread.hi) ? a->spread.lo : a->spread.hi;

    bird_html_open(&p->m, "div", "tiles");
    bird_report_tile(p, a->source, "alleles", "alleles", (double)a->n);
    bird_report_tile(p, a->source, "scored", "scored", (double)a->scored);
    snprintf(what, sizeof(what), "largest %.100s", a->name[a->score]);
    if (a->spread.n)
        bird_report_tile(p, a->source, "largest", what, largest);
    bird_html_close(&p->m, "div");
}

static int put_alleles(struct alleles *a)
{
    struct bird_markup *m = &a->p->m;
    struct bird_text about = {0};
    int rc = bird_allele_table_about(&about, a->t);

    if (rc)
        return rc;
    bird_report_section(a->p, bird_allele_table_name(a->t), "Scored alleles");
    put_tiles(a);
    bird_report_about(a->p, &about);
    bird_text_free(&about);
    put_status(a);
    bird_html_open(m, "div", "figures");
    if (a->spread.n)
        bird_spread_chart(m, &a->spread, "Distribution of the score",
                          a->name[a->score], "alleles");
    bird_html_close(m, "div");
    for (int64_t i = 0; !rc && i < a->n_contig && i < MOST_CHARTS; i++)
        rc = put_contig(a, &a->contig[i]);
    if (a->n_contig > MOST_CHARTS)
        bird_html_paragraph(m, "Plots are shown for the first contigs only.");
    put_table(a);
    bird_html_close(m, "section");
    return rc;
}

int bird_report_alleles(struct bird_report_page *p, const char *path)
{
    struct alleles a = {.p = p, .source = bird_report_source(p->o, path)};
    int rc = open_alleles(&a, path);

    if (!rc)
        rc = find_score(&a);
    bird_allele_table_free(a.t);
    a.t = NULL;
    if (!rc)
        rc = open_alleles(&a, path);
    if (!rc)
        rc = read_alleles(&a);
    for (int64_t i = 0; !rc && i < a.n_contig; i++)
        for (int64_t k = 0; k < a.contig[i].n; k++)
            bird_spread_count(&a.spread, a.contig[i].y[k], 1);
    if (!rc)
        rc = put_track(&a);
    if (!rc)
        rc = put_alleles(&a);
    alleles_free(&a);
    return rc;
}
