/* track/svg: heat maps far along a chromosome, colours.
 * test_report.c has the charts. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "track/page.h"

/* Where the text element with this end begins or, anchored there, ends. */
static double x_of(const char *markup, const char *text)
{
    const char *at = strstr(markup, text);

    cr_assert_not_null(at, "%s", text);
    while (strncmp(at, "<text", 5) != 0)
        at--;
    return strtod(strstr(at, "x=\"") + 3, NULL);
}

/* Positions in full, and a scale that shows which end is below 0. */
Test(svg, a_heat_map_far_along_a_chromosome)
{
    double v[40];
    const char *row[] = {"A"};
    struct bird_heat h = {.title = "m",
                          .x_label = "position",
                          .y_label = "to",
                          .value_name = "logit",
                          .value = v,
                          .rows = 1,
                          .columns = 40,
                          .row_name = row,
                          .x0 = 248000001};
    struct bird_markup m = {0};

    for (int i = 0; i < 40; i++)
        v[i] = -1.234e-5 * i;
    bird_svg_heat(&m, &h);
    cr_assert_eq(m.rc, 0);
    cr_assert(strstr(m.text.s, ">248,000,010</text>"));
    cr_assert(strstr(m.text.s, "<title>248,000,040 A: "));
    cr_assert_null(strstr(m.text.s, "e+0"));
    cr_assert_null(strstr(m.text.s, "e8"));
    /* the ends of the names, which are written to the left */
    cr_assert_geq(x_of(m.text.s, ">-4.81e-4<") - x_of(m.text.s, ">logit<"),
                  6 * 9);
    cr_assert_leq(x_of(m.text.s, ">+4.81e-4<") + 6 * 9, 1060);
    bird_text_free(&m.text);
    h.columns = 1;
    bird_svg_heat(&m, &h);
    cr_assert(strstr(m.text.s, ">248,000,001</text>"));
    bird_text_free(&m.text);
}

static int count(const char *s, const char *what)
{
    int n = 0;

    for (; (s = strstr(s, what)); s++)
        n++;
    return n;
}

/* A letter goes from the axis to its value: up, or down and turned over. */
Test(svg, letters_of_a_logo_are_as_high_as_their_values)
{
    static const struct bird_logo_word w[] = {{0, 1, "A", 0.5},
                                              {1, 1, "N", 0.25},
                                              {2, 2, "gT", -0.5},
                                              {4, 1, "C", (double)NAN},
                                              {5, 1, "C", (double)INFINITY}};
    struct bird_logo l = {.title = "a <b>",
                          .x_label = "position",
                          .y_label = "value",
                          .word = w,
                          .n_word = 5,
                          .columns = 6,
                          .x0 = 10000001};
    struct bird_markup m = {0};

    bird_svg_logo(&m, &l);
    cr_assert_eq(m.rc, 0);
    cr_assert_eq(count(m.text.s, "<path style="), 3, "N has no outline");
    cr_assert_eq(count(m.text.s, ",80.000)\" d="), 1, "half of 160, upward");
    cr_assert_eq(count(m.text.s, ",-80.000)\" d="), 2);
    cr_assert_eq(count(m.text.s, ">10,000,002<"), 1);
    cr_assert(strstr(m.text.s, "<title>10,000,003 gT: -0.5"));
    cr_assert(strstr(m.text.s, "a &lt;b&gt;"));
    cr_assert_null(strstr(m.text.s, "nan"));
    bird_text_free(&m.text);
    l.n_word = 0; /* an axis alone */
    bird_svg_logo(&m, &l);
    cr_assert(m.rc == 0 && strstr(m.text.s, "</svg>"));
    bird_text_free(&m.text);
}

/* A program that knows no custom properties has colours too. */
Test(svg, colours_are_also_plain)
{
    struct bird_markup m = {0};
    const char *at;

    bird_svg_style(&m);
    cr_assert_eq(m.rc, 0);
    for (at = m.text.s; (at = strstr(at, ":var(")); at++) {
        const char *name = at, *before;
        size_t n;

        while (name[-1] != ';' && name[-1] != '{')
            name--;
        n = (size_t)(at - name);
        cr_assert_eq(name[-1], ';', "%.40s", name);
        for (before = name - 1; before[-1] != ';' && before[-1] != '{';)
            before--;
        cr_assert(!strncmp(before, name, n) && !strncmp(before + n, ":#", 2),
                  "%.40s", before);
    }
    cr_assert(strstr(m.text.s, ".up{fill:#d55e00;"));
    cr_assert(strstr(m.text.s, ".down{fill:#0072b2;"));
    bird_text_free(&m.text);
}

/* The picture of one series, "a" without a name of its own; free() it. */
static char *drawn(struct bird_chart *c, struct bird_series s)
{
    struct bird_markup m = {0};

    s.name = s.name ? s.name : "a";
    c->title = "t";
    c->series = &s;
    c->n_series = 1;
    bird_svg_chart(&m, c);
    cr_assert_eq(m.rc, 0);
    return m.text.s;
}

/* Lollipops: each stem begins where 0 is, though all values are above it; the
 * picture is as wide as it is asked to be. */
Test(svg, stems_stand_on_zero)
{
    const double x[] = {1, 2, 3}, y[] = {4, 5, (double)NAN};
    const struct bird_series s = {.x = x, .y = y, .n = 3, .mark = BIRD_STEMS};
    struct bird_chart c;
    char *out;
    const char *at;
    double bottom, top;

    bird_chart_default(&c);
    c.wide = 1;
    out = drawn(&c, s);
    cr_assert_not_null(strstr(out, "viewBox=\"0 0 1060 270\""));
    at = strstr(out, "<path class=\"curve stem s0\" d=\"M");
    cr_assert_not_null(at);
    bottom = strtod(strchr(strchr(at, 'M'), ',') + 1, NULL);
    top = strtod(strchr(at, 'V') + 1, NULL);
    cr_assert_gt(bottom, top + 50);
    cr_assert_float_eq(bottom, 270 - 44, 1e-9); /* the field's lower edge */
    at = strstr(out, "<path class=\"curve head s0\" d=\"M");
    cr_assert_not_null(at);
    at = strstr(at, "h0");
    cr_assert_not_null(strstr(at + 2, "h0\"")); /* two heads, NaN has none */
    free(out);
}

/* Positions in full, so far apart that no name touches the next. */
Test(svg, positions_of_a_chart_are_named_in_full)
{
    const double x[] = {248000001, 248090001}, y[] = {1, 2};
    const struct bird_series s = {.x = x, .y = y, .n = 2, .mark = BIRD_LINE};
    struct bird_chart c;
    char *out;
    const char *first, *next;
    double apart;

    bird_chart_default(&c);
    c.wide = 1;
    c.x.label = "position (bp)";
    c.x.whole = 1;
    out = drawn(&c, s);
    cr_assert_null(strstr(out, "e8"));
    first = strstr(out, ">248,020,000</text>");
    next = strstr(out, ">248,040,000</text>");
    cr_assert(first && next);
    apart = x_of(out, ">248,040,000<") - x_of(out, ">248,020,000<");
    cr_assert_gt(apart, 11 * BIRD_CHAR_WIDTH);
    free(out);
}

/* A name longer than the picture is cut, and whole in a tooltip. */
Test(svg, a_long_name_ends_within_the_legend)
{
    char name[201] = "";
    const double x[] = {1, 2}, y[] = {1, 2};
    const struct bird_series s = {
        .name = name, .x = x, .y = y, .n = 2, .mark = BIRD_LINE};
    struct bird_chart c;
    char *out;

    memset(name, 'w', 200);
    bird_chart_default(&c);
    out = drawn(&c, s);
    cr_assert(strstr(out, "w\xe2\x80\xa6<title>www"));
    free(out);
}

/* The name at the end is written to the left; the one before it gives way. */
Test(svg, the_last_name_of_an_axis_has_room)
{
    const double x[] = {2000, 30000}, y[] = {1, 2};
    const struct bird_series s = {.x = x, .y = y, .n = 2, .mark = BIRD_LINE};
    struct bird_chart c;
    char *out;
    double before;

    bird_chart_default(&c);
    c.x.label = "step";
    c.x.whole = 1;
    out = drawn(&c, s);
    before = x_of(out, ">20,000<");
    cr_assert_geq(x_of(out, ">30,000<") - before, 1.5 * 6 * BIRD_CHAR_WIDTH);
    cr_assert_null(strstr(out, ">25,000<"));
    free(out);
}

/* Steps that begin anew are another run: no line goes back to them. */
Test(svg, a_curve_does_not_go_back)
{
    const double x[] = {1, 2, 3, 1, 2, 3}, y[] = {1, 2, 3, 2, 3, 4};
    const struct bird_series s = {.x = x, .y = y, .n = 6, .mark = BIRD_LINE};
    struct bird_chart c;
    char *out;
    char *curve;

    bird_chart_default(&c);
    out = drawn(&c, s);
    curve = strstr(out, "<path class=\"curve s0\" d=\"");
    cr_assert_not_null(curve);
    *strchr(curve, '>') = '\0';
    cr_assert_eq(count(curve, "M"), 2);
    free(out);
}
