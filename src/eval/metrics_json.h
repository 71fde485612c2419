/**
 * Figures as JSON, for dnabird.json and machine-readable summaries.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_METRICS_JSON_H
#define BIRD_TRAIN_METRICS_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "dnabird/metrics.h"

/**
 * {"rows": n, "positives": n (two classes), "auroc": {"value": v, "lo": v,
 * "hi": v}, ..., "calibration": [{"lo", "hi", "rows", "mean_probability",
 * "observed"}, ...]}; a figure that is not defined is null, lo and hi stand
 * only where there was a bootstrap, calibration holds bins with rows.
 * Owner: *out is the caller's, json_decref(). Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_metrics_json(json_t **out, const bird_metrics *m);

/** A number for JSON, which has no NaN: null. */
json_t *bird_metrics_number(double v);

/** A tab and a number for TSV; NaN is NA. */
void bird_metrics_put_number(FILE *f, double v);

/**
 * Figure i alone, where its value is defined: [value, lo, hi], or [value]
 * without an interval. Owner: the caller, json_decref(); NULL: out of memory.
 */
json_t *bird_metrics_figure(const bird_metrics *m, int i);

#endif
