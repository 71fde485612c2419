/**
 * Intervals of a genome: the text of -r and -R, and the sorted set that
 * answers which of them an interval overlaps.
 *
 * Coordinates are 0-based half-open in base pairs. docs/cli.md, "Regions",
 * says what each command makes of them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_INTERVALS_H
#define BIRD_SEQ_INTERVALS_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/intervals.h"
#include "seq/contigs.h"

/** Resolved regions by contig, start, end, then line. */
void bird_regions_sort(bird_regions *list);
/** Keep regions from .. to of the list alone. */
void bird_regions_keep(bird_regions *list, int64_t from, int64_t to);

struct bird_interval {
    int32_t contig;     /* index in the genome, or in a dictionary */
    int64_t start, end; /* 0-based half-open */
    double score;       /* column 5 of BED; 0 when absent or no number */
    char *name;         /* column 4 of a set of regions, or NULL */
    char strand;        /* '+', '-' or '.' */
};

/** By contig, start, end; as qsort() wants it. */
int bird_interval_compare(const struct bird_interval *x,
                          const struct bird_interval *y);

/** Start with {0}; sorted by contig, start, end, then strand, or the order in
 *  which they were given. */
struct bird_intervals {
    struct bird_interval *at; /* (n) */
    int64_t n, cap;
    int64_t repeated; /* start sites that were read more than once */
    int64_t *reach;   /* (n) largest end on this contig so far; or NULL */
};

void bird_intervals_free(struct bird_intervals *s);

/** Index of the first of the contig that starts at pos or later; s->n or one
 *  of a later contig where there is none. */
int64_t bird_intervals_first(const struct bird_intervals *s, int64_t contig,
                             int64_t pos);

/* Sets of regions, which may overlap. */

/** The set of resolved regions; they are copied. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_intervals_new(struct bird_intervals *out,
                                       const bird_regions *list);

/** Does start .. end of a contig overlap one of them? In log n. */
int bird_intervals_overlap(const struct bird_intervals *s, int64_t contig,
                           int64_t start, int64_t end);

/**
 * Append the names of those that overlap start .. end, in the set's order,
 * between commas, each name once; nothing where none has a name.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_intervals_names(struct bird_text *out,
                                         const struct bird_intervals *s,
                                         int64_t contig, int64_t start,
                                         int64_t end);

/**
 * The span that begins with number i: those that overlap, touch, or lie at
 * most `gap` apart are one. @return the number behind it; *end is its end
 */
int64_t bird_intervals_span(int64_t *end, const struct bird_intervals *s,
                            int64_t i, int64_t gap);

/* Sets without names: read, merged, cut. */

/**
 * Add the lines of a BED file (three columns or more, plain or gzip) and sort
 * all again. Comments, "track" and "browser" lines are passed over.
 * Errors: BIRD_EIO, BIRD_EFORMAT with file and line, BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_intervals_read(struct bird_intervals *out,
                                        struct bird_contigs *c,
                                        const char *path);

/** The same, merged. */
BIRD_MUST_CHECK int bird_intervals_read_merged(struct bird_intervals *out,
                                               struct bird_contigs *c,
                                               const char *path);

/**
 * The same of a BED file, or of contigs and regions between commas
 * ("chr20,chrX:1-70000000"), which are open-ended up to INT64_MAX.
 * Errors: those of a BED file; BIRD_EINVAL a region that is none.
 */
BIRD_MUST_CHECK int bird_intervals_read_named(struct bird_intervals *out,
                                              struct bird_contigs *c,
                                              const char *text);

/** Is every contig that this text names there? A BED file may name others.
 *  Errors: BIRD_ERANGE, BIRD_EINVAL. */
BIRD_MUST_CHECK int bird_intervals_check_named(const struct bird_contigs *c,
                                               const char *text);

/**
 * The same for transcription start sites, of BED, GTF or GFF3: a line needs a
 * strand, and becomes the single base of its 5' end. A site that several
 * transcripts share is one; out->repeated grows by those that were dropped.
 */
BIRD_MUST_CHECK int
bird_intervals_read_starts(struct bird_intervals *out, struct bird_contigs *c,
                           const char *path,
                           const bird_transcript_filter *filter);
void bird_intervals_free(struct bird_intervals *p);

BIRD_MUST_CHECK int bird_intervals_put(struct bird_intervals *p,
                                       const struct bird_interval *x);
void bird_intervals_sort(struct bird_intervals *p);
/** Overlapping and touching ones become one, of strand '.'. */
void bird_intervals_merge(struct bird_intervals *p);
/** Take the bases of b away from a; both merged. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_intervals_subtract(struct bird_intervals *a,
                                            const struct bird_intervals *b);

/** Add contigs 0 .. n-1 as a whole; length (n) in bp. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_intervals_whole(struct bird_intervals *p,
                                         const int64_t *length, int64_t n);
/**
 * Leave what lies on contigs 0 .. n-1, up to their ends, merged, and less the
 * regions of a BED file.
 * Errors: those of bird_intervals_read().
 *
 * @param length  (n) bp of the contigs
 * @param exclude NULL: nothing is taken away
 */
BIRD_MUST_CHECK int bird_intervals_limit(struct bird_intervals *p,
                                         struct bird_contigs *c,
                                         const int64_t *length, int64_t n,
                                         const char *exclude);

/**
 * Where somebody may read: the intervals of `include` (as
 * bird_intervals_read_named(); NULL: all) on contigs 0 .. n-1, limited as
 * above.
 * Errors: those of reading; BIRD_ERANGE include names a contig that is not
 * there. Names that are in neither of the files are added to c.
 */
BIRD_MUST_CHECK int bird_intervals_allowed(struct bird_intervals *out,
                                           struct bird_contigs *c,
                                           const int64_t *length, int64_t n,
                                           const char *include,
                                           const char *exclude);

/**
 * A mask of contigs 0 .. n-1, merged. Contigs of length 0 are not looked at,
 * nor are those that c does not have.
 * Errors: those of bird_intervals_read(); BIRD_ERANGE a region that ends
 * behind its contig, or regions all of whose contigs are other ones. Names
 * that are new are added to c.
 */
BIRD_MUST_CHECK int bird_intervals_mask(struct bird_intervals *out,
                                        struct bird_contigs *c,
                                        const int64_t *length, int64_t n,
                                        const char *path);

/** How many bases of start .. end lie in merged intervals. */
int64_t bird_intervals_covered(const struct bird_intervals *p, int32_t contig,
                               int64_t start, int64_t end);

/**
 * Does an interval start in lo .. hi (both included) on this strand?
 * @param strand 0: on either
 */
int bird_intervals_start_in(const struct bird_intervals *p, int32_t contig,
                            const int64_t range[2], char strand);
/**
 * Running sums (p->n + 1) of how many windows of `window` bp begin in each
 * interval, so that a uniform number becomes an interval.
 * Owner: *out is the caller's, free(). Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_intervals_sum(int64_t **out,
                                       const struct bird_intervals *p,
                                       int64_t window);
/** The item *i of n that number `at` < sum[n] falls on; what is left of it. */
int64_t bird_sum_find(int64_t *i, const int64_t *sum, int64_t n, int64_t at);

/** Does start .. end of a contig overlap one of merged intervals? */
int bird_intervals_touch(const struct bird_intervals *p, int32_t contig,
                         int64_t start, int64_t end);

/** The one of merged intervals that holds start .. end whole; -1: none. */
int64_t bird_intervals_holding(const struct bird_intervals *p, int32_t contig,
                               int64_t start, int64_t end);

#endif
