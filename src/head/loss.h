/**
 * Losses on rows of logits, and their gradients.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_HEAD_LOSS_H
#define BIRD_HEAD_LOSS_H

#include <stdint.h>

/**
 * Cross-entropy, mean over rows whose label is >= 0; logits become the
 * gradient of scale * loss (zero on rows without a label).
 * @return the loss; *n gets the number of labelled rows (0: loss is NaN)
 */
double bird_loss_cross_entropy(float *logits, const int32_t *label, int64_t *n,
                               int64_t rows, int64_t columns, float scale);

/**
 * Binary cross-entropy with logits, positives weighted by pos_weight, mean
 * over all known entries (NaN = not known); logits become the gradient.
 * torch.nn.BCEWithLogitsLoss.
 */
double bird_loss_binary(float *logits, const float *label, int64_t *n,
                        int64_t count, float pos_weight, float scale);

/** Mean squared error over known entries; logits become the gradient. */
double bird_loss_square(float *logits, const float *label, int64_t *n,
                        int64_t count, float scale);

#endif
