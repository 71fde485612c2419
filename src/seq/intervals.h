/**
 * Intervals of a genome: the text of -r and -R, and the sorted set that
 * answers which of them a place overlaps.
 *
 * Coordinates are 0-based half-open in base pairs. docs/cli.md, "Regions",
 * says what each command makes of them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_INTERVALS_H
#define BIRD_SEQ_INTERVALS_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/region.h"

/** As bird_region_parse(), of which `point` says what "chr:7" means. */
BIRD_MUST_CHECK int bird_region_parse_as(bird_regions *list, const char *text,
                                         const bird_genome *g,
                                         enum bird_region_point point);

/** Resolved regions by contig, start, end, then line. */
void bird_regions_sort(bird_regions *list);

/** One interval of a set. */
struct bird_interval {
    int64_t contig; /* index in the genome */
    int64_t start, end;
    char *name; /* BED column 4, or NULL */
};

/** Sorted by contig, start, end, then as they were given; start with {0}. */
struct bird_intervals {
    struct bird_interval *at; /* (n) */
    int64_t *reach;           /* (n) largest end on this contig so far */
    int64_t n;
};

/** The set of resolved regions; they are copied. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_intervals_new(struct bird_intervals *out,
                                       const bird_regions *list);
void bird_intervals_free(struct bird_intervals *s);

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

/** The first of a contig; s->n or one of a later contig where it has none. */
int64_t bird_intervals_first(const struct bird_intervals *s, int64_t contig);

#endif
