/* The model folder that a finished run leaves: the best validation's weights,
 * their metrics, and the baselines. SPDX-License-Identifier: MIT */
#include "train/finetune.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/file.h"
#include "dnabird/dnabird.h"
#include "folder/params_file.h"
#include "folder/safetensors.h"

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
    bird_progress p = {"fitting the baselines", "", 0, -1, NULL, NULL, 0};

    return f->run.o->progress &&
           f->run.o->progress(f->run.o->progress_context, &p);
}

/* The model is written before its baselines are fitted: a run that is stopped
 * meanwhile loses nothing of it. */
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
    rc = f->data.source->fit_baseline(&b, f, &o);
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

/* --- dnabird.json --------------------------------------------------------- */

int bird_finetune_describe_genome(json_t *meta, const bird_dataset *d,
                                  const struct bird_finetune_fact *fact, int n)
{
    json_t *contigs = json_object();
    int bad = !contigs;

    for (int64_t c = 0; !bad && c < d->n_contig; c++)
        if (d->contig_length[c] > 0) /* a record may be empty */
            bad = json_object_set_new(contigs, d->contig_name[c],
                                      json_integer(d->contig_length[c]));
    for (int i = 0; !bad && i < n; i++)
        bad =
            json_object_set_new(meta, fact[i].key, json_integer(fact[i].value));
    bad = bad || json_object_set_new(meta, "strand", json_string("both")) ||
          json_object_set_new(meta, "genome",
                              json_pack("{s:O}", "contigs", contigs));
    json_decref(contigs);
    return bad ? bird_fail_memory(0) : 0;
}

/* The names, and those of standard deviations where the head has them. */
static json_t *label_names(const struct bird_finetuning *f)
{
    const bird_dataset *d = &f->data.train;
    json_t *a = json_array();

    for (int64_t i = 0; i < d->n_label; i++)
        json_array_append_new(a, json_string(d->label_name[i]));
    for (int64_t i = 0; f->data.task->answers > 1 && i < d->n_label; i++)
        json_array_append_new(a, json_sprintf("%s.sd", d->label_name[i]));
    return a;
}

/* Mean and standard deviation of each measured value: the head answers
 * (value - mean) / sd. */
static json_t *targets(const struct bird_finetune_data *d)
{
    json_t *a = json_array();

    for (int64_t k = 0; k < d->train.n_label; k++)
        json_array_append_new(a, json_pack("{s:f, s:f}", "mean",
                                           d->quantity[k].mean, "sd",
                                           d->quantity[k].sd));
    return a;
}

static json_t *training_facts(const struct bird_finetuning *f)
{
    const bird_finetune_options *o = &f->o;
    json_t *j = json_object();

    json_object_set_new(j, "train", bird_run_base_name(o->train));
    json_object_set_new(j, "train_rows", json_integer(f->data.train.n));
    json_object_set_new(j, "train_trimmed",
                        json_integer(f->data.train_trimmed));
    json_object_set_new(j, "valid", bird_run_base_name(o->valid));
    json_object_set_new(j, "valid_rows", json_integer(f->data.valid.n));
    json_object_set_new(j, "valid_trimmed",
                        json_integer(f->data.valid_trimmed));
    if (f->data.windows.valid.n < f->data.windows.valid_all) {
        json_object_set_new(j, "valid_windows",
                            json_integer(f->data.windows.valid.n));
        json_object_set_new(j, "valid_windows_all",
                            json_integer(f->data.windows.valid_all));
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

static json_t *run_facts(const struct bird_train_options *o)
{
    return json_pack("{s:s, s:s, s:s?}", "dnabird", bird_version(), "precision",
                     bird_precision_name(o->model.precision), "command",
                     o->command);
}

static int describe(json_t **out, struct bird_finetuning *f)
{
    const bird_finetune_options *o = &f->o;
    json_t *j, *metrics = NULL;
    int rc = bird_finetune_predict(f, &f->run.l->w);

    if (!rc)
        rc = f->data.task->describe(&metrics, f);
    if (rc)
        return rc;
    j = json_object();
    if (f->data.train.label_name)
        json_object_set_new(j, "labels", label_names(f));
    if (f->data.quantity)
        json_object_set_new(j, "targets", targets(&f->data));
    rc = f->data.source->describe(j, f);
    if (rc) {
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
    json_object_set_new(j, "measured",
                        json_pack("{s:o}", "validation", metrics));
    json_object_set_new(j, "run", run_facts(&o->run));
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
    return !rc && f->o.baselines && f->data.source->fit_baseline &&
                   !f->o.data.ids
               ? fit_baselines(f)
               : rc;
}
