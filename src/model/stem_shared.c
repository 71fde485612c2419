/* Rows that sequences share, each computed once: layer by layer, for all sequences
 * of the batch. First each row gets a number, from a hash table of the rows that it
 * reads; then new rows are computed, block by block. The first layer, a sum of table
 * rows, is computed where it is read. base/map.h is not used: it copies its keys,
 * while these keys overlap in one array, and each hash follows from the last.
 * SPDX-License-Identifier: MIT */
#include "model/stem_shared.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "model/stem_layer.h"

enum {
    SAMPLE_TOKENS = 16, /* a piece whose repeats are counted */
    SAMPLE_ONE_IN = 32, /* of pieces so many one is looked at */
    SAMPLE_SHIFT = 59,
    SHARED_IN = 10, /* at most 7 in 10 pieces are new: else it is not worth */
    SHARED_NEW = 7
};

static const uint64_t FACTOR = 0x9e3779b97f4a7c15u;

/* Of rows with the same content the first, whose numbers begin before `at`; 0: a
 * free slot. */
struct bird_stem_entry {
    uint32_t hash;
    int32_t at, number;
};

void bird_stem_shared_free(struct bird_stem_shared *s)
{
    free(s->place.n);
    free(s->place.at);
    free(s->place_below.n);
    free(s->place_below.at);
    free(s->read);
    free(s->made);
    free(s->below);
    free(s->table);
    free(s->row);
    free(s->row_below);
    *s = (struct bird_stem_shared){0};
}

/* --- numbers by content ------------------------------------------------------ */

/* Rows to look up: n of these numbers are the content of one. */
struct keys {
    const int32_t *number;
    int64_t n;
    struct bird_stem_entry *table; /* (size) a power of two */
    int64_t size;
    uint64_t last; /* what the oldest of n numbers counts in the hash */
    int32_t known; /* different rows so far */
};

/* Slots for n rows, half of them free; a power of two. */
static int64_t table_size(int64_t n)
{
    int64_t size = 64;

    while (size < 2 * n)
        size *= 2;
    return size;
}

/* Of at most n_row rows. */
static struct keys no_keys(const struct bird_stem_shared *s, int64_t n_row,
                           const int32_t *number, int64_t n)
{
    struct keys k = {number, n, s->table, table_size(n_row), 1, 0};

    memset(k.table, 0, (size_t)k.size * sizeof(*k.table));
    for (int64_t i = 1; i < n; i++)
        k.last *= FACTOR;
    return k;
}

static uint64_t add_number(uint64_t h, int32_t number)
{
    return h * FACTOR + (uint64_t)(number + 2);
}

static uint64_t drop_number(const struct keys *k, uint64_t h, int32_t number)
{
    return h - k->last * (uint64_t)(number + 2);
}

/* The number of the row whose content begins at `at` and has hash h. */
static int32_t number_at(struct keys *k, int64_t at, uint64_t h)
{
    uint32_t hash = (uint32_t)((h ^ h >> 29) * FACTOR >> 32);

    for (int64_t i = hash & (k->size - 1);; i = (i + 1) & (k->size - 1)) {
        struct bird_stem_entry *e = &k->table[i];

        if (!e->at) {
            *e = (struct bird_stem_entry){hash, (int32_t)at + 1, k->known};
            return k->known++;
        }
        if (e->hash == hash && !memcmp(k->number + e->at - 1, k->number + at,
                                       (size_t)k->n * sizeof(*k->number)))
            return e->number;
    }
}

/* --- is it worth while? ------------------------------------------------------ */

/* Twice as many pieces as are looked at, and there is space for. */
static int64_t most_pieces(const struct bird_batch *b)
{
    return 2 * b->token[b->n_seq] / SAMPLE_ONE_IN + 32;
}

/* Do enough pieces of tokens repeat? Pieces are sampled by their hash, so the same
 * ones in every sequence; in a run of one token, where all hashes are equal, by
 * position. */
static int is_worth(struct bird_stem_shared *s, const struct bird_batch *b)
{
    struct keys k = no_keys(s, most_pieces(b), b->ids, SAMPLE_TOKENS);
    int64_t all = 0;

    for (int64_t i = 0; i < b->n_seq; i++) {
        uint64_t h = 0, before;

        for (int64_t t = b->token[i]; t < b->token[i + 1]; t++) {
            int64_t first = t + 1 - SAMPLE_TOKENS;

            before = h;
            if (first > b->token[i])
                h = drop_number(&k, h, b->ids[first - 1]);
            h = add_number(h, b->ids[t]);
            if (first < b->token[i])
                continue;
            if (h == before ? t % SAMPLE_ONE_IN != 0
                            : h * FACTOR >> SAMPLE_SHIFT != 0)
                continue;
            all++;
            number_at(&k, first, h);
            if (k.known == most_pieces(b))
                return 0;
        }
    }
    return k.known * SHARED_IN < all * SHARED_NEW;
}

/* --- making ----------------------------------------------------------------- */

static int64_t margin_of(const struct bird_config *c)
{
    int64_t n = 0;

    for (int64_t l = 0; l < c->n_stem; l++) {
        const struct bird_stem_layer *s = &c->stem[l];

        n = s->kernel / 2 > n ? s->kernel / 2 : n;
        n = s->pool > n ? s->pool : n;
    }
    return n;
}

/* Numbers of the tokens and around them. */
static int64_t n_number(const struct bird_stem_shared *s,
                        const struct bird_batch *b)
{
    return b->token[b->n_seq] + 2 * b->n_seq * s->margin;
}

/* Floats of the rows of the layer that has most, were none in common. */
static int64_t most_floats(const struct bird_config *c,
                           const struct bird_batch *b)
{
    int64_t most = 0, n = b->token[b->n_seq];

    for (int64_t l = 0; l < c->n_stem; l++) {
        int64_t floats = n * c->stem[l].channels;

        most = l && floats > most ? floats : most;
        n = n / c->stem[l].pool + b->n_seq; /* the last group may be short */
    }
    return most;
}

static int grow_all(struct bird_stem_shared *s, const struct bird_config *c,
                    const struct bird_batch *b)
{
    int64_t numbers = n_number(s, b), floats = most_floats(c, b);
    struct {
        void *array;
        int64_t *cap, n;
        size_t size;
    } each[] = {
        {&s->place.n, &s->cap_seq, b->n_seq, sizeof(int64_t)},
        {&s->place.at, &s->cap_seq, b->n_seq, sizeof(int64_t)},
        {&s->place_below.n, &s->cap_seq, b->n_seq, sizeof(int64_t)},
        {&s->place_below.at, &s->cap_seq, b->n_seq, sizeof(int64_t)},
        {&s->read, &s->cap_number, numbers, sizeof(*s->read)},
        {&s->made, &s->cap_number, numbers, sizeof(*s->made)},
        {&s->below, &s->cap_number, numbers, sizeof(*s->below)},
        {&s->table, &s->cap_table, table_size(numbers), sizeof(*s->table)},
        {&s->row, &s->cap_row, floats, sizeof(*s->row)},
        {&s->row_below, &s->cap_row, floats, sizeof(*s->row)}};
    int n = sizeof(each) / sizeof(*each);

    for (int i = 0; i < n; i++) { /* arrays of one capacity grow together */
        int64_t cap = *each[i].cap;
        int rc = bird_array_grow(each[i].array, &cap, each[i].n, each[i].size);

        if (rc)
            return rc;
        if (i + 1 == n || each[i + 1].cap != each[i].cap)
            *each[i].cap = cap;
    }
    return 0;
}

int bird_stem_shared_prepare(struct bird_encoder *e, const struct bird_batch *b)
{
    struct bird_stem_shared *s = &e->shared;
    int rc;

    s->on = 0;
    if (!e->stem.table || e->c.n_stem < 2 || b->n_want || b->n_seq < 2 ||
        bird_parallel_worker() < 0)
        return 0;
    s->margin = margin_of(&e->c);
    rc = bird_array_grow(&s->table, &s->cap_table, table_size(most_pieces(b)),
                         sizeof(*s->table));
    if (rc || !is_worth(s, b))
        return rc;
    rc = grow_all(s, &e->c, b);
    s->on = !rc;
    return rc;
}

/* --- numbers of a layer's rows ------------------------------------------------ */

/* Where the numbers of each sequence begin; returns how many there are, those
 * around the sequences included. */
static int64_t put_places(struct bird_stem_places *p, int64_t n_seq,
                          int64_t margin)
{
    int64_t at = 0;

    for (int64_t i = 0; i < n_seq; i++) {
        p->at[i] = at + margin;
        at += p->n[i] + 2 * margin;
    }
    return at;
}

/* The tokens: what the first layer reads. */
static void put_tokens(struct bird_stem_shared *s, const struct bird_config *c,
                       const struct bird_batch *b)
{
    int64_t before, behind, n;

    for (int64_t i = 0; i < b->n_seq; i++) {
        n = b->token[i + 1] - b->token[i];
        bird_stem_ends(c, b->ids + b->token[i], n, &before, &behind);
        s->place.n[i] = n - before - behind;
    }
    n = put_places(&s->place, b->n_seq, s->margin);
    memset(s->read, -1, (size_t)n * sizeof(*s->read));
    for (int64_t i = 0; i < b->n_seq; i++) {
        const int32_t *ids = b->ids + b->token[i];

        bird_stem_ends(c, ids, b->token[i + 1] - b->token[i], &before, &behind);
        memcpy(s->read + s->place.at[i], ids + before,
               (size_t)s->place.n[i] * sizeof(*ids));
    }
}

/* s->made: numbers of the rows that a kernel makes of s->read. */
static void number_rows(struct bird_stem_shared *s, int64_t n_seq,
                        int64_t kernel)
{
    int64_t half = kernel / 2;
    int64_t n = s->place.at[n_seq - 1] + s->place.n[n_seq - 1] + s->margin;
    struct keys k = no_keys(s, n, s->read, kernel);

    memset(s->made, -1, (size_t)n * sizeof(*s->made));
    for (int64_t i = 0; i < n_seq; i++) {
        int64_t first = s->place.at[i], end = first + s->place.n[i];
        uint64_t h = 0;

        for (int64_t r = first - half; r < first + half; r++)
            h = add_number(h, s->read[r]);
        for (int64_t r = first; r < end; r++) {
            h = add_number(h, s->read[r + half]);
            s->made[r] = number_at(&k, r - half, h);
            h = drop_number(&k, h, s->read[r - half]);
        }
    }
}

/* Move the layer's row numbers to `below`, and number their groups of `pool` rows
 * in s->read: the next layer's input. */
static void number_groups(struct bird_stem_shared *s, int64_t n_seq,
                          int64_t pool)
{
    struct bird_stem_places places = s->place_below;
    int32_t *made = s->made;
    struct keys k;
    int64_t n;

    s->made = s->below;
    s->below = made;
    s->place_below = s->place;
    s->place = places;
    for (int64_t i = 0; i < n_seq; i++)
        s->place.n[i] = (s->place_below.n[i] + pool - 1) / pool;
    n = put_places(&s->place, n_seq, s->margin);
    memset(s->read, -1, (size_t)n * sizeof(*s->read));
    k = no_keys(s, n, s->below, pool);
    for (int64_t i = 0; i < n_seq; i++)
        for (int64_t r = 0; r < s->place.n[i]; r++) {
            int64_t at = s->place_below.at[i] + r * pool;
            uint64_t h = 0;

            for (int64_t j = 0; j < pool; j++)
                h = add_number(h, s->below[at + j]);
            s->read[s->place.at[i] + r] = number_at(&k, at, h);
        }
}

/* --- rows --------------------------------------------------------------------- */

struct run {
    struct bird_encoder *e;
    const struct bird_batch *b;
    int worker;
    struct bird_stem_need need[BIRD_STEM_LAYERS];
};

/* Rows from .. to of the first layer of sequence i, before its pool. */
static void first_rows(const struct run *r, float *out, int64_t i, int64_t from,
                       int64_t to)
{
    const struct bird_batch *b = r->b;
    const int32_t *ids = b->ids + b->token[i];
    int64_t n = b->token[i + 1] - b->token[i], before, behind;
    struct bird_stem_in in = {.x = NULL};

    bird_stem_ends(&r->e->c, ids, n, &before, &behind);
    n -= before + behind;
    in.tokens = (struct bird_conv_tokens){ids + before + from, from, n - to,
                                          r->e->c.stem[0].kernel};
    bird_stem_sums(r->e, 0, out, &in, to - from, r->worker);
    bird_stem_finish(r->e, 0, out, out, NULL, NULL, to - from);
}

/* The same of a later layer, copied. */
static void copy_rows(const struct bird_stem_shared *s, float *out, int64_t d,
                      int64_t i, int64_t from, int64_t to)
{
    const int32_t *number = s->below + s->place_below.at[i];

    for (int64_t r = from, n; r < to; r += n, out += n * d) {
        for (n = 1; r + n < to && number[r + n] == number[r] + n;)
            n++;
        memcpy(out, s->row_below + number[r] * d,
               (size_t)(n * d) * sizeof(*out));
    }
}

/* Rows from .. to of sequence i that layer l made, pooled. */
static void pooled_rows(const struct run *r, float *out, float *wide, int64_t l,
                        int64_t i, int64_t from, int64_t to)
{
    const struct bird_stem_shared *s = &r->e->shared;
    int64_t d = r->e->c.stem[l].channels, pool = r->e->c.stem[l].pool;
    int64_t end = to * pool;
    float *rows = pool > 1 ? wide : out;

    end = end < s->place_below.n[i] ? end : s->place_below.n[i];
    if (l)
        copy_rows(s, rows, d, i, from * pool, end);
    else
        first_rows(r, rows, i, from * pool, end);
    if (pool > 1)
        r->e->k->max_pool_forward(out, wide, end - from * pool, pool, d);
}

/* Rows from .. to of sequence i, which layer l makes, to where the first one's
 * number says. */
static void new_rows(const struct run *r, int64_t l, int64_t i, int64_t from,
                     int64_t to)
{
    const struct bird_stem_shared *s = &r->e->shared;
    int64_t half = r->e->c.stem[l].kernel / 2, d = r->e->c.stem[l - 1].channels;
    int64_t a = from - half, b = to + half, n = s->place.n[i];
    int64_t first = a > 0 ? a : 0, end = b < n ? b : n;
    float *in = bird_encoder_scratch(r->e, r->worker);
    float *out =
        s->row + s->made[s->place.at[i] + from] * r->e->c.stem[l].channels;
    struct bird_stem_in of = {.x = in + half * d};

    memset(in, 0, (size_t)((first - a) * d) * sizeof(*in));
    pooled_rows(r, in + (first - a) * d, in + r->need[l].in * d, l - 1, i,
                first, end);
    memset(in + (end - a) * d, 0, (size_t)((b - end) * d) * sizeof(*in));
    bird_stem_sums(r->e, l, out, &of, to - from, r->worker);
    bird_stem_finish(r->e, l, out, out, NULL, of.x, to - from);
}

/* All new rows of a layer: numbers count them in this order. */
static void layer_rows(const struct run *r, int64_t l)
{
    const struct bird_stem_shared *s = &r->e->shared;
    int64_t known = 0;

    for (int64_t i = 0; i < r->b->n_seq; i++) {
        const int32_t *made = s->made + s->place.at[i];

        for (int64_t a = 0, n; a < s->place.n[i]; a += n) {
            for (n = 0; n < r->need[l].out && a + n < s->place.n[i] &&
                        made[a + n] == known + n;)
                n++;
            if (n)
                new_rows(r, l, i, a, a + n);
            known += n;
            n += !n;
        }
    }
}

void bird_stem_shared_forward(struct bird_encoder *e, float *y,
                              const struct bird_batch *b)
{
    const struct bird_config *c = &e->c;
    struct bird_stem_shared *s = &e->shared;
    struct run r = {e, b, bird_parallel_worker(), {{0}}};
    int64_t last = c->n_stem - 1, before, behind, rows;

    rows = bird_stem_needs(r.need, c);
    put_tokens(s, c, b);
    for (int64_t l = 0; l <= last; l++) {
        float *swap = s->row;

        number_rows(s, b->n_seq, c->stem[l].kernel);
        if (l)
            layer_rows(&r, l);
        number_groups(s, b->n_seq, c->stem[l].pool);
        s->row = s->row_below;
        s->row_below = swap;
    }
    for (int64_t i = 0; i < b->n_seq; i++) {
        bird_stem_ends(c, b->ids + b->token[i], b->token[i + 1] - b->token[i],
                       &before, &behind);
        for (int64_t k = 0, n = s->place.n[i]; k < n; k += rows)
            pooled_rows(&r, y + (b->offset[i] + before + k) * c->hidden_size,
                        bird_encoder_scratch(e, r.worker), last, i, k,
                        k + rows < n ? k + rows : n);
    }
}
