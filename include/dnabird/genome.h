/**
 * Reference sequence by random access.
 *
 * Coordinates are 0-based half-open in base pairs. Letters come out upper
 * case with U as T: IUPAC's nucleotide codes, X, and the gaps '-', '.' and
 * '*'. Any other letter is an error where it is fetched.
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
 * A plain or bgzip file is read through its .fai (and .gzi) index. An index
 * that is missing or does not fit the file is made in one pass and written
 * beside the file, else in $XDG_CACHE_HOME/dnabird or ~/.cache/dnabird, else
 * kept in memory. A file that cannot be indexed (plain gzip, standard input
 * "-", lines of uneven length) is read once for names and lengths; its
 * contigs are then held in memory, one byte a base, from when they are first
 * asked for ("-": all of them, at once). bird_genome_notice() tells.
 *
 * Owner   *out is the caller's, bird_genome_free(); untouched on failure
 * Errors  BIRD_EIO missing or unreadable; BIRD_EFORMAT not FASTA, truncated,
 *         or two contigs of one name
 */
BIRD_API BIRD_MUST_CHECK int bird_genome_open(bird_genome **out,
                                              const char *path);
BIRD_API void bird_genome_free(bird_genome *g);

/**
 * What the user of this file should know, as one sentence that names it, or
 * NULL; borrowed from g.
 */
BIRD_API const char *bird_genome_notice(const bird_genome *g);

/** The path it was opened with; borrowed from g. */
BIRD_API const char *bird_genome_path(const bird_genome *g);

/** Number of contigs, in file order. */
BIRD_API int64_t bird_genome_count(const bird_genome *g);
/** Name of contig i; borrowed from g. */
BIRD_API const char *bird_genome_name(const bird_genome *g, int64_t i);
/** Length of contig i in bp. */
BIRD_API int64_t bird_genome_length(const bird_genome *g, int64_t i);
/** Index of the contig of this exact name; -1 if there is none. */
BIRD_API int64_t bird_genome_find(const bird_genome *g, const char *name);

/**
 * The same, and where no contig has this exact name the one of the other
 * customary name: "chr7" for "7" and back, "chrM" for "MT".
 */
BIRD_API int64_t bird_genome_find_alias(const bird_genome *g, const char *name);

/**
 * Order of two contig names without what custom varies: "chr" in front, M for
 * MT. 0: they mean the same contig.
 */
BIRD_API int bird_contig_compare(const char *a, const char *b);

/**
 * Bases start .. end of a contig into out (end - start letters, no NUL).
 * Not for two threads at once on one bird_genome.
 *
 * Errors  BIRD_ERANGE outside the contig; BIRD_EFORMAT a letter that is no
 *         nucleotide code, with record and position; BIRD_EIO, BIRD_EFORMAT
 *         on reading
 */
BIRD_API BIRD_MUST_CHECK int bird_genome_fetch(bird_genome *g, int64_t contig,
                                               int64_t start, int64_t end,
                                               char *out);

/** The same with the letters as they stand: lower case (soft mask) and U. */
BIRD_API BIRD_MUST_CHECK int bird_genome_fetch_raw(bird_genome *g,
                                                   int64_t contig,
                                                   int64_t start, int64_t end,
                                                   char *out);

/** From now on other letters than nucleotide codes are passed on: for
 *  tokenizers, which know what to do with them. */
BIRD_API void bird_genome_any_letters(bird_genome *g);

/**
 * Say which n contigs will be asked for, so that a file without an index is
 * read once for all of them; does nothing where there is an index. Never
 * needed: without it a fetch reads its contig and those that fit beside it.
 *
 * Errors  BIRD_ERANGE, BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int
bird_genome_hold(bird_genome *g, const int64_t *contigs, int64_t n);

#endif
