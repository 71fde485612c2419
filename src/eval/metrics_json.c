/* Figures as a table and as JSON. SPDX-License-Identifier: MIT */
#include "eval/metrics_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"

static int check_stream(FILE *f)
{
    return ferror(f)
               ? bird_fail(BIRD_EIO, "writing figures: %s", strerror(errno))
               : 0;
}

void bird_metrics_put_number(FILE *f, double v)
{
    if (isnan(v))
        fputs("\tNA", f);
    else
        fprintf(f, "\t%.6g", v);
}

static void put_count(FILE *f, const char *name, const char *what, int64_t n)
{
    fprintf(f, "%s%s%s\t%lld\tNA\tNA\n", name ? name : "", name ? "\t" : "",
            what, (long long)n);
}

int bird_metrics_print_header(FILE *f, int with_name)
{
    fprintf(f, "%smetric\tvalue\tlo\thi\n", with_name ? "set\t" : "");
    return check_stream(f);
}

int bird_metrics_print(FILE *f, const char *name, const bird_metrics *m)
{
    put_count(f, name, "rows", m->n);
    if (m->n_class == 2)
        put_count(f, name, "positives", m->n_positive);
    for (int i = 0; i < BIRD_N_METRIC; i++) {
        fprintf(f, "%s%s%s", name ? name : "", name ? "\t" : "",
                bird_metric_name(i));
        bird_metrics_put_number(f, m->value[i]);
        bird_metrics_put_number(f, m->lo[i]);
        bird_metrics_put_number(f, m->hi[i]);
        fputc('\n', f);
    }
    return check_stream(f);
}

int bird_metrics_print_bins(FILE *f, const char *name, const bird_metrics *m)
{
    fprintf(f, "%slo\thi\trows\tmean_probability\tobserved\n",
            name ? "set\t" : "");
    for (int k = 0; k < m->n_bin; k++) {
        const bird_reliability *b = &m->bin[k];

        fprintf(f, "%s%s%.6g\t%.6g\t%lld", name ? name : "", name ? "\t" : "",
                b->lo, b->hi, (long long)b->n);
        bird_metrics_put_number(f, b->mean_probability);
        bird_metrics_put_number(f, b->observed);
        fputc('\n', f);
    }
    return check_stream(f);
}

json_t *bird_metrics_number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static int put_metric(json_t *o, const bird_metrics *m, int i)
{
    json_t *f = json_object();
    int bad = json_object_set_new(f, "value", bird_metrics_number(m->value[i]));

    if (!bad && !isnan(m->lo[i]))
        bad = json_object_set_new(f, "lo", bird_metrics_number(m->lo[i])) ||
              json_object_set_new(f, "hi", bird_metrics_number(m->hi[i]));
    if (bad) {
        json_decref(f);
        return 1;
    }
    return json_object_set_new(o, bird_metric_name(i), f);
}

json_t *bird_metrics_figure(const bird_metrics *m, int i)
{
    return isfinite(m->lo[i]) && isfinite(m->hi[i])
               ? json_pack("[f,f,f]", m->value[i], m->lo[i], m->hi[i])
               : json_pack("[f]", m->value[i]);
}

static int put_bin(json_t *list, const bird_reliability *b)
{
    json_t *o = json_object();

    if (json_object_set_new(o, "lo", json_real(b->lo)) ||
        json_object_set_new(o, "hi", json_real(b->hi)) ||
        json_object_set_new(o, "rows", json_integer(b->n)) ||
        json_object_set_new(o, "mean_probability",
                            bird_metrics_number(b->mean_probability)) ||
        json_object_set_new(o, "observed", bird_metrics_number(b->observed))) {
        json_decref(o);
        return 1;
    }
    return json_array_append_new(list, o);
}

int bird_metrics_json(json_t **out, const bird_metrics *m)
{
    json_t *o = json_object(), *list = json_array();
    int bad = !o || !list;

    if (!bad)
        bad = json_object_set_new(o, "rows", json_integer(m->n));
    if (!bad && m->n_class == 2)
        bad = json_object_set_new(o, "positives", json_integer(m->n_positive));
    for (int i = 0; !bad && i < BIRD_N_METRIC; i++)
        bad = put_metric(o, m, i);
    for (int k = 0; !bad && k < m->n_bin; k++)
        if (m->bin[k].n)
            bad = put_bin(list, &m->bin[k]);
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
