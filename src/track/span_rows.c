/* Named intervals below a heat map: each goes into the first row in which
 * nothing overlaps it. Greedy placement in the order given keeps the important
 * ones, which come first, on top. SPDX-License-Identifier: MIT */
#include "track/span_rows.h"

#include <string.h>

#define ROW  17.0 /* height of a row, */
#define BAR  6.0  /* and of an interval in it */
#define NOTE 15.0
#define GAP  8.0

static int64_t shown(const struct bird_heat *h)
{
    return h->n_span < BIRD_SPANS_SHOWN ? h->n_span : BIRD_SPANS_SHOWN;
}

/* The ends of an interval in the picture, clipped to the columns. */
static void ends(double *from, double *to, const struct bird_named_span *s,
                 const struct bird_heat *h, const struct bird_span_rows *l)
{
    int64_t a = s->from > 0 ? s->from : 0;
    int64_t b = s->to < h->columns ? s->to : h->columns;

    *from = l->left + (double)a * l->size;
    *to = l->left + (double)b * l->size;
}

/* The extent of an interval with its name, which is right of it, or left of it
 * near the picture's right edge. */
static void occupied(double *from, double *to, const struct bird_named_span *s,
                     const struct bird_heat *h, const struct bird_span_rows *l)
{
    double wide = GAP + BIRD_CHAR_WIDTH * (double)strlen(s->name);

    ends(from, to, s, h, l);
    if (*to + wide <= l->right)
        *to += wide;
    else
        *from -= wide;
}

void bird_span_rows_lay(struct bird_span_rows *l, const struct bird_heat *h,
                        double left, double size, double right)
{
    int rows = 0, notes = 0;

    *l = (struct bird_span_rows){.left = left, .size = size, .right = right};
    for (int64_t i = 0; i < shown(h); i++) {
        double from, to;
        int row = 0;

        occupied(&from, &to, &h->span[i], h, l);
        for (int64_t j = 0; j < i && row < BIRD_SPAN_ROWS; j++) {
            double a, b;

            if (l->row[j] != row)
                continue;
            occupied(&a, &b, &h->span[j], h, l);
            if (from < b + GAP && a < to + GAP) {
                row++;
                j = -1; /* check all earlier ones against the new row */
            }
        }
        l->row[i] = row < BIRD_SPAN_ROWS ? row : -1;
        rows = l->row[i] + 1 > rows ? l->row[i] + 1 : rows;
        notes += l->row[i] >= 0;
    }
    l->left_out = h->n_span - notes;
    notes += l->left_out > 0;
    l->high = rows ? ROW * rows + 2 : 0;
    l->notes_high = notes ? NOTE * notes + 6 : 0;
}

void bird_span_rows_put(struct bird_markup *m, const struct bird_heat *h,
                        const struct bird_span_rows *l, double y)
{
    for (int64_t i = 0; i < shown(h); i++) {
        const struct bird_named_span *s = &h->span[i];
        double from, to, a, b, top = y + 4 + ROW * l->row[i];

        if (l->row[i] < 0)
            continue;
        ends(&from, &to, s, h, l);
        occupied(&a, &b, s, h, l);
        bird_markup_put(m,
                        "<rect class=\"bar s2\" x=\"%.2f\" y=\"%.1f\" "
                        "width=\"%.2f\" height=\"%.1f\"><title>",
                        from, top + (ROW - BAR) / 2 - 2, to - from, BAR);
        bird_markup_text(m, s->note);
        bird_markup_put(m,
                        "</title></rect>\n<text x=\"%.1f\" y=\"%.1f\" "
                        "text-anchor=\"%s\">",
                        a < from ? from - 4 : to + 4, top + ROW / 2 + 2,
                        a < from ? "end" : "start");
        bird_markup_text(m, s->name);
        bird_markup_put(m, "</text>\n");
    }
}

void bird_span_rows_put_notes(struct bird_markup *m, const struct bird_heat *h,
                              const struct bird_span_rows *l, double y)
{
    for (int64_t i = 0; i < shown(h); i++) {
        if (l->row[i] < 0)
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
