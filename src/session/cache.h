/**
 * The cache of a session: answers by rows of tokens, in a table of fixed size.
 * The key of a row is 128 bits mixed from its length, ids and positions: among
 * 2^32 different rows the chance that two rows share a key is below 2^-64. The
 * rows and their order alone decide which answers the table forgets.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SESSION_CACHE_H
#define BIRD_SESSION_CACHE_H

#include <stdint.h>

#include "dnabird/error.h"

/** Rows of the table. Wide answers reduce the number: keys and answers stay
 *  below BIRD_CACHE_BYTES. The sets take another 4 bytes a row. */
#ifndef BIRD_CACHE_ROWS /* fuzz targets, which open many sessions, set fewer */
#define BIRD_CACHE_ROWS (INT64_C(1) << 20)
#endif
#define BIRD_CACHE_BYTES (INT64_C(64) << 20)

struct bird_cache;

/** A cache for answers of `columns` numbers. Pages of keys and answers are
 *  touched only as rows arrive. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_cache_new(struct bird_cache **out, int64_t columns);
void bird_cache_free(struct bird_cache *s);

/** Most rows that the table holds. */
int64_t bird_cache_capacity(const struct bird_cache *s);

/**
 * Look up a row of n tokens (position NULL: 0, 1, 2 ...). `row` is the number
 * that the row gets if it is new; numbers rise from call to call. Returns the
 * number of an earlier equal row; or `row`, and then the new row has replaced
 * the least recently used row of its set. *slot is the row's entry in the table
 * until the next new row.
 */
int64_t bird_cache_lookup(struct bird_cache *s, const int32_t *ids,
                          const int32_t *position, int64_t n, int64_t row,
                          int64_t *slot);

/** Forget all rows. */
void bird_cache_clear(struct bird_cache *s);

/** (columns) the answer of the row in this slot, after bird_cache_put(). */
const float *bird_cache_answer(const struct bird_cache *s, int64_t slot);

/** Keep the answer of `row`, if the slot still holds that row. */
void bird_cache_put(struct bird_cache *s, int64_t slot, int64_t row,
                    const float *answer);

#endif
