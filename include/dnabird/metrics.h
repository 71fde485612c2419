/**
 * Metrics of predictions with bootstrap intervals, calibration, and the
 * baselines that a model is compared with.
 *
 * Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_METRICS_H
#define DNABIRD_METRICS_H

#include <stdint.h>
#include <stdio.h>

#include "dnabird/dataset.h"
#include "dnabird/error.h"

BIRD_BEGIN_C

/**
 * The metrics, defined as in scikit-learn. Two classes: class 1 is the
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
    BIRD_ECE,      /* expected calibration error over the reliability table: of
                      the positive class, or of the most probable one */
    BIRD_N_METRIC
};

/** "accuracy", "precision", ..., "ece". */
BIRD_API const char *bird_metric_name(enum bird_metric m);

typedef struct bird_metrics_options {
    double threshold;     /* two classes: a row is called positive from this
                         probability on; 0.5 */
    double threshold_b;   /* threshold of the second predictions of a
                           comparison; < 0: `threshold`; -1 */
    int64_t n_boot;       /* resamples of the rows; 0: no intervals; 1000 */
    double level;         /* of the percentile intervals; 0.95 */
    uint64_t seed;        /* of the resamples; 1 */
    int reliability_bins; /* rows of the reliability table, 1 to 100; 10 */
} bird_metrics_options;

/** Set the defaults named above. */
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
    int reliability_bins;                        /* rows of `bin` in use */
    bird_reliability bin[100];
} bird_metrics;

/** A reliability table for rare events: its rows are finer near 0. Start
 *  with {0}. */
enum { BIRD_RELIABILITY_BINS = 14 };
typedef struct bird_reliability_table {
    int64_t n;
    double squares;                              /* sum of (p - y)^2 */
    bird_reliability bin[BIRD_RELIABILITY_BINS]; /* mean_probability and
                                                    observed are sums here */
} bird_reliability_table;

/**
 * Metrics of predicted probabilities against classes.
 *
 * Intervals are percentiles over resamples of the rows, which are a function of
 * (seed, resample): the number of threads does not change them. Resamples in
 * which a metric is not defined do not count for it.
 *
 * Shapes   probability (n) of class 1 when n_class is 2, else (n, n_class);
 *          label (n) in 0 .. n_class-1
 * Errors   BIRD_EINVAL n < 1, a label or an option out of range, a probability
 *          outside 0 .. 1; BIRD_ENOMEM
 *
 * @param o NULL for the defaults
 */
BIRD_API BIRD_MUST_CHECK int
bird_metrics_measure(bird_metrics *out, const double *probability,
                     const int32_t *label, int64_t n, int64_t n_class,
                     const bird_metrics_options *o);

/**
 * Metrics of predictions a minus those of predictions b on the same rows. The
 * intervals are of the difference, over the same resamples for both; when one
 * holds 0 no difference is shown. There is no reliability table
 * (reliability_bins 0).
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
 * Print as TSV: metric, value, lo, hi; the first line is the number of rows.
 * Errors: BIRD_EIO.
 * @param name NULL, or the text of a column before these, e.g. "all"
 */
BIRD_API BIRD_MUST_CHECK int bird_metrics_print(FILE *f, const char *name,
                                                const bird_metrics *m);
/** The header line of that table: "set metric value lo hi", or without
 *  "set". */
BIRD_API BIRD_MUST_CHECK int bird_metrics_print_header(FILE *f, int with_name);
/** Print the reliability table as TSV with its header line. */
BIRD_API BIRD_MUST_CHECK int bird_metrics_print_bins(FILE *f, const char *name,
                                                     const bird_metrics *m);

/* --- baselines --------------------------------------------------------------
 *
 * Regressions on k-mers and on positions (logistic; linear for measured values):
 * how well counting k-mers does on the data of a network.
 */

enum bird_baseline_kind {
    /** log(1 + count) of the 3- to 6-mers of the sequence. The features are
     *  not standardised: that gives rare k-mers more weight and makes the
     *  metrics worse */
    BIRD_BASELINE_KMER,
    /** the 1-, 2- and 3-mer at each position; for sequences of one length,
     *  at most 5,000 bp */
    BIRD_BASELINE_POSITION,
    BIRD_N_BASELINE
};

/** "k-mers", "positions". */
BIRD_API const char *bird_baseline_name(enum bird_baseline_kind kind);

typedef struct bird_baseline bird_baseline;

typedef struct bird_baseline_options {
    /** Weight of the L2 term (of mean log loss + l2/2 |w|^2, of measured values
     *  in standard deviations half of the mean square + l2/2 |w|^2); 0: chosen
     *  on held-out rows. */
    double l2[BIRD_N_BASELINE];
    int canonical; /* 1: a k-mer and its reverse complement are one feature */
    int k_max;     /* longest k-mers, 3 to 6; 0: 6 */
    /** > 0: the rows are bins with this many bp around the middle; there is
     *  no baseline on positions, and weights are stored as bfloat16; 0. */
    int64_t context_bp;
    double hold_out; /* share of the rows on which l2 is chosen; 0.1 */
    uint64_t seed;   /* of the choice of held-out rows; 1 */
    /** Called now and then; when it returns nonzero fitting ends with
     *  BIRD_ECANCELED; or NULL. */
    int (*stop)(void *context);
    void *stop_context;
} bird_baseline_options;

/** Set the defaults named above; l2 is chosen. */
BIRD_API void bird_baseline_options_default(bird_baseline_options *o);

/**
 * Fit the baseline on k-mers; and the one on positions when all rows have one
 * length of 3 to 5,000 bp and there are at most 16 M weights. Labelled bins
 * have no strand and start on a grid: their k-mers are joined with the reverse
 * complements, and there is no baseline on positions.
 *
 * l2 is one of 1, 0.3, 0.1 ... 1e-5: each is fitted on at most about 20,000
 * rows, and the one with the least loss on other rows, among them a part
 * held out by a hash of the sequence, is used to fit all rows. Two classes are
 * one regression; more classes are one each against the rest, scaled to sum to
 * 1; a data set of kind MULTI or VALUE has one for each label, without the rows
 * where the label is unknown. Weights of rows do not count.
 *
 * Owner    *out is the caller's; untouched on failure
 * Threads  results do not depend on their number
 * Errors   BIRD_EINVAL no labels, or an option; BIRD_ENOMEM; BIRD_ECANCELED
 *
 * @param o NULL for the defaults
 */
BIRD_API BIRD_MUST_CHECK int bird_baseline_fit(bird_baseline **out,
                                               const bird_dataset *train,
                                               const bird_baseline_options *o);
/** Free it; NULL is fine. */
BIRD_API void bird_baseline_free(bird_baseline *b);

/** 1: this baseline was fitted */
BIRD_API int bird_baseline_has(const bird_baseline *b,
                               enum bird_baseline_kind kind);
/** Answers for a sequence: of two classes the probability of class 1, else one
 *  for each class, label or value. */
BIRD_API int64_t bird_baseline_columns(const bird_baseline *b);
/** The l2 of column c. */
BIRD_API double bird_baseline_l2(const bird_baseline *b,
                                 enum bird_baseline_kind kind, int64_t c);
/** Sequence length that the baseline on positions needs; 0: there is none. */
BIRD_API int64_t bird_baseline_length(const bird_baseline *b);
/** Bases around the middle of a bin whose k-mers are counted; 0: not fitted
 *  on bins. */
BIRD_API int64_t bird_baseline_context(const bird_baseline *b);

/**
 * Probabilities of one sequence, or its values in their unit; in upper case.
 * k-mers with bases other than A, C, G, T are not counted.
 *
 * Threads  any number of calls at once on one baseline
 * Errors   BIRD_EINVAL this baseline was not fitted, or needs another length
 *
 * @param[out] out (columns)
 */
BIRD_API BIRD_MUST_CHECK int bird_baseline_score(const bird_baseline *b,
                                                 enum bird_baseline_kind kind,
                                                 double *out, const char *seq,
                                                 int64_t len);

/** Probabilities of every row, on all threads: out (d->n, columns). */
BIRD_API BIRD_MUST_CHECK int
bird_baseline_score_rows(const bird_baseline *b, enum bird_baseline_kind kind,
                         double *out, const bird_dataset *d);

/** Write a safetensors file (baseline.safetensors of a model folder).
 *  Errors: BIRD_EIO, BIRD_ENOMEM. */
BIRD_API BIRD_MUST_CHECK int bird_baseline_save(const bird_baseline *b,
                                                const char *path);
/** Read such a file. Owner: *out is the caller's, untouched on failure.
 *  Errors: BIRD_EIO, BIRD_EFORMAT, BIRD_EUNSUPPORTED, BIRD_ENOMEM. */
BIRD_API BIRD_MUST_CHECK int bird_baseline_open(bird_baseline **out,
                                                const char *path);

/** Share of G and C among A, C, G, T; 0.5 when there are none. */
BIRD_API double bird_gc_share(const char *seq, int64_t len);

BIRD_END_C

#endif
