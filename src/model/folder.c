/* Opening a model folder. SPDX-License-Identifier: MIT */
#include "model/folder.h"

#include <errno.h>
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
#include "base/timer.h"
#include "model/meta.h"
#include "model/tensors.h"

void bird_folder_free(struct bird_folder *f)
{
    if (!f)
        return;
    free(f->path);
    free(f->tokenizer);
    json_decref(f->meta);
    json_decref(f->labels);
    bird_tensors_free(f->tensors);
    free(f->shard);
    json_decref(f->index);
    *f = (struct bird_folder){0};
}

static int check_folder(const char *path)
{
    struct stat st;

    if (stat(path, &st))
        return bird_fail(BIRD_EIO, "%s: %s: no model folder", path,
                         strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return bird_fail(BIRD_EIO,
                         "%s: not a folder: a model is a folder that holds "
                         "config.json, weights and a tokenizer",
                         path);
    return 0;
}

int bird_folder_has(const char *folder, const char *name)
{
    char *path = NULL;
    int found = !bird_path_join(&path, folder, name) && bird_file_exists(path);

    free(path);
    return found;
}

/* What a model folder consists of, ours or Hugging Face's, less the parts of
 * weights in several files, which their index names. */
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

/* What lies beside these in some models. */
static const char *const more_names[] = {"baseline.safetensors", "merges.txt",
                                         "added_tokens.json",
                                         "generation_config.json"};
enum { N_MORE_NAME = sizeof(more_names) / sizeof(*more_names) };

int bird_folder_holds_model(const char *folder)
{
    for (size_t i = 0; i < N_FILE_NAME; i++)
        if (bird_folder_has(folder, file_names[i]))
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

/* Not of the calibration: some commands are there to write it, and who reads
 * it says so. */
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
        if (bird_folder_has(folder, names[i]))
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
    if (!rc)
        rc = bird_tensors_open(&f->tensors, path);
    if (!rc && strstr(f->weights, ".index.json")) {
        rc = bird_json_open(&f->index, path);
        if (!rc)
            rc = bird_shards_list(&f->shard, &f->n_shard, f->index, path);
    }
    free(path);
    return rc;
}

static int open_tokenizer(struct bird_folder *f)
{
    if (!bird_folder_has(f->path, "tokenizer.json"))
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
 * that the weights do not have: then a tensor of the head tells. */
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

/* config.json may be edited by hand, which `info --verify` tells. */
static void compare_sum(struct bird_folder *f, const char *name,
                        const char *hex)
{
    const char *want = json_string_value(
        json_object_get(json_object_get(f->meta, "checksums"), name));

    if (!f->changed[0] && want && strcmp(want, hex) != 0 &&
        strcmp(name, "config.json") != 0)
        snprintf(f->changed, sizeof(f->changed), "%s", name);
}

int bird_folder_identify(struct bird_folder *f)
{
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_OPEN);
    int rc = bird_folder_digest(f);

    bird_timer_leave(before);
    if (!rc && f->changed[0])
        rc = bird_fail(BIRD_EFORMAT,
                       "%s/%s: differs from its checksum in dnabird.json: the "
                       "file was changed or is damaged; fetch it anew "
                       "(`dnabird info --verify` compares all files)",
                       f->path, f->changed);
    return rc;
}

int bird_folder_open_intact(struct bird_folder *out, const char *path)
{
    int rc = bird_folder_open(out, path);

    if (!rc && (rc = bird_folder_identify(out)))
        bird_folder_free(out);
    return rc;
}

int bird_folder_fail_window(const struct bird_folder *f, const char *option)
{
    return bird_fail(
        BIRD_EINVAL, "%s/dnabird.json %s: give the model's window with %s",
        f->path, f->meta ? "has no window size" : "is missing", option);
}

int bird_folder_digest(struct bird_folder *f)
{
    struct bird_text lines = {0};
    int rc = 0;

    if (f->digest[0])
        return 0;
    for (int64_t i = 0; !rc && i < bird_folder_files(f); i++) {
        const char *name = bird_folder_file(f, i);
        char hex[65], *path = NULL;

        rc = bird_path_join(&path, f->path, name);
        if (!rc && bird_file_exists(path)) {
            rc = bird_file_sha256(hex, path);
            if (!rc)
                rc = bird_text_printf(&lines, "%s  %s\n", hex, name);
            if (!rc)
                compare_sum(f, name, hex);
        }
        free(path);
    }
    if (!rc)
        bird_sha256(f->digest, lines.s, (size_t)lines.n);
    bird_text_free(&lines);
    return rc;
}
