/* Annotation of a region: a box for each BED record; a line with boxes for
 * each gene of a GTF or GFF file, with the exons of all its transcripts.
 * Exons are assigned to their gene by the IDs of their parents, once the
 * whole region was read.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "report/report_page.h"
#include "seq/annotation.h"

/* A BED, GTF or GFF record in the region. */
struct part {
    int64_t start, end;
    char *id, *parent, *name;
    char strand;
    int is_exon;
};

struct parts {
    struct part *at; /* (n) */
    int64_t n, cap;
    struct bird_map index; /* ID to index, of records with an ID */
};

static void parts_free(struct parts *p)
{
    for (int64_t i = 0; i < p->n; i++) {
        free(p->at[i].id);
        free(p->at[i].parent);
        free(p->at[i].name);
    }
    free(p->at);
    bird_map_free(&p->index);
}

static int parts_add(struct parts *p, const struct bird_annotated *f)
{
    struct part x = {.start = f->at.start,
                     .end = f->at.end,
                     .strand = f->at.strand,
                     .is_exon = !strcmp(f->type, "exon")};
    int rc = bird_array_grow(&p->at, &p->cap, p->n + 1, sizeof(*p->at));

    if (rc)
        return rc;
    x.id = strdup(f->id.s);
    x.parent = strdup(f->parent.s);
    x.name = strdup(f->name.s);
    p->at[p->n++] = x;
    if (!x.id || !x.parent || !x.name)
        return bird_fail_memory(0);
    /* without a gene record the first transcript stands for the gene */
    if (!*x.id && !x.is_exon)
        x.id = x.parent;
    return *x.id ? bird_map_add(&p->index, NULL, x.id, (int64_t)strlen(x.id),
                                p->n - 1)
                 : 0;
}

/* The topmost parent of a record; the record itself when it has no parent. */
static int64_t root_of(const struct parts *p, int64_t i)
{
    for (int depth = 0; depth < 8; depth++) {
        const char *parent = p->at[i].parent;
        int64_t *up =
            *parent ? bird_map_find(&p->index, parent, (int64_t)strlen(parent))
                    : NULL;

        if (!up || *up == i)
            break;
        i = *up;
    }
    return i;
}

static const char *name_of(const struct part *x)
{
    return *x->name ? x->name : x->id;
}

/* Genes first, whose item numbers are kept, then their exons. Exons without
 * a gene in the file are shown as boxes alone. */
static int put_parts(struct bird_region_view *v, int64_t track,
                     const struct parts *p)
{
    int64_t *item, n = 0;
    int rc = bird_array_new(&item, p->n, sizeof(*item));

    for (int64_t i = 0; !rc && i < p->n; i++) {
        struct part *x = &p->at[i], *root = &p->at[root_of(p, i)];

        root->start = x->start < root->start ? x->start : root->start;
        root->end = x->end > root->end ? x->end : root->end;
    }
    for (int64_t i = 0; !rc && i < p->n; i++) {
        const struct part *x = &p->at[i];

        item[i] = -1; /* records whose parents form a cycle have no topmost
                         parent */
        if (root_of(p, i) != i)
            continue;
        rc = bird_region_add(v, track,
                             &(struct bird_region_item){.start = x->start,
                                                        .end = x->end,
                                                        .value = (double)NAN,
                                                        .strand = x->strand,
                                                        .is_line = !x->is_exon,
                                                        .of = -1,
                                                        .name = name_of(x)});
        item[i] = n++;
    }
    for (int64_t i = 0; !rc && i < p->n; i++) {
        const struct part *x = &p->at[i], *root_part;
        int64_t root = root_of(p, i);

        if (!x->is_exon || root == i)
            continue;
        root_part = &p->at[root];
        rc = bird_region_add(
            v, track,
            &(struct bird_region_item){.start = x->start,
                                       .end = x->end,
                                       .value = (double)NAN,
                                       .of = item[root],
                                       .note = name_of(root_part)});
    }
    free(item);
    return rc;
}

static int put_box(struct bird_region_view *v, int64_t track,
                   const struct bird_annotated *f)
{
    return bird_region_add(
        v, track,
        &(struct bird_region_item){.start = f->at.start,
                                   .end = f->at.end,
                                   .value = (double)NAN,
                                   .strand = f->at.strand,
                                   .of = -1,
                                   .name = f->name.n ? f->name.s : NULL});
}

int bird_region_annotate(struct bird_region_view *v, const char *path)
{
    static const bird_transcript_filter filter = {
        .feature = "gene,transcript,mRNA,exon"};
    struct bird_start_sites in = {0};
    struct bird_annotated f = {0};
    struct parts parts = {0};
    int64_t track = 0;
    int rc;

    rc = bird_region_track_new(&track, v, bird_report_name(path),
                               BIRD_REGION_BOXES);
    if (!rc)
        rc = bird_start_sites_open(&in, path, &filter);
    if (!rc)
        rc = 1;
    while (rc > 0 && (rc = bird_annotated_next(&in, &f)) > 0) {
        int bad = 0;

        if (!bird_region_overlaps(v, f.at.contig, f.at.start, f.at.end))
            continue;
        bad = in.format == BIRD_ANNOTATION_BED ? put_box(v, track, &f)
                                               : parts_add(&parts, &f);
        rc = bad ? bad : rc;
    }
    if (!rc)
        rc = put_parts(v, track, &parts);
    bird_annotated_free(&f);
    parts_free(&parts);
    bird_start_sites_close(&in);
    return rc;
}
