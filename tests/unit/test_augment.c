/* data/augment: how often and how far letters change.
   SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "data/augment.h"
#include "dnabird/tiles.h"

enum { N = 100000 };

static char seq[N + 1], got[N + 1];

static void setup(void)
{
    struct bird_rng r;

    bird_rng_init(&r, 5, 0, 0);
    for (int i = 0; i < N; i++)
        seq[i] = i % 100 ? "ACGTacgt"[bird_rng_below(&r, 8)] : 'N';
}

TestSuite(augment, .init = setup);

/* Within five standard deviations of n draws with probability p? */
static int expected(int64_t count, int64_t n, double p)
{
    return fabs((double)count - (double)n * p) <
           5 * sqrt((double)n * p * (1 - p));
}

Test(augment, nothing_asked_changes_nothing)
{
    struct bird_augmentation a = {0};
    struct bird_rng r;

    bird_rng_init(&r, 1, 0, 0);
    cr_assert_not(bird_augments(&a));
    bird_augment(got, seq, N, &a, &r);
    cr_assert_eq(memcmp(got, seq, N), 0);
}

Test(augment, bases_mutate_as_often_as_asked_and_evenly)
{
    static const double rates[] = {0.001, 0.1, 0.75};

    for (int k = 0; k < 3; k++) {
        struct bird_augmentation a = {.mutate = rates[k]};
        int64_t by[4] = {0}, n = N - N / 100;
        struct bird_rng r;

        bird_rng_init(&r, 7, 0, 0);
        bird_augment(got, seq, N, &a, &r);
        for (int i = 0; i < N; i++) {
            const char *from = strchr("ACGT", toupper(seq[i]));
            const char *to = strchr("ACGT", toupper(got[i]));

            cr_assert_eq(!!isupper(seq[i]), !!isupper(got[i]));
            cr_assert_eq(!from, !to);
            if (from)
                by[(to - from + 4) % 4]++;
            else
                cr_assert_eq(got[i], 'N');
        }
        cr_assert(expected(n - by[0], n, rates[k]), "%g: %lld", rates[k],
                  (long long)(n - by[0]));
        for (int i = 1; i < 4; i++)
            cr_assert(expected(by[i], n, rates[k] / 3), "%g, %d: %lld",
                      rates[k], i, (long long)by[i]);
    }
}

Test(augment, letters_are_shifted_evenly_and_come_in_at_the_other_end)
{
    enum { LEN = 50, SHIFT = 4, TIMES = 9000 };
    struct bird_augmentation a = {.shift = SHIFT};
    int64_t by[2 * SHIFT + 1] = {0};
    struct bird_rng r;

    bird_rng_init(&r, 9, 0, 0);
    for (int k = 0; k < TIMES; k++) {
        int found = 0;

        bird_augment(got, seq, LEN, &a, &r);
        for (int s = -SHIFT; s <= SHIFT; s++) {
            int same = 1;

            for (int i = 0; i < LEN; i++)
                same &= got[i] == seq[(i + s + LEN) % LEN];
            by[s + SHIFT] += same;
            found += same;
        }
        cr_assert_eq(found, 1);
    }
    for (int s = 0; s <= 2 * SHIFT; s++)
        cr_assert(expected(by[s], TIMES, 1.0 / (2 * SHIFT + 1)));
    /* further than the row is long: still the same letters */
    a.shift = 1000;
    bird_augment(got, "ACGTN", 5, &a, &r);
    got[5] = 0;
    cr_assert(strstr("ACGTNACGTN", got));
    bird_augment(got, "", 0, &a, &r);
}

Test(augment, either_strand_and_its_order_with_the_rest)
{
    struct bird_augmentation strand = {.strand = 1}, all = {1, 3, 0.1};
    static char other[N], again[N];
    struct bird_rng r, s;
    int64_t turned = 0;

    bird_reverse_complement(other, seq, N);
    bird_rng_init(&r, 11, 0, 0);
    for (int k = 0; k < 400; k++) {
        bird_augment(got, seq, 200, &strand, &r);
        if (memcmp(got, seq, 200)) {
            turned++;
            cr_assert_eq(memcmp(got, other + N - 200, 200), 0);
        }
    }
    cr_assert(expected(turned, 400, 0.5));
    /* a function of the state of the generator alone */
    bird_rng_init(&r, 13, 0, 0);
    bird_rng_init(&s, 13, 0, 0);
    bird_augment(got, seq, N, &all, &r);
    bird_augment(again, seq, N, &all, &s);
    cr_assert_eq(memcmp(got, again, N), 0);
    cr_assert_eq(bird_rng_next(&r), bird_rng_next(&s));
}
