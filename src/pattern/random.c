/* The reference's random blocks. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "pattern/mt19937.h"
#include "pattern/plan.h"

/* The derivation of both plans from the reference: docs/math/pattern.md. */
struct draw {
    struct bird_mt mt;
    int32_t *candidate; /* scratch */
    int64_t n_block, block, n_head, n_random;
    int64_t n_plan; /* rows' blocks that the legacy plan is drawn for */
};

/* Lengths whose plan the reference draws from the first 1024 tokens. */
enum { LEGACY_LIMIT = 1024 };

static int is_legacy_length(int64_t len_tok)
{
    return len_tok == 1024 || len_tok == 3072 || len_tok == 4096;
}

static int32_t *row_of(int32_t *out, const struct draw *d, int64_t head,
                       int64_t row)
{
    return out + (head * (d->n_block - 2) + row - 1) * d->n_random;
}

/* The first n_random of a permutation of 0..E-1 that are legal in this row. */
static void general_pick(int32_t *out, struct draw *d, int64_t row)
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

static void general_plan(int32_t *out, struct draw *d)
{
    for (int64_t row = 1; row <= d->n_block - 2; row++)
        for (int64_t h = 0; h < d->n_head; h++)
            general_pick(row_of(out, d, h, row), d, row);
}

/* Append blocks 1..n_plan-2 at positions from..to-1 of that list. */
static int64_t put_slice(struct draw *d, int64_t n, int64_t from, int64_t to)
{
    if (to > d->n_plan - 2)
        to = d->n_plan - 2;
    for (int64_t i = from; i < to; i++)
        d->candidate[n++] = (int32_t)(i + 1);
    return n;
}

/* The order of these tests matters where the plan has few rows. */
static int64_t legacy_candidates(struct draw *d, int64_t row)
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
static int legacy_works(struct draw *d)
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

static void legacy_plan(int32_t *out, struct draw *d)
{
    for (int64_t h = 0; h < d->n_head; h++)
        for (int64_t row = 1; row <= d->n_plan - 2; row++) {
            int64_t n = legacy_candidates(d, row);

            bird_mt_permute(&d->mt, d->candidate, n);
            if (row > d->n_block - 2)
                continue; /* drawn all the same */
            for (int64_t k = 0; k < d->n_random; k++)
                row_of(out, d, h, row)[k] = d->candidate[n == 1 ? 0 : k];
        }
}

static int check(int64_t n_block, int64_t block, int64_t n_head,
                 int64_t n_random, int64_t max_positions)
{
    int64_t length, size;

    if (n_block < 3 || block < 1 || n_head < 1 || n_random < 0 ||
        max_positions < 1 || n_block > INT32_MAX || n_random > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "random blocks: impossible sizes");
    if (n_block < 6 + 2 * n_random)
        return bird_fail(BIRD_EINVAL,
                         "random blocks: %lld blocks are too few for %lld "
                         "random ones a row; at least %lld are needed",
                         (long long)n_block, (long long)n_random,
                         (long long)(6 + 2 * n_random));
    if (__builtin_mul_overflow(n_block, block, &length) ||
        __builtin_mul_overflow(n_block * n_random, n_head, &size))
        return bird_fail(BIRD_EINVAL, "random blocks: sizes overflow");
    return 0;
}

int bird_random_plan(int32_t *out, int64_t n_block, int64_t block,
                     int64_t n_head, int64_t n_random, int64_t max_positions,
                     uint32_t seed)
{
    struct draw d = {.n_block = n_block, .block = block, .n_head = n_head};
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
