/* Curves of training.tsv: read column by column, smoothed when long, with
 * training and validation in one chart.
 * SPDX-License-Identifier: MIT */
#include "report/report_training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "seq/input.h"

/* --- training.tsv -------------------------------------------------------- */

void bird_training_log_free(struct bird_training_log *l)
{
    for (int i = 0; i < l->n_column; i++)
        free(l->value[i]);
    bird_text_free(&l->text);
    *l = (struct bird_training_log){0};
}

static const double *log_column(const struct bird_training_log *l,
                                const char *name)
{
    for (int i = 0; i < l->n_column; i++)
        if (!l->is_text[i] && !strcmp(l->name[i], name))
            return l->value[i];
    return NULL;
}

static double number(const char *s, int *is_text)
{
    double v = (double)NAN;

    if (*s && strcmp(s, "NA") != 0 && strcmp(s, ".") != 0 &&
        strcmp(s, "nan") != 0 && strcmp(s, "-nan") != 0 &&
        strcmp(s, "inf") != 0 && strcmp(s, "-inf") != 0 &&
        bird_parse_double(&v, s)) {
        *is_text = 1;
        return (double)NAN;
    }
    return v;
}

/* Read the names of the columns, and allocate a row for each line. */
static int read_names(struct bird_training_log *l, char **rest,
                      const char *path)
{
    char *field[BIRD_TRAINING_COLUMNS + 1], *line = bird_next_line(rest);
    int64_t lines = 0;
    int n, rc = 0;

    if (!line)
        return 0;
    n = bird_split_tabs(field, BIRD_TRAINING_COLUMNS + 1, line);
    if (n > BIRD_TRAINING_COLUMNS)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line 1: more than %d columns: not the table of "
                         "a run",
                         path, BIRD_TRAINING_COLUMNS);
    for (const char *c = *rest; c && *c; c++)
        lines += *c == '\n';
    for (int i = 0; !rc && i < n; i++) {
        rc = bird_array_new(&l->value[i], lines, sizeof(*l->value[i]));
        l->name[i] = field[i];
        l->n_column += !rc;
    }
    for (int i = 0; !rc && i < n; i++)
        if (!strcmp(l->name[i], "step"))
            return 0;
    return rc ? rc
              : bird_fail(BIRD_EFORMAT,
                          "%s: line 1: no column 'step': not the training.tsv "
                          "of a run",
                          path);
}

static int read_rows(struct bird_training_log *l, char *rest, const char *path)
{
    char *field[BIRD_TRAINING_COLUMNS + 1], *line;

    while ((line = bird_next_line(&rest))) {
        int n = bird_split_tabs(field, BIRD_TRAINING_COLUMNS + 1, line);

        if (n != l->n_column)
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld: %d fields, %d in the first line",
                             path, (long long)l->n_row + 2, n, l->n_column);
        for (int i = 0; i < n; i++)
            l->value[i][l->n_row] = number(field[i], &l->is_text[i]);
        l->n_row++;
    }
    return 0;
}

int bird_training_log_read(struct bird_training_log *out, const char *path)
{
    struct bird_training_log l = {0};
    char *rest = NULL, *end;
    int rc = bird_file_read(&l.text, path);

    if (!rc && l.text.n && memchr(l.text.s, 0, (size_t)l.text.n))
        rc = bird_fail(BIRD_EFORMAT, "%s: a binary file, not text", path);
    if (!rc && l.text.n) {
        rest = l.text.s;
        end = strrchr(rest, '\n');
        if (end)
            end[1] = '\0';
        else
            rest = NULL;
    }
    if (!rc)
        rc = read_names(&l, &rest, path);
    if (!rc)
        rc = read_rows(&l, rest, path);
    if (!rc && l.n_column && !log_column(&l, "step"))
        rc = bird_fail(BIRD_EFORMAT, "%s: not all steps are numbers", path);
    if (rc)
        bird_training_log_free(&l);
    else
        *out = l;
    return rc;
}

/* --- curves -------------------------------------------------------------- */

/* Longer curves are shown with a running mean. */
#define SMOOTH_FROM 200
#define SMOOTH_PART 50 /* the mean is over this fraction of the rows */

/* Known columns, without the prefix "valid_" of their names. Charts have
 * this order; each unknown column gets a chart of its own after them. */
static const struct known {
    const char *column, *chart, *axis, *series; /* series NULL: "training" or
                                                   "validation" */
    int from_zero;
    int exact; /* 1: not noisy, so no running mean is shown */
} known[] = {
    {"loss", "Loss", "loss (nats)", NULL, 0, 0},
    {"next_loss", "Next sentence", "loss (nats)", NULL, 0, 0},
    {"bits_per_base", "Bits per base", "bits per base", NULL, 0, 0},
    {"auroc", "Metrics", "value", "AUROC", 0, 0},
    {"auprc", "Metrics", "value", "AUPRC", 0, 0},
    {"mcc", "Metrics", "value", "MCC", 0, 0},
    {"f1", "Metrics", "value", "F1", 0, 0},
    {"accuracy", "Metrics", "value", "accuracy", 0, 0},
    {"learning_rate", "Learning rate", "learning rate", NULL, 1, 1},
    {"lr", "Learning rate", "learning rate", NULL, 1, 1},
};

enum { N_KNOWN = sizeof(known) / sizeof(*known) };

/* Columns that are shown elsewhere on the page, or are the x axis. */
static const char *const no_curve[] = {"step", "epoch", "best", "seconds"};

struct curve {
    char chart[96], axis[96], series[160];
    const double *x, *y; /* (n) */
    int64_t n;
    double *kept;   /* x and y of rows that have a value, or NULL */
    double *smooth; /* (n), or NULL */
    int order, from_zero, exact, held_out;
};

static int64_t count_values(const double *y, int64_t n)
{
    int64_t k = 0;

    for (int64_t i = 0; i < n; i++)
        k += isfinite(y[i]);
    return k;
}

static int has_curve(const struct bird_training_log *l, int i)
{
    int yes = !l->is_text[i] && count_values(l->value[i], l->n_row);

    for (size_t k = 0; k < sizeof(no_curve) / sizeof(*no_curve); k++)
        yes &= strcmp(l->name[i], no_curve[k]) != 0;
    return yes;
}

/* The name of a column as words. */
static void words(char *out, size_t size, const char *name)
{
    snprintf(out, size, "%s", name);
    for (char *c = out; *c; c++)
        *c = *c == '_' ? ' ' : *c;
}

static void describe(struct curve *c, const char *name, int column)
{
    static const char per[] = "_per_second";
    size_t n;

    c->held_out = !strncmp(name, "valid_", 6);
    name += c->held_out ? 6 : 0;
    n = strlen(name);
    for (int k = 0; k < N_KNOWN; k++) {
        if (strcmp(name, known[k].column) != 0)
            continue;
        snprintf(c->chart, sizeof(c->chart), "%s", known[k].chart);
        snprintf(c->axis, sizeof(c->axis), "%s", known[k].axis);
        snprintf(c->series, sizeof(c->series), "%s",
                 known[k].series ? known[k].series : "");
        c->from_zero = known[k].from_zero;
        c->exact = known[k].exact;
        c->order = k;
        return;
    }
    words(c->chart, sizeof(c->chart), name);
    words(c->axis, sizeof(c->axis), name);
    c->order = N_KNOWN + column;
    if (n > sizeof(per) - 1 && !strcmp(name + n - sizeof(per) + 1, per)) {
        snprintf(c->chart, sizeof(c->chart), "Speed: %.*s a second",
                 (int)(n - sizeof(per) + 1), name);
        snprintf(c->axis, sizeof(c->axis), "%.*s/s", (int)(n - sizeof(per) + 1),
                 name);
        c->from_zero = 1;
    } else if (c->chart[0] >= 'a' && c->chart[0] <= 'z') {
        c->chart[0] = (char)(c->chart[0] - 'a' + 'A');
    }
}

/* Running mean over the `width` rows around each row; fewer at the ends. */
static int smooth(double **out, const double *y, int64_t n, int64_t width)
{
    int rc = bird_array_new(out, n, sizeof(**out));

    for (int64_t i = 0; !rc && i < n; i++) {
        int64_t i0 = i - width / 2 > 0 ? i - width / 2 : 0;
        int64_t i1 = i + width / 2 + 1 < n ? i + width / 2 + 1 : n, k = 0;
        double sum = 0;

        for (int64_t j = i0; j < i1; j++)
            if (isfinite(y[j])) {
                sum += y[j];
                k++;
            }
        (*out)[i] = k ? sum / (double)k : (double)NAN;
    }
    return rc;
}

/* Most rows have no validation: the curve connects the rows that have one. */
static int keep_values(struct curve *c)
{
    int64_t k = 0;
    int rc = bird_array_new(&c->kept, 2 * c->n, sizeof(*c->kept));

    if (rc)
        return rc;
    for (int64_t i = 0; i < c->n; i++)
        if (isfinite(c->y[i])) {
            c->kept[k] = c->x[i];
            c->kept[c->n + k++] = c->y[i];
        }
    c->x = c->kept;
    c->y = c->kept + c->n;
    c->n = k;
    return 0;
}

/* The entry of the legend: name of the series and last value. */
static void name_series(struct curve *c, int64_t width, int alone)
{
    char which[64], number[BIRD_NUMBER_SIZE];
    double last = (double)NAN;

    for (int64_t i = c->n - 1; i >= 0 && isnan(last); i--)
        last = isfinite(c->y[i]) ? c->y[i] : last;
    if (c->series[0])
        snprintf(which, sizeof(which), "%s%s", c->series,
                 c->held_out ? "" : ", training");
    else
        snprintf(which, sizeof(which), "%s",
                 c->held_out ? "validation"
                 : alone     ? ""
                             : "training");
    if (c->smooth)
        snprintf(which + strlen(which), sizeof(which) - strlen(which),
                 "%smean of %lld rows", which[0] ? ", " : "", (long long)width);
    snprintf(c->series, sizeof(c->series), "%s%s%s%s", which,
             which[0] ? ", " : "", isnan(last) ? "" : "last ",
             isnan(last) ? "" : bird_number(number, last, 4));
}

static int by_order(const void *a, const void *b)
{
    const struct curve *x = a, *y = b;

    return x->order != y->order ? x->order - y->order
                                : x->held_out - y->held_out;
}

static int find_curves(struct curve *c, int *n_out,
                       const struct bird_training_log *l)
{
    int64_t width = (l->n_row / SMOOTH_PART) | 1;
    int n = 0, rc = 0;

    for (int i = 0; i < l->n_column; i++)
        if (has_curve(l, i)) {
            c[n].x = log_column(l, "step");
            c[n].y = l->value[i];
            c[n].n = l->n_row;
            describe(&c[n++], l->name[i], i);
        }
    qsort(c, (size_t)n, sizeof(*c), by_order);
    *n_out = n;
    for (int i = 0; !rc && i < n; i++) {
        int alone = (!i || strcmp(c[i - 1].chart, c[i].chart) != 0) &&
                    (i + 1 == n || strcmp(c[i + 1].chart, c[i].chart) != 0);

        if (c[i].held_out)
            rc = keep_values(&c[i]);
        else if (!c[i].exact && count_values(c[i].y, c[i].n) > SMOOTH_FROM)
            rc = smooth(&c[i].smooth, c[i].y, c[i].n, width);
        name_series(&c[i], width, alone);
    }
    return rc;
}

static double best_step(const struct bird_training_log *l)
{
    const double *step = log_column(l, "step");
    const double *best = log_column(l, "best");
    double at = (double)NAN;

    for (int64_t i = 0; best && i < l->n_row; i++)
        at = best[i] > 0 ? step[i] : at;
    return at;
}

/* One chart of n curves. */
static void put_chart(struct bird_markup *m, const struct curve *c, int n,
                      const struct bird_training_log *l)
{
    struct bird_series s[2 * BIRD_TRAINING_COLUMNS];
    struct bird_chart chart;
    int k = 0;

    bird_chart_default(&chart);
    chart.title = c->chart;
    chart.x.label = "step";
    chart.x.whole = 1;
    chart.y.label = c->axis;
    chart.y.from_zero = c->from_zero;
    chart.mark_x = best_step(l);
    chart.mark_name = "best";
    for (int i = 0; i < n; i++)
        s[k++] = (struct bird_series){.name = c[i].series,
                                      .x = c[i].x,
                                      .y = c[i].smooth ? c[i].smooth : c[i].y,
                                      .n = c[i].n,
                                      .mark = BIRD_LINE,
                                      .colour = i % BIRD_N_COLOUR};
    for (int i = 0; i < n; i++)
        if (c[i].smooth) {
            s[k] = s[i];
            s[k].name = NULL;
            s[k].y = c[i].y;
            s[k++].mark = BIRD_FAINT;
        }
    chart.series = s;
    chart.n_series = k;
    bird_html_chart(m, &chart);
}

int bird_training_curves(struct bird_markup *m,
                         const struct bird_training_log *l)
{
    struct curve *c;
    int n = 0, rc = bird_array_new(&c, BIRD_TRAINING_COLUMNS, sizeof(*c));

    if (rc)
        return rc;
    rc = find_curves(c, &n, l);
    bird_html_section(m, "Training",
                      l->n_row ? NULL : "training.tsv has no rows yet.");
    bird_html_open(m, "div", "figures");
    for (int i = 0, next; !rc && i < n; i = next) {
        for (next = i + 1; next < n && !strcmp(c[next].chart, c[i].chart);)
            next++;
        put_chart(m, c + i, next - i, l);
    }
    bird_html_close(m, "div");
    bird_html_close(m, "section");
    for (int i = 0; i < n; i++) {
        free(c[i].smooth);
        free(c[i].kept);
    }
    free(c);
    return rc ? rc : m->rc;
}

/* Total of a column of seconds that restarts from 0 with every process. */
static double total_seconds(const double *s, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        if (isfinite(s[i]) && (i + 1 == n || !(s[i + 1] >= s[i])))
            sum += s[i];
    return sum;
}

static void put_time(char out[64], double s)
{
    if (s < 120)
        snprintf(out, 64, "%.0f s", s);
    else if (s < 7200)
        snprintf(out, 64, "%.0f min", s / 60);
    else
        snprintf(out, 64, "%.1f h", s / 3600);
}

/* The last value of a column that is not NaN. */
static double newest(const struct bird_training_log *l, const char *column)
{
    const double *v = log_column(l, column);
    double last = (double)NAN;

    for (int64_t i = l->n_row - 1; v && i >= 0 && isnan(last); i--)
        last = isfinite(v[i]) ? v[i] : last;
    return last;
}

void bird_training_tiles(struct bird_report_page *p, const char *source,
                         const struct bird_training_log *l, int64_t steps)
{
    static const char *const shown[][2] = {
        {"epoch", "passes over the data"},
        {"loss", "training loss, last"},
        {"bits_per_base", "bits per base, last"},
        {"valid_loss", "validation loss, last"},
        {"valid_bits_per_base", "validation, bits per base"},
        {"valid_auroc", "validation AUROC, last"},
        {"valid_auprc", "validation AUPRC, last"},
    };
    const double *seconds = log_column(l, "seconds");
    double step = newest(l, "step");
    char text[128], a[BIRD_NUMBER_SIZE], b[BIRD_NUMBER_SIZE];

    bird_html_open(&p->m, "div", "tiles");
    if (!isnan(step)) {
        snprintf(text, sizeof(text), "%s%s%s", bird_number(a, step, 15),
                 steps > 0 ? " of " : "",
                 steps > 0 ? bird_number(b, (double)steps, 15) : "");
        bird_html_tile(&p->m, text, "steps");
        bird_report_fact(p, source, "steps", "steps", step);
    }
    for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
        bird_report_tile(p, source, shown[i][0], shown[i][1],
                         newest(l, shown[i][0]));
    if (seconds && l->n_row) {
        double total = total_seconds(seconds, l->n_row);

        put_time(text, total);
        bird_html_tile(&p->m, text, "of training");
        bird_report_fact(p, source, "seconds", "seconds of training", total);
    }
    bird_html_close(&p->m, "div");
}

int bird_report_training(struct bird_report_page *p, const char *path)
{
    struct bird_training_log l = {0};
    int rc = bird_training_log_read(&l, path);

    if (rc)
        return rc;
    bird_training_tiles(p, bird_report_name(path), &l, 0);
    rc = bird_training_curves(&p->m, &l);
    bird_training_log_free(&l);
    return rc;
}
