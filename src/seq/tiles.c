/*
 * Tiles of a contig or region: windows of any width and stride, and bins with
 * bases around.
 *
 * One buffer holds what is in use of the contig or region at hand; it is
 * refilled from a stream of pieces or from a genome and keeps no more than the
 * next tile, or the last one, can need. So a scan takes the memory of a tile
 * and a piece, however long the contigs are.
 * SPDX-License-Identifier: MIT
 */
#include "seq/tiles.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/intervals.h"
#include "dnabird/reference.h"
#include "dnabird/tiles.h"
#include "seq/alphabet.h"
#include "seq/reference.h"

/* ---- what is cut --------------------------------------------------------- */

enum { FETCH_BP = 1 << 20 };

/* Where tiles come from, and the bases from .. to of the contig at hand. */
struct source {
    bird_fastx *stream; /* one of these two */
    bird_genome *genome;
    const bird_regions *list; /* on the genome */
    int64_t contig, region;   /* indices; -1 before the first, or of none */
    struct bird_text name;    /* a stream's names die with their piece */
    int64_t length;           /* -1 while a stream has not told */
    char *bases;              /* (to - from) */
    int64_t from, to, cap;
    int64_t n_contig, n_empty, n_bp; /* met */
};

static void source_free(struct source *s)
{
    free(s->bases);
    bird_text_free(&s->name);
}

static int check_placed(const bird_genome *g, const bird_regions *list)
{
    for (int64_t i = 0; i < list->n; i++) {
        const bird_region *r = list->at + i;

        if (r->index < 0 || r->index >= bird_genome_count(g) || r->start < 0 ||
            r->end < r->start || r->end > bird_genome_length(g, r->index))
            return bird_fail(BIRD_ERANGE, "region on '%s' is not placed on %s",
                             r->contig, bird_genome_path(g));
    }
    return 0;
}

/* Forget what lies before `start`. */
static void drop(struct source *s, int64_t start)
{
    if (start >= s->to) {
        s->from = s->to;
    } else if (start > s->from) {
        memmove(s->bases, s->bases + (start - s->from),
                (size_t)(s->to - start));
        s->from = start;
    }
}

static int reserve_buffer(struct source *s, int64_t n)
{
    return bird_array_grow(&s->bases, &s->cap, s->to - s->from + n, 1);
}

/* One more piece of the stream; of its contig what lies before `keep` is no
   longer needed. @return 1, 0 at the end of the stream, or an error */
static int take_piece(struct source *s, int64_t keep)
{
    bird_piece p;
    int rc = bird_fastx_next(s->stream, &p);

    if (rc <= 0)
        return rc;
    if (p.contig != s->contig) {
        s->contig = p.contig;
        s->from = s->to = 0;
        s->length = -1;
        s->n_contig++;
        bird_text_clear(&s->name);
        rc = bird_text_put(&s->name, p.name, (int64_t)strlen(p.name));
    } else {
        drop(s, keep);
        rc = 0;
    }
    if (rc || (rc = reserve_buffer(s, p.n)))
        return rc;
    if (p.n)
        memcpy(s->bases + (s->to - s->from), p.seq, (size_t)p.n);
    s->to += p.n;
    s->n_bp += p.n;
    if (p.last) {
        s->length = s->to;
        s->n_empty += !s->length;
    }
    return 1;
}

/* The next region of the list. */
static const bird_region *take_region(struct source *s)
{
    const bird_region *r;

    if (s->region + 1 >= s->list->n)
        return NULL;
    r = s->list->at + ++s->region;
    s->contig = r->index;
    s->n_contig++;
    s->n_empty += r->end == r->start;
    s->n_bp += r->end - r->start;
    return r;
}

/* Bases until `end` is there, or a good piece more, up to `limit`. */
static int fill_from_genome(struct source *s, int64_t start, int64_t end,
                            int64_t limit)
{
    int64_t upto;
    int rc;

    if (end <= s->to)
        return 0;
    drop(s, start);
    if (s->from == s->to)
        s->from = s->to = start;
    upto = end - s->to < FETCH_BP ? s->to + FETCH_BP : end;
    if (upto > limit)
        upto = limit;
    if ((rc = reserve_buffer(s, upto - s->to)) ||
        (rc = bird_genome_fetch(s->genome, s->contig, s->to, upto,
                                s->bases + (s->to - s->from))))
        return rc;
    s->to = upto;
    return 0;
}

/* ---- windows ------------------------------------------------------------- */

struct bird_windows {
    struct source s;
    int64_t width, stride;

    int open; /* a contig or region is being cut */
    const char *name;
    int64_t next, stop; /* next window, and the first not wanted */

    int64_t at, end, n_unknown;     /* the window counted last */
    int64_t grid_contig, grid_next; /* what the region before delivered */

    int64_t n_window;
};

int64_t bird_window_count(int64_t length, int64_t width, int64_t stride)
{
    if (length <= 0 || width < 1 || stride < 1)
        return 0;
    if (length <= width)
        return 1;
    return (length - width) / stride + 1 + ((length - width) % stride != 0);
}

void bird_window_at(int64_t *start, int64_t *end, int64_t length, int64_t width,
                    int64_t stride, int64_t i)
{
    int64_t last = length > width ? length - width : 0;

    /* no overflow: i is at most last / stride + 1 */
    *start = i > last / stride ? last : i * stride;
    *end = *start + (length < width ? length : width);
}

static int windows_new(bird_windows **out, int64_t width, int64_t stride)
{
    bird_windows *w = NULL;

    if (width < 1 || stride < 1 || width > BIRD_WINDOW_MAX ||
        stride > BIRD_WINDOW_MAX)
        return bird_fail(BIRD_EINVAL,
                         "window of %lld bp with stride %lld: both are 1 to "
                         "%lld",
                         (long long)width, (long long)stride,
                         (long long)BIRD_WINDOW_MAX);
    w = calloc(1, sizeof(*w));
    if (!w)
        return bird_fail_memory(sizeof(*w));
    w->width = width;
    w->stride = stride;
    w->s.contig = w->s.region = w->grid_contig = -1;
    *out = w;
    return 0;
}

int bird_windows_stream(bird_windows **out, bird_fastx *r, int64_t width,
                        int64_t stride)
{
    bird_windows *w = NULL;
    int rc = windows_new(&w, width, stride);

    if (rc || !w)
        return rc;
    w->s.stream = r;
    *out = w;
    return 0;
}

int bird_windows_regions(bird_windows **out, bird_genome *g,
                         const bird_regions *list, int64_t width,
                         int64_t stride)
{
    bird_windows *w = NULL;
    int64_t *contigs = NULL;
    int rc = check_placed(g, list);

    if (rc || (rc = bird_array_new(&contigs, list->n, sizeof(*contigs))))
        return rc;
    for (int64_t i = 0; i < list->n; i++)
        contigs[i] = list->at[i].index;
    rc = bird_genome_hold(g, contigs, list->n);
    free(contigs);
    if (rc || (rc = windows_new(&w, width, stride)) || !w)
        return rc;
    w->s.genome = g;
    w->s.list = list;
    *out = w;
    return 0;
}

void bird_windows_free(bird_windows *w)
{
    if (!w)
        return;
    source_free(&w->s);
    free(w);
}

void bird_windows_count(const bird_windows *w, bird_window_tally *out)
{
    *out = (bird_window_tally){w->s.n_contig - w->open, w->s.n_empty, w->s.n_bp,
                               w->n_window};
}

/* Pieces of the stream until window `next` is there or the contig ends. The
   last W bases always stay: the contig's last window may be among them. */
static int fill_from_stream(bird_windows *w)
{
    struct source *s = &w->s;
    int64_t start = w->next * w->stride;
    int rc;

    while (s->length < 0 && s->to < start + w->width) {
        int64_t last = s->to - w->width;

        if ((rc = take_piece(s, start < last ? start : last)) < 0)
            return rc;
    }
    if (s->length >= 0)
        w->stop = bird_window_count(s->length, w->width, w->stride);
    return 0;
}

static int open_contig(bird_windows *w)
{
    int rc = take_piece(&w->s, 0);

    if (rc <= 0)
        return rc;
    w->open = 1;
    w->name = w->s.name.s;
    w->stop = INT64_MAX;
    w->next = w->at = w->end = w->n_unknown = 0;
    return 1;
}

/* First window of a contig's grid that ends after `start`, and the first that
   begins at `end` or later. */
static void grid_range(const bird_windows *w, int64_t length, int64_t start,
                       int64_t end, int64_t range[2])
{
    int64_t n = bird_window_count(length, w->width, w->stride), a, b;

    range[0] = start < w->width ? 0 : (start - w->width) / w->stride + 1;
    if (range[0] > n - 1)
        range[0] = n - 1; /* the last may have been moved inward */
    if (range[0] < 0)
        range[0] = 0;
    range[1] = range[0];
    while (range[1] < n) {
        bird_window_at(&a, &b, length, w->width, w->stride, range[1]);
        if (a >= end)
            break;
        range[1]++;
    }
}

static int open_region(bird_windows *w)
{
    struct source *s = &w->s;
    const bird_region *r = take_region(s);
    int64_t range[2];

    if (!r)
        return 0;
    w->open = 1;
    w->name = bird_genome_name(s->genome, r->index);
    s->length = bird_genome_length(s->genome, r->index);
    s->from = s->to = w->at = w->end = w->n_unknown = 0;
    grid_range(w, s->length, r->start, r->end, range);
    if (r->index == w->grid_contig && range[0] < w->grid_next && s->region &&
        r[-1].start <= r->start)
        range[0] = w->grid_next;
    w->next = range[0];
    w->stop = range[1];
    w->grid_contig = r->index;
    w->grid_next = range[1] > range[0] ? range[1] : range[0];
    return 1;
}

static int64_t unknown_in(const bird_windows *w, int64_t start, int64_t end)
{
    return bird_count_unknown(w->s.bases + (start - w->s.from), end - start);
}

/* Count unknown bases: a window that overlaps the last one adds its new bases and
   subtracts those it left, if the buffer still has them. */
static void count_unknown(bird_windows *w, int64_t start, int64_t end)
{
    if (start >= w->end || w->at < w->s.from || start < w->at)
        w->n_unknown = unknown_in(w, start, end);
    else
        w->n_unknown +=
            unknown_in(w, w->end, end) - unknown_in(w, w->at, start);
    w->at = start;
    w->end = end;
}

/* Where window `next` lies; its bases are there. */
static int fill(bird_windows *w, int64_t *start, int64_t *end)
{
    struct source *s = &w->s;

    if (s->length < 0) {
        *start = w->next * w->stride;
        *end = *start + w->width;
        return 0;
    }
    bird_window_at(start, end, s->length, w->width, w->stride, w->next);
    return s->genome ? fill_from_genome(s, *start, *end, s->length) : 0;
}

static void deliver(bird_windows *w, bird_window *out, int64_t start,
                    int64_t end)
{
    count_unknown(w, start, end);
    *out = (bird_window){
        .index = w->n_window++,
        .contig = w->s.contig,
        .name = w->name,
        .region = w->s.region,
        .start = start,
        .end = end,
        .seq = w->s.bases + (start - w->s.from),
        .n_unknown = w->n_unknown,
        .last = w->next == w->stop,
    };
}

int bird_windows_next(bird_windows *w, bird_window *out)
{
    int64_t start, end;
    int rc;

    for (;;) {
        if (!w->open) {
            rc = w->s.genome ? open_region(w) : open_contig(w);
            if (rc <= 0)
                return rc;
        }
        if (w->s.stream && (rc = fill_from_stream(w)))
            return rc;
        if (w->next >= w->stop) {
            w->open = 0;
            continue;
        }
        if ((rc = fill(w, &start, &end)))
            return rc;
        w->next++;
        deliver(w, out, start, end);
        return 1;
    }
}

/* ---- bins ---------------------------------------------------------------- */

struct bird_bins {
    struct source s;
    int64_t bin, context, side; /* side: bp of the context before the bin */
    enum bird_bins_how how;
    struct bird_contig_cache cache;   /* of the genome */
    int64_t last_number, last_contig; /* of the bin given last */
    int64_t number, end_number;       /* bins still to come: number .. end-1 */
    char *seq;                        /* (context) */
};

static int bins_new(struct bird_bins **out, int64_t bin, int64_t context,
                    enum bird_bins_how how)
{
    struct bird_bins *b;
    int rc;

    if (bin < 1 || context < bin || (context - bin) % 2 ||
        context > BIRD_PIECE_MAX * INT64_C(1024))
        return bird_fail(BIRD_EINVAL,
                         "bins of %lld bp in a context of %lld: it must be as "
                         "wide, with as much on either side",
                         (long long)bin, (long long)context);
    rc = bird_array_new(&b, 1, sizeof(*b));
    if (rc)
        return rc;
    b->bin = bin;
    b->context = context;
    b->side = (context - bin) / 2;
    b->how = how;
    b->s.contig = b->s.region = b->last_contig = -1;
    rc = bird_array_new(&b->seq, context, 1);
    if (rc)
        bird_bins_free(b);
    else
        *out = b;
    return rc;
}

int bird_bins_stream(struct bird_bins **out, bird_fastx *r, int64_t bin,
                     int64_t context, enum bird_bins_how how)
{
    int rc = bins_new(out, bin, context, how);

    if (!rc)
        (*out)->s.stream = r;
    return rc;
}

int bird_bins_regions(struct bird_bins **out, bird_genome *g,
                      const bird_regions *list, int64_t bin, int64_t context,
                      enum bird_bins_how how)
{
    int rc = check_placed(g, list);

    if (!rc)
        rc = bins_new(out, bin, context, how);
    if (!rc) {
        (*out)->s.genome = g;
        (*out)->s.list = list;
    }
    return rc;
}

void bird_bins_free(struct bird_bins *b)
{
    if (!b)
        return;
    source_free(&b->s);
    free(b->seq);
    bird_contig_cache_free(&b->cache);
    free(b);
}

void bird_bins_count(const struct bird_bins *b, int64_t *n_contig,
                     int64_t *n_empty, int64_t *n_bp)
{
    *n_contig = b->s.n_contig;
    *n_empty = b->s.n_empty;
    *n_bp = b->s.n_bp;
}

/* Place of bin number i; in the middle of from .. to when that is wanted. */
static void put_bin(const struct bird_bins *b, struct bird_bin *x, int64_t from,
                    int64_t to)
{
    int64_t start = b->how == BIRD_BINS_TILE
                        ? b->number * b->bin
                        : from + (to - from) / 2 - b->bin / 2;

    x->start = start;
    x->end = start + b->bin;
}

/* Bases of x's context into b->seq, of a contig whose bases from .. from
 * + n are at `bases`; then x is cut to the contig. */
static void cut_context(const struct bird_bins *b, struct bird_bin *x,
                        const char *bases, int64_t from, int64_t n)
{
    int64_t start = x->start - b->side, lo, hi;

    lo = start < from ? from : start;
    hi = start + b->context < from + n ? start + b->context : from + n;
    memset(b->seq, 'N', (size_t)b->context);
    if (hi > lo)
        memcpy(b->seq + lo - start, bases + lo - from, (size_t)(hi - lo));
    x->seq = b->seq;
    x->n_unknown = 0;
    for (int64_t i = 0; i < b->context; i++)
        x->n_unknown += !memchr("ACGT", b->seq[i], 4);
}

/* The bin to the contig's end; counts what of its context lies beyond. A
 * length that is not known yet is INT64_MAX: the context is there. */
static void clip(const struct bird_bins *b, struct bird_bin *x, int64_t length)
{
    int64_t from = x->start - b->side, to = from + b->context;

    x->n_beyond = (from < 0 ? -from : 0) + (to > length ? to - length : 0);
    if (x->n_beyond > b->context)
        x->n_beyond = b->context;
    if (x->start < 0)
        x->start = 0;
    if (x->end > length)
        x->end = length;
}

/* One more piece. @return 1, 0 at the end of the stream, or an error */
static int read_piece(struct bird_bins *b)
{
    int64_t contig = b->s.contig;
    int rc = take_piece(
        &b->s, b->how == BIRD_BINS_CENTRE ? 0 : b->number * b->bin - b->side);

    if (b->s.contig != contig)
        b->number = 0;
    return rc;
}

/* Is the next bin's context in the buffer? While the contig's length is unknown,
 * a whole context must be, so that the contig is not shorter. */
static int is_ready(const struct bird_bins *b)
{
    const struct source *s = &b->s;

    return s->length >= 0 ||
           (b->how == BIRD_BINS_TILE && b->context <= s->to &&
            b->number * b->bin - b->side + b->context <= s->to);
}

/* Are no bins of this contig left? */
static int is_over(const struct bird_bins *b)
{
    const struct source *s = &b->s;

    if (s->contig < 0 || s->length < 0)
        return s->contig < 0;
    if (!s->length || b->how == BIRD_BINS_CENTRE)
        return b->number > 0;
    return b->number * b->bin >= s->length;
}

static int next_of_stream(struct bird_bins *b, struct bird_bin *out)
{
    struct bird_bin x = {.region = -1};
    struct source *s = &b->s;
    int rc;

    while (is_over(b) || !is_ready(b)) {
        rc = read_piece(b);
        if (rc <= 0)
            return rc;
    }
    put_bin(b, &x, 0, s->to);
    cut_context(b, &x, s->bases, s->from, s->to - s->from);
    clip(b, &x, s->length >= 0 ? s->length : INT64_MAX);
    b->number++;
    x.contig = s->contig;
    x.name = s->name.s;
    x.length = s->length;
    x.last = is_over(b);
    *out = x;
    return 1;
}

/* The bins of the next region that has any. @return 0 at the end */
static int next_region(struct bird_bins *b)
{
    while (b->number >= b->end_number) {
        const bird_region *r = take_region(&b->s);

        if (!r)
            return 0;
        if (b->how == BIRD_BINS_CENTRE) {
            b->number = 0;
            b->end_number = 1;
            return 1;
        }
        b->number = r->start / b->bin;
        b->end_number = (r->end - 1) / b->bin + 1;
        /* two regions may meet in one bin */
        if (r->index == b->last_contig && b->number <= b->last_number)
            b->number = b->last_number + 1;
    }
    return 1;
}

static int next_of_regions(struct bird_bins *b, struct bird_bin *out)
{
    struct source *s = &b->s;
    struct bird_bin x = {0};
    const bird_region *r;
    const char *bases;
    int64_t from;
    int rc;

    if (!next_region(b))
        return 0;
    r = &s->list->at[s->region];
    put_bin(b, &x, r->start, r->end);
    from = x.start - b->side;
    rc = bird_contig_cache_get(&bases, &b->cache, s->genome, r->index, from,
                               from + b->context);
    if (rc)
        return rc;
    cut_context(b, &x, bases, from, b->context);
    x.length = bird_genome_length(s->genome, r->index);
    clip(b, &x, x.length);
    b->last_contig = r->index;
    b->last_number = b->number++;
    x.contig = r->index;
    x.name = bird_genome_name(s->genome, r->index);
    x.region = s->region;
    x.last = b->number >= b->end_number;
    *out = x;
    return 1;
}

int bird_bins_next(struct bird_bins *b, struct bird_bin *out)
{
    return b->s.stream ? next_of_stream(b, out) : next_of_regions(b, out);
}
