/*
 * Sorted sets of intervals: reading, merging, subtraction, overlap, sampling.
 *
 * A set is an array sorted by contig and start. If its intervals may overlap,
 * each also stores the largest end so far on its contig. These ends never
 * decrease, so two binary searches enclose the elements that overlap an
 * interval: the first whose largest end reaches it, and the first that begins
 * after it.
 * SPDX-License-Identifier: MIT
 */
#include "seq/intervals.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "seq/annotation.h"

/* --- order, and a set of regions ------------------------------------------ */

int bird_interval_compare(const struct bird_interval *x,
                          const struct bird_interval *y)
{
    if (x->contig != y->contig)
        return x->contig < y->contig ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static int by_position(const void *a, const void *b)
{
    const struct bird_interval *x = a, *y = b;
    int order = bird_interval_compare(x, y);

    if (order)
        return order;
    if (x->strand != y->strand)
        return x->strand < y->strand ? -1 : 1;
    return (x->score > y->score) - (x->score < y->score);
}

static int by_region(const void *a, const void *b)
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

        *x = (struct bird_interval){.contig = (int32_t)r->index,
                                    .start = r->start,
                                    .end = r->end,
                                    .strand = r->strand};
        if (r->name && !(x->name = strdup(r->name)))
            return bird_fail_memory(strlen(r->name));
    }
    return 0;
}

int bird_intervals_reach(struct bird_intervals *s)
{
    int rc = bird_array_new(&s->reach, s->n, sizeof(*s->reach));

    for (int64_t i = 0; !rc && i < s->n; i++) {
        const struct bird_interval *x = &s->at[i];
        int64_t before = i && x[-1].contig == x->contig ? s->reach[i - 1] : 0;

        s->reach[i] = x->end > before ? x->end : before;
    }
    return rc;
}

int bird_intervals_new(struct bird_intervals *out, const bird_regions *list)
{
    struct bird_intervals s = {0};
    const bird_region **sorted = NULL;
    int rc;

    if ((rc = bird_array_new(&sorted, list->n + 1, sizeof(*sorted))) ||
        (rc = bird_array_new(&s.at, list->n, sizeof(*s.at))))
        goto done;
    for (int64_t i = 0; i < list->n; i++)
        sorted[i] = list->at + i;
    qsort((void *)sorted, (size_t)list->n, sizeof(*sorted), by_region);
    rc = fill(&s, sorted);
    if (!rc)
        rc = bird_intervals_reach(&s);
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

/* The first element after (contig, pos), by its start or by the largest end
 * so far. */
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

int64_t bird_intervals_first(const struct bird_intervals *s, int64_t contig,
                             int64_t pos)
{
    return first_behind(s, contig, pos, 0);
}

int bird_intervals_overlap(const struct bird_intervals *s, int64_t contig,
                           int64_t start, int64_t end)
{
    /* the element whose end is the first one's largest end overlaps */
    return first_behind(s, contig, start, 1) < first_behind(s, contig, end, 0);
}

/* Append a name unless it was appended before. */
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

/* --- reading -------------------------------------------------------------- */

void bird_intervals_sort(struct bird_intervals *p)
{
    if (p->n > 1)
        qsort(p->at, (size_t)p->n, sizeof(*p->at), by_position);
}

int bird_intervals_put(struct bird_intervals *p, const struct bird_interval *x)
{
    int rc = bird_array_grow(&p->at, &p->cap, p->n + 1, sizeof(*p->at));

    if (!rc)
        p->at[p->n++] = *x;
    return rc;
}

static int put_line(struct bird_intervals *out, struct bird_contigs *c,
                    const struct bird_bed_line *l)
{
    struct bird_interval x = {
        .start = l->start, .end = l->end, .strand = l->strand};
    int rc = bird_contigs_add(&x.contig, c, l->contig);

    if (l->score && bird_parse_double(&x.score, l->score))
        x.score = 0.0;
    return rc ? rc : bird_intervals_put(out, &x);
}

int bird_intervals_read(struct bird_intervals *out, struct bird_contigs *c,
                        const char *path)
{
    struct bird_lines bed = {0};
    struct bird_bed_line line;
    int64_t n0 = out->n;
    int rc = bird_lines_open(&bed, path);

    while (!rc && (rc = bird_bed_next(&bed, &line)) > 0)
        rc = put_line(out, c, &line);
    bird_lines_close(&bed);
    if (rc)
        out->n = n0;
    bird_intervals_sort(out);
    return rc;
}

int bird_intervals_read_merged(struct bird_intervals *out,
                               struct bird_contigs *c, const char *path)
{
    int rc = bird_intervals_read(out, c, path);

    bird_intervals_merge(out);
    return rc;
}

/* Keep one of the sites that are at the same base of the same strand. */
static void drop_repeated(struct bird_intervals *p)
{
    int64_t n = 0;

    for (int64_t i = 0; i < p->n; i++)
        if (!n || bird_interval_compare(&p->at[n - 1], &p->at[i]) ||
            p->at[n - 1].strand != p->at[i].strand)
            p->at[n++] = p->at[i];
    p->repeated += p->n - n;
    p->n = n;
}

int bird_intervals_read_starts(struct bird_intervals *out,
                               struct bird_contigs *c, const char *path,
                               const bird_transcript_filter *filter)
{
    struct bird_start_sites sites = {0};
    struct bird_bed_line line;
    int64_t n0 = out->n;
    int rc = bird_start_sites_open(&sites, path, filter);

    while (!rc && (rc = bird_start_sites_next(&sites, &line)) > 0)
        rc = put_line(out, c, &line);
    bird_start_sites_close(&sites);
    if (rc)
        out->n = n0;
    bird_intervals_sort(out);
    drop_repeated(out);
    return rc;
}

/* A name with a folder or an extension is a file's, even if it does not
 * exist; "-" is standard input. */
static int is_file(const char *text)
{
    return !strcmp(text, "-") || bird_file_exists(text) || strchr(text, '/') ||
           strstr(text, ".bed");
}

int bird_intervals_read_named(struct bird_intervals *out,
                              struct bird_contigs *c, const char *text)
{
    bird_regions list = {0};
    int64_t n0 = out->n;
    int rc;

    if (is_file(text))
        return bird_intervals_read(out, c, text);
    rc = bird_regions_parse(&list, text, NULL, BIRD_POINT_TO_END);
    for (int64_t i = 0; !rc && i < list.n; i++) {
        struct bird_interval x = {
            .start = list.at[i].start, .end = list.at[i].end, .strand = '.'};

        rc = bird_contigs_add(&x.contig, c, list.at[i].contig);
        if (!rc)
            rc = bird_intervals_put(out, &x);
    }
    if (rc)
        out->n = n0;
    bird_intervals_sort(out);
    bird_regions_free(&list);
    return rc;
}

int bird_intervals_check_named(const struct bird_contigs *c, const char *text)
{
    bird_regions list = {0};
    int rc;

    if (is_file(text))
        return 0;
    rc = bird_regions_parse(&list, text, NULL, BIRD_POINT_TO_END);
    for (int64_t i = 0; !rc && i < list.n; i++)
        if (bird_contigs_find(c, list.at[i].contig) < 0)
            rc = bird_fail(BIRD_ERANGE,
                           "'%s' is neither a file nor a contig of the "
                           "references",
                           list.at[i].contig);
    bird_regions_free(&list);
    return rc;
}

/* --- operations on sets --------------------------------------------------- */

void bird_intervals_merge(struct bird_intervals *p)
{
    struct bird_interval *x, *last;
    int64_t i, n = 0;

    for (i = 0; i < p->n; i++) {
        x = p->at + i;
        last = n ? p->at + n - 1 : NULL;
        x->strand = '.';
        if (last && last->contig == x->contig && x->start <= last->end)
            last->end = x->end > last->end ? x->end : last->end;
        else if (x->end > x->start)
            p->at[n++] = *x;
    }
    p->n = n;
}

int bird_intervals_subtract(struct bird_intervals *a,
                            const struct bird_intervals *b)
{
    struct bird_intervals left = {0};
    struct bird_interval x;
    int64_t i, k;
    int rc = 0;

    if (!b->n) /* nothing to take away */
        return 0;
    for (i = 0; !rc && i < a->n; i++) {
        x = a->at[i];
        k = bird_intervals_first(b, x.contig, x.start);
        if (k > 0 && b->at[k - 1].contig == x.contig)
            k--;
        for (; !rc && k < b->n && b->at[k].contig == x.contig &&
               b->at[k].start < a->at[i].end;
             k++) {
            x.end = b->at[k].start;
            if (x.end > x.start)
                rc = bird_intervals_put(&left, &x);
            if (b->at[k].end > x.start)
                x.start = b->at[k].end;
        }
        x.end = a->at[i].end;
        if (!rc && x.end > x.start)
            rc = bird_intervals_put(&left, &x);
    }
    if (rc) {
        bird_intervals_free(&left);
        return rc;
    }
    bird_intervals_free(a);
    *a = left;
    return 0;
}

int bird_intervals_whole(struct bird_intervals *p, const int64_t *length,
                         int64_t n)
{
    struct bird_interval x = {.strand = '.'};
    int rc = 0;

    for (int64_t i = 0; !rc && i < n; i++) {
        x.contig = (int32_t)i;
        x.end = length[i];
        rc = bird_intervals_put(p, &x);
    }
    return rc;
}

int bird_intervals_limit(struct bird_intervals *p, struct bird_contigs *c,
                         const int64_t *length, int64_t n, const char *exclude)
{
    struct bird_intervals cut = {0};
    int64_t kept = 0;
    int rc;

    for (int64_t i = 0; i < p->n; i++) {
        struct bird_interval x = p->at[i];

        if (x.contig >= n)
            continue;
        if (x.end > length[x.contig])
            x.end = length[x.contig];
        if (x.end > x.start)
            p->at[kept++] = x;
    }
    p->n = kept;
    bird_intervals_sort(p);
    bird_intervals_merge(p);
    if (!exclude)
        return 0;
    rc = bird_intervals_check_named(c, exclude);
    if (!rc)
        rc = bird_intervals_read_named(&cut, c, exclude);
    bird_intervals_merge(&cut);
    if (!rc)
        rc = bird_intervals_subtract(p, &cut);
    bird_intervals_free(&cut);
    return rc;
}

int bird_intervals_allowed(struct bird_intervals *out, struct bird_contigs *c,
                           const int64_t *length, int64_t n,
                           const char *include, const char *exclude)
{
    int rc = include ? bird_intervals_check_named(c, include)
                     : bird_intervals_whole(out, length, n);

    if (!rc && include)
        rc = bird_intervals_read_named(out, c, include);
    return rc ? rc : bird_intervals_limit(out, c, length, n, exclude);
}

int bird_intervals_mask(struct bird_intervals *out, struct bird_contigs *c,
                        const int64_t *length, int64_t n, const char *path)
{
    int64_t kept = 0, known = 0;
    int rc = bird_intervals_read(out, c, path);

    bird_intervals_merge(out);
    for (int64_t i = 0; !rc && i < out->n; i++) {
        const struct bird_interval *x = out->at + i;
        int64_t end = x->contig < n ? length[x->contig] : 0;

        known += x->contig < n;
        if (!end)
            continue;
        if (x->end > end)
            rc = bird_fail(BIRD_ERANGE,
                           "%s: %s:%lld-%lld ends after the end of the contig, "
                           "which has %lld bp: is it a mask of another genome?",
                           path, c->name[x->contig], (long long)x->start + 1,
                           (long long)x->end, (long long)end);
        else
            out->at[kept++] = *x;
    }
    if (!rc && out->n && !known)
        rc = bird_fail(BIRD_ERANGE,
                       "%s: the references have none of its contigs (the first "
                       "is '%.80s'): is it a mask of another genome?",
                       path, c->name[out->at[0].contig]);
    if (!rc)
        out->n = kept;
    return rc;
}

int64_t bird_intervals_covered(const struct bird_intervals *p, int32_t contig,
                               int64_t start, int64_t end)
{
    int64_t i = bird_intervals_first(p, contig, start), n = 0;

    if (i > 0)
        i--; /* it may overlap the next one */
    for (; i < p->n && p->at[i].contig <= contig; i++) {
        const struct bird_interval *x = p->at + i;
        int64_t from = x->start > start ? x->start : start;
        int64_t to = x->end < end ? x->end : end;

        if (x->contig == contig && from >= end)
            break;
        if (x->contig == contig && to > from)
            n += to - from;
    }
    return n;
}

int bird_intervals_start_in(const struct bird_intervals *p, int32_t contig,
                            const int64_t range[2], char strand)
{
    int64_t i = bird_intervals_first(p, contig, range[0]);

    for (; i < p->n && p->at[i].contig == contig && p->at[i].start <= range[1];
         i++)
        if (!strand || p->at[i].strand == strand)
            return 1;
    return 0;
}

int bird_intervals_touch(const struct bird_intervals *p, int32_t contig,
                         int64_t start, int64_t end)
{
    int64_t i = bird_intervals_first(p, contig, end) - 1;

    return i >= 0 && p->at[i].contig == contig && p->at[i].end > start;
}

int64_t bird_intervals_holding(const struct bird_intervals *p, int32_t contig,
                               int64_t start, int64_t end)
{
    int64_t i = bird_intervals_first(p, contig, start + 1) - 1;

    if (i < 0 || p->at[i].contig != contig || p->at[i].end < end)
        return -1;
    return i;
}

int bird_intervals_sum(int64_t **out, const struct bird_intervals *p,
                       int64_t window)
{
    int64_t i, n, *sum;
    int rc = bird_array_new(&sum, p->n + 1, sizeof(*sum));

    if (rc)
        return rc;
    for (i = 0; i < p->n; i++) {
        n = p->at[i].end - p->at[i].start - window + 1;
        sum[i + 1] = sum[i] + (n > 0 ? n : 0);
    }
    *out = sum;
    return 0;
}

int64_t bird_sum_find(int64_t *i, const int64_t *sum, int64_t n, int64_t at)
{
    int64_t lo = 0, hi = n, mid;

    while (hi - lo > 1) {
        mid = lo + (hi - lo) / 2;
        if (sum[mid] <= at)
            lo = mid;
        else
            hi = mid;
    }
    *i = lo;
    return at - sum[lo];
}
