/* Windows into calls, and windows into one value per base.
 *
 * Calls: each track has at most one open call, which the next window extends or
 * closes; closed calls wait in a sorted queue until no open call sorts before
 * them. Segments: a sweep from one window's end to the next. Both read every
 * window once, in the memory of what overlaps one base.
 * SPDX-License-Identifier: MIT */
#include "track/calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

/* A growing call of one strand or feature. */
struct call_track {
    struct bird_call call;
    double threshold, level;  /* bird_calls_level() */
    int64_t best_lo, best_hi; /* centres of the first and last best window */
    int64_t last;             /* start of the last window */
    int open;
    /* windows that may still count for a summit, a ring */
    struct recent {
        int64_t start, centre;
        double probability, raw;
    } * recent;
    int64_t n_recent, n_judged; /* of this contig: put, and asked */
    double best;                /* the largest mean of the call so far */
};

struct bird_calls {
    int64_t longest_bp;
    int64_t merge_bp;      /* bird_calls_merge() */
    int64_t width, stride; /* of overlapping windows; 0: the best one counts */
    int64_t reach, n_ring; /* bird_calls_near(); 0: none */
    struct call_track *tracks; /* (n_track) */
    int64_t n_track;
    struct bird_call *queue; /* closed calls, sorted; [head, n) are waiting */
    int64_t head, n, cap;
    int64_t contig, start; /* of the last window */
    int begun, finished;
};

int bird_calls_new(struct bird_calls **out, const double *threshold,
                   int64_t n_track, int64_t longest_bp)
{
    struct bird_calls *c;

    for (int64_t i = 0; i < n_track; i++)
        if (isnan(threshold[i]))
            return bird_fail(BIRD_EINVAL, "calls: a threshold is NaN");
    if (longest_bp < 0 || n_track < 1)
        return bird_fail(BIRD_EINVAL,
                         "calls: %lld lanes, calls of at most %lld bp",
                         (long long)n_track, (long long)longest_bp);
    c = calloc(1, sizeof(*c));
    if (!c)
        return bird_fail_memory(sizeof(*c));
    c->longest_bp = longest_bp ? longest_bp : 1000000;
    c->n_track = n_track;
    if (bird_array_new(&c->tracks, n_track, sizeof(*c->tracks))) {
        free(c);
        return BIRD_ENOMEM;
    }
    for (int64_t i = 0; i < n_track; i++)
        c->tracks[i].threshold = c->tracks[i].level = threshold[i];
    *out = c;
    return 0;
}

int bird_calls_overlap(struct bird_calls *c, int64_t width, int64_t stride)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < c->n_track; i++)
        rc = bird_array_new(&c->tracks[i].recent, width / stride,
                            sizeof(*c->tracks[i].recent));
    c->width = width;
    c->stride = stride;
    return rc;
}

int bird_calls_near(struct bird_calls *c, int64_t reach, int64_t stride)
{
    int rc = 0;

    c->reach = reach / stride * stride; /* the furthest that counts */
    c->stride = stride;
    c->n_ring = 2 * (reach / stride) + 1;
    for (int64_t i = 0; !rc && c->reach && i < c->n_track; i++)
        rc = bird_array_new(&c->tracks[i].recent, c->n_ring,
                            sizeof(*c->tracks[i].recent));
    return rc;
}

void bird_calls_level(struct bird_calls *c, const double *level)
{
    for (int64_t i = 0; i < c->n_track; i++)
        c->tracks[i].level = level[i];
}

void bird_calls_merge(struct bird_calls *c, int64_t bp)
{
    c->merge_bp = bp;
}

void bird_calls_free(struct bird_calls *c)
{
    if (!c)
        return;
    for (int64_t i = 0; i < c->n_track; i++)
        free(c->tracks[i].recent);
    free(c->tracks);
    free(c->queue);
    free(c);
}

/* By start, end, track: the order within a contig. */
static int compare(const struct bird_call *a, const struct bird_call *b)
{
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->track - b->track;
}

static const struct recent *window_at(const struct bird_calls *c,
                                      const struct call_track *l, int64_t start)
{
    for (int64_t i = 0; i < c->n_ring && i < l->n_recent; i++)
        if (l->recent[i].start == start)
            return &l->recent[i];
    return NULL;
}

/* The mean of the windows that start at most `reach` from this one. The two at
 * one distance are added first: the other direction has the same bits. */
static double mean_near(const struct bird_calls *c, const struct call_track *l,
                        const struct recent *at)
{
    double sum = at->raw;
    int64_t used = 1;

    for (int64_t d = c->stride; d <= c->reach; d += c->stride) {
        const struct recent *a = window_at(c, l, at->start - d);
        const struct recent *b = window_at(c, l, at->start + d);

        sum += (a ? a->raw : 0) + (b ? b->raw : 0);
        used += (a != NULL) + (b != NULL);
    }
    return sum / (double)used;
}

/* Ask the windows of the open call that start at `until` or before whether the
 * summit is theirs. */
static void judge(const struct bird_calls *c, struct call_track *l,
                  int64_t until)
{
    for (; l->n_judged < l->n_recent; l->n_judged++) {
        const struct recent *w = &l->recent[l->n_judged % c->n_ring];
        double mean;

        if (w->start > until)
            return;
        if (!l->open || w->start < l->call.start || w->probability < l->level)
            continue;
        mean = mean_near(c, l, w);
        if (mean < l->best)
            continue;
        if (mean > l->best)
            l->best_lo = w->centre;
        l->best_hi = w->centre;
        l->best = mean;
        l->call.summit = l->best_lo + (l->best_hi - l->best_lo) / 2;
    }
}

/* Calls close nearly in order, so the position is searched from the end. */
static int close_track(struct bird_calls *c, struct call_track *l)
{
    int64_t at;
    int rc;

    if (!l->open)
        return 0;
    if (c->reach)
        judge(c, l, INT64_MAX);
    l->open = 0;
    if (l->call.probability < l->threshold)
        return 0;
    if (c->head == c->n)
        c->head = c->n = 0;
    if (c->n == c->cap && c->head > c->n / 2) {
        memmove(c->queue, c->queue + c->head,
                (size_t)(c->n - c->head) * sizeof(*c->queue));
        c->n -= c->head;
        c->head = 0;
    }
    rc = bird_array_grow(&c->queue, &c->cap, c->n + 1, sizeof(*c->queue));
    if (rc)
        return rc;
    for (at = c->n; at > c->head && c->queue[at - 1].contig == l->call.contig &&
                    compare(&c->queue[at - 1], &l->call) > 0;
         at--)
        c->queue[at] = c->queue[at - 1];
    c->queue[at] = l->call;
    c->n++;
    return 0;
}

static int close_all(struct bird_calls *c)
{
    int rc = 0;

    for (int64_t i = 0; i < c->n_track && !rc; i++)
        rc = close_track(c, &c->tracks[i]);
    return rc;
}

static int check_window(const struct bird_calls *c, const struct bird_scored *w)
{
    if (c->finished && w->contig == c->contig)
        return bird_fail(BIRD_EINVAL, "calls: a window after the contig's end");
    if (w->start < 0 || w->end <= w->start || w->track < 0 ||
        w->track >= c->n_track || isnan(w->probability))
        return bird_fail(BIRD_EINVAL, "calls: a malformed window");
    if (c->begun && w->contig == c->contig && w->start < c->start)
        return bird_fail(BIRD_EINVAL,
                         "calls: a window at %lld comes after one at %lld",
                         (long long)w->start, (long long)c->start);
    return 0;
}

/* Where a window's centre lies. */
static int64_t centre(const struct bird_scored *w)
{
    return w->start + (w->end - w->start) / 2;
}

static void begin_call(struct call_track *l, const struct bird_scored *w)
{
    l->open = 1;
    l->best = -1;
    l->best_lo = l->best_hi = centre(w);
    l->call = (struct bird_call){.contig = w->contig,
                                 .start = w->start,
                                 .end = w->end,
                                 .summit = centre(w),
                                 .probability = w->probability,
                                 .raw = w->raw,
                                 .n_window = 1,
                                 .track = w->track};
}

/* Probabilities saturate, so that neighbours are equal: the summit is the
 * middle of the best ones. */
static void extend_call(struct call_track *l, const struct bird_scored *w)
{
    struct bird_call *call = &l->call;
    int64_t at = centre(w);

    if (w->end > call->end)
        call->end = w->end;
    call->n_window++;
    if (w->probability < call->probability)
        return;
    call->raw = w->raw;
    if (l->recent) {
        call->probability = w->probability;
        return;
    }
    if (w->probability > call->probability)
        l->best_lo = l->best_hi = at;
    l->best_lo = at < l->best_lo ? at : l->best_lo;
    l->best_hi = at > l->best_hi ? at : l->best_hi;
    call->probability = w->probability;
    call->summit = l->best_lo + (l->best_hi - l->best_lo) / 2;
}

/* Does a window that begins there continue the open call? */
static int continues(const struct bird_calls *c, const struct call_track *l,
                     int64_t start)
{
    return c->merge_bp ? start - l->last <= c->merge_bp : l->call.end >= start;
}

/* Close the calls that the window does not touch; the first of the tracks that
 * begin at one base does it for all. */
static int advance(struct bird_calls *c, const struct bird_scored *w)
{
    int rc = check_window(c, w);

    if (rc || (c->begun && w->contig == c->contig && w->start == c->start))
        return rc;
    if (c->begun && w->contig != c->contig && (rc = close_all(c)))
        return rc;
    for (int64_t i = 0; w->contig != c->contig && i < c->n_track; i++)
        c->tracks[i].n_recent = c->tracks[i].n_judged = 0;
    c->begun = 1;
    c->finished = 0;
    c->contig = w->contig, c->start = w->start;
    for (int64_t i = 0; i < c->n_track && !rc; i++)
        if (c->tracks[i].open && !continues(c, &c->tracks[i], w->start))
            rc = close_track(c, &c->tracks[i]);
    return rc;
}

/* The mean of the windows over the first bases of this one, which is the last
 * of them. */
static double mean_here(const struct bird_calls *c, struct call_track *l,
                        const struct bird_scored *w)
{
    int64_t n = c->width / c->stride, used = 0;
    double sum = 0;

    l->recent[l->n_recent++ % n] =
        (struct recent){w->start, centre(w), w->probability, w->raw};
    for (int64_t i = 0; i < n && i < l->n_recent; i++)
        if (l->recent[i].start <= w->start &&
            l->recent[i].start > w->start - c->width) {
            sum += l->recent[i].probability;
            used++;
        }
    return sum / (double)used;
}

/* The bases up to the next window: are they the best of the open call? */
static void seek_summit(struct bird_calls *c, struct call_track *l,
                        const struct bird_scored *w)
{
    int64_t end = w->start + c->stride;
    double mean = mean_here(c, l, w);

    if (!l->open || w->start >= l->call.end)
        return;
    if (l->call.start == w->start || mean > l->best) {
        l->best = mean;
        l->best_lo = w->start;
    } else if (mean < l->best) {
        return;
    }
    l->best_hi = end < w->end ? end : w->end;
    l->call.summit = l->best_lo + (l->best_hi - l->best_lo) / 2;
}

static void remember(struct bird_calls *c, struct call_track *l,
                     const struct bird_scored *w)
{
    l->recent[l->n_recent++ % c->n_ring] =
        (struct recent){w->start, centre(w), w->probability, w->raw};
    judge(c, l, w->start - c->reach);
}

int bird_calls_put(struct bird_calls *c, const struct bird_scored *w)
{
    struct call_track *l;
    int rc = advance(c, w), called;

    if (rc)
        return rc;
    l = &c->tracks[w->track];
    called = w->probability >= l->level;
    if (called && l->open && w->end - l->call.start > c->longest_bp)
        rc = close_track(c, l);
    if (rc)
        return rc;
    if (called && l->open)
        extend_call(l, w);
    else if (called)
        begin_call(l, w);
    if (called)
        l->last = w->start;
    if (c->reach)
        remember(c, l, w);
    else if (l->recent)
        seek_summit(c, l, w);
    return 0;
}

int bird_calls_finish(struct bird_calls *c)
{
    c->finished = 1;
    return close_all(c);
}

/* Can a call that sorts before this one still come? */
static int is_certain(const struct bird_calls *c, const struct bird_call *q)
{
    if (c->finished || q->contig != c->contig)
        return 1;
    if (q->start >= c->start)
        return 0;
    for (int64_t i = 0; i < c->n_track; i++)
        if (c->tracks[i].open && compare(&c->tracks[i].call, q) < 0)
            return 0;
    return 1;
}

int bird_calls_reach(const struct bird_calls *c, int64_t contig, int64_t before,
                     int64_t start)
{
    for (int64_t i = 0; i < c->n_track; i++)
        if (c->tracks[i].open && c->tracks[i].call.contig == contig &&
            c->tracks[i].call.start < before &&
            continues(c, &c->tracks[i], start))
            return 1;
    return 0;
}

int bird_calls_next(struct bird_calls *c, struct bird_call *out)
{
    if (c->head == c->n || !is_certain(c, &c->queue[c->head]))
        return 0;
    *out = c->queue[c->head++];
    return 1;
}

/* --- one value per base -------------------------------------------------- */

struct bird_stitch {
    struct bird_scored *open; /* windows that reach beyond `at`, as they came */
    int64_t n_open, cap_open;
    struct bird_segment *queue; /* [head, n) are waiting */
    int64_t head, n, cap;
    struct bird_segment last; /* may still grow; none when end is 0 */
    int64_t contig, at, start;
    int begun, finished;
};

int bird_stitch_new(struct bird_stitch **out)
{
    struct bird_stitch *s = calloc(1, sizeof(*s));

    if (!s)
        return bird_fail_memory(sizeof(*s));
    *out = s;
    return 0;
}

void bird_stitch_free(struct bird_stitch *s)
{
    if (s) {
        free(s->open);
        free(s->queue);
    }
    free(s);
}

static int send_last(struct bird_stitch *s)
{
    int rc;

    if (!s->last.end)
        return 0;
    if (s->head == s->n)
        s->head = s->n = 0;
    rc = bird_array_grow(&s->queue, &s->cap, s->n + 1, sizeof(*s->queue));
    if (rc)
        return rc;
    s->queue[s->n++] = s->last;
    s->last.end = 0;
    return 0;
}

/* The value from `at` on: sums are taken in the order of the windows. */
static double value_here(const struct bird_stitch *s)
{
    double sum[BIRD_STITCH_TRACKS] = {0}, best = -HUGE_VAL;
    int64_t n[BIRD_STITCH_TRACKS] = {0};

    for (int64_t i = 0; i < s->n_open; i++) {
        sum[s->open[i].track] += s->open[i].probability;
        n[s->open[i].track]++;
    }
    for (int i = 0; i < BIRD_STITCH_TRACKS; i++)
        if (n[i] && sum[i] / (double)n[i] > best)
            best = sum[i] / (double)n[i];
    return rint(best * 1e6) / 1e6;
}

static int put_segment(struct bird_stitch *s, int64_t end)
{
    double value = value_here(s);
    int rc;

    if (s->last.end == s->at && s->last.contig == s->contig &&
        s->last.value == value) {
        s->last.end = end;
        return 0;
    }
    rc = send_last(s);
    if (!rc)
        s->last = (struct bird_segment){s->contig, s->at, end, value};
    return rc;
}

/* Everything up to `to`: from one window's end to the next. */
static int sweep(struct bird_stitch *s, int64_t to)
{
    while (s->n_open && s->at < to) {
        int64_t end = to, kept = 0;
        int rc;

        for (int64_t i = 0; i < s->n_open; i++)
            if (s->open[i].end < end)
                end = s->open[i].end;
        rc = put_segment(s, end);
        if (rc)
            return rc;
        s->at = end;
        for (int64_t i = 0; i < s->n_open; i++)
            if (s->open[i].end > end)
                s->open[kept++] = s->open[i];
        s->n_open = kept;
    }
    s->at = to;
    return 0;
}

/* The end of a contig, or of all. */
static int end_contig(struct bird_stitch *s)
{
    int rc = sweep(s, INT64_MAX);

    return rc ? rc : send_last(s);
}

int bird_stitch_put(struct bird_stitch *s, const struct bird_scored *w)
{
    int rc = 0;

    if (s->finished && w->contig == s->contig)
        return bird_fail(BIRD_EINVAL,
                         "stitch: a window after the contig's end");
    if (w->start < 0 || w->end <= w->start || w->track < 0 ||
        w->track >= BIRD_STITCH_TRACKS || !isfinite(w->probability))
        return bird_fail(BIRD_EINVAL, "stitch: a malformed window");
    if (s->begun && w->contig == s->contig && w->start < s->start)
        return bird_fail(BIRD_EINVAL,
                         "stitch: a window at %lld comes after one at %lld",
                         (long long)w->start, (long long)s->start);
    if (s->begun && w->contig != s->contig) {
        rc = end_contig(s);
        s->at = 0;
    }
    if (!rc && s->begun && w->contig == s->contig)
        rc = sweep(s, w->start);
    if (!rc)
        rc = bird_array_grow(&s->open, &s->cap_open, s->n_open + 1,
                             sizeof(*s->open));
    if (rc)
        return rc;
    s->open[s->n_open++] = *w;
    s->contig = w->contig, s->start = s->at = w->start;
    s->begun = 1;
    s->finished = 0;
    return 0;
}

int bird_stitch_finish(struct bird_stitch *s)
{
    s->finished = 1;
    return end_contig(s);
}

int bird_stitch_reaches(const struct bird_stitch *s, int64_t contig,
                        int64_t before, int64_t start)
{
    int64_t end = s->last.end;

    if (!s->begun || s->contig != contig)
        return 0;
    for (int64_t i = 0; i < s->n_open; i++)
        end = s->open[i].end > end ? s->open[i].end : end;
    return end >= start &&
           (s->at < before || (s->last.end == s->at && s->last.start < before));
}

int bird_stitch_next(struct bird_stitch *s, struct bird_segment *out)
{
    if (s->head == s->n)
        return 0;
    *out = s->queue[s->head++];
    return 1;
}
