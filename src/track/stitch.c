/* Averaging overlapping windows, a sweep. SPDX-License-Identifier: MIT */
#include "track/stitch.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"

enum { N_LANE = 3 };

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
    double sum[N_LANE] = {0}, best = -HUGE_VAL;
    int64_t n[N_LANE] = {0};

    for (int64_t i = 0; i < s->n_open; i++) {
        char c = s->open[i].strand;
        int lane = c == '+' ? 0 : c == '-' ? 1 : 2;

        sum[lane] += s->open[i].probability;
        n[lane]++;
    }
    for (int i = 0; i < N_LANE; i++)
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

    if (s->finished)
        return bird_fail(BIRD_EINVAL, "stitch: a window after the end");
    if (w->start < 0 || w->end <= w->start || !isfinite(w->probability))
        return bird_fail(BIRD_EINVAL, "stitch: a window that makes no sense");
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
    return 0;
}

int bird_stitch_finish(struct bird_stitch *s)
{
    s->finished = 1;
    return end_contig(s);
}

int bird_stitch_next(struct bird_stitch *s, struct bird_segment *out)
{
    if (s->head == s->n)
        return 0;
    *out = s->queue[s->head++];
    return 1;
}
