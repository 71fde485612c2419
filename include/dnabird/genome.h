/**
 * Reference sequence: FASTA by random access or as a stream, windows over it.
 *
 * Coordinates are 0-based half-open in base pairs. Letters come out upper
 * case with U as T; anything else is passed on as it stands in the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_GENOME_H
#define DNABIRD_GENOME_H

#include <stdint.h>

#include "dnabird/error.h"

/** A FASTA file with random access. */
typedef struct bird_genome bird_genome;

/**
 * Open a FASTA file for random access.
 *
 * Errors  BIRD_EIO missing or unreadable; BIRD_EFORMAT not FASTA, truncated
 */
BIRD_API BIRD_MUST_CHECK int bird_genome_open(bird_genome **out,
                                              const char *path);
BIRD_API void bird_genome_free(bird_genome *g);

/** Number of contigs, in file order. */
BIRD_API int64_t bird_genome_count(const bird_genome *g);
/** Name of contig i; borrowed from g. */
BIRD_API const char *bird_genome_name(const bird_genome *g, int64_t i);
/** Length of contig i in bp. */
BIRD_API int64_t bird_genome_length(const bird_genome *g, int64_t i);
/** Index of the contig of this exact name; -1 if there is none. */
BIRD_API int64_t bird_genome_find(const bird_genome *g, const char *name);

/**
 * Bases start .. end of a contig into out (end - start letters, no NUL).
 * Not for two threads at once on one bird_genome.
 *
 * Errors  BIRD_ERANGE outside the contig; BIRD_EIO, BIRD_EFORMAT on reading
 */
BIRD_API BIRD_MUST_CHECK int bird_genome_fetch(bird_genome *g, int64_t contig,
                                               int64_t start, int64_t end,
                                               char *out);

#endif
