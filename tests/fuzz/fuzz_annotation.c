/*
 * Any bytes as start sites, BED, GTF or GFF3, plain or compressed: a site is
 * one base with a strand, lines rise, a refusal names the file, and a filter
 * takes away but adds nothing; features whole are as many as sites. The length
 * chooses the name.
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

static void check(const struct bird_bed_line *x, int64_t last)
{
    MUST(*x->contig && !strchr(x->contig, '\n'));
    MUST(x->start >= 0 && x->end == x->start + 1);
    MUST(x->strand == '+' || x->strand == '-');
    MUST(x->line > last);
}

/* How many sites; -1 where the file is refused. */
static int64_t count(const char *name, const uint8_t *data, size_t size,
                     const bird_transcript_filter *filter)
{
    struct bird_start_sites s;
    struct bird_bed_line x = {0};
    int64_t n = 0, last = 0;
    int rc;

    rc = bird_start_sites_open_memory(&s, name, data, (int64_t)size, filter);
    while (!rc && (rc = bird_start_sites_next(&s, &x)) > 0) {
        check(&x, last);
        last = x.line;
        n++;
        rc = 0;
    }
    if (rc)
        MUST(!strncmp(bird_last_error(), name, strlen(name)));
    bird_start_sites_close(&s);
    return rc ? -1 : n;
}

/* The same file as features whole; their number or -1. */
static int64_t count_whole(const char *name, const uint8_t *data, size_t size,
                           const bird_transcript_filter *filter)
{
    struct bird_annotated x = {0};
    struct bird_start_sites s;
    int64_t n = 0;
    int rc;

    rc = bird_start_sites_open_memory(&s, name, data, (int64_t)size, filter);
    for (; !rc && (rc = bird_annotated_next(&s, &x)) > 0; n++) {
        rc = 0;
        MUST(x.at.start >= 0 && x.at.start < x.at.end);
        MUST(strlen(x.name.s) == (size_t)x.name.n);
        MUST(x.type && x.id.s && x.parent.s);
    }
    if (rc)
        MUST(!strncmp(bird_last_error(), name, strlen(name)));
    bird_annotated_free(&x);
    bird_start_sites_close(&s);
    return rc ? -1 : n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bird_transcript_filter coding = {
        "transcript,mRNA", "transcript_type=protein_coding\ntag=basic"};
    const bird_transcript_filter all = {"transcript,mRNA", NULL};
    static const char *const names[] = {"x", "x.gtf", "x.gff3.gz"};
    const char *name = names[size % 3];
    int64_t some = count(name, data, size, &coding);
    int64_t most = count(name, data, size, &all);

    MUST(most < 0 || some <= most);
    MUST(most < 0 || count_whole(name, data, size, &all) == most);
    count(name, data, size, NULL);
    return 0;
}
