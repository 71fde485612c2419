/* Folders with random weights; where shipped ones lie.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/stage.h"
#include "base/text.h"
#include "dnabird/model.h"
#include "dnabird/tokenizer.h"
#include "model/data_paths.h"
#include "model/feature.h"
#include "model/folder.h"

void bird_model_init_options_default(bird_model_init_options *o)
{
    *o = (bird_model_init_options){
        .preset = "tiny", .random = "plan", .head = "cls", .seed = 1};
}

/* Id of the first of two spellings that the vocabulary has; -1: neither. */
static int64_t token_id(const bird_tokenizer *t, const char *a, const char *b)
{
    int32_t id = bird_tokenizer_id(t, a);

    return id >= 0 ? id : bird_tokenizer_id(t, b);
}

static int take_tokenizer(struct bird_config *c, const char *path)
{
    bird_tokenizer *t = NULL;
    int rc = bird_tokenizer_open(&t, path);

    if (rc)
        return rc;
    c->vocab_size = bird_tokenizer_count(t);
    c->pad_id = token_id(t, "[PAD]", "<pad>");
    c->cls_id = token_id(t, "[CLS]", "<s>");
    c->sep_id = token_id(t, "[SEP]", "</s>");
    c->bos_id = c->eos_id = -1;
    bird_tokenizer_free(t);
    return 0;
}

int bird_parts_read(int *out, const char *list)
{
    char name[16];
    int parts = 0;

    for (const char *s = list; s; s = strchr(s, ',')) {
        s += *s == ',';
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(s, ","), s);
        if (!bird_parts_find(&parts, name))
            return bird_fail(BIRD_EINVAL,
                             "attention part '%.15s': give global, window or "
                             "random, with commas between them",
                             name);
    }
    *out = parts;
    return 0;
}

static int take_pattern(struct bird_config *c, const bird_model_init_options *o)
{
    if (!bird_random_find(&c->random, o->random))
        return bird_fail(BIRD_EINVAL,
                         "random blocks '%.20s': give plan, zero, none or "
                         "uniform",
                         o->random);
    c->pattern_seed = o->pattern_seed;
    c->parts = BIRD_PARTS_ALL;
    return o->parts ? bird_parts_read(&c->parts, o->parts) : 0;
}

static int read_config(struct bird_config *c, const char *path)
{
    json_t *root = NULL;
    int rc = bird_json_open(&root, path);

    if (!rc)
        rc = bird_config_read(c, root, path);
    json_decref(root);
    return rc;
}

/* Labels from "class:name,name" or a number. */
static int take_labels(bird_features *out, const char *text)
{
    bird_features all = {0};
    int64_t n = 0;
    int counted = text && !bird_parse_int(&n, text), rc = 0;

    if (counted && (n < 1 || n > 1 << 20))
        return bird_fail(BIRD_EINVAL, "%lld labels: give 1 to %d", (long long)n,
                         1 << 20);
    for (int64_t i = 0; !rc && text && (counted ? i < n : *text != '\0'); i++) {
        char class_name[64] = "", name[128];
        bird_feature x = {.name = name, .class_name = class_name, .index = -1};
        int m = (int)strcspn(text, ","), k = (int)strcspn(text, ":,");

        if (counted) {
            snprintf(name, sizeof(name), "label_%lld", (long long)i);
        } else {
            if (k < m) {
                snprintf(class_name, sizeof(class_name), "%.*s", k, text);
                text += k + 1;
                m -= k + 1;
            }
            snprintf(name, sizeof(name), "%.*s", m, text);
            text += m + (text[m] == ',');
        }
        rc = *name ? bird_features_put(&all, &x)
                   : bird_fail(BIRD_EINVAL, "a label without a name");
    }
    if (rc)
        bird_features_free(&all);
    else
        *out = all;
    return rc;
}

static int take_head(struct bird_config *c, const char *name, int64_t n_label)
{
    c->head = bird_head_by_option(name);
    c->problem = BIRD_PROBLEM_MULTI_LABEL;
    c->n_label = n_label;
    return c->head ? 0 : bird_fail(BIRD_EINVAL, "unknown head '%.40s'", name);
}

static int make_config(struct bird_config *c, const bird_model_init_options *o)
{
    int rc = o->config ? read_config(c, o->config)
                       : bird_config_preset(c, o->preset);

    if (!rc)
        rc = take_pattern(c, o);

    if (!rc && o->positions) {
        if (o->positions < 0 || o->positions % c->block_size)
            return bird_fail(BIRD_EINVAL,
                             "%lld positions are no multiple of the block "
                             "size, which is %lld",
                             (long long)o->positions, (long long)c->block_size);
        c->max_positions = o->positions;
    }
    if (!rc && o->tokenizer)
        rc = take_tokenizer(c, o->tokenizer);
    return rc ? rc : bird_config_check(c, "init");
}

int bird_folder_vacant(const char *folder)
{
    char *path = NULL;
    int rc = bird_path_join(&path, folder, "config.json");

    if (!rc && bird_file_exists(path))
        rc = bird_fail(BIRD_EINVAL, "%s: holds a model already", folder);
    free(path);
    return rc;
}

static json_t *provenance(const bird_model_init_options *o)
{
    return json_pack("{s:{s:s, s:s, s:I}}", "provenance", "made_by",
                     "dnabird init: random weights, nothing learned",
                     o->config ? "config" : "preset",
                     o->config ? o->config : o->preset, "seed",
                     (json_int_t)o->seed);
}

/* What dnabird.json says; NULL: out of memory. */
static json_t *describe(const bird_model_init_options *o,
                        const bird_features *labels)
{
    json_t *meta = provenance(o);

    if (meta &&
        ((labels->n && bird_features_describe(meta, labels)) ||
         (o->window_bp && json_object_set_new(meta, "window_bp",
                                              json_integer(o->window_bp))))) {
        json_decref(meta);
        meta = NULL;
    }
    return meta;
}

int bird_model_init(const char *folder, const bird_model_init_options *o)
{
    struct bird_config c;
    struct bird_param *list = NULL;
    float *block = NULL;
    int64_t n = 0, total = 0;
    struct bird_stage stage = {0};
    bird_features labels = {0};
    json_t *meta = NULL;
    int rc = make_config(&c, o);

    if (!rc)
        rc = take_labels(&labels, o->labels);
    if (!rc && labels.n)
        rc = take_head(&c, o->head, labels.n);
    if (!rc)
        rc = bird_folder_vacant(folder);
    if (!rc)
        rc = bird_params_list(&list, &n, &total, &c);
    if (!rc)
        rc = bird_array_new(&block, total, sizeof(*block));
    if (!rc) {
        struct bird_folder_parts parts = {.config = &c,
                                          .tokenizer = o->tokenizer,
                                          .block = block,
                                          .list = list,
                                          .n = n,
                                          .dtype = BIRD_F32};

        bird_params_init(block, list, n, &c, o->seed, NULL);
        meta = describe(o, &labels);
        parts.meta = meta;
        rc = meta ? bird_stage_open(&stage, folder, NULL) : bird_fail_memory(0);
        if (!rc)
            rc = bird_folder_write(stage.path, &parts);
        if (!rc)
            rc = bird_stage_commit(&stage);
        bird_stage_abort(&stage);
    }
    json_decref(meta);
    bird_features_free(&labels);
    free(list);
    free(block);
    return rc;
}

static int is_folder(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int bird_default_model(char **out, const char *name)
{
    const char *const roots[] = {getenv("DNABIRD_DATA"), BIRD_INSTALLED_DATA,
                                 BIRD_SOURCE_DATA};
    struct bird_text path = {0};
    int rc = 0;

    if (!name[0] || strchr(name, '/') || name[0] == '.')
        return bird_fail(BIRD_EINVAL, "'%s' is not the name of a model", name);
    for (int i = 0; !rc && i < 3; i++) {
        if (!roots[i] || !roots[i][0])
            continue;
        bird_text_clear(&path);
        rc = bird_text_printf(&path, "%s/models/%s", roots[i], name);
        if (!rc && is_folder(path.s)) {
            *out = path.s;
            return 0;
        }
    }
    bird_text_free(&path);
    if (!rc)
        rc = bird_fail(BIRD_EIO,
                       "the model '%s' is neither in $DNABIRD_DATA/models nor "
                       "in %s/models: give a model folder (-m), or set "
                       "DNABIRD_DATA",
                       name, BIRD_INSTALLED_DATA);
    return rc;
}
