/**
 * The optimisers that training can use.
 *
 * Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_OPTIMIZER_H
#define DNABIRD_OPTIMIZER_H

/** AdamW as three programs do it; docs/math/adam.md has the formulas. */
enum bird_optimizer {
    BIRD_OPTIMIZER_ADAMW,    /* torch.optim.AdamW */
    BIRD_OPTIMIZER_ADAMW_HF, /* transformers.AdamW up to 4.17 */
    BIRD_OPTIMIZER_BERTADAM  /* google's AdamWeightDecayOptimizer */
};

#endif
