/**
 * What has been computed already: values by key, in bounded memory.
 *
 * Two generations: what is asked for lives in the young one; when that has
 * grown over the limit it becomes the old one, whose predecessor is forgotten.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_KNOWN_H
#define BIRD_PREDICT_KNOWN_H

#include <stdint.h>

#include "dnabird/error.h"

struct bird_known;

/** n_value floats a key. Owner: *out is the caller's. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_known_new(struct bird_known **out, int64_t n_value,
                                   int64_t limit_bytes);
void bird_known_free(struct bird_known *k);

/**
 * The place of this key (n bytes), made when it is not there: *fresh is then
 * 1. A place stays good until bird_known_turn(). Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_known_find(struct bird_known *k, int64_t *place,
                                    int *fresh, const void *key, int64_t n);

/** The values at a place, until the next bird_known_find(). */
float *bird_known_values(struct bird_known *k, int64_t place);

/** Four numbers beside them. */
int32_t *bird_known_notes(struct bird_known *k, int64_t place);
enum { BIRD_KNOWN_NOTES = 4 };

/** Places may be forgotten now. */
void bird_known_turn(struct bird_known *k);

#endif
