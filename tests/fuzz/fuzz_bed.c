/*
 * Any bytes as BED, plain, gzip or bgzip: regions must be what the header
 * says, come the same when written out and read again, and a refusal must
 * name the file and leave the list as it was.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "seq/annotation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

static int read_memory(bird_regions *out, const void *data, int64_t n)
{
    struct bird_lines bed;
    int rc = bird_lines_open_memory(&bed, "x.bed", data, n);

    if (rc)
        return rc;
    rc = bird_bed_read(out, &bed);
    bird_lines_close(&bed);
    return rc;
}

static void check(const bird_regions *l, int64_t i)
{
    const bird_region *r = l->at + i;

    MUST(*r->contig && !strpbrk(r->contig, "\t\n"));
    MUST(r->start >= 0 && r->start < r->end && r->end < BIRD_REGION_END);
    MUST(r->strand && strchr("+-.", r->strand) && r->index == -1);
    MUST(r->line > (i ? r[-1].line : 0));
    MUST(r->name || !r->score);
}

static void write_text(struct bird_text *t, const bird_regions *l)
{
    /* a contig may be called like the first bytes of another format */
    MUST(!bird_text_put(t, "#\n", 2));
    for (int64_t i = 0; i < l->n; i++) {
        const bird_region *r = l->at + i;

        MUST(!bird_text_printf(t, "%s\t%lld\t%lld\t%s\t%s\t%c\n", r->contig,
                               (long long)r->start, (long long)r->end,
                               r->name ? r->name : "", r->score ? r->score : "",
                               r->strand));
    }
}

static void again(const bird_regions *l)
{
    struct bird_text t = {0};
    bird_regions m = {0};

    write_text(&t, l);
    MUST(!read_memory(&m, t.s, t.n) && m.n == l->n);
    for (int64_t i = 0; i < l->n; i++) {
        const bird_region *a = l->at + i, *b = m.at + i;

        MUST(!strcmp(a->contig, b->contig) && a->strand == b->strand);
        MUST(a->start == b->start && a->end == b->end && b->line == i + 2);
        MUST(!strcmp(a->name ? a->name : "", b->name));
        MUST(!strcmp(a->score ? a->score : "", b->score));
    }
    bird_regions_free(&m);
    bird_text_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bird_regions list = {0};

    MUST(!bird_region_parse(&list, "before:1-5", NULL));
    if (read_memory(&list, data, (int64_t)size)) {
        MUST(list.n == 1 && !list.source);
        MUST(!strncmp(bird_last_error(), "x.bed: ", 7));
    } else {
        bird_regions own = {list.at + 1, list.n - 1, list.n - 1, NULL};

        MUST(!strcmp(list.source, "x.bed"));
        for (int64_t i = 0; i < own.n; i++)
            check(&own, i);
        again(&own);
    }
    MUST(!strcmp(list.at->contig, "before"));
    bird_regions_free(&list);
    return 0;
}
