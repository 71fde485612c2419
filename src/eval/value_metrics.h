/**
 * Metrics of predicted quantities: correlation with measured values, and the
 * squared error.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_VALUE_METRICS_H
#define BIRD_EVAL_VALUE_METRICS_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/metrics.h"

enum bird_value_metric {
    BIRD_PEARSON,     /* Pearson's coefficient of prediction and value */
    BIRD_RANKED,      /* Spearman's: Pearson's of the ranks, equal values by
                         their mean rank, as in scipy.stats.spearmanr */
    BIRD_MEAN_SQUARE, /* mean squared error */
    /* Of predicted standard deviations; NaN without: */
    BIRD_WITHIN_SD, /* share of rows whose value is within 1 of the prediction;
                       of a normal distribution .683 */
    BIRD_SQUARE_Z,  /* mean square of (value - prediction) / deviation; 1 */
    BIRD_NLL,       /* mean of -log p under the normal distribution */
    BIRD_N_VALUE_METRIC
};

/** "pearson", "spearman", "mse", "within_sd", "mean_z2", "nll"; static. */
const char *bird_value_metric_name(enum bird_value_metric m);

struct bird_value_metrics {
    int64_t n; /* rows with a measured value */
    /* NaN: not defined, as of fewer than two different values */
    double value[BIRD_N_VALUE_METRIC];
    /* percentile intervals by resampled rows; NaN without a bootstrap */
    double lo[BIRD_N_VALUE_METRIC], hi[BIRD_N_VALUE_METRIC];
};

/** Predictions and measured values; borrowed. */
struct bird_value_rows {
    const double *predicted; /* (n) numbers `stride` apart */
    const double *sd;        /* (n) their standard deviations, the same; NULL:
                                none is predicted */
    int64_t stride;
    const float *measured; /* (n); NaN: not measured, does not count */
    int64_t n;
};

/**
 * Compare predictions with measured values.
 * @param o  resamples, their seed and the level of the intervals
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_value_metrics_measure(struct bird_value_metrics *out,
                                               const struct bird_value_rows *r,
                                               const bird_metrics_options *o);

#endif
