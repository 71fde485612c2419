/* The walk over a genome: tiles to a session, its answers in order to rows.
 *
 *     for each tile: choose the bins that are scored, add its passes
 *     for each answer: keep the values until the tile is complete
 *     then: one row for each bin, scored or skipped
 *
 * Bins that overlap lie bin_bp / stride_bp times as dense as the bins of one
 * pass: the tile is read so often, each time one stride further. A tile that is
 * not scored goes through the session too, without a sequence. So one queue
 * keeps the order, and the walk itself needs none.
 * SPDX-License-Identifier: MIT */
#include "scan/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/shard.h"
#include "base/text.h"
#include "dnabird/tiles.h"
#include "seq/alphabet.h"
#include "seq/intervals.h"
#include "seq/tiles.h"
#include "session/model.h"

enum { REPORT = 64 /* tiles between two reports of progress */ };

#define STATUS_BEYOND "beyond_end"

/* A tile as it is cut. */
struct tile {
    int64_t contig, start, end, region; /* region -1: of a stream */
    const char *name;                   /* of the contig */
    const char *seq; /* its context, with reach() bases more on both sides */
    int64_t n;       /* bases of one pass */
    int64_t length;  /* of the contig; < 1: not known yet */
    int64_t n_unknown, n_beyond; /* characters other than A, C, G, T, and how
                                    many of these lie beyond the contig */
    int is_short;                /* the contig is shorter than the context */
    int is_below;                /* the contig is shorter than min_length */
    int last;                    /* of its contig or region */
};

/* A tile that waits for its answers. */
struct item {
    int64_t contig, start, end, region;
    int64_t name;   /* offset of the contig's name in `names` */
    int64_t status; /* offset of its bins in `status` */
    int64_t limit;  /* where its last bin ends at the latest */
};

struct position {
    int64_t contig, start;
};

struct bird_scan {
    struct bird_scan_input input;
    struct bird_scan_plan plan;
    int64_t n_pass, per_tile, n_value; /* passes and bins of a tile, values of
                                          a bin */
    /* where tiles come from; one of windows and bins */
    struct bird_source source;
    struct bird_intervals named; /* regions before they were joined */
    bird_regions near;           /* regions with reach() bases before them */
    bird_windows *windows;
    struct bird_bins *bins;
    struct position first, end; /* the shard */
    /* tiles that wait */
    bird_session *session;
    struct item *item;   /* (n_item) */
    const char **status; /* (n_status) of bins: why not scored; NULL: scored */
    struct bird_text names;
    int64_t n_item, n_status, cap_item, cap_status, pending;
    int64_t name, name_contig; /* the last contig's name */
    /* the tile that is answered */
    float *value;    /* (per_tile, n_value) */
    int64_t n_taken; /* its answers so far */
    struct bird_text regions;
    int64_t wanted;              /* cursor of the regions that bins overlap */
    int enough;                  /* the shard is complete */
    int excerpt;                 /* a notice told of an excerpt */
    int64_t n_contig, n_partial; /* scored contigs of a stream; of these those
                                    shorter than the context */
    struct bird_scan_counts count;
};

int bird_scan_check(const char *fasta, double threshold, double max_unknown)
{
    if (!fasta)
        return bird_fail(BIRD_EINVAL, "no FASTA file");
    if (!(threshold >= 0 && threshold <= 1) && threshold != -1)
        return bird_fail(BIRD_EINVAL,
                         "--threshold %g: give a probability of 0 to 1",
                         threshold);
    if (!(max_unknown >= 0 && max_unknown <= 1))
        return bird_fail(BIRD_EINVAL, "--max-n %g: give a share of 0 to 1",
                         max_unknown);
    return 0;
}

/* Bases that overlapping bins need on both sides of the context. */
static int64_t reach(const struct bird_scan *s)
{
    const struct bird_layout *l = &s->plan.layout;

    return l->on_grid ? l->bin_bp - l->stride_bp : 0;
}

/* --- shards -------------------------------------------------------------- */

/* Centred bins are divided as regions, not as bases. */
static int is_shard(const struct bird_scan *s)
{
    return s->input.shard && !s->input.centre;
}

static int is_before(int64_t contig, int64_t start, const struct position *p)
{
    return contig < p->contig || (contig == p->contig && start < p->start);
}

int bird_scan_owns(const struct bird_scan *s, int64_t contig, int64_t start)
{
    return !is_shard(s) || (!is_before(contig, start, &s->first) &&
                            is_before(contig, start, &s->end));
}

int bird_scan_headless(const char *text)
{
    struct bird_shard shard;

    return !bird_shard_parse(&shard, text) && shard.i > 1;
}

/* Is the shard complete with this row? */
static int is_enough(const struct bird_scan *s, const struct bird_scan_row *row)
{
    if (!is_shard(s) || is_before(row->contig, row->start, &s->end))
        return 0;
    return row->contig != s->end.contig || !s->plan.extends ||
           !s->plan.extends(s->plan.context, row, s->end.start);
}

/* Base number n of the regions; after the last region there is no end. */
static struct position find_position(const struct bird_source *from, int64_t n)
{
    const bird_region *r = from->regions.at;

    for (int64_t i = 0; i < from->regions.n; i++) {
        if (n < r[i].end - r[i].start)
            return (struct position){r[i].index, r[i].start + n};
        n -= r[i].end - r[i].start;
    }
    return (struct position){INT64_MAX, 0};
}

/* Drop the regions before the shard. A window that begins before the shard may
 * overlap or touch one that begins in it: two contexts and a step in front of
 * the shard are scored too. */
static void drop_before(struct bird_scan *s)
{
    const struct bird_layout *l = &s->plan.layout;
    bird_regions *list = &s->source.regions;
    int64_t step = l->on_grid ? l->core_bp : l->stride_bp, i = 0;
    int64_t start = s->first.start - 2 * l->context_bp - step;

    for (; i < list->n; i++) {
        bird_region *r = &list->at[i];

        if (r->index < s->first.contig ||
            (r->index == s->first.contig && r->end <= start))
            continue;
        if (r->index == s->first.contig && r->start < start)
            r->start = start;
        break;
    }
    bird_regions_keep(list, i, list->n);
}

/* Drop the regions after the shard; a call may reach the next one of a contig. */
static void drop_after(struct bird_scan *s)
{
    bird_regions *list = &s->source.regions;
    int64_t n = 0, last = -1;

    for (; n < list->n; last = list->at[n++].index)
        if (!is_before(list->at[n].index, list->at[n].start, &s->end) &&
            (list->at[n].index != s->end.contig || last != s->end.contig))
            break;
    bird_regions_keep(list, 0, n);
}

/* Keep those regions that the shard has to look at. */
static int take_shard(struct bird_scan *s)
{
    bird_regions *list = &s->source.regions;
    struct bird_shard shard;
    int64_t from, to;
    int rc = bird_shard_parse(&shard, s->input.shard);

    if (rc || !s->input.shard)
        return rc;
    bird_shard_range(&from, &to, &shard,
                     s->input.centre ? list->n : s->source.total_bp);
    if (s->input.centre) {
        bird_regions_keep(list, from, to);
        bird_source_count(&s->source);
        return 0;
    }
    s->end = find_position(&s->source, to);
    s->first =
        from ? find_position(&s->source, from) : (struct position){-1, 0};
    if (from == to) {
        s->first = s->end;
        bird_regions_keep(list, list->n, list->n);
    } else {
        drop_after(s);
        drop_before(s);
    }
    s->source.total_bp = to - from;
    return 0;
}

/* --- rows ---------------------------------------------------------------- */

/* Names of the regions that a row is for, into s->regions. */
static int name_regions(struct bird_scan *s, struct bird_scan_row *row,
                        int64_t region)
{
    const char *name;
    int rc = 0;

    if (!s->plan.names || region < 0)
        return 0;
    bird_text_clear(&s->regions);
    name = s->source.regions.at[region].name;
    if (!s->input.centre) /* a bin serves all regions that it overlaps */
        rc = bird_intervals_names(&s->regions, &s->named, row->contig,
                                  row->start, row->end);
    else if (name)
        rc = bird_text_put(&s->regions, name, (int64_t)strlen(name));
    if (rc || !s->regions.n)
        return rc;
    rc = bird_text_put(&s->regions, "", 1);
    row->regions = s->regions.s;
    return rc;
}

/* Does the row overlap a region? Tiles of one bin do. */
static int is_wanted(struct bird_scan *s, const struct bird_scan_row *row)
{
    int64_t start = row->start, end;

    return s->per_tile == 1 ||
           bird_source_clip(&s->source, &s->wanted, row->contig, &start, &end,
                            row->end);
}

static void count_row(struct bird_scan_counts *c,
                      const struct bird_scan_row *row)
{
    c->n_row++;
    c->n_scored += !row->status;
    if (!row->status)
        return;
    if (!strcmp(row->status, BIRD_STATUS_SHORT)) {
        c->n_short++;
        return;
    }
    c->n_unknown++;
    c->n_beyond += !strcmp(row->status, STATUS_BEYOND);
}

/* Bin i of the tile. */
static int put_bin(struct bird_scan *s, const struct item *t, int64_t i)
{
    const struct bird_layout *l = &s->plan.layout;
    int64_t start = t->start + i * l->stride_bp;
    struct bird_scan_row row = {
        .contig = t->contig,
        .start = start,
        .end = start + l->bin_bp < t->limit ? start + l->bin_bp : t->limit,
        .name = s->names.s + t->name,
        .status = s->status[t->status + i]};
    int rc;

    if (s->enough || !is_wanted(s, &row))
        return 0;
    if (!row.status)
        row.value = s->value + i * s->n_value;
    if (bird_scan_owns(s, row.contig, row.start))
        count_row(&s->count, &row);
    rc = name_regions(s, &row, t->region);
    if (!rc)
        rc = s->plan.put(s->plan.context, &row);
    s->enough = is_enough(s, &row);
    return rc;
}

/* Keep the values of one answer: one strand of the bins of one pass. */
static void keep_values(struct bird_scan *s, const bird_answer *a)
{
    const struct bird_layout *l = &s->plan.layout;
    int64_t n_strand = s->n_value / a->n_label;
    int64_t pass = s->n_taken / n_strand, strand = s->n_taken % n_strand;
    /* the margins hold whole bins, except where the context is one bin */
    const int64_t margin = (l->margin_bp - a->first_bp) / a->bin_bp;
    const int64_t bins = a->n_bin - 2 * margin;
    const float *core = a->value + margin * a->n_label;

    for (int64_t i = 0; i < (l->bins < bins ? l->bins : bins); i++)
        memcpy(s->value + (i * s->n_pass + pass) * s->n_value +
                   strand * a->n_label,
               core + i * a->n_label, (size_t)a->n_label * sizeof(*core));
    s->n_taken++;
}

/* The session's answer to a pass, or to a tile that was skipped. */
static int take(void *context, const bird_answer *a)
{
    struct bird_scan *s = context;
    const struct item *t = s->item + a->tag;
    int rc = 0;

    s->pending--;
    if (a->value)
        keep_values(s, a);
    if (a->value && s->n_taken * a->n_label < s->n_pass * s->n_value)
        return 0;
    s->n_taken = 0;
    /* a contig without a base has one tile of no bases, which has a row where a
     * row is a window, and none where it is a bin */
    for (int64_t i = 0; !rc && i < s->per_tile; i++)
        if (t->start + i * s->plan.layout.stride_bp < t->end ||
            (!i && s->plan.layout.unknown != BIRD_UNKNOWN_OF_BIN))
            rc = put_bin(s, t, i);
    return rc;
}

static void name_item(void *context, int64_t tag, char *out, size_t size)
{
    const struct bird_scan *s = context;
    const struct item *t = s->item + tag;

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
                       .is_short = w.end - w.start < s->plan.layout.context_bp,
                       .last = w.last};
    t->length = s->source.genome
                    ? bird_genome_length(s->source.genome, w.contig)
                    : w.end;
    return 1;
}

/* Bases of a tile's window: the context, or for a contig that fits into the core its
 * whole bins and the margins. */
static int64_t fit_window(const struct bird_layout *l, const struct bird_bin *b)
{
    int64_t bins = (b->length + l->bin_bp - 1) / l->bin_bp;

    return b->length > 0 && b->length <= l->core_bp
               ? 2 * l->margin_bp + bins * l->bin_bp
               : l->context_bp;
}

static int next_bins(struct bird_scan *s, struct tile *t)
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
                       .n = fit_window(&s->plan.layout, &b),
                       .length = b.length,
                       .n_unknown = b.n_unknown,
                       .n_beyond = b.n_beyond,
                       .is_short =
                           b.length > 0 && b.length < s->plan.layout.context_bp,
                       .last = b.last};
    return 1;
}

/* Compare the contig with min_length. open_source() sees to it that the lengths
 * of contigs are known where min_length is longer than a context. */
static int next_tile(struct bird_scan *s, struct tile *t)
{
    int more = s->windows ? next_window(s, t) : next_bins(s, t);
    int64_t length;

    if (more <= 0)
        return more;
    length = s->source.genome ? bird_genome_length(s->source.genome, t->contig)
                              : t->length;
    t->is_below = length > 0 && length < s->input.min_length;
    return 1;
}

/* BIRD_UNKNOWN_OF_CONTEXT: why the tile is not scored; NULL: it is. The reason
 * is the end of the contig where the bases that are there would do. */
static const char *why_not(const struct bird_scan *s, const struct tile *t)
{
    double most = s->input.max_unknown * (double)t->n;
    double inside = (double)(t->n_unknown - t->n_beyond);

    if (t->is_short) { /* the share is of the bases that are there */
        if (!s->input.score_short)
            return BIRD_STATUS_SHORT;
        most = s->input.max_unknown * (double)(t->n - t->n_beyond);
        return inside <= most ? NULL : BIRD_STATUS_UNKNOWN;
    }
    if (t->end > t->start && (double)t->n_unknown <= most)
        return NULL;
    return t->end > t->start && inside > most ? BIRD_STATUS_UNKNOWN
                                              : STATUS_BEYOND;
}

/* BIRD_UNKNOWN_OF_BIN: as why_not(), for bin i; bases beyond the contig do not
 * count. */
static const char *why_not_bin(const struct bird_scan *s, const struct tile *t,
                               int64_t i)
{
    const struct bird_layout *l = &s->plan.layout;
    int64_t limit = t->length > 0 ? t->length : INT64_MAX;
    int64_t from = i * l->stride_bp, start = t->start + from, end, n;

    end = start + l->bin_bp < limit ? start + l->bin_bp : limit;
    if (start >= t->end)
        return BIRD_STATUS_UNKNOWN;
    n = bird_count_unknown(t->seq + reach(s) + l->margin_bp + from,
                           end - start);
    return (double)n > s->input.max_unknown * (double)(end - start)
               ? BIRD_STATUS_UNKNOWN
               : NULL;
}

/* Decide which bins of the tile are scored. @return how many */
static int64_t choose_bins(struct bird_scan *s, const struct tile *t)
{
    const char **status = s->status + s->n_status;
    int64_t n = 0;

    for (int64_t i = 0; i < s->per_tile; i++) {
        status[i] = t->is_below ? BIRD_STATUS_SHORT
                    : s->plan.layout.unknown == BIRD_UNKNOWN_OF_BIN
                        ? why_not_bin(s, t, i)
                        : why_not(s, t);
        n += !status[i];
    }
    s->n_status += s->per_tile;
    return n;
}

/* The contig's name, once for all its tiles that wait. */
static int keep_name(struct bird_scan *s, const struct tile *t)
{
    if (s->name >= 0 && s->name_contig == t->contig)
        return 0;
    s->name = s->names.n;
    s->name_contig = t->contig;
    return bird_text_put(&s->names, t->name, (int64_t)strlen(t->name) + 1);
}

/* Add the tile to the waiting ones; a flush empties them. */
static int keep_item(struct bird_scan *s, const struct tile *t)
{
    int rc;

    if (!s->pending) {
        s->n_item = s->n_status = 0;
        s->name = -1;
        bird_text_clear(&s->names);
    }
    rc = keep_name(s, t);
    if (!rc)
        rc = bird_array_grow(&s->status, &s->cap_status,
                             s->n_status + s->per_tile, sizeof(*s->status));
    if (!rc)
        rc = bird_array_grow(&s->item, &s->cap_item, s->n_item + 1,
                             sizeof(*s->item));
    if (rc)
        return rc;
    s->item[s->n_item++] = (struct item){.contig = t->contig,
                                         .start = t->start,
                                         .end = t->end,
                                         .region = t->region,
                                         .name = s->name,
                                         .status = s->n_status,
                                         .limit = s->per_tile == 1 ? t->end
                                                  : t->length > 0  ? t->length
                                                                   : INT64_MAX};
    return 0;
}

/* Contigs of a stream that are scored, and those that fill no context. */
static void count_partial(struct bird_scan *s, const struct tile *t)
{
    int scored =
        s->input.score_short || s->plan.layout.unknown == BIRD_UNKNOWN_OF_BIN;

    if (!s->source.stream || !t->last || t->is_below || !scored)
        return;
    s->n_contig++;
    s->n_partial += t->length > 0 && t->length < s->plan.layout.context_bp;
}

static void note_partial(struct bird_scan *s)
{
    char sentence[256];

    if (2 * s->n_partial <= s->n_contig)
        return;
    snprintf(sentence, sizeof(sentence),
             "%lld of %lld contigs are shorter than the model's window of %lld "
             "bp: their scores rest on less sequence than the model learned "
             "from (--min-length leaves such contigs out)",
             (long long)s->n_partial, (long long)s->n_contig,
             (long long)s->plan.layout.context_bp);
    bird_scan_note(s->count.notice, sizeof(s->count.notice), sentence);
}

/* Windows of an excerpt, named as by `samtools faidx`, lie elsewhere than those
 * of the whole contig. */
static void note_excerpt(struct bird_scan *s, const struct tile *t)
{
    const struct bird_layout *l = &s->plan.layout;
    const char *colon = strrchr(t->name, ':');
    long long start, end;
    char sentence[320];
    int n = 0;

    if (s->excerpt || !colon ||
        sscanf(colon, ":%lld-%lld%n", &start, &end, &n) < 2 || colon[n] ||
        (start - 1) % (l->on_grid ? l->core_bp : l->stride_bp) == 0)
        return;
    s->excerpt = 1;
    snprintf(sentence, sizeof(sentence),
             "%.80s is an excerpt: its windows begin at its first base, so the "
             "values differ from those of the whole contig (--region reads a "
             "part of a contig and keeps its windows)",
             t->name);
    bird_scan_note(s->count.notice, sizeof(s->count.notice), sentence);
}

static int add_tile(struct bird_scan *s, const struct tile *t)
{
    int64_t stride = s->plan.layout.stride_bp, tag;
    int rc = keep_item(s, t);

    if (rc)
        return rc;
    tag = s->n_item - 1;
    count_partial(s, t);
    note_excerpt(s, t);
    if (t->last && t->length > 0)
        bird_build_check(s->count.build, sizeof(s->count.build),
                         bird_model_meta(s->plan.model), t->name, t->length);
    if (!choose_bins(s, t)) {
        s->pending++;
        return bird_session_skip(s->session, tag);
    }
    s->pending += s->n_pass * (1 + (s->plan.strand == BIRD_STRAND_EACH));
    for (int64_t k = 0; !rc && k < s->n_pass; k++)
        rc = bird_session_add(s->session, t->seq + reach(s) + k * stride, t->n,
                              tag);
    return rc;
}

static void count_bases(const struct bird_scan *s, int64_t *n_contig,
                        int64_t *n_empty, int64_t *n_bp)
{
    bird_window_tally t;

    if (s->bins) {
        bird_bins_count(s->bins, n_contig, n_empty, n_bp);
        return;
    }
    bird_windows_count(s->windows, &t);
    *n_contig = t.n_contig;
    *n_empty = t.n_empty;
    *n_bp = t.n_bp;
}

static int report(struct bird_scan *s, const struct tile *t, int64_t before)
{
    struct bird_source_position at = {before, t->region, t->end};
    int64_t contig, empty, bp;

    count_bases(s, &contig, &empty, &bp);
    return bird_source_report(&s->source, &at, bp);
}

int bird_scan_run(struct bird_scan *s)
{
    struct tile t;
    int64_t before = 0, n = 0; /* bases of the contigs done; tiles */
    int rc = 0, more;

    while (!rc && !s->enough && (more = next_tile(s, &t)) != 0) {
        if (more < 0)
            return more;
        rc = add_tile(s, &t);
        if (!rc && ++n % REPORT == 0)
            rc = report(s, &t, before);
        before += t.last ? t.end : 0;
    }
    note_partial(s);
    return rc || s->enough ? rc : bird_session_flush(s->session);
}

/* --- opening ------------------------------------------------------------- */

/* Regions with reach() bases before them, where a bin that overlaps them may
 * begin. */
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

/* Join, sort and divide the regions of an indexed genome. */
static int open_regions(struct bird_scan *s)
{
    struct bird_source *from = &s->source;
    int rc = s->plan.names ? bird_intervals_new(&s->named, &from->regions) : 0;

    if (rc)
        return rc;
    if (!s->input.centre)
        bird_regions_merge(&from->regions);
    else if (s->input.sorted)
        bird_regions_sort(&from->regions);
    bird_source_count(from);
    rc = take_shard(s);
    bird_scan_note(s->count.notice, sizeof(s->count.notice),
                   bird_source_notice(from));
    return rc ? rc : widen(s);
}

/* The iterator over windows, or over bins with their context. */
static int open_tiles(struct bird_scan *s)
{
    const struct bird_layout *l = &s->plan.layout;
    struct bird_source *from = &s->source;
    enum bird_bins_how how =
        s->input.centre ? BIRD_BINS_CENTRE : BIRD_BINS_TILE;
    int64_t wide = l->context_bp + 2 * reach(s);

    if (l->on_grid)
        return from->stream
                   ? bird_bins_stream(&s->bins, from->stream, l->core_bp, wide,
                                      how)
                   : bird_bins_regions(&s->bins, from->genome, &s->near,
                                       l->core_bp, wide, how);
    return from->stream
               ? bird_windows_stream(&s->windows, from->stream, l->context_bp,
                                     l->stride_bp)
               : bird_windows_regions(&s->windows, from->genome, &from->regions,
                                      l->context_bp, l->stride_bp);
}

static int open_source(struct bird_scan *s)
{
    const struct bird_scan_input *in = &s->input;
    struct bird_source *from = &s->source;
    int is_long = in->min_length > s->plan.layout.context_bp;
    int rc = bird_source_open(from, in->fasta, in->region, in->regions,
                              in->shard != NULL);

    from->progress = in->progress;
    from->progress_context = in->progress_context;
    if (!rc && is_long && !from->genome && !strcmp(in->fasta, "-"))
        rc = bird_fail(BIRD_EINVAL,
                       "--min-length %lld is longer than the model's window of "
                       "%lld bp, which needs the lengths of contigs first: "
                       "name a FASTA file",
                       (long long)in->min_length,
                       (long long)s->plan.layout.context_bp);
    if (!rc && (s->plan.genome || is_long) && !from->genome)
        rc = bird_genome_open(&from->genome, in->fasta);
    return rc;
}

static int open_session(struct bird_scan *s)
{
    const bird_session_options o = {.strand = s->plan.strand,
                                    .answer = take,
                                    .name = name_item,
                                    .context = s,
                                    .margin_bp = s->plan.layout.margin_bp};
    const struct bird_layout *l = &s->plan.layout;
    int rc = bird_session_new(&s->session, s->plan.model, &o);

    s->n_pass = l->on_grid ? l->bin_bp / l->stride_bp : 1;
    s->per_tile = l->bins * s->n_pass;
    s->n_value = l->n_label * (s->plan.strand == BIRD_STRAND_EACH ? 2 : 1);
    return rc ? rc
              : bird_array_new(&s->value, s->per_tile * s->n_value,
                               sizeof(*s->value));
}

int bird_scan_begin(struct bird_scan **out, const struct bird_scan_input *input,
                    const struct bird_scan_plan *plan)
{
    struct bird_scan *s;
    int rc = bird_array_new(&s, 1, sizeof(*s));

    if (rc)
        return rc;
    s->input = *input;
    s->plan = *plan;
    if (!input->min_length && plan->layout.unknown == BIRD_UNKNOWN_OF_BIN)
        s->input.min_length = plan->layout.bin_bp;
    s->name = -1;
    rc = open_source(s);
    if (!rc)
        rc = open_session(s);
    if (!rc && !s->source.stream)
        rc = open_regions(s);
    if (!rc)
        rc = open_tiles(s);
    if (rc)
        bird_scan_close(s);
    else
        *out = s;
    return rc;
}

const struct bird_source *bird_scan_source(const struct bird_scan *s)
{
    return &s->source;
}

void bird_scan_count(const struct bird_scan *s, struct bird_scan_counts *out)
{
    bird_session_counts t;

    *out = s->count;
    bird_session_count(s->session, &t);
    out->n_trimmed = t.n_trimmed;
    out->n_cached = t.n_cached;
    count_bases(s, &out->n_contig, &out->n_empty, &out->n_bp);
    if (is_shard(s)) /* regions at its ends are read in part */
        out->n_bp = s->source.total_bp;
}

void bird_scan_close(struct bird_scan *s)
{
    if (!s)
        return;
    bird_session_free(s->session);
    bird_windows_free(s->windows);
    bird_bins_free(s->bins);
    bird_intervals_free(&s->named);
    free(s->near.at); /* its texts are the source's */
    bird_source_close(&s->source);
    bird_text_free(&s->names);
    bird_text_free(&s->regions);
    free((void *)s->status);
    free(s->value);
    free(s->item);
    free(s);
}
