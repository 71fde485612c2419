/* Hyper-parameters: usual values, checks, names of activations.
 * SPDX-License-Identifier: MIT */
#include "model/config.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "kernel/gemm.h"
#include "model/stem.h"

#define AT(field) offsetof(struct bird_config, field)

/* Bounds keep every product of three sizes far from 2^63, and rows of what
 * goes through a matrix product within what the BLAS can count. */
enum {
    MOST_VOCAB = 1 << 24,
    MOST_HIDDEN = 1 << 16,
    MOST_WIDE = 1 << 20, /* feed-forward, labels */
    MOST_POSITIONS = 1 << 26
};
static_assert(MOST_VOCAB <= BIRD_GEMM_STEP && MOST_WIDE <= BIRD_GEMM_STEP &&
                  3 * MOST_HIDDEN <= BIRD_GEMM_STEP &&
                  MOST_POSITIONS <= BIRD_GEMM_MOST,
              "a model's rows are too wide for the BLAS");

const struct bird_config_field bird_config_sizes[BIRD_CONFIG_SIZES] = {
    {"vocab_size", AT(vocab_size), 1, MOST_VOCAB},
    {"hidden_size", AT(hidden_size), 1, MOST_HIDDEN},
    {"num_hidden_layers", AT(n_layer), 0, 1 << 12},
    {"num_attention_heads", AT(n_head), 1, 1 << 16},
    {"intermediate_size", AT(intermediate_size), 1, MOST_WIDE},
    {"max_position_embeddings", AT(max_positions), 1, MOST_POSITIONS},
    {"type_vocab_size", AT(type_vocab_size), 1, 1 << 16},
    {"num_labels", AT(n_label), 1, MOST_WIDE},
};

/* transformers' ACT2FN, less what has parameters of its own (prelu, xielu). */
static const struct {
    const char *name;
    enum bird_act act;
} activations[] = {
    {"gelu_new", BIRD_GELU_TANH},
    {"gelu_fast", BIRD_GELU_TANH},
    {"gelu_pytorch_tanh", BIRD_GELU_TANH},
    {"gelu_python_tanh", BIRD_GELU_TANH},
    {"gelu_accurate", BIRD_GELU_TANH},
    {"gelu", BIRD_GELU_ERF},
    {"gelu_python", BIRD_GELU_ERF},
    {"gelu_10", BIRD_GELU_10},
    {"quick_gelu", BIRD_GELU_QUICK},
    {"relu", BIRD_RELU},
    {"relu2", BIRD_RELU2},
    {"relu6", BIRD_RELU6},
    {"leaky_relu", BIRD_LEAKY_RELU},
    {"silu", BIRD_SILU},
    {"swish", BIRD_SILU},
    {"mish", BIRD_MISH},
    {"sigmoid", BIRD_SIGMOID},
    {"linear", BIRD_LINEAR},
    {"laplace", BIRD_LAPLACE},
    {"tanh", BIRD_TANH},
};

#define N_OF(a) (sizeof(a) / sizeof(*(a)))

int bird_act_named(enum bird_act *out, const char *name)
{
    for (size_t i = 0; i < N_OF(activations); i++)
        if (!strcmp(activations[i].name, name)) {
            *out = activations[i].act;
            return 0;
        }
    return BIRD_EINVAL;
}

const char *bird_act_name(enum bird_act act)
{
    for (size_t i = 0; i < N_OF(activations); i++)
        if (activations[i].act == act)
            return activations[i].name;
    return NULL;
}

const struct bird_head_row bird_head_none = {.name = "none",
                                             .architecture = "BigBirdModel",
                                             .about =
                                                 "none: hidden states only"};

void bird_config_default(struct bird_config *c)
{
    *c = (struct bird_config){.vocab_size = 50358,
                              .hidden_size = 768,
                              .n_layer = 12,
                              .n_head = 12,
                              .intermediate_size = 3072,
                              .max_positions = 4096,
                              .type_vocab_size = 2,
                              .n_label = 2,
                              .pad_id = 0,
                              .bos_id = 1,
                              .eos_id = 2,
                              .sep_id = 66,
                              .cls_id = -1,
                              .act = BIRD_GELU_TANH,
                              .act_name = "gelu_new",
                              .head = &bird_head_none,
                              .problem = BIRD_PROBLEM_UNSET,
                              .use_bias = 1,
                              .tie_word_embeddings = 1,
                              .layer_norm_eps = 1e-12,
                              .initializer_range = 0.02,
                              .hidden_dropout = 0.1,
                              .attention_dropout = 0.1,
                              .classifier_dropout = -1};
    bird_pattern_default(&c->pattern);
}

struct bird_pattern bird_pattern_of(const struct bird_config *c)
{
    struct bird_pattern p = c->pattern;

    p.n_head = c->n_head;
    p.max_positions = c->max_positions;
    return p;
}

int bird_config_check(const struct bird_config *c, const char *path)
{
    int rc;

    if (!path)
        path = "configuration";
    for (size_t i = 0; i < BIRD_CONFIG_SIZES; i++) {
        const struct bird_config_field *f = bird_config_sizes + i;
        int64_t v = *(const int64_t *)((const char *)c + f->offset);

        if (v < f->lo || v > f->hi)
            return bird_fail(BIRD_EINVAL,
                             "%s: '%s' is %lld, outside %lld to "
                             "%lld",
                             path, f->name, (long long)v, (long long)f->lo,
                             (long long)f->hi);
    }
    if (!c->n_layer && !c->n_stem && !c->own)
        return bird_fail(BIRD_EINVAL,
                         "%s: 'num_hidden_layers' is 0: only a model with a "
                         "stem may have no layers",
                         path);
    if (bird_pattern_check(&c->pattern, path))
        return BIRD_EINVAL;
    if (bird_pattern_global_tokens(&c->pattern) > c->max_positions - 3)
        return bird_fail(BIRD_EINVAL,
                         "%s: %lld positions are too few for %lld global "
                         "tokens and a text",
                         path, (long long)c->max_positions,
                         (long long)bird_pattern_global_tokens(&c->pattern));
    if (c->hidden_size % c->n_head)
        return bird_fail(BIRD_EINVAL,
                         "%s: 'hidden_size' %lld is not a multiple of "
                         "'num_attention_heads' %lld",
                         path, (long long)c->hidden_size, (long long)c->n_head);
    if (c->pad_id >= c->vocab_size)
        return bird_fail(BIRD_EINVAL,
                         "%s: 'pad_token_id' %lld lies outside the vocabulary "
                         "of %lld",
                         path, (long long)c->pad_id, (long long)c->vocab_size);
    if (!(c->layer_norm_eps > 0))
        return bird_fail(BIRD_EINVAL, "%s: 'layer_norm_eps' is not positive",
                         path);
    if (!(c->hidden_dropout >= 0 && c->hidden_dropout < 1) ||
        !(c->attention_dropout >= 0 && c->attention_dropout < 1) ||
        !(c->classifier_dropout < 1))
        return bird_fail(BIRD_EINVAL, "%s: a dropout is outside 0 to 1", path);
    rc = bird_stem_check(c, path);
    return rc || !c->head->check ? rc : c->head->check(c, path);
}

int bird_config_attention(struct bird_config *c, const char *pattern,
                          const char *random, const char *parts, uint64_t seed,
                          const char *map)
{
    int rc = bird_pattern_options(&c->pattern, pattern, random, parts, seed);

    return rc || !map ? rc : bird_prob_map_parse(&c->map, map);
}

int bird_config_check_tokenizer(const struct bird_config *c,
                                const bird_tokenizer *t, const char *path)
{
    int64_t here = bird_tokenizer_global(t);
    int64_t want = bird_pattern_global_tokens(&c->pattern);

    if (bird_tokenizer_count(t) > c->vocab_size)
        return bird_fail(
            BIRD_EFORMAT, "%s: the tokenizer has %lld tokens, the model %lld",
            path, (long long)bird_tokenizer_count(t), (long long)c->vocab_size);
    if (here != want)
        return bird_fail(BIRD_EFORMAT,
                         "%s: the tokenizer puts %lld global tokens ([G1], "
                         "...) before a text, but the attention pattern is %s "
                         "with %lld of them: make both with the same number "
                         "(--global-tokens, --pattern etc,global=)",
                         path, (long long)here, c->pattern.row->name,
                         (long long)want);
    return 0;
}

static int refuse_pattern(const struct bird_config *c, const char *path)
{
    struct bird_text t = {0};
    int known = c->pattern.row->transformers, rc;

    rc = bird_pattern_text(&t, &c->pattern);
    if (!rc)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: transformers has no attention pattern '%s'; with "
                       "--compress the copy is for dnabird alone",
                       path, known ? t.s : c->pattern.row->name);
    bird_text_free(&t);
    return rc;
}

int bird_config_transformers(const struct bird_config *c, const char *path)
{
    struct bird_pattern p;

    if (c->n_stem)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: transformers has no model with a convolution "
                         "stem: --encoder-only writes the BigBird behind it; "
                         "with --compress the copy is for dnabird alone",
                         path);
    if (c->branch_scale)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: transformers has no scale of branches; with "
                         "--compress the copy is for dnabird alone",
                         path);
    if (!bird_prob_map_is_softmax(&c->map))
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: transformers has no attention map '%s'; with "
                         "--compress the copy is for dnabird alone",
                         path, c->map.row->name);
    if (!c->head->architecture && !c->head->as_encoder)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: transformers has no model with the head '%s'; "
                         "with --compress the copy is for dnabird alone",
                         path, c->head->name);
    p = bird_pattern_of(c);
    /* what no sequence is long enough for makes no difference */
    if (!bird_pattern_is_reference(&p) &&
        !bird_pattern_is_full(&p, c->max_positions))
        return refuse_pattern(c, path);
    return 0;
}

int bird_config_is_own(const struct bird_config *c)
{
    return c->n_stem || c->bin_bp || c->branch_scale ||
           bird_pattern_is_causal(&c->pattern) ||
           !bird_prob_map_is_softmax(&c->map);
}
