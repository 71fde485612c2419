/* A finished run becomes a model folder. SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stddef.h>
#include <string.h>

#include "base/file.h"
#include "dnabird/dnabird.h"
#include "dnabird/intervals.h"
#include "model/folder.h"
#include "seq/intervals.h"
#include "train/pretrain_run.h"
#include "train/run_folder.h"

/* Regions that dnabird.json holds one by one. */
#define MAX_REGIONS 1000

/* The sampler's lines "name value". */
static json_t *row_facts(const struct bird_sampler *s)
{
    const char *line = bird_sampler_identity(s), *end, *blank;
    json_t *j = json_object();

    for (; (end = strchr(line, '\n')); line = end + 1) {
        char name[64];

        blank = memchr(line, ' ', (size_t)(end - line));
        if (!blank || blank - line >= (ptrdiff_t)sizeof(name))
            continue;
        memcpy(name, line, (size_t)(blank - line));
        name[blank - line] = '\0';
        json_object_set_new(j, name,
                            json_stringn(blank + 1, (size_t)(end - blank - 1)));
    }
    return j;
}

static json_t *references(const bird_sample_options *o)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < o->n_fasta; i++)
        json_array_append_new(list, bird_run_base_name(o->fasta[i]));
    return list;
}

/* A region as text, counting from 1: "chr20:1-5000", or the whole contig. */
static json_t *region(const struct bird_interval *p,
                      const struct bird_contigs *c)
{
    const char *name = c->name[p->contig];

    if (p->end < BIRD_REGION_END)
        return json_sprintf("%s:%lld-%lld", name, (long long)p->start + 1,
                            (long long)p->end);
    return p->start ? json_sprintf("%s:%lld-", name, (long long)p->start + 1)
                    : json_string(name);
}

/* {"file": ..., "regions": [...]}: joined regions, all of them up to a limit;
 * beyond it their number and the file's checksum. */
static int put_part(json_t *split, const char *name, const char *text)
{
    struct bird_intervals p = {0};
    struct bird_contigs c = {0};
    json_t *part, *list;
    char hex[65];
    int rc;

    if (!text)
        return 0;
    part = json_object();
    list = json_array();
    rc = bird_intervals_read_named(&p, &c, text);
    bird_intervals_merge(&p);
    if (!rc && bird_file_exists(text)) {
        rc = bird_file_sha256(hex, text);
        json_object_set_new(part, "file", bird_run_base_name(text));
        json_object_set_new(part, "sha256", json_string(hex));
    }
    for (int64_t i = 0; i < p.n && p.n <= MAX_REGIONS; i++)
        json_array_append_new(list, region(&p.at[i], &c));
    json_object_set_new(part, "count", json_integer(p.n));
    json_object_set_new(part, "regions", list);
    if (!rc)
        json_object_set(split, name, part);
    json_decref(part);
    bird_intervals_free(&p);
    bird_contigs_free(&c);
    return rc;
}

int bird_pretrain_split(json_t **out, const bird_pretrain_options *o)
{
    json_t *j = json_object();
    int rc = put_part(j, "train_include", o->data.include);

    if (!rc)
        rc = put_part(j, "exclude", o->data.exclude);
    if (!rc)
        rc = put_part(j, "validation", o->valid);
    if (!rc)
        rc = put_part(j, "test", o->test);
    if (rc)
        json_decref(j);
    else
        *out = j;
    return rc;
}

static json_t *training_facts(const struct bird_pretraining *f)
{
    const bird_pretrain_options *o = &f->o;
    json_t *j = json_object();

    json_object_set_new(j, "references", references(&o->data));
    json_object_set(j, "split", f->split);
    json_object_set_new(j, "rows", row_facts(f->train));
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

/* What this process drew: it differs from run to run to the same model. */
static json_t *run_facts(const struct bird_pretraining *f)
{
    struct bird_sample_count n;

    bird_sampler_count(f->train, &n);
    return json_pack(
        "{s:s, s:s, s:i, s:I, s:I, s:I, s:s?}", "dnabird", bird_version(),
        "precision", bird_precision_name(f->o.precision), "processes",
        f->comm->size, "rows", (json_int_t)n.rows, "bp", (json_int_t)n.bp,
        "stretches_rich_in_n", (json_int_t)n.n_rich, "command", f->o.command);
}

static json_t *describe(const struct bird_pretraining *f)
{
    json_t *j = json_object();

    if (f->o.note)
        json_object_set_new(j, "note", json_string(f->o.note));
    json_object_set_new(j, "provenance", training_facts(f));
    if (f->valid)
        json_object_set_new(j, "measured", figures(f));
    json_object_set_new(j, "run", run_facts(f));
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
