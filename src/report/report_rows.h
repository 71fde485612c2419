/**
 * Tables that this program wrote, row by row in the memory of one: lines about
 * them, the names of the columns, and what they must be by these names.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_REPORT_REPORT_ROWS_H
#define BIRD_REPORT_REPORT_ROWS_H

#include <stdint.h>

#include "seq/input.h"
#include "track/page.h"

enum bird_report_kind {
    BIRD_REPORT_TABLE,    /* any other: metrics */
    BIRD_REPORT_TRAINING, /* step, and numbers */
    BIRD_REPORT_ANSWERS,  /* name, label, probability */
    BIRD_REPORT_CALLS,    /* intervals with a probability and a summit */
    BIRD_REPORT_VALUES,   /* intervals with a value */
    BIRD_REPORT_WINDOWS,  /* intervals of both strands with a probability */
    BIRD_REPORT_BINS,     /* intervals with a column a feature */
    BIRD_REPORT_ALLELES   /* CHROM, POS, REF, ALT; a VCF or BCF too */
};

/** Start with {0}. */
struct bird_report_rows {
    struct bird_lines lines;
    const char *path;
    enum bird_report_kind kind;
    struct bird_text about; /* lines of '#', without it, an LF behind each */
    struct bird_text head;
    char **name, **field; /* (n_column) of the header, of the row at hand */
    int64_t n_column;
};

/**
 * Open a file and read up to the names of its columns; of a VCF or BCF nothing
 * but its kind.
 * Errors: BIRD_EIO; BIRD_EFORMAT it is no table
 */
BIRD_MUST_CHECK int bird_report_rows_open(struct bird_report_rows *r,
                                          const char *path);
/** The same over n bytes in memory, which are copied: of a table. */
BIRD_MUST_CHECK int bird_report_rows_open_memory(struct bird_report_rows *r,
                                                 const char *name,
                                                 const void *data, int64_t n);
/** Safe on a zeroed one. */
void bird_report_rows_close(struct bird_report_rows *r);

/** The next row, cut into field. Returns 1, 0 at the end; BIRD_EFORMAT another
 *  number of fields, with file and line. */
BIRD_MUST_CHECK int bird_report_rows_next(struct bird_report_rows *r);

/** Index of a column; -1. */
int64_t bird_report_rows_column(const struct bird_report_rows *r,
                                const char *name);

/** A field as a number; NaN: ".", "NA", empty.
 *  Errors: BIRD_EFORMAT with file, line and column. */
BIRD_MUST_CHECK int bird_report_rows_number(double *out,
                                            const struct bird_report_rows *r,
                                            int64_t column);
BIRD_MUST_CHECK int bird_report_rows_place(int64_t *out,
                                           const struct bird_report_rows *r,
                                           int64_t column);

/* --- how values are spread ------------------------------------------------ */

enum { BIRD_SPREAD_BARS = 20 };

/** A histogram in two passes: see all values, then count them. Start with
 *  {0}. */
struct bird_spread {
    int64_t n;
    double sum, lo, hi;                /* of those seen */
    double edge[BIRD_SPREAD_BARS + 1]; /* set by the first count */
    double bar[BIRD_SPREAD_BARS];
};

void bird_spread_see(struct bird_spread *s, double v);
/** @param by how much it counts: 1, or base pairs */
void bird_spread_count(struct bird_spread *s, double v, double by);

/** A series of bars, which live in s. */
struct bird_series bird_spread_bars(const struct bird_spread *s,
                                    const char *name, int colour);

/** The histogram as a chart of its own. */
void bird_spread_chart(struct bird_markup *m, const struct bird_spread *s,
                       const char *title, const char *of, const char *unit);

#endif
