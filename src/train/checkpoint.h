/**
 * A run's state on disk: one file, written whole or not at all.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_CHECKPOINT_H
#define BIRD_TRAIN_CHECKPOINT_H

#include <stdint.h>

#include "dnabird/error.h"
#include "train/trainer.h"

/** What a run remembers beside the learner's blocks. */
struct bird_train_progress {
    int64_t step;      /* updates done */
    int64_t best_step; /* of the best validation; 0 = none yet */
    int64_t stale;     /* validations since */
    double best;       /* its figure, higher is better */
    double loss_sum;   /* of the updates since the last validation */
    int64_t loss_count;
};

/**
 * @param identity what makes the run the same run: a text of its options and
 * data; a checkpoint with another is refused
 */
BIRD_MUST_CHECK int bird_checkpoint_write(const char *path,
                                          const struct bird_trainer *l,
                                          const struct bird_train_progress *p,
                                          const char *identity);

/** Errors: BIRD_EIO, BIRD_EFORMAT cut short or of another run. */
BIRD_MUST_CHECK int bird_checkpoint_read(const char *path,
                                         struct bird_trainer *l,
                                         struct bird_train_progress *p,
                                         const char *identity);

#endif
