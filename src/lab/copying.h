/**
 * What of the copying task can be had by counting.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_LAB_COPYING_H
#define BIRD_LAB_COPYING_H

#include "dnabird/pattern.h"
#include "pattern/graph.h"

/**
 * Per cent of the task's answers that are within reach of their query through
 * `layers` layers, by any head; the graph is that of a row's tokens one by one.
 * Errors: BIRD_EINVAL a query sees a token after it; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_copying_reach(double *percent,
                                       const struct bird_graph *g,
                                       const bird_copying_task *t,
                                       int64_t layers);

/** Per cent right when what is within reach is, and the rest is guessed. */
double bird_copying_counted(double reach, const bird_copying_task *t);

#endif
