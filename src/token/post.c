/* BertProcessing and TemplateProcessing. SPDX-License-Identifier: MIT */
#include "token/post.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "token/vocab.h"

static int refuse(const char *path, const char *what)
{
    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: post_processor: %.60s is not supported", path, what);
}

static int malformed(const char *path, const char *what)
{
    return bird_fail(BIRD_EFORMAT, "%s: post_processor: %.60s", path, what);
}

/* One more id before (where = 0) or after the text. */
static int id_add(bird_tokenizer *t, int where, const json_t *value,
                  const char *path)
{
    int32_t **list = where ? &t->after : &t->before;
    int64_t *n = where ? &t->n_after : &t->n_before, cap = *n;
    int64_t id = json_integer_value(value);
    int rc;

    if (!json_is_integer(value) || !bird_vocab_text(&t->vocab, id))
        return malformed(path, "a special token's id is not in the vocab");
    if (*n >= 64)
        return refuse(path, "more than 64 special tokens");
    if ((rc = bird_array_grow(list, &cap, *n + 1, sizeof(**list))))
        return rc;
    (*list)[(*n)++] = (int32_t)id;
    return 0;
}

static int template_special(bird_tokenizer *t, int where, const json_t *item,
                            const json_t *specials, const char *path)
{
    const char *name = json_string_value(json_object_get(item, "id"));
    const json_t *ids =
        name ? json_object_get(json_object_get(specials, name), "ids") : NULL;
    int rc = 0;

    if (!json_is_array(ids))
        return malformed(path, "a SpecialToken is not among special_tokens");
    for (size_t i = 0; i < json_array_size(ids) && !rc; i++)
        rc = id_add(t, where, json_array_get(ids, i), path);
    return rc;
}

static int template_read(bird_tokenizer *t, const json_t *post,
                         const char *path)
{
    const json_t *single = json_object_get(post, "single");
    const json_t *specials = json_object_get(post, "special_tokens");
    int n_text = 0, rc;

    if (!json_is_array(single))
        return malformed(path, "TemplateProcessing without 'single'");
    for (size_t i = 0; i < json_array_size(single); i++) {
        const json_t *item = json_array_get(single, i);
        const json_t *text = json_object_get(item, "Sequence");
        const json_t *special = json_object_get(item, "SpecialToken");
        const char *id = json_string_value(json_object_get(text, "id"));

        if (json_integer_value(
                json_object_get(text ? text : special, "type_id")))
            return refuse(path, "a template with a 'type_id' but 0");
        if (special) {
            rc = template_special(t, n_text, special, specials, path);
            if (rc)
                return rc;
        } else if (!id) {
            return malformed(path, "an item is no SpecialToken or Sequence");
        } else if (strcmp(id, "A") != 0 || n_text++) {
            return refuse(path, "a 'single' template with other than one A");
        }
    }
    return n_text ? 0 : refuse(path, "a 'single' template without A");
}

int bird_post_read(bird_tokenizer *t, const json_t *post, const char *path)
{
    const char *type = json_string_value(json_object_get(post, "type"));
    int rc;

    if (!post || json_is_null(post))
        return 0;
    if (!type)
        return malformed(path, "no 'type'");
    if (!strcmp(type, "TemplateProcessing"))
        return template_read(t, post, path);
    if (strcmp(type, "BertProcessing") != 0)
        return refuse(path, type);
    rc = id_add(t, 0, json_array_get(json_object_get(post, "cls"), 1), path);
    if (!rc)
        rc =
            id_add(t, 1, json_array_get(json_object_get(post, "sep"), 1), path);
    return rc;
}
