/* Opening a model folder: its files.
 *
 * config.json says what the model is, the weights' header which tensors there
 * are, dnabird.json the rest; what one file does not say is read from the others (a head by
 * its tensors, random blocks by the release that wrote the folder). Only what
 * a command uses of the weights is read.
 * SPDX-License-Identifier: MIT */
#include "folder/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/model.h"
#include "folder/tensors.h"
#include "head/head.h"
#include "model/stem.h"

void bird_folder_free(struct bird_folder *f)
{
    if (!f)
        return;
    free(f->path);
    free(f->tokenizer);
    json_decref(f->meta);
    json_decref(f->labels);
    free(f->strand_pair);
    free(f->quantity);
    bird_tensors_free(f->tensors);
    free(f->shard);
    json_decref(f->index);
    *f = (struct bird_folder){0};
}

/* Files of a model folder, of dnabird or Hugging Face, without the parts of
 * weights that are divided into several files: an index lists those. */
static const char *const file_names[] = {"config.json",
                                         "dnabird.json",
                                         "tokenizer.json",
                                         "tokenizer_config.json",
                                         "special_tokens_map.json",
                                         "vocab.txt",
                                         "vocab.json",
                                         "model.safetensors",
                                         "model.safetensors.zst",
                                         "model.safetensors.index.json",
                                         "pytorch_model.bin",
                                         "pytorch_model.bin.index.json"};
enum { N_FILE_NAME = sizeof(file_names) / sizeof(*file_names) };

/* Files that only some models have. */
static const char *const more_names[] = {
    "baseline.safetensors", "merges.txt", "added_tokens.json",
    "generation_config.json", BIRD_SELFTEST_NAME};
enum { N_MORE_NAME = sizeof(more_names) / sizeof(*more_names) };

/* Refuse pipes and devices: a reader could wait for ever. */
static int check_file(const char *folder, const char *name)
{
    struct stat st;
    char *path = NULL;
    int rc = bird_path_join(&path, folder, name);

    if (!rc && !stat(path, &st) && !S_ISDIR(st.st_mode) &&
        (!S_ISREG(st.st_mode) || bird_file_is_proc(path)))
        rc = bird_fail(BIRD_EIO, "%s: not a regular file", path);
    free(path);
    return rc;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    return (h ^ v) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
}

/* A number that changes when the file is replaced or written again. */
static uint64_t stamp_of(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat st;
    int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
    uint64_t h;

    if (n < 0 || n >= (int)sizeof(path) || stat(path, &st))
        return 0;
    h = mix((uint64_t)st.st_dev, (uint64_t)st.st_ino);
    h = mix(h, (uint64_t)st.st_size);
    h = mix(h, (uint64_t)st.st_mtim.tv_sec);
    return mix(h, (uint64_t)st.st_mtim.tv_nsec);
}

/* Name i of the files that a folder may have; weights in parts are apart. */
static const char *name_at(size_t i)
{
    return i < N_FILE_NAME                 ? file_names[i]
           : i < N_FILE_NAME + N_MORE_NAME ? more_names[i - N_FILE_NAME]
                                           : "calibration.safetensors";
}
enum { N_NAME = N_FILE_NAME + N_MORE_NAME + 1 };

static uint64_t stamp_all(const char *folder)
{
    uint64_t h = 0;

    for (size_t i = 0; i < N_NAME; i++)
        h = mix(h, stamp_of(folder, name_at(i)));
    return h;
}

/* Mix in the weights in parts, which their index lists. */
static uint64_t stamp_parts(uint64_t h, const struct bird_folder *f)
{
    for (int64_t i = 0; i < f->n_shard; i++)
        h = mix(h, stamp_of(f->path, f->shard[i]));
    return h;
}

int bird_folder_check_stamp(const struct bird_folder *f)
{
    if (!f->path || stamp_parts(stamp_all(f->path), f) == f->stamp)
        return 0;
    return bird_fail(BIRD_EIO,
                     "%s: the model was written or replaced while it was read: "
                     "run the command again",
                     f->path);
}

static int check_folder(const char *path)
{
    struct stat st;

    if (stat(path, &st))
        return bird_fail(BIRD_EIO, "%s: %s: not a model folder%s", path,
                         strerror(errno),
                         strchr(path, '/') ? ""
                                           : "; `dnabird models` lists the "
                                             "models that come with dnabird");
    if (!S_ISDIR(st.st_mode))
        return bird_fail(BIRD_EIO,
                         "%s: not a folder: a model is a folder that holds "
                         "config.json, weights and a tokenizer",
                         path);
    if (!bird_file_is_in(path, file_names[0]) && errno == ENOENT)
        return bird_fail(
            BIRD_EIO, "%s: not a model folder: config.json is missing", path);
    for (size_t i = 0; i < N_NAME; i++) {
        int rc = check_file(path, name_at(i));

        if (rc)
            return rc;
    }
    return 0;
}

int bird_folder_holds_model(const char *folder)
{
    for (size_t i = 0; i < N_FILE_NAME; i++)
        if (bird_file_is_in(folder, file_names[i]))
            return 1;
    return 0;
}

int bird_folder_is_part(const char *name)
{
    for (size_t i = 0; i < N_FILE_NAME; i++)
        if (!strcmp(name, file_names[i]))
            return 1;
    for (size_t i = 0; i < N_MORE_NAME; i++)
        if (!strcmp(name, more_names[i]))
            return 1;
    if (!strcmp(name, "calibration.safetensors"))
        return 1;
    return !strncmp(name, "model-", 6) || !strncmp(name, "pytorch_model-", 14);
}

/* The calibration is not guarded: some commands write it, and functions that
 * read it guard it themselves. */
int bird_folder_guard(const char *folder)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < N_FILE_NAME + N_MORE_NAME; i++) {
        const char *name =
            i < N_FILE_NAME ? file_names[i] : more_names[i - N_FILE_NAME];
        char *path = NULL;

        rc = bird_path_join(&path, folder, name);
        if (!rc)
            rc = bird_guard_part(path);
        free(path);
    }
    return rc;
}

const char *bird_weights_name(const char *folder)
{
    static const char *const names[] = {
        "model.safetensors", "model.safetensors.zst",
        "model.safetensors.index.json", "pytorch_model.bin",
        "pytorch_model.bin.index.json"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (bird_file_is_in(folder, names[i]))
            return names[i];
    return NULL;
}

static int open_weights(struct bird_folder *f)
{
    char *path = NULL;
    int rc;

    f->weights = bird_weights_name(f->path);
    if (!f->weights)
        return bird_fail(BIRD_EIO,
                         "%s: neither model.safetensors nor pytorch_model.bin "
                         "is there",
                         f->path);
    rc = bird_path_join(&path, f->path, f->weights);
    if (!rc && strstr(f->weights, ".index.json")) {
        rc = bird_json_open(&f->index, path);
        if (!rc)
            rc = bird_shards_list(&f->shard, &f->n_shard, f->index, path);
        if (!rc) /* before they are opened */
            f->stamp = stamp_parts(f->stamp, f);
    }
    if (!rc)
        rc = bird_tensors_open(&f->tensors, path);
    free(path);
    return rc;
}

static int open_tokenizer(struct bird_folder *f)
{
    if (!bird_file_is_in(f->path, "tokenizer.json"))
        return 0;
    return bird_path_join(&f->tokenizer, f->path, "tokenizer.json");
}

static int open_meta(struct bird_folder *f)
{
    char *path = NULL;
    int rc = bird_path_join(&path, f->path, "dnabird.json");

    if (!rc && bird_file_exists(path)) {
        rc = bird_json_open(&f->meta, path);
        if (!rc)
            rc = bird_meta_read(f, path);
    }
    free(path);
    return rc;
}

/* config.json may be silent about the head, or promise a next-sentence head
 * that the weights do not have: then a tensor of the head decides. */
static void head_by_weights(struct bird_folder *f, const json_t *config)
{
    const struct bird_head_row **head = &f->config.head, *row;
    int silent = !(*head)->forward &&
                 !json_is_array(json_object_get(config, "architectures"));

    for (int i = 0; silent && (row = bird_head_at(i)); i++)
        if (row->marker && bird_tensors_find(f->tensors, row->marker)) {
            *head = row;
            return;
        }
    if ((*head)->without && !bird_tensors_find(f->tensors, (*head)->marker))
        *head = (*head)->without;
}

static int open_parts(struct bird_folder *f, int config_alone)
{
    json_t *config = NULL;
    char *path = NULL;
    int rc = bird_path_join(&path, f->path, "config.json");

    if (!rc)
        rc = bird_json_open(&config, path);
    if (!rc)
        rc = bird_config_read(&f->config, config, path);
    if (!rc && !config_alone)
        rc = open_weights(f);
    if (!rc && !config_alone)
        head_by_weights(f, config);
    if (!rc)
        rc = open_meta(f);
    if (!rc)
        rc = bird_meta_complete(f, config, path);
    if (!rc)
        rc = open_tokenizer(f);
    json_decref(config);
    free(path);
    return rc;
}

static int open_folder(struct bird_folder *out, const char *path,
                       int config_alone)
{
    struct bird_folder f = {0};
    int rc = check_folder(path);

    if (rc || (rc = bird_folder_guard(path)))
        return rc;
    f.stamp = stamp_all(path);
    f.path = strdup(path);
    rc = f.path ? open_parts(&f, config_alone) : bird_fail_memory(strlen(path));
    if (rc)
        bird_folder_free(&f);
    else
        *out = f;
    return rc;
}

int bird_folder_open(struct bird_folder *out, const char *path)
{
    return open_folder(out, path, 0);
}

int bird_folder_open_config(struct bird_folder *out, const char *path)
{
    return open_folder(out, path, 1);
}

/* The table of the weights, and their file's path; the caller's. */
static int make_list(struct bird_param **list, int64_t *n, int64_t *total,
                     char **path, const struct bird_folder *f)
{
    int rc = bird_params_list(list, n, total, &f->config);

    return rc ? rc : bird_path_join(path, f->path, f->weights);
}

int bird_folder_weights(float **block, struct bird_param **list, int64_t *n,
                        int64_t *total, const struct bird_folder *f)
{
    struct bird_param *p = NULL;
    float *b = NULL;
    char *path = NULL;
    int64_t count = 0, size = 0;
    int rc = make_list(&p, &count, &size, &path, f);

    if (!rc)
        rc = bird_array_new(&b, size, sizeof(*b));
    if (!rc)
        rc = bird_params_load(b, p, count, f->tensors, NULL, path);
    if (!rc) {
        *block = b, b = NULL;
        *list = p, p = NULL;
        *n = count;
        *total = size;
    }
    free(b);
    free(p);
    free(path);
    return rc;
}

int bird_folder_weights_shared(const float **block, float **own,
                               struct bird_param **list, int64_t *n,
                               const struct bird_folder *f)
{
    struct bird_param *p = NULL;
    const float *there = NULL;
    char *path = NULL;
    int64_t count = 0, size = 0;
    int rc = make_list(&p, &count, &size, &path, f);

    if (!rc)
        rc = bird_params_map(&there, p, count, f->tensors, path);
    free(path);
    if (rc || !there) {
        free(p);
        if (!rc)
            rc = bird_folder_weights(own, list, n, &size, f);
        if (!rc)
            *block = *own;
        return rc;
    }
    *block = there;
    *own = NULL;
    *list = p;
    *n = count;
    return 0;
}

int bird_folder_fail_window(const struct bird_folder *f, const char *option)
{
    return bird_fail(
        BIRD_EINVAL, "%s/dnabird.json %s: give the model's window with %s",
        f->path, f->meta ? "has no window size" : "is missing", option);
}

void bird_model_run_default(bird_model_run *r)
{
    *r = (bird_model_run){.blocks = BIRD_BLOCKS_AS_MODEL, .token_type = -1};
}

int bird_config_run(struct bird_config *c, const bird_model_run *r,
                    const char *path)
{
    static const enum bird_random_blocks blocks[] = {
        [BIRD_BLOCKS_PLAN] = BIRD_RANDOM_PLAN,
        [BIRD_BLOCKS_ZERO] = BIRD_RANDOM_ZERO,
        [BIRD_BLOCKS_NONE] = BIRD_RANDOM_NONE};

    if (r->precision > BIRD_INT8 || r->blocks > BIRD_BLOCKS_NONE)
        return bird_fail(BIRD_EINVAL,
                         "%s: precision %d or random blocks %d is not known",
                         path, (int)r->precision, (int)r->blocks);
    if (r->token_type < -1 || r->token_type >= c->type_vocab_size)
        return bird_fail(
            BIRD_EINVAL, "%s: token type %lld: the model has %lld, from 0 on",
            path, (long long)r->token_type, (long long)c->type_vocab_size);
    if (r->pad_to < 0 || r->pad_to > c->max_positions)
        return bird_fail(
            BIRD_EINVAL, "%s: padding to %lld tokens: the model reads %lld",
            path, (long long)r->pad_to, (long long)c->max_positions);
    if (r->pad_to && (c->n_stem || c->bin_bp))
        return bird_fail(BIRD_EUNSUPPORTED, "%s: %s takes no padding", path,
                         c->n_stem ? "a model with a stem"
                                   : "a model that predicts bins");
    if (r->pad_to && c->pad_id < 0)
        return bird_fail(BIRD_EINVAL,
                         "%s: padding: config.json names no 'pad_token_id'",
                         path);
    if (r->blocks != BIRD_BLOCKS_AS_MODEL)
        c->pattern.random = blocks[r->blocks];
    if (r->token_type >= 0)
        c->token_type = r->token_type;
    return 0;
}

/* Describe the rule for random blocks that follows from the release of
 * transformers that wrote config.json. A model that was trained by an older
 * release and saved by a newer one cannot be recognised. */
static int tell_blocks(struct bird_text *t, const struct bird_folder *f)
{
    const char *more =
        f->config.pattern.random == BIRD_RANDOM_ZERO
            ? "which evaluates so since 4.29; a model of an older release that "
              "was saved again looks the same: then give --random-blocks plan"
        : f->config.transformers_version[0]
            ? "which evaluated so up to 4.28"
            : "and the first models were trained so; releases since 4.29 "
              "evaluate with --random-blocks zero";

    return bird_text_printf(t, "random blocks: %s, as %s, %s",
                            bird_random_name(f->config.pattern.random),
                            f->random_why, more);
}

/* Do random blocks occur? Not if the longest input is attended in full. */
static int has_random(const struct bird_config *c)
{
    const struct bird_pattern p = bird_pattern_of(c);

    return p.row->has_random && p.n_random > 0 &&
           !bird_pattern_is_full(&p, c->max_positions);
}

int bird_model_notice(char **out, const char *folder, const bird_model_run *r)
{
    struct bird_folder f = {0};
    struct bird_text t = {0};
    int rc = bird_folder_open_config(&f, folder);

    if (!rc && r->blocks == BIRD_BLOCKS_AS_MODEL && f.random_by_age &&
        has_random(&f.config))
        rc = tell_blocks(&t, &f);
    bird_folder_free(&f);
    if (rc)
        bird_text_free(&t);
    else
        *out = t.s;
    return rc;
}

int bird_model_notice_transformers(char **out, const char *folder)
{
    struct bird_folder f = {0};
    struct bird_text t = {0};
    int rc = bird_folder_open_config(&f, folder);
    const struct bird_pattern p = bird_pattern_of(&f.config);

    if (!rc && has_random(&f.config) && p.random != BIRD_RANDOM_ZERO)
        rc = bird_text_printf(
            &t,
            "transformers since 4.29 evaluates with block 0 in place of random "
            "blocks (here: %s): its answers to more than %lld tokens differ",
            bird_random_name(p.random),
            (long long)((2 * p.n_random + 5) * p.block));
    if (!rc && f.config.token_type)
        rc = bird_text_printf(
            &t,
            "%stransformers takes token type 0 where token_type_ids are not "
            "given (here: %lld)",
            t.n ? "; " : "", (long long)f.config.token_type);
    bird_folder_free(&f);
    if (rc)
        bird_text_free(&t);
    else
        *out = t.s;
    return rc;
}
