/**
 * Intervals of BED files on contigs known by name: regions, TSSs, islands.
 *
 * "chr20" and "20" are one contig, "chrM", "M" and "MT" too.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_PLACE_H
#define BIRD_TRAIN_PLACE_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/region.h"
#include "seq/contigs.h"

struct bird_extent {
    int32_t contig;
    int64_t start, end;
};

/** By contig, start, end; as qsort() wants it. */
int bird_extent_compare(const struct bird_extent *x,
                        const struct bird_extent *y);

struct bird_place {
    int64_t start, end; /* 0-based half-open */
    double score;       /* column 5; 0 when absent or no number */
    int32_t contig;
    char strand; /* '+', '-' or '.' */
};

/** Start with {0}; sorted by contig, start, end, strand. */
struct bird_places {
    struct bird_place *at; /* (n) */
    int64_t n, cap;
};

/**
 * Add the lines of a BED file (three columns or more, plain or gzip) and sort
 * all again. Comments, "track" and "browser" lines are passed over.
 * Errors: BIRD_EIO, BIRD_EFORMAT with file and line, BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_places_read(struct bird_places *out,
                                     struct bird_contigs *c, const char *path);

/**
 * The same of a BED file, or of contigs and regions between commas
 * ("chr20,chrX:1-70000000"), which are open-ended up to INT64_MAX.
 * Errors: those of a BED file; BIRD_EINVAL a region that is none.
 */
BIRD_MUST_CHECK int bird_places_read_named(struct bird_places *out,
                                           struct bird_contigs *c,
                                           const char *text);

/** Is every contig that this text names there? A BED file may name others.
 *  Errors: BIRD_ERANGE, BIRD_EINVAL. */
BIRD_MUST_CHECK int bird_places_check_named(const struct bird_contigs *c,
                                            const char *text);

/**
 * The same for transcription start sites, of BED, GTF or GFF3: a line needs a
 * strand, and becomes the single base of its 5' end.
 */
BIRD_MUST_CHECK int bird_places_read_tss(struct bird_places *out,
                                         struct bird_contigs *c,
                                         const char *path,
                                         const bird_transcript_filter *filter);
void bird_places_free(struct bird_places *p);

BIRD_MUST_CHECK int bird_places_put(struct bird_places *p,
                                    const struct bird_place *x);
void bird_places_sort(struct bird_places *p);
/** Overlapping and touching ones become one, of strand '.'. */
void bird_places_merge(struct bird_places *p);
/** Take the bases of b away from a; both merged. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_places_subtract(struct bird_places *a,
                                         const struct bird_places *b);

/** Add contigs 0 .. n-1 as a whole; length (n) in bp. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_places_whole(struct bird_places *p,
                                      const int64_t *length, int64_t n);
/**
 * Leave what lies on contigs 0 .. n-1, up to their ends, merged, and less the
 * regions of a BED file.
 * Errors: those of bird_places_read().
 *
 * @param length  (n) bp of the contigs
 * @param exclude NULL: nothing is taken away
 */
BIRD_MUST_CHECK int bird_places_limit(struct bird_places *p,
                                      struct bird_contigs *c,
                                      const int64_t *length, int64_t n,
                                      const char *exclude);

/**
 * Where somebody may read: the places of `include` (as
 * bird_places_read_named(); NULL: all) on contigs 0 .. n-1, limited as above.
 * Errors: those of reading; BIRD_ERANGE include names a contig that is not
 * there. Names that are in neither of the files are added to c.
 */
BIRD_MUST_CHECK int bird_places_areas(struct bird_places *out,
                                      struct bird_contigs *c,
                                      const int64_t *length, int64_t n,
                                      const char *include, const char *exclude);

/** Index of the first place of the contig that starts at pos or later. */
int64_t bird_places_from(const struct bird_places *p, int32_t contig,
                         int64_t pos);
/**
 * Does a place start in lo .. hi (both included) on this strand?
 * @param strand 0: on either
 */
int bird_places_start_in(const struct bird_places *p, int32_t contig,
                         const int64_t range[2], char strand);
/**
 * Running sums (p->n + 1) of how many windows of `window` bp begin in each
 * place, so that a uniform number becomes a place.
 * Owner: *out is the caller's, free(). Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_places_sum(int64_t **out, const struct bird_places *p,
                                    int64_t window);
/** The item *i of n that number `at` < sum[n] falls on; what is left of it. */
int64_t bird_sum_find(int64_t *i, const int64_t *sum, int64_t n, int64_t at);

/** The one of merged places that holds start .. end whole; -1: none. */
int64_t bird_places_holding(const struct bird_places *p, int32_t contig,
                            int64_t start, int64_t end);

#endif
