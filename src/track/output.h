/**
 * Where the bytes of an output go: standard output or a file; plain, bgzipped,
 * zstd or BCF; with an index; taken up again after an interruption.
 *
 * A name only ever holds a whole file. An output that cannot be resumed is
 * written beside its place under a temporary name. One that can be grows as
 * NAME.partial: at a mark what is written so far is on its disk and
 * NAME.partial.json says how far that is. One run at a time: the partial file
 * is locked (flock) while it is written, where the file system has locks. A
 * device or pipe of that name is written in place and cannot be resumed.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_OUTPUT_H
#define BIRD_TRACK_OUTPUT_H

#include <jansson.h>
#include <stdint.h>

#include "base/file.h"
#include "dnabird/error.h"

enum bird_container {
    BIRD_BY_NAME, /* .gz, .bgz: bgzip; .zst: zstd; else plain */
    BIRD_PLAIN,
    BIRD_BGZIP,
    BIRD_ZSTD,
    BIRD_BCF,       /* compressed; written through bird_output_hts() */
    BIRD_BCF_PLAIN, /* the same, not compressed */
    BIRD_FOREIGN    /* another library writes bird_output_temporary() */
};

/** What of a line an index reads. */
enum bird_index {
    BIRD_INDEX_NONE,
    BIRD_INDEX_BED,   /* chrom, start, end; from 0 */
    BIRD_INDEX_TABLE, /* #CHROM, POS: from 1 */
    BIRD_INDEX_GFF,
    BIRD_INDEX_VCF,
    BIRD_INDEX_BCF
};

struct bird_output_options {
    enum bird_container container;
    enum bird_index index; /* .tbi; .csi of BCF and of contigs over 2^29 bp */
    int resumable;
    int64_t from_bytes; /* > 0: cut the partial file there and go on */
};

struct bird_output;

/** How a path is written: the container given, else what its name says. */
enum bird_container bird_container_of(const char *path,
                                      enum bird_container container);

/** Does the name say that the file is bgzipped (.gz, .bgz)? */
int bird_path_is_gz(const char *path);

/** Errors: BIRD_EINVAL an index is wanted of what is not compressed. */
BIRD_MUST_CHECK int bird_output_check(const char *path,
                                      const struct bird_output_options *o);

/**
 * Begin, or go on. path NULL or "-" is standard output.
 *
 * Owner   *out is the caller's
 * Errors  BIRD_EINVAL as bird_output_check(), or the run reads that file;
 *         BIRD_EIO (also: another run writes the file; nothing of its is
 *         touched); BIRD_ENOMEM; BIRD_EFORMAT the partial file is shorter than
 *         its mark
 * @param o NULL: all zero
 */
BIRD_MUST_CHECK int bird_output_open(struct bird_output **out, const char *path,
                                     const struct bird_output_options *o);

/** Errors: BIRD_EIO. */
BIRD_MUST_CHECK int bird_output_put(struct bird_output *o, const void *data,
                                    int64_t n);

/** htsFile * of a BCF output, to write records to. */
void *bird_output_hts(struct bird_output *o);
/** The name that the file has until it is whole; NULL: written in place. */
const char *bird_output_temporary(const struct bird_output *o);
/** Name, for messages. */
const char *bird_output_name(const struct bird_output *o);
/** 1: it is a file that can have marks. */
int bird_output_resumes(const struct bird_output *o);

/** Bytes of the file that are written, as of the last mark; -1: not known. */
int64_t bird_output_bytes(const struct bird_output *o);

/** The mark left by an earlier run: 1 and *state (caller's, json_decref), 0
 *  when there is none. Errors: BIRD_EIO, BIRD_EFORMAT */
BIRD_MUST_CHECK int bird_output_find_mark(json_t **state, const char *path);

/** End the compressed block; with a state (borrowed; "bytes" is set in it)
 *  also leave a mark. Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_output_mark(struct bird_output *o, json_t *state);

/** Make no index after all: the rows are out of order. */
void bird_output_skip_index(struct bird_output *o);

/**
 * Flush, index, rename; o is freed whatever comes back. When only the index
 * fails the file is there; otherwise none is left. The index of an older file
 * of this name goes with it.
 * Errors: BIRD_EIO; BIRD_EFORMAT the lines cannot be indexed
 * @param largest_bp positions above 2^29 need a .csi index instead of .tbi
 */
BIRD_MUST_CHECK int bird_output_close(struct bird_output *o,
                                      int64_t largest_bp);

/** Give up: free (NULL is fine) and remove what was written. */
void bird_output_free(struct bird_output *o);

/** Stop, but leave the file as the last mark has it; o is freed. */
void bird_output_leave(struct bird_output *o);

/** What sorts a file with such lines, as one would type it. */
const char *bird_index_sort(enum bird_index index);

/**
 * For a file `name` that is whole and could not be indexed, with the failure
 * rc: what failed costs the index, not the hours that are in the file. An
 * index of an older file of this name would be wrong for it and is removed.
 * Returns rc, and says so.
 */
int bird_index_lost(const char *name, int rc);

enum { BIRD_OUTPUTS_MOST = 4 };

/** Several text files that appear together, or not at all. Start with {0}. */
struct bird_outputs {
    struct bird_out file[BIRD_OUTPUTS_MOST];
    const char *path[BIRD_OUTPUTS_MOST]; /* NULL: not wanted */
    int n;
};

/** Open temporary files for n <= BIRD_OUTPUTS_MOST paths, NULL ones left out.
 *  Errors: BIRD_EINVAL two are the same; BIRD_EIO */
BIRD_MUST_CHECK int bird_outputs_open(struct bird_outputs *o,
                                      const char *const *path, int n);
/** The stream of file i; NULL when it is not wanted. */
FILE *bird_outputs_stream(const struct bird_outputs *o, int i);
/** Give all files their names once all are written. Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_outputs_commit(struct bird_outputs *o);
/** Remove what was not committed. Safe on a zeroed or committed one. */
void bird_outputs_abort(struct bird_outputs *o);

#endif
