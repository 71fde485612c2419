/**
 * Results as tracks: BED, bedGraph, GFF3, TSV and more, plain or bgzipped and
 * indexed.
 *
 * A track is written row by row in constant memory. A file is written under a
 * temporary name in the same folder and gets its name, with its index, once it
 * is complete. Header lines begin with '#', which tabix, bedtools and IGV skip:
 * provenance (version, command, model, reference), then the names of the
 * columns. Formats have names ("bed", "bedgraph", ...) in one table for all
 * commands. docs/formats.md describes each.
 *
 * Coordinates are 0-based half-open in base pairs in every format, except for
 * GFF3 and the column `region` of a table of calls, which is text for people
 * and tools that take "chr:start-end" (both 1-based, both ends included).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TRACK_H
#define DNABIRD_TRACK_H

#include <stdint.h>

#include "dnabird/error.h"

BIRD_BEGIN_C

/** Commands that write tracks; each has its own formats. */
enum bird_track_command {
    BIRD_TRACK_PROMOTER,
    BIRD_TRACK_CHROMATIN,
    BIRD_TRACK_VARIANT,
    BIRD_TRACK_MUTATE,
    BIRD_TRACK_ATTRIBUTE
};

/** The names of a command's formats, separated by '|', its default first. The
 *  text is static. */
BIRD_API const char *bird_track_formats(enum bird_track_command command);

/** Name of format i; NULL past the last. */
BIRD_API const char *bird_track_format_name(enum bird_track_command command,
                                            int i);

/** Description of the formats for a help text; as bird_track_formats(). */
BIRD_API const char *bird_track_formats_about(enum bird_track_command command);

typedef struct bird_track_options {
    const char *path;      /* NULL or "-": standard output, plain; a name that
                              ends in .gz or .bgz: bgzipped */
    const char *format;    /* one of a command's formats; NULL: by the
                              extension of path, which must be a format's;
                              without an extension the default */
    int index;             /* 1: tabix index beside it, .tbi or, for contigs
                              over 2^29 bp, .csi */
    int64_t longest_bp;    /* the longest contig, to choose between the two;
                              0: unknown, by the largest end written */
    int no_version;        /* 1: no provenance lines (columns are named) */
    const char *command;   /* command line; NULL: that line is left out */
    const char *model;     /* name and digest of the model; or NULL */
    const char *reference; /* name (and digest) of the reference; or NULL */
} bird_track_options;

/** Defaults: standard output, no index. */
BIRD_API void bird_track_options_default(bird_track_options *o);

/** One row. A format ignores fields for which it has no column. */
typedef struct bird_track_row {
    const char *contig;
    int64_t record;     /* index of the contig, which separates contigs of
                           one name */
    int64_t start, end; /* bp, 0 <= start < end */
    char strand;        /* '+', '-' or '.' (both) */
    double value;       /* probability, 0..1; a bedGraph takes any number; a
                           window that was not scored has NAN */
    double raw;         /* the model's raw output; TSV, windows */
    int64_t summit;     /* bp, start <= summit < end; calls */
    int64_t n_window;   /* windows merged into the call; TSV, GFF3 */
    const char *name;   /* NULL: "." */
    const char *status; /* windows: why not scored; NULL: "ok" */
} bird_track_row;

typedef struct bird_track bird_track;

/**
 * Begin a track in one of the formats of `promoter`: open it and write the
 * header.
 *
 * Owner   *out is the caller's: bird_track_close() or bird_track_free()
 * Errors  BIRD_EINVAL an index of a file that is not bgzipped, an unknown
 *         format;
 *         BIRD_EIO; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_track_open(bird_track **out,
                                             const bird_track_options *o);

/**
 * Write a row. Rows come contig by contig, in the order of their start.
 *
 * Errors  BIRD_EINVAL the row is malformed or out of order; BIRD_EFORMAT two
 *         consecutive records of one name, and an index is wanted;
 *         BIRD_EIO
 */
BIRD_API BIRD_MUST_CHECK int bird_track_put(bird_track *t,
                                            const bird_track_row *row);

/** Rows written so far. */
BIRD_API int64_t bird_track_count(const bird_track *t);

/**
 * End the track: flush, rename, index. t is freed, also on failure. On failure
 * no file is left, unless only the index failed: then the complete file remains
 * without an index, and the message says so.
 *
 * Errors  BIRD_EIO; BIRD_EFORMAT the index cannot be built (a contig came
 *         twice)
 */
BIRD_API BIRD_MUST_CHECK int bird_track_close(bird_track *t);

/** Give up: free t (may be NULL) and remove what was written. */
BIRD_API void bird_track_free(bird_track *t);

BIRD_END_C

#endif
