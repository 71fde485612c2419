/**
 * Are printed probabilities what they say? Of rare events: the bins are finer
 * where most of a genome lies, near 0.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_RELIABILITY_H
#define BIRD_TRAIN_RELIABILITY_H

#include <stdio.h>

#include "dnabird/metrics.h"

/** One more answer: its probability, and whether the event came true. */
void bird_reliability_add(bird_reliability_table *t, double p, int came_true);

/** Expected calibration error: mean distance of what was said from what came
 *  true, bins weighted by their answers; NaN without any. */
double bird_reliability_error(const bird_reliability_table *t);
/** Mean squared distance of the answers; NaN without any. */
double bird_reliability_brier(const bird_reliability_table *t);

/** The bins as bird_metrics_print_bins() prints them, without a header. */
void bird_reliability_print(FILE *f, const char *name,
                            const bird_reliability_table *t);

#endif
