/**
 * What rows of BigBird and of its ETC form are made of: a window, global
 * blocks, and random blocks of the rest.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PATTERN_ROWS_H
#define BIRD_PATTERN_ROWS_H

#include "pattern/random.h"

/* Parameters, as patterns with such rows list them. */
#define BIRD_PARAM_NEAR                                                        \
    {                                                                          \
        .name = "attention_window", .option = "width",                         \
        .file = BIRD_PATTERN_META, .implied = 1,                               \
        .at = offsetof(struct bird_pattern, own[BIRD_OWN_NEAR]), .usual = 1,   \
        .lo = 1, .hi = 1 << 20                                                 \
    }

/** What rows list in addition to their own block and random ones. */
struct bird_shape {
    int64_t near;        /* blocks to either side */
    int64_t first, last; /* global ones, which list all */
};

/** What row i of n_block lists, rising, no block twice: how many. */
int64_t bird_shape_row(int32_t *list, int64_t i, int64_t n_block,
                       const struct bird_shape *s);

/** Insert a block into a rising list of n. */
void bird_row_insert(int32_t *list, int64_t n, int32_t block);

/** Buffers for the random blocks of a row. */
struct bird_random_rows {
    int32_t *block;           /* (n) */
    struct bird_moved *moved; /* (n) */
    int64_t n;
};

/** Errors: BIRD_ENOMEM. Freed by bird_random_rows_free(), after a failure, too. */
BIRD_MUST_CHECK int bird_random_rows_new(struct bird_random_rows *d, int64_t n);
void bird_random_rows_free(struct bird_random_rows *d);

/** Insert d->n random blocks of u, or as many as there are, into the rising
 *  list that u has; returns its new length. */
int64_t bird_random_rows_add(int32_t *list, const struct bird_random_rows *d,
                             const struct bird_uniform *u);

#endif
