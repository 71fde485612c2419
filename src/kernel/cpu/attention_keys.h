/**
 * The keys of a tile of queries: runs of blocks of the plan, their places in the
 * sequence, and the scores of keys that do not count; what the backward passes share.
 *
 * Static for the reason that cpu.h gives. SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_ATTENTION_KEYS_H
#define BIRD_KERNEL_ATTENTION_KEYS_H

#include <float.h>
#include <stddef.h>
#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/kernel.h"

enum {
    QUERIES = 64 /* of a tile at most, one in each SIMD lane */
};

/* Added to the score of a masked key, as in the reference implementation:
 * block-sparse, full. */
#define PENALTY_SPARSE -10000.0f
#define PENALTY_FULL   (-FLT_MAX)

struct key_range { /* keys first .. first+count, each counted `times` times */
    int64_t first, count;
    int32_t times;
};

/* Run i of a tile's list, cut to the sequence; full attention is one run. */
static inline struct key_range keys_at(const struct bird_attention_args *a,
                                       const struct bird_run *run, int64_t i)
{
    struct key_range p = {0, a->len, 1};

    if (run && a->edge) {
        p.first = a->edge[run[i].first];
        p.count = a->edge[run[i].first + run[i].count] - p.first;
        p.times = run[i].times;
    } else if (run) {
        p.first = run[i].first * a->plan->block;
        p.count = run[i].count * a->plan->block;
        p.times = run[i].times;
        if (p.first + p.count > a->len)
            p.count = a->len - p.first;
    }
    return p;
}

/* The block of row r. */
static inline int64_t block_of(const struct bird_attention_args *a, int64_t r)
{
    int64_t low = 0, high = a->plan->n_block;

    if (!a->edge)
        return r / a->plan->block;
    while (high - low > 1) {
        int64_t mid = (low + high) / 2;

        if (a->edge[mid] <= r)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static inline const struct bird_run *
tile_runs(const struct bird_attention_args *a, int64_t r0, int64_t *n)
{
    *n = 1;
    if (!a->plan)
        return NULL;
    return bird_plan_row(a->plan, a->head, block_of(a, r0), n);
}

/* The least score for keys after the query, of a causal plan: query r of m, key j
 * of the run, is at p[r row + j column]. */
static inline void hide_later(float *p, int64_t row, int64_t column,
                              const struct bird_attention_args *a,
                              struct key_range keys, int64_t r0, int64_t m)
{
    int64_t j = r0 + 1 > keys.first ? r0 + 1 - keys.first : 0;

    if (!a->plan || !a->plan->causal)
        return;
    for (; j < keys.count; j++)
        for (int64_t r = 0; r < m && r0 + r < keys.first + j; r++)
            p[r * row + j * column] = PENALTY_FULL;
}

/* s = scale s, and a penalty where the key is masked. */
static inline void penalise(float *s, const struct bird_attention_args *a,
                            struct key_range keys, int64_t ld)
{
    for (int64_t j = 0; j < keys.count; j++) {
        float more = a->mask[keys.first + j] ? 0
                     : a->plan               ? PENALTY_SPARSE
                                             : PENALTY_FULL;

#pragma omp simd
        for (int64_t q = 0; q < ld; q++)
            s[j * ld + q] = a->scale * s[j * ld + q] + more;
    }
}

/* Queries that are padding: the reference zeroes their context when sparse. */
static inline int query_zeroed(const struct bird_attention_args *a, int64_t row)
{
    return a->plan && a->mask && !a->mask[row];
}

/* Context of rows r0 .. r1 that are such queries. */
static inline void zero_queries(float *out, int64_t ld_out,
                                const struct bird_attention_args *a, int64_t r0,
                                int64_t r1)
{
    for (int64_t r = r0; r < r1; r++)
        if (query_zeroed(a, r))
            memset(out + r * ld_out, 0, (size_t)a->dim * sizeof(float));
}

/* Weights of a run of keys; 1 if they are not 1. */
static inline int weigh_keys(float *weight, struct key_range keys)
{
    for (int64_t j = 0; j < keys.count; j++)
        weight[j] = (float)keys.times;
    return keys.times != 1;
}

/* out (m, dim) times one number a row. */
static inline void scale_rows(float *out, int64_t ld_out, const float *by,
                              int64_t m, int64_t dim)
{
    for (int64_t r = 0; r < m; r++)
#pragma omp simd
        for (int64_t j = 0; j < dim; j++)
            out[r * ld_out + j] *= by[r];
}

/* Dropout's mask on n keys, from column j0, of ld queries from r0: the numbers of
 * BIRD_FN(dropout) on rows. */
static inline void drop_columns(float *p, struct bird_dropout drop, int64_t r0,
                                int64_t j0, int64_t n, int64_t ld)
{
    uint32_t limit = drop_limit(drop.p), key[QUERIES];
    float keep = 1.0f / (1.0f - drop.p);

    for (int64_t q = 0; q < ld; q++)
        key[q] = drop_key(drop, r0 + q);
    for (int64_t j = 0; j < n; j++)
#pragma omp simd
        for (int64_t q = 0; q < ld; q++)
            p[j * ld + q] *= drop_scale(key[q], j0 + j, limit, keep);
}

/* The gradient of the context of m query rows from r0, step floats apart: 0 where
 * a query is padding. */
static inline void take_gradient(float *g, int64_t step, const float *dout,
                                 int64_t ld_out,
                                 const struct bird_attention_args *a,
                                 int64_t r0, int64_t m)
{
    for (int64_t r = 0; r < m; r++) {
        memset(g + r * step, 0, (size_t)step * sizeof(*g));
        if (!query_zeroed(a, r0 + r))
            memcpy(g + r * step, dout + (r0 + r) * ld_out,
                   (size_t)a->dim * sizeof(*g));
    }
}

/* dp (n, ld), in: gradient of the probabilities p, out: of the scores, times scale. */
static inline void softmax_columns_backward(float *dp, const float *p,
                                            float scale, int64_t n, int64_t ld)
{
    float dot[QUERIES] = {0};

    for (int64_t j = 0; j < n; j++)
#pragma omp simd
        for (int64_t q = 0; q < ld; q++)
            dot[q] += p[j * ld + q] * dp[j * ld + q];
    for (int64_t j = 0; j < n; j++)
#pragma omp simd
        for (int64_t q = 0; q < ld; q++)
            dp[j * ld + q] = scale * p[j * ld + q] * (dp[j * ld + q] - dot[q]);
}

#endif
