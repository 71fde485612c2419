/* Medians over labels. SPDX-License-Identifier: MIT */
#include "eval/medians.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

double bird_group_median(int64_t *n_known, double *scratch, const double *value,
                         const int32_t *group, int64_t n, int64_t g)
{
    int64_t m = 0;

    for (int64_t i = 0; i < n; i++)
        if (!isnan(value[i]) && (g < 0 || !group || group[i] == g))
            scratch[m++] = value[i];
    if (n_known)
        *n_known = m;
    if (!m)
        return (double)NAN;
    qsort(scratch, (size_t)m, sizeof(*scratch), by_value);
    return (scratch[(m - 1) / 2] + scratch[m / 2]) / 2;
}

double bird_median(int64_t *n_known, double *scratch, const double *value,
                   int64_t n)
{
    return bird_group_median(n_known, scratch, value, NULL, n, -1);
}
