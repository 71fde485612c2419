/**
 * How well a scan of a genome finds start sites: recall at a given number of
 * false calls per Mb, and ranking figures by window.
 *
 * Words. A *window* has a place, a strand and a probability; its *anchor* is
 * the base at which the model expects the start site. A *call* is a run of
 * windows of one strand at or above a threshold, each overlapping or touching
 * the next (or starting at most `merge` bp after it); its *summit* is the
 * anchor of its best window, or the middle of the best ones when they tie.
 *
 * Truth is one set of start sites (TSSs); further sets excuse a call without
 * being asked for.
 * - recall: share of the true TSSs with a summit within `within` bp. Stranded:
 *   the call is on the TSS's strand. Unstranded: the windows of both strands
 *   become one by their larger probability before they are merged, and the
 *   strand of the TSS does not matter. `recall` is over the TSSs that lie in
 *   a scanned window, `recall_all` over those of the regions.
 * - a false call has no TSS, true or further, within `within` bp of its
 *   summit, on either strand; its number is given per scanned Mb: bases of
 *   the regions in any window that has a probability. An antisense call has
 *   such TSSs, but on the other strand alone.
 * - said: the probability that a user reads; thresholds and rankings are of the
 *   raw output, which rises with it.
 * With `extent` all these distances are to the call's extent, from the anchor
 * of its first window to that of its last, instead of to its summit: the way
 * an interval is usually compared; long calls have it easier.
 * - AUROC and average precision: a window is positive when a true TSS of its
 *   strand lies within `zone` bp of its anchor, left out when it is not and
 *   any TSS lies within `within` bp (either strand), else negative.
 *
 * Intervals are percentiles over resamples of blocks of `block` bp.
 * Coordinates are 0-based half-open. Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_SCAN_EVAL_H
#define DNABIRD_SCAN_EVAL_H

#include <stdint.h>
#include <stdio.h>

#include "dnabird/error.h"
#include "dnabird/intervals.h"
#include "dnabird/metrics.h"

enum { BIRD_SCAN_MAX_TARGET = 8 };

enum bird_scan_mode {
    BIRD_SCAN_STRANDED,
    BIRD_SCAN_UNSTRANDED,
    BIRD_SCAN_N_MODE
};

/** How an interval of a BED file used as a predictor becomes a probability. */
enum bird_scan_score {
    BIRD_SCORE_LENGTH,   /* L / (L + 1000 bp) */
    BIRD_SCORE_CPG,      /* n / (n + 100), n its CpG dinucleotides */
    BIRD_SCORE_OBSERVED, /* r / (r + 1), r = CpG * L / (C * G) */
    BIRD_SCORE_COLUMN    /* column 5 / 1000 */
};

typedef struct bird_scan_files {
    const char *windows; /* as `dnabird promoter -O windows` writes them:
                            chrom, start, end, strand, probability ("." = not
                            scored), status, raw output (without it the
                            probability); plain or gzip; NULL: intervals */
    const char *model;   /* folder whose map turns raw outputs into
                                 probabilities; NULL: those of the windows */
    int calibrate; /* 1: fit that map on these windows first, and put it into
                      the folder */
    const char *intervals;    /* BED: a window whose anchor lies in one has its
                                 score, else 0; needs fasta */
    const char *floor;        /* baseline.safetensors of a model: windows are
                                 scored by its k-mers; needs fasta */
    const char *const *fasta; /* (n_fasta) */
    int64_t n_fasta;
    const char *truth;        /* BED6, GTF or GFF3 */
    const char *const *other; /* (n_other) the same */
    int64_t n_other;
    bird_transcript_filter transcripts; /* of GTF and GFF3 */
    const char *regions; /* BED: anchors and TSSs inside count; NULL: all */
} bird_scan_files;

typedef struct bird_scan_options {
    int64_t within;         /* 500 bp */
    int64_t zone;           /* 100 bp */
    int64_t anchor;         /* bp from a window's 5' end; -1: its middle */
    int extent;             /* 1: distances to the extent, not the summit; 0 */
    int64_t merge;          /* 0: overlapping or touching windows merge */
    int64_t window, stride; /* of intervals' windows: 1000, 100 bp */
    double max_n;           /* unknown bases in such a window at most: 0.05 */
    int score_short;        /* 1: windows shorter than the others (of a file,
                               its widest), as in a short contig, count; 0 */
    enum bird_scan_score score; /* LENGTH */
    int64_t block;              /* 100000 bp */
    int64_t n_boot;             /* 1000 resamples (ranking figures: at most
                                   200); 0: no intervals */
    double level;               /* 0.95 */
    uint64_t seed;              /* 1 */
    int n_target;               /* 3 */
    double target[BIRD_SCAN_MAX_TARGET]; /* false calls per Mb: 1, 5, 20 */
    int given; /* 1: thresholds are those below, else chosen here: the lowest
                  one up to which the false calls never exceed the target */
    double threshold[BIRD_SCAN_N_MODE][BIRD_SCAN_MAX_TARGET];
} bird_scan_options;

BIRD_API void bird_scan_options_default(bird_scan_options *o);

/** NaN where not defined, or without resamples. */
typedef struct bird_figure {
    double value, lo, hi;
} bird_figure;

/** A mode at one threshold; windows with probability 0 are never called. */
typedef struct bird_scan_point {
    double target, threshold; /* INFINITY: nothing is called */
    double threshold_said;    /* the smallest probability of a called window */
    double call_said;         /* mean probability of the calls; 1 - n_false /
                              n_call of them came true */
    int64_t n_call, n_false, n_antisense, n_found;
    bird_figure recall, recall_all, false_per_mb;
} bird_scan_point;

typedef struct bird_scan_result {
    int64_t n_window, n_unscored;   /* strands counted apart */
    int64_t n_short;                /* of the unscored: shorter than a window */
    int64_t scanned_bp;             /* strands counted once */
    int64_t n_tss, n_tss_scanned;   /* true ones */
    int64_t n_positive, n_negative; /* windows of the ranking figures */
    bird_figure auroc, auprc;
    /** Windows, a strand each: true where a start site, true or further, lies
     * within `within` bp of the anchor, on either strand. */
    bird_reliability_table said;
    int is_probability; /* 0: of intervals, whose score is none */
    int n_target;
    bird_scan_point point[BIRD_SCAN_N_MODE][BIRD_SCAN_MAX_TARGET];
} bird_scan_result;

/**
 * Evaluate a scan.
 *
 * Memory  about 150 bytes a window
 * Errors  BIRD_EINVAL an option, or no window lies in the regions; BIRD_EIO;
 *         BIRD_EFORMAT with file and line; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_scan_evaluate(bird_scan_result *out,
                                                const bird_scan_files *files,
                                                const bird_scan_options *o);

/** "stranded", "unstranded". */
BIRD_API const char *bird_scan_mode_name(int mode);

/**
 * Thresholds as TSV: "#mode target threshold". Reading fills n_target,
 * target, threshold and given.
 * Errors: BIRD_EIO, BIRD_EFORMAT.
 */
BIRD_API BIRD_MUST_CHECK int
bird_scan_thresholds_write(const char *path, const bird_scan_result *r);
BIRD_API BIRD_MUST_CHECK int bird_scan_thresholds_read(bird_scan_options *o,
                                                       const char *path);

/**
 * Print as TSV with a header line: set, mode, target, figure, value, lo, hi.
 * Errors: BIRD_EIO.
 */
BIRD_API BIRD_MUST_CHECK int bird_scan_print(FILE *f, const char *set,
                                             const bird_scan_result *r);

#endif
