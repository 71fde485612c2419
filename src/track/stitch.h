/**
 * From overlapping windows to one value per base: the mean of the windows of
 * a strand that cover it, then the larger of the strands; runs of equal
 * values are one segment.
 *
 * Give it the windows of one strand alone for a track of that strand. Windows
 * come contig by contig, their starts never going back within one. Values are
 * rounded to the six decimals that a bedGraph shows before they are compared.
 * Memory is bounded by the windows that cover one base.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_STITCH_H
#define BIRD_TRACK_STITCH_H

#include "track/calls.h"

/** A stretch of one value; bases that no window covers are in none. */
struct bird_segment {
    int64_t contig, start, end;
    double value;
};

struct bird_stitch;

/** Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_stitch_new(struct bird_stitch **out);
void bird_stitch_free(struct bird_stitch *s);

/** The next window. Errors: BIRD_EINVAL when out of order; BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_stitch_put(struct bird_stitch *s,
                                    const struct bird_scored *w);

/** No more windows: the rest may come out. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_stitch_finish(struct bird_stitch *s);

/** 1 and the next segment, or 0: none yet. */
int bird_stitch_next(struct bird_stitch *s, struct bird_segment *out);

#endif
