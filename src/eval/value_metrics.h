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
    BIRD_N_VALUE_METRIC
};

/** "pearson", "spearman", "mse"; static. */
const char *bird_value_metric_name(enum bird_value_metric m);

struct bird_value_metrics {
    int64_t n; /* rows with a measured value */
    /* NaN: not defined, as of fewer than two different values */
    double value[BIRD_N_VALUE_METRIC];
    /* percentile intervals by resampled rows; NaN without a bootstrap */
    double lo[BIRD_N_VALUE_METRIC], hi[BIRD_N_VALUE_METRIC];
};

/**
 * Compare predictions with measured values. Rows whose value is NaN do not
 * count.
 * @param predicted (n) numbers `stride` apart
 * @param measured (n)
 * @param o  resamples, their seed and the level of the intervals
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_value_metrics_measure(struct bird_value_metrics *out,
                                               const double *predicted,
                                               int64_t stride,
                                               const float *measured, int64_t n,
                                               const bird_metrics_options *o);

#endif
