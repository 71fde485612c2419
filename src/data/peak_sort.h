/**
 * Peaks sorted by place in bounded memory: sorted runs in a temporary file,
 * merged while they are read. The order of the input does not matter.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_PEAK_SORT_H
#define BIRD_TRAIN_PEAK_SORT_H

#include <stdint.h>

#include "dnabird/error.h"

struct bird_peak {
    int64_t start, end; /* 0-based half-open, start < end */
    int32_t contig, profile;
};

struct bird_peak_sort;

/**
 * @param memory bytes to use, at least 64 KiB; @param folder where the
 * temporary file goes, which has no name and goes with the process
 */
BIRD_MUST_CHECK int bird_peak_sort_new(struct bird_peak_sort **out,
                                       int64_t memory, const char *folder);
void bird_peak_sort_free(struct bird_peak_sort *s);

/** Errors: BIRD_EIO the temporary file cannot be written. */
BIRD_MUST_CHECK int bird_peak_sort_add(struct bird_peak_sort *s,
                                       const struct bird_peak *p);

/** No more are added; the reading begins at the first one. */
BIRD_MUST_CHECK int bird_peak_sort_finish(struct bird_peak_sort *s);

/**
 * The next one by contig, start, end, profile.
 * @return 1, 0 at the end, or a negative bird_status
 */
BIRD_MUST_CHECK int bird_peak_sort_next(struct bird_peak_sort *s,
                                        struct bird_peak *out);

#endif
