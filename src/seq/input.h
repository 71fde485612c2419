/**
 * Bytes of a plain, gzip, bgzip or zstd file, standard input or memory. A file
 * that was cut short anywhere is an error.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_INPUT_H
#define BIRD_SEQ_INPUT_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

struct BGZF;
struct bird_unzst;
struct bird_bigbed;

enum bird_input_kind {
    BIRD_INPUT_PLAIN,
    BIRD_INPUT_GZIP,
    BIRD_INPUT_BGZIP,
    BIRD_INPUT_ZSTD
};

struct bird_input {
    struct BGZF *fp;
    struct bird_unzst *zst; /* NULL: no zstd */
    char *name;             /* name of the file, for messages */
    int64_t size;           /* bytes of the file; 0: unknown */
    int is_bigbed;          /* only bird_lines_open() reads it */
};

/** An input: a path ("-": standard input), or n bytes. */
struct bird_source_file {
    struct hFILE *file;
    const char *name; /* for messages; borrowed */
    int64_t size;     /* 0: not known */
    int is_file;      /* 1: a regular file, which can be read twice */
};

/** Open for htslib, which also closes it. Errors: BIRD_EIO missing,
 *   unreadable, a folder; BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_hfile_open(struct bird_source_file *out,
                                    const char *path);
/** The same for bytes, which are copied. */
BIRD_MUST_CHECK int bird_hfile_open_memory(struct bird_source_file *out,
                                           const char *name, const void *data,
                                           int64_t n);

/** "-" is standard input. Errors: BIRD_EIO missing, unreadable, a folder;
 *  BIRD_EUNSUPPORTED a 2bit or bigWig file. */
BIRD_MUST_CHECK int bird_input_open(struct bird_input *in, const char *path);

/** Open n bytes, which are copied; messages call them `name`. */
BIRD_MUST_CHECK int bird_input_open_memory(struct bird_input *in,
                                           const char *name, const void *data,
                                           int64_t n);
/** Safe on a zeroed bird_input. */
void bird_input_close(struct bird_input *in);

/**
 * Read up to cap bytes into out, their number into *n_out: 0 at the end.
 * Errors: BIRD_EIO; BIRD_EFORMAT cut short or damaged compressed data.
 */
BIRD_MUST_CHECK int bird_input_read(struct bird_input *in, void *out,
                                    int64_t cap, int64_t *n_out);

/** The file's compression. */
enum bird_input_kind bird_input_kind(const struct bird_input *in);

/** Bytes of the (compressed) file read so far. */
int64_t bird_input_tell(const struct bird_input *in);

/** Silence htslib's own messages: this library reports failures itself. */
void bird_input_hush(void);

/** Version of the htslib in use. */
const char *bird_htslib_version(void);

/** A reader of lines; start with {0}. */
struct bird_lines {
    struct bird_input in;
    struct bird_bigbed *bigbed; /* source of the lines; or NULL */
    char *part;                 /* block of the file that was read last */
    int64_t at, n;
    struct bird_text text; /* the current line, without its end */
    int64_t line;          /* its number, from 1 */
};

/** As bird_input_open(); the lines of a bigBed file are those of BED.
 *  Errors: bird_bigbed_open()'s too; bigBed from standard input. */
BIRD_MUST_CHECK int bird_lines_open(struct bird_lines *l, const char *path);
BIRD_MUST_CHECK int bird_lines_open_memory(struct bird_lines *l,
                                           const char *name, const void *data,
                                           int64_t n);
/** Safe on a zeroed one. */
void bird_lines_close(struct bird_lines *l);

/**
 * The next line (they end in LF or CRLF) into l->text. Returns 1, 0 at the
 * end, or an error. A line over 16 MiB or one with a NUL byte is BIRD_EFORMAT.
 */
BIRD_MUST_CHECK int bird_lines_next(struct bird_lines *l);

/**
 * A whole text file, decompressed. Refuses an empty one and NUL bytes.
 * Errors: as bird_input_read(); BIRD_ENOMEM. *out is then cleared.
 */
BIRD_MUST_CHECK int bird_read_file(struct bird_text *out, const char *path);

/**
 * Cut the next line off *rest, in place: NUL-terminated, without LF or CRLF.
 * NULL at the end.
 */
char *bird_next_line(char **rest);

/** Cut a line at tabs into at most `max` fields, in place; their number. */
int bird_split_tabs(char **field, int max, char *line);

/** Whole digits without sign or suffix up to `max`; 0 when it is that. */
int bird_digits(int64_t *out, const char *s, int64_t max);

#endif
