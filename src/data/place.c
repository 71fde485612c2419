/* BED intervals on named contigs. SPDX-License-Identifier: MIT */
#include "data/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/error.h"
#include "dnabird/genome.h"
#include "dnabird/region.h"
#include "seq/start_sites.h"

int bird_extent_compare(const struct bird_extent *x,
                        const struct bird_extent *y)
{
    if (x->contig != y->contig)
        return x->contig < y->contig ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static int by_place(const void *a, const void *b)
{
    const struct bird_place *x = a, *y = b;
    int order =
        bird_extent_compare(&(struct bird_extent){x->contig, x->start, x->end},
                            &(struct bird_extent){y->contig, y->start, y->end});

    if (order)
        return order;
    if (x->strand != y->strand)
        return x->strand < y->strand ? -1 : 1;
    return (x->score > y->score) - (x->score < y->score);
}

void bird_places_sort(struct bird_places *p)
{
    if (p->n > 1)
        qsort(p->at, (size_t)p->n, sizeof(*p->at), by_place);
}

int bird_places_put(struct bird_places *p, const struct bird_place *x)
{
    int rc = bird_array_grow(&p->at, &p->cap, p->n + 1, sizeof(*p->at));

    if (!rc)
        p->at[p->n++] = *x;
    return rc;
}

void bird_places_free(struct bird_places *p)
{
    free(p->at);
    *p = (struct bird_places){0};
}

static int put_line(struct bird_places *out, struct bird_contigs *c,
                    const struct bird_bed_line *l)
{
    struct bird_place x = {
        .start = l->start, .end = l->end, .strand = l->strand};
    int rc = bird_contigs_add(&x.contig, c, l->contig);

    if (l->score && bird_parse_double(&x.score, l->score))
        x.score = 0.0;
    return rc ? rc : bird_places_put(out, &x);
}

int bird_places_read(struct bird_places *out, struct bird_contigs *c,
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
    bird_places_sort(out);
    return rc;
}

int bird_places_read_tss(struct bird_places *out, struct bird_contigs *c,
                         const char *path, const bird_transcript_filter *filter)
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
    bird_places_sort(out);
    return rc;
}

void bird_places_merge(struct bird_places *p)
{
    struct bird_place *x, *last;
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

int bird_places_subtract(struct bird_places *a, const struct bird_places *b)
{
    struct bird_places left = {0};
    struct bird_place x;
    int64_t i, k;
    int rc = 0;

    if (!b->n) /* nothing to take away */
        return 0;
    for (i = 0; !rc && i < a->n; i++) {
        x = a->at[i];
        k = bird_places_from(b, x.contig, x.start);
        if (k > 0 && b->at[k - 1].contig == x.contig)
            k--;
        for (; !rc && k < b->n && b->at[k].contig == x.contig &&
               b->at[k].start < a->at[i].end;
             k++) {
            x.end = b->at[k].start;
            if (x.end > x.start)
                rc = bird_places_put(&left, &x);
            if (b->at[k].end > x.start)
                x.start = b->at[k].end;
        }
        x.end = a->at[i].end;
        if (!rc && x.end > x.start)
            rc = bird_places_put(&left, &x);
    }
    if (rc) {
        bird_places_free(&left);
        return rc;
    }
    bird_places_free(a);
    *a = left;
    return 0;
}

int bird_places_whole(struct bird_places *p, const int64_t *length, int64_t n)
{
    struct bird_place x = {.strand = '.'};
    int rc = 0;

    for (int64_t i = 0; !rc && i < n; i++) {
        x.contig = (int32_t)i;
        x.end = length[i];
        rc = bird_places_put(p, &x);
    }
    return rc;
}

int bird_places_limit(struct bird_places *p, struct bird_contigs *c,
                      const int64_t *length, int64_t n, const char *exclude)
{
    struct bird_places cut = {0};
    int64_t kept = 0;
    int rc;

    for (int64_t i = 0; i < p->n; i++) {
        struct bird_place x = p->at[i];

        if (x.contig >= n)
            continue;
        if (x.end > length[x.contig])
            x.end = length[x.contig];
        if (x.end > x.start)
            p->at[kept++] = x;
    }
    p->n = kept;
    bird_places_sort(p);
    bird_places_merge(p);
    if (!exclude)
        return 0;
    rc = bird_places_read(&cut, c, exclude);
    bird_places_merge(&cut);
    if (!rc)
        rc = bird_places_subtract(p, &cut);
    bird_places_free(&cut);
    return rc;
}

int bird_places_areas(struct bird_places *out, struct bird_contigs *c,
                      const int64_t *length, int64_t n, const char *include,
                      const char *exclude)
{
    int rc = include ? bird_places_check_named(c, include)
                     : bird_places_whole(out, length, n);

    if (!rc && include)
        rc = bird_places_read_named(out, c, include);
    return rc ? rc : bird_places_limit(out, c, length, n, exclude);
}

int64_t bird_places_from(const struct bird_places *p, int32_t contig,
                         int64_t pos)
{
    int64_t lo = 0, hi = p->n, mid;

    while (lo < hi) {
        mid = lo + (hi - lo) / 2;
        if (p->at[mid].contig < contig ||
            (p->at[mid].contig == contig && p->at[mid].start < pos))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int bird_places_start_in(const struct bird_places *p, int32_t contig,
                         const int64_t range[2], char strand)
{
    int64_t i = bird_places_from(p, contig, range[0]);

    for (; i < p->n && p->at[i].contig == contig && p->at[i].start <= range[1];
         i++)
        if (!strand || p->at[i].strand == strand)
            return 1;
    return 0;
}

int64_t bird_places_holding(const struct bird_places *p, int32_t contig,
                            int64_t start, int64_t end)
{
    int64_t i = bird_places_from(p, contig, start + 1) - 1;

    if (i < 0 || p->at[i].contig != contig || p->at[i].end < end)
        return -1;
    return i;
}

int bird_places_sum(int64_t **out, const struct bird_places *p, int64_t window)
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
