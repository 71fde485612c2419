/**
 * Random changes of a training row that should not change its label.
 *
 * Source   Lee, Tang and Koo 2023 (EvoAug), Genome Biology 24:105: random
 *          mutations, "translocations" (here a shift), reverse complement
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_AUGMENT_H
#define BIRD_DATA_AUGMENT_H

#include <stdint.h>

#include "base/rng.h"

struct bird_augmentation {
    int strand;    /* 1: either strand, evenly */
    int64_t shift; /* at most so many bases, evenly from -shift to shift */
    double mutate; /* probability of a base to become one of the other three */
};

/** Does it change anything? */
int bird_augments(const struct bird_augmentation *a);

/**
 * A copy of a row, changed at random by r: first the strand, then the shift,
 * then the mutations. A shift rotates the row, so that its length stays. Bases
 * other than A, C, G, T are not mutated, and case is kept.
 *
 * Shapes   seq, out (n), which do not overlap
 * @return 1: out is of the other strand
 */
int bird_augment(char *out, const char *seq, int64_t n,
                 const struct bird_augmentation *a, struct bird_rng *r);

#endif
