/* dnabird.json: its fields, checked. SPDX-License-Identifier: MIT */
#include "model/meta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"

static const char *const random_names[] = {
    [BIRD_RANDOM_PLAN] = "plan",
    [BIRD_RANDOM_ZERO] = "zero",
    [BIRD_RANDOM_NONE] = "none",
    [BIRD_RANDOM_UNIFORM] = "uniform",
};

#define N_OF(a) (int)(sizeof(a) / sizeof(*(a)))

const char *bird_random_name(enum bird_random_blocks random)
{
    return random_names[random];
}

int bird_random_find(enum bird_random_blocks *out, const char *name)
{
    for (int i = 0; i < N_OF(random_names); i++)
        if (!strcmp(name, random_names[i])) {
            *out = (enum bird_random_blocks)i;
            return 1;
        }
    return 0;
}

static const char *const part_names[] = {"global", "window", "random"};

int bird_parts_find(int *out, const char *name)
{
    for (int i = 0; i < N_OF(part_names); i++)
        if (!strcmp(name, part_names[i])) {
            *out |= 1 << i;
            return 1;
        }
    return 0;
}

json_t *bird_parts_json(int parts)
{
    json_t *list = json_array();

    for (int i = 0; list && i < N_OF(part_names); i++)
        if (parts >> i & 1 &&
            json_array_append_new(list, json_string(part_names[i]))) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static int read_parts(int *out, const json_t *meta, const char *path)
{
    const json_t *list = json_object_get(meta, "attention_parts");
    int parts = 0;

    if (!list)
        return 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *s = json_string_value(json_array_get(list, i));

        if (!s || !bird_parts_find(&parts, s))
            return bird_fail(BIRD_EUNSUPPORTED,
                             "%s: attention_parts: '%.40s' is none of global, "
                             "window, random",
                             path, s ? s : "");
    }
    if (!parts)
        return bird_fail(BIRD_EFORMAT,
                         "%s: 'attention_parts' is no list of parts", path);
    *out = parts;
    return 0;
}

int64_t bird_folder_files(const struct bird_folder *f)
{
    return 4 + f->n_shard;
}

const char *bird_folder_file(const struct bird_folder *f, int64_t i)
{
    if (i < 2)
        return i ? f->weights : "config.json";
    i -= 2;
    if (i < f->n_shard)
        return f->shard[i];
    return i == f->n_shard ? "tokenizer.json" : "tokenizer_config.json";
}

/* Index of an optional word in a list; *out untouched when absent. */
static int read_word(int *out, const json_t *o, const char *field,
                     const char *const *names, int n, const char *path)
{
    const char *s = NULL;
    int rc = bird_json_text(&s, o, field, path);

    if (rc || !s)
        return rc;
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i], s)) {
            *out = i;
            return 0;
        }
    return bird_fail(BIRD_EUNSUPPORTED, "%s: %s '%.60s' is not supported", path,
                     field, s);
}

static int read_version(const json_t *o, const char *path)
{
    int64_t version = 0;
    int rc = bird_json_int(&version, o, "format_version", 1, INT32_MAX, path);

    if (!rc && !version)
        rc = bird_fail(BIRD_EFORMAT, "%s: no 'format_version'", path);
    if (!rc && version > BIRD_FOLDER_VERSION)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: format_version %lld is newer than %d, the newest "
                       "this program reads: use a newer dnabird",
                       path, (long long)version, BIRD_FOLDER_VERSION);
    return rc;
}

/* dnabird's own heads have no class in transformers: for config.json they are
 * the bare encoder. Any other difference between the files is an error. */
static int read_head(struct bird_folder *f, const char *path)
{
    const struct bird_head_row *head = f->config.head, *other;
    const char *name = NULL;
    int rc = bird_json_text(&name, f->meta, "head", path);

    if (rc || !name)
        return rc;
    other = bird_head_by_name(name);
    if (!other)
        return bird_fail(BIRD_EUNSUPPORTED, "%s: head '%.60s' is not supported",
                         path, name);
    if (other != head &&
        (other->architecture || (head->architecture && head->forward)))
        return bird_fail(BIRD_EFORMAT,
                         "%s: head '%s', but config.json's architecture is of "
                         "the head '%s'",
                         path, other->name, head->name);
    f->config.head = other;
    return 0;
}

static int check_texts(const json_t *list, const char *field, const char *path)
{
    size_t i;
    const json_t *v;

    if (!json_is_array(list))
        return bird_fail(BIRD_EFORMAT, "%s: '%s' is not a list", path, field);
    json_array_foreach(
        (json_t *)(uintptr_t)list, i,
        v) if (!json_is_string(v)) return bird_fail(BIRD_EFORMAT,
                                                    "%s: '%s' has an entry "
                                                    "that is not "
                                                    "a text",
                                                    path, field);
    return 0;
}

static int read_labels(struct bird_folder *f, const char *path)
{
    json_t *list = json_object_get(f->meta, "labels");
    int rc;

    if (!list || json_is_null(list))
        return 0;
    rc = check_texts(list, "labels", path);
    if (rc)
        return rc;
    if ((int64_t)json_array_size(list) != f->config.n_label)
        return bird_fail(BIRD_EFORMAT,
                         "%s: %zu 'labels', but config.json is for %lld", path,
                         json_array_size(list), (long long)f->config.n_label);
    f->labels = json_incref(list);
    return 0;
}

/* Contig lengths of the genome build. */
static int check_genome(const json_t *meta, const char *path)
{
    const json_t *genome = json_object_get(meta, "genome");
    json_t *contigs = json_object_get(genome, "contigs"), *v;
    const char *name;

    if (contigs && !json_is_object(contigs))
        return bird_fail(BIRD_EFORMAT, "%s: 'contigs' is not an object", path);
    json_object_foreach(
        contigs, name,
        v) if (!json_is_integer(v) ||
               json_integer_value(v) <
                   1) return bird_fail(BIRD_EFORMAT,
                                       "%s: the length of contig '%.60s' is "
                                       "not a number of "
                                       "bases",
                                       path, name);
    return 0;
}

static int check_objects(const json_t *meta, const char *path)
{
    static const char *const fields[] = {"genome",     "provenance",
                                         "measured",   "checksums",
                                         "thresholds", "calibration"};

    for (int i = 0; i < N_OF(fields); i++) {
        const json_t *v = json_object_get(meta, fields[i]);

        if (v && !json_is_null(v) && !json_is_object(v))
            return bird_fail(BIRD_EFORMAT, "%s: '%s' is not an object", path,
                             fields[i]);
    }
    return check_genome(meta, path);
}

int bird_meta_read(struct bird_folder *f, const char *path)
{
    int random = (int)f->config.random;
    int64_t seed = 0;
    const char *strand = NULL;
    int rc = read_version(f->meta, path);

    if (!rc && f->tensors) /* else the head may not be known yet */
        rc = read_head(f, path);
    if (!rc)
        rc = read_word(&random, f->meta, "random_blocks", random_names,
                       N_OF(random_names), path);
    if (!rc)
        rc = read_parts(&f->config.parts, f->meta, path);
    if (!rc)
        rc = bird_json_int(&seed, f->meta, "pattern_seed", 0, INT64_MAX, path);
    f->config.pattern_seed = (uint64_t)seed;
    if (!rc)
        rc = read_labels(f, path);
    if (!rc)
        rc = bird_json_int(&f->window_bp, f->meta, "window_bp", 1, INT32_MAX,
                           path);
    if (!rc)
        rc = bird_json_int(&f->stride_bp, f->meta, "stride_bp", 1, INT32_MAX,
                           path);
    if (!rc)
        rc = bird_json_int(&f->config.token_type, f->meta, "token_type", 0,
                           f->config.type_vocab_size - 1, path);
    if (!rc)
        rc = bird_json_text(&strand, f->meta, "strand", path);
    if (!rc)
        rc = check_objects(f->meta, path);
    if (rc)
        return rc;
    if (json_is_string(json_object_get(f->meta, "random_blocks"))) {
        f->config.random = (enum bird_random_blocks)random;
        snprintf(f->random_why, sizeof(f->random_why), "dnabird.json says so");
    }
    return 0;
}

/* The release in which evaluation stopped using the plan is 4.29. */
static void random_by_version(struct bird_folder *f)
{
    const char *version = f->config.transformers_version;
    int major = 0, minor = 0;

    f->random_by_age = 1;
    f->config.random = BIRD_RANDOM_PLAN;
    if (!version[0] || sscanf(version, "%d.%d", &major, &minor) != 2) {
        snprintf(f->random_why, sizeof(f->random_why),
                 "config.json names no release of transformers");
        return;
    }
    if (major > 4 || (major == 4 && minor > 28))
        f->config.random = BIRD_RANDOM_ZERO;
    snprintf(f->random_why, sizeof(f->random_why),
             "config.json was written by transformers %s", version);
}

/* id2label as a list; NULL when its keys are not 0 .. n-1. */
static json_t *labels_of(const json_t *id2label, int64_t n)
{
    json_t *list = json_array();

    for (int64_t i = 0; list && i < n; i++) {
        char key[32];
        json_t *v;

        snprintf(key, sizeof(key), "%lld", (long long)i);
        v = json_object_get(id2label, key);
        if (!json_is_string(v) || json_array_append(list, v)) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

int bird_meta_complete(struct bird_folder *f, const json_t *config,
                       const char *path)
{
    const json_t *id2label = json_object_get(config, "id2label");

    if (!f->random_why[0])
        random_by_version(f);
    if (json_is_object(id2label) && !f->labels) {
        f->labels = labels_of(id2label, f->config.n_label);
        if (!f->labels)
            return bird_fail(BIRD_EFORMAT,
                             "%s: the keys of 'id2label' are not 0 to %lld",
                             path, (long long)f->config.n_label - 1);
    }
    return 0;
}
