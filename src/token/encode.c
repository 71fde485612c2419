/*
 * Text to ids: added tokens are cut out; the text between them passes the rules
 * of the normalizer and is split by those of the pre-tokenizer; each piece is
 * merged (by the automaton if it is exact, else by the heap) or looked up.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/timer.h"
#include "token/bpe_automaton.h"
#include "token/vocab.h"
#include "token/words.h"

struct encode {
    const bird_tokenizer *t;
    bird_encoding *out;
    struct bird_normal text;
    struct bird_bpe_work work;
    struct bird_bpe_heap plain;
};

int bird_encoding_grow(bird_encoding *out)
{
    int rc = bird_array_grow(&out->ids, &out->cap_ids, out->n + 1,
                             sizeof(*out->ids));

    return rc ? rc
              : bird_array_grow(&out->start, &out->cap_start, out->n + 1,
                                sizeof(*out->start));
}

/* The id of the character at s, -1 when it is unknown; *k its bytes. */
static int32_t char_id(const bird_tokenizer *t, const char *s, int64_t n,
                       int *k)
{
    uint8_t c = (uint8_t)*s;

    *k = 1;
    if (c < 128)
        return t->letter[c];
    *k = bird_char_at(s, n);
    return *k == 1 ? -1 : bird_vocab_find(&t->vocab, s, (size_t)*k);
}

/* Encode the piece a .. b with the heap. */
static int piece_heap(struct encode *e, int64_t a, int64_t b)
{
    const bird_tokenizer *t = e->t;
    struct bird_bpe_heap *p = &e->plain;
    const char *s = e->text.s;
    int fused = 0, rc, k;

    if (b - a > INT32_MAX - 8)
        return bird_fail(BIRD_ERANGE,
                         "a text of %lld bases is too long for a vocabulary "
                         "whose merges are out of order: cut it",
                         (long long)(b - a));
    p->n = 0;
    for (int64_t i = a; i < b; i += k) {
        int32_t id = char_id(t, s + i, b - i, &k);

        if (id < 0 && (t->unk < 0 || (t->fuse_unk && fused)))
            continue;
        fused = id < 0;
        rc = bird_array_grow(&p->symbol, &p->cap, p->n + 1, sizeof(*p->symbol));
        if (rc)
            return rc;
        p->symbol[p->n++] = (struct bird_symbol){.id = id < 0 ? t->unk : id,
                                                 .start = (int32_t)(i - a)};
    }
    if ((rc = bird_bpe_heap_merge(p, &t->merges)))
        return rc;
    for (int64_t i = 0; i < p->n; i++)
        if ((rc = bird_encoding_add(e->out, p->symbol[i].id,
                                    a + p->symbol[i].start)))
            return rc;
    return 0;
}

/* Codes of the characters that merge from a on, padded; returns their
 * number. */
static int64_t run_take(struct encode *e, int64_t a, int64_t b)
{
    const uint8_t *code = bird_bpe_code(e->t->automaton);
    const uint8_t *s = (const uint8_t *)e->text.s + a;
    uint8_t *out = e->work.code;
    int64_t n = 0;

    while (n < b - a && (out[n] = code[s[n]]) != BIRD_BPE_END)
        n++;
    memset(out + n, BIRD_BPE_END, BIRD_BPE_PAD);
    return n;
}

/* Encode the piece a .. b: runs of characters that merge, and single
 * characters. */
static int piece_automaton(struct encode *e, int64_t a, int64_t b)
{
    const bird_tokenizer *t = e->t;
    int64_t n_run;
    int fused = 0, k, rc;

    if ((rc = bird_array_grow(&e->work.code, &e->work.cap_code,
                              b - a + BIRD_BPE_PAD, 1)))
        return rc;
    for (int64_t i = a; i < b;) {
        int32_t id;

        if ((n_run = run_take(e, i, b)) > 0) {
            rc = bird_bpe_run(t->automaton, &e->work, n_run, i, e->out);
            if (rc)
                return rc;
            i += n_run;
            fused = 0;
            continue;
        }
        id = char_id(t, e->text.s + i, b - i, &k);
        if ((id >= 0 || !(t->fuse_unk && fused)) &&
            (rc = bird_encoding_add(e->out, id < 0 ? t->unk : id, i)))
            return rc;
        fused = id < 0;
        i += k;
    }
    return 0;
}

/* Without an unknown token unknown characters are dropped, and their
 * neighbours join. */
static int has_unknown(const struct encode *e, int64_t a, int64_t b)
{
    int k;

    for (int64_t i = a; i < b; i += k)
        if (char_id(e->t, e->text.s + i, b - i, &k) < 0)
            return 1;
    return 0;
}

static int piece_encode(struct encode *e, int64_t a, int64_t b)
{
    int rc;

    if (a == b)
        return 0;
    if (e->t->model != BIRD_MODEL_BPE &&
        (rc = bird_word_check(e->t, e->text.s + a, b - a)))
        return rc;
    if (e->t->kmer)
        return bird_kmer_encode(e->t, e->out, e->text.s, a, b);
    if (e->t->model != BIRD_MODEL_BPE)
        return bird_word_encode(e->t, e->out, e->text.s + a, b - a, a);
    if (!e->t->automaton || (e->t->unk < 0 && has_unknown(e, a, b)))
        return piece_heap(e, a, b);
    return piece_automaton(e, a, b);
}

/* Class of the character at s: 0 white space, 1 word, 2 other; *k is its
 * length in bytes. */
static int char_class(const char *s, int64_t n, int *k)
{
    uint8_t c = (uint8_t)*s;

    if ((*k = bird_space_at(s, n)))
        return 0;
    *k = bird_char_at(s, n);
    return c >= 128 || c == '_' || (c >= '0' && c <= '9') ||
                   ((c | 32) >= 'a' && (c | 32) <= 'z')
               ? 1
               : 2;
}

static int split_from(struct encode *e, int64_t step, int64_t a, int64_t b);

static int split_classes(struct encode *e, int64_t step, int64_t a, int64_t b)
{
    int words = e->t->split.rule[step].kind == BIRD_RULE_WORDS;
    int class = 0, rc = 0, k;
    int64_t from = a;

    for (int64_t i = a; i < b && !rc; i += k) {
        int is = char_class(e->text.s + i, b - i, &k);

        if (!words && is)
            is = 1;
        if (is == class)
            continue;
        if (class)
            rc = split_from(e, step + 1, from, i);
        from = i;
        class = is;
    }
    if (!rc && class)
        rc = split_from(e, step + 1, from, b);
    return rc;
}

static int split_matches(struct encode *e, int64_t step, int64_t a, int64_t b)
{
    const struct bird_rule *x = &e->t->split.rule[step];
    int64_t start, end, from = a;
    int rc = 0;

    while (!rc && bird_text_pattern_next(&x->pattern, e->text.s, b, from,
                                         &start, &end)) {
        rc = split_from(e, step + 1, from, start);
        if (!rc && x->keep)
            rc = split_from(e, step + 1, start, end);
        from = end;
    }
    return rc ? rc : split_from(e, step + 1, from, b);
}

/* Apply the pre-tokenizers from `step` on to bytes a .. b of the text. */
static int split_from(struct encode *e, int64_t step, int64_t a, int64_t b)
{
    if (a == b)
        return 0;
    if (step == e->t->split.n)
        return piece_encode(e, a, b);
    if (e->t->split.rule[step].kind == BIRD_RULE_SPLIT)
        return split_matches(e, step, a, b);
    return split_classes(e, step, a, b);
}

/* Encode the text between two added tokens. */
static int chunk_encode(struct encode *e, const char *s, int64_t a, int64_t b)
{
    int64_t first = e->out->n;
    int rc;

    if (a == b)
        return 0;
    rc = bird_normal_run(&e->text, &e->t->normal, s + a, b - a, a);
    if (!rc)
        rc = split_from(e, 0, 0, e->text.n);
    if (!rc)
        bird_normal_positions(&e->text, e->out->start + first,
                              e->out->n - first);
    return rc;
}

/* The longest added token at s; NULL: none. */
static const struct bird_added *added_at(const bird_tokenizer *t, const char *s,
                                         int64_t n)
{
    for (int64_t i = 0; i < t->n_added; i++)
        if ((int64_t)t->added[i].n <= n &&
            !memcmp(s, t->added[i].text, t->added[i].n))
            return &t->added[i];
    return NULL;
}

static int text_encode(struct encode *e, const char *s, int64_t n)
{
    const uint8_t *first = e->t->added_first;
    const struct bird_added *x;
    int64_t from = 0;
    int rc;

    for (int64_t i = 0; i < n;) {
        if (!first[(uint8_t)s[i]] || !(x = added_at(e->t, s + i, n - i))) {
            i++;
            continue;
        }
        if ((rc = chunk_encode(e, s, from, i)) ||
            (rc = bird_encoding_add(e->out, x->id, i)))
            return rc;
        i += (int64_t)x->n;
        from = i;
    }
    return chunk_encode(e, s, from, n);
}

static int special_add(bird_encoding *out, const int32_t *ids, int64_t n,
                       int64_t start)
{
    int rc = 0;

    for (int64_t i = 0; i < n && !rc; i++)
        rc = bird_encoding_add(out, ids[i], start);
    return rc;
}

int bird_tokenizer_encode(const bird_tokenizer *t, bird_encoding *out,
                          const char *text, int64_t n, int special)
{
    struct encode e = {.t = t, .out = out};
    enum bird_phase before;
    int rc = 0;

    out->n = 0;
    if (n < 0)
        return bird_fail(BIRD_EINVAL, "a text of %lld bytes", (long long)n);
    before = bird_timer_enter(BIRD_PHASE_TOKENIZE);
    if (special)
        rc = special_add(out, t->before, t->n_before, 0);
    if (!rc)
        rc = text_encode(&e, text, n);
    if (!rc && special)
        rc = special_add(out, t->after, t->n_after, n);
    if (rc)
        out->n = 0;
    bird_normal_free(&e.text);
    bird_bpe_work_free(&e.work);
    bird_bpe_heap_free(&e.plain);
    bird_timer_leave(before);
    return rc;
}

void bird_encoding_free(bird_encoding *e)
{
    if (!e)
        return;
    free(e->ids);
    free(e->start);
    *e = (bird_encoding){0};
}
