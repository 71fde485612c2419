/**
 * What commands share that look at every base of some regions: the regions
 * against the window, the track, rows.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_BASE_RUN_H
#define BIRD_VARIANT_BASE_RUN_H

#include "seq/intervals.h"
#include "track/page.h"
#include "track/writer.h"
#include "variant/context.h"
#include "variant/variant_score.h"

/** Most bases of a region, and most bases times features. */
struct bird_base_limits {
    int64_t bases, cells;
};

/** What is asked for is set first; texts are borrowed. The rest is {0}. */
struct bird_base_run {
    const char *region, *bed, *features; /* -r, -R, -F; or NULL */
    const char *whole; /* advice where a region does not fit into a window */
    int each;          /* 1: a window a base: regions of any length */
    int choose;        /* 1: one feature alone, in every format */
    int several;       /* 1: tracks of several features are a file each */
    int merge;         /* 1: regions are merged and sorted, and cut where they
                          are long */
    struct bird_base_limits most;
    bird_track_options track_options; /* model and reference are set here */
    const struct bird_format *format;
    struct bird_variant_context context;
    struct bird_selected_scores selected;
    bird_regions regions;
    bird_track *track;       /* the first of those below */
    bird_track **each_track; /* (n_track) of tracks one a feature, else one */
    int64_t n_track;
    int64_t n_feature, all; /* shown; bases of all regions */
    /* the region at hand */
    const bird_region *at;
    int64_t n;
    char *sequence; /* (n) */
    int64_t cap_sequence;
    int is_short;  /* its contig is shorter than the window */
    int any_short; /* that of some region was */
};

/** Model, features and regions, all checked before the first is computed.
 *  Errors: BIRD_EINVAL, those of bird_context_open() and of regions */
BIRD_MUST_CHECK int bird_base_run_open(struct bird_base_run *r,
                                       const bird_variant_params *params);
void bird_base_run_free(struct bird_base_run *r);

/** Begin the track; columns of cells, where the format has them. */
BIRD_MUST_CHECK int bird_base_run_track(struct bird_base_run *r,
                                        const struct bird_column *column,
                                        int64_t n_column);
/** The name of the i-th feature shown. */
const char *bird_base_run_feature(const struct bird_base_run *r, int64_t i);

/** End it. */
BIRD_MUST_CHECK int bird_base_run_close(struct bird_base_run *r);

/** Fetch the bases of region i. */
BIRD_MUST_CHECK int bird_base_run_region(struct bird_base_run *r, int64_t i);

/** Bases i .. i + n of the region as a row. */
bird_track_row bird_base_run_row(const struct bird_base_run *r, int64_t i,
                                 int64_t n);

/** Before the values of a region: the line that says SHORT=1, if it is. */
BIRD_MUST_CHECK int bird_base_run_note(struct bird_base_run *r);

/** A picture as the whole output; it is freed. */
BIRD_MUST_CHECK int bird_base_run_picture(struct bird_base_run *r,
                                          struct bird_markup *picture);

#endif
