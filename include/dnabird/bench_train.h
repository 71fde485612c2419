/**
 * How fast this machine trains a model.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_BENCH_TRAIN_H
#define DNABIRD_BENCH_TRAIN_H

#include "dnabird/bench.h"

/**
 * A training step of a classifier of two classes: forward with dropout,
 * backward, and an AdamW update. The work counted is three times the forward
 * pass's (the way back has two products for each one).
 *
 * Errors  as bird_bench_forward(); BIRD_EINVAL a model folder is given (a
 *         preset is trained)
 */
BIRD_API BIRD_MUST_CHECK int bird_bench_train(bird_bench_row *out,
                                              const bird_bench_options *o);

#endif
