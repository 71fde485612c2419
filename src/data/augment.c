/* Changed copies of training rows. SPDX-License-Identifier: MIT */
#include "data/augment.h"

#include <math.h>
#include <string.h>

#include "dnabird/tiles.h"

int bird_augments(const struct bird_augmentation *a)
{
    return a->strand || a->shift > 0 || a->mutate > 0;
}

static void mutate(char *seq, int64_t n, double rate, struct bird_rng *r)
{
    static const char bases[] = "ACGTacgt";
    double stay = log1p(-rate);

    /* From one mutation to the next: the gap is geometric, so that a row
     * costs as many random numbers as it has mutations. */
    for (int64_t i = 0;; i++) {
        double gap = floor(log1p(-bird_rng_uniform(r)) / stay);
        const char *at;

        if (!(gap < (double)(n - i)))
            return;
        i += (int64_t)gap;
        at = seq[i] ? strchr(bases, seq[i]) : NULL;
        if (at) {
            int64_t base = at - bases;

            seq[i] = bases[(base & 4) |
                           ((base + 1 + (int64_t)bird_rng_below(r, 3)) & 3)];
        }
    }
}

int bird_augment(char *out, const char *seq, int64_t n,
                 const struct bird_augmentation *a, struct bird_rng *r)
{
    int flip = a->strand && bird_rng_below(r, 2);
    int64_t by = 0;

    if (a->shift > 0 && n > 0) {
        by = (int64_t)bird_rng_below(r, 2 * (uint64_t)a->shift + 1) - a->shift;
        by = (by % n + n) % n;
    }
    memcpy(out, seq + by, (size_t)(n - by));
    memcpy(out + n - by, seq, (size_t)by);
    if (flip)
        bird_reverse_complement(out, out, n);
    if (a->mutate > 0)
        mutate(out, n, a->mutate, r);
    return flip;
}
