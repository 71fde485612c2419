/* A model and its baselines on labelled sequences.
 *
 * The rows are read as the model's labels ask for, scored by a session, turned
 * into probabilities by the model's calibration, and measured beside what the
 * k-mers, the positions and GC alone tell; once more without the rows that
 * share sequence with the training rows. SPDX-License-Identifier: MIT */
#include "dnabird/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/metrics.h"
#include "eval/baseline.h"
#include "eval/calibrate.h"
#include "eval/evaluate_part.h"
#include "eval/predict_bins.h"
#include "eval/predict_rows.h"
#include "head/head.h"
#include "model/feature.h"
#include "session/calibration_file.h"
#include "session/layout.h"

#define BASELINES "baseline.safetensors"

void bird_evaluate_options_default(bird_evaluate_options *o)
{
    *o = (bird_evaluate_options){.strand = BIRD_STRAND_MODEL};
    bird_model_run_default(&o->run);
    bird_metrics_options_default(&o->metrics);
    o->metrics.n_boot = -1;
    o->metrics.threshold = -1;
    o->min_positives = 1;
    bird_bin_options_default(&o->bin);
    o->bin.margin_bp = o->bin.other_bp = -1;
}

void bird_evaluation_free(bird_evaluation *e)
{
    if (!e)
        return;
    for (int64_t i = 0; i < e->n_notice; i++)
        free(e->notice[i]);
    for (int64_t i = 0; e->label_name && i < e->n_label; i++)
        free(e->label_name[i]);
    for (int64_t i = 0; e->median_name && i < e->n_median; i++)
        free(e->median_name[i]);
    bird_features_free(&e->features);
    free(e->notice);
    free(e->median_name);
    free(e->label_name);
    free(e->figures);
    *e = (bird_evaluation){0};
}

static int open_model(struct bird_evaluating *v)
{
    const struct bird_config *c;
    const bird_model *m;
    int rc = bird_model_open(&v->model, v->o->model, &v->o->run);

    if (rc)
        return rc;
    m = v->model;
    c = bird_model_config(m);
    if (c->problem == BIRD_PROBLEM_REGRESSION || !bird_head_scores(c))
        return bird_fail(BIRD_EINVAL,
                         "%s: this model does not classify sequences: "
                         "fine-tune one that does",
                         bird_model_path(m));
    if (!v->o->bins != !bird_config_on_grid(c))
        return bird_fail(BIRD_EINVAL,
                         v->o->bins ? "%s: this model does not answer in bins: "
                                      "'dnabird evaluate' takes it"
                                    : "%s: this model answers in bins: "
                                      "'dnabird evaluate bins' takes it",
                         bird_model_path(m));
    v->columns = bird_model_labels(c);
    v->multi = v->o->bins || (v->columns > 1 && !bird_config_is_choice(c));
    bird_path_base(v->e.model, sizeof(v->e.model), bird_model_path(m));
    memcpy(v->e.digest, bird_model_digest(m), sizeof(v->e.digest));
    return 0;
}

/* Names of the model's labels as an array; NULL when it has none, or those
 * that the reference gives to numbers. */
static int model_labels(const char ***out, const bird_model *m)
{
    size_t n = json_array_size(bird_model_label_names(m));
    int rc, plain = 1;

    *out = NULL;
    if (!n)
        return 0;
    rc = bird_array_new(out, (int64_t)n, sizeof(**out));
    for (size_t i = 0; !rc && i < n; i++) {
        char number[40];

        snprintf(number, sizeof(number), "LABEL_%zu", i);
        (*out)[i] =
            json_string_value(json_array_get(bird_model_label_names(m), i));
        plain &= !strcmp((*out)[i], number);
    }
    if (!rc && plain) {
        free((void *)*out);
        *out = NULL;
    }
    return rc;
}

/* The columns that a model of several labels was trained on, between commas;
 * all columns when it does not say or a name has a comma. */
static int label_columns(struct bird_text *out, const bird_model *m,
                         const char *const *name, int64_t n)
{
    int known = json_is_array(json_object_get(bird_model_meta(m), "labels")),
        rc = 0;

    for (int64_t i = 0; known && i < n; i++)
        known = name && name[i] && *name[i] && !strchr(name[i], ',');
    if (!known)
        return bird_text_put(out, "*", 1);
    for (int64_t i = 0; !rc && i < n; i++)
        rc = bird_text_printf(out, "%s%s", i ? "," : "", name[i]);
    return rc;
}

/* How rows are read: the classes are the model's. */
static int reading(bird_dataset_options *d, struct bird_text *columns,
                   const char **name, const struct bird_evaluating *v)
{
    const bird_model *m = v->model;

    *d = v->o->data;
    d->n_class = v->columns == 1 ? 2 : v->columns;
    d->class_name = NULL;
    if (name && !v->multi && bird_config_is_choice(bird_model_config(m)))
        d->class_name = name;
    if (name &&
        !bird_config_is_choice(bird_model_config(m))) { /* of labelled bins */
        d->label_name = name;
        d->n_label_name = v->columns;
    }
    if (!d->context_bp)
        d->context_bp = bird_model_window(m);
    if (d->label || bird_config_is_choice(bird_model_config(m)))
        return 0;
    if (label_columns(columns, m, name, v->columns))
        return BIRD_ENOMEM;
    if (v->multi || (columns->s && strcmp(columns->s, "*") != 0))
        d->label = columns->s;
    return 0;
}

/* A multi-label model's answers are told apart by its own names. */
static int check_rows(const struct bird_evaluating *v, const bird_dataset *d,
                      const char *path)
{
    if (d->kind == BIRD_LABEL_NONE)
        return bird_fail(BIRD_EINVAL, "%s: no labels to measure against", path);
    if (v->multi && (d->kind != BIRD_LABEL_MULTI || d->n_label != v->columns))
        return bird_fail(BIRD_EINVAL,
                         "%s: the model answers %lld labels: CSV or TSV with "
                         "a column for each is needed",
                         path, (long long)v->columns);
    if (!v->multi && d->kind != BIRD_LABEL_CLASS)
        return bird_fail(BIRD_EINVAL,
                         "%s: several label columns, but the model answers "
                         "one: name it with --label-column",
                         path);
    return 0;
}

/* The bins of the windows, labelled as the model's labels ask for. */
static int open_bins(struct bird_evaluating *v)
{
    const bird_model *m = v->model;
    bird_bin_options o = v->o->bin, usual;
    bird_features model = {0};
    int64_t margin = 0, other = 0;
    int rc = bird_model_features(&model, m);

    bird_bin_options_default(&usual);
    other = usual.other_bp;
    if (!rc)
        rc = bird_json_int(&margin, bird_model_meta(m), "margin_bp", 0,
                           INT32_MAX, bird_model_path(m));
    if (!rc)
        rc = bird_json_int(&other, bird_model_meta(m), "other_bp", 0, INT32_MAX,
                           bird_model_path(m));
    o.bin_bp = bird_model_config(m)->bin_bp;
    o.margin_bp = o.margin_bp < 0 ? margin : o.margin_bp;
    o.other_bp = o.other_bp < 0 ? other : o.other_bp;
    o.features = NULL;
    if (!rc)
        rc = bird_bin_labels_open(&v->labels, v->o->bins, &o);
    if (!rc)
        rc =
            bird_bin_labels_name(&v->labels, &model, bird_model_strand_pair(m));
    if (!rc)
        rc = bird_bin_windows_open(&v->windows, &v->labels, v->o->test, &o);
    if (!rc)
        rc = bird_bin_rows_new(&v->rows, &v->windows);
    bird_features_free(&model);
    for (int64_t i = 0; !rc && v->o->calibrate && i < v->windows.n; i++)
        if (v->windows.at[i].end - v->windows.at[i].start !=
                bird_model_window(m) ||
            o.margin_bp != margin)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: probabilities are calibrated on windows of the "
                           "model's %lld bp with its margins of %lld bp",
                           v->o->test, (long long)bird_model_window(m),
                           (long long)margin);
    if (rc)
        return rc;
    v->test = v->rows.d;
    v->rows.d = (bird_dataset){.n = v->test.n};
    return 0;
}

/* Names for the metrics: the model's, else the columns', else numbers. */
static int name_labels(struct bird_evaluating *v, const char *const *name)
{
    bird_evaluation *e = &v->e;
    int rc;

    if (!v->multi)
        return 0;
    rc = v->test.features.n
             ? bird_features_copy(&e->features, &v->test.features)
             : bird_model_features(&e->features, v->model);
    if (rc)
        return rc;
    rc = bird_array_new(&e->label_name, v->columns, sizeof(*e->label_name));
    if (rc)
        return rc;
    e->n_label = v->columns;
    for (int64_t i = 0; i < e->n_label; i++) {
        struct bird_text t = {0};

        rc = v->test.label_name
                 ? bird_text_printf(&t, "%s", v->test.label_name[i])
             : name ? bird_text_printf(&t, "%s", name[i])
                    : bird_text_printf(&t, "%lld", (long long)i);
        if (rc)
            return rc;
        e->label_name[i] = t.s;
    }
    return 0;
}

static int report_row(void *context)
{
    struct bird_evaluating *v = context;
    bird_progress p = {"scoring", "sequences", 0, v->total, NULL, NULL};

    v->done++;
    p.done = v->done;
    if (v->o->progress && v->o->progress(v->o->progress_context, &p))
        return bird_fail(BIRD_ECANCELED, "stopped after %lld of %lld sequences",
                         (long long)v->done, (long long)v->total);
    return 0;
}

/* A further predictor with room for its probabilities. */
static int add_predictor(struct bird_evaluating *v, const char *name,
                         int64_t columns)
{
    struct bird_predictor *p = &v->predictor[v->n_predictor];
    int rc = bird_array_new(&p->p, v->test.n * columns, sizeof(*p->p));

    if (rc)
        return rc;
    p->name = name;
    p->columns = columns;
    p->baseline = -1;
    v->n_predictor++;
    return 0;
}

static int score_model(struct bird_evaluating *v)
{
    struct bird_row_scoring s = {.m = v->model,
                                 .strand =
                                     bird_model_strand(v->model, v->o->strand),
                                 .after_row = report_row,
                                 .context = v};
    int rc = add_predictor(v, "model", v->columns);

    if (rc)
        return rc;
    v->e.both_strands = s.strand == BIRD_STRAND_BOTH;
    v->total = v->test.n;
    if (v->o->bins) {
        struct bird_bin_scoring b = {.m = v->model,
                                     .both = v->e.both_strands,
                                     .pack_tokens = BIRD_PACK_TOKENS,
                                     .after_row = report_row,
                                     .context = v};

        v->total = v->windows.n * (1 + b.both);
        return bird_bins_score(v->predictor[0].p, &b, &v->windows, &v->rows);
    }
    rc = bird_rows_score(v->predictor[0].p, &s, &v->test);
    v->e.n_trimmed = s.n_trimmed;
    return rc;
}

/* The map of one label, of the rows where it is known. */
static int fit_label(struct bird_evaluating *v, int64_t k, double *raw,
                     uint8_t *label)
{
    const double *p = v->predictor[0].p;
    int64_t n = 0;

    for (int64_t i = 0; i < v->test.n; i++) {
        float y = v->multi ? bird_dataset_label(&v->test, i, k)
                           : (float)v->test.row[i].label;

        if (isnan((double)y))
            continue;
        raw[n] = p[i * v->columns + k];
        label[n++] = y != 0;
    }
    return bird_calibrate_feature(&v->map, v->columns, raw, label, n);
}

/* The map of these rows, into the model folder. */
static int fit_map(struct bird_evaluating *v)
{
    const bird_model *m = v->model;
    char name[80], *path = NULL;
    struct bird_probability_way way = {.window_bp = bird_model_window(m),
                                       .both_strands = v->e.both_strands};
    struct bird_pool pool = {0};
    double *raw = bird_pool_array(&pool, v->test.n, sizeof(*raw));
    uint8_t *label = bird_pool_array(&pool, v->test.n, sizeof(*label));
    int rc = bird_path_join(&path, bird_model_path(m), BIRD_CALIBRATION_NAME);

    snprintf(way.digest, sizeof(way.digest), "%s", bird_model_digest(m));
    if (!rc && !v->multi && v->columns > 1)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: a choice of %lld classes cannot be calibrated: "
                       "two classes, or labels of their own",
                       bird_model_path(m), (long long)v->columns);
    rc = rc ? rc : pool.rc;
    for (int64_t k = 0; !rc && k < v->columns; k++)
        rc = fit_label(v, k, raw, label);
    bird_path_base(name, sizeof(name), v->o->test);
    if (!rc && (asprintf(&v->map.fitted, "%lld rows of %s",
                         (long long)v->test.n, name) < 0 ||
                !(v->map.event = strdup("the row has the label"))))
        rc = bird_fail_memory(0);
    if (!rc)
        rc = bird_calibrate_write(&v->map, &way, path);
    if (!rc)
        rc = bird_evaluate_note(v,
                                "%s: calibrated on these very rows: measure "
                                "on others",
                                path);
    free(path);
    bird_pool_free(&pool);
    return rc;
}

/* Raw outputs become probabilities by the model's map, where it has one. */
static int apply_map(struct bird_evaluating *v)
{
    const bird_model *m = v->model;
    struct bird_probability_way way = {.window_bp = bird_model_window(m),
                                       .both_strands = v->e.both_strands};
    double *p = v->predictor[0].p;
    char why[512] = "";
    int rc = v->o->calibrate
                 ? fit_map(v)
                 : bird_probability_open(&v->map, m, &way, v->o->raw, why,
                                         sizeof(why));

    snprintf(v->e.uncalibrated, sizeof(v->e.uncalibrated), "%s",
             v->o->raw ? "raw outputs, as asked for" : why);
    v->e.calibrated = bird_probability_applies(&v->map);
    for (int64_t i = 0; !rc && v->e.calibrated && i < v->test.n; i++)
        for (int64_t k = 0; k < v->columns; k++)
            p[i * v->columns + k] =
                bird_probability_of(&v->map, k, p[i * v->columns + k]);
    return rc;
}

static int report_fitting(void *context)
{
    const struct bird_evaluating *v = context;
    bird_progress p = {"fitting the baselines", "", 0, -1, NULL, NULL};

    return v->o->progress && v->o->progress(v->o->progress_context, &p);
}

/* On the windows of --baseline-train, labelled as those scored. */
static int fit_on_windows(bird_baseline **out, struct bird_evaluating *v,
                          const bird_baseline_options *o)
{
    const bird_bin_options how = {.bin_bp = v->windows.bin,
                                  .margin_bp = v->windows.margin};
    struct bird_bin_windows w = {0};
    int rc = bird_bin_windows_open(&w, &v->labels, v->o->baseline_train, &how);

    if (!rc)
        rc = bird_baseline_fit_bins(out, &w, o);
    bird_bin_windows_free(&w);
    return rc;
}

static int fit_on_rows(bird_baseline **out, struct bird_evaluating *v,
                       const bird_dataset_options *how,
                       const bird_baseline_options *o)
{
    bird_dataset d = {0};
    int rc = bird_dataset_open(&d, v->o->baseline_train, how);

    if (!rc)
        rc = check_rows(v, &d, v->o->baseline_train);
    if (!rc)
        rc = bird_baseline_fit(out, &d, o);
    bird_dataset_free(&d);
    return rc;
}

/* Fitted on --baseline-train. */
static int fit_baselines(bird_baseline **out, struct bird_evaluating *v,
                         const bird_dataset_options *how)
{
    bird_baseline_options o;

    bird_baseline_options_default(&o);
    o.stop = report_fitting;
    o.stop_context = v;
    return v->o->bins ? fit_on_windows(out, v, &o)
                      : fit_on_rows(out, v, how, &o);
}

/* The baselines: fitted on --baseline-train, or the model's own; NULL: none. */
static int get_baselines(bird_baseline **out, struct bird_evaluating *v,
                         const bird_dataset_options *how)
{
    char *path = NULL;
    int rc = bird_path_join(&path, bird_model_path(v->model), BASELINES);

    *out = NULL;
    if (!rc && v->o->baseline_train)
        rc = fit_baselines(out, v, how);
    else if (!rc && bird_file_exists(path))
        rc = bird_baseline_open(out, path);
    else if (!rc)
        rc = bird_evaluate_note(v, "the model has no baselines: give "
                                   "--baseline-train to fit them");
    if (!rc && *out && bird_baseline_columns(*out) != v->columns)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: %lld answers a row, but the model gives %lld", path,
                       (long long)bird_baseline_columns(*out),
                       (long long)v->columns);
    if (!rc && *out && !bird_baseline_context(*out) != !v->o->bins)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: it was fitted on %s, which this model does not "
                       "answer",
                       path, v->o->bins ? "whole rows" : "bins of windows");
    free(path);
    return rc;
}

static int has_length(const bird_dataset *d, int64_t len)
{
    for (int64_t i = 0; i < d->n; i++)
        if (d->row[i].len != len)
            return 0;
    return 1;
}

/* The predictors beside the model, without answers. */
static int add_baselines(struct bird_evaluating *v,
                         const bird_dataset_options *how)
{
    int rc = get_baselines(&v->baseline, v, how);
    const bird_baseline *b = v->baseline;

    for (int k = 0; !rc && b && k < BIRD_N_BASELINE; k++) {
        enum bird_baseline_kind kind = (enum bird_baseline_kind)k;

        if (!bird_baseline_has(b, kind))
            continue;
        if (kind == BIRD_BASELINE_POSITION &&
            !has_length(&v->test, bird_baseline_length(b))) {
            rc = bird_evaluate_note(v,
                                    "the position baseline is for %lld bp; "
                                    "these rows have other lengths: left out",
                                    (long long)bird_baseline_length(b));
            continue;
        }
        rc = add_predictor(v, bird_baseline_name(kind), v->columns);
        if (!rc)
            v->predictor[v->n_predictor - 1].baseline = k;
    }
    if (!rc)
        rc = add_predictor(v, "GC", 1);
    if (!rc)
        v->predictor[v->n_predictor - 1].ranks_only = 1;
    return rc;
}

/* What the predictors beside the model say of rows d, the first of which is row
 * `first` of the test. */
static int score_beside(struct bird_evaluating *v, const bird_dataset *d,
                        int64_t first)
{
    int rc = 0;

    for (int k = 1; !rc && k < v->n_predictor; k++) {
        const struct bird_predictor *p = &v->predictor[k];
        double *out = p->p + first * p->columns;

        if (p->baseline >= 0)
            rc = bird_baseline_score_rows(
                v->baseline, (enum bird_baseline_kind)p->baseline, out, d);
        for (int64_t i = 0; p->baseline < 0 && i < d->n; i++)
            out[i] = bird_gc_share(bird_dataset_seq(d, i), d->row[i].len);
    }
    return rc;
}

/* Bins get the bases that baselines and GC see, so many bins at a time: bases
 * of all would take more memory than all else that is kept of a bin. */
static int score_bins_beside(struct bird_evaluating *v)
{
    enum { BINS = 1 << 10 };
    int64_t context = v->baseline ? bird_baseline_context(v->baseline)
                                  : bird_baseline_bin_context(&v->windows);
    bird_dataset d = {0};
    int rc = bird_array_new(&d.row, BINS, sizeof(*d.row));

    for (int64_t first = 0; !rc && first < v->test.n; first += BINS) {
        d.n = v->test.n - first < BINS ? v->test.n - first : BINS;
        memcpy(d.row, v->test.row + first, (size_t)d.n * sizeof(*d.row));
        rc = bird_bin_rows_bases(&d, &v->windows, context);
        if (!rc)
            rc = score_beside(v, &d, first);
    }
    free(d.row);
    free(d.bases);
    return rc;
}

/* The rows that share nothing with train, as indices. */
static int find_clean(int64_t *rows, int64_t *n, struct bird_evaluating *v)
{
    bird_dataset_options how = v->o->data;
    bird_dataset train = {0};
    uint8_t *exact = NULL, *overlap = NULL;
    int rc;

    how.label = ""; /* the sequences alone matter */
    how.class_name = NULL;
    how.n_class = 0;
    *n = 0;
    rc = bird_dataset_open(&train, v->o->train, &how);
    if (!rc)
        rc = bird_array_new(&exact, v->test.n, 1);
    if (!rc)
        rc = bird_array_new(&overlap, v->test.n, 1);
    v->e.shared_k =
        v->o->shared_k ? v->o->shared_k : bird_dataset_shared_k(&v->test);
    if (!rc)
        rc = bird_dataset_mark_shared(exact, &v->test, &train, 0, 1);
    if (!rc)
        rc = bird_dataset_mark_shared(overlap, &v->test, &train, v->e.shared_k,
                                      1);
    for (int64_t i = 0; !rc && i < v->test.n; i++) {
        if (exact[i])
            v->e.n_exact++;
        else if (overlap[i])
            v->e.n_overlap++;
        else
            rows[(*n)++] = i;
    }
    bird_dataset_free(&train);
    free(exact);
    free(overlap);
    return rc;
}

static int measure_parts(struct bird_evaluating *v)
{
    int64_t *rows, n = v->test.n;
    int rc = bird_array_new(&rows, n, sizeof(*rows));

    for (int64_t i = 0; !rc && i < n; i++)
        rows[i] = i;
    if (!rc)
        rc = bird_evaluate_part(v, "all", rows, n);
    if (!rc && v->o->train && !v->o->bins &&
        (rc = find_clean(rows, &n, v)) == 0)
        rc = bird_evaluate_part(v, "clean", rows, n);
    if (!rc && v->o->train && !v->o->bins)
        rc = bird_evaluate_note(
            v,
            "%lld of %lld rows are not clean: %lld are whole in the training "
            "rows, %lld share %d bp with one (on either strand)",
            (long long)(v->e.n_exact + v->e.n_overlap), (long long)v->test.n,
            (long long)v->e.n_exact, (long long)v->e.n_overlap, v->e.shared_k);
    if (!rc && v->e.n_trimmed)
        rc = bird_evaluate_note(v,
                                "%lld sequences have more tokens than the "
                                "model reads: their middle was scored",
                                (long long)v->e.n_trimmed);
    free(rows);
    return rc;
}

static int check_options(const bird_evaluate_options *o)
{
    if (!o->test)
        return bird_fail(BIRD_EINVAL, "no rows to evaluate on: give --test");
    if (o->shared_k < 0 || o->shared_k > 63)
        return bird_fail(BIRD_EINVAL, "shared k must be 1 to 63, not %d",
                         o->shared_k);
    if (!(o->metrics.threshold >= 0 && o->metrics.threshold <= 1) &&
        o->metrics.threshold != -1)
        return bird_fail(BIRD_EINVAL,
                         "the threshold must lie between 0 and 1, got %g",
                         o->metrics.threshold);
    if (o->keep_baselines && (!o->baseline_train || !o->model))
        return bird_fail(BIRD_EINVAL,
                         "baselines are kept in a model folder, and fitted on "
                         "rows or windows: give --model and --baseline-train");
    return 0;
}

static int evaluate(struct bird_evaluating *v)
{
    struct bird_text columns = {0};
    bird_dataset_options how = {0};
    const char **name = NULL;
    int rc;

    if (v->o->keep_baselines) /* changes the model; outputs were checked */
        bird_guard_own(v->o->model);
    rc = open_model(v);
    if (!rc)
        rc = model_labels(&name, v->model);
    if (!rc && v->o->bins)
        rc = open_bins(v);
    if (!rc && !v->o->bins)
        rc = reading(&how, &columns, name, v);
    if (!rc && !v->o->bins)
        rc = bird_dataset_open(&v->test, v->o->test, &how);
    /* labelled bins may have one label: it is still an answer of its own */
    if (!rc && v->test.hit_at && v->test.n_label == 1 && v->columns == 1)
        v->multi = 1;
    if (!rc)
        rc = check_rows(v, &v->test, v->o->test);
    if (!rc && !v->multi &&
        (v->o->html || v->o->format == BIRD_EVALUATE_FEATURES))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: one answer a row: a page of curves and a table of "
                       "features are for models of several labels",
                       bird_model_path(v->model));
    if (!rc)
        rc = name_labels(v, name);
    v->e.n_row = v->test.n;
    if (v->metrics.n_boot < 0)
        v->metrics.n_boot = v->multi ? 0 : 1000;
    if (!rc)
        rc = score_model(v);
    if (!rc)
        rc = apply_map(v);
    if (!rc)
        rc = add_baselines(v, &how);
    if (!rc)
        rc = v->o->bins ? score_bins_beside(v) : score_beside(v, &v->test, 0);
    if (!rc)
        rc = measure_parts(v);
    bird_text_free(&columns);
    free((void *)name);
    return rc;
}

/* Last, when all else is written. */
static int keep_baselines(const struct bird_evaluating *v)
{
    char *path;
    int rc = bird_path_join(&path, bird_model_path(v->model), BASELINES);

    if (!rc)
        rc = bird_baseline_save(v->baseline, path);
    free(path);
    return rc;
}

int bird_evaluate(bird_evaluation *out, const bird_evaluate_options *o)
{
    struct bird_evaluating v = {.o = o, .metrics = o->metrics};
    struct bird_outputs files = {0};
    int rc = check_options(o);

    if (!rc)
        rc = bird_evaluate_outs_open(&files, o);
    if (!rc)
        rc = evaluate(&v);
    if (!rc)
        rc = bird_evaluate_outs_write(&files, &v);
    if (!rc && o->keep_baselines)
        rc = keep_baselines(&v);
    bird_outputs_abort(&files);
    bird_baseline_free(v.baseline);
    for (int i = 0; i < v.n_predictor; i++)
        free(v.predictor[i].p);
    free((void *)v.group);
    free(v.group_of);
    bird_probability_free(&v.map);
    bird_model_close(v.model);
    bird_dataset_free(&v.test);
    bird_bin_rows_free(&v.rows);
    bird_bin_windows_free(&v.windows);
    bird_bin_labels_free(&v.labels);
    if (rc)
        bird_evaluation_free(&v.e);
    else
        *out = v.e;
    return rc;
}
