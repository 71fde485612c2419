/**
 * Answers as tracks: BED, bedGraph and TSV, plain or bgzipped and indexed.
 *
 * A track is written row by row in constant memory. A file is written under a
 * temporary name beside its place and takes its name when it is whole, its
 * index with it. Header lines begin with '#', which tabix, bedtools and IGV
 * pass over: provenance (version, command, model, reference), then the names
 * of the columns. docs/formats.md describes each form.
 *
 * Coordinates are 0-based half-open in base pairs in every form, but for the
 * column `region` of the TSV form, which is text for people and tools that
 * take "chr:start-end" (1-based, both ends in).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TRACK_H
#define DNABIRD_TRACK_H

#include <stdint.h>

#include "dnabird/error.h"

enum bird_track_format {
    BIRD_TRACK_BED,      /* calls: BED6 + probability + summit */
    BIRD_TRACK_BEDGRAPH, /* a value along the sequence */
    BIRD_TRACK_TSV,      /* calls, one column for everything known of them */
    BIRD_TRACK_WINDOWS   /* every window, scored or not */
};

/** A form's number by its name ("bed", "bedgraph", ...); -1 when none is. */
BIRD_API int bird_track_format_find(const char *name);

/** The name of a form; NULL when there is none of that number. */
BIRD_API const char *bird_track_format_name(int format);

/**
 * A form's number by a file's name (".bed", ".bedgraph", ".bg", ".tsv", with
 * or without ".gz"); -1 when the name does not tell.
 */
BIRD_API int bird_track_format_guess(const char *path);

typedef struct bird_track_options {
    const char *path;      /* NULL or "-": standard output, plain; a name that
                              ends in .gz or .bgz: bgzipped */
    int format;            /* enum bird_track_format */
    int index;             /* 1: tabix index beside it, .tbi or, for contigs
                              over 2^29 bp, .csi */
    int64_t longest_bp;    /* the longest contig, to choose between the two;
                              0 when not known: by the largest end written */
    int no_version;        /* 1: no provenance lines (columns are named) */
    const char *command;   /* command line; NULL: that line is left out */
    const char *model;     /* name and digest of the model; or NULL */
    const char *reference; /* name (and digest) of the reference; or NULL */
} bird_track_options;

/** Fill with: BED to standard output, no index. */
BIRD_API void bird_track_options_default(bird_track_options *o);

/** One row. What a form has no column for is not looked at. */
typedef struct bird_track_row {
    const char *contig;
    int64_t record;     /* which of the contigs of that name; any number */
    int64_t start, end; /* bp, 0 <= start < end */
    char strand;        /* '+', '-' or '.' (both) */
    double value;       /* probability, 0..1; a bedGraph takes any number; a
                           window that was not scored has NAN */
    double raw;         /* the model's raw output behind it; TSV, windows */
    int64_t summit;     /* bp, start <= summit < end; calls */
    int64_t n_window;   /* windows merged into the call; TSV */
    const char *name;   /* NULL: "." */
    const char *status; /* windows: why not scored; NULL: "ok" */
} bird_track_row;

typedef struct bird_track bird_track;

/**
 * Begin a track: open and write the header.
 *
 * Owner   *out is the caller's: bird_track_close() or bird_track_free()
 * Errors  BIRD_EINVAL an index of a file that is not bgzipped, no such form;
 *         BIRD_EIO; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_track_open(bird_track **out,
                                             const bird_track_options *o);

/**
 * Write a row. Rows come contig by contig, in the order of their start.
 *
 * Errors  BIRD_EINVAL the row makes no sense or goes back; BIRD_EFORMAT two
 *         records of one name, one after the other, and an index is wanted;
 *         BIRD_EIO
 */
BIRD_API BIRD_MUST_CHECK int bird_track_put(bird_track *t,
                                            const bird_track_row *row);

/** Rows written so far. */
BIRD_API int64_t bird_track_count(const bird_track *t);

/**
 * End the track: flush, give it its name, index. t is freed, whatever comes
 * back. On failure no file is left, except where the index alone failed: then
 * the file stands, whole, without one, and the message says so.
 *
 * Errors  BIRD_EIO; BIRD_EFORMAT the index cannot be built (a contig came
 *         twice)
 */
BIRD_API BIRD_MUST_CHECK int bird_track_close(bird_track *t);

/** Give up: free t (may be NULL) and remove what was written. */
BIRD_API void bird_track_free(bird_track *t);

#endif
