/**
 * The smaller and the larger of two numbers; numbers in rising order.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_ORDER_H
#define BIRD_BASE_ORDER_H

#include <stdint.h>
#include <stdlib.h>

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

static inline int bird_by_int32(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static inline void bird_sort_int32(int32_t *x, int64_t n)
{
    if (n > 0)
        qsort(x, (size_t)n, sizeof(*x), bird_by_int32);
}

#endif
