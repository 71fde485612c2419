/*
 * Windows. One buffer holds a stretch of the current contig (or region),
 * `from` .. `to`; it is refilled from a stream of pieces or from a genome and
 * keeps no more than the next window, or the last one, can need.
 * SPDX-License-Identifier: MIT
 */
#include "dnabird/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "seq/alphabet.h"
#include "seq/limit.h"

enum { FETCH_BP = 1 << 20 };

struct bird_windows {
    int64_t width, stride;
    bird_fastx *stream; /* one of these two */
    bird_genome *genome;
    const bird_regions *list;
    enum bird_windows_how how;

    int open; /* a contig or region is being cut */
    int64_t contig, region;
    const char *name;
    char *name_copy; /* (cap_name) a stream's names die with their piece */
    int64_t cap_name;
    int64_t origin;     /* where windows count from */
    int64_t length;     /* from origin; -1 while a stream has not told */
    int64_t next, stop; /* next window, and the first not wanted */

    char *letters; /* (to - from), cap_letters */
    int64_t from, to, cap_letters;
    int64_t at, end, n_unknown;     /* the window counted last */
    int64_t grid_contig, grid_next; /* what the region before delivered */

    struct bird_limit *limit; /* of a stream, or NULL */
    bird_window_tally tally;
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
                         "window of %lld bp with stride %lld: both are 1 or "
                         "more",
                         (long long)width, (long long)stride);
    w = calloc(1, sizeof(*w));
    if (!w)
        return bird_fail_memory(sizeof(*w));
    w->width = width;
    w->stride = stride;
    w->region = w->grid_contig = -1;
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
    w->stream = r;
    *out = w;
    return 0;
}

int bird_windows_regions(bird_windows **out, bird_genome *g,
                         const bird_regions *list, int64_t width,
                         int64_t stride, enum bird_windows_how how)
{
    bird_windows *w = NULL;
    int64_t *contigs = NULL;
    int rc = 0;

    for (int64_t i = 0; i < list->n; i++) {
        const bird_region *r = list->at + i;

        if (r->index < 0 || r->index >= bird_genome_count(g) || r->start < 0 ||
            r->end < r->start || r->end > bird_genome_length(g, r->index))
            return bird_fail(BIRD_ERANGE, "region on '%s' is not placed on %s",
                             r->contig, bird_genome_path(g));
    }
    if ((rc = bird_array_new(&contigs, list->n, sizeof(*contigs))))
        return rc;
    for (int64_t i = 0; i < list->n; i++)
        contigs[i] = list->at[i].index;
    rc = bird_genome_hold(g, contigs, list->n);
    free(contigs);
    if (rc || (rc = windows_new(&w, width, stride)) || !w)
        return rc;
    w->genome = g;
    w->list = list;
    w->how = how;
    *out = w;
    return 0;
}

int bird_windows_limit(bird_windows *w, const bird_regions *list)
{
    struct bird_limit *fresh;
    int rc;

    if (!w->stream || w->limit || w->tally.n_contig || w->open)
        return bird_fail(BIRD_EINVAL, "only a stream that has not begun can "
                                      "be limited to regions");
    if ((rc = bird_limit_new(&fresh, list)))
        return rc;
    w->limit = fresh;
    return 0;
}

void bird_windows_free(bird_windows *w)
{
    if (!w)
        return;
    bird_limit_free(w->limit);
    free(w->name_copy);
    free(w->letters);
    free(w);
}

void bird_windows_count(const bird_windows *w, bird_window_tally *out)
{
    *out = w->tally;
}

/* ---- the buffer --------------------------------------------------------- */

/* Forget what lies before `start`. */
static void drop(bird_windows *w, int64_t start)
{
    if (start >= w->to) {
        w->from = w->to;
    } else if (start > w->from) {
        memmove(w->letters, w->letters + (start - w->from),
                (size_t)(w->to - start));
        w->from = start;
    }
}

static int make_room(bird_windows *w, int64_t n)
{
    return bird_array_grow(&w->letters, &w->cap_letters, w->to - w->from + n,
                           1);
}

/* Letters of a region until `end` is there, or a good piece more. */
static int fill_from_genome(bird_windows *w, int64_t start, int64_t end)
{
    int64_t limit = w->origin + w->length, upto;
    int rc;

    if (end <= w->to)
        return 0;
    drop(w, start);
    if (w->from == w->to)
        w->from = w->to = start;
    upto = end - w->to < FETCH_BP ? w->to + FETCH_BP : end;
    if (upto > limit)
        upto = limit;
    if ((rc = make_room(w, upto - w->to)) ||
        (rc = bird_genome_fetch(w->genome, w->contig, w->to, upto,
                                w->letters + (w->to - w->from))))
        return rc;
    w->to = upto;
    return 0;
}

/* One more piece of the stream's contig, which goes on. */
static int take_piece(bird_windows *w, const bird_piece *p)
{
    int rc = make_room(w, p->n);

    if (rc)
        return rc;
    if (p->n)
        memcpy(w->letters + (w->to - w->from), p->seq, (size_t)p->n);
    w->to += p->n;
    w->tally.n_bp += p->n;
    if (p->last) {
        w->length = w->to;
        w->stop = bird_window_count(w->length, w->width, w->stride);
    }
    return 0;
}

/* Pieces of the stream until window `next` is there or the contig ends. The
   last W letters always stay: the contig's last window may be among them. */
static int fill_from_stream(bird_windows *w)
{
    int64_t start = w->next * w->stride;

    while (w->length < 0 && w->to < start + w->width) {
        bird_piece p;
        int rc;

        drop(w, start < w->to - w->width ? start : w->to - w->width);
        rc = bird_fastx_next(w->stream, &p);
        if (rc < 0)
            return rc;
        if ((rc = take_piece(w, &p)))
            return rc;
    }
    return 0;
}

/* ---- contigs and regions ------------------------------------------------ */

static void open_span(bird_windows *w)
{
    w->open = 1;
    w->from = w->to = w->origin;
    w->next = 0;
    w->at = w->end = w->origin;
    w->n_unknown = 0;
}

static int open_contig(bird_windows *w)
{
    bird_piece p;
    int64_t n;
    int rc = bird_fastx_next(w->stream, &p);

    if (!rc && w->limit)
        rc = bird_limit_check(w->limit);
    if (rc <= 0)
        return rc;
    if (w->limit)
        bird_limit_contig(w->limit, p.name);
    n = (int64_t)strlen(p.name) + 1;
    rc = bird_array_grow(&w->name_copy, &w->cap_name, n, 1);
    if (rc)
        return rc;
    memcpy(w->name_copy, p.name, (size_t)n);
    w->name = w->name_copy;
    w->contig = p.contig;
    w->length = -1;
    w->stop = INT64_MAX;
    open_span(w);
    rc = take_piece(w, &p);
    return rc ? rc : 1;
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
    const bird_region *r;

    if (w->region + 1 >= w->list->n)
        return 0;
    r = w->list->at + ++w->region;
    w->contig = r->index;
    w->name = bird_genome_name(w->genome, r->index);
    w->origin = w->how == BIRD_WINDOWS_TILE ? r->start : 0;
    w->length = w->how == BIRD_WINDOWS_TILE
                    ? r->end - r->start
                    : bird_genome_length(w->genome, r->index);
    w->stop = bird_window_count(w->length, w->width, w->stride);
    open_span(w);
    w->tally.n_bp += r->end - r->start;
    if (w->how == BIRD_WINDOWS_GRID) {
        int64_t range[2];

        grid_range(w, w->length, r->start, r->end, range);
        if (r->index == w->grid_contig && range[0] < w->grid_next &&
            w->region && w->list->at[w->region - 1].start <= r->start)
            range[0] = w->grid_next;
        w->next = range[0];
        w->stop = range[1];
        w->grid_contig = r->index;
        w->grid_next = range[1] > range[0] ? range[1] : range[0];
    }
    return 1;
}

static int close_span(bird_windows *w)
{
    int rc = w->limit ? bird_limit_end(w->limit, w->length) : 0;

    w->open = 0;
    w->tally.n_contig++;
    w->tally.n_empty += w->length == 0;
    return rc;
}

/* ---- delivery ----------------------------------------------------------- */

static int64_t unknown_in(const bird_windows *w, int64_t start, int64_t end)
{
    return bird_letters_unknown(w->letters + (start - w->from), end - start);
}

/* The count slides along: what a window shares with the one before is not
   counted again, as far as the buffer still has what it left behind. */
static void count_unknown(bird_windows *w, int64_t start, int64_t end)
{
    if (start >= w->end || w->at < w->from || start < w->at)
        w->n_unknown = unknown_in(w, start, end);
    else
        w->n_unknown +=
            unknown_in(w, w->end, end) - unknown_in(w, w->at, start);
    w->at = start;
    w->end = end;
}

/* Letters of window `next`, and where it lies. */
static int fill(bird_windows *w, int64_t *start, int64_t *end)
{
    if (w->length < 0) {
        *start = w->next * w->stride;
        *end = *start + w->width;
        return 0;
    }
    bird_window_at(start, end, w->length, w->width, w->stride, w->next);
    *start += w->origin;
    *end += w->origin;
    return w->genome ? fill_from_genome(w, *start, *end) : 0;
}

static void deliver(bird_windows *w, bird_window *out, int64_t start,
                    int64_t end)
{
    count_unknown(w, start, end);
    *out = (bird_window){
        .index = w->tally.n_window++,
        .contig = w->contig,
        .name = w->name,
        .region = w->region,
        .start = start,
        .end = end,
        .seq = w->letters + (start - w->from),
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
            rc = w->genome ? open_region(w) : open_contig(w);
            if (rc <= 0)
                return rc;
        }
        if (w->stream && (rc = fill_from_stream(w)))
            return rc;
        if (w->next >= w->stop) {
            if ((rc = close_span(w)))
                return rc;
            continue;
        }
        if ((rc = fill(w, &start, &end)))
            return rc;
        w->next++;
        if (w->limit && !bird_limit_meets(w->limit, start, end))
            continue;
        deliver(w, out, start, end);
        return 1;
    }
}
