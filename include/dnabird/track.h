/**
 * Results as tracks: BED, bedGraph, GFF3, TSV and more, plain or bgzipped and
 * indexed.
 *
 * A track is written row by row in constant memory. A file is written under a
 * temporary name beside its place and takes its name when it is whole, its
 * index with it. Header lines begin with '#', which tabix, bedtools and IGV
 * pass over: provenance (version, command, model, reference), then the names
 * of the columns. Formats are known by their names ("bed", "bedgraph", ...):
 * one table has them for all commands. docs/formats.md describes each.
 *
 * Coordinates are 0-based half-open in base pairs in every format, but for
 * GFF3 and the column `region` of a table of calls, which is text for people
 * and tools that take "chr:start-end" (both 1-based, both ends in).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TRACK_H
#define DNABIRD_TRACK_H

#include <stdint.h>

#include "dnabird/error.h"

/** Commands that write: each has formats of its own. */
enum bird_track_command {
    BIRD_TRACK_PROMOTER,
    BIRD_TRACK_CHROMATIN,
    BIRD_TRACK_VARIANT,
    BIRD_TRACK_MUTATE,
    BIRD_TRACK_ATTRIBUTE
};

/** The names of a command's formats, '|' between them, its default first. The
 *  text is the library's and stays as it is. */
BIRD_API const char *bird_track_formats(enum bird_track_command command);

/** The i-th of them; NULL: there is none. */
BIRD_API const char *bird_track_format_name(enum bird_track_command command,
                                            int i);

/** What they are, for a help text; as bird_track_formats(). */
BIRD_API const char *bird_track_formats_about(enum bird_track_command command);

typedef struct bird_track_options {
    const char *path;      /* NULL or "-": standard output, plain; a name that
                              ends in .gz or .bgz: bgzipped */
    const char *format;    /* one of a command's formats; NULL: the one that
                              path's ending means, else the default */
    int index;             /* 1: tabix index beside it, .tbi or, for contigs
                              over 2^29 bp, .csi */
    int64_t longest_bp;    /* the longest contig, to choose between the two;
                              0 when not known: by the largest end written */
    int no_version;        /* 1: no provenance lines (columns are named) */
    const char *command;   /* command line; NULL: that line is left out */
    const char *model;     /* name and digest of the model; or NULL */
    const char *reference; /* name (and digest) of the reference; or NULL */
} bird_track_options;

/** Fill with: to standard output, no index. */
BIRD_API void bird_track_options_default(bird_track_options *o);

/** One row. What a format has no column for is not looked at. */
typedef struct bird_track_row {
    const char *contig;
    int64_t record;     /* which of the contigs of that name; any number */
    int64_t start, end; /* bp, 0 <= start < end */
    char strand;        /* '+', '-' or '.' (both) */
    double value;       /* probability, 0..1; a bedGraph takes any number; a
                           window that was not scored has NAN */
    double raw;         /* the model's raw output behind it; TSV, windows */
    int64_t summit;     /* bp, start <= summit < end; calls */
    int64_t n_window;   /* windows merged into the call; TSV, GFF3 */
    const char *name;   /* NULL: "." */
    const char *status; /* windows: why not scored; NULL: "ok" */
} bird_track_row;

typedef struct bird_track bird_track;

/**
 * Begin a track in one of the formats of `promoter`: open and write the
 * header.
 *
 * Owner   *out is the caller's: bird_track_close() or bird_track_free()
 * Errors  BIRD_EINVAL an index of a file that is not bgzipped, no such format;
 *         BIRD_EIO; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_track_open(bird_track **out,
                                             const bird_track_options *o);

/**
 * Write a row. Rows come contig by contig, in the order of their start.
 *
 * Errors  BIRD_EINVAL the row is malformed or goes back; BIRD_EFORMAT two
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
 * the file is there, whole, without one, and the message says so.
 *
 * Errors  BIRD_EIO; BIRD_EFORMAT the index cannot be built (a contig came
 *         twice)
 */
BIRD_API BIRD_MUST_CHECK int bird_track_close(bird_track *t);

/** Give up: free t (may be NULL) and remove what was written. */
BIRD_API void bird_track_free(bird_track *t);

#endif
