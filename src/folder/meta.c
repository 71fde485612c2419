/* Fields of dnabird.json, and what follows for a folder that lacks them.
 *
 * Each field is checked for its type when it is read; labels and random blocks
 * that dnabird.json does not name come from config.json.
 * SPDX-License-Identifier: MIT */
#include "folder/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "dnabird/model.h"
#include "folder/tensors.h"
#include "head/head.h"
#include "model/stem.h"

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

/* What the answers of a model of measured values are. */
static int read_output(struct bird_folder *f, const char *path)
{
    struct bird_config *c = &f->config;
    const char *name = NULL;
    int rc = bird_json_text(&name, f->meta, "output", path);

    if (rc || !name)
        return rc;
    if (strcmp(name, "gaussian") != 0)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: output '%.60s' is not supported", path, name);
    if (c->problem != BIRD_PROBLEM_REGRESSION || c->n_label % 2)
        return bird_fail(BIRD_EFORMAT,
                         "%s: output 'gaussian' is that of a regression on two "
                         "labels for each value, which config.json is not",
                         path);
    c->problem = BIRD_PROBLEM_GAUSSIAN;
    return 0;
}

/* Mean and standard deviation of each measured value. */
static int read_quantities(struct bird_folder *f, const char *path)
{
    json_t *list = json_object_get(f->meta, "targets");
    int64_t n = bird_head_targets(&f->config);
    int rc;

    if (!list || json_is_null(list))
        return 0;
    if (!json_is_array(list) || (int64_t)json_array_size(list) != n)
        return bird_fail(BIRD_EFORMAT,
                         "%s: 'targets' is not a list with an entry for each "
                         "of the %lld values of config.json",
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
                               "is not a label of the model",
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
        rc = read_output(f, path);
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
    if (!rc && strand && strcmp(strand, "given") != 0 &&
        strcmp(strand, "both") != 0)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: 'strand' is '%.40s', neither given nor both", path,
                       strand);
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

/* NULL when the keys are not 0 .. n-1. */
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

int bird_meta_labels(json_t **out, const json_t *config, int64_t n,
                     const char *path)
{
    const json_t *id2label = json_object_get(config, "id2label");

    *out = NULL;
    if (!json_is_object(id2label))
        return 0;
    *out = labels_of(id2label, n);
    return *out ? 0
                : bird_fail(BIRD_EFORMAT,
                            "%s: the keys of 'id2label' are not 0 to %lld",
                            path, (long long)n - 1);
}

int bird_meta_complete(struct bird_folder *f, const json_t *config,
                       const char *path)
{
    if (!f->config.n_layer && !f->config.n_stem)
        return bird_fail(BIRD_EFORMAT,
                         "%s: 'num_hidden_layers' is 0, and dnabird.json has "
                         "no stem",
                         path);
    if (!f->random_why[0])
        random_by_version(f);
    return f->labels
               ? 0
               : bird_meta_labels(&f->labels, config, f->config.n_label, path);
}
