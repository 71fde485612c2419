/* Intervals: lists of regions as text, and the sorted set.
 *
 * The set is an array sorted by place with, for each element, the largest end
 * so far on its contig. These ends never decrease, so what overlaps a place
 * lies between two binary searches: behind the last element that nothing
 * before reaches the place from, and before the first that begins after it.
 * SPDX-License-Identifier: MIT */
#include "seq/intervals.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

/* --- text ---------------------------------------------------------------- */

static int is_blank(char c)
{
    return isspace((unsigned char)c);
}

/* Does a number go on behind this comma? Three digits, behind a digit of a
 * piece that has a place: so a contig called 100 stays one. */
static int is_thousands(const char *piece, const char *comma)
{
    const char *s = comma + 1;
    const char *colon = memchr(piece, ':', (size_t)(comma - piece));

    return colon && isdigit((unsigned char)comma[-1]) &&
           strspn(s, "0123456789") == 3 &&
           (!s[3] || strchr(",-", s[3]) || is_blank(s[3]));
}

/* Where the piece ends: at a blank, or at a comma outside a name in braces
 * and outside a number. */
static const char *end_of_piece(const char *piece)
{
    const char *s = piece, *brace = *s == '{' ? strchr(s, '}') : NULL;

    for (s = brace ? brace : s; *s && !is_blank(*s); s++)
        if (*s == ',' && !is_thousands(piece, s))
            break;
    return s;
}

static int parse_pieces(bird_regions *list, const char *text,
                        const bird_genome *g, enum bird_region_point point)
{
    int rc = 0;

    for (const char *s = text, *end; !rc && *s; s = end) {
        char *piece;

        if (*s == ',' || is_blank(*s)) {
            end = s + 1;
            continue;
        }
        end = end_of_piece(s);
        piece = strndup(s, (size_t)(end - s));
        rc = piece ? bird_region_parse_as(list, piece, g, point)
                   : bird_fail_memory((size_t)(end - s));
        free(piece);
    }
    return rc || list->n ? rc
                         : bird_fail(BIRD_EINVAL, "'%s' names no contig", text);
}

int bird_regions_parse(bird_regions *list, const char *text,
                       const bird_genome *g, enum bird_region_point point)
{
    bird_regions more = {0};
    int rc = parse_pieces(&more, text, g, point);

    if (!rc)
        rc = bird_array_grow(&list->at, &list->cap, list->n + more.n,
                             sizeof(*list->at));
    if (!rc) {
        memcpy(list->at + list->n, more.at, (size_t)more.n * sizeof(*list->at));
        list->n += more.n;
        more.n = 0; /* its strings are the list's now */
    }
    bird_regions_free(&more);
    return rc;
}

int bird_regions_read(bird_regions *list, const char *text, const char *bed,
                      const bird_genome *g, enum bird_region_point point)
{
    int rc = 0;

    if (text)
        rc = bird_regions_parse(list, text, g, point);
    if (!rc && bed)
        rc = bird_regions_read_bed(list, bed);
    return rc ? rc : bird_regions_resolve(list, g);
}

/* --- the set ------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const bird_region *r = *(const bird_region *const *)a;
    const bird_region *s = *(const bird_region *const *)b;

    if (r->index != s->index)
        return r->index < s->index ? -1 : 1;
    if (r->start != s->start)
        return r->start < s->start ? -1 : 1;
    if (r->end != s->end)
        return r->end < s->end ? -1 : 1;
    return (r > s) - (r < s);
}

static int fill(struct bird_intervals *s, const bird_region *const *sorted)
{
    for (; sorted[s->n]; s->n++) {
        const bird_region *r = sorted[s->n];
        struct bird_interval *x = &s->at[s->n];
        int64_t before =
            s->n && x[-1].contig == r->index ? s->reach[s->n - 1] : 0;

        *x = (struct bird_interval){r->index, r->start, r->end, NULL};
        s->reach[s->n] = r->end > before ? r->end : before;
        if (r->name && !(x->name = strdup(r->name)))
            return bird_fail_memory(strlen(r->name));
    }
    return 0;
}

int bird_intervals_new(struct bird_intervals *out, const bird_regions *list)
{
    struct bird_intervals s = {0};
    const bird_region **sorted = NULL;
    int rc;

    if ((rc = bird_array_new(&sorted, list->n + 1, sizeof(*sorted))) ||
        (rc = bird_array_new(&s.at, list->n, sizeof(*s.at))) ||
        (rc = bird_array_new(&s.reach, list->n, sizeof(*s.reach))))
        goto done;
    for (int64_t i = 0; i < list->n; i++)
        sorted[i] = list->at + i;
    qsort((void *)sorted, (size_t)list->n, sizeof(*sorted), compare);
    rc = fill(&s, sorted);
done:
    free((void *)sorted);
    if (rc)
        bird_intervals_free(&s);
    else
        *out = s;
    return rc;
}

void bird_intervals_free(struct bird_intervals *s)
{
    for (int64_t i = 0; i < s->n; i++)
        free(s->at[i].name);
    free(s->at);
    free(s->reach);
    *s = (struct bird_intervals){0};
}

/* The first that lies behind (contig, pos), by its start or by how far those
 * up to it reach. */
static int64_t first_behind(const struct bird_intervals *s, int64_t contig,
                            int64_t pos, int by_reach)
{
    int64_t low = 0, high = s->n;

    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        const struct bird_interval *x = &s->at[mid];

        if (x->contig < contig ||
            (x->contig == contig &&
             (by_reach ? s->reach[mid] <= pos : x->start < pos)))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int64_t bird_intervals_first(const struct bird_intervals *s, int64_t contig)
{
    return first_behind(s, contig, 0, 0);
}

int bird_intervals_overlap(const struct bird_intervals *s, int64_t contig,
                           int64_t start, int64_t end)
{
    /* whose end the reach of the first one is does overlap */
    return first_behind(s, contig, start, 1) < first_behind(s, contig, end, 0);
}

/* Append a name that was not met before. */
static int put_name(struct bird_text *out, json_t *met, const char *name)
{
    const char *comma = json_object_size(met) ? "," : "";

    if (json_object_get(met, name))
        return 0;
    if (json_object_set_new_nocheck(met, name, json_true()))
        return bird_fail_memory(0);
    return bird_text_printf(out, "%s%s", comma, name);
}

int bird_intervals_names(struct bird_text *out, const struct bird_intervals *s,
                         int64_t contig, int64_t start, int64_t end)
{
    int64_t to = first_behind(s, contig, end, 0);
    json_t *met = json_object();
    int rc = met ? 0 : bird_fail_memory(0);

    for (int64_t i = first_behind(s, contig, start, 1); i < to && !rc; i++) {
        const char *name = s->at[i].name;

        if (s->at[i].end > start && name && *name && strcmp(name, ".") != 0)
            rc = put_name(out, met, name);
    }
    json_decref(met);
    return rc;
}

int64_t bird_intervals_span(int64_t *end, const struct bird_intervals *s,
                            int64_t i, int64_t gap)
{
    int64_t contig = s->at[i].contig;

    *end = s->at[i].end;
    for (i++;
         i < s->n && s->at[i].contig == contig && s->at[i].start - *end <= gap;
         i++)
        if (s->at[i].end > *end)
            *end = s->at[i].end;
    return i;
}

static int by_place(const void *a, const void *b)
{
    const bird_region *x = a, *y = b;

    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

void bird_regions_sort(bird_regions *list)
{
    if (list->n)
        qsort(list->at, (size_t)list->n, sizeof(*list->at), by_place);
}
