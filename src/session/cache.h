/**
 * A session's cache of answers by rows of tokens: a table of
 * fixed size. A row is known by 128 bits mixed from its length, ids and
 * positions, so
 * that among 2^32 different rows the chance of taking one for another is
 * below 2^-64. What the table forgets is a function of the rows and their
 * order alone.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_CACHE_H
#define BIRD_SESSION_CACHE_H

#include <stdint.h>

#include "dnabird/error.h"

/** Rows that are remembered, fewer where the answers are wide: keys and answers
 *  are held below BIRD_CACHE_BYTES. The sets, 4 bytes a row, come besides. */
#ifndef BIRD_CACHE_ROWS /* a fuzzer makes a session a run */
#define BIRD_CACHE_ROWS (INT64_C(1) << 20)
#endif
#define BIRD_CACHE_BYTES (INT64_C(64) << 20)

struct bird_cache;

/** For answers of so many numbers. Memory of keys and answers is taken as rows
 *  come, one after the other. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_cache_new(struct bird_cache **out, int64_t columns);
void bird_cache_free(struct bird_cache *s);

/** Rows the table holds at most. */
int64_t bird_cache_capacity(const struct bird_cache *s);

/**
 * Look a row of n tokens up (position NULL: 0, 1, 2 ...), the number of which would be `row` if it is new;
 * numbers rise. Returns the number of the equal row met before, or `row`: then
 * it took the place of the one in its part of the table that was met longest
 * ago. *slot is where it stands, until the next new row.
 */
int64_t bird_cache_lookup(struct bird_cache *s, const int32_t *ids,
                          const int32_t *position, int64_t n, int64_t row,
                          int64_t *slot);

/** Forget all. */
void bird_cache_clear(struct bird_cache *s);

/** The answer of a row that stands there, once it was put: (columns). */
const float *bird_cache_answer(const struct bird_cache *s, int64_t slot);

/** Keep the answer of `row`, if it still stands there. */
void bird_cache_put(struct bird_cache *s, int64_t slot, int64_t row,
                    const float *answer);

#endif
