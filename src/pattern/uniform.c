/* Random blocks drawn evenly from all of the sequence, which the reference
 * does not offer. SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "pattern/plan.h"

/* Blocks of 0 .. n_block-1 that `fixed` (rising, n) does not list. */
static int64_t others(int32_t *out, int64_t n_block, const int32_t *fixed,
                      int64_t n)
{
    int64_t k = 0, count = 0;

    for (int32_t j = 0; j < n_block; j++)
        if (k < n && fixed[k] == j)
            k++;
        else
            out[count++] = j;
    return count;
}

int64_t bird_uniform_row(int32_t *out, int32_t *scratch, int64_t n_random,
                         const struct bird_uniform *u)
{
    int64_t n = others(scratch, u->n_block, u->fixed, u->n_fixed);
    struct bird_rng rng;

    bird_rng_init(&rng, (uint64_t)u->layer, (uint64_t)u->head,
                  (uint64_t)u->row);
    if (n_random > n)
        n_random = n;
    for (int64_t k = 0; k < n_random; k++) {
        int64_t j = k + (int64_t)bird_rng_below(&rng, (uint64_t)(n - k));
        int32_t drawn = scratch[j];

        scratch[j] = scratch[k];
        scratch[k] = out[k] = drawn;
    }
    return n_random;
}
