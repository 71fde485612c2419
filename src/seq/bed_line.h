/**
 * BED files line by line, in the memory of one line: BED of three columns or
 * more, narrowPeak and broadPeak among them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_BED_LINE_H
#define BIRD_SEQ_BED_LINE_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/region.h"
#include "seq/input.h"

/** One line; its texts live until the next one is read. */
struct bird_bed_line {
    char *contig;
    int64_t start, end; /* 0-based half-open, start < end */
    char *name, *score; /* columns 4 and 5 as they stand, or NULL */
    char strand;        /* '+', '-' or '.' */
    int64_t line;       /* in the file, from 1 */
};

/**
 * The next line that is no comment: blank lines and those that begin with #,
 * track or browser are passed over.
 * Errors: BIRD_EIO, BIRD_EFORMAT naming file and line.
 * @return 1 with *out filled, 0 at the end, or a negative bird_status
 */
BIRD_MUST_CHECK int bird_bed_next(struct bird_lines *l,
                                  struct bird_bed_line *out);

/** Is the line blank, a comment, or a browser's setting? */
int bird_bed_is_comment(const char *line);
/** One line, cut in place, without its number. @return 1 or BIRD_EFORMAT */
BIRD_MUST_CHECK int bird_bed_parse(struct bird_bed_line *out, char *line);

/** As bird_regions_read_bed(), from what is left of an open one. */
BIRD_MUST_CHECK int bird_bed_read(bird_regions *list, struct bird_lines *l);

#endif
