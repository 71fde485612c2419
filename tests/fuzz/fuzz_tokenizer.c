/*
 * Any bytes as tokenizer.json, up to the first NUL; what stands behind it is
 * encoded, and so is a fixed text. Ids must be in the vocabulary, starts must
 * rise within the text, and both ways of merging must agree.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "token/bpe_automaton.h"
#include "token/vocab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

static void check(const bird_tokenizer *t, const bird_encoding *e, int64_t n)
{
    for (int64_t i = 0; i < e->n; i++) {
        must(bird_tokenizer_token(t, e->ids[i]) != NULL);
        must(e->start[i] >= 0 && e->start[i] <= n);
        must(i == 0 || e->start[i] >= e->start[i - 1]);
    }
}

static void encode(bird_tokenizer *t, const char *text, int64_t n)
{
    struct bird_bpe_automaton *automaton = t->automaton;
    bird_encoding a = {0}, b = {0};
    int rc = bird_tokenizer_encode(t, &a, text, n, 1), other;

    check(t, &a, n);
    t->automaton = NULL;
    other = bird_tokenizer_encode(t, &b, text, n, 1);
    t->automaton = automaton;
    must(rc == other && a.n == b.n);
    for (int64_t i = 0; i < a.n; i++)
        must(a.ids[i] == b.ids[i] && a.start[i] == b.start[i]);
    bird_encoding_free(&a);
    bird_encoding_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char fixed[] =
        "  ACGTNNNNNNNNNNNNACGT-AAAAAAAAAAAAAAAACACACACACACACAC [MASK] acgt "
        "TTAGGGTTAGGGTTAGGG \xc3\xa9\xe6\x97\xa5 AB_9! GATTACA\n";
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t n = nul ? (size_t)(nul - data) : size;
    bird_tokenizer *t = NULL;

    if (bird_tokenizer_parse(&t, (const char *)data, n, "input"))
        return 0;
    encode(t, fixed, sizeof(fixed) - 1);
    if (nul)
        encode(t, (const char *)nul + 1, (int64_t)(size - n - 1));
    for (int64_t id = 0; id < bird_tokenizer_count(t); id++) {
        const char *s = bird_tokenizer_token(t, (int32_t)id);

        must(!s || bird_tokenizer_id(t, s) == id);
    }
    bird_tokenizer_free(t);
    return 0;
}
