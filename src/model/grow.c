/* A model's folder for longer sequences, another attention or more features.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "dnabird/model.h"
#include "model/folder.h"

/* As many copies of a feature at most. */
#define MOST_TIMES 16

void bird_model_grow_options_default(bird_model_grow_options *o)
{
    *o = (bird_model_grow_options){0};
}

/* The features, heads and hidden units, `times` as many. */
static int widen(struct bird_config *c, int64_t times)
{
    if (times < 1 || times > MOST_TIMES)
        return bird_fail(BIRD_EINVAL, "%lld times the features: give 1 to %d",
                         (long long)times, MOST_TIMES);
    c->hidden_size *= times;
    c->n_head *= times;
    c->intermediate_size *= times;
    return BIRD_OK;
}

/* The configuration that is wanted, from the model's own. */
static int change_config(struct bird_config *c,
                         const bird_model_grow_options *o)
{
    if (o->block_size)
        c->block_size = o->block_size;
    if (o->positions) {
        if (o->positions < c->max_positions)
            return bird_fail(
                BIRD_EINVAL, "%lld positions are fewer than the model's %lld",
                (long long)o->positions, (long long)c->max_positions);
        c->max_positions = o->positions;
    }
    if (c->block_size < 1 || c->max_positions % c->block_size)
        return bird_fail(BIRD_EINVAL,
                         "%lld positions are no multiple of the block size, "
                         "which is %lld",
                         (long long)c->max_positions, (long long)c->block_size);
    if (o->random && !bird_random_find(&c->random, o->random))
        return bird_fail(BIRD_EINVAL,
                         "random blocks '%.20s': give plan, zero, none or "
                         "uniform",
                         o->random);
    if (o->pattern_seed)
        c->pattern_seed = o->pattern_seed;
    if (o->parts && !strcmp(o->parts, "full"))
        c->attention = BIRD_ATTENTION_FULL;
    else if (o->parts && bird_parts_read(&c->parts, o->parts))
        return BIRD_EINVAL;
    if (o->widen && widen(c, o->widen))
        return BIRD_EINVAL;
    return bird_config_check(c, "grow");
}

/* Shares of a weight for the copies of its input: they differ, so that the
 * copies learn differently, and add up to one, so that nothing changes. */
static void draw_shares(double *share, int64_t times, struct bird_rng *rng)
{
    double mean = 0;

    for (int64_t c = 0; c < times; c++) {
        share[c] = bird_rng_uniform(rng);
        mean += share[c] / (double)times;
    }
    for (int64_t c = 0; c < times; c++)
        share[c] = (1 + share[c] - mean) / (double)times;
}

/* Feature j of the wide model is a copy of feature j mod n of the model's n;
 * heads, whose features lie side by side, are copied with them. */
static void widen_linear(float *to, const struct bird_param *p,
                         const float *from, const struct bird_param *have,
                         struct bird_rng *rng)
{
    int64_t in = have->shape[1], times = p->shape[1] / in;
    double share[MOST_TIMES];

    for (int64_t row = 0; row < p->shape[0]; row++) {
        for (int64_t i = 0; i < in; i++) {
            double w = (double)from[row % have->shape[0] * in + i];

            draw_shares(share, times, rng);
            for (int64_t c = 0; c < times; c++)
                to[row * p->shape[1] + c * in + i] = (float)(w * share[c]);
        }
    }
}

/* Rows again and again, and columns. */
static void repeat(float *to, const struct bird_param *p, const float *from,
                   const struct bird_param *have)
{
    for (int64_t row = 0; row < p->shape[0]; row++)
        for (int64_t j = 0; j < p->shape[1]; j++)
            to[row * p->shape[1] + j] =
                from[row % have->shape[0] * have->shape[1] +
                     j % have->shape[1]];
}

/* Embeddings that are also the decoder's weights cannot share out a sum over
 * `times` as many features: the LayerNorm before them does. */
static int before_tied_decoder(const struct bird_config *c,
                               const struct bird_param *p)
{
    return c->tie_word_embeddings &&
           !strncmp(p->name, "cls.predictions.transform.LayerNorm.",
                    strlen("cls.predictions.transform.LayerNorm."));
}

static int make_weights(float **block, struct bird_param **list, int64_t *n,
                        const struct bird_config *c,
                        const struct bird_folder *from)
{
    int64_t times = c->hidden_size / from->config.hidden_size;
    float *old = NULL, *b = NULL;
    struct bird_param *p = NULL, *q = NULL;
    int64_t n_old = 0, count = 0, total = 0, size = 0;
    int rc = bird_folder_weights(&old, &q, &n_old, &total, from);

    if (!rc)
        rc = bird_params_list(&p, &count, &size, c);
    if (!rc)
        rc = bird_array_new(&b, size, sizeof(*b));
    for (int64_t i = 0; !rc && i < count; i++) {
        const struct bird_param *have = bird_params_find(q, n_old, p[i].name);
        struct bird_rng rng;

        bird_rng_init(&rng, 1, 0, (uint64_t)i);
        if (p[i].kind == BIRD_PARAM_WEIGHT && times > 1)
            widen_linear(b + p[i].offset, p + i, old + have->offset, have,
                         &rng);
        else
            repeat(b + p[i].offset, p + i, old + have->offset, have);
        for (int64_t j = 0; before_tied_decoder(c, p + i) && j < p[i].count;
             j++)
            b[p[i].offset + j] /= (float)times;
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
        /* What was measured was measured of the model as it was. */
        json_object_del(meta, "run");
        json_object_del(meta, "thresholds");
        json_object_del(meta, "calibration");
        /* Said again by the configuration, where it is not the usual. */
        json_object_del(meta, "attention_parts");
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
    int rc = bird_folder_vacant(folder);

    if (!rc)
        rc = bird_folder_open_intact(&from, model);
    if (!rc) {
        c = from.config;
        rc = change_config(&c, o);
    }
    if (!rc)
        rc = make_weights(&block, &list, &n, &c, &from);
    if (!rc) {
        struct bird_folder_parts parts = {.config = &c,
                                          .tokenizer = from.tokenizer,
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
