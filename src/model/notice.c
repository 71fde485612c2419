/* How a model is run, and what its user should know of that.
 * SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "base/text.h"
#include "dnabird/model.h"
#include "model/folder.h"

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

/* A release that wrote config.json tells when a model was trained only if
 * nobody saved it again. */
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
    /* inputs that are never long enough have no random blocks */
    if (!rc && r->blocks == BIRD_BLOCKS_AS_MODEL && f.random_by_age &&
        pattern.row->draws && pattern.n_random > 0 &&
        !bird_pattern_is_full(&pattern, c->max_positions))
        rc = tell_blocks(&t, &f);
    bird_folder_free(&f);
    if (rc)
        bird_text_free(&t);
    else
        *out = t.s;
    return rc;
}
