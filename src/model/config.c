/* config.json to hyper-parameters and back. SPDX-License-Identifier: MIT */
#include "model/config.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"
#include "kernel/gemm.h"
#include "model/stem.h"

struct int_field {
    const char *name;
    size_t offset;
    int64_t lo, hi;
};

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

static const struct int_field sizes[] = {
    {"vocab_size", AT(vocab_size), 1, MOST_VOCAB},
    {"hidden_size", AT(hidden_size), 1, MOST_HIDDEN},
    {"num_hidden_layers", AT(n_layer), 0, 1 << 12},
    {"num_attention_heads", AT(n_head), 1, 1 << 16},
    {"intermediate_size", AT(intermediate_size), 1, MOST_WIDE},
    {"max_position_embeddings", AT(max_positions), 1, MOST_POSITIONS},
    {"type_vocab_size", AT(type_vocab_size), 1, 1 << 16},
    {"num_labels", AT(n_label), 1, MOST_WIDE},
};

static const struct int_field ids[] = {
    {"pad_token_id", AT(pad_id), -1, INT32_MAX},
    {"bos_token_id", AT(bos_id), -1, INT32_MAX},
    {"eos_token_id", AT(eos_id), -1, INT32_MAX},
    {"sep_token_id", AT(sep_id), -1, INT32_MAX},
    {"cls_token_id", AT(cls_id), -1, INT32_MAX},
};

struct real_field {
    const char *name;
    size_t offset;
    double lo, hi;
};

/* classifier_dropout below 0 is null in the file. */
static const struct real_field reals[] = {
    {"layer_norm_eps", AT(layer_norm_eps), 1e-30, 1},
    {"initializer_range", AT(initializer_range), 0, 1e3},
    {"hidden_dropout_prob", AT(hidden_dropout), 0, 0.999},
    {"attention_probs_dropout_prob", AT(attention_dropout), 0, 0.999},
    {"classifier_dropout", AT(classifier_dropout), 0, 0.999},
};

static const struct {
    const char *name;
    size_t offset;
} switches[] = {
    {"use_bias", AT(use_bias)},
    {"rescale_embeddings", AT(rescale_embeddings)},
    {"tie_word_embeddings", AT(tie_word_embeddings)},
};

struct word {
    const char *name;
    int value;
};

/* transformers' ACT2FN, less what has parameters of its own (prelu, xielu). */
static const struct word activations[] = {
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

static const struct word problems[] = {
    {"regression", BIRD_PROBLEM_REGRESSION},
    {"single_label_classification", BIRD_PROBLEM_SINGLE_LABEL},
    {"multi_label_classification", BIRD_PROBLEM_MULTI_LABEL},
};

#define N_OF(a) (sizeof(a) / sizeof(*(a)))

/* A field of these, by its offset. */
static void *at(struct bird_config *c, size_t offset)
{
    return (char *)c + offset;
}

static const void *value_of(const struct bird_config *c, size_t offset)
{
    return (const char *)c + offset;
}

static int64_t int_of(const struct bird_config *c, const struct int_field *f)
{
    return *(const int64_t *)value_of(c, f->offset);
}

static const char *word_of(const struct word *w, size_t n, int value)
{
    for (size_t i = 0; i < n; i++)
        if (w[i].value == value)
            return w[i].name;
    return NULL;
}

/* An optional word of a list into *out. */
static int read_word(int *out, const json_t *o, const char *field,
                     const struct word *w, size_t n, const char *path)
{
    const char *s = NULL;
    int rc = bird_json_text(&s, o, field, path);

    if (rc || !s)
        return rc;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(w[i].name, s)) {
            *out = w[i].value;
            return 0;
        }
    return bird_fail(BIRD_EUNSUPPORTED, "%s: %s '%.100s' is not supported",
                     path, field, s);
}

int bird_act_named(enum bird_act *out, const char *name)
{
    for (size_t i = 0; i < N_OF(activations); i++)
        if (!strcmp(activations[i].name, name)) {
            *out = (enum bird_act)activations[i].value;
            return 0;
        }
    return BIRD_EINVAL;
}

const char *bird_act_name(enum bird_act act)
{
    return word_of(activations, N_OF(activations), (int)act);
}

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

static int read_integers(struct bird_config *c, const json_t *o,
                         const char *path)
{
    const json_t *label = json_object_get(o, "id2label");
    int rc = 0;

    for (size_t i = 0; !rc && i < N_OF(sizes); i++)
        rc = bird_json_int(at(c, sizes[i].offset), o, sizes[i].name,
                           sizes[i].lo, sizes[i].hi, path);
    for (size_t i = 0; !rc && i < N_OF(ids); i++) {
        if (json_is_null(json_object_get(o, ids[i].name)))
            *(int64_t *)at(c, ids[i].offset) = -1;
        rc = bird_json_int(at(c, ids[i].offset), o, ids[i].name, ids[i].lo,
                           ids[i].hi, path);
    }
    if (rc || !label || json_is_null(label))
        return rc;
    if (!json_is_object(label) || !json_object_size(label))
        return bird_fail(BIRD_EFORMAT, "%s: 'id2label' is not a list of labels",
                         path);
    c->n_label = (int64_t)json_object_size(label);
    return 0;
}

static int read_numbers(struct bird_config *c, const json_t *o,
                        const char *path)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < N_OF(reals); i++)
        rc = bird_json_real(at(c, reals[i].offset), o, reals[i].name,
                            reals[i].lo, reals[i].hi, path);
    for (size_t i = 0; !rc && i < N_OF(switches); i++)
        rc = bird_json_bool(at(c, switches[i].offset), o, switches[i].name,
                            path);
    return rc;
}

static int read_words(struct bird_config *c, const json_t *o, const char *path)
{
    const char *name = NULL, *version = NULL, *attention = NULL;
    int act = (int)c->act;
    int problem = (int)c->problem;
    int rc =
        read_word(&act, o, "hidden_act", activations, N_OF(activations), path);

    if (!rc)
        rc = bird_json_text(&attention, o, "attention_type", path);
    if (!rc && attention && !bird_pattern_take_type(&c->pattern, attention))
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: attention_type '%.100s' is not supported", path,
                       attention);
    if (!rc)
        rc = bird_pattern_read(&c->pattern, o, BIRD_PATTERN_CONFIG, path);
    if (!rc)
        rc = read_word(&problem, o, "problem_type", problems, N_OF(problems),
                       path);
    if (!rc)
        rc = bird_json_text(&name, o, "hidden_act", path);
    if (!rc)
        rc = bird_json_text(&version, o, "transformers_version", path);
    if (rc)
        return rc;
    c->act = (enum bird_act)act;
    c->problem = (enum bird_problem)problem;
    if (name)
        snprintf(c->act_name, sizeof(c->act_name), "%s", name);
    if (version)
        snprintf(c->transformers_version, sizeof(c->transformers_version), "%s",
                 version);
    return 0;
}

/* The head that this architecture, or one that it begins with, is of. */
static const struct bird_head_row *find_architecture(const char *name)
{
    const struct bird_head_row *row;

    for (int i = 0; (row = bird_head_at(i)); i++)
        if ((row->architecture && !strcmp(row->architecture, name)) ||
            (row->alias && !strncmp(row->alias, name, strlen(row->alias))))
            return row;
    return NULL;
}

static int read_architecture(struct bird_config *c, const json_t *o,
                             const char *path)
{
    const json_t *list = json_object_get(o, "architectures");
    const struct bird_head_row *row;
    const char *s;

    if (!list || json_is_null(list))
        return 0;
    s = json_string_value(json_array_get(list, 0));
    if (!s || json_array_size(list) != 1)
        return bird_fail(BIRD_EFORMAT,
                         "%s: 'architectures' is not a list of one name", path);
    row = find_architecture(s);
    if (!row)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: architecture '%.100s' is not supported; BigBird "
                         "models are, by the name BigBirdModel or "
                         "BigBirdFor...",
                         path, s);
    c->head = row;
    return 0;
}

static int refuse(const json_t *o, const char *field, const char *path)
{
    int on = 0, rc = bird_json_bool(&on, o, field, path);

    if (!rc && on)
        rc = bird_fail(BIRD_EUNSUPPORTED, "%s: '%s' true is not supported",
                       path, field);
    return rc;
}

/* Fields of models that have BigBird in their name but compute other things:
 * layers normalised before, rotary positions, DeepSpeed's sparse attention. */
static int refuse_relatives(const json_t *o, const char *path)
{
    static const char *const fields[] = {
        "pre_layer_norm",    "last_layer_norm", "rotary_dim",
        "rotary_base",       "use_rope",        "rope_theta",
        "sparse_config_cls", "sparse_attention"};

    for (size_t i = 0; i < N_OF(fields); i++) {
        const json_t *v = json_object_get(o, fields[i]);

        if (v && !json_is_null(v) && !json_is_false(v))
            return bird_fail(BIRD_EUNSUPPORTED,
                             "%s: '%s' is not supported: not a BigBird of "
                             "transformers",
                             path, fields[i]);
    }
    return 0;
}

/* Another kind of model, or a switch that changes what is computed. */
static int read_kind(struct bird_config *c, const json_t *o, const char *path)
{
    const char *type = NULL, *position = NULL;
    int rc = bird_json_text(&type, o, "model_type", path);

    if (rc)
        return rc;
    if (!type && !json_object_get(o, "architectures"))
        return bird_fail(BIRD_EFORMAT,
                         "%s: neither 'model_type' nor 'architectures': not a "
                         "model's configuration",
                         path);
    c->own = type && !strcmp(type, "dnabird");
    if (type && !c->own && strcmp(type, "big_bird") != 0)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: model_type '%.100s' is not supported; 'big_bird' "
                         "is",
                         path, type);
    rc = bird_json_text(&position, o, "position_embedding_type", path);
    if (!rc && position && strcmp(position, "absolute") != 0)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: position_embedding_type '%.100s' is not supported; "
                       "'absolute' is",
                       path, position);
    if (!rc)
        rc = refuse(o, "is_decoder", path);
    if (!rc)
        rc = refuse(o, "is_encoder_decoder", path);
    if (!rc)
        rc = refuse(o, "add_cross_attention", path);
    if (!rc)
        rc = refuse_relatives(o, path);
    return rc;
}

int bird_config_read(struct bird_config *out, const json_t *o, const char *path)
{
    struct bird_config c;
    int rc;

    bird_config_default(&c);
    rc = read_kind(&c, o, path);
    if (!rc)
        rc = read_architecture(&c, o, path);
    if (!rc)
        rc = read_integers(&c, o, path);
    if (!rc)
        rc = read_numbers(&c, o, path);
    if (!rc)
        rc = read_words(&c, o, path);
    if (!rc)
        rc = bird_config_check(&c, path);
    if (!rc)
        *out = c;
    return rc;
}

int bird_config_check(const struct bird_config *c, const char *path)
{
    int rc;

    if (!path)
        path = "configuration";
    for (size_t i = 0; i < N_OF(sizes); i++) {
        int64_t v = int_of(c, &sizes[i]);

        if (v < sizes[i].lo || v > sizes[i].hi)
            return bird_fail(BIRD_EINVAL,
                             "%s: '%s' is %lld, outside %lld to "
                             "%lld",
                             path, sizes[i].name, (long long)v,
                             (long long)sizes[i].lo, (long long)sizes[i].hi);
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
    return rc ? rc : bird_config_check_bins(c, path);
}

int bird_config_attention(struct bird_config *c, const char *pattern,
                          const char *random, const char *parts, uint64_t seed,
                          const char *map)
{
    int rc = bird_pattern_options(&c->pattern, pattern, random, parts, seed);

    return rc || !map ? rc : bird_prob_map_parse(&c->map, map);
}

int bird_config_check_bins(const struct bird_config *c, const char *path)
{
    int64_t pool = bird_stem_pool(c);

    if (!c->head || c->head->needs != BIRD_NEEDS_BINS)
        return 0;
    if (c->bin_bp < 1)
        return bird_fail(BIRD_EINVAL,
                         "%s: a head over bins, but no width of a bin "
                         "('bin_bp')",
                         path);
    if (c->bin_bp % pool)
        return bird_fail(BIRD_EINVAL,
                         "%s: a bin of %lld bp is not a multiple of the %lld "
                         "tokens that the stem makes one row of",
                         path, (long long)c->bin_bp, (long long)pool);
    return 0;
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
    if (!c->head->architecture && c->head->needs != BIRD_NEEDS_FIRST)
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

static int put(json_t *o, const char *field, json_t *value)
{
    return json_object_set_new(o, field, value) ? -1 : 0;
}

/* Names of the labels in the reference's two objects: those given, or LABEL_i
 * as there. */
static int put_labels(json_t *o, int64_t n_label, const json_t *names)
{
    json_t *name = json_object(), *id = json_object();
    int bad = !name || !id;

    for (int64_t i = 0; !bad && i < n_label; i++) {
        char usual[32], number[32];
        const char *label = json_string_value(json_array_get(names, (size_t)i));

        snprintf(usual, sizeof(usual), "LABEL_%lld", (long long)i);
        snprintf(number, sizeof(number), "%lld", (long long)i);
        label = label ? label : usual;
        bad = put(name, number, json_string(label)) ||
              put(id, label, json_integer(i));
    }
    bad |= put(o, "id2label", name);
    bad |= put(o, "label2id", id);
    return bad;
}

int bird_config_is_own(const struct bird_config *c)
{
    return c->n_stem || c->bin_bp || c->branch_scale ||
           !bird_prob_map_is_softmax(&c->map);
}

static int put_kind(json_t *o, const struct bird_config *c)
{
    const char *problem = word_of(problems, N_OF(problems), (int)c->problem);
    json_t *list = json_array();
    const char *head = c->head->architecture ? c->head->architecture
                                             : bird_head_none.architecture;
    int bad = !list || json_array_append_new(list, json_string(head));

    bad |= put(o, "architectures", list);
    bad |= put(o, "model_type",
               json_string(bird_config_is_own(c) ? "dnabird" : "big_bird"));
    bad |= put(o, "hidden_act", json_string(c->act_name));
    bad |= put(o, "attention_type", json_string(c->pattern.row->type));
    if (problem)
        bad |= put(o, "problem_type", json_string(problem));
    return bad;
}

int bird_config_write(json_t **out, const struct bird_config *c,
                      const json_t *labels)
{
    json_t *o = json_object();
    int bad = !o || put_kind(o, c);

    for (size_t i = 0; !bad && i < N_OF(sizes); i++)
        if (strcmp(sizes[i].name, "num_labels") != 0)
            bad = put(o, sizes[i].name, json_integer(int_of(c, &sizes[i])));
    if (!bad)
        bad = bird_pattern_write(o, &c->pattern, BIRD_PATTERN_CONFIG);
    for (size_t i = 0; !bad && i < N_OF(ids); i++) {
        int64_t id = int_of(c, &ids[i]);

        if (id >= 0 || ids[i].offset != AT(cls_id))
            bad = put(o, ids[i].name, id < 0 ? json_null() : json_integer(id));
    }
    for (size_t i = 0; !bad && i < N_OF(reals); i++) {
        double v = *(const double *)value_of(c, reals[i].offset);

        bad = put(o, reals[i].name, v < 0 ? json_null() : json_real(v));
    }
    for (size_t i = 0; !bad && i < N_OF(switches); i++)
        bad = put(o, switches[i].name,
                  json_boolean(*(const int *)value_of(c, switches[i].offset)));
    if (!bad)
        bad = put_labels(o, c->n_label, labels) ||
              put(o, "torch_dtype", json_string("float32"));
    if (!bad && c->transformers_version[0])
        bad = put(o, "transformers_version",
                  json_string(c->transformers_version));
    if (bad) {
        json_decref(o);
        return bird_fail(BIRD_ENOMEM, "configuration: cannot be written; a "
                                      "word in it is not UTF-8, or memory is "
                                      "out");
    }
    *out = o;
    return 0;
}

int bird_config_preset(struct bird_config *out, const char *name)
{
    static const struct {
        const char *name;
        int64_t n_layer, hidden, n_head, positions, block;
    } presets[] = {
        {"tiny", 2, 64, 2, 512, 16},
        {"small", 6, 256, 8, 4096, 64},
        {"base", 12, 768, 12, 4096, 64},
    };

    for (size_t i = 0; i < N_OF(presets); i++)
        if (!strcmp(presets[i].name, name)) {
            bird_config_default(out);
            out->vocab_size = 32000;
            out->n_layer = presets[i].n_layer;
            out->hidden_size = presets[i].hidden;
            out->n_head = presets[i].n_head;
            out->intermediate_size = 4 * presets[i].hidden;
            out->max_positions = presets[i].positions;
            out->pattern.block = presets[i].block;
            out->head = bird_head_masked(0);
            return 0;
        }
    return bird_fail(BIRD_EINVAL,
                     "unknown preset '%s': use tiny, small or base", name);
}
