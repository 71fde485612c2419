/* Windows of held-out sequence, and their hidden tokens.
 *
 * Windows are tiles of some bp, or runs of known bases cut after some tokens; a
 * sample of the windows is chosen by a hash of seed and position. A window is
 * tokenized, and a share of its tokens becomes [MASK]. Which tokens depends on
 * (seed, contig, start) alone, not on the other windows.
 * SPDX-License-Identifier: MIT */
#include "eval/mlm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "session/masked.h"

enum { MAX_LENGTH = 10000 }; /* bp of a token; memory is 4 bytes a base of it */

/* Length of a token of A, C, G, T alone; else 0. */
static int64_t word_length(const char *text)
{
    int64_t n = 0;

    for (; text && text[n]; n++)
        if (!bird_is_acgt(text[n]))
            return 0;
    return n;
}

static int measure_tokens(struct bird_mlm_vocab *v, const bird_tokenizer *t,
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

/* Fill the words of one length, whose number w->n is set. */
static int make_words(struct bird_mlm_vocab *v, const bird_tokenizer *t,
                      int32_t length)
{
    struct bird_mlm_words *w = &v->words[length];
    uint8_t *code;
    int64_t n = 0;
    int rc = bird_array_new(&code, w->n * length, 1);

    w->id = bird_pool_array(&v->pool, w->n, sizeof(*w->id));
    if (v->pool.rc) {
        free(rc ? NULL : code);
        return v->pool.rc;
    }
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
                                 .mask_id = bird_mask_token(t)};
    if (v->mask_id < 0)
        return bird_fail(BIRD_EINVAL,
                         "%s: the tokenizer has no token "
                         "[MASK]",
                         path);
    if (bird_tokenizer_kmer(t) > bird_tokenizer_stride(t))
        return bird_fail(BIRD_EINVAL,
                         "%s: tokens overlap, so a hidden one can be read off "
                         "its neighbours: bits per base are meaningless",
                         path);
    v->length = bird_pool_array(&v->pool, v->n, sizeof(*v->length));
    v->number = bird_pool_array(&v->pool, v->n, sizeof(*v->number));
    rc = v->pool.rc;
    if (!rc)
        rc = count_special(v, t);
    if (!rc)
        rc = measure_tokens(v, t, path);
    if (!rc) {
        v->words = bird_pool_array(&v->pool, v->longest + 1, sizeof(*v->words));
        rc = v->pool.rc;
    }
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
    for (int32_t i = 0; v->words && i <= v->longest; i++)
        bird_strings_free(v->words[i].strings);
    bird_pool_free(&v->pool);
    *v = (struct bird_mlm_vocab){0};
}

enum {
    GAP = 10,        /* this many unknown bases in a row end a run */
    PIECE = 1 << 20, /* bases tokenized at once, and ... */
    TOKEN_BP = 128   /* ... at least this many for each token of a window */
};

/* Hash of a contig's name, the same in every file. */
static uint64_t name_hash(const char *name)
{
    uint64_t h = 0;

    for (; *name; name++)
        h = bird_mix(h, (unsigned char)*name);
    return h;
}

/* ---- bases ------------------------------------------------------------- */

/* A base of a FASTA file in upper case, with U as T. */
static char to_upper(char base)
{
    return (char)bird_letter_fold[(unsigned char)base];
}

static int hold_interval(struct bird_mlm_evaluating *v, int32_t interval)
{
    const struct bird_interval *p = v->sequence.intervals.at + interval;
    const struct bird_reference_contig *c =
        v->sequence.reference.contig + p->contig;
    int rc;

    if (v->sequence.current == interval)
        return 0;
    v->sequence.current = -1;
    rc = bird_array_grow(&v->sequence.bases, &v->sequence.cap_bases,
                         p->end - p->start, 1);
    if (!rc)
        rc = bird_genome_fetch_raw(v->sequence.reference.genome[c->genome],
                                   c->index, p->start, p->end,
                                   v->sequence.bases);
    if (!rc)
        v->sequence.current = interval;
    return rc;
}

int bird_mlm_bases(const char **out, struct bird_mlm_evaluating *v,
                   const struct bird_mlm_window *w)
{
    int rc = hold_interval(v, w->interval);

    if (!rc)
        *out = v->sequence.bases +
               (w->start - v->sequence.intervals.at[w->interval].start);
    return rc;
}

/* ---- windows ------------------------------------------------------------- */

/* Add the window start .. end, relative to the current interval, unless it
 * has too many unknown bases. */
static int offer(struct bird_mlm_evaluating *v, int64_t start, int64_t end)
{
    const struct bird_interval *p =
        v->sequence.intervals.at + v->sequence.current;
    int64_t unknown = 0;
    int rc;

    for (int64_t i = start; i < end; i++)
        unknown += bird_markov_code(v->sequence.bases[i]) < 0;
    if ((double)unknown > v->o->max_n * (double)(end - start)) {
        v->e.n_rich++;
        return 0;
    }
    rc = bird_array_grow(&v->window, &v->cap_window, v->n_window + 1,
                         sizeof(*v->window));
    if (!rc)
        v->window[v->n_window++] = (struct bird_mlm_window){
            p->start + start, p->start + end, p->contig, v->sequence.current};
    return rc;
}

static int tile(struct bird_mlm_evaluating *v, int64_t length)
{
    int64_t width = v->o->context_bp, at;
    int64_t stride = v->o->stride_bp ? v->o->stride_bp : width;
    int rc = 0;

    for (at = 0; !rc && at + width <= length; at += stride)
        rc = offer(v, at, at + width);
    at -= stride; /* start of the last window that fits */
    v->e.rest_bp += at < 0 ? length : length - (at + width);
    return rc;
}

/* Windows of n_token tokens in start .. end; *next: the end of the last one. */
static int cut_piece(struct bird_mlm_evaluating *v, bird_encoding *e,
                     int64_t start, int64_t end, int64_t *next)
{
    int64_t n_token = v->o->length_tok - v->vocab.n_special, i, n = end - start;
    char *text;
    int rc = bird_array_new(&text, n, 1);

    for (i = 0; !rc && i < n; i++)
        text[i] = to_upper(v->sequence.bases[start + i]);
    if (!rc)
        rc = bird_tokenizer_encode(bird_model_tokenizer(v->model), e, text, n,
                                   0);
    *next = start;
    for (i = 0; !rc && i + n_token <= e->n; i += n_token) {
        int64_t from = *next;

        *next = i + n_token < e->n ? start + e->start[i + n_token] : end;
        rc = offer(v, from, *next);
    }
    free(text);
    return rc;
}

/* Cut a run without gaps. */
static int cut_run(struct bird_mlm_evaluating *v, bird_encoding *e,
                   int64_t start, int64_t end)
{
    int64_t piece = v->o->length_tok * TOKEN_BP, next;
    int rc = 0;

    piece = piece > PIECE ? piece : PIECE;
    while (!rc && start < end) {
        int64_t stop = end - start > piece ? start + piece : end;

        rc = cut_piece(v, e, start, stop, &next);
        if (stop == end || next == start) {
            v->e.rest_bp += stop - next;
            next = stop;
        }
        start = next;
    }
    return rc;
}

static int cut(struct bird_mlm_evaluating *v, int64_t length)
{
    bird_encoding e = {0};
    int64_t start = 0, end = 0, i;
    int rc = 0;

    /* start .. end is the current run */
    for (i = 0; !rc && i <= length; i++) {
        if (i < length && bird_markov_code(v->sequence.bases[i]) < 0)
            continue;
        if ((i == length || i - end >= GAP) && end > start) {
            rc = cut_run(v, &e, start, end);
            v->e.rest_bp += i - end;
            start = i;
        } else if (end == start) {
            v->e.rest_bp += i - start;
            start = i;
        }
        end = i + 1;
    }
    bird_encoding_free(&e);
    return rc;
}

/* ---- sampling ------------------------------------------------------------- */

struct keyed {
    uint64_t key;
    int64_t index;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

/* Keep the windows with the smallest keys, which are a function of seed and
 * position. */
static int sample_windows(struct bird_mlm_evaluating *v)
{
    int64_t n = v->o->windows;
    struct keyed *keyed;
    int rc;

    if (!n || n >= v->n_window)
        return 0;
    rc = bird_array_new(&keyed, v->n_window, sizeof(*keyed));
    if (rc)
        return rc;
    for (int64_t i = 0; i < v->n_window; i++) {
        const struct bird_mlm_window *w = &v->window[i];
        const char *name = v->sequence.reference.contigs.name[w->contig];

        keyed[i].key =
            bird_mix(bird_mix(v->o->seed, name_hash(name)), (uint64_t)w->start);
        keyed[i].index = i;
    }
    qsort(keyed, (size_t)v->n_window, sizeof(*keyed), by_key);
    qsort(keyed, (size_t)n, sizeof(*keyed), by_index);
    for (int64_t i = 0; i < n; i++)
        v->window[i] = v->window[keyed[i].index];
    v->e.n_not_drawn = v->n_window - n;
    v->n_window = n;
    free(keyed);
    return 0;
}

int bird_mlm_find_windows(struct bird_mlm_evaluating *v)
{
    int rc = 0;

    for (int32_t i = 0; !rc && i < v->sequence.intervals.n; i++) {
        int64_t length =
            v->sequence.intervals.at[i].end - v->sequence.intervals.at[i].start;

        rc = hold_interval(v, i);
        if (!rc)
            rc = v->o->context_bp ? tile(v, length) : cut(v, length);
    }
    if (!rc && !v->n_window)
        rc = bird_fail(
            BIRD_EINVAL,
            "no window to evaluate on: %lld have too many N, and %lld bp "
            "are in regions or runs shorter than a window: ask for "
            "shorter windows or give more sequence",
            (long long)v->e.n_rich, (long long)v->e.rest_bp);
    if (!rc)
        rc = sample_windows(v);
    v->e.n_window = v->n_window;
    return rc;
}

void bird_mlm_row_free(struct bird_mlm_row *r)
{
    free(r->bases);
    free(r->covered);
    free(r->hidden);
    free(r->score);
    bird_encoding_free(&r->encoding);
    *r = (struct bird_mlm_row){0};
}

/* bp from token i to the next token; 0 for special tokens. */
static int64_t token_bp(const struct bird_mlm_row *r, int64_t i)
{
    const bird_encoding *e = &r->encoding;

    return (i + 1 < e->n ? e->start[i + 1] : r->n_bp) - e->start[i];
}

/* Shorten a row with more tokens than the model reads: drop the last tokens
 * before the special tokens at the end, and their bases. */
static void cut_row(struct bird_mlm_row *r, int64_t most)
{
    bird_encoding *e = &r->encoding;
    int64_t n_end = 0, keep;

    if (e->n <= most)
        return;
    while (n_end < e->n && e->start[e->n - 1 - n_end] == r->n_bp)
        n_end++;
    keep = most - n_end;
    r->n_bp = e->start[keep];
    for (int64_t i = 0; i < n_end; i++) {
        e->ids[keep + i] = e->ids[e->n - n_end + i];
        e->start[keep + i] = r->n_bp;
    }
    e->n = most;
    r->is_cut = 1;
}

/* Choose the hidden ones of n tokens: mask * n, rounded, at least one,
 * sampled without replacement. Fills chosen (n_chosen) with rising indices. */
static int64_t choose_hidden(int32_t *chosen, int64_t n, double mask,
                             struct bird_rng *rng)
{
    int64_t n_chosen = (int64_t)floor(mask * (double)n + 0.5), n_in = 0;

    if (n_chosen < 1)
        n_chosen = n > 0;
    /* Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S): a token is
     * taken with probability (still needed) / (still left). */
    for (int64_t i = 0; i < n; i++)
        if ((int64_t)bird_rng_below(rng, (uint64_t)(n - i)) < n_chosen - n_in)
            chosen[n_in++] = (int32_t)i;
    return n_in;
}

/* Class of the row's bases in this range. */
static enum bird_mlm_class class_of(const struct bird_mlm_row *r,
                                    const struct bird_mlm_evaluating *v,
                                    const char *raw, const int64_t range[2])
{
    int64_t inside = 0, from = r->window.start;

    if (v->o->repeats)
        inside = bird_intervals_covered(&v->sequence.repeats, r->window.contig,
                                        from + range[0], from + range[1]);
    else
        for (int64_t i = range[0]; i < range[1]; i++)
            inside += raw[i] >= 'a';
    return 2 * inside > range[1] - range[0] ? BIRD_MLM_REPEAT
                                            : BIRD_MLM_NONREPEAT;
}

/* Check that the token's text is the bases at `start`. */
static int check_text(const struct bird_mlm_row *r,
                      const struct bird_mlm_evaluating *v, int32_t id,
                      int64_t start)
{
    int64_t n = v->vocab.length[id];

    if (!memcmp(bird_tokenizer_token(bird_model_tokenizer(v->model), id),
                r->bases + start, (size_t)n))
        return 0;
    return bird_fail(BIRD_EFORMAT,
                     "%s: the text of token %d differs from the bases it was "
                     "made of: such a tokenizer cannot be evaluated",
                     bird_model_path(v->model), id);
}

/* Hide token i. A token with unknown bases is not scored. */
static int hide(struct bird_mlm_row *r, const struct bird_mlm_evaluating *v,
                const char *raw, int64_t i)
{
    int32_t id = r->encoding.ids[i];
    int64_t start = r->encoding.start[i], n = token_bp(r, i);
    const int64_t range[2] = {start, start + n};

    r->encoding.ids[i] = v->vocab.mask_id;
    memset(r->covered + start, 1, (size_t)n);
    if (id >= v->vocab.n || v->vocab.length[id] != n) {
        r->n_unknown++;
        return 0;
    }
    r->hidden[r->n_hidden++] =
        (struct bird_mlm_hidden){.at = (int32_t)i,
                                 .id = id,
                                 .start = (int32_t)start,
                                 .n = (int32_t)n,
                                 .part = class_of(r, v, raw, range)};
    return check_text(r, v, id, start);
}

static int hide_some(struct bird_mlm_row *r,
                     const struct bird_mlm_evaluating *v, const char *raw)
{
    const struct bird_mlm_window *w = &r->window;
    const char *name = v->sequence.reference.contigs.name[w->contig];
    struct bird_pool pool = {0};
    int32_t *at = bird_pool_array(&pool, r->encoding.n, sizeof(*at));
    int32_t *chosen = bird_pool_array(&pool, r->encoding.n, sizeof(*chosen));
    struct bird_rng rng;
    int64_t n = 0, n_chosen;
    int rc = pool.rc;

    for (int64_t i = 0; !rc && i < r->encoding.n; i++)
        if (token_bp(r, i) > 0)
            at[n++] = (int32_t)i;
    r->n_token = n;
    bird_rng_init(&rng, v->o->seed, name_hash(name), (uint64_t)w->start);
    n_chosen = rc ? 0 : choose_hidden(chosen, n, v->o->mask, &rng);
    if (!rc)
        rc = bird_array_grow(&r->hidden, &r->cap_hidden, n_chosen,
                             sizeof(*r->hidden));
    for (int64_t i = 0; !rc && i < n_chosen; i++)
        rc = hide(r, v, raw, at[chosen[i]]);
    bird_pool_free(&pool);
    return rc;
}

int bird_mlm_row_make(struct bird_mlm_row *r,
                      const struct bird_mlm_evaluating *v, const char *raw)
{
    int64_t n = r->window.end - r->window.start;
    int rc = bird_array_grow(&r->bases, &r->cap_bases, n, 1);

    if (!rc)
        rc = bird_array_grow(&r->covered, &r->cap_covered, n, 1);
    if (rc)
        return rc;
    r->n_bp = n;
    r->n_token = r->n_hidden = r->n_unknown = 0;
    r->is_cut = 0;
    r->has_lower = v->o->repeats != NULL; /* repeats are known on all contigs */
    memset(r->covered, 0, (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        r->bases[i] = to_upper(raw[i]);
        r->has_lower |= raw[i] >= 'a';
    }
    rc = bird_tokenizer_encode(bird_model_tokenizer(v->model), &r->encoding,
                               r->bases, n, 1);
    if (rc)
        return rc;
    if (!v->o->row_tok)
        cut_row(r, bird_mlm_most_tokens(v));
    rc = hide_some(r, v, raw);
    if (!rc)
        rc = bird_array_grow(&r->score, &r->cap_score,
                             r->n_hidden * v->n_predictor * BIRD_MLM_N_SCORE,
                             sizeof(*r->score));
    return rc;
}
