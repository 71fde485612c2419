/**
 * Which windows of a stream overlap the regions somebody asked for.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_LIMIT_H
#define BIRD_SEQ_LIMIT_H

#include "dnabird/region.h"

struct bird_limit;

/** The list is borrowed. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_limit_new(struct bird_limit **out,
                                   const bird_regions *list);
void bird_limit_free(struct bird_limit *l);

/** The stream comes to this contig. */
void bird_limit_contig(struct bird_limit *l, const char *name);

/** Does start .. end overlap a region here? start must not decrease. */
int bird_limit_meets(struct bird_limit *l, int64_t start, int64_t end);

/** The contig ended. Errors: BIRD_ERANGE a region goes beyond its end. */
BIRD_MUST_CHECK int bird_limit_end(const struct bird_limit *l, int64_t length);

/** The stream ended. Errors: BIRD_ERANGE a region's contig never came. */
BIRD_MUST_CHECK int bird_limit_check(const struct bird_limit *l);

#endif
