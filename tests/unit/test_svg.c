/* track/svg: heat maps far along a chromosome, colours.
 * test_report.c has the charts. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
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
