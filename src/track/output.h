/**
 * An output: standard output or a file; plain, bgzipped, zstd or BCF; with an
 * index; resumable after an interruption.
 *
 * A file has its final name only when it is complete. An output that cannot be
 * resumed is written under a temporary name in the same folder. A resumable
 * output grows as NAME.partial: at a mark all bytes so far are on disk, and
 * NAME.partial.json says how many. The partial file is locked (flock) while it
 * is written, where the file system has locks, so that one run writes it at a
 * time. A device or pipe is written directly and cannot be resumed.
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
    BIRD_BCF_PLAIN, /* BCF that is not compressed */
    BIRD_FOREIGN /* another library writes the file bird_output_temporary() */
};

/** Which columns of a line an index reads. */
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
    int restart;        /* resumable: 1: replace the partial file of an
                           interrupted run; 0: refuse to */
    int64_t from_bytes; /* > 0: cut the partial file there and go on */
};

struct bird_output;

/** The container of a path: the one given, else by the path's ending. */
enum bird_container bird_container_of(const char *path,
                                      enum bird_container container);

/** Errors: BIRD_EINVAL an index of a file that is not compressed. */
BIRD_MUST_CHECK int bird_output_check(const char *path,
                                      const struct bird_output_options *o);

/** Errors: BIRD_EINVAL an output that cannot be resumed, or both resume and
 *  restart. */
BIRD_MUST_CHECK int bird_output_check_resume(const char *path, int resume,
                                             int restart);

/**
 * Begin or resume an output. path NULL or "-" is standard output.
 *
 * Owner   *out is the caller's
 * Errors  BIRD_EINVAL as bird_output_check(), or the run reads that file, or
 *         the partial file of an interrupted run would be replaced;
 *         BIRD_EIO (also: another run is writing the file, which is not
 *         touched then); BIRD_ENOMEM; BIRD_EFORMAT the partial
 *         file is shorter than its mark
 * @param o NULL: all zero
 */
BIRD_MUST_CHECK int bird_output_open(struct bird_output **out, const char *path,
                                     const struct bird_output_options *o);

/** Errors: BIRD_EIO. */
BIRD_MUST_CHECK int bird_output_put(struct bird_output *o, const void *data,
                                    int64_t n);

/** htsFile * of a BCF output, to write records to. */
void *bird_output_hts(struct bird_output *o);
/** The file's name until it is complete; NULL: a device or standard output. */
const char *bird_output_temporary(const struct bird_output *o);
/** Name, for messages. */
const char *bird_output_name(const struct bird_output *o);
/** Can the output have marks? */
int bird_output_resumes(const struct bird_output *o);

/** Bytes of the file at the last mark; -1: not known. */
int64_t bird_output_bytes(const struct bird_output *o);

/** Read the mark of an earlier run: returns 1 and *state (the caller's,
 *  json_decref()), or 0 when there is none. Errors: BIRD_EIO, BIRD_EFORMAT */
BIRD_MUST_CHECK int bird_output_find_mark(json_t **state, const char *path);

/** End the compressed block; with a state (borrowed; "bytes" is set in it) also
 *  write a mark. Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_output_mark(struct bird_output *o, json_t *state);

/** Cancel the index: the rows are out of order. */
void bird_output_skip_index(struct bird_output *o);

/**
 * Flush, index, rename; o is freed in any case. When only the index fails, the
 * file is kept; after other failures no file is left. The index of an older
 * file of this name is removed.
 * Errors: BIRD_EIO; BIRD_EFORMAT the lines cannot be indexed
 * @param largest_bp positions above 2^29 need a .csi index instead of .tbi
 */
BIRD_MUST_CHECK int bird_output_close(struct bird_output *o,
                                      int64_t largest_bp);

/** Free o (NULL is fine) and remove the file, unless --resume can continue from a
 *  mark in it. */
void bird_output_free(struct bird_output *o);

/** The shell command that sorts a file with such lines. */
const char *bird_index_sort(enum bird_index index);

/**
 * For a complete file `name` that could not be indexed because of the failure
 * rc: keep the file, remove the index of an older file of this name, and add to
 * the message that only the index is missing. Returns rc.
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
