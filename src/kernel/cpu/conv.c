/* Convolution of tokens by a table of their shares, and maxima of groups of
 * rows.
 *
 * The table (token id, tap, channel) holds what a token adds to the sum of each
 * tap, so a convolution of tokens is a sum of table rows. Taps are added in
 * rising order, a channel in a sum of its own: a row's bits depend on the
 * tokens around it alone.
 * SPDX-License-Identifier: MIT */
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/table.h"
#include "kernel/cpu/tile.h"

enum { GROUP = 4 * LANES }; /* channels whose sums stay in registers */

/* The taps of row i that meet a token, first .. end-1. */
static void taps_of(int64_t *first, int64_t *end, int64_t i,
                    const struct bird_conv_tokens *t, int64_t n)
{
    int64_t half = t->kernel / 2, before = i + t->before;
    int64_t behind = n - 1 - i + t->behind;

    *first = before < half ? half - before : 0;
    *end = behind < half ? half + behind + 1 : t->kernel;
}

void BIRD_FN(conv_table_forward)(float *y, const float *table,
                                 const float *bias,
                                 const struct bird_conv_tokens *t, int64_t n,
                                 int64_t d)
{
    for (int64_t i = 0; i < n; i++, y += d) {
        const int32_t *ids = t->ids + i - t->kernel / 2;
        int64_t first, end, j = 0;

        taps_of(&first, &end, i, t, n);
        for (; j + GROUP <= d; j += GROUP) {
            lanes sum[GROUP / LANES];

            for (int v = 0; v < GROUP / LANES; v++)
                sum[v] = *(const lanes_at *)(bias + j + v * LANES);
            for (int64_t k = first; k < end; k++) {
                const float *row = table + (ids[k] * t->kernel + k) * d + j;

                for (int v = 0; v < GROUP / LANES; v++)
                    sum[v] += *(const lanes_at *)(row + v * LANES);
            }
            for (int v = 0; v < GROUP / LANES; v++)
                *(lanes_at *)(y + j + v * LANES) = sum[v];
        }
        for (; j < d; j++) {
            y[j] = bias[j];
            for (int64_t k = first; k < end; k++)
                y[j] += table[(ids[k] * t->kernel + k) * d + j];
        }
    }
}

void BIRD_FN(conv_table_backward)(float *dtable, const float *dy,
                                  const struct bird_conv_tokens *t, int64_t n,
                                  int64_t d)
{
    for (int64_t i = 0; i < n; i++, dy += d) {
        const int32_t *ids = t->ids + i - t->kernel / 2;
        int64_t first, end;

        taps_of(&first, &end, i, t, n);
        for (int64_t k = first; k < end; k++) {
            float *row = dtable + (ids[k] * t->kernel + k) * d;

#pragma omp simd
            for (int64_t j = 0; j < d; j++)
                row[j] += dy[j];
        }
    }
}

void BIRD_FN(max_pool_forward)(float *y, const float *x, int64_t n,
                               int64_t pool, int64_t d)
{
    for (int64_t i = 0; i < n; i += pool, y += d) {
        int64_t end = i + pool < n ? i + pool : n;

        for (int64_t r = i; r < end; r++) {
            const float *row = x + r * d;

#pragma omp simd
            for (int64_t j = 0; j < d; j++) /* a NaN stays one */
                y[j] = r == i || !(row[j] <= y[j]) ? row[j] : y[j];
        }
    }
}

void BIRD_FN(max_pool_backward)(float *dx, const float *dy, const float *x,
                                int64_t n, int64_t pool, int64_t d)
{
    for (int64_t i = 0; i < n; i += pool, dy += d) {
        int64_t end = i + pool < n ? i + pool : n;

        for (int64_t r = i; r < end; r++) {
            const float *own = x + r * d;
            float *out = dx + r * d;

            for (int64_t j = 0; j < d; j++)
                out[j] = dy[j];
            for (int64_t o = i; o < end; o++) {
                const float *other = x + o * d;

                /* the first of equals is the maximum */
                for (int64_t j = 0; o < r && j < d; j++)
                    out[j] = other[j] >= own[j] ? 0 : out[j];
                for (int64_t j = 0; o > r && j < d; j++)
                    out[j] = other[j] > own[j] ? 0 : out[j];
            }
        }
    }
}
