/*
 * A row's tokens: draw a spot, encode as many bases as the tokens need.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/sampler.h"

enum {
    MAX_DRAWS = 10000, /* of spots, for one row */
    SLACK_TOK = 4,     /* tokens behind the last one taken, so that where the
                          text was cut does not show in it */
    PROBES = 64,       /* stretches that bases a token are measured on */
    PROBE_BP = 4096
};

/* A stretch of a row: as many tokens from a spot on as were asked for. */
struct piece {
    bird_encoding e;
    char *text;
    int64_t cap;
    int64_t n_token, bp; /* taken */
};

static void piece_free(struct piece *p)
{
    bird_encoding_free(&p->e);
    free(p->text);
}

/* Bases of n tokens, more or less. */
static int64_t bases_of(const struct bird_sampler *s, int64_t n)
{
    return (int64_t)((double)n * s->words.bp) + 1;
}

/* Bases that hardly ever are fewer than n tokens. */
static int64_t room_for(const struct bird_sampler *s, int64_t n)
{
    return bases_of(s, n) + bases_of(s, n) / 10 + 64;
}

/* Up to n tokens from the spot on, of at most `limit` bases (the area's end
   is one, too); none is cut. */
static int piece_encode(struct piece *p, const struct bird_sampler *s,
                        const struct bird_spot *x, int64_t n, int64_t limit)
{
    int64_t take = room_for(s, n);
    int rc;

    if (limit > bird_spot_room(x))
        limit = bird_spot_room(x);
    for (;; take += take / 2) {
        if (take > limit)
            take = limit;
        if ((rc = bird_array_grow(&p->text, &p->cap, take, 1)))
            return rc;
        bird_spot_letters(p->text, s, x, take);
        rc = bird_tokenizer_encode(s->t, &p->e, p->text, take, 0);
        if (rc)
            return rc;
        if (take == limit || p->e.n >= n + SLACK_TOK)
            break;
    }
    p->n_token = p->e.n < n ? p->e.n : n;
    p->bp = p->n_token < p->e.n ? p->e.start[p->n_token] : take;
    return 0;
}

static void put(struct bird_drawn *d, int32_t id, int64_t bp)
{
    d->ids[d->n_token] = id;
    d->bp[d->n_token++] = (int32_t)bp;
}

static void put_piece(struct bird_drawn *d, const struct piece *p)
{
    for (int64_t i = 0; i < p->n_token; i++) {
        int64_t end = i + 1 < p->n_token ? p->e.start[i + 1] : p->bp;

        put(d, p->e.ids[i], end - p->e.start[i]);
    }
}

/* Is there anything that can be predicted? */
static int tells(const struct bird_sampler *s, const struct piece *p)
{
    for (int64_t i = 0; i < p->n_token; i++)
        if (!s->words.special[p->e.ids[i]])
            return 1;
    return 0;
}

/* Tokens from a spot, *good unless they are rich in N: first by what they
   will need, so that a run of N is not encoded, then by what they took. */
static int take_piece(struct piece *p, int *good, const struct bird_sampler *s,
                      const struct bird_spot *x, int64_t n, int64_t limit)
{
    int64_t need = bases_of(s, n), room = bird_spot_room(x);
    int rc;

    need = need < room ? need : room;
    *good = 0;
    if (bird_spot_rich(s, x, need < limit ? need : limit))
        return 0;
    rc = piece_encode(p, s, x, n, limit);
    if (!rc)
        *good = tells(s, p) && !bird_spot_rich(s, x, p->bp);
    return rc;
}

/* B: what follows A, or another spot; a document other than A's if there is
   one. */
static void spot_of_b(struct bird_spot *out, const struct bird_sampler *s,
                      struct bird_rng *r, const struct bird_spot *a,
                      const struct bird_drawn *d)
{
    int64_t left = s->o.length_tok - 1 - d->n_token;
    int tries = MAX_DRAWS;

    *out = *a;
    if (d->next == 0)
        return;
    do
        bird_spot_draw(out, s, r, room_for(s, left));
    while (s->n_document > 1 && out->area == a->area && --tries);
}

/* One draw of a row; *good when it can be used. d->next says which B. */
static int try_row(struct bird_drawn *d, int *good, struct piece *p,
                   const struct bird_sampler *s, struct bird_rng *r)
{
    int64_t n = s->o.length_tok - 2 - (d->next >= 0), need = bases_of(s, n);
    int64_t room, limit = INT64_MAX;
    struct bird_spot a, b;
    int rc;

    bird_spot_draw(&a, s, r, room_for(s, n));
    room = bird_spot_room(&a);
    *good = 0;
    if (d->next >= 0) {
        if (room < 2)
            return 0;
        limit = bird_spot_cut(&a, s, r, need < room ? need : room);
        n--; /* one at least for B */
    }
    rc = take_piece(p, good, s, &a, n, limit);
    if (rc || !*good)
        return rc;
    d->n_token = 0;
    put(d, s->words.cls, 0);
    put_piece(d, p);
    put(d, s->words.sep, 0);
    d->second = d->n_token;
    if (d->next < 0)
        return 0;
    a.from += p->bp;
    spot_of_b(&b, s, r, &a, d);
    rc =
        take_piece(p, good, s, &b, s->o.length_tok - 1 - d->n_token, INT64_MAX);
    if (!rc && *good) {
        put_piece(d, p);
        put(d, s->words.sep, 0);
    }
    return rc;
}

int bird_row_draw(struct bird_drawn *d, const struct bird_sampler *s,
                  int64_t step, int64_t row)
{
    struct piece p = {0};
    struct bird_rng r;
    int good = 0, rc = 0;

    bird_rng_init(&r, bird_mix(s->o.seed, BIRD_STREAM_ROW), (uint64_t)step,
                  (uint64_t)row);
    d->next = BIRD_SAMPLE_NONE;
    if (s->o.next_sentence) /* once: what is drawn anew must not tilt it */
        d->next = (int32_t)(bird_rng_next(&r) >> 63);
    for (d->n_rich = 0; !rc && d->n_rich < MAX_DRAWS; d->n_rich++) {
        rc = try_row(d, &good, &p, s, &r);
        if (good)
            break;
    }
    piece_free(&p);
    if (!rc && !good)
        rc = bird_fail(BIRD_EINVAL,
                       "step %lld, row %lld: of %d stretches none has at most "
                       "%g of N: allow more, or leave out where they lie",
                       (long long)step, (long long)row, MAX_DRAWS, s->o.max_n);
    return rc;
}

int bird_words_measure(struct bird_sampler *s)
{
    int64_t n_bp = 0, n_token = 0;
    struct piece p = {0};
    struct bird_spot x;
    struct bird_rng r;
    int rc = 0, probes = 0;

    bird_rng_init(&r, 0, BIRD_STREAM_PROBE, 0);
    s->words.bp = 1.0;
    for (int i = 0; !rc && probes < PROBES && i < MAX_DRAWS; i++) {
        bird_spot_draw(&x, s, &r, PROBE_BP);
        if (bird_spot_rich(s, &x,
                           bird_spot_room(&x) < PROBE_BP ? bird_spot_room(&x)
                                                         : PROBE_BP))
            continue;
        rc = piece_encode(&p, s, &x, PROBE_BP, PROBE_BP);
        n_bp += p.bp;
        n_token += p.n_token;
        probes++;
    }
    piece_free(&p);
    if (!rc && !n_token)
        rc = bird_fail(BIRD_EINVAL,
                       "%d stretches were drawn, and each has more than %g of "
                       "N: allow more, or leave out where they lie",
                       MAX_DRAWS, s->o.max_n);
    if (!rc)
        s->words.bp = (double)n_bp / (double)n_token;
    return rc;
}
