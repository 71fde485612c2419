/**
 * Products in bfloat16: tiles whose terms are pairs of rounded numbers, side by side in
 * the 32 bits of a float, of which VDPBF16PS adds both products to a float32 sum. Files
 * that include this run only on processors that have the instruction.
 *
 * Static for the reason that cpu.h gives. SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_BFLOAT16_H
#define BIRD_KERNEL_BFLOAT16_H

#include <immintrin.h>
#include <string.h>

#define TILE_ADD(sum, a, v)                                                    \
    ((sum) = (lanes)_mm512_dpbf16_ps(                                          \
         (__m512)(sum), (__m512bh)_mm512_set1_ps(a), (__m512bh)(v)))

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/tile.h"

/* y = x of n features, two to a float, the last one beside 0 if n is odd. */
static inline void round_row(float *y, const float *x, int64_t n)
{
    int64_t i = 0;

    for (; i + 2 * LANES <= n; i += 2 * LANES)
        _mm512_storeu_ps(y + i / 2, (__m512)_mm512_cvtne2ps_pbh(
                                        _mm512_loadu_ps(x + i + LANES),
                                        _mm512_loadu_ps(x + i)));
    if (i < n) {
        float rest[2 * LANES] = {0}, out[LANES];

        memcpy(rest, x + i, (size_t)(n - i) * sizeof(*x));
        _mm512_storeu_ps(
            out, (__m512)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(rest + LANES),
                                             _mm512_loadu_ps(rest)));
        memcpy(y + i / 2, out, (size_t)((n - i + 1) / 2) * sizeof(*y));
    }
}

#endif
