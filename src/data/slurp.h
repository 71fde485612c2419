/**
 * A whole text file in memory, decompressed, and its lines and fields.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_SLURP_H
#define BIRD_TRAIN_SLURP_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

/**
 * Plain, gzip or bgzip; "-" is standard input. Refuses a gzip cut short, an
 * empty file, and NUL bytes (a binary file).
 * Errors: BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM; *out is cleared.
 */
BIRD_MUST_CHECK int bird_slurp(struct bird_text *out, const char *path);

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
