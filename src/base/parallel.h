/**
 * The one parallel loop. Work is divided into tasks by content, not by thread:
 * the number of threads does not change the result.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_PARALLEL_H
#define BIRD_BASE_PARALLEL_H

#include <stdint.h>

/** One task; worker, 0 .. bird_threads()-1, selects the workspace to use. */
typedef void bird_task(void *context, int64_t task, int worker);

/**
 * Run tasks 0 .. n_task-1, each once, in any order. Tasks cannot fail and must
 * not use memory that another task writes. Called inside a task, it runs the
 * tasks one after the other with that task's worker.
 */
void bird_parallel(int64_t n_task, bird_task *task, void *context);

/** The worker of the calling task; -1 outside of tasks. */
int bird_parallel_worker(void);

#endif
