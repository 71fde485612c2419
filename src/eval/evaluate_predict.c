/* The predictors of an evaluation: the model, whose raw outputs become
 * probabilities by its calibration map; logistic regression on k-mers and on
 * positions; and the share of G and C. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "dnabird/metrics.h"
#include "eval/calibrate.h"
#include "eval/evaluating.h"
#include "session/calibration_file.h"
#include "session/session.h"

#define BASELINES "baseline.safetensors"

/* --- the model ------------------------------------------------------------ */

struct scored {
    const bird_evaluate_options *o;
    int64_t done, total; /* sequences */
};

static int report_row(void *context)
{
    struct scored *s = context;
    bird_progress p = {"scoring", "sequences", 0, s->total, NULL, NULL, 0};

    p.done = ++s->done;
    if (s->o->progress && s->o->progress(s->o->progress_context, &p))
        return bird_fail(BIRD_ECANCELED, "stopped after %lld of %lld sequences",
                         (long long)s->done, (long long)s->total);
    return 0;
}

/* Append a predictor, and allocate its probabilities. */
static int add_predictor(struct bird_evaluating *v, const char *name,
                         int64_t columns)
{
    struct bird_predictor *p = &v->predictors.at[v->predictors.n];
    int rc = bird_array_new(&p->p, v->rows.d.n * columns, sizeof(*p->p));

    if (rc)
        return rc;
    p->name = name;
    p->columns = columns;
    p->baseline = -1;
    v->predictors.n++;
    return 0;
}

static int score_model(struct bird_evaluating *v)
{
    struct scored scored = {.o = v->o};
    struct bird_scoring s = {.m = v->model,
                             .file = v->o->test,
                             .pack_tokens = BIRD_PACK_TOKENS,
                             .strand =
                                 bird_model_strand(v->model, v->o->strand),
                             .after_row = report_row,
                             .context = &scored};
    int rc = add_predictor(v, "model", v->rows.outputs);

    if (rc)
        return rc;
    v->e.both_strands = s.strand == BIRD_STRAND_BOTH;
    scored.total = bird_evaluate_rows_passes(&v->rows, v->e.both_strands);
    rc = bird_evaluate_rows_score(v->predictors.at[0].p, &s, &v->rows);
    v->predictors.at[0].columns = v->rows.answers;
    v->e.n_trimmed = s.n_trimmed;
    return rc;
}

/* --- probabilities -------------------------------------------------------- */

/* Append the outputs and labels of label k to `n` others: the rows where it is
 * known. Returns how many there are then. */
static int64_t take_label(double *raw, uint8_t *label, int64_t n,
                          const struct bird_evaluating *v, int64_t k)
{
    const double *p = v->predictors.at[0].p;

    for (int64_t i = 0; i < v->rows.d.n; i++) {
        float y = v->rows.multi ? bird_dataset_label(&v->rows.d, i, k)
                                : (float)v->rows.d.row[i].label;

        if (isnan((double)y))
            continue;
        raw[n] = p[i * v->rows.columns + k];
        label[n++] = y != 0;
    }
    return n;
}

/* Fit the map of one label. The two labels of a strand pair have one map, fitted
 * on the rows of both: a site has the same probability on either strand. */
static int fit_label(struct bird_evaluating *v, int64_t k, double *raw,
                     uint8_t *label)
{
    const int32_t *pair = bird_model_strand_pair(v->model);
    int64_t other = pair ? pair[k] : k;
    int64_t n = take_label(raw, label, 0, v, other < k ? other : k);

    if (other != k)
        n = take_label(raw, label, n, v, other < k ? k : other);
    if (!v->rows.multi && n && !memchr(label, !label[0], (size_t)n))
        return bird_fail(BIRD_EINVAL,
                         "%s: every row has the same class: --calibrate needs "
                         "rows of both classes",
                         v->o->test);
    return bird_calibrate_feature(&v->map, v->rows.columns, raw, label, n);
}

/* Fit the maps on these rows, and write them into the model folder. */
static int fit_map(struct bird_evaluating *v)
{
    const bird_model *m = v->model;
    char name[80], *path = NULL;
    struct bird_probability_settings way = {.window_bp = bird_model_window(m),
                                            .both_strands = v->e.both_strands};
    struct bird_pool pool = {0};
    double *raw = bird_pool_array(&pool, 2 * v->rows.d.n, sizeof(*raw));
    uint8_t *label = bird_pool_array(&pool, 2 * v->rows.d.n, sizeof(*label));
    int rc = bird_path_join(&path, bird_model_path(m), BIRD_CALIBRATION_NAME);

    snprintf(way.digest, sizeof(way.digest), "%s", bird_model_digest(m));
    if (!rc && !v->rows.multi && v->rows.columns > 1)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: %lld exclusive classes cannot be calibrated, "
                       "only two classes or independent labels",
                       bird_model_path(m), (long long)v->rows.columns);
    rc = rc ? rc : pool.rc;
    for (int64_t k = 0; !rc && k < v->rows.columns; k++)
        rc = fit_label(v, k, raw, label);
    bird_path_base(name, sizeof(name), v->o->test);
    if (!rc && (asprintf(&v->map.fitted, "%lld rows of %s",
                         (long long)v->rows.d.n, name) < 0 ||
                !(v->map.event = strdup("the row has the label"))))
        rc = bird_fail_memory(0);
    if (!rc)
        rc = bird_calibrate_write(&v->map, &way, path);
    if (!rc)
        rc = bird_evaluate_note(v,
                                "%s: calibrated on these rows: evaluate on "
                                "others",
                                path);
    free(path);
    bird_pool_free(&pool);
    return rc;
}

/* Turn raw outputs into probabilities by the model's map, if there is one. */
static int apply_map(struct bird_evaluating *v)
{
    const bird_model *m = v->model;
    struct bird_probability_settings way = {.window_bp = bird_model_window(m),
                                            .both_strands = v->e.both_strands};
    double *p = v->predictors.at[0].p;
    char why[512] = "";
    int rc = v->o->calibrate
                 ? fit_map(v)
                 : bird_probability_open(&v->map, m, &way, v->o->raw, why,
                                         sizeof(why));

    snprintf(v->e.uncalibrated, sizeof(v->e.uncalibrated), "%s",
             v->o->raw ? "raw outputs, as asked for" : why);
    v->e.calibrated = bird_probability_applies(&v->map);
    for (int64_t i = 0; !rc && v->e.calibrated && i < v->rows.d.n; i++)
        for (int64_t k = 0; k < v->rows.columns; k++)
            p[i * v->rows.columns + k] =
                bird_probability_of(&v->map, k, p[i * v->rows.columns + k]);
    return rc;
}

/* --- baselines ------------------------------------------------------------ */

static int report_fitting(void *context)
{
    const struct bird_evaluating *v = context;
    bird_progress p = {"fitting the baselines", "", 0, -1, NULL, NULL, 0};

    return v->o->progress && v->o->progress(v->o->progress_context, &p);
}

static int fit_baselines(bird_baseline **out, struct bird_evaluating *v)
{
    bird_baseline_options o;

    bird_baseline_options_default(&o);
    o.stop = report_fitting;
    o.stop_context = v;
    return bird_evaluate_rows_fit(out, &v->rows, v->o->baseline_train, &o);
}

/* The baselines: fitted on --baseline-train, or the model's own; NULL: none. */
static int get_baselines(bird_baseline **out, struct bird_evaluating *v)
{
    char *path = NULL;
    int rc = bird_path_join(&path, bird_model_path(v->model), BASELINES);

    *out = NULL;
    if (!rc && v->o->baseline_train)
        rc = fit_baselines(out, v);
    else if (!rc && bird_file_exists(path) && v->rows.value_of)
        rc = bird_evaluate_note(v, "the model's baselines are of all of its "
                                   "values: left out; --baseline-train fits "
                                   "them to these");
    else if (!rc && bird_file_exists(path))
        rc = bird_baseline_open(out, path);
    else if (!rc)
        rc = bird_evaluate_note(v, "the model has no baselines: give "
                                   "--baseline-train to fit them");
    if (!rc && *out)
        rc = bird_evaluate_rows_check_baseline(&v->rows, *out, path);
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

/* Append the shares of the classes in these rows: for one class a row the most
 * frequent class is then called everywhere. */
static int add_shares(struct bird_evaluating *v)
{
    const bird_dataset *d = &v->rows.d;
    int64_t n = v->rows.columns;
    int rc = add_predictor(v, "most-frequent", n);
    double *p = rc ? NULL : v->predictors.at[v->predictors.n - 1].p;

    for (int64_t k = 0; !rc && k < n; k++) {
        int64_t class_id = n > 1 ? k : 1, known = 0;
        double sum = 0;

        for (int64_t i = 0; i < d->n; i++) {
            float y = v->rows.multi ? bird_dataset_label(d, i, k)
                                    : (float)(d->row[i].label == class_id);

            known += !isnan(y);
            sum += isnan(y) ? 0 : (double)y;
        }
        for (int64_t i = 0; i < d->n; i++)
            p[i * n + k] = known ? sum / (double)known : 0;
    }
    return rc;
}

/* Append the baselines and GC, without probabilities yet. */
static int add_baselines(struct bird_evaluating *v)
{
    int rc = get_baselines(&v->predictors.baseline, v);
    const bird_baseline *b = v->predictors.baseline;

    for (int k = 0; !rc && b && k < BIRD_N_BASELINE; k++) {
        enum bird_baseline_kind kind = (enum bird_baseline_kind)k;

        if (!bird_baseline_has(b, kind))
            continue;
        if (kind == BIRD_BASELINE_POSITION &&
            !has_length(&v->rows.d, bird_baseline_length(b))) {
            rc = bird_evaluate_note(v,
                                    "the position baseline is for %lld bp; "
                                    "these rows have other lengths: left out",
                                    (long long)bird_baseline_length(b));
            continue;
        }
        rc = add_predictor(v, bird_baseline_name(kind), v->rows.columns);
        if (!rc)
            v->predictors.at[v->predictors.n - 1].baseline = k;
    }
    if (!rc)
        rc = add_predictor(v, "GC", 1);
    if (!rc)
        v->predictors.at[v->predictors.n - 1].ranks_only = 1;
    return rc;
}

/* Probabilities of the baselines and GC, of rows d from row `first` on. */
static int score_beside(void *context, const bird_dataset *d, int64_t first)
{
    const struct bird_evaluating *v = context;
    int rc = 0;

    for (int k = 1; !rc && k < v->predictors.n; k++) {
        const struct bird_predictor *p = &v->predictors.at[k];
        double *out = p->p + first * p->columns;

        if (p->baseline >= 0)
            rc = bird_baseline_score_rows(v->predictors.baseline,
                                          (enum bird_baseline_kind)p->baseline,
                                          out, d);
        for (int64_t i = 0; p->baseline < 0 && i < d->n; i++)
            out[i] = bird_gc_share(bird_dataset_seq(d, i), d->row[i].len);
    }
    return rc;
}

int bird_evaluate_predict(struct bird_evaluating *v)
{
    int rc = score_model(v);

    if (v->rows.bases.n)
        snprintf(v->e.uncalibrated, sizeof(v->e.uncalibrated),
                 "the model's raw outputs for each base");
    else if (!rc && !v->rows.measured)
        rc = apply_map(v);
    if (v->rows.bases.n || v->rows.d.ids)
        return rc || v->rows.measured ? rc : add_shares(v);
    if (!rc)
        rc = add_baselines(v);
    return rc ? rc
              : bird_evaluate_rows_each(&v->rows, v->predictors.baseline,
                                        score_beside, v);
}

int bird_evaluate_keep_baselines(const struct bird_evaluating *v)
{
    char *path;
    int rc = bird_path_join(&path, bird_model_path(v->model), BASELINES);

    if (!rc)
        rc = bird_baseline_save(v->predictors.baseline, path);
    free(path);
    return rc;
}

void bird_predictors_free(struct bird_predictors *p)
{
    bird_baseline_free(p->baseline);
    for (int i = 0; i < p->n; i++)
        free(p->at[i].p);
}
