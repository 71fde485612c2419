/**
 * Pictures as inline SVG: curves, steps, dots, histograms, and heat maps.
 *
 * A picture scales to the width it is given. Colours come from the custom
 * properties and classes of bird_svg_style(), which follow the reader's light
 * or dark scheme, and have one value besides for programs that know no custom
 * properties (librsvg, most editors); html.h puts that into a page. Values are read in tooltips
 * (<title>); no script is involved. The output is well-formed XML and a
 * function of the arguments alone.
 *
 * Values that are NaN, infinite or beyond 1e300 are missing: a curve has a
 * gap there. Names and labels may hold any bytes; they are escaped.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_SVG_H
#define BIRD_TRACK_SVG_H

#include <stdint.h>

#include "track/markup.h"

enum bird_form {
    BIRD_LINE,  /* straight from point to point */
    BIRD_STEP,  /* level from a point's x to the next one's: PR curves, ECDF */
    BIRD_DOTS,  /* points alone */
    BIRD_BARS,  /* a histogram: x are n + 1 rising edges, y n heights */
    BIRD_FAINT, /* a thin line behind the others, without tooltips */
    BIRD_DASHED /* a reference, such as a diagonal; without tooltips */
};

/** Arrays are the caller's; x rising where the form is a line. */
struct bird_series {
    const char *name; /* in the legend and in tooltips; NULL: in neither */
    const double *x, *y;
    int64_t n;
    enum bird_form form;
    int colour; /* 0 .. BIRD_N_COLOUR-1 */
};

enum { BIRD_N_COLOUR = 6 };

/** lo and hi are NaN to take them from the data (with some room). */
struct bird_axis {
    const char *label; /* with its unit */
    double lo, hi;
    int from_zero; /* the axis holds 0 */
    int whole;     /* marks at whole numbers only */
};

struct bird_chart {
    const char *title;
    struct bird_axis x, y;
    const struct bird_series *series; /* (n_series), the first in front */
    int64_t n_series;
    double mark_x; /* a dashed upright line, NaN: none */
    const char *mark_name;
    int square; /* as high as it is wide: ROC and the like */
};

/** A chart without limits of its own. */
void bird_chart_default(struct bird_chart *c);

/** Without a value in any series the axes are drawn with "no values yet". */
void bird_svg_chart(struct bird_markup *m, const struct bird_chart *c);

/**
 * A heat map: one hue above 0, another below, paler towards 0; NaN is grey.
 */
struct bird_heat {
    const char *title, *x_label, *y_label;
    const char *value_name;       /* in tooltips and beside the scale */
    const double *value;          /* (rows, columns) */
    int64_t rows, columns;        /* each >= 1 */
    const char *const *row_name;  /* (rows) */
    const char *const *column_at; /* (columns) for tooltips, or NULL: numbers */
    double x0;                    /* number of the first column */
    double limit; /* the strongest colour is here and at -limit; 0: data's */
    const char *letters; /* (columns) one below each, where there is room; or
                            NULL */
};

void bird_svg_heat(struct bird_markup *m, const struct bird_heat *h);

/** The opening tag and the title; for pictures of a kind of their own. */
void bird_svg_begin(struct bird_markup *m, const char *title, double width,
                    double height);

/** CSS for pictures: what stands inside <style>. */
void bird_svg_style(struct bird_markup *m);

#endif
