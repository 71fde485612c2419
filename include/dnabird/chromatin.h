/**
 * Chromatin profiles along a genome or in sequences: bins scored by a
 * multi-label model, as a matrix, tracks or calls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_CHROMATIN_H
#define DNABIRD_CHROMATIN_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/progress.h"
#include "dnabird/session.h"

BIRD_BEGIN_C

typedef struct bird_chromatin_options {
    const char *model;    /* folder; NULL: the shipped one */
    const char *fasta;    /* sequences, or the genome of the regions */
    const char *region;   /* for bird_regions_parse(), or NULL */
    const char *regions;  /* BED, or NULL; adds to region */
    const char *shard;    /* "2/3", a shard as in bird_promoter_scan_options,
                             for every file; with `centre` a shard of the
                             sequences or regions; NULL: all. bigWig has no
                             shards */
    int centre;           /* 1: one bin around the middle of each sequence or
                              region; 0: all bins of it */
    const char *features; /* choice as for bird_features_select(); NULL: all */
    const char *format;   /* one of bird_track_formats(BIRD_TRACK_CHROMATIN);
                             NULL: by the output's name */
    /**
     * A file, or NULL or "-": standard output. For tracks of several features a
     * folder, which is made; its files have the names of the features, with
     * characters other than a-z, 0-9, '.', '+', '-' replaced by '_'.
     */
    const char *output;
    int index;               /* 1: tabix index of bgzipped files (.gz) */
    int gz;                  /* 1: files of a folder are bgzipped */
    double threshold;        /* of calls; -1: the model's threshold of each
                           feature, else its default, else 0.5 */
    int raw;                 /* 1: raw outputs, also for the threshold; 0:
                           calibrated by the model's calibration */
    double max_unknown;      /* default 0.05: a bin whose context has a larger
                           fraction of characters other than A, C, G, T is
                           not scored */
    int score_short;         /* 1: sequences shorter than the context are padded
                           with N and scored; 0: they are not scored. Models
                           that answer in bins score them always, in the
                           shortest window that holds bins and margins */
    int64_t min_length;      /* bp: shorter sequences are not scored; 0: a bin,
                           if the model answers in bins; else none */
    enum bird_strand strand; /* MODEL, PLUS or BOTH */
    int64_t context_bp, bin_bp; /* 0: the model's */
    bird_model_run run;         /* how the model is run */
    int no_version;
    const char *command;          /* kept in the outputs, or NULL */
    bird_progress_call *progress; /* of bp; or NULL */
    void *progress_context;
} bird_chromatin_options;

BIRD_API void bird_chromatin_options_default(bird_chromatin_options *o);

/** Check the options without input files. Errors: BIRD_EINVAL. */
BIRD_API BIRD_MUST_CHECK int
bird_chromatin_check(const bird_chromatin_options *o);

/** Summary of a scan. */
typedef struct bird_chromatin_summary {
    int64_t n_contig, n_empty, n_bp; /* sequences (regions), their bases */
    int64_t n_bins;                  /* bins, scored and skipped */
    int64_t n_short;   /* skipped: the sequence is shorter than the context,
                          or than min_length */
    int own_bins;      /* 1: the model answers in bins, so n_unknown counts a
                          bin's own bases */
    int64_t n_unknown; /* skipped: too many N or beyond the end; of these */
    int64_t n_beyond;  /* skipped because the sequence ends too early,
                          without N */
    int64_t n_trimmed; /* strands of bins trimmed to the model's number of
                          tokens */
    int64_t n_row;     /* rows written, of all files */
    int64_t n_file, n_feature;
    int64_t bin_bp, context_bp;
    int both_strands;
    double threshold; /* of the calls; the smallest of several */
    int calibrated;   /* 1: probabilities are calibrated */
    char model[80], digest[65];
    char build[256];        /* a warning: another genome build, or "" */
    char notice[1024];      /* messages for the user, or "" */
    char uncalibrated[512]; /* why probabilities are not calibrated, or "" */
} bird_chromatin_summary;

/**
 * Score every bin and write the output.
 *
 * Bins lie at multiples of the model's bin from a contig's start; a bin's
 * context is N beyond a contig's ends. An empty sequence has a row with its
 * status. Memory does not depend on the length of the input (with `centre`, on the
 * longest sequence). Output bytes depend on input, model and options, not on
 * the number of threads.
 *
 * Owner   texts of o are borrowed for the call; *out is untouched on failure
 * Errors  BIRD_EINVAL options; BIRD_EIO, BIRD_EFORMAT, BIRD_ERANGE input;
 *         BIRD_EUNSUPPORTED bigWig in a build without it; BIRD_ENOMEM;
 *         BIRD_ECANCELED. No output file is left behind.
 *
 * @param out NULL when not wanted
 */
BIRD_API BIRD_MUST_CHECK int
bird_chromatin_scan(bird_chromatin_summary *out,
                    const bird_chromatin_options *o);

/** The summary as a JSON object, for programs. Errors: BIRD_EIO. */
BIRD_API BIRD_MUST_CHECK int
bird_chromatin_summary_write(const char *path, const bird_chromatin_summary *s,
                             double seconds);

BIRD_END_C

#endif
