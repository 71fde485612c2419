/* The identity of a sampler. SPDX-License-Identifier: MIT */
#include "data/identity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"

/*
 * What the tokenizer does, whatever file it came from: its tokens, and how it
 * encodes all of them in a row, in which each merge has its turn.
 */
static int tokenizer_digest(char hex[65], const bird_tokenizer *t)
{
    struct bird_text all = {0}, tokens = {0};
    bird_encoding e = {0};
    int rc = 0;

    for (int64_t i = 0; !rc && i < bird_tokenizer_count(t); i++) {
        const char *token = bird_tokenizer_token(t, (int32_t)i);

        rc = bird_text_printf(&tokens, "%" PRId64 " %s\n", i,
                              token ? token : "");
        if (!rc && token && strspn(token, "ACGT") == strlen(token))
            rc = bird_text_put(&all, token, (int64_t)strlen(token));
    }
    if (!rc)
        rc = bird_text_put(&all, "NNNNNNNNNNNNRACGT", 17);
    if (!rc)
        rc = bird_tokenizer_encode(t, &e, all.s, all.n, 0);
    for (int64_t i = 0; !rc && i < e.n; i++)
        rc = bird_text_printf(&tokens, "%d %" PRId64 "\n", (int)e.ids[i],
                              e.start[i]);
    if (!rc)
        bird_sha256(hex, tokens.s, (size_t)tokens.n);
    bird_text_free(&all);
    bird_text_free(&tokens);
    bird_encoding_free(&e);
    return rc;
}

int bird_identity_of_options(json_t **out, const struct bird_sampler *s)
{
    const struct bird_sample_options *o = &s->o;
    char tokenizer[65];
    json_t *j;
    int rc = tokenizer_digest(tokenizer, s->t);

    if (rc)
        return rc;
    j = json_pack(
        "{s:s, s:s, s:I, s:I, s:f, s:b}", "tokenizer", tokenizer, "sampling",
        o->kind == BIRD_SAMPLE_DOCUMENTS ? "documents" : "windows", "length",
        (json_int_t)o->length_tok, "seed", (json_int_t)o->seed, "max_n",
        o->max_n, "next_sentence", o->next_sentence != 0);
    if (!j)
        return bird_fail_memory(0);
    *out = j;
    return 0;
}

static int data_digests(char reference[65], char regions[65],
                        const struct bird_sampler *s)
{
    struct bird_text t = {0};
    int rc = bird_text_put(&t, "", 0);

    for (int64_t i = 0; !rc && i < s->bases.n; i++)
        if (s->bases.contig[i].digest[0])
            rc = bird_text_printf(
                &t, "%s %" PRId64 " %s\n", s->bases.contigs.name[i],
                s->bases.contig[i].length, s->bases.contig[i].digest);
    if (!rc)
        bird_sha256(reference, t.s, (size_t)t.n);
    bird_text_clear(&t);
    for (int64_t i = 0; !rc && i < s->allowed.n; i++)
        rc = bird_text_printf(&t, "%s %" PRId64 " %" PRId64 "\n",
                              s->bases.contigs.name[s->allowed.at[i].contig],
                              s->allowed.at[i].start, s->allowed.at[i].end);
    if (!rc)
        bird_sha256(regions, t.s, (size_t)t.n);
    bird_text_free(&t);
    return rc;
}

int bird_identity_add_data(json_t *identity, const struct bird_sampler *s)
{
    char reference[65], regions[65];
    int rc = data_digests(reference, regions, s);

    if (rc)
        return rc;
    if (json_object_set_new(identity, "reference", json_string(reference)) ||
        json_object_set_new(identity, "regions", json_string(regions)) ||
        json_object_set_new(identity, "bases", json_integer(s->n_base)))
        return bird_fail_memory(0);
    return 0;
}

/* A value as it stands in JSON, less the quotes. */
static int put_value(struct bird_text *t, const json_t *v)
{
    char *s = json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    size_t n = s ? strlen(s) : 0;
    int quoted = s && s[0] == '"', rc;

    if (!s)
        return bird_fail_memory(0);
    rc = bird_text_put(t, s + quoted, (int64_t)n - 2 * quoted);
    free(s);
    return rc;
}

int bird_identity_text(struct bird_sampler *s, const json_t *identity)
{
    struct bird_text *t = &s->identity;
    const char *key;
    json_t *v;
    int rc = 0;

    bird_text_clear(t);
    json_object_foreach((json_t *)identity, key, v)
    {
        if (!rc)
            rc = bird_text_printf(t, "%s ", key);
        if (!rc)
            rc = put_value(t, v);
        if (!rc)
            rc = bird_text_put(t, "\n", 1);
    }
    if (!rc)
        rc = bird_text_printf(t, "mask %.17g\nspan %d\n", s->o.mask, s->o.span);
    return rc;
}

int bird_identity_check(const json_t *there, const json_t *want,
                        const char *path)
{
    struct bird_text a = {0}, b = {0};
    const char *key;
    json_t *v, *other;
    int rc = 0;

    json_object_foreach((json_t *)want, key, v)
    {
        other = json_object_get(there, key);
        if (rc || (other && json_equal(other, v)))
            continue;
        rc = other ? put_value(&a, other) : bird_text_put(&a, "nothing", 7);
        if (!rc)
            rc = put_value(&b, v);
        if (!rc)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: made with another %s (%.70s, not %.70s): use "
                           "the same, or another folder",
                           path, key, a.s, b.s);
    }
    bird_text_free(&a);
    bird_text_free(&b);
    return rc;
}
