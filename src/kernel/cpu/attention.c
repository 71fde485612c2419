/* Attention over a plan, forward and backward: the keys that a tile of queries
 * attends to, their scores, probabilities, and the sum of values.
 *
 * A tile's keys lie in scratch as one row of columns, run after run, so that
 * a probability map sees a whole row. The backward pass goes through one
 * head of one sequence tile by tile in a fixed order; it computes the
 * probabilities again instead of keeping them (docs/math/attention.md).
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/cpu/attention_keys.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/small.h"
#include "kernel/cpu/table.h"
#include "kernel/cpu/tile.h"

/* Number of queries (rows) that a map processes side by side. */
enum { TRANSPOSED = 16 };

/* Apply a map other than softmax to m rows of n scores. `columns` has n by m
 * floats, or n by TRANSPOSED where that is less. */
static void map_rows(float *p, float *columns, const float *weight,
                     const struct bird_prob_map *map, int64_t m, int64_t n)
{
    float inverse[TRANSPOSED];

    for (int64_t r0 = 0; r0 < m; r0 += TRANSPOSED) {
        int64_t w = m - r0 < TRANSPOSED ? m - r0 : TRANSPOSED;
        float *row = p + r0 * n, *x = w == 1 ? row : columns;

        for (int64_t r = 0; w > 1 && r < w; r++)
            for (int64_t j = 0; j < n; j++)
                x[j * w + r] = row[r * n + j];
        BIRD_FN(map_forward)(x, inverse, weight, map, 1, n, w);
        for (int64_t r = 0; r < w; r++)
            for (int64_t j = 0; j < n; j++)
                row[r * n + j] = inverse[r] * x[j * w + r];
    }
}

/* Probabilities of m query rows from r0; returns the number of columns. `columns`
 * is as in map_rows(). */
static int64_t tile_probabilities(float *p, float *weight, float *columns,
                                  const struct bird_attention_args *a,
                                  int64_t r0, int64_t m)
{
    int64_t n_run, n = 0, at = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);
    struct bird_matrix q = {a->q + r0 * a->ld, a->ld};
    float penalty = a->plan ? PENALTY_SPARSE : PENALTY_FULL;
    int weighted = 0;

    for (int64_t i = 0; i < n_run; i++)
        n += keys_at(a, run, i).count;
    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);
        struct bird_matrix k = {a->k + s.first * a->ld, a->ld};

        tile_nt(p + at, n, q, k, m, s.count, a->dim, a->scale, 0);
        weighted |= s.times != 1;
        for (int64_t j = 0; j < s.count; j++)
            weight[at + j] = (float)s.times;
        if (a->mask) {
            for (int64_t j = 0; j < s.count; j++)
                if (!a->mask[s.first + j])
                    for (int64_t r = 0; r < m; r++)
                        p[r * n + at + j] += penalty;
        }
        hide_later(p + at, n, 1, a, s, r0, m);
        at += s.count;
    }
    if (a->map.kind != BIRD_PROB_SOFTMAX)
        map_rows(p, columns, weighted ? weight : NULL, &a->map, m, n);
    for (int64_t r = 0; a->map.kind == BIRD_PROB_SOFTMAX && r < m; r++)
        BIRD_FN(softmax_forward)(p + r * n, weighted ? weight : NULL, n);
    return n;
}

/* One query at a time, for few rows. */
static void attend_rows(float *out, int64_t ld_out,
                        const struct bird_attention_args *a, int64_t r0,
                        int64_t r1, float *scratch)
{
    float *weight = scratch, *p = scratch + a->len;
    int64_t m = r1 - r0, n, n_run, at = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);

    n = tile_probabilities(p, weight, p + m * a->len, a, r0, m);
    if (a->drop.p > 0)
        for (int64_t r = 0; r < m; r++)
            BIRD_FN(dropout)(p + r * n, a->drop, r0 + r, 1, n);
    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        tile_nn(out + r0 * ld_out, ld_out, (struct bird_matrix){p + at, n},
                (struct bird_matrix){a->v + s.first * a->ld, a->ld}, m, a->dim,
                s.count, 1, i > 0);
        at += s.count;
    }
}

/* One query in each SIMD lane: scores of all keys of the tile are p(key, query),
 * so that a softmax runs down a column. */

TILE_TABLE(transposed, 1, t->step, t->ldw)
TILE_TABLE(spread, t->row, 1, t->ldw)

/* exp(scale (s - the column's largest)), each counted weight times (NULL:
 * once), of n keys and ld queries; one over each column's sum into `inverse`.
 */
static void exponentials(float *p, float *inverse, const float *weight,
                         float scale, int64_t n, int64_t ld)
{
    float top[QUERIES], sum[QUERIES] = {0};

    memcpy(top, p, (size_t)ld * sizeof(*top));
    for (int64_t j = 1; j < n; j++)
#pragma omp simd
        for (int64_t q = 0; q < ld; q++)
            top[q] = p[j * ld + q] > top[q] ? p[j * ld + q] : top[q];
    for (int64_t j = 0; j < n; j++) {
        float w = weight ? weight[j] : 1.0f;

#pragma omp simd
        for (int64_t q = 0; q < ld; q++) {
            p[j * ld + q] = w * vec_exp(scale * (p[j * ld + q] - top[q]));
            sum[q] += p[j * ld + q];
        }
    }
#pragma omp simd
    for (int64_t q = 0; q < ld; q++)
        inverse[q] = 1.0f / sum[q];
}

/* out (m, dim) (+)= p(key, query)^T x of the rows x of one run of keys. */
static void gather_run(float *out, int64_t ld_out, const float *p,
                       const float *x, const struct bird_attention_args *a,
                       int64_t count, int64_t m, int64_t ld, int add,
                       float *workspace)
{
    for (int64_t k = 0; k < count; k += DEPTH)
        for (int64_t c = 0; c < a->dim; c += NR) {
            struct product_tile t = {.y = out + c,
                                     .x = p + k * ld,
                                     .w = x + k * a->ld + c,
                                     .ldy = ld_out,
                                     .row = 1,
                                     .step = ld,
                                     .ldw = a->ld,
                                     .depth =
                                         count - k < DEPTH ? count - k : DEPTH,
                                     .add = add || k > 0};
            int64_t n = a->dim - c;

            if (n < NR) { /* the array may end right after it */
                memset(workspace, 0,
                       (size_t)(t.depth * NR) * sizeof(*workspace));
                for (int64_t j = 0; j < t.depth; j++)
                    memcpy(workspace + j * NR, t.w + j * a->ld,
                           (size_t)n * sizeof(*workspace));
                t.w = workspace;
                t.ldw = NR;
            }
            tile_column(transposed_of, t, m, n);
        }
}

/* Probabilities p(key, query) of m query rows from r0, QUERIES at most, all of one
 * block, still to be multiplied by `inverse` of each query; q has QUERIES rows for
 * packed queries. Returns the number of keys; `weighted`: whether `weight` says how
 * often each counts. */
static int64_t column_probabilities(float *p, float *inverse, float *weight,
                                    int *weighted, float *q,
                                    const struct bird_attention_args *a,
                                    int64_t r0, int64_t m, int64_t ld)
{
    int64_t n_run, n = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);

    *weighted = 0;
    BIRD_FN(pack)(q, a->q + r0 * a->ld, a->ld, m, a->dim);
    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        BIRD_FN(product)
        (p + n * ld, ld, a->k + s.first * a->ld, a->ld, q, s.count, ld, a->dim);
        if (a->mask)
            penalise(p + n * ld, a, s, ld);
        hide_later(p + n * ld, 1, ld, a, s, r0, m);
        *weighted |= weigh_keys(weight + n, s);
        n += s.count;
    }
    if (a->map.kind == BIRD_PROB_SOFTMAX)
        exponentials(p, inverse, *weighted ? weight : NULL,
                     a->mask ? 1 : a->scale, n, ld);
    else
        BIRD_FN(map_forward)
    (p, inverse, *weighted ? weight : NULL, &a->map, a->mask ? 1 : a->scale, n,
     ld);
    return n;
}

/* out (m, dim) = p(key, query)^T x of all keys of the tile, x the keys or values. */
static void gather(float *out, int64_t ld_out, const float *p, const float *x,
                   const struct bird_attention_args *a, int64_t r0, int64_t m,
                   int64_t ld, float *workspace)
{
    int64_t n_run, n = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);

    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        gather_run(out, ld_out, p + n * ld, x + s.first * a->ld, a, s.count, m,
                   ld, n > 0, workspace);
        n += s.count;
    }
}

/* Context of m query rows from r0, QUERIES at most, all of one block. */
static void attend(float *out, int64_t ld_out,
                   const struct bird_attention_args *a, int64_t r0, int64_t m,
                   float *scratch)
{
    int64_t ld = (m + NR - 1) / NR * NR, n;
    float *weight = scratch, *q = weight + a->len, *p = q + QUERIES * a->dim;
    float *workspace = p + QUERIES * a->len, inverse[QUERIES];
    int weighted;

    n = column_probabilities(p, inverse, weight, &weighted, q, a, r0, m, ld);
    if (a->drop.p > 0)
        drop_columns(p, a->drop, r0, 0, n, ld);
    gather(out, ld_out, p, a->v, a, r0, m, ld, workspace);
    scale_rows(out, ld_out, inverse, m, a->dim);
}

void BIRD_FN(attention_forward)(float *out, int64_t ld_out,
                                const struct bird_attention_args *a, int64_t r0,
                                int64_t r1, float *scratch)
{
    if (r1 - r0 < BIRD_ATTENTION_FEW)
        attend_rows(out, ld_out, a, r0, r1, scratch);
    else
        for (int64_t r = r0; r < r1; r += QUERIES)
            attend(out + r * ld_out, ld_out, a, r,
                   r1 - r < QUERIES ? r1 - r : QUERIES, scratch);
    zero_queries(out, ld_out, a, r0, r1);
}

/* dv += p^T dout and dp = dout v^T for one tile. */
static void tile_values_backward(float *dv, float *dp, const float *p,
                                 struct bird_matrix g,
                                 const struct bird_attention_args *a,
                                 int64_t r0, int64_t m, int64_t n)
{
    int64_t n_run, at = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);

    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        tile_tn(dv + s.first * a->ld, a->ld, (struct bird_matrix){p + at, n}, g,
                s.count, a->dim, m, 1, 1);
        tile_nt(dp + at, n, g,
                (struct bird_matrix){a->v + s.first * a->ld, a->ld}, m, s.count,
                a->dim, 1, 0);
        at += s.count;
    }
}

/* dq = ds k scale, dk += ds^T q scale for one tile. */
static void tile_scores_backward(float *dq, float *dk, const float *ds,
                                 const struct bird_attention_args *a,
                                 int64_t r0, int64_t m, int64_t n)
{
    int64_t n_run, at = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);

    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);
        struct bird_matrix d = {ds + at, n};

        tile_nn(dq + r0 * a->ld, a->ld, d,
                (struct bird_matrix){a->k + s.first * a->ld, a->ld}, m, a->dim,
                s.count, a->scale, i > 0);
        tile_tn(dk + s.first * a->ld, a->ld, d,
                (struct bird_matrix){a->q + r0 * a->ld, a->ld}, s.count, a->dim,
                m, a->scale, 1);
        at += s.count;
    }
}

/* One query at a time, for few rows and for maps other than softmax. */
static void back_rows(float *dq, float *dk, float *dv, const float *dout,
                      int64_t ld_out, const struct bird_attention_args *a,
                      int64_t r0, int64_t m, float *scratch)
{
    float *weight = scratch, *p = weight + a->len, *kept = p + m * a->len;
    float *dp = kept + m * a->len, *g = dp + m * a->len, *pv = p;
    int64_t n = tile_probabilities(p, weight, dp, a, r0, m);

    take_gradient(g, a->dim, dout, ld_out, a, r0, m);
    if (a->drop.p > 0) {
        memcpy(kept, p, (size_t)(m * n) * sizeof(float));
        for (int64_t r = 0; r < m; r++)
            BIRD_FN(dropout)(kept + r * n, a->drop, r0 + r, 1, n);
        pv = kept;
    }
    tile_values_backward(dv, dp, pv, (struct bird_matrix){g, a->dim}, a, r0, m,
                         n);
    for (int64_t r = 0; r < m; r++) {
        if (a->drop.p > 0)
            BIRD_FN(dropout)(dp + r * n, a->drop, r0 + r, 1, n);
        if (a->map.kind == BIRD_PROB_SOFTMAX)
            BIRD_FN(softmax_backward)(dp + r * n, p + r * n, n);
        else
            BIRD_FN(map_backward)
        (dp + r * n, p + r * n, weight, &a->map, n);
    }
    tile_scores_backward(dq, dk, dp, a, r0, m, n);
}

/* out (key, dim) += p(key, query) x of all keys of the tile; x has m rows, step
 * floats apart. */
static void spread(float *out, const float *p, const float *x, int64_t step,
                   const struct bird_attention_args *a, int64_t r0, int64_t m,
                   int64_t ld)
{
    int64_t n_run, n = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);

    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        for (int64_t c = 0; c < a->dim; c += NR) {
            struct product_tile t = {.y = out + s.first * a->ld + c,
                                     .x = p + n * ld,
                                     .w = x + c,
                                     .ldy = a->ld,
                                     .row = ld,
                                     .ldw = step,
                                     .depth = m,
                                     .add = 1};

            tile_column(spread_of, t, s.count, a->dim - c);
        }
        n += s.count;
    }
}

/* One query in each SIMD lane: m query rows from r0, QUERIES at most, all of one
 * block. */
static void back_columns(float *dq, float *dk, float *dv, const float *dout,
                         int64_t ld_out, const struct bird_attention_args *a,
                         int64_t r0, int64_t m, float *scratch)
{
    int64_t ld = (m + NR - 1) / NR * NR, step = (a->dim + NR - 1) / NR * NR;
    float *weight = scratch, *packed = weight + a->len;
    float *rows = packed + QUERIES * a->dim, *p = rows + QUERIES * step;
    float *kept = p + QUERIES * a->len, *dp = kept + QUERIES * a->len;
    float *workspace = dp + QUERIES * a->len, *pv = p, inverse[QUERIES];
    const struct bird_run *run;
    int weighted;
    int64_t n = column_probabilities(p, inverse, weight, &weighted, packed, a,
                                     r0, m, ld),
            n_run, at = 0;

    for (int64_t j = 0; j < n; j++)
#pragma omp simd
        for (int64_t q = 0; q < ld; q++)
            p[j * ld + q] *= inverse[q];
    if (a->drop.p > 0) {
        memcpy(kept, p, (size_t)(n * ld) * sizeof(*p));
        drop_columns(kept, a->drop, r0, 0, n, ld);
        pv = kept;
    }
    take_gradient(rows, step, dout, ld_out, a, r0, m);
    spread(dv, pv, rows, step, a, r0, m, ld);
    BIRD_FN(pack)(packed, rows, step, m, a->dim);
    run = tile_runs(a, r0, &n_run);
    for (int64_t i = 0; i < n_run; i++) {
        struct key_range s = keys_at(a, run, i);

        BIRD_FN(product)
        (dp + at * ld, ld, a->v + s.first * a->ld, a->ld, packed, s.count, ld,
         a->dim);
        at += s.count;
    }
    if (a->drop.p > 0)
        drop_columns(dp, a->drop, r0, 0, n, ld);
    softmax_columns_backward(dp, p, a->scale, n, ld);
    gather(dq + r0 * a->ld, a->ld, dp, a->k, a, r0, m, ld, workspace);
    for (int64_t r = 0; r < m; r++)
        memcpy(rows + r * step, a->q + (r0 + r) * a->ld,
               (size_t)a->dim * sizeof(*rows));
    spread(dk, dp, rows, step, a, r0, m, ld);
}

void BIRD_FN(attention_backward)(float *dq, float *dk, float *dv,
                                 const float *dout, int64_t ld_out,
                                 const struct bird_attention_args *a,
                                 float *scratch)
{
    int64_t tile = bird_attention_tile(a->plan);

    for (int64_t i = 0; i < a->len; i++) {
        memset(dk + i * a->ld, 0, (size_t)a->dim * sizeof(float));
        memset(dv + i * a->ld, 0, (size_t)a->dim * sizeof(float));
    }
    for (int64_t r0 = 0; r0 < a->len; r0 += tile) {
        int64_t m = r0 + tile < a->len ? tile : a->len - r0;

        if (m < BIRD_ATTENTION_FEW || a->map.kind != BIRD_PROB_SOFTMAX)
            back_rows(dq, dk, dv, dout, ld_out, a, r0, m, scratch);
        else
            for (int64_t r = 0; r < m; r += QUERIES)
                back_columns(dq, dk, dv, dout, ld_out, a, r0 + r,
                             m - r < QUERIES ? m - r : QUERIES, scratch);
    }
}
