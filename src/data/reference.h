/**
 * Several FASTA files as one set of contigs, held in memory when touched.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_REFERENCE_H
#define BIRD_TRAIN_REFERENCE_H

#include <stdint.h>

#include "data/place.h"
#include "dnabird/genome.h"

struct bird_reference_contig {
    int64_t genome, index, length;
    char *bases; /* (length) NULL until it is wanted */
};

/**
 * Start with {0}. Contig i < n of `contigs` has contig[i]; names that are
 * added to `contigs` later are of no file.
 */
struct bird_reference {
    struct bird_contigs contigs;
    struct bird_reference_contig *contig; /* (n) */
    int64_t n;
    bird_genome **genome; /* (n_genome) */
    int64_t n_genome, cap;
};

/**
 * Open the files.
 * Errors: of bird_genome_open(); BIRD_EINVAL a contig in two files.
 */
BIRD_MUST_CHECK int bird_reference_open(struct bird_reference *r,
                                        const char *const *path, int64_t n);
void bird_reference_free(struct bird_reference *r);

/** Letters of contig i; borrowed from r. */
BIRD_MUST_CHECK int bird_reference_bases(const char **out,
                                         struct bird_reference *r, int32_t i);

static inline int bird_is_acgt(char c)
{
    return c == 'A' || c == 'C' || c == 'G' || c == 'T';
}

#endif
