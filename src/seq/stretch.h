/**
 * Letters around places of a genome, N beyond the ends of a contig; a stretch
 * is kept, so that places in rising order cost one reading.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_STRETCH_H
#define BIRD_SEQ_STRETCH_H

#include <stdint.h>

#include "dnabird/genome.h"

/** Start with {0}. */
struct bird_stretch {
    const bird_genome *genome; /* of the letters kept; NULL: none */
    int64_t contig, start, end, cap;
    char *bases;
};

void bird_stretch_free(struct bird_stretch *s);

/**
 * Letters start .. end (start may be negative, end behind the contig's);
 * borrowed until the next call. Memory: the longest asked for and 1 MiB.
 * Errors: those of bird_genome_fetch(); BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_stretch_get(const char **out, struct bird_stretch *s,
                                     bird_genome *g, int64_t contig,
                                     int64_t start, int64_t end);

#endif
