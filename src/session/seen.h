/**
 * Which rows of tokens were scored before, and what came out: a table of
 * fixed size. A row is known by 128 bits mixed from its length and ids, so
 * that among 2^32 different rows the chance of taking one for another is
 * below 2^-64. What the table forgets is a function of the rows and their
 * order alone.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_SEEN_H
#define BIRD_PREDICT_SEEN_H

#include <stdint.h>

#include "dnabird/error.h"

/** Rows that are remembered, fewer where the answers are wide: keys and answers
 *  are held below BIRD_SEEN_BYTES. The sets, 4 bytes a row, come besides. */
#define BIRD_SEEN_ROWS  (INT64_C(1) << 20)
#define BIRD_SEEN_BYTES (INT64_C(64) << 20)

struct bird_seen;

/** For answers of so many numbers. Memory of keys and answers is taken as rows
 *  come, one after the other. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_seen_new(struct bird_seen **out, int64_t columns);
void bird_seen_free(struct bird_seen *s);

/** Rows the table holds at most. */
int64_t bird_seen_capacity(const struct bird_seen *s);

/**
 * Meet a row of n tokens, the number of which would be `row` if it is new;
 * numbers rise. Returns the number of the equal row met before, or `row`: then
 * it took the place of the one in its part of the table that was met longest
 * ago. *slot is where it stands, until the next new row.
 */
int64_t bird_seen_meet(struct bird_seen *s, const int32_t *ids, int64_t n,
                       int64_t row, int64_t *slot);

/** The answer of a row that stands there, once it was put: (columns). */
const float *bird_seen_answer(const struct bird_seen *s, int64_t slot);

/** Keep the answer of `row`, if it still stands there. */
void bird_seen_put(struct bird_seen *s, int64_t slot, int64_t row,
                   const float *answer);

#endif
