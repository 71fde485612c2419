/**
 * Bytes out of a plain, gzip, bgzip or zstd file, standard input or memory,
 * with every way of being cut short noticed.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_INPUT_H
#define BIRD_SEQ_INPUT_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

struct BGZF;
struct bird_unzst;

enum bird_input_kind {
    BIRD_INPUT_PLAIN,
    BIRD_INPUT_GZIP,
    BIRD_INPUT_BGZIP,
    BIRD_INPUT_ZSTD
};

struct bird_input {
    struct BGZF *fp;
    struct bird_unzst *zst; /* NULL: no zstd */
    char *name;             /* of the file, for sentences */
    int64_t size;           /* bytes of the file; 0 when it is not known */
};

/** "-" is standard input. Errors: BIRD_EIO missing, unreadable, a folder. */
BIRD_MUST_CHECK int bird_input_open(struct bird_input *in, const char *path);

/** n bytes, which are copied; `name` stands for them in sentences. */
BIRD_MUST_CHECK int bird_input_open_memory(struct bird_input *in,
                                           const char *name, const void *data,
                                           int64_t n);
/** Safe on a zeroed bird_input. */
void bird_input_close(struct bird_input *in);

/**
 * Up to cap bytes into out, their number into *n_out: 0 at the end.
 * Errors: BIRD_EIO; BIRD_EFORMAT cut short or damaged compressed data.
 */
BIRD_MUST_CHECK int bird_input_read(struct bird_input *in, void *out,
                                    int64_t cap, int64_t *n_out);

/** Which of these forms the file has. */
enum bird_input_kind bird_input_kind(const struct bird_input *in);

/** Bytes of the (compressed) file taken so far. */
int64_t bird_input_tell(const struct bird_input *in);

/** Silence htslib's own messages: this library speaks by its statuses. */
void bird_input_hush(void);

/** htslib's version as it runs. */
const char *bird_htslib_version(void);

/** A reader of lines over a bird_input; start with {0} after `in`. */
struct bird_lines {
    struct bird_input *in;
    char part[65536];
    int64_t at, n;
    int64_t line; /* number of the line that was read last, from 1 */
};

/**
 * The next line without its end (LF or CRLF) into *out. Returns 1, 0 at the
 * end, or an error. A line over 16 MiB or one with a NUL byte is
 * BIRD_EFORMAT.
 */
BIRD_MUST_CHECK int bird_lines_next(struct bird_lines *l,
                                    struct bird_text *out);

#endif
