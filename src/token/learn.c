/*
 * Learning a vocabulary: collecting sequence, or a sample of it if memory is
 * short. SPDX-License-Identifier: MIT
 *
 * Sequence is stored in windows of WINDOW bases, each with a random number from
 * (seed, index). When memory is full, the windows of the largest numbers are
 * dropped: the rest is a uniform sample that does not depend on how the bases
 * were added. Neighbouring windows are joined again.
 */
#include "token/learn.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "seq/alphabet.h"
#include "token/global.h"

#define WINDOW 65536
#define BREAK  4 /* code of other characters */

struct window {
    uint64_t number;
    int64_t index, n;
    uint8_t *code; /* (n) 0 to 3, BREAK */
};

struct bird_learner {
    bird_learn_options o;
    struct window *heap; /* largest random number on top */
    int64_t n_heap, cap_heap;
    int64_t room, used; /* codes */
    struct window open; /* the open window, WINDOW codes */
    struct bird_corpus corpus;
    bird_learn_report report;
    int ran, done;
};

void bird_learn_options_default(bird_learn_options *o)
{
    *o = (bird_learn_options){.vocab = 32000,
                              .max_length = 64,
                              .min_count = 2,
                              .max_memory = 2000000000,
                              .seed = 1};
}

static int options_check(const bird_learn_options *o)
{
    if (o->vocab < BIRD_LEARN_FIRST || o->vocab > BIRD_LEARN_MAX)
        return bird_fail(
            BIRD_EINVAL,
            "a vocabulary of %lld tokens: use %d (single bases) to "
            "%d",
            (long long)o->vocab, BIRD_LEARN_FIRST, BIRD_LEARN_MAX);
    if (o->max_length < 1 || o->max_length > 10000)
        return bird_fail(BIRD_EINVAL,
                         "a longest token of %lld bp: use 1 to 10000",
                         (long long)o->max_length);
    if (o->min_count < 1)
        return bird_fail(BIRD_EINVAL, "a least count of %lld: use 1 or more",
                         (long long)o->min_count);
    if (o->max_memory < 64000000)
        return bird_fail(BIRD_EINVAL, "%lld bytes of memory: use at least 64M",
                         (long long)o->max_memory);
    return bird_global_check(o->global);
}

/* Number of bases that fit: half of the least memory is left for everything
 * else. */
static int64_t room_of(const bird_learn_options *o)
{
    int64_t spare = o->max_memory / 2 < ((int64_t)80 << 20) ? o->max_memory / 2
                                                            : (int64_t)80 << 20;
    int64_t n = (o->max_memory - spare) / BIRD_LEARN_BYTES;

    if (n > UINT32_MAX - 16)
        n = UINT32_MAX - 16;
    return o->both_strands ? n / 2 : n;
}

int bird_learner_new(bird_learner **out, const bird_learn_options *o)
{
    bird_learner *l = NULL;
    int rc = options_check(o);

    if (rc || (rc = bird_array_new(&l, 1, sizeof(*l))))
        return rc;
    l->o = *o;
    l->room = room_of(o);
    if ((rc = bird_array_new(&l->open.code, WINDOW, 1))) {
        free(l);
        return rc;
    }
    *out = l;
    return 0;
}

void bird_learner_free(bird_learner *l)
{
    if (!l)
        return;
    for (int64_t i = 0; i < l->n_heap; i++)
        free(l->heap[i].code);
    free(l->heap);
    free(l->open.code);
    bird_corpus_free(&l->corpus);
    free(l);
}

static void heap_sink(struct window *h, int64_t n, int64_t i)
{
    struct window x = h[i];

    for (int64_t k; (k = 2 * i + 1) < n; i = k) {
        k += k + 1 < n && h[k + 1].number > h[k].number;
        if (h[k].number <= x.number)
            break;
        h[i] = h[k];
    }
    h[i] = x;
}

/* Close the open window and keep it if its random number is small enough. */
static int window_close(bird_learner *l)
{
    struct window x = l->open;
    int64_t i = l->n_heap;
    int rc;

    x.number = bird_mix(bird_mix(l->o.seed, 1), (uint64_t)x.index);
    l->open.index++;
    l->open.n = 0;
    if (x.n == 0)
        return 0;
    if ((rc = bird_array_grow(&l->heap, &l->cap_heap, i + 1, sizeof(*l->heap))))
        return rc;
    x.code = malloc((size_t)x.n);
    if (!x.code)
        return bird_fail_memory((size_t)x.n);
    memcpy(x.code, l->open.code, (size_t)x.n);
    for (; i > 0 && l->heap[(i - 1) / 2].number < x.number; i = (i - 1) / 2)
        l->heap[i] = l->heap[(i - 1) / 2];
    l->heap[i] = x;
    l->n_heap++;
    l->used += x.n;
    while (l->used > l->room && l->n_heap > 1) {
        free(l->heap[0].code);
        l->used -= l->heap[0].n;
        l->heap[0] = l->heap[--l->n_heap];
        heap_sink(l->heap, l->n_heap, 0);
    }
    return 0;
}

static uint8_t code_of(char c)
{
    int code = bird_base_code((char)(c & ~0x20)); /* either case */

    return code < 0 ? BREAK : (uint8_t)code;
}

int bird_learner_add(bird_learner *l, const char *bases, int64_t n)
{
    int rc;

    for (int64_t i = 0; i < n; i++) {
        uint8_t code = code_of(bases[i]);

        /* One break is enough between two pieces. */
        if (code == BREAK && l->open.n > 0 &&
            l->open.code[l->open.n - 1] == BREAK)
            continue;
        l->report.bases += code != BREAK;
        l->open.code[l->open.n++] = code;
        if (l->open.n == WINDOW && (rc = window_close(l)))
            return rc;
    }
    return 0;
}

int bird_learner_end(bird_learner *l)
{
    return bird_learner_add(l, "-", 1);
}

static int window_order(const void *a, const void *b)
{
    const struct window *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

/* Append the reverse complement of the n tokens at the front of t. */
static void strand_add(uint16_t *t, int64_t n)
{
    t[n] = BIRD_LEARN_BREAK;
    for (int64_t i = 0; i < n; i++)
        t[n + 1 + i] = t[n - 1 - i] == BIRD_LEARN_BREAK
                           ? BIRD_LEARN_BREAK
                           : (uint16_t)(3 - t[n - 1 - i]);
}

/* Join the windows in order to one text; each is freed once it is copied. */
static int corpus_fill(bird_learner *l)
{
    int64_t n = l->used + l->n_heap, at = 0, before = -1;
    uint16_t *t;
    int rc = bird_corpus_new(&l->corpus, l->o.both_strands ? 2 * n + 1 : n);

    if (rc)
        return rc;
    t = l->corpus.token + 1;
    if (l->n_heap > 0)
        qsort(l->heap, (size_t)l->n_heap, sizeof(*l->heap), window_order);
    for (int64_t k = 0; k < l->n_heap; k++) {
        struct window *w = &l->heap[k];

        if (w->index != before + 1)
            t[at++] = BIRD_LEARN_BREAK;
        before = w->index;
        for (int64_t i = 0; i < w->n; i++) {
            l->report.bases_used += w->code[i] != BREAK;
            t[at++] = w->code[i] == BREAK ? BIRD_LEARN_BREAK : w->code[i];
        }
        free(w->code);
        w->code = NULL;
    }
    if (l->o.both_strands) {
        strand_add(t, at);
        at = 2 * at + 1;
    }
    l->corpus.n = at;
    t[at] = BIRD_LEARN_BREAK;
    l->n_heap = 0;
    return 0;
}

int bird_learner_run(bird_learner *l)
{
    struct bird_corpus *c = &l->corpus;
    int rc;

    if (l->ran)
        return bird_fail(BIRD_EINVAL, "a learner runs once");
    l->ran = 1;
    if ((rc = window_close(l)) || (rc = corpus_fill(l)))
        return rc;
    rc =
        bird_corpus_learn(c, l->o.vocab - BIRD_LEARN_FIRST + BIRD_LEARN_LETTERS,
                          &l->o, &l->report.last_count);
    if (rc)
        return rc;
    l->report.tokens = c->n_token - BIRD_LEARN_LETTERS + BIRD_LEARN_FIRST;
    for (int64_t p = 1; p <= c->n;) {
        int is = c->token[p] != BIRD_LEARN_BREAK;

        l->report.rest += is;
        p += is ? c->length[c->token[p]] : 1;
    }
    l->done = 1;
    return 0;
}

void bird_learner_report(const bird_learner *l, bird_learn_report *out)
{
    *out = l->report;
}

static const char *const first_tokens[BIRD_LEARN_FIRST] = {
    "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]", "-", "A", "C", "G", "N", "T"};

#define N_SPECIAL 6

/* Write the bases of a token, left to right. */
static int token_spell(const struct bird_corpus *c, uint32_t token,
                       struct bird_text *out)
{
    int rc;

    if (token < BIRD_LEARN_LETTERS)
        return bird_text_put(out, &"ACGT"[token], 1);
    if ((rc = token_spell(c, c->left[token], out)))
        return rc;
    return token_spell(c, c->right[token], out);
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
        if ((rc = token_spell(c, (uint32_t)t, &token)) ||
            (rc = token_spell(c, c->left[t], &merge)) ||
            (rc = bird_text_put(&merge, " ", 1)) ||
            (rc = token_spell(c, c->right[t], &merge)))
            break;
        if (json_object_set_new(vocab, token.s, json_integer(id)) ||
            json_array_append_new(merges, json_string(merge.s)))
            rc = bird_fail_memory(0);
    }
    bird_text_free(&token);
    bird_text_free(&merge);
    return rc;
}

static int write_tokenizer(const struct bird_corpus *c, int64_t global,
                           const char *path)
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
    rc = root ? bird_global_add(root, global) : bird_fail_memory(0);
    if (!rc)
        rc = bird_json_write(root, path);
done:
    json_decref(root);
    json_decref(vocab);
    json_decref(merges);
    return rc;
}

int bird_learner_write(const bird_learner *l, const char *path)
{
    if (!l->done)
        return bird_fail(BIRD_EINVAL, "%s: nothing was learned yet", path);
    return write_tokenizer(&l->corpus, l->o.global, path);
}
