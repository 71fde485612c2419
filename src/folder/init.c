/* New model folders: random weights, or the weights of another model adapted to
 * longer sequences, another attention pattern or more features; and the search
 * for shipped models.
 *
 * A grown model gives the same answers to sequences that the old one could
 * read: rows of the position embedding are repeated, features are copied, and
 * weights that sum over features are divided among the copies (Net2Net).
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/stage.h"
#include "base/text.h"
#include "dnabird/model.h"
#include "dnabird/tokenizer.h"
#include "folder/feature.h"
#include "folder/folder.h"
#include "folder/motif_filters.h"
#include "head/head.h"
#include "model/stem.h"

void bird_model_init_options_default(bird_model_init_options *o)
{
    *o = (bird_model_init_options){.preset = "tiny",
                                   .head = "cls",
                                   .bin_bp = 200,
                                   .layers = -1,
                                   .branch_scale = (double)NAN,
                                   .seed = 1};
}

/* Id of the first of two spellings that is in the vocabulary; -1: neither. */
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
    rc = bird_config_check_tokenizer(c, t, path);
    bird_tokenizer_free(t);
    return rc;
}

static int read_config(struct bird_config *c, json_t **names, const char *path)
{
    json_t *root = NULL;
    int rc = bird_json_open(&root, path);

    if (!rc)
        rc = bird_config_read(c, root, path);
    if (!rc)
        rc = bird_meta_labels(names, root, c->n_label, path);
    json_decref(root);
    return rc;
}

/* The first filters of the stem from motifs, where the options say so. */
static int take_motifs(float *block, const struct bird_param *list, int64_t n,
                       const struct bird_config *c,
                       const bird_model_init_options *o)
{
    bird_tokenizer *t = NULL;
    int rc;

    if (!o->motifs)
        return 0;
    rc = o->tokenizer ? bird_tokenizer_open(&t, o->tokenizer) : 0;
    if (!rc)
        rc = bird_motif_filters(block, list, n, c, t, o->motifs, o->seed);
    bird_tokenizer_free(t);
    return rc;
}

/* Label i of a number of labels. */
static int put_counted(bird_features *all, int64_t i)
{
    char name[32];

    snprintf(name, sizeof(name), "label_%lld", (long long)i);
    return bird_features_put(all, &(bird_feature){.name = name, .index = -1});
}

/* The label "class:name" or "name" at the start of the text, before a comma. */
static int put_named(bird_features *all, const char *text)
{
    size_t m = strcspn(text, ","), k = strcspn(text, ":,");
    size_t from = k < m ? k + 1 : 0;
    char *class_name = strndup(text, k < m ? k : 0);
    char *name = strndup(text + from, m - from);
    bird_feature x = {.name = name, .class_name = class_name, .index = -1};
    int rc = !name || !class_name ? bird_fail_memory(m)
             : *name
                 ? bird_features_put(all, &x)
                 : bird_fail(BIRD_EINVAL,
                             "a label without a name: give names, separated "
                             "by commas, or their number");

    for (int64_t i = 0; !rc && i < all->n - 1; i++)
        if (!strcmp(all->at[i].name, name))
            rc = bird_fail(BIRD_EINVAL, "two labels are named '%.80s'", name);
    free(name);
    free(class_name);
    return rc;
}

/* Labels from "class:name,name" or a number. */
static int take_labels(bird_features *out, const char *text)
{
    bird_features all = {0};
    int64_t n = 0;
    int rc = 0;

    if (text && !bird_parse_int(&n, text)) {
        if (n < 1 || n > 1 << 20)
            return bird_fail(BIRD_EINVAL, "%lld labels: use 1 to %d",
                             (long long)n, 1 << 20);
        for (int64_t i = 0; !rc && i < n; i++)
            rc = put_counted(&all, i);
    } else if (text) {
        do {
            rc = put_named(&all, text);
            text += strcspn(text, ",");
            text += *text == ',';
        } while (!rc && *text);
    }
    if (rc)
        bird_features_free(&all);
    else
        *out = all;
    return rc;
}

static int take_head(struct bird_config *c, const bird_model_init_options *o,
                     int64_t n_label)
{
    c->head = bird_head_by_option(o->head);
    c->n_label = n_label;
    if (!c->head)
        return bird_fail(BIRD_EINVAL, "unknown head '%.40s'",
                         o->head ? o->head : "");
    c->problem = bird_head_classifies_tokens(c->head)
                     ? BIRD_PROBLEM_SINGLE_LABEL
                     : BIRD_PROBLEM_MULTI_LABEL;
    c->bin_bp = bird_head_has_bins(c) ? o->bin_bp : 0;
    return 0; /* checked with the stem */
}

/* names: of the configuration's labels, the caller's, or NULL. */
static int make_config(struct bird_config *c, json_t **names,
                       const bird_model_init_options *o)
{
    int rc = o->config ? read_config(c, names, o->config)
                       : bird_config_preset(c, o->preset);

    c->own = 0; /* what a configuration's folder had is not in it */
    if (!rc)
        rc = bird_config_attention(c, o->pattern, o->random, o->parts,
                                   o->pattern_seed, o->map);
    if (!rc && o->positions) {
        if (o->positions < 0 || o->positions % c->pattern.block)
            return bird_fail(BIRD_EINVAL,
                             "%lld positions are not a multiple of the block "
                             "size, which is %lld",
                             (long long)o->positions,
                             (long long)c->pattern.block);
        c->max_positions = o->positions;
    }
    if (!rc && o->tokenizer)
        rc = take_tokenizer(c, o->tokenizer);
    if (!rc && o->stem)
        rc = bird_stem_parse(c, o->stem);
    if (!rc && o->layers >= 0)
        c->n_layer = o->layers;
    c->branch_scale = !isnan(o->branch_scale);
    return rc;
}

static int check_scale(double scale)
{
    return isnan(scale) || fabs(scale) <= (double)FLT_MAX
               ? 0
               : bird_fail(BIRD_EINVAL, "branches scaled by %g: give a number",
                           scale);
}

/* What a model folder may hold. */
static int check_numbers(const bird_model_init_options *o)
{
    if (o->window_bp < 0 || o->window_bp > INT32_MAX || o->bin_bp > INT32_MAX)
        return bird_fail(
            BIRD_EINVAL, "windows of %lld bp and bins of %lld bp: give 0 to %d",
            (long long)o->window_bp, (long long)o->bin_bp, INT32_MAX);
    return check_scale(o->branch_scale);
}

static int check_vacant(const char *folder)
{
    char *path = NULL;
    int rc = bird_path_join(&path, folder, "config.json");

    if (!rc && bird_file_exists(path))
        rc = bird_fail(BIRD_EINVAL, "%s: already holds a model", folder);
    free(path);
    return rc;
}

static json_t *provenance(const bird_model_init_options *o)
{
    return json_pack("{s:{s:s, s:s, s:s*, s:I}}", "provenance", "made_by",
                     "dnabird init: random weights, nothing learned",
                     o->config ? "config" : "preset",
                     o->config ? o->config : o->preset, "motifs", o->motifs,
                     "seed", (json_int_t)o->seed);
}

/* The contents of dnabird.json; NULL: out of memory. */
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

static int is_scale(const struct bird_param *p)
{
    const char *dot = strrchr(p->name, '.');

    return dot && !strcmp(dot, ".scale");
}

static void set_scales(float *block, const struct bird_param *list, int64_t n,
                       double scale)
{
    for (int64_t i = 0; i < n; i++)
        if (is_scale(list + i))
            block[list[i].offset] = (float)scale;
}

int bird_model_init(const char *folder, const bird_model_init_options *o)
{
    struct bird_config c;
    struct bird_param *list = NULL;
    float *block = NULL;
    int64_t n = 0, total = 0;
    struct bird_stage stage = {0};
    bird_features labels = {0};
    json_t *meta = NULL, *names = NULL;
    int rc = check_numbers(o);

    if (!rc)
        rc = make_config(&c, &names, o);
    if (!rc)
        rc = take_labels(&labels, o->labels);
    if (!rc && labels.n)
        rc = take_head(&c, o, labels.n);
    if (!rc)
        rc = bird_config_check(&c, "init");
    if (!rc)
        rc = check_vacant(folder);
    if (!rc)
        rc = bird_params_list(&list, &n, &total, &c);
    if (!rc)
        rc = bird_array_new(&block, total, sizeof(*block));
    if (!rc) {
        struct bird_folder_parts parts = {.config = &c,
                                          .labels = labels.n ? NULL : names,
                                          .tokenizer = o->tokenizer,
                                          .block = block,
                                          .list = list,
                                          .n = n,
                                          .dtype = BIRD_F32};

        bird_params_init(block, list, n, &c, o->seed, NULL);
        set_scales(block, list, n, o->branch_scale);
        rc = take_motifs(block, list, n, &c, o);
        meta = describe(o, &labels);
        parts.meta = meta;
        if (!rc)
            rc = meta ? bird_stage_open(&stage, folder, NULL)
                      : bird_fail_memory(0);
        if (!rc)
            rc = bird_folder_write(stage.path, &parts);
        if (!rc)
            rc = bird_stage_commit(&stage);
        bird_stage_abort(&stage);
    }
    json_decref(meta);
    json_decref(names);
    bird_features_free(&labels);
    free(list);
    free(block);
    return rc;
}

/* Largest number of copies of a feature. */
#define MOST_TIMES 16

void bird_model_grow_options_default(bird_model_grow_options *o)
{
    *o = (bird_model_grow_options){.layers = -1, .branch_scale = (double)NAN};
}

/* Multiply the numbers of features, heads and hidden units by `times`. */
static int widen(struct bird_config *c, int64_t times)
{
    if (times < 1 || times > MOST_TIMES)
        return bird_fail(BIRD_EINVAL, "%lld times the features: use 1 to %d",
                         (long long)times, MOST_TIMES);
    c->hidden_size *= times;
    c->n_head *= times;
    c->intermediate_size *= times;
    return BIRD_OK;
}

/* Number of global tokens that are added to the model. */
static int64_t more_global(const struct bird_config *c,
                           const struct bird_folder *from)
{
    return bird_pattern_global_tokens(&c->pattern) -
           bird_pattern_global_tokens(&from->config.pattern);
}

/* Add global tokens: their positions come before the model's own, their
 * entries of the vocabulary after them. */
static int add_global(struct bird_config *c, const struct bird_folder *from,
                      const bird_model_grow_options *o)
{
    int64_t had = bird_pattern_global_tokens(&from->config.pattern), count;
    int64_t more = more_global(c, from);
    bird_tokenizer *t = NULL;
    int rc;

    if (!more)
        return 0;
    if (had)
        return bird_fail(BIRD_EINVAL,
                         "%s: its tokenizer puts %lld global tokens before a "
                         "text: their number cannot be changed, only etc with "
                         "global=%lld can be its pattern",
                         from->path, (long long)had, (long long)had);
    if (!from->tokenizer)
        return bird_fail(BIRD_EINVAL,
                         "%s: no tokenizer.json that global tokens could be "
                         "added to",
                         from->path);
    if (o->widen)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: add global tokens and features one after the "
                         "other",
                         from->path);
    if (!o->positions)
        c->max_positions += more;
    else if (o->positions < from->config.max_positions + more)
        return bird_fail(
            BIRD_EINVAL,
            "%lld positions are fewer than the model's %lld and %lld global "
            "tokens",
            (long long)o->positions, (long long)from->config.max_positions,
            (long long)more);
    if ((rc = bird_tokenizer_open(&t, from->tokenizer)))
        return rc;
    count = bird_tokenizer_count(t) + more;
    bird_tokenizer_free(t);
    if (count > c->vocab_size)
        c->vocab_size = count;
    return 0;
}

/* Make the new configuration from the old model's. */
static int change_config(struct bird_config *c, const struct bird_folder *from,
                         const bird_model_grow_options *o)
{
    int rc;

    if (o->block_size)
        c->pattern.block = o->block_size;
    if (o->positions) {
        if (o->positions < c->max_positions)
            return bird_fail(
                BIRD_EINVAL, "%lld positions are fewer than the model's %lld",
                (long long)o->positions, (long long)c->max_positions);
        c->max_positions = o->positions;
    }
    if (bird_config_attention(c, o->pattern, o->random, o->parts,
                              o->pattern_seed, o->map))
        return BIRD_EINVAL;
    if ((rc = add_global(c, from, o)))
        return rc;
    if (c->pattern.block < 1 || c->max_positions % c->pattern.block)
        return bird_fail(BIRD_EINVAL,
                         "%lld positions are not a multiple of the block size, "
                         "which is %lld",
                         (long long)c->max_positions,
                         (long long)c->pattern.block);
    if (o->widen && c->n_stem)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "a model with a stem cannot be widened");
    if (o->widen && widen(c, o->widen))
        return BIRD_EINVAL;
    if (o->layers >= 0 && o->layers < c->n_layer)
        return bird_fail(BIRD_EINVAL,
                         "%lld layers are fewer than the model's %lld",
                         (long long)o->layers, (long long)c->n_layer);
    if (o->layers >= 0)
        c->n_layer = o->layers;
    if (!isnan(o->branch_scale))
        c->branch_scale = 1;
    return bird_config_check(c, "grow");
}

/* Shares of a weight for the copies of its input. They differ, so that the
 * copies learn differently, and add up to one, so that the sum over the copies
 * is unchanged. */
static void random_shares(double *share, int64_t times, struct bird_rng *rng)
{
    double mean = 0;

    for (int64_t c = 0; c < times; c++) {
        share[c] = bird_rng_uniform(rng);
        mean += share[c] / (double)times;
    }
    for (int64_t c = 0; c < times; c++)
        share[c] = (1 + share[c] - mean) / (double)times;
}

/* Number of vectors of the hidden size, end to end, that a tensor's row is
 * about: a head of maximum and mean reads two. */
static int64_t vectors_of(const struct bird_config *c,
                          const struct bird_param *p)
{
    return c->head->wide > 1 && !strcmp(p->name, "classifier.weight")
               ? c->head->wide
               : 1;
}

/* Feature j of the wide model is a copy of feature j mod n of the model's n;
 * heads, whose features lie side by side, are copied with them. A row of
 * several vectors has the copies of the first one before the second. */
static void widen_linear(float *to, const struct bird_param *p,
                         const float *from, const struct bird_param *have,
                         int64_t vectors, struct bird_rng *rng)
{
    int64_t in = have->shape[1], times = p->shape[1] / in, n = in / vectors;
    double share[MOST_TIMES];

    for (int64_t row = 0; row < p->shape[0]; row++) {
        for (int64_t i = 0; i < in; i++) {
            double w = (double)from[row % have->shape[0] * in + i];

            random_shares(share, times, rng);
            for (int64_t c = 0; c < times; c++)
                to[row * p->shape[1] + (i / n * times + c) * n + i % n] =
                    (float)(w * share[c]);
        }
    }
}

/* The row of the old tensor of which a row of the new one is a copy; -1: the
 * row is new. Positions of added global tokens come before all others, their
 * vocabulary entries after all others. Positions of the old global tokens are
 * not repeated. */
static int64_t row_from(int64_t row, const struct bird_param *have,
                        const struct bird_config *c,
                        const struct bird_folder *from)
{
    static const char *const words[] = {
        "bert.embeddings.word_embeddings.weight",
        "cls.predictions.decoder.weight", "cls.predictions.bias"};
    int64_t had = bird_pattern_global_tokens(&from->config.pattern);
    int64_t now = bird_pattern_global_tokens(&c->pattern);

    if (!strcmp(have->name, "bert.embeddings.position_embeddings.weight")) {
        if (row < now)
            return row < had ? row : -1;
        return had + (row - now) % (have->shape[0] - had);
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (now > had && !strcmp(have->name, words[i]))
            return row < have->shape[0] ? row : -1;
    return row % have->shape[0];
}

/* Copy a row; its columns are repeated to the new width. */
static void repeat(float *to, const struct bird_param *p, const float *from,
                   const struct bird_param *have, int64_t row, int64_t source)
{
    for (int64_t j = 0; j < p->shape[1] && source >= 0; j++)
        to[row * p->shape[1] + j] =
            from[source * have->shape[1] + j % have->shape[1]];
}

/* Embeddings that are also the decoder's weights must be copied undivided, so
 * the decoder's sum over `times` as many features would be `times` as large:
 * the LayerNorm before the decoder is divided instead. */
static int before_tied_decoder(const struct bird_config *c,
                               const struct bird_param *p)
{
    return c->tie_word_embeddings &&
           !strncmp(p->name, "cls.predictions.transform.LayerNorm.",
                    strlen("cls.predictions.transform.LayerNorm."));
}

/* What a copied tensor is divided by. Where words are multiplied by the root of
 * the hidden size, they are divided by the root of `times`; then a tied decoder
 * needs only the other root. */
static float shrink(const struct bird_config *c, const struct bird_param *p,
                    int64_t times)
{
    double words = c->rescale_embeddings ? sqrt((double)times) : 1;

    if (!strcmp(p->name, "bert.embeddings.word_embeddings.weight"))
        return (float)words;
    return before_tied_decoder(c, p) ? (float)((double)times / words) : 1;
}

/* Number of the layer to which a tensor belongs. */
static int64_t layer_of(const struct bird_param *p)
{
    long long layer = -1;

    return sscanf(p->name, "bert.encoder.layer.%lld.", &layer) == 1 ? layer
                                                                    : -1;
}

static int make_weights(float **block, struct bird_param **list, int64_t *n,
                        const struct bird_config *c,
                        const struct bird_folder *from, double scale)
{
    int64_t times = c->hidden_size / from->config.hidden_size;
    int64_t more = more_global(c, from);
    float *old = NULL, *b = NULL;
    struct bird_param *p = NULL, *q = NULL;
    int64_t n_old = 0, count = 0, total = 0, size = 0;
    int rc = bird_folder_weights(&old, &q, &n_old, &total, from);

    if (!rc)
        rc = bird_params_list(&p, &count, &size, c);
    if (!rc)
        rc = bird_array_new(&b, size, sizeof(*b));
    if (!rc)
        /* new tokens get another seed, so that their rows differ from those that
           seed 1 gave the model's positions */
        bird_params_init(b, p, count, c, more ? bird_mix(1, (uint64_t)more) : 1,
                         NULL);
    for (int64_t i = 0; !rc && i < count; i++) {
        const struct bird_param *have = bird_params_find(q, n_old, p[i].name);
        struct bird_rng rng;
        float divisor;

        if (!have) { /* a tensor of an added layer, or a new scale of an old one */
            if (is_scale(p + i) && layer_of(p + i) >= from->config.n_layer &&
                !isnan(scale))
                b[p[i].offset] = (float)scale;
            continue;
        }

        bird_rng_init(&rng, 1, 0, (uint64_t)i);
        if (p[i].kind == BIRD_PARAM_WEIGHT && times > 1)
            widen_linear(b + p[i].offset, p + i, old + have->offset, have,
                         vectors_of(c, p + i), &rng);
        else
            for (int64_t row = 0; row < p[i].shape[0]; row++)
                repeat(b + p[i].offset, p + i, old + have->offset, have, row,
                       row_from(row, have, c, from));
        divisor = shrink(c, p + i, times);
        for (int64_t j = 0; divisor != 1 && j < p[i].count; j++)
            b[p[i].offset + j] /= divisor;
    }
    if (!rc) {
        *block = b, b = NULL;
        *list = p, p = NULL;
        *n = count;
    }
    free(b);
    free(p);
    free(q);
    free(old);
    return rc;
}

static int write_folder(const char *to, const struct bird_folder *from,
                        const struct bird_folder_parts *parts)
{
    struct bird_stage stage = {0};
    json_t *meta = from->meta ? json_deep_copy(from->meta) : json_object();
    struct bird_folder_parts p = *parts;
    int rc = meta ? bird_stage_open(&stage, to, NULL) : bird_fail_memory(0);

    p.meta = meta;
    if (!rc) {
        /* These were measured on the old model. */
        json_object_del(meta, "run");
        json_object_del(meta, "thresholds");
        json_object_del(meta, "calibration");
        json_object_del(meta, "measured");
        /* bird_folder_write() writes these again where they are not the
           default. */
        bird_pattern_forget(meta);
        json_object_del(meta, "attention_map");
        rc = bird_folder_write(stage.path, &p);
    }
    if (!rc)
        rc = bird_stage_commit(&stage);
    bird_stage_abort(&stage);
    json_decref(meta);
    return rc;
}

int bird_model_grow(const char *folder, const char *model,
                    const bird_model_grow_options *o)
{
    struct bird_folder from = {0};
    struct bird_config c;
    struct bird_param *list = NULL;
    float *block = NULL;
    int64_t n = 0;
    int rc = check_scale(o->branch_scale);

    if (!rc)
        rc = check_vacant(folder);
    if (!rc)
        rc = bird_folder_open_intact(&from, model);
    if (!rc) {
        c = from.config;
        rc = change_config(&c, &from, o);
    }
    if (!rc)
        rc = make_weights(&block, &list, &n, &c, &from, o->branch_scale);
    if (!rc) {
        struct bird_folder_parts parts = {.config = &c,
                                          .labels = from.labels,
                                          .tokenizer = from.tokenizer,
                                          .global = more_global(&c, &from),
                                          .block = block,
                                          .list = list,
                                          .n = n,
                                          .dtype = BIRD_F32};

        rc = write_folder(folder, &from, &parts);
    }
    bird_folder_free(&from);
    free(list);
    free(block);
    return rc;
}
