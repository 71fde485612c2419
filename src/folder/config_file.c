/* config.json to hyper-parameters and back. SPDX-License-Identifier: MIT */
#include "folder/config_file.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"
#include "head/head.h"

#define AT(field) offsetof(struct bird_config, field)

static const struct bird_config_field ids[] = {
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

static const struct {
    const char *name;
    enum bird_problem problem;
} problems[] = {
    {"regression", BIRD_PROBLEM_REGRESSION},
    {"single_label_classification", BIRD_PROBLEM_SINGLE_LABEL},
    {"multi_label_classification", BIRD_PROBLEM_MULTI_LABEL},
};

#define N_OF(a) (sizeof(a) / sizeof(*(a)))

/* The field of the configuration at this offset. */
static void *at(struct bird_config *c, size_t offset)
{
    return (char *)c + offset;
}

static const void *value_of(const struct bird_config *c, size_t offset)
{
    return (const char *)c + offset;
}

static int64_t int_of(const struct bird_config *c,
                      const struct bird_config_field *f)
{
    return *(const int64_t *)value_of(c, f->offset);
}

static int read_integers(struct bird_config *c, const json_t *o,
                         const char *path)
{
    const json_t *label = json_object_get(o, "id2label");
    int rc = 0;

    for (size_t i = 0; !rc && i < BIRD_CONFIG_SIZES; i++)
        rc = bird_json_int(at(c, bird_config_sizes[i].offset), o,
                           bird_config_sizes[i].name, bird_config_sizes[i].lo,
                           bird_config_sizes[i].hi, path);
    for (size_t i = 0; !rc && i < N_OF(ids); i++) {
        if (json_is_null(json_object_get(o, ids[i].name)))
            *(int64_t *)at(c, ids[i].offset) = -1;
        rc = bird_json_int(at(c, ids[i].offset), o, ids[i].name, ids[i].lo,
                           ids[i].hi, path);
    }
    if (!rc && c->head->labels)
        c->n_label = c->head->labels;
    if (rc || c->head->labels || !label || json_is_null(label))
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

static int refuse_word(const char *field, const char *word, const char *path)
{
    return bird_fail(BIRD_EUNSUPPORTED, "%s: %s '%.100s' is not supported",
                     path, field, word);
}

static int read_activation(struct bird_config *c, const json_t *o,
                           const char *path)
{
    const char *name = NULL;
    int rc = bird_json_text(&name, o, "hidden_act", path);

    if (rc || !name)
        return rc;
    if (bird_act_named(&c->act, name))
        return refuse_word("hidden_act", name, path);
    snprintf(c->act_name, sizeof(c->act_name), "%s", name);
    return 0;
}

static int read_problem(struct bird_config *c, const json_t *o,
                        const char *path)
{
    const char *name = NULL;
    int rc = bird_json_text(&name, o, "problem_type", path);

    if (rc || !name)
        return rc;
    for (size_t i = 0; i < N_OF(problems); i++)
        if (!strcmp(problems[i].name, name)) {
            c->problem = problems[i].problem;
            return 0;
        }
    return refuse_word("problem_type", name, path);
}

static int read_words(struct bird_config *c, const json_t *o, const char *path)
{
    const char *version = NULL, *attention = NULL;
    int rc = read_activation(c, o, path);

    if (!rc)
        rc = bird_json_text(&attention, o, "attention_type", path);
    if (!rc && attention && !bird_pattern_take_type(&c->pattern, attention))
        rc = refuse_word("attention_type", attention, path);
    if (!rc)
        rc = bird_pattern_read(&c->pattern, o, BIRD_PATTERN_CONFIG, path);
    if (!rc)
        rc = read_problem(c, o, path);
    if (!rc)
        rc = bird_json_text(&version, o, "transformers_version", path);
    if (!rc && version)
        snprintf(c->transformers_version, sizeof(c->transformers_version), "%s",
                 version);
    return rc;
}

/* The head of this architecture, or of one whose name this name begins
 * with. */
static const struct bird_head_row *find_architecture(const char *name)
{
    const struct bird_head_row *row;

    for (int i = 0; (row = bird_head_at(i)); i++)
        if ((row->architecture && !strcmp(row->architecture, name)) ||
            (row->alias && !strncmp(row->alias, name, strlen(row->alias))))
            return row;
    return NULL;
}

static int refuse_architecture(const char *name, const char *path)
{
    const struct bird_head_row *row;
    struct bird_text known = {0};
    int rc = bird_text_printf(&known, "BigBirdModel");

    for (int i = 0; !rc && (row = bird_head_at(i)); i++)
        if (row->architecture && row != &bird_head_none)
            rc = bird_text_printf(&known, ", %s", row->architecture);
    if (!rc)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: architecture '%.100s' is not supported; these are: "
                       "%s",
                       path, name, known.s);
    bird_text_free(&known);
    return rc;
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
        return refuse_architecture(s, path);
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

/* Fields of models that have BigBird in their name but compute something else:
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

static int put(json_t *o, const char *field, json_t *value)
{
    return json_object_set_new(o, field, value) ? -1 : 0;
}

/* Write the names of the labels into id2label and label2id, as transformers
 * does; without names they are LABEL_i. */
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

static const char *problem_name(enum bird_problem problem)
{
    if (problem == BIRD_PROBLEM_GAUSSIAN) /* to transformers, numbers */
        problem = BIRD_PROBLEM_REGRESSION;
    for (size_t i = 0; i < N_OF(problems); i++)
        if (problems[i].problem == problem)
            return problems[i].name;
    return NULL;
}

static int put_kind(json_t *o, const struct bird_config *c)
{
    const char *problem = problem_name(c->problem);
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

    for (size_t i = 0; !bad && i < BIRD_CONFIG_SIZES; i++)
        if (strcmp(bird_config_sizes[i].name, "num_labels") != 0)
            bad = put(o, bird_config_sizes[i].name,
                      json_integer(int_of(c, &bird_config_sizes[i])));
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
        {"large", 24, 1024, 16, 4096, 64},
    };

    if (!name)
        return bird_fail(BIRD_EINVAL, "no preset and no configuration");
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
                     "unknown preset '%s': use tiny, small, base or large",
                     name);
}
