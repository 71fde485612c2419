/**
 * Bins of a genome with the bases around them, over a stream or over regions.
 *
 * Bins lie at multiples of their width; a contig's last one may be shorter.
 * The context has its middle where a whole bin would have it, and N where it
 * reaches over an end: it never crosses contigs. A contig without a base has
 * one bin of 0 bases over a stream, so that a scan can say so.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_TILES_H
#define BIRD_SEQ_TILES_H

#include <stdint.h>

#include "dnabird/intervals.h"
#include "dnabird/reference.h"

/** Which bins a contig or region has. */
enum bird_bins_how {
    BIRD_BINS_TILE,  /* all of the contig, or those that overlap a region; each
                        once where regions are sorted */
    BIRD_BINS_CENTRE /* one around its middle */
};

/** One bin. Pointers live until the next call. */
struct bird_bin {
    int64_t contig;   /* index of the contig in its file */
    const char *name; /* of the contig */
    int64_t length;   /* of the contig; -1: not known yet, a context or more */
    int64_t region;   /* index of the region, -1 when over a stream */
    int64_t start, end;
    const char *seq; /* (context) bases, no NUL */
    int64_t
        n_unknown;    /* characters other than A, C, G, T among them, and ... */
    int64_t n_beyond; /* ... of these, how many lie beyond the contig */
    int last;         /* 1: the last one of its contig or region */
};

struct bird_bins;

/**
 * Over a stream, in the memory of one context and one piece; for
 * BIRD_BINS_CENTRE of a whole record.
 * Owner: r is borrowed, and alone read by this.
 */
BIRD_MUST_CHECK int bird_bins_stream(struct bird_bins **out, bird_fastx *r,
                                     int64_t bin, int64_t context,
                                     enum bird_bins_how how);

/** Over resolved regions, in their order. Owner: g and list are borrowed. */
BIRD_MUST_CHECK int bird_bins_regions(struct bird_bins **out, bird_genome *g,
                                      const bird_regions *list, int64_t bin,
                                      int64_t context, enum bird_bins_how how);
void bird_bins_free(struct bird_bins *b);

/** @return 1 with *out filled, 0 at the end, or a negative bird_status */
BIRD_MUST_CHECK int bird_bins_next(struct bird_bins *b, struct bird_bin *out);

/** Contigs (regions) met, those of them without a base, and bases. */
void bird_bins_count(const struct bird_bins *b, int64_t *n_contig,
                     int64_t *n_empty, int64_t *n_bp);

#endif
