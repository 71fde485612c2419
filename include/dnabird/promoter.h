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

typedef struct bird_promoter_scan_options {
    const char *model;   /* folder; NULL: the shipped one */
    const char *fasta;   /* file, or "-" for standard input */
    const char *region;  /* for bird_regions_parse(), or NULL */
    const char *regions; /* BED, or NULL; adds to region */
    const char *shard;   /* "2/3": what begins in the second of three parts of
                          about as many bases; only the first has the header,
                          and one behind the other they are the whole; or NULL.
                          GFF3 has no parts */
    int64_t window_bp, stride_bp; /* 0: the model's. Of models that answer in
                                     bins the stride is that of bins, a part
                                     of one; 0: the model's, or a bin */
    double threshold;             /* -1: by fp_per_mb, or the model's own */
    double fp_per_mb;   /* > 0: false positives per Mb the model's table
                             promises; 0: not asked for */
    double max_unknown; /* a window with more than this share of unknown bases
                             (other characters than A, C, G, T) is skipped; 0.05 */
    int score_short;    /* 1: contigs shorter than the window are scored as
                             they are; 0: they are skipped */
    enum bird_strand strand; /* BOTH: each by itself; PLUS or MINUS */
    int one_pass; /* of models that answer in bins. 1: the sequence as it is
                     given tells both strands; 0: the mean with its reverse
                     complement, where the model's dnabird.json says so */
    int raw;      /* 1: the model's raw output, threshold too, and not what its
                calibration makes of it */
    bird_model_run run;
    bird_track_options track;     /* where to and in what form */
    bird_progress_call *progress; /* of bp; or NULL */
    void *progress_context;
} bird_promoter_scan_options;

BIRD_API void bird_promoter_scan_options_default(bird_promoter_scan_options *o);

/** Do the options make sense by themselves? Errors: BIRD_EINVAL. */
BIRD_API BIRD_MUST_CHECK int
bird_promoter_check(const bird_promoter_scan_options *o);

/** What a scan did:
 *  n_scored == (n_window - n_unknown - n_short) * n_strand. */
typedef struct bird_promoter_summary {
    int64_t n_contig, n_bp; /* sequences (or regions) and their bases */
    int64_t n_empty;        /* sequences without a base */
    int64_t n_window;       /* windows cut */
    int64_t n_strand;       /* strands scored of each: 1 or 2 */
    int64_t n_scored;       /* windows scored, a strand each counts once */
    int64_t n_unknown;      /* windows skipped: too many unknown bases */
    int64_t n_short;        /* windows skipped: the contig is shorter */
    int64_t n_trimmed;      /* cut to the model's number of tokens */
    int64_t n_repeated;     /* of the scored: not computed, their tokens came
                           before */
    int64_t n_row;          /* rows written: calls, segments or windows */
    double threshold;       /* in use */
    int calibrated;         /* probabilities are: of the model's map */
    int64_t window_bp, stride_bp;
    int64_t bin_bp;         /* of a model that answers in bins, which are the
                               windows counted above; 0: of another */
    char model[80];         /* name of the folder */
    char digest[65];        /* of the model */
    char build[256];        /* a warning: the reference is of another
                                  build than the model's; or "" */
    char notice[1024];      /* sentences for the user, or "" */
    char uncalibrated[512]; /* why probabilities are not calibrated, or "" */
} bird_promoter_summary;

/**
 * Score every window and write the track.
 *
 * Memory is bounded whatever the length of the genome. Output bytes are a
 * function of input, model and options; not of the number of threads.
 *
 * Owner   texts of o are borrowed for the call; *out is untouched on failure
 * Errors  BIRD_EINVAL options; BIRD_EIO, BIRD_EFORMAT, BIRD_ERANGE input;
 *         BIRD_EUNSUPPORTED a model that asks for what is not there;
 *         BIRD_ENOMEM; BIRD_ECANCELED. No output file is left behind.
 */
BIRD_API BIRD_MUST_CHECK int
bird_promoter_scan(bird_promoter_summary *out,
                   const bird_promoter_scan_options *o);

/**
 * The summary as a JSON object, for programs. Errors: BIRD_EIO.
 * @param seconds what the run took; gives bp_per_second
 */
BIRD_API BIRD_MUST_CHECK int
bird_promoter_summary_write(const char *path, const bird_promoter_summary *s,
                            double seconds);

#endif
