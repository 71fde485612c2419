/**
 * Motifs for the picture of all changes of a region: where they are, and how
 * the change with the largest score in each one weakens it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_MOTIF_MARKS_H
#define BIRD_VARIANT_MOTIF_MARKS_H

#include "base/text.h"
#include "dnabird/reference.h"
#include "seq/motif.h"
#include "track/page.h"

/** Start with {0}. */
struct bird_motif_marks {
    struct bird_motifs motifs; /* motifs that are searched */
    char *bases;               /* of the region and its flanks */
    struct bird_motif_hit *hit;
    struct bird_named_span *span; /* (n), for a heat map */
    struct bird_text *text; /* (n, 2) names and notes that the spans borrow */
    int64_t n;
};
void bird_motif_marks_free(struct bird_motif_marks *k);

/**
 * Open a file of motifs; "jaspar": those that come with dnabird.
 * Errors: those of bird_motifs_read(); BIRD_EIO they are not installed
 */
BIRD_MUST_CHECK int bird_motif_marks_open(struct bird_motif_marks *k,
                                          const char *path);

/**
 * Find the hits that overlap start .. end of a contig.
 * @param value  (4, end - start) scores of A, C, G, T at each base; NaN: none
 * Errors: those of bird_genome_fetch(), bird_motifs_find()
 */
BIRD_MUST_CHECK int bird_motif_marks_find(struct bird_motif_marks *k,
                                          bird_genome *g, int64_t contig,
                                          int64_t start, int64_t end,
                                          const double *value, double most_p);

#endif
