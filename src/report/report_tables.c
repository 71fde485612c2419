/* Tables of the report: config.json, dnabird.json, and the metrics files of
 * `dnabird evaluate`.
 * SPDX-License-Identifier: MIT */
#include "report/report_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "seq/input.h"

/* Longer values are cut: a list of 919 labels does not help on a page. */
#define MOST_CHARS 400
#define MOST_ITEMS 24

static int put_word(struct bird_text *t, const char *s)
{
    return bird_text_put(t, s, (int64_t)strlen(s));
}

/* A JSON value as text; lists and objects on one line. */
static int value_text(struct bird_text *t, const json_t *v, int depth)
{
    const json_t *item;
    const char *key;
    size_t i = 0,
           n = json_is_array(v) ? json_array_size(v) : json_object_size(v);
    int rc = 0;

    if (json_is_string(v))
        return put_word(t, json_string_value(v));
    if (json_is_integer(v))
        return bird_text_printf(t, "%lld", (long long)json_integer_value(v));
    if (json_is_real(v))
        return bird_text_printf(t, "%.6g", json_real_value(v));
    if (!json_is_array(v) && !json_is_object(v))
        return put_word(t, json_is_null(v)   ? "none"
                           : json_is_true(v) ? "yes"
                                             : "no");
    if (depth > 3)
        return put_word(t, "...");
    if (json_is_array(v)) {
        for (; !rc && i < n && i < MOST_ITEMS && t->n < MOST_CHARS; i++) {
            item = json_array_get(v, i);
            rc = put_word(t, !i ? "" : json_is_array(item) ? "; " : ", ");
            rc = rc ? rc : value_text(t, item, depth + 1);
        }
    } else {
        json_object_foreach((json_t *)v, key, item)
        {
            if (rc || i >= MOST_ITEMS || t->n >= MOST_CHARS)
                break;
            rc = bird_text_printf(t, "%s%s: ", i ? ", " : "", key);
            rc = rc ? rc : value_text(t, item, depth + 1);
            i++;
        }
    }
    if (!rc && i < n)
        rc = bird_text_printf(t, ", ... (%zu in all)", n);
    return rc;
}

static void put_setting(struct bird_markup *m, const char *key, const json_t *v)
{
    struct bird_text t = {0};
    int rc = value_text(&t, v, 0);

    if (rc)
        m->rc = m->rc ? m->rc : rc;
    else
        bird_html_pair(m, key, t.s);
    bird_text_free(&t);
}

/* An object as a table; `only` 0: all members, 1: those that are no objects */
static void put_object(struct bird_markup *m, const char *caption,
                       const json_t *o, int only)
{
    const char *key;
    const json_t *v;
    int any = 0;

    json_object_foreach((json_t *)o, key, v)
    {
        if (only && json_is_object(v))
            continue;
        if (!any)
            bird_html_table(m, caption);
        any = 1;
        put_setting(m, key, v);
    }
    if (any)
        bird_html_table_end(m);
}

void bird_report_settings(struct bird_markup *m, const json_t *config,
                          const json_t *meta)
{
    const char *key;
    const json_t *v;

    if (json_object_size(meta)) {
        bird_html_section(m, "Data and commands", NULL);
        put_object(m, "model", meta, 1);
        json_object_foreach((json_t *)meta, key, v)
        {
            if (json_is_object(v) && strcmp(key, "measured") != 0)
                put_object(m, key, v, 0);
        }
        bird_html_close(m, "section");
    }
    if (json_object_size(config)) {
        bird_html_folded(m, "Configuration (config.json)");
        put_object(m, NULL, config, 0);
        bird_html_close(m, "details");
    }
}

/* A metric: v, [v, lo, hi], or {"value": v, "lo": lo, "hi": hi}. */
static int is_metric(const json_t *v)
{
    int good = json_is_array(v) && json_array_size(v) == 3;

    for (size_t i = 0; good && i < 3; i++)
        good = json_is_number(json_array_get(v, i)) ||
               json_is_null(json_array_get(v, i));
    return good || json_is_number(v) || json_is_string(v) || json_is_null(v) ||
           json_object_get(v, "value");
}

static double number_of(const json_t *v)
{
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

/* Value and ends of the interval of a metric; NaN: none. */
static void read_metric(double out[3], const json_t *v)
{
    static const char *const key[] = {"value", "lo", "hi"};

    for (size_t i = 0; i < 3; i++)
        out[i] = json_is_array(v)    ? number_of(json_array_get(v, i))
                 : json_is_object(v) ? number_of(json_object_get(v, key[i]))
                 : i                 ? (double)NAN
                                     : number_of(v);
}

static int has_interval(const json_t *v)
{
    double x[3];

    read_metric(x, v);
    return !isnan(x[1]) && !isnan(x[2]);
}

static void put_metric(struct bird_markup *m, const char *name, const json_t *v,
                       int columns)
{
    char value[BIRD_NUMBER_SIZE], lo[BIRD_NUMBER_SIZE], hi[BIRD_NUMBER_SIZE];
    char interval[2 * BIRD_NUMBER_SIZE + 4] = "";
    const char *cell[3] = {name, value, interval};
    double x[3];

    read_metric(x, v);
    bird_number(value, x[0], 4);
    if (json_is_string(v))
        cell[1] = json_string_value(v);
    if (has_interval(v))
        snprintf(interval, sizeof(interval), "%s \xe2\x80\x93 %s",
                 bird_number(lo, x[1], 4), bird_number(hi, x[2], 4));
    bird_html_row(m, cell, columns);
}

/* Keep its number, named "validation, auroc". */
static void note_metric(struct bird_report_page *p, const char *source,
                        const char *set, const char *name, const json_t *v)
{
    char what[200], key[200];
    double x[3];

    read_metric(x, v);
    snprintf(what, sizeof(what), "%.120s%s%.60s", set ? set : "",
             set ? ", " : "", name);
    snprintf(key, sizeof(key), "%.120s%s%.60s", set ? set : "", set ? "_" : "",
             name);
    for (char *c = key; *c; c++)
        *c = *c == ' ' || *c == ',' ? '_' : *c;
    bird_report_fact(p, source, key, what, x[0]);
}

static void put_set(struct bird_report_page *p, const char *source,
                    const char *name, const json_t *set, int depth)
{
    struct bird_markup *m = &p->m;
    static const char *const head[] = {"metric", "value", "95 % interval"};
    const char *key;
    const json_t *v;
    int any = 0, columns = 2;

    json_object_foreach((json_t *)set, key, v)
    {
        if (is_metric(v) && has_interval(v))
            columns = 3;
    }
    json_object_foreach((json_t *)set, key, v)
    {
        if (!is_metric(v))
            continue;
        if (!any) {
            bird_html_table(m, name);
            bird_html_head(m, head, columns, 1);
        }
        any = 1;
        put_metric(m, key, v, columns);
        note_metric(p, source, name, key, v);
    }
    if (any)
        bird_html_table_end(m);
    json_object_foreach((json_t *)set, key, v)
    {
        struct bird_text path = {0};
        int rc = 0;

        if (!json_is_object(v) || is_metric(v) || depth > 3)
            continue;
        rc = bird_text_printf(&path, "%s%s%s", name ? name : "",
                              name ? ", " : "", key);
        if (rc)
            m->rc = m->rc ? m->rc : rc;
        else
            put_set(p, source, path.s, v, depth + 1);
        bird_text_free(&path);
    }
}

void bird_report_measured(struct bird_report_page *p, const char *source,
                          const json_t *measured)
{
    if (!json_object_size(measured))
        return;
    bird_html_section(&p->m, "Held-out metrics",
                      "From the model's dnabird.json; intervals, where there "
                      "are any, are 95 % bootstrap intervals.");
    put_set(p, source, NULL, measured, 0);
    bird_html_close(&p->m, "section");
}

/* --- files of metrics ---------------------------------------------------- */

#define MOST_FIELDS 64
#define MOST_SETS   8  /* columns beside each other; more become a long table */
#define OPEN_ROWS   40 /* a longer table is collapsed */

/* Cells point into the file's text; row 0 has the names of the columns. */
struct table {
    char **cell; /* (n_row, n_column) */
    int64_t cap, n_row;
    int n_column;
};

static const char *at(const struct table *t, int64_t row, int column)
{
    return t->cell[row * t->n_column + column];
}

static int column_of(const struct table *t, const char *name)
{
    for (int i = 0; i < t->n_column; i++)
        if (!strcmp(at(t, 0, i), name))
            return i;
    return -1;
}

static int add_row(struct table *t, char *line, int64_t number,
                   const char *path)
{
    char *field[MOST_FIELDS + 1];
    int n = bird_split_tabs(field, MOST_FIELDS + 1, line), rc;

    if (n > MOST_FIELDS || (t->n_row && n != t->n_column))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: %d fields%s: not a table of metrics",
                         path, (long long)number, n,
                         n > MOST_FIELDS ? " or more" : ", not as the first");
    t->n_column = n;
    rc = bird_array_grow(&t->cell, &t->cap, (t->n_row + 1) * n,
                         sizeof(*t->cell));
    if (rc)
        return rc;
    memcpy(t->cell + t->n_row * n, field, (size_t)n * sizeof(*field));
    t->n_row++;
    return 0;
}

static void put_plain(struct bird_markup *m, const struct table *t)
{
    int n_text = t->n_column;

    for (int i = t->n_column - 1; i >= 0 && t->n_row > 1; i--) {
        double v;

        if (bird_parse_double(&v, at(t, t->n_row - 1, i)) &&
            strcmp(at(t, t->n_row - 1, i), "NA") != 0 &&
            strcmp(at(t, t->n_row - 1, i), ".") != 0)
            break;
        n_text = i;
    }
    bird_html_table(m, NULL);
    for (int64_t r = 0; r < t->n_row; r++) {
        const char *const *cell =
            (const char *const *)t->cell + r * t->n_column;

        if (r)
            bird_html_row(m, cell, t->n_column);
        else
            bird_html_head(m, cell, t->n_column, n_text);
    }
    bird_html_table_end(m);
}

static double value_at(const struct table *t, int64_t row, int column)
{
    double v = (double)NAN;

    if (column < 0 || bird_parse_double(&v, at(t, row, column)))
        return (double)NAN;
    return v;
}

void bird_reliability_chart(struct bird_markup *m, const double *probability,
                            const double *observed, int64_t n)
{
    static const double ends[] = {0, 1};
    const struct bird_series s[2] = {{.name = "observed",
                                      .x = probability,
                                      .y = observed,
                                      .n = n,
                                      .mark = BIRD_LINE},
                                     {.name = "perfectly calibrated",
                                      .x = ends,
                                      .y = ends,
                                      .n = 2,
                                      .mark = BIRD_DASHED,
                                      .colour = 1}};
    struct bird_chart c;

    bird_chart_default(&c);
    c.title = "Calibration";
    c.x = (struct bird_axis){.label = "predicted probability", .hi = 1};
    c.y = (struct bird_axis){.label = "share of positives", .hi = 1};
    c.series = s;
    c.n_series = 2;
    c.square = 1;
    bird_html_chart(m, &c);
}

static int put_reliability(struct bird_markup *m, const struct table *t)
{
    int mean = column_of(t, "mean_probability"),
        seen = column_of(t, "observed");
    double *v;
    int rc = bird_array_new(&v, 2 * t->n_row, sizeof(*v));

    if (rc)
        return rc;
    for (int64_t i = 1; i < t->n_row; i++) {
        v[i - 1] = value_at(t, i, mean);
        v[t->n_row + i - 1] = value_at(t, i, seen);
    }
    bird_html_open(m, "div", "figures");
    bird_reliability_chart(m, v, v + t->n_row, t->n_row - 1);
    bird_html_close(m, "div");
    free(v);
    return 0;
}

/* "all/model" and part "all". */
static int is_of_part(const char *set, const char *part, size_t n)
{
    return !strncmp(set, part, n) && (set[n] == '/' || !set[n]);
}

/* Find the sets of the part that begins at row r. @return their number */
static int sets_of_part(const char *set[MOST_SETS + 1], const struct table *t,
                        int64_t r)
{
    size_t n = strcspn(at(t, r, 0), "/");
    int k = 0, i;

    for (int64_t row = r; row < t->n_row && k <= MOST_SETS; row++) {
        const char *s = at(t, row, 0);

        if (!is_of_part(s, at(t, r, 0), n))
            continue;
        for (i = 0; i < k && strcmp(set[i], s) != 0;)
            i++;
        if (i == k)
            set[k++] = s;
    }
    return k;
}

static int64_t find_row(const struct table *t, const char *set,
                        const char *metric)
{
    for (int64_t r = 1; r < t->n_row; r++)
        if (!strcmp(at(t, r, 0), set) && !strcmp(at(t, r, 1), metric))
            return r;
    return 0;
}

/* One row for each metric, one column for each predictor. */
static void put_part(struct bird_markup *m, const struct table *t,
                     const char *const *set, int n_set)
{
    const char *cell[MOST_SETS + 1] = {"metric"};
    char text[MOST_SETS][BIRD_INTERVAL_SIZE];

    bird_html_table(m, NULL);
    for (int i = 0; i < n_set; i++)
        cell[i + 1] = set[i];
    bird_html_head(m, cell, n_set + 1, 1);
    for (int64_t r = 1; r < t->n_row; r++) {
        int first = 0; /* 1: the first row of this metric in the part */

        for (int i = 0; i < n_set && !first; i++) {
            int64_t row = find_row(t, set[i], at(t, r, 1));

            first = row == r;
            if (row)
                break;
        }
        if (!first)
            continue;
        cell[0] = at(t, r, 1);
        for (int i = 0; i < n_set; i++) {
            int64_t row = find_row(t, set[i], cell[0]);

            text[i][0] = '\0';
            if (row)
                bird_interval_text(text[i], value_at(t, row, 2),
                                   value_at(t, row, 3), value_at(t, row, 4));
            cell[i + 1] = text[i];
        }
        bird_html_row(m, cell, n_set + 1);
    }
    bird_html_table_end(m);
}

/* Keep the metrics of the model on all rows, or of the median label; the
 * first few are tiles. */
static void put_facts(struct bird_report_page *p, const char *source,
                      const struct table *t)
{
    static const char *const shown[][2] = {
        {"rows", "rows"},   {"positives", "positives"}, {"labels", "labels"},
        {"auroc", "AUROC"}, {"auprc", "AUPRC"},         {"mcc", "MCC"}};

    bird_html_open(&p->m, "div", "tiles");
    for (int64_t r = 1; r < t->n_row; r++) {
        int median = !strcmp(at(t, r, 0), "all/model:median"), k = 0;
        char key[64], what[64];

        if (!median && strcmp(at(t, r, 0), "all/model") != 0)
            continue;
        while (k < 6 && strcmp(at(t, r, 1), shown[k][0]) != 0)
            k++;
        snprintf(key, sizeof(key), "%s%.50s", median && k > 2 ? "median_" : "",
                 at(t, r, 1));
        snprintf(what, sizeof(what), "%s%.50s",
                 median && k > 2 ? "median " : "",
                 k < 6 ? shown[k][1] : at(t, r, 1));
        if (k < 6)
            bird_report_tile(p, source, key, what, value_at(t, r, 2));
        else
            bird_report_fact(p, source, key, what, value_at(t, r, 2));
    }
    bird_html_close(&p->m, "div");
}

/* @return 1: t is a table of sets, and was written; 0: it is another table */
static int put_sets(struct bird_report_page *p, const char *source,
                    const struct table *t)
{
    struct bird_markup *m = &p->m;
    static const char *const names[] = {"set", "metric", "value", "lo", "hi"};
    const char *set[MOST_SETS + 1];

    if (t->n_column != 5)
        return 0;
    for (int i = 0; i < 5; i++)
        if (strcmp(at(t, 0, i), names[i]) != 0)
            return 0;
    put_facts(p, source, t);
    for (int64_t r = 1; r < t->n_row; r++)
        if (sets_of_part(set, t, r) > MOST_SETS)
            return 0;
    for (int64_t r = 1; r < t->n_row; r++) {
        size_t n = strcspn(at(t, r, 0), "/");
        int seen = 0;

        for (int64_t q = 1; q < r && !seen; q++)
            seen = is_of_part(at(t, q, 0), at(t, r, 0), n);
        if (!seen)
            put_part(m, t, set, sets_of_part(set, t, r));
    }
    return 1;
}

/* One row for each label: histograms of AUROC and AUPRC, and their medians
 * as tiles. */
static void put_labels(struct bird_report_page *p, const char *source,
                       const struct table *t)
{
    static const char *const area[][2] = {{"auroc", "AUROC"},
                                          {"auprc", "AUPRC"}};
    int label = column_of(t, "label"), part = column_of(t, "part");

    if (label < 0 || part < 0 || column_of(t, area[0][0]) < 0)
        return;
    for (int pass = 0; pass < 2; pass++) {
        bird_html_open(&p->m, "div", pass ? "figures" : "tiles");
        for (int a = 0; a < 2; a++) {
            int column = column_of(t, area[a][0]);
            struct bird_spread s = {0};

            for (int64_t r = 1; r < t->n_row; r++) {
                double v = value_at(t, r, column);
                int median = !strncmp(at(t, r, label), "median", 6);

                if (strcmp(at(t, r, part), at(t, 1, part)) != 0)
                    continue;
                if (!pass && median && !at(t, r, label)[6])
                    bird_report_tile(p, source,
                                     a ? "median_auprc" : "median_auroc",
                                     a ? "median AUPRC" : "median AUROC", v);
                if (!median)
                    bird_spread_see(&s, v);
            }
            for (int64_t r = 1; pass && r < t->n_row; r++)
                if (!strcmp(at(t, r, part), at(t, 1, part)) &&
                    strncmp(at(t, r, label), "median", 6) != 0)
                    bird_spread_count(&s, value_at(t, r, column), 1);
            if (pass && s.n)
                bird_spread_chart(&p->m, &s, area[a][1], area[a][1], "labels");
        }
        bird_html_close(&p->m, "div");
    }
}

static int put_table(struct bird_report_page *p, const char *source,
                     const struct table *t)
{
    struct bird_markup *m = &p->m;
    char title[64];
    int rc = 0;

    if (t->n_row < 2)
        return 0;
    if (column_of(t, "mean_probability") >= 0 && column_of(t, "observed") >= 0)
        rc = put_reliability(m, t);
    if (rc || put_sets(p, source, t))
        return rc;
    put_labels(p, source, t);
    if (t->n_row <= OPEN_ROWS || (!p->o->run && p->o->n_file == 1)) {
        put_plain(m, t);
        return 0;
    }
    snprintf(title, sizeof(title), "Table of %lld rows",
             (long long)t->n_row - 1);
    bird_html_folded(m, title);
    put_plain(m, t);
    bird_html_close(m, "details");
    return 0;
}

/* 1: this line, not yet split, has the names of the table's columns */
static int is_head(const struct table *t, const char *line)
{
    for (int i = 0; t->n_row && i < t->n_column; i++) {
        size_t n = strlen(at(t, 0, i));

        if (strncmp(line, at(t, 0, i), n) != 0 ||
            line[n] != (i + 1 < t->n_column ? '\t' : '\0'))
            return 0;
        line += n + 1;
    }
    return t->n_row > 0;
}

static int end_table(struct bird_report_page *p, const char *source,
                     struct table *t)
{
    int rc = put_table(p, source, t);

    t->n_row = 0;
    return rc;
}

/* Tables are separated by empty lines, or by a line "#a<tab>b" with other
 * names than before; other lines that begin with # are comments. */
static int put_lines(struct bird_report_page *p, char *rest, const char *path)
{
    const char *source = bird_report_name(path);
    struct bird_text about = {0};
    struct table t = {0};
    int64_t number = 0;
    char *line;
    int rc = 0;

    while (!rc && (line = bird_next_line(&rest))) {
        number++;
        if (about.n && line[0] && (line[0] != '#' || strchr(line, '\t'))) {
            bird_report_about(p, &about);
            bird_text_clear(&about);
        }
        if (line[0] == '#' && strchr(line, '\t')) {
            line++;
            if (is_head(&t, line))
                continue;
            rc = end_table(p, source, &t);
        } else if (line[0] == '#') {
            rc = bird_text_printf(&about, "%s\n", line + strspn(line, "# "));
            continue;
        }
        if (!rc && line[0])
            rc = add_row(&t, line, number, path);
        else if (!rc)
            rc = end_table(p, source, &t);
    }
    if (!rc)
        rc = put_table(p, source, &t);
    free(t.cell);
    bird_text_free(&about);
    return rc;
}

int bird_report_evaluation(struct bird_report_page *p, const char *path)
{
    struct bird_text text = {0};
    int rc = bird_read_file(&text, path);

    bird_report_section(p, path, "Metrics");
    if (!rc)
        rc = put_lines(p, text.s, path);
    bird_html_close(&p->m, "section");
    bird_text_free(&text);
    return rc;
}
