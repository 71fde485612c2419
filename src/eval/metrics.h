/**
 * Figures of one weighting of the rows, prepared once for many weightings.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_METRICS_H
#define BIRD_TRAIN_METRICS_H

#include "dnabird/metrics.h"

/**
 * Rows sorted by each column's probability, so that a resample, which is a
 * weight per row, is one pass. Two classes have one column, else n_class.
 */
struct bird_ranking {
    const double *probability; /* (n, n_column) */
    const int32_t *label;      /* (n) */
    int64_t n, n_class, n_column;
    double threshold;
    int n_bin;
    int32_t *order; /* (n_column, n) rows by falling probability */
    uint8_t *tied;  /* (n_column, n) equal to the one before in order */
    int32_t *call;  /* (n) predicted class */
    uint8_t *bin;   /* (n) bin of its calibration probability */
    double *sure;   /* (n) that probability */
    double *brier, *log_loss; /* (n) the row's own share */
};

BIRD_MUST_CHECK int bird_ranking_new(struct bird_ranking *out,
                                     const double *probability,
                                     const int32_t *label, int64_t n,
                                     int64_t n_class,
                                     const struct bird_metrics_options *o);
void bird_ranking_free(struct bird_ranking *r);

/** Bytes of scratch that bird_ranking_measure needs. */
int64_t bird_ranking_scratch(const struct bird_ranking *r);

/**
 * All figures under weights (n); scratch is zeroed inside.
 * @param value (BIRD_N_METRIC)
 */
void bird_ranking_measure(double *value, const struct bird_ranking *r,
                          const uint32_t *weight, void *scratch);

/** Fill the reliability table of unit weights. */
void bird_ranking_bins(struct bird_metrics *out, const struct bird_ranking *r);

/** Area under the ROC curve of column c for class `positive`; NaN if undefined */
double bird_ranking_auroc(const struct bird_ranking *r, const uint32_t *weight,
                          int64_t c, int32_t positive);
/** Average precision, the same way. */
double bird_ranking_auprc(const struct bird_ranking *r, const uint32_t *weight,
                          int64_t c, int32_t positive);

#endif
