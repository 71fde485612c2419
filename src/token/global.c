/* Global tokens: [G1] .. [Gg], special tokens that the post-processor puts
 * before a text, as matrix B of BigBird-ETC requires (Zaheer et al. 2020,
 * arXiv:2007.14062, section 2).
 *
 * They are ordinary added tokens with the largest ids, and items of a
 * TemplateProcessing, which the tokenizers library applies in the same way.
 * SPDX-License-Identifier: MIT */
#include "token/global.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "token/vocab.h"

struct name {
    char s[32];
};

static struct name name_of(int64_t i)
{
    struct name x;

    snprintf(x.s, sizeof(x.s), "[G%lld]", (long long)i + 1);
    return x;
}

int64_t bird_tokenizer_global(const bird_tokenizer *t)
{
    int64_t n = 0;

    for (; n < t->n_before; n++) {
        struct name name = name_of(n);

        if (strcmp(bird_vocab_text(&t->vocab, t->before[n]), name.s) != 0)
            break;
    }
    return n;
}

int bird_global_check(int64_t g)
{
    return g >= 0 && g <= BIRD_GLOBAL_MAX
               ? 0
               : bird_fail(BIRD_EINVAL, "%lld global tokens: use 0 to %d",
                           (long long)g, BIRD_GLOBAL_MAX);
}

/* The first id that neither the vocabulary nor an added token has. */
static int64_t first_free(const json_t *vocab, const json_t *added)
{
    const char *key;
    json_t *v;
    int64_t most = -1, id;
    size_t i;

    json_object_foreach((json_t *)(uintptr_t)vocab, key, v)
    {
        id = json_integer_value(v);
        most = id > most ? id : most;
    }
    json_array_foreach(added, i, v)
    {
        id = json_integer_value(json_object_get(v, "id"));
        most = id > most ? id : most;
    }
    return most + 1;
}

static json_t *item(const char *kind, const char *id, int type)
{
    return json_pack("{s{ss si}}", kind, "id", id, "type_id", type);
}

/* A special token of a template by name and id. */
static int put_special(json_t *specials, const char *name, int64_t id)
{
    return json_object_set_new(specials, name,
                               json_pack("{ss s[I] s[s]}", "id", name, "ids",
                                         (json_int_t)id, "tokens", name));
}

/* {"type": "BertProcessing", "cls": [text, id], "sep": ...} as a template. */
static json_t *from_bert(const json_t *post)
{
    const json_t *cls = json_object_get(post, "cls");
    const json_t *sep = json_object_get(post, "sep");
    const char *c = json_string_value(json_array_get(cls, 0));
    const char *s = json_string_value(json_array_get(sep, 0));
    json_t *specials = json_object();

    if (!c || !s || !specials ||
        put_special(specials, c, json_integer_value(json_array_get(cls, 1))) ||
        put_special(specials, s, json_integer_value(json_array_get(sep, 1)))) {
        json_decref(specials);
        return NULL;
    }
    return json_pack("{ss s[ooo] s[ooooo] so}", "type", "TemplateProcessing",
                     "single", item("SpecialToken", c, 0),
                     item("Sequence", "A", 0), item("SpecialToken", s, 0),
                     "pair", item("SpecialToken", c, 0),
                     item("Sequence", "A", 0), item("SpecialToken", s, 0),
                     item("Sequence", "B", 1), item("SpecialToken", s, 1),
                     "special_tokens", specials);
}

/* The post-processor as a new template. NULL: out of memory, or malformed,
 * which the tokenizer's reader has reported before. */
static json_t *template_of(const json_t *post)
{
    const char *type = json_string_value(json_object_get(post, "type"));

    if (!type)
        return json_pack("{ss s[o] s[oo] s{}}", "type", "TemplateProcessing",
                         "single", item("Sequence", "A", 0), "pair",
                         item("Sequence", "A", 0), item("Sequence", "B", 1),
                         "special_tokens");
    return strcmp(type, "BertProcessing") == 0 ? from_bert(post)
                                               : json_deep_copy(post);
}

/* Special token i + 1 of all special tokens. */
static int put_token(json_t *root, json_t *post, int64_t i, int64_t id)
{
    struct name name = name_of(i);
    json_t *vocab = json_object_get(json_object_get(root, "model"), "vocab");
    json_t *pair = json_object_get(post, "pair");

    return json_object_set_new(vocab, name.s, json_integer((json_int_t)id)) ||
           json_array_append_new(
               json_object_get(root, "added_tokens"),
               json_pack("{sI ss sb sb sb sb sb}", "id", (json_int_t)id,
                         "content", name.s, "single_word", 0, "lstrip", 0,
                         "rstrip", 0, "normalized", 0, "special", 1)) ||
           put_special(json_object_get(post, "special_tokens"), name.s, id) ||
           json_array_insert_new(json_object_get(post, "single"), (size_t)i,
                                 item("SpecialToken", name.s, 0)) ||
           (json_is_array(pair) &&
            json_array_insert_new(pair, (size_t)i,
                                  item("SpecialToken", name.s, 0)));
}

int bird_global_add(json_t *root, int64_t g)
{
    const json_t *vocab =
        json_object_get(json_object_get(root, "model"), "vocab");
    json_t *post = NULL;
    int64_t first;
    int rc = bird_global_check(g), bad = 0;

    if (rc || !g)
        return rc;
    if (!json_is_array(json_object_get(root, "added_tokens")))
        bad = json_object_set_new(root, "added_tokens", json_array());
    first = first_free(vocab, json_object_get(root, "added_tokens"));
    post = template_of(json_object_get(root, "post_processor"));
    bad |= !post;
    for (int64_t i = 0; i < g && !bad; i++)
        bad = put_token(root, post, i, first + i);
    bad |= json_object_set_new(root, "post_processor", post);
    return bad ? bird_fail_memory(0) : 0;
}

/* Check the existing file: it is read like any other. */
static int check_file(const char *from, int64_t g)
{
    bird_tokenizer *t = NULL;
    int rc = bird_tokenizer_open(&t, from);

    if (!rc && bird_tokenizer_id(t, name_of(0).s) >= 0)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: has a token [G1] already: %lld global tokens "
                       "cannot be added",
                       from, (long long)g);
    bird_tokenizer_free(t);
    return rc;
}

int bird_global_write(const char *to, const char *from, int64_t g)
{
    json_t *root = NULL;
    int rc = check_file(from, g);

    if (!rc)
        rc = bird_json_open(&root, from);
    if (!rc)
        rc = bird_global_add(root, g);
    if (!rc)
        rc = bird_json_write(root, to);
    json_decref(root);
    return rc;
}
