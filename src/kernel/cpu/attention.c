/* Attention over a plan: the keys a tile of queries sees, scores,
 * probabilities, values; and back.
 *
 * A tile's keys lie in scratch as one row of columns, run after run, so that
 * a probability map sees a whole row. The backward pass goes through one
 * head of one sequence tile by tile in a fixed order; it computes the
 * probabilities again instead of keeping them (docs/math/attention.md).
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <stddef.h>
#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/small.h"
#include "kernel/cpu/table.h"

/* Added to a masked key's score, as the reference does: block-sparse, full. */
#define PENALTY_SPARSE -10000.0f
#define PENALTY_FULL   (-FLT_MAX)

struct piece { /* keys first .. first+count, each counted `times` times */
    int64_t first, count;
    int32_t times;
};

/* Run i of a tile's list, cut to the sequence; full attention is one run. */
static struct piece piece_at(const struct bird_attention_args *a,
                             const struct bird_run *run, int64_t i)
{
    struct piece p = {0, a->len, 1};

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

/* The block that row r lies in. */
static int64_t block_of(const struct bird_attention_args *a, int64_t r)
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

static const struct bird_run *tile_runs(const struct bird_attention_args *a,
                                        int64_t r0, int64_t *n)
{
    *n = 1;
    if (!a->plan)
        return NULL;
    return bird_plan_row(a->plan, a->head, block_of(a, r0), n);
}

/* Probabilities of m query rows from r0; returns the number of columns. */
static int64_t tile_probabilities(float *p, float *weight,
                                  const struct bird_attention_args *a,
                                  int64_t r0, int64_t m)
{
    int64_t n_run, n = 0, at = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);
    struct bird_matrix q = {a->q + r0 * a->ld, a->ld};
    float penalty = a->plan ? PENALTY_SPARSE : PENALTY_FULL;
    int weighted = 0;

    for (int64_t i = 0; i < n_run; i++)
        n += piece_at(a, run, i).count;
    for (int64_t i = 0; i < n_run; i++) {
        struct piece s = piece_at(a, run, i);
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
        at += s.count;
    }
    for (int64_t r = 0; r < m; r++)
        BIRD_FN(softmax_forward)(p + r * n, weighted ? weight : NULL, n);
    return n;
}

/* Queries that are padding: the reference zeroes their context when sparse. */
static int query_zeroed(const struct bird_attention_args *a, int64_t row)
{
    return a->plan && a->mask && !a->mask[row];
}

void BIRD_FN(attention_forward)(float *out, int64_t ld_out,
                                const struct bird_attention_args *a, int64_t r0,
                                int64_t r1, float *scratch)
{
    float *weight = scratch, *p = scratch + a->len;
    int64_t m = r1 - r0, n, n_run, at = 0;
    const struct bird_run *run = tile_runs(a, r0, &n_run);

    n = tile_probabilities(p, weight, a, r0, m);
    if (a->drop.p > 0)
        for (int64_t r = 0; r < m; r++)
            BIRD_FN(dropout)(p + r * n, a->drop, r0 + r, 1, n);
    for (int64_t i = 0; i < n_run; i++) {
        struct piece s = piece_at(a, run, i);

        tile_nn(out + r0 * ld_out, ld_out, (struct bird_matrix){p + at, n},
                (struct bird_matrix){a->v + s.first * a->ld, a->ld}, m, a->dim,
                s.count, 1, i > 0);
        at += s.count;
    }
    for (int64_t r = r0; r < r1; r++)
        if (query_zeroed(a, r))
            memset(out + r * ld_out, 0, (size_t)a->dim * sizeof(float));
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
        struct piece s = piece_at(a, run, i);

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
        struct piece s = piece_at(a, run, i);
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

void BIRD_FN(attention_backward)(float *dq, float *dk, float *dv,
                                 const float *dout, int64_t ld_out,
                                 const struct bird_attention_args *a,
                                 float *scratch)
{
    int64_t tile = bird_attention_tile(a->plan);
    float *weight = scratch, *p = weight + a->len, *kept = p + tile * a->len;
    float *dp = kept + tile * a->len, *g = dp + tile * a->len;

    for (int64_t i = 0; i < a->len; i++) {
        memset(dk + i * a->ld, 0, (size_t)a->dim * sizeof(float));
        memset(dv + i * a->ld, 0, (size_t)a->dim * sizeof(float));
    }
    for (int64_t r0 = 0; r0 < a->len; r0 += tile) {
        int64_t m = r0 + tile < a->len ? tile : a->len - r0, n;
        const float *pv = p;

        for (int64_t r = 0; r < m; r++) {
            if (query_zeroed(a, r0 + r))
                memset(g + r * a->dim, 0, (size_t)a->dim * sizeof(float));
            else
                memcpy(g + r * a->dim, dout + (r0 + r) * ld_out,
                       (size_t)a->dim * sizeof(float));
        }
        n = tile_probabilities(p, weight, a, r0, m);
        if (a->drop.p > 0) {
            memcpy(kept, p, (size_t)(m * n) * sizeof(float));
            for (int64_t r = 0; r < m; r++)
                BIRD_FN(dropout)(kept + r * n, a->drop, r0 + r, 1, n);
            pv = kept;
        }
        tile_values_backward(dv, dp, pv, (struct bird_matrix){g, a->dim}, a, r0,
                             m, n);
        for (int64_t r = 0; r < m; r++) {
            if (a->drop.p > 0)
                BIRD_FN(dropout)(dp + r * n, a->drop, r0 + r, 1, n);
            BIRD_FN(softmax_backward)(dp + r * n, p + r * n, n);
        }
        tile_scores_backward(dq, dk, dp, a, r0, m, n);
    }
}
