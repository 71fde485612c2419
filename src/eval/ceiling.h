/**
 * The ceiling of a correlation with measured values: what a predictor of the true
 * value would reach, as far as replicates tell.
 *
 * With r the correlation of two single replicates, the mean of k replicates has the
 * reliability (Spearman 1910, Brown 1910, Br. J. Psychol. 3:271, 3:296)
 *
 *     rho = k r / (1 + (k - 1) r),
 *
 * and no predictor correlates with it by more than sqrt(rho), the correlation of the
 * true value with the measured one (Spearman 1904, Am. J. Psychol. 15:72), as long
 * as errors of replicates are independent. For Spearman's coefficient the same
 * formulas are an approximation.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_CEILING_H
#define BIRD_EVAL_CEILING_H

#include <stdint.h>

#include "dnabird/dataset.h"
#include "dnabird/error.h"
#include "dnabird/metrics.h"

/** sqrt(rho) of the formulas above; NaN where r is not above 0. */
double bird_ceiling_of(double r, double k);

/** Replicates of one value; borrowed. */
struct bird_replicates {
    const bird_dataset *d;   /* kind VALUE: a column a replicate */
    int64_t first, n_column; /* the columns; 2 or more */
    const int64_t *rows;     /* (n) of d */
    int64_t n;
};

/** By coefficient: Pearson's, then Spearman's; NaN: not defined. */
struct bird_ceiling {
    int64_t n; /* rows with two replicates or more */
    double k;  /* replicates of a row with one or more, on average */
    /* mean over pairs of replicates, of the rows that have both */
    double single[2], single_lo[2], single_hi[2];
    double value[2], lo[2], hi[2]; /* the ceiling; percentile intervals */
};

/** Correlations of replicates, and the ceiling of the mean of k of them, with
 *  intervals by resampled rows as o says. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_ceiling_measure(struct bird_ceiling *out,
                                         const struct bird_replicates *r,
                                         const bird_metrics_options *o);

#endif
