/* The vocabulary's tokens by length. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/mlm.h"

enum { MAX_LENGTH = 10000 }; /* bp of a token: 4 bytes a base of it */

/* Its length when it is of A, C, G, T alone, else 0. */
static int64_t word_length(const char *text)
{
    int64_t n = 0;

    for (; text && text[n]; n++)
        if (!bird_is_acgt(text[n]))
            return 0;
    return n;
}

static int measure(struct bird_mlm_vocab *v, const bird_tokenizer *t,
                   const char *path)
{
    for (int64_t i = 0; i < v->n; i++) {
        int64_t n = word_length(bird_tokenizer_token(t, (int32_t)i));

        if (n > MAX_LENGTH)
            return bird_fail(BIRD_EUNSUPPORTED,
                             "%s: token %lld has more than %d bases", path,
                             (long long)i, MAX_LENGTH);
        v->length[i] = (int32_t)n;
        v->longest = n > v->longest ? (int32_t)n : v->longest;
    }
    if (!v->longest)
        return bird_fail(BIRD_EINVAL, "%s: no token is made of A, C, G, T",
                         path);
    return 0;
}

/* The words of one length, of which w->n are known to be. */
static int make_words(struct bird_mlm_vocab *v, const bird_tokenizer *t,
                      int32_t length)
{
    struct bird_mlm_words *w = &v->words[length];
    uint8_t *code = NULL;
    int64_t n = 0;
    int rc = bird_array_new(&w->id, w->n, sizeof(*w->id));

    if (!rc)
        rc = bird_array_new(&code, w->n * length, 1);
    for (int64_t i = 0; !rc && i < v->n; i++) {
        const char *text = bird_tokenizer_token(t, (int32_t)i);

        if (v->length[i] != length)
            continue;
        for (int32_t j = 0; j < length; j++)
            code[n * length + j] = (uint8_t)bird_markov_code(text[j]);
        v->number[i] = (int32_t)n;
        w->id[n++] = (int32_t)i;
    }
    if (!rc)
        rc = bird_strings_new(&w->strings, code, w->n, length);
    free(code);
    return rc;
}

static int count_special(struct bird_mlm_vocab *v, const bird_tokenizer *t)
{
    bird_encoding e = {0};
    int rc = bird_tokenizer_encode(t, &e, "", 0, 1);

    v->n_special = e.n;
    bird_encoding_free(&e);
    return rc;
}

int bird_mlm_vocab_new(struct bird_mlm_vocab *v, const bird_tokenizer *t,
                       const char *path)
{
    int rc;

    *v = (struct bird_mlm_vocab){.n = bird_tokenizer_count(t),
                                 .mask_id = bird_tokenizer_id(t, "[MASK]")};
    if (v->mask_id < 0)
        v->mask_id = bird_tokenizer_id(t, "<mask>");
    if (v->mask_id < 0)
        return bird_fail(BIRD_EINVAL,
                         "%s: no token [MASK] to hide others "
                         "with",
                         path);
    if (bird_tokenizer_kmer(t) > bird_tokenizer_stride(t))
        return bird_fail(BIRD_EINVAL,
                         "%s: tokens overlap, so a hidden one can be read off "
                         "its neighbours: bits per base mean nothing",
                         path);
    rc = bird_array_new(&v->length, v->n, sizeof(*v->length));
    if (!rc)
        rc = bird_array_new(&v->number, v->n, sizeof(*v->number));
    if (!rc)
        rc = count_special(v, t);
    if (!rc)
        rc = measure(v, t, path);
    if (!rc)
        rc = bird_array_new(&v->words, v->longest + 1, sizeof(*v->words));
    for (int64_t i = 0; !rc && i < v->n; i++)
        v->words[v->length[i]].n++;
    for (int32_t i = 1; !rc && i <= v->longest; i++) {
        rc = make_words(v, t, i);
        v->most = v->words[i].n > v->most ? v->words[i].n : v->most;
    }
    if (rc)
        bird_mlm_vocab_free(v);
    return rc;
}

void bird_mlm_vocab_free(struct bird_mlm_vocab *v)
{
    for (int32_t i = 0; v->words && i <= v->longest; i++) {
        free(v->words[i].id);
        bird_strings_free(v->words[i].strings);
    }
    free(v->words);
    free(v->length);
    free(v->number);
    *v = (struct bird_mlm_vocab){0};
}
