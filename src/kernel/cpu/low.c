/*
 * To lower precision and back: rows to bfloat16 (nearest, ties to even), rows
 * to 8 bits by the range of each, weights to 8 bits by the size of each output
 * channel, 32-bit sums to float32. docs/math/precision.md has why these.
 * SPDX-License-Identifier: MIT
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/table.h"

void BIRD_FN(to_bfloat16)(uint16_t *y, const float *x, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits, even;

        __builtin_memcpy(&bits, x + i, sizeof(bits));
        even = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
        y[i] = (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u
                              ? bits >> 16 | 0x40u /* a NaN stays one */
                              : even);
    }
}

/* The least and the largest of n values; NaN when one is not finite. */
static void range(float *least, float *span, const float *x, int64_t n)
{
    float lo = FLT_MAX, hi = -FLT_MAX, bad = 0;

#pragma omp simd reduction(min : lo) reduction(max : hi) reduction(+ : bad)
    for (int64_t j = 0; j < n; j++) {
        lo = x[j] < lo ? x[j] : lo;
        hi = x[j] > hi ? x[j] : hi;
        bad += x[j] * 0.0f;
    }
    *least = lo + bad;
    *span = hi - lo + bad;
}

void BIRD_FN(quantize_rows)(uint8_t *q, float *step, float *least,
                            const float *x, int64_t n, int64_t ld, int64_t d,
                            int levels)
{
    for (int64_t i = 0; i < n; i++) {
        const float *r = x + i * ld;
        uint8_t *y = q + i * d;
        float lo, span, up;

        range(&lo, &span, r, d);
        step[i] = span / (float)levels;
        least[i] = lo;
        if (!(span >= FLT_MIN * 512 && span <= FLT_MAX)) {
            /* all values equal or almost: the least represents them; with a
             * NaN or infinity among them least is NaN */
            step[i] = 0;
            least[i] = span <= FLT_MAX ? lo : (float)NAN;
            memset(y, 0, (size_t)d);
            continue;
        }
        up = (float)levels / span;
#pragma omp simd
        for (int64_t j = 0; j < d; j++)
            y[j] = (uint8_t)(int32_t)((r[j] - lo) * up + 0.5f);
    }
}

void BIRD_FN(quantize_weights)(int8_t *q, float *scale, float *sum,
                               const float *w, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        const float *r = w + i * d;
        float most = 0, bad = 0, up;
        int64_t total = 0;

        for (int64_t j = 0; j < d; j++) {
            most = fabsf(r[j]) > most ? fabsf(r[j]) : most;
            bad += r[j] * 0.0f;
        }
        scale[i] = most / 127.0f + bad;
        up = most >= FLT_MIN * 512 && bad == 0 ? 127.0f / most : 0;
        if (up <= 0 && bad == 0)
            scale[i] = 0;
        for (int64_t j = 0; j < d; j++) {
            int v = up > 0 ? (int)lrintf(r[j] * up) : 0;

            q[i * d + j] = (int8_t)v;
            total += v;
        }
        sum[i] = scale[i] * (float)total;
    }
}

void BIRD_FN(dequantize_rows)(float *y, int64_t ld, const void *sums,
                              const struct bird_scales *s, int64_t n, int64_t d)
{
    const float *scale = s->scale, *sum = s->sum, *bias = s->bias;

    for (int64_t i = 0; i < n; i++) {
        const int32_t *a = (const int32_t *)sums + i * d;
        float *r = y + i * ld, step = s->step[i], least = s->least[i];

        if (bias) {
#pragma omp simd
            for (int64_t j = 0; j < d; j++)
                r[j] = (float)a[j] * (step * scale[j]) +
                       (least * sum[j] + bias[j]);
        } else {
#pragma omp simd
            for (int64_t j = 0; j < d; j++)
                r[j] = (float)a[j] * (step * scale[j]) + least * sum[j];
        }
    }
}
