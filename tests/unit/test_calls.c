/* calls and stitch: windows merged into calls, averaged into segments. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dnabird/dnabird.h"
#include "track/calls.h"

/* Windows as short as they can be written; what comes out, as text. */
struct toy {
    int64_t contig, start, end;
    char strand;
    double p;
};

static char text[4096];

static const char strands[] = "+-.";
static const double half[] = {0.5, 0.5, 0.5};

static int32_t lane_of(char strand)
{
    return (int32_t)(strchr(strands, strand) - strands);
}

static void drain_calls(struct bird_calls *c)
{
    struct bird_call k;
    size_t n;

    while (bird_calls_next(c, &k)) {
        n = strlen(text);
        snprintf(text + n, sizeof(text) - n, "%d:%d-%d%c%.2f@%dx%d ",
                 (int)k.contig, (int)k.start, (int)k.end, strands[k.track],
                 k.probability, (int)k.summit, (int)k.n_window);
    }
}

static void run_calls(const struct toy *w, int n, int64_t longest)
{
    struct bird_calls *c = NULL;

    text[0] = '\0';
    WORKS(bird_calls_new(&c, half, 3, longest));
    for (int i = 0; i < n; i++) {
        struct bird_scored s = {w[i].contig,          w[i].start, w[i].end,
                                lane_of(w[i].strand), w[i].p,     w[i].p};

        WORKS(bird_calls_put(c, &s));
        drain_calls(c);
    }
    strcat(text, "| ");
    WORKS(bird_calls_finish(c));
    drain_calls(c);
    bird_calls_free(c);
}
#define CALLS(longest, ...)                                                    \
    run_calls((const struct toy[]){__VA_ARGS__},                               \
              sizeof((const struct toy[]){__VA_ARGS__}) / sizeof(struct toy),  \
              longest)

Test(calls, overlapping_and_touching_windows_merge)
{
    CALLS(0, {0, 0, 10, '+', 0.5}, {0, 10, 20, '+', 0.9}, {0, 15, 25, '+', 0.9},
          {0, 26, 36, '+', 0.6});
    cr_assert_str_eq(text, "0:0-25+0.90@17x3 | 0:26-36+0.60@31x1 ");
}

Test(calls, below_the_threshold_is_no_call)
{
    CALLS(0, {0, 0, 10, '+', 0.499999}, {0, 5, 15, '+', 0.7},
          {0, 10, 20, '+', 0.1}, {0, 15, 25, '+', 0.6});
    cr_assert_str_eq(text, "| 0:5-25+0.70@10x2 ");
}

Test(calls, the_summit_is_the_middle_of_the_best_windows)
{
    CALLS(0, {0, 0, 10, '+', 0.7}, {0, 5, 15, '+', 1}, {0, 10, 20, '+', 0.8},
          {0, 15, 25, '+', 1}, {0, 18, 28, '+', 0.9});
    cr_assert_str_eq(text, "| 0:0-28+1.00@15x5 ");
    /* a better one forgets the equal ones before it; windows differ in
     * length, so that the later of two may have the earlier centre */
    CALLS(0, {0, 0, 10, '-', 0.6}, {0, 5, 15, '-', 0.6}, {0, 6, 26, '-', 0.9},
          {0, 8, 12, '-', 0.9}, {0, 9, 19, '-', 0.5});
    cr_assert_str_eq(text, "| 0:0-26-0.90@13x5 ");
}

Test(calls, strands_are_apart_and_sorted)
{
    CALLS(0, {0, 0, 10, '+', 0.6}, {0, 0, 10, '-', 0.9}, {0, 5, 15, '+', 0.7},
          {0, 20, 30, '-', 0.8}, {0, 20, 30, '+', 0.8}, {0, 40, 50, '+', 0.1});
    cr_assert_str_eq(text, "0:0-10-0.90@5x1 0:0-15+0.70@10x2 "
                           "0:20-30+0.80@25x1 0:20-30-0.80@25x1 | ");
}

Test(calls, a_long_call_holds_back_later_ones_of_the_other_strand)
{
    CALLS(0, {0, 0, 10, '+', 0.6}, {0, 2, 6, '-', 0.6}, {0, 8, 18, '+', 0.6},
          {0, 12, 14, '-', 0.6}, {0, 16, 26, '+', 0.6}, {0, 40, 50, '+', 0});
    cr_assert_str_eq(text, "0:0-26+0.60@13x3 0:2-6-0.60@4x1 "
                           "0:12-14-0.60@13x1 | ");
}

Test(calls, a_call_longer_than_the_longest_is_cut)
{
    CALLS(20, {0, 0, 10, '+', 0.6}, {0, 5, 15, '+', 0.6}, {0, 10, 20, '+', 0.6},
          {0, 15, 25, '+', 0.9});
    cr_assert_str_eq(text, "0:0-20+0.60@10x3 | 0:15-25+0.90@20x1 ");
}

Test(calls, a_contig_ends_its_calls)
{
    CALLS(0, {7, 50, 60, '+', 0.6}, {7, 50, 60, '-', 0.6},
          {3, 0, 10, '.', 0.6});
    cr_assert_str_eq(text, "7:50-60+0.60@55x1 7:50-60-0.60@55x1 | "
                           "3:0-10.0.60@5x1 ");
}

Test(calls, out_of_order_is_refused)
{
    struct bird_calls *c = NULL;
    struct bird_scored w = {0, 10, 20, 0, 0.5, 0.5}, bad = w;

    WORKS(bird_calls_new(&c, half, 3, 0));
    WORKS(bird_calls_put(c, &w));
    bad.start = 9;
    FAILS(BIRD_EINVAL, bird_calls_put(c, &bad), "at 9 comes after one at 10");
    bad = w, bad.track = 3;
    cr_assert_eq(bird_calls_put(c, &bad), BIRD_EINVAL);
    bad = w, bad.track = -1;
    cr_assert_eq(bird_calls_put(c, &bad), BIRD_EINVAL);
    bad = w, bad.probability = nan("");
    cr_assert_eq(bird_calls_put(c, &bad), BIRD_EINVAL);
    bad = w, bad.end = 10;
    cr_assert_eq(bird_calls_put(c, &bad), BIRD_EINVAL);
    WORKS(bird_calls_finish(c));
    cr_assert_eq(bird_calls_put(c, &w), BIRD_EINVAL);
    w.contig = 1;
    WORKS(bird_calls_put(c, &w));
    bird_calls_free(c);
    bird_calls_free(NULL);
    c = NULL;
    cr_assert_eq(bird_calls_new(&c, (const double[]){0.5, nan("")}, 2, 0),
                 BIRD_EINVAL);
    cr_assert_eq(bird_calls_new(&c, half, 3, -1), BIRD_EINVAL);
    cr_assert_eq(bird_calls_new(&c, half, 0, 0), BIRD_EINVAL);
    cr_assert_null(c);
}

/* Against the plain way: all calls of a lane, then a sort. */
static int by_place(const void *x, const void *y)
{
    const struct bird_call *a = x, *b = y;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->track - b->track;
}

Test(calls, many_windows_equal_the_plain_way)
{
    enum { N = 4000 };
    static struct bird_call want[2 * N];
    struct bird_call k, *open[2] = {NULL, NULL};
    struct bird_calls *c = NULL;
    int64_t n = 0, got = 0;
    unsigned r = 1;

    WORKS(bird_calls_new(&c, half, 3, INT64_MAX));
    for (int i = 0; i < N; i++)
        for (int s = 0; s < 2; s++) {
            struct bird_scored w = {0, 25 * i, 25 * i + 100, s, 0, 0};

            r = r * 1664525u + 1013904223u;
            w.probability = (r >> 8) % (s ? 1000 : 520) / 999.0;
            WORKS(bird_calls_put(c, &w));
            if (w.probability < 0.5)
                continue;
            if (open[s] && w.start <= open[s]->end) {
                open[s]->end = w.end;
                open[s]->n_window++;
                continue;
            }
            open[s] = &want[n++];
            *open[s] = (struct bird_call){.start = w.start,
                                          .end = w.end,
                                          .track = w.track,
                                          .n_window = 1};
        }
    WORKS(bird_calls_finish(c));
    qsort(want, (size_t)n, sizeof(*want), by_place);
    while (bird_calls_next(c, &k)) {
        cr_assert_lt(got, n);
        cr_assert_eq(k.start, want[got].start);
        cr_assert_eq(k.end, want[got].end);
        cr_assert_eq(k.track, want[got].track);
        cr_assert_eq(k.n_window, want[got].n_window);
        got++;
    }
    cr_assert_eq(got, n);
    cr_assert_gt(n, 100);
    bird_calls_free(c);
}

static void drain_stitch(struct bird_stitch *s)
{
    struct bird_segment g;
    size_t n;

    while (bird_stitch_next(s, &g)) {
        n = strlen(text);
        snprintf(text + n, sizeof(text) - n, "%d:%d-%d=%g ", (int)g.contig,
                 (int)g.start, (int)g.end, g.value);
    }
}

static void run_stitch(const struct toy *w, int n)
{
    struct bird_stitch *s = NULL;

    text[0] = '\0';
    WORKS(bird_stitch_new(&s));
    for (int i = 0; i < n; i++) {
        struct bird_scored x = {w[i].contig,          w[i].start, w[i].end,
                                lane_of(w[i].strand), w[i].p,     w[i].p};

        WORKS(bird_stitch_put(s, &x));
        drain_stitch(s);
    }
    strcat(text, "| ");
    WORKS(bird_stitch_finish(s));
    drain_stitch(s);
    bird_stitch_free(s);
}
#define STITCH(...)                                                            \
    run_stitch((const struct toy[]){__VA_ARGS__},                              \
               sizeof((const struct toy[]){__VA_ARGS__}) / sizeof(struct toy))

Test(stitch, overlaps_are_averaged)
{
    STITCH({0, 0, 10, '+', 0.2}, {0, 5, 15, '+', 0.4}, {0, 5, 12, '+', 0.6});
    cr_assert_str_eq(text, "| 0:0-5=0.2 0:5-10=0.4 0:10-12=0.5 0:12-15=0.4 ");
}

Test(stitch, equal_neighbours_are_one)
{
    STITCH({0, 0, 10, '+', 0.5}, {0, 10, 20, '+', 0.5}, {0, 15, 25, '+', 0.5},
           {0, 30, 40, '+', 0.5});
    cr_assert_str_eq(text, "| 0:0-25=0.5 0:30-40=0.5 ");
}

Test(stitch, equal_is_what_prints_equal)
{
    STITCH({0, 0, 10, '+', 0.5}, {0, 10, 20, '+', 0.5000001});
    cr_assert_str_eq(text, "| 0:0-20=0.5 ");
}

Test(stitch, the_larger_strand_wins_base_by_base)
{
    STITCH({0, 0, 10, '+', 0.2}, {0, 0, 10, '-', 0.3}, {0, 5, 15, '+', 0.6},
           {0, 5, 15, '-', 0.1}, {0, 20, 30, '+', 1}, {0, 40, 50, '-', 0});
    cr_assert_str_eq(text, "0:0-5=0.3 0:5-10=0.4 0:10-15=0.6 | "
                           "0:20-30=1 0:40-50=0 ");
}

Test(stitch, a_contig_ends_the_segment)
{
    STITCH({1, 0, 10, '+', 0.5}, {0, 10, 20, '+', 0.5}, {2, 3, 4, '+', 0.5});
    cr_assert_str_eq(text, "1:0-10=0.5 0:10-20=0.5 | 2:3-4=0.5 ");
}

Test(stitch, out_of_order_is_refused)
{
    struct bird_stitch *s = NULL;
    struct bird_scored w = {0, 10, 20, 0, 0.5, 0.5}, bad = w;

    WORKS(bird_stitch_new(&s));
    WORKS(bird_stitch_put(s, &w));
    bad.start = 9;
    cr_assert_eq(bird_stitch_put(s, &bad), BIRD_EINVAL);
    bad = w, bad.probability = HUGE_VAL;
    cr_assert_eq(bird_stitch_put(s, &bad), BIRD_EINVAL);
    bad = w, bad.track = BIRD_STITCH_TRACKS;
    cr_assert_eq(bird_stitch_put(s, &bad), BIRD_EINVAL);
    bad = w, bad.end = 10;
    cr_assert_eq(bird_stitch_put(s, &bad), BIRD_EINVAL);
    WORKS(bird_stitch_finish(s));
    cr_assert_eq(bird_stitch_put(s, &w), BIRD_EINVAL);
    w.contig = 1;
    WORKS(bird_stitch_put(s, &w));
    bird_stitch_free(s);
    bird_stitch_free(NULL);
}

/* Windows of 4 every 1 that hold base 11 are at 0.9, the first of them at 1:
 * the best one lies off it, the mean of all over a base is largest there. */
Test(calls, overlapping_windows_meet_at_the_place)
{
    static const double p[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1,
                               0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1};
    struct bird_calls *c = NULL;
    struct bird_call out;
    int64_t summit[3] = {-1, -1, -1};
    int n = 0;

    WORKS(bird_calls_new(&c, half, 3, 0));
    WORKS(bird_calls_overlap(c, 4, 1));
    for (int contig = 0; contig < 2; contig++)
        for (int i = 0; i < 17; i++) {
            struct bird_scored w = {contig, i, i + 4, 0, p[i], p[i]};

            WORKS(bird_calls_put(c, &w));
        }
    WORKS(bird_calls_finish(c));
    while (n < 3 && bird_calls_next(c, &out))
        summit[n++] = out.summit;
    cr_assert_eq(n, 2);
    cr_assert_eq(summit[0], 11);
    cr_assert_eq(summit[1], 11);
    cr_assert_eq(out.start, 8);
    cr_assert_eq(out.end, 15);
    cr_assert_eq(out.probability, 1);
    bird_calls_free(c);
}

/* Summits of the calls of windows of 2, read from one end or the other. */
static int near_summits(int64_t summit[4], const double *p, int n, int missing,
                        int back, int64_t reach)
{
    struct bird_calls *c = NULL;
    struct bird_call out;
    int found = 0;

    WORKS(bird_calls_new(&c, half, 3, 0));
    bird_calls_merge(c, 4);
    WORKS(bird_calls_near(c, reach, 2));
    for (int i = 0; i < n; i++) {
        int k = back ? n - 1 - i : i;
        struct bird_scored w = {0, 2 * i, 2 * i + 2, 0, p[k], p[k]};

        if (k != missing)
            WORKS(bird_calls_put(c, &w));
    }
    WORKS(bird_calls_finish(c));
    while (found < 4 && bird_calls_next(c, &out))
        summit[found++] = back ? 2 * n - out.summit : out.summit;
    bird_calls_free(c);
    return found;
}

/* Bins of 2 that answer for a site up to 4 away: those of bases 8 to 17 are high,
 * the last of them most, for a site in the middle. Read from either end, with a
 * bin missing elsewhere, and at the end of a contig. */
Test(calls, bins_that_answer_for_near_sites_meet_at_the_site)
{
    static const double p[] = {0.1, 0.1, 0.1, 0.2, 0.7, 0.8, 0.8, 0.8, 0.9,
                               0.1, 0.1, 0.1, 0.6, 0.7, 0.1, 0.9, 0.9};
    enum { N = sizeof(p) / sizeof(*p) };
    int64_t summit[4];

    for (int missing = -1; missing < 4; missing++)
        for (int back = 0; back < 2; back++)
            for (int64_t reach = 4; reach < 6; reach++) { /* 5 is 4 here */
                cr_assert_eq(near_summits(summit, p, N, missing, back, reach),
                             2);
                cr_assert_eq(summit[back], 13);
                /* the bins of bases 30 to 33 have .9; the last has fewer near */
                cr_assert_eq(summit[!back], 31);
            }
    /* no other window starts so near: the best ones */
    cr_assert_eq(near_summits(summit, p, N, -1, 0, 1), 2);
    cr_assert_eq(summit[0], 17);
    cr_assert_eq(summit[1], 32);
}
