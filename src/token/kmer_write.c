/* tokenizer.json out of a vocabulary of k-mers. SPDX-License-Identifier: MIT */
#include "token/kmer_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "token/vocab.h"

/* Tokens in brackets are special. */
static const char unk[] = "[UNK]", cls[] = "[CLS]", sep[] = "[SEP]";

/* A token a line; white space at its end is none of it. */
static int read_lines(struct bird_vocab *v, char *text, const char *path)
{
    char *line, *next = text;
    int64_t id = 0;
    int rc = 0;

    while (!rc && (line = strsep(&next, "\n"))) {
        line[strcspn(line, " \t\r")] = '\0';
        if (*line)
            rc = bird_vocab_add(v, line, id, path);
        else if (next)
            rc = bird_fail(BIRD_EFORMAT, "%s: line %lld is empty", path,
                           (long long)id + 1);
        id++;
    }
    return rc;
}

static int read_object(struct bird_vocab *v, const struct bird_text *t,
                       const char *path)
{
    json_t *o = NULL, *id;
    const char *token;
    int rc = bird_json_parse(&o, t->s, (size_t)t->n, path);

    json_object_foreach(o, token, id)
    {
        if (!rc && !json_is_integer(id))
            rc =
                bird_fail(BIRD_EFORMAT, "%s: the id of '%.40s' is not a number",
                          path, token);
        if (!rc)
            rc = bird_vocab_add(v, token, json_integer_value(id), path);
    }
    json_decref(o);
    return rc;
}

static int read_vocab(struct bird_vocab *v, const char *path)
{
    struct bird_text t = {0};
    int rc = bird_file_read(&t, path);

    if (!rc && t.n && t.s[strspn(t.s, " \t\r\n")] == '{')
        rc = read_object(v, &t, path);
    else if (!rc)
        rc = read_lines(v, t.s, path);
    bird_text_free(&t);
    return rc;
}

/* The one length of tokens that are letters alone. */
static int find_k(int64_t *k, const struct bird_vocab *v, const char *path)
{
    int64_t found = 0;

    for (int64_t id = 0; id < v->n; id++) {
        const char *s = bird_vocab_text(v, id);
        int64_t n = s ? (int64_t)strspn(s, "ACGT") : 0;

        if (!n || s[n])
            continue;
        if (found && n != found)
            return bird_fail(BIRD_EFORMAT,
                             "%s: '%.40s' has %lld letters, others have %lld: "
                             "no vocabulary of k-mers",
                             path, s, (long long)n, (long long)found);
        found = n;
    }
    if (!found || found > 32)
        return bird_fail(BIRD_EFORMAT,
                         "%s: no vocabulary of k-mers: no tokens of A, C, G, T",
                         path);
    *k = found;
    return 0;
}

static int check_specials(const struct bird_vocab *v, int special,
                          const char *path)
{
    const char *const need[] = {unk, cls, sep};

    for (int i = 0; i < (special ? 3 : 1); i++)
        if (bird_vocab_find(v, need[i], strlen(need[i])) < 0)
            return bird_fail(BIRD_EFORMAT, "%s: no token '%s'%s", path, need[i],
                             i ? ": give --no-special" : "");
    return 0;
}

static json_t *added_tokens(const struct bird_vocab *v)
{
    json_t *list = json_array();

    for (int64_t id = 0; id < v->n; id++) {
        const char *s = bird_vocab_text(v, id);

        if (s && *s == '[' && s[strlen(s) - 1] == ']')
            json_array_append_new(
                list, json_pack("{sI ss sb sb sb sb sb}", "id", (json_int_t)id,
                                "content", s, "single_word", 0, "lstrip", 0,
                                "rstrip", 0, "normalized", 0, "special", 1));
    }
    return list;
}

static json_t *special_of(const struct bird_vocab *v, const char *s)
{
    return json_pack("{ss s[i] s[s]}", "id", s, "ids",
                     (int)bird_vocab_find(v, s, strlen(s)), "tokens", s);
}

/* [CLS] A [SEP], and for the library's sake a pair. */
static json_t *post_processor(const struct bird_vocab *v)
{
#define SPECIAL(name) "SpecialToken", "id", name, "type_id", 0
#define TEXT(name)    "Sequence", "id", name, "type_id", 0
    return json_pack(
        "{ss s[{s{ss si}} {s{ss si}} {s{ss si}}]"
        " s[{s{ss si}} {s{ss si}} {s{ss si}} {s{ss si}} {s{ss si}}]"
        " s{so so}}",
        "type", "TemplateProcessing", "single", SPECIAL(cls), TEXT("A"),
        SPECIAL(sep), "pair", SPECIAL(cls), TEXT("A"), SPECIAL(sep), TEXT("B"),
        SPECIAL(sep), "special_tokens", cls, special_of(v, cls), sep,
        special_of(v, sep));
#undef SPECIAL
#undef TEXT
}

static json_t *tokenizer_json(const struct bird_vocab *v, int special)
{
    json_t *vocab = json_object();

    for (int64_t id = 0; id < v->n; id++)
        if (bird_vocab_text(v, id))
            json_object_set_new(vocab, bird_vocab_text(v, id),
                                json_integer(id));
    return json_pack(
        "{ss sn sn so sn s{ss} so sn s{ss so ss}}", "version", "1.0",
        "truncation", "padding", "added_tokens", added_tokens(v), "normalizer",
        "pre_tokenizer", "type", "WhitespaceSplit", "post_processor",
        special ? post_processor(v) : json_null(), "decoder", "model", "type",
        "WordLevel", "vocab", vocab, "unk_token", unk);
}

int bird_kmer_write(const char *path, int64_t *k, const char *vocab,
                    int special)
{
    struct bird_vocab v = {0};
    json_t *root = NULL;
    int64_t found = 0;
    int rc = read_vocab(&v, vocab);

    if (!rc)
        rc = find_k(&found, &v, vocab);
    if (!rc)
        rc = check_specials(&v, special, vocab);
    if (!rc) {
        root = tokenizer_json(&v, special);
        rc = root ? bird_json_write(root, path) : bird_fail_memory(0);
    }
    if (!rc)
        *k = found;
    json_decref(root);
    bird_vocab_free(&v);
    return rc;
}
