/**
 * The Mersenne Twister and the shuffle of numpy's legacy RandomState: the
 * published random blocks are a function of them, bit for bit.
 *
 * Source: Matsumoto and Nishimura 1998, doi:10.1145/272991.272995.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PATTERN_MT19937_H
#define BIRD_PATTERN_MT19937_H

#include <stdint.h>

enum { BIRD_MT_WORDS = 624 };

struct bird_mt {
    uint32_t word[BIRD_MT_WORDS];
    int next;        /* word to hand out; BIRD_MT_WORDS: make new ones */
    int64_t n_drawn; /* outputs so far */
};

/** The state that numpy.random.seed(seed) makes. */
void bird_mt_init(struct bird_mt *m, uint32_t seed);

/** The next 32 bits. */
uint32_t bird_mt_next(struct bird_mt *m);

/** Uniform in 0 .. max by masked rejection; max = 0 draws nothing. */
uint32_t bird_mt_below(struct bird_mt *m, uint32_t max);

/** numpy.random.permutation of an array, in place. */
void bird_mt_permute(struct bird_mt *m, int32_t *a, int64_t n);

#endif
