/**
 * What lies along a piece of sequence, one lane below the other over the same
 * positions: values, calls, alleles, and annotation.
 *
 * The picture is drawn to scale and scrolls sideways; names of lanes stay where
 * they are. Coordinates are 0-based half-open.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_REPORT_REPORT_REGION_H
#define BIRD_REPORT_REPORT_REGION_H

#include <stdint.h>

#include "seq/contigs.h"
#include "track/page.h"

enum bird_lane_mark {
    BIRD_LANE_VALUES, /* bars as high as their values */
    BIRD_LANE_BOXES,  /* named boxes, where they overlap below each other */
    BIRD_LANE_STEMS   /* lollipops */
};

/** Of a lane; texts are copied. */
struct bird_lane_item {
    int64_t start, end;
    double value;     /* NaN: none; of boxes how strong they are, 0 to 1 */
    char strand;      /* '+', '-', or '.' and 0 for none */
    int is_line;      /* of boxes: a thin one, such as a gene and its introns */
    int64_t of;       /* of boxes: the item that it is a part of; -1: none */
    const char *name; /* beside a box; NULL */
    const char *note; /* in the tooltip; NULL: name and value */
};

struct bird_region_lane {
    char *name;
    enum bird_lane_mark mark;
    struct bird_lane_item *item; /* (n), name and note are its own */
    int64_t n, cap;
};

/** Start with {0}. */
struct bird_region_view {
    struct bird_contigs contig; /* the one, if any */
    int64_t start, end;
    struct bird_region_lane *lane; /* (n) */
    int64_t n, cap;
};

void bird_region_free(struct bird_region_view *v);

/** The region of a text, chr:from-to. Errors: BIRD_EINVAL another form. */
BIRD_MUST_CHECK int bird_region_ask(struct bird_region_view *v,
                                    const char *text);

/** The region where there is none yet. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_region_default(struct bird_region_view *v,
                                        const char *contig, int64_t start,
                                        int64_t end);

/** Does start .. end of a contig, by any customary name, overlap it? */
int bird_region_overlaps(const struct bird_region_view *v, const char *contig,
                         int64_t start, int64_t end);

/** A new lane, by this number. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_region_lane_new(int64_t *lane,
                                         struct bird_region_view *v,
                                         const char *name,
                                         enum bird_lane_mark mark);
BIRD_MUST_CHECK int bird_region_add(struct bird_region_view *v, int64_t lane,
                                    const struct bird_lane_item *item);

/**
 * A lane of a BED, GTF or GFF file: boxes, or genes with their exons, whatever
 * their transcripts. Nothing without a region.
 * Errors: BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_region_annotate(struct bird_region_view *v,
                                         const char *path);

/** The picture as a section; nothing without a lane. */
void bird_region_put(struct bird_markup *m, const struct bird_region_view *v);

#endif
