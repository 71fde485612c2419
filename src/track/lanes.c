/* Named intervals below a heat map: each goes into the first row in which
 * nothing overlaps it. Greedy placement in the order given keeps the important
 * ones, which come first, on top. SPDX-License-Identifier: MIT */
#include "track/lanes.h"

#include <string.h>

#define LANE 17.0 /* height of a row, */
#define BAR  6.0  /* and of an interval in it */
#define NOTE 15.0
#define GAP  8.0

static int64_t shown(const struct bird_heat *h)
{
    return h->n_span < BIRD_SPANS_SHOWN ? h->n_span : BIRD_SPANS_SHOWN;
}

/* The ends of an interval in the picture, clipped to the columns. */
static void ends(double *from, double *to, const struct bird_stretch *s,
                 const struct bird_heat *h, const struct bird_lanes *l)
{
    int64_t a = s->from > 0 ? s->from : 0;
    int64_t b = s->to < h->columns ? s->to : h->columns;

    *from = l->left + (double)a * l->size;
    *to = l->left + (double)b * l->size;
}

/* The extent of an interval with its name, which is right of it, or left of it
 * near the picture's right edge. */
static void room(double *from, double *to, const struct bird_stretch *s,
                 const struct bird_heat *h, const struct bird_lanes *l)
{
    double wide = GAP + BIRD_CHAR_WIDTH * (double)strlen(s->name);

    ends(from, to, s, h, l);
    if (*to + wide <= l->right)
        *to += wide;
    else
        *from -= wide;
}

void bird_lanes_lay(struct bird_lanes *l, const struct bird_heat *h,
                    double left, double size, double right)
{
    int lanes = 0, notes = 0;

    *l = (struct bird_lanes){.left = left, .size = size, .right = right};
    for (int64_t i = 0; i < shown(h); i++) {
        double from, to;
        int lane = 0;

        room(&from, &to, &h->span[i], h, l);
        for (int64_t j = 0; j < i && lane < BIRD_SPAN_LANES; j++) {
            double a, b;

            if (l->lane[j] != lane)
                continue;
            room(&a, &b, &h->span[j], h, l);
            if (from < b + GAP && a < to + GAP) {
                lane++;
                j = -1; /* check all earlier ones against the new row */
            }
        }
        l->lane[i] = lane < BIRD_SPAN_LANES ? lane : -1;
        lanes = l->lane[i] + 1 > lanes ? l->lane[i] + 1 : lanes;
        notes += l->lane[i] >= 0;
    }
    l->left_out = h->n_span - notes;
    notes += l->left_out > 0;
    l->high = lanes ? LANE * lanes + 2 : 0;
    l->notes_high = notes ? NOTE * notes + 6 : 0;
}

void bird_lanes_put(struct bird_markup *m, const struct bird_heat *h,
                    const struct bird_lanes *l, double y)
{
    for (int64_t i = 0; i < shown(h); i++) {
        const struct bird_stretch *s = &h->span[i];
        double from, to, a, b, top = y + 4 + LANE * l->lane[i];

        if (l->lane[i] < 0)
            continue;
        ends(&from, &to, s, h, l);
        room(&a, &b, s, h, l);
        bird_markup_put(m,
                        "<rect class=\"bar s2\" x=\"%.2f\" y=\"%.1f\" "
                        "width=\"%.2f\" height=\"%.1f\"><title>",
                        from, top + (LANE - BAR) / 2 - 2, to - from, BAR);
        bird_markup_text(m, s->note);
        bird_markup_put(m,
                        "</title></rect>\n<text x=\"%.1f\" y=\"%.1f\" "
                        "text-anchor=\"%s\">",
                        a < from ? from - 4 : to + 4, top + LANE / 2 + 2,
                        a < from ? "end" : "start");
        bird_markup_text(m, s->name);
        bird_markup_put(m, "</text>\n");
    }
}

void bird_lanes_put_notes(struct bird_markup *m, const struct bird_heat *h,
                          const struct bird_lanes *l, double y)
{
    for (int64_t i = 0; i < shown(h); i++) {
        if (l->lane[i] < 0)
            continue;
        y += NOTE;
        bird_markup_put(m, "<text x=\"%.1f\" y=\"%.1f\">", l->left, y);
        bird_markup_text(m, h->span[i].note);
        bird_markup_put(m, "</text>\n");
    }
    if (l->left_out)
        bird_markup_put(m,
                        "<text x=\"%.1f\" y=\"%.1f\">and %lld more, for which "
                        "there is no room</text>\n",
                        l->left, y + NOTE, (long long)l->left_out);
}
