/**
 * Medians of figures over labels, class by class.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_MEDIANS_H
#define BIRD_TRAIN_MEDIANS_H

#include <stdint.h>

#include "dnabird/error.h"

/**
 * Median of the values that are no NaN, the mean of the middle two of an even
 * number; NaN of none.
 * @param scratch (n)
 * @param[out] n_known how many they are; may be NULL
 */
double bird_median(int64_t *n_known, double *scratch, const double *value,
                   int64_t n);

/**
 * The same over the values whose group is g; g < 0: all.
 * @param group (n), or NULL: all are of group 0
 */
double bird_group_median(int64_t *n_known, double *scratch, const double *value,
                         const int32_t *group, int64_t n, int64_t g);

#endif
