/**
 * The bootstrap: rows drawn with replacement, and intervals of what was
 * measured on the resamples (Efron 1979, percentile intervals).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_RESAMPLE_H
#define BIRD_TRAIN_RESAMPLE_H

#include <stdint.h>

/** How often each of n rows is drawn: a function of (seed, resample) alone.
 *  @param[out] weight (n) */
void bird_resample_draw(uint32_t *weight, int64_t n, uint64_t seed,
                        int64_t resample);

/**
 * The central `level` of the values, by percentiles that are linear between
 * the two nearest values (numpy's default). Values that are NaN do not count;
 * *lo and *hi are left alone when none counts. The values are reordered.
 */
void bird_resample_interval(double *lo, double *hi, double *value, int64_t n,
                            double level);

#endif
