/**
 * Tables that this program wrote, read row by row with the memory of one row:
 * comment lines, names of the columns, and the kind of the table, which these
 * names give.
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
    struct bird_text about; /* comment lines without their '#', each ended by
                               LF */
    struct bird_text head;
    char **name, **field; /* (n_column) of the header, of the current row */
    int64_t n_column;
};

/**
 * Open a file and read the names of its columns; of a VCF or BCF the kind alone
 * is found out.
 * Errors: BIRD_EIO; BIRD_EFORMAT not a table
 */
BIRD_MUST_CHECK int bird_report_rows_open(struct bird_report_rows *r,
                                          const char *path);
/** Open a table of n bytes in memory, which are copied. */
BIRD_MUST_CHECK int bird_report_rows_open_memory(struct bird_report_rows *r,
                                                 const char *name,
                                                 const void *data, int64_t n);
/** Safe on a zeroed one. */
void bird_report_rows_close(struct bird_report_rows *r);

/** Read the next row into `field`. @return 1, 0 at the end, or BIRD_EFORMAT:
 *  another number of fields, with file and line. */
BIRD_MUST_CHECK int bird_report_rows_next(struct bird_report_rows *r);

/** Index of a column; -1: there is none of this name. */
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

/** A histogram, made in two passes over the values: the first finds their
 *  range, the second counts them. Start with {0}. */
struct bird_spread {
    int64_t n;
    double sum, lo, hi;                /* of the values of the first pass */
    double edge[BIRD_SPREAD_BARS + 1]; /* set by the first count */
    double bar[BIRD_SPREAD_BARS];
};

void bird_spread_see(struct bird_spread *s, double v);
/** @param by weight of the value: 1, or base pairs */
void bird_spread_count(struct bird_spread *s, double v, double by);

/** The histogram as a series of bars, whose arrays are those of s. */
struct bird_series bird_spread_bars(const struct bird_spread *s,
                                    const char *name, int colour);

/** The histogram as a chart of its own. */
void bird_spread_chart(struct bird_markup *m, const struct bird_spread *s,
                       const char *title, const char *of, const char *unit);

#endif
