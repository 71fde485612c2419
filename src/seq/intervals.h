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

/** Compares resolved regions by contig, start, end, then line. */
void bird_regions_sort(bird_regions *list);
/** Keep only regions from .. to of the list. */
void bird_regions_keep(bird_regions *list, int64_t from, int64_t to);

struct bird_interval {
    int32_t contig;     /* index in the genome, or in a dictionary */
    int64_t start, end; /* 0-based half-open */
    double score;       /* column 5 of BED; 0 if absent or not a number */
    char *name;         /* column 4 of a set of regions, or NULL */
    char strand;        /* '+', '-' or '.' */
};

/** Compares by contig, start, end, for qsort(). */
int bird_interval_compare(const struct bird_interval *x,
                          const struct bird_interval *y);

/** Start with {0}; sorted by contig, start, end, then strand, or in the order
 *  of input. */
struct bird_intervals {
    struct bird_interval *at; /* (n) */
    int64_t n, cap;
    int64_t repeated; /* repeated start sites that were dropped */
    int64_t *reach;   /* (n) largest end on this contig so far; or NULL */
};

void bird_intervals_free(struct bird_intervals *s);

/** Index of the first interval of the contig that starts at pos or later; if
 *  there is none, s->n or one of a later contig. */
int64_t bird_intervals_first(const struct bird_intervals *s, int64_t contig,
                             int64_t pos);

/* Sets of regions, which may overlap. */

/** Set the member reach, which has none yet, of intervals sorted by contig and
 *  start. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_intervals_reach(struct bird_intervals *s);

/** The set of resolved regions; they are copied. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_intervals_new(struct bird_intervals *out,
                                       const bird_regions *list);

/** Does start .. end of a contig overlap a region? O(log n). */
int bird_intervals_overlap(const struct bird_intervals *s, int64_t contig,
                           int64_t start, int64_t end);

/**
 * Append the names of the regions that overlap start .. end, in the set's
 * order, separated by commas, each name once; nothing if none has a name.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_intervals_names(struct bird_text *out,
                                         const struct bird_intervals *s,
                                         int64_t contig, int64_t start,
                                         int64_t end);

/**
 * The span that begins with region i: regions that overlap, touch, or are at
 * most `gap` bp apart. @return index of the first region after it; *end is the
 * span's end
 */
int64_t bird_intervals_span(int64_t *end, const struct bird_intervals *s,
                            int64_t i, int64_t gap);

/* Sets without names: read, merged, cut. */

/**
 * Add the lines of a BED file (three columns or more, plain or gzip) and sort
 * again. Comments, "track" and "browser" lines are skipped.
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
 * The same for a BED file, or for contigs and regions separated by commas
 * ("chr20,chrX:1-70000000"); open ends become INT64_MAX.
 * Errors: those of a BED file; BIRD_EINVAL a malformed region.
 */
BIRD_MUST_CHECK int bird_intervals_read_named(struct bird_intervals *out,
                                              struct bird_contigs *c,
                                              const char *text);

/** Does every contig of this text exist? A BED file may name others.
 *  Errors: BIRD_ERANGE, BIRD_EINVAL. */
BIRD_MUST_CHECK int bird_intervals_check_named(const struct bird_contigs *c,
                                               const char *text);

/**
 * The same for transcription start sites of BED, GTF or GFF3: a line needs a
 * strand and becomes the single base of its 5' end. A site shared by several
 * transcripts counts once; out->repeated counts the dropped ones.
 */
BIRD_MUST_CHECK int
bird_intervals_read_starts(struct bird_intervals *out, struct bird_contigs *c,
                           const char *path,
                           const bird_transcript_filter *filter);
void bird_intervals_free(struct bird_intervals *p);

BIRD_MUST_CHECK int bird_intervals_put(struct bird_intervals *p,
                                       const struct bird_interval *x);
void bird_intervals_sort(struct bird_intervals *p);
/** Join overlapping and touching intervals, with strand '.'. */
void bird_intervals_merge(struct bird_intervals *p);
/** Remove the bases of b from a; both are merged. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_intervals_subtract(struct bird_intervals *a,
                                            const struct bird_intervals *b);

/** Add whole contigs 0 .. n-1; length (n) in bp. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_intervals_whole(struct bird_intervals *p,
                                         const int64_t *length, int64_t n);
/**
 * Keep the parts on contigs 0 .. n-1, up to their ends, merged, without the
 * regions of `exclude`.
 * Errors: those of bird_intervals_read_named() and bird_intervals_check_named().
 *
 * @param length  (n) bp of the contigs
 * @param exclude a BED file, or contigs and regions separated by commas; NULL:
 *                nothing is removed
 */
BIRD_MUST_CHECK int bird_intervals_limit(struct bird_intervals *p,
                                         struct bird_contigs *c,
                                         const int64_t *length, int64_t n,
                                         const char *exclude);

/**
 * The usable intervals: those of `include` (as bird_intervals_read_named();
 * NULL: all) on contigs 0 .. n-1, limited as above. Unknown names in the files
 * are added to c. Errors: those of reading; BIRD_ERANGE `include` or `exclude`
 * names an unknown contig.
 */
BIRD_MUST_CHECK int bird_intervals_allowed(struct bird_intervals *out,
                                           struct bird_contigs *c,
                                           const int64_t *length, int64_t n,
                                           const char *include,
                                           const char *exclude);

/**
 * A mask of contigs 0 .. n-1, merged. Contigs of length 0 and contigs that c
 * does not have are ignored. New names are added to c. Errors: those of
 * bird_intervals_read(); BIRD_ERANGE a region that ends after its contig, or no
 * region on any of the contigs.
 */
BIRD_MUST_CHECK int bird_intervals_mask(struct bird_intervals *out,
                                        struct bird_contigs *c,
                                        const int64_t *length, int64_t n,
                                        const char *path);

/** Number of bases of start .. end in merged intervals. */
int64_t bird_intervals_covered(const struct bird_intervals *p, int32_t contig,
                               int64_t start, int64_t end);

/**
 * Does an interval start in lo .. hi (both included) on this strand?
 * @param strand 0: either strand
 */
int bird_intervals_start_in(const struct bird_intervals *p, int32_t contig,
                            const int64_t range[2], char strand);
/**
 * Cumulative sums (p->n + 1) of the number of windows of `window` bp in each
 * interval, to sample windows uniformly.
 * Owner: *out is the caller's, free(). Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_intervals_sum(int64_t **out,
                                       const struct bird_intervals *p,
                                       int64_t window);
/** The item *i of n in which number `at` < sum[n] falls; returns its offset
 *  there. */
int64_t bird_sum_find(int64_t *i, const int64_t *sum, int64_t n, int64_t at);

/** Does start .. end of a contig overlap one of merged intervals? */
int bird_intervals_touch(const struct bird_intervals *p, int32_t contig,
                         int64_t start, int64_t end);

/** The one of merged intervals that holds start .. end whole; -1: none. */
int64_t bird_intervals_holding(const struct bird_intervals *p, int32_t contig,
                               int64_t start, int64_t end);

#endif
