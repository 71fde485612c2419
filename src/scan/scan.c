/* The scan: windows, or bins in their context, to a session, and its answers
 * in order to whoever writes them.
 *
 * A tile that is not scored goes through the session too, without a sequence:
 * so that there is one queue, and every tile comes out once and in its place.
 * SPDX-License-Identifier: MIT */
#include "scan/scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/shard.h"
#include "scan/source.h"
#include "seq/alphabet.h"

enum { REPORT = 64 /* tiles between two reports of progress */ };

struct bird_scan_item {
    int64_t contig, start, end;
    int64_t name, regions; /* where they stand in names; -1: none */
    int64_t bins;          /* where its bins stand in bad; of bin models */
    int64_t limit;         /* where the contig ends; of bin models */
    const char *status;
};

/* A window or a bin, as it comes. */
struct tile {
    int64_t contig, start, end, region;
    const char *name, *seq;
    int64_t n;         /* bases of seq */
    int64_t length;    /* of the contig; < 1: not known yet */
    int64_t n_unknown; /* other characters than A, C, G, T, and ... */
    int64_t n_beyond;  /* ... of these, how many lie beyond the contig */
    int is_short;      /* its contig is shorter than the width */
    int last;          /* of its contig or region */
};

int bird_scan_check(const char *fasta, double threshold, double max_unknown)
{
    if (!fasta)
        return bird_fail(BIRD_EINVAL, "no FASTA file");
    if (!(threshold >= 0 && threshold <= 1) && threshold != -1)
        return bird_fail(BIRD_EINVAL,
                         "the threshold must lie between 0 and 1, got %g",
                         threshold);
    if (!(max_unknown >= 0 && max_unknown <= 1))
        return bird_fail(BIRD_EINVAL,
                         "largest share of N %g: it lies between 0 and 1",
                         max_unknown);
    return 0;
}

/* --- shards -------------------------------------------------------------- */

static int is_before(int64_t contig, int64_t start,
                     const struct bird_scan_place *p)
{
    return contig < p->contig || (contig == p->contig && start < p->start);
}

int bird_scan_owns(const struct bird_scan *s, int64_t contig, int64_t start)
{
    return !s->o.shard || s->o.centre ||
           (!is_before(contig, start, &s->first) &&
            is_before(contig, start, &s->end));
}

int bird_scan_headless(const struct bird_scan *s)
{
    struct bird_shard shard;

    return !bird_shard_parse(&shard, s->o.shard) && shard.i > 1;
}

/* What is before a shard and within this may bear on it: windows that overlap
 * and touch. */
static int64_t lookback(const struct bird_scan *s)
{
    return 2 * s->width_bp + s->step_bp;
}

/* Has the shard all its rows with this one? */
static int is_enough(const struct bird_scan *s, const struct bird_scan_row *row)
{
    if (!s->o.shard || s->o.centre ||
        is_before(row->contig, row->start, &s->end))
        return 0;
    return row->contig != s->end.contig || !s->o.open ||
           !s->o.open(s->o.context, row, s->end.start);
}

/* Base number n of the regions; behind the last one there is no end. */
static struct bird_scan_place find_place(const struct bird_source *from,
                                         int64_t n)
{
    const bird_region *r = from->regions.at;

    for (int64_t i = 0; i < from->regions.n; i++) {
        if (n < r[i].end - r[i].start)
            return (struct bird_scan_place){r[i].index, r[i].start + n};
        n -= r[i].end - r[i].start;
    }
    return (struct bird_scan_place){INT64_MAX, 0};
}

/* Leave of the regions what the shard has to look at. */
static int take_shard(struct bird_scan *s)
{
    bird_regions *list = &s->source.regions;
    struct bird_shard shard;
    int64_t from, to, i = 0;
    int rc = bird_shard_parse(&shard, s->o.shard);

    if (rc || !s->o.shard)
        return rc;
    bird_shard_range(&from, &to, &shard,
                     s->o.centre ? list->n : s->source.total_bp);
    if (s->o.centre) {
        bird_regions_keep(list, from, to);
        bird_source_count(&s->source);
        return 0;
    }
    s->end = find_place(&s->source, to);
    s->first =
        from ? find_place(&s->source, from) : (struct bird_scan_place){-1, 0};
    if (from == to) {
        s->first = s->end;
        i = list->n;
    }
    for (; i < list->n; i++) {
        bird_region *r = &list->at[i];
        int64_t start = s->first.start - lookback(s);

        if (r->index < s->first.contig ||
            (r->index == s->first.contig && r->end <= start))
            continue;
        if (r->index == s->first.contig && r->start < start)
            r->start = start;
        break;
    }
    bird_regions_keep(list, i, list->n);
    s->source.total_bp = to - from;
    return 0;
}

/* --- answers ------------------------------------------------------------- */

static int put_row(struct bird_scan *s, const struct bird_scan_item *t,
                   char strand, const float *value)
{
    struct bird_scan_row row = {.contig = t->contig,
                                .start = t->start,
                                .end = t->end,
                                .name = s->names.s + t->name,
                                .regions = t->regions < 0 ? NULL
                                           : s->bin_bp
                                               ? s->regions.s
                                               : s->names.s + t->regions,
                                .strand = strand,
                                .status = t->status,
                                .value = value};
    int rc;

    if (s->enough)
        return 0;
    s->n_scored += value != NULL;
    rc = s->o.put(s->o.context, &row);
    s->enough = is_enough(s, &row);
    return rc;
}

/* Names of the regions that one bin of a tile overlaps. */
static int keep_bin_regions(struct bird_scan *s, struct bird_scan_item *bin)
{
    int rc = 0;

    bin->regions = -1;
    if (s->source.stream)
        return 0;
    bird_text_clear(&s->regions);
    rc = bird_intervals_names(&s->regions, &s->named, bin->contig, bin->start,
                              bin->end);
    if (rc || !s->regions.n)
        return rc;
    bin->regions = 0;
    return bird_text_put(&s->regions, "", 1);
}

/* Does this bin overlap a region? Bins come in their order. */
static int is_wanted(struct bird_scan *s, const struct bird_scan_item *bin)
{
    int64_t start = bin->start, end;

    return bird_source_clip(&s->source, &s->wanted, bin->contig, &start, &end,
                            bin->end);
}

/* Passes of a tile, each of bins that lie a stride behind those before. */
static int64_t passes(const struct bird_scan *s)
{
    return s->bin_bp ? s->bin_bp / s->stride_bp : 1;
}

/* Bases beyond its window, to either side, that a tile comes with. */
static int64_t reach(const struct bird_scan *s)
{
    return s->bin_bp ? s->bin_bp - s->stride_bp : 0;
}

/* Bin i of the tile, over all passes: a row with its value, or with none. */
static int put_bin(struct bird_scan *s, const struct bird_scan_item *t,
                   int64_t i, char strand, const float *value)
{
    struct bird_scan_item bin = *t;
    int rc;

    bin.start = t->start + i * s->stride_bp;
    bin.end =
        bin.start + s->bin_bp < t->limit ? bin.start + s->bin_bp : t->limit;
    if (!is_wanted(s, &bin))
        return 0;
    s->n_tile++;
    if (s->bad[t->bins + i]) {
        bin.status = BIRD_STATUS_UNKNOWN;
        value = NULL;
        s->n_unknown++;
    }
    rc = keep_bin_regions(s, &bin);
    return rc ? rc : put_row(s, &bin, strand, value);
}

/* One pass of a tile: its bins are kept until those of all passes are there. */
static int keep_pass(struct bird_scan *s, const float *core, int64_t n)
{
    int rc = bird_array_grow(&s->kept, &s->cap_kept, passes(s) * n,
                             sizeof(*s->kept));

    if (!rc)
        memcpy(s->kept + s->n_kept++ * n, core, (size_t)n * sizeof(*core));
    return rc;
}

/* The bins in the middle of the tile's context, a row each. */
static int put_bins(struct bird_scan *s, const struct bird_scan_item *t,
                    const bird_answer *a)
{
    int64_t first = (s->width_bp - s->step_bp) / 2 / s->bin_bp;
    int64_t n_pass = passes(s), n = s->step_bp / s->bin_bp * a->n_label;
    const float *core = a->value ? a->value + first * a->n_label : NULL;
    int rc = core ? keep_pass(s, core, n) : 0;

    if (rc || (core && s->n_kept < n_pass))
        return rc;
    s->n_kept = 0;
    for (int64_t i = 0; !rc && t->start + i * s->stride_bp < t->end; i++)
        rc = put_bin(s, t, i, a->strand,
                     core ? s->kept + i % n_pass * n + i / n_pass * a->n_label
                          : NULL);
    return rc;
}

static int take(void *context, const bird_answer *a)
{
    struct bird_scan *s = context;
    const struct bird_scan_item *t = s->item + a->tag;
    int rc;

    s->pending--;
    if (s->bin_bp)
        return put_bins(s, t, a);
    if (a->value || s->o.strand == BIRD_STRAND_BOTH)
        return put_row(s, t, a->strand, a->value);
    rc = s->o.strand == BIRD_STRAND_MINUS ? 0 : put_row(s, t, '+', NULL);
    if (!rc &&
        (s->o.strand == BIRD_STRAND_EACH || s->o.strand == BIRD_STRAND_MINUS))
        rc = put_row(s, t, '-', NULL);
    return rc;
}

static void name_item(void *context, int64_t tag, char *out, size_t size)
{
    const struct bird_scan *s = context;
    const struct bird_scan_item *t = s->item + tag;

    snprintf(out, size, "%s:%lld-%lld", s->names.s + t->name,
             (long long)t->start + 1, (long long)t->end);
}

/* --- tiles --------------------------------------------------------------- */

static int next_window(struct bird_scan *s, struct tile *t)
{
    bird_window w;
    int more = bird_windows_next(s->windows, &w);

    if (more <= 0)
        return more;
    *t = (struct tile){.contig = w.contig,
                       .start = w.start,
                       .end = w.end,
                       .region = w.region,
                       .name = w.name,
                       .seq = w.seq,
                       .n = w.end - w.start,
                       .n_unknown = w.n_unknown,
                       .is_short = w.end - w.start < s->width_bp,
                       .last = w.last};
    t->length = s->source.genome
                    ? bird_genome_length(s->source.genome, w.contig)
                    : w.end;
    return 1;
}

static int next_bin(struct bird_scan *s, struct tile *t)
{
    struct bird_bin b;
    int more = bird_bins_next(s->bins, &b);

    if (more <= 0)
        return more;
    *t = (struct tile){.contig = b.contig,
                       .start = b.start,
                       .end = b.end,
                       .region = b.region,
                       .name = b.name,
                       .seq = b.seq,
                       .n = s->width_bp + 2 * reach(s),
                       .length = b.length,
                       .n_unknown = b.n_unknown,
                       .n_beyond = b.n_beyond,
                       .is_short = b.length > 0 && b.length < s->width_bp,
                       .last = b.last};
    return 1;
}

/* Bins of a tile, over all passes. */
static int64_t tile_bins(const struct bird_scan *s)
{
    return s->step_bp / s->stride_bp;
}

/* Which bins of a tile have too many N, marked; those beyond the contig do not
 * count. NULL: one at least has not. The context may be N: models of bins have
 * learned with little of it. */
static const char *mark_bins(struct bird_scan *s, const struct tile *t,
                             uint8_t *bad)
{
    int64_t side = (t->n - s->step_bp) / 2, n_good = 0;
    int64_t limit = t->length > 0 ? t->length : INT64_MAX;

    for (int64_t at = t->start, k = 0; at < t->end; at += s->stride_bp, k++) {
        int64_t end = at + s->bin_bp < limit ? at + s->bin_bp : limit;
        int64_t n = bird_count_unknown(t->seq + side + at - t->start, end - at);

        bad[k] = (double)n > s->o.max_unknown * (double)(end - at);
        n_good += !bad[k];
    }
    return n_good ? NULL : BIRD_STATUS_UNKNOWN;
}

/* Why a tile is not scored, counted; NULL: it is. What lies beyond the contig
 * is to blame where the bases that are there would do. */
static const char *why_not(struct bird_scan *s, const struct tile *t)
{
    double most = s->o.max_unknown * (double)t->n;
    double inside = (double)(t->n_unknown - t->n_beyond);

    if (t->is_short && !s->o.score_short) {
        s->n_short++;
        return BIRD_STATUS_SHORT;
    }
    if (t->is_short) /* the share is of the bases that are there */
        most = s->o.max_unknown * (double)(t->n - t->n_beyond);
    if (t->is_short ? inside <= most
                    : t->end > t->start && (double)t->n_unknown <= most)
        return NULL;
    s->n_unknown++;
    if (t->is_short || (t->end > t->start && inside > most))
        return BIRD_STATUS_UNKNOWN;
    s->n_beyond++;
    return "beyond_end";
}

/* The contig's name, once for all items that wait. */
static int keep_name(struct bird_scan *s, const struct tile *t)
{
    if (s->name >= 0 && s->name_contig == t->contig)
        return 0;
    s->name = s->names.n;
    s->name_contig = t->contig;
    return bird_text_put(&s->names, t->name, (int64_t)strlen(t->name) + 1);
}

/* Names of the regions that a bin is for, to where *at says. */
static int keep_regions(struct bird_scan *s, int64_t *at, const struct tile *t)
{
    int64_t from = s->names.n;
    const char *name;
    int rc = 0;

    *at = -1;
    if (t->region < 0 || !s->o.bins || s->bin_bp)
        return 0;
    name = s->source.regions.at[t->region].name;
    if (!s->o.centre) /* a bin serves all the regions that it overlaps */
        rc = bird_intervals_names(&s->names, &s->named, t->contig, t->start,
                                  t->end);
    else if (name)
        rc = bird_text_put(&s->names, name, (int64_t)strlen(name));
    if (rc || s->names.n == from)
        return rc;
    *at = from;
    return bird_text_put(&s->names, "", 1);
}

/* The tile among those that wait; there are none after a flush. */
static int keep_item(struct bird_scan *s, const struct tile *t)
{
    int64_t regions;
    int rc;

    if (!s->pending) {
        s->n = s->n_bad = 0;
        s->name = -1;
        bird_text_clear(&s->names);
    }
    rc = keep_name(s, t);
    if (!rc)
        rc = keep_regions(s, &regions, t);
    if (!rc && s->bin_bp)
        rc = bird_array_grow(&s->bad, &s->cap_bad, s->n_bad + tile_bins(s), 1);
    if (!rc)
        rc = bird_array_grow(&s->item, &s->cap, s->n + 1, sizeof(*s->item));
    if (rc)
        return rc;
    s->item[s->n++] =
        (struct bird_scan_item){.contig = t->contig,
                                .start = t->start,
                                .end = t->end,
                                .name = s->name,
                                .regions = regions,
                                .bins = s->n_bad,
                                .limit = t->length > 0 ? t->length : INT64_MAX};
    s->item[s->n - 1].status =
        s->bin_bp ? mark_bins(s, t, s->bad + s->n_bad) : why_not(s, t);
    s->n_bad += s->bin_bp ? tile_bins(s) : 0;
    return 0;
}

static int add_tile(struct bird_scan *s, const struct tile *t)
{
    int each = s->o.strand == BIRD_STRAND_EACH, rc = keep_item(s, t);
    int64_t tag = s->n - 1;

    if (rc)
        return rc;
    s->n_tile += !s->bin_bp; /* its bins count, as rows */
    if (t->last && t->length > 0)
        bird_build_check(s->build, sizeof(s->build), bird_model_meta(s->model),
                         t->name, t->length);
    if (s->item[tag].status) {
        s->pending++;
        return bird_session_skip(s->session, tag);
    }
    s->pending += passes(s) * (1 + each);
    for (int64_t k = 0; !rc && k < passes(s); k++)
        rc = bird_session_add(s->session, t->seq + reach(s) + k * s->stride_bp,
                              s->bin_bp ? s->width_bp : t->n, tag);
    return rc;
}

static int report(struct bird_scan *s, const struct tile *t, int64_t before)
{
    struct bird_source_place at = {before, t->region, t->end};
    int64_t contig, empty, bp;

    bird_scan_count(s, &contig, &empty, &bp);
    return bird_source_report(&s->source, &at, bp);
}

int bird_scan_run(struct bird_scan *s)
{
    struct tile t;
    int64_t before = 0, n = 0; /* bases of the sequences done; tiles */
    int rc = 0, more;

    while (!rc && !s->enough &&
           (more = s->o.bins ? next_bin(s, &t) : next_window(s, &t)) != 0) {
        if (more < 0)
            return more;
        rc = add_tile(s, &t);
        if (!rc && ++n % REPORT == 0)
            rc = report(s, &t, before);
        before += t.last ? t.end : 0;
    }
    return rc || s->enough ? rc : bird_session_flush(s->session);
}

/* --- opening ------------------------------------------------------------- */

/* Where tiles lie whose bins overlap the regions: one may begin a tile before. */
static int widen(struct bird_scan *s)
{
    const bird_regions *from = &s->source.regions;
    int rc =
        bird_array_grow(&s->near.at, &s->near.cap, from->n, sizeof(*from->at));

    for (int64_t i = 0; !rc && i < from->n; i++) {
        bird_region *r = &s->near.at[i];

        *r = from->at[i];
        r->start = r->start > reach(s) ? r->start - reach(s) : 0;
    }
    s->near.n = rc ? 0 : from->n;
    return rc;
}

/* Regions of an indexed genome, as the iterator wants them. */
static int open_regions(struct bird_scan *s)
{
    struct bird_source *from = &s->source;
    int rc = s->o.bins ? bird_intervals_new(&s->named, &from->regions) : 0;

    if (rc)
        return rc;
    if (!s->o.centre)
        bird_regions_merge(&from->regions);
    else if (s->o.index)
        bird_regions_sort(&from->regions);
    bird_source_count(from);
    if ((rc = take_shard(s)))
        return rc;
    bird_scan_note(s->notice, sizeof(s->notice), bird_source_notice(from));
    if (s->o.bins && (rc = widen(s)))
        return rc;
    return s->o.bins ? bird_bins_regions(&s->bins, from->genome, &s->near,
                                         s->step_bp, s->width_bp + 2 * reach(s),
                                         s->o.centre ? BIRD_BINS_CENTRE
                                                     : BIRD_BINS_TILE)
                     : bird_windows_regions(&s->windows, from->genome,
                                            &from->regions, s->width_bp,
                                            s->step_bp, BIRD_WINDOWS_GRID);
}

int bird_scan_prepare(struct bird_scan *s)
{
    struct bird_source *from = &s->source;
    bird_session_options o = {
        .strand = s->o.strand, .answer = take, .name = name_item, .context = s};
    int rc = bird_source_open(from, s->o.fasta, s->o.region, s->o.regions,
                              s->o.shard != NULL);

    from->progress = s->o.progress;
    from->progress_context = s->o.progress_context;
    s->name = -1;
    if (!rc && s->o.genome && !from->genome)
        rc = bird_genome_open(&from->genome, s->o.fasta);
    if (!rc)
        rc = bird_text_put(&s->names, "", 0);
    if (!rc)
        rc = bird_session_new(&s->session, s->model, &o);
    if (rc)
        return rc;
    if (!from->stream)
        return open_regions(s);
    return s->o.bins ? bird_bins_stream(&s->bins, from->stream, s->step_bp,
                                        s->width_bp + 2 * reach(s),
                                        s->o.centre ? BIRD_BINS_CENTRE
                                                    : BIRD_BINS_TILE)
                     : bird_windows_stream(&s->windows, from->stream,
                                           s->width_bp, s->step_bp);
}

void bird_scan_count(const struct bird_scan *s, int64_t *n_contig,
                     int64_t *n_empty, int64_t *n_bp)
{
    bird_window_tally t;

    if (s->o.bins) {
        bird_bins_count(s->bins, n_contig, n_empty, n_bp);
        return;
    }
    bird_windows_count(s->windows, &t);
    *n_contig = t.n_contig;
    *n_empty = t.n_empty;
    *n_bp = t.n_bp;
}

void bird_scan_close(struct bird_scan *s)
{
    bird_session_free(s->session);
    bird_windows_free(s->windows);
    bird_bins_free(s->bins);
    bird_intervals_free(&s->named);
    free(s->near.at); /* its texts are the source's */
    bird_source_close(&s->source);
    bird_model_close(s->model);
    bird_text_free(&s->names);
    bird_text_free(&s->regions);
    free(s->bad);
    free(s->kept);
    free(s->item);
    *s = (struct bird_scan){0};
}
