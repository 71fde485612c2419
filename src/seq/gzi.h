/**
 * The block index (.gzi) of a bgzip file.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_GZI_H
#define BIRD_SEQ_GZI_H

#include <stdint.h>

#include "dnabird/error.h"

/** Start with {0}. */
struct bird_gzi {
    int fd;      /* of the file, when n > 0 */
    int64_t *at; /* (n, 2) offsets of a block, compressed and not; rising */
    int64_t n;   /* 0: not loaded */
};

/**
 * Load the index of the file at path.
 *
 * @return 1 it may belong to the file; 0 it cannot: malformed, or its last
 *         offset lies behind the file's; BIRD_EFORMAT the file is cut short
 *         (its closing block is missing), BIRD_EIO, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_gzi_open(struct bird_gzi *z, const char *path,
                                  const char *gzi);
void bird_gzi_close(struct bird_gzi *z);

/** May htslib seek to this byte of the uncompressed file? 1 or 0. An index
 *  that is not loaded has been made from the file itself: yes. */
int bird_gzi_holds(const struct bird_gzi *z, int64_t offset);

#endif
