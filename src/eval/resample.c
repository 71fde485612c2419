/* Drawing rows, and percentile intervals. SPDX-License-Identifier: MIT */
#include "eval/resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

void bird_resample_draw(uint32_t *weight, int64_t n, uint64_t seed,
                        int64_t resample)
{
    struct bird_rng rng;

    bird_rng_init(&rng, seed, 0x626f6f74 /* boot */, (uint64_t)resample);
    memset(weight, 0, (size_t)n * sizeof(*weight));
    for (int64_t i = 0; i < n; i++)
        weight[bird_rng_below(&rng, (uint64_t)n)]++;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double quantile(const double *sorted, int64_t n, double q)
{
    double at = q * (double)(n - 1);
    int64_t k = (int64_t)at;

    if (k >= n - 1)
        return sorted[n - 1];
    return sorted[k] + (at - (double)k) * (sorted[k + 1] - sorted[k]);
}

void bird_resample_interval(double *lo, double *hi, double *value, int64_t n,
                            double level)
{
    double tail = (1 - level) / 2;
    int64_t m = 0;

    for (int64_t i = 0; i < n; i++)
        if (!isnan(value[i]))
            value[m++] = value[i];
    if (!m)
        return;
    qsort(value, (size_t)m, sizeof(*value), by_value);
    *lo = quantile(value, m, tail);
    *hi = quantile(value, m, 1 - tail);
}
