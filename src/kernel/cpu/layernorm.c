/* Layer normalisation with the residual added before it.
 *
 * With xhat = (z - mean) rstd and g = dy gain:
 *   dz = rstd (g - mean(g) - xhat mean(g xhat)),
 *   dgain = sum dy xhat, dbeta = sum dy.   (docs/math/layernorm.md)
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/table.h"

static void residual_row(float *z, const float *t, const float *bias,
                         const float *x, struct bird_dropout drop, int64_t row,
                         int64_t d)
{
    uint32_t limit = drop_limit(drop.p), key = drop_key(drop, row);
    float keep = 1.0f / (1.0f - drop.p);

    if (bias) {
#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            z[j] = t[j] + bias[j];
    } else if (z != t) {
#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            z[j] = t[j];
    }
    if (drop.p > 0) {
#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            z[j] *= drop_scale(key, j, limit, keep);
    }
    if (x) {
#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            z[j] += x[j];
    }
}

/* A function of its own, so that a recomputed y has the same bits. */
static __attribute__((noinline)) void scale_row(float *y, const float stat[2],
                                                const float *z,
                                                const float *gain,
                                                const float *beta, int64_t d)
{
    float mean = stat[0], rstd = stat[1];

#pragma omp simd
    for (int64_t j = 0; j < d; j++)
        y[j] = (z[j] - mean) * rstd * gain[j] + beta[j];
}

static void normalise_row(float *y, float stat[2], const float *z,
                          const float *gain, const float *beta, float eps,
                          int64_t d)
{
    float sum = 0, square = 0, mean;

#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < d; j++)
        sum += z[j];
    mean = sum / (float)d;
#pragma omp simd reduction(+ : square)
    for (int64_t j = 0; j < d; j++)
        square += (z[j] - mean) * (z[j] - mean);
    stat[0] = mean;
    stat[1] = 1.0f / sqrtf(square / (float)d + eps);
    scale_row(y, stat, z, gain, beta, d);
}

/* NOLINTNEXTLINE(readability-function-size): a fused pass has its arrays */
void BIRD_FN(residual_layernorm_forward)(float *y, float *z, float *stat,
                                         const float *t, const float *bias,
                                         const float *x, const float *gain,
                                         const float *beta, float eps,
                                         struct bird_dropout drop, int64_t row0,
                                         int64_t n, int64_t d)
{
    float unused[2];

    for (int64_t i = 0; i < n; i++) {
        float *row = z ? z + i * d : y + i * d;

        residual_row(row, t + i * d, bias, x ? x + i * d : NULL, drop, row0 + i,
                     d);
        normalise_row(y + i * d, stat ? stat + 2 * i : unused, row, gain, beta,
                      eps, d);
    }
}

void BIRD_FN(layernorm_again)(float *y, const float *z, const float *stat,
                              const float *gain, const float *beta, int64_t n,
                              int64_t d)
{
    for (int64_t i = 0; i < n; i++)
        scale_row(y + i * d, stat + 2 * i, z + i * d, gain, beta, d);
}

void BIRD_FN(layernorm_backward)(float *dz, const float *dy, const float *z,
                                 const float *stat, const float *gain,
                                 int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        const float *g = dy + i * d, *x = z + i * d;
        float *out = dz + i * d;
        float mean = stat[2 * i], rstd = stat[2 * i + 1], s0 = 0, s1 = 0;

#pragma omp simd reduction(+ : s0, s1)
        for (int64_t j = 0; j < d; j++) {
            s0 += g[j] * gain[j];
            s1 += g[j] * gain[j] * (x[j] - mean) * rstd;
        }
        s0 /= (float)d;
        s1 /= (float)d;
#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            out[j] = rstd * (g[j] * gain[j] - s0 - (x[j] - mean) * rstd * s1);
    }
}

void BIRD_FN(layernorm_backward_params)(float *dgain, float *dbeta,
                                        const float *dy, const float *z,
                                        const float *stat, int64_t n, int64_t d,
                                        int64_t c0, int64_t c1)
{
    for (int64_t i = 0; i < n; i++) {
        const float *g = dy + i * d, *x = z + i * d;
        float mean = stat[2 * i], rstd = stat[2 * i + 1];

#pragma omp simd
        for (int64_t j = c0; j < c1; j++) {
            dgain[j] += g[j] * (x[j] - mean) * rstd;
            dbeta[j] += g[j];
        }
    }
}
