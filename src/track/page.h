/**
 * Pages and pictures: markup in which all text from outside is escaped, inline
 * SVG (curves, steps, dots, histograms, heat maps, logos), self-contained HTML.
 *
 * Once `rc` is set, all functions do nothing: a page is written from top to
 * bottom and checked once. The output is well-formed XML and depends on the
 * arguments alone. It loads nothing; one small script sorts tables, which are
 * complete without it. Colours follow the reader's light or dark scheme by
 * custom properties, with a fixed colour for programs that do not know these
 * (librsvg, most editors). Tooltips (<title>) show values.
 *
 * Values that are NaN, infinite or beyond 1e300 are missing: a curve has a gap
 * there. Names and labels may hold any bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_PAGE_H
#define BIRD_TRACK_PAGE_H

#include <stdint.h>

#include "base/text.h"

/* --- markup -------------------------------------------------------------- */

/** Start with {0}; free `text` with bird_text_free(). */
struct bird_markup {
    struct bird_text text;
    int rc;      /* the first failure (BIRD_ENOMEM), or 0 */
    int in_body; /* rows of a table were put */
};

/** As printf, without escaping: for this program's own markup and numbers. */
void bird_markup_put(struct bird_markup *m, const char *fmt, ...)
    BIRD_PRINTF(2, 3);

/**
 * Put a text from outside: & < > " ' become references, so that attributes may
 * contain it; bytes that are not UTF-8 and characters that XML does not
 * allow become U+FFFD. NULL is an empty text.
 */
void bird_markup_text(struct bird_markup *m, const char *s);
void bird_markup_text_n(struct bird_markup *m, const char *s, int64_t n);

/** Bytes that the number functions write at most. */
enum { BIRD_NUMBER_SIZE = 40 };

/**
 * Write a number for readers, with `digits` significant digits: whole numbers
 * with commas, small ones as 3e-4, NaN and infinities as "NA". Returns out.
 */
char *bird_number(char out[BIRD_NUMBER_SIZE], double v, int digits);

/** "v (lo - hi)" with an en dash, without an interval v alone; in
 *  BIRD_INTERVAL_SIZE bytes. Returns out. */
enum { BIRD_INTERVAL_SIZE = 3 * BIRD_NUMBER_SIZE + 8 };
char *bird_interval_text(char out[BIRD_INTERVAL_SIZE], double v, double lo,
                         double hi);

/**
 * Choose tick marks of an axis: multiples of 1, 2 or 5 times a power of ten.
 *
 * @param[out] tick  (most) rising, all within lo .. hi
 * @param[out] step  their distance, for bird_tick_name()
 * @param whole  1: whole numbers only
 * @return their number; 1 .. most when lo < hi are finite, else 0
 */
int bird_ticks(double *tick, double *step, int most, double lo, double hi,
               int whole);

/** A mark's name with as many decimals as the step needs. Returns out. */
char *bird_tick_name(char out[BIRD_NUMBER_SIZE], double v, double step);

/* --- pictures ------------------------------------------------------------ */

/** Width of a character of a picture's text, at most, on average: pictures are
 *  laid out without knowing the reader's font. */
#define BIRD_CHAR_WIDTH 7.4

enum bird_mark {
    BIRD_LINE,  /* straight from point to point */
    BIRD_STEP,  /* horizontal to the next point's x: PR curves, ECDF */
    BIRD_DOTS,  /* points without a line */
    BIRD_BARS,  /* a histogram: x are n + 1 rising edges, y n heights */
    BIRD_STEMS, /* a dot on a line from 0 for each point: lollipops */
    BIRD_FAINT, /* a thin line below the others, without tooltips */
    BIRD_DASHED /* a reference, such as a diagonal; without tooltips */
};

/** Arrays are the caller's; x rising where the mark is a line. */
struct bird_series {
    const char *name; /* in the legend and in tooltips; NULL: in neither */
    const double *x, *y;
    int64_t n;
    enum bird_mark mark;
    int colour; /* 0 .. BIRD_N_COLOUR-1 */
};

enum { BIRD_N_COLOUR = 6 };

/** lo and hi are NaN to take them from the data (with a margin). */
struct bird_axis {
    const char *label; /* with its unit */
    double lo, hi;
    int from_zero; /* the axis holds 0 */
    int whole;     /* marks at whole numbers only, named in full */
};

struct bird_chart {
    const char *title;
    struct bird_axis x, y;
    const struct bird_series *series; /* (n_series), the first on top */
    int64_t n_series;
    double mark_x; /* a dashed upright line, NaN: none */
    const char *mark_name;
    int square; /* 1: as high as it is wide, for ROC curves */
    int wide;   /* twice as wide: along a sequence */
};

/** Fill with a chart whose limits come from the data. */
void bird_chart_default(struct bird_chart *c);

/** When no series has a value, the axes contain the text "no values yet". */
void bird_svg_chart(struct bird_markup *m, const struct bird_chart *c);

/** A named interval of columns below a heat map: a motif, an exon. */
struct bird_named_span {
    int64_t from, to; /* columns from .. to - 1, from 0; may reach beyond */
    const char *name; /* beside it, short */
    const char *note; /* in its tooltip and, in a line, below the picture */
};

/**
 * A heat map: one hue for values above 0, another for values below, paler
 * towards 0; NaN is grey.
 */
struct bird_heat {
    const char *title, *x_label, *y_label;
    const char *value_name;       /* in tooltips and beside the scale */
    const double *value;          /* (rows, columns) */
    int64_t rows, columns;        /* each >= 1 */
    const char *const *row_name;  /* (rows) */
    const char *const *column_at; /* (columns) for tooltips, or NULL: numbers */
    double x0;                    /* number of the first column */
    double limit;      /* |value| of the strongest colour; 0: the largest */
    const char *bases; /* (columns) one below each, where it fits; or
                            NULL */
    const struct bird_named_span *span; /* (n_span), most important first */
    int64_t n_span;
};
enum { BIRD_SPAN_ROWS = 6 };

void bird_svg_heat(struct bird_markup *m, const struct bird_heat *h);

/** A word of a logo over the columns it covers. */
struct bird_logo_word {
    int64_t first, n; /* columns; n letters */
    const char *text; /* (n), not ended; A, C, G and T are drawn */
    double value;     /* height, below the axis where negative; NAN: none */
};

/** A logo: bases as high as their values. */
struct bird_logo {
    const char *title, *x_label, *y_label;
    const struct bird_logo_word *word; /* (n_word) */
    int64_t n_word, columns;           /* columns >= 1 */
    double x0;                         /* number of the first column */
};

void bird_svg_logo(struct bird_markup *m, const struct bird_logo *l);

/** The opening tag and the title of an SVG, for other kinds of pictures. */
void bird_svg_begin(struct bird_markup *m, const char *title, double width,
                    double height);

/** Numbers of n columns, `size` wide each, below `bottom`, and a label. */
struct bird_columns {
    double left, size, bottom, x0;
    int64_t n;
    const char *label;
};
void bird_svg_columns(struct bird_markup *m, const struct bird_columns *c);

/** CSS for pictures: the inside of <style>. */
void bird_svg_style(struct bird_markup *m);

/* --- pages --------------------------------------------------------------- */

/** Head, style, and a heading with a line below it (NULL: none). */
void bird_html_begin(struct bird_markup *m, const char *title,
                     const char *below);
void bird_html_end(struct bird_markup *m);

/** An element with a class (NULL: none), and its end. */
void bird_html_open(struct bird_markup *m, const char *tag,
                    const char *class_name);
void bird_html_close(struct bird_markup *m, const char *tag);

/** A section, to be closed; `note`, a sentence below its heading, may be
 *  NULL. */
void bird_html_section(struct bird_markup *m, const char *title,
                       const char *note);

/** A section that is folded (details) until the reader opens it. */
void bird_html_folded(struct bird_markup *m, const char *title);

/** A heading within a section. */
void bird_html_heading(struct bird_markup *m, const char *title);

/** An element that scrolls sideways if it is too wide, by the keyboard too;
 *  screen readers read `name`. */
void bird_html_open_scroll(struct bird_markup *m, const char *tag,
                           const char *class_name, const char *name);

/** A chart in a div of class "figures", where charts are side by side if they
 *  fit. A wide chart goes outside of the div. */
void bird_html_chart(struct bird_markup *m, const struct bird_chart *c);

/** A large number and its description, in a div of class "tiles". */
void bird_html_tile(struct bird_markup *m, const char *value, const char *what);

/**
 * A table: begin, an optional head, rows, end; caption may be NULL. Numbers are
 * aligned right, and so are names in the head from column n_text on. A table
 * with a head can be sorted by its columns.
 */
void bird_html_table(struct bird_markup *m, const char *caption);
void bird_html_head(struct bird_markup *m, const char *const *cell, int64_t n,
                    int64_t n_text);
void bird_html_row(struct bird_markup *m, const char *const *cell, int64_t n);
/** A row of a name and a value, for tables of settings. */
void bird_html_pair(struct bird_markup *m, const char *name, const char *value);
void bird_html_table_end(struct bird_markup *m);

void bird_html_paragraph(struct bird_markup *m, const char *text);

#endif
