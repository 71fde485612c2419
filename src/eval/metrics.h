/**
 * Parts of metrics, for the evaluation of labels, scans, variants and
 * masked-language models: the bootstrap, rankings that are sorted once for many
 * resamples, reliability tables, medians, and printing.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_METRICS_H
#define BIRD_EVAL_METRICS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"
#include "dnabird/metrics.h"

/* --- the bootstrap -------------------------------------------------------- */

/** Number of resamples, number of resamples a call gets, and the seed. */
struct bird_resamples {
    int64_t n_boot, together;
    uint64_t seed;
};

/** Evaluate resamples first .. first + count - 1. weight (count, n): how
 *  often each row is in the resample, a function of (seed, resample) alone. */
typedef void bird_resample_call(void *context, int64_t first, int64_t count,
                                const uint32_t *weight, int worker);

/** Make all resamples of n rows and call for them, on all threads. Errors:
 *  BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_bootstrap(const struct bird_resamples *r, int64_t n,
                                   bird_resample_call *measure, void *context);

/**
 * The percentile interval that holds the central `level` of the values;
 * percentiles are linear between the two nearest values (numpy's default). NaN
 * values are ignored; *lo and *hi are unchanged when all are NaN. The values
 * are reordered.
 */
void bird_percentiles(double *lo, double *hi, double *value, int64_t n,
                      double level);

/* --- rankings ------------------------------------------------------------- */

/** Rows by falling value; the arrays are the caller's. */
struct bird_ranks {
    int32_t *order; /* (n) */
    uint8_t *tied;  /* (n) 1: equal to the row before in `order` */
    int64_t n;      /* rows whose value is not NaN */
};

/** Sort n values, `stride` apart. Errors: BIRD_ENOMEM; *out is unchanged */
BIRD_MUST_CHECK int bird_rank_rows(struct bird_ranks *out, const double *value,
                                   int64_t stride, int64_t n);

/**
 * Rows sorted by the probability of each column, so that a resample, which is a
 * weight for each row, needs one pass. Two classes have one column, more have
 * n_class.
 */
struct bird_ranking {
    const double *probability; /* (n, n_column) */
    const int32_t *label;      /* (n) */
    int64_t n, n_class, n_column;
    double threshold;
    int reliability_bins;
    int32_t *order; /* (n_column, n) rows by falling probability */
    uint8_t *tied;  /* (n_column, n) 1: equal to the row before in `order` */
    int32_t *call;  /* (n) predicted class */
    uint8_t *bin;   /* (n) the row's reliability bin */
    double *sure;   /* (n) probability that decides the bin */
    double *brier, *log_loss; /* (n) terms of the row */
    struct bird_pool pool;
};

BIRD_MUST_CHECK int bird_ranking_new(struct bird_ranking *out,
                                     const double *probability,
                                     const int32_t *label, int64_t n,
                                     int64_t n_class,
                                     const struct bird_metrics_options *o);
void bird_ranking_free(struct bird_ranking *r);

/** Bytes of scratch that bird_ranking_measure() needs. */
int64_t bird_ranking_scratch(const struct bird_ranking *r);

/**
 * All metrics with weights (n); the function zeroes the scratch.
 * @param[out] value (BIRD_N_METRIC)
 */
void bird_ranking_measure(double *value, const struct bird_ranking *r,
                          const uint32_t *weight, void *scratch);

/** Area under the ROC curve of column c for class `positive`; NaN if not
 *  defined. */
double bird_ranking_auroc(const struct bird_ranking *r, const uint32_t *weight,
                          int64_t c, int32_t positive);
/** Average precision of column c for class `positive`; NaN if undefined */
double bird_ranking_auprc(const struct bird_ranking *r, const uint32_t *weight,
                          int64_t c, int32_t positive);

/* --- rank correlation ----------------------------------------------------- */

/** Two values of each row, sorted. Start with {0}. */
struct bird_rank_pair {
    struct bird_ranks by[2]; /* of the rows that have both values */
    int64_t n;               /* number of all rows */
    struct bird_pool pool;
};

/** Sort rows; those where x or y is NaN are ignored. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_rank_pair_new(struct bird_rank_pair *out,
                                       const double *x, const double *y,
                                       int64_t n);
void bird_rank_pair_free(struct bird_rank_pair *p);

/**
 * Spearman's coefficient with weights (n): Pearson's of the ranks; rows with
 * equal values get the mean of their ranks, as in scipy.stats.spearmanr. NaN
 * when all values of x or of y are equal.
 * @param scratch (2 n)
 */
double bird_rank_pair_spearman(const struct bird_rank_pair *p,
                               const uint32_t *weight, double *scratch);

/** Metrics of two classes without rows: all values NaN. */
void bird_metrics_none(bird_metrics *out);

/* --- reliability of rare events ------------------------------------------- */

/** Add a prediction: its probability, and whether the event is true. */
void bird_reliability_add(bird_reliability_table *t, double p, int came_true);

/** Expected calibration error: mean distance between predicted and observed
 *  shares, bins weighted by their predictions; NaN for an empty table. */
double bird_reliability_error(const bird_reliability_table *t);
/** Brier score, the mean of (p - y)^2; NaN for an empty table. */
double bird_reliability_brier(const bird_reliability_table *t);

/* --- medians -------------------------------------------------------------- */

/**
 * Median of the values of group g (< 0: of all) that are not NaN; the mean of
 * the middle two of an even number; NaN when there is none.
 * @param scratch (n)
 * @param group (n), or NULL: all values are of group 0
 * @param[out] n_known number of values; may be NULL
 */
double bird_group_median(int64_t *n_known, double *scratch, const double *value,
                         const int32_t *group, int64_t n, int64_t g);

/* --- printing ------------------------------------------------------------- */

/** Print numbers, each after a tab; NaN as NA. */
void bird_put_numbers(FILE *f, const double *v, int n);

/** @return 0, or BIRD_EIO when writing metrics to f failed. */
BIRD_MUST_CHECK int bird_put_check(FILE *f);

/** Print version, command and model of a table as lines that begin with "#
 *  "; command NULL: print nothing. */
void bird_put_provenance(FILE *f, const char *command, const char *model);

/** Print "# " and both texts on one line, whatever characters the text has. */
void bird_put_note(FILE *f, const char *before, const char *text);

/**
 * End an HTML page with a table of command, model and version, and write it.
 * Errors: BIRD_ENOMEM the page is incomplete; BIRD_EIO
 * @param command  NULL: no table
 * @param model  digest; NULL: the table has no model
 */
struct bird_markup;
BIRD_MUST_CHECK int bird_put_page(FILE *f, struct bird_markup *m,
                                  const char *command, const char *model);

/** Print the rows of a table that hold predictions, as
 *  bird_metrics_print_bins(), without a header. */
void bird_reliability_print(FILE *f, const char *name,
                            const bird_reliability_table *t);

/**
 * {"rows": n, "positives": n (two classes), "auroc": {"value": v, "lo": v,
 * "hi": v}, ..., "calibration": [{"lo", "hi", "rows", "mean_probability",
 * "observed"}, ...]}; a metric that is not defined is null, lo and hi are there
 * after a bootstrap only, calibration has the bins with rows.
 * Owner: *out is the caller's, json_decref(). Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_metrics_json(json_t **out, const bird_metrics *m);

/** A number; NaN and infinity, which JSON does not have, are null. */
json_t *bird_json_number(double v);

/** {"value": v, "lo": v, "hi": v}, without lo and hi when there is no
 *  interval; NaN is null. Owner: the caller; NULL: out of memory. */
json_t *bird_json_interval(double value, double lo, double hi);

/**
 * Metric i, whose value is defined, as [value, lo, hi], or [value] without an
 * interval. Owner: the caller, json_decref(); NULL: out of memory.
 */
json_t *bird_json_metric(const bird_metrics *m, int i);

/** The object o[key], which is added when missing; borrowed. */
json_t *bird_json_inside(json_t *o, const char *key);

/** Write JSON as an output file, and free it. root NULL: making it failed.
 *  Errors: BIRD_EFORMAT a name is not UTF-8; BIRD_EIO */
BIRD_MUST_CHECK int bird_json_put(FILE *f, json_t *root);

#endif
