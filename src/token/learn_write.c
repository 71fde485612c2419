/* tokenizer.json out of merges. SPDX-License-Identifier: MIT */
#include "token/learn_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/text.h"

static const char *const first_tokens[BIRD_LEARN_FIRST] = {
    "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]", "-", "A", "C", "G", "N", "T"};

#define N_SPECIAL 6

/* The letters of a link, left to right. */
static int link_spell(const struct bird_corpus *c, uint32_t link,
                      struct bird_text *out)
{
    int rc;

    if (link < BIRD_LEARN_LETTERS)
        return bird_text_put(out, &"ACGT"[link], 1);
    if ((rc = link_spell(c, c->left[link], out)))
        return rc;
    return link_spell(c, c->right[link], out);
}

static json_t *added_json(void)
{
    json_t *list = json_array();

    for (int i = 0; i < N_SPECIAL; i++) {
        json_t *one = json_pack("{si ss sb sb sb sb sb}", "id", i, "content",
                                first_tokens[i], "single_word", 0, "lstrip", 0,
                                "rstrip", 0, "normalized", 0, "special", 1);

        if (json_array_append_new(list, one)) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static int model_fill(const struct bird_corpus *c, json_t *vocab,
                      json_t *merges)
{
    struct bird_text token = {0}, merge = {0};
    int rc = 0;

    for (int i = 0; i < BIRD_LEARN_FIRST && !rc; i++)
        if (json_object_set_new(vocab, first_tokens[i], json_integer(i)))
            rc = bird_fail_memory(0);
    for (int64_t t = BIRD_LEARN_LETTERS; t < c->n_token && !rc; t++) {
        int64_t id = t - BIRD_LEARN_LETTERS + BIRD_LEARN_FIRST;

        bird_text_clear(&token);
        bird_text_clear(&merge);
        if ((rc = link_spell(c, (uint32_t)t, &token)) ||
            (rc = link_spell(c, c->left[t], &merge)) ||
            (rc = bird_text_put(&merge, " ", 1)) ||
            (rc = link_spell(c, c->right[t], &merge)))
            break;
        if (json_object_set_new(vocab, token.s, json_integer(id)) ||
            json_array_append_new(merges, json_string(merge.s)))
            rc = bird_fail_memory(0);
    }
    bird_text_free(&token);
    bird_text_free(&merge);
    return rc;
}

int bird_learn_write(const struct bird_corpus *c, const char *path)
{
    json_t *vocab = json_object(), *merges = json_array(), *root = NULL;
    int rc =
        vocab && merges ? model_fill(c, vocab, merges) : bird_fail_memory(0);

    if (rc)
        goto done;
    root = json_pack(
        "{ss sn sn so s{ss s[{ss sb sb} {ss s{ss} ss}]} s{ss s{ss} ss sb}"
        " s{ss s[si] s[si]} s{ss ss} s{ss sn ss sn sn sb sO sO}}",
        "version", "1.0", "truncation", "padding", "added_tokens", added_json(),
        "normalizer", "type", "Sequence", "normalizers", "type", "Strip",
        "strip_left", 1, "strip_right", 1, "type", "Replace", "pattern",
        "Regex", "N{10,}", "content", "-", "pre_tokenizer", "type", "Split",
        "pattern", "String", "-", "behavior", "Isolated", "invert", 0,
        "post_processor", "type", "BertProcessing", "sep", "[SEP]", 2, "cls",
        "[CLS]", 1, "decoder", "type", "BPEDecoder", "suffix", " ", "model",
        "type", "BPE", "dropout", "unk_token", "[UNK]",
        "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", 0,
        "vocab", vocab, "merges", merges);
    rc = root ? bird_json_write(root, path) : bird_fail_memory(0);
done:
    json_decref(root);
    json_decref(vocab);
    json_decref(merges);
    return rc;
}
