/**
 * Promoters of a genome: windows scored on both strands, calls, tracks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_PROMOTER_H
#define DNABIRD_PROMOTER_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/progress.h"
#include "dnabird/session.h"
#include "dnabird/track.h"

BIRD_BEGIN_C

enum bird_promoter_order {
    BIRD_PROMOTER_BY_POSITION,
    BIRD_PROMOTER_BY_PROBABILITY /* falling; takes no index */
};

typedef struct bird_promoter_scan_options {
    const char *model;   /* folder; NULL: BIRD_MODEL_OF_STARTS */
    const char *fasta;   /* file, or "-" for standard input */
    const char *region;  /* for bird_regions_parse(), or NULL */
    const char *regions; /* BED, or NULL; adds to region */
    const char *shard;   /* "2/3": the windows or calls that begin in the
                            second of three parts of about equal size. Only
                            the first shard has the header; concatenated,
                            they are the whole. NULL: all. GFF3 has no shards */
    int64_t window_bp, stride_bp; /* 0: the model's. For models that answer
                                     in bins the stride of bins, which
                                     divides a bin; 0: the model's, else a
                                     bin */
    double threshold;             /* -1: by fp_per_mb, else the model's. Calls
                                     at a threshold stricter than the model's
                                     extend over windows at or above that */
    double fp_per_mb;   /* > 0: false positives per Mb, looked up in the
                           model's table; NAN: not used */
    double max_unknown; /* default 0.05: a window with a larger fraction of
                           characters other than A, C, G, T is skipped */
    int score_short;    /* 1: contigs shorter than the window are scored; 0:
                           they are skipped */
    int64_t merge_bp;   /* windows of a strand that start at most so far
                           apart are one call; at most a window; 0: windows
                           that overlap or touch; -1: the model's distance,
                           else 0 */
    int64_t top;        /* only this number of calls, the most probable; of
                           equal ones those that come first; 0: all. Needs a
                           format of calls, and no shard */
    int sort;           /* enum bird_promoter_order; as top */
    const char *genes;  /* for the format tsv: BED, GTF or GFF3; adds the gene
                           with the nearest transcription start site to the
                           summit, and the distance to it; or NULL */
    int64_t min_length; /* bp: shorter contigs are skipped; 0: a bin, if the
                           model answers in bins; else none */
    enum bird_strand strand; /* BOTH: each strand by itself; PLUS or MINUS */
    int one_pass; /* for models that answer in bins. 1: the given sequence
                     scores both strands; 0: the mean with its reverse
                     complement, if the model's dnabird.json says so */
    int raw;      /* 1: the model's raw output, also for the threshold; 0:
                     calibrated */
    bird_model_run run;
    bird_track_options track;     /* destination and format */
    bird_progress_call *progress; /* of bp; or NULL */
    void *progress_context;
} bird_promoter_scan_options;

BIRD_API void bird_promoter_scan_options_default(bird_promoter_scan_options *o);

/** Check the options without input files. Errors: BIRD_EINVAL. */
BIRD_API BIRD_MUST_CHECK int
bird_promoter_check(const bird_promoter_scan_options *o);

/**
 * Summary of a scan: n_scored == (n_window - n_unknown - n_short) * n_strand.
 */
typedef struct bird_promoter_summary {
    int64_t n_contig, n_bp; /* sequences (or regions) and their bases */
    int64_t n_empty;        /* empty sequences */
    int64_t n_window;       /* windows */
    int64_t n_strand;       /* scored strands of each window: 1 or 2 */
    int64_t n_scored;       /* scored windows, each strand counted */
    int64_t n_unknown;      /* windows skipped: too many unknown bases */
    int64_t n_short;        /* windows skipped: the contig is shorter than
                               the window, or than min_length */
    int64_t n_trimmed;      /* trimmed to the model's number of tokens */
    int64_t n_repeated;     /* scored windows that were not computed, because
                               the same tokens came before */
    int64_t n_row;          /* rows written: calls, segments or windows */
    double threshold;       /* in use */
    int calibrated;         /* 1: probabilities are calibrated */
    int64_t window_bp, stride_bp;
    int64_t bin_bp;         /* bases of a bin, if the model answers in bins,
                               which are then counted as windows above; 0: no
                               bins */
    char model[80];         /* name of the folder */
    char digest[65];        /* of the model */
    char build[256];        /* a warning: the reference is of another
                                  build than the model's; or "" */
    char notice[1024];      /* messages for the user, or "" */
    char uncalibrated[512]; /* why probabilities are not calibrated, or "" */
} bird_promoter_summary;

/**
 * Score every window and write the track.
 *
 * Memory does not depend on the length of the genome. Output bytes depend on
 * input, model and options, not on the number of threads.
 *
 * Owner   texts of o are borrowed for the call; *out is untouched on failure
 * Errors  BIRD_EINVAL options; BIRD_EIO, BIRD_EFORMAT, BIRD_ERANGE input;
 *         BIRD_EUNSUPPORTED a model that needs an unsupported feature;
 *         BIRD_ENOMEM; BIRD_ECANCELED. No output file is left behind.
 *
 * @param out NULL when not wanted
 */
BIRD_API BIRD_MUST_CHECK int
bird_promoter_scan(bird_promoter_summary *out,
                   const bird_promoter_scan_options *o);

/**
 * The summary as a JSON object, for programs. Errors: BIRD_EIO.
 * @param seconds time of the run, for bp_per_second
 */
BIRD_API BIRD_MUST_CHECK int
bird_promoter_summary_write(const char *path, const bird_promoter_summary *s,
                            double seconds);

BIRD_END_C

#endif
