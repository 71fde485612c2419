/* A finished run becomes a model folder. SPDX-License-Identifier: MIT */
#include "train/finetune_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "dnabird/baseline.h"
#include "dnabird/dnabird.h"
#include "dnabird/metrics.h"
#include "eval/metrics.h"
#include "model/feature.h"
#include "model/folder.h"
#include "train/run_folder.h"

static int in_out(char **path, const struct bird_finetuning *f,
                  const char *name)
{
    return bird_path_join(path, f->o.out, name);
}

/* The best validation's weights into theta. */
static int load_best(struct bird_finetuning *f)
{
    struct bird_trainer *l = f->l;
    char *best = NULL;
    bird_tensors *t = NULL;
    int rc = in_out(&best, f, "best.safetensors");

    if (!rc && (rc = bird_tensors_open(&t, best)) == 0)
        rc = bird_params_load(l->theta, l->list, l->n_param, t, NULL, best);
    bird_tensors_free(t);
    free(best);
    return rc;
}

static int stop_floors(void *context)
{
    const struct bird_finetuning *f = context;
    bird_progress p = {"fitting the floors", "", 0, -1, NULL, NULL};

    return f->o.progress && f->o.progress(f->o.progress_context, &p);
}

/* The model stands before its floors are fitted: a queue that ends the run
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
    o.stop = stop_floors;
    o.stop_context = f;
    rc = bird_baseline_fit(&b, &f->train, &o);
    if (!rc)
        rc = bird_baseline_save(b, path);
    else if (rc == BIRD_ECANCELED)
        bird_fail(rc,
                  "stopped while its floors were fitted; the model is in "
                  "%s: go on with --resume",
                  f->o.out);
    bird_baseline_free(b);
    free(path);
    return rc;
}

/* Figures of the best weights on the validation rows. */
static int validation_figures(json_t **out, struct bird_finetuning *f)
{
    const bird_dataset *d = &f->valid;
    bird_finetune_state state;
    bird_metrics m;
    int rc;

    *out = NULL;
    rc = bird_finetune_predict(f, &f->l->w);
    if (!rc && d->kind == BIRD_LABEL_MULTI) {
        rc = bird_finetune_measure_labels(f, &state);
        return rc ? rc : bird_finetune_describe_labels(out, f);
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
                                bird_metrics_figure(&m, k));
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
    if (!o->valid) {
        json_object_set_new(j, "valid_fraction", json_real(o->valid_fraction));
        json_object_set_new(j, "split_seed",
                            json_integer((json_int_t)o->split_seed));
    }
    json_object_set_new(j, "init", bird_run_base_name(o->init));
    json_object_set_new(j, "seed", json_integer((json_int_t)o->seed));
    json_object_set_new(j, "steps", json_integer(f->steps));
    json_object_set_new(j, "best_step", json_integer(f->progress.best_step));
    json_object_set_new(j, "options", json_string(f->identity.s));
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
    json_t *j, *figures;
    int rc = validation_figures(&figures, f);

    if (rc)
        return rc;
    j = json_object();
    if (f->train.label_name)
        json_object_set_new(j, "labels", label_names(&f->train));
    if (f->train.hit_at && (rc = describe_bins(j, &f->train))) {
        json_decref(figures);
        json_decref(j);
        return rc;
    }
    if (o->window_bp > 0)
        json_object_set_new(j, "window_bp", json_integer(o->window_bp));
    if (o->stride_bp > 0)
        json_object_set_new(j, "stride_bp", json_integer(o->stride_bp));
    if (o->note)
        json_object_set_new(j, "note", json_string(o->note));
    json_object_set_new(j, "provenance", training_facts(f));
    if (figures)
        json_object_set_new(j, "measured",
                            json_pack("{s:o}", "validation", figures));
    json_object_set_new(j, "run",
                        json_pack("{s:s, s:s, s:s?}", "dnabird", bird_version(),
                                  "precision",
                                  bird_precision_name(o->run.precision),
                                  "command", o->command));
    *out = j;
    return 0;
}

int bird_finetune_finish(struct bird_finetuning *f)
{
    struct bird_folder_parts parts = {.config = &f->l->c,
                                      .tokenizer = f->tokenizer_path,
                                      .block = f->l->theta,
                                      .list = f->l->list,
                                      .n = f->l->n_param,
                                      .dtype = BIRD_F32};
    json_t *meta = NULL;
    int rc = load_best(f);

    if (!rc)
        rc = describe(&meta, f);
    parts.meta = meta;
    if (!rc)
        rc = bird_folder_write(f->o.out, &parts);
    json_decref(meta);
    if (!rc && f->o.baselines)
        rc = fit_baselines(f);
    return rc;
}
