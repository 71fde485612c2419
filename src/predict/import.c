/* Hugging Face's folders taken over. SPDX-License-Identifier: MIT */
#include "dnabird/import.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "dnabird/dnabird.h"
#include "predict/opened.h"
#include "predict/transformers.h"
#include "token/kmer_write.h"

void bird_import_options_default(bird_import_options *o)
{
    *o = (bird_import_options){0};
    bird_model_run_default(&o->run);
}

struct import {
    const bird_import_options *o;
    struct bird_opened model;
    char *folder;    /* under its temporary name */
    char *tokenizer; /* tokenizer.json that is made, in it */
    bird_import_summary sum;
};

/* The folder's vocabulary of k-mers. */
static int find_vocab(char **out, const struct import *m)
{
    static const char *const names[] = {"vocab.txt", "vocab.json"};

    if (m->o->vocab) {
        *out = strdup(m->o->vocab);
        return *out ? 0 : bird_fail_memory(0);
    }
    for (int i = 0; i < 2; i++) {
        int rc = bird_path_join(out, m->model.folder.path, names[i]);

        if (rc || bird_file_exists(*out))
            return rc;
        free(*out);
        *out = NULL;
    }
    return bird_fail(BIRD_EINVAL,
                     "%s: neither vocab.txt nor vocab.json is there: name the "
                     "vocabulary of k-mers (--vocab)",
                     m->model.folder.path);
}

/* tokenizer.json of the vocabulary; the model then is told how to cut. */
static int make_kmers(struct import *m)
{
    struct bird_config *c = &m->model.folder.config;
    char *vocab = NULL;
    int rc = find_vocab(&vocab, m);

    if (!rc)
        rc = bird_path_join(&m->tokenizer, m->folder, "tokenizer.json");
    if (!rc)
        rc = bird_kmer_write(m->tokenizer, &c->kmer, vocab, !m->o->no_special);
    c->stride = m->o->kmer_stride;
    if (!rc && c->stride > c->kmer)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: %lld-mers every %lld bases would leave bases out",
                       vocab, (long long)c->kmer, (long long)c->stride);
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
    rc = bird_folder_tokenizer(&t, f);
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
    rc = bird_folder_write(m->folder, &parts);
    if (!rc)
        rc = bird_transformers_files(f->path, m->folder, &f->config);
    json_decref(meta);
    return rc;
}

/* An empty folder may stand in the place: the rename replaces it. */
static int is_empty(const char *path)
{
    DIR *d = opendir(path);
    struct dirent *e;
    int n = 0;

    while (d && (e = readdir(d)))
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d)
        closedir(d);
    return d && !n;
}

/* What was written of a folder that will not be. */
static void remove_folder(const char *path)
{
    DIR *d = opendir(path);
    struct dirent *e;

    while (d && (e = readdir(d))) {
        char *file = NULL;

        if (e->d_name[0] != '.' && !bird_path_join(&file, path, e->d_name))
            unlink(file);
        free(file);
    }
    if (d)
        closedir(d);
    rmdir(path);
}

static int open_source(struct import *m, const char *from)
{
    struct bird_folder *f = &m->model.folder;
    bird_model_run run = m->o->run;
    int rc = bird_opened_open(&m->model, from, NULL, -1);

    run.pad_to = 0;
    if (rc || (rc = bird_opened_run(&m->model, &run)) ||
        (rc = bird_folder_digest(f)))
        return rc;
    if (run.blocks != BIRD_BLOCKS_AS_MODEL) {
        f->random_by_age = 0;
        snprintf(f->random_why, sizeof(f->random_why), "asked for");
    }
    return 0;
}

/* "DST", "DST/": the temporary name stands beside it. */
static int temporary_name(char **out, const char *to)
{
    int n = (int)strlen(to);

    while (n > 1 && to[n - 1] == '/')
        n--;
    if (asprintf(out, "%.*s.tmp%ld", n, to, (long)getpid()) < 0) {
        *out = NULL;
        return bird_fail_memory(0);
    }
    return 0;
}

int bird_import(bird_import_summary *out, const char *from, const char *to,
                const bird_import_options *o)
{
    struct import m = {.o = o};
    int rc, made = 0;

    if (!access(to, F_OK) && !is_empty(to))
        return bird_fail(BIRD_EINVAL, "%s: is there already", to);
    if ((rc = open_source(&m, from)) || (rc = temporary_name(&m.folder, to)) ||
        (rc = bird_folder_make(m.folder)))
        goto done;
    made = 1;
    if (o->kmer_stride > 0)
        rc = make_kmers(&m);
    if (rc || (rc = check_tokenizer(&m)) || (rc = write_folder(&m)))
        goto done;
    if (rename(m.folder, to))
        rc = bird_fail(BIRD_EIO, "%s: %s", to, strerror(errno));
    if (!rc) {
        made = 0;
        summarise(&m);
        *out = m.sum;
    }
done:
    if (made)
        remove_folder(m.folder);
    bird_opened_close(&m.model);
    free(m.tokenizer);
    free(m.folder);
    return rc;
}
