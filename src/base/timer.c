/*
 * Time by phase. Each thread stores its phase and when that began; entering
 * another phase adds the elapsed time to a sum that all threads share. Time in
 * a parallel task counts 1 / threads, so that the phases add up to wall-clock
 * seconds. Built only with -Dtimer=true.
 * SPDX-License-Identifier: MIT
 */
#include "base/timer.h"

#include <stdatomic.h>

#include "base/parallel.h"
#include "dnabird/dnabird.h"

static clockid_t clock_id;
static _Atomic double total[BIRD_PHASES];
static _Thread_local struct {
    enum bird_phase phase;
    double since, weight; /* 0: this thread has not entered a phase yet */
} here;

static double now(void)
{
    struct timespec t;

    clock_gettime(clock_id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add(enum bird_phase p, double seconds)
{
    double before = atomic_load(&total[p]);

    while (!atomic_compare_exchange_weak(&total[p], &before, before + seconds))
        ;
}

void bird_timer_start(clockid_t clock)
{
    clock_id = clock;
    for (int i = 0; i < BIRD_PHASES; i++)
        atomic_store(&total[i], 0);
    here.phase = BIRD_PHASE_REST;
    here.since = now();
    here.weight = 1;
}

double bird_timer_seconds(enum bird_phase p)
{
    if (here.phase == p)
        bird_timer_enter(p);
    return atomic_load(&total[p]);
}

enum bird_phase bird_timer_enter(enum bird_phase p)
{
    enum bird_phase before = here.phase;
    int in_task = bird_parallel_worker() >= 0;
    double t = now();

    if (here.weight > 0)
        add(before, (t - here.since) * here.weight);
    here.phase = p;
    here.since = t;
    if (!in_task)
        here.weight = 1;
    else /* idle time of the other threads is not counted */
        here.weight = p == BIRD_PHASE_REST ? 0 : 1.0 / bird_threads();
    return before;
}
