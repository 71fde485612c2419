/* Opening a model folder: its files and dnabird.json's fields.
 *
 * config.json says what the model is, the weights' header which tensors there
 * are, dnabird.json the rest; what one file does not say is read from the others (a head by
 * its tensors, random blocks by the release that wrote the folder). Only what
 * a command uses of the weights is read.
 * SPDX-License-Identifier: MIT */
#include "folder/folder.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
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
        return bird_fail(BIRD_EIO, "%s: %s: no model folder%s", path,
                         strerror(errno),
                         strchr(path, '/') ? ""
                                           : "; `dnabird models` lists those "
                                             "that come with it");
    if (!S_ISDIR(st.st_mode))
        return bird_fail(BIRD_EIO,
                         "%s: not a folder: a model is a folder that holds "
                         "config.json, weights and a tokenizer",
                         path);
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

#define N_OF(a) (int)(sizeof(a) / sizeof(*(a)))

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
    return other->read ? other->read(&f->config, f->meta, path) : 0;
}

/* For each label the label that it becomes on the other strand; applying this
 * map twice gives the label itself. */
static int read_pairs(struct bird_folder *f, const char *path)
{
    json_t *list = json_object_get(f->meta, "strand_pair");
    int64_t n = f->config.n_label;
    int32_t *pair;
    int rc;

    if (!list || json_is_null(list))
        return 0;
    if ((int64_t)json_array_size(list) != n)
        return bird_fail(BIRD_EFORMAT,
                         "%s: 'strand_pair' has %zu entries for %lld labels",
                         path, json_array_size(list), (long long)n);
    rc = bird_array_new(&pair, n, sizeof(*pair));
    if (rc)
        return rc;
    f->strand_pair = pair;
    for (int64_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, (size_t)i);
        json_int_t k = json_is_integer(v) ? json_integer_value(v) : -1;

        pair[i] = k >= 0 && k < n ? (int32_t)k : -1;
    }
    for (int64_t i = 0; i < n; i++)
        if (pair[i] < 0 || pair[pair[i]] != i)
            return bird_fail(BIRD_EFORMAT,
                             "%s: 'strand_pair' of label %lld: labels are "
                             "numbers from 0, and of a pair each names the "
                             "other",
                             path, (long long)i);
    return 0;
}

/* Mean and standard deviation of each measured value. */
static int read_quantities(struct bird_folder *f, const char *path)
{
    json_t *list = json_object_get(f->meta, "targets");
    int64_t n = f->config.n_label;
    int rc;

    if (!list || json_is_null(list))
        return 0;
    if (!json_is_array(list) || (int64_t)json_array_size(list) != n)
        return bird_fail(BIRD_EFORMAT,
                         "%s: 'targets' is not a list with an entry for each "
                         "of the %lld labels of config.json",
                         path, (long long)n);
    rc = bird_array_new(&f->quantity, n, sizeof(*f->quantity));
    for (int64_t i = 0; !rc && i < n; i++) {
        const json_t *j = json_array_get(list, (size_t)i);
        struct bird_quantity q = {json_number_value(json_object_get(j, "mean")),
                                  json_number_value(json_object_get(j, "sd"))};

        if (!json_is_number(json_object_get(j, "mean")) || !(q.sd > 0) ||
            !isfinite(q.sd) || !isfinite(q.mean))
            rc = bird_fail(BIRD_EFORMAT,
                           "%s: 'targets' %lld needs numbers 'mean' and 'sd', "
                           "the latter above 0",
                           path, (long long)i);
        f->quantity[i] = q;
    }
    return rc;
}

static int check_texts(const json_t *list, const char *field, const char *path)
{
    if (!json_is_array(list))
        return bird_fail(BIRD_EFORMAT, "%s: '%s' is not a list", path, field);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return bird_fail(BIRD_EFORMAT,
                             "%s: '%s' has an entry that is not a text", path,
                             field);
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

static int is_label(const struct bird_folder *f, const json_t *name)
{
    const json_t *other;
    size_t i;

    json_array_foreach(f->labels, i, other)
    {
        if (json_equal(name, other))
            return 1;
    }
    return 0;
}

/* Which labels each command uses: every one is a label of the model. */
static int check_commands(const struct bird_folder *f, const char *path)
{
    json_t *commands = json_object_get(f->meta, "commands"), *list;
    const char *command;
    int rc = 0;

    if (commands && !json_is_null(commands) && !json_is_object(commands))
        return bird_fail(BIRD_EFORMAT, "%s: 'commands' is not an object", path);
    json_object_foreach(commands, command, list)
    {
        const json_t *name;
        size_t i;

        rc = check_texts(list, command, path);
        json_array_foreach(list, i, name)
        {
            if (!rc && !is_label(f, name))
                rc = bird_fail(BIRD_EFORMAT,
                               "%s: 'commands': '%.60s' names '%.60s', which "
                               "is no label of the model",
                               path, command, json_string_value(name));
        }
        if (rc)
            return rc;
    }
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
    json_object_foreach(contigs, name, v)
    {
        if (!json_is_integer(v) || json_integer_value(v) < 1)
            return bird_fail(BIRD_EFORMAT,
                             "%s: the length of contig '%.60s' is not a number "
                             "of bases",
                             path, name);
    }
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
    const char *strand = NULL;
    int rc = read_version(f->meta, path);

    if (!rc && f->tensors) /* without weights the head may be unknown */
        rc = read_head(f, path);
    if (!rc)
        rc = bird_pattern_read(&f->config.pattern, f->meta, BIRD_PATTERN_META,
                               path);
    if (!rc)
        rc = bird_prob_map_read(&f->config.map, f->meta, path);
    if (!rc)
        rc = bird_stem_read(&f->config, f->meta, path);
    if (!rc && f->config.head->check)
        rc = f->config.head->check(&f->config, path);
    if (!rc)
        rc = bird_json_bool(&f->config.branch_scale, f->meta, "branch_scale",
                            path);
    if (!rc)
        rc = read_labels(f, path);
    if (!rc)
        rc = read_pairs(f, path);
    if (!rc)
        rc = read_quantities(f, path);
    if (!rc)
        rc = check_commands(f, path);
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
    if (json_is_string(json_object_get(f->meta, "random_blocks")))
        snprintf(f->random_why, sizeof(f->random_why), "dnabird.json says so");
    return 0;
}

/* The release in which evaluation stopped using the plan is 4.29. */
static void random_by_version(struct bird_folder *f)
{
    const char *version = f->config.transformers_version;
    int major = 0, minor = 0;

    f->random_by_age = 1;
    f->config.pattern.random = BIRD_RANDOM_PLAN;
    if (!version[0] || sscanf(version, "%d.%d", &major, &minor) != 2) {
        snprintf(f->random_why, sizeof(f->random_why),
                 "config.json names no release of transformers");
        return;
    }
    if (major > 4 || (major == 4 && minor > 28))
        f->config.pattern.random = BIRD_RANDOM_ZERO;
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

    if (!f->config.n_layer && !f->config.n_stem)
        return bird_fail(BIRD_EFORMAT,
                         "%s: 'num_hidden_layers' is 0, and dnabird.json has "
                         "no stem",
                         path);
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

    if (r->token_type >= c->type_vocab_size)
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
                                   : "a model that answers in bins");
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

int bird_model_notice(char **out, const char *folder, const bird_model_run *r)
{
    struct bird_folder f = {0};
    struct bird_text t = {0};
    const struct bird_config *c = &f.config;
    int rc = bird_folder_open_config(&f, folder);
    struct bird_pattern pattern;

    pattern = bird_pattern_of(c);
    /* if full attention is used up to the longest input, random blocks never
 * occur */
    if (!rc && r->blocks == BIRD_BLOCKS_AS_MODEL && f.random_by_age &&
        pattern.row->has_random && pattern.n_random > 0 &&
        !bird_pattern_is_full(&pattern, c->max_positions))
        rc = tell_blocks(&t, &f);
    bird_folder_free(&f);
    if (rc)
        bird_text_free(&t);
    else
        *out = t.s;
    return rc;
}
