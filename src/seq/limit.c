/* Regions over a stream, which learns its contigs only as they come.
   SPDX-License-Identifier: MIT */
#include "seq/limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

struct bird_limit {
    const bird_regions *list;
    const bird_region **sorted; /* (n) by contig's name and start */
    char *seen;                 /* (n) the contig came by */
    int64_t n, low, high;       /* sorted[low..high) are on this contig */
    int64_t first;              /* the first that may still meet a window */
};

static int compare_regions(const void *a, const void *b)
{
    const bird_region *r = *(const bird_region *const *)a;
    const bird_region *s = *(const bird_region *const *)b;
    int order = bird_contig_compare(r->contig, s->contig);

    return order ? order : (r->start > s->start) - (r->start < s->start);
}

int bird_limit_new(struct bird_limit **out, const bird_regions *list)
{
    struct bird_limit *l = calloc(1, sizeof(*l));
    int rc;

    if (!l)
        return bird_fail_memory(sizeof(*l));
    l->list = list;
    l->n = list->n;
    if ((rc = bird_array_new(&l->sorted, l->n, sizeof(void *))) ||
        (rc = bird_array_new(&l->seen, l->n, 1))) {
        bird_limit_free(l);
        return rc;
    }
    for (int64_t i = 0; i < l->n; i++)
        l->sorted[i] = list->at + i;
    qsort(l->sorted, (size_t)l->n, sizeof(void *), compare_regions);
    *out = l;
    return 0;
}

void bird_limit_free(struct bird_limit *l)
{
    if (!l)
        return;
    free(l->sorted);
    free(l->seen);
    free(l);
}

void bird_limit_contig(struct bird_limit *l, const char *name)
{
    int64_t low = 0, high = l->n;

    while (low < high) {
        int64_t mid = low + (high - low) / 2;

        if (bird_contig_compare(l->sorted[mid]->contig, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    l->low = l->first = low;
    while (high < l->n && !bird_contig_compare(l->sorted[high]->contig, name))
        l->seen[high++] = 1;
    l->high = high;
}

int bird_limit_meets(struct bird_limit *l, int64_t start, int64_t end)
{
    while (l->first < l->high && l->sorted[l->first]->end <= start)
        l->first++;
    for (int64_t i = l->first; i < l->high; i++) {
        if (l->sorted[i]->start >= end)
            return 0;
        if (l->sorted[i]->end > start)
            return 1;
    }
    return 0;
}

static int fail_at(const struct bird_limit *l, const bird_region *r,
                   const char *what)
{
    if (r->line > 0 && l->list->source)
        return bird_fail(BIRD_ERANGE, "%s: line %lld: '%s' %s", l->list->source,
                         (long long)r->line, r->contig, what);
    return bird_fail(BIRD_ERANGE, "region on '%s' %s", r->contig, what);
}

int bird_limit_end(const struct bird_limit *l, int64_t length)
{
    for (int64_t i = l->low; i < l->high; i++) {
        const bird_region *r = l->sorted[i];
        char what[96];

        if (r->end == BIRD_REGION_END ? r->start <= length : r->end <= length)
            continue;
        snprintf(what, sizeof(what), "has %lld bp: the region lies off its end",
                 (long long)length);
        return fail_at(l, r, what);
    }
    return 0;
}

int bird_limit_check(const struct bird_limit *l)
{
    for (int64_t i = 0; i < l->n; i++)
        if (!l->seen[i])
            return fail_at(l, l->sorted[i],
                           "is no contig of the sequence "
                           "that was read");
    return 0;
}
