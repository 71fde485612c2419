/* Tables read row by row, their kind, which the names of their columns give,
 * and histograms of their values.
 * SPDX-License-Identifier: MIT */
#include "report/report_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/allele_table.h"

/* --- which kind ----------------------------------------------------------- */

int64_t bird_report_rows_column(const struct bird_report_rows *r,
                                const char *name)
{
    for (int64_t i = 0; i < r->n_column; i++)
        if (!strcasecmp(r->name[i], name))
            return i;
    return -1;
}

/* 1: the table has all of these columns, whose names are separated by blanks */
static int has(const struct bird_report_rows *r, const char *names)
{
    for (const char *s = names; *s;) {
        size_t n = strcspn(s, " ");
        int found = 0;

        for (int64_t i = 0; i < r->n_column && !found; i++)
            found = strlen(r->name[i]) == n && !strncasecmp(r->name[i], s, n);
        if (!found)
            return 0;
        s += n + strspn(s + n, " ");
    }
    return 1;
}

static enum bird_report_kind kind_of(const struct bird_report_rows *r)
{
    static const struct {
        const char *columns;
        enum bird_report_kind kind;
    } known[] = {
        {"CHROM POS REF ALT", BIRD_REPORT_ALLELES},
        {"chrom start end name status", BIRD_REPORT_BINS},
        {"chrom start end probability summit", BIRD_REPORT_CALLS},
        {"chrom start end strand probability status", BIRD_REPORT_WINDOWS},
        {"chrom start end value", BIRD_REPORT_VALUES},
        {"chrom start end score strand", BIRD_REPORT_TABLE}, /* alleles */
        {"chrom start end ref feature", BIRD_REPORT_TABLE},  /* of bases */
        {"chrom start end", BIRD_REPORT_BINS},
        {"name label", BIRD_REPORT_ANSWERS},
        {"step", BIRD_REPORT_TRAINING},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (has(r, known[i].columns))
            return known[i].kind;
    return BIRD_REPORT_TABLE;
}

/* --- reading -------------------------------------------------------------- */

static int read_head(struct bird_report_rows *r, const char *s)
{
    int rc = bird_text_put(&r->head, s, (int64_t)strlen(s));

    if (rc)
        return rc;
    r->n_column = bird_count_fields(s);
    rc = bird_array_new((void *)&r->name, r->n_column, sizeof(*r->name));
    if (!rc)
        rc = bird_array_new((void *)&r->field, r->n_column, sizeof(*r->field));
    if (!rc)
        bird_split_tabs(r->name, (int)r->n_column, r->head.s);
    return rc;
}

/* 1: columns k and k + 1 (from 0) of the line are whole numbers */
static int has_numbers(const char *s, int k)
{
    for (; k > 0 && s; k--)
        s = (s = strchr(s, '\t')) ? s + 1 : NULL;
    for (int i = 0; i < 2 && s; i++) {
        size_t n = strspn(s, "0123456789");

        s = n && (s[n] == '\t' || (i && !s[n])) ? s + n + 1 : NULL;
    }
    return s != NULL;
}

/* BED, bedGraph and GFF without a header line */
static int fail_data(const struct bird_report_rows *r)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: line %lld is data, not the names of the columns: a "
                     "report reads what a command of dnabird wrote, and BED, "
                     "GTF and GFF files of others as --annotation",
                     r->path, (long long)r->lines.line);
}

/* Lines that begin with '#' and have no tab are comments; the first other
 * line has the names of the columns. */
static int read_top(struct bird_report_rows *r)
{
    int rc;

    while ((rc = bird_lines_next(&r->lines)) > 0) {
        const char *s = r->lines.text.s;
        int is_note = *s == '#' && (s[1] == '#' || s[1] == ' ');

        if (*s != '#' && (has_numbers(s, 1) || has_numbers(s, 3)))
            return fail_data(r);
        if (!is_note && strchr(s, '\t'))
            return read_head(r, s + (*s == '#'));
        if (*s == '#')
            rc = bird_text_printf(&r->about, "%s\n", s + strspn(s, "# "));
        else if (*s)
            break;
        else
            rc = 0;
        if (rc)
            return rc;
    }
    return rc < 0
               ? rc
               : bird_fail(BIRD_EFORMAT,
                           "%s: not a tab-separated table with a header line: "
                           "a report reads the folder of a run or model, "
                           "or files that a command of dnabird wrote",
                           r->path);
}

/* Takes over the opened file; rc: the status of opening it. */
static int begin(struct bird_report_rows *r, int rc)
{
    if (!rc)
        rc = read_top(r);
    if (!rc)
        r->kind = kind_of(r);
    else
        bird_report_rows_close(r);
    return rc;
}

int bird_report_rows_open(struct bird_report_rows *r, const char *path)
{
    int is_vcf = 0, rc = bird_allele_table_look(&is_vcf, path);

    *r = (struct bird_report_rows){.path = path};
    if (!rc && is_vcf) {
        r->kind = BIRD_REPORT_ALLELES;
        return 0;
    }
    return begin(r, rc ? rc : bird_lines_open(&r->lines, path));
}

int bird_report_rows_open_memory(struct bird_report_rows *r, const char *name,
                                 const void *data, int64_t n)
{
    *r = (struct bird_report_rows){.path = name};
    return begin(r, bird_lines_open_memory(&r->lines, name, data, n));
}

void bird_report_rows_close(struct bird_report_rows *r)
{
    bird_lines_close(&r->lines);
    bird_text_free(&r->about);
    bird_text_free(&r->head);
    free(r->name);
    free(r->field);
    *r = (struct bird_report_rows){0};
}

int bird_report_rows_next(struct bird_report_rows *r)
{
    int64_t n;
    int rc;

    do
        rc = bird_lines_next(&r->lines);
    while (rc > 0 && (!r->lines.text.s[0] || r->lines.text.s[0] == '#'));
    if (rc <= 0)
        return rc;
    n = bird_count_fields(r->lines.text.s);
    if (n != r->n_column)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: %lld field%s, %lld in the header",
                         r->path, (long long)r->lines.line, (long long)n,
                         n == 1 ? "" : "s", (long long)r->n_column);
    bird_split_tabs(r->field, (int)n, r->lines.text.s);
    return 1;
}

static int fail_field(const struct bird_report_rows *r, int64_t column)
{
    return bird_fail(BIRD_EFORMAT, "%s: line %lld: %s: '%.40s' is not a number",
                     r->path, (long long)r->lines.line, r->name[column],
                     r->field[column]);
}

int bird_report_rows_number(double *out, const struct bird_report_rows *r,
                            int64_t column)
{
    const char *s = r->field[column];

    *out = (double)NAN;
    if (!*s || !strcmp(s, ".") || !strcasecmp(s, "NA") || !strcasecmp(s, "nan"))
        return 0;
    return bird_parse_double(out, s) ? fail_field(r, column) : 0;
}

int bird_report_rows_place(int64_t *out, const struct bird_report_rows *r,
                           int64_t column)
{
    return bird_digits(out, r->field[column], INT64_MAX / 4)
               ? fail_field(r, column)
               : 0;
}

/* --- how values are spread ------------------------------------------------ */

void bird_spread_see(struct bird_spread *s, double v)
{
    if (!isfinite(v))
        return;
    s->lo = !s->n || v < s->lo ? v : s->lo;
    s->hi = !s->n || v > s->hi ? v : s->hi;
    s->sum += v;
    s->n++;
}

/* The axis of probabilities is 0 to 1, of other values their range. Halves
 * and shares keep the difference of the largest numbers finite. */
static void set_edges(struct bird_spread *s)
{
    double lo = s->lo >= 0 && s->hi <= 1 ? 0 : s->lo;
    double hi = s->lo >= 0 && s->hi <= 1 ? 1 : s->hi;

    if (!(lo < hi) && lo > 0)
        lo -= fmax(1, 1e-3 * lo);
    else if (!(lo < hi))
        hi += fmax(1, -1e-3 * hi);
    for (int i = 0; i <= BIRD_SPREAD_BARS; i++) {
        double f = (double)i / BIRD_SPREAD_BARS;

        s->edge[i] = lo * (1 - f) + hi * f;
    }
}

void bird_spread_count(struct bird_spread *s, double v, double by)
{
    double lo, hi, f;

    if (!isfinite(v) || !s->n)
        return;
    if (!(s->edge[0] < s->edge[BIRD_SPREAD_BARS]))
        set_edges(s);
    lo = s->edge[0];
    hi = s->edge[BIRD_SPREAD_BARS];
    f = (v / 2 - lo / 2) / (hi / 2 - lo / 2);
    s->bar[f >= 1  ? BIRD_SPREAD_BARS - 1
           : f > 0 ? (int)(BIRD_SPREAD_BARS * f)
                   : 0] += by;
}

struct bird_series bird_spread_bars(const struct bird_spread *s,
                                    const char *name, int colour)
{
    return (struct bird_series){.name = name,
                                .x = s->edge,
                                .y = s->bar,
                                .n = s->n ? BIRD_SPREAD_BARS : 0,
                                .mark = BIRD_BARS,
                                .colour = colour};
}

/* 1: one bar is so high that the others would be invisible */
static int is_steep(const struct bird_spread *s)
{
    double first = 0, second = 0;

    for (int i = 0; i < BIRD_SPREAD_BARS; i++) {
        second = s->bar[i] > first    ? first
                 : s->bar[i] > second ? s->bar[i]
                                      : second;
        first = s->bar[i] > first ? s->bar[i] : first;
    }
    return second > 0 && first > 20 * second;
}

void bird_spread_chart(struct bird_markup *m, const struct bird_spread *s,
                       const char *title, const char *of, const char *unit)
{
    struct bird_series bars = bird_spread_bars(s, NULL, 0);
    double high[BIRD_SPREAD_BARS];
    struct bird_chart c;
    char label[64];
    int steep = is_steep(s);

    for (int i = 0; i < BIRD_SPREAD_BARS; i++)
        high[i] = steep ? log10(1 + s->bar[i]) : s->bar[i];
    snprintf(label, sizeof(label), "%s%.30s%s", steep ? "log10(1 + " : "", unit,
             steep ? ")" : "");
    bars.y = high;
    bird_chart_default(&c);
    c.title = title;
    c.x.label = of;
    c.y.label = label;
    c.y.from_zero = 1;
    c.y.whole = 1;
    c.series = &bars;
    c.n_series = 1;
    bird_html_chart(m, &c);
}
