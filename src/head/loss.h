/**
 * Losses on rows of logits, and their gradients.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_HEAD_LOSS_H
#define BIRD_HEAD_LOSS_H

#include <stdint.h>

#include "dnabird/error.h"

/** A mean over n known labels; NaN when n is 0. */
struct bird_mean {
    double loss;
    int64_t n;
};

/**
 * Cross-entropy, mean over rows whose label is >= 0; logits become the
 * gradient of scale * loss (zero on rows without a label).
 * Errors: BIRD_ERANGE a label >= columns; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_loss_cross_entropy(struct bird_mean *out,
                                            float *logits, const int32_t *label,
                                            int64_t rows, int64_t columns,
                                            float scale);

/** Rows with one label each, and their weights. */
struct bird_loss_rows {
    const int32_t *label; /* (n) */
    const float *weight;  /* (n) 0 or more; NULL: 1 */
    int64_t n, columns;
};

/**
 * The same, a mean by weight; 0, as the gradient, where all weights are 0.
 * Errors: as above
 */
BIRD_MUST_CHECK int bird_loss_weighted(struct bird_mean *out, float *logits,
                                       const struct bird_loss_rows *rows,
                                       float scale);

/** Weights: positives of label j count each[j] (or `all`), and the whole loss of
 *  label j counts label[j]. */
struct bird_label_weights {
    float all;
    const float *each;  /* (n_label), or NULL */
    const float *label; /* (n_label) of mean 1, or NULL: 1 */
    int64_t n_label;
};

/**
 * -log softmax at the label of each row, in nats, and the column of the
 * largest logit (the first of equal ones). Logits are kept.
 * Errors: BIRD_ERANGE a label outside 0 .. columns-1
 * @param[out] nll (rows); @param[out] best (rows) or NULL
 */
BIRD_MUST_CHECK int bird_loss_nll(double *nll, int32_t *best,
                                  const float *logits, const int32_t *label,
                                  int64_t rows, int64_t columns);

/**
 * Binary cross-entropy with logits, positives weighted, its sum by the labels'
 * weights over all known entries (NaN = not known) divided by their number;
 * logits become the gradient of scale * loss. torch.nn.BCEWithLogitsLoss.
 *
 * Shapes   logits, label (count), rows of n_label where weights are each's
 */
void bird_loss_binary(struct bird_mean *out, float *logits, const float *label,
                      int64_t count, const struct bird_label_weights *weight,
                      float scale);

/** Measured values of rows; NaN: not known. */
struct bird_loss_values {
    const float *value;  /* (n, columns) */
    const float *weight; /* (n) what a row counts, above 0; NULL: 1 */
    int64_t n, columns;
};

/** Squared error, w (x - y)^2 summed over known values and divided by their number:
 *  weights of mean 1 keep the size of the loss, and parts of a batch add up as
 *  without weights. Logits (n, columns) become the gradient of scale * loss. */
void bird_loss_square(struct bird_mean *out, float *logits,
                      const struct bird_loss_values *values, float scale);

/**
 * Negative log likelihood of known values under a normal distribution whose mean
 * and variance are both predicted (Nix and Weigend 1994, Estimating the mean and
 * variance of the target probability distribution, IEEE ICNN, 1:55): of a value
 * y with mean m and log variance s
 *
 *     loss = ((y - m)^2 e^-s + s + log(2 pi)) / 2
 *
 * s is bird_log_variance() of the logit, so that no value has a loss without
 * bound. Weights and mean as of bird_loss_square(); logits become the gradient.
 * math/loss.md
 *
 * Shapes   logits (n, 2 columns): the means of a row, then the logits of its log
 *          variances
 */
void bird_loss_gaussian(struct bird_mean *out, float *logits,
                        const struct bird_loss_values *values, float scale);

/** Log variances lie between -this and this: standard deviations between 1/54.6
 *  and 54.6, of targets whose own is 1. */
#define BIRD_LOG_VARIANCE_MOST 8.0

/** The log variance of a logit x: b tanh(x / b), b = BIRD_LOG_VARIANCE_MOST: x
 *  near 0, and everywhere with a slope above 0. NaN of an infinite x. */
double bird_log_variance(double x);

#endif
