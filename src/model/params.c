/* The table of parameters and their random start.
 *
 * One table of names, shapes and offsets lets everything else be a loop.
 * SPDX-License-Identifier: MIT */
#include "model/params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "model/stem.h"

/* cols 0: a vector; depth 0: a matrix. */
static void add(struct bird_param_list *l, enum bird_param_kind kind,
                const int64_t shape[3], const char *name)
{
    int64_t rows = shape[0], cols = shape[1] ? shape[1] : 1;
    int64_t depth = shape[2] ? shape[2] : 1;
    struct bird_param *p;

    if (!l->rc)
        l->rc = bird_array_grow(&l->p, &l->cap, l->n + 1, sizeof(*l->p));
    if (l->rc)
        return;
    p = l->p + l->n++;
    *p = (struct bird_param){.n_dim = shape[2]   ? 3
                                      : shape[1] ? 2
                                                 : 1,
                             .shape = {rows, cols, depth},
                             .count = rows * cols * depth,
                             .kind = (int)kind,
                             .decay = kind == BIRD_PARAM_WEIGHT ||
                                      kind == BIRD_PARAM_EMBEDDING};
    snprintf(p->name, sizeof(p->name), "%s", name);
    p->offset =
        (l->total + BIRD_PARAM_ALIGN - 1) / BIRD_PARAM_ALIGN * BIRD_PARAM_ALIGN;
    l->total = p->offset + p->count;
}

void bird_params_add(struct bird_param_list *l, enum bird_param_kind kind,
                     int64_t rows, int64_t cols, const char *name)
{
    add(l, kind, (int64_t[3]){rows, cols, 0}, name);
}

/* Append prefix.weight (out, kernel, in) and prefix.bias (out). */
static void add_conv(struct bird_param_list *l, int64_t out, int64_t kernel,
                     int64_t in, const char *prefix)
{
    char name[96];

    snprintf(name, sizeof(name), "%s.weight", prefix);
    add(l, BIRD_PARAM_WEIGHT, (int64_t[3]){out, kernel, in}, name);
    snprintf(name, sizeof(name), "%s.bias", prefix);
    bird_params_add(l, BIRD_PARAM_BIAS, out, 0, name);
}

/* Move the parameter added last up to the one before it. */
static void close_up(struct bird_param_list *l)
{
    if (l->rc)
        return;
    l->p[l->n - 1].offset = l->p[l->n - 2].offset + l->p[l->n - 2].count;
    l->total = l->p[l->n - 1].offset + l->p[l->n - 1].count;
}

void bird_params_add_linear(struct bird_param_list *l, int64_t out, int64_t in,
                            const char *prefix)
{
    char name[96];

    snprintf(name, sizeof(name), "%s.weight", prefix);
    bird_params_add(l, BIRD_PARAM_WEIGHT, out, in, name);
    snprintf(name, sizeof(name), "%s.bias", prefix);
    bird_params_add(l, BIRD_PARAM_BIAS, out, 0, name);
}

void bird_params_add_norm(struct bird_param_list *l, int64_t size,
                          const char *prefix)
{
    char name[96];

    snprintf(name, sizeof(name), "%s.weight", prefix);
    bird_params_add(l, BIRD_PARAM_GAIN, size, 0, name);
    snprintf(name, sizeof(name), "%s.bias", prefix);
    bird_params_add(l, BIRD_PARAM_BIAS, size, 0, name);
}

static void add_qkv(struct bird_param_list *l, const struct bird_config *c,
                    int64_t layer)
{
    static const char *const part[] = {"query", "key", "value"};
    char name[80];

    for (int bias = 0; bias <= c->use_bias; bias++)
        for (int i = 0; i < 3; i++) {
            snprintf(name, sizeof(name),
                     "bert.encoder.layer.%lld.attention.self.%s.%s",
                     (long long)layer, part[i], bias ? "bias" : "weight");
            bird_params_add(l, bias ? BIRD_PARAM_BIAS : BIRD_PARAM_WEIGHT,
                            c->hidden_size, bias ? 0 : c->hidden_size, name);
            if (i)
                close_up(l);
        }
}

static void add_layer(struct bird_param_list *l, const struct bird_config *c,
                      int64_t k)
{
    int64_t h = c->hidden_size, f = c->intermediate_size;
    char name[80];
    int n;

    add_qkv(l, c, k);
    n = snprintf(name, sizeof(name), "bert.encoder.layer.%lld.", (long long)k);
#define IN_LAYER(part)                                                         \
    (snprintf(name + n, sizeof(name) - (size_t)n, part), name)
    bird_params_add_linear(l, h, h, IN_LAYER("attention.output.dense"));
    bird_params_add_norm(l, h, IN_LAYER("attention.output.LayerNorm"));
    bird_params_add_linear(l, f, h, IN_LAYER("intermediate.dense"));
    bird_params_add_linear(l, h, f, IN_LAYER("output.dense"));
    bird_params_add_norm(l, h, IN_LAYER("output.LayerNorm"));
    if (c->branch_scale) {
        bird_params_add(l, BIRD_PARAM_GAIN, 1, 0,
                        IN_LAYER("attention.output.scale"));
        bird_params_add(l, BIRD_PARAM_GAIN, 1, 0, IN_LAYER("output.scale"));
    }
#undef IN_LAYER
}

static void add_stem_layer(struct bird_param_list *l,
                           const struct bird_config *c, int64_t k)
{
    const struct bird_stem_layer *s = &c->stem[k];
    char name[80];

    snprintf(name, sizeof(name), "stem.%lld", (long long)k);
    add_conv(l, s->channels, s->kernel, bird_stem_channels_in(c, k), name);
    snprintf(name, sizeof(name), "stem.%lld.norm", (long long)k);
    if (s->norm)
        bird_params_add_norm(l, s->channels, name);
}

int bird_params_list(struct bird_param **out, int64_t *n, int64_t *total,
                     const struct bird_config *c)
{
    struct bird_param_list l = {.rc = bird_config_check(c, NULL)};
    int64_t h = c->hidden_size;

    if (l.rc)
        return l.rc;
    bird_params_add(&l, BIRD_PARAM_EMBEDDING, c->vocab_size, h,
                    "bert.embeddings.word_embeddings.weight");
    bird_params_add(&l, BIRD_PARAM_EMBEDDING, c->max_positions, h,
                    "bert.embeddings.position_embeddings.weight");
    bird_params_add(&l, BIRD_PARAM_EMBEDDING, c->type_vocab_size, h,
                    "bert.embeddings.token_type_embeddings.weight");
    bird_params_add_norm(&l, h, "bert.embeddings.LayerNorm");
    for (int64_t k = 0; k < c->n_layer; k++)
        add_layer(&l, c, k);
    for (int64_t k = 0; k < c->n_stem; k++)
        add_stem_layer(&l, c, k);
    if (!c->head->no_pooler)
        bird_params_add_linear(&l, h, h, "bert.pooler");
    if (c->head->tensors)
        c->head->tensors(&l, c);
    if (l.rc) {
        free(l.p);
        return l.rc;
    }
    *out = l.p;
    *n = l.n;
    *total =
        (l.total + BIRD_PARAM_ALIGN - 1) / BIRD_PARAM_ALIGN * BIRD_PARAM_ALIGN;
    return 0;
}

const struct bird_param *bird_params_find(const struct bird_param *list,
                                          int64_t n, const char *name)
{
    for (int64_t i = 0; i < n; i++)
        if (!strcmp(list[i].name, name))
            return list + i;
    return NULL;
}

int bird_param_is_head(const struct bird_param *p)
{
    return !strncmp(p->name, "cls.", 4) ||
           !strncmp(p->name, "classifier.", 11) ||
           !strncmp(p->name, "qa_classifier.", 14);
}

int64_t bird_params_count(const struct bird_param *list, int64_t n)
{
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++)
        count += list[i].count;
    return count;
}

struct init {
    float *block;
    const struct bird_param *p;
    double deviation;
    uint64_t seed, stream;
};

static void init_row(void *context, int64_t row, int worker)
{
    const struct init *in = context;
    int64_t n = in->p->shape[1] * in->p->shape[2];
    float *x = in->block + in->p->offset + row * n;
    struct bird_rng rng;

    (void)worker;
    bird_rng_init(&rng, in->seed, in->stream, (uint64_t)row);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(in->deviation * bird_rng_normal(&rng));
}

/* Filters: 1 / sqrt(inputs), so sums have the variance of the inputs. */
static double deviation_of(const struct bird_param *p,
                           const struct bird_config *c)
{
    int64_t n = p->shape[1] * p->shape[2];

    if (p->n_dim < 3)
        return c->initializer_range;
    if (bird_stem_reads_one_hot(c) && !strcmp(p->name, "stem.0.weight"))
        n = p->shape[1];
    return 1 / sqrt((double)n);
}

/* A stem on few tokens begins with one axis for each: then a step of a filter
 * is one of the table, where random words would add up their steps. */
static void one_hot(float *block, const struct bird_param *list, int64_t n,
                    const struct bird_config *c, const unsigned char *only)
{
    int64_t d = c->hidden_size, v = c->vocab_size;

    for (int64_t i = 0; i < n; i++) {
        float *x = block + list[i].offset;

        if (only && !only[i])
            continue;
        if (!i)
            for (int64_t j = 0; j < v * d; j++)
                x[j] = j / d == j % d;
        if (!strcmp(list[i].name, "stem.0.weight"))
            for (int64_t j = 0; j < list[i].count; j++)
                x[j] = j % d < v ? x[j] : 0;
    }
}

void bird_params_init(float *block, const struct bird_param *list, int64_t n,
                      const struct bird_config *c, uint64_t seed,
                      const unsigned char *only)
{
    for (int64_t i = 0; i < n; i++) {
        const struct bird_param *p = list + i;
        struct init in = {block, p, deviation_of(p, c), seed, (uint64_t)i};
        float *x = block + p->offset;

        if (only && !only[i])
            continue;
        if (p->kind == BIRD_PARAM_WEIGHT || p->kind == BIRD_PARAM_EMBEDDING)
            bird_parallel(p->shape[0], init_row, &in);
        else
            for (int64_t j = 0; j < p->count; j++)
                x[j] = p->kind == BIRD_PARAM_GAIN ? 1 : 0;
        if (!i && c->pad_id >= 0) /* the word embedding comes first */
            memset(x + c->pad_id * p->shape[1], 0,
                   sizeof(*x) * (size_t)p->shape[1]);
    }
    if (bird_stem_reads_one_hot(c))
        one_hot(block, list, n, c, only);
}
