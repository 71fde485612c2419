/**
 * Where a track's bytes go: standard output, a file, a bgzipped file with an
 * index, or a zstd file; a name only ever holds a whole file.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_SINK_H
#define BIRD_TRACK_SINK_H

#include <stdint.h>

#include "dnabird/error.h"

struct bird_sink;

/**
 * Open. path NULL or "-" is standard output, a name in .gz or .bgz is
 * bgzipped, one in .zst compressed by zstd; a device or pipe of that name is
 * written in place.
 * Errors: BIRD_EINVAL an index of what is not bgzipped; BIRD_EIO, BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_sink_open(struct bird_sink **out, const char *path,
                                   int index);

/** Errors: BIRD_EIO. */
BIRD_MUST_CHECK int bird_sink_put(struct bird_sink *s, const void *data,
                                  int64_t n);

/**
 * Flush, index, rename; s is freed whatever comes back, and on failure no
 * file is left.
 * Errors: BIRD_EIO; BIRD_EFORMAT when the lines cannot be indexed.
 * @param largest_bp positions above 2^29 need a .csi index instead of .tbi
 */
BIRD_MUST_CHECK int bird_sink_close(struct bird_sink *s, int64_t largest_bp);

/** Give up: free (NULL is fine) and remove what was written. */
void bird_sink_free(struct bird_sink *s);

/** Does the name say that the file is bgzipped? */
int bird_sink_is_gz(const char *path);

#endif
