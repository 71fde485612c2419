/**
 * ROC and precision-recall curves of every label on a grid, for charts.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_PAGE_CURVES_H
#define BIRD_EVAL_PAGE_CURVES_H

#include "dnabird/dataset.h"
#include "track/page.h"

enum { BIRD_CURVE_POINTS = 101 }; /* at x = 0, 0.01 .. 1 */

/** Start with {0}. */
struct bird_label_curves {
    double x[BIRD_CURVE_POINTS];
    double *y; /* (labels, 2, points): ROC, then precision; NaN: undefined */
};

/**
 * Curves over the rows where a label is known; equal probabilities are one
 * threshold. ROC is linear between thresholds; precision at recall x is that of
 * the first threshold whose recall is above x (at 1: is 1), so that the area
 * below the steps is the average precision.
 *
 * Shape   p (d->n, columns)
 * Errors  BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_label_curves_new(struct bird_label_curves *out,
                                          const bird_dataset *d,
                                          const double *p, int64_t columns);
void bird_label_curves_free(struct bird_label_curves *c);

/** Set x, y and n of a series. @param kind 0: ROC, 1: precision by recall */
void bird_label_curve(const struct bird_label_curves *c, struct bird_series *s,
                      int64_t label, int kind);

/**
 * A chart of curves of one kind, with the line of a random predictor. s (n + 1)
 * has the curves; the function sets the last element.
 * @param share  of positives: the precision of a random predictor
 * @param chance_name  of that line in the legend
 */
void bird_curve_chart(struct bird_markup *m, int kind, struct bird_series *s,
                      int n, double share, const char *chance_name);

#endif
