/* k-mer vocabularies: read. SPDX-License-Identifier: MIT */
#include "token/kmer.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "token/vocab.h"

static int is_added(const bird_tokenizer *t, int64_t id)
{
    for (int64_t i = 0; i < t->n_added; i++)
        if (t->added[i].id == id)
            return 1;
    return 0;
}

int bird_kmer_find(bird_tokenizer *t, const char *path)
{
    size_t k = 0;

    for (int64_t id = 0; id < t->vocab.n; id++) {
        const char *s = bird_vocab_text(&t->vocab, id);

        if (!s || id == t->unk || is_added(t, id))
            continue;
        if (k && strlen(s) != k)
            return 0;
        k = strlen(s);
    }
    t->kmer = (int64_t)k;
    return k ? 0
             : bird_fail(BIRD_EFORMAT, "%s: a WordLevel vocab without words",
                         path);
}

int bird_kmer_encode(const bird_tokenizer *t, bird_encoding *out, const char *s,
                     int64_t a, int64_t b)
{
    int64_t step = t->stride ? t->stride : t->kmer, i = a;
    int rc = 0;

    for (; i + t->kmer <= b && !rc; i += step) {
        int32_t id = bird_vocab_find(&t->vocab, s + i, (size_t)t->kmer);

        rc = bird_encoding_add(out, id < 0 ? t->unk : id, i);
    }
    if (!rc && (i == a || (step == t->kmer && i < b)))
        rc = bird_encoding_add(out, t->unk, i);
    return rc;
}

int bird_kmer_stride(bird_tokenizer *t, const char *path)
{
    char *beside = NULL;
    json_t *root = NULL;
    int64_t stride = 0;
    int rc = bird_tokenizer_config(&beside, path);

    if (!rc && bird_file_exists(beside)) {
        if (!(rc = bird_json_open(&root, beside)))
            rc = bird_json_int(&stride, root, "stride", 0,
                               t->kmer ? t->kmer : INT32_MAX, beside);
    }
    if (!rc && stride && !t->kmer)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: a stride for words that differ in length: %s is "
                       "no vocabulary of k-mers",
                       beside, path);
    if (!rc && !stride && t->kmer)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: a vocabulary of %lld-mers without a stride: write "
                       "{\"stride\": N} into %s, N bases from word to word "
                       "(dnabird import --kmer-stride N does)",
                       path, (long long)t->kmer, beside);
    if (!rc)
        t->stride = stride;
    json_decref(root);
    free(beside);
    return rc;
}

int bird_tokenizer_config(char **out, const char *path)
{
    struct bird_text s = {0};
    int64_t n = (int64_t)strlen(path);
    int rc;

    if (n >= 5 && !strcmp(path + n - 5, ".json"))
        n -= 5;
    rc = bird_text_put(&s, path, n);
    if (!rc)
        rc = bird_text_put(&s, "_config.json", sizeof("_config.json"));
    if (rc)
        bird_text_free(&s);
    else
        *out = s.s;
    return rc;
}
