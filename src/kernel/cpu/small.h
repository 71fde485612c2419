/**
 * Products of a tile of few rows, where a call of the BLAS costs more than
 * the arithmetic: with blocks of one token a head's tile has one row and a
 * handful of keys. Same meaning as bird_gemm_nt, nn and tn; which of the two
 * does a product depends on its shape alone.
 *
 * Static for the reason that cpu.h gives.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_SMALL_H
#define BIRD_KERNEL_SMALL_H

#include <stdint.h>

#include "kernel/gemm.h"

/** Floats added up side by side. */
#define SMALL_LANES 8
/** Products of at most this many multiplications are done here. */
#define SMALL_WORK 512

static inline int small_fits(int64_t m, int64_t n, int64_t k)
{
    return m == 1 || m * n * k <= SMALL_WORK;
}

static inline float small_dot(const float *a, const float *b, int64_t k)
{
    float lane[SMALL_LANES] = {0}, half[SMALL_LANES / 2];
    int64_t i = 0;

    for (; i + SMALL_LANES <= k; i += SMALL_LANES) {
#pragma omp simd
        for (int l = 0; l < SMALL_LANES; l++)
            lane[l] += a[i + l] * b[i + l];
    }
    for (int l = 0; i < k; i++, l++)
        lane[l] += a[i] * b[i];
#pragma omp simd
    for (int l = 0; l < SMALL_LANES / 2; l++)
        half[l] = lane[l] + lane[l + SMALL_LANES / 2];
    return (half[0] + half[2]) + (half[1] + half[3]);
}

/** c[i] = alpha sum of w[j * step] b[j, i] over j < n, + beta c[i]; i < k. */
static inline void small_sum(float *c, const float *w, int64_t step,
                             struct bird_matrix b, int64_t n, int64_t k,
                             float alpha, float beta)
{
    int64_t i = 0;

    for (; i + SMALL_LANES <= k; i += SMALL_LANES) {
        float lane[SMALL_LANES] = {0};

        for (int64_t j = 0; j < n; j++) {
            const float *row = b.x + j * b.ld + i;
            float x = w[j * step];

#pragma omp simd
            for (int l = 0; l < SMALL_LANES; l++)
                lane[l] += x * row[l];
        }
        for (int l = 0; l < SMALL_LANES; l++)
            c[i + l] = alpha * lane[l] + (beta != 0 ? beta * c[i + l] : 0);
    }
    for (; i < k; i++) {
        float sum = 0;

        for (int64_t j = 0; j < n; j++)
            sum += w[j * step] * b.x[j * b.ld + i];
        c[i] = alpha * sum + (beta != 0 ? beta * c[i] : 0);
    }
}

static inline void tile_nt(float *c, int64_t ldc, struct bird_matrix a,
                           struct bird_matrix b, int64_t m, int64_t n,
                           int64_t k, float alpha, float beta)
{
    if (!small_fits(m, n, k)) {
        bird_gemm_nt(c, ldc, a, b, m, n, k, alpha, beta);
        return;
    }
    for (int64_t r = 0; r < m; r++)
        for (int64_t j = 0; j < n; j++) {
            float x = alpha * small_dot(a.x + r * a.ld, b.x + j * b.ld, k);

            c[r * ldc + j] = beta != 0 ? x + beta * c[r * ldc + j] : x;
        }
}

static inline void tile_nn(float *c, int64_t ldc, struct bird_matrix a,
                           struct bird_matrix b, int64_t m, int64_t n,
                           int64_t k, float alpha, float beta)
{
    if (!small_fits(m, n, k)) {
        bird_gemm_nn(c, ldc, a, b, m, n, k, alpha, beta);
        return;
    }
    for (int64_t r = 0; r < m; r++)
        small_sum(c + r * ldc, a.x + r * a.ld, 1, b, k, n, alpha, beta);
}

static inline void tile_tn(float *c, int64_t ldc, struct bird_matrix a,
                           struct bird_matrix b, int64_t m, int64_t n,
                           int64_t k, float alpha, float beta)
{
    if (k > 1 && !small_fits(m, n, k)) {
        bird_gemm_tn(c, ldc, a, b, m, n, k, alpha, beta);
        return;
    }
    for (int64_t r = 0; r < m; r++)
        small_sum(c + r * ldc, a.x + r, a.ld, b, k, n, alpha, beta);
}

#endif
