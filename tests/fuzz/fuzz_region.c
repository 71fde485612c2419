/*
 * Any lines as regions in text, without a genome and on a small one whose
 * names hold ':'. What is read must lie on its contig, read the same again
 * when written out in braces, and cover the same bases before and after
 * joining; a refusal must leave the list as it was.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dnabird/intervals.h"
#include "seq/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

enum { LONGEST = 512 };

static const struct {
    const char *name;
    int64_t length;
} contigs[] = {{"chr1", LONGEST}, {"2", 300},   {"MT", 16}, {"HLA:1", 30},
               {"HLA", 40},       {"x:2-3", 9}, {"none", 0}};

enum { N_CONTIG = sizeof(contigs) / sizeof(*contigs) };

static bird_genome *genome(void)
{
    bird_genome *g = calloc(1, sizeof(*g));

    MUST(g && (g->path = strdup("g.fa")));
    for (int i = 0; i < N_CONTIG; i++) {
        struct bird_fai_layout at = {.length = contigs[i].length};

        MUST(!bird_contig_add(g, contigs[i].name, &at));
    }
    return g;
}

/* "{name}:start-end" of a region must read as that region. */
static void again(const bird_region *r, const bird_genome *g)
{
    bird_regions list = {0};
    size_t size = strlen(r->contig) + 64;
    char *text = malloc(size);

    MUST(text);
    if (r->end == BIRD_REGION_END)
        snprintf(text, size, "{%s}:%lld-", r->contig, (long long)r->start + 1);
    else
        snprintf(text, size, "{%s}:%lld-%lld", r->contig,
                 (long long)r->start + 1, (long long)r->end);
    if (!strchr(r->contig, '}') && r->start < r->end) {
        MUST(!bird_region_parse(&list, text, g) && list.n == 1);
        MUST(!strcmp(list.at->contig, r->contig));
        MUST(list.at->start == r->start && list.at->end == r->end);
        MUST(list.at->index == r->index);
        bird_regions_free(&list);
    }
    free(text);
}

static void alone(const char *text)
{
    bird_regions list = {0};
    const bird_region *r;

    if (bird_region_parse(&list, text, NULL)) {
        MUST(!list.n && *bird_last_error());
        bird_regions_free(&list);
        return;
    }
    r = list.at;
    MUST(list.n == 1 && *r->contig && strstr(text, r->contig));
    MUST(r->start >= 0 && r->start < r->end && r->index == -1);
    again(r, NULL);
    bird_regions_free(&list);
}

/* A list: all of it, or nothing and a sentence. */
static void listed(const char *text)
{
    bird_regions list = {0};

    if (bird_regions_parse(&list, text, NULL, BIRD_POINT_BASE))
        MUST(!list.n && *bird_last_error());
    else
        MUST(list.n > 0);
    for (int64_t i = 0; i < list.n; i++)
        MUST(list.at[i].start >= 0 && list.at[i].start < list.at[i].end);
    bird_regions_free(&list);
}

static void placed(bird_regions *list, const char *text, const bird_genome *g)
{
    int64_t n = list->n;
    const bird_region *r;

    if (bird_region_parse(list, text, g)) {
        MUST(list->n == n && *bird_last_error());
        return;
    }
    MUST(list->n == n + 1);
    r = list->at + n;
    MUST(r->index >= 0 && r->index < bird_genome_count(g));
    MUST(!bird_contig_compare(r->contig, bird_genome_name(g, r->index)));
    MUST(r->start >= 0 && r->end <= bird_genome_length(g, r->index));
    MUST(r->start < r->end || !bird_genome_length(g, r->index));
    again(r, g);
}

typedef char cover[N_CONTIG][LONGEST];

static void mark(cover c, const bird_regions *list)
{
    memset(c, 0, sizeof(cover));
    for (int64_t i = 0; i < list->n; i++)
        memset(c[list->at[i].index] + list->at[i].start, 1,
               (size_t)(list->at[i].end - list->at[i].start));
}

static void joined(bird_regions *list)
{
    cover before, after;

    mark(before, list);
    bird_regions_merge(list);
    mark(after, list);
    MUST(!memcmp(before, after, sizeof(before)));
    for (int64_t i = 1; i < list->n; i++) {
        const bird_region *a = list->at + i - 1, *b = a + 1;

        MUST(a->index < b->index ||
             (a->index == b->index && a->end < b->start));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = strndup((const char *)data, size), *rest = copy, *line;
    bird_genome *g = genome();
    bird_regions list = {0};

    MUST(copy);
    while ((line = strsep(&rest, "\n"))) {
        alone(line);
        listed(line);
        placed(&list, line, g);
    }
    joined(&list);
    bird_regions_free(&list);
    bird_genome_free(g);
    free(copy);
    return 0;
}
