/* A finished run becomes a model folder. SPDX-License-Identifier: MIT */
#include <jansson.h>

#include "base/fail.h"
#include "dnabird/dnabird.h"
#include "model/folder.h"
#include "train/learn/run_folder.h"
#include "train/pretrain/pretrain.h"

static json_t *references(const bird_sample_options *o)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < o->n_fasta; i++)
        json_array_append_new(list, bird_run_base_name(o->fasta[i]));
    return list;
}

/* Which sequence is for what. */
static json_t *split(const bird_pretrain_options *o)
{
    json_t *j = json_object();

    json_object_set_new(j, "train_include",
                        bird_run_base_name(o->data.include));
    json_object_set_new(j, "train_exclude",
                        bird_run_base_name(o->data.exclude));
    json_object_set_new(j, "validation", bird_run_base_name(o->valid));
    json_object_set_new(j, "test", bird_run_base_name(o->test));
    return j;
}

static json_t *training_facts(const struct bird_pretraining *f)
{
    const bird_pretrain_options *o = &f->o;
    const char *kind =
        o->data.kind == BIRD_SAMPLE_WINDOWS ? "windows" : "documents";
    json_t *j = json_object();

    json_object_set_new(j, "references", references(&o->data));
    json_object_set_new(j, "split", split(o));
    json_object_set_new(j, "sampling", json_string(kind));
    json_object_set_new(j, "rows",
                        json_string(bird_sampler_identity(f->train)));
    json_object_set_new(j, "init", bird_run_base_name(o->init));
    json_object_set_new(j, "seed", json_integer((json_int_t)o->data.seed));
    json_object_set_new(j, "steps", json_integer(o->steps));
    json_object_set_new(j, "rows_a_step", json_integer(f->n_row));
    json_object_set_new(j, "tokens_a_row", json_integer(o->data.length_tok));
    json_object_set_new(j, "options", json_string(f->identity.s));
    return j;
}

static json_t *figures(const struct bird_pretraining *f)
{
    return json_pack("{s:{s:I, s:f, s:f, s:f}}", "validation", "rows",
                     (json_int_t)f->n_valid, "mlm_loss", f->valid_loss,
                     "bits_per_base", f->valid_bits, "mlm_accuracy",
                     f->valid_accuracy);
}

static json_t *describe(const struct bird_pretraining *f)
{
    json_t *j = json_object();

    if (f->o.note)
        json_object_set_new(j, "note", json_string(f->o.note));
    json_object_set_new(j, "provenance", training_facts(f));
    if (f->valid)
        json_object_set_new(j, "measured", figures(f));
    json_object_set_new(j, "run",
                        json_pack("{s:s, s:i, s:s?}", "dnabird", bird_version(),
                                  "processes", f->comm->size, "command",
                                  f->o.command));
    return j;
}

static int write_folder(const struct bird_pretraining *f)
{
    json_t *meta = describe(f);
    struct bird_folder_parts parts = {.config = &f->l->c,
                                      .meta = meta,
                                      .tokenizer = f->tokenizer_path,
                                      .block = f->l->theta,
                                      .list = f->l->list,
                                      .n = f->l->n_param,
                                      .dtype = BIRD_F32};
    int rc = bird_folder_write(f->o.out, &parts);

    json_decref(meta);
    return rc;
}

int bird_pretrain_finish(struct bird_pretraining *f)
{
    int rc = 0;

    /* A run that was over when it was resumed has no figures yet. */
    if (f->valid && f->valid_step != f->o.steps)
        rc = bird_pretrain_validate(f);
    if (!rc && !f->comm->rank)
        rc = write_folder(f);
    return bird_comm_agree(f->comm, rc);
}
