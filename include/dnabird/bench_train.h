/**
 * How fast this machine trains a model.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_BENCH_TRAIN_H
#define DNABIRD_BENCH_TRAIN_H

#include "dnabird/bench.h"

/**
 * A step of masked-language training: forward with dropout, the output layer
 * and loss of 15 % of the tokens, backward, and an AdamW update.
 *
 * The work counted (gflop, share) is three times the forward pass's, output
 * layer included: the way back has two products for each one. `train` of the
 * row also counts what is executed twice: the scores of attention, which the
 * way back computes again, and with `recompute` the linear layers but the
 * product with W2, of all layers but the last; attention is kept.
 *
 * Errors  as bird_bench_forward(); BIRD_EINVAL a model folder is given (a
 *         preset is trained); those of opening a tokenizer
 */
BIRD_API BIRD_MUST_CHECK int bird_bench_train(bird_bench_row *out,
                                              const bird_bench_options *o);

#endif
