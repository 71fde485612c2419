/* Spearman's rank correlation of weighted rows, which are sorted once; each
 * weighting needs one pass.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "eval/metrics.h"

int bird_rank_pair_new(struct bird_rank_pair *out, const double *x,
                       const double *y, int64_t n)
{
    struct bird_rank_pair p = {.n = n};
    const double *side[2] = {x, y};
    double *known = bird_pool_array(&p.pool, n, sizeof(*known));
    int rc;

    for (int k = 0; k < 2; k++) {
        p.by[k].order = bird_pool_array(&p.pool, n, sizeof(*p.by[k].order));
        p.by[k].tied = bird_pool_array(&p.pool, n, 1);
    }
    rc = p.pool.rc;
    for (int k = 0; !rc && k < 2; k++) {
        for (int64_t i = 0; i < n; i++)
            known[i] = isnan(side[!k][i]) ? side[!k][i] : side[k][i];
        rc = bird_rank_rows(&p.by[k], known, 1, n);
    }
    if (rc)
        bird_pool_free(&p.pool);
    else
        *out = p;
    return rc;
}

void bird_rank_pair_free(struct bird_rank_pair *p)
{
    bird_pool_free(&p->pool);
    *p = (struct bird_rank_pair){0};
}

/* Twice the rank of every row minus the mean rank, which are whole numbers.
 * Rows with equal values share the mean of their ranks. */
static void set_ranks(double *rank, const struct bird_ranks *by,
                      const uint32_t *weight, double total)
{
    double before = 0, together = 0;
    int64_t from = 0;

    for (int64_t i = 0; i <= by->n; i++) {
        if (i == by->n || !by->tied[i]) {
            for (; from < i; from++)
                rank[by->order[from]] = 2 * before + together - total;
            before += together;
            together = 0;
        }
        if (i < by->n)
            together += weight[by->order[i]];
    }
}

double bird_rank_pair_spearman(const struct bird_rank_pair *p,
                               const uint32_t *weight, double *scratch)
{
    double *rank[2] = {scratch, scratch + p->n};
    double total = 0, xx = 0, yy = 0, xy = 0;

    for (int64_t i = 0; i < p->by[0].n; i++)
        total += weight[p->by[0].order[i]];
    for (int k = 0; k < 2; k++)
        set_ranks(rank[k], &p->by[k], weight, total);
    for (int64_t i = 0; i < p->by[0].n; i++) {
        int64_t row = p->by[0].order[i];
        double w = weight[row], x = rank[0][row], y = rank[1][row];

        xx += w * x * x;
        yy += w * y * y;
        xy += w * x * y;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx) / sqrt(yy) : (double)NAN;
}
