/*
 * The index (.csi, .tbi) of a VCF or BCF, and the order in which the records of
 * some intervals are read through it.
 *
 * Intervals that lie near each other are one span, so that no block of the file
 * is read for each of them. The index names the chunks of the file that may
 * hold records of a span; they are read as a whole file is, record by record,
 * from a chunk's start to its end, or to the first record after the span.
 * Spans are read in the order of their contigs in the file. A record that
 * reaches into a second span was read with the first.
 * SPDX-License-Identifier: MIT
 */
#include "seq/vcf_index.h"

#include <assert.h>
#include <htslib/hts.h>
#include <htslib/tbx.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/mem.h"

enum { GAP = 1 << 14 }; /* bp between intervals of one span: a bin */

struct span {
    int tid; /* the index's number of the contig */
    int64_t start, end;
    uint64_t offset; /* of the contig in the file */
};

struct bird_vcf_index {
    const char *path;
    tbx_t *tbx;     /* of VCF */
    hts_idx_t *csi; /* of BCF */
    const char **name;
    int n_name;
    struct span *span; /* (n), at: the one being read */
    int64_t n, cap, at;
    hts_pair64_t *chunk; /* (n_chunk) of it, i: the one being read */
    int64_t n_chunk, cap_chunk, i;
    int begun; /* 0: the file is not in chunk i yet; 1: before its first
                  record; 2: behind it */
    int64_t done_bp, all_bp, pos;
};

void bird_vcf_index_free(struct bird_vcf_index *x)
{
    if (!x)
        return;
    if (x->tbx)
        tbx_destroy(x->tbx);
    if (x->csi)
        hts_idx_destroy(x->csi);
    free((void *)x->name);
    free(x->span);
    free(x->chunk);
    free(x);
}

/* --- opening -------------------------------------------------------------- */

/* Names by number; they are the index's or the header's. */
static int list_names(struct bird_vcf_index *x, const bcf_hdr_t *header)
{
    int rc;

    if (x->tbx) {
        x->name = tbx_seqnames(x->tbx, &x->n_name);
        return x->name || !x->n_name ? 0 : bird_fail_memory(0);
    }
    assert(header); /* of BCF, whose index has no names */
    x->n_name = header->n[BCF_DT_CTG];
    rc = bird_array_new(&x->name, x->n_name, sizeof(*x->name));
    for (int i = 0; !rc && i < x->n_name; i++)
        x->name[i] = header->id[BCF_DT_CTG][i].key;
    return rc;
}

/* Is it an index of VCF records that htslib can read? */
static int load(struct bird_vcf_index *x, const char *index, int is_bcf)
{
    if (is_bcf)
        x->csi = bcf_index_load3(x->path, index, HTS_IDX_SILENT_FAIL);
    else
        x->tbx = tbx_index_load3(x->path, index, HTS_IDX_SILENT_FAIL);
    if (x->tbx && (x->tbx->conf.preset & 0xffff) != TBX_VCF) {
        tbx_destroy(x->tbx);
        x->tbx = NULL;
    }
    return x->csi || x->tbx;
}

/* Load path + ending. @return 1, 0: none, or one that is of no use */
static int try_index(struct bird_vcf_index *x, struct bird_text *why,
                     const char *ending, const bcf_hdr_t *header)
{
    struct bird_text index = {0};
    struct stat file, its;
    const char *what = NULL;
    int rc = bird_text_printf(&index, "%s%s", x->path, ending), got = 0;

    if (rc || stat(index.s, &its) || stat(x->path, &file))
        goto done;
    if (its.st_mtime < file.st_mtime)
        what = "is older than the file";
    else if (!load(x, index.s, header != NULL))
        what = "is not an index that can be read";
    else
        got = 1;
    if (what && !why->n)
        rc = bird_text_printf(why,
                              "%s %s and was not used: all of %s is read; "
                              "index it again (bcftools index -f)",
                              index.s, what, x->path);
done:
    bird_text_free(&index);
    return rc ? rc : got;
}

int bird_vcf_index_open(struct bird_vcf_index **out, struct bird_text *why,
                        const char *path, const bcf_hdr_t *header)
{
    struct bird_vcf_index *x = calloc(1, sizeof(*x));
    int rc;

    if (!x)
        return bird_fail_memory(sizeof(*x));
    x->path = path;
    rc = try_index(x, why, ".csi", header);
    if (!rc && !header)
        rc = try_index(x, why, ".tbi", header);
    if (rc == 1 && (rc = list_names(x, header)) == 0) {
        bird_text_clear(why);
        *out = x;
        return 1;
    }
    bird_vcf_index_free(x);
    return rc;
}

const char *bird_vcf_index_contig(const struct bird_vcf_index *x, int64_t i)
{
    return i < x->n_name ? x->name[i] : NULL;
}

/* --- spans ---------------------------------------------------------------- */

/* Chunks that may hold records of a span, in the file's order. */
static int find_chunks(struct bird_vcf_index *x, int tid, int64_t start,
                       int64_t end)
{
    hts_itr_t *it = x->tbx ? tbx_itr_queryi(x->tbx, tid, start, end)
                           : bcf_itr_queryi(x->csi, tid, start, end);
    int rc = 0;

    x->n_chunk = x->i = x->begun = 0;
    if (!it)
        return 0; /* none of this contig */
    rc = bird_array_grow(&x->chunk, &x->cap_chunk, it->n_off + 1,
                         sizeof(*x->chunk));
    for (; !rc && it->off && x->n_chunk < it->n_off; x->n_chunk++) {
        x->chunk[x->n_chunk].u = it->off[x->n_chunk].u;
        x->chunk[x->n_chunk].v = it->off[x->n_chunk].v;
    }
    hts_itr_destroy(it);
    return rc;
}

static int add_contig(struct bird_vcf_index *x, const struct bird_intervals *in,
                      int tid, int64_t contig)
{
    int64_t i = bird_intervals_first(in, contig, 0);
    int rc = 0;

    if (i == in->n || in->at[i].contig != contig ||
        (rc = find_chunks(x, tid, 0, HTS_POS_MAX)) || !x->n_chunk)
        return rc;
    while (!rc && i < in->n && in->at[i].contig == contig) {
        struct span s = {
            .tid = tid, .start = in->at[i].start, .offset = x->chunk[0].u};

        i = bird_intervals_span(&s.end, in, i, GAP);
        rc = bird_array_grow(&x->span, &x->cap, x->n + 1, sizeof(*x->span));
        if (rc)
            break;
        x->span[x->n++] = s;
        x->all_bp += s.end - s.start;
    }
    return rc;
}

static int by_offset(const void *a, const void *b)
{
    const struct span *r = a, *s = b;

    if (r->offset != s->offset)
        return r->offset < s->offset ? -1 : 1;
    return (r->start > s->start) - (r->start < s->start);
}

int bird_vcf_index_limit(struct bird_vcf_index *x,
                         const struct bird_intervals *in,
                         struct bird_contig_map *map)
{
    int rc = 0;

    for (int i = 0; !rc && i < x->n_name; i++) {
        int64_t contig = -1;

        if (x->name[i])
            rc = bird_contig_map_find(map, &contig, x->name[i]);
        if (!rc && contig >= 0)
            rc = add_contig(x, in, i, contig);
    }
    if (rc)
        return rc;
    if (x->n)
        qsort(x->span, (size_t)x->n, sizeof(*x->span), by_offset);
    x->at = -1;
    x->n_chunk = x->i = 0;
    return 0;
}

/* --- reading -------------------------------------------------------------- */

static int next_span(struct bird_vcf_index *x)
{
    if (x->at >= 0)
        x->done_bp += x->span[x->at].end - x->span[x->at].start;
    if (++x->at >= x->n)
        return 0;
    x->pos = x->span[x->at].start;
    return find_chunks(x, x->span[x->at].tid, x->span[x->at].start,
                       x->span[x->at].end);
}

int bird_vcf_index_seek(struct bird_vcf_index *x, BGZF *f)
{
    while (x->at < x->n) {
        if (x->i >= x->n_chunk) {
            int rc = next_span(x);

            if (rc)
                return rc;
            continue;
        }
        if (!x->begun) {
            x->begun = 1;
            if ((uint64_t)bgzf_tell(f) != x->chunk[x->i].u &&
                bgzf_seek(f, (int64_t)x->chunk[x->i].u, SEEK_SET) < 0)
                return bird_fail(BIRD_EFORMAT,
                                 "%s: cannot be read where its index says: "
                                 "damaged, or the index is another file's",
                                 x->path);
            return 1;
        }
        if ((uint64_t)bgzf_tell(f) < x->chunk[x->i].v)
            return 1;
        x->i++;
        x->begun = 0;
    }
    return 0;
}

void bird_vcf_index_end(struct bird_vcf_index *x)
{
    x->i = x->n_chunk;
}

int bird_vcf_index_takes(struct bird_vcf_index *x, const char *contig,
                         int64_t start, int64_t end)
{
    const struct span *s = &x->span[x->at];
    int is_first = x->begun == 1, here = !strcmp(contig, x->name[s->tid]);

    x->begun = 2;
    if (is_first && !here)
        return bird_fail(BIRD_EFORMAT,
                         "%s: its index says that records of '%s' are where "
                         "one of '%s' is: index it again (bcftools index -f)",
                         x->path, x->name[s->tid], contig);
    if (!here || start >= s->end) {
        bird_vcf_index_end(x); /* all that follow lie behind */
        return 0;
    }
    x->pos = start > x->pos ? start : x->pos;
    if (end <= s->start)
        return 0;
    return x->at == 0 || s[-1].tid != s->tid || start >= s[-1].end;
}

void bird_vcf_index_span(const struct bird_vcf_index *x, char *out, size_t size)
{
    const struct span *s = &x->span[x->at];

    snprintf(out, size, "%s:%" PRId64 "-%" PRId64, x->name[s->tid],
             s->start + 1, s->end);
}

void bird_vcf_index_progress(const struct bird_vcf_index *x, int64_t *done,
                             int64_t *total)
{
    *total = x->all_bp;
    *done = x->done_bp;
    if (x->at >= 0 && x->at < x->n)
        *done += x->pos - x->span[x->at].start;
}
