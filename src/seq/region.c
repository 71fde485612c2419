/*
 * Regions: the text form, lists of it, BED, and placing them on a genome.
 * SPDX-License-Identifier: MIT
 */
#include "dnabird/intervals.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "seq/annotation.h"
#include "seq/intervals.h"

static void region_free(bird_region *r)
{
    free(r->contig);
    free(r->name);
    free(r->score);
}

void bird_regions_free(bird_regions *list)
{
    if (!list)
        return;
    for (int64_t i = 0; i < list->n; i++)
        region_free(list->at + i);
    free(list->at);
    free(list->source);
    *list = (bird_regions){0};
}

/* Digits with commas from *s on; 0 when there are none or too many. */
static int take_position(int64_t *out, const char **s)
{
    const char *p = *s;
    int64_t v = 0;

    for (; (*p >= '0' && *p <= '9') || (*p == ',' && p > *s); p++)
        if (*p != ',' && (__builtin_mul_overflow(v, 10, &v) ||
                          __builtin_add_overflow(v, *p - '0', &v)))
            return 0;
    if (p == *s || p[-1] == ',')
        return 0;
    *s = p;
    *out = v;
    return 1;
}

/* The text after the ':'; 1 when it has the form of a range. start counts
   from 1 here; BIRD_REGION_END stands for an open end. */
static int take_range(int64_t *start, int64_t *end, const char *s)
{
    *start = 1;
    *end = BIRD_REGION_END;
    if (*s != '-' && !take_position(start, &s))
        return 0;
    if (!*s)
        return 1;
    if (*s++ != '-')
        return 0;
    if (!*s)
        return s[-2] != ':'; /* "chr:-" says nothing */
    return take_position(end, &s) && !*s;
}

struct parts {
    const char *name;
    size_t n_name;
    int64_t start, end; /* from 1, inclusive */
    int point;          /* "name:7" without more */
};

static int known(const bird_genome *g, const char *name, size_t n)
{
    char *copy = strndup(name, n);
    int found = copy && bird_genome_find_alias(g, copy) >= 0;

    free(copy);
    return found;
}

/* Divide the text into a name and a range. */
static int divide(struct parts *out, const char *text, const bird_genome *g)
{
    struct parts p = {text, strlen(text), 1, BIRD_REGION_END, 0};
    const char *colon = strrchr(text, ':'), *brace, *range = NULL;
    int64_t start, end;

    if (*text == '{' && (brace = strchr(text, '}'))) {
        p.name = text + 1;
        p.n_name = (size_t)(brace - p.name);
        if (brace[1] &&
            (brace[1] != ':' || !take_range(&p.start, &p.end, brace + 2)))
            return bird_fail(
                BIRD_EINVAL,
                "region '%s': {name} must be followed by ':start-end'", text);
        range = brace[1] ? brace + 2 : NULL;
    } else if (colon && take_range(&start, &end, colon + 1)) {
        int whole = g && known(g, text, p.n_name);
        int part = g && known(g, text, (size_t)(colon - text));

        if (whole && part)
            return bird_fail(BIRD_EINVAL,
                             "region '%s' can be read in two ways: write "
                             "{%s} or {%.*s}%s",
                             text, text, (int)(colon - text), text, colon);
        if (!whole) {
            p.n_name = (size_t)(colon - text);
            p.start = start;
            p.end = end;
            range = colon + 1;
        }
    } else if (colon && !(g && known(g, text, p.n_name)) &&
               (!g || known(g, text, (size_t)(colon - text)))) {
        return bird_fail(BIRD_EINVAL,
                         "region '%s': cannot parse '%s' as start-end (write "
                         "{name}:start-end if the contig name contains ':')",
                         text, colon + 1);
    }
    if (!p.n_name)
        return bird_fail(BIRD_EINVAL, "region '%s': no contig name", text);
    p.point = range && !strchr(range, '-');
    *out = p;
    return 0;
}

static int parse(bird_regions *list, const char *text, const bird_genome *g,
                 enum bird_region_point point)
{
    struct parts p = {0};
    bird_region r = {.strand = '.', .index = -1};
    int rc = divide(&p, text, g);

    if (rc)
        return rc;
    if (p.start < 1)
        return bird_fail(BIRD_EINVAL, "region '%s': positions count from 1",
                         text);
    if (p.end < p.start)
        return bird_fail(BIRD_EINVAL,
                         "region '%s': the end lies before the start", text);
    if ((rc = bird_array_grow(&list->at, &list->cap, list->n + 1,
                              sizeof(*list->at))))
        return rc;
    r.contig = strndup(p.name, p.n_name);
    if (!r.contig)
        return bird_fail_memory(p.n_name);
    r.start = p.start - 1;
    r.end = p.point && point == BIRD_POINT_BASE ? p.start : p.end;
    if (g) {
        bird_regions one = {&r, 1, 1, NULL};

        if ((rc = bird_regions_resolve(&one, g))) {
            free(r.contig);
            return rc;
        }
    }
    list->at[list->n++] = r;
    return 0;
}

int bird_region_parse(bird_regions *list, const char *text,
                      const bird_genome *g)
{
    return parse(list, text, g, BIRD_POINT_TO_END);
}

/* ---- lists of them ------------------------------------------------------- */

/* Takes over what more has. */
static int append(bird_regions *list, bird_regions *more)
{
    int rc = bird_array_grow(&list->at, &list->cap, list->n + more->n,
                             sizeof(*list->at));

    if (!rc && more->n)
        memcpy(list->at + list->n, more->at,
               (size_t)more->n * sizeof(*list->at));
    if (!rc) {
        list->n += more->n;
        more->n = 0;
    }
    return rc;
}

static int is_blank(char c)
{
    return isspace((unsigned char)c);
}

/* Is this comma a thousands separator: three digits after it, a digit before it in a
 * piece with a position? So a contig called 100 stays a contig. */
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
        rc = piece ? parse(list, piece, g, point)
                   : bird_fail_memory((size_t)(end - s));
        free(piece);
    }
    return rc || list->n
               ? rc
               : bird_fail(BIRD_EINVAL, "region '%s': no contig name", text);
}

int bird_regions_parse(bird_regions *list, const char *text,
                       const bird_genome *g, enum bird_region_point point)
{
    bird_regions more = {0};
    int rc = parse_pieces(&more, text, g, point);

    if (!rc)
        rc = append(list, &more);
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

/* ---- BED ----------------------------------------------------------------- */

/* A copy of the line with strings of its own. */
static int keep_line(bird_region *out, const struct bird_bed_line *l)
{
    bird_region r = {.start = l->start,
                     .end = l->end,
                     .strand = l->strand,
                     .line = l->line,
                     .index = -1};

    r.contig = strdup(l->contig);
    r.name = l->name ? strdup(l->name) : NULL;
    r.score = l->score ? strdup(l->score) : NULL;
    if (!r.contig || (l->name && !r.name) || (l->score && !r.score)) {
        free(r.contig);
        free(r.name);
        free(r.score);
        return bird_fail_memory(strlen(l->contig));
    }
    *out = r;
    return 0;
}

static int read_lines(bird_regions *list, struct bird_lines *l)
{
    struct bird_bed_line line;
    int rc;

    while ((rc = bird_bed_next(l, &line)) > 0) {
        rc = bird_array_grow(&list->at, &list->cap, list->n + 1,
                             sizeof(*list->at));
        if (rc || (rc = keep_line(&list->at[list->n], &line)))
            return rc;
        list->n++;
    }
    return rc;
}

int bird_bed_read(bird_regions *list, struct bird_lines *l)
{
    bird_regions more = {0};
    int rc;

    more.source = strdup(l->in.name);
    rc = more.source ? 0 : bird_fail_memory(strlen(l->in.name));
    if (!rc)
        rc = read_lines(&more, l);
    if (!rc)
        rc = append(list, &more);
    if (!rc) {
        free(list->source);
        list->source = more.source;
        more.source = NULL;
    }
    bird_regions_free(&more);
    return rc;
}

int bird_regions_read_bed(bird_regions *list, const char *path)
{
    struct bird_lines l;
    int rc = bird_lines_open(&l, path);

    if (!rc)
        rc = bird_bed_read(list, &l);
    bird_lines_close(&l);
    return rc;
}

/* ---- on a genome --------------------------------------------------------- */

/* "x.bed: line 7: " before the sentence, where the region has a file. */
static int fail_region(const bird_regions *list, const bird_region *r, int code)
{
    return r->line > 0 && list->source
               ? bird_fail_in(code, "%s: line %lld", list->source,
                              (long long)r->line)
               : code;
}

static int check_region(const bird_regions *list, const bird_region *r,
                        const bird_genome *g)
{
    int64_t i = bird_genome_find_alias(g, r->contig), length;

    if (i < 0) {
        bird_fail(BIRD_ERANGE, "no contig '%s' in %s", r->contig,
                  bird_genome_path(g));
        return fail_region(list, r, BIRD_ERANGE);
    }
    length = bird_genome_length(g, i);
    if (r->start < 0 || r->start > length ||
        (r->end != BIRD_REGION_END && r->end > length) ||
        (r->start == length && length)) {
        char end[32] = "";

        if (r->end != BIRD_REGION_END)
            snprintf(end, sizeof(end), "%lld", (long long)r->end);
        bird_fail(BIRD_ERANGE,
                  "%s:%lld-%s lies off the end of '%s', which has %lld bp in "
                  "%s",
                  r->contig, (long long)r->start + 1, end, r->contig,
                  (long long)length, bird_genome_path(g));
        return fail_region(list, r, BIRD_ERANGE);
    }
    return 0;
}

int bird_regions_resolve(bird_regions *list, const bird_genome *g)
{
    for (int64_t i = 0; i < list->n; i++) {
        int rc = check_region(list, list->at + i, g);

        if (rc)
            return rc;
    }
    for (int64_t i = 0; i < list->n; i++) {
        bird_region *r = list->at + i;

        r->index = bird_genome_find_alias(g, r->contig);
        if (r->end == BIRD_REGION_END)
            r->end = bird_genome_length(g, r->index);
    }
    return 0;
}

static int compare_regions(const void *a, const void *b)
{
    const bird_region *r = a, *s = b;

    if (r->index != s->index)
        return (r->index > s->index) - (r->index < s->index);
    if (r->start != s->start)
        return (r->start > s->start) - (r->start < s->start);
    if (r->end != s->end)
        return (r->end > s->end) - (r->end < s->end);
    return (r->line > s->line) - (r->line < s->line);
}

void bird_regions_sort(bird_regions *list)
{
    if (list->n)
        qsort(list->at, (size_t)list->n, sizeof(*list->at), compare_regions);
}

void bird_regions_keep(bird_regions *list, int64_t from, int64_t to)
{
    for (int64_t i = 0; i < list->n; i++)
        if (i < from || i >= to)
            region_free(list->at + i);
    if (to > from)
        memmove(list->at, list->at + from,
                (size_t)(to - from) * sizeof(*list->at));
    list->n = to > from ? to - from : 0;
}

void bird_regions_merge(bird_regions *list)
{
    int64_t n = 0;

    if (list->n < 2)
        return;
    bird_regions_sort(list);
    for (int64_t i = 1; i < list->n; i++) {
        bird_region *last = list->at + n, *r = list->at + i;

        if (r->index != last->index || r->start > last->end) {
            list->at[++n] = *r;
            continue;
        }
        if (r->end > last->end)
            last->end = r->end;
        if (r->strand != last->strand)
            last->strand = '.';
        region_free(r);
    }
    list->n = n + 1;
}
