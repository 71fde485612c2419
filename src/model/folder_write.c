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
#include "model/folder.h"
#include "model/meta.h"

struct writing {
    const char *folder;
    const struct bird_folder_parts *parts;
    json_t *checksums;
};

static int note_checksum(struct writing *w, const char *name, const char *path)
{
    char hex[65];
    int rc = bird_file_sha256(hex, path);

    if (!rc && json_object_set_new(w->checksums, name, json_string(hex)))
        rc = bird_fail_memory(0);
    return rc;
}

static int write_weights(struct writing *w)
{
    static const char *const names[] = {"model.safetensors",
                                        "model.safetensors.zst"};
    const struct bird_folder_parts *p = w->parts;
    int which = p->compress != 0;
    char *path = NULL, *other = NULL;
    int rc = bird_path_join(&path, w->folder, names[which]);

    if (!rc)
        rc = bird_path_join(&other, w->folder, names[!which]);
    if (!rc)
        rc = bird_params_save(path, p->block, p->list, p->n, p->dtype);
    if (!rc && unlink(other) && errno != ENOENT)
        rc = bird_fail(BIRD_EIO, "%s: %s", other, strerror(errno));
    if (!rc)
        rc = note_checksum(w, names[which], path);
    free(path);
    free(other);
    return rc;
}

/* Names given by dnabird.json's labels, in the reference's two objects. */
static int put_labels(json_t *config, const json_t *labels)
{
    json_t *name = json_object(), *id = json_object(), *v;
    size_t i;
    int bad = !name || !id;

    json_array_foreach((json_t *)(uintptr_t)labels, i, v)
    {
        char key[32];

        snprintf(key, sizeof(key), "%zu", i);
        bad = bad || json_object_set(name, key, v) ||
              json_object_set_new(id, json_string_value(v),
                                  json_integer((json_int_t)i));
    }
    bad |= json_object_set_new(config, "id2label", name);
    bad |= json_object_set_new(config, "label2id", id);
    return bad ? bird_fail_memory(0) : 0;
}

static int check_labels(const struct bird_folder_parts *p)
{
    const json_t *labels = json_object_get(p->meta, "labels");
    size_t i;
    const json_t *v;

    if (!labels)
        return 0;
    if ((int64_t)json_array_size(labels) != p->config->n_label)
        return bird_fail(BIRD_EINVAL, "%zu labels for a model of %lld",
                         json_array_size(labels),
                         (long long)p->config->n_label);
    json_array_foreach(
        (json_t *)(uintptr_t)labels, i,
        v) if (!json_is_string(v)) return bird_fail(BIRD_EINVAL,
                                                    "label %zu is not a text",
                                                    i);
    return 0;
}

static int write_config(struct writing *w)
{
    const json_t *labels = json_object_get(w->parts->meta, "labels");
    json_t *o = NULL;
    char *path = NULL;
    int rc = bird_path_join(&path, w->folder, "config.json");

    if (!rc)
        rc = bird_config_write(&o, w->parts->config);
    if (!rc && labels)
        rc = put_labels(o, labels);
    if (!rc)
        rc = bird_json_write(o, path);
    if (!rc)
        rc = note_checksum(w, "config.json", path);
    json_decref(o);
    free(path);
    return rc;
}

static int write_tokenizer(struct writing *w)
{
    struct bird_text bytes = {0};
    char *path = NULL;
    int rc;

    if (!w->parts->tokenizer)
        return 0;
    rc = bird_path_join(&path, w->folder, "tokenizer.json");
    if (!rc)
        rc = bird_file_read(&bytes, w->parts->tokenizer);
    if (!rc)
        rc = bird_file_write(path, bytes.s, (size_t)bytes.n);
    if (!rc)
        rc = note_checksum(w, "tokenizer.json", path);
    bird_text_free(&bytes);
    free(path);
    return rc;
}

static int write_meta(struct writing *w)
{
    const struct bird_config *c = w->parts->config;
    json_t *o = json_object(), *v;
    const char *key;
    char *path = NULL;
    int bad, rc;

    bad =
        json_object_set_new(o, "format_version",
                            json_integer(BIRD_FOLDER_VERSION)) ||
        json_object_set_new(o, "head", json_string(bird_head_name(c->head))) ||
        json_object_set_new(o, "random_blocks",
                            json_string(bird_random_name(c->random)));
    json_object_foreach((json_t *)(uintptr_t)w->parts->meta, key, v)
    {
        if (!json_object_get(o, key) && strcmp(key, "checksums"))
            bad = bad || json_object_set(o, key, v);
    }
    bad = bad || json_object_set(o, "checksums", w->checksums);
    rc = bad ? bird_fail_memory(0)
             : bird_path_join(&path, w->folder, "dnabird.json");
    if (!rc)
        rc = bird_json_write(o, path);
    json_decref(o);
    free(path);
    return rc;
}

int bird_folder_write(const char *path, const struct bird_folder_parts *parts)
{
    struct writing w = {path, parts, NULL};
    int rc = check_labels(parts);

    if (!rc)
        rc = bird_config_check(parts->config, path);
    if (!rc)
        rc = bird_folder_make(path);
    if (rc)
        return rc;
    w.checksums = json_object();
    rc = w.checksums ? write_config(&w) : bird_fail_memory(0);
    if (!rc)
        rc = write_weights(&w);
    if (!rc)
        rc = write_tokenizer(&w);
    if (!rc)
        rc = write_meta(&w);
    json_decref(w.checksums);
    return rc;
}
