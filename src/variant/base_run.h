/**
 * What `mutate` and `attribute` share: regions that are checked against the
 * window, tracks and rows of bases.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_BASE_RUN_H
#define BIRD_VARIANT_BASE_RUN_H

#include "seq/intervals.h"
#include "track/page.h"
#include "track/writer.h"
#include "variant/context.h"
#include "variant/variant_score.h"

/** Largest number of bases of a region, and of bases times features. */
struct bird_base_limits {
    int64_t bases, cells;
};

/** The current region. */
struct bird_base_region {
    const bird_region *at;
    int64_t n;
    char *sequence; /* (n) */
    int64_t cap_sequence;
    int is_short; /* 1: its contig is shorter than the window */
};

/** The caller sets the first members; texts are borrowed. The rest is {0}. */
struct bird_base_run {
    const char *region, *bed, *features; /* -r, -R, -F; or NULL */
    const char *whole; /* advice when a region does not fit into a window */
    int each;          /* 1: every base has its own window, so regions may have
                          any length */
    int choose;        /* 1: the command takes exactly one feature */
    int several;       /* 1: each feature has a track file of its own */
    int merge;         /* 1: merge, sort and cut the regions */
    struct bird_base_limits most;
    bird_track_options track_options; /* model and reference are set here */
    const struct bird_format *format;
    struct bird_variant_context context;
    struct bird_selected_scores selected;
    bird_regions regions;
    bird_track *track;       /* the first one of each_track */
    bird_track **each_track; /* (n_track) one for each feature, or one */
    int64_t n_track;
    int64_t n_feature, all; /* selected; bases of all regions */
    struct bird_base_region now;
    int any_short; /* 1: some contig was shorter than the window */
};

/** Open the model; check features and regions before anything is computed.
 *  Errors: BIRD_EINVAL, those of bird_context_open() and of regions */
BIRD_MUST_CHECK int bird_base_run_open(struct bird_base_run *r,
                                       const bird_variant_params *params);
void bird_base_run_free(struct bird_base_run *r);

/** Begin the tracks; the columns are for formats that have cells. */
BIRD_MUST_CHECK int bird_base_run_track(struct bird_base_run *r,
                                        const struct bird_column *column,
                                        int64_t n_column);

/** Close the tracks. */
BIRD_MUST_CHECK int bird_base_run_close(struct bird_base_run *r);

/** Fetch the bases of region i. */
BIRD_MUST_CHECK int bird_base_run_region(struct bird_base_run *r, int64_t i);

/** Bases i .. i + n of the region as a row. */
bird_track_row bird_base_run_row(const struct bird_base_run *r, int64_t i,
                                 int64_t n);

/** Write the line SHORT=1 before the values of a region, if it applies. */
BIRD_MUST_CHECK int bird_base_run_note(struct bird_base_run *r);

/** Write a picture as the whole output, and free it. */
BIRD_MUST_CHECK int bird_base_run_picture(struct bird_base_run *r,
                                          struct bird_markup *picture);

#endif
