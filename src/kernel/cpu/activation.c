/* Activations of the feed-forward layers, forward and backward.
 *
 * gelu_new is x s(2w) with s the logistic function and
 * w = sqrt(2/pi) (x + 0.044715 x^3), since (1 + tanh w)/2 = s(2w).
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/table.h"

#define SQRT_2_OVER_PI 0.7978845608028654f
#define CUBE           0.044715f

static inline float gelu_tanh(float x)
{
    return x * vec_sigmoid(2 * SQRT_2_OVER_PI * (x + CUBE * x * x * x));
}

static inline float gelu_tanh_slope(float x)
{
    float s = vec_sigmoid(2 * SQRT_2_OVER_PI * (x + CUBE * x * x * x));

    return s + x * s * (1 - s) * 2 * SQRT_2_OVER_PI * (1 + 3 * CUBE * x * x);
}

static inline float gelu_erf_slope(float x)
{
    return 0.5f * (1 + erff(x * 0.70710678118654752f)) +
           x * 0.3989422804014327f * vec_exp(-0.5f * x * x);
}

static inline float silu_slope(float x)
{
    float s = vec_sigmoid(x);

    return s + x * s * (1 - s);
}

static void forward_row(float *y, const float *u, enum bird_act act, int64_t d)
{
    switch (act) {
    case BIRD_GELU_TANH:
#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            y[j] = gelu_tanh(u[j]);
        break;
    case BIRD_GELU_ERF:
        for (int64_t j = 0; j < d; j++)
            y[j] = u[j] * 0.5f * (1 + erff(u[j] * 0.70710678118654752f));
        break;
    case BIRD_RELU:
#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            y[j] = u[j] > 0 ? u[j] : 0;
        break;
    case BIRD_SILU:
#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            y[j] = u[j] * vec_sigmoid(u[j]);
        break;
    case BIRD_TANH:
        for (int64_t j = 0; j < d; j++)
            y[j] = tanhf(u[j]);
        break;
    }
}

void BIRD_FN(bias_act_forward)(float *y, float *u, const float *bias,
                               enum bird_act act, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        float *r = u + i * d;

        if (bias) {
#pragma omp simd
            for (int64_t j = 0; j < d; j++)
                r[j] += bias[j];
        }
        forward_row(y + i * d, r, act, d);
    }
}

void BIRD_FN(act_backward)(float *du, const float *dy, const float *u,
                           enum bird_act act, int64_t n, int64_t d)
{
    int64_t m = n * d;

    switch (act) {
    case BIRD_GELU_TANH:
#pragma omp simd
        for (int64_t j = 0; j < m; j++)
            du[j] = dy[j] * gelu_tanh_slope(u[j]);
        break;
    case BIRD_GELU_ERF:
        for (int64_t j = 0; j < m; j++)
            du[j] = dy[j] * gelu_erf_slope(u[j]);
        break;
    case BIRD_RELU:
#pragma omp simd
        for (int64_t j = 0; j < m; j++)
            du[j] = u[j] > 0 ? dy[j] : 0;
        break;
    case BIRD_SILU:
#pragma omp simd
        for (int64_t j = 0; j < m; j++)
            du[j] = dy[j] * silu_slope(u[j]);
        break;
    case BIRD_TANH:
        for (int64_t j = 0; j < m; j++) {
            float t = tanhf(u[j]);

            du[j] = dy[j] * (1 - t * t);
        }
        break;
    }
}
