/* A model and its baselines on labelled sequences.
 *
 * The rows are read with the labels of the model (evaluate_rows.c), model and
 * baselines give probabilities (evaluate_predict.c), which are evaluated
 * (evaluate_measure.c); a second time without the rows that share sequence with
 * the training rows. SPDX-License-Identifier: MIT */
#include "dnabird/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/mem.h"
#include "eval/evaluating.h"
#include "folder/feature.h"
#include "head/head.h"

void bird_evaluate_options_default(bird_evaluate_options *o)
{
    *o = (bird_evaluate_options){.strand = BIRD_STRAND_MODEL};
    bird_model_run_default(&o->run);
    bird_metrics_options_default(&o->metrics);
    o->metrics.n_boot = -1;
    o->metrics.threshold = -1;
    o->min_positives = 1;
    bird_bin_options_default(&o->bin);
    o->bin.margin_bp = o->bin.site_bp = o->bin.other_bp = -1;
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
    free(e->values);
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
    if (!bird_head_scores(c) && !bird_head_classifies_tokens(c->head))
        return bird_fail(BIRD_EINVAL,
                         "%s: this model does not classify sequences: "
                         "fine-tune one that does",
                         bird_model_path(m));
    bird_path_base(v->e.model, sizeof(v->e.model), bird_model_path(m));
    memcpy(v->e.digest, bird_model_digest(m), sizeof(v->e.digest));
    return 0;
}

/* Names for the metrics: the model's, else the columns', else numbers. */
static int name_labels(struct bird_evaluating *v)
{
    const char *const *name = v->rows.label_name;
    bird_evaluation *e = &v->e;
    int rc;

    if (!v->rows.multi)
        return 0;
    rc = v->rows.d.features.n
             ? bird_features_copy(&e->features, &v->rows.d.features)
             : bird_model_features(&e->features, v->model);
    if (rc)
        return rc;
    rc =
        bird_array_new(&e->label_name, v->rows.columns, sizeof(*e->label_name));
    if (rc)
        return rc;
    e->n_label = v->rows.columns;
    for (int64_t i = 0; i < e->n_label; i++) {
        struct bird_text t = {0};

        rc = v->rows.d.label_name
                 ? bird_text_printf(&t, "%s", v->rows.d.label_name[i])
             : name ? bird_text_printf(&t, "%s", name[i])
                    : bird_text_printf(&t, "%lld", (long long)i);
        if (rc)
            return rc;
        e->label_name[i] = t.s;
    }
    return 0;
}

/* The rows that share nothing with train, as indices. */
static int find_clean(int64_t *rows, int64_t *n, struct bird_evaluating *v)
{
    bird_dataset_options how = v->o->data;
    bird_dataset train = {0};
    uint8_t *exact = NULL, *overlap = NULL;
    int rc;

    how.label = ""; /* the sequences alone matter */
    how.values = how.name = how.labels = NULL;
    how.class_name = NULL;
    how.n_class = 0;
    *n = 0;
    rc = bird_dataset_open(&train, v->o->train, &how);
    if (!rc)
        rc = bird_array_new(&exact, v->rows.d.n, 1);
    if (!rc)
        rc = bird_array_new(&overlap, v->rows.d.n, 1);
    v->e.shared_k =
        v->o->shared_k ? v->o->shared_k : bird_dataset_shared_k(&v->rows.d);
    if (!rc)
        rc = bird_dataset_mark_shared(exact, &v->rows.d, &train, 0, 1);
    if (!rc)
        rc = bird_dataset_mark_shared(overlap, &v->rows.d, &train,
                                      v->e.shared_k, 1);
    for (int64_t i = 0; !rc && i < v->rows.d.n; i++) {
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
    int (*measure)(struct bird_evaluating *, const char *, const int64_t *,
                   int64_t) =
        v->rows.measured ? bird_evaluate_part_values : bird_evaluate_part;
    int train = v->o->train && v->rows.d.bases; /* bins have no bases */
    int64_t *rows, n = v->rows.d.n, n_below = 0;
    int rc = bird_array_new(&rows, n, sizeof(*rows));

    for (int64_t i = 0; !rc && i < n; i++)
        rows[i] = i;
    if (!rc)
        rc = measure(v, "all", rows, n);
    if (!rc && train && (rc = find_clean(rows, &n, v)) == 0)
        rc = measure(v, "clean", rows, n);
    if (!rc && train)
        rc = bird_evaluate_note(
            v,
            "%lld of %lld rows are not clean: %lld are whole in the training "
            "rows, %lld share %d bp with one (on either strand)",
            (long long)(v->e.n_exact + v->e.n_overlap), (long long)v->rows.d.n,
            (long long)v->e.n_exact, (long long)v->e.n_overlap, v->e.shared_k);
    for (int64_t i = 0; train && i < v->rows.d.n; i++)
        n_below += v->rows.d.row[i].len < v->e.shared_k;
    if (!rc && n_below)
        rc = bird_evaluate_note(
            v,
            "warning: %lld of %lld rows are shorter than %d bp: a part of a "
            "training row counts as clean (a smaller shared-k in --settings "
            "finds these)",
            (long long)n_below, (long long)v->rows.d.n, v->e.shared_k);
    if (!rc && v->e.n_trimmed)
        rc = bird_evaluate_note(v,
                                "%lld sequences have more tokens than the "
                                "model reads: their middle was scored",
                                (long long)v->e.n_trimmed);
    free(rows);
    return rc;
}

/* A bin in several windows is several rows. */
static int note_shared(struct bird_evaluating *v)
{
    int64_t n = 0;
    int rc = v->o->bins ? bird_bin_windows_shared(&n, &v->rows.windows) : 0;

    if (rc || !n)
        return rc;
    return bird_evaluate_note(
        v,
        "warning: %s: bins in several windows count each time (%lld too many): "
        "give windows without a common bin, as 'dataset bins' makes them",
        v->o->test, (long long)n);
}

static int check_options(const bird_evaluate_options *o)
{
    if (!o->test)
        return bird_fail(BIRD_EINVAL, "no rows to evaluate on: give --test");
    if (bird_model_strand_check(o->strand))
        return BIRD_EINVAL;
    if (o->format > BIRD_EVALUATE_FEATURES)
        return bird_fail(BIRD_EINVAL, "format %d is not known", (int)o->format);
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

/* A model of measured values has no probabilities: nothing to calibrate, no
 * curves. */
static int check_values(const struct bird_evaluating *v)
{
    const bird_evaluate_options *o = v->o;

    if (v->rows.value_of && o->keep_baselines)
        return bird_fail(BIRD_EINVAL,
                         "--keep-baselines: the model's baselines are of all "
                         "of its values in its order, and --values names "
                         "others");
    if (!v->rows.measured ||
        !(o->calibrate || o->html || o->format == BIRD_EVALUATE_FEATURES))
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%s: a model of measured values is evaluated without "
                     "calibration, page or table of features",
                     bird_model_path(v->model));
}

/* Only answers to yes or no are called from a threshold. */
static int check_threshold(const struct bird_evaluating *v)
{
    const struct bird_evaluate_rows *r = &v->rows;
    bird_metrics_options usual;

    bird_metrics_options_default(&usual);
    if (v->o->metrics.threshold < 0 ||
        v->o->metrics.threshold == usual.threshold ||
        (r->multi ? !r->measured : r->columns <= 2))
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%s: %s have no threshold: leave --threshold out",
                     bird_model_path(v->model),
                     r->measured ? "measured values" : "several classes");
}

/* Bases of a row are no independent sample, and have neither calibration nor
 * k-mers of their own; token ids have no k-mers. Both have one strand. */
static int check_tokens(const struct bird_evaluating *v)
{
    const bird_evaluate_options *o = v->o;
    int bases = v->rows.bases.n > 0;

    if (!bases && !v->rows.d.ids)
        return 0;
    if (o->baseline_train || o->train ||
        (bases && (o->calibrate || o->metrics.n_boot > 0)))
        return bird_fail(BIRD_EINVAL,
                         "%s: %s evaluated without %straining rows and k-mer "
                         "baselines",
                         o->test,
                         bases ? "classes of bases are" : "token ids are",
                         bases ? "bootstrap, calibration, " : "");
    if (bird_model_strand(v->model, o->strand) != BIRD_STRAND_PLUS)
        return bird_fail(BIRD_EINVAL,
                         "%s: %s are read as they are: --strand given", o->test,
                         bases ? "rows of classes of bases" : "token ids");
    return 0;
}

static int evaluate(struct bird_evaluating *v)
{
    int rc;

    if (v->o->keep_baselines) /* changes the model; outputs were checked */
        bird_guard_own(v->o->model);
    rc = open_model(v);
    if (!rc)
        rc = bird_evaluate_rows_open(&v->rows, v->model, v->o);
    if (!rc)
        rc = check_threshold(v);
    if (!rc)
        rc = check_values(v);
    if (!rc)
        rc = check_tokens(v);
    if (!rc && !v->rows.multi &&
        (v->o->html || v->o->format == BIRD_EVALUATE_FEATURES))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: one answer a row: a page of curves and a table of "
                       "features are for models of several labels",
                       bird_model_path(v->model));
    if (!rc)
        rc = bird_evaluate_open_replicates(v);
    if (!rc)
        rc = name_labels(v);
    v->e.n_row = v->rows.d.n;
    if (v->metrics.n_boot < 0)
        v->metrics.n_boot =
            (v->rows.multi && !v->rows.measured) || v->rows.bases.n ? 0 : 1000;
    if (!rc)
        rc = bird_evaluate_predict(v);
    if (!rc)
        rc = note_shared(v);
    return rc ? rc : measure_parts(v);
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
        rc = bird_evaluate_keep_baselines(&v);
    bird_outputs_abort(&files);
    bird_predictors_free(&v.predictors);
    free((void *)v.classes.name);
    free(v.classes.of_label);
    bird_probability_free(&v.map);
    bird_evaluate_free_replicates(&v.replicates);
    bird_model_close(v.model);
    bird_evaluate_rows_free(&v.rows);
    if (rc)
        bird_evaluation_free(&v.e);
    else
        *out = v.e;
    return rc;
}
