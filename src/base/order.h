/**
 * The smaller and the larger of two numbers.
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

#endif
