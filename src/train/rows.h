/**
 * Rows of a step, drawn in parallel, and packs of them as batches.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_ROWS_H
#define BIRD_TRAIN_ROWS_H

#include <stdint.h>

#include "data/sampler.h"
#include "dnabird/error.h"
#include "head/head.h"
#include "model/encoder.h"

/** Start with {0}. */
struct bird_row_set {
    struct bird_sample_row *row; /* (n) */
    int *rc;                     /* (n) */
    int32_t *block;              /* the rows' ids, types and labels */
    int64_t n, cap_row, cap_rc, cap_block;
    /* a pack: rows end to end */
    int32_t *ids, *type, *label, *next;
    int64_t *offset;
    int64_t cap_ids, cap_type, cap_label, cap_next, cap_offset;
};

void bird_row_set_free(struct bird_row_set *r);

/** Rows first .. first + n of a step, of at most length_tok tokens each.
 *  Errors: those of bird_sampler_row(), of the first row that has one. */
BIRD_MUST_CHECK int bird_row_set_draw(struct bird_row_set *r,
                                      struct bird_sampler *s, int64_t step,
                                      int64_t first, int64_t n,
                                      int64_t length_tok);

/** Rows i0 .. i1 of the set as a batch with its labels; borrowed. */
BIRD_MUST_CHECK int bird_row_set_pack(struct bird_batch *b,
                                      struct bird_labels *labels,
                                      struct bird_row_set *r, int64_t i0,
                                      int64_t i1);

#endif
