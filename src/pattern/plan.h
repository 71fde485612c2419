/**
 * Who sees whom: for each head and query block the key blocks it attends to.
 *
 * A block listed k times counts k times in the softmax, as in the reference.
 * Source: Zaheer et al. 2020, arXiv:2007.14062, appendix D; the reference's
 * random blocks, see docs/math/pattern.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PATTERN_PLAN_H
#define BIRD_PATTERN_PLAN_H

#include <stdint.h>

#include "dnabird/error.h"

enum bird_attention { BIRD_ATTENTION_SPARSE, BIRD_ATTENTION_FULL };

/** What the r random entries of a row hold. */
enum bird_random_blocks {
    BIRD_RANDOM_PLAN,   /* the seeded plan (transformers <= 4.28; training) */
    BIRD_RANDOM_ZERO,   /* block 0, r times (evaluation since 4.29) */
    BIRD_RANDOM_NONE,   /* nothing */
    BIRD_RANDOM_UNIFORM /* drawn evenly from what the row does not list yet:
                           dnabird's own, which no reference runs */
};

/** What a sparse row lists, besides its own block. All of them is BigBird. */
enum bird_parts {
    BIRD_PART_GLOBAL = 1, /* the first and the last block, and they list all */
    BIRD_PART_WINDOW = 2, /* the blocks before and after */
    BIRD_PART_RANDOM = 4,
    BIRD_PARTS_ALL = 7
};

/** Key blocks first .. first+count-1, each counted `times` times. */
struct bird_run {
    int32_t first, count, times;
};

struct bird_plan {
    int64_t n_block; /* M = ceil(L / block); the last may be partial */
    int64_t block;   /* tokens in a block */
    int64_t n_head;  /* lists: 1 when all heads have the same, else heads */
    int full;        /* full attention: every row lists all blocks once */
    int64_t *row;    /* (n_head * n_block + 1) where a row's runs start */
    struct bird_run *run; /* runs of row (h, i) by rising first, disjoint */
};

/** What a plan is a function of. */
struct bird_pattern {
    enum bird_attention attention;
    enum bird_random_blocks random;
    int64_t block, n_random, n_head, max_positions;
    int parts;     /* of enum bird_parts; 0 = all */
    uint64_t seed; /* of BIRD_RANDOM_UNIFORM: another one, other blocks */
};

/**
 * Full attention at this length? Asked for, or L <= (5 + 2r) * block: the
 * reference's rule for short inputs, here per sequence. The rule is BigBird's:
 * where parts are left out, they are at every length.
 */
int bird_pattern_is_full(const struct bird_pattern *p, int64_t len_tok);

/**
 * The plan of a layer for a sequence of len_tok tokens.
 * Owner: *out is the caller's, bird_plan_free().
 * Errors: BIRD_EINVAL len_tok < 1, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_plan_new(struct bird_plan **out,
                                  const struct bird_pattern *p, int64_t len_tok,
                                  int64_t layer);
void bird_plan_free(struct bird_plan *p);

/** The runs of head h, query block i: *n of them. Borrowed from the plan. */
static inline const struct bird_run *
bird_plan_row(const struct bird_plan *p, int64_t h, int64_t i, int64_t *n)
{
    int64_t k = (p->n_head == 1 ? 0 : h) * p->n_block + i;

    *n = p->row[k + 1] - p->row[k];
    return p->run + p->row[k];
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

/** A row whose random blocks are drawn evenly. */
struct bird_uniform {
    uint64_t seed;
    int64_t layer, head, row, n_block;
    const int32_t *fixed; /* (n_fixed) rising: what the row lists already */
    int64_t n_fixed;
};

/** A place of the shuffled list that no longer holds its own block. */
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

#endif
