/**
 * From the rows of a scan to tracks: a row for each bin, calls (runs of bins at
 * or above a threshold), or segments (runs of equal values).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SCAN_TRACKS_H
#define BIRD_SCAN_TRACKS_H

#include "scan/scan.h"
#include "session/probability.h"
#include "track/writer.h"

/** A column of the output: one value of each row, as a probability. */
struct bird_scan_column {
    const char *name; /* of calls, files and columns; borrowed */
    int64_t value;    /* index into bird_scan_row.value */
    int64_t label;    /* of the model, for the map */
    char strand;      /* '+', '-', or '.' */
    double threshold; /* of calls: a probability */
    double level;     /* bird_calls_level(): at most the threshold */
};

/** What the tracks are, texts borrowed. */
struct bird_scan_tracks {
    const struct bird_format *format;
    bird_track_options track;
    const struct bird_probability *map;
    const struct bird_scan_column *column; /* (n_column), '+' before '-' */
    int64_t n_column;
    int64_t merge_bp;   /* bird_calls_merge(); at most a context */
    int64_t site_bp;    /* bird_calls_near(), if at most merge_bp; 0: not */
    int64_t top;        /* calls to write, the most probable ones; 0: all */
    int by_probability; /* 1: calls in the order of their probability */
    const char *genes;  /* calls: add columns of the nearest gene; or NULL */
    /** 1: columns are features. Segments of each are a file of its own, named
     *  by the feature, and probabilities are rounded to float. 0: columns are
     *  the strands of one feature. Segments are the larger of the strands,
     *  within the regions. */
    int features;
    int gz; /* 1: files of several features are bgzipped */
};

/** Rows written in all files, files, and a sentence for the user or "". */
struct bird_scan_written {
    int64_t n_row, n_file;
    char notice[512];
};

/** Check that the format can be written in such parts (NULL: in one), and that
 *  the FASTA file can be read twice if the format begins with all contigs.
 *  Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_scan_check_format(const struct bird_format *f,
                                           const char *fasta,
                                           const char *shard);

/**
 * Scan and write the tracks; put, extends and context of the plan are set here.
 * Errors: those of the scan and of the track; no file is left behind
 */
BIRD_MUST_CHECK int bird_scan_write(struct bird_scan_counts *counts,
                                    struct bird_scan_written *written,
                                    const struct bird_scan_input *input,
                                    const struct bird_scan_plan *plan,
                                    const struct bird_scan_tracks *tracks);

#endif
