/* Metrics as TSV, JSON and pages: the format of numbers (six digits, NA), of
 * intervals and of files for all evaluations.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "dnabird/dnabird.h"
#include "eval/metrics.h"
#include "track/page.h"

int bird_put_check(FILE *f)
{
    return ferror(f)
               ? bird_fail(BIRD_EIO, "writing metrics: %s", strerror(errno))
               : 0;
}

void bird_put_provenance(FILE *f, const char *command, const char *model)
{
    if (!command)
        return;
    fprintf(f, "# dnabird %s\n", bird_version());
    bird_put_note(f, "command: ", command);
    bird_put_note(f, "model: ", model);
}

void bird_put_note(FILE *f, const char *before, const char *text)
{
    fprintf(f, "# %s", before);
    for (; *text; text++)
        fputc(bird_is_control(*text) ? ' ' : *text, f);
    fputc('\n', f);
}

void bird_put_numbers(FILE *f, const double *v, int n)
{
    for (int i = 0; i < n; i++)
        if (isnan(v[i]))
            fputs("\tNA", f);
        else
            fprintf(f, "\t%.6g", v[i]);
}

static void put_count(FILE *f, const char *name, const char *what, int64_t n)
{
    fprintf(f, "%s%s%s\t%lld\tNA\tNA\n", name ? name : "", name ? "\t" : "",
            what, (long long)n);
}

int bird_metrics_print_header(FILE *f, int with_name)
{
    fprintf(f, "%smetric\tvalue\tlo\thi\n", with_name ? "set\t" : "");
    return bird_put_check(f);
}

int bird_metrics_print(FILE *f, const char *name, const bird_metrics *m)
{
    put_count(f, name, "rows", m->n);
    if (m->n_class == 2)
        put_count(f, name, "positives", m->n_positive);
    for (int i = 0; i < BIRD_N_METRIC; i++) {
        fprintf(f, "%s%s%s", name ? name : "", name ? "\t" : "",
                bird_metric_name(i));
        bird_put_numbers(f, (double[]){m->value[i], m->lo[i], m->hi[i]}, 3);
        fputc('\n', f);
    }
    return bird_put_check(f);
}

int bird_metrics_print_bins(FILE *f, const char *name, const bird_metrics *m)
{
    fprintf(f, "%slo\thi\trows\tmean_probability\tobserved\n",
            name ? "set\t" : "");
    for (int k = 0; k < m->reliability_bins; k++) {
        const bird_reliability *b = &m->bin[k];

        fprintf(f, "%s%s%.6g\t%.6g\t%lld", name ? name : "", name ? "\t" : "",
                b->lo, b->hi, (long long)b->n);
        bird_put_numbers(f, (double[]){b->mean_probability, b->observed}, 2);
        fputc('\n', f);
    }
    return bird_put_check(f);
}

void bird_reliability_print(FILE *f, const char *name,
                            const bird_reliability_table *t)
{
    for (int k = 0; k < BIRD_RELIABILITY_BINS; k++) {
        const bird_reliability *b = &t->bin[k];

        if (b->n)
            fprintf(f, "%s\t%g\t%g\t%lld\t%.6g\t%.6g\n", name, b->lo, b->hi,
                    (long long)b->n, b->mean_probability / (double)b->n,
                    b->observed / (double)b->n);
    }
}

int bird_put_page(FILE *f, struct bird_markup *m, const char *command,
                  const char *model)
{
    if (command) {
        bird_html_section(m, "Command and version", NULL);
        bird_html_table(m, NULL);
        bird_html_pair(m, "command", command);
        if (model)
            bird_html_pair(m, "model", model);
        bird_html_pair(m, "dnabird", bird_version());
        bird_html_table_end(m);
        bird_html_close(m, "section");
    }
    bird_html_end(m);
    if (!m->rc &&
        fwrite(m->text.s, 1, (size_t)m->text.n, f) != (size_t)m->text.n)
        return bird_fail(BIRD_EIO, "writing a page: %s", strerror(errno));
    return m->rc;
}

/* --- JSON ----------------------------------------------------------------- */

json_t *bird_json_number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *bird_json_interval(double value, double lo, double hi)
{
    return isnan(lo)
               ? json_pack("{s:o}", "value", bird_json_number(value))
               : json_pack("{s:o, s:o, s:o}", "value", bird_json_number(value),
                           "lo", bird_json_number(lo), "hi",
                           bird_json_number(hi));
}

json_t *bird_json_metric(const bird_metrics *m, int i)
{
    return isfinite(m->lo[i]) && isfinite(m->hi[i])
               ? json_pack("[f,f,f]", m->value[i], m->lo[i], m->hi[i])
               : json_pack("[f]", m->value[i]);
}

int bird_metrics_json(json_t **out, const bird_metrics *m)
{
    json_t *o = json_pack("{s:I}", "rows", (json_int_t)m->n);
    json_t *list = json_array();
    int bad = !o || !list;

    if (!bad && m->n_class == 2)
        bad = json_object_set_new(o, "positives", json_integer(m->n_positive));
    for (int i = 0; !bad && i < BIRD_N_METRIC; i++)
        bad = json_object_set_new(
            o, bird_metric_name(i),
            bird_json_interval(m->value[i], m->lo[i], m->hi[i]));
    for (int k = 0; !bad && k < m->reliability_bins; k++) {
        const bird_reliability *b = &m->bin[k];

        if (b->n)
            bad = json_array_append_new(
                list,
                json_pack("{s:f, s:f, s:I, s:o, s:o}", "lo", b->lo, "hi", b->hi,
                          "rows", (json_int_t)b->n, "mean_probability",
                          bird_json_number(b->mean_probability), "observed",
                          bird_json_number(b->observed)));
    }
    if (!bad)
        bad = json_object_set(o, "calibration", list);
    json_decref(list);
    if (bad) {
        json_decref(o);
        return bird_fail_memory(0);
    }
    *out = o;
    return 0;
}

json_t *bird_json_inside(json_t *o, const char *key)
{
    json_t *x = json_object_get(o, key);

    if (!x && !json_object_set_new(o, key, json_object()))
        x = json_object_get(o, key);
    return x;
}

int bird_json_put(FILE *f, json_t *root)
{
    int rc = 0;

    if (!root)
        return bird_fail(BIRD_EFORMAT,
                         "cannot write JSON: a name is not valid UTF-8");
    if (json_dumpf(root, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) ||
        fputc('\n', f) == EOF)
        rc = bird_fail(BIRD_EIO, "writing metrics: %s", strerror(errno));
    json_decref(root);
    return rc;
}
