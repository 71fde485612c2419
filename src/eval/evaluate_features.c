/* Figures of several labels as a table, a line a label.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/evaluate_part.h"

/* The figures of one label (or median) in one part. */
struct line {
    const char *part, *label;
    const bird_figures *f[BIRD_MAX_PREDICTOR];
    const bird_figures *difference; /* the model less its best floor */
};

static int predictor_of(const struct bird_evaluating *v, const char *name)
{
    for (int p = 0; p < v->n_predictor; p++)
        if (!strcmp(v->predictor[p].name, name))
            return p;
    return -1;
}

static void put(FILE *f, double x)
{
    if (isnan(x))
        fputs("\tNA", f);
    else
        fprintf(f, "\t%.6g", x);
}

static void put_area(FILE *f, const bird_figures *g, enum bird_metric what,
                     int interval)
{
    put(f, g ? g->m.value[what] : (double)NAN);
    if (interval) {
        put(f, g ? g->m.lo[what] : (double)NAN);
        put(f, g ? g->m.hi[what] : (double)NAN);
    }
}

static void put_header(FILE *f, const struct bird_evaluating *v)
{
    fputs("part\tlabel\tindex\tclass\tcell_type\tfactor\ttreatment\tlabels\t"
          "rows\tpositives\tauroc\tauroc_lo\tauroc_hi\tauprc\tauprc_lo\t"
          "auprc_hi",
          f);
    for (int p = 1; p < v->n_predictor; p++)
        fprintf(f, "\t%s_auroc\t%s_auprc", v->predictor[p].name,
                v->predictor[p].name);
    fputs("\tfloor\tgain_auroc\tgain_auroc_lo\tgain_auroc_hi\tgain_auprc\t"
          "threshold\tprecision\trecall\tf1\tbrier\tece\n",
          f);
}

static const char *or_dot(const char *s)
{
    return s && *s ? s : ".";
}

/* What is known of a label; of a median its class. */
static void put_what(FILE *f, const struct bird_evaluating *v,
                     const struct line *l, int64_t k)
{
    const bird_feature *x =
        k >= 0 && k < v->e.features.n ? &v->e.features.at[k] : NULL;
    const char *group = k < 0 ? strchr(l->label, ':') : NULL;

    fprintf(f, "%s\t%s\t", l->part, l->label);
    if (x && x->index >= 0)
        fprintf(f, "%lld", (long long)x->index);
    else
        fputc('.', f);
    fprintf(f, "\t%s\t%s\t%s\t%s\t",
            or_dot(x       ? x->class_name
                   : group ? group + 1
                           : NULL),
            or_dot(x ? x->cell : NULL), or_dot(x ? x->factor : NULL),
            or_dot(x ? x->treatment : NULL));
}

/* Of one label's calls, and how right its probabilities are. */
static void put_calls(FILE *f, const struct bird_evaluating *v,
                      const bird_figures *m, int64_t k)
{
    static const enum bird_metric some[] = {BIRD_PRECISION, BIRD_RECALL,
                                            BIRD_F1, BIRD_BRIER, BIRD_ECE};

    put(f, m ? bird_evaluate_threshold(v, 0, k) : (double)NAN);
    for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
        put_area(f, m, some[i], 0);
}

static void put_line(FILE *f, const struct bird_evaluating *v,
                     const struct line *l, int64_t k)
{
    const bird_figures *m = l->f[0], *d = l->difference;

    put_what(f, v, l, k);
    if (k < 0)
        fprintf(f, "%lld\t%lld\tNA", (long long)m->n_label, (long long)m->m.n);
    else if (m)
        fprintf(f, "1\t%lld\t%lld", (long long)m->m.n,
                (long long)m->m.n_positive);
    else
        fputs("0\tNA\tNA", f);
    put_area(f, m, BIRD_AUROC, 1);
    put_area(f, m, BIRD_AUPRC, 1);
    for (int p = 1; p < v->n_predictor; p++) {
        put_area(f, l->f[p], BIRD_AUROC, 0);
        put_area(f, l->f[p], BIRD_AUPRC, 0);
    }
    fprintf(f, "\t%s", d ? d->predictor + strlen("model-") : "NA");
    put_area(f, d, BIRD_AUROC, 1);
    put_area(f, d, BIRD_AUPRC, 0);
    put_calls(f, v, k < 0 ? NULL : m, k);
    fputc('\n', f);
}

/* Of a median there is a difference to every floor: the smallest counts. */
static void add_difference(struct line *l, const bird_figures *g)
{
    if (!l->difference ||
        g->m.value[BIRD_AUROC] < l->difference->m.value[BIRD_AUROC])
        l->difference = g;
}

static void collect(struct line *l, const struct bird_evaluating *v)
{
    memset(l->f, 0, sizeof(l->f));
    l->difference = NULL;
    for (int64_t i = 0; i < v->e.n_figures; i++) {
        const bird_figures *g = &v->e.figures[i];
        int p;

        /* the texts are the same ones: a name is not compared */
        if (g->label != l->label || g->part != l->part)
            continue;
        p = predictor_of(v, g->predictor);
        if (p >= 0)
            l->f[p] = g;
        else
            add_difference(l, g);
    }
}

static int print_part(FILE *f, const struct bird_evaluating *v,
                      const char *part)
{
    struct line l = {.part = part};

    for (int64_t k = 0; k < v->e.n_label; k++) {
        l.label = v->e.label_name[k];
        collect(&l, v);
        put_line(f, v, &l, k);
    }
    for (int64_t i = 0; i < v->e.n_median; i++) {
        l.label = v->e.median_name[i];
        collect(&l, v);
        if (l.f[0])
            put_line(f, v, &l, -1);
    }
    return 0;
}

int bird_evaluate_print_features(FILE *f, const struct bird_evaluating *v)
{
    const char *part = NULL;
    int rc = 0;

    put_header(f, v);
    for (int64_t i = 0; !rc && i < v->e.n_figures; i++)
        if (v->e.figures[i].part != part) {
            part = v->e.figures[i].part;
            rc = print_part(f, v, part);
        }
    if (!rc && ferror(f))
        rc = bird_fail(BIRD_EIO, "writing figures: %s", strerror(errno));
    return rc;
}
