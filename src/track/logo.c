/* Logos as SVG: bases as high as their values. Bases are outlines, not text,
 * since text would not fill its box when a program lacks the font.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "track/page.h"

#define WIDTH  1060.0
#define RIGHT  36.0
#define LEFT   64.0
#define TOP    34.0
#define HEIGHT 160.0

/* Outlines in a box of 1 x 1. The colours are those that most logos use, from
 * the palette in svg.c. */
static const struct letter {
    char base;
    const char
        *fill; /* a colour, and the variable of the light or dark scheme */
    const char *path;
} glyphs[] = {
    {'A', "fill:#00845f;fill:var(--c2)",
     "M0,1L.39,0H.61L1,1H.79L.71,.77H.29L.21,1ZM.35,.6H.65L.5,.18Z"},
    {'C', "fill:#0072b2;fill:var(--c0)",
     "M.894,.192A.5,.5 0 1 0 .894,.808L.736,.709A.3,.34 0 1 1 .736,.291Z"},
    {'G', "fill:#b07800;fill:var(--c4)",
     "M.894,.192A.5,.5 0 1 0 .894,.808L.736,.709A.3,.34 0 1 1 .736,.291Z"
     "M.54,.48V.64H.76V.86H.96V.48Z"},
    {'T', "fill:#d55e00;fill:var(--c1)", "M0,0H1V.18H.61V1H.39V.18H0Z"},
};

static const struct letter *find_letter(char base)
{
    for (size_t i = 0; i < sizeof(glyphs) / sizeof(*glyphs); i++)
        if (glyphs[i].base == (base & ~0x20))
            return &glyphs[i];
    return NULL;
}

static int is_shown(double v)
{
    return isfinite(v) && fabs(v) < 1e300;
}

/* Find lo <= 0 <= hi that enclose all values. */
static void find_range(double *lo, double *hi, const struct bird_logo *l)
{
    *lo = *hi = 0;
    for (int64_t i = 0; i < l->n_word; i++) {
        double v = l->word[i].value;

        if (is_shown(v)) {
            *lo = v < *lo ? v : *lo;
            *hi = v > *hi ? v : *hi;
        }
    }
    if (!(*hi > *lo))
        *hi = 1;
}

/* Bases with negative values are upside down below the axis. */
static void put_word(struct bird_markup *m, const struct bird_logo *l,
                     const struct bird_logo_word *w, double size, double zero,
                     double scale)
{
    char number[BIRD_NUMBER_SIZE];

    bird_markup_put(m, "<g><title>%s ",
                    bird_number(number, l->x0 + (double)w->first, 15));
    bird_markup_text_n(m, w->text, w->n);
    bird_markup_put(m, ": %s</title>", bird_number(number, w->value, 4));
    for (int64_t i = 0; i < w->n; i++) {
        const struct letter *c = find_letter(w->text[i]);

        if (c)
            bird_markup_put(
                m,
                "<path style=\"%s\" transform=\"translate(%.2f,%.2f) "
                "scale(%.3f,%.3f)\" d=\"%s\"/>",
                c->fill, LEFT + (double)(w->first + i) * size + 0.02 * size,
                zero - w->value * scale, 0.96 * size, w->value * scale,
                c->path);
    }
    bird_markup_put(m, "</g>\n");
}

void bird_svg_logo(struct bird_markup *m, const struct bird_logo *l)
{
    double size = (WIDTH - LEFT - RIGHT) / (double)l->columns, lo, hi, scale;
    double tick[8], step = 1, bottom = TOP + HEIGHT, zero;
    char name[BIRD_NUMBER_SIZE];
    int n;

    find_range(&lo, &hi, l);
    scale = HEIGHT / (hi - lo);
    zero = TOP + hi * scale;
    n = bird_ticks(tick, &step, 5, lo, hi, 0);
    bird_svg_begin(m, l->title, WIDTH, bottom + 42);
    for (int i = 0; i < n; i++)
        bird_markup_put(m,
                        "<path class=\"%s\" d=\"M%.1f,%.1fH%.1f\"/>"
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s"
                        "</text>\n",
                        tick[i] == 0 ? "axis" : "grid", LEFT,
                        zero - tick[i] * scale, WIDTH - RIGHT, LEFT - 6,
                        zero - tick[i] * scale + 4,
                        bird_tick_name(name, tick[i], step));
    for (int64_t i = 0; i < l->n_word; i++)
        if (is_shown(l->word[i].value))
            put_word(m, l, &l->word[i], size, zero, scale);
    bird_svg_columns(m, &(struct bird_columns){LEFT, size, bottom, l->x0,
                                               l->columns, l->x_label});
    bird_markup_put(m,
                    "<text transform=\"translate(13,%.1f) rotate(-90)\" "
                    "text-anchor=\"middle\">",
                    TOP + HEIGHT / 2);
    bird_markup_text(m, l->y_label);
    bird_markup_put(m, "</text>\n</svg>\n");
}
