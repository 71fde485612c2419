/* Attention with products in bfloat16, for models in lower precision: queries, keys,
 * values and probabilities are rounded, scores and sums are float32.
 *
 * As attention.c with one query in each SIMD lane, but two terms of a sum lie side by
 * side in the 32 bits that a float would take, and VDPBF16PS adds both. Only
 * processors that have this instruction run this file. SPDX-License-Identifier: MIT */
#include <immintrin.h>
#include <string.h>

#define TILE_ADD(sum, a, v)                                                    \
    ((sum) = (lanes)_mm512_dpbf16_ps(                                          \
         (__m512)(sum), (__m512bh)_mm512_set1_ps(a), (__m512bh)(v)))

#include "kernel/cpu/attention_keys.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/table.h"
#include "kernel/cpu/tile.h"

enum {
    KEYS = 64,   /* that are rounded at a time */
    WIDEST = 512 /* features of a head at most */
};

TILE_TABLE(scores, t->row, 1, NR)
TILE_TABLE(values, 1, t->step, NR)

/* y[i] = a[i] in the low half, b[i] in the high half, n a multiple of LANES. */
static void pair(float *y, const float *a, const float *b, int64_t n)
{
    const __m512i order = _mm512_set_epi16(
        31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22,
        6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);

    for (int64_t i = 0; i < n; i += LANES) {
        __m512i both = (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(b + i),
                                                    _mm512_loadu_ps(a + i));

        _mm512_storeu_ps(y + i, (__m512)_mm512_permutexvar_epi16(order, both));
    }
}

/* y = x of n features, two to a float, the last one beside 0 if n is odd. */
static void round_row(float *y, const float *x, int64_t n)
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

/* m queries as panels of NR columns: pair i of each query's features in row i. */
static void pack_queries(float *packed, const struct bird_attention_args *a,
                         int64_t r0, int64_t m)
{
    int64_t pairs = (a->dim + 1) / 2;

    for (int64_t c = 0; c < m; c += NR, packed += NR * pairs) {
        for (int64_t j = 0; j < NR; j++) {
            float row[WIDEST / 2] = {0};

            if (c + j < m)
                round_row(row, a->q + (r0 + c + j) * a->ld, a->dim);
            for (int64_t i = 0; i < pairs; i++)
                packed[i * NR + j] = row[i];
        }
    }
}

/* p (keys, ld): scores of one run of keys, not yet scaled. */
static void run_scores(float *p, const struct bird_attention_args *a,
                       struct key_range keys, const float *q, int64_t ld,
                       float *workspace)
{
    int64_t pairs = (a->dim + 1) / 2;

    for (int64_t j = 0; j < keys.count; j += KEYS) {
        int64_t n = keys.count - j < KEYS ? keys.count - j : KEYS;

        for (int64_t i = 0; i < n; i++)
            round_row(workspace + i * pairs,
                      a->k + (keys.first + j + i) * a->ld, a->dim);
        for (int64_t c = 0; c < ld; c += NR) {
            struct product_tile t = {.y = p + j * ld + c,
                                     .x = workspace,
                                     .w = q + c * pairs,
                                     .ldy = ld,
                                     .row = pairs,
                                     .depth = pairs};

            tile_column(scores_of, t, n, NR);
        }
    }
}

/* exp(x) for x <= 0 to 8e-5 of its value, a twentieth of a bfloat16's step: 2^n
 * times a polynomial, fitted for the least largest error. NaN for NaN. */
static inline float coarse_exp(float x)
{
    float c = x < -87.3f ? -87.3f : x;
    float t = c * 1.44269504088896341f + 12582912.0f; /* round to nearest */
    float r = c * 1.44269504088896341f - (t - 12582912.0f);
    float y = 5.517166839e-2f;
    uint32_t bits, n;

    y = y * r + 2.426111221e-1f;
    y = y * r + 6.932609856e-1f;
    y = y * r + 9.999280735e-1f;
    __builtin_memcpy(&bits, &y, sizeof(bits));
    __builtin_memcpy(&n, &t, sizeof(n));
    bits += n << 23; /* the low bits of t are n */
    __builtin_memcpy(&y, &bits, sizeof(y));
    return x < -87.3f ? 0.0f : y;
}

/* exp(scale (s - the column's largest)), each counted weight times, of n keys; pairs
 * of keys end in the first half of p. `inverse`: one over each column's sum. */
static void exponentials(float *p, float *inverse, const float *weight,
                         float scale, int64_t n, int64_t ld)
{
    float top[QUERIES], sum[QUERIES] = {0}, e[2][QUERIES];

    memcpy(top, p, (size_t)ld * sizeof(*top));
    for (int64_t j = 1; j < n; j++)
#pragma omp simd
        for (int64_t q = 0; q < ld; q++)
            top[q] = p[j * ld + q] > top[q] ? p[j * ld + q] : top[q];
    for (int64_t j = 0; j < n; j += 2) {
        memset(e[1], 0, sizeof(e[1]));
        for (int64_t i = 0; i < 2 && j + i < n; i++) {
            const float *s = p + (j + i) * ld;
            float w = weight ? weight[j + i] : 1.0f;

#pragma omp simd
            for (int64_t q = 0; q < ld; q++) {
                e[i][q] = w * coarse_exp(scale * (s[q] - top[q]));
                sum[q] += e[i][q];
            }
        }
        pair(p + j / 2 * ld, e[0], e[1], ld);
    }
#pragma omp simd
    for (int64_t q = 0; q < ld; q++)
        inverse[q] = 1.0f / sum[q];
}

/* Features c to c + NR of the values of all keys, two keys to a float. */
static void pair_values(float *out, const struct bird_attention_args *a,
                        const struct bird_run *run, int64_t n_run, int64_t c)
{
    int64_t width = a->dim - c < NR ? a->dim - c : NR, n = 0;
    float row[2][NR] = {{0}};

    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        for (int64_t j = 0; j < s.count; j++, n++) {
            memcpy(row[n % 2], a->v + (s.first + j) * a->ld + c,
                   (size_t)width * sizeof(float));
            if (n % 2)
                pair(out + n / 2 * NR, row[0], row[1], NR);
        }
    }
    if (n % 2) {
        memset(row[1], 0, sizeof(row[1]));
        pair(out + n / 2 * NR, row[0], row[1], NR);
    }
}

/* out (m, dim) = p(key, query)^T v of all n keys, as pairs. */
static void gather_values(float *out, int64_t ld_out, const float *p,
                          const struct bird_attention_args *a,
                          const struct bird_run *run, int64_t n_run, int64_t n,
                          int64_t m, int64_t ld, float *workspace)
{
    int64_t pairs = (n + 1) / 2;

    for (int64_t c = 0; c < a->dim; c += NR) {
        pair_values(workspace, a, run, n_run, c);
        for (int64_t k = 0; k < pairs; k += DEPTH) {
            struct product_tile t = {.y = out + c,
                                     .x = p + k * ld,
                                     .w = workspace + k * NR,
                                     .ldy = ld_out,
                                     .row = 1,
                                     .step = ld,
                                     .depth =
                                         pairs - k < DEPTH ? pairs - k : DEPTH,
                                     .add = k > 0};

            tile_column(values_of, t, m, a->dim - c);
        }
    }
}

/* Context of m query rows from r0, QUERIES at most, all of one block. */
static void attend(float *out, int64_t ld_out,
                   const struct bird_attention_args *a, int64_t r0, int64_t m,
                   float *scratch)
{
    int64_t ld = (m + NR - 1) / NR * NR, pairs = (a->dim + 1) / 2, n_run, n = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);
    float *weight = scratch, *q = weight + a->len, *k = q + QUERIES * pairs;
    float *p = k + KEYS * pairs, *workspace = p + QUERIES * a->len;
    float inverse[QUERIES];
    int weighted = 0;

    pack_queries(q, a, r0, m);
    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        run_scores(p + n * ld, a, s, q, ld, k);
        if (a->mask)
            penalise(p + n * ld, a, s, ld);
        hide_later(p + n * ld, 1, ld, a, s, r0, m);
        weighted |= weigh_keys(weight + n, s);
        n += s.count;
    }
    exponentials(p, inverse, weighted ? weight : NULL, a->mask ? 1 : a->scale,
                 n, ld);
    gather_values(out, ld_out, p, a, run, n_run, n, m, ld, workspace);
    scale_rows(out, ld_out, inverse, m, a->dim);
}

void BIRD_FN(attention_bfloat16)(float *out, int64_t ld_out,
                                 const struct bird_attention_args *a,
                                 int64_t r0, int64_t r1, float *scratch)
{
    if (r1 - r0 < FEW_QUERIES || a->dim > WIDEST || a->drop.p > 0 ||
        a->map.kind != BIRD_PROB_SOFTMAX) {
        BIRD_FN(attention_forward)(out, ld_out, a, r0, r1, scratch);
        return;
    }
    for (int64_t r = r0; r < r1; r += QUERIES)
        attend(out + r * ld_out, ld_out, a, r,
               r1 - r < QUERIES ? r1 - r : QUERIES, scratch);
    zero_queries(out, ld_out, a, r0, r1);
}
