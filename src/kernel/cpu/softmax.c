/* Softmax, the first probability map: p ~ w exp(s).
 *
 * Backward needs only p and dp: ds = p (dp - sum p dp).
 * SPDX-License-Identifier: MIT */
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/table.h"

/* Sixteen maxima at a time: because of NaN, not every compiler vectorises a
 * maximum. */
static float largest(const float *p, int64_t n)
{
    float lane[16], top = p[0];
    int64_t j = 0;

    for (int k = 0; k < 16; k++)
        lane[k] = top;
    for (; j + 16 <= n; j += 16) {
#pragma omp simd
        for (int k = 0; k < 16; k++)
            lane[k] = p[j + k] > lane[k] ? p[j + k] : lane[k];
    }
    for (; j < n; j++)
        top = p[j] > top ? p[j] : top;
    for (int k = 0; k < 16; k++)
        top = lane[k] > top ? lane[k] : top;
    return top;
}

void BIRD_FN(softmax_forward)(float *p, const float *w, int64_t n)
{
    float top = largest(p, n), sum = 0;

    if (w) {
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < n; j++) {
            p[j] = w[j] * vec_exp(p[j] - top);
            sum += p[j];
        }
    } else {
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < n; j++) {
            p[j] = vec_exp(p[j] - top);
            sum += p[j];
        }
    }
    sum = 1.0f / sum;
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
        p[j] *= sum;
}

void BIRD_FN(softmax_backward)(float *dp, const float *p, int64_t n)
{
    float dot = 0;

#pragma omp simd reduction(+ : dot)
    for (int64_t j = 0; j < n; j++)
        dot += p[j] * dp[j];
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
        dp[j] = p[j] * (dp[j] - dot);
}
