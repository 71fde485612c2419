/**
 * Named intervals (motifs, exons) below the columns of a picture, in as few
 * rows as they fit into.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_SPAN_ROWS_H
#define BIRD_TRACK_SPAN_ROWS_H

#include "track/page.h"

enum { BIRD_SPANS_SHOWN = 64 };

/** Where the intervals of a picture are put. */
struct bird_span_rows {
    double left, size, right;  /* left edge of the first column, width of a
                                   column, right edge of the picture */
    double high, notes_high;   /* height of all rows, and of the notes below */
    int row[BIRD_SPANS_SHOWN]; /* row of each interval; -1: it does not fit */
    int64_t left_out;          /* how many do not fit */
};

/** Put each interval into the first row into which it and its name fit. */
void bird_span_rows_lay(struct bird_span_rows *l, const struct bird_heat *h,
                        double left, double size, double right);

/** Write the intervals from y on; and their notes, one line each. */
void bird_span_rows_put(struct bird_markup *m, const struct bird_heat *h,
                        const struct bird_span_rows *l, double y);
void bird_span_rows_put_notes(struct bird_markup *m, const struct bird_heat *h,
                              const struct bird_span_rows *l, double y);

#endif
