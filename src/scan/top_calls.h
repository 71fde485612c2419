/**
 * The calls of a scan that are kept to its end: the most probable ones, and
 * calls in the order of their probability.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SCAN_TOP_CALLS_H
#define BIRD_SCAN_TOP_CALLS_H

#include <stdint.h>

#include "dnabird/track.h"

struct bird_top_calls;

/** @param n calls to keep: of equal probability those that came first; 0: all.
 *  Memory: 112 bytes a call kept, twice that of n. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_top_calls_new(struct bird_top_calls **out, int64_t n);
void bird_top_calls_free(struct bird_top_calls *t);

/** Copy a call. Its name must outlive t. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_top_calls_put(struct bird_top_calls *t,
                                       const bird_track_row *row);

/** Sort what was kept: by probability, or in the order of bird_top_calls_put().
 */
void bird_top_calls_sort(struct bird_top_calls *t, int by_probability);

/** Call i of the sorted ones, valid until t is freed; NULL past the last. */
const bird_track_row *bird_top_calls_at(const struct bird_top_calls *t,
                                        int64_t i);

#endif
