/**
 * BED line by line: three columns or more, narrowPeak and broadPeak too.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_BED_LINE_H
#define BIRD_SEQ_BED_LINE_H

#include <stdint.h>

#include "dnabird/error.h"
#include "seq/input.h"

/** One line; its strings are valid until the next one is read. */
struct bird_bed_line {
    char *contig;
    int64_t start, end; /* 0-based half-open, start < end */
    char *name, *score; /* columns 4 and 5 as text, or NULL */
    char strand;        /* '+', '-' or '.' */
    int64_t line;       /* in the file, from 1 */
};

/**
 * The next line of data: blank lines and lines that begin with #, track or
 * browser are skipped.
 * Errors: BIRD_EIO, BIRD_EFORMAT naming file and line.
 * @return 1 with *out filled, 0 at the end, or a negative bird_status
 */
BIRD_MUST_CHECK int bird_bed_next(struct bird_lines *l,
                                  struct bird_bed_line *out);

/** Is the line blank, or does it begin with #, track or browser? */
int bird_bed_is_comment(const char *line);

/** Parse a line in place; out->line is not set. @return 1 or BIRD_EFORMAT
 *  @param is_bigbed columns after the third may hold anything */
BIRD_MUST_CHECK int bird_bed_parse(struct bird_bed_line *out, char *line,
                                   int is_bigbed);

#endif
