/* Classes of bases: of texts with a character for each base, or of intervals on
 * the genome that the rows lie on.
 *
 * Intervals are sorted by contig and start. A search from a row's end back to where
 * no earlier interval reaches it finds those that overlap; where several cover a
 * base, the last one of the file counts. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/dataset.h"
#include "dnabird/intervals.h"
#include "seq/contigs.h"

/* The class of bases in no interval. */
#define OUTSIDE "none"
#define UNKNOWN "."

static int find_class(const char *const *name, int64_t n, const char *s)
{
    for (int64_t k = 0; k < n; k++)
        if (!strcmp(name[k], s))
            return (int)k;
    return -1;
}

/* The classes: those of the model, or those found in the file. */
static int take_classes(struct bird_dataset_builder *b, const char *const *name,
                        int64_t n)
{
    struct bird_dataset *d = &b->d;

    if (b->o->class_name)
        return bird_dataset_name_labels(d, b->o->class_name, b->o->n_class);
    if (n < 1)
        return bird_fail(BIRD_EINVAL,
                         "%s: no class of any base is known: all labels are "
                         "'" UNKNOWN "'",
                         b->path);
    if (n > BIRD_NO_CLASS)
        return bird_fail(BIRD_EINVAL, "%s: %lld classes of bases; %d at most",
                         b->path, (long long)n, BIRD_NO_CLASS);
    return bird_dataset_name_labels(d, name, n);
}

/* ---- a text for each row ------------------------------------------------- */

static int fail_text(const struct bird_dataset_builder *b, int64_t i,
                     const char *why)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: line %lld, %s: %s: a label has one character for "
                     "each base, '" UNKNOWN "' where its class is not known",
                     b->path, (long long)b->d.line[i], b->label_column, why);
}

/* Check the lengths, and mark the characters that are classes. */
static int check_texts(uint8_t seen[256], const struct bird_dataset_builder *b)
{
    char why[100];

    for (int64_t i = 0; i < b->d.n; i++) {
        const char *s = b->label_at[i] < 0 ? "" : b->labels.s + b->label_at[i];
        int64_t n = (int64_t)strlen(s);

        snprintf(why, sizeof(why), "%lld labels of %lld bases", (long long)n,
                 (long long)b->d.row[i].len);
        if (b->label_at[i] < 0 || n != b->d.row[i].len)
            return fail_text(b, i, b->label_at[i] < 0 ? "no label" : why);
        for (; *s; s++)
            seen[(unsigned char)*s] = 1;
    }
    seen[(unsigned char)*UNKNOWN] = 0;
    return 0;
}

/* The class of each character, or -1. A model without names of labels has
 * numbers, which are digits here. */
static int number_classes(int class_of[256], struct bird_dataset_builder *b,
                          const uint8_t seen[256])
{
    char text[256][2];
    const char *name[256];
    int64_t n = 0;
    int plain = b->o->n_class && !b->o->class_name, rc = 0;

    for (int c = 1; c < 256; c++)
        if (seen[c]) {
            text[n][0] = (char)c;
            text[n][1] = '\0';
            name[n] = text[n];
            n++;
        }
    b->d.n_label = b->o->n_class;
    if (!plain)
        rc = take_classes(b, name, n);
    for (int c = 0; !rc && c < 256; c++) {
        const char s[2] = {(char)c, '\0'};

        class_of[c] = plain ? c >= '0' && c < '0' + b->o->n_class ? c - '0' : -1
                            : find_class((const char *const *)b->d.label_name,
                                         b->d.n_label, s);
    }
    return rc;
}

static int class_by_texts(struct bird_dataset_builder *b)
{
    uint8_t seen[256] = {0};
    int class_of[256];
    int rc = check_texts(seen, b);

    if (!rc)
        rc = number_classes(class_of, b, seen);
    for (int64_t i = 0; !rc && i < b->d.n; i++) {
        const char *s = b->labels.s + b->label_at[i];
        uint8_t *to = b->d.base_class + b->d.row[i].at;

        for (int64_t j = 0; !rc && j < b->d.row[i].len; j++) {
            int k = class_of[(unsigned char)s[j]];

            to[j] = k < 0 ? BIRD_NO_CLASS : (uint8_t)k;
            if (k < 0 && s[j] != *UNKNOWN)
                rc = bird_fail(
                    BIRD_EFORMAT,
                    "%s: line %lld, %s: '%c' at position %lld is "
                    "not one of the model's classes",
                    b->path, (long long)b->d.line[i], b->label_column,
                    s[j] > ' ' && s[j] < 127 ? s[j] : '?', (long long)j + 1);
        }
    }
    return rc;
}

/* ---- intervals on a genome ----------------------------------------------- */

struct span {
    int64_t contig, start, end;
    int64_t reach; /* largest end of this and all before it on the contig */
    int64_t line;
    int class_id; /* -1: unknown */
    char strand;
};

static int by_place(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    if (x->contig != y->contig)
        return x->contig < y->contig ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static const char *name_of(const bird_region *r)
{
    return r->name && *r->name ? r->name : UNKNOWN;
}

/* The classes of the file: outside first, then by name. */
static int name_intervals(struct bird_dataset_builder *b,
                          const bird_regions *list)
{
    const char **name;
    int64_t n = 1;
    int rc = bird_array_new(&name, list->n + 1, sizeof(*name));

    if (rc)
        return rc;
    name[0] = OUTSIDE;
    for (int64_t i = 0; i < list->n; i++)
        if (strcmp(name_of(&list->at[i]), UNKNOWN) != 0 &&
            strcmp(name_of(&list->at[i]), OUTSIDE) != 0)
            name[n++] = name_of(&list->at[i]);
    rc = take_classes(b, name, 1 + bird_texts_unique(name + 1, n - 1));
    free((void *)name);
    return rc;
}

/* The rows' number of the interval's contig, or -1. */
static int64_t contig_of(const bird_dataset *d, const char *name)
{
    int64_t c = d->n_contig;

    while (c-- > 0 && bird_contig_compare(d->contig_name[c], name))
        ;
    return c;
}

/* Intervals on the rows' contigs, sorted. */
static int take_intervals(struct span **out, int64_t *n,
                          const struct bird_dataset_builder *b,
                          const bird_regions *list)
{
    const bird_dataset *d = &b->d;
    struct span *s;
    int64_t contig = -1;
    int rc = bird_array_new(&s, list->n, sizeof(*s));

    *n = 0;
    *out = s;
    for (int64_t i = 0; !rc && i < list->n; i++) {
        const bird_region *r = &list->at[i];
        const char *name = name_of(r);
        int unknown = !strcmp(name, UNKNOWN);
        struct span x = {.start = r->start,
                         .end = r->end,
                         .line = r->line,
                         .strand = r->strand};

        x.class_id = unknown ? -1
                             : find_class((const char *const *)d->label_name,
                                          d->n_label, name);
        if (!unknown && x.class_id < 0)
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld, column 4: '%.60s' is not one of "
                             "the model's classes",
                             b->o->labels, (long long)r->line, name);
        if (!i || strcmp(r->contig, list->at[i - 1].contig) != 0)
            contig = contig_of(d, r->contig);
        x.contig = contig;
        if (x.contig >= 0)
            s[(*n)++] = x;
    }
    if (rc)
        return rc;
    qsort(s, (size_t)*n, sizeof(*s), by_place);
    for (int64_t i = 0; i < *n; i++) {
        int first = !i || s[i - 1].contig != s[i].contig;

        s[i].reach =
            first || s[i].end > s[i - 1].reach ? s[i].end : s[i - 1].reach;
    }
    return 0;
}

/* Number of the first interval that begins at or after this place. */
static int64_t begins_from(const struct span *s, int64_t n, int64_t contig,
                           int64_t at)
{
    int64_t lo = 0, hi = n;

    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;

        if (s[mid].contig < contig ||
            (s[mid].contig == contig && s[mid].start < at))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Bases of the row in the order of the genome: class and line of the interval. */
static void paint(uint8_t *to, int64_t *line, const bird_row *r,
                  const struct span *x, uint8_t class_id)
{
    int64_t from = x->start > r->start ? x->start : r->start;
    int64_t end = x->end < r->end ? x->end : r->end;

    for (int64_t at = from; at < end; at++) {
        int64_t j = r->strand == '-' ? r->end - 1 - at : at - r->start;

        if (x->line < line[j])
            continue;
        line[j] = x->line;
        to[j] = class_id;
    }
}

static void class_row(uint8_t *to, int64_t *line, const bird_row *r,
                      const struct span *s, int64_t n)
{
    int64_t i = begins_from(s, n, r->contig, r->end);

    memset(line, 0, (size_t)r->len * sizeof(*line));
    for (; i-- > 0 && s[i].contig == r->contig && s[i].reach > r->start;)
        if (s[i].end > r->start && (s[i].strand == '.' || r->strand == '.' ||
                                    s[i].strand == r->strand))
            paint(to, line, r, &s[i],
                  s[i].class_id < 0 ? BIRD_NO_CLASS : (uint8_t)s[i].class_id);
}

static int class_by_intervals(struct bird_dataset_builder *b)
{
    bird_dataset *d = &b->d;
    bird_regions list = {0};
    struct span *s = NULL;
    int64_t n = 0, longest = 0, *line = NULL;
    int outside, rc = bird_regions_read_bed(&list, b->o->labels);

    if (!rc)
        rc = name_intervals(b, &list);
    if (!rc)
        rc = take_intervals(&s, &n, b, &list);
    outside = find_class((const char *const *)d->label_name,
                         rc ? 0 : d->n_label, OUTSIDE);
    if (!rc && outside < 0)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: intervals label rows for a model with the class "
                       "'" OUTSIDE "', which this model does not have",
                       b->o->labels);
    for (int64_t i = 0; i < d->n; i++)
        longest = d->row[i].len > longest ? d->row[i].len : longest;
    if (!rc)
        rc = bird_array_new(&line, longest, sizeof(*line));
    if (!rc)
        memset(d->base_class, outside, (size_t)d->n_base);
    for (int64_t i = 0; !rc && i < d->n; i++)
        class_row(d->base_class + d->row[i].at, line, &d->row[i], s, n);
    free(line);
    free(s);
    bird_regions_free(&list);
    return rc;
}

int bird_dataset_class_bases(struct bird_dataset_builder *b)
{
    int rc;

    if (b->d.ids)
        return bird_fail(BIRD_EINVAL,
                         "%s: token ids have no bases that could have labels",
                         b->path);
    if (bird_dataset_has_columns(&b->d))
        return bird_fail(BIRD_EINVAL,
                         "%s: a head on tokens learns one label a base: name "
                         "one column with --label-column",
                         b->path);
    if (b->d.n_contig && !b->o->labels)
        return bird_fail(BIRD_EINVAL,
                         "%s: regions need the intervals that label their "
                         "bases: give --labels BED",
                         b->path);
    rc = bird_array_new(&b->d.base_class, b->d.n_base, 1);
    if (rc)
        return rc;
    b->d.kind = BIRD_LABEL_BASES;
    return b->d.n_contig ? class_by_intervals(b) : class_by_texts(b);
}
