/**
 * An output that can be taken up again: bytes to standard output or a file,
 * plain or bgzipped, with marks from which a later run goes on.
 *
 * A file NAME grows as NAME.partial; at a mark what is written so far is on
 * its disk and NAME.partial.json says how far that is. It takes its name when
 * it is whole. One run at a time: the partial file is locked (flock) while it is
 * written, where the file system has locks. What is there and no regular file is written directly and
 * cannot be taken up.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_STREAM_H
#define BIRD_TRACK_STREAM_H

#include <jansson.h>
#include <stdint.h>

#include "dnabird/error.h"
#include "track/index.h"

enum bird_stream_kind {
    BIRD_STREAM_PLAIN, /* text */
    BIRD_STREAM_BGZIP, /* text through bgzip */
    BIRD_STREAM_BCF,
    BIRD_STREAM_BCF_PLAIN /* BCF without compression */
};

struct bird_stream;

/**
 * Begin, or go on. path NULL or "-" is standard output.
 *
 * Owner: *out is the caller's. Errors: BIRD_EIO (also: another run writes the
 * file; nothing of its is touched), BIRD_ENOMEM; BIRD_EFORMAT
 * the partial file is shorter than its mark.
 *
 * @param from_bytes 0: begin; else cut the partial file there and go on
 */
BIRD_MUST_CHECK int bird_stream_open(struct bird_stream **out, const char *path,
                                     enum bird_stream_kind kind,
                                     int64_t from_bytes);

/** The mark left by an earlier run: 1 and *state (caller's, json_decref), 0
 *  when there is none. Errors: BIRD_EIO, BIRD_EFORMAT */
BIRD_MUST_CHECK int bird_stream_find(json_t **state, const char *path);

BIRD_MUST_CHECK int bird_stream_put(struct bird_stream *s, const void *data,
                                    int64_t n);

/** htsFile * of a BCF stream, to write records to. */
void *bird_stream_hts(struct bird_stream *s);

/** Name, for sentences. */
const char *bird_stream_name(const struct bird_stream *s);

/** 1: it is a file that can have marks. */
int bird_stream_resumes(const struct bird_stream *s);

/** End the compressed block; with a state (borrowed; "bytes" is set in it)
 *  also leave a mark. Errors: BIRD_EIO */
BIRD_MUST_CHECK int bird_stream_mark(struct bird_stream *s, json_t *state);

/**
 * End: flush, index (form as int, or -1: none), rename; s is freed, whatever
 * comes back. Errors: BIRD_EIO; BIRD_EFORMAT the index cannot be built. When
 * only the index fails the file is there; otherwise none is left.
 */
BIRD_MUST_CHECK int bird_stream_close(struct bird_stream *s, int form,
                                      int64_t largest_bp);

/** Give up: free s (NULL is fine) and remove what was written. */
void bird_stream_free(struct bird_stream *s);

/** Stop, but leave the file as the last mark has it; s is freed. */
void bird_stream_leave(struct bird_stream *s);

#endif
