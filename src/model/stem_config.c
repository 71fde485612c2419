/* The stem's shape: of --stem, of dnabird.json, and what is possible.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "model/stem.h"

/* Bounds that keep every product of sizes small. */
enum {
    MOST_KERNEL = 127,
    MOST_CHANNELS = 1 << 14,
    MOST_POOL = 64,
    MOST_TOKENS = 4096 /* of a row */
};

static int check_layer(const struct bird_config *c, int64_t i, const char *path)
{
    const struct bird_stem_layer *s = &c->stem[i];
    long long at = i + 1;

    if (s->kernel < 1 || s->kernel > MOST_KERNEL || s->kernel % 2 == 0)
        return bird_fail(BIRD_EINVAL,
                         "%s: stem, layer %lld: kernel %lld: use an odd number "
                         "from 1 to %d",
                         path, at, (long long)s->kernel, MOST_KERNEL);
    if (s->channels < 1 || s->channels > MOST_CHANNELS)
        return bird_fail(BIRD_EINVAL,
                         "%s: stem, layer %lld: %lld channels: use 1 to %d",
                         path, at, (long long)s->channels, MOST_CHANNELS);
    if (s->pool < 1 || s->pool > MOST_POOL)
        return bird_fail(BIRD_EINVAL,
                         "%s: stem, layer %lld: pool %lld: use 1 to %d", path,
                         at, (long long)s->pool, MOST_POOL);
    if (s->residual && (!i || s->channels != c->stem[i - 1].channels))
        return bird_fail(BIRD_EINVAL,
                         "%s: stem, layer %lld: a residual needs as many "
                         "channels as the layer before it has",
                         path, at);
    return 0;
}

int bird_stem_check(const struct bird_config *c, const char *path)
{
    int64_t last = c->n_stem - 1;

    int64_t pool = 1;

    for (int64_t i = 0; i < c->n_stem; i++) {
        if (check_layer(c, i, path))
            return BIRD_EINVAL;
        pool *= c->stem[i].pool;
        if (pool > MOST_TOKENS)
            return bird_fail(BIRD_EINVAL,
                             "%s: the stem makes one row of %lld tokens or "
                             "more: %d at most",
                             path, (long long)pool, MOST_TOKENS);
    }
    if (c->n_stem && c->stem[last].channels != c->hidden_size)
        return bird_fail(BIRD_EINVAL,
                         "%s: the last layer of the stem has %lld channels, "
                         "but the encoder reads %lld",
                         path, (long long)c->stem[last].channels,
                         (long long)c->hidden_size);
    if (c->n_stem && c->rescale_embeddings)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: 'rescale_embeddings' with a stem is not "
                         "supported",
                         path);
    return 0;
}

static int fail_text(const char *text, const char *at)
{
    return bird_fail(BIRD_EINVAL,
                     "stem '%.100s': '%.40s' is not a layer: use "
                     "KERNELxCHANNELS[/POOL][+][:ACTIVATION][:plain], layers "
                     "separated by commas; + adds the layer's input, plain "
                     "leaves LayerNorm out",
                     text, at);
}

/* ":word" at *s. */
static int parse_word(struct bird_stem_layer *l, const char **s)
{
    char word[32];
    size_t n = strcspn(*s + 1, ":,");
    int rc = 0;

    snprintf(word, sizeof(word), "%.*s", (int)(n < 31 ? n : 31), *s + 1);
    if (!strcmp(word, "plain"))
        l->norm = 0;
    else
        rc = bird_act_named(&l->act, word);
    *s += n + 1;
    return rc;
}

static int parse_layer(struct bird_stem_layer *l, const char **s,
                       const char *text)
{
    const char *at = *s;
    char *end;

    *l = (struct bird_stem_layer){.pool = 1, .norm = 1, .act = BIRD_GELU_ERF};
    l->kernel = strtoll(*s, &end, 10);
    if (end == *s || *end != 'x')
        return fail_text(text, at);
    *s = end + 1;
    l->channels = strtoll(*s, &end, 10);
    if (end == *s)
        return fail_text(text, at);
    *s = end;
    if (*end == '/') {
        l->pool = strtoll(*s + 1, &end, 10);
        if (end == *s + 1)
            return fail_text(text, at);
        *s = end;
    }
    if (**s == '+') {
        l->residual = 1;
        (*s)++;
    }
    while (**s == ':')
        if (parse_word(l, s))
            return fail_text(text, at);
    if (**s && (**s != ',' || !(*s)[1]))
        return fail_text(text, at);
    *s += **s == ',';
    return 0;
}

int bird_stem_parse(struct bird_config *c, const char *text)
{
    const char *s = text;

    c->n_stem = 0;
    if (!strcmp(text, "none"))
        return 0;
    do {
        if (c->n_stem == BIRD_STEM_LAYERS)
            return bird_fail(BIRD_EINVAL, "stem '%.100s': at most %d layers",
                             text, BIRD_STEM_LAYERS);
        if (parse_layer(&c->stem[c->n_stem++], &s, text))
            return BIRD_EINVAL;
    } while (*s);
    return 0;
}

int bird_stem_text(struct bird_text *out, const struct bird_config *c)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < c->n_stem; i++) {
        const struct bird_stem_layer *s = &c->stem[i];
        int gelu = s->act == BIRD_GELU_ERF;

        rc = bird_text_printf(out, "%s%lldx%lld", i ? "," : "",
                              (long long)s->kernel, (long long)s->channels);
        if (!rc && s->pool > 1)
            rc = bird_text_printf(out, "/%lld", (long long)s->pool);
        if (!rc)
            rc = bird_text_printf(
                out, "%s%s%s%s", s->residual ? "+" : "", gelu ? "" : ":",
                gelu ? "" : bird_act_name(s->act), s->norm ? "" : ":plain");
    }
    return rc;
}

static int read_layer(struct bird_stem_layer *l, const json_t *o,
                      const char *path)
{
    const char *act = NULL;
    int rc;

    *l = (struct bird_stem_layer){.pool = 1, .norm = 1, .act = BIRD_GELU_ERF};
    if (!json_is_object(o))
        return bird_fail(BIRD_EFORMAT, "%s: 'stem' is not a list of layers",
                         path);
    rc = bird_json_int(&l->kernel, o, "kernel", 1, MOST_KERNEL, path);
    if (!rc)
        rc = bird_json_int(&l->channels, o, "channels", 1, MOST_CHANNELS, path);
    if (!rc)
        rc = bird_json_int(&l->pool, o, "pool", 1, MOST_POOL, path);
    if (!rc)
        rc = bird_json_bool(&l->norm, o, "norm", path);
    if (!rc)
        rc = bird_json_bool(&l->residual, o, "residual", path);
    if (!rc)
        rc = bird_json_text(&act, o, "activation", path);
    if (!rc && act && bird_act_named(&l->act, act))
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: stem: activation '%.100s' is not supported", path,
                       act);
    return rc;
}

int bird_stem_read(struct bird_config *c, const json_t *meta, const char *path)
{
    const json_t *list = json_object_get(meta, "stem");
    int rc = 0;

    if (!list || json_is_null(list))
        return 0;
    if (!json_is_array(list) || json_array_size(list) > BIRD_STEM_LAYERS)
        return bird_fail(BIRD_EFORMAT,
                         "%s: 'stem' is not a list of at most %d layers", path,
                         BIRD_STEM_LAYERS);
    c->n_stem = (int64_t)json_array_size(list);
    for (int64_t i = 0; !rc && i < c->n_stem; i++)
        rc = read_layer(&c->stem[i], json_array_get(list, (size_t)i), path);
    return rc ? rc : bird_stem_check(c, path);
}

int bird_stem_write(json_t *meta, const struct bird_config *c)
{
    json_t *list;

    if (!c->n_stem)
        return 0;
    list = json_array();
    for (int64_t i = 0; list && i < c->n_stem; i++) {
        const struct bird_stem_layer *s = &c->stem[i];

        if (json_array_append_new(
                list,
                json_pack("{s:I,s:I,s:I,s:s,s:b,s:b}", "kernel",
                          (json_int_t)s->kernel, "channels",
                          (json_int_t)s->channels, "pool", (json_int_t)s->pool,
                          "activation", bird_act_name(s->act), "norm", s->norm,
                          "residual", s->residual))) {
            json_decref(list);
            return -1;
        }
    }
    return list ? json_object_set_new(meta, "stem", list) : -1;
}
