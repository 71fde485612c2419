/* Labelled regions of a reference. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "dnabird/region.h"
#include "dnabird/window.h"

static int find_contig(int64_t *out, const bird_genome *g, const char *name)
{
    *out = bird_genome_find(g, name);
    for (int64_t i = 0; *out < 0 && i < bird_genome_count(g); i++)
        if (!bird_contig_compare(bird_genome_name(g, i), name))
            *out = i;
    return *out < 0;
}

/* The letters of a region, as its strand reads them. */
static int fetch(struct bird_text *seq, bird_genome *g, const bird_region *r,
                 const char *path)
{
    int64_t contig, n = r->end - r->start, length;
    int rc;

    if (find_contig(&contig, g, r->contig))
        return bird_fail(BIRD_ERANGE,
                         "%s: line %lld, column 1: the reference "
                         "has no contig '%s'",
                         path, (long long)r->line, r->contig);
    length = bird_genome_length(g, contig);
    if (r->end > length)
        return bird_fail(BIRD_ERANGE,
                         "%s: line %lld, column 3: the end %lld "
                         "lies behind %s, which has %lld bp",
                         path, (long long)r->line, (long long)r->end, r->contig,
                         (long long)length);
    rc = bird_array_grow(&seq->s, &seq->cap, n + 1, 1);
    if (!rc)
        rc = bird_genome_fetch(g, contig, r->start, r->end, seq->s);
    if (rc)
        return rc;
    seq->n = n;
    seq->s[n] = '\0';
    if (r->strand == '-')
        bird_reverse_complement(seq->s, seq->s, n);
    return 0;
}

static int put_region(struct bird_dataset_builder *b, bird_genome *g,
                      struct bird_text *seq, const bird_region *r)
{
    struct bird_row *row;
    int rc = fetch(seq, g, r, b->path);

    if (!rc)
        rc = bird_dataset_add(b, seq->s, seq->n, r->line, "region");
    if (rc)
        return rc;
    row = &b->d.row[b->d.n - 1];
    row->start = r->start;
    row->end = r->end;
    row->strand = r->strand;
    rc = bird_dataset_contig(&row->contig, b, r->contig);
    if (!rc && r->name && strcmp(r->name, "."))
        rc = bird_dataset_put_name(b, r->name);
    if (!rc && r->score && strcmp(r->score, ".") &&
        (!b->o->label || *b->o->label))
        rc = bird_dataset_put_label(b, r->score);
    return rc;
}

int bird_dataset_read_bed(struct bird_dataset_builder *b)
{
    struct bird_text seq = {0};
    bird_regions list = {0};
    bird_genome *g = NULL;
    int rc;

    b->label_column = "column 5";
    if (!b->o->reference)
        return bird_fail(BIRD_EINVAL,
                         "%s: regions need the reference FASTA "
                         "they lie on",
                         b->path);
    rc = bird_regions_read_bed(&list, b->path);
    if (!rc)
        rc = bird_genome_open(&g, b->o->reference);
    for (int64_t i = 0; !rc && i < list.n; i++)
        rc = put_region(b, g, &seq, &list.at[i]);
    bird_genome_free(g);
    bird_regions_free(&list);
    bird_text_free(&seq);
    return rc;
}

/* Mark the rows that overlap this region. */
static int mark_region(uint8_t *mark, const bird_dataset *d,
                       const bird_region *r)
{
    int n = 0;

    for (int64_t c = 0; c < d->n_contig; c++) {
        if (bird_contig_compare(d->contig_name[c], r->contig))
            continue;
        for (int64_t i = 0; i < d->n; i++)
            if (d->row[i].contig == c && d->row[i].start < r->end &&
                r->start < d->row[i].end) {
                mark[i] = 1;
                n = 1;
            }
    }
    return n;
}

int bird_dataset_mark_bed(uint8_t *mark, const bird_dataset *d,
                          const char *path)
{
    bird_regions list = {0};
    int rc, any = 0;

    if (!d->n_contig)
        return bird_fail(BIRD_EINVAL,
                         "%s: rows without places cannot be "
                         "split by regions",
                         path);
    rc = bird_regions_read_bed(&list, path);
    memset(mark, 0, (size_t)d->n);
    for (int64_t i = 0; !rc && i < list.n; i++)
        any |= mark_region(mark, d, &list.at[i]);
    bird_regions_free(&list);
    if (!rc && !any)
        rc = bird_fail(BIRD_EINVAL, "%s: no row lies in these regions", path);
    return rc;
}
