/**
 * Rows that the sequences of a batch have in common: the stem computes each once.
 *
 * A row of a convolution depends on the rows under its kernel and on nothing
 * else, to the last bit. So rows that read equal rows are equal, wherever they
 * lie: in the windows of a reference and of a haplotype, in windows that begin at
 * another base, on either side of an insertion. Rows have numbers by content: a
 * token its id, a row of a layer the number of the rows that it reads.
 * docs/math/stem.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_MODEL_STEM_SHARED_H
#define BIRD_MODEL_STEM_SHARED_H

#include <stdint.h>

#include "dnabird/error.h"

struct bird_batch;
struct bird_encoder;

/** Of each sequence how many rows, and where its first number is. */
struct bird_stem_places {
    int64_t *n, *at;
};

/** Rows that a batch shares; {0} at first. */
struct bird_stem_shared {
    int on;         /* 1: the batch at hand has rows in common */
    int64_t margin; /* numbers before and behind those of each sequence */
    /* numbers of rows, with -1 around each sequence: rows that a layer reads,
       rows that it makes before its pool, rows that the layer before made */
    int32_t *read, *made, *below;
    struct bird_stem_places place, place_below; /* of read and made; of below */
    struct bird_stem_entry *table;              /* rows by content */
    float *row, *row_below; /* (number, channels) rows that were made */
    int64_t cap_seq, cap_number, cap_table, cap_row;
};
void bird_stem_shared_free(struct bird_stem_shared *s);

/**
 * Look whether the batch has enough rows in common, and make what they take.
 * Only inside of a task: sequences are read one after the other.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_stem_shared_prepare(struct bird_encoder *e,
                                             const struct bird_batch *b);

/** bird_stem_forward() of a batch for which this is on, to the last bit. */
void bird_stem_shared_forward(struct bird_encoder *e, float *y,
                              const struct bird_batch *b);

#endif
