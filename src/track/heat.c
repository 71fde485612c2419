/* Heat maps as SVG: one rectangle for each value, column numbers and bases
 * below, then named intervals. The hue's opacity shows the value, so that the
 * page's background and its light or dark scheme stay visible.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "track/page.h"
#include "track/span_rows.h"

#define HEAT_WIDTH 1060.0
#define HEAT_TOP   34.0
#define HEAT_RIGHT 36.0 /* half the width of a tick's name */
#define N_SCALE    11
#define BASES      12.0 /* height of the row of bases */

static double cell_height(const struct bird_heat *h)
{
    double fit = 480 / (double)h->rows;

    return fit > 18 ? 18 : fit < 2 ? 2 : fit;
}

/* The hue's opacity is the value; NaN has a class of its own. */
static void put_cell(struct bird_markup *m, double v, double limit)
{
    double f = fabs(v) / limit;

    if (!isfinite(v))
        bird_markup_put(m, "class=\"none\"");
    else
        bird_markup_put(m, "class=\"%s\" fill-opacity=\"%.3f\"",
                        v < 0 ? "down" : "up", f > 1 ? 1 : f);
}

static void put_scale(struct bird_markup *m, const struct bird_heat *h,
                      double limit)
{
    char name[BIRD_NUMBER_SIZE];
    double wide =
        BIRD_CHAR_WIDTH * (1 + (double)strlen(bird_number(name, limit, 3)));
    double x = HEAT_WIDTH - 12 - wide - 14 * N_SCALE;

    /* from left to right: name, lowest, scale, highest */
    bird_markup_put(m, "<text x=\"%.1f\" y=\"15\" text-anchor=\"end\">",
                    x - 16 - wide);
    bird_markup_text(m, h->value_name);
    bird_markup_put(m,
                    "</text><text x=\"%.1f\" y=\"15\" text-anchor=\"end\">"
                    "-%s</text>\n",
                    x - 4, name);
    for (int i = 0; i < N_SCALE; i++) {
        bird_markup_put(m,
                        "<rect x=\"%.1f\" y=\"5\" width=\"14\" "
                        "height=\"12\" ",
                        x + 14 * i);
        put_cell(m, limit * (2.0 * i / (N_SCALE - 1) - 1), limit);
        bird_markup_put(m, "/>");
    }
    bird_markup_put(m, "<text x=\"%.1f\" y=\"15\">+%s</text>\n",
                    x + 14 * N_SCALE + 4, name);
}

void bird_svg_columns(struct bird_markup *m, const struct bird_columns *c)
{
    double tick[16], step = 1;
    int n = bird_ticks(tick, &step, 12, c->x0, c->x0 + (double)(c->n - 1), 1);

    if (!n)
        tick[n++] = c->x0; /* a single column */
    for (int i = 0; i < n; i++) {
        char name[BIRD_NUMBER_SIZE];

        bird_markup_put(m,
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s"
                        "</text>\n",
                        c->left + (tick[i] - c->x0 + 0.5) * c->size,
                        c->bottom + 15,
                        bird_number(name, tick[i], 15)); /* all digits */
    }
    bird_markup_put(m, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                    c->left + (double)c->n * c->size / 2, c->bottom + 33);
    bird_markup_text(m, c->label);
    bird_markup_put(m, "</text>\n");
}

/* The base below each column. */
static void put_bases(struct bird_markup *m, const struct bird_heat *h,
                      double left, double size, double bottom)
{
    double high = size * 1.4 < 11 ? size * 1.4 : 11;

    for (int64_t j = 0; j < h->columns && high >= 4; j++) {
        bird_markup_put(m,
                        "<text x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\" "
                        "style=\"font-size:%.1fpx\">",
                        left + ((double)j + 0.5) * size, bottom + BASES - 1,
                        high);
        bird_markup_text_n(m, h->bases + j, 1);
        bird_markup_put(m, "</text>\n");
    }
}

static void put_row(struct bird_markup *m, const struct bird_heat *h, int64_t r,
                    const double layout[3], double limit)
{
    double left = layout[0], size = layout[1], high = cell_height(h);
    double y = HEAT_TOP + (double)r * high;
    char number[BIRD_NUMBER_SIZE];

    if (high >= 10) {
        bird_markup_put(m, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
                        left - 6, y + high / 2 + 4);
        bird_markup_text(m, h->row_name[r]);
        bird_markup_put(m, "</text>\n");
    }
    for (int64_t j = 0; j < h->columns; j++) {
        double v = h->value[r * h->columns + j];

        bird_markup_put(m,
                        "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
                        "height=\"%.1f\" ",
                        left + (double)j * size, y, size, high);
        put_cell(m, v, limit);
        bird_markup_put(m, "><title>");
        if (h->column_at)
            bird_markup_text(m, h->column_at[j]);
        else
            bird_markup_put(m, "%s", bird_number(number, h->x0 + (double)j, 4));
        bird_markup_put(m, " ");
        bird_markup_text(m, h->row_name[r]);
        bird_markup_put(m, ": %s</title></rect>\n", bird_number(number, v, 4));
    }
}

void bird_svg_heat(struct bird_markup *m, const struct bird_heat *h)
{
    double limit = h->limit, layout[3] = {36, 0, 0}, bottom;
    struct bird_span_rows spans;

    for (int64_t r = 0; r < h->rows; r++) {
        double w = 24;

        for (const char *c = h->row_name[r]; c && *c; c++)
            w += BIRD_CHAR_WIDTH * ((*c & 0xc0) != 0x80);
        layout[0] = w > layout[0] && cell_height(h) >= 10 ? w : layout[0];
    }
    for (int64_t i = 0; !(h->limit > 0) && i < h->rows * h->columns; i++)
        if (isfinite(h->value[i]) && fabs(h->value[i]) > limit)
            limit = fabs(h->value[i]);
    if (!(limit > 0))
        limit = 1;
    layout[1] = (HEAT_WIDTH - HEAT_RIGHT - layout[0]) / (double)h->columns;
    bottom = HEAT_TOP + cell_height(h) * (double)h->rows;
    bird_span_rows_lay(&spans, h, layout[0], layout[1], HEAT_WIDTH);
    bird_svg_begin(m, h->title, HEAT_WIDTH,
                   bottom + 42 + (h->bases ? BASES : 0) + spans.high +
                       spans.notes_high);
    put_scale(m, h, limit);
    bird_markup_put(m, "<g shape-rendering=\"crispEdges\">\n");
    for (int64_t r = 0; r < h->rows; r++)
        put_row(m, h, r, layout, limit);
    bird_markup_put(m, "</g>\n");
    if (h->bases) {
        put_bases(m, h, layout[0], layout[1], bottom);
        bottom += BASES;
    }
    bird_span_rows_put(m, h, &spans, bottom);
    bird_svg_columns(m, &(struct bird_columns){layout[0], layout[1],
                                               bottom + spans.high, h->x0,
                                               h->columns, h->x_label});
    bird_span_rows_put_notes(m, h, &spans, bottom + spans.high + 42);
    bird_markup_put(m,
                    "<text transform=\"translate(13,%.1f) rotate(-90)\" "
                    "text-anchor=\"middle\">",
                    (HEAT_TOP + bottom) / 2);
    bird_markup_text(m, h->y_label);
    bird_markup_put(m, "</text>\n</svg>\n");
}
