/**
 * BigBird's random blocks: the reference's own, which are a function of numpy's
 * legacy RandomState bit for bit, and dnabird's, uniformly random.
 *
 * Source: the reference's plan, docs/math/pattern.md; Matsumoto and Nishimura
 * 1998, doi:10.1145/272991.272995.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PATTERN_RANDOM_H
#define BIRD_PATTERN_RANDOM_H

#include <stdint.h>

#include "dnabird/error.h"

/* The seed of patterns with random blocks. */
#define BIRD_PARAM_SEED                                                        \
    {                                                                          \
        .name = "pattern_seed", .option = "seed", .file = BIRD_PATTERN_META,   \
        .implied = 1, .at = offsetof(struct bird_pattern, seed),               \
        .hi = INT64_MAX                                                        \
    }

/**
 * The random blocks alone: out (n_head, n_block - 2, n_random), rows = query
 * blocks 1 .. n_block-2; len_tok is the padded length n_block * block. Equal
 * to the reference's for every length that it runs block-sparse.
 */
BIRD_MUST_CHECK int bird_random_plan(int32_t *out, int64_t n_block,
                                     int64_t block, int64_t n_head,
                                     int64_t n_random, int64_t max_positions,
                                     uint32_t seed);

/** A row whose random blocks are uniformly random. */
struct bird_uniform {
    uint64_t seed;
    int64_t layer, head, row, n_block;
    const int32_t *fixed; /* (n_fixed) rising: what the row lists already */
    int64_t n_fixed;
};

/** An entry of the shuffled list that no longer holds its own block. */
struct bird_moved {
    int64_t at;
    int32_t block;
};

/**
 * n_random different blocks that the row does not list, fewer when there are
 * not as many; a function of seed, layer, head, row, number of blocks and list.
 * @param moved scratch, (n_random)
 */
int64_t bird_uniform_row(int32_t *out, struct bird_moved *moved,
                         int64_t n_random, const struct bird_uniform *u);

/** The Mersenne Twister of numpy's legacy RandomState. */
enum { BIRD_MT_WORDS = 624 };

struct bird_mt {
    uint32_t word[BIRD_MT_WORDS];
    int next; /* word to hand out; BIRD_MT_WORDS: make new ones */
};

/** The state that numpy.random.seed(seed) makes. */
void bird_mt_init(struct bird_mt *m, uint32_t seed);

/** The next 32 bits. */
uint32_t bird_mt_next(struct bird_mt *m);

/** numpy.random.permutation of an array, in place. */
void bird_mt_permute(struct bird_mt *m, int32_t *a, int64_t n);

#endif
