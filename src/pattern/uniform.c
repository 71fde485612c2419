/* Random blocks drawn evenly from all of the sequence, which the reference
 * does not offer. SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "pattern/plan.h"

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
