/**
 * Which probability counts as a call: the `thresholds` of dnabird.json.
 *
 *     "thresholds": {"default": 0.93, "fp_per_mb": [[1, 0.97], [5, 0.93]]}
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_THRESHOLD_H
#define BIRD_PREDICT_THRESHOLD_H

#include <jansson.h>

#include "dnabird/error.h"
#include "model/folder.h"
#include "session/probability.h"

/**
 * asked >= 0 is taken as it is; fp_per_mb > 0 is looked up in the model's
 * table, between two entries on the logarithm of the rate; else the default
 * of the model, or 0.5.
 * Errors: BIRD_EINVAL asked above 1, both asked for, no table, or a rate
 * outside of it; BIRD_EFORMAT a table that makes no sense
 */
BIRD_MUST_CHECK int bird_threshold_choose(double *out, const json_t *meta,
                                          double asked, double fp_per_mb,
                                          const char *path);

/**
 * May the threshold be chosen so for windows that are not the model's own?
 * Errors: BIRD_EINVAL it is one by false positives per Mb: fp_per_mb > 0, or
 * nothing asked for (below 0) and a default that is an entry of the table
 */
BIRD_MUST_CHECK int bird_threshold_elsewhere(const struct bird_folder *f,
                                             double asked, double fp_per_mb);

/**
 * The same as a printed probability: `asked` is one already, the model's table
 * and default are of its raw output, from which the map m makes one. Without
 * a default the map's own threshold of feature 0, or the probability 0.5.
 */
BIRD_MUST_CHECK int bird_threshold_probability(double *out,
                                               const struct bird_probability *m,
                                               const json_t *meta, double asked,
                                               double fp_per_mb,
                                               const char *path);

/**
 * One for each of the n features at `feature`: asked >= 0, or the map's own,
 * else the default of the model, or the probability 0.5.
 */
BIRD_MUST_CHECK int bird_threshold_features(double *out,
                                            const struct bird_probability *m,
                                            const json_t *meta, double asked,
                                            const int64_t *feature, int64_t n,
                                            const char *path);

#endif
