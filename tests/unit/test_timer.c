/* base/timer: every moment belongs to one phase, tasks count their share.
 * The timer is compiled in here whatever the build's option is.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "base/parallel.h"
#include "base/timer.h"
#include "dnabird/dnabird.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void spend(double seconds)
{
    double end = now() + seconds;

    while (now() < end)
        ;
}

Test(timer, moments_belong_to_the_innermost_phase)
{
    double start = now(), sum = 0, all;
    enum bird_phase outer, inner;

    bird_timer_start(CLOCK_MONOTONIC);
    outer = bird_timer_enter(BIRD_PHASE_READ);
    cr_assert_eq(outer, BIRD_PHASE_REST);
    spend(0.002);
    inner = bird_timer_enter(BIRD_PHASE_WRITE);
    cr_assert_eq(inner, BIRD_PHASE_READ);
    spend(0.004);
    bird_timer_leave(inner);
    bird_timer_leave(outer);
    spend(0.001);
    for (int i = 0; i < BIRD_PHASES; i++)
        sum += bird_timer_seconds((enum bird_phase)i);
    all = now() - start;
    cr_assert_geq(bird_timer_seconds(BIRD_PHASE_READ), 0.002);
    cr_assert_geq(bird_timer_seconds(BIRD_PHASE_WRITE), 0.004);
    cr_assert_geq(bird_timer_seconds(BIRD_PHASE_REST), 0.001);
    cr_assert_eq(bird_timer_seconds(BIRD_PHASE_HEAD), 0);
    cr_assert(sum >= 0.007 && sum <= all);
    bird_timer_start(CLOCK_MONOTONIC);
    cr_assert_eq(bird_timer_seconds(BIRD_PHASE_READ), 0);
}

static void task(void *context, int64_t i, int worker)
{
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_ENCODER);

    (void)context;
    (void)i;
    (void)worker;
    spend(0.002);
    bird_timer_leave(before);
    spend(0.001); /* of no phase: the other threads rest unseen */
}

Test(timer, tasks_count_by_the_number_of_threads)
{
    for (int n = 1; n <= 3; n++) {
        double rest, start;

        bird_threads_set(n);
        bird_timer_start(CLOCK_MONOTONIC);
        start = now();
        bird_parallel(6, task, NULL);
        rest = now() - start;
        cr_assert_geq(bird_timer_seconds(BIRD_PHASE_ENCODER), 0.0119 / n);
        cr_assert_leq(bird_timer_seconds(BIRD_PHASE_ENCODER), rest);
        cr_assert_leq(bird_timer_seconds(BIRD_PHASE_REST), rest);
    }
}
