/* The output files of an evaluation of labelled rows: TSV, JSON, one line for
 * each label, and the predictions.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "dnabird/dnabird.h"
#include "eval/evaluating.h"
#include "eval/metrics.h"

/* Metrics of one of several labels, and of a predictor that is not a
 * probability, are AUROC and AUPRC alone, which need no threshold. */
static int is_short(const bird_figures *f)
{
    return f->label || f->ranks_only;
}

static int is_median(const bird_figures *f)
{
    return f->label &&
           (!strcmp(f->label, "median") || !strncmp(f->label, "median:", 7));
}

static void set_name(char *out, size_t size, const bird_figures *f)
{
    snprintf(out, size, "%s/%s%s%s", f->part, f->predictor, f->label ? ":" : "",
             f->label ? f->label : "");
}

static int print_short(FILE *out, const char *set, const bird_figures *f)
{
    static const enum bird_metric some[] = {BIRD_AUROC, BIRD_AUPRC};

    fprintf(out, "%s\trows\t%lld\tNA\tNA\n", set, (long long)f->m.n);
    if (is_median(f))
        fprintf(out, "%s\tlabels\t%lld\tNA\tNA\n", set, (long long)f->n_label);
    else
        fprintf(out, "%s\tpositives\t%lld\tNA\tNA\n", set,
                (long long)f->m.n_positive);
    for (int i = 0; i < 2; i++) {
        fprintf(out, "%s\t%s", set, bird_metric_name(some[i]));
        bird_put_numbers(
            out,
            (double[]){f->m.value[some[i]], f->m.lo[some[i]], f->m.hi[some[i]]},
            3);
        fputc('\n', out);
    }
    return 0;
}

static const bird_figures *main_figures(const bird_evaluation *e)
{
    for (int64_t i = 0; i < e->n_figures; i++)
        if (!e->figures[i].label && !strcmp(e->figures[i].part, "all") &&
            !strcmp(e->figures[i].predictor, "model"))
            return &e->figures[i];
    return NULL;
}

int bird_evaluation_print(FILE *f, const bird_evaluation *e)
{
    const bird_figures *whole = main_figures(e);
    int rc = bird_metrics_print_header(f, 1);

    for (int64_t i = 0; !rc && i < e->n_figures; i++) {
        const bird_figures *g = &e->figures[i];
        char set[512];

        set_name(set, sizeof(set), g);
        rc = is_short(g) ? print_short(f, set, g)
                         : bird_metrics_print(f, set, &g->m);
    }
    if (!rc)
        bird_evaluate_print_values(f, e);
    if (!rc && e->shared_k)
        fprintf(f,
                "clean\tleft_out_whole\t%lld\tNA\tNA\n"
                "clean\tleft_out_%d_bp\t%lld\tNA\tNA\n",
                (long long)e->n_exact, e->shared_k, (long long)e->n_overlap);
    if (!rc && e->reliability.n) {
        fprintf(f,
                "all/model\tanswers\t%lld\tNA\tNA\n"
                "all/model\tbrier\t%.6g\tNA\tNA\n"
                "all/model\tece\t%.6g\tNA\tNA\n\n"
                "set\tlo\thi\trows\tmean_probability\tobserved\n",
                (long long)e->reliability.n,
                bird_reliability_brier(&e->reliability),
                bird_reliability_error(&e->reliability));
        bird_reliability_print(f, "all/model", &e->reliability);
    }
    if (!rc && whole) {
        fputc('\n', f);
        rc = bird_metrics_print_bins(f, "all/model", &whole->m);
    }
    return rc ? rc : bird_put_check(f);
}

static int put_figures(json_t *parts, const bird_figures *f)
{
    json_t *at =
               bird_json_inside(bird_json_inside(parts, f->part), f->predictor),
           *m;
    const char *key;
    void *next;
    int rc = bird_metrics_json(&m, &f->m);

    if (rc)
        return rc;
    if (is_short(f))
        for (int k = 0; k < BIRD_N_METRIC; k++)
            if (k != BIRD_AUROC && k != BIRD_AUPRC)
                json_object_del(m, bird_metric_name((enum bird_metric)k));
    if (is_short(f) || !f->m.reliability_bins)
        json_object_del(m, "calibration");
    if (is_median(f)) {
        json_object_del(m, "positives");
        json_object_set_new(m, "labels", json_integer(f->n_label));
    }
    if (f->label) {
        if (json_object_set_new(at, f->label, m))
            rc = bird_fail_memory(0);
        return rc;
    }
    for (next = json_object_iter(m); next && !rc;
         next = json_object_iter_next(m, next)) {
        key = json_object_iter_key(next);
        if (json_object_set(at, key, json_object_iter_value(next)))
            rc = bird_fail_memory(0);
    }
    json_decref(m);
    return rc;
}

/* Reliability of the predictions of all labels together. */
static int put_reliability(json_t *root, const bird_evaluation *e)
{
    json_t *bins = json_array();

    for (int k = 0; k < BIRD_RELIABILITY_BINS; k++) {
        const bird_reliability *b = &e->reliability.bin[k];

        if (b->n)
            json_array_append_new(
                bins,
                json_pack("{s:f, s:f, s:I, s:f, s:f}", "lo", b->lo, "hi", b->hi,
                          "rows", (json_int_t)b->n, "mean_probability",
                          b->mean_probability / (double)b->n, "observed",
                          b->observed / (double)b->n));
    }
    return json_object_set_new(
        root, "reliability",
        json_pack("{s:I, s:f, s:f, s:o}", "answers",
                  (json_int_t)e->reliability.n, "brier",
                  bird_reliability_brier(&e->reliability), "ece",
                  bird_reliability_error(&e->reliability), "bins", bins));
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int to_json(json_t **out, const struct bird_evaluating *v)
{
    const bird_evaluation *e = &v->e;
    json_t *root, *parts = json_object(), *notices = json_array();
    int rc = parts && notices ? 0 : bird_fail_memory(0);

    for (int64_t i = 0; !rc && i < e->n_figures; i++)
        rc = put_figures(parts, &e->figures[i]);
    if (!rc)
        rc = bird_evaluate_put_values(parts, e);
    for (int64_t i = 0; !rc && i < e->n_notice; i++)
        if (json_array_append_new(notices, json_string(e->notice[i])))
            rc = bird_fail_memory(0);
    root = rc ? NULL
              : json_pack("{s:s, s:s?, s:{s:s, s:s}, s:s, s:I, s:s, s:f, s:I, "
                          "s:I, s:O, s:O}",
                          "dnabird", bird_version(), "command", v->o->command,
                          "model", "name", e->model, "digest", e->digest,
                          "test", base_name(v->o->test), "rows",
                          (json_int_t)e->n_row, "strand",
                          e->both_strands ? "both" : "given", "threshold",
                          v->rows.multi ? v->metrics.threshold
                                        : bird_evaluate_threshold(v, 0, 0),
                          "resamples", (json_int_t)v->metrics.n_boot, "trimmed",
                          (json_int_t)e->n_trimmed, "sets", parts, "notices",
                          notices);
    if (!rc && !root)
        rc = bird_fail(BIRD_EFORMAT,
                       "cannot write JSON: a name is not valid UTF-8");
    /* each label has a threshold of its own */
    if (!rc && v->rows.multi && v->metrics.threshold < 0 &&
        json_object_set_new(root, "threshold", json_null()))
        rc = bird_fail_memory(0);
    if (!rc &&
        (json_object_set_new(root, "calibrated", json_boolean(e->calibrated)) ||
         (e->reliability.n && put_reliability(root, e))))
        rc = bird_fail_memory(0);
    if (!rc && e->shared_k &&
        json_object_set_new(root, "left_out",
                            json_pack("{s:s, s:I, s:i, s:I}", "train",
                                      base_name(v->o->train), "whole",
                                      (json_int_t)e->n_exact, "k", e->shared_k,
                                      "shares_k", (json_int_t)e->n_overlap)))
        rc = bird_fail(BIRD_EFORMAT,
                       "cannot write JSON: a name is not valid UTF-8");
    json_decref(parts);
    json_decref(notices);
    if (rc)
        json_decref(root);
    else
        *out = root;
    return rc;
}

static int put_json(FILE *f, const struct bird_evaluating *v)
{
    json_t *root;
    int rc = to_json(&root, v);

    return rc ? rc : bird_json_put(f, root);
}

static void put_provenance(FILE *f, const struct bird_evaluating *v)
{
    char model[BIRD_MODEL_TITLE];

    bird_model_title(model, v->model);
    bird_put_provenance(f, v->o->command, model);
    if (v->o->command && !v->rows.measured)
        bird_put_note(f,
                      v->e.calibrated ? "probabilities: calibrated on "
                                      : "probabilities: ",
                      v->e.calibrated ? v->map.fitted : v->e.uncalibrated);
}

static int put_tsv(FILE *f, const struct bird_evaluating *v)
{
    put_provenance(f, v);
    return bird_evaluation_print(f, &v->e);
}

/* --- several labels: a line a label --------------------------------------- */

/* The metrics of one label (or median) in one part. */
struct line {
    const char *part, *label;
    const bird_figures *f[BIRD_MAX_PREDICTOR];
    const bird_figures *difference; /* the model minus its best baseline */
};

static int predictor_of(const struct bird_evaluating *v, const char *name)
{
    for (int p = 0; p < v->predictors.n; p++)
        if (!strcmp(v->predictors.at[p].name, name))
            return p;
    return -1;
}

static void put_area(FILE *f, const bird_figures *g, enum bird_metric what,
                     int interval)
{
    const double none = (double)NAN;
    const double x[] = {g ? g->m.value[what] : none, g ? g->m.lo[what] : none,
                        g ? g->m.hi[what] : none};

    bird_put_numbers(f, x, interval ? 3 : 1);
}

static void put_features_header(FILE *f, const struct bird_evaluating *v)
{
    fputs("part\tlabel\tindex\tclass\tcell_type\tfactor\ttreatment\tlabels\t"
          "rows\tpositives\tauroc\tauroc_lo\tauroc_hi\tauprc\tauprc_lo\t"
          "auprc_hi",
          f);
    for (int p = 1; p < v->predictors.n; p++)
        fprintf(f, "\t%s_auroc\t%s_auprc", v->predictors.at[p].name,
                v->predictors.at[p].name);
    fputs("\tfloor\tgain_auroc\tgain_auroc_lo\tgain_auroc_hi\tgain_auprc\t"
          "threshold\tprecision\trecall\tf1\tbrier\tece\n",
          f);
}

static const char *or_dot(const char *s)
{
    return s && *s ? s : ".";
}

/* Columns that describe a label; of a median only the class. */
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

/* Precision, recall, F1, Brier score and ECE of one label. */
static void put_calls(FILE *f, const struct bird_evaluating *v,
                      const bird_figures *m, int64_t k)
{
    static const enum bird_metric some[] = {BIRD_PRECISION, BIRD_RECALL,
                                            BIRD_F1, BIRD_BRIER, BIRD_ECE};

    double threshold = m ? bird_evaluate_threshold(v, 0, k) : (double)NAN;

    bird_put_numbers(f, &threshold, 1);
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
    for (int p = 1; p < v->predictors.n; p++) {
        put_area(f, l->f[p], BIRD_AUROC, 0);
        put_area(f, l->f[p], BIRD_AUPRC, 0);
    }
    fprintf(f, "\t%s", d ? d->predictor + strlen("model-") : "NA");
    put_area(f, d, BIRD_AUROC, 1);
    put_area(f, d, BIRD_AUPRC, 0);
    put_calls(f, v, k < 0 ? NULL : m, k);
    fputc('\n', f);
}

/* A median has a difference to every baseline: the smallest is shown. */
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

        /* pointers to one text are compared */
        if (g->label != l->label || g->part != l->part)
            continue;
        p = predictor_of(v, g->predictor);
        if (p >= 0)
            l->f[p] = g;
        else
            add_difference(l, g);
    }
}

static void print_part(FILE *f, const struct bird_evaluating *v,
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
}

static int put_features(FILE *f, const struct bird_evaluating *v)
{
    const char *part = NULL;

    put_provenance(f, v);
    put_features_header(f, v);
    for (int64_t i = 0; i < v->e.n_figures; i++)
        if (v->e.figures[i].part != part) {
            part = v->e.figures[i].part;
            print_part(f, v, part);
        }
    if (!part) /* no label has positives and negatives */
        print_part(f, v, "all");
    return bird_put_check(f);
}

/* --- predictions ---------------------------------------------------------- */

static void put_row_name(FILE *f, const bird_dataset *d, int64_t i)
{
    const bird_row *r = &d->row[i];
    const char *name = bird_dataset_name(d, i);

    if (name)
        fputs(name, f);
    else if (r->contig >= 0)
        fprintf(f, "%s:%lld-%lld(%c)", d->contig_name[r->contig],
                (long long)r->start + 1, (long long)r->end, r->strand);
    else
        fprintf(f, "%lld", (long long)i + 1);
}

static void put_class(FILE *f, const bird_dataset *d, int64_t k)
{
    if (d->label_name)
        fprintf(f, "\t%s", d->label_name[k]);
    else
        fprintf(f, "\t%lld", (long long)k);
}

/* Where a base lies: on its contig, or in its row; both from 1. */
static void put_place(FILE *f, const bird_dataset *d, int64_t i, int64_t j)
{
    const bird_row *r = &d->row[i];
    const char *name = bird_dataset_name(d, i);

    if (r->contig >= 0)
        fprintf(f, "%s\t%lld", d->contig_name[r->contig],
                (long long)(r->strand == '-' ? r->end - j : r->start + j + 1));
    else if (name)
        fprintf(f, "%s\t%lld", name, (long long)j + 1);
    else
        fprintf(f, "%lld\t%lld", (long long)i + 1, (long long)j + 1);
}

/* A class a base: place, base, label, probabilities of all classes. */
static void put_bases(FILE *f, const struct bird_evaluating *v)
{
    const bird_dataset *d = &v->rows.bases;
    const double *p = v->predictors.at[0].p;
    int64_t n = v->rows.columns;

    fputs("name\tposition\tstrand\tbase\tlabel", f);
    for (int64_t k = n > 1 ? 0 : 1; k < d->n_label; k++)
        put_class(f, d, k);
    fputc('\n', f);
    for (int64_t i = 0; i < d->n; i++) {
        const uint8_t *class_id = d->base_class + d->row[i].at;

        for (int64_t j = 0; j < d->row[i].len; j++) {
            if (class_id[j] == BIRD_NO_CLASS)
                continue;
            put_place(f, d, i, j);
            fprintf(f, "\t%c\t%c", d->row[i].strand, bird_dataset_seq(d, i)[j]);
            put_class(f, d, class_id[j]);
            for (int64_t k = 0; k < n; k++)
                fprintf(f, "\t%.9g", *p++);
            fputc('\n', f);
        }
    }
}

/* One class a row: name, label, probability of class 1 or of each class. The
 * name of class 1, if it has one, says which label is meant. */
static void put_choices(FILE *f, const struct bird_evaluating *v)
{
    const bird_dataset *d = &v->rows.d;
    const double *p = v->predictors.at[0].p;

    fputs("name\tlabel", f);
    if (v->rows.columns == 1 && d->label_name)
        put_class(f, d, 1);
    else if (v->rows.columns == 1)
        fputs("\tprobability", f);
    for (int64_t k = 0; v->rows.columns > 1 && k < v->rows.columns; k++)
        put_class(f, d, k);
    fputc('\n', f);
    for (int64_t i = 0; i < d->n; i++) {
        put_row_name(f, d, i);
        put_class(f, d, d->row[i].label);
        for (int64_t k = 0; k < v->rows.columns; k++)
            fprintf(f, "\t%.9g", p[i * v->rows.columns + k]);
        fputc('\n', f);
    }
}

/* Several labels or values: one line for each row and label. */
static void put_answers(FILE *f, const struct bird_evaluating *v)
{
    const bird_dataset *d = &v->rows.d;
    int has_sd = v->rows.answers > v->rows.columns;

    fprintf(f, "name\tcolumn\t%s%s\n",
            v->rows.measured ? "value\tprediction" : "label\tprobability",
            has_sd ? "\tprediction_sd" : "");
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t k = 0; k < v->rows.columns; k++) {
            const double *p = v->predictors.at[0].p + i * v->rows.answers + k;
            float t = bird_dataset_label(d, i, k);

            put_row_name(f, d, i);
            fprintf(f, "\t%s\t", v->e.label_name[k]);
            if (isnan((double)t))
                fputs("NA", f);
            else
                fprintf(f, "%.9g", (double)t);
            fprintf(f, "\t%.9g", *p);
            if (has_sd)
                fprintf(f, "\t%.9g", p[v->rows.columns]);
            fputc('\n', f);
        }
}

static int put_predictions(FILE *f, const struct bird_evaluating *v)
{
    if (v->rows.bases.n)
        put_bases(f, v);
    else if (v->rows.multi)
        put_answers(f, v);
    else
        put_choices(f, v);
    return ferror(f)
               ? bird_fail(BIRD_EIO, "writing predictions: %s", strerror(errno))
               : 0;
}

int bird_evaluate_outs_open(struct bird_outputs *out,
                            const bird_evaluate_options *o)
{
    const char *const path[] = {o->predictions, o->json, o->output, o->html};

    return bird_outputs_open(out, path, 4);
}

int bird_evaluate_outs_write(struct bird_outputs *w,
                             const struct bird_evaluating *v)
{
    int (*const put[])(FILE *, const struct bird_evaluating *) = {
        put_predictions, put_json,
        v->o->format == BIRD_EVALUATE_JSON       ? put_json
        : v->o->format == BIRD_EVALUATE_FEATURES ? put_features
                                                 : put_tsv,
        bird_evaluate_print_page};
    int rc = 0;

    for (int i = 0; !rc && i < 4; i++)
        if (bird_outputs_stream(w, i))
            rc = put[i](bird_outputs_stream(w, i), v);
    return rc ? rc : bird_outputs_commit(w);
}
