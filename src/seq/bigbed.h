/**
 * The intervals of a bigBed file as lines of BED.
 *
 * Source   Kent et al. 2010, Bioinformatics 26:2204, supplement: header,
 *          tree of contigs, data, index of the data
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_BIGBED_H
#define BIRD_SEQ_BIGBED_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

/** The first 4 bytes of a file as a number, in either byte order. */
#define BIRD_BIGBED_MAGIC INT64_C(0x8789f2eb)

struct bird_bigbed;

/**
 * A file on disk. Owner: *out is the caller's.
 * Errors: BIRD_EFORMAT damaged, or not bigBed; BIRD_EIO; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_bigbed_open(struct bird_bigbed **out,
                                     const char *path);
/** Safe on NULL. */
void bird_bigbed_free(struct bird_bigbed *b);

/**
 * The next interval in the order of the file into `line`: contig, start, end
 * and further fields, separated by tabs.
 * Errors: BIRD_EFORMAT damaged or cut short; BIRD_EIO; BIRD_ENOMEM
 * @return 1, 0 at the end, or a negative bird_status
 */
BIRD_MUST_CHECK int bird_bigbed_next(struct bird_text *line,
                                     struct bird_bigbed *b);

#endif
