/* Writing a model folder. SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "dnabird/tokenizer.h"
#include "folder/folder.h"
#include "model/stem.h"
#include "token/global.h"

static int write_weights(const char *folder, const struct bird_folder_parts *p)
{
    static const char *const names[] = {"model.safetensors",
                                        "model.safetensors.zst"};
    int which = p->compress != 0;
    char *path = NULL, *other = NULL;
    int rc = bird_path_join(&path, folder, names[which]);

    if (!rc)
        rc = bird_path_join(&other, folder, names[!which]);
    if (!rc)
        rc = bird_params_save(path, p->block, p->list, p->n, p->dtype);
    if (!rc && unlink(other) && errno != ENOENT)
        rc = bird_fail(BIRD_EIO, "%s: %s", other, strerror(errno));
    free(path);
    free(other);
    return rc;
}

static const json_t *labels_of(const struct bird_folder_parts *p)
{
    const json_t *labels = json_object_get(p->meta, "labels");

    return labels ? labels : p->labels;
}

static int check_labels(const struct bird_folder_parts *p)
{
    const json_t *labels = labels_of(p);

    if (!labels)
        return 0;
    if ((int64_t)json_array_size(labels) != p->config->n_label)
        return bird_fail(BIRD_EINVAL, "%zu labels for a model of %lld",
                         json_array_size(labels),
                         (long long)p->config->n_label);
    for (size_t i = 0; i < json_array_size(labels); i++)
        if (!json_is_string(json_array_get(labels, i)))
            return bird_fail(BIRD_EINVAL, "label %zu is not a text", i);
    return 0;
}

/* Write config.json under a temporary name. */
static int begin_config(struct bird_out *out, const char *folder,
                        const struct bird_folder_parts *p)
{
    json_t *o = NULL;
    char *path = NULL;
    int rc = bird_path_join(&path, folder, "config.json");

    if (!rc)
        rc = bird_config_write(&o, p->config, labels_of(p));
    if (!rc)
        rc = bird_json_begin(out, o, path);
    json_decref(o);
    free(path);
    return rc;
}

static int copy_into(const char *folder, const char *name, const char *from)
{
    struct bird_text bytes = {0};
    char *path = NULL;
    int rc = bird_path_join(&path, folder, name);

    if (!rc)
        rc = bird_file_read(&bytes, from);
    if (!rc)
        rc = bird_file_write(path, bytes.s, (size_t)bytes.n);
    bird_text_free(&bytes);
    free(path);
    return rc;
}

/* Write tokenizer.json, and tokenizer_config.json if it lies beside the
 * source. */
static int write_tokenizer(const char *folder,
                           const struct bird_folder_parts *p)
{
    const char *from = p->tokenizer;
    char *beside = NULL, *path = NULL;
    int rc;

    if (!from)
        return 0;
    if (!(rc = bird_path_join(&path, folder, "tokenizer.json")))
        rc = p->global ? bird_global_write(path, from, p->global)
                       : copy_into(folder, "tokenizer.json", from);
    free(path);
    if (!rc)
        rc = bird_tokenizer_config(&beside, from);
    if (!rc && bird_file_exists(beside))
        rc = copy_into(folder, "tokenizer_config.json", beside);
    free(beside);
    return rc;
}

int bird_folder_describe(json_t *meta, const struct bird_config *c)
{
    int gaussian = c->problem == BIRD_PROBLEM_GAUSSIAN;
    int version = gaussian ? 3 : bird_config_is_own(c) ? 2 : 1;

    if (json_object_set_new(meta, "format_version", json_integer(version)) ||
        (gaussian &&
         json_object_set_new(meta, "output", json_string("gaussian"))) ||
        json_object_set_new(meta, "head", json_string(c->head->name)) ||
        bird_pattern_write(meta, &c->pattern, BIRD_PATTERN_META) ||
        bird_prob_map_write(meta, &c->map) ||
        (c->head->write && c->head->write(meta, c)) ||
        bird_stem_write(meta, c) ||
        (c->branch_scale &&
         json_object_set_new(meta, "branch_scale", json_true())) ||
        (c->token_type &&
         json_object_set_new(meta, "token_type", json_integer(c->token_type))))
        return bird_fail_memory(0);
    return 0;
}

/* `config`: temporary name of config.json; NULL: it has its final name. */
static int put_checksums(json_t *meta, const char *folder, const char *config)
{
    const char *const names[] = {"config.json", bird_weights_name(folder),
                                 "tokenizer.json", "tokenizer_config.json"};
    json_t *sums = json_object();
    int rc = sums ? 0 : bird_fail_memory(0);

    for (size_t i = 0; !rc && i < sizeof(names) / sizeof(*names); i++) {
        char hex[65], *path = NULL;

        if (!names[i])
            continue;
        if (i || !config)
            rc = bird_path_join(&path, folder, names[i]);
        else if (!(path = strdup(config)))
            rc = bird_fail_memory(strlen(config));
        if (!rc && bird_file_exists(path)) {
            rc = bird_file_sha256(hex, path);
            if (!rc && json_object_set_new(sums, names[i], json_string(hex)))
                rc = bird_fail_memory(0);
        }
        free(path);
    }
    if (!rc && json_object_set(meta, "checksums", sums))
        rc = bird_fail_memory(0);
    json_decref(sums);
    return rc;
}

int bird_folder_checksums(json_t *meta, const char *folder)
{
    return put_checksums(meta, folder, NULL);
}

static int write_meta(const char *folder, const struct bird_folder_parts *p,
                      const struct bird_out *config)
{
    json_t *o = json_object(), *v;
    const char *key;
    char *path = NULL;
    int rc = o ? bird_folder_describe(o, p->config) : bird_fail_memory(0);

    json_object_foreach((json_t *)(uintptr_t)p->meta, key, v)
    {
        if (!rc && !json_object_get(o, key) && json_object_set(o, key, v))
            rc = bird_fail_memory(0);
    }
    if (!rc)
        rc = put_checksums(
            o, folder, config->temporary ? config->temporary : config->path);
    if (!rc)
        rc = bird_path_join(&path, folder, "dnabird.json");
    if (!rc)
        rc = bird_json_write(o, path);
    json_decref(o);
    free(path);
    return rc;
}

int bird_folder_sum(const char *folder)
{
    json_t *meta = NULL;
    char *path = NULL;
    int rc = bird_path_join(&path, folder, "dnabird.json");

    if (!rc)
        rc = bird_json_open(&meta, path);
    if (!rc)
        rc = bird_folder_checksums(meta, folder);
    if (!rc)
        rc = bird_json_write(meta, path);
    json_decref(meta);
    free(path);
    return rc;
}

int bird_folder_write(const char *path, const struct bird_folder_parts *parts)
{
    struct bird_out config = {0};
    int rc = check_labels(parts);

    if (!rc)
        rc = bird_config_check(parts->config, path);
    if (!rc)
        rc = bird_folder_make(path);
    if (!rc)
        rc = begin_config(&config, path, parts);
    if (!rc)
        rc = write_weights(path, parts);
    if (!rc)
        rc = write_tokenizer(path, parts);
    if (!rc)
        rc = write_meta(path, parts, &config);
    /* config.json last: a folder without it is not a model */
    if (!rc)
        return bird_out_commit(&config);
    bird_out_abort(&config);
    return rc;
}
