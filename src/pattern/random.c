/* BigBird's random blocks. The reference shuffles candidates with numpy's
 * RandomState, so MT19937 and its masked rejection are here bit for bit; both
 * of its plans are derived in docs/math/pattern.md. dnabird's own rows are
 * chosen from all that a row does not list yet.
 * SPDX-License-Identifier: MIT */
#include "pattern/random.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"

enum { MIDDLE = 397 };

void bird_mt_init(struct bird_mt *m, uint32_t seed)
{
    m->word[0] = seed;
    for (uint32_t i = 1; i < BIRD_MT_WORDS; i++) {
        uint32_t w = m->word[i - 1];

        m->word[i] = 1812433253U * (w ^ (w >> 30)) + i;
    }
    m->next = BIRD_MT_WORDS;
}

static void twist(struct bird_mt *m)
{
    for (int i = 0; i < BIRD_MT_WORDS; i++) {
        uint32_t y = (m->word[i] & 0x80000000U) |
                     (m->word[(i + 1) % BIRD_MT_WORDS] & 0x7fffffffU);

        m->word[i] = m->word[(i + MIDDLE) % BIRD_MT_WORDS] ^ (y >> 1) ^
                     (y & 1 ? 0x9908b0dfU : 0);
    }
    m->next = 0;
}

uint32_t bird_mt_next(struct bird_mt *m)
{
    uint32_t y;

    if (m->next == BIRD_MT_WORDS)
        twist(m);
    y = m->word[m->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    y ^= y >> 18;
    return y;
}

static uint32_t mt_below(struct bird_mt *m, uint32_t max)
{
    uint32_t mask = max, v;

    if (!max)
        return 0;
    for (int shift = 1; shift < 32; shift *= 2)
        mask |= mask >> shift;
    do
        v = bird_mt_next(m) & mask;
    while (v > max);
    return v;
}

void bird_mt_permute(struct bird_mt *m, int32_t *a, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = mt_below(m, (uint32_t)i);
        int32_t old = a[i];

        a[i] = a[j];
        a[j] = old;
    }
}

/* The state of the reference's random plan. */
struct random_plan {
    struct bird_mt mt;
    int32_t *candidate; /* scratch */
    int64_t n_block, block, n_head, n_random;
    int64_t n_plan; /* rows of the legacy plan */
};

/* Special lengths, whose plan the reference makes from the first 1024 tokens. */
enum { LEGACY_LIMIT = 1024 };

static int is_legacy_length(int64_t len_tok)
{
    return len_tok == 1024 || len_tok == 3072 || len_tok == 4096;
}

static int32_t *row_of(int32_t *out, const struct random_plan *d, int64_t head,
                       int64_t row)
{
    return out + (head * (d->n_block - 2) + row - 1) * d->n_random;
}

/* The first n_random of a permutation of 0..E-1 that are legal in this row. */
static void general_pick(int32_t *out, struct random_plan *d, int64_t row)
{
    int64_t last = 2 * d->n_random + 4, n = 0;

    for (int64_t i = 0; i <= last; i++)
        d->candidate[i] = (int32_t)i;
    bird_mt_permute(&d->mt, d->candidate, last + 1);
    for (int64_t i = 0; i <= last && n < d->n_random; i++) {
        int64_t b = d->candidate[i];

        if (b == 0 || b == last || (b >= row - 1 && b <= row + 1) ||
            (row == 1 && b == last - 1) || (row == last - 1 && b == 1))
            continue;
        out[n++] = (int32_t)b;
    }
}

static void general_plan(int32_t *out, struct random_plan *d)
{
    for (int64_t row = 1; row <= d->n_block - 2; row++)
        for (int64_t h = 0; h < d->n_head; h++)
            general_pick(row_of(out, d, h, row), d, row);
}

/* Append blocks 1..n_plan-2 at positions from..to-1 of that list. */
static int64_t put_slice(struct random_plan *d, int64_t n, int64_t from,
                         int64_t to)
{
    if (to > d->n_plan - 2)
        to = d->n_plan - 2;
    for (int64_t i = from; i < to; i++)
        d->candidate[n++] = (int32_t)(i + 1);
    return n;
}

/* The order of these tests matters where the plan has few rows. */
static int64_t legacy_candidates(struct random_plan *d, int64_t row)
{
    int64_t last = d->n_plan - 1, n;

    if (LEGACY_LIMIT > 2 * d->block)
        last = LEGACY_LIMIT / d->block - 1;
    if (row == 1)
        return put_slice(d, 0, 2, last);
    if (row == 2)
        return put_slice(d, 0, 3, last);
    if (row >= d->n_plan - 3 || row - 2 > last)
        return put_slice(d, 0, 0, last);
    n = put_slice(d, 0, 0, row - 2);
    if (row + 1 != last)
        n = put_slice(d, n, row + 1, last);
    return n;
}

/* Has every row enough candidates? One alone is spread over all entries. */
static int legacy_works(struct random_plan *d)
{
    if (d->n_plan < d->n_block)
        return 0;
    for (int64_t row = 1; row <= d->n_plan - 2; row++) {
        int64_t n = legacy_candidates(d, row);

        if (n < d->n_random && n != 1)
            return 0;
    }
    return 1;
}

static void legacy_plan(int32_t *out, struct random_plan *d)
{
    for (int64_t h = 0; h < d->n_head; h++)
        for (int64_t row = 1; row <= d->n_plan - 2; row++) {
            int64_t n = legacy_candidates(d, row);

            bird_mt_permute(&d->mt, d->candidate, n);
            if (row > d->n_block - 2)
                continue; /* after its random numbers are used */
            for (int64_t k = 0; k < d->n_random; k++)
                row_of(out, d, h, row)[k] = d->candidate[n == 1 ? 0 : k];
        }
}

static int check(int64_t n_block, int64_t block, int64_t n_head,
                 int64_t n_random, int64_t max_positions)
{
    int64_t length, size, least;

    if (n_block < 3 || block < 1 || n_head < 1 || n_random < 0 ||
        max_positions < 1 || n_block > INT32_MAX || n_random > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "random blocks: impossible sizes");
    least = 6 + 2 * n_random;
    if (n_block < least)
        return bird_fail(BIRD_EINVAL,
                         "random blocks: %lld blocks are too few for %lld "
                         "random ones a row; at least %lld are needed",
                         (long long)n_block, (long long)n_random,
                         (long long)least);
    if (__builtin_mul_overflow(n_block, block, &length) ||
        __builtin_mul_overflow(n_block * n_random, n_head, &size))
        return bird_fail(BIRD_EINVAL, "random blocks: sizes overflow");
    return 0;
}

int bird_random_plan(int32_t *out, int64_t n_block, int64_t block,
                     int64_t n_head, int64_t n_random, int64_t max_positions,
                     uint32_t seed)
{
    struct random_plan d = {
        .n_block = n_block, .block = block, .n_head = n_head};
    int64_t n;
    int rc = check(n_block, block, n_head, n_random, max_positions);

    if (rc || !n_random)
        return rc;
    d.n_random = n_random;
    d.n_plan = max_positions / block;
    n = is_legacy_length(n_block * block) ? d.n_plan : 0;
    if (n > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "random blocks: %lld positions",
                         (long long)max_positions);
    if (n < 2 * n_random + 5)
        n = 2 * n_random + 5;
    rc = bird_array_new(&d.candidate, n, sizeof(*d.candidate));
    if (rc)
        return rc;
    bird_mt_init(&d.mt, seed);
    if (is_legacy_length(n_block * block) && legacy_works(&d))
        legacy_plan(out, &d);
    else
        general_plan(out, &d);
    free(d.candidate);
    return 0;
}

/* Block j of those that `fixed` (rising, n) leaves. */
static int32_t other(int64_t j, const int32_t *fixed, int64_t n)
{
    for (int64_t k = 0; k < n && fixed[k] <= j; k++)
        j++;
    return (int32_t)j;
}

static int32_t block_at(int64_t j, const struct bird_moved *moved, int64_t n,
                        const struct bird_uniform *u)
{
    while (n > 0)
        if (moved[--n].at == j)
            return moved[n].block;
    return other(j, u->fixed, u->n_fixed);
}

/* The head of a Fisher-Yates shuffle of the other blocks. The list itself is
 * never written down: with blocks of one token it is as long as the sequence,
 * for every row of every head. */
int64_t bird_uniform_row(int32_t *out, struct bird_moved *moved,
                         int64_t n_random, const struct bird_uniform *u)
{
    int64_t n = u->n_block - u->n_fixed;
    struct bird_rng rng;

    bird_rng_init(&rng,
                  u->seed ? bird_mix(u->seed, (uint64_t)u->layer)
                          : (uint64_t)u->layer, /* what there was without one */
                  (uint64_t)u->head, (uint64_t)u->row);
    if (n_random > n)
        n_random = n;
    for (int64_t k = 0; k < n_random; k++) {
        int64_t j = k + (int64_t)bird_rng_below(&rng, (uint64_t)(n - k));

        out[k] = block_at(j, moved, k, u);
        moved[k] = (struct bird_moved){j, block_at(k, moved, k, u)};
    }
    return n_random;
}
