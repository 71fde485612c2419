/**
 * Values as bigWig, where libBigWig is there (Meson feature bigwig).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_BIGWIG_H
#define BIRD_TRACK_BIGWIG_H

#include <stdint.h>

#include "dnabird/error.h"

/** Is bigWig compiled in? */
int bird_bigwig_available(void);

struct bird_bigwig;

/**
 * Begin a file, under a temporary name until it is closed.
 * @param name,length (n_contig) all contigs of the genome, in the order in
 * which values will come
 * Errors: BIRD_EUNSUPPORTED built without libBigWig; BIRD_EINVAL a contig of
 * 2^32 bp or more; BIRD_EIO; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_bigwig_open(struct bird_bigwig **out, const char *path,
                                     const char *const *name,
                                     const int64_t *length, int64_t n_contig);

/** Rows in order, not overlapping. Errors: BIRD_EIO. */
BIRD_MUST_CHECK int bird_bigwig_put(struct bird_bigwig *b, const char *contig,
                                    int64_t start, int64_t end, float value);

/** Write the index and give the file its name; b is freed whatever comes. */
BIRD_MUST_CHECK int bird_bigwig_close(struct bird_bigwig *b);

/** Give up: free (NULL is fine) and remove what was written. */
void bird_bigwig_free(struct bird_bigwig *b);

#endif
