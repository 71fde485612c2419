/* Windows of held-out sequence. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "eval/mlm.h"

enum {
    GAP = 10,        /* so many other letters in a row end a stretch */
    PIECE = 1 << 20, /* letters tokenized at once, and ... */
    TOKEN_BP = 128   /* ... this many for each token of a window */
};

uint64_t bird_mlm_name_hash(const char *name)
{
    uint64_t h = 0;

    for (; *name; name++)
        h = bird_mix(h, (unsigned char)*name);
    return h;
}

/* ---- letters ------------------------------------------------------------- */

static int hold_area(struct bird_mlm_evaluating *v, int32_t area)
{
    const struct bird_interval *p = v->areas.at + area;
    const struct bird_reference_contig *c = v->reference.contig + p->contig;
    int rc;

    if (v->held_area == area)
        return 0;
    v->held_area = -1;
    rc = bird_array_grow(&v->letters, &v->cap_letters, p->end - p->start, 1);
    if (!rc)
        rc = bird_genome_fetch_raw(v->reference.genome[c->genome], c->index,
                                   p->start, p->end, v->letters);
    if (!rc)
        v->held_area = area;
    return rc;
}

int bird_mlm_letters(const char **out, struct bird_mlm_evaluating *v,
                     const struct bird_mlm_window *w)
{
    int rc = hold_area(v, w->area);

    if (!rc)
        *out = v->letters + (w->start - v->areas.at[w->area].start);
    return rc;
}

/* ---- windows ------------------------------------------------------------- */

/* Offer the window start .. end of the area in hand; in bp of the area. */
static int offer(struct bird_mlm_evaluating *v, int64_t start, int64_t end)
{
    const struct bird_interval *p = v->areas.at + v->held_area;
    int64_t unknown = 0;
    int rc;

    for (int64_t i = start; i < end; i++)
        unknown += bird_letter_code(v->letters[i]) > 3;
    if ((double)unknown > v->o->max_n * (double)(end - start)) {
        v->e.n_rich++;
        return 0;
    }
    rc = bird_array_grow(&v->window, &v->cap_window, v->n_window + 1,
                         sizeof(*v->window));
    if (!rc)
        v->window[v->n_window++] = (struct bird_mlm_window){
            p->start + start, p->start + end, p->contig, v->held_area};
    return rc;
}

static int tile(struct bird_mlm_evaluating *v, int64_t length)
{
    int64_t width = v->o->context_bp, at;
    int64_t stride = v->o->stride_bp ? v->o->stride_bp : width;
    int rc = 0;

    for (at = 0; !rc && at + width <= length; at += stride)
        rc = offer(v, at, at + width);
    at -= stride; /* the last one that fits */
    v->e.rest_bp += at < 0 ? length : length - (at + width);
    return rc;
}

/* Windows of n_token tokens in start .. end; *next is where they end. */
static int cut_piece(struct bird_mlm_evaluating *v, bird_encoding *e,
                     int64_t start, int64_t end, int64_t *next)
{
    int64_t n_token = v->o->length_tok - v->vocab.n_special, i, n = end - start;
    char *text;
    int rc = bird_array_new(&text, n, 1);

    for (i = 0; !rc && i < n; i++)
        text[i] = bird_mlm_upper(v->letters[start + i]);
    if (!rc)
        rc = bird_tokenizer_encode(v->model.tokenizer, e, text, n, 0);
    *next = start;
    for (i = 0; !rc && i + n_token <= e->n; i += n_token) {
        int64_t from = *next;

        *next = i + n_token < e->n ? start + e->start[i + n_token] : end;
        rc = offer(v, from, *next);
    }
    free(text);
    return rc;
}

/* A stretch without gaps. */
static int cut_stretch(struct bird_mlm_evaluating *v, bird_encoding *e,
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

    /* start .. end is a stretch, from its first base to behind its last */
    for (i = 0; !rc && i <= length; i++) {
        if (i < length && bird_letter_code(v->letters[i]) > 3)
            continue;
        if ((i == length || i - end >= GAP) && end > start) {
            rc = cut_stretch(v, &e, start, end);
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

/* ---- drawing ------------------------------------------------------------- */

struct lot {
    uint64_t key;
    int64_t index;
};

static int by_key(const void *a, const void *b)
{
    const struct lot *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const struct lot *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

/* Those windows whose numbers, a function of seed and place, are smallest. */
static int draw(struct bird_mlm_evaluating *v)
{
    int64_t n = v->o->windows;
    struct lot *lot;
    int rc;

    if (!n || n >= v->n_window)
        return 0;
    rc = bird_array_new(&lot, v->n_window, sizeof(*lot));
    if (rc)
        return rc;
    for (int64_t i = 0; i < v->n_window; i++) {
        const struct bird_mlm_window *w = &v->window[i];
        const char *name = v->reference.contigs.name[w->contig];

        lot[i].key = bird_mix(bird_mix(v->o->seed, bird_mlm_name_hash(name)),
                              (uint64_t)w->start);
        lot[i].index = i;
    }
    qsort(lot, (size_t)v->n_window, sizeof(*lot), by_key);
    qsort(lot, (size_t)n, sizeof(*lot), by_index);
    for (int64_t i = 0; i < n; i++)
        v->window[i] = v->window[lot[i].index];
    v->e.n_not_drawn = v->n_window - n;
    v->n_window = n;
    free(lot);
    return 0;
}

int bird_mlm_find_windows(struct bird_mlm_evaluating *v)
{
    int rc = 0;

    for (int32_t i = 0; !rc && i < v->areas.n; i++) {
        int64_t length = v->areas.at[i].end - v->areas.at[i].start;

        rc = hold_area(v, i);
        if (!rc)
            rc = v->o->context_bp ? tile(v, length) : cut(v, length);
    }
    if (!rc && !v->n_window)
        rc = bird_fail(
            BIRD_EINVAL,
            "no window to evaluate on: %lld have too many N, and %lld bp "
            "are in regions or stretches that hold no whole window: ask for "
            "shorter windows or give more sequence",
            (long long)v->e.n_rich, (long long)v->e.rest_bp);
    if (!rc)
        rc = draw(v);
    v->e.n_window = v->n_window;
    return rc;
}
