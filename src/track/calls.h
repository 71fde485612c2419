/**
 * From scored windows to calls: windows of one strand at or above a threshold
 * that overlap or touch become one call.
 *
 * Instead of strands there may be any number of lanes, one a profile, whose
 * probabilities come a bin at a time.
 *
 * Windows come contig by contig, their starts never going back within one;
 * the strands may be mixed at will. Calls come out in the order of
 * (contig as it came, start, end, strand '+' '-' '.' or lane). A call is held back
 * until no call that sorts before it can still come, so memory is bounded by the
 * calls within `longest_bp`, where a call is cut.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_CALLS_H
#define BIRD_TRACK_CALLS_H

#include <stdint.h>

#include "dnabird/error.h"

/** A window and its probability; also what stitch takes. */
struct bird_scored {
    int64_t contig;     /* any numbers; a change begins the next contig */
    int64_t start, end; /* bp */
    char strand;        /* '+', '-' or '.' */
    double probability;
    double raw; /* the model's raw output, which rises with it */
};

struct bird_call {
    int64_t contig, start, end;
    int64_t summit;     /* centre of the best window; of equal ones, midway
                           between the first and the last centre; or by
                           bird_calls_overlap() */
    double probability; /* of that window */
    double raw;         /* the same */
    int64_t n_window;
    char strand;
    int32_t lane; /* which of the lanes; of strands 0, 1, 2 */
};

struct bird_calls;

/**
 * @param threshold  windows with probability >= threshold are called
 * @param longest_bp a call that would grow beyond is ended and the next
 *                   begun; 0 is 1,000,000
 * Errors: BIRD_EINVAL, BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_calls_new(struct bird_calls **out, double threshold,
                                   int64_t longest_bp);
/** The same for n_lane >= 1 lanes, to be filled by bird_calls_put_bin(). */
BIRD_MUST_CHECK int bird_calls_new_lanes(struct bird_calls **out,
                                         double threshold, int64_t longest_bp,
                                         int64_t n_lane);
/** A threshold of its own for each lane, instead of the one of all: (n_lane),
 *  copied. Before the first window. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_calls_set_thresholds(struct bird_calls *c,
                                              const double *threshold);
/**
 * For windows of `width` bp that come every `stride` bp, a part of it: a call's
 * summit is the middle of the bases where the mean of all windows over them is
 * largest. Where a window that holds a place scores high and others do not,
 * that is the place, to half a stride; the best window is any of those.
 * Before the first window. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_calls_overlap(struct bird_calls *c, int64_t width,
                                       int64_t stride);
void bird_calls_free(struct bird_calls *c);

/** The next window. Errors: BIRD_EINVAL when out of order; BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_calls_put(struct bird_calls *c,
                                   const struct bird_scored *w);

/** The next bin: its interval is `w`, its probabilities p (n_lane). */
BIRD_MUST_CHECK int bird_calls_put_bin(struct bird_calls *c,
                                       const struct bird_scored *w,
                                       const float *p);

/** No more windows: every call may come out now. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_calls_finish(struct bird_calls *c);

/** Is a call of the contig open that began before `before` and that a window
 *  from `start` on may still touch? */
int bird_calls_reach(const struct bird_calls *c, int64_t contig, int64_t before,
                     int64_t start);

/** 1 and the next call that is certain, or 0: none yet. */
int bird_calls_next(struct bird_calls *c, struct bird_call *out);

/*
 * From overlapping windows to one value per base: the mean of the windows of
 * a strand that cover it, then the larger of the strands; runs of equal
 * values are one segment. Give it the windows of one strand alone for a track
 * of that strand. Values are rounded to the six decimals that a bedGraph shows
 * before they are compared. Memory is bounded by the windows that cover one
 * base.
 */

/** A run of one value; bases without a window have no segment. */
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

/** May a segment of the contig that began before `before` still grow, by a
 *  window from `start` on, the last one being among those put? */
int bird_stitch_reaches(const struct bird_stitch *s, int64_t contig,
                        int64_t before, int64_t start);

/** 1 and the next segment, or 0: none yet. */
int bird_stitch_next(struct bird_stitch *s, struct bird_segment *out);

#endif
