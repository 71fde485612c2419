/**
 * A bgzipped table of positions with its tabix index (.tbi, .csi): the header,
 * and the rows of a position. Requests in ascending order read on without a
 * seek.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_INDEXED_H
#define BIRD_SEQ_INDEXED_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

struct bird_indexed;

/**
 * Open a table whose columns 1 and 2 are contig and position, from 1.
 * Owner: *out is the caller's. Errors: BIRD_EIO it cannot be read;
 * BIRD_EFORMAT it is not bgzipped, has no index, or one of other columns
 */
BIRD_MUST_CHECK int bird_indexed_open(struct bird_indexed **out,
                                      const char *path);
void bird_indexed_free(struct bird_indexed *x);

/** The lines before the first row, each with its line feed; or "". */
const char *bird_indexed_header(const struct bird_indexed *x);

/**
 * The rows of a base (0-based) into *out (cleared first), each with its line
 * feed; none if the table has none.
 * Errors: BIRD_EFORMAT, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_indexed_rows(struct bird_text *out,
                                      struct bird_indexed *x,
                                      const char *contig, int64_t pos);

#endif
