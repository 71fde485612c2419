/**
 * What metrics are made of, for those who measure labels, scans and
 * masked-language models: the bootstrap, one weighting of the rows prepared
 * once for many, reliability tables, medians, and how they are printed.
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

/** How many resamples, how many of them a call measures, and their seed. */
struct bird_resamples {
    int64_t n_boot, together;
    uint64_t seed;
};

/** Measure resamples first .. first + count - 1: weight (count, n) says how
 *  often each row was drawn, a function of (seed, resample) alone. */
typedef void bird_resample_call(void *context, int64_t first, int64_t count,
                                const uint32_t *weight, int worker);

/** Draw all resamples of n rows and have them measured, on all threads.
 *  Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_bootstrap(const struct bird_resamples *r, int64_t n,
                                   bird_resample_call *measure, void *context);

/**
 * The central `level` of the values, by percentiles that are linear between
 * the two nearest values (numpy's default). Values that are NaN do not count;
 * *lo and *hi are left alone when none counts. The values are reordered.
 */
void bird_percentiles(double *lo, double *hi, double *value, int64_t n,
                      double level);

/* --- rankings ------------------------------------------------------------- */

/** Rows by falling value; room for all is the caller's. */
struct bird_ranks {
    int32_t *order; /* (n) */
    uint8_t *tied;  /* (n) equal to the one before in order */
    int64_t n;      /* rows whose value is no NaN */
};

/** Sort n values, `stride` apart. Errors: BIRD_ENOMEM; *out as it was */
BIRD_MUST_CHECK int bird_rank_rows(struct bird_ranks *out, const double *value,
                                   int64_t stride, int64_t n);

/**
 * Rows sorted by each column's probability, so that a resample, which is a
 * weight per row, is one pass. Two classes have one column, else n_class.
 */
struct bird_ranking {
    const double *probability; /* (n, n_column) */
    const int32_t *label;      /* (n) */
    int64_t n, n_class, n_column;
    double threshold;
    int reliability_bins;
    int32_t *order; /* (n_column, n) rows by falling probability */
    uint8_t *tied;  /* (n_column, n) equal to the one before in order */
    int32_t *call;  /* (n) predicted class */
    uint8_t *bin;   /* (n) bin of its calibration probability */
    double *sure;   /* (n) that probability */
    double *brier, *log_loss; /* (n) the row's own share */
    struct bird_pool pool;
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
 * All metrics under weights (n); scratch is zeroed inside.
 * @param value (BIRD_N_METRIC)
 */
void bird_ranking_measure(double *value, const struct bird_ranking *r,
                          const uint32_t *weight, void *scratch);

/** Area under the ROC curve of column c for class `positive`; NaN if undefined */
double bird_ranking_auroc(const struct bird_ranking *r, const uint32_t *weight,
                          int64_t c, int32_t positive);
/** Average precision, likewise. */
double bird_ranking_auprc(const struct bird_ranking *r, const uint32_t *weight,
                          int64_t c, int32_t positive);

/* --- rank correlation ----------------------------------------------------- */

/** Two values of each row, sorted. Start with {0}. */
struct bird_rank_pair {
    struct bird_ranks by[2]; /* of the rows that have both */
    int64_t n;               /* all rows */
    struct bird_pool pool;
};

/** Errors: BIRD_ENOMEM. Rows where x or y is NaN do not count. */
BIRD_MUST_CHECK int bird_rank_pair_new(struct bird_rank_pair *out,
                                       const double *x, const double *y,
                                       int64_t n);
void bird_rank_pair_free(struct bird_rank_pair *p);

/**
 * Spearman's coefficient under weights (n): Pearson's of the ranks, rows with
 * equal values having the mean of theirs, as in scipy.stats.spearmanr. NaN
 * where all values of a side are equal.
 * @param scratch (2 n)
 */
double bird_rank_pair_spearman(const struct bird_rank_pair *p,
                               const uint32_t *weight, double *scratch);

/** Metrics of two classes without rows: all of them NaN. */
void bird_metrics_none(bird_metrics *out);

/* --- reliability of rare events ------------------------------------------- */

/** One more answer: its probability, and whether the event came true. */
void bird_reliability_add(bird_reliability_table *t, double p, int came_true);

/** Expected calibration error: mean distance of what was predicted from what
 *  came true, bins weighted by their answers; NaN without any. */
double bird_reliability_error(const bird_reliability_table *t);
/** Mean squared distance of the answers; NaN without any. */
double bird_reliability_brier(const bird_reliability_table *t);

/* --- medians -------------------------------------------------------------- */

/**
 * Median of the values of group g (< 0: of all) that are no NaN, the mean of
 * the middle two of an even number; NaN of none.
 * @param scratch (n)
 * @param group (n), or NULL: all are of group 0
 * @param[out] n_known how many they are; may be NULL
 */
double bird_group_median(int64_t *n_known, double *scratch, const double *value,
                         const int32_t *group, int64_t n, int64_t g);

/* --- printing ------------------------------------------------------------- */

/** Figures as TSV, one after the other: a tab and the number; NaN is NA. */
void bird_put_numbers(FILE *f, const double *v, int n);

/** 0, or BIRD_EIO when writing metrics to f failed. */
BIRD_MUST_CHECK int bird_put_check(FILE *f);

/** Version, command and model that made a table, as "# " lines; command NULL:
 *  nothing. */
void bird_put_provenance(FILE *f, const char *command, const char *model);

/** "# ", both, on one line whatever names the text holds. */
void bird_put_note(FILE *f, const char *before, const char *text);

/** The bins of a table that have answers, as bird_metrics_print_bins() prints
 *  them, without a header. */
void bird_reliability_print(FILE *f, const char *name,
                            const bird_reliability_table *t);

/**
 * {"rows": n, "positives": n (two classes), "auroc": {"value": v, "lo": v,
 * "hi": v}, ..., "calibration": [{"lo", "hi", "rows", "mean_probability",
 * "observed"}, ...]}; a metric that is not defined is null, lo and hi stand
 * only where there was a bootstrap, calibration holds bins with rows.
 * Owner: *out is the caller's, json_decref(). Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_metrics_json(json_t **out, const bird_metrics *m);

/** {"value": v, "lo": v, "hi": v}, lo and hi only where there is an interval;
 *  NaN is null. Owner: the caller; NULL: out of memory. */
json_t *bird_json_interval(double value, double lo, double hi);

/**
 * Metric i alone, where its value is defined: [value, lo, hi], or [value]
 * without an interval. Owner: the caller, json_decref(); NULL: out of memory.
 */
json_t *bird_json_metric(const bird_metrics *m, int i);

/** The object o[key], made when it is not there; borrowed. */
json_t *bird_json_inside(json_t *o, const char *key);

/** Write JSON as an output file holds it, and free it. NULL: it could not be
 *  made. Errors: BIRD_EFORMAT a name is not UTF-8; BIRD_EIO */
BIRD_MUST_CHECK int bird_json_put(FILE *f, json_t *root);

#endif
