/* From options to configuration and first weights.
 * SPDX-License-Identifier: MIT */
#include "train/start.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

int bird_start_tokenizer(char **path, const char *tokenizer, const char *init)
{
    size_t n = tokenizer ? strlen(tokenizer) + 1 : 0;
    int rc;

    if (!tokenizer)
        return bird_path_join(path, init, "tokenizer.json");
    rc = bird_array_new(path, (int64_t)n, 1);
    if (!rc)
        memcpy(*path, tokenizer, n);
    return rc;
}

static void special(int64_t *id, const bird_tokenizer *t, const char *token)
{
    int32_t k = bird_tokenizer_id(t, token);

    if (k >= 0)
        *id = k;
}

/* The tokenizer decides the vocabulary and the special ids. */
static void fit_to_tokenizer(struct bird_config *c, const bird_tokenizer *t)
{
    c->vocab_size = bird_tokenizer_count(t);
    special(&c->pad_id, t, "[PAD]");
    special(&c->cls_id, t, "[CLS]");
    special(&c->bos_id, t, "[CLS]");
    special(&c->sep_id, t, "[SEP]");
    special(&c->eos_id, t, "[SEP]");
}

static int read_config(struct bird_config *c, const char *path)
{
    json_t *j;
    int rc = bird_json_open(&j, path);

    if (rc)
        return rc;
    rc = bird_config_read(c, j, path);
    json_decref(j);
    return rc;
}

int bird_start_config(struct bird_config *c, const struct bird_start *s,
                      const bird_tokenizer *t)
{
    int rc = 0;

    if (s->init)
        *c = s->init->config;
    else if (s->config)
        rc = read_config(c, s->config);
    else
        rc = bird_config_preset(c, s->preset);
    if (rc)
        return rc;
    if (!s->init)
        fit_to_tokenizer(c, t);
    else if (bird_tokenizer_count(t) > c->vocab_size)
        return bird_fail(BIRD_EINVAL,
                         "the tokenizer has %lld tokens, the model in %s %lld",
                         (long long)bird_tokenizer_count(t), s->init->path,
                         (long long)c->vocab_size);
    if (s->dropout >= 0)
        c->hidden_dropout = c->attention_dropout = s->dropout;
    return 0;
}

int bird_start_weights(struct bird_trainer *l, const struct bird_start *s,
                       uint64_t seed)
{
    unsigned char *fresh = NULL;
    int rc = 0;

    bird_params_init(l->theta, l->list, l->n_param, &l->c, seed, NULL);
    if (s->init) {
        rc = bird_array_new(&fresh, l->n_param, 1);
        if (!rc)
            rc = bird_params_load(l->theta, l->list, l->n_param,
                                  s->init->tensors, fresh, s->init->path);
        free(fresh);
    }
    bird_trainer_start_shadow(l);
    return rc;
}

struct bird_adam bird_start_adam(enum bird_optimizer kind, double weight_decay)
{
    static const enum bird_adam_kind kinds[] = {
        [BIRD_OPTIMIZER_ADAMW] = BIRD_ADAMW_TORCH,
        [BIRD_OPTIMIZER_ADAMW_HF] = BIRD_ADAMW_HF,
        [BIRD_OPTIMIZER_BERTADAM] = BIRD_ADAM_GOOGLE};

    return (struct bird_adam){.kind = kinds[kind],
                              .beta1 = 0.9,
                              .beta2 = 0.999,
                              .eps = kind == BIRD_OPTIMIZER_ADAMW ? 1e-8 : 1e-6,
                              .weight_decay = weight_decay};
}

struct bird_noise bird_start_noise(const struct bird_config *c)
{
    return (struct bird_noise){.hidden = (float)c->hidden_dropout,
                               .attention = (float)c->attention_dropout,
                               .classifier =
                                   (float)(c->classifier_dropout < 0
                                               ? c->hidden_dropout
                                               : c->classifier_dropout)};
}

int bird_config_digest(char hex[65], const struct bird_config *c)
{
    json_t *j;
    char *text;
    int rc = bird_config_write(&j, c, NULL);

    if (rc)
        return rc;
    text = json_dumps(j, JSON_SORT_KEYS);
    json_decref(j);
    if (!text)
        return bird_fail_memory(0);
    bird_sha256(hex, text, strlen(text));
    free(text);
    return 0;
}
