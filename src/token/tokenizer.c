/*
 * A tokenizer.json, section by section: model, added tokens, normalizer,
 * pre-tokenizer, post-processor. A field that is unknown and could change ids
 * is refused, so that every file that opens gives the ids of the tokenizers
 * library.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "token/bpe_automaton.h"
#include "token/vocab.h"
#include "token/words.h"

static int refuse(const char *path, const char *what)
{
    return bird_fail(BIRD_EUNSUPPORTED, "%s: %s is not supported", path, what);
}

static int is_off(const json_t *v)
{
    return !v || json_is_null(v) || json_is_false(v) ||
           (json_is_string(v) && json_string_length(v) == 0);
}

/* The models, and the known fields of each. */
static const struct {
    const char *type, *field[6];
} models[] = {
    [BIRD_MODEL_BPE] = {"BPE",
                        {"type", "unk_token", "vocab", "fuse_unk", "merges"}},
    [BIRD_MODEL_WORD_LEVEL] = {"WordLevel", {"type", "unk_token", "vocab"}},
    [BIRD_MODEL_WORD_PIECE] = {"WordPiece",
                               {"type", "unk_token", "vocab",
                                "continuing_subword_prefix",
                                "max_input_chars_per_word"}},
};

enum { N_MODEL = sizeof(models) / sizeof(*models) };

static int model_type(bird_tokenizer *t, const json_t *model, const char *path)
{
    const char *type = "BPE";
    int rc = bird_json_text(&type, model, "type", path), i = 0;

    while (i < N_MODEL && strcmp(models[i].type, type) != 0)
        i++;
    if (!rc && i == N_MODEL)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: model type '%.40s' is not supported (BPE, "
                       "WordLevel and WordPiece are)",
                       path, type);
    if (!rc)
        t->model = (enum bird_token_model)i;
    return rc;
}

/* Refuse fields of `model` that are unknown and could change ids. */
static int model_check(const bird_tokenizer *t, const json_t *model,
                       const char *path)
{
    const char *const *known = models[t->model].field, *key;
    json_t *value;

    json_object_foreach((json_t *)model, key, value)
    {
        size_t i = 0;

        while (i < 6 && known[i] && strcmp(key, known[i]) != 0)
            i++;
        if ((i == 6 || !known[i]) && !is_off(value))
            return bird_fail(BIRD_EUNSUPPORTED,
                             "%s: model field '%.40s' is not supported", path,
                             key);
    }
    return 0;
}

static int vocab_read(bird_tokenizer *t, const json_t *model, const char *path)
{
    json_t *vocab = json_object_get(model, "vocab"), *value;
    const char *key;
    int rc;

    if (!json_is_object(vocab))
        return bird_fail(BIRD_EFORMAT, "%s: model without a 'vocab'", path);
    json_object_foreach(vocab, key, value)
    {
        if (!json_is_integer(value))
            return bird_fail(BIRD_EFORMAT,
                             "%s: vocab: the id of '%.40s' is not a number",
                             path, key);
        rc = bird_vocab_add(&t->vocab, key, json_integer_value(value), path);
        if (rc)
            return rc;
    }
    return 0;
}

/* The two parts of a merge: "A B", or ["A", "B"]. */
static int merge_parts(const json_t *merge, const char **left, size_t *n_left,
                       const char **right)
{
    const char *s = json_string_value(merge), *blank;

    if (json_is_array(merge) && json_array_size(merge) == 2) {
        *left = json_string_value(json_array_get(merge, 0));
        *right = json_string_value(json_array_get(merge, 1));
        *n_left = *left ? strlen(*left) : 0;
        return *left && *right;
    }
    blank = s ? strchr(s, ' ') : NULL;
    if (!blank || strchr(blank + 1, ' '))
        return 0;
    *left = s;
    *n_left = (size_t)(blank - s);
    *right = blank + 1;
    return 1;
}

static int merge_read(bird_tokenizer *t, int64_t k, const json_t *merge,
                      struct bird_text *joint, const char *path)
{
    const char *left, *right;
    size_t n_left, n_right;
    int32_t l, r, p;
    int rc;

    if (!merge_parts(merge, &left, &n_left, &right))
        return bird_fail(BIRD_EFORMAT, "%s: merge %lld is not a pair of tokens",
                         path, (long long)k);
    n_right = strlen(right);
    l = bird_vocab_find(&t->vocab, left, n_left);
    r = bird_vocab_find(&t->vocab, right, n_right);
    bird_text_clear(joint);
    if ((rc = bird_text_put(joint, left, (int64_t)n_left)) ||
        (rc = bird_text_put(joint, right, (int64_t)n_right)))
        return rc;
    p = bird_vocab_find(&t->vocab, joint->s, (size_t)joint->n);
    if (l < 0 || r < 0 || p < 0)
        return bird_fail(BIRD_EFORMAT,
                         "%s: merge %lld: '%.40s' is not in the vocab", path,
                         (long long)k,
                         l < 0   ? left
                         : r < 0 ? right
                                 : joint->s);
    if (t->unk >= 0 && (l == t->unk || r == t->unk || p == t->unk))
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: merge %lld: merging the unknown token is not "
                         "supported",
                         path, (long long)k);
    return bird_merges_set(&t->merges, k, l, r, p);
}

static int merges_read(bird_tokenizer *t, const json_t *model, const char *path)
{
    const json_t *merges = json_object_get(model, "merges");
    struct bird_text joint = {0};
    int64_t n = (int64_t)json_array_size(merges);
    int rc;

    if (!json_is_array(merges))
        return bird_fail(BIRD_EFORMAT, "%s: model without 'merges'", path);
    if (n > BIRD_VOCAB_MAX)
        return refuse(path, "a model of more than 4194304 merges");
    rc = bird_merges_new(&t->merges, n);
    for (int64_t k = 0; k < n && !rc; k++)
        rc = merge_read(t, k, json_array_get(merges, (size_t)k), &joint, path);
    bird_text_free(&joint);
    return rc;
}

static int model_read(bird_tokenizer *t, const json_t *model, const char *path)
{
    const char *unk = NULL;
    int rc;

    if (!json_is_object(model))
        return bird_fail(BIRD_EFORMAT, "%s: no 'model'", path);
    if ((rc = model_type(t, model, path)) ||
        (rc = model_check(t, model, path)) ||
        (rc = bird_json_text(&unk, model, "unk_token", path)) ||
        (rc = bird_json_bool(&t->fuse_unk, model, "fuse_unk", path)) ||
        (rc = vocab_read(t, model, path)))
        return rc;
    t->unk = -1;
    if (unk && (t->unk = bird_vocab_find(&t->vocab, unk, strlen(unk))) < 0)
        return bird_fail(BIRD_EFORMAT,
                         "%s: the unk_token '%.40s' is not in the vocab", path,
                         unk);
    if (t->model != BIRD_MODEL_BPE)
        return bird_word_model_read(t, model, path);
    for (int c = 0; c < 128; c++) {
        char s = (char)c;

        t->letter[c] = c ? bird_vocab_find(&t->vocab, &s, 1) : -1;
    }
    return merges_read(t, model, path);
}

static int added_check(const json_t *token, int64_t *id, const char **text,
                       const char *path)
{
    static const char *const off[] = {"single_word", "lstrip", "rstrip",
                                      "normalized"};
    int rc, on;

    *id = -1;
    *text = NULL;
    if (!json_is_object(token))
        return bird_fail(BIRD_EFORMAT, "%s: added_tokens: not an object", path);
    if ((rc = bird_json_int(id, token, "id", 0, BIRD_VOCAB_MAX - 1, path)) ||
        (rc = bird_json_text(text, token, "content", path)))
        return rc;
    if (*id < 0 || !*text || !**text)
        return bird_fail(BIRD_EFORMAT,
                         "%s: an added token without id or content", path);
    for (int i = 0; i < 4; i++) {
        on = 0;
        if ((rc = bird_json_bool(&on, token, off[i], path)))
            return rc;
        if (on)
            return bird_fail(BIRD_EUNSUPPORTED,
                             "%s: added token '%.40s': '%s' is not supported",
                             path, *text, off[i]);
    }
    return 0;
}

static int added_read(bird_tokenizer *t, const json_t *token, const char *path)
{
    struct bird_added *a = &t->added[t->n_added];
    const char *text;
    int64_t id;
    int32_t there;
    int rc = added_check(token, &id, &text, path);

    if (rc)
        return rc;
    there = bird_vocab_find(&t->vocab, text, strlen(text));
    if (there >= 0 && there != id)
        return bird_fail(BIRD_EFORMAT,
                         "%s: added token '%.40s' has id %lld here and %d in "
                         "the vocab",
                         path, text, (long long)id, there);
    if (there < 0 && (rc = bird_vocab_add(&t->vocab, text, id, path)))
        return rc;
    a->text = strdup(text);
    if (!a->text)
        return bird_fail_memory(strlen(text));
    a->n = strlen(text);
    a->id = (int32_t)id;
    t->added_first[(uint8_t)*text] = 1;
    t->n_added++;
    return 0;
}

static int added_order(const void *a, const void *b)
{
    const struct bird_added *x = a, *y = b;

    return (x->n < y->n) - (x->n > y->n);
}

static int added_tokens_read(bird_tokenizer *t, const json_t *list,
                             const char *path)
{
    int rc;

    if (!list || json_is_null(list))
        return 0;
    if (!json_is_array(list))
        return bird_fail(BIRD_EFORMAT, "%s: 'added_tokens' is not a list",
                         path);
    rc = bird_array_new(&t->added, (int64_t)json_array_size(list),
                        sizeof(*t->added));
    for (size_t i = 0; i < json_array_size(list) && !rc; i++)
        rc = added_read(t, json_array_get(list, i), path);
    if (!rc)
        qsort(t->added, (size_t)t->n_added, sizeof(*t->added), added_order);
    return rc;
}

/* The post-processor: which special tokens come before and after a text. */
static int post_refuse(const char *path, const char *what)
{
    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: post_processor: %.60s is not supported", path, what);
}

static int malformed(const char *path, const char *what)
{
    return bird_fail(BIRD_EFORMAT, "%s: post_processor: %.60s", path, what);
}

/* Add an id before (where = 0) or after the text. */
static int id_add(bird_tokenizer *t, int where, const json_t *value,
                  const char *path)
{
    int32_t **list = where ? &t->after : &t->before;
    int64_t *n = where ? &t->n_after : &t->n_before, cap = *n;
    int64_t id = json_integer_value(value);
    int rc;

    if (!json_is_integer(value) || !bird_vocab_text(&t->vocab, id))
        return malformed(path, "a special token's id is not in the vocab");
    if (*n >= 64 + BIRD_GLOBAL_MAX)
        return post_refuse(path, "more than 4160 special tokens");
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
            return post_refuse(path, "a template with a 'type_id' but 0");
        if (special) {
            rc = template_special(t, n_text, special, specials, path);
            if (rc)
                return rc;
        } else if (!id) {
            return malformed(path,
                             "an item is neither SpecialToken nor Sequence");
        } else if (strcmp(id, "A") != 0 || n_text++) {
            return post_refuse(path,
                               "a 'single' template with other than one A");
        }
    }
    return n_text ? 0 : post_refuse(path, "a 'single' template without A");
}

static int post_read(bird_tokenizer *t, const json_t *post, const char *path)
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
        return post_refuse(path, type);
    rc = id_add(t, 0, json_array_get(json_object_get(post, "cls"), 1), path);
    if (!rc)
        rc =
            id_add(t, 1, json_array_get(json_object_get(post, "sep"), 1), path);
    return rc;
}

/*
 * Unicode's tables would be needed to tell which characters beyond ASCII are
 * word characters. It does not matter if they neither merge nor fuse.
 */
static int words_check(const bird_tokenizer *t, const char *path)
{
    int words = 0;

    for (int64_t i = 0; i < t->split.n; i++)
        words |= t->split.rule[i].kind == BIRD_RULE_WORDS;
    if (words && t->fuse_unk)
        return refuse(path, "pre_tokenizer Whitespace together with fuse_unk");
    for (int64_t k = 0; words && k < t->merges.n; k++)
        for (const char *s = bird_vocab_text(&t->vocab, t->merges.product[k]);
             *s; s++)
            if (*s & 0x80)
                return refuse(path, "pre_tokenizer Whitespace together with "
                                    "merges of characters beyond ASCII");
    return 0;
}

static int root_read(bird_tokenizer *t, const json_t *root, const char *path)
{
    int rc;

    if (!is_off(json_object_get(root, "truncation")))
        return refuse(path, "'truncation'");
    if (!is_off(json_object_get(root, "padding")))
        return refuse(path, "'padding'");
    if ((rc = model_read(t, json_object_get(root, "model"), path)) ||
        (rc = added_tokens_read(t, json_object_get(root, "added_tokens"),
                                path)) ||
        (rc = bird_rules_read_normalizer(
             &t->normal, json_object_get(root, "normalizer"), path)) ||
        (rc = bird_rules_read_pretokenizer(
             &t->split, json_object_get(root, "pre_tokenizer"), path)) ||
        (rc = post_read(t, json_object_get(root, "post_processor"), path)) ||
        (rc = words_check(t, path)))
        return rc;
    if (t->model == BIRD_MODEL_WORD_LEVEL) /* the added tokens are complete
                                              now */
        return bird_kmer_find(t, path);
    if (t->model != BIRD_MODEL_BPE)
        return 0;
    return bird_bpe_automaton_new(&t->automaton, &t->vocab, &t->merges, t->unk);
}

int bird_tokenizer_parse(bird_tokenizer **out, const char *text, size_t n,
                         const char *path)
{
    bird_tokenizer *t = NULL;
    json_t *root = NULL;
    int rc = bird_json_parse(&root, text, n, path);

    if (rc)
        return rc;
    if (!(rc = bird_array_new(&t, 1, sizeof(*t))) &&
        !(rc = root_read(t, root, path))) {
        *out = t;
        t = NULL;
    }
    bird_tokenizer_free(t);
    json_decref(root);
    return rc;
}

int bird_tokenizer_open(bird_tokenizer **out, const char *path)
{
    struct bird_text text = {0};
    bird_tokenizer *t = NULL;
    int rc = bird_file_read(&text, path);

    if (!rc)
        rc = bird_tokenizer_parse(&t, text.s, (size_t)text.n, path);
    if (!rc && t->model == BIRD_MODEL_WORD_LEVEL)
        rc = bird_kmer_stride(t, path);
    if (!rc) {
        *out = t;
        t = NULL;
    }
    bird_tokenizer_free(t);
    bird_text_free(&text);
    return rc;
}

void bird_tokenizer_free(bird_tokenizer *t)
{
    if (!t)
        return;
    bird_vocab_free(&t->vocab);
    bird_merges_free(&t->merges);
    for (int64_t i = 0; i < t->n_added; i++)
        free(t->added[i].text);
    free(t->added);
    bird_rules_free(&t->normal);
    bird_rules_free(&t->split);
    free(t->before);
    free(t->after);
    bird_bpe_automaton_free(t->automaton);
    free(t->kmer_id);
    free(t->prefix);
    free(t);
}

int64_t bird_tokenizer_count(const bird_tokenizer *t)
{
    return t->vocab.n;
}

int64_t bird_tokenizer_kmer(const bird_tokenizer *t)
{
    return t->kmer;
}

int64_t bird_tokenizer_stride(const bird_tokenizer *t)
{
    return t->stride;
}

const char *bird_tokenizer_token(const bird_tokenizer *t, int32_t id)
{
    return bird_vocab_text(&t->vocab, id);
}

int32_t bird_tokenizer_id(const bird_tokenizer *t, const char *token)
{
    return bird_vocab_find(&t->vocab, token, strlen(token));
}
