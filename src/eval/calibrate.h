/**
 * Fitting the maps from raw outputs to probabilities (session/probability.h).
 *
 * Isotonic regression by pooling adjacent violators (Ayer et al. 1955, Ann.
 * Math. Stat. 26:641), each pool a knot at its mean log odds (centred isotonic
 * regression, Oron and Flournoy 2017, Stat. Biopharm. Res. 9:258), so that the
 * line through them rises everywhere. docs/math/calibration.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_CALIBRATE_H
#define BIRD_EVAL_CALIBRATE_H

#include <stdint.h>

#include "folder/folder.h"
#include "session/probability.h"

/** Positives that every knot but the lowest is computed from, at least. */
enum { BIRD_KNOT_POSITIVES = 20 };

/**
 * Append the map of the next feature to m; the first call allocates arrays for
 * `n_feature` features. The threshold is the one with the largest F1; NaN with
 * fewer than BIRD_KNOT_POSITIVES positives.
 *
 * Shapes   raw (n) outputs in 0 .. 1, label (n) 0 or 1; n = 0: the map changes
 *          nothing
 * Errors   BIRD_EINVAL an output out of range; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_calibrate_feature(struct bird_probability *m,
                                           int64_t n_feature, const double *raw,
                                           const uint8_t *label, int64_t n);

/** Write a fitted map into the model's folder, at path, where it replaces
 *  the old one. Errors: BIRD_EIO */
BIRD_MUST_CHECK int
bird_calibrate_write(struct bird_probability *m,
                     const struct bird_probability_settings *way,
                     const char *path);

#endif
