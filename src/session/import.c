/* Hugging Face's folders taken over. SPDX-License-Identifier: MIT */
#include "dnabird/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/stage.h"
#include "dnabird/dnabird.h"
#include "session/model.h"
#include "session/transformers.h"
#include "token/kmer.h"

void bird_import_options_default(bird_import_options *o)
{
    *o = (bird_import_options){0};
    bird_model_run_default(&o->run);
}

struct import {
    const bird_import_options *o;
    struct bird_model model;
    struct bird_stage stage;
    char *tokenizer; /* tokenizer.json that is made, in the stage */
    bird_import_summary sum;
};

/* The folder's vocabulary of k-mers. */
static int find_vocab(char **out, const struct import *m)
{
    static const char *const names[] = {"vocab.txt", "vocab.json",
                                        "tokenizer.json"};

    if (m->o->vocab) {
        *out = strdup(m->o->vocab);
        return *out ? 0 : bird_fail_memory(0);
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        int rc = bird_path_join(out, m->model.folder.path, names[i]);

        if (rc || bird_file_exists(*out))
            return rc;
        free(*out);
        *out = NULL;
    }
    return bird_fail(BIRD_EINVAL,
                     "%s: none of vocab.txt, vocab.json and tokenizer.json is "
                     "there: name the vocabulary of k-mers (--vocab)",
                     m->model.folder.path);
}

/* tokenizer.json of the vocabulary, and how to cut beside it. */
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

/* What the tokenizer will be able to do. */
static int check_tokenizer(struct import *m)
{
    struct bird_folder *f = &m->model.folder;
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
                 "--kmer-stride");
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
    if (!rc && m->sum.n_token > f->config.vocab_size)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: the tokenizer has %lld tokens, the model %lld",
                       f->path, (long long)m->sum.n_token,
                       (long long)f->config.vocab_size);
    bird_tokenizer_free(t);
    return rc;
}

/* dnabird.json: what there was, and where the model comes from. */
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
    const struct bird_folder *f = &m->model.folder;

    m->sum.n_tensor = m->model.n_param;
    m->sum.n_param = bird_params_count(m->model.list, m->model.n_param);
    snprintf(m->sum.weights, sizeof(m->sum.weights), "%s", f->weights);
    snprintf(m->sum.blocks, sizeof(m->sum.blocks), "%s",
             bird_random_name(f->config.random));
    m->sum.by_age = f->random_by_age;
    snprintf(m->sum.why, sizeof(m->sum.why), "%s", f->random_why);
}

static int write_folder(struct import *m)
{
    const struct bird_folder *f = &m->model.folder;
    struct bird_folder_parts parts = {.config = &f->config,
                                      .tokenizer = f->tokenizer,
                                      .block = m->model.block,
                                      .list = m->model.list,
                                      .n = m->model.n_param,
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
    struct bird_folder *f = &m->model.folder;
    bird_model_run run = m->o->run;
    int rc = bird_model_open_as(&m->model, from, NULL, -1);

    run.pad_to = 0;
    if (rc || (rc = bird_model_prepare(&m->model, &run)) ||
        (rc = bird_folder_digest(f)))
        return rc;
    if (run.blocks != BIRD_BLOCKS_AS_MODEL) {
        f->random_by_age = 0;
        snprintf(f->random_why, sizeof(f->random_why), "asked for");
    }
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
    bird_model_drop(&m.model);
    free(m.tokenizer);
    return rc;
}
