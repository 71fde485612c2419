/* Outputs of a scan along the sequence: calls, values, windows of both
 * strands, bins of several features. The file is read twice: the first pass
 * finds the range of values and the region to show, the second makes
 * histograms and keeps the values of the region. Memory grows with the
 * region, not with the genome.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "report/report_page.h"

/* Bases shown before the first and after the last call. */
#define BESIDE 0.05

enum {
    MOST_LISTED = 300,     /* rows of a table: the highest probabilities */
    MOST_TRACKS = 6,       /* features with a track */
    OPEN_ROWS = 40,        /* a longer table is collapsed */
    DRAWN_WHOLE = 2000000, /* bp shown whole; of more, the surroundings of
                              the maximum */
    DRAWN_AROUND = 50000
};

/* A feature: a column of values, a strand, or a name of calls. */
struct feature {
    char *name;
    int64_t column; /* -1: the file's only value */
    int64_t n;
    double sum, weight, best; /* of values, by weight_of() */
    int64_t best_start, best_end;
    char *best_contig;
    int64_t track;
    int chosen;
};

struct listed {
    char *contig, *name;
    int64_t start, end, summit;
    double value;
    char strand;
};

struct scan {
    struct bird_report_page *p;
    const char *source;
    struct bird_report_rows r;
    int64_t contig, start, end, value, name, strand, summit; /* columns */
    struct feature *feature;                                 /* (n) */
    int64_t n, cap;
    struct bird_spread spread;
    double sum, weight; /* of the values of all features */
    int64_t rows, scored, bases, n_contig;
    char *last_contig, *first_contig;
    int64_t first_start, last_end; /* of a file with one contig */
    struct listed *list;
    int64_t n_list, cap_list;
};

static void scan_free(struct scan *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        free(s->feature[i].name);
        free(s->feature[i].best_contig);
    }
    for (int64_t i = 0; i < s->n_list; i++) {
        free(s->list[i].contig);
        free(s->list[i].name);
    }
    free(s->feature);
    free(s->list);
    free(s->last_contig);
    free(s->first_contig);
    bird_report_rows_close(&s->r);
}

/* --- features ------------------------------------------------------------- */

static int keep(char **at, const char *text)
{
    if (*at && !strcmp(*at, text))
        return 0;
    free(*at);
    *at = strdup(text);
    return *at ? 0 : bird_fail_memory(0);
}

static int add_feature(struct scan *s, const char *name, int64_t column)
{
    int rc =
        bird_array_grow(&s->feature, &s->cap, s->n + 1, sizeof(*s->feature));

    if (rc)
        return rc;
    s->feature[s->n] = (struct feature){
        .name = strdup(name), .column = column, .best = (double)NAN};
    return s->feature[s->n++].name ? 0 : bird_fail_memory(0);
}

/* The feature of a row with one value: named by the row, by its strand, or
 * by the file. */
static int feature_of(int64_t *out, struct scan *s)
{
    const char *name = "value";
    char strand[16];

    if (s->r.kind == BIRD_REPORT_CALLS && s->name >= 0)
        name = s->r.field[s->name];
    else if (s->r.kind == BIRD_REPORT_WINDOWS) {
        snprintf(strand, sizeof(strand), "strand %.4s", s->r.field[s->strand]);
        name = strand;
    }
    for (*out = 0; *out < s->n; ++*out)
        if (!strcmp(s->feature[*out].name, name))
            return 0;
    return add_feature(s, name, -1);
}

/* The columns that hold a number in the first row. In the matrix of `chromatin`
 * all columns after the status are features, whatever their names. */
static int find_columns(struct scan *s)
{
    static const char *const other[] = {"name", "status", "score",  "strand",
                                        "raw",  "summit", "windows"};
    int64_t status = bird_report_rows_column(&s->r, "status");
    int rc = 0;

    for (int64_t i = 0; !rc && i < s->r.n_column; i++) {
        int is_value = i != s->contig && i != s->start && i != s->end;
        double v;

        for (size_t k = 0; k < sizeof(other) / sizeof(*other); k++)
            is_value &= (status >= 0 && i > status) ||
                        strcmp(s->r.name[i], other[k]) != 0;
        if (is_value && !bird_report_rows_number(&v, &s->r, i))
            rc = add_feature(s, s->r.name[i], i);
    }
    return rc ? rc
           : s->n
               ? 0
               : bird_fail(BIRD_EFORMAT, "%s: no column of numbers", s->r.path);
}

/* --- rows ----------------------------------------------------------------- */

struct row {
    const char *contig;
    int64_t start, end;
};

static int open_scan(struct scan *s, const char *path)
{
    int rc = bird_report_rows_open(&s->r, path);

    if (rc)
        return rc;
    s->contig = bird_report_rows_column(&s->r, "chrom");
    s->start = bird_report_rows_column(&s->r, "start");
    s->end = bird_report_rows_column(&s->r, "end");
    s->name = bird_report_rows_column(&s->r, "name");
    s->strand = bird_report_rows_column(&s->r, "strand");
    s->summit = bird_report_rows_column(&s->r, "summit");
    s->value = bird_report_rows_column(
        &s->r, s->r.kind == BIRD_REPORT_VALUES ? "value" : "probability");
    return 0;
}

static int next_row(struct row *out, struct scan *s)
{
    int rc = bird_report_rows_next(&s->r), bad;

    if (rc <= 0)
        return rc;
    out->contig = s->r.field[s->contig];
    bad = bird_report_rows_place(&out->start, &s->r, s->start);
    if (!bad)
        bad = bird_report_rows_place(&out->end, &s->r, s->end);
    return bad ? bad : 1;
}

/* The features that have a value in this row: all columns, or one. */
static int row_features(int64_t *from, int64_t *to, struct scan *s)
{
    int rc;

    if (s->r.kind == BIRD_REPORT_BINS) {
        rc = s->n ? 0 : find_columns(s);
        *from = 0;
        *to = s->n;
        return rc;
    }
    rc = feature_of(from, s);
    *to = *from + 1;
    return rc;
}

static int value_of(double *v, const struct scan *s, const struct feature *f)
{
    return bird_report_rows_number(v, &s->r,
                                   f->column >= 0 ? f->column : s->value);
}

/* A value along the sequence counts for each of its bases; a call, a window or
 * a bin counts once. */
static double weight_of(const struct scan *s, int64_t start, int64_t end)
{
    return s->r.kind == BIRD_REPORT_VALUES ? (double)(end - start) : 1;
}

/* --- the first pass ------------------------------------------------------- */

static int see_value(struct scan *s, const struct row *x, struct feature *f)
{
    double v, w = weight_of(s, x->start, x->end);
    int rc = value_of(&v, s, f);

    if (rc || isnan(v))
        return rc;
    bird_spread_see(&s->spread, v);
    f->n++;
    f->sum += w * v;
    f->weight += w;
    if (isfinite(v)) {
        s->sum += w * v;
        s->weight += w;
    }
    if (!isnan(f->best) && v <= f->best)
        return 0;
    f->best = v;
    f->best_start = x->start;
    f->best_end = x->end;
    return keep(&f->best_contig, x->contig);
}

static int see_row(struct scan *s, const struct row *x)
{
    int64_t from = 0, to = 0, before = s->spread.n;
    int rc = row_features(&from, &to, s);

    for (int64_t i = from; !rc && i < to; i++)
        rc = see_value(s, x, &s->feature[i]);
    if (rc)
        return rc;
    s->rows++;
    s->scored += s->spread.n > before;
    s->bases += x->end - x->start;
    if (!s->first_contig) {
        s->first_start = x->start;
        rc = keep(&s->first_contig, x->contig);
    }
    if (!strcmp(s->first_contig, x->contig) && x->end > s->last_end)
        s->last_end = x->end;
    if (!rc && (!s->last_contig || strcmp(s->last_contig, x->contig) != 0)) {
        s->n_contig++;
        rc = keep(&s->last_contig, x->contig);
    }
    return rc;
}

static const struct feature *best_of(const struct scan *s)
{
    const struct feature *best = NULL;

    for (int64_t i = 0; i < s->n; i++)
        if (!isnan(s->feature[i].best) &&
            (!best || s->feature[i].best > best->best))
            best = &s->feature[i];
    return best;
}

/* The whole sequence, or the surroundings of the maximum. */
static int choose_region(struct scan *s)
{
    const struct feature *best = best_of(s);
    int64_t middle, beside = 0;

    if (s->r.kind == BIRD_REPORT_CALLS)
        beside =
            500 + (int64_t)(BESIDE * (double)(s->last_end - s->first_start));
    if (s->n_contig == 1 && s->last_end - s->first_start <= DRAWN_WHOLE)
        return bird_region_default(
            &s->p->view, s->first_contig,
            s->first_start > beside ? s->first_start - beside : 0,
            s->last_end + beside);
    if (!best)
        return 0;
    middle = (best->best_start + best->best_end) / 2;
    return bird_region_default(&s->p->view, best->best_contig,
                               middle > DRAWN_AROUND ? middle - DRAWN_AROUND
                                                     : 0,
                               middle + DRAWN_AROUND);
}

/* The features with the highest values become tracks, in the file's order. */
static int choose_tracks(struct scan *s)
{
    struct bird_region_view *v = &s->p->view;
    int64_t track = 0;
    int rc = 0;

    if (s->r.kind == BIRD_REPORT_CALLS) {
        rc = bird_region_track_new(&track, v, s->source, BIRD_REGION_BOXES);
        for (int64_t i = 0; i < s->n; i++) {
            s->feature[i].chosen = 1;
            s->feature[i].track = track;
        }
        return rc;
    }
    for (int n = 0; n < MOST_TRACKS; n++) {
        struct feature *best = NULL;

        for (int64_t i = 0; i < s->n; i++) {
            struct feature *f = &s->feature[i];

            if (!f->chosen && !isnan(f->best) &&
                (!best || f->best > best->best))
                best = f;
        }
        if (best)
            best->chosen = 1;
    }
    for (int64_t i = 0; !rc && i < s->n; i++) {
        char name[300];

        snprintf(name, sizeof(name), "%.100s%s%.150s", s->source,
                 s->n > 1 || s->r.kind == BIRD_REPORT_BINS ? ": " : "",
                 s->n > 1 || s->r.kind == BIRD_REPORT_BINS ? s->feature[i].name
                                                           : "");
        if (s->feature[i].chosen)
            rc = bird_region_track_new(&s->feature[i].track, v, name,
                                       BIRD_REGION_VALUES);
    }
    return rc;
}

/* --- the second pass ------------------------------------------------------ */

static int falling(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;

    return x->value > y->value ? -1 : x->value < y->value;
}

/* Keep the highest half of the list. */
static void cut_list(struct scan *s)
{
    qsort(s->list, (size_t)s->n_list, sizeof(*s->list), falling);
    for (; s->n_list > MOST_LISTED; s->n_list--) {
        free(s->list[s->n_list - 1].contig);
        free(s->list[s->n_list - 1].name);
    }
}

static char strand_of(const struct scan *s)
{
    const char *text = s->strand >= 0 ? s->r.field[s->strand] : ".";

    return *text == '+' || *text == '-' ? *text : '.';
}

static int list_call(struct scan *s, const struct row *x,
                     const struct feature *f, double v)
{
    struct listed c = {.start = x->start,
                       .end = x->end,
                       .summit = x->start,
                       .value = v,
                       .strand = strand_of(s)};
    int rc = bird_array_grow(&s->list, &s->cap_list, s->n_list + 1,
                             sizeof(*s->list));

    if (!rc && s->summit >= 0)
        rc = bird_report_rows_place(&c.summit, &s->r, s->summit);
    if (rc)
        return rc;
    c.contig = strdup(x->contig);
    c.name = strdup(f->name);
    s->list[s->n_list++] = c;
    if (!c.contig || !c.name)
        return bird_fail_memory(0);
    if (s->n_list == 2 * MOST_LISTED)
        cut_list(s);
    return 0;
}

static int count_value(struct scan *s, const struct row *x,
                       const struct feature *f)
{
    int is_call = s->r.kind == BIRD_REPORT_CALLS;
    char text[160], number[BIRD_NUMBER_SIZE];
    struct bird_region_item item = {
        .start = x->start, .end = x->end, .of = -1, .strand = strand_of(s)};
    int rc = value_of(&item.value, s, f);

    if (rc || isnan(item.value))
        return rc;
    bird_spread_count(&s->spread, item.value, weight_of(s, x->start, x->end));
    if (is_call)
        rc = list_call(s, x, f, item.value);
    if (rc || !f->chosen ||
        !bird_region_overlaps(&s->p->view, x->contig, x->start, x->end))
        return rc;
    if (is_call) {
        snprintf(text, sizeof(text), "%.100s %s", f->name,
                 bird_number(number, item.value, 2));
        item.name = text;
    }
    return bird_region_add(&s->p->view, f->track, &item);
}

static int count_row(struct scan *s, const struct row *x)
{
    int64_t from = 0, to = 0;
    int rc = row_features(&from, &to, s);

    for (int64_t i = from; !rc && i < to; i++)
        rc = count_value(s, x, &s->feature[i]);
    return rc;
}

static int read_rows(struct scan *s, const char *path,
                     int take(struct scan *, const struct row *))
{
    struct row x;
    int rc = 1, bad = 0;

    while (!bad && (rc = next_row(&x, s)) > 0)
        bad = take(s, &x);
    if (bad || rc < 0)
        return bad ? bad : rc;
    bird_report_rows_close(&s->r);
    return open_scan(s, path);
}

/* --- the section ---------------------------------------------------------- */

static void put_interval(char out[200], const char *contig, int64_t start,
                         int64_t end)
{
    snprintf(out, 200, "%.120s:%lld-%lld", contig, (long long)start + 1,
             (long long)end);
}

static void put_calls(struct scan *s)
{
    static const char *const head[] = {"position",    "name",   "strand",
                                       "probability", "summit", "length (bp)"};
    struct bird_markup *m = &s->p->m;
    char caption[96];

    cut_list(s);
    if (!s->n_list)
        return;
    if (s->rows > s->n_list)
        snprintf(caption, sizeof(caption), "The %lld strongest of %lld calls",
                 (long long)s->n_list, (long long)s->rows);
    else
        snprintf(caption, sizeof(caption), "All calls");
    if (s->n_list > OPEN_ROWS)
        bird_html_folded(m, "Calls");
    bird_html_table(m, caption);
    bird_html_head(m, head, 6, 3);
    for (int64_t i = 0; i < s->n_list; i++) {
        const struct listed *c = &s->list[i];
        char at[200], strand[2] = {c->strand, 0}, v[BIRD_NUMBER_SIZE],
                      summit[BIRD_NUMBER_SIZE], length[BIRD_NUMBER_SIZE];
        const char *cell[] = {at, c->name, c->strand == '.' ? "" : strand,
                              v,  summit,  length};

        put_interval(at, c->contig, c->start, c->end);
        bird_number(v, c->value, 4);
        bird_number(summit, (double)c->summit + 1, 15);
        bird_number(length, (double)(c->end - c->start), 15);
        bird_html_row(m, cell, 6);
    }
    bird_html_table_end(m);
    if (s->n_list > OPEN_ROWS)
        bird_html_close(m, "details");
}

static void put_features(struct scan *s)
{
    static const char *const head[] = {"feature", "highest at", "values",
                                       "mean", "highest"};
    struct bird_markup *m = &s->p->m;

    if (s->n > OPEN_ROWS)
        bird_html_folded(m, "Features");
    bird_html_table(m,
                    s->r.kind == BIRD_REPORT_WINDOWS ? "Strands" : "Features");
    bird_html_head(m, head, 5, 2);
    for (int64_t i = 0; i < s->n; i++) {
        const struct feature *f = &s->feature[i];
        char n[BIRD_NUMBER_SIZE], mean[BIRD_NUMBER_SIZE],
            best[BIRD_NUMBER_SIZE], at[200] = "";
        const char *cell[] = {f->name, at, n, mean, best};

        bird_number(n, (double)f->n, 15);
        bird_number(mean, f->n ? f->sum / f->weight : (double)NAN, 4);
        bird_number(best, f->best, 4);
        if (f->best_contig)
            put_interval(at, f->best_contig, f->best_start, f->best_end);
        bird_html_row(m, cell, 5);
    }
    bird_html_table_end(m);
    if (s->n > OPEN_ROWS)
        bird_html_close(m, "details");
}

static void put_tiles(struct scan *s)
{
    static const char *const rows[] = {[BIRD_REPORT_CALLS] = "calls",
                                       [BIRD_REPORT_VALUES] = "intervals",
                                       [BIRD_REPORT_WINDOWS] = "windows",
                                       [BIRD_REPORT_BINS] = "bins"};
    struct bird_report_page *p = s->p;
    const struct feature *best = best_of(s);

    bird_html_open(&p->m, "div", "tiles");
    bird_report_tile(p, s->source, rows[s->r.kind], rows[s->r.kind],
                     (double)s->rows);
    if (s->scored < s->rows)
        bird_report_tile(p, s->source, "not_scored", "without a value",
                         (double)(s->rows - s->scored));
    if (s->r.kind == BIRD_REPORT_BINS ||
        (s->n > 1 && s->r.kind == BIRD_REPORT_CALLS))
        bird_report_tile(p, s->source, "features", "features", (double)s->n);
    if (s->r.kind == BIRD_REPORT_CALLS)
        bird_report_tile(p, s->source, "called_bp", "bp of all calls",
                         (double)s->bases);
    if (s->spread.n)
        bird_report_tile(p, s->source, "mean", "mean value",
                         s->sum / s->weight);
    if (best)
        bird_report_tile(p, s->source, "highest", "highest value", best->best);
    bird_html_close(&p->m, "div");
}

static void put_scan(struct scan *s)
{
    static const char *const what[] = {
        [BIRD_REPORT_CALLS] = "Calls",
        [BIRD_REPORT_VALUES] = "Values along the sequence",
        [BIRD_REPORT_WINDOWS] = "Windows of both strands",
        [BIRD_REPORT_BINS] = "Bins of several features"};
    struct bird_markup *m = &s->p->m;
    int is_call = s->r.kind == BIRD_REPORT_CALLS;

    bird_report_section(s->p, s->r.path, what[s->r.kind]);
    put_tiles(s);
    bird_report_about(s->p, &s->r.about);
    if (s->spread.n) {
        bird_html_open(m, "div", "figures");
        bird_spread_chart(m, &s->spread,
                          is_call ? "Probabilities of the calls"
                                  : "Distribution of the values",
                          s->r.kind == BIRD_REPORT_VALUES ? "value"
                                                          : "probability",
                          is_call                           ? "calls"
                          : s->r.kind == BIRD_REPORT_VALUES ? "bp"
                                                            : "values");
        bird_html_close(m, "div");
    }
    if (is_call)
        put_calls(s);
    if (s->n > 1 || s->r.kind == BIRD_REPORT_BINS)
        put_features(s);
    bird_html_close(m, "section");
}

/* The first pass over a file; free the scan in any case. */
static int look(struct scan *s, struct bird_report_page *p, const char *path)
{
    int rc;

    *s = (struct scan){.p = p, .source = bird_report_source(p->o, path)};
    rc = open_scan(s, path);
    if (!rc)
        rc = read_rows(s, path, see_row);
    return rc || !s->rows ? rc : choose_region(s);
}

int bird_report_scan(struct bird_report_page *p, const char *path)
{
    struct scan s;
    int rc = look(&s, p, path);

    if (!rc)
        rc = choose_tracks(&s);
    if (!rc)
        rc = read_rows(&s, path, count_row);
    if (!rc)
        put_scan(&s);
    scan_free(&s);
    return rc;
}

int bird_report_scan_region(struct bird_report_page *p, const char *path)
{
    struct scan s;
    int rc = look(&s, p, path);

    scan_free(&s);
    return rc;
}
