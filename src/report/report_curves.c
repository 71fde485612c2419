/* The curves of a run. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "report/report.h"
#include "track/html.h"
#include "track/svg.h"

/* Longer curves are shown with a mean over some rows. */
#define SMOOTH_FROM 200
#define SMOOTH_PART 50 /* the mean's rows: one in so many */

/* What is known of columns, "valid_" before the name taken off. Charts come
 * in this order, then unknown columns, one each. */
static const struct known {
    const char *column, *chart, *axis, *series; /* series NULL: which rows */
    int from_zero;
    int exact; /* without noise: no mean over rows */
} known[] = {
    {"loss", "Loss", "loss (nats)", NULL, 0, 0},
    {"next_loss", "Next sentence", "loss (nats)", NULL, 0, 0},
    {"bits_per_base", "Bits per base", "bits per base", NULL, 0, 0},
    {"auroc", "Figures", "value", "AUROC", 0, 0},
    {"auprc", "Figures", "value", "AUPRC", 0, 0},
    {"mcc", "Figures", "value", "MCC", 0, 0},
    {"f1", "Figures", "value", "F1", 0, 0},
    {"accuracy", "Figures", "value", "accuracy", 0, 0},
    {"learning_rate", "Learning rate", "learning rate", NULL, 1, 1},
    {"lr", "Learning rate", "learning rate", NULL, 1, 1},
};

enum { N_KNOWN = sizeof(known) / sizeof(*known) };

/* Told elsewhere on the page, or what the others stand against. */
static const char *const not_drawn[] = {"step", "epoch", "best", "seconds"};

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

static int is_drawn(const struct bird_log *l, int i)
{
    int yes = !l->is_text[i] && count_values(l->value[i], l->n_row);

    for (size_t k = 0; k < sizeof(not_drawn) / sizeof(*not_drawn); k++)
        yes &= strcmp(l->name[i], not_drawn[k]) != 0;
    return yes;
}

/* A column's name as words. */
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

/* Mean over the `width` rows around each; fewer at the ends. */
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

/* Validations are far between: their curve goes from one to the next. */
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

/* The legend's entry: which it is, and the newest value. */
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

static int find_curves(struct curve *c, int *n_out, const struct bird_log *l)
{
    int64_t width = (l->n_row / SMOOTH_PART) | 1;
    int n = 0, rc = 0;

    for (int i = 0; i < l->n_column; i++)
        if (is_drawn(l, i)) {
            c[n].x = bird_log_column(l, "step");
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

static double best_step(const struct bird_log *l)
{
    const double *step = bird_log_column(l, "step");
    const double *best = bird_log_column(l, "best");
    double at = (double)NAN;

    for (int64_t i = 0; best && i < l->n_row; i++)
        at = best[i] > 0 ? step[i] : at;
    return at;
}

/* One chart of n curves. */
static void put_chart(struct bird_markup *m, const struct curve *c, int n,
                      const struct bird_log *l)
{
    struct bird_series s[2 * BIRD_LOG_COLUMNS];
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
                                      .form = BIRD_LINE,
                                      .colour = i % BIRD_N_COLOUR};
    for (int i = 0; i < n; i++)
        if (c[i].smooth) {
            s[k] = s[i];
            s[k].name = NULL;
            s[k].y = c[i].y;
            s[k++].form = BIRD_FAINT;
        }
    chart.series = s;
    chart.n_series = k;
    bird_html_figure(m, 0);
    bird_svg_chart(m, &chart);
    bird_html_figure_end(m);
}

int bird_report_curves(struct bird_markup *m, const struct bird_log *l)
{
    struct curve *c;
    int n = 0, rc = bird_array_new(&c, BIRD_LOG_COLUMNS, sizeof(*c));

    if (rc)
        return rc;
    rc = find_curves(c, &n, l);
    bird_html_section(m, "Training",
                      l->n_row ? NULL : "No row of training.tsv yet.");
    bird_html_figures(m);
    for (int i = 0, next; !rc && i < n; i = next) {
        for (next = i + 1; next < n && !strcmp(c[next].chart, c[i].chart);)
            next++;
        put_chart(m, c + i, next - i, l);
    }
    bird_html_figures_end(m);
    bird_html_section_end(m);
    for (int i = 0; i < n; i++) {
        free(c[i].smooth);
        free(c[i].kept);
    }
    free(c);
    return rc ? rc : m->rc;
}

/* Seconds of a column that begins anew with every process. */
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

static void column_tile(struct bird_markup *m, const struct bird_log *l,
                        const char *column, const char *what)
{
    const double *v = bird_log_column(l, column);
    char number[BIRD_NUMBER_SIZE];

    if (v && l->n_row && isfinite(v[l->n_row - 1]))
        bird_html_tile(m, bird_number(number, v[l->n_row - 1], 4), what);
}

void bird_report_tiles(struct bird_markup *m, const struct bird_log *l,
                       const json_t *meta)
{
    const json_t *of =
        json_object_get(json_object_get(meta, "provenance"), "steps");
    const double *seconds = bird_log_column(l, "seconds");
    const double *step = bird_log_column(l, "step");
    char text[128], a[BIRD_NUMBER_SIZE], b[BIRD_NUMBER_SIZE];

    bird_html_tiles(m);
    if (step && l->n_row) {
        snprintf(text, sizeof(text), "%s%s%s",
                 bird_number(a, step[l->n_row - 1], 15),
                 json_is_integer(of) ? " of " : "",
                 json_is_integer(of) ? bird_number(b, json_number_value(of), 15)
                                     : "");
        bird_html_tile(m, text, "steps");
    }
    column_tile(m, l, "epoch", "passes over the data");
    column_tile(m, l, "loss", "training loss, last");
    column_tile(m, l, "bits_per_base", "bits per base, last");
    column_tile(m, l, "valid_loss", "validation loss, last");
    column_tile(m, l, "valid_bits_per_base", "validation, bits per base");
    if (seconds && l->n_row) {
        put_time(text, total_seconds(seconds, l->n_row));
        bird_html_tile(m, text, "of training");
    }
    bird_html_tiles_end(m);
}
