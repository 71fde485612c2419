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

static inline float gelu_erf(float x)
{
    return x * 0.5f * (1 + vec_erf(x * 0.70710678118654752f));
}

static inline float gelu_erf_slope(float x)
{
    return 0.5f * (1 + vec_erf(x * 0.70710678118654752f)) +
           x * 0.3989422804014327f * vec_exp(-0.5f * x * x);
}

static inline float clip_10(float y)
{
    float low = y < -10 ? -10 : y;

    return low > 10 ? 10 : low;
}

static inline float clip_10_slope(float x)
{
    float y = gelu_erf(x);

    return y >= -10 && y <= 10 ? gelu_erf_slope(x) : 0;
}

/* x s(a x): silu has a = 1. */
static inline float swish_slope(float x, float a)
{
    float s = vec_sigmoid(a * x);

    return s + a * x * s * (1 - s);
}

static inline float relu6(float x)
{
    float low = x > 0 ? x : 0;

    return low > 6 ? 6 : low;
}

static inline float tanh_slope(float x)
{
    float t = tanhf(x);

    return 1 - t * t;
}

static inline float sigmoid_slope(float x)
{
    float s = vec_sigmoid(x);

    return s * (1 - s);
}

/* With e = exp x: tanh(ln(1 + e)) = n / (n + 2), n = e (e + 2). Beyond 20 it
 * is 1 to the last bit, and e^2 would overflow. */
static inline float mish(float x)
{
    float e = vec_exp(x > 20 ? 20 : x), n = e * (e + 2);

    return x * n / (n + 2);
}

static inline float mish_slope(float x)
{
    float e = vec_exp(x > 20 ? 20 : x), n = e * (e + 2);

    return n / (n + 2) + x * vec_sigmoid(x) * 4 * (n + 1) / ((n + 2) * (n + 2));
}

/* The published constants are rounded values of sqrt(1/2) and
 * sqrt(1 / (4 pi)). */
static inline float laplace_at(float x)
{
    return (x - 0.707107f) / 0.282095f;
}

static inline float laplace_slope(float x)
{
    float z = laplace_at(x);

    return vec_exp(-0.5f * z * z) * (0.3989422804014327f / 0.282095f);
}

/*
 * What there is: its loop forward and the value of x, its loop backward and the
 * gradient, g being that of the value. A SIMD loop has an expression that the
 * compiler turns into vector code.
 */
#define SIMD _Pragma("omp simd")
#define PLAIN
/* clang-format off */
#define ACTIVATIONS(X)                                                         \
    X(BIRD_GELU_TANH, SIMD, gelu_tanh(x), SIMD, g * gelu_tanh_slope(x))        \
    X(BIRD_GELU_ERF, SIMD, gelu_erf(x), SIMD, g * gelu_erf_slope(x))           \
    X(BIRD_GELU_10, SIMD, clip_10(gelu_erf(x)), SIMD, g * clip_10_slope(x))    \
    X(BIRD_GELU_QUICK, SIMD, x * vec_sigmoid(1.702f * x),                      \
      SIMD, g * swish_slope(x, 1.702f))                                        \
    X(BIRD_RELU, SIMD, x > 0 ? x : 0, SIMD, x > 0 ? g : 0)                     \
    X(BIRD_RELU2, SIMD, x > 0 ? x * x : 0, SIMD, x > 0 ? 2 * x * g : 0)        \
    X(BIRD_RELU6, SIMD, relu6(x), SIMD, x > 0 && x < 6 ? g : 0)                \
    X(BIRD_LEAKY_RELU, SIMD, x > 0 ? x : 0.01f * x,                            \
      SIMD, x > 0 ? g : 0.01f * g)                                             \
    X(BIRD_SILU, SIMD, x * vec_sigmoid(x), SIMD, g * swish_slope(x, 1))        \
    X(BIRD_MISH, SIMD, mish(x), SIMD, g * mish_slope(x))                       \
    X(BIRD_SIGMOID, SIMD, vec_sigmoid(x), SIMD, g * sigmoid_slope(x))          \
    X(BIRD_LINEAR, PLAIN, x, PLAIN, g)                                         \
    X(BIRD_LAPLACE, SIMD,                                                      \
      0.5f * (1 + vec_erf(laplace_at(x) * 0.70710678118654752f)),              \
      SIMD, g * laplace_slope(x))                                              \
    X(BIRD_TANH, PLAIN, tanhf(x), PLAIN, g * tanh_slope(x))
/* clang-format on */

/* One loop an activation. */
#define FORWARD(act, loop, value, loop_back, gradient)                         \
    case act:                                                                  \
        loop for (int64_t j = 0; j < d; j++)                                   \
        {                                                                      \
            float x = u[j];                                                    \
                                                                               \
            y[j] = value;                                                      \
        }                                                                      \
        break;

static void forward_row(float *y, const float *u, enum bird_act act, int64_t d)
{
    switch (act) {
        ACTIVATIONS(FORWARD)
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

#define BACKWARD(act, loop_there, value, loop, gradient)                       \
    case act:                                                                  \
        loop for (int64_t j = 0; j < d; j++)                                   \
        {                                                                      \
            float x = u[j], g = dy[j];                                         \
                                                                               \
            (void)x;                                                           \
            du[j] = gradient;                                                  \
        }                                                                      \
        break;

void BIRD_FN(act_backward)(float *du, const float *dy, const float *u,
                           enum bird_act act, int64_t n, int64_t d)
{
    d *= n;

    switch (act) {
        ACTIVATIONS(BACKWARD)
    }
}
