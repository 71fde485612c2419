/*
 * Threads: how many, and the one parallel loop. Tasks are assigned one by one
 * to free threads (OpenMP's dynamic schedule), since they differ in length; a
 * loop inside a task runs on that task's thread.
 * SPDX-License-Identifier: MIT
 */
#include "base/parallel.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/timer.h"
#include "dnabird/dnabird.h"

static int n_thread_set;
static _Thread_local int inside = -1; /* inside a task: its worker */

/* Quota divided by period of the cgroup in /sys, rounded up; 0 = none. */
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

/* The lesser of n and what the environment variable allows, if it is a number
 * above 0; of a list such as OMP_NUM_THREADS=4,2 the first counts. */
static int limit_by(int n, const char *variable)
{
    const char *text = getenv(variable);
    long limit = text ? strtol(text, NULL, 10) : 0;

    return limit > 0 && limit < n ? (int)limit : n;
}

int bird_cores(void)
{
    cpu_set_t set;
    int n = omp_get_num_procs(), limit;

    if (!sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) < n)
        n = CPU_COUNT(&set);
    limit = cgroup_cores();
    if (limit > 0 && limit < n)
        n = limit;
    n = limit_by(n, "SLURM_CPUS_PER_TASK");
    n = limit_by(n, "OMP_NUM_THREADS");
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

void bird_parallel(int64_t n_task, bird_task *task, void *context)
{
    int n = bird_threads();
    enum bird_phase before;

    if (inside >= 0) {
        for (int64_t i = 0; i < n_task; i++)
            task(context, i, inside);
        return;
    }
    /* time of the encoder's loops counts for the encoder */
    before = bird_timer_enter(BIRD_PHASE_WAIT);
    if (before != BIRD_PHASE_REST)
        bird_timer_leave(before);
        /* Even one thread runs inside a parallel region: an OpenMP BLAS called
     * there stays on its thread, so its bits cannot depend on the count. */
#pragma omp parallel num_threads(n)
    {
        inside = omp_get_thread_num();
        omp_set_num_threads(1); /* only parallel regions that a library opens
                                   in here */
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < n_task; i++)
            task(context, i, inside);
        inside = -1;
    }
    bird_timer_leave(before);
}
