/**
 * The smaller and the larger of two numbers, and the order of numbers in qsort().
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_ORDER_H
#define BIRD_BASE_ORDER_H

#include <stdint.h>

static inline int64_t bird_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t bird_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/** For qsort(): rising doubles, none of them NaN. */
static inline int bird_by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

#endif
