/* Tracks along a region: one SVG whose size is in pixels, wide enough to
 * show single bins, in an element that scrolls sideways; the names of the
 * tracks are beside it and do not scroll.
 * SPDX-License-Identifier: MIT */
#include "report/report_region.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/intervals.h"

#define BP_A_PIXEL 25.0   /* unless the picture would be */
#define NARROWEST  940.0  /* narrower than this */
#define WIDEST     6000.0 /* or wider */
#define AXIS       30.0   /* heights */
#define VALUES     70.0
#define STEMS      90.0
#define ROW        27.0 /* height of a row of boxes: a name above a box */
#define LINE       15.0 /* of a track's name */
#define MOST_ROWS  24
#define MOST_BARS  3000 /* single bars with tooltips; more are one path */

/* --- what there is -------------------------------------------------------- */

void bird_region_free(struct bird_region_view *v)
{
    for (int64_t i = 0; i < v->n; i++) {
        struct bird_region_track *l = &v->track[i];

        for (int64_t k = 0; k < l->n; k++) {
            free((char *)l->item[k].name);
            free((char *)l->item[k].note);
        }
        free(l->item);
        free(l->name);
    }
    free(v->track);
    bird_contigs_free(&v->contig);
    *v = (struct bird_region_view){0};
}

int bird_region_default(struct bird_region_view *v, const char *contig,
                        int64_t start, int64_t end)
{
    if (v->contig.n)
        return 0;
    v->start = start;
    v->end = end > start ? end : start + 1;
    return bird_contigs_append(&v->contig, contig);
}

int bird_region_ask(struct bird_region_view *v, const char *text)
{
    bird_regions list = {0};
    int rc = bird_regions_parse(&list, text, NULL, BIRD_POINT_TO_END);

    if (!rc && list.n != 1)
        rc = bird_fail(BIRD_EINVAL, "region '%s': a report draws one region",
                       text);
    if (!rc && list.at->end == BIRD_REGION_END)
        rc = bird_fail(BIRD_EINVAL,
                       "region '%s': a region to draw has two ends: "
                       "chr:from-to",
                       text);
    if (!rc)
        rc = bird_region_default(v, list.at->contig, list.at->start,
                                 list.at->end);
    bird_regions_free(&list);
    return rc;
}

int bird_region_overlaps(const struct bird_region_view *v, const char *contig,
                         int64_t start, int64_t end)
{
    return v->contig.n && start < v->end && end > v->start &&
           bird_contigs_find(&v->contig, contig) == 0;
}

int bird_region_track_new(int64_t *track, struct bird_region_view *v,
                          const char *name, enum bird_region_mark mark)
{
    int rc = bird_array_grow(&v->track, &v->cap, v->n + 1, sizeof(*v->track));

    if (rc)
        return rc;
    v->track[v->n] = (struct bird_region_track){strdup(name), mark, NULL, 0, 0};
    if (!v->track[v->n].name)
        return bird_fail_memory(0);
    *track = v->n++;
    return 0;
}

int bird_region_add(struct bird_region_view *v, int64_t track,
                    const struct bird_region_item *item)
{
    struct bird_region_track *l = &v->track[track];
    struct bird_region_item x = *item;
    int rc = bird_array_grow(&l->item, &l->cap, l->n + 1, sizeof(*l->item));

    if (rc)
        return rc;
    x.name = item->name ? strdup(item->name) : NULL;
    x.note = item->note ? strdup(item->note) : NULL;
    l->item[l->n++] = x;
    return (item->name && !x.name) || (item->note && !x.note)
               ? bird_fail_memory(0)
               : 0;
}

/* --- the layout ----------------------------------------------------------- */

struct picture {
    struct bird_markup *m;
    const struct bird_region_view *v;
    double width;
};

static double at_x(const struct picture *s, int64_t bp)
{
    double f = (double)(bp - s->v->start) / (double)(s->v->end - s->v->start);

    return s->width * (f < 0 ? 0 : f > 1 ? 1 : f);
}

static double span(double *x, const struct picture *s,
                   const struct bird_region_item *a)
{
    double w;

    *x = at_x(s, a->start);
    w = at_x(s, a->end) - *x;
    return w < 2 ? 2 : w;
}

/* The x range of a box with its name. The name begins at the start of the
 * box; near the right end of the picture the name ends at that end. */
static double box_width(double *x, const struct picture *s,
                        const struct bird_region_item *a)
{
    double w = span(x, s, a);
    double text = a->name ? BIRD_CHAR_WIDTH * (double)(strlen(a->name) + 3) : 0;

    if (text > w)
        w = text;
    if (*x + w > s->width)
        *x = s->width - w > 0 ? s->width - w : 0;
    return w;
}

/* The row of each box, -1 when no row is free. A part is in the row of its
 * whole.
 * @return the number of rows */
static int lay_boxes(int *row, const struct picture *s,
                     const struct bird_region_track *l)
{
    double end[MOST_ROWS];
    int rows = 0;

    for (int64_t i = 0; i < l->n; i++) {
        double x, w;
        int r = 0;

        if (l->item[i].of >= 0) {
            row[i] = row[l->item[i].of];
            continue;
        }
        w = box_width(&x, s, &l->item[i]);
        while (r < rows && end[r] > x)
            r++;
        if (r == MOST_ROWS) {
            row[i] = -1;
            continue;
        }
        rows = r == rows ? rows + 1 : rows;
        end[r] = x + w + 6;
        row[i] = r;
    }
    return rows;
}

/* Smallest and largest value; the range always holds 0. */
static void limits(double *lo, double *hi, const struct bird_region_track *l)
{
    *lo = *hi = 0;
    for (int64_t i = 0; i < l->n; i++) {
        double v = l->item[i].value;

        if (isfinite(v)) {
            *lo = v < *lo ? v : *lo;
            *hi = v > *hi ? v : *hi;
        }
    }
}

/* --- the picture -------------------------------------------------------------- */

static void put_note(const struct picture *s, const struct bird_region_item *a)
{
    char number[BIRD_NUMBER_SIZE];

    bird_markup_put(s->m, "<title>");
    if (a->note)
        bird_markup_text(s->m, a->note);
    else
        bird_markup_text(s->m, a->name);
    bird_markup_put(s->m, "%s%lld to %lld", a->note || a->name ? ", " : "",
                    (long long)a->start + 1, (long long)a->end);
    if (isfinite(a->value))
        bird_markup_put(s->m, ": %s", bird_number(number, a->value, 4));
    bird_markup_put(s->m, "</title>");
}

static void put_axis(const struct picture *s)
{
    const struct bird_region_view *v = s->v;
    double tick[64], step = 1;
    int n = bird_ticks(tick, &step,
                       (int)(s->width / 130) < 60 ? (int)(s->width / 130) : 60,
                       (double)v->start + 1, (double)v->end, 1);

    for (int i = 0; i < n; i++) {
        char name[BIRD_NUMBER_SIZE];
        double x = at_x(s, (int64_t)tick[i] - 1);
        double half = BIRD_CHAR_WIDTH *
                      (double)strlen(bird_number(name, tick[i], 15)) / 2;

        bird_markup_put(s->m, "<path class=\"axis\" d=\"M%.1f,%.1fv5\"/>", x,
                        AXIS - 6);
        bird_markup_put(s->m,
                        "<text x=\"%.1f\" y=\"17\" text-anchor=\"%s\">%s"
                        "</text>\n",
                        x,
                        x < half              ? "start"
                        : x + half > s->width ? "end"
                                              : "middle",
                        name);
    }
    bird_markup_put(s->m, "<path class=\"axis\" d=\"M0,%.1fh%.1f\"/>\n",
                    AXIS - 6, s->width);
}

/* The y coordinate of a value in a track whose top is y. */
static double at_y(double y, double high, const double limit[2], double v)
{
    double size = limit[1] / 2 - limit[0] / 2; /* halves, so that the
                                                  difference is finite */

    return y + 6 +
           (high - 12) * ((limit[1] / 2 - v / 2) / (size > 0 ? size : 1));
}

static void put_bars(const struct picture *s, const struct bird_region_track *l,
                     double y, int colour)
{
    double limit[2];

    limits(&limit[0], &limit[1], l);
    for (int64_t i = 0; i < l->n; i++) {
        const struct bird_region_item *a = &l->item[i];
        double x, w = span(&x, s, a), zero = at_y(y, VALUES, limit, 0), top;

        if (!isfinite(a->value))
            continue;
        top = at_y(y, VALUES, limit, a->value);
        bird_markup_put(s->m,
                        "<rect class=\"bar s%d\" x=\"%.1f\" y=\"%.1f\" "
                        "width=\"%.1f\" height=\"%.1f\">",
                        colour, x, top < zero ? top : zero, w,
                        fabs(zero - top) + 0.4);
        put_note(s, a);
        bird_markup_put(s->m, "</rect>\n");
    }
}

/* More values than pixels: the largest value of each pixel, as one path. */
static int put_area(const struct picture *s, const struct bird_region_track *l,
                    double y, int colour)
{
    int64_t n = (int64_t)s->width + 1;
    double limit[2], zero, *column;
    int rc = bird_array_new(&column, n, sizeof(*column));

    if (rc)
        return rc;
    limits(&limit[0], &limit[1], l);
    zero = at_y(y, VALUES, limit, 0);
    for (int64_t i = 0; i < l->n; i++) {
        double x, w = span(&x, s, &l->item[i]), v = l->item[i].value;

        for (int64_t k = (int64_t)x; k <= (int64_t)(x + w) && k < n; k++)
            if (isfinite(v) && fabs(v) > fabs(column[k]))
                column[k] = v;
    }
    bird_markup_put(s->m, "<path class=\"bar s%d\" d=\"M0,%.1f", colour, zero);
    for (int64_t k = 0; k < n; k++)
        if (!k || column[k] != column[k - 1])
            bird_markup_put(s->m, "H%lldV%.1f", (long long)k,
                            at_y(y, VALUES, limit, column[k]));
    bird_markup_put(s->m, "H%.0fV%.1fZ\"/>\n", s->width, zero);
    free(column);
    return 0;
}

static void put_stems(const struct picture *s,
                      const struct bird_region_track *l, double y, int colour)
{
    double limit[2], zero;

    limits(&limit[0], &limit[1], l);
    zero = at_y(y, STEMS, limit, 0);
    bird_markup_put(s->m, "<path class=\"grid\" d=\"M0,%.1fh%.1f\"/>\n", zero,
                    s->width);
    for (int64_t i = 0; i < l->n; i++) {
        const struct bird_region_item *a = &l->item[i];
        double x, top;

        if (!isfinite(a->value))
            continue;
        x = at_x(s, a->start) + (at_x(s, a->start + 1) - at_x(s, a->start)) / 2;
        top = at_y(y, STEMS, limit, a->value);
        bird_markup_put(s->m,
                        "<path class=\"curve stem s%d\" d=\"M%.1f,%.1fV%.1f\"/>"
                        "<circle class=\"dot s%d\" cx=\"%.1f\" cy=\"%.1f\" "
                        "r=\"3\">",
                        colour, x, zero, top, colour, x, top);
        put_note(s, a);
        bird_markup_put(s->m, "</circle>\n");
    }
}

static void put_box(const struct picture *s, const struct bird_region_item *a,
                    double y, int colour)
{
    double x, w = span(&x, s, a), named, high = a->is_line ? 1.6 : 9;
    double full = isfinite(a->value) && a->value >= 0 && a->value <= 1
                      ? 0.35 + 0.65 * a->value
                      : 1;

    bird_markup_put(s->m,
                    "<rect class=\"bar s%d\" x=\"%.1f\" y=\"%.1f\" "
                    "width=\"%.1f\" height=\"%.1f\" fill-opacity=\"%.2f\">",
                    colour, x, y + 19 - high / 2, w, high, full);
    put_note(s, a);
    bird_markup_put(s->m, "</rect>\n");
    if (!a->name)
        return;
    box_width(&named, s, a);
    bird_markup_put(s->m, "<text x=\"%.1f\" y=\"%.1f\">", named, y + 11);
    bird_markup_text(s->m, a->name);
    bird_markup_put(s->m, "%s</text>\n",
                    a->strand == '+'   ? " \xe2\x86\x92"
                    : a->strand == '-' ? " \xe2\x86\x90"
                                       : "");
}

/* --- the section ---------------------------------------------------------- */

struct laid {
    double high;
    int *row; /* of boxes */
    int64_t left_out;
};

static int lay(struct laid *out, const struct picture *s,
               const struct bird_region_track *l)
{
    int rows, rc;

    *out = (struct laid){.high = l->mark == BIRD_REGION_STEMS ? STEMS : VALUES};
    if (l->mark != BIRD_REGION_BOXES)
        return 0;
    rc = bird_array_new(&out->row, l->n, sizeof(*out->row));
    if (rc)
        return rc;
    rows = lay_boxes(out->row, s, l);
    for (int64_t i = 0; i < l->n; i++)
        out->left_out += out->row[i] < 0 && l->item[i].of < 0;
    out->high = 8 + ROW * (rows > 0 ? rows : 1);
    return 0;
}

static void put_names(const struct picture *s, const struct laid *laid)
{
    const struct bird_region_view *v = s->v;

    bird_markup_put(s->m, "<div class=\"names\"><div style=\"height:%.0fpx\">",
                    AXIS);
    bird_markup_text(s->m, v->contig.name[0]);
    bird_markup_put(s->m, "</div>\n");
    for (int64_t i = 0; i < v->n; i++) {
        const struct bird_region_track *l = &v->track[i];
        char a[BIRD_NUMBER_SIZE], b[BIRD_NUMBER_SIZE];
        double lo, hi;

        bird_markup_put(s->m,
                        "<div style=\"height:%.0fpx\"><b style=\""
                        "-webkit-line-clamp:%d\" title=\"",
                        laid[i].high, (int)((laid[i].high - 4) / LINE) - 1);
        bird_markup_text(s->m, l->name);
        bird_markup_put(s->m, "\">");
        bird_markup_text(s->m, l->name);
        bird_markup_put(s->m, "</b>");
        limits(&lo, &hi, l);
        if (!l->n)
            bird_markup_put(s->m, "<span>no data in this region</span>");
        else if (l->mark != BIRD_REGION_BOXES)
            bird_markup_put(s->m, "<span>%s to %s</span>",
                            bird_number(a, lo, 3), bird_number(b, hi, 3));
        else if (laid[i].left_out)
            bird_markup_put(s->m, "<span>%lld more</span>",
                            (long long)laid[i].left_out);
        bird_markup_put(s->m, "</div>\n");
    }
    bird_markup_put(s->m, "</div>\n");
}

static int put_track(const struct picture *s, const struct bird_region_track *l,
                     const struct laid *laid, double y, int colour)
{
    bird_markup_put(s->m, "<path class=\"grid\" d=\"M0,%.1fh%.1f\"/>\n", y,
                    s->width);
    if (l->mark == BIRD_REGION_STEMS)
        put_stems(s, l, y, colour);
    else if (l->mark == BIRD_REGION_VALUES && l->n > MOST_BARS)
        return put_area(s, l, y, colour);
    else if (l->mark == BIRD_REGION_VALUES)
        put_bars(s, l, y, colour);
    for (int64_t i = 0; l->mark == BIRD_REGION_BOXES && i < l->n; i++)
        if (laid->row[i] >= 0)
            put_box(s, &l->item[i], y + 3 + ROW * laid->row[i], colour);
    return 0;
}

static int put_picture(const struct picture *s, const struct laid *laid,
                       const char *title)
{
    const struct bird_region_view *v = s->v;
    double high = AXIS, y = AXIS;
    int rc = 0;

    for (int64_t i = 0; i < v->n; i++)
        high += laid[i].high;
    bird_markup_put(s->m,
                    "<svg class=\"pic\" xmlns=\"http://www.w3.org/2000/svg\" "
                    "viewBox=\"0 0 %.0f %.0f\" style=\"width:%.0fpx;"
                    "height:%.0fpx\" role=\"img\" aria-label=\"",
                    s->width, high, s->width, high);
    bird_markup_text(s->m, title);
    bird_markup_put(s->m, "\">\n");
    put_axis(s);
    for (int64_t i = 0; !rc && i < v->n; i++) {
        rc = put_track(s, &v->track[i], &laid[i], y, (int)(i % BIRD_N_COLOUR));
        y += laid[i].high;
    }
    bird_markup_put(s->m, "</svg>\n");
    return rc;
}

static int is_empty(const struct bird_region_view *v)
{
    int64_t n = 0;

    for (int64_t i = 0; i < v->n; i++)
        n += v->track[i].n;
    return !n;
}

void bird_region_put(struct bird_markup *m, const struct bird_region_view *v)
{
    struct picture s = {m, v, (double)(v->end - v->start) / BP_A_PIXEL};
    char title[300], from[BIRD_NUMBER_SIZE], to[BIRD_NUMBER_SIZE];
    struct laid *laid = NULL;
    int rc;

    if (m->rc || !v->contig.n || !v->n)
        return;
    s.width = s.width < NARROWEST ? NARROWEST
              : s.width > WIDEST  ? WIDEST
                                  : s.width;
    rc = bird_array_new(&laid, v->n, sizeof(*laid));
    for (int64_t i = 0; !rc && i < v->n; i++)
        rc = lay(&laid[i], &s, &v->track[i]);
    snprintf(title, sizeof(title), "Along %.200s:%s-%s", v->contig.name[0],
             bird_number(from, (double)v->start + 1, 15),
             bird_number(to, (double)v->end, 15));
    bird_html_section(
        m, title,
        is_empty(v)
            ? "No file has a call, a value or an allele in this region."
            : "Scroll sideways; hold the pointer over an item to see its "
              "value.");
    bird_html_open_scroll(m, "div", "lanes", title);
    if (!rc) {
        put_names(&s, laid);
        rc = put_picture(&s, laid, title);
    }
    bird_html_close(m, "div");
    bird_html_close(m, "section");
    for (int64_t i = 0; laid && i < v->n; i++)
        free(laid[i].row);
    free(laid);
    m->rc = m->rc ? m->rc : rc;
}
