/**
 * Tracks of a region, one below the other over the same positions: values,
 * calls, alleles, and annotation.
 *
 * The picture is to scale and scrolls sideways; the names of the tracks do not
 * scroll. Coordinates are 0-based half-open.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_REPORT_REPORT_REGION_H
#define BIRD_REPORT_REPORT_REGION_H

#include <stdint.h>

#include "seq/contigs.h"
#include "track/page.h"

enum bird_region_mark {
    BIRD_REGION_VALUES, /* bars; the height is the value */
    BIRD_REGION_BOXES, /* named boxes, one below the other where they overlap */
    BIRD_REGION_STEMS  /* lollipops */
};

/** An item of a track; texts are copied. */
struct bird_region_item {
    int64_t start, end;
    double value; /* NaN: none; of boxes the intensity of the colour, 0 to 1 */
    char strand;  /* '+', '-'; '.' or 0: none */
    int is_line;  /* 1: a thin box, such as a gene with its introns */
    int64_t of;   /* of boxes: the item of which the box is a part; -1: none */
    const char *name; /* beside a box; or NULL */
    const char *note; /* in the tooltip; NULL: name and value */
};

struct bird_region_track {
    char *name;
    enum bird_region_mark mark;
    struct bird_region_item *item; /* (n), name and note are its own */
    int64_t n, cap;
};

/** Start with {0}. */
struct bird_region_view {
    struct bird_contigs contig; /* the contig of the region; empty: no region */
    int64_t start, end;
    struct bird_region_track *track; /* (n) */
    int64_t n, cap;
};

void bird_region_free(struct bird_region_view *v);

/** Parse a region, chr:from-to. Errors: BIRD_EINVAL not of this form. */
BIRD_MUST_CHECK int bird_region_ask(struct bird_region_view *v,
                                    const char *text);

/** Set the region unless there is one. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_region_default(struct bird_region_view *v,
                                        const char *contig, int64_t start,
                                        int64_t end);

/** 1: start .. end of a contig overlaps the region; names of a contig with
 *  and without "chr" are equal */
int bird_region_overlaps(const struct bird_region_view *v, const char *contig,
                         int64_t start, int64_t end);

/** Add a track; its index. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_region_track_new(int64_t *track,
                                          struct bird_region_view *v,
                                          const char *name,
                                          enum bird_region_mark mark);
BIRD_MUST_CHECK int bird_region_add(struct bird_region_view *v, int64_t track,
                                    const struct bird_region_item *item);

/**
 * Add a track of a BED, GTF or GFF file: boxes, or genes with the exons of all
 * their transcripts. Does nothing without a region.
 * Errors: BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_region_annotate(struct bird_region_view *v,
                                         const char *path);

/** The picture as a section; nothing when there is no track. */
void bird_region_put(struct bird_markup *m, const struct bird_region_view *v);

#endif
