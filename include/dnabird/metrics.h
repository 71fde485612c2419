/**
 * How good predictions are: figures with bootstrap intervals, calibration.
 *
 * Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_METRICS_H
#define DNABIRD_METRICS_H

#include <stdint.h>
#include <stdio.h>

#include "dnabird/error.h"

/**
 * The figures, defined as in scikit-learn. Two classes: class 1 is the
 * positive one. More: precision, recall and F1 are plain means over the
 * classes (macro), MCC is Gorodkin's R_K, AUROC and AUPRC are plain means of
 * one class against the rest.
 */
enum bird_metric {
    BIRD_ACCURACY,
    BIRD_PRECISION, /* 0 when nothing is called positive */
    BIRD_RECALL,    /* 0 when nothing is positive */
    BIRD_F1,
    BIRD_MCC,      /* Matthews 1975; Gorodkin 2004; 0 when a margin is empty */
    BIRD_AUROC,    /* ties count half; NaN when a class is missing */
    BIRD_AUPRC,    /* average precision: sum of precision times recall gained,
                   without interpolation; NaN without positives */
    BIRD_BRIER,    /* mean of (p - y)^2; more classes: summed over them */
    BIRD_LOG_LOSS, /* nats, probabilities kept off 0 and 1 by 2^-52 */
    BIRD_ECE,      /* expected calibration error over n_bin equal bins: of the
                 positive's probability, or of the largest one */
    BIRD_N_METRIC
};

/** "accuracy", "precision", ..., "ece". */
BIRD_API const char *bird_metric_name(enum bird_metric m);

typedef struct bird_metrics_options {
    double threshold;   /* two classes: positive from here on; 0.5 */
    double threshold_b; /* the same of the second predictions of a comparison;
                           < 0: threshold; -1 */
    int64_t n_boot;     /* resamples of the rows; 0 = no intervals; 1000 */
    double level;       /* of the percentile intervals; 0.95 */
    uint64_t seed;      /* of the resamples; 1 */
    int n_bin;          /* of the calibration, 1 .. 100; 10 */
} bird_metrics_options;

BIRD_API void bird_metrics_options_default(bird_metrics_options *o);

/** One row of the reliability table: probabilities in lo <= p < hi. */
typedef struct bird_reliability {
    double lo, hi;
    int64_t n;
    double mean_probability, observed; /* NaN when n = 0 */
} bird_reliability;

typedef struct bird_metrics {
    int64_t n, n_class;
    int64_t n_positive; /* two classes: rows of class 1 */
    double value[BIRD_N_METRIC];
    double lo[BIRD_N_METRIC], hi[BIRD_N_METRIC]; /* NaN without a bootstrap */
    int n_bin;
    bird_reliability bin[100];
} bird_metrics;

/** A reliability table of rare events: its bins are finer near 0. Start with
 *  {0}. */
enum { BIRD_RELIABILITY_BINS = 14 };
typedef struct bird_reliability_table {
    int64_t n;
    double squares;                              /* sum of (p - y)^2 */
    bird_reliability bin[BIRD_RELIABILITY_BINS]; /* mean_probability and
                                                    observed are sums here */
} bird_reliability_table;

/**
 * Figures of predicted probabilities against classes.
 *
 * Intervals are percentiles over resamples of the rows, drawn as a function
 * of (seed, resample): the number of threads does not change them. Resamples
 * in which a figure is not defined do not count for it.
 *
 * Shapes   probability (n) of class 1 when n_class is 2, else (n, n_class);
 *          label (n) in 0 .. n_class-1
 * Errors   BIRD_EINVAL n < 1, a label or an option out of range, a
 *          probability that is no number in 0 .. 1; BIRD_ENOMEM
 *
 * @param o NULL for the defaults
 */
BIRD_API BIRD_MUST_CHECK int
bird_metrics_measure(bird_metrics *out, const double *probability,
                     const int32_t *label, int64_t n, int64_t n_class,
                     const bird_metrics_options *o);

/**
 * Figures of predictions a less those of predictions b on the same rows; the
 * intervals are of the difference, over the same resamples for both: one
 * that holds 0 claims nothing. No reliability table (n_bin 0).
 *
 * Shapes, errors   as above
 */
BIRD_API BIRD_MUST_CHECK int
bird_metrics_compare(bird_metrics *out, const double *a, const double *b,
                     const int32_t *label, int64_t n, int64_t n_class,
                     const bird_metrics_options *o);

/**
 * Metrics of one label of several, two classes; rows whose target is NaN are
 * left out. A label without any row has n = 0 and NaN.
 *
 * Shapes   probability (n) of the label, `stride` apart; target (n) 0, 1, NaN
 * Errors   as above
 */
BIRD_API BIRD_MUST_CHECK int
bird_metrics_measure_label(bird_metrics *out, const double *probability,
                           int64_t stride, const float *target, int64_t n,
                           const bird_metrics_options *o);

/**
 * Print as TSV: metric, value, lo, hi; first the number of rows. With `name`
 * not NULL a first column of that text, e.g. "all" or "k-mers".
 * Errors: BIRD_EIO.
 */
BIRD_API BIRD_MUST_CHECK int bird_metrics_print(FILE *f, const char *name,
                                                const bird_metrics *m);
/** The header line that fits: "set metric value lo hi" or without set. */
BIRD_API BIRD_MUST_CHECK int bird_metrics_print_header(FILE *f, int with_name);
/** Print the reliability table as TSV with its header line. */
BIRD_API BIRD_MUST_CHECK int bird_metrics_print_bins(FILE *f, const char *name,
                                                     const bird_metrics *m);

#endif
