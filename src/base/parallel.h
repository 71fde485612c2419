/**
 * The one parallel loop. Work is cut into tasks by content, never by thread:
 * the number of threads changes who computes, not what.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_PARALLEL_H
#define BIRD_BASE_PARALLEL_H

#include <stdint.h>

/** One task; worker is 0 .. bird_threads()-1 and says whose scratch to use. */
typedef void bird_task(void *context, int64_t task, int worker);

/**
 * Run tasks 0 .. n_task-1, each once, in any order. Tasks cannot fail and
 * must not touch what another task writes. Called from inside a task it runs
 * them one after the other with that task's worker.
 */
void bird_parallel(int64_t n_task, bird_task *task, void *context);

/** The worker of the task this is called from; -1 outside of tasks. */
int bird_parallel_worker(void);

#endif
