/* The heat map. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "track/svg.h"
#include "track/writer.h"

#define WIDTH      1060.0
#define TOP        34.0
#define RIGHT      36.0 /* half a tick's name */
#define CHAR_WIDTH 6.4
#define N_SCALE    11
#define LETTERS    12.0 /* height of the line of letters */

static double cell_height(const struct bird_heat *h)
{
    double fit = 480 / (double)h->rows;

    return fit > 18 ? 18 : fit < 2 ? 2 : fit;
}

/* Opacity of the hue, so that the page's own ground shows through. */
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
        CHAR_WIDTH * (1 + (double)strlen(bird_number(name, limit, 3)));
    double x = WIDTH - 12 - wide - 14 * N_SCALE;

    /* name, lowest, scale, highest, side by side */
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

static void put_columns(struct bird_markup *m, const struct bird_heat *h,
                        double left, double size, double bottom)
{
    double tick[16], step = 1;
    int n =
        bird_ticks(tick, &step, 12, h->x0, h->x0 + (double)(h->columns - 1), 1);

    if (!n)
        tick[n++] = h->x0; /* a column alone */
    for (int i = 0; i < n; i++) {
        char name[BIRD_NUMBER_SIZE];

        bird_markup_put(m,
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s"
                        "</text>\n",
                        left + (tick[i] - h->x0 + 0.5) * size, bottom + 15,
                        bird_number(name, tick[i], 15)); /* in full */
    }
    bird_markup_put(m, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                    (left + WIDTH - RIGHT) / 2, bottom + 33);
    bird_markup_text(m, h->x_label);
    bird_markup_put(m, "</text>\n");
}

/* A letter below each column: a sequence. */
static void put_letters(struct bird_markup *m, const struct bird_heat *h,
                        double left, double size, double bottom)
{
    double high = size * 1.4 < 11 ? size * 1.4 : 11;

    for (int64_t j = 0; j < h->columns && high >= 4; j++) {
        bird_markup_put(m,
                        "<text x=\"%.2f\" y=\"%.1f\" text-anchor=\"middle\" "
                        "style=\"font-size:%.1fpx\">",
                        left + ((double)j + 0.5) * size, bottom + LETTERS - 1,
                        high);
        bird_markup_text_n(m, h->letters + j, 1);
        bird_markup_put(m, "</text>\n");
    }
}

static void put_row(struct bird_markup *m, const struct bird_heat *h, int64_t r,
                    const double place[3], double limit)
{
    double left = place[0], size = place[1], high = cell_height(h);
    double y = TOP + (double)r * high;
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
    double limit = h->limit, place[3] = {36, 0, 0}, bottom;

    for (int64_t r = 0; r < h->rows; r++) {
        double w = 24;

        for (const char *c = h->row_name[r]; c && *c; c++)
            w += CHAR_WIDTH * ((*c & 0xc0) != 0x80);
        place[0] = w > place[0] && cell_height(h) >= 10 ? w : place[0];
    }
    for (int64_t i = 0; !(h->limit > 0) && i < h->rows * h->columns; i++)
        if (isfinite(h->value[i]) && fabs(h->value[i]) > limit)
            limit = fabs(h->value[i]);
    if (!(limit > 0))
        limit = 1;
    place[1] = (WIDTH - RIGHT - place[0]) / (double)h->columns;
    bottom = TOP + cell_height(h) * (double)h->rows;
    bird_svg_begin(m, h->title, WIDTH,
                   bottom + 42 + (h->letters ? LETTERS : 0));
    put_scale(m, h, limit);
    bird_markup_put(m, "<g shape-rendering=\"crispEdges\">\n");
    for (int64_t r = 0; r < h->rows; r++)
        put_row(m, h, r, place, limit);
    bird_markup_put(m, "</g>\n");
    if (h->letters) {
        put_letters(m, h, place[0], place[1], bottom);
        bottom += LETTERS;
    }
    put_columns(m, h, place[0], place[1], bottom);
    bird_markup_put(m,
                    "<text transform=\"translate(13,%.1f) rotate(-90)\" "
                    "text-anchor=\"middle\">",
                    (TOP + bottom) / 2);
    bird_markup_text(m, h->y_label);
    bird_markup_put(m, "</text>\n</svg>\n");
}

const struct bird_format bird_format_svg = {
    .name = "svg",
    .suffixes = ".svg",
    .about = "a heat map with the sequence",
    .commands = BIRD_WRITES(BIRD_TRACK_MUTATE),
    .content = BIRD_CONTENT_PICTURE,
};
