/* Start sites sorted by contig and position. The nearest to an interval is the
 * first one at or after its start, or the last one before.
 * SPDX-License-Identifier: MIT */
#include "seq/genes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "seq/annotation.h"
#include "seq/contigs.h"

struct site {
    int64_t at;   /* bp */
    int64_t name; /* offset in names */
    int32_t contig;
    char strand;
    char is_dropped; /* a gene's, of which there are transcripts */
};

struct bird_genes {
    struct bird_contigs contigs;
    struct bird_text names; /* each ends in NUL */
    struct site *site;      /* (n) */
    int64_t n, cap;
    char *path;
    char *stranger; /* the first contig that was asked for and has no gene */
    int met;        /* 1: a contig that was asked for has one */
};

/* While a file is read. */
struct reading {
    struct bird_genes *g;
    struct bird_map gene; /* sites of genes by identifier */
};

void bird_genes_free(struct bird_genes *g)
{
    if (!g)
        return;
    bird_contigs_free(&g->contigs);
    bird_text_free(&g->names);
    free(g->site);
    free(g->path);
    free(g->stranger);
    free(g);
}

/* Append a name as INFO allows it. */
static int keep_name(int64_t *out, struct bird_genes *g, const char *name)
{
    int rc;

    *out = g->names.n;
    rc = bird_text_put(&g->names, name, (int64_t)strlen(name) + 1);
    for (int64_t i = *out; !rc && i < g->names.n - 1; i++)
        if (strchr(" \t;=,", g->names.s[i]))
            g->names.s[i] = '_';
    return rc;
}

static const char *first_of(const char *a, const char *b)
{
    return a && *a ? a : b && *b ? b : ".";
}

static int add_site(struct bird_genes *g, const struct bird_bed_line *at,
                    int64_t name)
{
    struct site s = {.name = name,
                     .strand = at->strand,
                     .at = at->strand == '-' ? at->end - 1 : at->start};
    int rc = bird_contigs_add(&s.contig, &g->contigs, at->contig);

    if (!rc)
        rc = bird_array_grow(&g->site, &g->cap, g->n + 1, sizeof(*g->site));
    if (!rc)
        g->site[g->n++] = s;
    return rc;
}

static int add_gene(struct reading *r, const struct bird_annotated *f)
{
    int64_t name;
    int rc = keep_name(&name, r->g, first_of(f->name.s, f->id.s));

    if (!rc && f->id.n)
        rc = bird_map_add(&r->gene, NULL, f->id.s, f->id.n, r->g->n);
    return rc ? rc : add_site(r->g, &f->at, name);
}

/* A transcript has the name of its gene, which comes before it; GTF repeats
 * that name. Its start site replaces the gene's. */
static int add_transcript(struct reading *r, const struct bird_annotated *f)
{
    struct bird_genes *g = r->g;
    const int64_t *gene =
        f->parent.n ? bird_map_find(&r->gene, f->parent.s, f->parent.n) : NULL;
    int64_t name;
    int rc;

    if (gene) {
        name = g->site[*gene].name;
        g->site[*gene].is_dropped = 1;
        return add_site(g, &f->at, name);
    }
    rc = keep_name(&name, g, first_of(f->name.s, f->parent.s));
    return rc ? rc : add_site(g, &f->at, name);
}

static int add_line(struct bird_genes *g, const struct bird_annotated *f)
{
    int64_t name;
    int rc = keep_name(&name, g, first_of(f->at.name, NULL));

    return rc ? rc : add_site(g, &f->at, name);
}

static int read_all(struct reading *r, const char *path)
{
    static const bird_transcript_filter filter = {.feature =
                                                      "gene,transcript,mRNA"};
    struct bird_start_sites in = {0};
    struct bird_annotated f = {0};
    int rc = bird_start_sites_open(&in, path, &filter), more = 1;

    while (!rc && (more = bird_annotated_next(&in, &f)) > 0)
        rc = in.format == BIRD_ANNOTATION_BED ? add_line(r->g, &f)
             : !strcmp(f.type, "gene")        ? add_gene(r, &f)
                                              : add_transcript(r, &f);
    bird_annotated_free(&f);
    bird_start_sites_close(&in);
    if (!rc && more < 0)
        rc = more;
    if (!rc && !r->g->n)
        rc = bird_fail(BIRD_EFORMAT, "%s: no gene and no transcript", path);
    return rc;
}

/* By contig and position, then in the order of the file: names are appended in
 * that order. */
static int compare(const void *a, const void *b)
{
    const struct site *x = a, *y = b;

    if (x->contig != y->contig)
        return x->contig < y->contig ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static void drop_genes(struct bird_genes *g)
{
    int64_t n = 0;

    for (int64_t i = 0; i < g->n; i++)
        if (!g->site[i].is_dropped)
            g->site[n++] = g->site[i];
    g->n = n;
}

int bird_genes_read(struct bird_genes **out, const char *path)
{
    struct reading r = {0};
    int rc = bird_array_new(&r.g, 1, sizeof(*r.g));

    if (rc)
        return rc;
    rc = read_all(&r, path);
    if (!rc && !(r.g->path = strdup(path)))
        rc = bird_fail_memory((int64_t)strlen(path));
    bird_map_free(&r.gene);
    if (rc) {
        bird_genes_free(r.g);
        return rc;
    }
    drop_genes(r.g);
    qsort(r.g->site, (size_t)r.g->n, sizeof(*r.g->site), compare);
    *out = r.g;
    return 0;
}

/* The first site at or after a position of the contig. */
static int64_t find_site(const struct bird_genes *g, int32_t contig, int64_t at)
{
    int64_t lo = 0, hi = g->n;

    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        const struct site *s = &g->site[mid];

        if (s->contig < contig || (s->contig == contig && s->at < at))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* From the site to the interval, along the contig. */
static int64_t distance(const struct site *s, int64_t start, int64_t end)
{
    return start > s->at ? start - s->at : end <= s->at ? end - 1 - s->at : 0;
}

void bird_genes_nearest(struct bird_nearest_gene *out, struct bird_genes *g,
                        const char *contig, int64_t start, int64_t end)
{
    int32_t c = bird_contigs_find(&g->contigs, contig);
    const struct site *best = NULL;
    int64_t i, d = 0;

    *out = (struct bird_nearest_gene){0};
    if (c < 0 && !g->met && !g->stranger)
        g->stranger = strdup(contig); /* of no memory no notice */
    if (c < 0)
        return;
    g->met = 1;
    i = find_site(g, c, start);
    if (i && g->site[i - 1].contig == c) {
        /* the first of those at one position */
        best = &g->site[find_site(g, c, g->site[i - 1].at)];
        d = distance(best, start, end);
    }
    if (i < g->n && g->site[i].contig == c) {
        int64_t after = distance(&g->site[i], start, end);

        if (!best || -after < d) {
            best = &g->site[i];
            d = after;
        }
    }
    if (!best)
        return;
    out->name = g->names.s + best->name;
    out->distance = best->strand == '-' ? -d : d;
}

void bird_genes_notice(char *out, size_t size, const struct bird_genes *g)
{
    if (g->met || !g->stranger)
        return;
    snprintf(
        out, size,
        "warning: %s names no gene on the contigs of the input (it has %s, "
        "the input %s): is it of another genome?",
        g->path, g->contigs.name[0], g->stranger);
}
