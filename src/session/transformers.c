/* Hugging Face folders: import, export, and the files by which transformers
 * recognises a tokenizer. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/stage.h"
#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/tokenizer.h"
#include "folder/folder.h"
#include "head/head.h"
#include "model/config.h"
#include "session/calibration_file.h"
#include "session/model_parts.h"
#include "session/selftest.h"
#include "token/words.h"

static const char config_name[] = "tokenizer_config.json";
static const char map_name[] = "special_tokens_map.json";

/* Copy the file of this name to another folder, if it exists. */
static int bird_folder_copy(const char *from, const char *to, const char *name)
{
    struct bird_text t = {0};
    char *a = NULL, *b = NULL;
    int rc = bird_path_join(&a, from, name);

    if (!rc)
        rc = bird_path_join(&b, to, name);
    if (!rc && bird_file_exists(a)) {
        rc = bird_file_read(&t, a);
        if (!rc)
            rc = bird_file_write(b, t.s, (size_t)t.n);
    }
    bird_text_free(&t);
    free(a);
    free(b);
    return rc;
}

/* The special tokens by role, in the spelling that the tokenizer has. */
static json_t *roles(const bird_tokenizer *t)
{
    static const char *const role[][3] = {{"unk_token", "[UNK]", "<unk>"},
                                          {"cls_token", "[CLS]", "<s>"},
                                          {"sep_token", "[SEP]", "</s>"},
                                          {"pad_token", "[PAD]", "<pad>"},
                                          {"mask_token", "[MASK]", "<mask>"}};
    json_t *o = json_object();

    for (size_t i = 0; i < sizeof(role) / sizeof(*role); i++)
        for (int k = 1; k < 3 && !json_object_get(o, role[i][0]); k++)
            if (bird_tokenizer_id(t, role[i][k]) >= 0)
                json_object_set_new(o, role[i][0], json_string(role[i][k]));
    return o;
}

static int write_json(const char *folder, const char *name, const json_t *o)
{
    char *path = NULL;
    int rc = bird_path_join(&path, folder, name);

    if (!rc)
        rc = bird_json_write(o, path);
    free(path);
    return rc;
}

static int make_files(const char *to, const struct bird_config *c)
{
    bird_tokenizer *t = NULL;
    json_t *map, *config = json_object();
    char *path = NULL;
    int rc = bird_path_join(&path, to, "tokenizer.json");

    if (!rc)
        rc = bird_tokenizer_open(&t, path);
    map = rc ? NULL : roles(t);
    if (!rc && (!map || !config ||
                json_object_set_new(config, "tokenizer_class",
                                    json_string("PreTrainedTokenizerFast")) ||
                json_object_set_new(config, "model_max_length",
                                    json_integer(c->max_positions)) ||
                json_object_update(config, map)))
        rc = bird_fail_memory(0);
    if (!rc)
        rc = write_json(to, config_name, config);
    if (!rc && json_object_size(map))
        rc = write_json(to, map_name, map);
    /* a tokenizer that dnabird cannot read keeps its own files */
    if (rc == BIRD_EUNSUPPORTED)
        rc = 0;
    bird_tokenizer_free(t);
    json_decref(config);
    json_decref(map);
    free(path);
    return rc;
}

/*
 * Write special_tokens_map.json into folder `to`, which has a tokenizer.json.
 * The file is copied from `from` when tokenizer_config.json comes from there;
 * when tokenizer_config.json is missing, both files are made, and the checksums
 * in dnabird.json are updated. Does nothing without tokenizer.json.
 * Errors: BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM
 */
static int bird_transformers_files(const char *from, const char *to,
                                   const struct bird_config *c)
{
    struct bird_text there = {0};
    char *path = NULL;
    int rc, has = 0;

    if (!bird_file_is_in(to, "tokenizer.json"))
        return 0;
    rc = bird_path_join(&path, to, config_name);
    if (!rc &&
        (has = bird_file_exists(path))) /* also when it cannot be looked up */
        rc = bird_file_read(&there, path);
    free(path);
    bird_text_free(&there);
    if (rc)
        return rc;
    if (!has) {
        rc = make_files(to, c);
        return rc ? rc : bird_folder_sum(to);
    }
    return bird_file_is_in(from, config_name)
               ? bird_folder_copy(from, to, map_name)
               : 0;
}

void bird_import_options_default(bird_import_options *o)
{
    *o = (bird_import_options){0};
    bird_model_run_default(&o->run);
}

struct import {
    const bird_import_options *o;
    bird_model *model;
    struct bird_stage stage;
    char *tokenizer; /* path of the tokenizer.json made in the stage */
    bird_import_summary sum;
};

/* Path of the folder's k-mer vocabulary. */
static int find_vocab(char **out, const struct import *m)
{
    static const char *const names[] = {"vocab.txt", "vocab.json",
                                        "tokenizer.json"};

    if (m->o->vocab) {
        *out = strdup(m->o->vocab);
        return *out ? 0 : bird_fail_memory(0);
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        int rc = bird_path_join(out, m->model->folder.path, names[i]);

        if (rc || bird_file_exists(*out))
            return rc;
        free(*out);
        *out = NULL;
    }
    return bird_fail(BIRD_EINVAL,
                     "%s: none of vocab.txt, vocab.json and tokenizer.json is "
                     "there: name the vocabulary of k-mers (--vocab)",
                     m->model->folder.path);
}

/* Make tokenizer.json from the vocabulary, with how sequences are cut. */
static int make_kmers(struct import *m)
{
    struct bird_kmer_source from = {.stride = m->o->kmer_stride,
                                    .special = !m->o->no_special};
    char *vocab = NULL;
    int rc = find_vocab(&vocab, m);

    from.path = vocab;
    if (!rc)
        rc = bird_path_join(&m->tokenizer, m->stage.path, "tokenizer.json");
    if (!rc)
        rc = bird_kmer_take(m->tokenizer, &from);
    free(vocab);
    return rc;
}

/* Report whether dnabird can read the tokenizer. */
static int check_tokenizer(struct import *m)
{
    struct bird_folder *f = &m->model->folder;
    bird_tokenizer *t = NULL;
    int rc;

    if (m->tokenizer) {
        free(f->tokenizer);
        f->tokenizer = m->tokenizer;
        m->tokenizer = NULL;
    }
    if (!f->tokenizer) {
        snprintf(m->sum.notice, sizeof(m->sum.notice),
                 "no tokenizer.json in it: token ids can be run (embed --ids), "
                 "sequence cannot; a vocabulary of k-mers is taken over with "
                 "--stride");
        return 0;
    }
    rc = bird_tokenizer_open(&t, f->tokenizer);
    if (rc == BIRD_EUNSUPPORTED) {
        snprintf(m->sum.notice, sizeof(m->sum.notice),
                 "%.180s; token ids can be run (embed --ids)",
                 bird_last_error());
        return 0;
    }
    if (!rc)
        m->sum.n_token = bird_tokenizer_count(t);
    if (!rc)
        rc = bird_config_check_tokenizer(&f->config, t, f->path);
    bird_tokenizer_free(t);
    return rc;
}

/* dnabird.json: the fields of the source, and the origin of the model. */
static json_t *make_meta(const struct bird_folder *f, const char *digest)
{
    json_t *meta = f->meta ? json_deep_copy(f->meta) : json_object();
    json_t *from = json_object_get(meta, "provenance");
    json_t *facts = json_pack("{s:s, s:s, s:s}", "made_by", "dnabird import",
                              "weights", f->weights, "digest", digest);

    if (!meta || !facts) {
        json_decref(meta);
        json_decref(facts);
        return NULL;
    }
    if (f->config.transformers_version[0])
        json_object_set_new(facts, "transformers_version",
                            json_string(f->config.transformers_version));
    if (json_is_object(from))
        json_object_set(facts, "before", from);
    json_object_set_new(meta, "provenance", facts);
    return meta;
}

static void summarise(struct import *m)
{
    const struct bird_folder *f = &m->model->folder;

    m->sum.n_tensor = m->model->n_param;
    m->sum.n_param = bird_params_count(m->model->list, m->model->n_param);
    snprintf(m->sum.weights, sizeof(m->sum.weights), "%s", f->weights);
    snprintf(m->sum.blocks, sizeof(m->sum.blocks), "%s",
             bird_random_name(f->config.pattern.random));
    snprintf(m->sum.why, sizeof(m->sum.why), "%s", f->random_why);
}

static int write_folder(struct import *m)
{
    const struct bird_folder *f = &m->model->folder;
    struct bird_folder_parts parts = {.config = &f->config,
                                      .labels = f->labels,
                                      .tokenizer = f->tokenizer,
                                      .block = m->model->block,
                                      .list = m->model->list,
                                      .n = m->model->n_param,
                                      .dtype =
                                          m->o->bf16 ? BIRD_BF16 : BIRD_F32};
    json_t *meta = make_meta(f, f->digest);
    int rc;

    if (!meta)
        return bird_fail_memory(0);
    parts.meta = meta;
    rc = bird_folder_write(m->stage.path, &parts);
    if (!rc)
        rc = bird_transformers_files(f->path, m->stage.path, &f->config);
    json_decref(meta);
    return rc;
}

static int open_source(struct import *m, const char *from)
{
    bird_model_run run = m->o->run;
    const struct bird_model_use use = {.no_tokenizer = 1, .run = &run};
    struct bird_folder *f;
    int rc;

    run.pad_to = 0;
    rc = bird_model_open_for(&m->model, from, &use);
    if (rc)
        return rc;
    f = &m->model->folder;
    if ((rc = bird_folder_digest(f)))
        return rc;
    if (run.blocks != BIRD_BLOCKS_AS_MODEL)
        snprintf(f->random_why, sizeof(f->random_why), "asked for");
    return 0;
}

int bird_import(bird_import_summary *out, const char *from, const char *to,
                const bird_import_options *o)
{
    struct import m = {.o = o};
    int rc;

    rc = open_source(&m, from);
    if (!rc)
        rc = bird_stage_open(&m.stage, to, NULL);
    if (!rc && o->kmer_stride > 0)
        rc = make_kmers(&m);
    if (!rc)
        rc = check_tokenizer(&m);
    if (!rc)
        rc = write_folder(&m);
    if (!rc)
        rc = bird_stage_commit(&m.stage);
    if (!rc) {
        summarise(&m);
        *out = m.sum;
    }
    bird_stage_abort(&m.stage);
    bird_model_close(m.model);
    free(m.tokenizer);
    return rc;
}

void bird_export_options_default(bird_export_options *o)
{
    *o = (bird_export_options){.default_rate = 5};
}

/* The stranded lines of a threshold file as {"default", "fp_per_mb"}. */
static int read_thresholds(json_t **out, const bird_export_options *o)
{
    struct bird_text t = {0};
    json_t *table = json_array(), *j = json_object();
    double chosen = -1, last = 0;
    int rc = bird_file_read(&t, o->thresholds);
    char *line, *next = t.s;

    while (!rc && (line = strsep(&next, "\n"))) {
        double rate, value;

        if (sscanf(line, "stranded\t%lf\t%lf", &rate, &value) != 2)
            continue;
        if (!(rate > 0) || !(value >= 0 && value <= 1) || isinf(rate))
            continue;
        if (rate <= last)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: %g false calls per Mb come after "
                           "%g: rates must rise",
                           o->thresholds, rate, last);
        last = rate;
        json_array_append_new(table, json_pack("[f,f]", rate, value));
        if (rate == o->default_rate)
            chosen = value;
    }
    if (!rc && chosen < 0)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: no stranded threshold at %g false calls per Mb",
                       o->thresholds, o->default_rate);
    json_object_set_new(j, "default", json_real(chosen));
    json_object_set(j, "fp_per_mb", table);
    json_decref(table);
    bird_text_free(&t);
    if (rc)
        json_decref(j);
    else
        *out = j;
    return rc;
}

static int export_meta(json_t **out, const struct bird_folder *f,
                       const bird_export_options *o)
{
    json_t *meta = f->meta ? json_deep_copy(f->meta) : json_object();
    json_t *thresholds = NULL;
    int rc = meta ? 0 : bird_fail_memory(0);

    if (!rc)
        json_object_del(meta, "run");
    if (!rc && o->thresholds && !(rc = read_thresholds(&thresholds, o)))
        json_object_set_new(meta, "thresholds", thresholds);
    if (rc)
        json_decref(meta);
    else
        *out = meta;
    return rc;
}

static int same_folder(const char *a, const char *b)
{
    struct stat s, t;

    return !stat(a, &s) && !stat(b, &t) && s.st_ino == t.st_ino &&
           s.st_dev == t.st_dev;
}

/* The encoder alone, without stem and head. */
struct plain {
    struct bird_config c;
    float *block;
    struct bird_param *list;
    int64_t n, total;
    struct bird_weights w;
};

static void plain_free(struct plain *p)
{
    bird_weights_free(&p->w);
    free(p->block);
    free(p->list);
    *p = (struct plain){0};
}

/* Multiply the scales of the branches into their weights. LayerNorm follows the
 * sum, so nothing else changes. */
static void fold_scales(struct plain *p, const bird_model *m)
{
    int64_t d = p->c.hidden_size, f = p->c.intermediate_size;

    bird_weights_scale(&m->w, &m->folder.config);
    for (int64_t i = 0; i < p->c.n_layer; i++) {
        const struct bird_layer *to = &p->w.layer[i], *x = &m->w.layer[i];
        const struct {
            const struct bird_linear *to, *x;
            int64_t n;
        } part[] = {{&to->out, &x->out, d * d}, {&to->down, &x->down, d * f}};

        for (int k = 0; k < 2; k++) {
            memcpy(part[k].to->w, part[k].x->w,
                   (size_t)part[k].n * sizeof(float));
            if (part[k].to->b)
                memcpy(part[k].to->b, part[k].x->b, (size_t)d * sizeof(float));
        }
    }
}

static int plain_new(struct plain *p, const bird_model *m)
{
    int rc;

    p->c = m->folder.config;
    p->c.n_stem = p->c.bin_bp = p->c.branch_scale = p->c.own = 0;
    p->c.head = bird_head_at(0); /* the bare encoder */
    p->c.n_label = 2;            /* the default of transformers */
    p->c.problem = BIRD_PROBLEM_UNSET;
    rc = bird_config_check(&p->c, m->folder.path);
    if (!rc)
        rc = bird_config_transformers(&p->c, m->folder.path);
    if (!rc)
        rc = bird_params_list(&p->list, &p->n, &p->total, &p->c);
    if (!rc)
        rc = bird_array_new(&p->block, p->total, sizeof(*p->block));
    if (!rc)
        rc = bird_weights_bind(&p->w, p->block, p->list, p->n, &p->c);
    for (int64_t i = 0; !rc && i < p->n; i++) {
        const struct bird_param *x =
            bird_params_find(m->list, m->n_param, p->list[i].name);

        if (!x || x->count != p->list[i].count)
            return bird_fail(BIRD_EINVAL, "%s: no tensor %s", m->folder.path,
                             p->list[i].name);
        memcpy(p->block + p->list[i].offset, m->block + x->offset,
               (size_t)x->count * sizeof(float));
    }
    if (!rc && m->w.scaled)
        fold_scales(p, m);
    return rc;
}

/* The origin of the encoder. No other field of the whole model holds for the
 * encoder alone. */
static int plain_meta(json_t **meta, const struct bird_folder *f)
{
    *meta = json_pack("{s:{s:s, s:s}}", "provenance", "made_by",
                      "dnabird export --encoder-only", "digest", f->digest);
    return *meta ? 0 : bird_fail_memory(0);
}

/* Choose what is written: the whole model, or the encoder alone. `facts` are the
 * fields of --facts, or NULL. */
static int choose_parts(struct bird_folder_parts *parts, json_t **meta,
                        struct plain *plain, const bird_model *m,
                        const bird_export_options *o, json_t *facts)
{
    const struct bird_folder *f = &m->folder;
    int stem = f->config.n_stem > 0, rc;

    *parts = (struct bird_folder_parts){.config = &f->config,
                                        .tokenizer = f->tokenizer,
                                        .block = m->block,
                                        .list = m->list,
                                        .n = m->n_param,
                                        .dtype = o->bf16 ? BIRD_BF16 : BIRD_F32,
                                        .compress = o->compress};
    if (!o->encoder_only) {
        parts->labels = f->labels;
        rc = export_meta(meta, f, o);
    } else if (!(rc = plain_new(plain, m))) {
        parts->config = &plain->c;
        parts->tokenizer = stem ? NULL : f->tokenizer;
        parts->block = plain->block;
        parts->list = plain->list;
        parts->n = plain->n;
        rc = plain_meta(meta, f);
    }
    if (!rc && facts)
        json_object_update(*meta, facts);
    parts->meta = *meta;
    return rc;
}

/* Does writing keep the weights exactly? float32 does; bfloat16 does when the
 * lower half of each float is 0. */
static int keeps_weights(const struct bird_folder_parts *p)
{
    for (int64_t i = 0; p->dtype == BIRD_BF16 && i < p->n; i++)
        for (int64_t k = 0; k < p->list[i].count; k++) {
            uint32_t bits;

            memcpy(&bits, p->block + p->list[i].offset + k, sizeof(bits));
            if (bits & 0xffff)
                return 0;
        }
    return 1;
}

/* Do both configurations run the model in the same way? --facts may have
 * changed dnabird.json. */
static int runs_same(const struct bird_config *a, const struct bird_config *b)
{
    json_t *x = json_object(), *y = json_object();
    int same = x && y && !bird_folder_describe(x, a) &&
               !bird_folder_describe(y, b) && json_equal(x, y);

    json_decref(x);
    json_decref(y);
    return same;
}

/* Copy golden answers and calibrations along with weights that do not change
 * and run in the same way. The digest of the copy may differ, since config.json
 * is written again. */
static int keep_answers(const struct bird_folder *from, const char *to)
{
    struct bird_folder f = {0};
    char *a = NULL, *b = NULL;
    int rc;

    if (!bird_file_is_in(from->path, BIRD_SELFTEST_NAME) &&
        !bird_file_is_in(from->path, BIRD_CALIBRATION_NAME))
        return 0;
    rc = bird_folder_open_intact(&f, to);
    if (rc || !runs_same(&from->config, &f.config))
        goto done;
    rc = bird_folder_copy(from->path, to, BIRD_SELFTEST_NAME);
    if (!rc)
        rc = bird_path_join(&a, from->path, BIRD_CALIBRATION_NAME);
    if (!rc)
        rc = bird_path_join(&b, to, BIRD_CALIBRATION_NAME);
    if (!rc && bird_calibration_file_copy(b, a, from->digest, f.digest))
        unlink(b); /* leave out an unreadable file */
done:
    bird_folder_free(&f);
    free(a);
    free(b);
    return rc;
}

/* Open what was written. The temporary folder is gone when a message is read,
 * so the message names the file of --facts instead. */
static int open_made(struct bird_folder *made, const char *path,
                     const char *facts)
{
    int rc = bird_folder_open_config(made, path);
    size_t n = strlen(path);
    char *why = rc && facts ? strdup(bird_last_error()) : NULL;

    if (!why)
        return rc;
    rc = !strncmp(why, path, n) && why[n] == '/'
             ? bird_fail(rc, "%s: with these fields, %s", facts, why + n + 1)
             : bird_fail(rc, "%s: %s", facts, why);
    free(why);
    return rc;
}

static int facts_refuse(const char *path, const char *key)
{
    return bird_fail(BIRD_EINVAL,
                     "%s: '%.40s' says how the model is computed and cannot be "
                     "changed by --facts: 'dnabird init --from' makes a model "
                     "with another encoder, 'dnabird import' one with other "
                     "random blocks",
                     path, key);
}

/* A field of --facts must be in the copy as it was given: what follows from the
 * configuration is written from it. Nor may a field make another model of a
 * folder that transformers opens. */
static int check_facts(const struct bird_folder *made,
                       const struct bird_config *before, json_t *facts,
                       const char *path)
{
    json_t *was = json_object(), *is = json_object(), *v;
    const char *key, *version = "format_version";
    int rc = was && is ? 0 : bird_fail_memory(0);
    int other; /* the copy must have another version, so a field made it so */

    if (!rc)
        rc = bird_folder_describe(was, before);
    if (!rc)
        rc = bird_folder_describe(is, &made->config);
    other = !json_equal(json_object_get(was, version),
                        json_object_get(is, version));
    json_object_foreach(facts, key, v)
    {
        const json_t *now = json_object_get(is, key);

        if (rc || !strcmp(key, "checksums")) /* always those of the copy */
            continue;
        if (!json_equal(v, json_object_get(made->meta, key)) ||
            (other && now && !json_equal(now, json_object_get(was, key))))
            rc = facts_refuse(path, key);
    }
    json_decref(was);
    json_decref(is);
    return rc;
}

int bird_export(const char *from, const char *to, const bird_export_options *o)
{
    const struct bird_model_use use = {.no_tokenizer = !o->selftest};
    bird_model *m = NULL;
    struct bird_folder_parts parts;
    struct bird_stage stage = {0};
    struct bird_folder made = {0};
    struct plain plain = {0};
    json_t *meta = NULL, *facts = NULL;
    int rc;

    if (same_folder(from, to))
        return bird_fail(BIRD_EINVAL, "%s and %s are one folder", from, to);
    if (!o->force && bird_folder_holds_model(to))
        return bird_fail(BIRD_EINVAL,
                         "%s: already holds a model: give another "
                         "folder, or --force to replace it",
                         to);
    rc = bird_model_open_for(&m, from, &use);
    if (!rc && !o->compress && !o->encoder_only)
        /* transformers cannot open compressed weights, so only uncompressed
           ones must be computable by it */
        rc = bird_config_transformers(&m->folder.config, from);
    if (!rc && o->facts)
        rc = bird_json_open(&facts, o->facts);
    if (rc || (rc = bird_folder_identify(&m->folder)) ||
        (rc = choose_parts(&parts, &meta, &plain, m, o, facts)))
        goto done;
    rc = bird_stage_open(&stage, to, o->force ? bird_folder_is_part : NULL);
    if (!rc)
        rc = bird_folder_write(stage.path, &parts);
    if (!rc && !o->encoder_only)
        rc = bird_folder_copy(from, stage.path, "baseline.safetensors");
    if (!rc && parts.tokenizer)
        rc = bird_transformers_files(from, stage.path, parts.config);
    if (!rc) /* check that the fields of --facts can be read */
        rc = open_made(&made, stage.path, o->facts);
    if (!rc && facts)
        rc = check_facts(&made, parts.config, facts, o->facts);
    if (!rc && facts && !o->compress)
        rc = bird_config_transformers(&made.config, o->facts);
    if (!rc && !o->encoder_only && keeps_weights(&parts))
        rc = keep_answers(&m->folder, stage.path);
    if (!rc && o->selftest)
        rc = bird_selftest_write(stage.path, o->selftest);
    if (!rc)
        rc = bird_stage_commit(&stage);
done:
    bird_folder_free(&made);
    bird_stage_abort(&stage);
    json_decref(meta);
    json_decref(facts);
    plain_free(&plain);
    bird_model_close(m);
    return rc;
}
