/**
 * Names of one instruction set's copy, and exp as a polynomial that the
 * compiler turns into vector code.
 *
 * Everything here is static: an external function could be taken from the
 * copy of a larger instruction set and stop a smaller machine.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_CPU_H
#define BIRD_KERNEL_CPU_H

#include <stdint.h>

#include "kernel/kernel.h"

#define BIRD_JOIN2(a, b) a##_##b
#define BIRD_JOIN(a, b)  BIRD_JOIN2(a, b)
/* BIRD_FN(x) is bird_x_base, bird_x_avx2 or bird_x_avx512. */
#define BIRD_FN(name) BIRD_JOIN(bird_##name, BIRD_ISA)

/**
 * exp(x) to about 1 ulp; 0 below -87.3, finite above 88, NaN for NaN.
 * Range reduction by ln 2 in two parts (Cody and Waite) and a degree-6
 * polynomial (coefficients as in Cephes' expf, Moshier 1992).
 */
static inline float vec_exp(float x)
{
    float hi = x > 88.0f ? 88.0f : x; /* in this order: NaN goes through */
    float c = hi < -87.3f ? -87.3f : hi;
    float t = c * 1.44269504088896341f + 12582912.0f; /* round to nearest */
    float n = t - 12582912.0f;
    float r = c - n * 0.693359375f + n * 2.12194440e-4f;
    float y = 1.9875691500e-4f;
    float scale;
    uint32_t bits;

    y = y * r + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * r * r + r + 1.0f;
    /* the low bits of t are n: 2^n without a conversion */
    __builtin_memcpy(&bits, &t, sizeof(bits));
    bits = (bits + 127u) << 23;
    __builtin_memcpy(&scale, &bits, sizeof(scale));
    y *= scale;
    return x < -87.3f ? 0.0f : y;
}

/**
 * ln x of normal x > 0 to 2e-7 of |ln x| + 1: x = 2^n m with m around 1, ln m =
 * 2 artanh s with s = (m - 1) / (m + 1), a series in s^2 < 0.0295. NaN for NaN.
 */
static inline float vec_log(float x)
{
    uint32_t bits, whole;
    float m, s, t, n;

    __builtin_memcpy(&bits, &x, sizeof(bits));
    whole = (bits - 0x3f3504f3u) & 0xff800000u; /* 2^n: m from sqrt(1/2) on */
    n = (float)((int32_t)whole >> 23);
    bits -= whole;
    __builtin_memcpy(&m, &bits, sizeof(m));
    s = (m - 1.0f) / (m + 1.0f);
    t = s * s;
    t = t * (1.0f / 3 + t * (1.0f / 5 + t * (1.0f / 7 + t * (1.0f / 9))));
    m = n * 0.693359375f + (n * -2.12194440e-4f + 2.0f * (s + s * t));
    return x == x ? m : x;
}

/** 1 / (1 + exp(-x)); 0 below -87, where it is no normal number: such numbers
 *  are slow (docs/benchmarks.md). */
static inline float vec_sigmoid(float x)
{
    float y = 1.0f / (1.0f + vec_exp(x < -87.0f ? 0.0f : -x));

    return x < -87.0f ? 0.0f : y;
}

/**
 * erf(x) to 1.8e-7 of its value. To 1 it is x Q(x^2), from there 1 - exp(-P(|x|)) with
 * P = -ln erfc; both polynomials were fitted for the least largest error (Lawson's
 * weights at 200 Chebyshev nodes of [0, 1] and of [1, 4], 1e-9 of erf). NaN for NaN.
 */
static inline float vec_erf(float x)
{
    float a = x < 0 ? -x : x;
    float t = a > 4.0f ? 4.0f : a, s = t * t;
    float q = 7.889114931e-5f, p = -1.8557600560e-4f, far;

    q = q * s - 8.020839887e-4f;
    q = q * s + 5.189535208e-3f;
    q = q * s - 2.6854444295e-2f;
    q = q * s + 1.1283600330e-1f;
    q = q * s - 3.7612625957e-1f;
    q = q * s + 1.1283791065f;
    p = p * t + 2.9396263417e-3f;
    p = p * t - 2.1805392578e-2f;
    p = p * t + 1.0303752124e-1f;
    p = p * t + 6.3822549582e-1f;
    p = p * t + 1.1270401478f;
    p = p * t + 3.5369565012e-4f;
    far = 1.0f - vec_exp(-p);
    far = x < 0 ? -far : far;
    return a > 1.0f ? far : x * q;
}

/** A row's key for drop_scale(). */
static inline uint32_t drop_key(struct bird_dropout d, int64_t row)
{
    uint64_t z = d.key + (uint64_t)row * 0x9e3779b97f4a7c15ULL;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (uint32_t)((z ^ (z >> 31)) >> 16);
}

/** 0 for a dropped column, else `keep` = 1 / (1 - p); murmur3's finalizer. */
static inline float drop_scale(uint32_t key, int64_t column, uint32_t limit,
                               float keep)
{
    uint32_t h = ((uint32_t)column * 0x9e3779b1u) ^ key;

    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h >= limit ? keep : 0.0f;
}

/** The limit below which a hash drops, for drop_scale(). */
static inline uint32_t drop_limit(float p)
{
    return (uint32_t)((double)p * 4294967296.0);
}

#endif
