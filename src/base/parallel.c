/* Threads: how many, and the one parallel loop. SPDX-License-Identifier: MIT */
#include "base/parallel.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/timer.h"
#include "dnabird/dnabird.h"

static int n_thread_set;
static _Thread_local int inside = -1; /* of a task: its worker */
static bird_loop_watch *watch;
static void *watch_context;

/* Quota over period of the cgroup that /sys shows, rounded up; 0 = none. */
static int cgroup_cores(void)
{
    long quota = 0, period = 0;
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r");

    if (f) {
        if (fscanf(f, "%ld %ld", &quota, &period) != 2)
            quota = 0;
        fclose(f);
    } else if ((f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "r"))) {
        if (fscanf(f, "%ld", &quota) != 1)
            quota = 0;
        fclose(f);
        f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "r");
        if (f) {
            if (fscanf(f, "%ld", &period) != 1)
                period = 0;
            fclose(f);
        }
    }
    if (quota <= 0 || period <= 0)
        return 0;
    return (int)((quota + period - 1) / period);
}

int bird_cores(void)
{
    cpu_set_t set;
    const char *slurm = getenv("SLURM_CPUS_PER_TASK");
    int n = omp_get_num_procs(), limit;

    if (!sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) < n)
        n = CPU_COUNT(&set);
    limit = cgroup_cores();
    if (limit > 0 && limit < n)
        n = limit;
    limit = slurm ? (int)strtol(slurm, NULL, 10) : 0;
    if (limit > 0 && limit < n)
        n = limit;
    return n < 1 ? 1 : n;
}

void bird_threads_set(int n_thread)
{
    n_thread_set = n_thread < 1 ? 1 : n_thread;
}

int bird_threads(void)
{
    if (!n_thread_set)
        n_thread_set = bird_cores();
    return n_thread_set;
}

int bird_parallel_worker(void)
{
    return inside;
}

void bird_parallel_watch(bird_loop_watch *f, void *context)
{
    watch = f;
    watch_context = context;
}

void bird_parallel(int64_t n_task, bird_task *task, void *context)
{
    const struct bird_loop loop = {task, context, n_task};
    int n = bird_threads();
    enum bird_phase before;

    if (inside >= 0) {
        for (int64_t i = 0; i < n_task; i++)
            task(context, i, inside);
        return;
    }
    /* the encoder's loops are the encoder's time */
    before = bird_timer_enter(BIRD_PHASE_WAIT);
    if (before != BIRD_PHASE_REST)
        bird_timer_leave(before);
        /* Even one thread runs inside a parallel region: an OpenMP BLAS called
     * there stays on its thread, so its bits cannot depend on the count. */
#pragma omp parallel num_threads(n)
    {
        inside = omp_get_thread_num();
        omp_set_num_threads(1); /* in here alone: what a library opens */
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < n_task; i++)
            if (watch)
                watch(watch_context, &loop, i, inside);
            else
                task(context, i, inside);
        inside = -1;
    }
    bird_timer_leave(before);
}
