/* k-mer vocabularies: read and written. SPDX-License-Identifier: MIT */
#include "token/kmer.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "token/vocab.h"

static const char *const special[] = {"[UNK]", "[CLS]", "[SEP]", "[PAD]",
                                      "[MASK]"};
#define N_SPECIAL 5

static int is_added(const bird_tokenizer *t, int64_t id)
{
    for (int64_t i = 0; i < t->n_added; i++)
        if (t->added[i].id == id)
            return 1;
    return 0;
}

int bird_kmer_find(bird_tokenizer *t, const char *path)
{
    const char *first = NULL;

    for (int64_t id = 0; id < t->vocab.n; id++) {
        const char *s = bird_vocab_text(&t->vocab, id);

        if (!s || id == t->unk || is_added(t, id))
            continue;
        if (!first)
            first = s;
        if (strlen(s) != strlen(first))
            return bird_fail(BIRD_EUNSUPPORTED,
                             "%s: a WordLevel vocab whose tokens differ in "
                             "length ('%.40s', '%.40s') is not supported: it "
                             "must hold k-mers",
                             path, first, s);
    }
    if (!first)
        return bird_fail(BIRD_EFORMAT, "%s: a WordLevel vocab without k-mers",
                         path);
    if (t->unk < 0)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: a WordLevel model without an unk_token is not "
                         "supported",
                         path);
    t->kmer = (int64_t)strlen(first);
    return 0;
}

int bird_kmer_stride(bird_tokenizer *t, const char *path)
{
    char *beside = NULL;
    json_t *root = NULL;
    int64_t stride = 0;
    int rc = bird_tokenizer_config(&beside, path);

    if (!rc && bird_file_exists(beside)) {
        if (!(rc = bird_json_open(&root, beside)))
            rc = bird_json_int(&stride, root, "stride", 1, t->kmer, beside);
    }
    if (!rc && !stride)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: a vocabulary of %lld-mers without a stride: write "
                       "{\"stride\": N} into %s, N bases from word to word",
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

static int fill_vocab(json_t *vocab, json_t *added, int k)
{
    char word[BIRD_WORD_MAX + 1] = {0};
    int64_t n = (int64_t)1 << (2 * k);
    int bad = 0;

    for (int i = 0; i < N_SPECIAL; i++) {
        json_t *one = json_pack("{si ss sb sb sb sb sb}", "id", i, "content",
                                special[i], "single_word", 0, "lstrip", 0,
                                "rstrip", 0, "normalized", 0, "special", 1);

        bad |= json_array_append_new(added, one);
        bad |= json_object_set_new(vocab, special[i], json_integer(i));
    }
    for (int64_t w = 0; w < n && !bad; w++) {
        for (int i = 0; i < k; i++)
            word[i] = "ACGT"[w >> (2 * (k - 1 - i)) & 3];
        bad = json_object_set_new(vocab, word, json_integer(w + N_SPECIAL));
    }
    return bad ? bird_fail_memory(0) : 0;
}

static int write_config(const char *path, int64_t stride)
{
    json_t *o =
        json_pack("{sI ss ss ss ss ss ss}", "stride", (json_int_t)stride,
                  "unk_token", "[UNK]", "cls_token", "[CLS]", "sep_token",
                  "[SEP]", "pad_token", "[PAD]", "mask_token", "[MASK]",
                  "tokenizer_class", "PreTrainedTokenizerFast");
    char *beside = NULL;
    int rc = o ? bird_tokenizer_config(&beside, path) : bird_fail_memory(0);

    if (!rc)
        rc = bird_json_write(o, beside);
    json_decref(o);
    free(beside);
    return rc;
}

int bird_kmer_write(const char *path, int k, int stride)
{
    json_t *vocab = NULL, *added = NULL, *root = NULL;
    int rc;

    if (k < 1 || k > BIRD_WORD_MAX)
        return bird_fail(BIRD_EINVAL, "k is %d: give 1 to %d", k,
                         BIRD_WORD_MAX);
    if (stride < 1 || stride > k)
        return bird_fail(BIRD_EINVAL, "the stride is %d: give 1 to %d", stride,
                         k);
    vocab = json_object();
    added = json_array();
    rc = vocab && added ? fill_vocab(vocab, added, k) : bird_fail_memory(0);
    if (!rc)
        root = json_pack("{ss sn sn sO sn s{ss} s{ss s[si] s[si]} sn"
                         " s{ss sO ss}}",
                         "version", "1.0", "truncation", "padding",
                         "added_tokens", added, "normalizer", "pre_tokenizer",
                         "type", "WhitespaceSplit", "post_processor", "type",
                         "BertProcessing", "sep", "[SEP]", 2, "cls", "[CLS]", 1,
                         "decoder", "model", "type", "WordLevel", "vocab",
                         vocab, "unk_token", "[UNK]");
    if (!rc)
        rc = root ? write_config(path, stride) : bird_fail_memory(0);
    if (!rc)
        rc = bird_json_write(root, path);
    json_decref(root);
    json_decref(vocab);
    json_decref(added);
    return rc;
}
