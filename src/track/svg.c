/* Charts as SVG: axes, legend and curves, and their style. For each column of
 * pixels a curve keeps its first, lowest, highest and last value, so that a
 * million points take no more bytes than a thousand.
 * SPDX-License-Identifier: MIT */
#include "track/page.h"

#include <math.h>
#include <string.h>

#include "track/writer.h"

/* Sizes in units of the picture, which are pixels at its natural width. */
#define WIDTH        440.0
#define WIDE         1060.0
#define HEIGHT       270.0
#define SQUARE       430.0 /* height of a square chart */
#define LEGEND_LINE  18.0
#define MARK_LINE    13.0
#define RIGHT        22.0 /* half the width of a tick's name */
#define MOST_TICKS   8
#define MOST_SPOTS   120 /* tooltips along a curve */
#define VISIBLE_DOTS 40  /* a curve of fewer points has dots */

struct plot {
    struct bird_markup *m;
    const struct bird_chart *c;
    double left, top, w,
        h;                 /* the area of the curves, in units of the picture */
    double x0, x1, y0, y1; /* the values at its edges */
    double width, height;  /* of the picture */
    int empty;
};

static int is_value(double v)
{
    return isfinite(v) && fabs(v) <= 1e300;
}

void bird_chart_default(struct bird_chart *c)
{
    *c = (struct bird_chart){.x = {.lo = (double)NAN, .hi = (double)NAN},
                             .y = {.lo = (double)NAN, .hi = (double)NAN},
                             .mark_x = (double)NAN};
}

static double at_x(const struct plot *p, double x)
{
    double f = (x - p->x0) / (p->x1 - p->x0);

    return p->left + p->w * (f < 0 ? 0 : f > 1 ? 1 : f);
}

static double at_y(const struct plot *p, double y)
{
    double f = (y - p->y0) / (p->y1 - p->y0);

    return p->top + p->h * (1 - (f < 0 ? 0 : f > 1 ? 1 : f));
}

/* Histograms have one more edge than values. */
static int64_t n_x(const struct bird_series *s)
{
    return s->n + (s->mark == BIRD_BARS && s->n > 0);
}

static void widen(double *lo, double *hi, const double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (is_value(v[i])) {
            *lo = v[i] < *lo ? v[i] : *lo;
            *hi = v[i] > *hi ? v[i] : *hi;
        }
}

/* Choose the limits of the axis from those of the data. */
static void set_limits(double *lo, double *hi, const struct bird_axis *a,
                       double margin)
{
    double size;

    if (a->from_zero) {
        *lo = *lo > 0 ? 0 : *lo;
        *hi = *hi < 0 ? 0 : *hi;
    }
    size = *hi - *lo;
    if (!(size > 0)) { /* one value, or none */
        double v = *lo <= *hi ? fabs(*lo) : 0;

        size = a->whole ? 2 : v > 0 ? 0.2 * v : 1;
        *lo = *lo <= *hi ? *lo - size / 2 : 0;
        *hi = *lo + size;
    } else {
        *lo -= a->from_zero && *lo == 0 ? 0 : margin * size;
        *hi += a->from_zero && *hi == 0 ? 0 : margin * size;
    }
    *lo = isnan(a->lo) ? *lo : a->lo;
    *hi = isnan(a->hi) ? *hi : a->hi;
    if (!(*lo < *hi))
        *hi = *lo + 1;
}

static void find_limits(struct plot *p)
{
    struct bird_axis y = p->c->y;

    p->x0 = p->y0 = HUGE_VAL;
    p->x1 = p->y1 = -HUGE_VAL;
    for (int64_t i = 0; i < p->c->n_series; i++) {
        const struct bird_series *s = &p->c->series[i];

        widen(&p->x0, &p->x1, s->x, n_x(s));
        widen(&p->y0, &p->y1, s->y, s->n);
        y.from_zero |= s->mark == BIRD_BARS || s->mark == BIRD_STEMS;
    }
    p->empty = p->y0 > p->y1;
    set_limits(&p->x0, &p->x1, &p->c->x, 0);
    set_limits(&p->y0, &p->y1, &y, 0.06);
}

/* Counts characters, not bytes; wide characters may be longer than this. */
static double text_width(const char *s)
{
    int64_t n = 0;

    for (; s && *s; s++)
        n += (*s & 0xc0) != 0x80;
    return BIRD_CHAR_WIDTH * (double)n;
}

/* Width of a legend's entry, at most one line. */
static double entry_width(const struct plot *p, const struct bird_series *s)
{
    double size = 26 + text_width(s->name), most = p->width - p->left;

    return size < most ? size : most;
}

/* Find where the next entry of the legend goes, and count its lines. */
static double legend_next(const struct plot *p, double *x, int *line,
                          const struct bird_series *s)
{
    double size = entry_width(p, s), at;

    if (*x > p->left && *x + size > p->width) {
        *x = p->left;
        ++*line;
    }
    at = *x;
    *x += size + 10;
    return at;
}

static int legend_lines(const struct plot *p)
{
    double x = p->left;
    int line = 0, any = 0;

    for (int64_t i = 0; i < p->c->n_series; i++)
        if (p->c->series[i].name) {
            legend_next(p, &x, &line, &p->c->series[i]);
            any = 1;
        }
    return any ? line + 1 : 0;
}

/* Put as much of a text as fits; if it is cut, a tooltip has all of it. */
static void put_short(struct bird_markup *m, const char *s, double room)
{
    int64_t most = (int64_t)(room / BIRD_CHAR_WIDTH), n = 0, bytes = 0;

    if (text_width(s) <= room) {
        bird_markup_text(m, s);
        return;
    }
    for (; s[bytes] && (n < most || (s[bytes] & 0xc0) == 0x80); bytes++)
        n += (s[bytes] & 0xc0) != 0x80;
    bird_markup_text_n(m, s, bytes);
    bird_markup_put(m, "\xe2\x80\xa6<title>");
    bird_markup_text(m, s);
    bird_markup_put(m, "</title>");
}

static void put_legend(struct plot *p)
{
    double x = p->left;
    int line = 0;

    for (int64_t i = 0; i < p->c->n_series; i++) {
        const struct bird_series *s = &p->c->series[i];
        double at, y;

        if (!s->name)
            continue;
        at = legend_next(p, &x, &line, s);
        y = 40 + LEGEND_LINE * line;
        if (s->mark == BIRD_DOTS || s->mark == BIRD_BARS ||
            s->mark == BIRD_STEMS)
            bird_markup_put(p->m,
                            "<rect class=\"%s s%d\" x=\"%.1f\" y=\"%.1f\" "
                            "width=\"8\" height=\"8\"/>",
                            s->mark == BIRD_BARS ? "bar" : "dot", s->colour,
                            at + 8, y - 8);
        else
            bird_markup_put(p->m,
                            "<path class=\"curve%s s%d\" "
                            "d=\"M%.1f,%.1fh14\"/>",
                            s->mark == BIRD_FAINT    ? " faint"
                            : s->mark == BIRD_DASHED ? " dash"
                                                     : "",
                            s->colour, at + 2, y - 4);
        bird_markup_put(p->m, "<text x=\"%.1f\" y=\"%.1f\">", at + 21, y);
        put_short(p->m, s->name, p->width - p->left - 26);
        bird_markup_put(p->m, "</text>\n");
    }
}

/* Positions and steps have all digits: 43,123,000 and not 4.3e7. */
static char *x_name(char out[BIRD_NUMBER_SIZE], const struct plot *p, double v,
                    double step)
{
    return p->c->x.whole ? bird_number(out, v, 15)
                         : bird_tick_name(out, v, step);
}

/* Right end of a mark's name, which is centred below the mark, except at the
 * right edge of the picture. */
static double x_name_end(const struct plot *p, double x, double wide)
{
    return x + wide / 2 > p->width ? x : x + wide / 2;
}

/* Do all names fit? */
static int x_names_fit(const struct plot *p, const double *tick, int n,
                       double step)
{
    double last = -HUGE_VAL;
    char name[BIRD_NUMBER_SIZE];

    for (int i = 0; i < n; i++) {
        double wide = text_width(x_name(name, p, tick[i], step));
        double end = x_name_end(p, at_x(p, tick[i]), wide);

        if (end - wide < last + 8)
            return 0;
        last = end;
    }
    return 1;
}

/* Choose as many marks as their names fit. */
static int find_x_ticks(const struct plot *p, double tick[MOST_TICKS],
                        double *step)
{
    int n = 0;

    for (int most = MOST_TICKS - 1; most > 0; most--) {
        n = bird_ticks(tick, step, most, p->x0, p->x1, p->c->x.whole);
        if (x_names_fit(p, tick, n, *step))
            break;
    }
    return n;
}

static void put_x_axis(struct plot *p)
{
    double tick[MOST_TICKS], step = 1, bottom = p->top + p->h;
    int n = find_x_ticks(p, tick, &step);

    for (int i = 0; i < n; i++) {
        char name[BIRD_NUMBER_SIZE];
        double x = at_x(p, tick[i]);

        x_name(name, p, tick[i], step);
        bird_markup_put(p->m,
                        "<path class=\"axis\" d=\"M%.1f,%.1fv4\"/>"
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s"
                        "</text>\n",
                        x, bottom, x, bottom + 17,
                        x + text_width(name) / 2 > p->width ? "end" : "middle",
                        name);
    }
    bird_markup_put(p->m,
                    "<path class=\"axis\" d=\"M%.1f,%.1fh%.1f\"/>"
                    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                    p->left, bottom, p->w, p->left + p->w / 2, bottom + 35);
    bird_markup_text(p->m, p->c->x.label);
    bird_markup_put(p->m, "</text>\n");
}

/* Find the left edge of the area from the width of the names; marks are put
 * later. */
static int find_y_ticks(struct plot *p, double tick[MOST_TICKS], double *step)
{
    int n = bird_ticks(tick, step, p->c->square ? 6 : 5, p->y0, p->y1,
                       p->c->y.whole);
    double widest = 0;

    for (int i = 0; i < n; i++) {
        char name[BIRD_NUMBER_SIZE];
        double w = text_width(bird_tick_name(name, tick[i], *step));

        widest = w > widest ? w : widest;
    }
    p->left = 30 + widest;
    return n;
}

static void put_y_axis(struct plot *p, const double *tick, double step, int n)
{
    for (int i = 0; i < n; i++) {
        char name[BIRD_NUMBER_SIZE];
        double y = at_y(p, tick[i]);

        bird_markup_put(p->m,
                        "<path class=\"grid\" d=\"M%.1f,%.1fh%.1f\"/>"
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s"
                        "</text>\n",
                        p->left, y, p->w, p->left - 6, y + 4,
                        bird_tick_name(name, tick[i], step));
    }
    bird_markup_put(p->m,
                    "<text transform=\"translate(13,%.1f) rotate(-90)\" "
                    "text-anchor=\"middle\">",
                    p->top + p->h / 2);
    bird_markup_text(p->m, p->c->y.label);
    bird_markup_put(p->m, "</text>\n");
}

struct pen {
    struct plot *p;
    int down;
    int step;
};

static void pen_to(struct pen *n, double x, double y)
{
    if (!n->down)
        bird_markup_put(n->p->m, "M%.1f,%.1fh0", x, y); /* h0: a dot */
    else if (n->step)
        bird_markup_put(n->p->m, "H%.1fV%.1f", x, y);
    else
        bird_markup_put(n->p->m, "L%.1f,%.1f", x, y);
    n->down = 1;
}

/* Points i0 .. i1-1 fall on one column of pixels: the first, lowest, highest
 * and last of them look like all of them. */
static void pen_column(struct pen *n, const struct bird_series *s, int64_t i0,
                       int64_t i1)
{
    int64_t lo = i0, hi = i0;
    const struct plot *p = n->p;

    for (int64_t i = i0; i < i1; i++) {
        lo = s->y[i] < s->y[lo] ? i : lo;
        hi = s->y[i] > s->y[hi] ? i : hi;
    }
    pen_to(n, at_x(p, s->x[i0]), at_y(p, s->y[i0]));
    for (int64_t i = i0 + 1; i < i1; i++)
        if (i == lo || i == hi || i == i1 - 1)
            pen_to(n, at_x(p, s->x[i]), at_y(p, s->y[i]));
}

static void put_curve(struct plot *p, const struct bird_series *s)
{
    struct pen n = {p, 0, s->mark == BIRD_STEP};
    int64_t i = 0, next;

    bird_markup_put(p->m, "<path class=\"curve%s s%d\" d=\"",
                    s->mark == BIRD_FAINT    ? " faint"
                    : s->mark == BIRD_DASHED ? " dash"
                                             : "",
                    s->colour);
    for (; i < s->n; i = next) {
        double column;

        next = i + 1;
        if (!is_value(s->x[i]) || !is_value(s->y[i])) {
            n.down = 0;
            continue;
        }
        if (i && s->x[i] < s->x[i - 1])
            n.down = 0; /* x decreases: the curve of another run begins */
        column = floor(at_x(p, s->x[i]));
        while (next < s->n && is_value(s->x[next]) && is_value(s->y[next]) &&
               s->x[next] >= s->x[next - 1] &&
               floor(at_x(p, s->x[next])) == column)
            next++;
        pen_column(&n, s, i, next);
    }
    bird_markup_put(p->m, "\"/>\n");
}

/* Two paths for all points: the stems, and the heads as lines of length 0. */
static void put_stems(struct plot *p, const struct bird_series *s)
{
    static const char *const part[] = {"stem", "head"};

    for (int k = 0; k < 2; k++) {
        bird_markup_put(p->m, "<path class=\"curve %s s%d\" d=\"", part[k],
                        s->colour);
        for (int64_t i = 0; i < s->n; i++) {
            if (!is_value(s->x[i]) || !is_value(s->y[i]))
                continue;
            if (k)
                bird_markup_put(p->m, "M%.1f,%.1fh0", at_x(p, s->x[i]),
                                at_y(p, s->y[i]));
            else
                bird_markup_put(p->m, "M%.1f,%.1fV%.1f", at_x(p, s->x[i]),
                                at_y(p, 0), at_y(p, s->y[i]));
        }
        bird_markup_put(p->m, "\"/>\n");
    }
}

static void put_tip(struct plot *p, const struct bird_series *s, double x,
                    double y)
{
    char number[BIRD_NUMBER_SIZE];

    bird_markup_put(p->m, "<title>");
    bird_markup_text(p->m, p->c->x.label);
    bird_markup_put(p->m, " %s: ", bird_number(number, x, 4));
    bird_markup_text(p->m, s->name);
    bird_markup_put(p->m, "%s%s</title>", s->name ? " " : "",
                    bird_number(number, y, 4));
}

static void put_spots(struct plot *p, const struct bird_series *s)
{
    int dots = s->mark == BIRD_DOTS, visible = dots || s->n <= VISIBLE_DOTS;
    int64_t n = dots || s->n < MOST_SPOTS ? s->n : MOST_SPOTS;

    for (int64_t k = 0; k < n; k++) {
        int64_t i =
            n < 2 ? 0
                  : (int64_t)((double)k * (double)(s->n - 1) / (double)(n - 1) +
                              0.5);

        if (!is_value(s->x[i]) || !is_value(s->y[i]))
            continue;
        bird_markup_put(
            p->m, "<circle class=\"%s s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\">",
            visible ? "dot" : "spot", s->colour, at_x(p, s->x[i]),
            at_y(p, s->y[i]), visible ? "2.6" : "5");
        put_tip(p, s, s->x[i], s->y[i]);
        bird_markup_put(p->m, "</circle>\n");
    }
}

static void put_bars(struct plot *p, const struct bird_series *s)
{
    char lo[BIRD_NUMBER_SIZE], hi[BIRD_NUMBER_SIZE], y[BIRD_NUMBER_SIZE];

    for (int64_t i = 0; i < s->n; i++) {
        double x0, x1, top = s->y[i] > 0 ? s->y[i] : 0;
        double low = s->y[i] < 0 ? s->y[i] : 0;

        if (!is_value(s->x[i]) || !is_value(s->x[i + 1]) || !is_value(s->y[i]))
            continue;
        x0 = at_x(p, s->x[i]);
        x1 = at_x(p, s->x[i + 1]);
        bird_markup_put(
            p->m,
            "<rect class=\"bar s%d\" x=\"%.1f\" y=\"%.1f\" "
            "width=\"%.1f\" height=\"%.1f\"><title>%s to %s: %s",
            s->colour, x0, at_y(p, top), x1 - x0 > 2 ? x1 - x0 - 1 : x1 - x0,
            at_y(p, low) - at_y(p, top), bird_number(lo, s->x[i], 4),
            bird_number(hi, s->x[i + 1], 4), bird_number(y, s->y[i], 4));
        bird_markup_put(p->m, "</title></rect>\n");
    }
}

static void put_series(struct plot *p, const struct bird_series *s)
{
    if (s->mark == BIRD_BARS) {
        put_bars(p, s);
        return;
    }
    if (s->mark == BIRD_STEMS)
        put_stems(p, s);
    else if (s->mark != BIRD_DOTS)
        put_curve(p, s);
    if (s->mark != BIRD_FAINT && s->mark != BIRD_DASHED)
        put_spots(p, s);
}

/* Does the chart have a vertical line within its limits? */
static int has_mark(const struct plot *p)
{
    return is_value(p->c->mark_x) && p->c->mark_x >= p->x0 &&
           p->c->mark_x <= p->x1;
}

static void put_mark(struct plot *p)
{
    double x;

    if (!has_mark(p))
        return;
    x = at_x(p, p->c->mark_x);
    bird_markup_put(p->m,
                    "<path class=\"mark\" d=\"M%.1f,%.1fv%.1f\"/>"
                    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                    x, p->top, p->h, x, p->top - 4);
    bird_markup_text(p->m, p->c->mark_name);
    bird_markup_put(p->m, "</text>\n");
}

void bird_svg_begin(struct bird_markup *m, const char *title, double width,
                    double height)
{
    bird_markup_put(m,
                    "<svg class=\"pic\" xmlns=\"http://www.w3.org/2000/svg\" "
                    "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"",
                    width, height);
    bird_markup_text(m, title);
    bird_markup_put(m, "\">\n<text class=\"name\" x=\"2\" y=\"15\">");
    bird_markup_text(m, title);
    bird_markup_put(m, "</text>\n");
}

void bird_svg_chart(struct bird_markup *m, const struct bird_chart *c)
{
    struct plot p = {.m = m, .c = c, .width = WIDTH, .height = HEIGHT};
    double tick[MOST_TICKS], step = 1;
    int n;

    if (c->square)
        p.height = SQUARE;
    if (c->wide)
        p.width = WIDE;
    find_limits(&p);
    n = find_y_ticks(&p, tick, &step);
    p.top = 30 + LEGEND_LINE * legend_lines(&p);
    p.top += has_mark(&p) ? MARK_LINE : 0;
    p.w = p.width - p.left - RIGHT;
    p.h = p.height - p.top - 44;
    bird_svg_begin(m, c->title, p.width, p.height);
    put_y_axis(&p, tick, step, n);
    put_x_axis(&p);
    put_mark(&p);
    for (int64_t i = c->n_series - 1; i >= 0; i--)
        put_series(&p, &c->series[i]);
    put_legend(&p);
    if (p.empty)
        bird_markup_put(m,
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">"
                        "no values yet</text>\n",
                        p.left + p.w / 2, p.top + p.h / 2);
    bird_markup_put(m, "</svg>\n");
}

/* Six hues of Okabe and Ito's palette, which colour-blind readers can
 * distinguish (jfly.uni-koeln.de/color), lighter in the dark scheme. */
static const char *const hue[BIRD_N_COLOUR][2] = {
    {"#0072b2", "#5ab0e8"}, {"#d55e00", "#f08a45"}, {"#00845f", "#35c49a"},
    {"#a8588c", "#d999c2"}, {"#b07800", "#e0b040"}, {"#3d8fc4", "#8fd0f5"}};

static void put_hues(struct bird_markup *m, int dark)
{
    for (int i = 0; i < BIRD_N_COLOUR; i++)
        bird_markup_put(m, ";--c%d:%s", i, hue[i][dark]);
}

/* A fixed colour for programs without custom properties, then the variable. */
#define INK(property, plain, name)                                             \
    property ":" plain ";" property ":var(--" name ")"

static void put_series_style(struct bird_markup *m)
{
    for (int i = 0; i < BIRD_N_COLOUR; i++)
        bird_markup_put(m,
                        ".curve.s%d{stroke:%s;stroke:var(--c%d)}"
                        ".dot.s%d,.spot.s%d,.bar.s%d{fill:%s;fill:var(--c%d)}",
                        i, hue[i][0], i, i, i, i, hue[i][0], i);
    bird_markup_put(
        m,
        "\n.curve{stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}"
        ".faint{stroke-width:1;opacity:.4}"
        ".stem{stroke-width:.7;opacity:.55}.head{stroke-width:3.4}"
        ".dash{stroke-width:1.2;stroke-dasharray:5 4;opacity:.7}"
        ".bar{opacity:.85}.spot{opacity:0}.spot:hover{opacity:1}"
        ".up{fill:%s;fill:var(--c1)}.down{fill:%s;fill:var(--c0)}"
        ".none{" INK("fill", "#e6e9ec", "grid") "}\n",
        hue[1][0], hue[0][0]);
}

static void put_light(struct bird_markup *m)
{
    bird_markup_put(m, "--paper:#fff;--card:#f7f8f9;--ink:#1c2127;"
                       "--soft:#5b6570;--line:#b9c1c9;--grid:#e6e9ec");
    put_hues(m, 0);
}

void bird_svg_style(struct bird_markup *m)
{
    bird_markup_put(m, ":root{color-scheme:light dark;");
    put_light(m);
    bird_markup_put(m, "}\n@media (prefers-color-scheme:dark){:root{"
                       "--paper:#14181c;--card:#1b2025;--ink:#e4e8ec;"
                       "--soft:#9aa5b0;--line:#4b555f;--grid:#2a3138");
    put_hues(m, 1);
    bird_markup_put(m, "}}\n@media print{:root{color-scheme:light;");
    put_light(m); /* print with the light scheme */
    bird_markup_put(m, "}}\n");
    bird_markup_put(
        m,
        ".pic{display:block;width:100%%;height:auto}"
        ".pic text{font:12px system-ui,sans-serif;" INK(
            "fill", "#5b6570",
            "soft") ";font-variant-numeric:tabular-nums}"
                    ".pic .name{font-size:14px;font-weight:600;" INK(
                        "fill", "#1c2127",
                        "ink") "}.pic path{fill:none}"
                               ".grid{" INK(
                                   "stroke", "#e6e9ec",
                                   "grid") "}"
                                           ".axis{" INK(
                                               "stroke", "#b9c1c9",
                                               "line") "}"
                                                       ".mark{" INK(
                                                           "stroke", "#5b6570",
                                                           "soft") ";stroke-"
                                                                   "dasharray:"
                                                                   "2 3}\n");
    put_series_style(m);
}

const struct bird_format bird_format_svg = {
    .name = "svg",
    .suffixes = ".svg",
    .about = "a picture with the sequence: a heat map of changes, a logo of "
             "attributions",
    .commands =
        BIRD_WRITES(BIRD_TRACK_MUTATE) | BIRD_WRITES(BIRD_TRACK_ATTRIBUTE),
    .content = BIRD_CONTENT_PICTURE,
    .join = BIRD_JOIN_NONE,
};
