/**
 * From scored windows to calls: windows of one track at or above a threshold
 * that overlap or touch become one call. A track is a strand, or a feature.
 *
 * Windows come contig by contig, and their starts never decrease within a
 * contig; the tracks of one start may come in any order. Calls come out sorted
 * by (contig in the order of the input, start, end, track). A call is held back
 * until no call that sorts before it can still come, so memory is bounded by
 * the calls within `longest_bp`, where a call is cut.
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
    int32_t track;      /* which strand or feature, from 0 */
    double probability;
    double raw; /* the model's raw output, which rises with it */
};

struct bird_call {
    int64_t contig, start, end;
    int64_t summit;     /* centre of the best window; of equal ones, midway
                           between the first and the last centre; or by
                           bird_calls_overlap() or bird_calls_near() */
    double probability; /* of that window */
    double raw;         /* the same */
    int64_t n_window;
    int32_t track;
};

struct bird_calls;

/**
 * @param threshold  (n_track), copied: windows of the track with probability >=
 *                   this are called
 * @param longest_bp a call that would grow beyond is ended and the next begun;
 *                   0: 1,000,000
 * Errors: BIRD_EINVAL, BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_calls_new(struct bird_calls **out,
                                   const double *threshold, int64_t n_track,
                                   int64_t longest_bp);
/**
 * For windows of `width` bp that come every `stride` bp, where stride divides
 * width: the summit of a call becomes the middle of the bases where the mean of
 * all windows over them is largest. When all windows that contain a signal
 * score high and others do not, this is the position of the signal, to half a
 * stride; the best window is any of those that contain it.
 * To be called before the first window. Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_calls_overlap(struct bird_calls *c, int64_t width,
                                       int64_t stride);
/**
 * For windows that start every `stride` bp and are positive if a site is within
 * `reach` > 0 bp of them (a model's site_bp): the summit is the centre of that
 * window of the call around which the mean raw output of all windows that start
 * at most `reach` bp away is largest; of equal ones, midway between the first
 * and the last. Instead of bird_calls_overlap(), before the first window.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_calls_near(struct bird_calls *c, int64_t reach,
                                    int64_t stride);
/**
 * Windows of a track with probability >= level (n_track, at most the threshold
 * of that track) continue a call; a call without a window at or above the
 * threshold is dropped. So calls at a stricter threshold and the same level are
 * a subset of those at a looser one. To be called before the first window;
 * else level is the threshold.
 */
void bird_calls_level(struct bird_calls *c, const double *level);
/** Join windows whose starts lie at most `bp` apart into one call, instead of those
 *  that overlap or touch; 0: no change. Call it before the first window. */
void bird_calls_merge(struct bird_calls *c, int64_t bp);
void bird_calls_free(struct bird_calls *c);

/** The next window. Errors: BIRD_EINVAL when out of order; BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_calls_put(struct bird_calls *c,
                                   const struct bird_scored *w);

/** The contig has no more windows: all its calls may come out now. The next
 *  window must be of another contig. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_calls_finish(struct bird_calls *c);

/** Can an open call of the contig that began before `before` still be extended by a
 *  window from `start` on? */
int bird_calls_reach(const struct bird_calls *c, int64_t contig, int64_t before,
                     int64_t start);

/** Returns 1 with the next call that is certain, or 0: none yet. */
int bird_calls_next(struct bird_calls *c, struct bird_call *out);

/*
 * From overlapping windows to one value per base: the mean of the windows of a
 * track that cover the base, then the largest mean of all tracks; runs of equal
 * values are one segment. Values are rounded to the six decimals that a
 * bedGraph shows before they are compared. Memory is bounded by the windows
 * that cover one base.
 */
enum { BIRD_STITCH_TRACKS = 2 }; /* one for each strand */

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

/** The contig has no more windows: the rest may come out. The next window must
 *  be of another contig. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_stitch_finish(struct bird_stitch *s);

/** May a segment of the contig that began before `before` still grow by a
 *  window from `start` on? The window at `start` may have been put already. */
int bird_stitch_reaches(const struct bird_stitch *s, int64_t contig,
                        int64_t before, int64_t start);

/** Returns 1 with the next segment, or 0: none yet. */
int bird_stitch_next(struct bird_stitch *s, struct bird_segment *out);

#endif
