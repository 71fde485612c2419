/**
 * Every single-base change of a region (in-silico saturation mutagenesis).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_MUTATE_H
#define DNABIRD_MUTATE_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/variant.h"

/** Longest region, in bp, and most bases times features: 512 MiB. */
#define BIRD_MUTATE_MOST  (INT64_C(1) << 20)
#define BIRD_MUTATE_CELLS (INT64_C(1) << 24)

typedef struct bird_mutate_options {
    bird_variant_params way;
    const char *region; /* bird_regions_parse(), "chr:7" to the contig's end;
                           in the order given. SVG: one; bedGraph: none may
                           overlap another */
    const char *output; /* NULL or "-": standard output */
    const char *format; /* of bird_track_formats(BIRD_TRACK_MUTATE), or NULL:
                           by the output's name */
    int each;  /* 1: every change in a window of its own, as `variant` scores
                   it; 0: all in one window around the region, which must fit
                   into it */
    int score; /* enum bird_variant_score, of DIFF on */
    int no_version;
    const char *features;         /* bird_features_select(); NULL: all. One, for
                             bedGraph and SVG */
    const char *command;          /* for the provenance lines; or NULL */
    bird_progress_call *progress; /* of bases; or NULL */
    void *progress_context;
} bird_mutate_options;

/** One window, differences, TSV to standard output. */
BIRD_API void bird_mutate_options_default(bird_mutate_options *o);

typedef struct bird_mutate_summary {
    int64_t n_base;     /* of the regions */
    int64_t n_scored;   /* of them A, C, G or T with scores */
    int64_t n_sequence; /* computed, a strand each */
    int64_t n_feature;  /* shown */
    int64_t window_bp;
    int is_short; /* 1: a contig is shorter than the window */
    char model[80], digest[65];
    char build[512], notice[1024]; /* warnings, sentences; or "" */
} bird_mutate_summary;

/**
 * Score all changes and write them.
 *
 * Errors  BIRD_EINVAL options, a region that does not fit; BIRD_ERANGE no such
 *         region; those of bird_variant_run(). No output of that name appears.
 */
BIRD_API BIRD_MUST_CHECK int bird_mutate_run(bird_mutate_summary *out,
                                             const bird_mutate_options *o);

/** As bird_variant_summary_write(). */
BIRD_API BIRD_MUST_CHECK int
bird_mutate_summary_write(const char *path, const bird_mutate_summary *s,
                          double seconds);

#endif
