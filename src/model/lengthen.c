/* A model's folder for longer sequences or another pattern of attention.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stage.h"
#include "dnabird/model.h"
#include "model/folder.h"

void bird_model_lengthen_options_default(bird_model_lengthen_options *o)
{
    *o = (bird_model_lengthen_options){0};
}

/* The configuration that is wanted, from the model's own. */
static int change_config(struct bird_config *c,
                         const bird_model_lengthen_options *o)
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
    if (o->parts && !strcmp(o->parts, "full"))
        c->attention = BIRD_ATTENTION_FULL;
    else if (o->parts && bird_parts_read(&c->parts, o->parts))
        return BIRD_EINVAL;
    return bird_config_check(c, "lengthen");
}

/* Every tensor as it is; the position embedding's rows again and again. */
static int make_weights(float **block, struct bird_param **list, int64_t *n,
                        const struct bird_config *c,
                        const struct bird_folder *from)
{
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

        if (have->count == p[i].count) {
            memcpy(b + p[i].offset, old + have->offset,
                   (size_t)have->count * sizeof(*b));
            continue;
        }
        for (int64_t row = 0; row < p[i].shape[0]; row++)
            memcpy(b + p[i].offset + row * p[i].shape[1],
                   old + have->offset + row % have->shape[0] * have->shape[1],
                   (size_t)have->shape[1] * sizeof(*b));
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
    int rc = meta ? bird_stage_open(&stage, to) : bird_fail_memory(0);

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
        rc = bird_stage_commit(&stage, "dnabird.json");
    bird_stage_abort(&stage);
    json_decref(meta);
    return rc;
}

int bird_model_lengthen(const char *folder, const char *model,
                        const bird_model_lengthen_options *o)
{
    struct bird_folder from = {0};
    struct bird_config c;
    struct bird_param *list = NULL;
    float *block = NULL;
    int64_t n = 0;
    int rc = bird_folder_vacant(folder);

    if (!rc)
        rc = bird_folder_open(&from, model);
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
