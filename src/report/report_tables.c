/* config.json, dnabird.json and files of figures as tables.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "report/report.h"
#include "seq/input.h"
#include "track/html.h"
#include "track/svg.h"

/* Longer values are cut: a list of 919 labels is no help on a page. */
#define MOST_CHARS 400
#define MOST_ITEMS 24

static int put_word(struct bird_text *t, const char *s)
{
    return bird_text_put(t, s, (int64_t)strlen(s));
}

/* A value in words: lists and objects in one line. */
static int value_text(struct bird_text *t, const json_t *v, int depth)
{
    const json_t *item;
    const char *key;
    size_t i = 0,
           n = json_is_array(v) ? json_array_size(v) : json_object_size(v);
    int rc = 0;

    if (json_is_string(v))
        return put_word(t, json_string_value(v));
    if (json_is_integer(v))
        return bird_text_printf(t, "%lld", (long long)json_integer_value(v));
    if (json_is_real(v))
        return bird_text_printf(t, "%.6g", json_real_value(v));
    if (!json_is_array(v) && !json_is_object(v))
        return put_word(t, json_is_null(v)   ? "none"
                           : json_is_true(v) ? "yes"
                                             : "no");
    if (depth > 3)
        return put_word(t, "...");
    if (json_is_array(v)) {
        for (; !rc && i < n && i < MOST_ITEMS && t->n < MOST_CHARS; i++) {
            item = json_array_get(v, i);
            rc = put_word(t, !i ? "" : json_is_array(item) ? "; " : ", ");
            rc = rc ? rc : value_text(t, item, depth + 1);
        }
    } else {
        json_object_foreach((json_t *)v, key, item)
        {
            if (rc || i >= MOST_ITEMS || t->n >= MOST_CHARS)
                break;
            rc = bird_text_printf(t, "%s%s: ", i ? ", " : "", key);
            rc = rc ? rc : value_text(t, item, depth + 1);
            i++;
        }
    }
    if (!rc && i < n)
        rc = bird_text_printf(t, ", ... (%zu in all)", n);
    return rc;
}

static void put_setting(struct bird_markup *m, const char *key, const json_t *v)
{
    struct bird_text t = {0};
    int rc = value_text(&t, v, 0);

    if (rc)
        m->rc = m->rc ? m->rc : rc;
    else
        bird_html_pair(m, key, t.s);
    bird_text_free(&t);
}

/* An object as a table; `only` 0: all members, 1: those that are no objects */
static void put_object(struct bird_markup *m, const char *caption,
                       const json_t *o, int only)
{
    const char *key;
    const json_t *v;
    int any = 0;

    json_object_foreach((json_t *)o, key, v)
    {
        if (only && json_is_object(v))
            continue;
        if (!any)
            bird_html_table(m, caption);
        any = 1;
        put_setting(m, key, v);
    }
    if (any)
        bird_html_table_end(m);
}

void bird_report_settings(struct bird_markup *m, const json_t *config,
                          const json_t *meta)
{
    const char *key;
    const json_t *v;

    if (json_object_size(meta)) {
        bird_html_section(m, "Data and commands", NULL);
        put_object(m, "model", meta, 1);
        json_object_foreach((json_t *)meta, key, v)
        {
            if (json_is_object(v) && strcmp(key, "measured") != 0)
                put_object(m, key, v, 0);
        }
        bird_html_section_end(m);
    }
    if (json_object_size(config)) {
        bird_html_folded(m, "Configuration (config.json)");
        put_object(m, NULL, config, 0);
        bird_html_folded_end(m);
    }
}

/* A figure: v, [v, lo, hi], or {"value": v, "lo": lo, "hi": hi}. */
static int is_figure(const json_t *v)
{
    int good = json_is_array(v) && json_array_size(v) == 3;

    for (size_t i = 0; good && i < 3; i++)
        good = json_is_number(json_array_get(v, i)) ||
               json_is_null(json_array_get(v, i));
    return good || json_is_number(v) || json_is_string(v) || json_is_null(v) ||
           json_object_get(v, "value");
}

static double number_of(const json_t *v)
{
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static void put_figure(struct bird_markup *m, const char *name, const json_t *v)
{
    char value[BIRD_NUMBER_SIZE], lo[BIRD_NUMBER_SIZE], hi[BIRD_NUMBER_SIZE];
    char interval[2 * BIRD_NUMBER_SIZE + 4] = "";
    const char *cell[3] = {name, value, interval};
    double a = (double)NAN, b = (double)NAN, x = number_of(v);

    if (json_is_array(v)) {
        x = number_of(json_array_get(v, 0));
        a = number_of(json_array_get(v, 1));
        b = number_of(json_array_get(v, 2));
    } else if (json_is_object(v)) {
        x = number_of(json_object_get(v, "value"));
        a = number_of(json_object_get(v, "lo"));
        b = number_of(json_object_get(v, "hi"));
    }
    bird_number(value, x, 4);
    if (json_is_string(v))
        cell[1] = json_string_value(v);
    if (!isnan(a) && !isnan(b))
        snprintf(interval, sizeof(interval), "%s \xe2\x80\x93 %s",
                 bird_number(lo, a, 4), bird_number(hi, b, 4));
    bird_html_row(m, cell, 3);
}

static void put_set(struct bird_markup *m, const char *name, const json_t *set,
                    int depth)
{
    static const char *const head[] = {"figure", "value", "95 % interval"};
    const char *key;
    const json_t *v;
    int any = 0;

    json_object_foreach((json_t *)set, key, v)
    {
        if (!is_figure(v))
            continue;
        if (!any) {
            bird_html_table(m, name);
            bird_html_head(m, head, 3, 1);
        }
        any = 1;
        put_figure(m, key, v);
    }
    if (any)
        bird_html_table_end(m);
    json_object_foreach((json_t *)set, key, v)
    {
        struct bird_text path = {0};
        int rc = 0;

        if (!json_is_object(v) || is_figure(v) || depth > 3)
            continue;
        rc = bird_text_printf(&path, "%s%s%s", name ? name : "",
                              name ? ", " : "", key);
        if (rc)
            m->rc = m->rc ? m->rc : rc;
        else
            put_set(m, path.s, v, depth + 1);
        bird_text_free(&path);
    }
}

void bird_report_measured(struct bird_markup *m, const json_t *measured)
{
    if (!json_object_size(measured))
        return;
    bird_html_section(m, "Held-out figures",
                      "As the model carries them (measured in dnabird.json); "
                      "intervals are bootstrap's.");
    put_set(m, NULL, measured, 0);
    bird_html_section_end(m);
}
