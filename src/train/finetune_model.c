/* Metrics of several labels, and the model folder that a finished run leaves:
 * the best validation's weights, how good they are, and the baselines.
 * SPDX-License-Identifier: MIT */
#include "train/finetune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "eval/baseline.h"
#include "eval/metrics.h"
#include "model/feature.h"

/* --- metrics of several labels -------------------------------------------- */

/* The metric `what` of every label with enough positives and negatives. */
static void column_of(double *out, const struct bird_finetuning *f,
                      enum bird_metric what)
{
    int64_t least = f->o.min_positives;

    for (int64_t k = 0; k < f->train.n_label; k++) {
        const bird_metrics *m = &f->figures[k];
        int few = least > 1 &&
                  (m->n_positive < least || m->n - m->n_positive < least);

        out[k] = few ? (double)NAN : m->value[what];
    }
}

static double mean_known(const double *x, int64_t n)
{
    double sum = 0;
    int64_t known = 0;

    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i])) {
            sum += x[i];
            known++;
        }
    return known ? sum / (double)known : (double)NAN;
}

/* "DHS 0.8100 / 0.3000 (125)": medians of AUROC and AUPRC of each class, and
 * over how many labels. */
static int tell_medians(struct bird_finetuning *f, const double *auroc,
                        double *value, double *scratch)
{
    int64_t n = f->train.n_label, known = 0;
    int rc = 0;

    bird_text_clear(&f->medians);
    column_of(value, f, BIRD_AUPRC);
    for (int64_t g = 0; !rc && f->group && g < f->n_group; g++) {
        double auprc =
            bird_group_median(&known, scratch, value, f->valid_group, n, g);

        if (known)
            rc = bird_text_printf(&f->medians, "%s%s %.4f / %.4f (%lld)",
                                  f->medians.n ? ", " : "",
                                  *f->group[g] ? f->group[g] : "labels",
                                  auroc[g], auprc, (long long)known);
    }
    return rc;
}

int bird_finetune_measure_labels(struct bird_finetuning *f,
                                 bird_finetune_state *s)
{
    const bird_dataset *d = &f->valid;
    int64_t n_label = d->n_label;
    struct bird_pool pool = {0};
    float *target = bird_pool_array(&pool, d->n, sizeof(*target));
    double *value = bird_pool_array(&pool, n_label, sizeof(*value));
    double *scratch = bird_pool_array(&pool, n_label, sizeof(*scratch));
    double *median = bird_pool_array(&pool, f->n_group, sizeof(*median));
    bird_metrics_options o;
    int rc = pool.rc;

    bird_metrics_options_default(&o);
    o.n_boot = 0;
    for (int64_t k = 0; !rc && k < n_label; k++) {
        bird_dataset_column(target, d, k);
        rc = bird_metrics_measure_label(&f->figures[k], f->probability + k,
                                        n_label, target, d->n, &o);
    }
    if (rc)
        goto done;
    column_of(value, f, BIRD_AUROC);
    for (int64_t g = 0; g < f->n_group; g++)
        median[g] =
            bird_group_median(NULL, scratch, value, f->valid_group, n_label, g);
    s->valid_auroc = mean_known(median, f->n_group);
    rc = tell_medians(f, median, value, scratch);
    s->medians = f->medians.s;
    column_of(value, f, BIRD_MCC);
    s->valid_mcc = mean_known(value, n_label);
    column_of(value, f, BIRD_LOG_LOSS);
    s->valid_loss = mean_known(value, n_label);
done:
    bird_pool_free(&pool);
    return rc;
}

static int put_number(struct bird_text *t, double x, const char *end)
{
    return isnan(x) ? bird_text_printf(t, "NA%s", end)
                    : bird_text_printf(t, "%.6f%s", x, end);
}

int bird_finetune_log_labels(const struct bird_finetuning *f)
{
    const bird_dataset *d = &f->train;
    struct bird_text t = {0};
    char *path = NULL;
    int rc = bird_path_join(&path, f->run.o->out, "validation.tsv");

    if (!rc)
        rc = bird_text_printf(&t, "label\tclass\trows\tpositives\tauroc\t"
                                  "auprc\n");
    for (int64_t k = 0; !rc && k < d->n_label; k++) {
        const bird_metrics *m = &f->figures[k];
        const char *group = f->group ? f->group[f->valid_group[k]] : "";

        rc = d->label_name ? bird_text_printf(&t, "%s\t", d->label_name[k])
                           : bird_text_printf(&t, "%lld\t", (long long)k);
        if (!rc)
            rc = bird_text_printf(&t, "%s\t%lld\t%lld\t", *group ? group : ".",
                                  (long long)m->n, (long long)m->n_positive);
        if (!rc)
            rc = put_number(&t, m->value[BIRD_AUROC], "\t");
        if (!rc)
            rc = put_number(&t, m->value[BIRD_AUPRC], "\n");
    }
    if (!rc)
        rc = bird_file_write(path, t.s, (size_t)t.n);
    bird_text_free(&t);
    free(path);
    return rc;
}

/* Median AUROC and AUPRC of a class, and over how many labels. */
static int describe_group(json_t *out, const struct bird_finetuning *f,
                          double *scratch, int64_t g)
{
    int64_t n = f->train.n_label, known = 0;
    const char *name = f->group && *f->group[g] ? f->group[g] : "labels";
    double *value, auroc, auprc;
    json_t *o;
    int rc = bird_array_new(&value, n, sizeof(*value));

    if (rc)
        return rc;
    column_of(value, f, BIRD_AUROC);
    auroc = bird_group_median(&known, scratch, value, f->valid_group, n, g);
    column_of(value, f, BIRD_AUPRC);
    auprc = bird_group_median(NULL, scratch, value, f->valid_group, n, g);
    free(value);
    if (!known)
        return 0;
    o = json_pack("{s:I, s:f, s:f}", "labels", (json_int_t)known,
                  "median_auroc", auroc, "median_auprc", auprc);
    return json_object_set_new(out, name, o) ? bird_fail_memory(0) : 0;
}

/* Medians of each class, as an object. */
static int describe_labels(json_t **out, const struct bird_finetuning *f)
{
    json_t *o = json_pack("{s:I}", "rows", (json_int_t)f->valid.n);
    double *scratch = NULL;
    int rc = o ? 0 : bird_fail_memory(0);

    if (!rc)
        rc = bird_array_new(&scratch, f->train.n_label, sizeof(*scratch));
    for (int64_t g = 0; !rc && g < f->n_group; g++)
        rc = describe_group(o, f, scratch, g);
    free(scratch);
    if (rc)
        json_decref(o);
    else
        *out = o;
    return rc;
}

/* --- the model ------------------------------------------------------------ */

static int in_out(char **path, const struct bird_finetuning *f,
                  const char *name)
{
    return bird_path_join(path, f->run.o->out, name);
}

/* The best validation's weights into theta. */
static int load_best(struct bird_finetuning *f)
{
    struct bird_trainer *l = f->run.l;
    char *best = NULL;
    bird_tensors *t = NULL;
    int rc = in_out(&best, f, "best.safetensors");

    if (!rc && (rc = bird_tensors_open(&t, best)) == 0)
        rc = bird_params_load(l->theta, l->list, l->n_param, t, NULL, best);
    bird_tensors_free(t);
    free(best);
    return rc;
}

static int stop_baselines(void *context)
{
    const struct bird_finetuning *f = context;
    bird_progress p = {"fitting the baselines", "", 0, -1, NULL, NULL};

    return f->run.o->progress &&
           f->run.o->progress(f->run.o->progress_context, &p);
}

/* The model is written before its baselines are fitted: a queue that ends the run
 * meanwhile takes nothing of it. */
static int fit_baselines(struct bird_finetuning *f)
{
    bird_baseline_options o;
    bird_baseline *b = NULL;
    char *path;
    int rc = in_out(&path, f, "baseline.safetensors");

    if (rc)
        return rc;
    bird_baseline_options_default(&o);
    o.stop = stop_baselines;
    o.stop_context = f;
    rc = f->o.bins ? bird_baseline_fit_bins(&b, &f->train_windows, &o)
                   : bird_baseline_fit(&b, &f->train, &o);
    if (!rc)
        rc = bird_baseline_save(b, path);
    else if (rc == BIRD_ECANCELED)
        bird_fail(rc,
                  "stopped while its baselines were fitted; the model is in "
                  "%s: go on with --resume",
                  f->run.o->out);
    bird_baseline_free(b);
    free(path);
    return rc;
}

/* Metrics of the best weights on the validation rows. */
static int validation_figures(json_t **out, struct bird_finetuning *f)
{
    const bird_dataset *d = &f->valid;
    bird_finetune_state state;
    bird_metrics m;
    int rc;

    *out = NULL;
    rc = bird_finetune_predict(f, &f->run.l->w);
    if (!rc && d->kind == BIRD_LABEL_MULTI) {
        rc = bird_finetune_measure_labels(f, &state);
        return rc ? rc : describe_labels(out, f);
    }
    if (!rc)
        rc = bird_metrics_measure(&m, f->probability, f->valid_class, d->n,
                                  d->n_label, NULL);
    if (rc)
        return rc;
    *out = json_object();
    json_object_set_new(*out, "rows", json_integer(m.n));
    for (int k = 0; k < BIRD_N_METRIC; k++)
        if (isfinite(m.value[k]))
            json_object_set_new(*out, bird_metric_name((enum bird_metric)k),
                                bird_json_metric(&m, k));
    return 0;
}

static json_t *label_names(const bird_dataset *d)
{
    json_t *a = json_array();

    for (int64_t i = 0; d->label_name && i < d->n_label; i++)
        json_array_append_new(a, json_string(d->label_name[i]));
    return a;
}

static json_t *training_facts(const struct bird_finetuning *f)
{
    const bird_finetune_options *o = &f->o;
    json_t *j = json_object();

    json_object_set_new(j, "train", bird_run_base_name(o->train));
    json_object_set_new(j, "train_rows", json_integer(f->train.n));
    json_object_set_new(j, "train_trimmed", json_integer(f->train_trimmed));
    json_object_set_new(j, "valid", bird_run_base_name(o->valid));
    json_object_set_new(j, "valid_rows", json_integer(f->valid.n));
    json_object_set_new(j, "valid_trimmed", json_integer(f->valid_trimmed));
    if (f->valid_windows.n < f->valid_all) {
        json_object_set_new(j, "valid_windows",
                            json_integer(f->valid_windows.n));
        json_object_set_new(j, "valid_windows_all", json_integer(f->valid_all));
    }
    if (!o->valid) {
        json_object_set_new(j, "valid_fraction", json_real(o->valid_fraction));
        json_object_set_new(j, "split_seed",
                            json_integer((json_int_t)o->split_seed));
    }
    json_object_set_new(j, "init", bird_run_base_name(o->run.init));
    json_object_set_new(j, "seed", json_integer((json_int_t)o->seed));
    json_object_set_new(j, "steps", json_integer(f->steps));
    json_object_set_new(j, "best_step",
                        json_integer(f->run.progress.best_step));
    json_object_set_new(j, "options", json_string(f->run.identity.s));
    return j;
}

/* The genome of labelled bins, and how they are scored. */
static int describe_bins(json_t *j, const bird_dataset *d)
{
    json_t *contigs = json_object();
    int bad = !contigs;

    for (int64_t c = 0; !bad && c < d->n_contig; c++)
        bad = json_object_set_new(contigs, d->contig_name[c],
                                  json_integer(d->contig_length[c]));
    bad = bad ||
          json_object_set_new(j, "window_bp", json_integer(d->row[0].len)) ||
          json_object_set_new(j, "bin_bp",
                              json_integer(d->row[0].end - d->row[0].start)) ||
          json_object_set_new(j, "stride_bp",
                              json_integer(d->row[0].end - d->row[0].start)) ||
          json_object_set_new(j, "strand", json_string("both")) ||
          json_object_set_new(j, "genome",
                              json_pack("{s:O}", "contigs", contigs));
    json_decref(contigs);
    return bad ? bird_fail_memory(0) : bird_features_describe(j, &d->features);
}

static int describe(json_t **out, struct bird_finetuning *f)
{
    const bird_finetune_options *o = &f->o;
    json_t *j, *metrics;
    int rc = validation_figures(&metrics, f);

    if (rc)
        return rc;
    j = json_object();
    if (f->train.label_name)
        json_object_set_new(j, "labels", label_names(&f->train));
    if (f->train.hit_at && (rc = describe_bins(j, &f->train))) {
        json_decref(metrics);
        json_decref(j);
        return rc;
    }
    if (o->bins && (rc = bird_finetune_describe_bins(j, f))) {
        json_decref(metrics);
        json_decref(j);
        return rc;
    }
    if (o->window_bp > 0)
        json_object_set_new(j, "window_bp", json_integer(o->window_bp));
    if (o->stride_bp > 0)
        json_object_set_new(j, "stride_bp", json_integer(o->stride_bp));
    if (o->run.note)
        json_object_set_new(j, "note", json_string(o->run.note));
    json_object_set_new(j, "provenance", training_facts(f));
    if (metrics)
        json_object_set_new(j, "measured",
                            json_pack("{s:o}", "validation", metrics));
    json_object_set_new(j, "run",
                        json_pack("{s:s, s:s, s:s?}", "dnabird", bird_version(),
                                  "precision",
                                  bird_precision_name(o->run.model.precision),
                                  "command", o->run.command));
    *out = j;
    return 0;
}

int bird_finetune_finish(struct bird_finetuning *f)
{
    json_t *meta = NULL;
    int rc = load_best(f);

    if (!rc)
        rc = describe(&meta, f);
    if (!rc)
        rc = bird_run_write_model(&f->run, meta);
    return !rc && f->o.baselines ? fit_baselines(f) : rc;
}
