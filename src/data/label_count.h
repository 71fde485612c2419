/**
 * What the rows of a data set know of its labels.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_LABEL_COUNT_H
#define BIRD_TRAIN_LABEL_COUNT_H

#include "dnabird/dataset.h"

/**
 * Rows of kind MULTI in which each label is known, and in which it is 1.
 * Errors: BIRD_ENOMEM
 *
 * @param[out] known,positive (n_label)
 */
BIRD_MUST_CHECK int bird_labels_count(int64_t *known, int64_t *positive,
                                      const bird_dataset *d);

/**
 * Leave labels out of a data set of kind MULTI; the others keep their order.
 * Rows stay, also those that know none of the labels left.
 * Errors: BIRD_ENOMEM, d is as it was
 *
 * @param keep (n_label) 1: stays; at least one
 */
BIRD_MUST_CHECK int bird_labels_keep(bird_dataset *d, const uint8_t *keep);

#endif
